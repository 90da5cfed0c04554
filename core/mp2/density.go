package mp2

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/scratch"
)

// Density returns the unrelaxed one-particle density matrix of MP2, with the occupations of the reference, over the
// nocc occupied and then the nvir virtual orbitals: that of a closed shell, given one spin, or those of alpha and beta,
// given two. With the amplitudes t, for a closed shell
//
//	O_ij = 2 delta_ij - 2 sum_mab t_mi,ab (2 t_mj,ab - t_mj,ba),   V_ab = 2 sum_mjc t_mj,ca (2 t_mj,cb - t_mj,bc)
//
// and for alpha of an open shell, likewise for beta,
//
//	O_ij = delta_ij - 1/2 sum_mab t_mi,ab t_mj,ab - sum over beta m, b and alpha a of t_mi,ba t_mj,ba
//	V_ab = 1/2 sum_mjc t_mj,ca t_mj,cb + sum over beta m, c and alpha j of t_mj,ca t_mj,cb
//
// with zeros between occupied and virtual orbitals. This is PySCF's make_rdm1 of MP2 and UMP2. Options and errors are
// those of EachAmplitudes.
//
// Cost: 2 nocc^2 nvir^2 (naux + nvir + nocc) floating-point operations for a closed shell, four times as many for two
// equal spins. If MaxBytes holds amplitudes of many orbitals, up to half of the part with naux is saved. The memory is
// that of EachAmplitudes and once more the amplitudes of an orbital.
func Density(opt Options, spins ...Spin) ([]dense.Matrix[float64], error) {
	if len(spins) < 1 || len(spins) > 2 {
		return nil, dense.BadArgument("B", "expected the integrals of one or of two spins, got %d", len(spins))
	}
	occupation, kind, of := 2.0, ClosedShellAmplitudes, combination(closedShellCombination)
	if len(spins) == 2 {
		occupation, kind, of = 1, SameSpinAmplitudes, halved
	}
	densities, opposite := []*density{}, 0
	if len(spins) == 2 {
		opposite = 2 * amplitudesCost(spins[0], spins[1])
	}
	total := opposite
	for _, s := range spins {
		total += amplitudesCost(s, s)
	}
	opt.Team = opt.Team.Plan(total)
	for _, s := range spins {
		d, err := newDensity(s, occupation)
		if err != nil {
			return nil, err
		}
		part := opt
		part.Team = opt.Team.Phase(amplitudesCost(s, s))
		if err := d.add(part, s, s, kind, of); err != nil {
			return nil, err
		}
		part.Team.End()
		densities = append(densities, d)
	}
	if len(spins) == 2 {
		opt.Team = opt.Team.Phase(opposite)
		if err := addOppositeSpins(opt, spins[0], spins[1], densities[0], densities[1]); err != nil {
			return nil, err
		}
		opt.Team.End()
	}
	var out []dense.Matrix[float64]
	for _, d := range densities {
		out = append(out, d.matrix())
	}
	return out, nil
}

// amplitudesCost returns the relative cost of the amplitudes between two sets of orbitals, and of their part of a
// density: their number.
func amplitudesCost(left, right Spin) int {
	return len(left.Occ) * len(left.Vir) * len(right.Occ) * len(right.Vir)
}

// addOppositeSpins adds the terms of the amplitudes between the spins to both densities. Those of one m of beta and all
// i of alpha are a term of alpha's density. The same amplitudes, transposed, of one i and all m are a term of beta's;
// they are kept for it if the memory allows it, and computed again, to the same bits, if not.
func addOppositeSpins(opt Options, alpha, beta Spin, toAlpha, toBeta *density) error {
	const half = 1 << 20
	team, kept := opt.Team.Plan(2*half), keptAmplitudes(opt, alpha, beta)
	opt.Team = team.Phase(half)
	if kept == 0 {
		if err := toAlpha.add(opt, beta, alpha, OppositeSpinAmplitudes, nil); err != nil {
			return err
		}
		opt.Team.End()
		opt.Team = team.Phase(half)
		return toBeta.add(opt, alpha, beta, OppositeSpinAmplitudes, nil)
	}
	na, va, vb := len(alpha.Occ), len(alpha.Vir), len(beta.Vir)
	each := kept / na
	var t []float64
	scratch.Allocate(takeNumbers(&t, kept))
	of := func(x []float64, at, rows, cols int) dense.View[float64] {
		return dense.Matrix[float64]{Rows: rows, Cols: cols, Stride: cols,
			Data: x[at*rows*cols : (at+1)*rows*cols]}.View()
	}
	err := EachAmplitudes(besideKept(opt, kept), beta, alpha, OppositeSpinAmplitudes, func(m int, ofM []float64) error {
		if err := toAlpha.addOne(opt, ofM, nil, nil); err != nil {
			return err
		}
		return opt.Team.For(na, func(_, i int) error {
			dense.Copy(of(t[i*each:(i+1)*each], m, va, vb), of(ofM, i, vb, va).T())
			return nil
		})
	})
	if err != nil {
		return err
	}
	opt.Team.End()
	opt.Team = team.Phase(half).Plan(na)
	for i := range na {
		if err := toBeta.addOne(opt, t[i*each:(i+1)*each], nil, nil); err != nil {
			return err
		}
		opt.Team.Step(1)
	}
	return nil
}

// keptAmplitudes returns the number of all amplitudes between two spins, or 0 if half of the memory does not hold them,
// or the rest does not hold blocks.
func keptAmplitudes(opt Options, alpha, beta Spin) int {
	all := float64(len(alpha.Occ)) * float64(len(beta.Occ)) * float64(len(alpha.Vir)) * float64(len(beta.Vir))
	if 8*all > float64(opt.maxBytes()/2) {
		return 0
	}
	if newAmplitudeRun(besideKept(opt, int(all)), alpha, beta, OppositeSpinAmplitudes).checkPairFits() != nil {
		return 0
	}
	return int(all)
}

// besideKept returns the options for blocks that share the memory with some kept amplitudes.
func besideKept(opt Options, kept int) Options {
	opt.MaxBytes = opt.maxBytes() - 8*int64(kept)
	return opt
}

// density accumulates the blocks of a density matrix.
type density struct {
	occupation        float64 // of an occupied orbital in the reference
	occupied, virtual dense.Matrix[float64]
}

func newDensity(s Spin, occupation float64) (*density, error) {
	if s.Source == nil {
		return nil, dense.BadArgument("B", "expected integrals, got none")
	}
	nocc, nvir, _ := s.Source.Shape()
	d := &density{occupation: occupation}
	scratch.Allocate(d.layout(nocc, nvir))
	return d, nil
}

// layout takes the memory of both blocks.
func (d *density) layout(nocc, nvir int) func(a *scratch.Arena) {
	return func(a *scratch.Arena) {
		d.occupied = scratch.TakeMatrix[float64](a, nocc, nocc)
		d.virtual = scratch.TakeMatrix[float64](a, nvir, nvir)
	}
}

// takeNumbers is the layout of one list of numbers.
func takeNumbers(x *[]float64, n int) func(a *scratch.Arena) {
	return func(a *scratch.Arena) { *x = scratch.Take[float64](a, n) }
}

// combination sets u, with which amplitudes t[j,a,b] of one i, nvir x nvir for each j, are multiplied.
type combination func(u, t []float64, nvir int)

// closedShellCombination is 2 t_ab - t_ba.
func closedShellCombination(u, t []float64, nvir int) {
	for at := 0; at < len(t); at += nvir * nvir {
		for a := range nvir {
			for b := range nvir {
				u[at+a*nvir+b] = 2*t[at+a*nvir+b] - t[at+b*nvir+a]
			}
		}
	}
}

// halved is t_ab / 2.
func halved(u, t []float64, _ int) {
	for n, x := range t {
		u[n] = x / 2
	}
}

// add adds the terms of the amplitudes between the orbitals of m and s to the density of s.
func (d *density) add(opt Options, m, s Spin, kind Amplitudes, of combination) error {
	var memory []float64 // for u
	return EachAmplitudes(opt, m, s, kind, func(_ int, t []float64) error {
		if of != nil && memory == nil {
			scratch.Allocate(takeNumbers(&memory, len(t)))
		}
		return d.addOne(opt, t, of, memory)
	})
}

// addOne adds the terms of t[j,a,b] of one orbital m: two products with u, of matrices of nocc x (nvir nvir) and of
// (nocc nvir) x nvir. Without a combination u is t; with one it is in memory.
func (d *density) addOne(opt Options, t []float64, of combination, memory []float64) error {
	if len(t) == 0 {
		return nil
	}
	nocc, nvir := d.occupied.Rows, d.virtual.Rows
	u := t
	if of != nil {
		u = memory
		each := nvir * nvir
		err := opt.Team.For(nocc, func(_, j int) error {
			of(u[j*each:(j+1)*each], t[j*each:(j+1)*each], nvir)
			return nil
		})
		if err != nil {
			return err
		}
	}
	rows := func(x []float64, rows int) dense.Matrix[float64] {
		return dense.Matrix[float64]{Rows: rows, Cols: len(x) / rows, Stride: len(x) / rows, Data: x}
	}
	blas.Gemm(opt.Team, blas.NoTrans, blas.Trans, -1, rows(t, nocc), rows(u, nocc), 1, d.occupied)
	blas.Gemm(opt.Team, blas.Trans, blas.NoTrans, 1, rows(t, len(t)/nvir), rows(u, len(t)/nvir), 1, d.virtual)
	return opt.Team.Err()
}

// matrix returns the density matrix: the blocks, which are symmetric up to rounding, are symmetrized.
func (d *density) matrix() dense.Matrix[float64] {
	nocc, nvir := d.occupied.Rows, d.virtual.Rows
	out := dense.New[float64](nocc+nvir, nocc+nvir)
	for _, part := range []struct {
		at    int
		block dense.Matrix[float64]
	}{{0, d.occupied}, {nocc, d.virtual}} {
		for p := range part.block.Rows {
			for q := range part.block.Cols {
				out.Set(part.at+p, part.at+q, (part.block.At(p, q)+part.block.At(q, p))*d.occupation/2)
			}
		}
	}
	for i := range nocc {
		out.Set(i, i, out.At(i, i)+d.occupation)
	}
	return out
}

// DensityWorkspace returns an upper bound on the bytes that Density allocates.
func DensityWorkspace(opt Options, spins ...Spin) (int64, error) {
	most, densities := int64(0), int64(0)
	var numbers []float64
	for m, left := range spins {
		for n, right := range spins {
			kind := OppositeSpinAmplitudes
			switch {
			case len(spins) == 1:
				kind = ClosedShellAmplitudes
			case m == n:
				kind = SameSpinAmplitudes
			}
			bytes, err := AmplitudesWorkspace(opt, left, right, kind)
			if err != nil {
				return 0, err
			}
			// The amplitudes of an orbital once more, and the garbage of two calls.
			combined := takeNumbers(&numbers, len(right.Occ)*len(left.Vir)*len(right.Vir))
			most = max(most, 2*bytes+bytesOf(combined))
		}
		o, v := len(left.Occ), len(left.Vir)
		densities += bytesOf((&density{}).layout(o, v)) + 8*int64(o+v)*int64(o+v) // and the result
	}
	if len(spins) == 2 {
		densities += bytesOf(takeNumbers(&numbers, keptAmplitudes(opt, spins[0], spins[1])))
	}
	return most + densities, nil
}
