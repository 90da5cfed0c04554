package scratch

import (
	"unsafe"

	"trnsci/core/dense"
)

// Arena divides a piece of memory into vectors and matrices, each of which begins at a cache line.
//
// A layout is the function of a computation that takes all its parts from an Arena, and does nothing else. Count runs
// it without memory and returns the words that it takes; Pool.Arena runs it over memory of that size. So what a
// computation needs is written down once, and a bound of its memory cannot differ from what it takes.
type Arena struct {
	rest     []float64
	used     int // words
	counting bool
}

// Count returns the number of words that a layout takes.
func Count(layout func(a *Arena)) int { return run(Arena{counting: true}, layout) }

// arenas are kept because a layout may be any function, for which the compiler allocates its argument.
var arenas Cache[Arena]

// run runs a layout over an arena, and returns the words that it takes.
func run(over Arena, layout func(a *Arena)) (words int) {
	a := arenas.Get()
	if a == nil {
		a = new(Arena)
	}
	*a = over
	layout(a)
	words = a.used
	*a = Arena{}
	arenas.Put(a)
	return words
}

// NewArena returns an arena over words, which begin at a cache line.
func NewArena(words []float64) Arena { return Arena{rest: words} }

// Arena borrows the memory that the layout takes, and runs the layout over it.
func (p *Pool) Arena(layout func(a *Arena)) Memory {
	m := p.Borrow(Count(layout))
	run(NewArena(m.Words), layout)
	return m
}

// Allocate runs the layout over new memory, for parts that outlive the call or that no other call could use.
func Allocate(layout func(a *Arena)) {
	run(NewArena(dense.NewAligned[float64](Count(layout))), layout)
}

// Take returns n numbers of unknown values. While the arena counts, it returns no memory.
func Take[T dense.Scalar](a *Arena, n int) []T {
	words := LinesOf[T](n)
	a.used += words
	if a.counting {
		return nil
	}
	part := a.rest[:words]
	a.rest = a.rest[words:]
	return Numbers[T](part, n)
}

// TakeMatrix is Take for a matrix with contiguous rows.
func TakeMatrix[T dense.Scalar](a *Arena, rows, cols int) dense.Matrix[T] {
	return dense.Matrix[T]{Rows: rows, Cols: cols, Stride: max(1, cols), Data: Take[T](a, rows*cols)}
}

// Either runs layouts of which only one is in use at a time: all begin at the same place, and the arena advances by the
// largest of them.
func (a *Arena) Either(layouts ...func(a *Arena)) {
	start := *a
	end := start
	for _, layout := range layouts {
		*a = start
		layout(a)
		if a.used > end.used {
			end = *a
		}
	}
	*a = end
}

// WordsOf returns the number of words that hold n numbers of type T.
func WordsOf[T dense.Scalar](n int) int { return (n*dense.Bytes[T]() + wordBytes - 1) / wordBytes }

// LinesOf returns the number of words in the cache lines that hold n numbers of type T: what Take takes.
func LinesOf[T dense.Scalar](n int) int { return dense.WholeLines[float64](WordsOf[T](n)) }

// Numbers returns the memory of words as n numbers of type T, for which it must be large enough.
func Numbers[T dense.Scalar](words []float64, n int) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(words[:WordsOf[T](n)]))), n)
}
