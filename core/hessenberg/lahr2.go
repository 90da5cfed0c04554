package hessenberg

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/householder"
	"trnsci/core/kernel"
	"trnsci/core/kernel/vector"
	"trnsci/core/sched"
)

// Cuts of the work. They depend on the order and the type alone, so that the number of threads does not change the
// result.
const (
	panelWidth  = 16  // reflectors that are applied together
	sharedOrder = 160 // from this order on a pass over the matrix is cut into parts, which threads share
	sharedParts = 4
	rowsAtOnce  = 32 // rows of a pass that stay in the second-level cache
)

// partCount returns the number of parts of a pass over n rows.
func partCount(n int) int {
	if n < sharedOrder {
		return 1
	}
	return sharedParts
}

// rowsOfPart returns the rows of part p of the rows from begin on, before end.
func rowsOfPart(p, parts, begin, end int) (i0, i1 int) {
	const group = 8 // rows that the kernels process together
	each := (end - begin + parts*group - 1) / (parts * group) * group
	return min(end, begin+p*each), min(end, begin+(p+1)*each)
}

// panel is the columns from first on, before end, that are reduced without an update of the rest of the matrix
// (LAPACK's lahr2). Vectors are stored as rows. Columns are numbered as those of the matrix: elements left of
// the first one are not used.
type panel[T dense.Scalar] struct {
	team   *sched.Team
	rounds *sched.Rounds // nil: parts are done one after the other
	pass   func(p int)   // the current work on a part
	a      dense.Matrix[T]

	first, end         int
	top                int             // the first row that the panel's reflectors change
	parts              int             // of its passes over the matrix
	columns            dense.Matrix[T] // the columns that are reduced
	yt                 dense.Matrix[T] // Y^T
	right              dense.Matrix[T] // V^H, and W below it
	triangles          dense.Matrix[T] // T of all panels, one below the other
	sums               dense.Matrix[T] // V^H A, those of a part below those of the part before
	imaginaryMultiples dense.Matrix[T] // for a complex vector, a row for each part: see passRows
	coefficients       []T

	// Of the current reflector, that of column k:
	k           int
	from        int // first column of the passes: that of v, rounded down to a whole cache line
	v           []T // its vector, with zeros in front
	conj, iConj []T // if it is complex, conj(v) and i conj(v)
	y           []T // A v
}

// begin makes columns first to end-1 the current ones.
func (p *panel[T]) begin(first, end int) {
	p.first, p.end, p.top = first, end, first+1
	p.parts = partCount(p.a.Rows - p.top)
}

// triangle returns T of the current columns.
func (p *panel[T]) triangle() dense.Matrix[T] {
	return p.triangles.Slice(p.first, p.end, 0, p.end-p.first)
}

// isIdentity reports whether all reflectors of the panel are the identity.
func (p *panel[T]) isIdentity() bool {
	for k := p.first; k < p.end; k++ {
		if p.triangles.At(k, k-p.first) != 0 {
			return false
		}
	}
	return true
}

// inParts does all parts of a pass.
func (p *panel[T]) inParts(parts int, pass func(part int)) error {
	if err := p.team.Err(); err != nil {
		return err
	}
	if parts == 1 {
		pass(0)
		return nil
	}
	p.pass = pass
	return p.rounds.Do()
}

// runPart does a part of the current pass.
func (p *panel[T]) runPart(part int) { p.pass(part) }

// reduceColumn applies the reflectors of the panel to column k, generates the reflector of that column, and extends V,
// Y, T and V^H A by it: the body of the loop of LAPACK's lahr2. multiply is p.multiply.
func (p *panel[T]) reduceColumn(k int, multiply func(part int)) error {
	n, j := p.a.Rows, k-p.first
	x, triangle := p.columns.Row(j), p.triangle()
	vh, yt := p.right.Slice(0, j, p.top, n), p.yt.Slice(0, j, p.top, n)
	sums, current := p.coefficients[:j], x[p.top:]
	if j > 0 {
		// The column minus Y times the row k of V, and then P^H of that.
		for q := range sums {
			sums[q] = -p.right.At(q, k)
		}
		addRows(blas.Trans, yt, sums, current)
		setProducts(vh, current, sums)
		householder.MultiplyTriangleAdjoint(triangle, sums)
		addRows(blas.ConjTrans, vh, sums, current)
	}
	v := p.v[k+1:]
	copy(v, x[k+1:])
	beta, tau := householder.Generate(v)
	clear(x[k+1:])
	x[k+1] = beta
	p.k = k
	p.setVector(tau != 0)
	p.y = p.yt.Row(j)
	if tau == 0 {
		p.zeroColumn()
		return p.team.Err()
	}
	if err := p.inParts(p.parts, multiply); err != nil {
		return err
	}
	// y = tau (A v - Y V^H v), and the next column of T.
	y := p.y[p.top:]
	if j > 0 {
		setProducts(p.right.Slice(0, j, k+1, n), v, sums)
	}
	householder.ExtendTriangle(triangle, tau, sums)
	if j > 0 {
		for q, x := range sums {
			sums[q] = -x
		}
		addRows(blas.Trans, yt, sums, y)
	}
	blas.Scal(tau, dense.Vec(y))
	return nil
}

// setVector writes v and its conjugate where the passes read them, with zeros in front from a whole cache line on. A
// reflector that is the identity has a vector of zeros.
func (p *panel[T]) setVector(exists bool) {
	row, perLine := p.right.Row(p.k-p.first), dense.LineBytes/dense.Bytes[T]()
	p.from = (p.k + 1) / perLine * perLine
	from := min(p.from, p.first)
	clear(p.v[from : p.k+1])
	clear(row[from : p.k+1])
	if !exists {
		clear(p.v[p.k+1:])
	}
	dense.ConjugateTo(row[p.k+1:], p.v[p.k+1:])
	if dense.IsComplex[T]() {
		i := dense.FromParts[T](0, 1)
		for q := from; q < len(row); q++ {
			p.conj[q], p.iConj[q] = row[q], i*row[q]
		}
	}
}

// zeroColumn sets what the pass of a reflector would, and its column of T, to zero: the reflector is the identity.
func (p *panel[T]) zeroColumn() {
	clear(p.y[p.top:])
	j := p.k - p.first
	for q := range j + 1 {
		p.triangle().Set(q, j, 0)
	}
	for part := range p.parts {
		clear(p.sums.Row(part*panelWidth + j)[p.top:])
	}
}

// multiply sets a part of y = A v, and the part's contribution to v^H A.
func (p *panel[T]) multiply(part int) {
	if dense.IsSingle[T]() {
		passRows[float32](p, part)
	} else {
		passRows[float64](p, part)
	}
}

// passRows is multiply for T's real type R. It takes some rows at a time, forwards and backwards in turn, so that what
// was read last and is still in the cache is read first.
//
// A complex row is a real one of twice the length: its real inner products with conj(v) and i conj(v) are the real and
// the imaginary part of the complex one. Multiples by the real parts of v are collected in sums, those by the imaginary
// parts in imaginaryMultiples:
//
//	v^H A = sums - i imaginaryMultiples
func passRows[R dense.Float, T dense.Scalar](p *panel[T], part int) {
	n, k, j, set := p.a.Rows, p.from, p.k-p.first, kernel.Best()
	i0, i1 := rowsOfPart(part, p.parts, p.top, n)
	clear(p.y[i0:i1])
	sums := p.sums.Row(part*panelWidth + j)[k:]
	clear(sums)
	imaginaryMultiples := sums[:0]
	words := dense.Parts[T]()
	if words == 2 {
		imaginaryMultiples = p.imaginaryMultiples.Row(part)[k:]
		clear(imaginaryMultiples)
	}
	steps := (i1 - i0 + rowsAtOnce - 1) / rowsAtOnce
	for step := range steps {
		if j%2 != 0 {
			step = steps - 1 - step
		}
		i := i0 + step*rowsAtOnce
		end := min(i1, i+rowsAtOnce)
		rows := vector.Rows[R]{
			Count: end - i, Cols: words * (n - k), Stride: words * p.a.Stride, A: dense.Reals[R](p.a.Data[i*p.a.Stride+k:]),
		}
		alpha, y := dense.Reals[R](p.v[i:end]), dense.Reals[R](p.y[i:end])
		if words == 1 {
			vector.DotsAxpys(set, &rows, dense.Reals[R](p.v[k:]), y, alpha, dense.Reals[R](sums))
		} else {
			vector.DotsAxpysPair(set, &rows, dense.Reals[R](p.conj[k:]), dense.Reals[R](p.iConj[k:]), y, alpha,
				dense.Reals[R](sums), dense.Reals[R](imaginaryMultiples))
		}
	}
	i := dense.FromParts[T](0, 1)
	for q, x := range imaginaryMultiples {
		sums[q] -= i * x
	}
}

// setProducts sets products to the product of m and x.
func setProducts[T dense.Scalar](m dense.Matrix[T], x, products []T) {
	blas.Gemv(nil, blas.NoTrans, 1, m, dense.Vec(x), 0, dense.Vec(products))
}

// addRows adds multiples of the rows of m to y, or of their conjugates.
func addRows[T dense.Scalar](trans blas.Transpose, m dense.Matrix[T], multiples, y []T) {
	blas.Gemv(nil, trans, 1, m, dense.Vec(multiples), 1, dense.Vec(y))
}
