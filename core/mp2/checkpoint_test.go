package mp2

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"trnsci/core/mp2/internal/checkpoint"
	"trnsci/core/sched"
)

// resumable is a call that can be stopped: energy computes it from functions, of which that of the alpha spin fails for
// the orbital stop when that is asked for after the first time, or at once for orbital 0. There is room for four
// orbitals.
type resumable struct {
	name        string
	alpha, beta molecule // beta is empty for a closed shell
	opt         EnergyOptions
}

var errStopped = errors.New("stopped")

func (r resumable) energy(opt EnergyOptions, stop int) (Result, []int, error) {
	a, asked := counted[float64](r.alpha)
	load := a.Load
	a.Load = func(team *sched.Team, first, end int, dst []float64) error {
		if stop >= 0 && first <= stop && stop < end && (asked[stop] > 0 || stop == 0) {
			return errStopped
		}
		return load(team, first, end, dst)
	}
	opt.MaxBytes = 4 * 8 * int64(r.alpha.nvir*r.alpha.naux)
	if opt.Precision == PrecisionMixed {
		opt.MaxBytes /= 2
	}
	if r.beta.nocc == 0 {
		result, err := Restricted(a, r.alpha.occ, r.alpha.vir, opt)
		return result, asked, err
	}
	b, _ := counted[float64](r.beta)
	result, err := Unrestricted(a, b, r.alpha.occ, r.beta.occ, r.alpha.vir, r.beta.vir, opt)
	return result, asked, err
}

func resumables() []resumable {
	rng := rand.New(rand.NewPCG(71, 72))
	a, b := randomMolecule(rng, 7, 5, 6), randomMolecule(rng, 4, 3, 6)
	return []resumable{
		{"closed", a, molecule{}, EnergyOptions{}},
		{"open", a, b, EnergyOptions{}},
		{"closed, mixed", a, molecule{}, EnergyOptions{Precision: PrecisionMixed}},
		{"closed, tolerance", a, molecule{}, EnergyOptions{Precision: PrecisionMixed, Tolerance: 1e-9}},
		{"open, tolerance", a, b, EnergyOptions{Precision: PrecisionMixed, Tolerance: 1e-9}},
	}
}

// stopped returns the path and the content of the checkpoint of a call that was stopped.
func stopped(t *testing.T, r resumable, stop int) (path string, content []byte) {
	t.Helper()
	r.opt.Checkpoint = filepath.Join(t.TempDir(), "checkpoint")
	if _, _, err := r.energy(r.opt, stop); !errors.Is(err, errStopped) {
		t.Fatalf("%s, stop at %d: %v", r.name, stop, err)
	}
	content, err := os.ReadFile(r.opt.Checkpoint)
	if err != nil {
		t.Fatal(err)
	}
	return r.opt.Checkpoint, content
}

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

func absent(path string) bool {
	_, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}

func TestStoppedCallsGoOnToTheSameBits(t *testing.T) {
	for _, r := range resumables() {
		want, plain, err := r.energy(r.opt, -1)
		if err != nil {
			t.Fatal(err)
		}
		var all sched.Progress
		opt := r.opt
		opt.Team = sched.NewTeam(context.Background(), 1, &all)
		if _, _, err := r.energy(opt, -1); err != nil {
			t.Fatal(err)
		}
		_, pairs := all.Read()
		for _, threads := range []int{1, 3} {
			// Two stops after one another, then the end.
			opt := r.opt
			opt.Checkpoint = filepath.Join(t.TempDir(), "checkpoint")
			for _, stop := range []int{1, 3, -1} {
				var progress sched.Progress
				opt.Team = sched.NewTeam(context.Background(), threads, &progress)
				got, asked, err := r.energy(opt, stop)
				_, left := progress.Read()
				if stop >= 0 {
					continue // whether this orbital is needed again depends on what there was
				}
				if err != nil || got != want {
					t.Errorf("%s, %d threads: %+v, want %+v, %v", r.name, threads, got, want, err)
				}
				if left >= pairs {
					t.Errorf("%s: all %d pairs were computed again", r.name, pairs)
				}
				if sum(asked) >= sum(plain) {
					t.Errorf("%s: %v orbitals were read, as in a call from the beginning", r.name, asked)
				}
			}
			if !absent(opt.Checkpoint) {
				t.Errorf("%s: the checkpoint is still there", r.name)
			}
		}
	}
}

func sum(x []int) int {
	n := 0
	for _, y := range x {
		n += y
	}
	return n
}

// A process may end in the middle of any write.
func TestCheckpointsCutAtEveryByte(t *testing.T) {
	for _, r := range []resumable{resumables()[1], resumables()[3]} {
		want, _, err := r.energy(r.opt, -1)
		if err != nil {
			t.Fatal(err)
		}
		path, content := stopped(t, r, 1)
		r.opt.Checkpoint = path
		for n := range content {
			write(t, path, content[:n])
			if got, _, err := r.energy(r.opt, -1); err != nil || got != want || !absent(path) {
				t.Fatalf("%s, %d of %d bytes: %+v, want %+v, %v", r.name, n, len(content), got, want, err)
			}
		}
		// What a file system may leave behind the end after a power cut.
		for _, tail := range [][]byte{make([]byte, checkpoint.RecordBytes/2), make([]byte, 3*checkpoint.RecordBytes),
			bytes.Repeat([]byte{0xff}, 5*checkpoint.RecordBytes+1)} {
			write(t, path, append(bytes.Clone(content), tail...))
			if got, _, err := r.energy(r.opt, -1); err != nil || got != want {
				t.Errorf("%s, %d bytes behind: %+v, want %+v, %v", r.name, len(tail), got, want, err)
			}
		}
	}
}

func TestEveryDamagedByteOfACheckpointIsSeen(t *testing.T) {
	r := resumables()[1]
	want, _, err := r.energy(r.opt, -1)
	if err != nil {
		t.Fatal(err)
	}
	path, content := stopped(t, r, 1)
	r.opt.Checkpoint = path
	for n := range content {
		damaged := bytes.Clone(content)
		damaged[n] ^= 1 << (n % 8)
		write(t, path, damaged)
		got, _, err := r.energy(r.opt, -1)
		if n >= len(content)-checkpoint.RecordBytes { // as a last write that was interrupted
			if err != nil || got != want {
				t.Errorf("byte %d of the last record: %+v, want %+v, %v", n, got, want, err)
			}
			continue
		}
		argument(t, fmt.Sprintf("byte %d", n), err, "checkpoint", path)
		if now, _ := os.ReadFile(path); !bytes.Equal(now, damaged) {
			t.Errorf("byte %d: the file was changed", n)
		}
	}
}

func TestCheckpointOfAnotherJob(t *testing.T) {
	r := resumables()[3]
	path, content := stopped(t, r, 1)
	changed := func(change func(*resumable)) resumable {
		other := resumables()[3]
		other.alpha.occ, other.alpha.vir = append([]float64(nil), r.alpha.occ...), append([]float64(nil),
			r.alpha.vir...)
		change(&other)
		other.opt.Checkpoint = path
		return other
	}
	for text, change := range map[string]func(*resumable){
		"nocc is 7 there and 6 here":                 func(o *resumable) { o.alpha = o.alpha.firstOccupied(6) },
		"naux is 6 there and 3 here":                 func(o *resumable) { o.alpha.naux = 3 },
		"SHA-256 of eps_occ is ":                     func(o *resumable) { o.alpha.occ[3] += 1e-15 },
		"SHA-256 of eps_vir is ":                     func(o *resumable) { o.alpha.vir[4] += 1e-15 },
		"spins is 1 there and 2 here":                func(o *resumable) { o.beta = resumables()[1].beta },
		"products is float32 there and float64 here": func(o *resumable) { o.opt.Precision = PrecisionFP64 },
		"etol is 1e-09 there and 1e-08 here":         func(o *resumable) { o.opt.Tolerance = 1e-8 },
		"check_finite is true there and false here":  func(o *resumable) { o.opt.SkipFiniteCheck = true },
		"is not what it was when it was first read": func(o *resumable) {
			o.alpha = randomMolecule(rand.New(rand.NewPCG(73, 74)), 7, 5, 6)
			o.alpha.occ, o.alpha.vir = r.alpha.occ, r.alpha.vir
		},
	} {
		_, _, err := changed(change).energy(changed(change).opt, -1)
		argument(t, text, err, "checkpoint", path, text)
		if now, _ := os.ReadFile(path); !bytes.Equal(now, content) {
			t.Errorf("%s: the file was changed", text)
		}
	}
	single := plain[float32](r.alpha)
	r.opt.Checkpoint = path
	_, err := Restricted(single, r.alpha.occ, r.alpha.vir, r.opt)
	argument(t, "dtype", err, "checkpoint", "dtype of B is float64 there and float32 here")
	_, err = Restricted(arrange[float64](r.alpha, "iPa", 0, false), r.alpha.occ, r.alpha.vir, r.opt)
	argument(t, "order", err, "checkpoint", "fastest axis of B is P there and a here")
}

// A function that returns something else when it is asked again is noticed within one call, too.
func TestIntegralsThatChangeDuringACall(t *testing.T) {
	r := resumables()[0]
	b, asked := counted[float64](r.alpha)
	load := b.Load
	b.Load = func(team *sched.Team, first, end int, dst []float64) error {
		err := load(team, first, end, dst)
		if first <= 1 && 1 < end && asked[1] == 2 {
			dst[(1-first)*r.alpha.nvir*r.alpha.naux] += 1e-9
		}
		return err
	}
	opt := EnergyOptions{Options: Options{MaxBytes: 4 * 8 * 5 * 6},
		Checkpoint: filepath.Join(t.TempDir(), "checkpoint")}
	_, err := Restricted(b, r.alpha.occ, r.alpha.vir, opt)
	argument(t, "changed", err, "checkpoint", "occupied orbital 1 is not what it was when it was first read")
}

func TestWhatIsNoCheckpoint(t *testing.T) {
	r := resumables()[0]
	path := filepath.Join(t.TempDir(), "file")
	r.opt.Checkpoint = path
	for text, content := range map[string]string{
		"is not a checkpoint":      "my thesis\n",
		"is of another version":    "trnsci DF-MP2 checkpoint, format 999\n",
		"is damaged in its header": "trnsci DF-MP2 checkpoint, format 1\nspins = 9\n",
	} {
		write(t, path, []byte(content))
		_, _, err := r.energy(r.opt, -1)
		argument(t, text, err, "checkpoint", text)
		if now, _ := os.ReadFile(path); string(now) != content {
			t.Errorf("%s: the file is now %q", text, now)
		}
	}
	r.opt.Checkpoint = t.TempDir()
	_, _, err := r.energy(r.opt, -1)
	argument(t, "folder", err, "checkpoint", "not a regular file")
	r.opt.Checkpoint = filepath.Join(t.TempDir(), "none", "file")
	if _, _, err := r.energy(r.opt, -1); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
	// A call that fails before the first pair leaves nothing.
	r.opt.Checkpoint = filepath.Join(t.TempDir(), "file")
	if _, _, err := r.energy(r.opt, 0); !errors.Is(err, errStopped) || !absent(r.opt.Checkpoint) {
		t.Errorf("stopped at once: %v", err)
	}
}

func TestOneCallUsesACheckpoint(t *testing.T) {
	r := resumables()[0]
	want, _, err := r.energy(r.opt, -1)
	if err != nil {
		t.Fatal(err)
	}
	path, _ := stopped(t, r, 1)
	opt := r.opt
	opt.Checkpoint = path
	b, _ := counted[float64](r.alpha)
	spins := []Spin{{Source: b, Occ: r.alpha.occ, Vir: r.alpha.vir}}
	other, err := openCheckpoint(opt, spins, newContributions(spins))
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = r.energy(opt, -1)
	argument(t, "twice", err, "checkpoint", "in use by another call")
	if err := other.Close(errStopped); err != errStopped {
		t.Errorf("%v", err)
	}
	if got, _, err := r.energy(opt, -1); err != nil || got != want {
		t.Errorf("%+v, want %+v, %v", got, want, err)
	}
}

// A call that ended between its last pair and the removal of the file is finished without reading integrals.
func TestFinishedCheckpoint(t *testing.T) {
	r := resumables()[0]
	want, _, err := r.energy(r.opt, -1)
	if err != nil {
		t.Fatal(err)
	}
	b, asked := counted[float64](r.alpha)
	spins := []Spin{{Source: b, Occ: r.alpha.occ, Vir: r.alpha.vir}}
	opt := r.opt
	opt.Checkpoint = filepath.Join(t.TempDir(), "checkpoint")
	c := newContributions(spins)
	k, err := openCheckpoint(opt, spins, c)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := computePasses(opt, spins, c, k); err != nil {
		t.Fatal(err)
	}
	if err := k.Close(errStopped); err != errStopped {
		t.Fatal(err)
	}
	clear(asked)
	if got, err := Restricted(b, r.alpha.occ, r.alpha.vir,
		opt); err != nil || got != want || sum(asked) != 0 || !absent(opt.Checkpoint) {
		t.Errorf("%+v, want %+v, %v; read %v", got, want, err, asked)
	}
}

func (r resumable) spins() []Spin {
	a, _ := counted[float64](r.alpha)
	if r.beta.nocc == 0 {
		return []Spin{{Source: a, Occ: r.alpha.occ, Vir: r.alpha.vir}}
	}
	b, _ := counted[float64](r.beta)
	return []Spin{{Name: "alpha", Source: a, Occ: r.alpha.occ, Vir: r.alpha.vir},
		{Name: "beta", Source: b, Occ: r.beta.occ, Vir: r.beta.vir}}
}

// The records of the first pass are those whose list is one of pairs: they are counted in the bytes of the file here.
func TestKept(t *testing.T) {
	for _, r := range resumables() {
		t.Run(r.name, func(t *testing.T) {
			all := triangular(r.alpha.nocc, 0) + triangular(r.beta.nocc, 0) + r.alpha.nocc*r.beta.nocc
			r.opt.Checkpoint = filepath.Join(t.TempDir(), "none")
			if kept, pairs, err := Kept(r.opt,
				r.spins()...); kept != 0 || pairs != all || err != nil || !absent(r.opt.Checkpoint) {
				t.Errorf("without a file: %d of %d, %v", kept, pairs, err)
			}
			path, content := stopped(t, r, 1)
			r.opt.Checkpoint = path
			for _, end := range []int{len(content), len(content) - 1} { // the last record may be cut short
				want := 0
				records := content[headerLength(content):end]
				for ; len(records) >= checkpoint.RecordBytes; records = records[checkpoint.RecordBytes:] {
					if list := records[0] & 0xf; list < parts {
						want++
					}
				}
				write(t, path, content[:end])
				kept, pairs, err := Kept(r.opt, r.spins()...)
				if kept != want || kept == 0 || kept > all || pairs != all || err != nil {
					t.Errorf("%d of %d, %v, not %d", kept, pairs, err, want)
				}
			}
			write(t, path, content[:10])
			if kept, _, err := Kept(r.opt, r.spins()...); kept != 0 || err != nil {
				t.Errorf("part of a header: %d, %v", kept, err)
			}
			write(t, path, []byte("a letter"))
			_, _, err := Kept(r.opt, r.spins()...)
			argument(t, "another file", err, "checkpoint", "not a checkpoint")
		})
	}
}

// headerLength returns the bytes of the header of a checkpoint, whose last line is its checksum.
func headerLength(content []byte) int {
	last := bytes.Index(content, []byte("checksum = "))
	return last + bytes.IndexByte(content[last:], '\n') + 1
}
