package pybind

import (
	"fmt"

	"trnsci/core/dense"
	"trnsci/core/df"
	"trnsci/core/sched"
	"trnsci/pybind/record"
)

// byCholesky is the result of DFFit for a metric that has a Cholesky factor.
const byCholesky = -1

// DFFit overwrites three-index integrals (P|mn) by W (P|mn), where J^-1 = W^T W for the metric J. Integrals is a matrix
// of shape (naux, pairs) and of the metric's dtype, whose rows or columns are contiguous. It returns -1 for a metric
// with a Cholesky factor, otherwise the number of eigenvalues that were not above Lindep; that many of the last rows
// keep the old integrals.
func DFFit(jobID int64, address uint64) (dropped int64, err error) {
	defer guard(&err)
	c := record.At[record.DFFit](address)
	return run(jobID, c.Team, func(team *sched.Team) (int64, error) {
		if c.Metric.Dtype == record.Float32 {
			return fit[float32](team, c)
		}
		return fit[float64](team, c)
	})
}

func fit[T dense.Float](team *sched.Team, c *record.DFFit) (int64, error) {
	j, x := matrix[T](c.Metric), matrix[T](c.Integrals)
	if err := reserve("df_fit", df.FitWorkspace[T](team, j.Rows), 0); err != nil {
		return 0, err
	}
	factoring, fitting := j.Rows*j.Rows*j.Rows/6, j.Rows*x.Rows*x.Cols/2
	team = team.Plan(factoring + fitting)
	phase := team.Phase(factoring)
	m, err := df.DecomposeMetric(phase, j, c.Lindep)
	if err != nil {
		return 0, err
	}
	phase.End()
	if err := m.Fit(team.Phase(fitting), x, !c.CheckFinite); err != nil {
		return 0, err
	}
	if m.ByCholesky() {
		return byCholesky, nil
	}
	return int64(j.Rows - m.Functions()), nil
}

// TensorRows returns the number of rows of L in a .npy file, or an error if DFTransform does not take the file.
func TensorRows(address uint64) (naux int64, err error) {
	defer guard(&err)
	file, err := df.OpenPacked(record.At[record.TensorRows](address).Path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	rows, _ := file.Shape()
	return int64(rows), nil
}

// tensorCallback returns the callback that requests L, or nil if L does not come from Python.
func tensorCallback(t record.Tensor) *callback {
	if !t.Requests {
		return nil
	}
	return newCallback()
}

// openTensor returns L and a function that closes it.
func openTensor(t record.Tensor, f *callback) (source df.Source, closer func(), err error) {
	l := t.Integrals
	switch {
	case t.Path != "":
		file, err := df.OpenPacked(t.Path)
		if err != nil {
			return nil, nil, err
		}
		return file, func() { file.Close() }, nil
	case f != nil:
		return df.PackedFunction{Naux: l.Shape[0], Pairs: l.Shape[1], Load: loader[float64](f, 0)}, func() {}, nil
	case l.Dtype == record.Float32:
		return df.Packed[float32]{View: matrix[float32](l)}, func() {}, nil
	}
	return df.Packed[float64]{View: matrix[float64](l)}, func() {}, nil
}

// DFTransform transforms L from atomic to molecular orbitals: Occ has shape (nao, nocc), Vir (nao, nvir) and Out
// (nocc*nvir, naux).
func DFTransform(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	c := record.At[record.DFTransform](address)
	f := tensorCallback(c.Tensor)
	occ, vir, out := matrix[float64](c.Occ), matrix[float64](c.Vir), matrix[float64](c.Out)
	return runWithCallback(jobID, c.Team, f, func(team *sched.Team) (int64, error) {
		source, closer, err := openTensor(c.Tensor, f)
		if err != nil {
			return 0, err
		}
		defer closer()
		options := df.Options{Team: team, SkipFiniteCheck: !c.CheckFinite, MaxBytes: int64(c.MaxBytes)}
		workspace, err := df.TransformWorkspace(source, occ, vir, options)
		if err != nil {
			return 0, err
		}
		if err := reserve("df_transform", workspace, c.Out.Bytes()); err != nil {
			return 0, err
		}
		return 0, df.Transform(source, occ, vir, out, options)
	})
}

// jkStacks holds the real or the imaginary parts as stacks of nao x nao matrices; those that are not wanted are nil.
type jkStacks struct{ dm, j, k *record.Array }

// DFJK computes Coulomb and exchange matrices. Dm is a stack of real densities, or of the real parts of complex ones,
// whose imaginary parts are DmImag. Where Coeff and Occ, stacks of orbitals and of occupations, are present, the real
// parts are their densities. The results are written to stacks like Dm and DmImag. Labelled makes messages name the
// member of the stack.
func DFJK(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	c := record.At[record.DFJK](address)
	f := tensorCallback(c.Tensor)
	symmetry := df.Symmetry(c.Hermi)
	stacks := []jkStacks{{c.Dm, c.J, c.K}}
	densities := densitiesOf(c.Dm, symmetry, c.Labelled)
	if c.Coeff != nil {
		addOrbitals(densities, c.Coeff, c.Occ)
	}
	if c.DmImag != nil {
		stacks = append(stacks, jkStacks{c.DmImag, c.JImag, c.KImag})
		densities = append(densities, densitiesOf(c.DmImag, imaginary(symmetry), c.Labelled)...)
	}
	return runWithCallback(jobID, c.Team, f, func(team *sched.Team) (int64, error) {
		source, closer, err := openTensor(c.Tensor, f)
		if err != nil {
			return 0, err
		}
		defer closer()
		options := df.JKOptions{
			Options: df.Options{Team: team, SkipFiniteCheck: !c.CheckFinite, MaxBytes: int64(c.MaxBytes)},
			NoJ:     c.J == nil, NoK: c.K == nil,
		}
		return 0, computeJK(source, densities, stacks, options)
	})
}

// imaginary returns the symmetry of the imaginary parts of Hermitian or anti-Hermitian matrices, given that of the real
// parts.
func imaginary(symmetry df.Symmetry) df.Symmetry {
	switch symmetry {
	case df.Symmetric:
		return df.Antisymmetric
	case df.Antisymmetric:
		return df.Symmetric
	}
	return symmetry
}

func densitiesOf(dm *record.Array, symmetry df.Symmetry, labelled bool) []df.Density {
	stack := newBatch[float64](dm)
	densities := make([]df.Density, stack.count())
	for n := range densities {
		densities[n] = df.Density{D: stack.at(n), Symmetry: symmetry}
		if labelled {
			densities[n].Label = fmt.Sprintf("[%d]", n)
		}
	}
	return densities
}

func addOrbitals(densities []df.Density, coeff, occ *record.Array) {
	orbitals, occupations := newBatch[float64](coeff), newRows[float64](occ)
	for n := range densities {
		densities[n].Orbitals = &df.Orbitals{Coeff: orbitals.at(n), Occ: occupations.at(n)}
	}
}

// computeJK computes the matrices and writes them when all have been computed.
func computeJK(source df.Source, densities []df.Density, stacks []jkStacks, options df.JKOptions) error {
	workspace, err := df.JKWorkspace(source, densities, options)
	if err != nil {
		return err
	}
	results := int64(0)
	for _, s := range stacks {
		results += s.j.Bytes() + s.k.Bytes()
	}
	if err := reserve("df_jk", workspace, results); err != nil {
		return err
	}
	r, err := df.JK(source, densities, options)
	if err != nil {
		return err
	}
	each := len(densities) / len(stacks)
	for n, s := range stacks {
		storeMatrices(s.j, r.J, n*each)
		storeMatrices(s.k, r.K, n*each)
	}
	return nil
}

// storeMatrices writes the matrices from first on to a stack, which may be nil.
func storeMatrices(stack *record.Array, matrices []dense.Matrix[float64], first int) {
	if stack == nil {
		return
	}
	out := newBatch[float64](stack)
	for n := range out.count() {
		dense.Copy(out.at(n), matrices[first+n].View())
	}
}
