package eigen

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/factor"
	"trnsci/core/numtest"
	"trnsci/core/sched"
)

func TestGeneralizedInSingle(t *testing.T) {
	t.Run("float32", testGeneralizedInSingle[float32, float64, float32])
	t.Run("complex64", testGeneralizedInSingle[complex64, complex128, float32])
}

// testGeneralizedInSingle solves for metrics that suit single precision and others that do not: the results for these are those of double
// precision. Matrices that may be overwritten are still there for it, and all steps are done.
func testGeneralizedInSingle[T dense.Scalar, W dense.Wide, R dense.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 5))
	const n = 100
	a := rounded[T](numtest.RandomHermitian[W](rng, n))
	for name, c := range map[string]struct {
		smallest, grading float64
		power             int
		inSingle          bool
	}{
		"well conditioned": {1, 1, 0, true},
		"scaled":           {1, 1, 60, true},
		"nearly singular":  {1e-5, 1, 0, false},
		"graded":           {1, 0x1p-20, 0, false},
		"badly scaled":     {1, 0x1p-8, 0, false},
		"a little scaled":  {1, 0x1p-2, 0, true},
	} {
		b := numtest.WithSpectrum[W](rng, withSmallest(n, c.smallest))
		for i := range n {
			b.Set(i, n-1, b.At(i, n-1)*dense.FromReal[W](c.grading))
			b.Set(n-1, i, b.At(n-1, i)*dense.FromReal[W](c.grading))
		}
		metric := rounded[T](times2(b, c.power))
		for problem := AXEqualsLambdaBX; problem <= BAXEqualsLambdaX; problem++ {
			got, want := newOutputs[T, R](n), newOutputs[T, R](n)
			if _, err := EighGeneralized(problem, a.View(), metric.View(), want.w, want.v, Options{DoublePrecision: true}); err != nil {
				t.Fatalf("%s, problem %d: %v", name, problem, err)
			}
			var progress sched.Progress
			opt := Options{Overwrite: true, Team: sched.NewTeam(context.Background(), 1, &progress)}
			if _, err := EighGeneralized(problem, a.Clone().View(), metric.Clone().View(), got.w, got.v, opt); err != nil {
				t.Fatalf("%s, problem %d: %v", name, problem, err)
			}
			if same := sameBits(got.w, want.w) && sameBits(got.v.Data, want.v.Data); same == c.inSingle {
				t.Errorf("%s, problem %d: the results are those of double precision: %v", name, problem, same)
			}
			if done, total := progress.Read(); total < 2*n || done != total {
				t.Errorf("%s, problem %d: %d of %d steps", name, problem, done, total)
			}
			size := max(math.Abs(float64(want.w[0])), math.Abs(float64(want.w[n-1])))
			for i := range want.w {
				if e := math.Abs(float64(got.w[i]-want.w[i])) / (size * n * dense.Eps[R]()); !(e < 1) {
					t.Fatalf("%s, problem %d: eigenvalue %d is %g, want %g", name, problem, i, got.w[i], want.w[i])
				}
			}
		}
	}
}

// A metric that is not positive definite is refused as in double precision, with the same order.
func TestIndefiniteInSingle(t *testing.T) {
	const n, row = 90, 70
	rng := rand.New(rand.NewPCG(5, 5))
	b := numtest.RandomSPD[float32](rng, n)
	b.Set(row, row, 0)
	o := newOutputs[float32, float32](n)
	_, err := EighGeneralized(AXEqualsLambdaBX, b.View(), b.View(), o.w, o.v, Options{})
	var minor *factor.NotPositiveDefiniteError
	if !errors.As(err, &minor) || minor.Order != row+1 {
		t.Errorf("a zero on the diagonal: %v, want order %d", err, row+1)
	}
}
