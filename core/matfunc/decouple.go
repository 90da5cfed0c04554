package matfunc

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
)

// decoupled is an upper triangular T, zeros on whose diagonal are exact, in the form W T' W^-1, where T' has no
// elements between zero eigenvalues and others. W is a product of matrices I + w e_i e_j^T, whose w are where T' has
// zeros instead of t_ij, i < j: first those of the first columns, in each from the diagonal upwards.
type decoupled[W dense.Wide] struct {
	t, w  dense.Matrix[W]
	zero  []int // the rows of T' whose eigenvalues are zero
	other []int // and those of all others
}

// decouple finds the form for t, which is overwritten by T'. Elements between two zero eigenvalues that are no more
// than rounding errors become zeros.
//
// Cost: up to n^3 / 3 multiply-adds, for a matrix and for bounds of rounding errors. Method: Bavely and Stewart, SIAM
// J. Numer. Anal. 16, 1979, with two blocks.
func decouple[W dense.Wide](team *sched.Team, t dense.Matrix[W]) (d decoupled[W], err error) {
	n := t.Rows
	d.t, d.w = t, dense.New[W](n, n)
	isZero, terms := make([]bool, n), dense.New[float64](n, n) // sums of the moduli of what was added up
	for i := range n {
		isZero[i] = t.At(i, i) == 0
		for j, v := range t.Row(i) {
			terms.Set(i, j, dense.Abs(v))
		}
		if isZero[i] {
			d.zero = append(d.zero, i)
		} else {
			d.other = append(d.other, i)
		}
	}
	for j := range n {
		if err := team.Err(); err != nil {
			return d, err
		}
		for i := j - 1; i >= 0; i-- {
			if isZero[i] == isZero[j] || t.At(i, j) == 0 {
				continue
			}
			w := t.At(i, j) / (t.At(j, j) - t.At(i, i))
			d.w.Set(i, j, w)
			shear(t, i, j, w)
			t.Set(i, j, 0)
			size := dense.Abs(w)
			for k := range i {
				terms.Set(k, j, terms.At(k, j)+size*terms.At(k, i))
			}
			blas.Axpy(size, terms.RowVec(j, j, n), terms.RowVec(i, j, n))
		}
	}
	for _, i := range d.zero {
		for _, j := range d.zero {
			if dense.Abs(t.At(i, j)) <= float64(n)*dense.Eps[W]()*terms.At(i, j) {
				t.Set(i, j, 0)
			}
		}
	}
	return d, nil
}

// shear overwrites the upper triangular t by (I - w e_i e_j^T) t (I + w e_i e_j^T), i < j.
func shear[W dense.Wide](t dense.Matrix[W], i, j int, w W) {
	for k := range i + 1 {
		t.Set(k, j, t.At(k, j)+w*t.At(k, i))
	}
	blas.Axpy(-w, t.RowVec(j, j, t.Cols), t.RowVec(i, j, t.Cols))
}

// index returns the smallest k for which the k-th power of the nilpotent part is zero to within rounding errors.
func (d decoupled[W]) index() int {
	nilpotent := submatrix(d.t, d.zero)
	n := nilpotent.Rows
	moduli, power, bound := dense.New[float64](n, n), nilpotent.Clone(), dense.New[float64](n, n)
	for i := range n {
		for j, v := range nilpotent.Row(i) {
			moduli.Set(i, j, dense.Abs(v))
		}
	}
	bound.CopyFrom(moduli)
	for k := 1; ; k++ {
		allowance, zero := float64((k-1)*n)*dense.Eps[W](), true // no errors in the first power
		for i := range n {
			for j, v := range power.Row(i) {
				zero = zero && dense.Abs(v) <= allowance*bound.At(i, j)
			}
		}
		if zero || k > n {
			return k
		}
		power, bound = timesNilpotent(power, nilpotent), timesNilpotent(bound, moduli)
	}
}

func timesNilpotent[W dense.Wide](a, b dense.Matrix[W]) dense.Matrix[W] {
	product := dense.New[W](a.Rows, a.Rows)
	blas.Gemm(nil, blas.NoTrans, blas.NoTrans, 1, a, b, 0, product)
	return product
}

// ofDecoupled sets x to f of a matrix whose eigenvalues, zeros among them, are on the diagonal of the form, which is
// overwritten. It uses the remaining phases of the costs.
func ofDecoupled[W dense.Wide, C dense.Complex](
	team *sched.Team, c costs, form schurForm[W], x dense.View[C], f function,
) (o Outcome, err error) {
	has := spectrumOf(form.t)
	if real, ok := any(form).(schurForm[float64]); ok && (has.negative || has.pairs || f.kind == signKind) {
		form, err := complexForm(team, real)
		if err != nil {
			return o, err
		}
		has = spectrumOf(form.t)
		if o, err = ofDecoupled(team, c, form, x, f); err != nil || f.branches(has) || o.Missing {
			return o, err
		}
		o.Complex = false
		dropImaginary(x)
		return o, nil
	}
	d, err := decouple(team, form.t)
	if err != nil {
		return o, err
	}
	o.Complex, o.Singular = dense.IsComplex[W](), true
	if !f.admits(d.index()) {
		o.Missing = true
		fillNaN(x)
		return o, nil
	}
	value := submatrix(d.t, d.other)
	if value.Rows > 0 {
		phase := team.Phase(c.function)
		part, err := ofTriangular(phase, value, f)
		o.join(part)
		if err != nil {
			return o, err
		}
		phase.End()
	}
	d.t.Clear()
	for i, row := range d.other {
		for j, column := range d.other {
			d.t.Set(row, column, value.At(i, j))
		}
	}
	for j := d.t.Rows - 1; j >= 0; j-- {
		for i := range j {
			if w := d.w.At(i, j); w != 0 {
				shear(d.t, i, j, -w)
			}
		}
	}
	return o, transformBack(team.Phase(c.back), schurForm[W]{d.t, form.zh}, dense.New[W](form.t.Rows, form.t.Rows), x)
}
