package vector

import (
	"fmt"

	"trnsci/core/kernel"
)

// The functions below take complex vectors in two planes: the real parts in x and the imaginary parts in y.

func checkPlanes[T kernel.Float](x, y []T) {
	if len(x) != len(y) {
		panic(fmt.Sprintf("vector: planes of %d and %d elements", len(x), len(y)))
	}
}

// MaxSquares returns the largest x_i^2 + y_i^2, NaNs left out; 0 if there is none.
func MaxSquares[T kernel.Float](s kernel.Set, x, y []T) T {
	checkPlanes(x, y)
	if s != kernel.Go {
		var result [1]T
		vectorAssembly(s, kernelMaxSquares, single(x), &operands[T]{x0: y, sums: result[:]})
		return result[0]
	}
	var most T
	for i, v := range x {
		if square := v*v + y[i]*y[i]; square > most {
			most = square
		}
	}
	return most
}

// Interleave sets the pairs of z to the real and imaginary parts of (c + i d) (x + i y): z[2j] = c x_j - d y_j, z[2j+1]
// = d x_j + c y_j. An element may be rounded in another way in another place.
func Interleave[T kernel.Float](s kernel.Set, c, d T, x, y, z []T) {
	checkPlanes(x, y)
	if len(z) != 2*len(x) {
		panic(fmt.Sprintf("vector: planes of %d elements and %d of their pairs", len(x), len(z)))
	}
	whole := 0
	if s != kernel.Go {
		lanes := kernel.BlockingOf[T](s).Lanes
		whole = len(x) / lanes * lanes
		factors := [2]T{c, d}
		vectorAssembly(s, kernelInterleave, single(x[:whole]), &operands[T]{x0: y, y0: z, alpha: factors[:]})
	}
	for j := whole; j < len(x); j++ {
		z[2*j], z[2*j+1] = c*x[j]-d*y[j], d*x[j]+c*y[j]
	}
}
