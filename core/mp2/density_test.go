package mp2

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/sched"
)

// amplitudes4 is t[i,j,a,b] by plain loops.
type amplitudes4 struct {
	ni, nj, na, nb int
	t              []float64
}

func (t amplitudes4) at(i, j, a, b int) float64 { return t.t[((i*t.nj+j)*t.na+a)*t.nb+b] }

// plainAmplitudes follows the definition, in extended precision up to the quotient.
func plainAmplitudes(l, r molecule, kind Amplitudes) amplitudes4 {
	t := amplitudes4{l.nocc, r.nocc, l.nvir, r.nvir, nil}
	for i := range l.nocc {
		for j := range r.nocc {
			k := coulomb(l, r, i, j)
			for a := range l.nvir {
				for b := range r.nvir {
					numerator := blank().Set(k[a][b])
					if kind == SameSpinAmplitudes {
						numerator.Sub(numerator, k[b][a])
					}
					x := 0.0
					if numerator.Sign() != 0 { // else D may vanish too
						x, _ = numerator.Quo(numerator, exactDenominator(l, r, i, j, a, b)).Float64()
					}
					t.t = append(t.t, x)
				}
			}
		}
	}
	return t
}

// collected returns all amplitudes of EachAmplitudes.
func collected(opt Options, l, r Spin, kind Amplitudes) ([]float64, error) {
	var all []float64
	err := EachAmplitudes(opt, l, r, kind, func(i int, t []float64) error {
		if len(t) != 0 && len(all) != i*len(t) {
			return fmt.Errorf("orbital %d is not the next one", i)
		}
		all = append(all, t...)
		return nil
	})
	return all, err
}

func farthest(got, want []float64) float64 {
	if len(got) != len(want) {
		return math.Inf(1)
	}
	most := 0.0
	for n := range got {
		most = max(most, math.Abs(got[n]-want[n]))
	}
	return most
}

// Amplitudes of random molecules of these sizes are below 100, sums of naux products.
const amplitudeLimit = 100 * 40 * 0x1p-52

func TestAmplitudes(t *testing.T) {
	rng := rand.New(rand.NewPCG(71, 72))
	for _, s := range [][3]int{{1, 1, 1}, {2, 3, 4}, {5, 7, 9}, {3, 20, 2}} {
		a, b := randomMolecule(rng, s[0], s[1], s[2]), randomMolecule(rng, s[0]+1, s[1]+2, s[2])
		for name, c := range map[string]struct {
			l, r molecule
			kind Amplitudes
		}{"closed": {a, a, ClosedShellAmplitudes}, "opposite": {a, b, OppositeSpinAmplitudes}, "same": {b, b,
			SameSpinAmplitudes}} {
			got, err := collected(Options{Team: team(2)}, spinOf(c.l, ""), spinOf(c.r, ""), c.kind)
			if err != nil {
				t.Fatal(err)
			}
			if off := farthest(got, plainAmplitudes(c.l, c.r, c.kind).t); off > amplitudeLimit {
				t.Errorf("%v %s: off by %g", s, name, off)
			}
		}
	}
}

// plainDensity follows the formulas of Density with the amplitudes of all pairs: same within the spin, opposite with
// the spin itself second.
func plainDensity(nocc, nvir int, occupation float64, parts func(add func(t amplitudes4,
	u func(m, i, a, b int) float64))) []float64 {
	n := nocc + nvir
	out := make([]float64, n*n)
	parts(func(t amplitudes4, u func(m, i, a, b int) float64) {
		for m := range t.ni {
			for i := range nocc {
				for a := range t.na {
					for b := range nvir {
						for j := range nocc {
							out[i*n+j] -= occupation * t.at(m, i, a, b) * u(m, j, a, b)
						}
						for c := range nvir {
							out[(nocc+b)*n+nocc+c] += occupation * t.at(m, i, a, b) * u(m, i, a, c)
						}
					}
				}
			}
		}
	})
	for i := range nocc {
		out[i*n+i] += occupation
	}
	return out
}

func TestDensity(t *testing.T) {
	rng := rand.New(rand.NewPCG(73, 74))
	for _, s := range [][3]int{{1, 1, 1}, {2, 3, 4}, {4, 6, 5}} {
		a, b := randomMolecule(rng, s[0], s[1], s[2]), randomMolecule(rng, s[0]+1, s[1]+2, s[2])
		closed := plainDensity(a.nocc, a.nvir, 2, func(add func(amplitudes4, func(m, i, a, b int) float64)) {
			x := plainAmplitudes(a, a, OppositeSpinAmplitudes)
			add(x, func(m, i, a, b int) float64 { return 2*x.at(m, i, a, b) - x.at(m, i, b, a) })
		})
		got, err := Density(Options{Team: team(3)}, spinOf(a, ""))
		if err != nil || len(got) != 1 {
			t.Fatal(len(got), err)
		}
		checkDensity(t, fmt.Sprint(s, " closed"), got[0], closed, 2*float64(a.nocc))
		got, err = Density(Options{}, spinOf(a, "alpha"), spinOf(b, "beta"))
		if err != nil || len(got) != 2 {
			t.Fatal(len(got), err)
		}
		for n, spins := range [][2]molecule{{a, b}, {b, a}} {
			own, other := spins[0], spins[1]
			want := plainDensity(own.nocc, own.nvir, 1, func(add func(amplitudes4, func(m, i, a, b int) float64)) {
				same, opposite := plainAmplitudes(own, own, SameSpinAmplitudes), plainAmplitudes(other, own,
					OppositeSpinAmplitudes)
				add(same, func(m, i, a, b int) float64 { return same.at(m, i, a, b) / 2 })
				add(opposite, opposite.at)
			})
			checkDensity(t, fmt.Sprint(s, " spin ", n), got[n], want, float64(own.nocc))
		}
	}
}

// checkDensity compares a density with the definition, looks at its symmetry, and counts its electrons: excitations
// keep their number.
func checkDensity(t *testing.T, name string, got dense.Matrix[float64], want []float64, electrons float64) {
	t.Helper()
	size := slices.Max(want)
	if off := farthest(got.Data, want); off > 1e-13*(1+size) {
		t.Errorf("%s: off by %g, largest element %g", name, off, size)
	}
	trace := 0.0
	for p := range got.Rows {
		trace += got.At(p, p)
		for q := range p {
			if got.At(p, q) != got.At(q, p) {
				t.Fatalf("%s: not symmetric at (%d, %d)", name, p, q)
			}
		}
	}
	if math.Abs(trace-electrons) > 1e-12*(1+size) {
		t.Errorf("%s: %g electrons, want %g", name, trace, electrons)
	}
}

func TestAmplitudesAndDensityBits(t *testing.T) {
	m := randomMolecule(rand.New(rand.NewPCG(75, 76)), 6, 30, 11)
	orbital := int64(8 * 30 * 11)
	sources := map[string]Source{"packed": arrange[float64](m, "aiP", 0, false), "float32": plain[float32](m)}
	for _, c := range fileCases[float64](t, m, "<f8") {
		if c.name[:3] == "iaP" {
			sources[c.name] = c.file
		}
	}
	want, err := collected(Options{}, spinOf(m, ""), spinOf(m, ""), SameSpinAmplitudes)
	if err != nil {
		t.Fatal(err)
	}
	wantDensity, err := Density(Options{}, spinOf(m, ""))
	if err != nil {
		t.Fatal(err)
	}
	for name, src := range sources {
		s := Spin{Source: src, Occ: m.occ, Vir: m.vir}
		for _, opt := range []Options{{}, {Team: team(3)}, {Team: team(2), MaxBytes: 2 * orbital},
			{MaxBytes: 9*orbital + 2*8*6*30*30}} {
			var sum float64
			all := make([]float64, 0, len(want))
			bound, err := AmplitudesWorkspace(opt, s, s, SameSpinAmplitudes)
			if err != nil {
				t.Fatal(err)
			}
			const garbage = 100 << 10
			used := allocated(t, func() error {
				return EachAmplitudes(opt, s, s, SameSpinAmplitudes, func(_ int, t []float64) error {
					all, sum = append(all, t...), sum+t[0]
					return nil
				})
			})
			if !slices.Equal(all, want) || math.IsNaN(sum) {
				t.Errorf("%s, limit %d: other bits", name, opt.MaxBytes)
			}
			if used > bound+garbage {
				t.Errorf("%s, limit %d: %d bytes allocated, bound %d", name, opt.MaxBytes, used, bound)
			}
			if bound, err = DensityWorkspace(opt, s); err != nil {
				t.Fatal(err)
			}
			var d []dense.Matrix[float64]
			used = allocated(t, func() error { d, err = Density(opt, s); return err })
			if !slices.Equal(d[0].Data, wantDensity[0].Data) {
				t.Errorf("%s, limit %d: density of other bits", name, opt.MaxBytes)
			}
			if used > bound+garbage {
				t.Errorf("%s, limit %d: density allocates %d bytes, bound %d", name, opt.MaxBytes, used, bound)
			}
		}
	}
}

// Amplitudes by pairs have the bits of amplitudes by orbitals, and are computed for i >= j only.
func TestPairAmplitudes(t *testing.T) {
	rng := rand.New(rand.NewPCG(79, 80))
	for _, s := range [][3]int{{1, 1, 1}, {5, 7, 9}, {6, 3, 0}, {0, 2, 3}} {
		a, b := randomMolecule(rng, s[0], s[1], s[2]), randomMolecule(rng, s[0]+1, s[1]+2, s[2])
		for name, c := range map[string]struct {
			l, r molecule
			kind Amplitudes
		}{"closed": {a, a, ClosedShellAmplitudes}, "opposite": {a, b, OppositeSpinAmplitudes}, "same": {b, b,
			SameSpinAmplitudes}} {
			want, err := collected(Options{}, spinOf(c.l, ""), spinOf(c.r, ""), OppositeSpinAmplitudes)
			if c.kind == SameSpinAmplitudes {
				// one orbital after the other
				want, err = collected(Options{MaxBytes: 1}, spinOf(c.l, ""), spinOf(c.r, ""), c.kind)
			}
			if err != nil {
				t.Fatal(err)
			}
			packed := func(m molecule) Spin {
				return Spin{Source: arrange[float64](m, "Pai", 0, false), Occ: m.occ, Vir: m.vir}
			}
			orbital := int64(8 * c.r.nvir * c.r.naux)
			for _, limit := range []int64{0, 2*orbital + 1, 4*orbital + 1, 7*orbital + 1} {
				opt := Options{Team: team(3), MaxBytes: limit}
				rows, cols := c.l.nvir, c.r.nvir
				got := make([]float64, len(want))
				var stored atomic.Int64
				err := PairAmplitudes(opt, packed(c.l), packed(c.r), c.kind, func(i, j int, k dense.Matrix[float64]) {
					stored.Add(1)
					for x := range rows {
						for y := range cols {
							got[((i*c.r.nocc+j)*rows+x)*cols+y] = k.At(x, y)
							if c.kind.symmetric() {
								got[((j*c.r.nocc+i)*rows+y)*cols+x] = k.At(x, y)
							}
						}
					}
				})
				pairs := c.l.nocc * c.r.nocc
				if c.kind.symmetric() {
					pairs = triangular(c.l.nocc, 0)
				}
				if err != nil || !slices.Equal(got, want) || stored.Load() != int64(pairs) {
					t.Errorf("%v %s, limit %d: other bits, or %d pairs, want %d, %v", s, name, limit, stored.Load(),
						pairs, err)
				}
			}
		}
	}
}

func TestPairAmplitudesWorkspace(t *testing.T) {
	m := randomMolecule(rand.New(rand.NewPCG(85, 86)), 8, 60, 40)
	orbital := int64(8 * 60 * 40)
	for name, src := range map[string]Source{"in place": plain[float64](m),
		"packed": arrange[float64](m, "Pai", 0, false)} {
		s := Spin{Source: src, Occ: m.occ, Vir: m.vir}
		for _, kind := range []Amplitudes{OppositeSpinAmplitudes, ClosedShellAmplitudes, SameSpinAmplitudes} {
			for _, limit := range []int64{0, 2 * orbital, 5 * orbital} {
				opt := Options{Team: team(2), MaxBytes: limit}
				bound, err := PairAmplitudesWorkspace(opt, s, s, kind)
				if err != nil {
					t.Fatal(err)
				}
				const garbage = 100 << 10
				used := allocated(t, func() error {
					return PairAmplitudes(opt, s, s, kind, func(int, int, dense.Matrix[float64]) {})
				})
				if used > bound+garbage {
					t.Errorf("%s, kind %d, limit %d: %d bytes allocated, bound %d", name, kind, limit, used, bound)
				}
			}
		}
	}
}

// The amplitudes between the spins are kept for both densities or computed for each.
func TestDensityOfTwoSpinsBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(83, 84))
	a, b := randomMolecule(rng, 4, 9, 7), randomMolecule(rng, 3, 11, 7)
	want, err := Density(Options{}, spinOf(a, "alpha"), spinOf(b, "beta"))
	if err != nil {
		t.Fatal(err)
	}
	for _, kept := range []bool{true, false} {
		asked := 0
		alpha, beta := spinOf(a, "alpha"), spinOf(b, "beta")
		source, _ := counted[float64](a)
		load := source.Load
		source.Load = func(team *sched.Team, first, end int, dst []float64) error {
			asked += end - first
			return load(team, first, end, dst)
		}
		alpha.Source = source
		opt := Options{Team: team(2), MaxBytes: 2 * 8 * 4 * 3 * 9 * 11}
		if !kept {
			opt.MaxBytes--
		}
		if got := keptAmplitudes(opt, alpha, beta); (got != 0) != kept {
			t.Fatalf("%d bytes keep %d amplitudes", opt.MaxBytes, got)
		}
		got, err := Density(opt, alpha, beta)
		if err != nil {
			t.Fatal(err)
		}
		for n := range got {
			if !slices.Equal(got[n].Data, want[n].Data) {
				t.Errorf("spin %d, kept %v: other bits", n, kept)
			}
		}
		// Once for each side of the pairs within alpha, once for beta's with all of alpha, and where nothing is kept
		// once more for alpha's.
		if want := map[bool]int{true: 3 * 4, false: 4 * 4}[kept]; asked != want {
			t.Errorf("kept %v: asked for %d orbitals, want %d", kept, asked, want)
		}
	}
}

func TestAmplitudesRefuse(t *testing.T) {
	m := randomMolecule(rand.New(rand.NewPCG(77, 78)), 3, 4, 5)
	call := func(opt Options, s Spin, kind Amplitudes) error {
		_, err := collected(opt, s, s, kind)
		return err
	}
	packed := Spin{Source: arrange[float64](m, "Pai", 0, false), Occ: m.occ, Vir: m.vir}
	argument(t, "memory", call(Options{MaxBytes: 319}, packed, OppositeSpinAmplitudes), "max_memory", "319",
		"320 bytes")
	argument(t, "no source", call(Options{}, Spin{}, OppositeSpinAmplitudes), "B")
	argument(t, "sizes", call(Options{}, Spin{Source: plain[float64](m), Occ: m.vir, Vir: m.vir}, SameSpinAmplitudes),
		"eps_occ", "(4,)")
	_, err := Density(Options{})
	argument(t, "no spins", err, "B", "got 0")
	_, err = Density(Options{}, Spin{})
	argument(t, "no integrals", err, "B")
	// One vanishing denominator, of i = j and a = b: amplitudes within a spin do not divide by it.
	m.occ[1], m.vir[2] = 5, 5
	var zero *DenominatorError
	if err := call(Options{}, spinOf(m, ""), ClosedShellAmplitudes); !errors.As(err,
		&zero) || zero.I != 1 || zero.A != 2 {
		t.Errorf("vanishing denominator: %v", err)
	}
	all, err := collected(Options{}, spinOf(m, ""), spinOf(m, ""), SameSpinAmplitudes)
	if off := farthest(all, plainAmplitudes(m, m, SameSpinAmplitudes).t); err != nil || off > 100*amplitudeLimit {
		t.Errorf("vanishing denominator where the amplitude is zero: off by %g, %v", off, err)
	}
	stop := errors.New("stop")
	if err := EachAmplitudes(Options{}, spinOf(m, ""), spinOf(m, ""), SameSpinAmplitudes,
		func(int, []float64) error { return stop }); err != stop {
		t.Errorf("visit's error: %v", err)
	}
}
