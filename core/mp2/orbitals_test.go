package mp2

import (
	"math"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
)

func TestEachOrbital(t *testing.T) {
	m := randomMolecule(rand.New(rand.NewPCG(41, 42)), 4, 3, 5)
	const first, end = 1, 4
	check := func(name string, src Source) {
		t.Helper()
		next := first
		err := EachOrbital(nil, Spin{Source: src}, first, end, func(i int, b dense.View[float32], norms []float64) {
			if i != next || b.Rows != m.nvir || b.Cols != m.naux || len(norms) != m.nvir {
				t.Fatalf("%s: orbital %d is %d x %d with %d norms, expected orbital %d", name, i, b.Rows, b.Cols, len(norms), next)
			}
			next++
			for a := range m.nvir {
				squares := 0.0
				for p := range m.naux {
					if got, want := float64(b.At(a, p)), m.at(i, a, p); got != want {
						t.Errorf("%s: B[%d,%d,%d] is %g, not %g", name, i, a, p, got, want)
					}
					squares += m.at(i, a, p) * m.at(i, a, p)
				}
				if length := math.Sqrt(squares); norms[a] < length*(1-1e-15) || norms[a] > length*(1+1e-12) {
					t.Errorf("%s: row %d of orbital %d has length %g, the bound is %g", name, a, i, length, norms[a])
				}
			}
		})
		if err != nil || next != end {
			t.Errorf("%s: %v, %d orbitals", name, err, next-first)
		}
	}
	for _, order := range axisOrders {
		check("float32 "+order, arrange[float32](m, order, 1, true))
		check("float64 "+order, arrange[float64](m, order, 0, false))
	}
	for _, c := range fileCases[float64](t, m, ">f8") {
		check(c.name, c.file)
	}
}

func TestEachOrbitalRefusesWhatIsNotFinite(t *testing.T) {
	m := randomMolecule(rand.New(rand.NewPCG(43, 44)), 3, 2, 4)
	m.b[len(m.b)-1] = 1e60 // finite until it is rounded
	s := Spin{Name: "beta", Source: plain[float64](m)}
	none := func(int, dense.View[float32], []float64) { t.Error("visited an orbital that is refused") }
	argument(t, "beyond float32", EachOrbital(nil, s, 2, 3, none), "B", "orbital 2", "beta", "float32")
	visited := 0
	err := EachOrbital(nil, s, 2, 3, func(int, dense.View[float64], []float64) { visited++ })
	if err != nil || visited != 1 {
		t.Errorf("in float64: %v, %d orbitals", err, visited)
	}
}

func TestCheckIsWhatTheEnergiesRefuse(t *testing.T) {
	m := randomMolecule(rand.New(rand.NewPCG(45, 46)), 2, 3, 4)
	good := Spin{Source: plain[float64](m), Occ: m.occ, Vir: m.vir}
	if err := Check(nil, good); err != nil {
		t.Error(err)
	}
	if err := Check(nil, good, good); err != nil {
		t.Error(err)
	}
	argument(t, "no spin", Check(nil), "B")
	short := good
	short.Name, short.Vir = "beta", m.occ
	argument(t, "short eps_vir", Check(nil, good, short), "eps_vir", "beta")
	inverted := good
	inverted.Vir = []float64{m.occ[0], 1, 2}
	if _, ok := Check(nil, inverted).(*DenominatorError); !ok {
		t.Errorf("a vanishing denominator: %v", Check(nil, inverted))
	}
}
