package pybind

import (
	"context"
	"encoding/json"

	"trnsci/core/dense"
	"trnsci/core/mp2"
	precisions "trnsci/core/precision"
	"trnsci/core/sched"
	devicemp2 "trnsci/trnbackend/programs/mp2"
)

// DeviceMP2Plan returns the plan by which MP2 would compute the energies on a device, as a JSON object. Neither integrals nor energies are read, the
// device is not used, and nothing is compiled.
func DeviceMP2Plan(id int64, bAlpha, occAlpha, virAlpha, bBeta, occBeta, virBeta uint64,
	hexPathAlpha, hexPathBeta, layout, precision string, maxBytes int64) (text string, err error) {
	defer guard(&err)
	s, err := session(id)
	if err != nil {
		return "", err
	}
	call, err := s.Begin(context.Background())
	if err != nil {
		return "", err
	}
	defer call.End()
	alpha, beta := newSpin(bAlpha, occAlpha, virAlpha, hexPathAlpha), newSpin(bBeta, occBeta, virBeta, hexPathBeta)
	var plan *devicemp2.Plan
	err = withSpins(call, alpha, beta, layout, precision, maxBytes, func(p precisions.Precision, spins []mp2.Spin) (err error) {
		plan, err = devicemp2.PlanFor(call.Caps(), p, spins...)
		return err
	})
	if err != nil {
		return "", err
	}
	var expected *float64 // null where the device does not say what it can do
	if plan.Timed {
		expected = &plan.Seconds
	}
	encoded, err := json.Marshal(map[string]any{
		"device": s.Name(), "precision": plan.Precision, "graphs": len(plan.Graphs), "dispatches": plan.Dispatches, "blocks": plan.Blocks(),
		"bytes_in": plan.BytesIn, "bytes_out": plan.BytesOut, "flops": plan.Flops, "memory": plan.Resident + plan.Work, "seconds": expected,
		"text": plan.String(),
	})
	return string(encoded), err
}

// MP2Plan returns the plan by which MP2 would compute the energies on the host, as a JSON object. Nothing of the integrals is read, and of a
// file only the header. What comes from Python, and arrays without memory of their own, whose strides are all 0, count by their shapes; the latter
// stand for arrays in C order. The rate of products is measured.
func MP2Plan(threads int64, bAlpha, occAlpha, virAlpha, bBeta, occBeta, virBeta uint64, hexPathAlpha, hexPathBeta, layout, precision string, fed int64,
	checkFinite bool, maxBytes int64, tolerance float64, hexCheckpoint string) (text string, err error) {
	defer guard(&err)
	alpha, beta := newSpin(bAlpha, occAlpha, virAlpha, hexPathAlpha), newSpin(bBeta, occBeta, virBeta, hexPathBeta)
	feedOf(fed, alpha, beta)
	options := mp2.EnergyOptions{
		Options:   mp2.Options{SkipFiniteCheck: !checkFinite, MaxBytes: maxBytes},
		Precision: mp2.Precision(precision), Tolerance: tolerance, Checkpoint: decoded(hexCheckpoint),
	}
	err = openSpinsBy((*spin).openForPlan, alpha, beta, layout, func(spins []mp2.Spin) error {
		_, err := onTeam(context.Background(), teamSize(threads), nil, func(team *sched.Team) (int64, error) {
			options.Team = team
			text, err = hostPlan(options, spins)
			return 0, err
		})
		return err
	})
	return text, err
}

// hostPlan returns the plan, and what the checkpoint has, as a JSON object.
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
		"precision": plan.Precision, "threads": plan.Threads, "blocks": plan.Blocks, "memory": plan.Memory, "bytes_read": plan.BytesRead,
		"flops": plan.Flops, "seconds": plan.Seconds, "pairs": pairs, "pairs_kept": kept,
	})
	return string(encoded), err
}

// openForPlan is open with arrays in C order in the place of those that have a shape only.
func (s *spin) openForPlan(layout string) (source mp2.Source, closer func(), err error) {
	shapeOnly := s.path == "" && s.feed == nil
	for n, stride := range s.b.strides {
		shapeOnly = shapeOnly && (stride == 0 || s.b.shape[n] <= 1)
	}
	switch {
	case !shapeOnly:
		return s.open(layout)
	case s.b.dtype == float32Code:
		return inOrder[float32](s.b), func() {}, nil
	}
	return inOrder[float64](s.b), func() {}, nil
}

// inOrder returns integrals whose orbitals are in C order, all of them in the same memory.
func inOrder[T dense.Float](a *array) mp2.Integrals[T] {
	nvir, naux := a.shape[1], a.shape[2]
	return mp2.Integrals[T]{
		Nocc: a.shape[0], Nvir: nvir, Naux: naux, StrideA: naux, StrideP: 1, Data: make([]T, nvir*naux),
	}
}
