package programs

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/mp2"
	"trnsci/trnbackend"
	"trnsci/trnbackend/device"
	"trnsci/trnbackend/graph"
	"trnsci/trnbackend/interp"
)

// randomSpin has normal integrals in layout iaP and a gap between occupied and virtual energies.
func randomSpin[T dense.Float](rng *rand.Rand, name string, nocc, nvir, naux int) mp2.Spin {
	b := mp2.Integrals[T]{Nocc: nocc, Nvir: nvir, Naux: naux, StrideI: nvir * naux, StrideA: naux, StrideP: 1, Data: make([]T, nocc*nvir*naux)}
	for n := range b.Data {
		b.Data[n] = T(0.1 * rng.NormFloat64())
	}
	s := mp2.Spin{Name: name, Source: b}
	for range nocc {
		s.Occ = append(s.Occ, -0.3-2*rng.Float64())
	}
	for range nvir {
		s.Vir = append(s.Vir, 0.1+3*rng.Float64())
	}
	return s
}

// mp2OnHost returns the energies that core/mp2 computes in float64.
func mp2OnHost(t *testing.T, spins ...mp2.Spin) mp2.Result {
	t.Helper()
	opt := mp2.Options{Precision: mp2.PrecisionFP64, PairEnergies: true}
	a := spins[0]
	r, err := mp2.Restricted(a.Source, a.Occ, a.Vir, opt)
	if len(spins) == 2 {
		b := spins[1]
		r, err = mp2.Unrestricted(a.Source, b.Source, a.Occ, b.Occ, a.Vir, b.Vir, opt)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func mp2OnDevice(t *testing.T, s *device.Session, p Precision, spins ...mp2.Spin) (*MP2Result, trnbackend.Report) {
	t.Helper()
	call, err := s.Begin(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	r, err := MP2(call, p, spins...)
	report := call.End()
	if err != nil {
		t.Fatal(err)
	}
	return r, report
}

// checkMP2 checks energies, those of pairs too, against the bound and against a relative limit.
func checkMP2(t *testing.T, what string, got *MP2Result, want mp2.Result, relative float64) {
	t.Helper()
	off := math.Abs(got.OppositeSpin-want.OppositeSpin) + math.Abs(got.AlphaAlpha-want.AlphaAlpha) + math.Abs(got.BetaBeta-want.BetaBeta)
	if !(off <= got.ErrorBound+want.ErrorBound) {
		t.Errorf("%s: off by %g, the bound is %g", what, off, got.ErrorBound)
	}
	if limit := relative * math.Abs(want.Total()); !(off <= limit) {
		t.Errorf("%s: off by %g, more than %g", what, off, limit)
	}
	matrices := func(p *mp2.PairEnergies) []dense.Matrix[float64] {
		return []dense.Matrix[float64]{p.OppositeSpin, p.AlphaAlpha, p.BetaBeta}
	}
	for n, m := range matrices(got.PairEnergies) {
		w := matrices(want.PairEnergies)[n]
		if m.Rows != w.Rows || m.Cols != w.Cols {
			t.Fatalf("%s: pair energies are %d x %d, not %d x %d", what, m.Rows, m.Cols, w.Rows, w.Cols)
		}
		for k, e := range m.Data {
			if math.Abs(e-w.Data[k]) > 10*relative*math.Abs(w.Data[k]) {
				t.Errorf("%s: pair %d of matrix %d is %g, not %g", what, k, n, e, w.Data[k])
			}
		}
	}
}

// The relative errors that are asked for: bf16 has 8 bits and each further part 8 more, and all but fp64 add terms in f32.
var mp2Limits = map[Precision]float64{FP64: 1e-13, FP32: 1e-6, BF16: 3e-2, BF16x2: 1e-4, BF16x3: 1e-6}

func TestMP2AgainstTheHost(t *testing.T) {
	s := onInterp(t)
	rng := rand.New(rand.NewPCG(41, 1))
	for _, name := range choices(s.Caps()) {
		p := Precision(name)
		for _, n := range [][3]int{{1, 1, 1}, {3, 5, 7}, {9, 12, 20}} {
			spin := randomSpin[float64](rng, "", n[0], n[1], n[2])
			got, _ := mp2OnDevice(t, s, p, spin)
			checkMP2(t, name+" closed shell", got, mp2OnHost(t, spin), mp2Limits[p])
			alpha, beta := randomSpin[float32](rng, "alpha", n[0]+1, n[1], n[2]), randomSpin[float64](rng, "beta", n[0], n[1]+1, n[2])
			got, _ = mp2OnDevice(t, s, p, alpha, beta)
			checkMP2(t, name+" open shell", got, mp2OnHost(t, alpha, beta), mp2Limits[p])
		}
	}
}

// The size of a small molecule: one run of one graph.
func TestMP2OfASmallMolecule(t *testing.T) {
	s := onInterp(t)
	spin := randomSpin[float64](rand.New(rand.NewPCG(42, 1)), "", 16, 112, 384)
	want := mp2OnHost(t, spin)
	for _, p := range []Precision{FP32, BF16x3} {
		got, report := mp2OnDevice(t, s, p, spin)
		checkMP2(t, string(p), got, want, mp2Limits[p])
		t.Logf("%s: off by %.1e of %.6f, bound %.1e", p, got.Total()-want.Total(), want.Total(), got.ErrorBound)
		if report.Compiles != 1 || report.Dispatches != 1 || report.ErrorBound != got.ErrorBound || len(report.HostSteps) != 2 {
			t.Errorf("%s: %+v", p, report)
		}
	}
}

// The example whose energies core/mp2's tests take from independent sums over all indices.
func TestMP2OfTheSyntheticExample(t *testing.T) {
	b := mp2.Integrals[float64]{Nocc: 2, Nvir: 3, Naux: 2, StrideI: 6, StrideA: 2, StrideP: 1}
	for i := range 2 {
		for a := range 3 {
			for p := range 2 {
				b.Data = append(b.Data, 0.1*float64(1+i+2*a)-0.05*float64(p*(i+1)*(a-1)))
			}
		}
	}
	alpha := mp2.Spin{Source: b, Occ: []float64{-1, -0.5}, Vir: []float64{0.2, 0.4, 0.9}}
	s := onInterp(t)
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-14 {
			t.Errorf("%s is %.16g, not %.16g", what, got, want)
		}
	}
	r, _ := mp2OnDevice(t, s, FP64, alpha)
	near("E_os", r.OppositeSpin, -1.1079465142789195)
	near("E_ss", r.SameSpin, -0.011858974358974355)
	beta := alpha
	one := b
	one.Nocc = 1
	beta.Source, beta.Occ = one, alpha.Occ[:1]
	r, _ = mp2OnDevice(t, s, FP64, alpha, beta)
	near("E_aa", r.AlphaAlpha, -0.00592948717948718)
	near("E_bb", r.BetaBeta, 0)
	near("E_ab", r.OppositeSpin, -0.37333657622561717)
}

// limitedInterp is the interpreter with figures that make plans choose small blocks.
type limitedInterp struct {
	trnbackend.Executor
	memory, dispatch int64 // bytes, nanoseconds
	most             int64 // bytes of buffers that were in use at once
	uploads          int
	uploaded         func(n int) // called after each upload, if it is set
}

func (l *limitedInterp) Caps() trnbackend.Caps {
	caps := l.Executor.Caps()
	caps.Memory, caps.Dispatch = l.memory, float64(l.dispatch)*1e-9
	return caps
}

func (l *limitedInterp) Upload(shape graph.Shape, data []byte) (trnbackend.Buffer, error) {
	b, err := l.Executor.Upload(shape, data)
	if m, failed := l.Memory(); failed == nil {
		l.most = max(l.most, m.Used)
	}
	l.uploads++
	if l.uploaded != nil {
		l.uploaded(l.uploads)
	}
	return b, err
}

func TestMP2StreamsBlocksThatDoNotFit(t *testing.T) {
	const memory = 110_000
	executor := &limitedInterp{Executor: interp.New(), memory: memory, dispatch: 1000}
	s := device.NewSession(executor, "")
	defer s.Close()
	rng := rand.New(rand.NewPCG(43, 1))
	alpha, beta := randomSpin[float64](rng, "alpha", 23, 20, 60), randomSpin[float64](rng, "beta", 19, 24, 60)
	for _, spins := range [][]mp2.Spin{{alpha}, {alpha, beta}} {
		executor.most = 0
		got, report := mp2OnDevice(t, s, FP32, spins...)
		checkMP2(t, "streamed", got, mp2OnHost(t, spins...), mp2Limits[FP32])
		plan := got.Plan
		blocks := 0
		for spin := range spins {
			blocks += plan.blocks(spin)
		}
		if plan.Loads <= blocks || plan.Resident+plan.Work > memory || executor.most > memory-plan.Work {
			t.Errorf("%d loads of %d blocks, %d bytes in use at most, the plan is %s", plan.Loads, blocks, executor.most, plan)
		}
		if m, err := s.Memory(); err != nil || m.Used != 0 {
			t.Errorf("%d bytes are in use at the end: %v", m.Used, err)
		}
		if report.Dispatches != plan.Dispatches || report.BytesIn != plan.BytesIn || report.BytesOut != plan.BytesOut {
			t.Errorf("the plan is %s, the report %+v", plan, report)
		}
	}
}

// Overlapping energies: terms of both signs, and in an open shell zero denominators that no term has.
func TestMP2WithoutAGap(t *testing.T) {
	s := onInterp(t)
	rng := rand.New(rand.NewPCG(44, 1))
	closed := randomSpin[float64](rng, "", 3, 4, 5)
	closed.Occ[1], closed.Vir[2] = 0.77, 0.31
	got, _ := mp2OnDevice(t, s, FP32, closed)
	checkMP2(t, "inverted", got, mp2OnHost(t, closed), 1e-5)
	if got.ErrorBound > 0.1*math.Abs(got.Total()) {
		t.Errorf("bound %g of an energy of %g", got.ErrorBound, got.Total())
	}
	// One denominator is 1.23e-6, of differences that are a million times as large, and makes most of the energy.
	near := randomSpin[float64](rng, "", 2, 2, 5)
	near.Occ, near.Vir = []float64{-1, 0.5}, []float64{0.25, -0.75 - 1.23e-6}
	got, _ = mp2OnDevice(t, s, FP32, near)
	checkMP2(t, "nearly vanishing", got, mp2OnHost(t, near), mp2Limits[FP32])
	alpha, beta := randomSpin[float64](rng, "alpha", 3, 4, 5), randomSpin[float64](rng, "beta", 2, 4, 5)
	alpha.Occ = []float64{0.25, -2, -3}
	alpha.Vir = []float64{0.25, 1.5, 2, 2.5}
	got, _ = mp2OnDevice(t, s, FP32, alpha, beta)
	checkMP2(t, "excluded", got, mp2OnHost(t, alpha, beta), 1e-5)
}

// A shift of all energies changes nothing, although single precision does not hold their digits.
func TestMP2DoesNotLoseTheDigitsOfLargeEnergies(t *testing.T) {
	s := onInterp(t)
	spin := randomSpin[float64](rand.New(rand.NewPCG(45, 1)), "", 4, 6, 8)
	for _, e := range [][]float64{spin.Occ, spin.Vir} {
		for n := range e {
			e[n] += 1 << 16 // a power of two, so that the sum has the digits that are compared
		}
	}
	got, _ := mp2OnDevice(t, s, FP32, spin)
	checkMP2(t, "shifted", got, mp2OnHost(t, spin), mp2Limits[FP32])
}

func TestMP2OfNothingIsZero(t *testing.T) {
	s := onInterp(t)
	for _, n := range [][3]int{{0, 3, 4}, {2, 0, 4}, {2, 3, 0}} {
		spin := randomSpin[float64](rand.New(rand.NewPCG(46, 1)), "", n[0], n[1], n[2])
		for _, spins := range [][]mp2.Spin{{spin}, {spin, spin}} {
			got, report := mp2OnDevice(t, s, FP32, spins...)
			if got.Total() != 0 || got.ErrorBound != 0 || report.Dispatches != 0 || got.PairEnergies.AlphaAlpha.Rows != n[0] {
				t.Errorf("%v: %+v, %+v", n, got.Result, report)
			}
		}
	}
}

// Orbitals and functions that are none give exactly 0: the energies of a bucket's size and of less agree in every bit.
func TestMP2PaddingIsExact(t *testing.T) {
	s := onInterp(t)
	spin := randomSpin[float64](rand.New(rand.NewPCG(47, 1)), "", 3, 5, 6)
	got, _ := mp2OnDevice(t, s, FP32, spin)
	// The same with uncoupled orbitals in the places of the padding, whose denominators vanish nowhere.
	const nocc, nvir, naux = 4, 8, 8
	wide, err := mp2.NewIntegrals(make([]float64, nocc*nvir*naux), mp2.LayoutIAP, nocc, nvir, naux)
	if err != nil {
		t.Fatal(err)
	}
	b := spin.Source.(mp2.Integrals[float64])
	for i := range b.Nocc {
		for a := range b.Nvir {
			for p := range b.Naux {
				wide.Data[(i*nvir+a)*naux+p] = b.Data[(i*b.Nvir+a)*b.Naux+p]
			}
		}
	}
	larger := mp2.Spin{Source: wide, Occ: append(spin.Occ[:3:3], -7), Vir: append(spin.Vir[:5:5], 7, 8, 9)}
	same, _ := mp2OnDevice(t, s, FP32, larger)
	if got.OppositeSpin != same.OppositeSpin || got.SameSpin != same.SameSpin || got.Total() == 0 {
		t.Errorf("%g and %g, with padding %g and %g", same.OppositeSpin, same.SameSpin, got.OppositeSpin, got.SameSpin)
	}
}

func TestMP2Refuses(t *testing.T) {
	s := onInterp(t)
	spin := randomSpin[float64](rand.New(rand.NewPCG(48, 1)), "", 2, 3, 4)
	refuse := func(what string, ctx context.Context, spins []mp2.Spin, fits func(error) bool) {
		t.Helper()
		call, err := s.Begin(ctx)
		if err != nil {
			t.Fatal(err)
		}
		defer call.End()
		if _, err := MP2(call, FP32, spins...); !fits(err) {
			t.Errorf("%s: %v", what, err)
		}
	}
	argument := func(arg string) func(error) bool {
		return func(err error) bool {
			var e *dense.ArgumentError
			return errors.As(err, &e) && e.Arg == arg
		}
	}
	refuse("no spin", context.Background(), nil, argument("B"))
	short := spin
	short.Vir = spin.Occ
	refuse("short energies", context.Background(), []mp2.Spin{short}, argument("eps_vir"))
	bad := randomSpin[float64](rand.New(rand.NewPCG(49, 1)), "", 2, 3, 4)
	bad.Source.(mp2.Integrals[float64]).Data[5] = 1e60 // an infinity in single precision
	refuse("integrals beyond f32", context.Background(), []mp2.Spin{bad}, argument("B"))
	for _, energy := range []float64{1e39, -1e39, 1e38} { // infinite in single precision, and with infinite sums of four
		high := spin
		high.Vir = []float64{1, energy, 2}
		refuse("virtual energies beyond f32", context.Background(), []mp2.Spin{high}, argument("eps_vir"))
		low := spin
		low.Occ = []float64{energy, -1}
		refuse("occupied energies beyond f32", context.Background(), []mp2.Spin{spin, low}, argument("eps_occ"))
	}
	vanishing := spin
	vanishing.Vir = []float64{spin.Occ[0], 1, 2}
	refuse("vanishing denominator", context.Background(), []mp2.Spin{vanishing}, func(err error) bool {
		var e *mp2.DenominatorError
		return errors.As(err, &e)
	})
	stopped := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(stopped)
	refuse("cancelled", ctx, []mp2.Spin{spin}, func(err error) bool { return errors.Is(err, stopped) })
	refuse("nothing wrong", context.Background(), []mp2.Spin{spin}, func(err error) bool { return err == nil })
}

func TestMP2StopsBetweenRuns(t *testing.T) {
	stopped := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(context.Background())
	const most = 6 // uploads, of more than 20
	executor := &limitedInterp{Executor: interp.New(), memory: 110_000, dispatch: 1000}
	executor.uploaded = func(n int) {
		if n == most {
			cancel(stopped)
		}
	}
	s := device.NewSession(executor, "")
	defer s.Close()
	call, err := s.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	_, err = MP2(call, FP32, randomSpin[float64](rand.New(rand.NewPCG(51, 1)), "", 23, 20, 60))
	report := call.End()
	if m, failed := s.Memory(); !errors.Is(err, stopped) || executor.uploads > most+2 || report.Dispatches == 0 || m.Used != 0 || failed != nil {
		t.Errorf("%v after %d uploads, %d bytes are in use: %+v", err, executor.uploads, m.Used, report)
	}
}

// The bound holds for integrals of all magnitudes, and is not absurd.
func TestMP2Bound(t *testing.T) {
	s := onInterp(t)
	rng := rand.New(rand.NewPCG(50, 1))
	for _, p := range []Precision{FP32, BF16, BF16x2, BF16x3} {
		least := math.Inf(1)
		for range 12 {
			spin := randomSpin[float64](rng, "", 1+rng.IntN(4), 1+rng.IntN(9), 1+rng.IntN(30))
			b := spin.Source.(mp2.Integrals[float64])
			for n := range b.Data {
				b.Data[n] *= math.Exp(2 * rng.NormFloat64())
			}
			got, _ := mp2OnDevice(t, s, p, spin)
			want := mp2OnHost(t, spin)
			off := math.Abs(got.OppositeSpin-want.OppositeSpin) + math.Abs(got.SameSpin-want.SameSpin)
			if !(off <= got.ErrorBound) {
				t.Errorf("%s: off by %g, the bound is %g", p, off, got.ErrorBound)
			}
			least = math.Min(least, got.ErrorBound/off)
		}
		if least > 1e4 {
			t.Errorf("%s: the bound is never less than %g times the error", p, least)
		}
	}
}

func TestMP2PlanIsPrintable(t *testing.T) {
	s := onInterp(t)
	plan, err := PlanMP2(s.Caps(), FP32, 20, MP2Size{9, 12})
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"mp2 fp32", "graphs 1", "dispatches 1", "blocks of 10 orbitals", "naux 20"} {
		if !strings.Contains(plan.String(), word) {
			t.Errorf("%q is not in %s", word, plan)
		}
	}
}

// Orbitals that are dropped by giving them a huge energy, and rows of zeros, leave the bound about what it is without them.
func TestMP2OfDroppedOrbitals(t *testing.T) {
	s := onInterp(t)
	rng := rand.New(rand.NewPCG(57, 1))
	for _, p := range []Precision{FP64, FP32, BF16x3} {
		for _, gap := range []bool{true, false} {
			alpha, beta := randomSpin[float64](rng, "alpha", 3, 4, 6), randomSpin[float64](rng, "beta", 2, 4, 6)
			if !gap {
				alpha.Occ[0] = alpha.Vir[1] + 0.1
			}
			want, _ := mp2OnDevice(t, s, p, alpha, beta)
			for _, energy := range []float64{1e15, 1e30} {
				a, b := withDropped(alpha, energy), withDropped(beta, energy)
				got, _ := mp2OnDevice(t, s, p, a, b)
				checkMP2(t, string(p), got, mp2OnHost(t, a, b), 10*mp2Limits[p])
				if !(got.ErrorBound <= 3*want.ErrorBound) {
					t.Errorf("%s, %g: bound %g, without dropped orbitals %g", p, energy, got.ErrorBound, want.ErrorBound)
				}
			}
		}
	}
}

// withDropped returns a spin with one more virtual orbital, whose rows are zero.
func withDropped(s mp2.Spin, energy float64) mp2.Spin {
	from := s.Source.(mp2.Integrals[float64])
	to := from
	to.Nvir++
	to.StrideI += to.StrideA
	to.Data = make([]float64, to.Nocc*to.StrideI)
	for i := range from.Nocc {
		copy(to.Data[i*to.StrideI:], from.Data[i*from.StrideI:(i+1)*from.StrideI])
	}
	s.Source, s.Vir = to, append(append([]float64{}, s.Vir...), energy)
	return s
}
