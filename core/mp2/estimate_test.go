package mp2

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"trnsci/core/sched"
)

// countedBytes returns integrals as a function and the bytes that it hands out.
func countedBytes(m molecule) (*FunctionIntegrals[float64], *int64) {
	b, _ := counted[float64](m)
	bytes := new(int64)
	load := b.Load
	b.Load = func(team *sched.Team, first, end int, dst []float64) error {
		*bytes += 8 * int64(len(dst))
		return load(team, first, end, dst)
	}
	return b, bytes
}

func TestPlanCountsTheBytesThatAreRead(t *testing.T) {
	rng := rand.New(rand.NewPCG(81, 82))
	for range 60 {
		m := randomMolecule(rng, 1+rng.IntN(12), 1+rng.IntN(6), 1+rng.IntN(8))
		other := randomMolecule(rng, rng.IntN(8), 1+rng.IntN(6), m.naux)
		least := int64(8 * m.naux * (m.nvir + other.nvir) * 2)
		opt := Options{Team: team(1 + rng.IntN(3)), MaxBytes: least * int64(1+rng.IntN(5)), Precision: []Precision{PrecisionFP64, PrecisionMixed}[rng.IntN(2)]}
		a, bytesA := countedBytes(m)
		b, bytesB := countedBytes(other)
		closed, err := Plan(opt, a)
		if err != nil || *bytesA != 0 {
			t.Fatalf("%v, %d bytes were read for the plan", err, *bytesA)
		}
		if _, err := Restricted(a, m.occ, m.vir, opt); err != nil || *bytesA != closed.BytesRead || closed.Flops != Flops(m.nocc, m.nvir, m.naux) {
			t.Errorf("%+v: %d bytes were read, %v", closed, *bytesA, err)
		}
		open, err := Plan(opt, a, b)
		if err != nil {
			t.Fatal(err)
		}
		*bytesA = 0
		_, err = Unrestricted(a, b, m.occ, other.occ, m.vir, other.vir, opt)
		if err != nil || *bytesA+*bytesB != open.BytesRead || open.Flops != UnrestrictedFlops(m.nocc, m.nvir, other.nocc, other.nvir, m.naux) {
			t.Errorf("%+v: %d bytes were read, %v", open, *bytesA+*bytesB, err)
		}
	}
}

// readBytesOf returns the bytes that a process has got from read calls, by the kernel's count.
func readBytesOf(t *testing.T) int64 {
	t.Helper()
	text, err := os.ReadFile("/proc/self/io")
	if err != nil {
		t.Skipf("the system does not count reads: %v", err)
	}
	var n int64
	if _, err := fmt.Sscanf(string(text), "rchar: %d", &n); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestPlanCountsTheBytesOfFiles(t *testing.T) {
	m := randomMolecule(rand.New(rand.NewPCG(83, 84)), 9, 60, 70)
	for _, c := range fileCases[float64](t, m, "<f8") {
		for _, room := range []int64{0, 4 * 60 * 70 * 8} {
			opt := Options{MaxBytes: room}
			p, err := Plan(opt, c.file)
			if err != nil {
				t.Fatal(err)
			}
			before := readBytesOf(t)
			own := readBytesOf(t) - before // of the question itself
			if _, err := Restricted(c.file, m.occ, m.vir, opt); err != nil {
				t.Fatal(err)
			}
			// The text of the count may have grown by some digits.
			if got := readBytesOf(t) - before - 2*own; got < p.BytesRead-100 || got > p.BytesRead+100 {
				t.Errorf("%s, room %d: %d bytes were read, the plan says %d", c.name, room, got, p.BytesRead)
			}
		}
	}
}

func TestPlanOfArrays(t *testing.T) {
	m := randomMolecule(rand.New(rand.NewPCG(85, 86)), 6, 5, 4)
	opt := Options{Team: team(2)}
	for _, c := range []struct {
		source    Source
		opt       Options
		precision string
		bytes     int64
		blocks    string
	}{
		{plain[float64](m), opt, "fp64", 0, "in place"},
		{plain[float32](m), opt, "fp32", 0, "in place"},
		{arrange[float64](m, "Pai", 0, false), opt, "fp64", 6 * 5 * 4 * 8, "all orbitals at once"},
		{plain[float64](m), Options{Precision: PrecisionMixed}, "fp32", 6 * 5 * 4 * 8, "all orbitals at once"},
		// Two orbitals, one of which stays while the others before it are read: 6 + 5 + 4 + 3 + 2 + 1 orbitals.
		{plain[float32](m), Options{Precision: PrecisionFP64, MaxBytes: 2 * 5 * 4 * 8}, "fp64", 21 * 5 * 4 * 4, "6 blocks of at most 1 orbitals stay"},
		{plain[float32](m.firstOccupied(0)), opt, "fp32", 0, "nothing to do"},
	} {
		p, err := Plan(c.opt, c.source)
		workspace, failed := Workspace(c.opt, c.source)
		if err != nil || failed != nil {
			t.Fatal(err, failed)
		}
		if p.Precision != c.precision || p.BytesRead != c.bytes || !strings.HasPrefix(p.Blocks, c.blocks) || p.Memory != workspace || p.Threads != c.opt.Team.Threads() {
			t.Errorf("%+v, want %+v", p, c)
		}
		if nothing := p.Flops == 0; nothing != (p.Seconds == 0) || p.Seconds < 0 {
			t.Errorf("%g seconds for %g operations", p.Seconds, p.Flops)
		}
	}
	_, err := Plan(Options{MaxBytes: 8}, arrange[float64](m, "Pai", 0, false))
	argument(t, "memory", err, "max_memory", "the least that works")
}
