package kerneltest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"trnsci/core/kernel"
)

func ForSets(t *testing.T, single, double func(*testing.T, kernel.Set)) {
	for _, s := range kernel.Sets() {
		t.Run(s.String()+"/float32", func(t *testing.T) { single(t, s) })
		t.Run(s.String()+"/float64", func(t *testing.T) { double(t, s) })
	}
}

// Arena is fenced memory in which operands are placed at the very beginning or the very end.
type Arena[T kernel.Scalar] []T

func NewArena[T kernel.Scalar](t *testing.T) Arena[T] {
	const pages = 96
	bytes := fenced(t, pages)
	return unsafe.Slice((*T)(unsafe.Pointer(&bytes[0])), len(bytes)/int(unsafe.Sizeof(T(0))))
}

func (m Arena[T]) Place(rng *rand.Rand, n int) []T {
	if rng.IntN(2) == 0 {
		return m[:n:n]
	}
	return m[len(m)-n:]
}

func FillNormal[T kernel.Float](rng *rand.Rand, x []T) {
	for i := range x {
		x[i] = T(rng.NormFloat64())
	}
}

func FillNaN[T kernel.Float](x []T) {
	for i := range x {
		x[i] = T(math.NaN())
	}
}

func Epsilon[T kernel.Float]() float64 {
	if unsafe.Sizeof(T(0)) == 4 {
		return math.Pow(2, -23)
	}
	return math.Pow(2, -52)
}

// LongSum adds products in about twice the precision of float64 (Ogita, Rump and Oishi, Accurate sum and dot product,
// SIAM J. Sci. Comput. 26 (2005), algorithm 5.3), and their magnitudes.
type LongSum struct{ High, Low, Size float64 }

func (s *LongSum) Add(x, y float64) {
	p := x * y
	sum := s.High + p
	back := sum - s.High
	s.Low += (s.High - (sum - back)) + (p - back) + math.FMA(x, y, -p)
	s.High = sum
	s.Size += math.Abs(p)
}

// Scale multiplies the sum by x.
func (s *LongSum) Scale(x float64) { s.High, s.Low, s.Size = s.High*x, s.Low*x, s.Size*math.Abs(x) }

// Check compares a computed sum of n terms with s.
func (s *LongSum) Check(got, eps float64, n int) error {
	want := s.High + s.Low
	if limit := float64(n+2) * eps * s.Size; !(math.Abs(got-want) <= limit) {
		return fmt.Errorf("%v, want %v within %.1g", got, want, limit)
	}
	return nil
}

// Differ returns the first place where x and y have different bits, -1 if there is none.
func Differ[T kernel.Float](x, y []T) int {
	for i := range x {
		if math.Float64bits(float64(x[i])) != math.Float64bits(float64(y[i])) {
			return i
		}
	}
	return -1
}

// ForShapes runs try for all small shapes and for some larger ones.
func ForShapes(rng *rand.Rand, try func(rows, cols int)) {
	const small, rounds, large = 40, 100, 140 // of these an arena holds a matrix
	for rows := 1; rows <= small; rows++ {
		for cols := 1; cols <= small; cols++ {
			try(rows, cols)
		}
	}
	for range rounds {
		try(1+rng.IntN(large), 1+rng.IntN(large))
	}
}

// BitsOf returns the memory of x.
func BitsOf[T kernel.Scalar](x []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&x[0])), len(x)*int(unsafe.Sizeof(x[0])))
}

// FillBits sets x to arbitrary bits; every third element is a NaN of some kind.
func FillBits[T kernel.Scalar](rng *rand.Rand, x []T) {
	b := BitsOf(x)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	size := int(unsafe.Sizeof(x[0]))
	for end := size; end <= len(b); end += 3 * size {
		b[end-2], b[end-1] = 0xff, 0xff // all of the exponent
	}
}

// PlaceRows returns a matrix in m whose rows are stride apart. What lies between its rows is NaN.
func PlaceRows[T kernel.Float](rng *rand.Rand, m Arena[T], rows, cols, stride int) []T {
	x := m.Place(rng, (rows-1)*stride+cols)
	FillNaN(x)
	for i := range rows {
		FillNormal(rng, x[i*stride:][:cols])
	}
	return x
}

func Panics(call func()) (panicked bool) {
	defer func() { panicked = recover() != nil }()
	call()
	return false
}

// ReportRate reports 1e9 operations per second.
func ReportRate(b *testing.B, operations int) {
	b.ReportMetric(float64(operations)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GF")
}
