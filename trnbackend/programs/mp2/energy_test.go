package mp2

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/mp2"
	"trnsci/core/precision"
	"trnsci/trnbackend"
	"trnsci/trnbackend/device"
	"trnsci/trnbackend/graph"
	"trnsci/trnbackend/interp"
	"trnsci/trnbackend/programs/product"
	"trnsci/trnbackend/programs/programtest"
)

// randomSpin has normal integrals in layout iaP and a gap between occupied and virtual energies.
func randomSpin[T dense.Float](rng *rand.Rand, name string, nocc, nvir, naux int) mp2.Spin {
	b := mp2.Integrals[T]{Nocc: nocc, Nvir: nvir, Naux: naux, StrideI: nvir * naux, StrideA: naux, StrideP: 1,
		Data: make([]T, nocc*nvir*naux)}
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

// onHost returns the energies that core/mp2 computes in float64.
func onHost(t *testing.T, spins ...mp2.Spin) mp2.Result {
	t.Helper()
	opt := mp2.EnergyOptions{
		Precision: mp2.PrecisionFP64, PairEnergies: true,
	}
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

func onDevice(t *testing.T, s *device.Session, p precision.Precision, spins ...mp2.Spin) (*Result, trnbackend.Report) {
	t.Helper()
	call, err := s.Begin(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	r, err := Energy(call, p, spins...)
	report := call.End()
	if err != nil {
		t.Fatal(err)
	}
	return r, report
}

// checkEnergy compares energies, also those of pairs, with the bound and with a relative limit.
func checkEnergy(t *testing.T, what string, got *Result, want mp2.Result, relative float64) {
	t.Helper()
	off := math.Abs(got.OppositeSpin-want.OppositeSpin) + math.Abs(got.AlphaAlpha-want.AlphaAlpha)
	off += math.Abs(got.BetaBeta - want.BetaBeta)
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

// Limits of relative errors: bf16 has 8 bits and each further part 8 more, and all but fp64 add terms in f32.
var limits = map[precision.Precision]float64{precision.FP64: 1e-13, precision.FP32: 1e-6, precision.BF16: 3e-2,
	precision.BF16x2: 1e-4, precision.BF16x3: 1e-6}

func TestMP2AgainstTheHost(t *testing.T) {
	s := programtest.OnInterp(t)
	rng := rand.New(rand.NewPCG(41, 1))
	for _, p := range product.Choices(s.Caps()) {
		for _, n := range [][3]int{{1, 1, 1}, {3, 5, 7}, {9, 12, 20}} {
			spin := randomSpin[float64](rng, "", n[0], n[1], n[2])
			got, _ := onDevice(t, s, p, spin)
			checkEnergy(t, string(p)+" closed shell", got, onHost(t, spin), limits[p])
			alpha, beta := randomSpin[float32](rng, "alpha", n[0]+1, n[1], n[2]), randomSpin[float64](rng, "beta", n[0],
				n[1]+1, n[2])
			got, _ = onDevice(t, s, p, alpha, beta)
			checkEnergy(t, string(p)+" open shell", got, onHost(t, alpha, beta), limits[p])
		}
	}
}

// The size of a small molecule: one run of one graph.
func TestMP2OfASmallMolecule(t *testing.T) {
	s := programtest.OnInterp(t)
	spin := randomSpin[float64](rand.New(rand.NewPCG(42, 1)), "", 16, 112, 384)
	want := onHost(t, spin)
	for _, p := range []precision.Precision{precision.FP32, precision.BF16x3} {
		got, report := onDevice(t, s, p, spin)
		checkEnergy(t, string(p), got, want, limits[p])
		t.Logf("%s: off by %.1e of %.6f, bound %.1e", p, got.Total()-want.Total(), want.Total(), got.ErrorBound)
		if report.Compiles != 1 || report.Dispatches != 1 || report.ErrorBound != got.ErrorBound ||
			len(report.HostSteps) != 2 {
			t.Errorf("%s: %+v", p, report)
		}
	}
}

// The example of core/mp2's tests, with energies from independent sums over all indices.
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
	s := programtest.OnInterp(t)
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-14 {
			t.Errorf("%s is %.16g, not %.16g", what, got, want)
		}
	}
	r, _ := onDevice(t, s, precision.FP64, alpha)
	near("E_os", r.OppositeSpin, -1.1079465142789195)
	near("E_ss", r.SameSpin, -0.011858974358974355)
	beta := alpha
	one := b
	one.Nocc = 1
	beta.Source, beta.Occ = one, alpha.Occ[:1]
	r, _ = onDevice(t, s, precision.FP64, alpha, beta)
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
		got, report := onDevice(t, s, precision.FP32, spins...)
		checkEnergy(t, "streamed", got, onHost(t, spins...), limits[precision.FP32])
		plan := got.Plan
		blocks := 0
		for spin := range spins {
			blocks += plan.blocks(spin)
		}
		if plan.Loads <= blocks || plan.Resident+plan.Work > memory || executor.most > memory-plan.Work {
			t.Errorf("%d loads of %d blocks, %d bytes in use at most, the plan is %s", plan.Loads, blocks,
				executor.most, plan)
		}
		if m, err := s.Memory(); err != nil || m.Used != 0 {
			t.Errorf("%d bytes are in use at the end: %v", m.Used, err)
		}
		if report.Dispatches != plan.Dispatches || report.BytesIn != plan.BytesIn || report.BytesOut != plan.BytesOut {
			t.Errorf("the plan is %s, the report %+v", plan, report)
		}
	}
}

// Overlapping energies: terms of both signs, and in an open shell zero denominators that belong to no term.
func TestMP2WithoutAGap(t *testing.T) {
	s := programtest.OnInterp(t)
	rng := rand.New(rand.NewPCG(44, 1))
	closed := randomSpin[float64](rng, "", 3, 4, 5)
	closed.Occ[1], closed.Vir[2] = 0.77, 0.31
	got, _ := onDevice(t, s, precision.FP32, closed)
	checkEnergy(t, "inverted", got, onHost(t, closed), 1e-5)
	if got.ErrorBound > 0.1*math.Abs(got.Total()) {
		t.Errorf("bound %g of an energy of %g", got.ErrorBound, got.Total())
	}
	// One denominator is 1.23e-6, of differences that are a million times as large, and makes most of the energy.
	near := randomSpin[float64](rng, "", 2, 2, 5)
	near.Occ, near.Vir = []float64{-1, 0.5}, []float64{0.25, -0.75 - 1.23e-6}
	got, _ = onDevice(t, s, precision.FP32, near)
	checkEnergy(t, "nearly vanishing", got, onHost(t, near), limits[precision.FP32])
	alpha, beta := randomSpin[float64](rng, "alpha", 3, 4, 5), randomSpin[float64](rng, "beta", 2, 4, 5)
	alpha.Occ = []float64{0.25, -2, -3}
	alpha.Vir = []float64{0.25, 1.5, 2, 2.5}
	got, _ = onDevice(t, s, precision.FP32, alpha, beta)
	checkEnergy(t, "excluded", got, onHost(t, alpha, beta), 1e-5)
}

// A shift of all energies changes nothing, although single precision does not hold their digits.
func TestMP2DoesNotLoseTheDigitsOfLargeEnergies(t *testing.T) {
	s := programtest.OnInterp(t)
	spin := randomSpin[float64](rand.New(rand.NewPCG(45, 1)), "", 4, 6, 8)
	for _, e := range [][]float64{spin.Occ, spin.Vir} {
		for n := range e {
			e[n] += 1 << 16 // a power of two, so that the sum has the digits that are compared
		}
	}
	got, _ := onDevice(t, s, precision.FP32, spin)
	checkEnergy(t, "shifted", got, onHost(t, spin), limits[precision.FP32])
}

func TestMP2OfNothingIsZero(t *testing.T) {
	s := programtest.OnInterp(t)
	for _, n := range [][3]int{{0, 3, 4}, {2, 0, 4}, {2, 3, 0}} {
		spin := randomSpin[float64](rand.New(rand.NewPCG(46, 1)), "", n[0], n[1], n[2])
		for _, spins := range [][]mp2.Spin{{spin}, {spin, spin}} {
			got, report := onDevice(t, s, precision.FP32, spins...)
			if got.Total() != 0 || got.ErrorBound != 0 || report.Dispatches != 0 ||
				got.PairEnergies.AlphaAlpha.Rows != n[0] {
				t.Errorf("%v: %+v, %+v", n, got.Result, report)
			}
		}
	}
}

// Padding contributes exactly 0: energies with and without padding agree in every bit.
func TestMP2PaddingIsExact(t *testing.T) {
	s := programtest.OnInterp(t)
	spin := randomSpin[float64](rand.New(rand.NewPCG(47, 1)), "", 3, 5, 6)
	got, _ := onDevice(t, s, precision.FP32, spin)
	// The same with uncoupled orbitals in place of the padding, whose denominators do not vanish.
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
	same, _ := onDevice(t, s, precision.FP32, larger)
	if got.OppositeSpin != same.OppositeSpin || got.SameSpin != same.SameSpin || got.Total() == 0 {
		t.Errorf("%g and %g, with padding %g and %g", same.OppositeSpin, same.SameSpin, got.OppositeSpin, got.SameSpin)
	}
}
