package mp2

import (
	"fmt"
	"slices"

	"trnsci/core/dense"
)

// KPoints holds the integrals and orbital energies, in hartree, of a crystal: complex integrals B[ki][ka] of every pair
// of nk k-points, all of the same nocc x nvir x naux and dtype. Pairs with fewer auxiliary functions are padded with
// zeros.
type KPoints struct {
	B        [][]Source  // for occupied orbitals at k-point ki and virtual ones at ka
	Occ, Vir [][]float64 // Occ[ki] are nocc, Vir[ka] nvir energies
	// Conserve holds the k-points that conserve the momentum: kb for ki, ka, kj at (ki nk + ka) nk + kj, so that
	// k_i - k_a + k_j - k_b is a vector of the reciprocal lattice.
	Conserve []int
}

func (k KPoints) count() int { return len(k.Occ) }

// conserved returns kb.
func (k KPoints) conserved(ki, ka, kj int) int { return k.Conserve[(ki*k.count()+ka)*k.count()+kj] }

// all returns the orbitals of all k-points as those of one spin with the given integrals.
func (k KPoints) all(b Source) Spin {
	return Spin{Source: b, Occ: slices.Concat(k.Occ...), Vir: slices.Concat(k.Vir...)}
}

// kGroup is occupied orbitals at ki >= kj with virtual ones at ka <= kb and the other way round.
type kGroup struct{ ki, kj, ka, kb int }

// groups returns all groups in order. Those that are left out have the same terms: exchanging both i with j and a with
// b changes nothing.
func (k KPoints) groups() []kGroup {
	var out []kGroup
	for ki := range k.count() {
		for kj := range ki + 1 {
			for ka := range k.count() {
				if kb := k.conserved(ki, ka, kj); ka <= kb {
					out = append(out, kGroup{ki, kj, ka, kb})
				}
			}
		}
	}
	return out
}

// check checks the arguments, with the energies.
func (k KPoints) check(opt Options) error {
	nk := k.count()
	if nk == 0 || len(k.Vir) != nk {
		return dense.BadArgument("eps_occ",
			"expected energies at one or more k-points, as many as in eps_vir, got %d and %d", nk, len(k.Vir))
	}
	if len(k.B) != nk {
		return dense.BadArgument("B", "expected integrals of %d by %d k-points, got %d", nk, nk, len(k.B))
	}
	for ki, row := range k.B {
		if len(row) != nk {
			return dense.BadArgument("B", "expected integrals of %d by %d k-points, got %d for k-point %d", nk, nk,
				len(row), ki)
		}
		for ka, src := range row {
			if err := k.checkSource(opt, src, ki, ka); err != nil {
				return err
			}
		}
	}
	for n := range nk {
		s := Spin{Name: fmt.Sprint("k-point ", n), Source: k.B[n][n], Occ: k.Occ[n], Vir: k.Vir[n]}
		if err := s.check(); err != nil {
			return err
		}
	}
	return k.checkConserve()
}

// checkSource compares the integrals of a pair of k-points with those of the first pair.
func (k KPoints) checkSource(opt Options, src Source, ki, ka int) error {
	if err := opt.checkAny(src); err != nil {
		return err
	}
	if !isComplex(src) {
		return dense.BadArgument("B", "expected complex integrals, got real ones for k-points %d, %d", ki, ka)
	}
	first := k.B[0][0]
	o, v, p := src.Shape()
	o0, v0, p0 := first.Shape()
	if o != o0 || v != v0 || p != p0 || IsSingle(src) != IsSingle(first) {
		return dense.BadArgument("B",
			"expected one shape and dtype for all k-points, got (%d, %d, %d) for k-points %d, %d and "+
				"(%d, %d, %d) for 0, 0, or dtypes that differ",
			o, v, p, ki, ka, o0, v0, p0)
	}
	return nil
}

// checkConserve checks that every kb is a k-point, and that a and b, or i and j with a and b, may be exchanged.
func (k KPoints) checkConserve() error {
	nk := k.count()
	if len(k.Conserve) != nk*nk*nk {
		return dense.BadArgument("kconserv", "expected (%d, %d, %d) numbers, got %d", nk, nk, nk, len(k.Conserve))
	}
	for at, kb := range k.Conserve {
		if kb < 0 || kb >= nk {
			return dense.BadArgument("kconserv", "[%d, %d, %d] is %d, expected the number of one of %d k-points",
				at/(nk*nk), at/nk%nk, at%nk, kb, nk)
		}
	}
	for at, kb := range k.Conserve {
		ki, ka, kj := at/(nk*nk), at/nk%nk, at%nk
		if k.conserved(ki, kb, kj) != ka || k.conserved(kj, ka, ki) != kb {
			return dense.BadArgument("kconserv",
				"[%d, %d, %d] is %d, but [%d, %d, %d] is %d, expected %d, and [%d, %d, %d] is %d, expected %d: "+
					"k_i - k_a + k_j - k_b is conserved for all of them or for none",
				ki, ka, kj, kb, ki, kb, kj, k.conserved(ki, kb, kj), ka, kj, ka, ki, k.conserved(kj, ka, ki), kb)
		}
	}
	return nil
}

// checkDenominators looks for a vanishing denominator.
func (k KPoints) checkDenominators(opt Options) error {
	if s := k.all(k.B[0][0]); s.empty() || hasGap(s, s) {
		return nil
	}
	for _, g := range k.groups() {
		left := Spin{Name: fmt.Sprintf("k-points %d, %d", g.ki, g.ka), Occ: k.Occ[g.ki], Vir: k.Vir[g.ka]}
		right := Spin{Name: fmt.Sprintf("k-points %d, %d", g.kj, g.kb), Occ: k.Occ[g.kj], Vir: k.Vir[g.kb]}
		err := findVanishing(opt.Team, left, right, func(int) int { return len(right.Occ) }, func(int) int { return 0 })
		if err != nil {
			return err
		}
	}
	return nil
}
