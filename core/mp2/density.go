package mp2

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
)

// Density returns the unrelaxed one-particle density of MP2, the reference's occupations included, as a matrix over the nocc occupied and then the nvir
// virtual orbitals: that of a closed shell, given one spin, or those of alpha and beta, given two. With the amplitudes t,
//
//	closed shell:  O_ij = - sum_mab t_mi,ab (2 t_mj,ab - t_mj,ba),   V_ab = sum_mjc t_mj,ca (2 t_mj,cb - t_mj,bc),   twice each, 2 on the diagonal of O
//	alpha:         O_ij = - 1/2 sum_mab t_mi,ab t_mj,ab - sum over beta m, b and alpha a of t_mi,ba t_mj,ba
//	               V_ab = 1/2 sum_mjc t_mj,ca t_mj,cb + sum over beta m, c and alpha j of t_mj,ca t_mj,cb,   1 on the diagonal of O
//
// and zeros between occupied and virtual orbitals. This is PySCF's make_rdm1 of MP2 and UMP2. Options and errors are those of EachAmplitudes.
//
// Cost: 2 nocc^2 nvir^2 (naux + nvir + nocc) floating-point operations for a closed shell, four times as many for two like spins. The memory is that of
// EachAmplitudes and once more the amplitudes of an orbital.
func Density(opt Options, spins ...Spin) ([]dense.Matrix[float64], error) {
	if len(spins) == 1 {
		d, err := newDensity(spins[0], 2)
		if err != nil {
			return nil, err
		}
		s := spins[0]
		if err := d.add(opt, s, s, OppositeSpinAmplitudes, closedShellPartner); err != nil {
			return nil, err
		}
		return []dense.Matrix[float64]{d.matrix()}, nil
	}
	if len(spins) != 2 {
		return nil, dense.BadArgument("B", "expected the integrals of one or of two spins, got %d", len(spins))
	}
	var out []dense.Matrix[float64]
	for n, s := range spins {
		d, err := newDensity(s, 1)
		if err != nil {
			return nil, err
		}
		if err := d.add(opt, s, s, SameSpinAmplitudes, halfPartner); err != nil {
			return nil, err
		}
		if err := d.add(opt, spins[1-n], s, OppositeSpinAmplitudes, nil); err != nil {
			return nil, err
		}
		out = append(out, d.matrix())
	}
	return out, nil
}

// density collects the blocks of a density.
type density struct {
	occupation        float64 // of an occupied orbital in the reference
	occupied, virtual dense.Matrix[float64]
}

func newDensity(s Spin, occupation float64) (*density, error) {
	if s.Source == nil {
		return nil, dense.BadArgument("B", "expected integrals, got none")
	}
	nocc, nvir, _ := s.Source.Shape()
	return &density{occupation: occupation, occupied: dense.New[float64](nocc, nocc), virtual: dense.New[float64](nvir, nvir)}, nil
}

// partner sets u, which amplitudes t[j,a,b] of one i, nvir x nvir for each j, are multiplied with.
type partner func(u, t []float64, nvir int)

// closedShellPartner is 2 t_ab - t_ba.
func closedShellPartner(u, t []float64, nvir int) {
	for at := 0; at < len(t); at += nvir * nvir {
		for a := range nvir {
			for b := range nvir {
				u[at+a*nvir+b] = 2*t[at+a*nvir+b] - t[at+b*nvir+a]
			}
		}
	}
}

// halfPartner is t_ab / 2.
func halfPartner(u, t []float64, _ int) {
	for n, x := range t {
		u[n] = x / 2
	}
}

// add adds what the amplitudes of an electron of each spin make of the density of the second spin, s. With t[j,a,b] of one orbital m of the first spin
// these are two products, of matrices of nocc x (nvir nvir) and of (nocc nvir) x nvir; without a partner u is t.
func (d *density) add(opt Options, m, s Spin, kind Amplitudes, of partner) error {
	nocc, nvir := d.occupied.Rows, d.virtual.Rows
	var memory []float64
	return EachAmplitudes(opt, m, s, kind, func(_ int, t []float64) error {
		if len(t) == 0 {
			return nil
		}
		u := t
		if of != nil {
			if memory == nil {
				memory = make([]float64, len(t))
			}
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
	})
}

// matrix returns the density: the blocks, which are symmetric up to rounding, made so.
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

// DensityWorkspace returns an upper bound on the bytes that Density allocates beside its integrals.
func DensityWorkspace(opt Options, spins ...Spin) (int64, error) {
	most, densities := int64(0), int64(0)
	for _, left := range spins {
		for _, right := range spins {
			bytes, err := AmplitudesWorkspace(opt, left, right)
			if err != nil {
				return 0, err
			}
			o, v := int64(len(right.Occ)), int64(len(right.Vir))
			// The amplitudes of an orbital once more, and what two calls leave to the collector.
			most = max(most, 2*bytes+8*o*int64(len(left.Vir))*v)
		}
		o, v := int64(len(left.Occ)), int64(len(left.Vir))
		densities += 8 * (o*o + v*v + (o+v)*(o+v))
	}
	return most + densities, nil
}
