package eigen

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/kernel/vector"
)

// factor returns the Cholesky factor of the Hermitian matrix h, with its columns as rows, or an empty matrix if h is
// not positive definite to working precision, that is if a pivot is smaller than the rounding errors of its diagonal
// element.
//
//	h = x_1 x_1^H + ... + x_n x_n^H
//
// Diagonal pivoting, with the largest pivot first, leaves fewer rotations. h is overwritten if there is a factor.
//
// Cost: n^3 multiply-adds.
func (j *jacobiSolver[W]) factor(h dense.Matrix[W]) (x dense.Matrix[W], err error) {
	diagonal := make([]float64, j.n)
	for i := range diagonal {
		diagonal[i] = dense.Real(h.At(i, i))
	}
	x, rest := dense.New[W](j.n, j.n), h.Clone()
	unplanned := j.team.Phase(0)
	done := make([]bool, j.n)
	for k := range j.n {
		if err := j.team.Err(); err != nil {
			return x, err
		}
		pivot, largest := 0, math.Inf(-1)
		for i := range j.n {
			if value := dense.Real(rest.At(i, i)); !done[i] && value > largest {
				pivot, largest = i, value
			}
		}
		if !(largest > float64(j.n)*dense.Eps[W]()*diagonal[pivot]) {
			return dense.Matrix[W]{}, nil
		}
		row, scale := x.Row(k), dense.FromReal[W](1/math.Sqrt(largest))
		for i, z := range rest.Row(pivot) {
			if !done[i] {
				row[i] = dense.Conj(z) * scale
			}
		}
		done[pivot] = true
		blas.Gerc(unplanned, -1, dense.Vec(row), dense.Vec(row), rest)
	}
	return x, nil
}

// orthogonalize rotates the rows of the factor x until they are orthogonal to one another. The squares of their lengths
// are then the eigenvalues of the factored matrix, and the rows are its eigenvectors, up to their lengths.
//
// A pair is rotated if the cosine of its angle exceeds eps = 2^-52. Sums of n products have rounding errors of that
// size and, if the vectors have only a few large components, of up to sqrt(n) eps. The iteration ends after a sweep
// without a cosine above sqrt(n) eps whose squared cosines sum up to at most (n eps)^2/2, or after moreSweeps further
// sweeps without a cosine above sqrt(n) eps, because rounding errors may prevent a smaller sum.
func (j *jacobiSolver[W]) orthogonalize(x dense.Matrix[W]) error {
	squares := j.values
	found := make([]float64, j.n/2) // cosines of the pairs of a round
	total, quiet := 0.0, -1         // sum of the squared cosines of a sweep, and sweeps without a cosine above the limit
	refresh := func(int) error {
		total, quiet = 0, quiet+1
		return j.share(j.n, func(first, end int) {
			for i := first; i < end; i++ {
				squares[i] = sumSquares(j.set, x.Row(i))
			}
		})
	}
	const moreSweeps = 3
	limit, most := math.Sqrt(float64(j.n))*dense.Eps[W](), float64(j.n)*dense.Eps[W]()
	rotate := func(first, end int) {
		for k := first; k < end; k++ {
			found[k] = j.makeOrthogonal(x, squares, j.pairs[k][0], j.pairs[k][1])
		}
	}
	err := j.sweeps(refresh, func(int) (bool, error) {
		err := j.share(len(j.pairs), rotate)
		rotated := false
		for _, cosine := range found[:len(j.pairs)] {
			total += cosine * cosine
			if !(cosine <= limit) {
				rotated, quiet = true, -1
			}
		}
		return rotated || quiet < moreSweeps && 2*total > most*most, err
	})
	if err != nil {
		return err
	}
	return refresh(0)
}

// sumSquares returns the square of the length of x.
func sumSquares[W dense.Wide](set kernel.Set, x []W) float64 {
	return vector.SumSquares(set, dense.Reals[float64](x))
}

// makeOrthogonal rotates the rows p and q so that they become orthogonal and the longer one comes first. It returns the
// modulus of the cosine of their angle before the rotation.
func (j *jacobiSolver[W]) makeOrthogonal(x dense.Matrix[W], squares []float64, p, q int) (cosine float64) {
	product := blas.Dotc(dense.Vec(x.Row(p)), dense.Vec(x.Row(q)))
	size := dense.Abs(product)
	cosine = size / (math.Sqrt(squares[p]) * math.Sqrt(squares[q]))
	if cosine <= dense.Eps[W]() {
		return cosine
	}
	if dense.IsComplex[W]() {
		blas.Scal(dense.Conj(phaseOf(product)), dense.Vec(x.Row(q)))
	} else {
		size = dense.Real(product)
	}
	t := smallTangent(squares[p], squares[q], size)
	c, s := cosineSine(t)
	first, second := squares[p]-t*size, squares[q]+t*size
	if first < second {
		c, s, first, second = s, -c, second, first
	}
	j.rotateRows(x, p, q, c, s)
	// With much cancellation the smaller square is computed anew.
	const lost = 0.25
	smaller := min(squares[p], squares[q])
	squares[p], squares[q] = first, second
	if second < lost*smaller {
		squares[q] = sumSquares(j.set, x.Row(q))
	}
	return cosine
}
