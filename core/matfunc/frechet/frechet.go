package frechet

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/factor"
	"trnsci/core/matfunc"
	"trnsci/core/sched"
)

// Expm sets l to the Fréchet derivative of the exponential at a square matrix A in the direction E:
//
//	exp(A + E) = exp(A) + L + o(|E|)
//
// which is linear in E: L is the integral of exp((1-s) A) E exp(s A) over 0 <= s <= 1. All have the same shape; l may
// be a or e itself. If A or E holds infinities or NaNs the derivative is NaNs.
//
// Errors: *dense.ArgumentError for shapes that do not fit; the team's error when the call is cancelled.
//
// The relative error is of the order of eps times the condition number of the derivative and, for matrices far from
// normal, of the squarings. Cost: about 20 products of n x n matrices, two systems of equations, and three products for
// each squaring, of which there are log2(|A|) - 2; fewer products for a 1-norm below 2.
//
// Method: scaling and squaring with the derivative of Padé approximants (Al-Mohy and Higham, SIAM J. Matrix Anal. Appl.
// 30, 2009, algorithm 6.4).
func Expm[T dense.Scalar](team *sched.Team, a, e, l dense.View[T]) error {
	n := a.Rows
	if a.Cols != n {
		return dense.BadArgument("A", "expected a square matrix, got shape (%d, %d)", a.Rows, a.Cols)
	}
	for name, other := range map[string]dense.View[T]{"E": e, "l": l} {
		if other.Rows != n || other.Cols != n {
			return dense.BadArgument(name, "expected shape (%d, %d), got (%d, %d)", n, n, other.Rows, other.Cols)
		}
	}
	if n == 0 {
		return nil
	}
	if !a.AllFinite() || !e.AllFinite() {
		l.Fill(dense.FromParts[T](math.NaN(), math.NaN()))
		return nil
	}
	if dense.IsComplex[T]() {
		return expm[complex128](team, a, e, l)
	}
	return expm[float64](team, a, e, l)
}

func expm[W dense.Wide, T dense.Scalar](team *sched.Team, a, e, l dense.View[T]) error {
	direction, derivative := dense.New[W](a.Rows, a.Rows), dense.New[W](a.Rows, a.Rows)
	dense.Copy(direction.View(), e)
	p, err := newPoint(team, a, (*point[W]).derivativeProducts)
	if err != nil {
		return err
	}
	if err := p.derivative(direction, derivative); err != nil {
		return err
	}
	dense.Copy(l, derivative.View())
	return nil
}

// Workspace returns an upper bound of the memory in bytes that Expm and Condition allocate for an n x n matrix;
// math.MaxInt64 if no machine can hold it.
func Workspace[T dense.Scalar](team *sched.Team, n int) int64 {
	order := float64(n)
	perThread := float64(blas.GemmWorkspace[float64](dense.Parts[T]()*n)) +
		float64(blas.TriangularWorkspace[complex128](n, n))
	element := float64(dense.Parts[T]() * dense.Bytes[float64]())
	bytes := order*(matrices*order+1)*element + float64(team.Threads())*perThread +
		float64(matfunc.ExpmWorkspace[complex128](team, n))
	if bytes >= math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(bytes)
}

// matrices is the number of matrices of a point, with two directions and a derivative.
const matrices = 22

// sizes are the 1-norms up to which the derivatives of the approximants of degrees 3, 5, 7, 9 and 13 have backward
// errors of at most unit roundoff (table 6.1).
var sizes = []struct {
	degree int
	norm   float64
}{{3, 1.08e-2}, {5, 2.00e-1}, {7, 7.83e-1}, {9, 1.78}, {highestDegree, 4.74}}

// The approximant of the highest degree is evaluated with powers up to the sixth.
const highestDegree, highPowers = 13, 3

// point is a matrix at which derivatives are computed: what they need that does not depend on the direction. A is
// 2^-scaling times the caller's matrix. The approximant is (V - U)^-1 (V + U) with U = A W, where W and V are
// polynomials in A^2. For the highest degree these are W = A^6 high[1] + low[1] and V = A^6 high[0] + low[0].
type point[W dense.Wide] struct {
	team            *sched.Team
	n               int
	norm            float64 // the Frobenius norm of the caller's matrix
	degree, scaling int
	coefficients    []float64
	powers          []dense.Matrix[W] // A, A^2, A^4 and so on
	high            [2]dense.Matrix[W]
	w               dense.Matrix[W]
	triangle        blas.Uplo       // of A, or 0
	lu              dense.Matrix[W] // V - U if that is triangular, else its factors
	pivots          []int
	approximant     dense.Matrix[W]

	slopes    []dense.Matrix[W] // derivatives of the powers; that of A is the direction
	odd, even dense.Matrix[W]   // polynomials
	power     dense.Matrix[W]   // of the approximant
	work      dense.Matrix[W]
}

// newPoint returns the point of a finite matrix that is not empty. later is the number of products that follow.
func newPoint[W dense.Wide, T dense.Scalar](
	team *sched.Team, a dense.View[T], later func(p *point[W]) int,
) (*point[W], error) {
	n := a.Rows
	p := &point[W]{n: n, pivots: make([]int, n), powers: []dense.Matrix[W]{dense.New[W](n, n)}}
	dense.Copy(p.powers[0].View(), a)
	p.chooseDegree()
	p.coefficients = matfunc.PadeCoefficients(p.degree)
	p.team = team.Plan((p.pointProducts() + later(p)) * productSteps)
	p.slopes = make([]dense.Matrix[W], 1)
	for range p.evenPowers() {
		p.powers, p.slopes = append(p.powers, dense.New[W](n, n)), append(p.slopes, dense.New[W](n, n))
	}
	for _, m := range []*dense.Matrix[W]{&p.w, &p.lu, &p.approximant, &p.power, &p.odd, &p.even, &p.work} {
		*m = dense.New[W](n, n)
	}
	return p, p.approximate()
}

// chooseDegree chooses the degree of the approximant and scales A by a power of two for it.
func (p *point[W]) chooseDegree() {
	a := p.powers[0]
	exponent := largestExponent(a)
	scaleBy(a, -exponent) // so that norms do not overflow
	norm := oneNorm(a)
	p.norm = math.Ldexp(blas.Nrm2(dense.Vec(a.Data)), exponent)
	for _, size := range sizes {
		if p.degree = size.degree; math.Ldexp(norm, exponent) <= size.norm {
			scaleBy(a, exponent)
			return
		}
	}
	p.scaling = max(0, exponent+int(math.Ceil(math.Log2(norm/sizes[len(sizes)-1].norm))))
	scaleBy(a, exponent-p.scaling)
}

// evenPowers returns the number of powers of A^2 that are computed.
func (p *point[W]) evenPowers() int {
	if p.degree == highestDegree {
		return highPowers
	}
	return p.degree / 2
}

// productSteps is the cost of a product; a system of equations counts as two.
const productSteps, systemProducts = 1 << 20, 2

// pointProducts returns the number of products of a point, and derivativeProducts that of each derivative there.
func (p *point[W]) pointProducts() int {
	products := p.evenPowers() + 1 + systemProducts
	if p.degree == highestDegree {
		products += len(p.high)
	}
	return products
}

func (p *point[W]) derivativeProducts() int {
	const squaring, others = 3, 3
	products := 2*p.evenPowers() + others + systemProducts/2 + squaring*p.scaling
	if p.degree == highestDegree {
		products += 2 * len(p.high)
	}
	return products
}

// approximate computes the powers of A and the approximant.
func (p *point[W]) approximate() error {
	for k := 1; k < len(p.powers); k++ {
		left, right := factorsOf(k)
		if err := p.multiplyAdd(p.powers[left], p.powers[right], 0, p.powers[k]); err != nil {
			return err
		}
	}
	u, v, b := p.odd, p.approximant, p.coefficients
	if p.degree == highestDegree {
		for parity := range p.high {
			p.high[parity] = dense.New[W](p.n, p.n)
			p.combine(p.high[parity], b[2*highPowers+parity:], p.powers, false)
		}
	}
	for parity, polynomial := range []dense.Matrix[W]{v, p.w} {
		p.combine(polynomial, b[parity:], p.powers, true)
		if p.degree == highestDegree {
			if err := p.multiplyAdd(p.powers[highPowers], p.high[parity], 1, polynomial); err != nil {
				return err
			}
		}
	}
	if err := p.multiplyAdd(p.powers[0], p.w, 0, u); err != nil {
		return err
	}
	copy(p.lu.Data, v.Data)
	blas.Axpy(-1, dense.Vec(u.Data), dense.Vec(p.lu.Data))
	blas.Axpy(1, dense.Vec(u.Data), dense.Vec(v.Data))
	phase := p.team.Phase(productSteps)
	if p.triangle = triangleOf(p.powers[0]); p.triangle == 0 {
		// The denominator is well-conditioned: no pivot is zero.
		if _, err := factor.LU(phase, p.lu, p.pivots); err != nil {
			return err
		}
	}
	phase.End()
	return p.solve(p.approximant)
}

// factorsOf returns which powers have powers[k] as their product.
func factorsOf(k int) (left, right int) {
	switch k {
	case 1, 2:
		return k - 1, k - 1
	case 3: // A^6
		return 2, 1
	}
	return 2, 2 // A^8
}

// derivative sets l to the derivative at the caller's matrix in the direction e, which is overwritten.
func (p *point[W]) derivative(e, l dense.Matrix[W]) error {
	scaleBy(e, -p.scaling)
	p.slopes[0] = e
	for k := 1; k < len(p.slopes); k++ {
		left, right := factorsOf(k)
		if err := p.multiplyAdd(p.powers[left], p.slopes[right], 0, p.slopes[k]); err != nil {
			return err
		}
		if err := p.multiplyAdd(p.slopes[left], p.powers[right], 1, p.slopes[k]); err != nil {
			return err
		}
	}
	if err := p.slopesOfPolynomials(); err != nil {
		return err
	}
	// With the derivatives of U in work and of V in even, (V - U) L = even + work + (work - even) R.
	copy(l.Data, p.work.Data)
	blas.Axpy(1, dense.Vec(p.even.Data), dense.Vec(l.Data))
	blas.Axpy(-1, dense.Vec(p.even.Data), dense.Vec(p.work.Data))
	if err := p.multiplyAdd(p.work, p.approximant, 1, l); err != nil {
		return err
	}
	if err := p.solve(l); err != nil {
		return err
	}
	return p.square(l)
}

// slopesOfPolynomials sets work to the derivative of U and even to that of V.
func (p *point[W]) slopesOfPolynomials() error {
	for parity, polynomial := range []dense.Matrix[W]{p.even, p.odd} {
		p.combine(polynomial, p.coefficients[parity:], p.slopes, false)
		if p.degree != highestDegree {
			continue
		}
		p.combine(p.work, p.coefficients[2*highPowers+parity:], p.slopes, false)
		if err := p.multiplyAdd(p.powers[highPowers], p.work, 1, polynomial); err != nil {
			return err
		}
		if err := p.multiplyAdd(p.slopes[highPowers], p.high[parity], 1, polynomial); err != nil {
			return err
		}
	}
	if err := p.multiplyAdd(p.powers[0], p.odd, 0, p.work); err != nil {
		return err
	}
	return p.multiplyAdd(p.slopes[0], p.w, 1, p.work)
}

// square replaces l by the derivative of the exponential of the caller's matrix.
func (p *point[W]) square(l dense.Matrix[W]) error {
	copy(p.power.Data, p.approximant.Data)
	for range p.scaling {
		if err := p.multiplyAdd(p.power, l, 0, p.work); err != nil {
			return err
		}
		if err := p.multiplyAdd(l, p.power, 1, p.work); err != nil {
			return err
		}
		copy(l.Data, p.work.Data)
		if err := p.multiplyAdd(p.power, p.power, 0, p.work); err != nil {
			return err
		}
		copy(p.power.Data, p.work.Data)
	}
	return nil
}

// combine sets m to b[2] times the second of the given powers or their derivatives, b[4] times the third and so on, as
// far as there are coefficients, plus b[0] I if identity is set.
func (p *point[W]) combine(m dense.Matrix[W], b []float64, powers []dense.Matrix[W], identity bool) {
	m.Clear()
	for k := 1; k < len(powers) && 2*k < len(b); k++ {
		blas.Axpy(dense.FromReal[W](b[2*k]), dense.Vec(powers[k].Data), dense.Vec(m.Data))
	}
	for i := 0; identity && i < p.n; i++ {
		m.Set(i, i, m.At(i, i)+dense.FromReal[W](b[0]))
	}
}

// multiplyAdd sets c to the product of a and b plus beta c.
func (p *point[W]) multiplyAdd(a, b dense.Matrix[W], beta float64, c dense.Matrix[W]) error {
	phase := p.team.Phase(productSteps)
	blas.Gemm(phase, blas.NoTrans, blas.NoTrans, 1, a, b, dense.FromReal[W](beta), c)
	phase.End()
	return p.team.Err()
}

// solve overwrites b by the solution X of (V - U) X = b.
func (p *point[W]) solve(b dense.Matrix[W]) error {
	phase := p.team.Phase(productSteps)
	defer phase.End()
	if p.triangle != 0 {
		return factor.SolveTriangular(phase, p.triangle, blas.NoTrans, blas.NonUnit, p.lu, b)
	}
	return factor.LUSolve(phase, blas.NoTrans, p.lu, p.pivots, b)
}

// triangleOf returns the triangle outside of which a is zero, 0 if there is none. Interchanges of an LU factorization
// would spread rounding errors of large elements over the other one.
func triangleOf[W dense.Wide](a dense.Matrix[W]) blas.Uplo {
	isUpper, isLower := true, true
	for i := range a.Rows {
		for j, v := range a.Row(i) {
			isUpper = isUpper && (j >= i || v == 0)
			isLower = isLower && (j <= i || v == 0)
		}
	}
	switch {
	case isUpper:
		return blas.Upper
	case isLower:
		return blas.Lower
	}
	return 0
}

// oneNorm returns the largest sum of moduli in a column.
func oneNorm[W dense.Wide](a dense.Matrix[W]) (norm float64) {
	sums := make([]float64, a.Cols)
	for i := range a.Rows {
		for j, v := range a.Row(i) {
			sums[j] += dense.Abs(v)
			norm = max(norm, sums[j])
		}
	}
	return norm
}

// largestExponent returns the e for which the parts of all elements are below 2^e; 0 for a matrix of zeros.
func largestExponent[W dense.Wide](a dense.Matrix[W]) int {
	largest := 0.0
	for _, v := range a.Data {
		largest = max(largest, math.Abs(dense.Real(v)), math.Abs(dense.Imag(v)))
	}
	_, exponent := math.Frexp(largest)
	return exponent
}

// scaleBy multiplies m by 2^shift.
func scaleBy[W dense.Wide](m dense.Matrix[W], shift int) {
	for i := 0; shift != 0 && i < len(m.Data); i++ {
		v := m.Data[i]
		m.Data[i] = dense.FromParts[W](math.Ldexp(dense.Real(v), shift), math.Ldexp(dense.Imag(v), shift))
	}
}
