package mp2

import (
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

// Passes over the pairs: that of all pairs, and that of those which are computed again for the tolerance.
const (
	passAll = iota
	passAgain
)

// What one write to a checkpoint took may come back in this many times the time of computing, so that writing takes less than 1 % of a call.
const computingPerWriting = 100

// checkpoint is a file to which a call writes what finished pairs add, so that a later call for the same job computes only the others. A nil
// checkpoint keeps nothing.
//
// Records are only ever written behind the last one, and are handed to the system within moments of a pair's end: what ends the process loses at
// most those moments. The system may hold them back from the disk, so that a power cut may lose more.
type checkpoint struct {
	path string
	file *os.File
	job  uint64 // checksum of the header, which the records' checksums begin with
	head int64  // bytes of the header
	// Lengths of the lists of records: of pairs by pass and part, then of orbitals by pass and spin.
	lengths [lists]int

	mu      sync.Mutex
	end     int64 // of the last whole record
	pairs   int   // records of pairs in the file or pending
	pending []byte
	written time.Time     // when the last write ended
	pause   time.Duration // before the next one
	failed  error         // why nothing is written any more: the error of a write, or other integrals
	// For each list of orbitals, the checksums that are known: orbitalKnown is set in those.
	orbitals [lists - pairLists][]uint64
}

const orbitalKnown = 1 << 32

// openCheckpoint opens or makes the checkpoint of a call whose spins have been checked; nil if none is asked for.
//
// Errors: *dense.ArgumentError for what is no regular file, no checkpoint, that of another job, one that another call uses, or one that is
// damaged before its end; the operating system's.
func openCheckpoint(opt Options, spins []Spin, c *contributions) (*checkpoint, error) {
	if opt.Checkpoint == "" {
		return nil, nil
	}
	file, made, err := openLocked(opt.Checkpoint)
	if err != nil {
		return nil, err
	}
	k := newCheckpoint(opt.Checkpoint, file, spins, c)
	if err := k.start(jobOf(opt, spins)); err != nil {
		if made {
			_ = remove(file, opt.Checkpoint) // the error of the start is the one to tell
		}
		file.Close()
		return nil, err
	}
	return k, nil
}

// newCheckpoint returns the checkpoint in a file of which nothing has been read.
func newCheckpoint(path string, file *os.File, spins []Spin, c *contributions) *checkpoint {
	k := &checkpoint{path: path, file: file}
	for part, list := range c.parts() {
		k.lengths[pairList(passAll, part)], k.lengths[pairList(passAgain, part)] = len(list), len(list)
	}
	for spin, s := range spins {
		nocc, _, _ := s.Source.Shape()
		for _, pass := range []int{passAll, passAgain} {
			k.lengths[orbitalList(pass, spin)] = nocc
			k.orbitals[orbitalList(pass, spin)-pairLists] = make([]uint64, nocc)
		}
	}
	return k
}

// isThere reports whether there is a file; one that is not a regular file is an error. Opening a pipe would wait for its other end: look first.
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

// openLocked opens a regular file, or makes it, and locks it.
func openLocked(path string) (file *os.File, made bool, err error) {
	exists, err := isThere(path)
	if err != nil {
		return nil, false, err
	}
	made = !exists
	file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, false, fmt.Errorf("checkpoint: %w", err)
	}
	if !lock(file) || !isAt(file, path) { // whoever had it may have removed it since
		file.Close()
		return nil, false, dense.BadArgument("checkpoint", "'%s' is in use by another call", path)
	}
	return file, made, nil
}

// isAt reports whether path is still that of the open file.
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

// start reads what the file has, or writes the header of an empty one.
func (k *checkpoint) start(j job) error {
	fresh, err := k.identify(j)
	switch {
	case err != nil:
		return err
	case fresh:
		return k.write(j.header(), 0)
	}
	return k.resume()
}

// identify compares the header of the file with that of the job. A file that is empty, or whose making was interrupted, is fresh.
func (k *checkpoint) identify(j job) (fresh bool, err error) {
	head := j.header()
	k.job, k.head, k.end = checksum(0, head), int64(len(head)), int64(len(head))
	have := make([]byte, maxHeader)
	n, err := k.file.ReadAt(have, 0)
	if err != nil && err != io.EOF {
		return false, fmt.Errorf("checkpoint: %w", err)
	}
	if have = have[:n]; n < len(head) && string(have) == string(head[:n]) {
		return true, nil
	}
	return false, j.compare(k.path, have)
}

// resume takes the number of pairs and the checksums of orbitals from the file, and cuts off a damaged end.
func (k *checkpoint) resume() error {
	end, err := k.scan(func(r record) {
		if r.list < pairLists {
			k.pairs++
			return
		}
		k.orbitals[r.list-pairLists][r.number] = orbitalKnown | r.values[0]
	})
	if err != nil {
		return err
	}
	k.end = end
	if err := k.file.Truncate(end); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}

// remaining sets the contributions that a pass has in the file and returns the selection without them.
func (k *checkpoint) remaining(pass int, c *contributions, only *selection) (*selection, error) {
	if k == nil {
		return only, nil
	}
	var rest selection
	parts := c.parts()
	for part, list := range parts {
		rest[part] = make([]bool, len(list))
		for number := range list {
			rest[part][number] = only.has(part, number)
		}
	}
	_, err := k.scan(func(r record) {
		part := r.list - pairList(pass, 0)
		if part < 0 || part >= len(parts) {
			return
		}
		rest[part][r.number] = false
		parts[part][r.number] = contribution{
			opposite: math.Float64frombits(r.values[0]), same: math.Float64frombits(r.values[1]), bound: math.Float64frombits(r.values[2]),
		}
	})
	return &rest, err
}

// addPair keeps what a finished pair adds, and writes what is pending if it is time to.
func (k *checkpoint) addPair(pass, part, number int, c contribution) error {
	if k == nil {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.pairs++
	values := [...]uint64{math.Float64bits(c.opposite), math.Float64bits(c.same), math.Float64bits(c.bound)}
	k.pending = record{pairList(pass, part), number, values}.append(k.pending, k.job)
	if k.failed != nil || time.Since(k.written) < k.pause {
		return k.failed
	}
	return k.flush()
}

// addOrbital keeps the checksum of the integrals of an orbital that has been read, or compares it with the one that is kept. It is written with the
// next pair, so that integrals of another job, which differ in an orbital that is known, leave nothing behind.
func (k *checkpoint) addOrbital(pass, spin int, name string, i int, sum uint32) error {
	list := orbitalList(pass, spin)
	k.mu.Lock()
	defer k.mu.Unlock()
	known := &k.orbitals[list-pairLists][i]
	switch *known {
	case 0:
		*known = orbitalKnown | uint64(sum)
		k.pending = record{list, i, [3]uint64{uint64(sum)}}.append(k.pending, k.job)
	case orbitalKnown | uint64(sum):
	default:
		k.failed = dense.BadArgument("checkpoint",
			"'%s' was written for other integrals: B of occupied orbital %d%s is not what it was when it was first read", k.path, i, ofSpin(name))
		return k.failed
	}
	return nil
}

// flush writes the pending records.
func (k *checkpoint) flush() error {
	begin := time.Now()
	if k.failed = k.write(k.pending, k.end); k.failed != nil {
		return k.failed
	}
	k.end += int64(len(k.pending))
	k.pending = k.pending[:0]
	k.written = time.Now()
	k.pause = computingPerWriting * k.written.Sub(begin)
	return nil
}

// write writes data at the end of the file, all of it or nothing.
func (k *checkpoint) write(data []byte, at int64) error {
	if _, err := k.file.WriteAt(data, at); err != nil {
		_ = k.file.Truncate(at) // if that fails too, the record that is cut short has no valid checksum
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}

// close ends the use of the file by a call that returns err. It removes the file of a call that succeeded, but no other that has its path, since the finished file would answer
// for any B with these energies without reading it, and one without pairs; else it writes what is pending.
func (k *checkpoint) close(err error) error {
	if k == nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	defer k.file.Close()
	if err != nil && k.pairs > 0 {
		if k.failed == nil {
			_ = k.flush() // the call's own error is the one to tell
		}
		return err
	}
	if removed := remove(k.file, k.path); err == nil && removed != nil {
		return fmt.Errorf("checkpoint: %w", removed)
	}
	return err
}
