package mp2

import (
	"fmt"
	"slices"

	"trnsci/core/dense"
)

// KPoints is what the energy of a crystal takes: complex integrals B[ki][ka] of every pair of nk k-points, each of the same nocc x nvir x naux and dtype,
// and orbital energies in hartree. Where the auxiliary functions of some pairs are fewer, zeros stand in for the others.
type KPoints struct {
	B        [][]Source  // for occupied orbitals at k-point ki and virtual ones at ka
	Occ, Vir [][]float64 // Occ[ki] are nocc, Vir[ka] nvir energies
	// Conserve holds the k-points that conserve the momentum: kb for ki, ka, kj at (ki nk + ka) nk + kj, so that k_i - k_a + k_j - k_b is a vector of the
	// reciprocal lattice.
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

// groups returns all groups in order. Those that are left out have the same terms: exchanging both i with j and a with b changes nothing.
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

// KPointEnergy returns the MP2 correlation energy of a closed shell for each cell of a crystal. With K^{ij}_{ab} = (ia|jb) = 1/nk sum_P B[ki][ka]_iaP B[kj][kb]_jbP
// for i, j, a at the k-points ki, kj, ka and b at kb = Conserve[ki,ka,kj], without a conjugate, and D = e_i + e_j - e_a - e_b,
//
//	E_os = 1/nk sum |K^{ij}_{ab}|^2 / D,   E_ss = 1/nk sum conj(K^{ij}_{ab}) (K^{ij}_{ab} - K^{ij}_{ba}) / D
//
// over ki, kj, ka and all orbitals, K^{ij}_{ba} being of B[ki][kb] and B[kj][ka]. This is PySCF's KMP2. Products are in the dtype of B, sums in float64. Of the
// options, Precision, PairEnergies and Tolerance are not used, and a Checkpoint is refused. Results have the same bits for every number of threads and every MaxBytes.
//
// Errors: *dense.ArgumentError for sizes and dtypes that do not fit, real integrals, a Conserve that is no conservation of momentum, too little memory,
// infinities and NaNs; *DenominatorError, whose spins name the k-points; those of reading; the team's.
//
// Cost: 4 nk^3 nocc^2 nvir^2 naux real floating-point operations. B[ki] of as many ki as MaxBytes holds, less one, stay while the others are read once for each of
// these blocks; progress counts parts of pairs of k-points.
func KPointEnergy(k KPoints, opt Options) (Result, error) {
	if err := k.check(opt); err != nil {
		return Result{}, err
	}
	if err := k.checkDenominators(opt); err != nil {
		return Result{}, err
	}
	if k.B[0][0].singlePrecision() {
		return kPointEnergy[complex64](k, opt)
	}
	return kPointEnergy[complex128](k, opt)
}

func kPointEnergy[T dense.Complex](k KPoints, opt Options) (Result, error) {
	r, err := newKRun[T](k, opt)
	if err != nil || r == nil {
		return Result{}, err
	}
	if err := r.run(); err != nil {
		return Result{}, err
	}
	sum := total(r.contributions)
	nk := float64(k.count())
	scale := nk * nk * nk // of the two K and of the cells
	return Result{
		OppositeSpin: sum.opposite / scale, SameSpin: sum.same / scale, AlphaAlpha: sum.same / scale / 2, BetaBeta: sum.same / scale / 2,
		ErrorBound: certain(sum.bound / scale),
	}, nil
}

// check looks at the arguments, energies included.
func (k KPoints) check(opt Options) error {
	nk := k.count()
	if nk == 0 || len(k.Vir) != nk {
		return dense.BadArgument("eps_occ", "expected energies at one or more k-points, as many as in eps_vir, got %d and %d", nk, len(k.Vir))
	}
	if len(k.B) != nk {
		return dense.BadArgument("B", "expected integrals of %d by %d k-points, got %d", nk, nk, len(k.B))
	}
	for ki, row := range k.B {
		if len(row) != nk {
			return dense.BadArgument("B", "expected integrals of %d by %d k-points, got %d for k-point %d", nk, nk, len(row), ki)
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
	if err := opt.refuseCheckpoint(); err != nil {
		return err
	}
	return k.checkConserve()
}

// checkSource compares the integrals of a pair of k-points with those of the first pair.
func (k KPoints) checkSource(opt Options, src Source, ki, ka int) error {
	if err := opt.checkAny(src); err != nil {
		return err
	}
	if !src.isComplex() {
		return dense.BadArgument("B", "expected complex integrals, got real ones for k-points %d, %d", ki, ka)
	}
	first := k.B[0][0]
	o, v, p := src.Shape()
	o0, v0, p0 := first.Shape()
	if o != o0 || v != v0 || p != p0 || src.singlePrecision() != first.singlePrecision() {
		return dense.BadArgument("B", "expected one shape and dtype for all k-points, got (%d, %d, %d) for k-points %d, %d and (%d, %d, %d) for 0, 0, or dtypes that differ",
			o, v, p, ki, ka, o0, v0, p0)
	}
	return nil
}

// checkConserve looks at the sums of k-points: kb has to be one, and a and b, or i and j with a and b, may be exchanged.
func (k KPoints) checkConserve() error {
	nk := k.count()
	if len(k.Conserve) != nk*nk*nk {
		return dense.BadArgument("kconserv", "expected (%d, %d, %d) numbers, got %d", nk, nk, nk, len(k.Conserve))
	}
	for at, kb := range k.Conserve {
		if kb < 0 || kb >= nk {
			return dense.BadArgument("kconserv", "[%d, %d, %d] is %d, expected the number of one of %d k-points", at/(nk*nk), at/nk%nk, at%nk, kb, nk)
		}
	}
	for at, kb := range k.Conserve {
		ki, ka, kj := at/(nk*nk), at/nk%nk, at%nk
		if k.conserved(ki, kb, kj) != ka || k.conserved(kj, ka, ki) != kb {
			return dense.BadArgument("kconserv", "[%d, %d, %d] is %d, but [%d, %d, %d] is %d, expected %d, and [%d, %d, %d] is %d, expected %d: k_i - k_a + k_j - k_b is conserved for all of them or for none",
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
