package mp2

import (
	"fmt"
	"slices"
	"strings"

	"trnsci/core/dense"
	"trnsci/core/npy"
	"trnsci/core/sched"
)

// Reads are made of about this many bytes: large enough that the system calls cost nothing, and a cancelled call is
// noticed between them.
const readBytes = 4 << 20

// Wanted stretches shorter than this are not read one by one: what lies between them is read too and dropped.
const shortRunBytes = 128 << 10

// FileIntegrals is B in a .npy file, of which the engine reads blocks of occupied orbitals.
//
// Where i is the slowest axis of the file (iaP, (ia)P and iPa in C order, P(ia) in Fortran order) a block is one
// stretch of the file. Where it is not, a block is gathered from the file, and where i is the fastest axis (iaP and iPa
// in Fortran order) each block costs a read of the whole file. Calls may share one FileIntegrals.
//
// A file that is cut short or changed while it is open gives a *npy.FormatError with the next block, see npy.File.Unchanged.
type FileIntegrals struct {
	file             *npy.File
	nocc, nvir, naux int
	strideI          int
	alongA           bool
}

// OpenIntegrals opens a .npy file of real or complex numbers of either precision, of either byte order and either array order. The shape
// has to be the layout's for nocc and nvir; naux is read off. The caller closes what it gets.
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
		return nil, dense.BadArgument("B", "shape %s of the file's array does not fit layout '%s', which is (%s) with nocc = %d and nvir = %d",
			tuple(file.Shape), layout, layout.axes(), nocc, nvir)
	}
	b := &FileIntegrals{file: file, nocc: nocc, nvir: nvir, naux: naux}
	strideI, strideA, strideP := layout.strides(file.Strides, nvir)
	b.strideI, b.alongA = strideI, runsAlongA(strideA, strideP)
	return b, nil
}

// tuple writes a shape as Python does.
func tuple(shape []int) string {
	text := strings.ReplaceAll(strings.Trim(fmt.Sprint(shape), "[]"), " ", ", ")
	if len(shape) == 1 {
		text += ","
	}
	return "(" + text + ")"
}

// Close closes the file.
func (b *FileIntegrals) Close() error { return b.file.Close() }

// Shape returns the numbers of occupied orbitals, virtual orbitals and auxiliary functions.
func (b *FileIntegrals) Shape() (nocc, nvir, naux int) { return b.nocc, b.nvir, b.naux }

func (b *FileIntegrals) check() error { return nil } // OpenIntegrals did

func (b *FileIntegrals) singlePrecision() bool { return b.file.Kind.IsSingle() }
func (b *FileIntegrals) isComplex() bool       { return b.file.Kind.IsComplex() }

func (b *FileIntegrals) operand32() *operand[float32] { return fileOperand[float32](b) }
func (b *FileIntegrals) operand64() *operand[float64] { return fileOperand[float64](b) }
func (b *FileIntegrals) complexOperand() any {
	switch b.file.Kind {
	case npy.Complex64:
		return fileOperand[complex64](b)
	case npy.Complex128:
		return fileOperand[complex128](b)
	}
	return nil
}

func fileOperand[T dense.Scalar](b *FileIntegrals) *operand[T] {
	return &operand[T]{
		nocc: b.nocc, nvir: b.nvir, naux: b.naux,
		alongA:  b.alongA,
		rounded: narrows[T](b),
		loader:  &fileLoader[T]{b: b},
	}
}

// fileLoader reads orbitals. In the file, whose axes are i and the two others in some order, neighbours along i are
// strideI elements apart. So the file is a sequence of periods of nocc*strideI elements, in each of which orbital i has
// the strideI elements from i*strideI on; one after the other they make up the orbital.
type fileLoader[T dense.Scalar] struct {
	b     *FileIntegrals
	stage []T // what one read brings, where a block is not one stretch
}

func (l *fileLoader[T]) load(team *sched.Team, first, end int, dst []T) error {
	b, g := l.b, l.gather(first, end)
	start := int64(first) * int64(b.strideI)
	if g.periods == 1 {
		if err := readStretch(team, b.file, dst, start); err != nil {
			return err
		}
		return b.file.Unchanged()
	}
	if need := g.elements(g.atOnce); len(l.stage) < need {
		l.stage = make([]T, need)
	}
	for p := 0; p < g.periods; p += g.atOnce {
		n := min(g.atOnce, g.periods-p)
		stage := l.stage[:g.elements(n)]
		if err := readStretch(team, b.file, stage, int64(p)*int64(g.period)+start); err != nil {
			return err
		}
		for k := range end - first {
			out := dst[k*b.nvir*b.naux+p*b.strideI:]
			for q := range n {
				from := q*g.period + k*b.strideI
				copy(out[q*b.strideI:(q+1)*b.strideI], stage[from:from+b.strideI])
			}
		}
	}
	return b.file.Unchanged()
}

func (l *fileLoader[T]) bytes(first, end int) int64 {
	g := l.gather(first, end)
	whole, rest := g.periods/g.atOnce, g.periods%g.atOnce
	elements := int64(whole) * int64(g.elements(g.atOnce))
	if rest > 0 {
		elements += int64(g.elements(rest))
	}
	return elements * int64(l.b.file.Kind.Size())
}

// gather is how a block is read: a run of elements of each period, of which a read takes some at once with what lies between the runs.
type gather struct{ run, period, periods, atOnce int }

func (l *fileLoader[T]) gather(first, end int) gather {
	b, size := l.b, l.b.file.Kind.Size()
	g := gather{run: (end - first) * b.strideI, period: b.nocc * b.strideI, periods: b.nvir * b.naux / b.strideI, atOnce: 1}
	if g.run*size < shortRunBytes {
		g.atOnce = min(g.periods, max(1, readBytes/size/g.period))
	}
	return g
}

// elements returns the elements of a read of n periods.
func (g gather) elements(n int) int { return (n-1)*g.period + g.run }

// readStretch fills dst with consecutive elements, a piece at a time so that cancellation is seen.
func readStretch[T dense.Scalar](team *sched.Team, file *npy.File, dst []T, start int64) error {
	for len(dst) > 0 {
		if err := team.Err(); err != nil {
			return err
		}
		n := min(len(dst), readBytes/file.Kind.Size())
		if err := npy.ReadRun(file, dst[:n], start); err != nil {
			return err
		}
		dst, start = dst[n:], start+int64(n)
	}
	return nil
}
