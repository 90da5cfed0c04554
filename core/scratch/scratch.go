// Package scratch lends memory that calls work in and keeps it for later calls, until the garbage collector wants it: touching the pages of new memory can take
// as long as the work that is done in it.
package scratch

import (
	"sync"
	"unsafe"

	"trnsci/core/dense"
)

const (
	wordBytes = int(unsafe.Sizeof(float64(0)))
	// LineWords is the number of words in a line of the cache, where lent memory begins.
	LineWords = dense.LineBytes / wordBytes
)

// Pool keeps memory of one purpose: calls that want other sizes have a pool of their own. A Pool must not be copied.
type Pool struct {
	// Memory of more bytes than this is not kept.
	MostBytes int
	pool      sync.Pool
}

// Memory is memory that is lent.
type Memory struct {
	// Words have unknown values. They begin with a line of the cache, and there are at least as many as were asked for.
	Words []float64
	from  *Pool
	whole *[]float64
}

// Borrow returns memory of so many words, which is to be given back when nothing refers to it any more.
func (p *Pool) Borrow(words int) Memory {
	whole, _ := p.pool.Get().(*[]float64)
	words += LineWords
	if whole == nil || len(*whole) < words {
		whole = new([]float64)
		*whole = make([]float64, words)
	}
	return Memory{Words: (*whole)[dense.ToLine(*whole):], from: p, whole: whole}
}

// GiveBack ends the loan.
func (m Memory) GiveBack() {
	if len(*m.whole)*wordBytes <= m.from.MostBytes {
		m.from.pool.Put(m.whole)
	}
}

// WordsOf returns how many words hold n numbers of type T.
func WordsOf[T dense.Scalar](n int) int {
	return (n*dense.Bytes[T]() + wordBytes - 1) / wordBytes
}

// Numbers returns the memory of words as n numbers of type T, for which it must be large enough.
func Numbers[T dense.Scalar](words []float64, n int) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(words[:WordsOf[T](n)]))), n)
}
