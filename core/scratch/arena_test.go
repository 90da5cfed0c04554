package scratch

import (
	"testing"
	"unsafe"

	"trnsci/core/dense"
)

// parts is what a computation of order n works in.
type parts struct {
	d      []float64
	h, z   dense.Matrix[complex64]
	pivots []float32
	late   []float64
}

func (p *parts) layout(n int) func(a *Arena) {
	return func(a *Arena) {
		p.d = Take[float64](a, n)
		p.h = TakeMatrix[complex64](a, n, n)
		a.Either(
			func(a *Arena) { p.z = TakeMatrix[complex64](a, n, 2) },
			func(a *Arena) { p.pivots = Take[float32](a, n); Take[float64](a, 3) },
		)
		p.late = Take[float64](a, 1)
	}
}

func TestALayoutTakesWhatItCounts(t *testing.T) {
	pool := Pool{MostBytes: 1 << 20}
	for n := range 40 {
		var p parts
		words := Count(p.layout(n))
		if p.d != nil || p.h.Data != nil || p.h.Rows != n {
			t.Fatal("a count takes memory")
		}
		lines := LinesOf[float64](n) + LinesOf[complex64](n*n) +
			max(LinesOf[complex64](2*n), LinesOf[float32](n)+LinesOf[float64](3)) + LinesOf[float64](1)
		if words != lines {
			t.Errorf("order %d: %d words, want %d", n, words, lines)
		}
		// Exactly that much memory is enough.
		arena := NewArena(dense.NewAligned[float64](words))
		p.layout(n)(&arena)
		if len(arena.rest) != 0 {
			t.Errorf("order %d: %d words are left", n, len(arena.rest))
		}
		memory := pool.Arena(p.layout(n))
		if len(p.d) != n || len(p.h.Data) != n*n || len(p.z.Data) != 2*n || len(p.pivots) != n || len(p.late) != 1 {
			t.Errorf("order %d: lengths %d, %d, %d, %d", n, len(p.d), len(p.h.Data), len(p.z.Data), len(p.pivots))
		}
		if at := uintptr(unsafe.Pointer(unsafe.SliceData(p.h.Data))); n > 0 && at%dense.LineBytes != 0 {
			t.Errorf("order %d: the matrix begins at %#x", n, at)
		}
		disjoint(t, n, &p)
		memory.GiveBack()
	}
}

// disjoint writes to all parts and looks whether each still has its own values. z and pivots share their memory.
func disjoint(t *testing.T, n int, p *parts) {
	for i := range p.d {
		p.d[i] = 1
	}
	p.h.Fill(2)
	p.z.Fill(3)
	p.late[0] = 4
	sum := p.late[0]
	for _, x := range p.d {
		sum += x
	}
	for _, x := range append(append([]complex64{}, p.h.Data...), p.z.Data...) {
		sum += float64(real(x))
	}
	if want := float64(4 + n + 2*n*n + 3*2*n); sum != want {
		t.Errorf("order %d: parts overlap: sum %g, want %g", n, sum, want)
	}
	if n > 0 && unsafe.Pointer(unsafe.SliceData(p.pivots)) != unsafe.Pointer(unsafe.SliceData(p.z.Data)) {
		t.Errorf("order %d: layouts of which one is in use do not share their memory", n)
	}
}

func TestNumbers(t *testing.T) {
	testNumbers[float32](t, []int{0, 1, 1, 2})
	testNumbers[float64](t, []int{0, 1, 2, 3})
	testNumbers[complex64](t, []int{0, 1, 2, 3})
	testNumbers[complex128](t, []int{0, 2, 4, 6})
}

// testNumbers asks for the words of 0, 1, 2 and 3 numbers.
func testNumbers[T dense.Scalar](t *testing.T, words []int) {
	for n, want := range words {
		if got := WordsOf[T](n); got != want {
			t.Errorf("%d numbers of type %T in %d words, want %d", n, *new(T), got, want)
		}
		if x := Numbers[T](make([]float64, want), n); len(x) != n {
			t.Errorf("%d numbers, want %d", len(x), n)
		}
	}
}
