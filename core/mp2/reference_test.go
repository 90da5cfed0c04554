package mp2

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/sched"
)

// molecule is integrals and orbital energies of one spin, stored as float64 for tests of every dtype.
type molecule struct {
	nocc, nvir, naux int
	b                []float64 // B[i,a,P] in the order iaP
	occ, vir         []float64
}

func (m molecule) at(i, a, p int) float64 { return m.b[(i*m.nvir+a)*m.naux+p] }

// randomMolecule has normal integrals that float32 holds exactly and a gap between occupied and virtual energies.
func randomMolecule(rng *rand.Rand, nocc, nvir, naux int) molecule {
	m := molecule{nocc: nocc, nvir: nvir, naux: naux, b: make([]float64, nocc*nvir*naux), occ: make([]float64, nocc),
		vir: make([]float64, nvir)}
	for n := range m.b {
		m.b[n] = float64(float32(rng.NormFloat64()))
	}
	for i := range m.occ {
		m.occ[i] = -0.2 - 2*rng.Float64()
	}
	for a := range m.vir {
		m.vir[a] = 0.1 + 3*rng.Float64()
	}
	return m
}

// dropped has one more virtual orbital, with the given energy and rows of zeros.
func (m molecule) dropped(energy float64) molecule {
	more := m
	more.nvir++
	more.b = nil
	for i := range m.nocc {
		more.b = append(append(more.b, m.b[i*m.nvir*m.naux:(i+1)*m.nvir*m.naux]...), make([]float64, m.naux)...)
	}
	more.vir = append(slices.Clone(m.vir), energy)
	return more
}

// firstOccupied keeps n occupied orbitals.
func (m molecule) firstOccupied(n int) molecule {
	m.nocc, m.occ, m.b = n, m.occ[:n], m.b[:n*m.nvir*m.naux]
	return m
}

// axes orders to lay integrals out in, the slowest first; with the two directions they cover every layout in C and in
// Fortran order.
var axisOrders = []string{"iaP", "iPa", "aiP", "aPi", "Pia", "Pai"}

// arrange lays m out in an array whose axes have the given order, with gaps behind each axis, forwards or backwards.
func arrange[T dense.Float](m molecule, order string, gap int, backwards bool) Integrals[T] {
	sizes := map[rune]int{'i': m.nocc, 'a': m.nvir, 'P': m.naux}
	strides, stride := map[rune]int{}, 1
	for n := range order {
		axis := rune(order[len(order)-1-n])
		strides[axis] = stride
		stride *= sizes[axis] + gap
	}
	out := Integrals[T]{Nocc: m.nocc, Nvir: m.nvir, Naux: m.naux, StrideI: strides['i'], StrideA: strides['a'],
		StrideP: strides['P'], Data: make([]T, stride)}
	for n := range out.Data {
		out.Data[n] = T(math.NaN()) // nothing outside the array may be read
	}
	if backwards {
		out.Offset = len(out.Data) - 1
		out.StrideI, out.StrideA, out.StrideP = -out.StrideI, -out.StrideA, -out.StrideP
	}
	for i := range m.nocc {
		for a := range m.nvir {
			for p := range m.naux {
				out.Data[out.Offset+i*out.StrideI+a*out.StrideA+p*out.StrideP] = T(m.at(i, a, p))
			}
		}
	}
	return out
}

func plain[T dense.Float](m molecule) Integrals[T] { return arrange[T](m, "iaP", 0, false) }

// The naive sums over all six indices, in arithmetic of precisionBits bits.
const precisionBits = 300

func number(x float64) *big.Float { return new(big.Float).SetPrec(precisionBits).SetFloat64(x) }

func blank() *big.Float { return new(big.Float).SetPrec(precisionBits) }

// coulomb returns K_ab of i of l and j of r for all a, b.
func coulomb(l, r molecule, i, j int) [][]*big.Float {
	k := make([][]*big.Float, l.nvir)
	for a := range k {
		k[a] = make([]*big.Float, r.nvir)
		for b := range k[a] {
			sum := blank()
			for p := range l.naux {
				sum.Add(sum, blank().Mul(number(l.at(i, a, p)), number(r.at(j, b, p))))
			}
			k[a][b] = sum
		}
	}
	return k
}

func exactDenominator(l, r molecule, i, j, a, b int) *big.Float {
	d := blank().Add(number(l.occ[i]), number(r.occ[j]))
	return d.Sub(d, blank().Add(number(l.vir[a]), number(r.vir[b])))
}

// referenceOpposite returns sum_ijab K_ab^2 / D for i, a of l and j, b of r.
func referenceOpposite(l, r molecule) *big.Float {
	e := blank()
	for i := range l.nocc {
		for j := range r.nocc {
			k := coulomb(l, r, i, j)
			for a := range l.nvir {
				for b := range r.nvir {
					term := blank().Mul(k[a][b], k[a][b])
					e.Add(e, term.Quo(term, exactDenominator(l, r, i, j, a, b)))
				}
			}
		}
	}
	return e
}

// referenceSame returns sum_ijab K_ab (K_ab - K_ba) / D.
func referenceSame(m molecule) *big.Float {
	e := blank()
	for i := range m.nocc {
		for j := range m.nocc {
			k := coulomb(m, m, i, j)
			for a := range m.nvir {
				for b := range m.nvir {
					if a == b {
						continue // 0, even where D is
					}
					term := blank().Mul(k[a][b], blank().Sub(k[a][b], k[b][a]))
					e.Add(e, term.Quo(term, exactDenominator(m, m, i, j, a, b)))
				}
			}
		}
	}
	return e
}

// difference returns |x - exact|.
func difference(x float64, exact *big.Float) float64 {
	d, _ := blank().Sub(number(x), exact).Float64()
	return math.Abs(d)
}

func half(x *big.Float) *big.Float { return blank().Quo(x, number(2)) }

// synthetic is the example of two occupied and three virtual orbitals for which the tests have expected energies.
func synthetic() molecule {
	m := molecule{nocc: 2, nvir: 3, naux: 2, occ: []float64{-1, -0.5}, vir: []float64{0.2, 0.4, 0.9}}
	for i := range 2 {
		for a := range 3 {
			for p := range 2 {
				m.b = append(m.b, 0.1*float64(1+i+2*a)-0.05*float64(p*(i+1)*(a-1)))
			}
		}
	}
	return m
}

// benchmarkSpin returns a closed shell with random integrals and energies like those of valence electrons.
func benchmarkSpin(b *testing.B, nocc, nvir, naux int) Spin {
	b.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	data := make([]float64, nocc*nvir*naux)
	for n := range data {
		data[n] = rng.NormFloat64() / 100
	}
	integrals, err := NewIntegrals(data, LayoutIAP, nocc, nvir, naux)
	if err != nil {
		b.Fatal(err)
	}
	occ, vir := make([]float64, nocc), make([]float64, nvir)
	for n := range occ {
		occ[n] = -0.5 - rng.Float64()
	}
	for n := range vir {
		vir[n] = 0.1 + 4*rng.Float64()
	}
	return Spin{Source: integrals, Occ: occ, Vir: vir}
}

// benchmarkRestricted reports the arithmetic of the products for each second, of one thread.
func benchmarkRestricted(b *testing.B, nocc, nvir, naux int, precision Precision) {
	s := benchmarkSpin(b, nocc, nvir, naux)
	team := sched.NewTeam(b.Context(), 1, nil)
	for b.Loop() {
		if _, err := Restricted(s.Source, s.Occ, s.Vir, EnergyOptions{Options: Options{Team: team},
			Precision: precision}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(Flops(nocc, nvir, naux)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GF/s")
}

func BenchmarkSmall(b *testing.B)      { benchmarkRestricted(b, 16, 112, 384, PrecisionFP64) }
func BenchmarkSmallMixed(b *testing.B) { benchmarkRestricted(b, 16, 112, 384, PrecisionMixed) }

// BenchmarkOppositeSpin is to be compared with BenchmarkMedium, which has the same integrals.
func BenchmarkOppositeSpin(b *testing.B) {
	s := benchmarkSpin(b, 32, 224, 768)
	team := sched.NewTeam(b.Context(), 1, nil)
	for b.Loop() {
		r, err := OppositeSpin(1e-7, Options{Team: team}, s)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(r.Points), "points")
		b.ReportMetric(float64(r.Single), "single")
	}
}

func BenchmarkMedium(b *testing.B) { benchmarkRestricted(b, 32, 224, 768, PrecisionFP64) }
