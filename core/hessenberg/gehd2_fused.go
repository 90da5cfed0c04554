package hessenberg

import (
	"trnsci/core/dense"
	"trnsci/core/householder"
	"trnsci/core/internal/workspace"
	"trnsci/core/kernel"
	"trnsci/core/kernel/condense"
	"trnsci/core/sched"
)

// fusedReduction reduces a matrix that stays in the nearer caches: with one pass over it for each reflector
// (condense.HessenbergStep), which applies the previous reflector from both sides and forms the products A v and v^H A
// of the new one. For the reflector P = I - tau v v^H of a column
//
//	P^H A P = A - y v^H - v w,  y = tau A v,  w = conj(tau) (v^H A - (v^H y) v^H)
//
// and before the pass only the column of the next reflector is brought up to date. Elements below the subdiagonal are
// garbage until the end.
//
// R is the real type of T. Vectors and matrices are stored as real numbers, width of them for each element; n and k
// count elements.
//
// Source: Dongarra, Sorensen and Hammarling, Block reduction of matrices to condensed forms for eigenvalue
// computations, J. Comput. Appl. Math. 27, 1989, for the products, and Van Zee, van de Geijn, Quintana-Orti and
// Elizondo, Families of algorithms for reducing a matrix to condensed form, ACM Trans. Math. Softw. 39, 2012, for the
// fused pass.
type fusedReduction[T dense.Scalar, R dense.Float] struct {
	team     *sched.Team
	n, width int
	length   int // of a vector: whole cache lines
	stride   int // of the matrix
	pass     condense.HessenbergStep[R]
	// Row k+1 holds the adjoint of the vector of reflector k and, for complex matrices, i times the same. The first and
	// the last row are zero.
	vh     []R
	w, s   []R // of the previous reflector and of the current one
	column []T
	betas  []T // of the subdiagonal
	taus   []T
}

// fusedElements returns how many numbers a fused reduction of order n takes in addition to the matrices.
func fusedElements[T dense.Scalar](n int) int {
	const vectors, lists = 2, 4 // w and s; y, column, betas, taus
	return (dense.Parts[T]()*(n+vectors) + lists) * dense.WholeLines[T](n)
}

// reduceFused is InPlace for small matrices.
func reduceFused[T dense.Scalar, R dense.Float](team *sched.Team, a, qt dense.Matrix[T]) error {
	if !workspace.IsPadded(a) || !workspace.IsPadded(qt) {
		return reduceCopies[T, R](team, a, qt)
	}
	n, width := a.Rows, dense.Parts[T]()
	lent := workspace.Borrow[T](&workspace.Panels, fusedElements[T](n))
	defer lent.GiveBack()
	memory := lent.Numbers
	take := func(numbers int) (list []T) {
		list, memory = memory[:numbers], memory[numbers:]
		return list
	}
	whole := dense.WholeLines[T](n)
	reductionCost, accumulationCost := Costs[T](n, qt.Rows > 0)
	reducing, accumulating := team.Phase(reductionCost), team.Phase(accumulationCost)
	f := fusedReduction[T, R]{team: reducing, n: n, width: width, length: width * whole, stride: width * a.Stride}
	f.vh = dense.Reals[R](take(n * width * whole))
	f.w, f.s = dense.Reals[R](take(width*whole)), dense.Reals[R](take(width*whole))
	y := dense.Reals[R](take(whole))
	f.column, f.betas, f.taus = take(whole), take(whole), take(whole)
	clear(f.vector(-1))
	clear(f.vector(n - 2))
	clear(f.w)
	clear(y)
	f.pass = condense.HessenbergStep[R]{
		Stride: f.stride, Complex: width > 1, ImagOffset: f.length, A: dense.Reals[R](a.Data), Y: y,
	}
	if err := f.reduce(); err != nil {
		return err
	}
	f.storeSubdiagonal(a)
	reducing.End()
	if qt.Rows == 0 {
		return nil
	}
	f.pass.A, f.pass.Stride = dense.Reals[R](qt.Data), width*qt.Stride
	f.team = accumulating
	err := f.accumulate(qt)
	accumulating.End()
	return err
}

// reduceCopies is reduceFused for matrices that are not padded, such as parts of others.
func reduceCopies[T dense.Scalar, R dense.Float](team *sched.Team, a, qt dense.Matrix[T]) error {
	form, factor, lent := workspace.BorrowPair[T](a.Rows, qt.Rows > 0)
	defer lent.GiveBack()
	form.CopyFrom(a)
	if err := reduceFused[T, R](team, form, factor); err != nil {
		return err
	}
	a.CopyFrom(form)
	if qt.Rows > 0 {
		qt.CopyFrom(factor)
	}
	return nil
}

// vector returns the row of reflector k.
func (f *fusedReduction[T, R]) vector(k int) []R {
	row := f.width * f.length
	return f.vh[(k+1)*row : (k+2)*row]
}

// lineOf returns the first number of the cache line with element k of a vector.
func (f *fusedReduction[T, R]) lineOf(k int) int {
	line := dense.LineBytes / dense.Bytes[R]()
	return k * f.width / line * line
}

// reduce generates and applies the reflectors.
func (f *fusedReduction[T, R]) reduce() error {
	f.team.Plan(reductionSteps(f.n))
	for k := range f.n - 2 {
		if err := workspace.Poll(f.team, k); err != nil {
			return err
		}
		f.team.Reach(stepsDone(f.n, f.n-k))
		f.loadColumn(k)
		f.generate(k)
		f.run(k)
		f.finishProducts(k)
	}
	if f.n > 2 {
		f.run(f.n - 2) // with a reflector of zeros
	}
	return nil
}

// run does the pass of reflector k.
func (f *fusedReduction[T, R]) run(k int) {
	const group = 4 // rows that kernels process together
	begin := f.lineOf(k)
	s := &f.pass
	s.Top = k / group * group
	s.Rows, s.First, s.Cols = f.n-s.Top, begin, f.length-begin
	s.V, s.X, s.W, s.S = f.vector(k-1), f.vector(k), f.w, f.s
	for part := range f.width {
		clear(f.s[part*f.length+begin : (part+1)*f.length])
	}
	s.Run(kernel.Best())
}

// storeSubdiagonal writes the subdiagonal and clears the elements below it.
func (f *fusedReduction[T, R]) storeSubdiagonal(a dense.Matrix[T]) {
	for i := 1; i < f.n; i++ {
		clear(a.Row(i)[:i-1])
		if i < f.n-1 {
			a.Set(i, i-1, f.betas[i-1])
		}
	}
}

// loadColumn computes column k below the diagonal, with the update by the previous reflector.
func (f *fusedReduction[T, R]) loadColumn(k int) {
	before, y, w := f.vector(k-1), f.pass.Y, f.w
	to, a, stride := dense.Reals[R](f.column), f.pass.A, f.stride
	if f.width == 1 {
		vk, wk, at := before[k], w[k], (k+1)*stride+k
		for i := k + 1; i < f.n; i++ {
			to[i] = a[at] - y[i]*vk - before[i]*wk
			at += stride
		}
		return
	}
	at := (k+1)*stride + 2*k
	vk, re, im := before[2*k], w[2*k], w[2*k+1] // the first element of a reflector is real
	for i := 2 * (k + 1); i < 2*f.n; i += 2 {
		c, d := before[i], -before[i+1]
		to[i] = a[at] - y[i]*vk - (c*re - d*im)
		to[i+1] = a[at+1] - y[i+1]*vk - (c*im + d*re)
		at += stride
	}
}

// generate makes the reflector of column k and stores its adjoint.
func (f *fusedReduction[T, R]) generate(k int) {
	begin, first, end := f.lineOf(k), f.width*(k+1), f.width*f.n
	for part := range f.width {
		row := f.vector(k)[part*f.length:]
		clear(row[begin:first])
		clear(row[end:f.length])
	}
	x := f.column[k+1 : f.n]
	beta, tau, factor, unscaled := householder.GenerateUnscaled[R](x)
	if !unscaled {
		if beta, tau = householder.Generate(x); tau == 0 {
			clear(x)
		}
	}
	f.betas[k], f.taus[k] = beta, tau
	from, row := dense.Reals[R](x), f.vector(k)[first:end]
	if f.width == 1 {
		scaleTo(R(real(factor)), from, row)
	} else {
		re, im := R(real(factor)), R(imag(factor))
		turned := f.vector(k)[f.length+first:][:len(row)]
		for i := 0; i < len(row); i += 2 {
			c, d := re*from[i]-im*from[i+1], re*from[i+1]+im*from[i]
			row[i], row[i+1], turned[i], turned[i+1] = c, -d, d, c
		}
		if unscaled {
			row[1], turned[0], turned[1] = 0, 0, 1
		}
	}
	if unscaled {
		row[0] = 1
	}
}

// scaleTo sets to to c x.
func scaleTo[R dense.Float](c R, x, to []R) {
	to = to[:len(x)]
	for i, y := range x {
		to[i] = c * y
	}
}

// finishProducts makes y and w of the products of the pass.
func (f *fusedReduction[T, R]) finishProducts(k int) {
	begin, first, end := f.lineOf(k), f.width*(k+1), f.width*f.n
	f.w, f.s = f.s, f.w
	f.scaleY(f.taus[k], 0)
	v, y, w := f.vector(k)[first:end], f.pass.Y[first:end], f.w[first:end]
	clear(f.w[begin:first])
	if f.width == 1 {
		tau := R(dense.Real(f.taus[k]))
		var product R
		for i, x := range v {
			product += x * y[i]
		}
		for j, x := range v {
			w[j] = tau * (w[j] - product*x)
		}
		return
	}
	clear(f.w[f.length+begin : f.length+first])
	turned := f.w[f.length+first:][:len(w)]
	var re, im R // of v^H y
	for i := 0; i < len(v); i += 2 {
		re += v[i]*y[i] - v[i+1]*y[i+1]
		im += v[i]*y[i+1] + v[i+1]*y[i]
	}
	c, d := R(dense.Real(f.taus[k])), -R(dense.Imag(f.taus[k]))
	for j := 0; j < len(v); j += 2 {
		a := w[j] - turned[j+1] - (re*v[j] - im*v[j+1])
		b := w[j+1] + turned[j] - (re*v[j+1] + im*v[j])
		a, b = c*a-d*b, c*b+d*a
		w[j], w[j+1], turned[j], turned[j+1] = a, b, -b, a
	}
}

// scaleY multiplies the products A v of the rows from first on by c.
func (f *fusedReduction[T, R]) scaleY(c T, first int) {
	y := f.pass.Y[f.width*first : f.width*f.n]
	re, im := R(dense.Real(c)), R(dense.Imag(c))
	if f.width == 1 {
		scaleTo(re, y, y)
		return
	}
	for i := 0; i < len(y); i += 2 {
		y[i], y[i+1] = re*y[i]-im*y[i+1], re*y[i+1]+im*y[i]
	}
}

// accumulate overwrites qt by Q^H = ... P_1^H P_0^H, in passes from the right. It begins with the identity and the last
// reflector, so that only those trailing rows and columns take part that already differ from the identity.
func (f *fusedReduction[T, R]) accumulate(qt dense.Matrix[T]) error {
	setUnitRow := func(i int) {
		clear(qt.Row(i))
		qt.Set(i, i, 1)
		clear(f.pass.Y[f.width*i : f.width*(i+1)])
	}
	s := &f.pass
	s.Rows = 0
	setUnitRow(f.n - 1)
	for k := f.n - 3; k >= -1; k-- {
		setUnitRow(k + 1)
		if err := workspace.Poll(f.team, k); err != nil {
			return err
		}
		s.Row = k + 1
		s.Top, s.First = f.n-s.Row, f.lineOf(k+1)
		s.Cols = f.length - s.First
		s.V, s.X = f.vector(k+1), f.vector(k)
		s.Run(kernel.Best())
		if k >= 0 {
			f.scaleY(dense.Conj(f.taus[k]), k+1)
		}
	}
	return nil
}
