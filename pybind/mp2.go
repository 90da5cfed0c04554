package pybind

import (
	"errors"
	"fmt"

	"trnsci/core/dense"
	"trnsci/core/mp2"
	precisions "trnsci/core/precision"
	"trnsci/core/sched"
	"trnsci/trnbackend"
	"trnsci/trnbackend/device"
	devicemp2 "trnsci/trnbackend/programs/mp2"
	"trnsci/trnbackend/programs/product"
)

// spin is the input of one spin: integrals in memory or the path of a file, and orbital energies.
type spin struct {
	b        *array // shape (nocc, nvir, naux)
	path     string // not empty: the integrals are there, and b is not looked at
	feed     *feed  // not nil: the integrals come from Python, and b has their shape and dtype alone
	number   int    // 0 or 1, by which Python knows the spin
	occ, vir []float64
}

// newSpin decodes the arguments of a spin. The path comes as hexadecimal digits, since file names need not be text.
func newSpin(b, occ, vir uint64, hexPath string) *spin {
	if b == 0 {
		return nil
	}
	return &spin{b: descriptor(b), path: decoded(hexPath), occ: vector[float64](descriptor(occ)), vir: vector[float64](descriptor(vir))}
}

// feedOf gives a feed to the spins whose bits are set; nil if there are none.
func feedOf(fed int64, spins ...*spin) *feed {
	if fed == 0 {
		return nil
	}
	f := newFeed()
	for n, s := range spins {
		if fed>>n&1 != 0 {
			s.feed, s.number = f, n
		}
	}
	return f
}

// open returns the integrals and a function that lets go of them.
func (s *spin) open(layout string) (source mp2.Source, closer func(), err error) {
	if s.path != "" {
		file, err := mp2.OpenIntegrals(s.path, mp2.Layout(layout), len(s.occ), len(s.vir))
		if err != nil {
			return nil, nil, err
		}
		return file, func() { file.Close() }, nil
	}
	return sourceOf(s.b, s.feed, s.number), func() {}, nil
}

// sourceOf returns the integrals in an array, or those of its shape and dtype that Python is asked for under a number where there is a feed.
func sourceOf(b *array, f *feed, number int) mp2.Source {
	switch b.dtype {
	case float32Code:
		return typedSource[float32](b, f, number)
	case complex64Code:
		return typedSource[complex64](b, f, number)
	case complex128Code:
		return typedSource[complex128](b, f, number)
	}
	return typedSource[float64](b, f, number)
}

func typedSource[T dense.Scalar](b *array, f *feed, number int) mp2.Source {
	if f == nil {
		return inMemory[T](b)
	}
	return &mp2.FunctionIntegrals[T]{Nocc: b.shape[0], Nvir: b.shape[1], Naux: b.shape[2], Load: loader[T](f, number)}
}

func inMemory[T dense.Scalar](a *array) mp2.Integrals[T] {
	if len(a.shape) != 3 {
		panic(fmt.Sprintf("integrals of shape %v", a.shape))
	}
	data, offset := elements[T](a)
	return mp2.Integrals[T]{
		Nocc: a.shape[0], Nvir: a.shape[1], Naux: a.shape[2], Offset: offset,
		StrideI: a.strides[0], StrideA: a.strides[1], StrideP: a.strides[2], Data: data,
	}
}

// MP2 computes the DF-MP2 energy of one spin (restricted) or, when bBeta is not 0, of two. sums, four float64, gets the
// opposite-spin and same-spin energies and the error bound. The pair energies are written where their addresses are not
// 0: pairs of the one spin or alpha-alpha, beta-beta, alpha-beta. maxBytes is what blocks of integrals may take; on a
// device, where deviceID is not 0, all that is there, and 0 is no limit. Bit s of fed says that the integrals of spin s come from Python, see
// JobAsked; the call is then a job. The last of sums is the number of pairs that were computed again for the tolerance. The
// path of a checkpoint, which a device has none of, is empty where there is none.
func MP2(jobID, threads int64, bAlpha, occAlpha, virAlpha, bBeta, occBeta, virBeta, sums, pairs, pairsBeta, pairsMixed uint64,
	hexPathAlpha, hexPathBeta, layout, precision string, fed int64, checkFinite bool, maxBytes int64, tolerance float64, hexCheckpoint string,
	deviceID int64) (report int64, err error) {
	defer guard(&err)
	alpha, beta := newSpin(bAlpha, occAlpha, virAlpha, hexPathAlpha), newSpin(bBeta, occBeta, virBeta, hexPathBeta)
	feed := feedOf(fed, alpha, beta)
	out := vector[float64](descriptor(sums))
	pairOut := []*array{descriptor(pairs), descriptor(pairsBeta), descriptor(pairsMixed)}
	store := func(result mp2.Result) {
		out[0], out[1], out[2], out[3] = result.OppositeSpin, result.SameSpin, result.ErrorBound, float64(result.Recomputed)
		if pairOut[0] != nil {
			storePairs(result.PairEnergies, beta != nil, pairOut)
		}
	}
	if deviceID != 0 {
		return onDeviceFed(jobID, threads, deviceID, feed, func(_ *sched.Team, call *device.Call) error {
			result, err := mp2OnDevice(call, alpha, beta, layout, precision, maxBytes)
			if err == nil {
				store(result)
			}
			return err
		})
	}
	return runFed(jobID, threads, feed, func(team *sched.Team) (int64, error) {
		options := mp2.EnergyOptions{
			Options:   mp2.Options{Team: team, SkipFiniteCheck: !checkFinite, MaxBytes: maxBytes},
			Precision: mp2.Precision(precision), PairEnergies: pairOut[0] != nil, Tolerance: tolerance, Checkpoint: decoded(hexCheckpoint),
		}
		result, err := mp2Energy(alpha, beta, layout, options)
		if err == nil {
			store(result)
		}
		return 0, err
	})
}

// withSpins calls op with the spins there are as device programs take them and with the precision of the products, in a call that may use so many bytes
// of the device; 0 is no limit. Integrals of both precisions are double ones. The integrals are open until it returns.
func withSpins(call *device.Call, alpha, beta *spin, layout, precision string, maxBytes int64, op func(precisions.Precision, []mp2.Spin) error) error {
	call.LimitMemory(maxBytes)
	return openSpins(alpha, beta, layout, func(spins []mp2.Spin) error {
		single := true
		for _, s := range spins {
			single = single && mp2.IsSingle(s.Source)
		}
		p, err := product.Choose(call.Caps(), precision, !single)
		if err != nil {
			return err
		}
		err = op(p, spins)
		var lacking *trnbackend.UnsupportedError
		if maxBytes > 0 && errors.As(err, &lacking) {
			err = fmt.Errorf("max_memory: %d bytes: %w", maxBytes, err)
		}
		return err
	})
}

// mp2OnDevice computes the energies on a device.
func mp2OnDevice(call *device.Call, alpha, beta *spin, layout, precision string, maxBytes int64) (result mp2.Result, err error) {
	err = withSpins(call, alpha, beta, layout, precision, maxBytes, func(p precisions.Precision, spins []mp2.Spin) error {
		r, err := devicemp2.Energy(call, p, spins...)
		if err == nil {
			result = r.Result
		}
		return err
	})
	return result, err
}

func mp2Energy(alpha, beta *spin, layout string, options mp2.EnergyOptions) (mp2.Result, error) {
	source, closeAlpha, err := alpha.open(layout)
	if err != nil {
		return mp2.Result{}, err
	}
	defer closeAlpha()
	if beta == nil {
		if err := reserveMP2(options, source); err != nil {
			return mp2.Result{}, err
		}
		return mp2.Restricted(source, alpha.occ, alpha.vir, options)
	}
	sourceBeta, closeBeta, err := beta.open(layout)
	if err != nil {
		return mp2.Result{}, err
	}
	defer closeBeta()
	if err := reserveMP2(options, source, sourceBeta); err != nil {
		return mp2.Result{}, err
	}
	return mp2.Unrestricted(source, sourceBeta, alpha.occ, beta.occ, alpha.vir, beta.vir, options)
}

func reserveMP2(options mp2.EnergyOptions, sources ...mp2.Source) error {
	size, err := mp2.Workspace(options, sources...)
	if err != nil {
		return err
	}
	return reserve("df_mp2_energy", size, 0)
}

// storePairs writes the pair energies in the form that MP2 documents: those of one spin are the sums of all components.
func storePairs(pairs *mp2.PairEnergies, unrestricted bool, out []*array) {
	if unrestricted {
		dense.Copy(matrix[float64](out[0]), pairs.AlphaAlpha.View())
		dense.Copy(matrix[float64](out[1]), pairs.BetaBeta.View())
		dense.Copy(matrix[float64](out[2]), pairs.OppositeSpin.View())
		return
	}
	sum := matrix[float64](out[0])
	for i := range sum.Rows {
		for j := range sum.Cols {
			sum.Set(i, j, pairs.OppositeSpin.At(i, j)+pairs.AlphaAlpha.At(i, j)+pairs.BetaBeta.At(i, j))
		}
	}
}
