package mp2

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"trnsci/core/sched"
)

// The plan decides how much memory blocks take, so its arithmetic is tested for all small cases.
func TestPlanKeepsToTheLimit(t *testing.T) {
	op := func(nocc, each int) *operand[float64] { return &operand[float64]{nocc: nocc, nvir: 1, naux: each} }
	check := func(name string, ops []*operand[float64], limit int64, threads int) {
		t.Helper()
		p, err := newPlan(ops, limit, threads)
		least := int64(0)
		for _, o := range ops {
			least = max(least, 8*int64(min(2, o.nocc)*o.naux))
		}
		if len(ops) == 2 && ops[0].nocc > 0 && ops[1].nocc > 0 {
			least = max(least, 8*int64(ops[0].naux+ops[1].naux))
		}
		if limit < least {
			argument(t, name, err, "max_memory", fmt.Sprintf("%d bytes are", limit)[:1], fmt.Sprintf("%d bytes", least))
			return
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		for n, o := range ops {
			w := p.same[n]
			if o.nocc > 0 && (w.left < 1 || w.left < o.nocc && (w.right < 1 || w.buffers < 1) ||
				8*int64(w.left*o.naux+w.buffers*w.right*o.naux) > limit) {
				t.Errorf("%s: %+v", name, w)
			}
		}
		if w := p.opposite; len(ops) == 2 && ops[0].nocc > 0 && ops[1].nocc > 0 && (w.left < 1 || w.right < 1 ||
			w.buffers < 1 || 8*int64(w.left*ops[0].naux+w.buffers*w.right*ops[1].naux) > limit) {
			t.Errorf("%s: %+v", name, w)
		}
	}
	for noccA := range 5 {
		for noccB := range 5 {
			for _, each := range [][2]int{{1, 1}, {3, 10}, {10, 3}} {
				for limit := int64(0); limit < 500; limit += 4 {
					a, b := op(noccA, each[0]), op(noccB, each[1])
					check(fmt.Sprintf("%d x %d alone, %d bytes", noccA, each[0], limit), []*operand[float64]{a}, limit,
						1+int(limit)%5)
					check(fmt.Sprintf("%d x %d and %d x %d, %d bytes", noccA, each[0], noccB, each[1], limit),
						[]*operand[float64]{a, b}, limit, 1+int(limit)%5)
				}
			}
		}
	}
}

func TestTooLittleMemorySaysHowMuchWorks(t *testing.T) {
	m := randomMolecule(rand.New(rand.NewPCG(53, 54)), 3, 4, 5)
	b := arrange[float32](m, "Pai", 0, false) // has to be packed: 80 bytes for an orbital in float32, 160 in float64
	for precision, least := range map[Precision]int64{PrecisionInput: 160, PrecisionFP64: 320} {
		_, err := Restricted(b, m.occ, m.vir, EnergyOptions{Options: Options{MaxBytes: least - 1},
			Precision: precision})
		argument(t, "too little", err, "max_memory", fmt.Sprintf("%d bytes do not", least-1),
			fmt.Sprintf("works is %d bytes", least))
		if _, err := Restricted(b, m.occ, m.vir, EnergyOptions{Options: Options{MaxBytes: least},
			Precision: precision}); err != nil {
			t.Error(err)
		}
	}
	// What is multiplied in place needs no blocks.
	if _, err := Restricted(plain[float32](m), m.occ, m.vir, EnergyOptions{Options: Options{MaxBytes: 1}}); err != nil {
		t.Error(err)
	}
}

// allocated returns all bytes that call allocates, also those that it releases. The garbage collector, which may take
// the workspace that products keep for the next call, is off meanwhile.
func allocated(t *testing.T, call func() error) int64 {
	t.Helper()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := call(); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// leastAllocated returns the least that several equal calls allocate: a goroutine that moves to another processor does
// not find the workspace that products keep on the one that it left.
func leastAllocated(t *testing.T, call func() error) int64 {
	t.Helper()
	const calls = 3
	least := int64(math.MaxInt64)
	for range calls {
		least = min(least, allocated(t, call))
	}
	return least
}

func TestWorkspaceBoundsWhatIsAllocated(t *testing.T) {
	rng := rand.New(rand.NewPCG(55, 56))
	m := randomMolecule(rng, 12, 70, 40)
	orbital := int64(8 * 70 * 40)
	// Garbage of the loops over blocks: lists of pairs and goroutines for each of the 100 pairs of blocks.
	const garbage = 100 << 10
	sources := map[string]Source{"in place": plain[float64](m), "packed": arrange[float64](m, "Pai", 0, false),
		"converted": plain[float32](m)}
	for _, c := range fileCases[float64](t, m, "<f8") {
		sources[c.name] = c.file
	}
	single, _ := counted[float32](m)
	sources["function, converted"] = single
	for name, b := range sources {
		for _, limit := range []int64{0, 4 * orbital} {
			opt := EnergyOptions{Options: Options{Team: team(3), MaxBytes: limit}, Precision: PrecisionFP64,
				PairEnergies: true}
			closed, err := Workspace(opt, b)
			if err != nil {
				t.Fatal(err)
			}
			got := leastAllocated(t, func() error { _, err := Restricted(b, m.occ, m.vir, opt); return err })
			if got > closed+garbage {
				t.Errorf("%s, limit %d: %d bytes allocated, bound %d", name, limit, got, closed)
			}
			open, err := Workspace(opt, b, b)
			if err != nil {
				t.Fatal(err)
			}
			got = leastAllocated(t, func() error {
				_, err := Unrestricted(b, b, m.occ, m.occ, m.vir, m.vir,
					opt)
				return err
			})
			if got > open+garbage {
				t.Errorf("%s, limit %d: %d bytes allocated, unrestricted bound %d", name, limit, got, open)
			}
		}
	}
}

func TestWorkspaceOfALargeMolecule(t *testing.T) {
	// All orbitals share their integrals, since only the shape matters; they are multiplied in place.
	b := Integrals[float64]{Nocc: 64, Nvir: 448, Naux: 1536, StrideA: 1536, StrideP: 1, Data: make([]float64, 448*1536)}
	bytes, err := Workspace(EnergyOptions{Options: Options{Team: team(8)}}, b)
	if err != nil || bytes > 64<<20 {
		t.Errorf("%d bytes, %v", bytes, err)
	}
}

func TestFlops(t *testing.T) {
	// 2080 products of 2 448^2 1536 operations.
	if got, want := Flops(64, 448, 1536), 2080*2.0*448*448*1536; got != want {
		t.Errorf("%g, want %g", got, want)
	}
	if got, want := UnrestrictedFlops(3, 4, 2, 5, 7), 2.0*7*(3*16+1*25+6*20); got != want {
		t.Errorf("%g, want %g", got, want)
	}
}

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
		opt := EnergyOptions{Options: Options{Team: team(1 + rng.IntN(3)), MaxBytes: least * int64(1+rng.IntN(5))},
			Precision: []Precision{PrecisionFP64, PrecisionMixed}[rng.IntN(2)]}
		a, bytesA := countedBytes(m)
		b, bytesB := countedBytes(other)
		closed, err := Plan(opt, a)
		if err != nil || *bytesA != 0 {
			t.Fatalf("%v, %d bytes were read for the plan", err, *bytesA)
		}
		if _, err := Restricted(a, m.occ, m.vir,
			opt); err != nil || *bytesA != closed.BytesRead || closed.Flops != Flops(m.nocc, m.nvir, m.naux) {
			t.Errorf("%+v: %d bytes were read, %v", closed, *bytesA, err)
		}
		open, err := Plan(opt, a, b)
		if err != nil {
			t.Fatal(err)
		}
		*bytesA = 0
		_, err = Unrestricted(a, b, m.occ, other.occ, m.vir, other.vir, opt)
		if err != nil || *bytesA+*bytesB != open.BytesRead || open.Flops != UnrestrictedFlops(m.nocc, m.nvir,
			other.nocc, other.nvir, m.naux) {
			t.Errorf("%+v: %d bytes were read, %v", open, *bytesA+*bytesB, err)
		}
	}
}

// readBytesOf returns the bytes that read calls of the process have returned, as the system counts them.
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
			opt := EnergyOptions{Options: Options{MaxBytes: room}}
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
	opt := EnergyOptions{Options: Options{Team: team(2)}}
	for _, c := range []struct {
		source    Source
		opt       EnergyOptions
		precision string
		bytes     int64
		blocks    string
	}{
		{plain[float64](m), opt, "fp64", 0, "in place"},
		{plain[float32](m), opt, "fp32", 0, "in place"},
		{arrange[float64](m, "Pai", 0, false), opt, "fp64", 6 * 5 * 4 * 8, "all orbitals at once"},
		{plain[float64](m), EnergyOptions{Precision: PrecisionMixed}, "fp32", 6 * 5 * 4 * 8, "all orbitals at once"},
		// Two orbitals, one of which stays while the others before it are read: 6 + 5 + 4 + 3 + 2 + 1 orbitals.
		{plain[float32](m), EnergyOptions{Options: Options{MaxBytes: 2 * 5 * 4 * 8}, Precision: PrecisionFP64}, "fp64",
			21 * 5 * 4 * 4, "6 blocks of at most 1 orbitals stay"},
		{plain[float32](m.firstOccupied(0)), opt, "fp32", 0, "nothing to do"},
	} {
		p, err := Plan(c.opt, c.source)
		workspace, failed := Workspace(c.opt, c.source)
		if err != nil || failed != nil {
			t.Fatal(err, failed)
		}
		if p.Precision != c.precision || p.BytesRead != c.bytes || !strings.HasPrefix(p.Blocks,
			c.blocks) || p.Memory != workspace || p.Threads != c.opt.Team.Threads() {
			t.Errorf("%+v, want %+v", p, c)
		}
		if nothing := p.Flops == 0; nothing != (p.Seconds == 0) || p.Seconds < 0 {
			t.Errorf("%g seconds for %g operations", p.Seconds, p.Flops)
		}
	}
	_, err := Plan(EnergyOptions{Options: Options{MaxBytes: 8}}, arrange[float64](m, "Pai", 0, false))
	argument(t, "memory", err, "max_memory", "the least that works")
}
