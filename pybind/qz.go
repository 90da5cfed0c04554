package pybind

import (
	"math"

	"trnsci/core/dense"
	"trnsci/core/qz"
	"trnsci/core/sched"
	"trnsci/pybind/record"
)

// QZ writes the generalized Schur form of every pair of matrices of the stacks A and B, A = Q S Z^H and B = Q P Z^H,
// into stacks of the same shape and dtype, and the eigenvalues Alpha/Beta where these are present: stacks of vectors of
// A's complex and real dtype.
func QZ(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	c := record.At[record.QZ](address)
	if c.A == nil || c.B == nil {
		panic("no pair of matrices")
	}
	c.Selected = nil
	return byDtype[c.S.Dtype].generalizedSchur(jobID, c)
}

// QZOrder reorders the generalized Schur forms S, P, Q, Z in place: the eigenvalues for which Selected, a stack of
// vectors, is true come first. It writes the eigenvalues in their new order.
func QZOrder(jobID int64, address uint64) (zero int64, err error) {
	defer guard(&err)
	c := record.At[record.QZ](address)
	if c.Selected == nil {
		panic("no selection")
	}
	return byDtype[c.S.Dtype].generalizedSchur(jobID, c)
}

func (routinesOf[T]) generalizedSchur(jobID int64, c *record.QZ) (int64, error) {
	if dense.IsSingle[T]() {
		return generalizedSchur[T, complex64, float32](jobID, c)
	}
	return generalizedSchur[T, complex128, float64](jobID, c)
}

func generalizedSchur[T dense.Scalar, C dense.Complex, R dense.Float](jobID int64, c *record.QZ) (int64, error) {
	s, p, q, z := newBatch[T](c.S), newBatch[T](c.P), newBatch[T](c.Q), newBatch[T](c.Z)
	values := newQZValues[C, R](c.Alpha, c.Beta)
	return run(jobID, c.Team, func(team *sched.Team) (int64, error) {
		if err := reserveEach(team, s.count(), "qz", 4*c.S.Bytes(),
			func(*sched.Team) int64 { return qz.Workspace[T](s.order()) }); err != nil {
			return 0, err
		}
		return 0, forEach(team, s.count(), func(team *sched.Team, k int) error {
			options := qz.Options{Team: team, SkipFiniteCheck: !c.CheckFinite}
			alpha, beta := values.room(s.order())
			form := qz.Form[T]{S: s.at(k), P: p.at(k), Q: q.at(k), Z: z.at(k), Alpha: alpha, Beta: beta}
			var err error
			if c.Selected == nil {
				err = withNames(qz.Decompose(newBatch[T](c.A).at(k), newBatch[T](c.B).at(k), form, options))
			} else {
				_, err = qz.Order(form, newRows[bool](c.Selected).at(k), options)
			}
			if err != nil {
				return err
			}
			values.store(k, alpha, beta)
			return nil
		})
	})
}

// qzValues holds the stacks of eigenvalues alpha/beta, which may be absent.
type qzValues[C dense.Complex, R dense.Float] struct {
	alpha rows[C]
	beta  rows[R]
}

func newQZValues[C dense.Complex, R dense.Float](alpha, beta *record.Array) *qzValues[C, R] {
	if alpha == nil {
		return nil
	}
	return &qzValues[C, R]{newRows[C](alpha), newRows[R](beta)}
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

// QZEigen writes the generalized eigenvalues of every pair of matrices of the stacks A and B into the stack of vectors
// W or, if Denominators is present, their numerators into W and their denominators there. The eigenvectors become the
// columns of Left and Right where these are present. All of them have A's complex dtype. It returns the number of
// eigenvalues that are not real.
func QZEigen(jobID int64, address uint64) (notReal int64, err error) {
	defer guard(&err)
	c := record.At[record.QZEigen](address)
	return byDtype[c.A.Dtype].generalizedEigen(jobID, c)
}

func (routinesOf[T]) generalizedEigen(jobID int64, c *record.QZEigen) (int64, error) {
	if dense.IsSingle[T]() {
		return generalizedEigen[T, complex64](jobID, c)
	}
	return generalizedEigen[T, complex128](jobID, c)
}

func generalizedEigen[T dense.Scalar, C dense.Complex](jobID int64, c *record.QZEigen) (int64, error) {
	a, b := newBatch[T](c.A), newBatch[T](c.B)
	values, denominators := newRows[C](c.W), rowsOf[C](c.Denominators)
	left, right := vectorsOf[C](c.Left), vectorsOf[C](c.Right)
	return run(jobID, c.Team, func(team *sched.Team) (int64, error) {
		results := c.Left.Bytes() + c.Right.Bytes()
		if err := reserveEach(team, a.count(), "eig", results,
			func(*sched.Team) int64 { return qz.Workspace[T](a.order()) }); err != nil {
			return 0, err
		}
		notReal := make([]int64, a.count())
		err := forEach(team, a.count(), func(team *sched.Team, k int) (err error) {
			options := qz.Options{Team: team, SkipFiniteCheck: !c.CheckFinite}
			notReal[k], err = eigenOfPair(a.at(k), b.at(k), values.at(k), denominators(k), left(k), right(k), options)
			return err
		})
		total := int64(0)
		for _, count := range notReal {
			total += count
		}
		return total, err
	})
}

// eigenOfPair is QZEigen for one pair.
func eigenOfPair[T dense.Scalar, C dense.Complex](a, b dense.View[T], w, denominators []C, left, right dense.View[C],
	options qz.Options) (notReal int64, err error) {
	alpha, beta := make([]complex128, a.Rows), make([]float64, a.Rows)
	if err := qz.Eigen(a, b, alpha, beta, left, right, options); err != nil {
		return 0, err
	}
	for i, x := range alpha {
		w[i] = dense.Convert[C](x)
		if imag(complex128(w[i])) != 0 {
			notReal++
		}
	}
	if denominators != nil {
		for i, y := range beta {
			denominators[i] = dense.FromReal[C](y)
		}
		return notReal, nil
	}
	for i, y := range beta {
		w[i] = quotient(w[i], dense.FromReal[C](y), notReal > 0)
	}
	return notReal, nil
}

// quotient returns the eigenvalue x/y for a real y: infinity if y alone is zero, NaN, with an imaginary part if some
// eigenvalue of the pair is not real, if both are zero. Rounding a quotient of single-precision numbers in double
// precision gives the one in single precision.
func quotient[C dense.Complex](x, y C, notReal bool) C {
	numerator, denominator := complex128(x), real(complex128(y))
	switch {
	case denominator != 0:
		return dense.FromParts[C](real(numerator)/denominator, imag(numerator)/denominator)
	case numerator != 0:
		return dense.FromReal[C](math.Inf(1))
	case notReal:
		return dense.FromParts[C](math.NaN(), math.NaN())
	}
	return dense.FromReal[C](math.NaN())
}
