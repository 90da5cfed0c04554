package numtest

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
)

// EigenpairResidual returns |A X - X D|_F / (m eps |A|_2), m = max(n, 8), for D = diag(values) and the columns of X. It
// is computed on scaled copies, so that the norms may have any size. Left eigenvectors are judged as those of A^H and
// the conjugate values.
func EigenpairResidual(
	a dense.Matrix[complex128], values []complex128, x dense.Matrix[complex128], eps float64,
) float64 {
	n, exponent := a.Rows, largestExponent(a)
	a = scaled(a, -exponent)
	residual := x.Clone()
	for k, d := range values {
		d = complex(math.Ldexp(real(d), -exponent), math.Ldexp(imag(d), -exponent))
		for i := range n {
			residual.Set(i, k, residual.At(i, k)*d)
		}
	}
	blas.Gemm(nil, blas.NoTrans, blas.NoTrans, 1, a, x, -1, residual)
	r := FrobeniusNorm(residual)
	if r == 0 {
		return 0
	}
	return r / (float64(max(n, smallestDivisor)) * eps * SpectralNorm(a))
}
