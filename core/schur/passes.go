package schur

import (
	"math"
	"unsafe"

	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/kernel/condense"
	"trnsci/core/sched"
)

// passes is the reduction of a matrix that stays in the nearer caches: one pass over it for each reflector, condense.HessenbergStep, which applies the reflector before
// from both sides and forms the products A v and v^H A of the new one. For the reflector P = I - tau v v^H of a column
//
//	P^H A P = A - y v^H - v w,  y = tau A v,  w = conj(tau) (v^H A - (v^H y) v^H)
//
// and before the pass only the column of the next reflector is brought up to date. What is below the subdiagonal is left as it happens to be until the end.
//
// R is the real type of W. Matrices and vectors are those of the real numbers that elements consist of, width of them each, and n and k count elements.
//
// Source: Dongarra, Sorensen and Hammarling, Block reduction of matrices to condensed forms for eigenvalue computations, J. Comput. Appl. Math. 27, 1989, for
// the products, and Van Zee, van de Geijn, Quintana-Orti and Elizondo, Families of algorithms for reducing a matrix to condensed form, ACM Trans. Math. Softw.
// 39, 2012, for what one pass does.
type passes[W dense.Scalar, R dense.Float] struct {
	team     *sched.Team
	n, width int
	length   int // of a vector: whole lines of the cache
	stride   int // of the matrix
	pass     condense.HessenbergStep[R]
	// The adjoint of the vector of reflector k, and for complex matrices i times the same, are in row k+1. The first and the last row are zero.
	vh     []R
	w, s   []R // of the reflector before and the current one
	column []W
	betas  []W // of the subdiagonal
	taus   []W
}

// passesElements returns how many numbers the passes over a matrix of order n keep besides the matrices.
func passesElements[W dense.Scalar](n int) int {
	const vectors, lists = 2, 4 // w and s; y, column, betas, taus
	return (widthOf[W]()*(n+vectors) + lists) * toLines[W](n)
}

// widthOf returns how many real numbers an element has.
func widthOf[W dense.Scalar]() int {
	if dense.IsComplex[W]() {
		return 2
	}
	return 1
}

// reduceByPasses is reduce.
func reduceByPasses[W dense.Scalar, R dense.Float](team *sched.Team, a, qt dense.Matrix[W]) error {
	if !isPadded(a) || !isPadded(qt) {
		return reduceCopies[W, R](team, a, qt)
	}
	n, width := a.Rows, widthOf[W]()
	kept := borrow[W](&keptPanels, passesElements[W](n))
	defer kept.GiveBack()
	memory := kept.numbers
	take := func(numbers int) (list []W) {
		list, memory = memory[:numbers], memory[numbers:]
		return list
	}
	whole := toLines[W](n)
	c := costsOf[W](n, qt.Rows > 0)
	reducing, accumulating := team.Phase(c.reduction), team.Phase(c.accumulation)
	p := passes[W, R]{team: reducing, n: n, width: width, length: width * whole, stride: width * a.Stride}
	p.vh = dense.Reals[R](take(n * width * whole))
	p.w, p.s = dense.Reals[R](take(width*whole)), dense.Reals[R](take(width*whole))
	y := dense.Reals[R](take(whole))
	p.column, p.betas, p.taus = take(whole), take(whole), take(whole)
	clear(p.vector(-1))
	clear(p.vector(n - 2))
	clear(p.w)
	clear(y)
	p.pass = condense.HessenbergStep[R]{Stride: p.stride, Complex: width > 1, ImagOffset: p.length, A: dense.Reals[R](a.Data), Y: y}
	if err := p.reduce(); err != nil {
		return err
	}
	p.clean(a)
	reducing.End()
	if qt.Rows == 0 {
		return nil
	}
	p.pass.A, p.pass.Stride = dense.Reals[R](qt.Data), width*qt.Stride
	p.team = accumulating
	err := p.accumulate(qt)
	accumulating.End()
	return err
}

// isPadded reports whether the rows of m, if there are any, have the room and the memory of those of newPadded.
func isPadded[W dense.Scalar](m dense.Matrix[W]) bool {
	return m.Rows == 0 || m.Stride == paddedStride[W](m.Rows) && len(m.Data) == m.Rows*m.Stride
}

// reduceCopies is reduceByPasses for parts of other matrices.
func reduceCopies[W dense.Scalar, R dense.Float](team *sched.Team, a, qt dense.Matrix[W]) error {
	n := a.Rows
	size := n * paddedStride[W](n)
	kept := borrow[W](&keptMatrices, 2*size)
	defer kept.GiveBack()
	form, factor := paddedIn(kept.numbers[:size], n), dense.Matrix[W]{}
	if qt.Rows > 0 {
		factor = paddedIn(kept.numbers[size:], n)
	}
	form.CopyFrom(a)
	if err := reduceByPasses[W, R](team, form, factor); err != nil {
		return err
	}
	a.CopyFrom(form)
	if qt.Rows > 0 {
		qt.CopyFrom(factor)
	}
	return nil
}

// vector returns the row of reflector k.
func (p *passes[W, R]) vector(k int) []R {
	row := p.width * p.length
	return p.vh[(k+1)*row : (k+2)*row]
}

// begin returns the first number of the line of the cache with element k of a vector.
func (p *passes[W, R]) begin(k int) int {
	line := lineBytes / int(unsafe.Sizeof(R(0)))
	return k * p.width / line * line
}

// reduce makes and applies the reflectors.
func (p *passes[W, R]) reduce() error {
	p.team.Plan(reductionSteps(p.n))
	for k := range p.n - 2 {
		if err := poll(p.team, k); err != nil {
			return err
		}
		p.team.Reach(reduced(p.n, p.n-k))
		p.gather(k)
		p.reflect(k)
		p.run(k)
		p.finish(k)
	}
	if p.n > 2 {
		p.run(p.n - 2) // with a reflector of zeros
	}
	return nil
}

// run does the pass of reflector k.
func (p *passes[W, R]) run(k int) {
	const group = 4 // rows that kernels take together
	begin := p.begin(k)
	s := &p.pass
	s.Top = k / group * group
	s.Rows, s.First, s.Cols = p.n-s.Top, begin, p.length-begin
	s.V, s.X, s.W, s.S = p.vector(k-1), p.vector(k), p.w, p.s
	for part := range p.width {
		clear(p.s[part*p.length+begin : (part+1)*p.length])
	}
	s.Run(kernel.Best())
}

// clean writes the subdiagonal and clears what is below.
func (p *passes[W, R]) clean(a dense.Matrix[W]) {
	for i := 1; i < p.n; i++ {
		clear(a.Row(i)[:i-1])
		if i < p.n-1 {
			a.Set(i, i-1, p.betas[i-1])
		}
	}
}

// gather brings column k below the diagonal up to date.
func (p *passes[W, R]) gather(k int) {
	before, y, w := p.vector(k-1), p.pass.Y, p.w
	to, a, stride := dense.Reals[R](p.column), p.pass.A, p.stride
	if p.width == 1 {
		vk, wk, at := before[k], w[k], (k+1)*stride+k
		for i := k + 1; i < p.n; i++ {
			to[i] = a[at] - y[i]*vk - before[i]*wk
			at += stride
		}
		return
	}
	at := (k+1)*stride + 2*k
	vk, re, im := before[2*k], w[2*k], w[2*k+1] // the first element of a reflector is real
	for i := 2 * (k + 1); i < 2*p.n; i += 2 {
		c, d := before[i], -before[i+1]
		to[i] = a[at] - y[i]*vk - (c*re - d*im)
		to[i+1] = a[at+1] - y[i+1]*vk - (c*im + d*re)
		at += stride
	}
}

// reflect makes reflector k of the column.
func (p *passes[W, R]) reflect(k int) {
	begin, first, end := p.begin(k), p.width*(k+1), p.width*p.n
	for part := range p.width {
		row := p.vector(k)[part*p.length:]
		clear(row[begin:first])
		clear(row[end:p.length])
	}
	x := p.column[k+1 : p.n]
	scale, direct := p.direct(k, dense.Reals[R](x))
	if !direct {
		if p.betas[k], p.taus[k] = householder(x); p.taus[k] == 0 {
			clear(x)
		}
	}
	from, row := dense.Reals[R](x), p.vector(k)[first:end]
	if p.width == 1 {
		scaleTo(R(real(scale)), from, row)
	} else {
		re, im := R(real(scale)), R(imag(scale))
		turned := p.vector(k)[p.length+first:][:len(row)]
		for i := 0; i < len(row); i += 2 {
			c, d := re*from[i]-im*from[i+1], re*from[i+1]+im*from[i]
			row[i], row[i+1], turned[i], turned[i+1] = c, -d, d, c
		}
		if direct {
			row[1], turned[0], turned[1] = 0, 0, 1
		}
	}
	if direct {
		row[0] = 1
	}
}

// direct sets beta and tau of reflector k for the column x, and returns the factor that makes v of it, if the squares of the numbers can be formed without any
// care. The formulas are those of householder.
func (p *passes[W, R]) direct(k int, x []R) (scale complex128, ok bool) {
	least, _ := tinyNormOf[W]()
	re, im := float64(x[0]), 0.0
	if p.width > 1 {
		im = float64(x[1])
	}
	rest := sumSquares(x[p.width:])
	if sum := rest + re*re + im*im; !(rest > least*least) || !(sum < hugeNorm*hugeNorm) {
		return 1, false
	}
	beta := -math.Copysign(math.Sqrt(rest+re*re+im*im), re)
	p.betas[k] = dense.FromReal[W](beta)
	if p.width == 1 {
		p.taus[k] = dense.FromReal[W]((beta - re) / beta)
		return complex(1/(re-beta), 0), true
	}
	p.taus[k] = dense.FromParts[W]((beta-re)/beta, -im/beta)
	return 1 / complex(re-beta, im), true
}

// sumSquares returns the sum of the squares of x in double precision.
func sumSquares[R dense.Float](x []R) float64 {
	var sums [4]float64 // none waits for the one before
	for ; len(x) >= len(sums); x = x[len(sums):] {
		for q := range sums {
			sums[q] += float64(x[q]) * float64(x[q])
		}
	}
	for q, y := range x {
		sums[q] += float64(y) * float64(y)
	}
	return (sums[0] + sums[1]) + (sums[2] + sums[3])
}

// scaleTo sets to to c x.
func scaleTo[R dense.Float](c R, x, to []R) {
	to = to[:len(x)]
	for i, y := range x {
		to[i] = c * y
	}
}

// finish makes y and w of the products of the pass.
func (p *passes[W, R]) finish(k int) {
	begin, first, end := p.begin(k), p.width*(k+1), p.width*p.n
	p.w, p.s = p.s, p.w
	p.scaleSums(p.taus[k], 0)
	v, y, w := p.vector(k)[first:end], p.pass.Y[first:end], p.w[first:end]
	clear(p.w[begin:first])
	if p.width == 1 {
		tau := R(dense.Real(p.taus[k]))
		var product R
		for i, x := range v {
			product += x * y[i]
		}
		for j, x := range v {
			w[j] = tau * (w[j] - product*x)
		}
		return
	}
	clear(p.w[p.length+begin : p.length+first])
	turned := p.w[p.length+first:][:len(w)]
	var re, im R // of v^H y
	for i := 0; i < len(v); i += 2 {
		re += v[i]*y[i] - v[i+1]*y[i+1]
		im += v[i]*y[i+1] + v[i+1]*y[i]
	}
	c, d := R(dense.Real(p.taus[k])), -R(dense.Imag(p.taus[k]))
	for j := 0; j < len(v); j += 2 {
		a := w[j] - turned[j+1] - (re*v[j] - im*v[j+1])
		b := w[j+1] + turned[j] - (re*v[j+1] + im*v[j])
		a, b = c*a-d*b, c*b+d*a
		w[j], w[j+1], turned[j], turned[j+1] = a, b, -b, a
	}
}

// scaleSums multiplies the sums of the rows from first on by c.
func (p *passes[W, R]) scaleSums(c W, first int) {
	y := p.pass.Y[p.width*first : p.width*p.n]
	re, im := R(dense.Real(c)), R(dense.Imag(c))
	if p.width == 1 {
		scaleTo(re, y, y)
		return
	}
	for i := 0; i < len(y); i += 2 {
		y[i], y[i+1] = re*y[i]-im*y[i+1], re*y[i+1]+im*y[i]
	}
}

// accumulate overwrites qt by Q^H = ... P_1^H P_0^H. Starting from the identity and the last reflector, only the trailing rows and columns that already differ
// from the identity take part, in passes from the right.
func (p *passes[W, R]) accumulate(qt dense.Matrix[W]) error {
	unit := func(i int) {
		clear(qt.Row(i))
		qt.Set(i, i, 1)
		clear(p.pass.Y[p.width*i : p.width*(i+1)])
	}
	s := &p.pass
	s.Rows = 0
	unit(p.n - 1)
	for k := p.n - 3; k >= -1; k-- {
		unit(k + 1)
		if err := poll(p.team, k); err != nil {
			return err
		}
		s.Row = k + 1
		s.Top, s.First = p.n-s.Row, p.begin(k+1)
		s.Cols = p.length - s.First
		s.V, s.X = p.vector(k+1), p.vector(k)
		s.Run(kernel.Best())
		if k >= 0 {
			p.scaleSums(dense.Conj(p.taus[k]), k+1)
		}
	}
	return nil
}
