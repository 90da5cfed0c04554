// Package checkpoint keeps the results of finished pairs of orbitals in a file, so that a later call for the same job
// computes only the others.
//
// A file has lists of pairs, whose records are three numbers each, and lists of checksums, which tell whether an input
// is still what it was. Records are only appended, and are handed to the system within moments of the end of a pair: if
// the process ends, at most those moments are lost. The system may hold writes back from the disk, so a power cut may
// lose more.
package checkpoint

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"sync"
	"time"

	"trnsci/core/dense"
)

// What one write took is spent this many times on computing before the next one, so that writing takes less than 1 % of
// a call.
const computingPerWriting = 100

// File is an open checkpoint. A nil File keeps nothing.
type File struct {
	path    string
	file    *os.File
	lists   Lists
	jobSum  uint64 // checksum of the header, with which the checksums of records begin
	headEnd int64  // bytes of the header

	mu      sync.Mutex
	end     int64 // of the last whole record
	pairs   int   // records of pairs in the file or pending
	pending []byte
	written time.Time     // when the last write ended
	pause   time.Duration // before the next one
	failed  error         // why nothing is written any more: the error of a write, or an input that has changed
	// For each list of checksums those that are known, with sumKnown set.
	sums [][]uint64
}

const sumKnown = 1 << 32

// Lists holds the lengths of the lists of records: of pairs, and then of checksums.
type Lists struct{ Pairs, Sums []int }

func (l Lists) length(list int) (n int, ok bool) {
	switch {
	case list < len(l.Pairs):
		return l.Pairs[list], true
	case list < len(l.Pairs)+len(l.Sums):
		return l.Sums[list-len(l.Pairs)], true
	}
	return 0, false
}

// Open opens or creates the checkpoint of a job.
//
// Errors: *dense.ArgumentError for something else than a regular file, for a file that is not a checkpoint, belongs to
// another job, is in use, or is damaged before its end; the operating system's errors.
func Open(path string, job Job, lists Lists) (*File, error) {
	file, created, err := openLocked(path)
	if err != nil {
		return nil, err
	}
	f := newFile(path, file, lists)
	if err := f.start(job); err != nil {
		if created {
			_ = remove(file, path) // the error of the start is returned
		}
		file.Close()
		return nil, err
	}
	return f, nil
}

// Count returns how many pairs of the first lists, up to the given number of lists, are in the checkpoint of a job; 0
// if there is none. The file is only read and may be in use: a pair that is being written does not count yet. Errors
// are those of Open.
func Count(path string, job Job, lists Lists, first int) (count int, err error) {
	exists, err := isThere(path)
	if !exists || err != nil {
		return 0, err
	}
	file, err := os.Open(path)
	if err != nil {
		return 0, fmt.Errorf("checkpoint: %w", err)
	}
	defer file.Close()
	f := newFile(path, file, lists)
	fresh, err := f.identify(job)
	if fresh || err != nil {
		return 0, err
	}
	_, err = f.scan(func(r record) {
		if r.list < first {
			count++
		}
	})
	return count, err
}

// newFile returns the checkpoint in an open file of which nothing has been read.
func newFile(path string, file *os.File, lists Lists) *File {
	f := &File{path: path, file: file, lists: lists}
	for _, n := range lists.Sums {
		f.sums = append(f.sums, make([]uint64, n))
	}
	return f
}

// isThere reports whether there is a file, and returns an error for one that is not regular. Opening a pipe would wait
// for its other end, so the path is checked first.
func isThere(path string) (bool, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("checkpoint: %w", err)
	case !info.Mode().IsRegular():
		return false, dense.BadArgument("checkpoint", "'%s' is not a regular file", path)
	}
	return true, nil
}

// openLocked opens or creates a regular file and locks it.
func openLocked(path string) (file *os.File, created bool, err error) {
	exists, err := isThere(path)
	if err != nil {
		return nil, false, err
	}
	file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, false, fmt.Errorf("checkpoint: %w", err)
	}
	if !lock(file) || !isAt(file, path) { // the call that had it may have removed it since
		file.Close()
		return nil, false, dense.BadArgument("checkpoint", "'%s' is in use by another call", path)
	}
	return file, !exists, nil
}

// isAt reports whether the open file is still the one at path.
func isAt(file *os.File, path string) bool {
	there, err := os.Stat(path)
	if err != nil {
		return false
	}
	opened, err := file.Stat()
	return err == nil && os.SameFile(there, opened)
}

// remove removes an open file, unless another one has its path by now.
func remove(file *os.File, path string) error {
	if !isAt(file, path) {
		return nil
	}
	return os.Remove(path)
}

// start reads the records of the file, or writes the header of an empty one.
func (f *File) start(job Job) error {
	fresh, err := f.identify(job)
	switch {
	case err != nil:
		return err
	case fresh:
		return f.write(job.header(), 0)
	}
	return f.resume()
}

// identify compares the header of the file with that of the job. An empty file, or one whose header was not completely
// written, is fresh.
func (f *File) identify(job Job) (fresh bool, err error) {
	head := job.header()
	f.jobSum, f.headEnd, f.end = checksum(0, head), int64(len(head)), int64(len(head))
	have := make([]byte, maxHeader)
	n, err := f.file.ReadAt(have, 0)
	if err != nil && err != io.EOF {
		return false, fmt.Errorf("checkpoint: %w", err)
	}
	if have = have[:n]; n < len(head) && string(have) == string(head[:n]) {
		return true, nil
	}
	return false, job.compare(f.path, have)
}

// resume takes the number of pairs and the checksums from the file, and cuts off a damaged end.
func (f *File) resume() error {
	end, err := f.scan(func(r record) {
		if r.list < len(f.lists.Pairs) {
			f.pairs++
			return
		}
		f.sums[r.list-len(f.lists.Pairs)][r.number] = sumKnown | r.values[0]
	})
	if err != nil {
		return err
	}
	f.end = end
	if err := f.file.Truncate(end); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}

// scan calls visit for the whole records of the file and returns where they end. Damage after the last whole record is
// left by an interrupted write and is ignored; damage before one is an error.
func (f *File) scan(visit func(record)) (end int64, err error) {
	in := bufio.NewReader(io.NewSectionReader(f.file, f.headEnd, math.MaxInt64-f.headEnd))
	data := make([]byte, RecordBytes)
	end = f.headEnd
	for at := f.headEnd; ; at += RecordBytes {
		_, err := io.ReadFull(in, data)
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return end, nil
		}
		if err != nil {
			return 0, fmt.Errorf("checkpoint: %w", err)
		}
		r, ok := parseRecord(data, f.jobSum)
		if !ok {
			continue
		}
		if n, known := f.lists.length(r.list); at != end || !known || r.number >= n {
			return 0, dense.BadArgument("checkpoint", "'%s' is damaged at byte %d; remove it to begin anew", f.path,
				end)
		}
		visit(r)
		end = at + RecordBytes
	}
}

// EachPair calls visit for the pairs that the file has.
func (f *File) EachPair(visit func(list, number int, values [3]float64)) error {
	_, err := f.scan(func(r record) {
		if r.list < len(f.lists.Pairs) {
			visit(r.list, r.number, floats(r.values))
		}
	})
	return err
}

// AddPair keeps the result of a finished pair, and writes the pending records if it is time to.
func (f *File) AddPair(list, number int, values [3]float64) error {
	if f == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pairs++
	f.pending = record{list, number, words(values)}.append(f.pending, f.jobSum)
	if f.failed != nil || time.Since(f.written) < f.pause {
		return f.failed
	}
	return f.flush()
}

// AddSum keeps a checksum in one of the lists of checksums, or compares it with the one that is kept; describe names
// its object in the error. It is written with the next pair, so that a call with another input, which differs in a
// known checksum, leaves nothing behind.
func (f *File) AddSum(list, number int, sum uint32, describe func() string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	known := &f.sums[list][number]
	switch *known {
	case 0:
		*known = sumKnown | uint64(sum)
		f.pending = record{len(f.lists.Pairs) + list, number, [3]uint64{uint64(sum)}}.append(f.pending, f.jobSum)
	case sumKnown | uint64(sum):
	default:
		f.failed = dense.BadArgument("checkpoint",
			"'%s' was written for other integrals: %s is not what it was when it was first read", f.path, describe())
		return f.failed
	}
	return nil
}

// flush writes the pending records.
func (f *File) flush() error {
	begin := time.Now()
	if f.failed = f.write(f.pending, f.end); f.failed != nil {
		return f.failed
	}
	f.end += int64(len(f.pending))
	f.pending = f.pending[:0]
	f.written = time.Now()
	f.pause = computingPerWriting * f.written.Sub(begin)
	return nil
}

// write writes data at an offset, all of it or nothing.
func (f *File) write(data []byte, at int64) error {
	if _, err := f.file.WriteAt(data, at); err != nil {
		_ = f.file.Truncate(at) // if that fails too, the record that is cut short has no valid checksum
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}

// Close ends the use of the file by a call that returns err. The file of a call that succeeded is removed: a finished
// one would answer for any input with the same header without reading it. So is one without pairs. Otherwise the
// pending records are written.
func (f *File) Close(err error) error {
	if f == nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	defer f.file.Close()
	if err != nil && f.pairs > 0 {
		if f.failed == nil {
			_ = f.flush() // the call's own error is returned
		}
		return err
	}
	if removed := remove(f.file, f.path); err == nil && removed != nil {
		return fmt.Errorf("checkpoint: %w", removed)
	}
	return err
}
