package pybind

import (
	"trnsci/core/dense"
	"trnsci/core/mp2"
	"trnsci/core/npy"
	"trnsci/core/sched"
	"trnsci/pybind/record"
)

// SOSMP2 computes the opposite-spin energy to within a tolerance. It writes the energy and its error bound to Sums, and
// to Points the number of quadrature points and how many of them are in float32.
func SOSMP2(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	c := record.At[record.SOSMP2](address)
	alpha, beta, f := spinsOf(c.Spins)
	sums, points := vector[float64](c.Sums), vector[int64](c.Points)
	return runWithCallback(jobID, c.Team, f, func(team *sched.Team) (int64, error) {
		options := mp2.Options{Team: team, MaxBytes: int64(c.MaxBytes)}
		return 0, openSpins(alpha, beta, c.Layout, func(spins []mp2.Spin) error {
			size, err := mp2.OppositeSpinWorkspace(options, spins...)
			if err != nil {
				return err
			}
			if err := reserve("sos_mp2_energy", size, 0); err != nil {
				return err
			}
			result, err := mp2.OppositeSpin(c.Tolerance, options, spins...)
			sums[0], sums[1] = result.OppositeSpin, result.QuadratureError
			points[0], points[1] = int64(result.Points), int64(result.Single)
			return err
		})
	})
}

// MP2Amplitudes computes the amplitudes of double excitations: part 0 is a closed shell or alpha-alpha, part 1
// alpha-beta, part 2 beta-beta. They are written to Out, an array of shape (nocc, nocc, nvir, nvir), or to the .npy
// file PathOut unless that is empty.
func MP2Amplitudes(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	c := record.At[record.MP2Amplitudes](address)
	alpha, beta, f := spinsOf(c.Spins)
	return runWithCallback(jobID, c.Team, f, func(team *sched.Team) (int64, error) {
		options := mp2.Options{Team: team, MaxBytes: int64(c.MaxBytes)}
		return 0, openSpins(alpha, beta, c.Layout, func(spins []mp2.Spin) error {
			left, right, kind := partOf(spins, c.Part)
			if c.PathOut != "" {
				return amplitudesToFile(options, left, right, kind, c.PathOut)
			}
			return amplitudesToArray(options, left, right, kind, c.Out)
		})
	})
}

// partOf returns the amplitudes that the number of a part means.
func partOf(spins []mp2.Spin, part int) (left, right mp2.Spin, kind mp2.Amplitudes) {
	switch {
	case len(spins) == 1:
		return spins[0], spins[0], mp2.ClosedShellAmplitudes
	case part == 1:
		return spins[0], spins[1], mp2.OppositeSpinAmplitudes
	}
	return spins[part/2], spins[part/2], mp2.SameSpinAmplitudes
}

// amplitudesToArray writes amplitudes to a four-dimensional array. For one spin it also writes t_ij^ab as t_ji^ba.
func amplitudesToArray(options mp2.Options, left, right mp2.Spin, kind mp2.Amplitudes, out *record.Array) error {
	size, err := mp2.PairAmplitudesWorkspace(options, left, right, kind)
	if err != nil {
		return err
	}
	if err := reserve("mp2_amplitudes", size, out.Bytes()); err != nil {
		return err
	}
	matrices, nocc := newBatch[float64](out), out.Shape[1]
	return mp2.PairAmplitudes(options, left, right, kind, func(i, j int, t dense.Matrix[float64]) {
		dense.Copy(matrices.at(i*nocc+j), t.View())
		if kind != mp2.OppositeSpinAmplitudes && i != j {
			dense.Copy(matrices.at(j*nocc+i).T(), t.View())
		}
	})
}

// amplitudesToFile writes amplitudes to a .npy file. The file appears only when it is complete.
func amplitudesToFile(options mp2.Options, left, right mp2.Spin, kind mp2.Amplitudes, path string) (err error) {
	size, err := mp2.AmplitudesWorkspace(options, left, right, kind)
	if err != nil {
		return err
	}
	if err := reserve("mp2_amplitudes", size, 0); err != nil {
		return err
	}
	file, err := npy.Create(path, []int{len(left.Occ), len(right.Occ), len(left.Vir), len(right.Vir)})
	if err != nil {
		return err
	}
	defer func() {
		if failed := file.Close(); err == nil {
			err = failed
		}
	}()
	return mp2.EachAmplitudes(options, left, right, kind, func(_ int, t []float64) error { return file.Write(t) })
}

// MP2Density computes the unrelaxed one-particle density and writes it to Out, that of beta to OutBeta.
func MP2Density(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	c := record.At[record.MP2Density](address)
	alpha, beta, f := spinsOf(c.Spins)
	outputs := []*record.Array{c.Out, c.OutBeta}
	return runWithCallback(jobID, c.Team, f, func(team *sched.Team) (int64, error) {
		options := mp2.Options{Team: team, MaxBytes: int64(c.MaxBytes)}
		return 0, openSpins(alpha, beta, c.Layout, func(spins []mp2.Spin) error {
			size, err := mp2.DensityWorkspace(options, spins...)
			if err != nil {
				return err
			}
			if err := reserve("mp2_rdm1", size, 0); err != nil {
				return err
			}
			densities, err := mp2.Density(options, spins...)
			for n, d := range densities {
				dense.Copy(matrix[float64](outputs[n]), d.View())
			}
			return err
		})
	})
}

// GMP2 computes the energy of spin orbitals with real or complex integrals; there is no beta. It writes the energy and
// the error bound to Sums.
func GMP2(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	c := record.At[record.GMP2](address)
	alpha, _, f := spinsOf(c.Spins)
	out := vector[float64](c.Sums)
	return runWithCallback(jobID, c.Team, f, func(team *sched.Team) (int64, error) {
		options := mp2.EnergyOptions{
			Options: mp2.Options{Team: team, MaxBytes: int64(c.MaxBytes), SkipFiniteCheck: !c.CheckFinite},
		}
		result, err := gmp2Energy(alpha, c.Layout, options)
		out[0], out[1] = result.SameSpin, result.ErrorBound
		return 0, err
	})
}

func gmp2Energy(s *spin, layout string, options mp2.EnergyOptions) (result mp2.Result, err error) {
	err = openSpins(s, nil, layout, func(spins []mp2.Spin) error {
		size, err := mp2.GeneralizedWorkspace(options, spins[0].Source)
		if err != nil {
			return err
		}
		if err := reserve("df_gmp2_energy", size, 0); err != nil {
			return err
		}
		result, err = mp2.Generalized(spins[0].Source, s.occ, s.vir, options)
		return err
	})
	return result, err
}
