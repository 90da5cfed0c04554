package pybind

import (
	"fmt"

	"trnsci/core/dense"
	"trnsci/core/df"
	"trnsci/core/sched"
)

// tensorInput is where L comes from: an array in memory, the path of a file, or Python, which is asked.
type tensorInput struct {
	l    *array // shape (naux, pairs); without elements of its own where Python is asked, nil where there is a path
	path string
	feed *feed
}

// open returns L and a function that lets go of it.
func (t tensorInput) open() (source df.Source, closer func(), err error) {
	switch {
	case t.path != "":
		file, err := df.OpenPacked(t.path)
		if err != nil {
			return nil, nil, err
		}
		return file, func() { file.Close() }, nil
	case t.feed != nil:
		return df.PackedFunction{Naux: t.l.shape[0], Pairs: t.l.shape[1], Load: loader[float64](t.feed, 0)}, func() {}, nil
	case t.l.dtype == float32Code:
		return df.Packed[float32]{View: matrix[float32](t.l)}, func() {}, nil
	}
	return df.Packed[float64]{View: matrix[float64](t.l)}, func() {}, nil
}

// jkStacks are the arrays of the real or of the imaginary parts: stacks of matrices of nao x nao, nil for those that are not there.
type jkStacks struct{ dm, j, k *array }

// DFJK computes Coulomb and exchange matrices. dm is a stack of real densities, or of the real parts of complex ones, whose imaginary parts are
// dmImag. coeff and occ, stacks of orbitals and of occupations, are 0 where there are none; they make the real parts. The results are
// written to stacks like dm and dmImag; those that are not wanted are 0. labelled says that messages name the member of the stack. L is
// the array l, or in the file whose path is not empty, or comes from Python if fed is set, see JobAsked; l then has its shape.
func DFJK(jobID, threads int64, l, dm, dmImag, coeff, occ, j, jImag, k, kImag uint64, hexPath string, fed, labelled bool, hermi int64,
	checkFinite bool, maxBytes int64) (zero int64, err error) {
	defer guard(&err)
	input := tensorInput{l: descriptor(l), path: decoded(hexPath)}
	if fed {
		input.feed = newFeed()
	}
	symmetry := df.Symmetry(hermi)
	stacks := []jkStacks{{descriptor(dm), descriptor(j), descriptor(k)}}
	densities := densitiesOf(stacks[0].dm, symmetry, labelled)
	if coeff != 0 {
		addOrbitals(densities, descriptor(coeff), descriptor(occ))
	}
	if dmImag != 0 {
		stacks = append(stacks, jkStacks{descriptor(dmImag), descriptor(jImag), descriptor(kImag)})
		densities = append(densities, densitiesOf(stacks[1].dm, imaginary(symmetry), labelled)...)
	}
	return runFed(jobID, threads, input.feed, func(team *sched.Team) (int64, error) {
		options := df.JKOptions{
			Options: df.Options{Team: team, SkipFiniteCheck: !checkFinite, MaxBytes: maxBytes}, NoJ: j == 0, NoK: k == 0,
		}
		return 0, computeJK(input, densities, stacks, options)
	})
}

// imaginary returns the symmetry of the imaginary parts of Hermitian or anti-Hermitian matrices, given that of the real parts.
func imaginary(symmetry df.Symmetry) df.Symmetry {
	switch symmetry {
	case df.Symmetric:
		return df.Antisymmetric
	case df.Antisymmetric:
		return df.Symmetric
	}
	return symmetry
}

func densitiesOf(dm *array, symmetry df.Symmetry, labelled bool) []df.Density {
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

func addOrbitals(densities []df.Density, coeff, occ *array) {
	orbitals, occupations := newBatch[float64](coeff), newRows[float64](occ)
	for n := range densities {
		densities[n].Orbitals = &df.Orbitals{Coeff: orbitals.at(n), Occ: occupations.at(n)}
	}
}

// computeJK computes the matrices and writes them when all have been computed.
func computeJK(input tensorInput, densities []df.Density, stacks []jkStacks, options df.JKOptions) error {
	source, closer, err := input.open()
	if err != nil {
		return err
	}
	defer closer()
	workspace, err := df.JKWorkspace(source, densities, options)
	if err != nil {
		return err
	}
	results := int64(0)
	for _, s := range stacks {
		results += s.j.bytes() + s.k.bytes()
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

// storeMatrices writes matrices from the first on to a stack, if there is one.
func storeMatrices(stack *array, matrices []dense.Matrix[float64], first int) {
	if stack == nil {
		return
	}
	out := newBatch[float64](stack)
	for n := range out.count() {
		dense.Copy(out.at(n), matrices[first+n].View())
	}
}
