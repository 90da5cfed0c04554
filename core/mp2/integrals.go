package mp2

import (
	"math/bits"

	"trnsci/core/dense"
)

// Layout names the order of the axes of B[i,a,P] in an array.
type Layout string

// The layouts. i counts occupied, a virtual orbitals, P auxiliary functions; the last axis runs fastest in C order.
const (
	LayoutIAP     Layout = "iaP"   // (nocc, nvir, naux)
	LayoutPairAux Layout = "(ia)P" // (nocc*nvir, naux)
	LayoutAuxPair Layout = "P(ia)" // (naux, nocc*nvir)
	LayoutIPA     Layout = "iPa"   // (nocc, naux, nvir)
)

// shape returns the shape that an array of the layout has.
func (l Layout) shape(nocc, nvir, naux int) ([]int, error) {
	switch l {
	case LayoutIAP:
		return []int{nocc, nvir, naux}, nil
	case LayoutPairAux:
		return []int{nocc * nvir, naux}, nil
	case LayoutAuxPair:
		return []int{naux, nocc * nvir}, nil
	case LayoutIPA:
		return []int{nocc, naux, nvir}, nil
	}
	return nil, dense.BadArgument("layout", "expected 'iaP', '(ia)P', 'P(ia)' or 'iPa', got '%s'", string(l))
}

// axes names the axes of an array of the layout, which is a known one.
func (l Layout) axes() string {
	switch l {
	case LayoutIAP:
		return "nocc, nvir, naux"
	case LayoutPairAux:
		return "nocc*nvir, naux"
	case LayoutAuxPair:
		return "naux, nocc*nvir"
	}
	return "nocc, naux, nvir"
}

// strides returns the strides of i, a and P, given those of the array's axes. The layout is a known one.
func (l Layout) strides(axes []int, nvir int) (i, a, p int) {
	switch l {
	case LayoutIAP:
		return axes[0], axes[1], axes[2]
	case LayoutPairAux:
		return nvir * axes[0], axes[0], axes[1]
	case LayoutAuxPair:
		return nvir * axes[1], axes[1], axes[0]
	}
	return axes[0], axes[2], axes[1]
}

// auxAxis returns the axis that counts auxiliary functions.
func (l Layout) auxAxis() int {
	switch l {
	case LayoutIAP:
		return 2
	case LayoutAuxPair:
		return 0
	}
	return 1
}

// Source holds the integrals B[i,a,P] of one spin: Integrals in memory, FileIntegrals in a file, or FunctionIntegrals.
type Source interface {
	// Shape returns the numbers of occupied orbitals, virtual orbitals and auxiliary functions.
	Shape() (nocc, nvir, naux int)

	check() error
	singlePrecision() bool
	isComplex() bool
	// Real integrals as factors in either precision.
	operand32() *operand[float32]
	operand64() *operand[float64]
	// Complex integrals as factors in their own precision: *operand[complex64] or *operand[complex128]; nil for real ones.
	complexOperand() any
}

// ComplexError reports complex integrals where only real ones are taken.
type ComplexError struct{}

func (*ComplexError) Error() string {
	return "B: complex integrals are for spin orbitals (df_gmp2_energy) and k-points (df_kmp2_energy)"
}

// Integrals is B in memory with arbitrary element strides, negative ones included:
//
//	B[i,a,P] = Data[Offset + i*StrideI + a*StrideA + P*StrideP]
//
// Every layout, C or Fortran order, is a choice of strides. Orbitals whose smaller stride of a and P is 1 are
// multiplied where they lie; others are packed into blocks first (see Options.MaxBytes).
type Integrals[T dense.Scalar] struct {
	Nocc, Nvir, Naux          int
	Offset                    int
	StrideI, StrideA, StrideP int
	Data                      []T
}

// NewIntegrals returns data as integrals of a layout in C order.
func NewIntegrals[T dense.Scalar](data []T, layout Layout, nocc, nvir, naux int) (Integrals[T], error) {
	shape, err := layout.shape(nocc, nvir, naux)
	if err != nil {
		return Integrals[T]{}, err
	}
	axes := make([]int, len(shape))
	stride := 1
	for axis := len(shape) - 1; axis >= 0; axis-- {
		axes[axis] = stride
		stride *= shape[axis]
	}
	b := Integrals[T]{Nocc: nocc, Nvir: nvir, Naux: naux, Data: data}
	b.StrideI, b.StrideA, b.StrideP = layout.strides(axes, nvir)
	return b, b.check()
}

// Shape returns the numbers of occupied orbitals, virtual orbitals and auxiliary functions.
func (b Integrals[T]) Shape() (nocc, nvir, naux int) { return b.Nocc, b.Nvir, b.Naux }

func (b Integrals[T]) singlePrecision() bool { return dense.IsSingle[T]() }

func (b Integrals[T]) isComplex() bool { return dense.IsComplex[T]() }

func (b Integrals[T]) empty() bool { return b.Nocc == 0 || b.Nvir == 0 || b.Naux == 0 }

// check reports a negative size, and strides that leave Data.
func (b Integrals[T]) check() error {
	if min(b.Nocc, b.Nvir, b.Naux) < 0 {
		return dense.BadArgument("B", "expected a shape without negative numbers, got (%d, %d, %d)", b.Nocc, b.Nvir, b.Naux)
	}
	if b.empty() {
		return nil
	}
	lowest, highest := b.Offset, b.Offset
	fits := b.Offset >= 0 && b.Offset < len(b.Data)
	for _, axis := range [3][2]int{{b.Nocc, b.StrideI}, {b.Nvir, b.StrideA}, {b.Naux, b.StrideP}} {
		if !fits {
			break
		}
		reach := distance(axis[0]-1, axis[1], len(b.Data))
		if axis[1] < 0 {
			lowest -= reach
		} else {
			highest += reach
		}
		fits = lowest >= 0 && highest < len(b.Data)
	}
	if !fits {
		return dense.BadArgument("B", "shape (%d, %d, %d) with strides (%d, %d, %d) from %d on leaves the %d elements given",
			b.Nocc, b.Nvir, b.Naux, b.StrideI, b.StrideA, b.StrideP, b.Offset, len(b.Data))
	}
	return nil
}

// distance returns n*|stride|, or limit where that is less.
func distance(n, stride, limit int) int {
	magnitude := uint64(stride)
	if stride < 0 {
		magnitude = -magnitude
	}
	high, low := bits.Mul64(uint64(n), magnitude)
	if high != 0 || low > uint64(limit) {
		return limit
	}
	return int(low)
}

// orbital returns orbital i as a view whose rows run along the shorter of the strides of a and P: nvir x naux, or naux
// x nvir when alongA.
func (b Integrals[T]) orbital(i int) dense.View[T] {
	v := dense.View[T]{Rows: b.Nvir, Cols: b.Naux, Offset: b.Offset + i*b.StrideI, RowStride: b.StrideA, ColStride: b.StrideP, Data: b.Data}
	if b.alongA() {
		return v.T()
	}
	return v
}

func (b Integrals[T]) alongA() bool { return runsAlongA(b.StrideA, b.StrideP) }

// runsAlongA is the one rule, for memory and files, that says how an orbital's elements are ordered: with a running
// fastest if a has the shorter stride, else with P running fastest. The order decides which product is computed, so
// equal layouts give equal bits.
func runsAlongA(strideA, strideP int) bool { return max(strideA, -strideA) < max(strideP, -strideP) }

// IsSingle reports whether the integrals of a source are of single precision.
func IsSingle(s Source) bool { return s.singlePrecision() }
