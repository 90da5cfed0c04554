package mp2

import (
	"fmt"
	"os"
)

// Kept returns how many pairs a call would take from its checkpoint, and how many pairs there are. The file is only read, and another call may be
// using it: a pair that is being written does not count yet. Pairs that Tolerance makes a call compute again do not count either.
//
// Errors: *dense.ArgumentError for a file that the call would refuse, but not for one in use; the operating system's.
func Kept(opt Options, spins ...Spin) (kept, all int, err error) {
	c := newContributions(spins)
	for _, list := range c.parts() {
		all += len(list)
	}
	if opt.Checkpoint == "" {
		return 0, all, nil
	}
	exists, err := isThere(opt.Checkpoint)
	if !exists || err != nil {
		return 0, all, err
	}
	file, err := os.Open(opt.Checkpoint)
	if err != nil {
		return 0, all, fmt.Errorf("checkpoint: %w", err)
	}
	defer file.Close()
	k := newCheckpoint(opt.Checkpoint, file, spins, c)
	fresh, err := k.identify(jobOf(opt, spins))
	if fresh || err != nil {
		return 0, all, err
	}
	_, err = k.scan(func(r record) {
		if r.list < pairList(passAgain, 0) {
			kept++
		}
	})
	return kept, all, err
}
