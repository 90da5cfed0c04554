package qz

import (
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/internal/workspace"
	"trnsci/core/numtest"
)

const (
	// Upper bound of residuals in units of m eps, m = max(n, 8).
	limit = 4
	// The least m.
	smallestDivisor = 8
)

// result is a form with memory of its own.
type result[T dense.Scalar] struct {
	s, p, q, z dense.Matrix[T]
	alpha      []complex128
	beta       []float64
}

func newResult[T dense.Scalar](n int) *result[T] {
	r := &result[T]{alpha: make([]complex128, n), beta: make([]float64, n)}
	for _, m := range []*dense.Matrix[T]{&r.s, &r.p, &r.q, &r.z} {
		*m = dense.New[T](n, n)
	}
	r.form().fill(math.NaN())
	return r
}

func (r *result[T]) form() Form[T] {
	return Form[T]{S: r.s.View(), P: r.p.View(), Q: r.q.View(), Z: r.z.View(), Alpha: r.alpha, Beta: r.beta}
}

// wide returns 2^shift a in double precision.
func wide[T dense.Scalar](a dense.Matrix[T], shift int) dense.Matrix[complex128] {
	w := dense.New[complex128](a.Rows, a.Cols)
	dense.Copy(w.View(), a.View())
	workspace.Scale(w, shift)
	return w
}

// spectralNorm returns the norm of [Re A, -Im A; Im A, Re A], which is that of A.
func spectralNorm(a dense.Matrix[complex128]) float64 {
	n := a.Rows
	parts := dense.New[float64](2*n, 2*n)
	for i := range n {
		for j := range n {
			x := a.At(i, j)
			parts.Set(i, j, real(x))
			parts.Set(n+i, n+j, real(x))
			parts.Set(i, n+j, -imag(x))
			parts.Set(n+i, j, imag(x))
		}
	}
	return numtest.SpectralNorm(parts)
}

// residual returns |A - Q F Z^H|_F / (m eps |A|_2), with allowance for the rounding of F to subnormal numbers.
func residual[T dense.Scalar](a, q, f, z dense.Matrix[T]) float64 {
	n := a.Rows
	shift := -workspace.Exponent(wide(a, 0))
	wa := wide(a, shift)
	product, difference := dense.New[complex128](n, n), wa.Clone()
	blas.Gemm(nil, blas.NoTrans, blas.NoTrans, 1, wide(q, 0), wide(f, shift), 0, product)
	blas.Gemm(nil, blas.NoTrans, blas.ConjTrans, -1, product, wide(z, 0), 1, difference)
	r := numtest.FrobeniusNorm(difference)
	if r == 0 {
		return 0
	}
	subnormal := math.Ldexp(smallest[T](), shift) * float64(n)
	return r / (float64(max(n, smallestDivisor))*dense.Eps[T]()*spectralNorm(wa) + subnormal)
}

// smallest returns the smallest positive number of T's real type.
func smallest[T dense.Scalar]() float64 {
	if dense.IsSingle[T]() {
		return math.SmallestNonzeroFloat32
	}
	return math.SmallestNonzeroFloat64
}

func unitarity[T dense.Scalar](q dense.Matrix[T]) float64 {
	return numtest.UnitaryResidual(wide(q, 0), dense.Eps[T]()) * float64(q.Rows) / float64(max(q.Rows, smallestDivisor))
}

// fault describes where the pair is not in generalized Schur form; it is empty for a pair in this form.
func fault[T dense.Scalar](s, p dense.Matrix[T]) string {
	n := s.Rows
	isBlock := func(k int) bool { return !dense.IsComplex[T]() && k >= 0 && k+1 < n && s.At(k+1, k) != 0 }
	for i := range n {
		if x := p.At(i, i); dense.Real(x) < 0 || dense.Imag(x) != 0 {
			return fmt.Sprintf("P[%d,%d] is %v", i, i, x)
		}
		for j := range i {
			if p.At(i, j) != 0 {
				return fmt.Sprintf("P[%d,%d] is %v", i, j, p.At(i, j))
			}
			if s.At(i, j) != 0 && !(j == i-1 && isBlock(j)) {
				return fmt.Sprintf("S[%d,%d] is %v", i, j, s.At(i, j))
			}
		}
		if isBlock(i) {
			first, second := dense.Real(p.At(i, i)), dense.Real(p.At(i+1, i+1))
			if p.At(i, i+1) != 0 || !(first >= second) || !(second > 0) {
				return fmt.Sprintf("P has the block %v %v, %v in row %d", p.At(i, i), p.At(i, i+1), p.At(i+1, i+1), i)
			}
			if isBlock(i + 1) {
				return fmt.Sprintf("two blocks overlap in row %d", i+1)
			}
		}
	}
	return ""
}

// valueFault compares the eigenvalues with those of the diagonal blocks, and describes the first difference.
func valueFault[T dense.Scalar](r *result[T]) string {
	e := 64 * dense.Eps[T]()
	for k := 0; k < r.s.Rows; k++ {
		s, p := r.s, r.p
		if dense.IsComplex[T]() || k+1 == s.Rows || s.At(k+1, k) == 0 {
			want := complex(dense.Real(s.At(k, k)), dense.Imag(s.At(k, k)))
			if cmplx.Abs(r.alpha[k]-want) > e*cmplx.Abs(want)+smallest[T]() {
				return fmt.Sprintf("alpha[%d] is %v, S has %v", k, r.alpha[k], want)
			}
			if want := dense.Real(p.At(k, k)); math.Abs(r.beta[k]-want) > e*want+smallest[T]() {
				return fmt.Sprintf("beta[%d] is %v, P has %v", k, r.beta[k], want)
			}
			continue
		}
		// det(beta S - alpha P) relative to the products that are added in it.
		block := func(i, j int) complex128 {
			return complex(r.beta[k]*dense.Real(s.At(k+i, k+j)), 0) - r.alpha[k]*complex(dense.Real(p.At(k+i, k+j)), 0)
		}
		x, y := block(0, 0)*block(1, 1), block(0, 1)*block(1, 0)
		size := func(i int) float64 {
			x, y := complex(r.beta[k]*dense.Real(s.At(i, i)), 0), dense.Real(p.At(i, i))
			return cmplx.Abs(x) + cmplx.Abs(r.alpha[k])*y
		}
		terms := size(k) * size(k+1)
		if cmplx.Abs(x-y) > e*(terms+cmplx.Abs(y)) || !(imag(r.alpha[k]) > 0) {
			return fmt.Sprintf("%v/%v is not an eigenvalue of the block in row %d: determinant %v of terms up to %v",
				r.alpha[k], r.beta[k], k, x-y, terms)
		}
		if r.alpha[k+1] != cmplx.Conj(r.alpha[k]) || r.beta[k+1] != r.beta[k] {
			return fmt.Sprintf("%v/%v and %v/%v are not a pair", r.alpha[k], r.beta[k], r.alpha[k+1], r.beta[k+1])
		}
		k++
	}
	return ""
}

// worst is the largest residual of each kind.
type worst struct{ a, b, q, z float64 }

func (w *worst) add(x worst) {
	w.a, w.b, w.q, w.z = max(w.a, x.a), max(w.b, x.b), max(w.q, x.q), max(w.z, x.z)
}

// checkForm checks a form of a and b; values says that no element is subnormal, so that the eigenvalues can be
// compared.
func checkForm[T dense.Scalar](t *testing.T, name string, a, b dense.Matrix[T], r *result[T], values bool) worst {
	t.Helper()
	w := worst{residual(a, r.q, r.s, r.z), residual(b, r.q, r.p, r.z), unitarity(r.q), unitarity(r.z)}
	if a.Rows > 0 && !(max(w.a, w.b, w.q, w.z) < limit) {
		t.Errorf("%s: residuals %.2f of A, %.2f of B, %.2f of Q, %.2f of Z", name, w.a, w.b, w.q, w.z)
	}
	if f := fault(r.s, r.p); f != "" {
		t.Errorf("%s: %s", name, f)
	}
	if f := valueFault(r); values && f != "" {
		t.Errorf("%s: %s", name, f)
	}
	return w
}

// solve decomposes a and b and checks the result.
func solve[T dense.Scalar](t *testing.T, name string, a, b dense.Matrix[T]) (*result[T], worst) {
	t.Helper()
	r := newResult[T](a.Rows)
	if err := Decompose(a.View(), b.View(), r.form(), Options{}); err != nil {
		t.Errorf("%s: %v", name, err)
		return r, worst{}
	}
	return r, checkForm(t, name, a, b, r, true)
}

// families returns the matrices of numtest.GeneralFamilies of order n in T; rows of complex ones get random phases.
func families[T dense.Scalar](seed uint64, n int) (names []string, matrices []dense.Matrix[T]) {
	rng := rand.New(rand.NewPCG(seed, uint64(n)))
	for _, f := range numtest.GeneralFamilies() {
		made := f.Make(rng, n)
		a := dense.New[T](n, n)
		for i := range n {
			phase := cmplx.Rect(1, 2*math.Pi*rng.Float64())
			for j := range n {
				x := complex(made.At(i, j), 0)
				if dense.IsComplex[T]() {
					x *= phase
				}
				a.Set(i, j, dense.FromParts[T](real(x), imag(x)))
			}
		}
		if a.View().AllFinite() { // one element is 1e200, too large for single precision
			names, matrices = append(names, f.Name), append(matrices, a)
		}
	}
	return names, matrices
}

func isArgument(err error, arg string) bool {
	var e *dense.ArgumentError
	return errors.As(err, &e) && e.Arg == arg
}
