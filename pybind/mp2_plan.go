package pybind

import (
	"context"
	"encoding/json"

	"trnsci/core/dense"
	"trnsci/core/mp2"
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
