package pybind

import (
	"context"
	"encoding/json"

	"trnsci/core/dense"
	"trnsci/core/mp2"
	"trnsci/core/npy"
	"trnsci/core/precision"
	"trnsci/core/sched"
	"trnsci/pybind/record"
	devicemp2 "trnsci/trnbackend/programs/mp2"
)

// DeviceMP2Plan returns, as a JSON object, the plan that MP2 would follow on a device. It reads neither integrals nor
// energies, does not use the device and compiles nothing.
func DeviceMP2Plan(address uint64) (text string, err error) {
	defer guard(&err)
	c := record.At[record.MP2](address)
	s, err := session(int64(c.Device))
	if err != nil {
		return "", err
	}
	call, err := s.Begin(context.Background())
	if err != nil {
		return "", err
	}
	defer call.End()
	alpha, beta, _ := spinsOf(c.Spins)
	var plan *devicemp2.Plan
	err = withSpins(call, alpha, beta, c, func(p precision.Precision, spins []mp2.Spin) (err error) {
		plan, err = devicemp2.PlanFor(call.Caps(), p, spins...)
		return err
	})
	if err != nil {
		return "", err
	}
	var expected *float64 // null if the device does not report its rates
	if plan.Timed {
		expected = &plan.Seconds
	}
	encoded, err := json.Marshal(map[string]any{
		"device": s.Name(), "precision": plan.Precision, "graphs": len(plan.Graphs), "dispatches": plan.Dispatches,
		"blocks":   plan.Blocks(),
		"bytes_in": plan.BytesIn, "bytes_out": plan.BytesOut, "flops": plan.Flops, "memory": plan.Resident +
			plan.Work, "seconds": expected,
		"text": plan.String(),
	})
	return string(encoded), err
}

// MP2Plan returns, as a JSON object, the plan that MP2 would follow on the host. It reads no integrals, and only the
// header of a file. Integrals from Python and arrays whose strides are all 0 count only by their shapes; the latter
// stand for arrays in C order. It measures the rate of matrix products.
func MP2Plan(address uint64) (text string, err error) {
	defer guard(&err)
	c := record.At[record.MP2](address)
	alpha, beta, _ := spinsOf(c.Spins)
	err = openSpinsBy((*spin).openForPlan, alpha, beta, c.Layout, func(spins []mp2.Spin) error {
		_, err := onTeam(context.Background(), teamSize(c.Threads), nil, func(team *sched.Team) (int64, error) {
			text, err = hostPlan(energyOptions(c, team), spins)
			return 0, err
		})
		return err
	})
	return text, err
}

// hostPlan returns, as a JSON object, the plan and the number of pairs in the checkpoint.
func hostPlan(options mp2.EnergyOptions, spins []mp2.Spin) (string, error) {
	sources := make([]mp2.Source, len(spins))
	for n, s := range spins {
		sources[n] = s.Source
	}
	plan, err := mp2.Plan(options, sources...)
	if err != nil {
		return "", err
	}
	kept, pairs, err := mp2.Kept(options, spins...)
	if err != nil {
		return "", err
	}
	encoded, err := json.Marshal(map[string]any{
		"precision": plan.Precision, "threads": plan.Threads, "blocks": plan.Blocks, "memory": plan.Memory,
		"bytes_read": plan.BytesRead,
		"flops":      plan.Flops, "seconds": plan.Seconds, "pairs": pairs, "pairs_kept": kept,
	})
	return string(encoded), err
}

// openForPlan is open, but replaces arrays that have only a shape by arrays in C order.
func (s *spin) openForPlan(layout string) (source mp2.Source, closer func(), err error) {
	shapeOnly := s.path == "" && s.callback == nil
	for n, stride := range s.b.Strides {
		shapeOnly = shapeOnly && (stride == 0 || s.b.Shape[n] <= 1)
	}
	switch {
	case !shapeOnly:
		return s.open(layout)
	case s.b.Dtype == record.Float32:
		source, err = inOrder[float32](s.b)
	default:
		source, err = inOrder[float64](s.b)
	}
	return source, func() {}, err
}

// inOrder returns integrals with the strides of C order whose orbitals all share the same memory.
func inOrder[T dense.Float](a *record.Array) (mp2.Source, error) {
	nvir, naux := a.Shape[1], a.Shape[2]
	if err := reserve("df_mp2_energy with plan=True", int64(dense.Bytes[T]())*int64(nvir)*int64(naux), 0); err != nil {
		return nil, err
	}
	return mp2.Integrals[T]{
		Nocc: a.Shape[0], Nvir: nvir, Naux: naux, StrideA: naux, StrideP: 1, Data: make([]T, nvir*naux),
	}, nil
}

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
