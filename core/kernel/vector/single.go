package vector

import (
	"trnsci/core/internal/vec"
	"trnsci/core/kernel"
)

// Scale multiplies x by alpha.
func Scale[T kernel.Float](s kernel.Set, alpha T, x []T) {
	if s == kernel.Go {
		vec.Scale(alpha, x)
		return
	}
	factor := [1]T{alpha}
	vectorAssembly(s, kernelScale, single(x), &operands[T]{alpha: factor[:]})
}

// SumAbs returns the sum of |x_i|.
func SumAbs[T kernel.Float](s kernel.Set, x []T) T {
	if s == kernel.Go {
		return sumAbsGo(x)
	}
	return reduce(s, kernelSumAbs, x)
}

// SumSquares returns the sum of x_i^2, which may overflow or underflow.
func SumSquares[T kernel.Float](s kernel.Set, x []T) T {
	if s == kernel.Go {
		return sumSquaresGo(x)
	}
	return reduce(s, kernelSumSquares, x)
}

// MaxAbs returns the largest |x_i|, NaNs left out; 0 if there is none.
func MaxAbs[T kernel.Float](s kernel.Set, x []T) T {
	if s == kernel.Go {
		return maxAbsGo(x)
	}
	return reduce(s, kernelMaxAbs, x)
}

// single returns x, which may be empty, as a run of one row.
func single[T kernel.Float](x []T) *Rows[T] { return &Rows[T]{Count: 1, Cols: len(x), A: x} }

// reduce runs a kernel that makes one number of x.
func reduce[T kernel.Float](s kernel.Set, k kernelID, x []T) T {
	var result [1]T
	vectorAssembly(s, k, single(x), &operands[T]{sums: result[:]})
	return result[0]
}

func sumAbsGo[T kernel.Float](x []T) T {
	var sum T
	for _, v := range x {
		sum += abs(v)
	}
	return sum
}

func sumSquaresGo[T kernel.Float](x []T) T { return vec.Dot(x, x) }

func maxAbsGo[T kernel.Float](x []T) T {
	var most T
	for _, v := range x {
		if a := abs(v); a > most {
			most = a
		}
	}
	return most
}

func abs[T kernel.Float](x T) T {
	if x < 0 {
		return -x
	}
	return x
}
