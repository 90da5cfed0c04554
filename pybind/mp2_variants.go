package pybind

import (
	"encoding/hex"

	"trnsci/core/dense"
	"trnsci/core/mp2"
	"trnsci/core/npy"
	"trnsci/core/sched"
)

// openSpins calls op with the spins there are, beta being nil for a closed shell. The integrals are open until it returns.
func openSpins(alpha, beta *spin, layout string, op func(spins []mp2.Spin) error) error {
	return openSpinsBy((*spin).open, alpha, beta, layout, op)
}

// openSpinsBy is openSpins with another way to open the integrals.
func openSpinsBy(open func(*spin, string) (mp2.Source, func(), error), alpha, beta *spin, layout string, op func(spins []mp2.Spin) error) error {
	var spins []mp2.Spin
	for n, s := range []*spin{alpha, beta} {
		if s == nil {
			continue
		}
		source, closer, err := open(s, layout)
		if err != nil {
			return err
		}
		defer closer()
		name := ""
		if beta != nil {
			name = []string{"alpha", "beta"}[n]
		}
		spins = append(spins, mp2.Spin{Name: name, Source: source, Occ: s.occ, Vir: s.vir})
	}
	return op(spins)
}

// SOSMP2 computes the opposite-spin energy to within a tolerance. sums, four float64, gets it, the number of points, that of those in float32,
// and the bound of the error of both. The other arguments are those of MP2.
func SOSMP2(jobID, threads int64, bAlpha, occAlpha, virAlpha, bBeta, occBeta, virBeta, sums uint64,
	hexPathAlpha, hexPathBeta, layout string, fed int64, tolerance float64, maxBytes int64) (zero int64, err error) {
	defer guard(&err)
	alpha, beta := newSpin(bAlpha, occAlpha, virAlpha, hexPathAlpha), newSpin(bBeta, occBeta, virBeta, hexPathBeta)
	feed := feedOf(fed, alpha, beta)
	out := vector[float64](descriptor(sums))
	return runFed(jobID, threads, feed, func(team *sched.Team) (int64, error) {
		options := mp2.Options{Team: team, MaxBytes: maxBytes}
		return 0, openSpins(alpha, beta, layout, func(spins []mp2.Spin) error {
			size, err := mp2.OppositeSpinWorkspace(options, spins...)
			if err != nil {
				return err
			}
			if err := reserve("sos_mp2_energy", size, 0); err != nil {
				return err
			}
			result, err := mp2.OppositeSpin(tolerance, options, spins...)
			out[0], out[1], out[2], out[3] = result.OppositeSpin, float64(result.Points), float64(result.Single), result.QuadratureError
			return err
		})
	})
}

// MP2Amplitudes computes amplitudes of double excitations, of part 0 those of a closed shell or within alpha, of part 1 between alpha and beta, of
// part 2 within beta. They go to out, an array of shape (nocc, nocc, nvir, nvir), or, where hexPathOut is not empty, to the .npy file of that name. The other
// arguments are those of MP2.
func MP2Amplitudes(jobID, threads int64, bAlpha, occAlpha, virAlpha, bBeta, occBeta, virBeta, out uint64,
	hexPathAlpha, hexPathBeta, layout string, fed, part int64, hexPathOut string, maxBytes int64) (zero int64, err error) {
	defer guard(&err)
	alpha, beta := newSpin(bAlpha, occAlpha, virAlpha, hexPathAlpha), newSpin(bBeta, occBeta, virBeta, hexPathBeta)
	feed := feedOf(fed, alpha, beta)
	path, err := hex.DecodeString(hexPathOut)
	if err != nil {
		panic(err)
	}
	array := descriptor(out)
	return runFed(jobID, threads, feed, func(team *sched.Team) (int64, error) {
		options := mp2.Options{Team: team, MaxBytes: maxBytes}
		return 0, openSpins(alpha, beta, layout, func(spins []mp2.Spin) error {
			left, right, kind := partOf(spins, part)
			if len(path) > 0 {
				return amplitudesToFile(options, left, right, kind, string(path))
			}
			return amplitudesToArray(options, left, right, kind, array)
		})
	})
}

// partOf returns which amplitudes a part is.
func partOf(spins []mp2.Spin, part int64) (left, right mp2.Spin, kind mp2.Amplitudes) {
	switch {
	case len(spins) == 1:
		return spins[0], spins[0], mp2.ClosedShellAmplitudes
	case part == 1:
		return spins[0], spins[1], mp2.OppositeSpinAmplitudes
	}
	return spins[part/2], spins[part/2], mp2.SameSpinAmplitudes
}

// amplitudesToArray writes amplitudes to an array of four dimensions, those of j, i beside those of i, j where they are transposes.
func amplitudesToArray(options mp2.Options, left, right mp2.Spin, kind mp2.Amplitudes, out *array) error {
	size, err := mp2.PairAmplitudesWorkspace(options, left, right, kind)
	if err != nil {
		return err
	}
	if err := reserve("mp2_amplitudes", size, out.bytes()); err != nil {
		return err
	}
	matrices, nocc := newBatch[float64](out), out.shape[1]
	return mp2.PairAmplitudes(options, left, right, kind, func(i, j int, t dense.Matrix[float64]) {
		dense.Copy(matrices.at(i*nocc+j), t.View())
		if kind != mp2.OppositeSpinAmplitudes && i != j {
			dense.Copy(matrices.at(j*nocc+i).T(), t.View())
		}
	})
}

// amplitudesToFile writes amplitudes to a .npy file, which is complete or not there.
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

// MP2Density computes the unrelaxed one-particle density. It goes to out, and where bBeta is not 0 that of beta to outBeta. The other arguments are
// those of MP2.
func MP2Density(jobID, threads int64, bAlpha, occAlpha, virAlpha, bBeta, occBeta, virBeta, out, outBeta uint64,
	hexPathAlpha, hexPathBeta, layout string, fed, maxBytes int64) (zero int64, err error) {
	defer guard(&err)
	alpha, beta := newSpin(bAlpha, occAlpha, virAlpha, hexPathAlpha), newSpin(bBeta, occBeta, virBeta, hexPathBeta)
	feed := feedOf(fed, alpha, beta)
	outputs := []*array{descriptor(out), descriptor(outBeta)}
	return runFed(jobID, threads, feed, func(team *sched.Team) (int64, error) {
		options := mp2.Options{Team: team, MaxBytes: maxBytes}
		return 0, openSpins(alpha, beta, layout, func(spins []mp2.Spin) error {
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

// GMP2 computes the energy of spin orbitals with real or complex integrals; there is no beta. sums, two float64, gets it and the error bound. The
// other arguments are those of MP2.
func GMP2(jobID, threads int64, bAlpha, occAlpha, virAlpha, bBeta, occBeta, virBeta, sums uint64,
	hexPathAlpha, hexPathBeta, layout string, fed int64, checkFinite bool, maxBytes int64) (zero int64, err error) {
	defer guard(&err)
	alpha := newSpin(bAlpha, occAlpha, virAlpha, hexPathAlpha)
	feed := feedOf(fed, alpha)
	out := vector[float64](descriptor(sums))
	return runFed(jobID, threads, feed, func(team *sched.Team) (int64, error) {
		options := mp2.EnergyOptions{
			Options: mp2.Options{Team: team, MaxBytes: maxBytes, SkipFiniteCheck: !checkFinite},
		}
		result, err := gmp2Energy(alpha, layout, options)
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
