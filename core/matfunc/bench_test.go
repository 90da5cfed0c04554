package matfunc

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/numtest"
	"trnsci/core/sched"
)

func BenchmarkExpm(b *testing.B) {
	b.Run("float64", benchmarkExpm[float64])
	b.Run("float32", benchmarkExpm[float32])
	b.Run("complex128", benchmarkExpm[complex128])
}

func benchmarkExpm[T dense.Scalar](b *testing.B) {
	for _, n := range []int{4, 16, 32, 64, 128, 256, 512} {
		a, x := numtest.Random[T](rand.New(rand.NewPCG(1, 1)), n, n), dense.New[T](n, n)
		for i := range a.Data {
			a.Data[i] *= dense.FromReal[T](1 / math.Sqrt(float64(n)))
		}
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("%d/%d", n, threads), func(b *testing.B) {
				team := sched.NewTeam(context.Background(), threads, nil)
				defer team.ReleaseWorkers()
				for b.Loop() {
					if err := Expm(team, a.View(), x.View()); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkFunctions(b *testing.B) {
	for _, n := range []int{16, 64, 256} {
		a, x := shifted[float64](rand.New(rand.NewPCG(1, 1)), n, 1, 1.5), dense.New[complex128](n, n)
		for _, c := range []struct {
			name string
			f    solver[float64, complex128]
		}{
			{"reduce", func(team *sched.Team, a dense.View[float64], _ dense.View[complex128]) (o Outcome, err error) {
				_, err = schurFormOf[float64](team, a)
				return o, err
			}},
			{"sqrtm", Sqrtm[float64, complex128]}, {"logm", Logm[float64, complex128]},
			{"power", powerOf[float64, complex128](0.3)}, {"signm", Signm[float64, complex128]},
		} {
			b.Run(fmt.Sprintf("%s/%d", c.name, n), func(b *testing.B) {
				for b.Loop() {
					if _, err := c.f(nil, a.View(), x.View()); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
