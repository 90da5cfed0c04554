package givens

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"trnsci/core/internal/kerneltest"
	"trnsci/core/kernel"
)

func BenchmarkRotate(b *testing.B) {
	const rotations = 100
	q := make([]Rotation[float64], rotations)
	for i := range q {
		s, c := math.Sincos(float64(i))
		q[i] = Rotation[float64]{C: c, S: s}
	}
	for _, s := range kernel.Sets() {
		for _, cols := range []int{8, 64, 128, 256, 512} {
			for _, down := range []bool{false, true} {
				a := make([]float64, (rotations+1)*cols)
				kerneltest.FillNormal(rand.New(rand.NewPCG(15, 0)), a)
				b.Run(fmt.Sprintf("%v/%d/down=%v", s, cols, down), func(b *testing.B) {
					for b.Loop() {
						Rotate(s, q, down, a, cols, cols)
					}
					kerneltest.ReportRate(b, 6*rotations*cols)
				})
			}
		}
	}
}

func BenchmarkRotateColumns(b *testing.B) {
	const rotations = 100
	q := make([]Rotation[float64], rotations)
	for i := range q {
		s, c := math.Sincos(float64(i))
		q[i] = Rotation[float64]{C: c, S: s}
	}
	for _, s := range kernel.Sets() {
		for _, rows := range []int{1, 3, 4, 8, 16, 32, 64} {
			a := make([]float64, (rotations+1)*rows)
			kerneltest.FillNormal(rand.New(rand.NewPCG(15, 0)), a)
			b.Run(fmt.Sprintf("%v/%d", s, rows), func(b *testing.B) {
				for b.Loop() {
					RotateColumns(s, q, a, rotations+1, rows)
				}
				kerneltest.ReportRate(b, 6*rotations*rows)
			})
		}
	}
}
