package pybind

import (
	"errors"
	"fmt"

	"trnsci/core/dense"
	"trnsci/core/mp2"
	"trnsci/core/precision"
	"trnsci/core/sched"
	"trnsci/pybind/record"
	"trnsci/trnbackend"
	"trnsci/trnbackend/device"
	devicemp2 "trnsci/trnbackend/programs/mp2"
	"trnsci/trnbackend/programs/product"
)

// spin holds the integrals and orbital energies of one spin.
type spin struct {
	b        *record.Array // shape (nocc, nvir, naux)
	path     string        // if not empty, the integrals are in this file, and b is ignored
	callback *callback     // if not nil, the integrals come from Python, and b has only their shape and dtype
	number   int           // Python's number of the spin: 0 or 1
	occ, vir []float64
}

// spinsOf returns the spins of a record and the callback that requests their integrals. beta is nil for a closed shell;
// the callback is nil if no integrals come from Python.
func spinsOf(s record.Spins) (alpha, beta *spin, f *callback) {
	if s.Requests != 0 {
		f = newCallback()
	}
	alpha = &spin{b: s.BAlpha, path: s.PathAlpha, occ: vector[float64](s.OccAlpha), vir: vector[float64](s.VirAlpha)}
	if s.BBeta != nil {
		beta = &spin{b: s.BBeta, path: s.PathBeta, number: 1, occ: vector[float64](s.OccBeta),
			vir: vector[float64](s.VirBeta)}
	}
	for n, spin := range []*spin{alpha, beta} {
		if spin != nil && s.Requests>>n&1 != 0 {
			spin.callback = f
		}
	}
	return alpha, beta, f
}

// open returns the integrals and a function that closes them.
func (s *spin) open(layout string) (source mp2.Source, closer func(), err error) {
	if s.path != "" {
		file, err := mp2.OpenIntegrals(s.path, mp2.Layout(layout), len(s.occ), len(s.vir))
		if err != nil {
			return nil, nil, err
		}
		return file, func() { file.Close() }, nil
	}
	return sourceOf(s.b, s.callback, s.number), func() {}, nil
}

// sourceOf returns the integrals in an array, or with a callback the integrals of its shape and dtype that Python knows
// by number.
func sourceOf(b *record.Array, f *callback, number int) mp2.Source {
	switch b.Dtype {
	case record.Float32:
		return typedSource[float32](b, f, number)
	case record.Complex64:
		return typedSource[complex64](b, f, number)
	case record.Complex128:
		return typedSource[complex128](b, f, number)
	}
	return typedSource[float64](b, f, number)
}

func typedSource[T dense.Scalar](b *record.Array, f *callback, number int) mp2.Source {
	if len(b.Shape) != 3 {
		panic(fmt.Sprintf("integrals of shape %v", b.Shape))
	}
	if f == nil {
		return inMemory[T](b)
	}
	return &mp2.FunctionIntegrals[T]{Nocc: b.Shape[0], Nvir: b.Shape[1], Naux: b.Shape[2], Load: loader[T](f, number)}
}

func inMemory[T dense.Scalar](a *record.Array) mp2.Integrals[T] {
	data, offset := record.Elements[T](a)
	return mp2.Integrals[T]{
		Nocc: a.Shape[0], Nvir: a.Shape[1], Naux: a.Shape[2], Offset: offset,
		StrideI: a.Strides[0], StrideA: a.Strides[1], StrideP: a.Strides[2], Data: data,
	}
}

// openSpins opens the integrals of the spins, calls op and closes them. beta is nil for a closed shell.
func openSpins(alpha, beta *spin, layout string, op func(spins []mp2.Spin) error) error {
	return openSpinsBy((*spin).open, alpha, beta, layout, op)
}

// openSpinsBy is openSpins with a given function that opens the integrals.
func openSpinsBy(open func(*spin, string) (mp2.Source, func(), error), alpha, beta *spin, layout string,
	op func(spins []mp2.Spin) error) error {
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

// energyOptions returns the options of an energy on the host.
func energyOptions(c *record.MP2, team *sched.Team) mp2.EnergyOptions {
	return mp2.EnergyOptions{
		Options:   mp2.Options{Team: team, SkipFiniteCheck: !c.CheckFinite, MaxBytes: int64(c.MaxBytes)},
		Precision: mp2.Precision(c.Precision), PairEnergies: c.Pairs != nil, Tolerance: c.Tolerance, Checkpoint: c.Checkpoint,
	}
}

// MP2 computes the DF-MP2 energy of one spin (restricted) or of two. It writes the opposite-spin and same-spin energies
// and the error bound to Sums, and to Recomputed the number of pairs that were computed again to meet the tolerance.
// Pair energies are written to the arrays that are present: pairs of the one spin, or alpha-alpha, beta-beta and
// alpha-beta. MaxBytes limits the memory for blocks of integrals; if Device is not 0, it limits all memory of the call
// on the device, and 0 means no limit. Checkpoint is a path, or empty for none; devices have none.
func MP2(jobID int64, address uint64) (report int64, err error) {
	defer guard(&err)
	c := record.At[record.MP2](address)
	alpha, beta, f := spinsOf(c.Spins)
	sums, recomputed := vector[float64](c.Sums), vector[int64](c.Recomputed)
	store := func(result mp2.Result) {
		sums[0], sums[1], sums[2] = result.OppositeSpin, result.SameSpin, result.ErrorBound
		recomputed[0] = int64(result.Recomputed)
		if c.Pairs != nil {
			storePairs(result.PairEnergies, beta != nil, c)
		}
	}
	if c.Device != 0 {
		return onDevice(jobID, c.Team, c.Device, f, func(_ *sched.Team, call *device.Call) error {
			result, err := mp2OnDevice(call, alpha, beta, c)
			if err == nil {
				store(result)
			}
			return err
		})
	}
	return runWithCallback(jobID, c.Team, f, func(team *sched.Team) (int64, error) {
		result, err := mp2Energy(alpha, beta, c.Layout, energyOptions(c, team))
		if err == nil {
			store(result)
		}
		return 0, err
	})
}

// withSpins opens the integrals, calls op with the spins in the form that device programs take and with the precision
// of the products, and closes them. MaxBytes limits the call's memory on the device; 0 means no limit. If the
// precisions of the two spins differ, both are double.
func withSpins(call *device.Call, alpha, beta *spin, c *record.MP2,
	op func(precision.Precision, []mp2.Spin) error) error {
	call.LimitMemory(int64(c.MaxBytes))
	return openSpins(alpha, beta, c.Layout, func(spins []mp2.Spin) error {
		single := true
		for _, s := range spins {
			single = single && mp2.IsSingle(s.Source)
		}
		p, err := product.Choose(call.Caps(), c.Precision, !single)
		if err != nil {
			return err
		}
		err = op(p, spins)
		var lacking *trnbackend.UnsupportedError
		if c.MaxBytes > 0 && errors.As(err, &lacking) {
			err = fmt.Errorf("max_memory: %d bytes: %w", c.MaxBytes, err)
		}
		return err
	})
}

// mp2OnDevice computes the energies on a device.
func mp2OnDevice(call *device.Call, alpha, beta *spin, c *record.MP2) (result mp2.Result, err error) {
	err = withSpins(call, alpha, beta, c, func(p precision.Precision, spins []mp2.Spin) error {
		r, err := devicemp2.Energy(call, p, spins...)
		if err == nil {
			result = r.Result
		}
		return err
	})
	return result, err
}

func mp2Energy(alpha, beta *spin, layout string, options mp2.EnergyOptions) (result mp2.Result, err error) {
	err = openSpins(alpha, beta, layout, func(spins []mp2.Spin) (err error) {
		sources := make([]mp2.Source, len(spins))
		for n, s := range spins {
			sources[n] = s.Source
		}
		size, err := mp2.Workspace(options, sources...)
		if err != nil {
			return err
		}
		if err := reserve("df_mp2_energy", size, 0); err != nil {
			return err
		}
		if beta == nil {
			result, err = mp2.Restricted(sources[0], alpha.occ, alpha.vir, options)
		} else {
			result, err = mp2.Unrestricted(sources[0], sources[1], alpha.occ, beta.occ, alpha.vir, beta.vir, options)
		}
		return err
	})
	return result, err
}

// storePairs writes the pair energies in the form that MP2 documents: a closed shell gets the sum of all spin
// components.
func storePairs(pairs *mp2.PairEnergies, unrestricted bool, c *record.MP2) {
	if unrestricted {
		dense.Copy(matrix[float64](c.Pairs), pairs.AlphaAlpha.View())
		dense.Copy(matrix[float64](c.PairsBeta), pairs.BetaBeta.View())
		dense.Copy(matrix[float64](c.PairsMixed), pairs.OppositeSpin.View())
		return
	}
	sum := matrix[float64](c.Pairs)
	for i := range sum.Rows {
		for j := range sum.Cols {
			sum.Set(i, j, pairs.OppositeSpin.At(i, j)+pairs.AlphaAlpha.At(i, j)+pairs.BetaBeta.At(i, j))
		}
	}
}

// KMP2 computes the energy of a closed shell for each cell of a crystal with nk k-points. B lists the nk*nk integrals,
// complex arrays of shape (nocc, nvir, naux), row by row; Occ and Vir have the shapes (nk, nocc) and (nk, nvir),
// Conserve (nk*nk*nk). If Requests is set, the integrals come from Python, which numbers them ki nk + ka, and the
// arrays give only their shapes and dtype. The opposite-spin and same-spin energies and the error bound are written to
// Sums.
func KMP2(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	c := record.At[record.KMP2](address)
	k := mp2.KPoints{Occ: vectors(c.Occ), Vir: vectors(c.Vir)}
	for _, kb := range vector[int64](c.Conserve) {
		k.Conserve = append(k.Conserve, int(kb))
	}
	var f *callback
	if c.Requests {
		f = newCallback()
	}
	nk := len(k.Occ)
	k.B = make([][]mp2.Source, nk)
	for n, b := range c.B {
		k.B[n/nk] = append(k.B[n/nk], sourceOf(b, f, n))
	}
	out := vector[float64](c.Sums)
	return runWithCallback(jobID, c.Team, f, func(team *sched.Team) (int64, error) {
		options := mp2.Options{Team: team, MaxBytes: int64(c.MaxBytes), SkipFiniteCheck: !c.CheckFinite}
		size, err := mp2.KPointWorkspace(k, options)
		if err != nil {
			return 0, err
		}
		if err := reserve("df_kmp2_energy", size, 0); err != nil {
			return 0, err
		}
		result, err := mp2.KPointEnergy(k, options)
		out[0], out[1], out[2] = result.OppositeSpin, result.SameSpin, result.ErrorBound
		return 0, err
	})
}

// vectors returns the rows of a contiguous two-dimensional array.
func vectors(a *record.Array) [][]float64 {
	rows := newRows[float64](a)
	out := make([][]float64, rows.count())
	for n := range out {
		out[n] = rows.at(n)
	}
	return out
}
