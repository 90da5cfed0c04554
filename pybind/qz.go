package pybind

import (
	"trnsci/core/dense"
	"trnsci/core/qz"
	"trnsci/core/sched"
)

// qzCall is the decoded argument list of QZ and QZOrder, or of QZEigen, whose matrices of vectors take the places of q and z.
type qzCall struct {
	jobID, threads int64
	// nil where not wanted
	a, b, s, p, q, z, alpha, beta, selected *array
	checkFinite                             bool
}

// QZ writes the generalized Schur form of every pair of matrices of the stacks a and b, A = Q S Z^H and B = Q P Z^H, into stacks
// of the same shape and dtype, and the eigenvalues alpha/beta unless these are 0: stacks of vectors of a's complex and real
// dtype.
func QZ(jobID, threads int64, a, b, s, p, q, z, alpha, beta uint64, checkFinite bool) (zero int64, err error) {
	defer guard(&err)
	c := qzCall{
		jobID: jobID, threads: threads, a: descriptor(a), b: descriptor(b), s: descriptor(s), p: descriptor(p),
		q: descriptor(q), z: descriptor(z), alpha: descriptor(alpha), beta: descriptor(beta), checkFinite: checkFinite,
	}
	return byDtype[c.s.dtype].generalizedSchur(c)
}

// QZOrder moves the eigenvalues of which selected is not 0, a float64 stack of vectors, to the top of the generalized Schur forms
// s, p, q, z, which it overwrites, and writes the eigenvalues in their new order.
func QZOrder(jobID, threads int64, s, p, q, z, alpha, beta, selected uint64) (zero int64, err error) {
	defer guard(&err)
	c := qzCall{
		jobID: jobID, threads: threads, s: descriptor(s), p: descriptor(p), q: descriptor(q), z: descriptor(z),
		alpha: descriptor(alpha), beta: descriptor(beta), selected: descriptor(selected),
	}
	return byDtype[c.s.dtype].generalizedSchur(c)
}

func (routinesOf[T]) generalizedSchur(c qzCall) (int64, error) {
	if dense.IsSingle[T]() {
		return generalizedSchur[T, complex64, float32](c)
	}
	return generalizedSchur[T, complex128, float64](c)
}

func generalizedSchur[T dense.Scalar, C dense.Complex, R dense.Float](c qzCall) (int64, error) {
	s, p, q, z := newBatch[T](c.s), newBatch[T](c.p), newBatch[T](c.q), newBatch[T](c.z)
	values := newQZValues[C, R](c)
	return run(c.jobID, c.threads, func(team *sched.Team) (int64, error) {
		if err := reserveEach(team, s.count(), "qz", 4*c.s.bytes(), func(*sched.Team) int64 { return qz.Workspace[T](s.order()) }); err != nil {
			return 0, err
		}
		return 0, forEach(team, s.count(), func(team *sched.Team, k int) error {
			options := qz.Options{Team: team, SkipFiniteCheck: !c.checkFinite}
			alpha, beta := values.room(s.order())
			form := qz.Form[T]{S: s.at(k), P: p.at(k), Q: q.at(k), Z: z.at(k), Alpha: alpha, Beta: beta}
			var err error
			if c.selected == nil {
				err = withNames(qz.Decompose(newBatch[T](c.a).at(k), newBatch[T](c.b).at(k), form, options))
			} else {
				_, err = qz.Order(form, nonzero(newRows[float64](c.selected).at(k)), options)
			}
			if err != nil {
				return err
			}
			values.store(k, alpha, beta)
			return nil
		})
	})
}

func nonzero(x []float64) []bool {
	selected := make([]bool, len(x))
	for k, v := range x {
		selected[k] = v != 0
	}
	return selected
}

// qzValues are the stacks of eigenvalues alpha/beta, if any.
type qzValues[C dense.Complex, R dense.Float] struct {
	alpha rows[C]
	beta  rows[R]
}

func newQZValues[C dense.Complex, R dense.Float](c qzCall) *qzValues[C, R] {
	if c.alpha == nil {
		return nil
	}
	return &qzValues[C, R]{newRows[C](c.alpha), newRows[R](c.beta)}
}

// room returns memory for the eigenvalues of one member, nil if they are not wanted.
func (v *qzValues[C, R]) room(n int) (alpha []complex128, beta []float64) {
	if v == nil {
		return nil, nil
	}
	return make([]complex128, n), make([]float64, n)
}

// store writes the eigenvalues of member k.
func (v *qzValues[C, R]) store(k int, alpha []complex128, beta []float64) {
	if v == nil {
		return
	}
	toAlpha, toBeta := v.alpha.at(k), v.beta.at(k)
	for i := range alpha {
		toAlpha[i], toBeta[i] = dense.Convert[C](alpha[i]), R(beta[i])
	}
}

// QZEigen writes the generalized eigenvalues alpha/beta of every pair of matrices of the stacks a and b, in stacks of vectors of a's
// complex and real dtype, and the eigenvectors as the columns of left and right, stacks of a's complex dtype, unless these are 0.
func QZEigen(jobID, threads int64, a, b, alpha, beta, left, right uint64, checkFinite bool) (zero int64, err error) {
	defer guard(&err)
	c := qzCall{
		jobID: jobID, threads: threads, a: descriptor(a), b: descriptor(b), alpha: descriptor(alpha), beta: descriptor(beta),
		q: descriptor(left), z: descriptor(right), checkFinite: checkFinite,
	}
	return byDtype[c.a.dtype].generalizedEigen(c)
}

func (routinesOf[T]) generalizedEigen(c qzCall) (int64, error) {
	if dense.IsSingle[T]() {
		return generalizedEigen[T, complex64, float32](c)
	}
	return generalizedEigen[T, complex128, float64](c)
}

func generalizedEigen[T dense.Scalar, C dense.Complex, R dense.Float](c qzCall) (int64, error) {
	a, b, values := newBatch[T](c.a), newBatch[T](c.b), newQZValues[C, R](c)
	vectors := func(of *array, k int) dense.View[C] {
		if of == nil {
			return dense.View[C]{}
		}
		return newBatch[C](of).at(k)
	}
	return run(c.jobID, c.threads, func(team *sched.Team) (int64, error) {
		results := c.q.bytes() + c.z.bytes()
		if err := reserveEach(team, a.count(), "eig", results, func(*sched.Team) int64 { return qz.Workspace[T](a.order()) }); err != nil {
			return 0, err
		}
		return 0, forEach(team, a.count(), func(team *sched.Team, k int) error {
			alpha, beta := values.room(a.order())
			options := qz.Options{Team: team, SkipFiniteCheck: !c.checkFinite}
			if err := qz.Eigen(a.at(k), b.at(k), alpha, beta, vectors(c.q, k), vectors(c.z, k), options); err != nil {
				return err
			}
			values.store(k, alpha, beta)
			return nil
		})
	})
}
