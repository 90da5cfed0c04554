package kernel

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"
)

// forShapes runs try for all small shapes and for some larger ones.
func forShapes(rng *rand.Rand, try func(rows, cols int)) {
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

// bitsOf returns the memory of x.
func bitsOf[T Float](x []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&x[0])), len(x)*int(unsafe.Sizeof(x[0])))
}

// fillBits sets x to arbitrary bits; every third element is a NaN of some kind.
func fillBits[T Float](rng *rand.Rand, x []T) {
	b := bitsOf(x)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	size := int(unsafe.Sizeof(x[0]))
	for end := size; end <= len(b); end += 3 * size {
		b[end-2], b[end-1] = 0xff, 0xff // all of the exponent
	}
}

func TestTranspose(t *testing.T) { forSets(t, testTranspose[float32], testTranspose[float64]) }

// testTranspose moves arbitrary bits and compares all memory with the definition.
func testTranspose[T Float](t *testing.T, s Set) {
	const padding = 5
	rng := rand.New(rand.NewPCG(11, uint64(s)))
	from, to := newArena[T](t), newArena[T](t)
	forShapes(rng, func(rows, cols int) {
		srcStride, dstStride := cols+rng.IntN(padding), rows+rng.IntN(padding)
		src := from.place(rng, (rows-1)*srcStride+cols)
		dst := to.place(rng, (cols-1)*dstStride+rows)
		fillBits(rng, src)
		fillBits(rng, dst)
		want := slices.Clone(dst)
		for i := range rows {
			for j := range cols {
				want[j*dstStride+i] = src[i*srcStride+j]
			}
		}
		before := slices.Clone(src)
		Transpose(s, rows, cols, src, srcStride, dst, dstStride)
		if !bytes.Equal(bitsOf(want), bitsOf(dst)) || !bytes.Equal(bitsOf(before), bitsOf(src)) {
			t.Fatalf("%dx%d, strides %d, %d", rows, cols, srcStride, dstStride)
		}
	})
}
