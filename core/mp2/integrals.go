package mp2

import (
	"slices"

	"trnsci/core/dense"
	"trnsci/core/npy"
	"trnsci/core/sched"
	"trnsci/core/stream"
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

// shape returns the shape of an array with the layout.
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

// axes names the axes of an array with the layout, which is a known one.
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
	// array returns B as an array whose slices are orbitals.
	array() stream.Array
	// alongA reports whether a slice is stored as naux x nvir, with a running fastest, and not as nvir x naux.
	alongA() bool
}

// kindOf returns the type of the elements of a source.
func kindOf(s Source) npy.Kind { return s.array().Kind() }

// IsSingle reports whether the integrals of a source are of single precision.
func IsSingle(s Source) bool { return kindOf(s).IsSingle() }

func isComplex(s Source) bool { return kindOf(s).IsComplex() }

// runsAlongA is the one rule, for memory and files, for the order of an orbital's elements: a runs fastest if it has
// the smaller stride, else P does. The order decides which product is computed, so equal layouts give equal bits.
func runsAlongA(strideA, strideP int) bool { return max(strideA, -strideA) < max(strideP, -strideP) }

// ComplexError reports complex integrals passed to a function of real ones.
type ComplexError struct{}

func (*ComplexError) Error() string {
	return "B: complex integrals are for spin orbitals (df_gmp2_energy) and k-points (df_kmp2_energy)"
}

// Integrals is B in memory with arbitrary element strides, negative ones included:
//
//	B[i,a,P] = Data[Offset + i*StrideI + a*StrideA + P*StrideP]
//
// Every layout, C or Fortran order, is a choice of strides. If the smaller stride of a and P is 1, orbitals are
// multiplied in place; others are packed into blocks first (see Options.MaxBytes).
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

func (b Integrals[T]) alongA() bool { return runsAlongA(b.StrideA, b.StrideP) }

// check reports a negative size, and strides that leave Data.
func (b Integrals[T]) check() error {
	return stream.Memory[T]{
		Shape: []int{b.Nocc, b.Nvir, b.Naux}, Strides: []int{b.StrideI, b.StrideA,
			b.StrideP}, Offset: b.Offset, Data: b.Data,
	}.Check("B")
}

func (b Integrals[T]) array() stream.Array {
	m := stream.Memory[T]{
		Shape: []int{b.Nocc, b.Nvir, b.Naux}, Strides: []int{b.StrideI, b.StrideA,
			b.StrideP}, Offset: b.Offset, Data: b.Data,
	}
	if b.alongA() {
		m.Shape[1], m.Shape[2] = m.Shape[2], m.Shape[1]
		m.Strides[1], m.Strides[2] = m.Strides[2], m.Strides[1]
	}
	return m
}

// orbital returns orbital i as a view whose rows run along the smaller of the strides of a and P: nvir x naux, or naux
// x nvir if alongA.
func (b Integrals[T]) orbital(i int) dense.View[T] {
	v := dense.View[T]{
		Rows: b.Nvir, Cols: b.Naux, Offset: b.Offset + i*b.StrideI, RowStride: b.StrideA, ColStride: b.StrideP, Data: b.Data,
	}
	if b.alongA() {
		return v.T()
	}
	return v
}

// FileIntegrals is B in a .npy file, which is read in blocks of occupied orbitals, see stream.File. A block is one
// stretch of the file if i is its slowest axis: iaP, (ia)P and iPa in C order, P(ia) in Fortran order. If i is the
// fastest axis, as for iaP and iPa in Fortran order, each block costs a read of the whole file. Calls may share one
// FileIntegrals.
type FileIntegrals struct {
	file             *npy.File
	nocc, nvir, naux int
	orbitals         *stream.File
	aFastest         bool
}

// OpenIntegrals opens a .npy file of real or complex numbers of either precision, of either byte order and either array
// order. Its shape has to be that of the layout for nocc and nvir; naux is taken from the file. The caller closes it.
//
// It returns a *dense.ArgumentError for an unknown layout or another shape, and the errors of npy.Open.
func OpenIntegrals(path string, layout Layout, nocc, nvir int) (*FileIntegrals, error) {
	shape, err := layout.shape(nocc, nvir, 0)
	if err != nil {
		return nil, err
	}
	file, err := npy.Open(path)
	if err != nil {
		return nil, err
	}
	naux := 0
	if axis := layout.auxAxis(); axis < len(file.Shape) {
		naux = file.Shape[axis]
		shape[axis] = naux
	}
	if !slices.Equal(shape, file.Shape) {
		file.Close()
		return nil, dense.BadArgument("B",
			"shape %s of the file's array does not fit layout '%s', which is (%s) with nocc = %d and nvir = %d",
			stream.Tuple(file.Shape), layout, layout.axes(), nocc, nvir)
	}
	strideI, strideA, strideP := layout.strides(file.Strides, nvir)
	return &FileIntegrals{
		file: file, nocc: nocc, nvir: nvir, naux: naux, orbitals: stream.NewFile(file, nocc, strideI),
		aFastest: runsAlongA(strideA, strideP),
	}, nil
}

// Close closes the file.
func (b *FileIntegrals) Close() error { return b.file.Close() }

// Shape returns the numbers of occupied orbitals, virtual orbitals and auxiliary functions.
func (b *FileIntegrals) Shape() (nocc, nvir, naux int) { return b.nocc, b.nvir, b.naux }

func (b *FileIntegrals) check() error        { return nil } // OpenIntegrals did it
func (b *FileIntegrals) array() stream.Array { return b.orbitals }
func (b *FileIntegrals) alongA() bool        { return b.aFastest }

// FunctionIntegrals is B as a function hands it out, in blocks of occupied orbitals: B[i,a,P] for first <= i < end goes
// to dst in the order of its indices, P running fastest. It is called for one block at a time, from any goroutine, and
// may be asked for an orbital again. Results do not depend on the blocks.
type FunctionIntegrals[T dense.Scalar] struct {
	Nocc, Nvir, Naux int
	Load             func(team *sched.Team, first, end int, dst []T) error
}

// Shape returns the numbers of occupied orbitals, virtual orbitals and auxiliary functions.
func (b *FunctionIntegrals[T]) Shape() (nocc, nvir, naux int) { return b.Nocc, b.Nvir, b.Naux }

func (b *FunctionIntegrals[T]) check() error { return stream.CheckShape("B", b.Nocc, b.Nvir, b.Naux) }
func (b *FunctionIntegrals[T]) array() stream.Array {
	return &stream.Function[T]{Count: b.Nocc, Size: b.Nvir * b.Naux, Load: b.Load}
}
func (b *FunctionIntegrals[T]) alongA() bool { return false }
