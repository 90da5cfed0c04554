package df

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"trnsci/core/blas"
	"trnsci/core/dense"
)

// randomDensity returns a density with a symmetry, without a part that has another.
func randomDensity(rng *rand.Rand, nao int, symmetry Symmetry) Density {
	m := random[float64](rng, nao, nao)
	sign := map[Symmetry]float64{Symmetric: 1, Antisymmetric: -1}[symmetry]
	for i := 0; i < nao && symmetry != General; i++ {
		for j := range i {
			m.Set(j, i, sign*m.At(i, j))
		}
		if symmetry == Antisymmetric {
			m.Set(i, i, 0)
		}
	}
	return Density{D: m.View(), Symmetry: symmetry}
}

// fromOrbitals returns the density of some orbitals, every other one occupied, and none twice alike.
func fromOrbitals(rng *rand.Rand, nao, nmo int) Density {
	c, d := random[float64](rng, nao, nmo), dense.New[float64](nao, nao)
	occ := make([]float64, nmo)
	for i := 0; i < nmo; i += 2 {
		occ[i] = 2 * rng.Float64()
	}
	for mu := range nao {
		for nu := range nao {
			for i, n := range occ {
				d.Data[mu*nao+nu] += n * c.At(mu, i) * c.At(nu, i)
			}
		}
	}
	return Density{D: d.View(), Symmetry: Symmetric, Orbitals: &Orbitals{Coeff: c.View(), Occ: occ}}
}

// jkDefinition computes one of J and K, and the sum of the moduli of its terms, by the formulas of the package, with
// plain loops. K goes through L[P] D, so that it takes naux nao^3.
func jkDefinition(l dense.Matrix[float64], d dense.View[float64], exchange bool) (want, moduli dense.Matrix[float64]) {
	nao := d.Rows
	want, moduli = dense.New[float64](nao, nao), dense.New[float64](nao, nao)
	for p := range l.Rows {
		at := func(mu, nu int) float64 { return l.At(p, max(mu, nu)*(max(mu, nu)+1)/2+min(mu, nu)) }
		left, leftModuli := dense.New[float64](nao, nao), dense.New[float64](nao, nao)
		sum, sumModuli := 0.0, 0.0
		for mu := range nao {
			for si := range nao {
				for la := range nao {
					x := at(mu, la) * d.At(la, si)
					left.Data[mu*nao+si] += x
					leftModuli.Data[mu*nao+si] += math.Abs(x)
				}
				x := at(mu, si) * d.At(si, mu)
				sum, sumModuli = sum+x, sumModuli+math.Abs(x)
			}
		}
		for mu := range nao {
			for nu := range nao {
				if !exchange {
					want.Data[mu*nao+nu] += at(mu, nu) * sum
					moduli.Data[mu*nao+nu] += math.Abs(at(mu, nu)) * sumModuli
					continue
				}
				for si := range nao {
					want.Data[mu*nao+nu] += left.At(mu, si) * at(si, nu)
					moduli.Data[mu*nao+nu] += leftModuli.At(mu, si) * math.Abs(at(si, nu))
				}
			}
		}
	}
	return want, moduli
}

// requireClose compares with the definition, in units of eps times the sum of the moduli of the terms.
func requireClose(t *testing.T, name string, got dense.Matrix[float64], l dense.Matrix[float64], d Density,
	exchange bool) {
	t.Helper()
	want, moduli := jkDefinition(l, d.D, exchange)
	if o := d.Orbitals; exchange && o != nil { // the terms are then those of the orbitals, whose moduli are larger
		_, moduli = jkDefinition(l, orbitalModuli(o), exchange)
	}
	limit := float64(2*l.Rows*d.D.Rows+10) * dense.Eps[float64]()
	for n, x := range got.Data {
		if !(math.Abs(x-want.Data[n]) <= limit*moduli.Data[n]) {
			t.Errorf("%s, element %d: %g, want %g, error %.1e of the moduli", name, n, x, want.Data[n],
				math.Abs(x-want.Data[n])/moduli.Data[n])
			return
		}
	}
}

func orbitalModuli(o *Orbitals) dense.View[float64] {
	nao := o.Coeff.Rows
	m := dense.New[float64](nao, nao)
	for mu := range nao {
		for nu := range nao {
			for i, n := range o.Occ {
				m.Data[mu*nao+nu] += n * math.Abs(o.Coeff.At(mu, i)*o.Coeff.At(nu, i))
			}
		}
	}
	return m.View()
}

// everyKind returns a density of every kind.
func everyKind(rng *rand.Rand, nao int) []Density {
	return []Density{
		fromOrbitals(rng, nao, nao/2+1), randomDensity(rng, nao, General), randomDensity(rng, nao, Symmetric),
		randomDensity(rng, nao, Antisymmetric), fromOrbitals(rng, nao, nao),
	}
}

func TestMatricesAreThoseOfTheDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for _, size := range [][2]int{{0, 0}, {0, 3}, {3, 0}, {1, 1}, {1, 5}, {7, 1}, {8, 4}, {33, 5}, {70, 17}, {41, 33},
		{9, 50}} {
		naux, nao := size[0], size[1]
		l, kinds := random[float64](rng, naux, PackedSize(nao)), everyKind(rng, nao)
		together, err := JK(tensor(l), kinds, JKOptions{Options: Options{Team: team(2)}})
		if err != nil {
			t.Fatal(err)
		}
		for n, d := range kinds {
			alone, err := JK(tensor(l), []Density{d}, JKOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range []struct {
				name string
				j, k dense.Matrix[float64]
			}{{"together", together.J[n], together.K[n]}, {"alone", alone.J[0], alone.K[0]}} {
				name := fmt.Sprintf("naux %d, nao %d, density %d %s", naux, nao, n, r.name)
				requireClose(t, name+", J", r.j, l, d, false)
				requireClose(t, name+", K", r.k, l, d, true)
			}
		}
	}
}

func TestSymmetryIsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	const nao = 29
	kinds := everyKind(rng, nao)
	r, err := JK(tensor(random[float64](rng, 21, PackedSize(nao))), kinds, JKOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for n, d := range kinds {
		for i := range nao {
			for j := range nao {
				if r.J[n].At(i, j) != r.J[n].At(j, i) || d.Symmetry == Antisymmetric && r.J[n].At(i, j) != 0 {
					t.Fatalf("J of density %d is not symmetric, or not 0", n)
				}
				x, y := r.K[n].At(i, j), r.K[n].At(j, i)
				if d.Symmetry == Symmetric && x != y || d.Symmetry == Antisymmetric && x != -y {
					t.Fatalf("K of density %d does not have its symmetry", n)
				}
			}
		}
	}
}

// Of a density with a symmetry only the part that has it counts.
func TestTheOtherPartDoesNotCount(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	const nao, naux = 6, 5
	l, d := random[float64](rng, naux, PackedSize(nao)), random[float64](rng, nao, nao)
	for _, symmetry := range []Symmetry{Symmetric, Antisymmetric} {
		part := dense.New[float64](nao, nao)
		sign := map[Symmetry]float64{Symmetric: 1, Antisymmetric: -1}[symmetry]
		for i := range nao {
			for j := range nao {
				part.Set(i, j, (d.At(i, j)+sign*d.At(j, i))/2)
			}
		}
		r, err := JK(tensor(l), []Density{{D: d.View(), Symmetry: symmetry}}, JKOptions{})
		if err != nil {
			t.Fatal(err)
		}
		requireClose(t, "J", r.J[0], l, Density{D: part.View()}, false)
		requireClose(t, "K", r.K[0], l, Density{D: part.View()}, true)
	}
}

func TestWhatIsLeftOutIsNil(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 18))
	const nao = 9
	l, kinds := tensor(random[float64](rng, 12, PackedSize(nao))), everyKind(rng, nao)
	both, err := JK(l, kinds, JKOptions{})
	if err != nil {
		t.Fatal(err)
	}
	j, errJ := JK(l, kinds, JKOptions{NoK: true})
	k, errK := JK(l, kinds, JKOptions{NoJ: true})
	if errJ != nil || errK != nil || j.K != nil || k.J != nil {
		t.Fatalf("%v, %v, %v, %v", errJ, errK, j.K, k.J)
	}
	for n := range kinds {
		requireEqual(t, "J", j.J[n], both.J[n])
		requireEqual(t, "K", k.K[n], both.K[n])
	}
}

func requireEqual(t *testing.T, name string, got, want dense.Matrix[float64]) {
	t.Helper()
	for n, x := range got.Data {
		if math.Float64bits(x) != math.Float64bits(want.Data[n]) {
			t.Fatalf("%s: element %d is %g, want %g", name, n, x, want.Data[n])
		}
	}
}

func requireEqualResults(t *testing.T, name string, got, want JKResult) {
	t.Helper()
	if len(got.J) != len(want.J) || len(got.K) != len(want.K) {
		t.Fatalf("%s: %d and %d matrices, want %d and %d", name, len(got.J), len(got.K), len(want.J), len(want.K))
	}
	for n := range want.J {
		requireEqual(t, name+", J", got.J[n], want.J[n])
		requireEqual(t, name+", K", got.K[n], want.K[n])
	}
}

// BenchmarkOrbitals times J and K together of a closed shell of some size, and also the products alone, as one
// large product each.
func BenchmarkOrbitals(b *testing.B) {
	const nao, naux, nocc = 192, 912, 40
	rng := rand.New(rand.NewPCG(21, 22))
	l, d := tensor(random[float64](rng, naux, PackedSize(nao))), fromOrbitals(rng, nao, 2*nocc)
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) {
			for b.Loop() {
				if _, err := JK(l, []Density{d}, JKOptions{Options: Options{Team: team(threads)}}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("J/threads=%d", threads), func(b *testing.B) {
			for b.Loop() {
				if _, err := JK(l, []Density{d}, JKOptions{Options: Options{Team: team(threads)},
					NoK: true}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	rows, c, half := random[float64](rng, naux*nao, nao), random[float64](rng, nao, nocc), dense.New[float64](naux*nao,
		nocc)
	k := dense.New[float64](nao, nao)
	b.Run("products/threads=2", func(b *testing.B) {
		for b.Loop() {
			blas.Gemm(team(2), blas.NoTrans, blas.NoTrans, 1, rows, c, 0, half)
			y := dense.Matrix[float64]{Rows: naux * nocc, Cols: nao, Stride: nao, Data: half.Data}
			blas.Syrk(team(2), blas.Lower, blas.Trans, 1, y, 0, k)
		}
	})
}

// BenchmarkGeneral times J and K together of a density without symmetry or orbitals.
func BenchmarkGeneral(b *testing.B) {
	const nao, naux = 192, 912
	rng := rand.New(rand.NewPCG(23, 24))
	l, d := tensor(random[float64](rng, naux, PackedSize(nao))), randomDensity(rng, nao, General)
	for b.Loop() {
		if _, err := JK(l, []Density{d}, JKOptions{Options: Options{Team: team(2)}}); err != nil {
			b.Fatal(err)
		}
	}
}
