// Package scratch owns the memory in which calls work. Pools lend it and keep it for later calls, because touching the
// pages of new memory can take as long as the work that is done in it; one limit holds for all pools together, and
// Release empties them. An Arena divides lent memory into vectors and matrices; the code that does so for a computation
// can run without memory, too, and then tells how much there must be.
package scratch

import (
	"runtime"

	"trnsci/core/dense"
)

const (
	wordBytes = 8 // of a float64
	// LineWords is the number of words in a cache line.
	LineWords = dense.LineBytes / wordBytes
	// Smaller pieces do not count towards the limit: a pool has few of them, and calls that need little memory are quick.
	countedBytes = 1 << 20
)

// Pool keeps memory of one purpose: calls that need other sizes have a pool of their own. What it keeps is freed by the
// garbage collector when no call has borrowed it for two collections, and by Release. A Pool is a variable of a package
// and must not be copied.
type Pool struct {
	// Pieces of more bytes than this are not kept.
	MostBytes int
	list      list
}

// Memory is a lent piece of memory.
type Memory struct {
	// Words begin at a cache line. Their values are unknown, and there are at least as many as were asked for.
	Words []float64
	from  *Pool
	piece *piece
}

type piece struct {
	words   []float64
	account *account // nil for a small piece
}

// Borrow returns memory of at least the given number of words, to be given back when nothing refers to it any more.
func (p *Pool) Borrow(words int) Memory {
	words += LineWords
	lent, _ := p.list.get().(*piece)
	if lent != nil && lent.account != nil {
		lent.account.leave()
	}
	if lent == nil || len(lent.words) < words {
		lent = newPiece(words)
	}
	return Memory{Words: lent.words[dense.ToLine(lent.words):], from: p, piece: lent}
}

func newPiece(words int) *piece {
	p := &piece{words: make([]float64, words)}
	if bytes := words * wordBytes; bytes >= countedBytes {
		p.account = &account{bytes: int64(bytes)}
		runtime.AddCleanup(p, (*account).leave, p.account)
	}
	return p
}

// GiveBack ends the loan.
func (m Memory) GiveBack() {
	if len(m.piece.words)*wordBytes > m.from.MostBytes {
		return
	}
	if m.piece.account == nil || m.piece.account.enter() {
		m.from.list.put(m.piece)
	}
}

// Cache keeps values of one type between calls, such as buffers of a fixed layout, which the garbage collector frees
// when nobody has used them for a while. They do not count towards the limit: one per processor is typical. A Cache is
// a variable of a package and must not be copied.
type Cache[T any] struct{ list list }

// Get returns a kept value, nil if there is none.
func (c *Cache[T]) Get() *T {
	x, _ := c.list.get().(*T)
	return x
}

// Put keeps a value that nobody refers to any more.
func (c *Cache[T]) Put(x *T) { c.list.put(x) }
