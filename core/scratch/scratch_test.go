package scratch

import (
	"testing"
	"unsafe"

	"trnsci/core/dense"
)

func TestMemoryBeginsWithALine(t *testing.T) {
	pool := Pool{MostBytes: 1 << 20}
	for words := range 100 {
		m := pool.Borrow(words)
		if at := uintptr(unsafe.Pointer(unsafe.SliceData(m.Words))); at%dense.LineBytes != 0 || len(m.Words) < words {
			t.Fatalf("%d words: %d at %#x", words, len(m.Words), at)
		}
		for i := range m.Words { // all of it can be written
			m.Words[i] = 1
		}
		m.GiveBack()
	}
}

func TestMemoryIsLentOnce(t *testing.T) {
	pool := Pool{MostBytes: 1 << 20}
	first := pool.Borrow(10)
	first.GiveBack()
	a, b := pool.Borrow(10), pool.Borrow(10)
	if unsafe.SliceData(a.Words) == unsafe.SliceData(b.Words) {
		t.Error("the same memory was lent twice")
	}
}

func TestLargeMemoryIsNotKept(t *testing.T) {
	pool := Pool{MostBytes: 64}
	pool.Borrow(100).GiveBack()
	if pool.pool.Get() != nil {
		t.Error("memory of 800 bytes was kept")
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
