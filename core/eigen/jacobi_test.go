package eigen

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/numtest"
	"trnsci/core/sched"
)

func TestJacobiFamilies(t *testing.T) {
	t.Run("float32", testJacobiFamilies[float32, float64, float32])
	t.Run("float64", testJacobiFamilies[float64, float64, float64])
	t.Run("complex64", testJacobiFamilies[complex64, complex128, float32])
	t.Run("complex128", testJacobiFamilies[complex128, complex128, float64])
}

func testJacobiFamilies[T dense.Scalar, W dense.Wide, R dense.Float](t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	definite := numtest.HermitianFamily[W]{Name: "positive definite", Make: numtest.RandomSPD[W]}
	worst := &numtest.WorstResiduals{}
	for _, family := range append(numtest.HermitianFamilies[W](), definite) {
		for _, n := range []int{1, 2, 3, 8, 33, 64} {
			name := fmt.Sprintf("%s, n = %d", family.Name, n)
			a := rounded[T](family.Make(rng, n))
			w, v := mustEigh[W, R](t, a.View(), Options{Jacobi: true})
			checkPairs(t, worst, name, widened[W](a), w, v, dense.Eps[T]())
			valuesOnly := make([]R, n)
			if _, err := Eigh(a.View(), valuesOnly, dense.View[T]{}, Options{Jacobi: true, ValuesOnly: true}); err != nil {
				t.Fatal(err)
			}
			for i, x := range valuesOnly {
				if float64(x) != w[i] {
					t.Errorf("%s: eigenvalue %d is %v without vectors, %v with them", name, i, x, w[i])
				}
			}
			reference, _ := mustEigh[W, R](t, a.View(), Options{})
			checkEighValues(t, name, n, valuesOnly, reference)
		}
	}
	t.Log(worst)
}

// exactEigenvalues returns the ascending eigenvalues of a real symmetric matrix, computed by cyclic Jacobi rotations
// with numbers of 400 bits, or 120 digits: rounding errors affect only the last few, even if a is graded.
func exactEigenvalues(t *testing.T, a dense.Matrix[float64]) []*big.Float {
	t.Helper()
	const precision, sweeps = 400, 60
	number := func(x float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(x) }
	n := a.Rows
	m := make([][]*big.Float, n)
	for i := range m {
		for j := range n {
			m[i] = append(m[i], number(a.At(i, j)))
		}
	}
	mul := func(x, y *big.Float) *big.Float { return number(0).Mul(x, y) }
	combine := func(c, x, s, y *big.Float) *big.Float { return number(0).Add(mul(c, x), mul(s, y)) }
	for range sweeps {
		rotated := false
		for p := range n {
			for q := p + 1; q < n; q++ {
				product := mul(m[p][p], m[q][q])
				square := mul(m[p][q], m[p][q])
				if square.Cmp(mul(number(0x1p-300), product.Abs(product))) <= 0 {
					continue
				}
				rotated = true
				quotient := number(0).Quo(number(0).Sub(m[q][q], m[p][p]), mul(number(2), m[p][q]))
				root := number(0).Sqrt(combine(quotient, quotient, number(1), number(1)))
				tangent := number(0).Quo(number(1), number(0).Add(number(0).Abs(quotient), root))
				if quotient.Sign() < 0 {
					tangent.Neg(tangent)
				}
				c := number(0).Quo(number(1), number(0).Sqrt(combine(tangent, tangent, number(1), number(1))))
				s := mul(tangent, c)
				minus := number(0).Neg(s)
				for k := range n {
					m[p][k], m[q][k] = combine(c, m[p][k], minus, m[q][k]), combine(s, m[p][k], c, m[q][k])
				}
				for k := range n {
					m[k][p], m[k][q] = combine(c, m[k][p], minus, m[k][q]), combine(s, m[k][p], c, m[k][q])
				}
			}
		}
		if !rotated {
			var values []*big.Float
			for i := range m {
				values = append(values, m[i][i])
			}
			slices.SortFunc(values, func(x, y *big.Float) int { return x.Cmp(y) })
			return values
		}
	}
	t.Fatal("the exact iteration does not converge")
	return nil
}

// graded returns D H D with a well-conditioned H that has a unit diagonal, and elements of D from 1 to 10^-decades in
// random order.
func graded(rng *rand.Rand, n int, decades float64) dense.Matrix[float64] {
	h := numtest.RandomSPD[float64](rng, n)
	order := rng.Perm(n)
	scale := func(i int) float64 {
		return math.Pow(10, -decades*float64(order[i])/float64(max(1, n-1))) / math.Sqrt(h.At(i, i))
	}
	a := dense.New[float64](n, n)
	for i := range n {
		for j := range i + 1 {
			a.Set(i, j, h.At(i, j)*(scale(i)*scale(j)))
			a.Set(j, i, a.At(i, j))
		}
	}
	return a
}

func TestJacobiIsRelativelyAccurate(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 4))
	const limit = 100 // units of n eps; the condition number of H is about 5
	worst := 0.0
	for _, n := range []int{2, 5, 16} {
		for _, decades := range []float64{1, 8, 15, 60, 145} { // of D; the condition number of D H D has twice as many
			a := graded(rng, n, decades)
			exact := exactEigenvalues(t, a)
			check := func(kind string, w []float64) {
				t.Helper()
				for i, x := range exact {
					error, _ := new(big.Float).Quo(new(big.Float).Sub(big.NewFloat(w[i]), x), x).Float64()
					error = math.Abs(error) / (float64(n) * 0x1p-52)
					if worst = max(worst, error); !(error < limit) {
						t.Errorf("%s, n = %d, 10^-%g: eigenvalue %d has a relative error of %g n eps", kind, n, decades, i, error)
					}
				}
			}
			w, _ := mustEigh[float64, float64](t, a.View(), Options{Jacobi: true})
			check("real", w)
			z := dense.New[complex128](n, n)
			phases := [4]complex128{1, 1i, -1, -1i}
			for i := range n {
				for j := range n {
					z.Set(i, j, phases[(i*i-j*j)&3]*complex(a.At(i, j), 0))
				}
			}
			w, _ = mustEigh[complex128, float64](t, z.View(), Options{Jacobi: true})
			check("complex", w)
		}
	}
	t.Logf("worst relative error: %.2f n eps", worst)
}

func TestJacobiScales(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	worst := &numtest.WorstResiduals{}
	for _, exponent := range []int{-1000, -341, 341, 996} {
		for _, a := range []dense.Matrix[complex128]{numtest.RandomHermitian[complex128](rng, 33),
			numtest.RandomSPD[complex128](rng, 33)} {
			w, v := mustEigh[complex128, float64](t, times2(a, exponent).View(), Options{Jacobi: true})
			for i := range w {
				w[i] = math.Ldexp(w[i], -exponent)
			}
			checkPairs(t, worst, fmt.Sprintf("2^%d", exponent), a, w, v, 0x1p-52)
		}
	}
	t.Log(worst)
}

func TestJacobiSubsetsAndTriangles(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	const n = 20
	for _, a := range []dense.Matrix[complex128]{numtest.RandomHermitian[complex128](rng, n),
		numtest.RandomSPD[complex128](rng, n)} {
		all, v := mustEigh[complex128, float64](t, a.View(), Options{Jacobi: true})
		for _, upper := range []bool{false, true} {
			opt := Options{Jacobi: true, Upper: upper, SkipFiniteCheck: true, Subset: ByIndex(3, 7)}
			w, u := mustEigh[complex128, float64](t, poisoned(a, upper).View(), opt)
			checkValues(t, "by index", w, all[3:8], 1e-13)
			if u.Cols != 5 || dense.Abs(u.At(0, 0)-v.At(0, 3)) > 1e-12 {
				t.Errorf("upper %v: vectors %v", upper, u)
			}
		}
		w, _ := mustEigh[complex128, float64](t, a.View(), Options{Jacobi: true, Subset: ByValue(all[4], all[9])})
		checkValues(t, "by value", w, all[5:10], 0)
	}
}

func TestJacobiThreadsAndProgress(t *testing.T) {
	for _, n := range []int{48, 57} { // an even order, and an odd one, where one column per round has no partner
		t.Run(fmt.Sprintf("float64/%d", n), func(t *testing.T) { testJacobiThreads[float64](t, n) })
		t.Run(fmt.Sprintf("complex128/%d", n), func(t *testing.T) { testJacobiThreads[complex128](t, n) })
	}
}

func testJacobiThreads[W dense.Wide](t *testing.T, n int) {
	rng := rand.New(rand.NewPCG(5, 4))
	for _, a := range []dense.Matrix[W]{numtest.RandomHermitian[W](rng, n), numtest.RandomSPD[W](rng, n)} {
		var first outputs[W, float64]
		for _, threads := range []int{1, 3} {
			var progress sched.Progress
			o := newOutputs[W, float64](n)
			if _, err := Eigh(a.View(), o.w, o.v, Options{Jacobi: true,
				Team: sched.NewTeam(context.Background(), threads, &progress)}); err != nil {
				t.Fatal(err)
			}
			if done, total := progress.Read(); done != total || total < int64(n) {
				t.Errorf("%d of %d steps", done, total)
			}
			if threads == 1 {
				first = o
			} else if !numtest.SameBits(first.w, o.w) || !numtest.SameBits(first.v.Data, o.v.Data) {
				t.Error("1 and 3 threads differ")
			}
		}
	}
}

func TestJacobiWorkspace(t *testing.T) {
	t.Run("float64", testJacobiWorkspace[float64])
	t.Run("complex128", testJacobiWorkspace[complex128])
}

func testJacobiWorkspace[W dense.Wide](t *testing.T) {
	const n = 97
	rng := rand.New(rand.NewPCG(5, 4))
	opt := Options{Jacobi: true}
	bound := uint64(Workspace[W](n, false, opt))
	for _, a := range []dense.Matrix[W]{numtest.RandomHermitian[W](rng, n), numtest.RandomSPD[W](rng, n)} {
		o := newOutputs[W, float64](n)
		got := allocated(func() {
			if _, err := Eigh(a.View(), o.w, o.v, opt); err != nil {
				t.Fatal(err)
			}
		})
		if got > bound || got < bound/3 {
			t.Errorf("allocated %d, bound %d", got, bound)
		}
	}
}

func TestJacobiGivesUp(t *testing.T) {
	for _, a := range []dense.Matrix[float64]{
		numtest.RandomHermitian[float64](rand.New(rand.NewPCG(6, 4)), 9),
		numtest.RandomSPD[float64](rand.New(rand.NewPCG(6, 4)), 9),
	} {
		j := newJacobiSolver[float64](nil, 9)
		j.maxSweeps = 2
		_, err := j.solve(a, true)
		var failed *ConvergenceError
		if !errors.As(err, &failed) || failed.Sweeps != 2 ||
			failed.Error() != "Jacobi's method was given up after 2 sweeps for a matrix of order 9" {
			t.Errorf("after two sweeps: %v", err)
		}
	}
}

// The factor X satisfies X^T X = A up to errors of order n eps sqrt(a_ii a_kk) in element (i, k); a matrix that is
// indefinite, or singular to working precision, has none.
func TestJacobiFactor(t *testing.T) {
	const n = 12
	rng := rand.New(rand.NewPCG(8, 4))
	a := graded(rng, n, 30)
	j := &jacobiSolver[float64]{n: n}
	x, err := j.factor(a)
	if err != nil || x.Rows != n {
		t.Fatal(err)
	}
	product := dense.New[float64](n, n)
	blas.Gemm(nil, blas.Trans, blas.NoTrans, 1, x, x, 0, product)
	for i := range n {
		for k := range n {
			if unit := n * 0x1p-52 * math.Sqrt(a.At(i, i)*a.At(k, k)); !(math.Abs(product.At(i, k)-a.At(i, k)) <= unit) {
				t.Errorf("element (%d, %d) is %g, want %g", i, k, product.At(i, k), a.At(i, k))
			}
		}
	}
	g := numtest.Random[float64](rng, n, n-1)
	blas.Gemm(nil, blas.NoTrans, blas.Trans, 1, g, g, 0, product)
	for name, a := range map[string]dense.Matrix[float64]{"singular": product, "zero": dense.New[float64](n, n),
		"indefinite": numtest.RandomHermitian[float64](rng, n)} {
		if x, err := j.factor(a); err != nil || x.Rows != 0 {
			t.Errorf("%s: a factor with %d rows, %v", name, x.Rows, err)
		}
	}
}

func TestTournament(t *testing.T) {
	for n := range 40 {
		met := make(map[[2]int]int)
		for round := range TournamentRounds(n) {
			playing := make([]bool, n)
			pairs := AppendRound(nil, n, round)
			if len(pairs) != n/2 {
				t.Fatalf("n = %d, round %d: %d pairs", n, round, len(pairs))
			}
			for _, pair := range pairs {
				p, q := pair[0], pair[1]
				if p < 0 || p >= q || q >= n || playing[p] || playing[q] {
					t.Fatalf("n = %d, round %d: %v", n, round, pairs)
				}
				playing[p], playing[q] = true, true
				met[pair]++
			}
		}
		if len(met) != n*(n-1)/2 {
			t.Errorf("n = %d: %d pairs met", n, len(met))
		}
		for pair, times := range met {
			if times != 1 {
				t.Errorf("n = %d: %v met %d times", n, pair, times)
			}
		}
	}
}

func ExampleAppendRound() {
	for round := range TournamentRounds(4) {
		fmt.Println(AppendRound(nil, 4, round))
	}
	// Output:
	// [[0 3] [1 2]]
	// [[1 3] [0 2]]
	// [[2 3] [0 1]]
}
