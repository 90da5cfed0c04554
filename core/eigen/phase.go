package eigen

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/kernel"
)

// Components at least this large relative to the largest one may decide the phase; see the package comment.
const phaseSlack = 0.9

// Components that are looked at together.
const signGroup = 128

// fixSign multiplies x by 1 or -1 so that its first large component is positive.
func fixSign[R dense.Float](x []R) {
	set := kernel.Best()
	limit := phaseSlack * kernel.MaxAbs(set, x)
	first := 0
	for first+signGroup < len(x) && kernel.MaxAbs(set, x[first:first+signGroup]) < limit {
		first += signGroup
	}
	for _, c := range x[first:] {
		if c >= limit {
			return
		}
		if -c >= limit {
			kernel.Scale(set, -1, x)
			return
		}
	}
}

// fixPhase multiplies x by a number of modulus 1 so that its first large component is real and positive.
func fixPhase[W dense.Scalar](x []W) {
	largest := 0.0
	for _, c := range x {
		largest = max(largest, dense.Abs(c))
	}
	for i, c := range x {
		r := dense.Abs(c)
		if r < phaseSlack*largest {
			continue
		}
		if positive := dense.FromReal[W](r); c != positive {
			blas.Scal(dense.Conj(c)/positive, dense.Vec(x))
			x[i] = positive
		}
		return
	}
}

// combineWithPhase sets row to the vector re + i im, whose length is about 1, times the number that fixPhase would multiply it by.
func combineWithPhase[R dense.Float, W dense.Scalar](re, im []R, row []W) {
	set, pairs := kernel.Best(), dense.Reals[R](row)
	limit := phaseSlack * phaseSlack * kernel.MaxSquares(set, re, im)
	at := 0
	for end := signGroup; end < len(re) && kernel.MaxSquares(set, re[at:end], im[at:end]) < limit; end += signGroup {
		at = end
	}
	for at < len(re)-1 && re[at]*re[at]+im[at]*im[at] < limit {
		at++
	}
	r := math.Hypot(float64(re[at]), float64(im[at]))
	if r == 0 {
		kernel.Interleave(set, 1, 0, re, im, pairs)
		return
	}
	kernel.Interleave(set, R(float64(re[at])/r), R(-float64(im[at])/r), re, im, pairs)
	row[at] = dense.FromReal[W](r)
}
