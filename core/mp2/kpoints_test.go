package mp2

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/sched"
)

// crystal is the real and imaginary parts of integrals for every pair of k-points; the energies of re[ki][ka] are those
// of ki and ka.
type crystal struct {
	re, im   [][]molecule
	conserve []int
}

// randomCrystal has as many k-points as the product of the sizes of a mesh, and momenta that add up modulo these.
func randomCrystal(rng *rand.Rand, mesh []int, nocc, nvir, naux int) crystal {
	var c crystal
	nk := 1
	for _, n := range mesh {
		nk *= n
	}
	occ, vir := make([][]float64, nk), make([][]float64, nk)
	for k := range nk {
		m := randomMolecule(rng, nocc, nvir, naux)
		occ[k], vir[k] = m.occ, m.vir
	}
	for ki := range nk {
		c.re, c.im = append(c.re, nil), append(c.im, nil)
		for ka := range nk {
			re, im := randomMolecule(rng, nocc, nvir, naux), randomMolecule(rng, nocc, nvir, naux)
			re.occ, re.vir = occ[ki], vir[ka]
			c.re[ki], c.im[ki] = append(c.re[ki], re), append(c.im[ki], im)
			for kj := range nk {
				kb, stride := 0, 1
				for _, n := range mesh {
					kb += ((ki/stride-ka/stride+kj/stride)%n + n) % n * stride
					stride *= n
				}
				c.conserve = append(c.conserve, kb)
			}
		}
	}
	return c
}

// points returns the crystal with the integrals that source makes of each pair.
func (c crystal) points(source func(re, im molecule) Source) KPoints {
	k := KPoints{Conserve: c.conserve}
	for ki, row := range c.re {
		k.Occ, k.Vir = append(k.Occ, row[0].occ), append(k.Vir, c.re[0][ki].vir)
		var sources []Source
		for ka, re := range row {
			sources = append(sources, source(re, c.im[ki][ka]))
		}
		k.B = append(k.B, sources)
	}
	return k
}

func inOrder[T dense.Complex](order string) func(re, im molecule) Source {
	return func(re, im molecule) Source { return complexOf[T](re, im, order, 0, false) }
}

// complexCoulomb returns the parts of K_ab of orbital i with the integrals l and j with r.
func (c crystal) complexCoulomb(l, r [2]int, i, j int) (re, im [][]*big.Float) {
	lr, li, rr, ri := c.re[l[0]][l[1]], c.im[l[0]][l[1]], c.re[r[0]][r[1]], c.im[r[0]][r[1]]
	re, im = coulomb(lr, rr, i, j), coulomb(lr, ri, i, j)
	minus, plus := coulomb(li, ri, i, j), coulomb(li, rr, i, j)
	for a := range re {
		for b := range re[a] {
			re[a][b].Sub(re[a][b], minus[a][b])
			im[a][b].Add(im[a][b], plus[a][b])
		}
	}
	return re, im
}

// reference returns both energies by the plain sums over all k-points and orbitals, in extended precision.
func (c crystal) reference() (opposite, same *big.Float) {
	nk := len(c.re)
	opposite, same = blank(), blank()
	for at, kb := range c.conserve {
		ki, ka, kj := at/(nk*nk), at/nk%nk, at%nk
		left, right := c.re[ki][ka], c.re[kj][kb]
		for i := range left.nocc {
			for j := range right.nocc {
				re, im := c.complexCoulomb([2]int{ki, ka}, [2]int{kj, kb}, i, j)
				exRe, exIm := c.complexCoulomb([2]int{ki, kb}, [2]int{kj, ka}, i, j)
				for a := range left.nvir {
					for b := range right.nvir {
						d := exactDenominator(left, right, i, j, a, b)
						x, y := re[a][b], im[a][b]
						square := blank().Add(blank().Mul(x, x), blank().Mul(y, y))
						cross := blank().Add(blank().Mul(x, exRe[b][a]), blank().Mul(y, exIm[b][a]))
						opposite.Add(opposite, blank().Quo(square, d))
						same.Add(same, blank().Quo(blank().Sub(square, cross), d))
					}
				}
			}
		}
	}
	cells := number(float64(nk * nk * nk))
	return opposite.Quo(opposite, cells), same.Quo(same, cells)
}

func TestKPointEnergy(t *testing.T) {
	rng := rand.New(rand.NewPCG(91, 92))
	for _, s := range []struct {
		mesh             []int
		nocc, nvir, naux int
	}{{[]int{1}, 2, 3, 4}, {[]int{2}, 1, 1, 1}, {[]int{2}, 3, 2, 5}, {[]int{3}, 2, 3, 4}, {[]int{2, 2}, 1, 4,
		3}, {[]int{5}, 1, 2, 2}} {
		c := randomCrystal(rng, s.mesh, s.nocc, s.nvir, s.naux)
		opposite, same := c.reference()
		size, _ := blank().Add(blank().Abs(opposite), blank().Abs(same)).Float64()
		check := func(name string, eps float64, k KPoints, threads int) Result {
			t.Helper()
			r, err := KPointEnergy(k, Options{Team: team(threads)})
			if err != nil {
				t.Fatal(err)
			}
			off := difference(r.OppositeSpin, opposite) + difference(r.SameSpin, same)
			if limit := 1e3 * eps * size; off > r.ErrorBound || r.ErrorBound > limit {
				t.Errorf("%v %s: off by %g, bound %g, expected below %g", s, name, off, r.ErrorBound, limit)
			}
			return r
		}
		for _, order := range axisOrders {
			one := check(order, 0x1p-52, c.points(inOrder[complex128](order)), 1)
			if three := check(order, 0x1p-52, c.points(inOrder[complex128](order)), 3); three != one {
				t.Errorf("%v %s: three threads give %+v, one %+v", s, order, three, one)
			}
			check(order+" complex64", 0x1p-23, c.points(inOrder[complex64](order)), 2)
		}
	}
}

// At one k-point with real orbitals it is the energy of a molecule. The orbitals i of a product do not fit one item
// here.
func TestOneKPointIsAMolecule(t *testing.T) {
	m := randomMolecule(rand.New(rand.NewPCG(93, 94)), 7, 101, 3)
	zero := m
	zero.b = make([]float64, len(m.b))
	c := crystal{[][]molecule{{m}}, [][]molecule{{zero}}, []int{0}}
	got, err := KPointEnergy(c.points(inOrder[complex128]("iaP")), Options{Team: team(2)})
	if err != nil {
		t.Fatal(err)
	}
	want, err := Restricted(plain[float64](m), m.occ, m.vir, EnergyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	limit := got.ErrorBound + want.ErrorBound
	for name, off := range map[string]float64{"opposite": got.OppositeSpin - want.OppositeSpin,
		"same": got.SameSpin - want.SameSpin} {
		if off > limit || -off > limit || limit > 1e-6*(-want.Total()) {
			t.Errorf("%s spin: off by %g, limit %g, energy %g", name, off, limit, want.Total())
		}
	}
}

func TestKPointsFromFunctions(t *testing.T) {
	const nocc, nvir, naux = 2, 4, 3
	c := randomCrystal(rand.New(rand.NewPCG(95, 96)), []int{2, 2}, nocc, nvir, naux)
	want, err := KPointEnergy(c.points(inOrder[complex128]("iaP")), Options{})
	if err != nil {
		t.Fatal(err)
	}
	const pair = nocc * nvir * naux * 16 // bytes
	for slots := 4; slots <= 16; slots++ {
		var asked [][]int
		k := c.points(func(re, im molecule) Source {
			b, counts := complexFunction[complex128](re, im)
			asked = append(asked, counts)
			return b
		})
		opt := Options{Team: team(1 + slots%3), MaxBytes: int64(slots)*pair + pair/2}
		bound, err := KPointWorkspace(k, opt)
		if err != nil {
			t.Fatal(err)
		}
		var got Result
		used := allocated(t, func() error { got, err = KPointEnergy(k, opt); return err })
		if err != nil || got != want {
			t.Errorf("%d blocks: %+v, want %+v, %v", slots, got, want, err)
		}
		const garbage = 100 << 10
		if used > bound+garbage {
			t.Errorf("%d blocks: %d bytes allocated, bound %d", slots, used, bound)
		}
		most := 0
		for _, counts := range asked {
			most = max(most, slices.Max(counts))
		}
		if slots == 16 && most != 1 {
			t.Errorf("all fit, but one pair was asked for %d times", most)
		}
		// Two ki stay and one kj passes: those of the first two ki for these and once more for the last two.
		if slots >= 12 && most > 2 {
			t.Errorf("two of four rows stay, but one pair was asked for %d times", most)
		}
	}
	k := c.points(inOrder[complex128]("Pai"))
	_, err = KPointEnergy(k, Options{MaxBytes: 4*pair - 1})
	argument(t, "memory", err, "max_memory", fmt.Sprint(4*pair, " bytes"))
}

func TestKPointEnergyRefuses(t *testing.T) {
	c := randomCrystal(rand.New(rand.NewPCG(97, 98)), []int{3}, 2, 4, 3)
	call := func(change func(k *KPoints)) error {
		k := c.points(inOrder[complex128]("iaP"))
		k.Conserve, k.Occ, k.Vir = slices.Clone(k.Conserve), slices.Clone(k.Occ), slices.Clone(k.Vir)
		change(&k)
		_, workspace := KPointWorkspace(k, Options{})
		_, err := KPointEnergy(k, Options{})
		if workspace != nil && (err == nil || workspace.Error() != err.Error()) {
			t.Errorf("the workspace fails with %v, the call with %v", workspace, err)
		}
		return err
	}
	m := c.re[0][0]
	for _, bad := range []struct {
		arg, text string
		change    func(k *KPoints)
	}{
		{"eps_occ", "got 0", func(k *KPoints) { k.Occ = nil }},
		{"eps_occ", "got 3 and 2", func(k *KPoints) { k.Vir = k.Vir[:2] }},
		{"eps_occ", "(k-point 1)", func(k *KPoints) { k.Occ[1] = m.vir }},
		{"eps_vir", "(k-point 2)", func(k *KPoints) { k.Vir[2] = nil }},
		{"B", "3 by 3 k-points, got 2", func(k *KPoints) { k.B = k.B[:2] }},
		{"B", "got 2 for k-point 1", func(k *KPoints) { k.B[1] = k.B[1][:2] }},
		{"B", "none", func(k *KPoints) { k.B[1][2] = nil }},
		{"B", "real ones for k-points 2, 1", func(k *KPoints) { k.B[2][1] = plain[float64](m) }},
		{"B", "k-points 2, 1", func(k *KPoints) { k.B[2][1] = complexOf[complex64](m, m, "iaP", 0, false) }},
		{"B", "(1, 4, 3) for k-points 0, 1", func(k *KPoints) {
			k.B[0][1] = complexOf[complex128](m.firstOccupied(1), m.firstOccupied(1), "iaP", 0, false)
		}},
		{"kconserv", "got 26", func(k *KPoints) { k.Conserve = k.Conserve[1:] }},
		{"kconserv", "[0, 0, 1] is 3", func(k *KPoints) { k.Conserve[1] = 3 }},
		{"kconserv", "[0, 0, 1] is 0", func(k *KPoints) { k.Conserve[1] = 0 }},
		{"kconserv", "[0, 1, 2]", func(k *KPoints) { k.Conserve[5], k.Conserve[3] = 0, 2 }},
	} {
		argument(t, bad.text, call(bad.change), bad.arg, bad.text)
	}
	var zero *DenominatorError
	err := call(func(k *KPoints) {
		k.Occ[1], k.Vir[2], k.Vir[0] = []float64{-1, 3}, []float64{2, 8, 9, 9}, []float64{9, 4, 9, 8}
	})
	if want := (DenominatorError{1, 1, 1, 0, "k-points 1, 0", "k-points 1, 2"}); !errors.As(err,
		&zero) || *zero != want {
		t.Errorf("vanishing denominator: %v", err)
	}
	err = call(func(k *KPoints) {
		b := k.B[1][2].(Integrals[complex128])
		b.Data[b.StrideI] = complex(0, math.Inf(1))
	})
	argument(t, "infinity", err, "B", "occupied orbital 1 (k-points 1, 2)")
}

func TestKPointsWithoutOrbitals(t *testing.T) {
	for _, s := range [][3]int{{0, 2, 3}, {2, 0, 3}, {2, 3, 0}} {
		k := randomCrystal(rand.New(rand.NewPCG(99, 100)), []int{2}, s[0], s[1],
			s[2]).points(inOrder[complex128]("iaP"))
		if r, err := KPointEnergy(k, Options{}); err != nil || r != (Result{}) {
			t.Errorf("%v: %+v, %v", s, r, err)
		}
	}
}

func TestKPointsAreCancelled(t *testing.T) {
	c := randomCrystal(rand.New(rand.NewPCG(101, 102)), []int{3}, 2, 4, 3)
	ctx, cancel := context.WithCancel(context.Background())
	calls := 0
	k := c.points(func(re, im molecule) Source {
		b, _ := complexFunction[complex128](re, im)
		load := b.Load
		b.Load = func(team *sched.Team, first, end int, dst []complex128) error {
			if calls++; calls == 9 {
				cancel()
			}
			return load(team, first, end, dst)
		}
		return b
	})
	var progress sched.Progress
	if r, err := KPointEnergy(k, Options{Team: sched.NewTeam(ctx, 2, &progress)}); !errors.Is(err,
		context.Canceled) || r != (Result{}) {
		t.Errorf("%+v, %v", r, err)
	}
	var again sched.Progress
	if _, err := KPointEnergy(k, Options{Team: sched.NewTeam(context.Background(), 2, &again)}); err != nil {
		t.Fatal(err)
	}
	if done, total := again.Read(); done != total || total == 0 {
		t.Errorf("%d of %d steps", done, total)
	}
}
