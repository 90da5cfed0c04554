// Package blas is the base of all dense solvers of this module: the operations of BLAS levels 1, 2 and 3 that they
// need, generic over float32, float64, complex64 and complex128, on row-major views.
//
// The names are those of the reference BLAS without the type letter; where real and complex names differ the complex
// one is used (Herk is SYRK for a real dtype, Dotc is DOT). With beta = 0 the output is never read, with alpha = 0 no
// operand is. Otherwise zeros are multiplied like other numbers: 0 times infinity is NaN, whereas the reference BLAS
// skips some zeros. Shapes that do not match are a programming error and panic; the public solvers check theirs first.
//
// All arithmetic runs on the vector kernels of core/kernel. Operations use the threads of the given team, and results
// are bitwise the same for any number of threads.
//
// A product follows Goto and van de Geijn (ACM TOMS 34, 2008) and BLIS (Van Zee and van de Geijn, ACM TOMS 41, 2015): a
// block of B is packed for the L2 cache, and strips of A pass through the L1 cache; small operands are not packed. A
// product of which only a triangle is wanted skips the tiles outside it. Triangular products and solves are recursive
// (Elmroth, Gustavson, Jonsson and Kagstrom, SIAM Review 46, 2004), and symmetric factors are expanded block by block.
package blas

import (
	"fmt"

	gblas "gonum.org/v1/gonum/blas"
)

// The flag types are those of gonum, so that its users can pass their own values.
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

// require panics unless ok. Its values are integers, not interfaces, so that a successful check allocates nothing.
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

// requireIn is require with the name of the function given at run time.
func requireIn(name string, ok bool, format string, values ...int) {
	if !ok {
		require(false, name+": "+format, values...)
	}
}

// ceilDiv returns the smallest integer that is at least x/y.
func ceilDiv(x, y int) int { return (x + y - 1) / y }

// balanced returns the length of the pieces if length is split into the fewest pieces of about equal length that the
// limit allows.
func balanced(length, limit int) int {
	const multiple = 8
	if length <= limit {
		return length
	}
	pieces := ceilDiv(length, limit)
	return ceilDiv(ceilDiv(length, pieces), multiple) * multiple
}

// share returns the units first <= u < last of part x when total units are cut into that many parts, the larger ones
// first.
func share(total, parts, x int) (first, last int) {
	size, larger := total/parts, total%parts
	return x*size + min(x, larger), (x+1)*size + min(x+1, larger)
}

func opShape(trans Transpose, rows, cols int) (int, int) {
	if trans == NoTrans {
		return rows, cols
	}
	return cols, rows
}

// triangleRow returns the columns j0 <= j < j1 of row i of the triangle uplo of order n.
func triangleRow(uplo Uplo, i, n int) (j0, j1 int) {
	if uplo == Lower {
		return 0, i + 1
	}
	return i, n
}
