package mp2

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
)

// referenceSpinors returns sum_ij sum_ab |K_ab - K_ba|^2 / (4 D) where re and im are the parts of B: the parts of K are sums of products of parts.
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

// spinors returns integrals of the given parts, every orbital with the given strides.
func spinors[T dense.Complex](re, im molecule, rowStride, colStride int) SpinorIntegrals[T] {
	out := SpinorIntegrals[T]{Nvir: re.nvir, Naux: re.naux}
	for i := range re.nocc {
		v := dense.View[T]{Rows: re.nvir, Cols: re.naux, RowStride: rowStride, ColStride: colStride, Data: make([]T, re.nvir*rowStride+re.naux*colStride)}
		for a := range re.nvir {
			for p := range re.naux {
				v.Set(a, p, dense.FromParts[T](re.at(i, a, p), im.at(i, a, p)))
			}
		}
		out.Orbitals = append(out.Orbitals, v)
	}
	return out
}

func TestSpinors(t *testing.T) {
	rng := rand.New(rand.NewPCG(81, 82))
	for _, s := range [][3]int{{1, 2, 3}, {2, 1, 3}, {2, 2, 1}, {3, 5, 4}, {5, 9, 7}} {
		re, im := randomMolecule(rng, s[0], s[1], s[2]), randomMolecule(rng, s[0], s[1], s[2])
		exact := referenceSpinors(re, im)
		size, _ := exact.Float64()
		check := func(name string, eps float64, r Result, err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
			limit := 1e3 * eps * (1 - size)
			if off := difference(r.Total(), exact); off > r.ErrorBound || r.ErrorBound > limit {
				t.Errorf("%v %s: off by %g, bound %g, expected below %g", s, name, off, r.ErrorBound, limit)
			}
		}
		wide, err := Spinors(spinors[complex128](re, im, s[2]+2, 1), re.occ, re.vir, Options{})
		check("complex128", 0x1p-52, wide, err)
		copied, err := Spinors(spinors[complex128](re, im, 1, s[1]), re.occ, re.vir, Options{Team: team(3)})
		if check("columns", 0x1p-52, copied, err); copied != wide {
			t.Errorf("%v: columns and three threads give %+v, rows %+v", s, copied, wide)
		}
		narrow, err := Spinors(spinors[complex64](re, im, s[2], 1), re.occ, re.vir, Options{})
		check("complex64", 0x1p-23, narrow, err)

		// Real integrals, by either way.
		for n := range im.b {
			im.b[n] = 0
		}
		exact = referenceSpinors(re, im)
		size, _ = exact.Float64()
		narrow, err = Spinors(spinors[complex128](re, im, s[2], 1), re.occ, re.vir, Options{})
		check("no imaginary part", 0x1p-52, narrow, err)
		real64, err := Generalized(plain[float64](re), re.occ, re.vir, Options{Team: team(2)})
		check("real", 0x1p-52, real64, err)
		real32, err := Generalized(plain[float32](re), re.occ, re.vir, Options{})
		check("real, float32", 0x1p-23, real32, err)
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

func TestSpinorsRefuse(t *testing.T) {
	rng := rand.New(rand.NewPCG(83, 84))
	re, im := randomMolecule(rng, 3, 4, 5), randomMolecule(rng, 3, 4, 5)
	b := spinors[complex128](re, im, 5, 1)
	_, err := Spinors(b, re.vir, re.vir, Options{})
	argument(t, "sizes", err, "eps_occ", "(4,)")
	_, err = Generalized(plain[float64](re), re.vir, re.vir, Options{})
	argument(t, "sizes", err, "eps_occ", "(4,)")
	_, err = Generalized(nil, re.occ, re.vir, Options{})
	argument(t, "no source", err, "B")
	_, err = GeneralizedWorkspace(Options{}, nil)
	argument(t, "no source", err, "B")
	var zero *DenominatorError
	if _, err := Spinors(b, []float64{-1, -2, -3}, []float64{-1, -2, -3, 4}, Options{}); !errors.As(err, &zero) {
		t.Errorf("vanishing denominator: %v", err)
	}
	if _, err := Generalized(plain[float64](re), []float64{-1, -2, -3}, []float64{-1, -2, -3, 4}, Options{}); !errors.As(err, &zero) {
		t.Errorf("vanishing denominator: %v", err)
	}
	b.Orbitals[1].Set(2, 3, complex(0, math.NaN()))
	_, err = Spinors(b, re.occ, re.vir, Options{})
	argument(t, "NaN", err, "B", "orbital 1")
	if r, err := Spinors(b, re.occ, re.vir, Options{SkipFiniteCheck: true}); err != nil || !math.IsNaN(r.SameSpin) || !math.IsInf(r.ErrorBound, 1) {
		t.Errorf("NaN unchecked: %+v, %v", r, err)
	}
}
