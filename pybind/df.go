package pybind

import (
	"trnsci/core/dense"
	"trnsci/core/df"
	"trnsci/core/sched"
)

// byCholesky is what DFFit returns for a metric that has a Cholesky factor.
const byCholesky = -1

// DFFit overwrites three-index integrals by W times them, with J^-1 = W^T W for the metric J. integrals is a matrix of (naux, pairs), of the
// metric's dtype, whose rows or columns are contiguous. It returns -1 for a metric with a Cholesky factor, and otherwise how many
// eigenvalues of it were not above lindep; so many of the last rows then keep the old integrals.
func DFFit(jobID, threads int64, metric, integrals uint64, lindep float64, checkFinite bool) (dropped int64, err error) {
	defer guard(&err)
	j, x := descriptor(metric), descriptor(integrals)
	return run(jobID, threads, func(team *sched.Team) (int64, error) {
		if j.dtype == float32Code {
			return fit[float32](team, j, x, lindep, checkFinite)
		}
		return fit[float64](team, j, x, lindep, checkFinite)
	})
}

func fit[T dense.Float](team *sched.Team, metric, integrals *array, lindep float64, checkFinite bool) (int64, error) {
	j, x := matrix[T](metric), matrix[T](integrals)
	if err := reserve("df_fit", df.FitWorkspace[T](team, j.Rows), 0); err != nil {
		return 0, err
	}
	factoring, fitting := j.Rows*j.Rows*j.Rows/6, j.Rows*x.Rows*x.Cols/2
	team = team.Plan(factoring + fitting)
	phase := team.Phase(factoring)
	m, err := df.DecomposeMetric(phase, j, lindep)
	if err != nil {
		return 0, err
	}
	phase.End()
	if err := m.Fit(team.Phase(fitting), x, !checkFinite); err != nil {
		return 0, err
	}
	if m.ByCholesky() {
		return byCholesky, nil
	}
	return int64(j.Rows - m.Functions()), nil
}

// TensorRows returns the number of rows of L in a .npy file, one that DFTransform takes; of any other it returns the error.
func TensorRows(hexPath string) (naux int64, err error) {
	defer guard(&err)
	file, err := df.OpenPacked(decoded(hexPath))
	if err != nil {
		return 0, err
	}
	defer file.Close()
	rows, _ := file.Shape()
	return int64(rows), nil
}

// DFTransform takes L from atomic to molecular orbitals. occ and vir are the orbitals, (nao, nocc) and (nao, nvir), out is an array of
// (nocc*nvir, naux), all of them float64; L is the array l, or in the file whose path is not empty, or comes from Python if fed is set,
// see JobAsked; l then has its shape.
func DFTransform(jobID, threads int64, l, occ, vir, out uint64, hexPath string, fed, checkFinite bool, maxBytes int64) (zero int64, err error) {
	defer guard(&err)
	input := tensorInput{l: descriptor(l), path: decoded(hexPath)}
	if fed {
		input.feed = newFeed()
	}
	result := descriptor(out)
	o, v, b := matrix[float64](descriptor(occ)), matrix[float64](descriptor(vir)), matrix[float64](result)
	return runFed(jobID, threads, input.feed, func(team *sched.Team) (int64, error) {
		source, closer, err := input.open()
		if err != nil {
			return 0, err
		}
		defer closer()
		options := df.Options{Team: team, SkipFiniteCheck: !checkFinite, MaxBytes: maxBytes}
		workspace, err := df.TransformWorkspace(source, o, v, options)
		if err != nil {
			return 0, err
		}
		if err := reserve("df_transform", workspace, result.bytes()); err != nil {
			return 0, err
		}
		return 0, df.Transform(source, o, v, b, options)
	})
}
