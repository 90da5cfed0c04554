package pairkernel

import (
	"fmt"
	"math"
	"unsafe"

	"trnsci/core/internal/vec"
	"trnsci/core/kernel"
)

// Tile is a tile of the integrals K_ab = (ia|jb) of two occupied orbitals with the data of their second-order energy.
// Row a and column b have x = X[a*StrideX+b], which is K_ab, and y = Y[a*StrideY+b], which is K_ba; 1/D =
// 1/(RowEnergies[a] + ColEnergies[b]). The errors of x and y are at most gx = Relative RowNormsX[a] ColNormsX[b] +
// Absolute and gy, the same with the norms of Y. A tile without Y has no y and no same-spin part.
type Tile[T kernel.Float] struct {
	Rows, Cols               int // at least 1
	X, Y                     []T
	StrideX, StrideY         int
	RowEnergies, ColEnergies []float64
	RowNormsX, ColNormsX     []float64
	RowNormsY, ColNormsY     []float64
	Relative, Absolute       float64
	Opposite, Same           float64 // weights
}

// Sums holds sums over the elements of a tile, with the weights w_os = Opposite and w_ss = Same of the tile:
//
//	Opposite      w_os (x^2 + y^2) / D
//	Same          w_ss (x - y)^2 / D
//	Products      (w_os ((2|x| + gx) gx + (2|y| + gy) gy) + w_ss (2|x - y| + gx + gy) (gx + gy)) / |D|
//	Magnitude     (w_os (x^2 + y^2) + w_ss (x - y)^2) / |D|
//	Denominators  (w_os (x^2 + y^2) + w_ss (x - y)^2) / D^2
//	Largest       the largest 1/|D|
//
// No term passes through more than Additions(Rows, Cols) additions.
type Sums struct{ Opposite, Same, Products, Magnitude, Denominators, Largest float64 }

// Additions bounds the additions that a term of a tile passes through with any kernel set.
func Additions(rows, cols int) int {
	const fewest = 4 // sums side by side
	return rows*((cols+fewest-1)/fewest) + maxLanes
}

// Doubles in a vector of AVX-512, and the number of the sums.
const maxLanes, sumCount = 8, 6

// Sum returns the sums over a tile. Equal calls give equal bits.
func (c *Tile[T]) Sum(s kernel.Set) Sums {
	c.check()
	if s == kernel.Go {
		return c.sumGo()
	}
	return assembly(s, c)
}

func (c *Tile[T]) check() {
	sides := func(rows, cols []float64) bool { return len(rows) >= c.Rows && len(cols) >= c.Cols }
	fits := func(x []T, stride int) bool { return stride >= 0 && (c.Rows-1)*stride+c.Cols <= len(x) }
	if c.Rows < 1 || c.Cols < 1 || !fits(c.X, c.StrideX) || !sides(c.RowEnergies, c.ColEnergies) || !sides(c.RowNormsX,
		c.ColNormsX) ||
		c.Y != nil && !(fits(c.Y, c.StrideY) && sides(c.RowNormsY, c.ColNormsY)) {
		panic(fmt.Sprintf("pairkernel: a tile of %dx%d pairs does not fit its operands", c.Rows, c.Cols))
	}
}

// sumGo keeps one partial sum for each lane of a vector of AVX-512.
func (c *Tile[T]) sumGo() Sums {
	var lanes [sumCount][maxLanes]float64
	const largest = sumCount - 1
	for a := range c.Rows {
		for b := range c.Cols {
			lane, terms := b%maxLanes, c.terms(a, b)
			for sum, t := range terms[:largest] {
				lanes[sum][lane] += t
			}
			lanes[largest][lane] = max(lanes[largest][lane], terms[largest])
		}
	}
	return fold(&lanes, maxLanes)
}

// terms returns what one element adds to the sums, in their order.
func (c *Tile[T]) terms(a, b int) [sumCount]float64 {
	inverse := 1 / (c.RowEnergies[a] + c.ColEnergies[b])
	magnitude := math.Abs(inverse)
	x, gx := float64(c.X[a*c.StrideX+b]), c.Relative*c.RowNormsX[a]*c.ColNormsX[b]+c.Absolute
	opposite, off := x*x, deviation(x, gx)
	same, offSame := 0.0, 0.0
	if c.Y != nil {
		y, gy := float64(c.Y[a*c.StrideY+b]), c.Relative*c.RowNormsY[a]*c.ColNormsY[b]+c.Absolute
		opposite, off = opposite+y*y, off+deviation(y, gy)
		same, offSame = c.Same*((x-y)*(x-y)), c.Same*deviation(x-y, gx+gy)
	}
	opposite *= c.Opposite
	term := (opposite + same) * magnitude
	return [...]float64{opposite * inverse, same * inverse, (c.Opposite*off + offSame) * magnitude, term,
		term * magnitude, magnitude}
}

// deviation bounds the error of x^2 if g bounds that of x.
func deviation(x, g float64) float64 { return (2*math.Abs(x) + g) * g }

// fold adds up the partial sums, halves onto halves; the last of the six are maxima.
func fold(lanes *[sumCount][maxLanes]float64, count int) Sums {
	for n := count / 2; n > 0; n /= 2 {
		for sum := range lanes {
			for i := range n {
				x, y := &lanes[sum][i], lanes[sum][n+i]
				if sum == sumCount-1 {
					*x = max(*x, y)
				} else {
					*x += y
				}
			}
		}
	}
	return Sums{
		Opposite: lanes[0][0], Same: lanes[1][0], Products: lanes[2][0], Magnitude: lanes[3][0],
		Denominators: lanes[4][0], Largest: lanes[5][0],
	}
}

// constantsOf returns the vectors that the kernels read: one, the mask of the bits of a modulus, and factors.
func constantsOf[T kernel.Float](c *Tile[T]) (vectors [6][maxLanes]float64) {
	const signBit = 1 << 63
	for i, x := range [...]float64{1, math.Float64frombits(^uint64(signBit)), c.Relative, c.Absolute, c.Opposite,
		c.Same} {
		for lane := range vectors[i] {
			vectors[i][lane] = x
		}
	}
	return vectors
}

// assembly adds up a tile with the kernels in assembly.
func assembly[T kernel.Float](s kernel.Set, c *Tile[T]) Sums {
	const doubleBytes = 8
	var sums [sumCount][maxLanes]float64
	constants := constantsOf(c)
	size := int(unsafe.Sizeof(c.X[0]))
	lanes := vec.Bytes(s) / doubleBytes
	rest := c.Cols % lanes
	args := tileArgs{
		x: unsafe.Pointer(&c.X[0]), strideX: c.StrideX * size, y: unsafe.Pointer(unsafe.SliceData(c.Y)),
		strideY:     c.StrideY * size,
		rowEnergies: unsafe.Pointer(&c.RowEnergies[0]), colEnergies: unsafe.Pointer(&c.ColEnergies[0]),
		rowNormsX: unsafe.Pointer(&c.RowNormsX[0]), colNormsX: unsafe.Pointer(&c.ColNormsX[0]),
		rowNormsY: unsafe.Pointer(unsafe.SliceData(c.RowNormsY)),
		colNormsY: unsafe.Pointer(unsafe.SliceData(c.ColNormsY)),
		constants: unsafe.Pointer(&constants), sums: unsafe.Pointer(&sums), mask: 1<<rest - 1, rows: c.Rows,
		steps: c.Cols / lanes,
	}
	if s == kernel.AVX2 {
		args.lanes = vec.Mask(rest * doubleBytes)
		args.lanesX = vec.Mask(rest * size)
	}
	if c.Y != nil {
		pairTermsKernel(s, vec.FloatType[T](), &args)
	} else {
		squareTermsKernel(s, vec.FloatType[T](), &args)
	}
	return fold(&sums, lanes)
}
