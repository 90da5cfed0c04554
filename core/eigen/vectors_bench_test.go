package eigen

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/numtest"
	"trnsci/core/sched"
)

// BenchmarkBackTransformation times what comes behind divide and conquer: the blocks of reflections are formed and applied to as many
// vectors, which are written to the output. The vectors are copied anew each time, which is counted.
func BenchmarkBackTransformation(b *testing.B) {
	for _, threads := range []int{1, 2} {
		for _, n := range []int{16, 32, 64, 128, 256, 512, 1024, 2048} {
			b.Run(fmt.Sprintf("float64/%d/threads=%d", n, threads), func(b *testing.B) { benchmarkBack[float64](b, n, threads) })
			b.Run(fmt.Sprintf("complex128/%d/threads=%d", n, threads), func(b *testing.B) { benchmarkBack[complex128](b, n, threads) })
		}
	}
}

func benchmarkBack[W dense.Wide](b *testing.B, n, threads int) {
	a := numtest.RandomSPD[W](rand.New(rand.NewPCG(1, 2)), n)
	h, t := newLower[W](n), newTridiagonal(n)
	dense.Copy(h.View(), a.View())
	tau, err := tridiagonalize(nil, h, t.d, t.e)
	if err != nil {
		b.Fatal(err)
	}
	vectors, v := numtest.RandomSPD[float64](rand.New(rand.NewPCG(1, 3)), n), dense.New[W](n, n).View().T()
	rows := dense.New[float64](n, n)
	memory := make([]float64, blockElements[W](n, threads)+writeElements[W](n, n, threads))
	team := sched.NewTeam(context.Background(), threads, nil)
	for b.Loop() {
		rows.CopyFrom(vectors)
		blocks, err := gather(team, h, tau, memory)
		if err != nil {
			b.Fatal(err)
		}
		out := vectorWriter[float64, W, W]{blocks: blocks, rows: rows, v: v}
		if err := out.write(team, memory[blockElements[W](n, threads):]); err != nil {
			b.Fatal(err)
		}
	}
	products := 2.0
	if dense.IsComplex[W]() {
		products *= 4
	}
	b.ReportMetric(products*float64(n)*float64(n)*float64(n)/float64(b.Elapsed().Nanoseconds())*float64(b.N), "GF")
}
