// Package blas is the dense linear algebra base of every solver here: the operations of BLAS levels 1, 2 and 3 that
// they need, generic over float32, float64, complex64 and complex128, on row-major views.
//
// The names are those of the reference BLAS without the type letter; where real and complex names differ the complex
// one is used (Herk is SYRK for a real dtype, Dotc is DOT). beta = 0 never reads the output, alpha = 0 no operand; in
// between, zeros are multiplied like other numbers: 0 times infinity is NaN, where the reference BLAS skips some zeros. Shapes that do not fit are a broken invariant and panic: the public solvers check theirs first.
//
// All arithmetic runs on the vector kernels of core/kernel. Threads are those of the team that is passed in, and results are
// bitwise the same for any number of them.
//
// A product follows Goto and van de Geijn (ACM TOMS 34, 2008) and BLIS (Van Zee and van de Geijn, ACM TOMS 41, 2015): a
// block of B is packed for the second cache, strips of A pass through the first one; small operands are not packed. A product of
// which a triangle is wanted skips the tiles outside of it. Triangular products and solves are recursive (Elmroth, Gustavson,
// Jonsson and Kagstrom, SIAM Review 46, 2004), symmetric factors are written out block by block.
package blas

import (
	"fmt"

	gblas "gonum.org/v1/gonum/blas"
)

// The flag types are gonum's, so that Go programmers can pass what they have.
type (
	Transpose = gblas.Transpose
	Uplo      = gblas.Uplo
	Side      = gblas.Side
	Diag      = gblas.Diag
)

// The flags of the BLAS.
const (
	NoTrans   = gblas.NoTrans
	Trans     = gblas.Trans
	ConjTrans = gblas.ConjTrans
	Upper     = gblas.Upper
	Lower     = gblas.Lower
	Left      = gblas.Left
	Right     = gblas.Right
	NonUnit   = gblas.NonUnit
	Unit      = gblas.Unit
)

// require panics unless ok. Its values are integers, not interfaces, so that a call that is right allocates nothing.
func require(ok bool, format string, values ...int) {
	if ok {
		return
	}
	list := make([]any, len(values))
	for i, v := range values {
		list[i] = v
	}
	panic("blas: " + fmt.Sprintf(format, list...))
}

// requireIn is require for a function that is named at run time.
func requireIn(name string, ok bool, format string, values ...int) {
	if !ok {
		require(false, name+": "+format, values...)
	}
}
