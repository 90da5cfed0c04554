package packed

import (
	"trnsci/core/dense"
	"trnsci/core/npy"
	"trnsci/core/sched"
)

// Reads are made of about this many bytes, or of a row: large enough that the system calls cost nothing, and a cancelled call is noticed
// between them.
const readBytes = 4 << 20

// FileTensor is L in a .npy file, of which rows are read in blocks. Calls may share one.
//
// A file that is cut short or changed while it is open gives a *npy.FormatError with the next block, see npy.File.Unchanged.
type FileTensor struct{ file *npy.File }

// OpenTensor opens a .npy file of float32 or float64 numbers of either byte order with an array of two dimensions in C order. The caller
// closes what it gets.
//
// It returns a *dense.ArgumentError for another shape or order, and the errors of npy.OpenReal.
func OpenTensor(path string) (*FileTensor, error) {
	file, err := npy.OpenReal(path)
	if err != nil {
		return nil, err
	}
	if len(file.Shape) != 2 {
		file.Close()
		return nil, dense.BadArgument("L", "expected an array of shape (naux, nao*(nao+1)/2), the file's has %d dimensions", len(file.Shape))
	}
	// The order of an array with one row or one column is of no account.
	if byColumns := min(file.Shape[0], file.Shape[1]) > 1 && file.Strides[1] != 1; byColumns {
		file.Close()
		return nil, dense.BadArgument("L", "the file's array is in Fortran order, in which a row is not one stretch; save it in C order")
	}
	return &FileTensor{file}, nil
}

// Close closes the file.
func (t *FileTensor) Close() error { return t.file.Close() }

// Shape returns the numbers of auxiliary functions and of elements in a row.
func (t *FileTensor) Shape() (naux, pairs int) { return t.file.Shape[0], t.file.Shape[1] }

// Check returns nil: OpenTensor did it.
func (t *FileTensor) Check() error { return nil }

// InPlace returns false.
func (t *FileTensor) InPlace() (dense.Matrix[float64], bool) { return dense.Matrix[float64]{}, false }

// Copy reads rows.
func (t *FileTensor) Copy(team *sched.Team, first, end int, dst []float64) error {
	pairs := t.file.Shape[1]
	atOnce := max(1, readBytes/wordBytes/pairs)
	for p := first; p < end; p += atOnce {
		if err := team.Err(); err != nil {
			return err
		}
		rows := min(atOnce, end-p)
		if err := npy.ReadRun(t.file, dst[(p-first)*pairs:(p-first+rows)*pairs], int64(p)*int64(pairs)); err != nil {
			return err
		}
	}
	return t.file.Unchanged()
}
