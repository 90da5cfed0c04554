package givens

import (
	"math/rand/v2"
	"slices"
	"testing"

	"trnsci/core/internal/kerneltest"
	"trnsci/core/kernel"
)

func TestRotateColumns(t *testing.T) {
	for _, s := range kernel.Sets() {
		t.Run(s.String(), func(t *testing.T) { testRotateColumns(t, s) })
	}
}

// testRotateColumns compares with rotations of the rows of the transpose.
func testRotateColumns(t *testing.T, s kernel.Set) {
	const padding = 5
	rng := rand.New(rand.NewPCG(19, uint64(s)))
	rotations, matrices := kerneltest.NewArena[float64](t), kerneltest.NewArena[float64](t)
	kerneltest.ForShapes(rng, func(rows, cols int) {
		stride := cols + rng.IntN(padding)
		q := randomRotations(rng, rotations, cols-1)
		a := kerneltest.PlaceRows(rng, matrices, rows, cols, stride)
		transpose := make([]float64, rows*cols)
		for i := range rows {
			for j := range cols {
				transpose[j*rows+i] = a[i*stride+j]
			}
		}
		RotateColumns(s, q, a, stride, rows)
		got := slices.Clone(transpose)
		for at, x := range a {
			if i, j := at/stride, at%stride; j < cols {
				got[j*rows+i] = x
			} else if x == x {
				t.Fatalf("%dx%d, stride %d: element %d is outside and was written", rows, cols, stride, at)
			}
		}
		if err := checkRotated(q, true, transpose, got, rows, rows); err != nil {
			t.Fatalf("%dx%d, stride %d: %v", rows, cols, stride, err)
		}
	})
}

func TestRotationsOfColumnsOutsideOfMemoryAreRefused(t *testing.T) {
	for _, s := range kernel.Sets() {
		q := make([]Rotation[float64], 4)
		call := func(a []float64, stride int) { RotateColumns(s, q, a, stride, 5) }
		call(make([]float64, 4*8+5), 8)
		if !kerneltest.Panics(func() { call(make([]float64, 4*8+4), 8) }) {
			t.Error("too short: accepted")
		}
		if !kerneltest.Panics(func() { call(make([]float64, 100), 4) }) {
			t.Error("rows that overlap: accepted")
		}
	}
}
