package pybind

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/matfunc"
	"trnsci/core/sched"
	"trnsci/trnbackend/device"
	"trnsci/trnbackend/programs/invsqrt"
	"trnsci/trnbackend/programs/product"
)

// InvSqrtSPD writes the inverse square root of every matrix of the stack a into the stack x, of the same shape and dtype, and the number of eigenvalues
// that were dropped into dropped, a float64 stack of vectors of one element. A threshold of 0 is the default one.
func InvSqrtSPD(jobID, threads int64, a, x, dropped uint64, threshold float64, checkFinite bool) (zero int64, err error) {
	defer guard(&err)
	in, out, counts := descriptor(a), descriptor(x), newRows[float64](descriptor(dropped))
	options := matfunc.Options{Threshold: threshold, SkipFiniteCheck: !checkFinite}
	return byDtype[in.dtype].invSqrtSPD(jobID, threads, in, out, counts, options)
}

func (routinesOf[T]) invSqrtSPD(jobID, threads int64, in, out *array, counts rows[float64], options matfunc.Options) (int64, error) {
	matrices, roots := newBatch[T](in), newBatch[T](out)
	return run(jobID, threads, func(team *sched.Team) (int64, error) {
		if err := reserveEach(team, matrices.count(), "inv_sqrt_spd", out.bytes(), func(team *sched.Team) int64 {
			return matfunc.Workspace[T](team, matrices.order())
		}); err != nil {
			return 0, err
		}
		return 0, forEach(team, matrices.count(), func(team *sched.Team, k int) error {
			options := options
			options.Team = team
			dropped, err := matfunc.InvSqrtSPD(matrices.at(k), roots.at(k), options)
			counts.at(k)[0] = float64(dropped)
			return err
		})
	})
}

// DeviceInvSqrtSPD writes the inverse square root of every matrix of the real stack a into the row-major stack x, computed on a device by the Newton-Schulz
// iteration in a precision of package core/precision, or none that is said. With checkFinite infinities and NaNs are refused anywhere in a, else in the lower
// triangles only. It returns the number of the report.
func DeviceInvSqrtSPD(jobID, threads int64, a, x uint64, id int64, precision string, checkFinite bool) (report int64, err error) {
	defer guard(&err)
	in, out := descriptor(a), descriptor(x)
	return onDevice(jobID, threads, id, func(team *sched.Team, on *device.Call) error {
		if in.dtype == float32Code {
			return deviceInvSqrtSPD[float32](team, on, in, out, precision, checkFinite)
		}
		return deviceInvSqrtSPD[float64](team, on, in, out, precision, checkFinite)
	})
}

func deviceInvSqrtSPD[T dense.Float](team *sched.Team, on *device.Call, in, out *array, precision string, checkFinite bool) error {
	p, err := product.Choose(on.Caps(), precision, in.dtype == float64Code)
	if err != nil {
		return err
	}
	matrices := newBatch[T](in)
	for k, x := range members[T](out) {
		if checkFinite {
			err = blas.CheckFinite(team, matrices.at(k), "a")
		}
		if err == nil {
			dense.Copy(x.View(), matrices.at(k))
			err = invsqrt.NewtonSchulz(on, p, x, x)
		}
		if err != nil {
			if matrices.count() > 1 {
				err = &memberError{member: k, err: err}
			}
			return err
		}
	}
	return nil
}
