package mp2

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/sched"
)

// referenceSpinors returns sum_ij sum_ab |K_ab - K_ba|^2 / (4 D) with the parts re and im of B: the parts of K are
// sums of products of parts.
func referenceSpinors(re, im molecule) *big.Float {
	e := blank()
	for i := range re.nocc {
		for j := range re.nocc {
			rr, ii, ri, ir := coulomb(re, re, i, j), coulomb(im, im, i, j), coulomb(re, im, i, j), coulomb(im, re, i, j)
			for a := range re.nvir {
				for b := range re.nvir {
					if i == j || a == b {
						continue
					}
					x := blank().Sub(blank().Sub(rr[a][b], ii[a][b]), blank().Sub(rr[b][a], ii[b][a]))
					y := blank().Sub(blank().Add(ri[a][b], ir[a][b]), blank().Add(ri[b][a], ir[b][a]))
					term := blank().Add(blank().Mul(x, x), blank().Mul(y, y))
					e.Add(e, term.Quo(term, exactDenominator(re, re, i, j, a, b)))
				}
			}
		}
	}
	return e.Quo(e, number(4))
}

// complexOf returns integrals of the given parts, laid out as by arrange.
func complexOf[T dense.Complex](re, im molecule, order string, gap int, backwards bool) Integrals[T] {
	x, y := arrange[float64](re, order, gap, backwards), arrange[float64](im, order, gap, backwards)
	out := Integrals[T]{
		Nocc: x.Nocc, Nvir: x.Nvir, Naux: x.Naux, Offset: x.Offset, StrideI: x.StrideI, StrideA: x.StrideA,
		StrideP: x.StrideP, Data: make([]T, len(x.Data)),
	}
	for n := range out.Data {
		out.Data[n] = dense.FromParts[T](x.Data[n], y.Data[n])
	}
	return out
}

func TestGeneralized(t *testing.T) {
	rng := rand.New(rand.NewPCG(81, 82))
	for _, s := range [][3]int{{1, 2, 3}, {2, 1, 3}, {2, 2, 1}, {3, 5, 4}, {5, 9, 7}} {
		re, im := randomMolecule(rng, s[0], s[1], s[2]), randomMolecule(rng, s[0], s[1], s[2])
		exact := referenceSpinors(re, im)
		size, _ := exact.Float64()
		check := func(name string, eps float64, b Source, threads int) Result {
			t.Helper()
			r, err := Generalized(b, re.occ, re.vir, EnergyOptions{Options: Options{Team: team(threads)}})
			if err != nil {
				t.Fatal(err)
			}
			limit := 1e3 * eps * (1 - size)
			if off := difference(r.Total(), exact); off > r.ErrorBound || r.ErrorBound > limit {
				t.Errorf("%v %s: off by %g, bound %g, expected below %g", s, name, off, r.ErrorBound, limit)
			}
			return r
		}
		for _, order := range axisOrders {
			one := check(order, 0x1p-52, complexOf[complex128](re, im, order, 0, false), 1)
			if three := check(order, 0x1p-52, complexOf[complex128](re, im, order, 0, false), 3); three != one {
				t.Errorf("%v %s: three threads give %+v, one %+v", s, order, three, one)
			}
			check(order+" with gaps", 0x1p-52, complexOf[complex128](re, im, order, 2, true), 2)
			check(order+" complex64", 0x1p-23, complexOf[complex64](re, im, order, 0, false), 2)
		}
		// Real integrals, by either way.
		for n := range im.b {
			im.b[n] = 0
		}
		exact = referenceSpinors(re, im)
		size, _ = exact.Float64()
		check("no imaginary part", 0x1p-52, complexOf[complex128](re, im, "iaP", 0, false), 1)
		check("real", 0x1p-52, plain[float64](re), 2)
		check("real, float32", 0x1p-23, plain[float32](re), 1)
	}
}

// complexFunction returns integrals in the order iaP as a function, and how often each orbital was asked for.
func complexFunction[T dense.Complex](re, im molecule) (*FunctionIntegrals[T], []int) {
	memory, asked, size := complexOf[T](re, im, "iaP", 0, false), make([]int, re.nocc), re.nvir*re.naux
	return &FunctionIntegrals[T]{Nocc: re.nocc, Nvir: re.nvir, Naux: re.naux,
		Load: func(_ *sched.Team, first, end int, dst []T) error {
			copy(dst, memory.Data[first*size:end*size])
			for i := first; i < end; i++ {
				asked[i]++
			}
			return nil
		}}, asked
}

// complexBits compares complex integrals in files and from a function with those in memory, under several limits, which
// the workspace holds to.
func complexBits[T dense.Complex](t *testing.T, re, im molecule, descr string) {
	t.Helper()
	cases := filesOf(t, re, descr, func(order string) Integrals[T] { return complexOf[T](re, im, order, 0, false) })
	orbital := int64(re.nvir*re.naux) * int64(dense.Bytes[T]())
	for _, c := range cases {
		want, err := Generalized(c.memory, re.occ, re.vir, EnergyOptions{})
		if err != nil {
			t.Fatal(err)
		}
		sources := []Source{c.file}
		if c.memory.StrideP == 1 {
			function, _ := complexFunction[T](re, im)
			sources = append(sources, function)
		}
		for n, b := range sources {
			for limit := 2 * orbital; limit <= 7*orbital; limit += orbital / 2 {
				opt := EnergyOptions{Options: Options{Team: team(1 + n), MaxBytes: limit}}
				bound, err := GeneralizedWorkspace(opt, b)
				if err != nil {
					t.Fatal(err)
				}
				var got Result
				used := allocated(t, func() error { got, err = Generalized(b, re.occ, re.vir, opt); return err })
				if err != nil || got != want {
					t.Errorf("%s, source %d, limit %d: %+v, want %+v, %v", c.name, n, limit, got, want, err)
				}
				const garbage = 100 << 10
				if used > bound+garbage {
					t.Errorf("%s, source %d, limit %d: %d bytes allocated, bound %d", c.name, n, limit, used, bound)
				}
			}
			_, err = Generalized(b, re.occ, re.vir, EnergyOptions{Options: Options{MaxBytes: orbital}})
			argument(t, c.name, err, "max_memory", fmt.Sprint(2*orbital, " bytes"))
		}
	}
}

func TestComplexFilesAndFunctionsGiveTheBitsOfMemory(t *testing.T) {
	rng := rand.New(rand.NewPCG(85, 86))
	re, im := randomMolecule(rng, 6, 5, 7), randomMolecule(rng, 6, 5, 7)
	for _, descr := range []string{"<c16", ">c16"} {
		complexBits[complex128](t, re, im, descr)
	}
	for _, descr := range []string{"<c8", ">c8"} {
		complexBits[complex64](t, re, im, descr)
	}
}

func TestComplexOrbitalsAreReadAsOftenAsNeeded(t *testing.T) {
	rng := rand.New(rand.NewPCG(87, 88))
	re, im := randomMolecule(rng, 20, 3, 4), randomMolecule(rng, 20, 3, 4)
	const room, stays = 7, 5 // orbitals, two of which stream
	b, asked := complexFunction[complex128](re, im)
	if _, err := Generalized(b, re.occ, re.vir,
		EnergyOptions{Options: Options{MaxBytes: room * 3 * 4 * 16}}); err != nil {
		t.Fatal(err)
	}
	for i, n := range asked {
		if want := 1 + (re.nocc-1)/stays - i/stays; n != want {
			t.Errorf("orbital %d was asked for %d times, want %d", i, n, want)
		}
	}
}

// No function for real integrals drops an imaginary part.
func TestComplexIntegralsAreRefused(t *testing.T) {
	m := randomMolecule(rand.New(rand.NewPCG(89, 90)), 2, 3, 4)
	function, _ := complexFunction[complex64](m, m)
	file := filesOf(t, m, "<c16", func(order string) Integrals[complex128] {
		return complexOf[complex128](m, m, order,
			0, false)
	})[0].file
	for name, b := range map[string]Source{"memory": complexOf[complex128](m, m, "iaP", 0, false), "function": function,
		"file": file} {
		s := Spin{Source: b, Occ: m.occ, Vir: m.vir}
		calls := map[string]func() error{
			"Restricted": func() error { _, err := Restricted(b, m.occ, m.vir, EnergyOptions{}); return err },
			"Unrestricted": func() error {
				_, err := Unrestricted(plain[float64](m), b, m.occ, m.occ, m.vir, m.vir, EnergyOptions{})
				return err
			},
			"Check":          func() error { return Check(nil, s) },
			"Workspace":      func() error { _, err := Workspace(EnergyOptions{}, b); return err },
			"Plan":           func() error { _, err := Plan(EnergyOptions{}, b); return err },
			"OppositeSpin":   func() error { _, err := OppositeSpin(1e-7, Options{}, s); return err },
			"Density":        func() error { _, err := Density(Options{}, s); return err },
			"EachAmplitudes": func() error { _, err := collected(Options{}, s, s, OppositeSpinAmplitudes); return err },
		}
		for of, call := range calls {
			var refused *ComplexError
			if err := call(); !errors.As(err, &refused) {
				t.Errorf("%s from %s: %v", of, name, err)
			}
		}
	}
}

func TestStrictPairs(t *testing.T) {
	n := 0
	for i := range 200 {
		for j := range i {
			if a, b := strictPair(n); a != i || b != j {
				t.Fatalf("pair %d is (%d, %d), want (%d, %d)", n, a, b, i, j)
			}
			n++
		}
	}
}

func TestGeneralizedRefuses(t *testing.T) {
	rng := rand.New(rand.NewPCG(83, 84))
	re, im := randomMolecule(rng, 3, 4, 5), randomMolecule(rng, 3, 4, 5)
	b := complexOf[complex128](re, im, "iaP", 0, false)
	_, err := Generalized(b, re.vir, re.vir, EnergyOptions{})
	argument(t, "sizes", err, "eps_occ", "(4,)")
	_, err = Generalized(plain[float64](re), re.vir, re.vir, EnergyOptions{})
	argument(t, "sizes", err, "eps_occ", "(4,)")
	_, err = Generalized(nil, re.occ, re.vir, EnergyOptions{})
	argument(t, "no source", err, "B")
	_, err = GeneralizedWorkspace(EnergyOptions{}, nil)
	argument(t, "no source", err, "B")
	_, err = Generalized(b, re.occ, re.vir, EnergyOptions{Checkpoint: "c"})
	argument(t, "checkpoint", err, "checkpoint")
	var zero *DenominatorError
	if _, err := Generalized(b, []float64{-1, -2, -3}, []float64{-1, -2, -3, 4}, EnergyOptions{}); !errors.As(err,
		&zero) {
		t.Errorf("vanishing denominator: %v", err)
	}
	if _, err := Generalized(plain[float64](re), []float64{-1, -2, -3}, []float64{-1, -2, -3, 4},
		EnergyOptions{}); !errors.As(err, &zero) {
		t.Errorf("vanishing denominator: %v", err)
	}
	b.Data[b.StrideI+2*b.StrideA+3] = complex(0, math.NaN())
	_, err = Generalized(b, re.occ, re.vir, EnergyOptions{})
	argument(t, "NaN", err, "B", "orbital 1")
	r, err := Generalized(b, re.occ, re.vir, EnergyOptions{Options: Options{SkipFiniteCheck: true}})
	if err != nil || !math.IsNaN(r.SameSpin) || !math.IsInf(r.ErrorBound, 1) {
		t.Errorf("NaN unchecked: %+v, %v", r, err)
	}
}

// Orbitals that are dropped by giving them a huge energy, and rows of zeros, leave the bound as it is without them.
func TestGeneralizedOfDroppedOrbitals(t *testing.T) {
	rng := rand.New(rand.NewPCG(87, 88))
	re, im := randomMolecule(rng, 3, 4, 5), randomMolecule(rng, 3, 4, 5)
	want, err := Generalized(complexOf[complex128](re, im, "iaP", 0, false), re.occ, re.vir, EnergyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, energy := range []float64{1e15, 1e30, 1e300, math.MaxFloat64} {
		r, err := Generalized(complexOf[complex128](re.dropped(energy), im.dropped(energy), "iaP", 0, false), re.occ,
			re.dropped(energy).vir, EnergyOptions{})
		if err != nil || !(r.ErrorBound <= 1.01*want.ErrorBound) ||
			!(math.Abs(r.SameSpin-want.SameSpin) <= r.ErrorBound+want.ErrorBound) {
			t.Errorf("%g: %+v, %v, without them %+v", energy, r, err, want)
		}
	}
}
