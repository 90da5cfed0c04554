package mp2

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/mp2"
	"trnsci/core/precision"
	"trnsci/trnbackend"
	"trnsci/trnbackend/graph"
	"trnsci/trnbackend/programs/programtest"
)

func TestMP2PlanCounts(t *testing.T) {
	const gigabytes = 1 << 30
	for _, c := range []struct {
		naux, graphs, dispatches int // naux, and limits of the other two
		spins                    []SpinSize
	}{
		{384, 1, 1, []SpinSize{{16, 112}}},
		{1536, 3, 40, []SpinSize{{64, 448}}},
		{2304, 3, math.MaxInt, []SpinSize{{96, 672}}},
		{1536, 3, 160, []SpinSize{{64, 448}, {60, 452}}},
	} {
		for _, p := range []precision.Precision{precision.FP32, precision.BF16x3} {
			plan, err := NewPlan(trnbackend.Caps{Memory: 16 * gigabytes}, p, c.naux, c.spins...)
			if err != nil {
				t.Fatal(err)
			}
			t.Log(plan)
			if len(plan.Graphs) > c.graphs || plan.Dispatches > c.dispatches || plan.Resident+plan.Work > 16*gigabytes {
				t.Errorf("%v: at most %d graphs and %d dispatches are allowed, the plan is %s", c.spins, c.graphs,
					c.dispatches, plan)
			}
			blocks := 0
			for spin := range c.spins {
				blocks += plan.blocks(spin)
			}
			if plan.Loads != blocks {
				t.Errorf("%v: %d loads of %d blocks that fit: %s", c.spins, plan.Loads, blocks, plan)
			}
		}
	}
}

// Even if a run costs next to nothing, as with XLA on the host, there are not many runs.
func TestMP2PlansOfQuickDevices(t *testing.T) {
	for _, p := range []precision.Precision{precision.FP32, precision.BF16x3} {
		plan, err := NewPlan(trnbackend.Caps{Memory: 16 << 30, Dispatch: 4e-6}, p, 1536, SpinSize{64, 448})
		if err != nil {
			t.Fatal(err)
		}
		if plan.Dispatches > 40 {
			t.Errorf("%s", plan)
		}
	}
}

// Similar sizes share graphs.
func TestMP2PlansShareGraphs(t *testing.T) {
	keys := map[string]bool{}
	for _, n := range [][3]int{{16, 112, 384}, {15, 110, 370}, {15, 99, 350}} {
		plan, err := NewPlan(trnbackend.Caps{}, precision.FP32, n[2], SpinSize{n[0], n[1]})
		if err != nil {
			t.Fatal(err)
		}
		keys[plan.Graphs[0].Key()] = true
	}
	if len(keys) != 1 {
		t.Errorf("%d graphs", len(keys))
	}
	plan, err := NewPlan(trnbackend.Caps{}, precision.FP32, 384, SpinSize{16, 110}, SpinSize{14, 112})
	if err != nil || len(plan.Graphs) != 2 {
		t.Errorf("alpha and beta of one bucket: %v, %s", err, plan)
	}
}

// For any memory, every pair of blocks is computed once, with both blocks on the device.
func TestMP2PlanPlacesBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 1))
	for range 200 {
		spins := []SpinSize{{rng.IntN(40), 1 + rng.IntN(30)}, {rng.IntN(40), 1 + rng.IntN(60)}}[:1+rng.IntN(2)]
		caps := trnbackend.Caps{Memory: int64(1+rng.IntN(400)) << 12, Dispatch: math.Pow(10, -3-6*rng.Float64())}
		plan, err := NewPlan(caps, precision.FP32, 1+rng.IntN(50), spins...)
		var unsupported *trnbackend.UnsupportedError
		if errors.As(err, &unsupported) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		checkSteps(t, plan, caps.Memory)
	}
}

func checkSteps(t *testing.T, plan *Plan, memory int64) {
	t.Helper()
	here, done := map[orbitalBlock]bool{}, map[[3]int]bool{}
	var bytes int64
	for _, s := range plan.steps {
		for _, b := range s.free {
			if !here[b] {
				t.Fatalf("%v is freed and was not there: %s", b, plan)
			}
			delete(here, b)
			bytes -= plan.blockBytes(b.spin)
		}
		for _, b := range s.load {
			if here[b] {
				t.Fatalf("%v is loaded and was there: %s", b, plan)
			}
			here[b] = true
			bytes += plan.blockBytes(b.spin)
		}
		if bytes > plan.Resident || plan.Resident+plan.Work > memory || !here[s.left] || !here[s.right] {
			t.Fatalf("%v: %d bytes of blocks %v in %d: %s", s, bytes, here, memory, plan)
		}
		pair := [3]int{s.pass, s.left.index, s.right.index}
		if done[pair] {
			t.Fatalf("%v twice: %s", pair, plan)
		}
		done[pair] = true
	}
	want := 0
	for _, pass := range plan.passes {
		l, r := plan.blocks(pass.left), plan.blocks(pass.right)
		if want += l * r; pass.kind.triangular() {
			want -= l * (l - 1) / 2
		}
	}
	if len(done) != want {
		t.Fatalf("%d pairs of blocks, not %d: %s", len(done), want, plan)
	}
}

// If runs have a large overhead, there are few of them.
func TestMP2PlanWeighsCosts(t *testing.T) {
	blocks := func(dispatch, flops float64) int {
		plan, err := NewPlan(trnbackend.Caps{Dispatch: dispatch, Flops: flops}, precision.FP32, 384, SpinSize{32, 112})
		if err != nil {
			t.Fatal(err)
		}
		return plan.BlockSize
	}
	// 4 of 32: a tenth more work than there is
	if slow, quick := blocks(1, 1e13), blocks(1e-7, 1e10); slow != 32 || quick > 4 {
		t.Errorf("blocks of %d orbitals with slow dispatches, of %d with quick ones", slow, quick)
	}
}

func TestMP2PlanRefuses(t *testing.T) {
	var unsupported *trnbackend.UnsupportedError
	_, err := NewPlan(trnbackend.Caps{Device: "small", Memory: 100_000}, precision.FP32, 384, SpinSize{16, 112})
	// Two blocks of 112 x 384 numbers and of twice 112.
	if least := "345856"; !errors.As(err, &unsupported) || unsupported.Device != "small" ||
		!strings.Contains(err.Error(), least) {
		t.Errorf("too little memory: %v", err)
	}
	for _, spins := range [][]SpinSize{nil, make([]SpinSize, 3), {{-1, 2}}, {{1, 2}, {3, -4}}} {
		if _, err := NewPlan(trnbackend.Caps{}, precision.FP32, 4, spins...); err == nil ||
			!strings.HasPrefix(err.Error(), "spins: ") {
			t.Errorf("%v: %v", spins, err)
		}
	}
}

// A plan is made of shapes: there need be neither integrals nor energies.
func TestPlanMP2Of(t *testing.T) {
	spin := func(nocc, nvir, naux int) mp2.Spin {
		return mp2.Spin{Source: mp2.Integrals[float32]{Nocc: nocc, Nvir: nvir, Naux: naux}}
	}
	plan, err := PlanFor(trnbackend.Caps{}, precision.FP32, spin(14, 110, 384), spin(13, 112, 384))
	if err != nil {
		t.Fatal(err)
	}
	want, err := NewPlan(trnbackend.Caps{}, precision.FP32, 384, SpinSize{14, 110}, SpinSize{13, 112})
	if err != nil || plan.String() != want.String() || !strings.Contains(plan.String(), plan.Blocks()) {
		t.Errorf("%s, not %s: %v", plan, want, err)
	}
	var bad *dense.ArgumentError
	if _, err := PlanFor(trnbackend.Caps{}, precision.FP32, spin(2, 3, 4), spin(2, 3, 5)); !errors.As(err, &bad) ||
		bad.Arg != "B" {
		t.Errorf("spins with different auxiliary functions: %v", err)
	}
}

// The weights of all pairs of blocks together count each ordered pair once.
func TestMP2Weights(t *testing.T) {
	const block = 3
	sum := func(k pairKind, component int, diagonal bool) float64 {
		total := 0.0
		for _, w := range k.weights(block, diagonal)[component*block*block : (component+1)*block*block] {
			total += w
		}
		return total
	}
	// Opposite spins: all pairs. Same spins, as sums of (K_ab - K_ba)^2: i > j once, with a half in an open shell.
	if below, on := sum(closedShell, 0, false), sum(closedShell, 0, true); 2*block*block != below || block*block != on {
		t.Errorf("opposite spins: %g below, %g on the diagonal", below, on)
	}
	if below, on := sum(closedShell, 1, false), sum(closedShell, 1, true); block*block != below ||
		block*(block-1)/2 != on {
		t.Errorf("same spin: %g below, %g on the diagonal", below, on)
	}
	if below, on := sum(sameSpin, 0, false), sum(sameSpin, 0, true); below != block*block/2.0 ||
		on != block*(block-1)/4.0 {
		t.Errorf("same spin, open shell: %g below, %g on the diagonal", below, on)
	}
}

func TestMP2PlanIsPrintable(t *testing.T) {
	s := programtest.OnInterp(t)
	plan, err := NewPlan(s.Caps(), precision.FP32, 20, SpinSize{9, 12})
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"mp2 fp32", "graphs 1", "dispatches 1", "blocks of 10 orbitals", "naux 20"} {
		if !strings.Contains(plan.String(), word) {
			t.Errorf("%q is not in %s", word, plan)
		}
	}
}

func TestGoldenTexts(t *testing.T) {
	const block, naux = 2, 8
	graphs := map[string]*graph.Graph{}
	for name, kind := range map[string]pairKind{
		"closed_shell": closedShell, "same_spin": sameSpin, "opposite_spin": oppositeSpin,
	} {
		nvir := [2]int{8, 8}
		if kind == oppositeSpin {
			nvir[1] = 10
		}
		for _, p := range []precision.Precision{precision.FP32, precision.BF16x2} {
			graphs["mp2_"+name+"_"+string(p)] = programtest.Must(kind.build(p, block, nvir, naux))
		}
	}
	programtest.Golden(t, graphs)
}
