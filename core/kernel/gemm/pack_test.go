package gemm

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"trnsci/core/internal/kerneltest"
	"trnsci/core/kernel"
)

func TestTranspose(t *testing.T) {
	kerneltest.ForSets(t, testTranspose[float32], testTranspose[float64])
	for _, s := range kernel.Sets() {
		t.Run(s.String()+"/complex64", func(t *testing.T) { testTranspose[complex64](t, s) })
		t.Run(s.String()+"/complex128", func(t *testing.T) { testTranspose[complex128](t, s) })
	}
}

// testTranspose moves arbitrary bits and compares all memory with the definition.
func testTranspose[T kernel.Scalar](t *testing.T, s kernel.Set) {
	const padding = 5
	rng := rand.New(rand.NewPCG(11, uint64(s)))
	from, to := kerneltest.NewArena[T](t), kerneltest.NewArena[T](t)
	check := func(rows, cols, srcStride, dstStride int) {
		t.Helper()
		src := from.Place(rng, (rows-1)*srcStride+cols)
		dst := to.Place(rng, (cols-1)*dstStride+rows)
		kerneltest.FillBits(rng, src)
		kerneltest.FillBits(rng, dst)
		want := slices.Clone(dst)
		for i := range rows {
			for j := range cols {
				want[j*dstStride+i] = src[i*srcStride+j]
			}
		}
		before := slices.Clone(src)
		Transpose(s, rows, cols, src, srcStride, dst, dstStride)
		if !bytes.Equal(kerneltest.BitsOf(want), kerneltest.BitsOf(dst)) || !bytes.Equal(kerneltest.BitsOf(before),
			kerneltest.BitsOf(src)) {
			t.Fatalf("%dx%d, strides %d, %d", rows, cols, srcStride, dstStride)
		}
	}
	kerneltest.ForShapes(rng, func(rows, cols int) { check(rows, cols, cols+rng.IntN(padding), rows+rng.IntN(padding)) })
	const lineElements = 64 / 4
	for range 50 { // the rows of the transpose are whole lines apart
		rows, cols := alignedRows+rng.IntN(2*lineElements), 1+rng.IntN(40)
		check(rows, cols, cols+rng.IntN(padding), (rows+lineElements-1)/lineElements*lineElements)
	}
}

func TestCopy(t *testing.T) { kerneltest.ForSets(t, testCopy[float32], testCopy[float64]) }

// testCopy moves arbitrary bits and compares all memory with the definition.
func testCopy[T kernel.Float](t *testing.T, s kernel.Set) {
	const padding = 5
	rng := rand.New(rand.NewPCG(12, uint64(s)))
	from, to := kerneltest.NewArena[T](t), kerneltest.NewArena[T](t)
	for range 3000 {
		p := Panel[T]{Count: 1 + rng.IntN(4), Rows: 1 + rng.IntN(20),
			Cols: 1 + rng.IntN(kernel.BlockingOf[T](s).TileCols())}
		p.FromStep = p.Cols + rng.IntN(padding)
		p.FromRow = p.Count*p.FromStep + rng.IntN(padding)
		p.ToRow = p.Cols + rng.IntN(padding)
		p.ToStep = p.Rows*p.ToRow + rng.IntN(padding)
		p.From = from.Place(rng, (p.Count-1)*p.FromStep+(p.Rows-1)*p.FromRow+p.Cols)
		p.To = to.Place(rng, (p.Count-1)*p.ToStep+(p.Rows-1)*p.ToRow+p.Cols)
		kerneltest.FillBits(rng, p.From)
		kerneltest.FillBits(rng, p.To)
		want, before := slices.Clone(p.To), slices.Clone(p.From)
		for n := range p.Count {
			for i := range p.Rows {
				for j := range p.Cols {
					want[n*p.ToStep+i*p.ToRow+j] = p.From[n*p.FromStep+i*p.FromRow+j]
				}
			}
		}
		Pack(s, &p)
		if !bytes.Equal(kerneltest.BitsOf(want), kerneltest.BitsOf(p.To)) || !bytes.Equal(kerneltest.BitsOf(before),
			kerneltest.BitsOf(p.From)) {
			t.Fatalf("%d tiles of %dx%d, strides %d,%d %d,%d", p.Count, p.Rows, p.Cols, p.FromRow, p.FromStep, p.ToRow,
				p.ToStep)
		}
	}
}

func TestPairs(t *testing.T) { kerneltest.ForSets(t, testPairs[float32], testPairs[float64]) }

// testPairs changes signs of arbitrary bits and compares all memory with the definition, with From apart from To and
// within it.
func testPairs[T kernel.Float](t *testing.T, s kernel.Set) {
	const padding = 5
	rng := rand.New(rand.NewPCG(14, uint64(s)))
	from, to := kerneltest.NewArena[T](t), kerneltest.NewArena[T](t)
	sign := func() T { return T(1 - 2*rng.IntN(2)) }
	for range 3000 {
		p := Panel[T]{Count: 1 + rng.IntN(4), Rows: 1 + rng.IntN(20),
			Cols: 2 * (1 + rng.IntN(kernel.BlockingOf[T](s).TileCols()/2))}
		p.ToRow = p.Cols + rng.IntN(padding)
		p.ToStep = expandedRows*p.Rows*p.ToRow + rng.IntN(padding)
		p.To = to.Place(rng, (p.Count-1)*p.ToStep+(expandedRows*p.Rows-1)*p.ToRow+p.Cols)
		kerneltest.FillNormal(rng, p.To)
		inPlace := rng.IntN(2) == 0
		if inPlace {
			p.From, p.FromStep, p.FromRow = p.To, p.ToStep, expandedRows*p.ToRow
		} else {
			p.FromStep = p.Cols + rng.IntN(padding)
			p.FromRow = p.Count*p.FromStep + rng.IntN(padding)
			p.From = from.Place(rng, (p.Count-1)*p.FromStep+(p.Rows-1)*p.FromRow+p.Cols)
			kerneltest.FillNormal(rng, p.From)
			p.From[rng.IntN(len(p.From))] = 0
			p.From[rng.IntN(len(p.From))] = T(math.Inf(1))
		}
		upper, lower := [2]T{sign(), sign()}, [2]T{sign(), sign()}
		want, before := slices.Clone(p.To), slices.Clone(p.From)
		for n := range p.Count {
			for i := range p.Rows {
				for j := range p.Cols {
					at := n*p.ToStep + 2*i*p.ToRow + j
					pair := before[n*p.FromStep+i*p.FromRow+j/2*2:]
					want[at] = upper[j%2] * pair[j%2]
					want[at+p.ToRow] = lower[j%2] * pair[1-j%2]
				}
			}
		}
		PackExpanded(s, &p, upper, lower)
		if !bytes.Equal(kerneltest.BitsOf(want),
			kerneltest.BitsOf(p.To)) || !inPlace && !bytes.Equal(kerneltest.BitsOf(before), kerneltest.BitsOf(p.From)) {
			t.Fatalf("%d tiles of %dx%d, strides %d,%d %d,%d, in place %v", p.Count, p.Rows, p.Cols, p.FromRow,
				p.FromStep, p.ToRow, p.ToStep, inPlace)
		}
	}
}
