package mp2

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"trnsci/core/sched"
)

func team(threads int) *sched.Team { return sched.NewTeam(context.Background(), threads, nil) }

func TestSameBitsForEveryThreadCount(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 52))
	// One pair, fewer pairs than threads, and more.
	for _, s := range [][3]int{{1, 150, 90}, {2, 70, 300}, {7, 70, 40}} {
		a, b := randomMolecule(rng, s[0], s[1], s[2]), randomMolecule(rng, s[0]+1, s[1]+3, s[2])
		for _, order := range []string{"iaP", "Pia", "Pai"} {
			for _, precision := range []Precision{PrecisionInput, PrecisionMixed} {
				left, right := arrange[float64](a, order, 0, false), arrange[float64](b, order, 0, false)
				var closed, open Result
				for n, threads := range []int{1, 2, 5} {
					opt := Options{Team: team(threads), Precision: precision}
					r, err := Restricted(left, a.occ, a.vir, opt)
					if err != nil {
						t.Fatal(err)
					}
					u, err := Unrestricted(left, right, a.occ, b.occ, a.vir, b.vir, opt)
					if err != nil {
						t.Fatal(err)
					}
					if n == 0 {
						closed, open = r, u
					}
					if r != closed || u != open {
						t.Errorf("%v %s, %d threads: %+v and %+v, want %+v and %+v", s, order, threads, r, u, closed, open)
					}
				}
			}
		}
	}
}

// The plan decides how much memory blocks take, so its arithmetic is tested for all small cases.
func TestPlanKeepsToTheLimit(t *testing.T) {
	op := func(nocc, each int) *operand[float64] { return &operand[float64]{nocc: nocc, nvir: 1, naux: each} }
	check := func(name string, ops []*operand[float64], limit int64, threads int) {
		t.Helper()
		p, err := planAll(ops, limit, threads)
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
			if o.nocc > 0 && (w.left < 1 || w.left < o.nocc && (w.right < 1 || w.buffers < 1) || 8*int64(w.elements(o.naux, o.naux)) > limit) {
				t.Errorf("%s: %+v", name, w)
			}
		}
		if w := p.opposite; len(ops) == 2 && ops[0].nocc > 0 && ops[1].nocc > 0 && (w.left < 1 || w.right < 1 || w.buffers < 1 || 8*int64(w.elements(ops[0].naux, ops[1].naux)) > limit) {
			t.Errorf("%s: %+v", name, w)
		}
	}
	for noccA := range 5 {
		for noccB := range 5 {
			for _, each := range [][2]int{{1, 1}, {3, 10}, {10, 3}} {
				for limit := int64(0); limit < 500; limit += 4 {
					a, b := op(noccA, each[0]), op(noccB, each[1])
					check(fmt.Sprintf("%d x %d alone, %d bytes", noccA, each[0], limit), []*operand[float64]{a}, limit, 1+int(limit)%5)
					check(fmt.Sprintf("%d x %d and %d x %d, %d bytes", noccA, each[0], noccB, each[1], limit), []*operand[float64]{a, b}, limit, 1+int(limit)%5)
				}
			}
		}
	}
}

func TestTooLittleMemorySaysHowMuchWorks(t *testing.T) {
	m := randomMolecule(rand.New(rand.NewPCG(53, 54)), 3, 4, 5)
	b := arrange[float32](m, "Pai", 0, false) // has to be packed: 80 bytes for an orbital in float32, 160 in float64
	for precision, least := range map[Precision]int64{PrecisionInput: 160, PrecisionFP64: 320} {
		_, err := Restricted(b, m.occ, m.vir, Options{Precision: precision, MaxBytes: least - 1})
		argument(t, "too little", err, "max_memory", fmt.Sprintf("%d bytes do not", least-1), fmt.Sprintf("works is %d bytes", least))
		if _, err := Restricted(b, m.occ, m.vir, Options{Precision: precision, MaxBytes: least}); err != nil {
			t.Error(err)
		}
	}
	// What is multiplied in place needs no blocks.
	if _, err := Restricted(plain[float32](m), m.occ, m.vir, Options{MaxBytes: 1}); err != nil {
		t.Error(err)
	}
}

// allocated returns all bytes that call allocates, those included that it lets go on the way. The collector, which may take the workspace that products keep
// for the next one, rests meanwhile.
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

// leastAllocated is allocated for the least of some calls, each of which does the same: a goroutine that moves to another processor does not find the
// workspace that products keep on the one that it left.
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
	// What the loops over blocks let go: lists of pairs and goroutines for each of the 100 pairs of blocks.
	const garbage = 100 << 10
	sources := map[string]Source{"in place": plain[float64](m), "packed": arrange[float64](m, "Pai", 0, false), "converted": plain[float32](m)}
	for _, c := range fileCases[float64](t, m, "<f8") {
		sources[c.name] = c.file
	}
	single, _ := counted[float32](m)
	sources["function, converted"] = single
	for name, b := range sources {
		for _, limit := range []int64{0, 4 * orbital} {
			opt := Options{Team: team(3), MaxBytes: limit, Precision: PrecisionFP64, PairEnergies: true}
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
			got = leastAllocated(t, func() error { _, err := Unrestricted(b, b, m.occ, m.occ, m.vir, m.vir, opt); return err })
			if got > open+garbage {
				t.Errorf("%s, limit %d: %d bytes allocated, unrestricted bound %d", name, limit, got, open)
			}
		}
	}
}

// Pairs are computed again where the bound of float32 products is too large: as few as suffice, and all of them to the bits of float64.
func TestTolerance(t *testing.T) {
	rng := rand.New(rand.NewPCG(57, 58))
	for n := range 60 {
		m := randomMolecule(rng, 2+rng.IntN(6), 1+rng.IntN(9), 1+rng.IntN(20))
		other := randomMolecule(rng, 1+rng.IntN(4), 1+rng.IntN(9), m.naux)
		run := func(opt Options) Result {
			t.Helper()
			var r Result
			var err error
			if n%2 == 0 {
				r, err = Restricted(plain[float64](m), m.occ, m.vir, opt)
			} else {
				r, err = Unrestricted(plain[float64](m), plain[float64](other), m.occ, other.occ, m.vir, other.vir, opt)
			}
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		exact, loose := run(Options{}), run(Options{Precision: PrecisionMixed})
		pairs := triangular(m.nocc, 0)
		if n%2 == 1 {
			pairs = triangular(m.nocc, 0) + triangular(other.nocc, 0) + m.nocc*other.nocc
		}
		before := 0
		for _, share := range []float64{2, 0.9, 0.5, 0.1, 1e-3, 1e-6} {
			opt := Options{Precision: PrecisionMixed, Tolerance: share * loose.ErrorBound}
			r := run(opt)
			if r.ErrorBound > opt.Tolerance+exact.ErrorBound || r.Recomputed < before || r.Recomputed > pairs || (share > 1) != (r.Recomputed == 0) {
				t.Errorf("case %d, %g of the bound: %d of %d pairs again (%d before), bound %g of %g", n, share, r.Recomputed, pairs, before, r.ErrorBound, opt.Tolerance)
			}
			if off := difference(r.Total(), number(exact.Total())); off > r.ErrorBound+exact.ErrorBound {
				t.Errorf("case %d, %g of the bound: off by %g, bound %g", n, share, off, r.ErrorBound)
			}
			opt.Team = team(3)
			if again := run(opt); again != r {
				t.Errorf("case %d: %+v with three threads, %+v with one", n, again, r)
			}
			before = r.Recomputed
		}
		all := run(Options{Precision: PrecisionMixed, Tolerance: 1e-300})
		all.Recomputed = 0
		if all != exact {
			t.Errorf("case %d: all pairs again give %+v, float64 gives %+v", n, all, exact)
		}
	}
	m := randomMolecule(rng, 2, 3, 4)
	for _, bad := range []float64{-1, math.NaN()} {
		_, err := Restricted(plain[float64](m), m.occ, m.vir, Options{Tolerance: bad})
		argument(t, "tolerance", err, "etol", "hartree")
	}
}

func TestWorkspaceOfALargeMolecule(t *testing.T) {
	// All orbitals share their integrals, since only the shape matters; they are multiplied in place.
	b := Integrals[float64]{Nocc: 64, Nvir: 448, Naux: 1536, StrideA: 1536, StrideP: 1, Data: make([]float64, 448*1536)}
	bytes, err := Workspace(Options{Team: team(8)}, b)
	if err != nil || bytes > 64<<20 {
		t.Errorf("%d bytes, %v", bytes, err)
	}
}

func TestProgressCountsPairs(t *testing.T) {
	m := randomMolecule(rand.New(rand.NewPCG(57, 58)), 5, 4, 3)
	var closed, open sched.Progress
	b := arrange[float64](m, "Pai", 0, false)
	opt := Options{Team: sched.NewTeam(context.Background(), 2, &closed), MaxBytes: 2 * 8 * 12}
	if _, err := Restricted(b, m.occ, m.vir, opt); err != nil {
		t.Fatal(err)
	}
	if done, total := closed.Read(); done != 15 || total != 15 {
		t.Errorf("closed shell: %d of %d", done, total)
	}
	opt.Team = sched.NewTeam(context.Background(), 2, &open)
	if _, err := Unrestricted(b, b, m.occ, m.occ, m.vir, m.vir, opt); err != nil {
		t.Fatal(err)
	}
	if done, total := open.Read(); done != 10+10+25 || total != 45 {
		t.Errorf("open shell: %d of %d", done, total)
	}
}

// checkCancelled cancels call after a while and reports how long it went on.
func checkCancelled(t *testing.T, name string, threads int, after time.Duration, call func(*sched.Team) error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var at time.Time
	timer := time.AfterFunc(after, func() { at = time.Now(); cancel() })
	defer timer.Stop()
	if err := call(sched.NewTeam(ctx, threads, nil)); !errors.Is(err, context.Canceled) {
		t.Fatalf("%s: the call ended before it was cancelled: %v", name, err)
	}
	t.Logf("%s, %d threads: went on for %v", name, threads, time.Since(at))
}

func TestCancel(t *testing.T) {
	m := randomMolecule(rand.New(rand.NewPCG(59, 60)), 30, 300, 600)
	energy := func(b Source, opt Options) func(*sched.Team) error {
		return func(team *sched.Team) error {
			opt.Team = team
			_, err := Restricted(b, m.occ, m.vir, opt)
			return err
		}
	}
	inPlace, packed := plain[float64](m), arrange[float64](m, "Pai", 0, false)
	for name, call := range map[string]func(*sched.Team) error{
		"products": energy(inPlace, Options{}),
		"blocks":   energy(packed, Options{MaxBytes: 2 * 8 * 300 * 600}),
	} {
		for _, threads := range []int{1, 3} {
			checkCancelled(t, name, threads, 100*time.Millisecond, call)
		}
	}
	// Overlapping energies, none of whose 10^10 denominators vanishes, keep the check busy.
	large := molecule{nocc: 300, nvir: 2000, occ: make([]float64, 300), vir: make([]float64, 2000)}
	for i := range large.occ {
		large.occ[i] = float64(i)
	}
	for a := range large.vir {
		large.vir[a] = float64(a%100) + 0.25
	}
	large.naux = 1
	b := Integrals[float32]{Nocc: 300, Nvir: 2000, Naux: 1, StrideI: 2000, StrideA: 1, StrideP: 1, Data: make([]float32, 300*2000)}
	checkCancelled(t, "denominators", 2, 50*time.Millisecond, func(team *sched.Team) error {
		_, err := Restricted(b, large.occ, large.vir, Options{Team: team})
		return err
	})
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
