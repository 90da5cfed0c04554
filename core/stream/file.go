package stream

import (
	"trnsci/core/dense"
	"trnsci/core/npy"
	"trnsci/core/sched"
)

const (
	// Reads are made of about this many bytes: large enough that the system calls cost nothing, small enough that a
	// cancelled call is noticed between them.
	readBytes = 4 << 20
	// Runs of a slice shorter than this are not read one by one: several are read together with the elements between
	// them, which are dropped.
	shortRunBytes = 128 << 10
)

// File is an array in a .npy file. The slices of its block axis are stride elements apart in the file, so the file is a
// sequence of periods of count*stride elements, in each of which slice i has the stride elements from i*stride on. A
// slice is packed in the order of the file.
//
// If the block axis is the slowest one, there is one period and a block is one stretch of the file. If not, a block is
// gathered, and if it is the fastest one, each block costs a read of the whole file.
//
// A file that is cut short or changed while it is open gives a *npy.FormatError with the next block, see
// npy.File.Unchanged.
type File struct {
	file                *npy.File
	count, stride, size int
}

// NewFile returns the array of an open file for a block axis of count slices that are stride elements apart. The caller
// still closes the file.
func NewFile(file *npy.File, count, stride int) *File {
	f := &File{file: file, count: count, stride: stride}
	if count > 0 {
		f.size = int(file.Len() / int64(count))
	}
	return f
}

// Slices returns the length of the block axis and the elements of a slice.
func (f *File) Slices() (count, size int) { return f.count, f.size }

// Kind returns the type of the file's elements.
func (f *File) Kind() npy.Kind { return f.file.Kind }

// fileReader reads slices of a file.
type fileReader[T dense.Scalar] struct {
	*File
	stage []T // the elements of one read, if a block is gathered
}

func (r *fileReader[T]) Read(team *sched.Team, first, end int, dst []T) error {
	g := r.gather(first, end)
	start := int64(first) * int64(r.stride)
	if g.periods == 1 {
		if err := readStretch(team, r.file, dst, start); err != nil {
			return err
		}
		return r.file.Unchanged()
	}
	if need := g.elements(g.together); len(r.stage) < need {
		r.stage = make([]T, need)
	}
	for p := 0; p < g.periods; p += g.together {
		n := min(g.together, g.periods-p)
		stage := r.stage[:g.elements(n)]
		if err := readStretch(team, r.file, stage, int64(p)*int64(g.period)+start); err != nil {
			return err
		}
		for k := range end - first {
			out := dst[k*r.size+p*r.stride:]
			for q := range n {
				from := q*g.period + k*r.stride
				copy(out[q*r.stride:(q+1)*r.stride], stage[from:from+r.stride])
			}
		}
	}
	return r.file.Unchanged()
}

func (r *fileReader[T]) BytesRead(first, end int) int64 {
	g := r.gather(first, end)
	whole, rest := g.periods/g.together, g.periods%g.together
	elements := int64(whole) * int64(g.elements(g.together))
	if rest > 0 {
		elements += int64(g.elements(rest))
	}
	return elements * int64(r.file.Kind.Size())
}

// Workspace counts the file's buffer and the stage.
func (r *fileReader[T]) Workspace() int64 {
	if r.stride >= r.size {
		return readBytes
	}
	return 3*readBytes + int64(r.stride)*int64(r.count)*int64(npy.KindOf[T]().Size())
}

// gather says how a block is read: a run of elements of each period; one read takes the runs of several periods
// together, with the elements between them.
type gather struct{ run, period, periods, together int }

func (f *File) gather(first, end int) gather {
	bytes := f.file.Kind.Size()
	g := gather{run: (end - first) * f.stride, period: f.count * f.stride, periods: f.size / f.stride, together: 1}
	if g.run*bytes < shortRunBytes {
		g.together = min(g.periods, max(1, readBytes/bytes/g.period))
	}
	return g
}

// elements returns the elements of a read of n periods.
func (g gather) elements(n int) int { return (n-1)*g.period + g.run }

// readStretch fills dst with consecutive elements, asking the team between reads.
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
