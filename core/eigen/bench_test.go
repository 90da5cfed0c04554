package eigen

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/householder"
	"trnsci/core/kernel/batch"
	"trnsci/core/numtest"
	"trnsci/core/sched"
	"trnsci/core/tridiag"
	"trnsci/core/tridiag/reduce"
)

func BenchmarkEigh(b *testing.B) {
	for _, n := range []int{8, 64, 128, 256, 512, 1024} {
		b.Run(fmt.Sprintf("float64/%d", n), func(b *testing.B) { benchmarkEigh[float64, float64](b, n) })
		b.Run(fmt.Sprintf("complex128/%d", n), func(b *testing.B) { benchmarkEigh[complex128, float64](b, n) })
	}
}

func BenchmarkJacobi(b *testing.B) {
	kinds := map[string]func(*rand.Rand, int) dense.Matrix[float64]{
		"definite": numtest.RandomSPD[float64], "indefinite": numtest.RandomHermitian[float64],
	}
	for kind, make := range kinds {
		for _, n := range []int{16, 64, 256} {
			a := make(rand.New(rand.NewPCG(1, 2)), n)
			b.Run(fmt.Sprintf("%s/%d", kind, n), func(b *testing.B) {
				benchmarkMatrix[float64, float64](b, a, Options{Jacobi: true})
			})
		}
	}
}

func benchmarkEigh[T dense.Scalar, R dense.Float](b *testing.B, n int) {
	benchmarkMatrix[T, R](b, numtest.RandomSPD[T](rand.New(rand.NewPCG(1, 2)), n), Options{})
}

func benchmarkMatrix[T dense.Scalar, R dense.Float](b *testing.B, a dense.Matrix[T], opt Options) {
	n := a.Rows
	w, v := make([]R, n), dense.New[T](n, n)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Eigh(a.View(), w, v.View().T(), opt); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEighGeneralized(b *testing.B) {
	for _, n := range []int{16, 64, 128, 256, 512, 1024} {
		b.Run(fmt.Sprintf("float64/%d", n), func(b *testing.B) { benchmarkGeneralized[float64, float64](b, n) })
		b.Run(fmt.Sprintf("complex128/%d", n), func(b *testing.B) { benchmarkGeneralized[complex128, float64](b, n) })
	}
}

func benchmarkGeneralized[T dense.Scalar, R dense.Float](b *testing.B, n int) {
	rng := rand.New(rand.NewPCG(1, 2))
	a, metric := numtest.RandomSPD[T](rng, n), numtest.RandomSPD[T](rng, n)
	w, v := make([]R, n), dense.New[T](n, n)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := EighGeneralized(AXEqualsLambdaBX, a.View(), metric.View(), w, v.View().T(), Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkBandValues times the reductions of a band and of the same dense matrix: they take equally long at bandRatio.
func BenchmarkBandValues(b *testing.B) {
	for _, n := range []int{256, 1024} {
		for _, width := range []int{2, 4, 8, 16} {
			whole := numtest.RandomSPD[float64](rand.New(rand.NewPCG(1, 2)), n)
			view := packed(limited(whole, width), width+1, false).View()
			band := newHermitianBand[float64](view, false)
			t := tridiag.New(n)
			b.Run(fmt.Sprintf("band/%d/%d", n, width), func(b *testing.B) {
				for b.Loop() {
					_ = band.reducible().Tridiagonalize(nil, t)
				}
			})
			b.Run(fmt.Sprintf("dense/%d/%d", n, width), func(b *testing.B) {
				for b.Loop() {
					h, _ := lowerCopy[float64](nil, band.lower().View(), false, false)
					_, _ = reduce.Hermitian(nil, h, t)
				}
			})
		}
	}
}

// BenchmarkGroup times a full group, one matrix in a SIMD lane, and one matrix by the method for larger orders.
func BenchmarkGroup(b *testing.B) {
	for _, n := range []int{2, 4, 8, 12, 16, 20, 24, 32, 48, 64} {
		b.Run(fmt.Sprintf("float64/%d", n), func(b *testing.B) { benchmarkGroup[float64, float64](b, n) })
		b.Run(fmt.Sprintf("complex128/%d", n), func(b *testing.B) { benchmarkGroup[complex128, float64](b, n) })
	}
}

func benchmarkGroup[T dense.Scalar, R dense.Float](b *testing.B, n int) {
	rng := rand.New(rand.NewPCG(1, 2))
	var members [batch.Width]Member[T, R]
	for k := range members {
		members[k] = Member[T, R]{numtest.RandomSPD[T](rng, n).View(), make([]R, n), dense.New[T](n, n).View().T()}
	}
	var counts [batch.Width]int
	for _, count := range []int{batch.Width, 1} {
		b.Run(fmt.Sprintf("%d", count), func(b *testing.B) {
			for b.Loop() {
				if _, err := eighGroup(members[:count], counts[:], Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			if _, err := eighDouble(members[0].A, members[0].W, members[0].V, Options{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkBackTransformation times the steps after divide and conquer: forming the block reflectors, applying them to
// all vectors and writing these to the output. The time includes a copy of the vectors.
func BenchmarkBackTransformation(b *testing.B) {
	for _, threads := range []int{1, 2} {
		for _, n := range []int{16, 32, 64, 128, 256, 512, 1024, 2048} {
			b.Run(fmt.Sprintf("float64/%d/threads=%d", n, threads), func(b *testing.B) { benchmarkBack[float64](b, n, threads) })
			b.Run(fmt.Sprintf("complex128/%d/threads=%d", n, threads),
				func(b *testing.B) { benchmarkBack[complex128](b, n, threads) })
		}
	}
}

func benchmarkBack[W dense.Wide](b *testing.B, n, threads int) {
	a := numtest.RandomSPD[W](rand.New(rand.NewPCG(1, 2)), n)
	h, t := reduce.NewLower[W](n), tridiag.New(n)
	dense.Copy(h.View(), a.View())
	tau, err := reduce.Hermitian(nil, h, t)
	if err != nil {
		b.Fatal(err)
	}
	vectors, v := numtest.RandomSPD[float64](rand.New(rand.NewPCG(1, 3)), n), dense.New[W](n, n).View().T()
	rows := dense.New[float64](n, n)
	memory := make([]float64, householder.BlockElements[W](n, threads)+writeElements[W](n, n, threads))
	team := sched.NewTeam(context.Background(), threads, nil)
	for b.Loop() {
		rows.CopyFrom(vectors)
		blocks, err := householder.GatherRows(team, h, tau, memory)
		if err != nil {
			b.Fatal(err)
		}
		out := vectorWriter[float64, W, W]{blocks: blocks, rows: rows, v: v}
		if err := out.write(team, memory[householder.BlockElements[W](n, threads):]); err != nil {
			b.Fatal(err)
		}
	}
	products := 2.0
	if dense.IsComplex[W]() {
		products *= 4
	}
	b.ReportMetric(products*float64(n)*float64(n)*float64(n)/float64(b.Elapsed().Nanoseconds())*float64(b.N), "GF")
}
