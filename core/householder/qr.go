package householder

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
)

const (
	// Reflectors of a panel. Of a matrix with few rows a panel is most of the work, and a narrow one is faster.
	narrowPanel, widePanel = 8, 24
	narrowPanelRows        = 128
	// Columns or rows of a matrix to which the reflectors of a panel are applied at once: those of matrices of order 500
	// stay in a second-level cache between the two products. Threads share the strips.
	stripWidth = 128
	// Multiply-adds that are worth a second thread.
	sharedWork = 1 << 20
)

// panelWidth returns how many reflectors of a matrix of m rows form a panel.
func panelWidth(m int) int {
	if m < narrowPanelRows {
		return narrowPanel
	}
	return widePanel
}

// QRElements returns how many numbers of memory QR takes for a matrix of m rows and n columns and for alsoCols columns
// of a second one.
func QRElements(m, n, alsoCols int) int {
	return panelWidth(m) * (5*m + max(m, n+alsoCols) + 1)
}

// qr is a QR factorization in progress. The product of the reflectors of a panel is P = I - V T V^H.
type qr[T dense.Wide] struct {
	team        *sched.Team
	a, also, qt dense.Matrix[T]
	width       int             // of a panel
	triangles   dense.Matrix[T] // T of all panels, one below the other; zero below the diagonal
	columns     dense.Matrix[T] // the columns of a panel, as rows
	v           dense.Matrix[T] // V^H, or V^T while Q^T is formed
	left, right dense.Matrix[T] // -T^H V^H; -conj(V) T^T
	products    []T
	sums        []T
}

// QR makes a, of m rows and n columns, upper triangular by reflectors from the left, and applies them to also: a
// becomes R = Q^H A, also Q^H also, and qt, whose elements are not read, Q^T. also has m rows or none, qt is m x m or
// without rows. The reflectors are those of GenerateHermitian: the diagonal of R is complex where a is. Elements of R
// below the diagonal are zero, and a column of A that already is zero there gets no reflector.
//
// The error is the team's. memory has QRElements numbers. Cost: for m = n, 4/3 n^3 flops for a, 2 n^2 for each column
// of also, and 4/3 n^3 for qt.
//
// Method: LAPACK's geqrf and orgqr. The reflectors of a panel of columns are applied to a column of it when its turn
// comes, and to all that is right of the panel by matrix products.
func QR[T dense.Wide](team *sched.Team, a, also, qt dense.Matrix[T], memory []T) error {
	m, width := a.Rows, panelWidth(a.Rows)
	take := func(rows, cols int) dense.Matrix[T] {
		taken := dense.Matrix[T]{Rows: rows, Cols: cols, Stride: cols, Data: memory[: rows*cols : rows*cols]}
		memory = memory[rows*cols:]
		return taken
	}
	f := &qr[T]{team: team, a: a, also: also, qt: qt, width: width}
	f.triangles, f.columns, f.v = take(m, width), take(width, m), take(width, m)
	f.left, f.right = take(width, m), take(m, width)
	f.sums, f.products = take(1, width).Data, memory
	clear(f.triangles.Data)
	f.plan()
	for first := 0; first < f.count(); first += width {
		if err := f.reducePanel(first, min(first+width, f.count())); err != nil {
			return err
		}
		team.Step(f.reducingSteps(first))
	}
	if qt.Rows == 0 {
		return team.Err()
	}
	below := m // the rows from here on are formed
	for first := (f.count() - 1) / width * width; first >= 0 && f.count() > 0; first -= width {
		if err := f.formPanel(first, min(first+width, f.count()), below); err != nil {
			return err
		}
		team.Step(f.formingSteps(first))
		below = first
	}
	f.setUnitRows(0, below)
	return team.Err()
}

// count returns the number of reflectors.
func (f *qr[T]) count() int { return max(0, min(f.a.Rows-1, f.a.Cols)) }

// plan plans the steps of all panels.
func (f *qr[T]) plan() {
	total := 0
	for first := 0; first < f.count(); first += f.width {
		total += f.reducingSteps(first)
		if f.qt.Rows > 0 {
			total += f.formingSteps(first)
		}
	}
	f.team.Plan(total)
}

// reducingSteps returns about the multiply-adds of a panel, divided by twice its width.
func (f *qr[T]) reducingSteps(first int) int {
	return (f.a.Rows - first) * (f.a.Cols - first + f.also.Cols)
}

// formingSteps is reducingSteps for a panel's part of Q^T.
func (f *qr[T]) formingSteps(first int) int { return (f.a.Rows - first) * (f.a.Rows - first) }

// triangle returns T of the panel of columns first to end-1.
func (f *qr[T]) triangle(first, end int) dense.Matrix[T] {
	return f.triangles.Slice(first, end, 0, end-first)
}

// reducePanel makes the columns first to end-1 triangular and applies their reflectors to what is right of them and to
// the second matrix. It leaves V^T in the rows of qt.
func (f *qr[T]) reducePanel(first, end int) error {
	m, width := f.a.Rows, end-first
	panel := f.a.Slice(first, m, first, end)
	columns, vh := f.columns.Slice(0, width, 0, m-first), f.v.Slice(0, width, 0, m-first)
	if err := blas.CopyView(nil, columns.View(), panel.View().T()); err != nil {
		return err
	}
	identity, t := true, f.triangle(first, end)
	for j := range width {
		identity = !f.reduceColumn(j, columns, vh, t, identity) && identity
	}
	if f.qt.Rows > 0 {
		for j := range width {
			dense.ConjugateTo(f.qt.Row(first + j)[first:], vh.Row(j))
		}
	}
	if err := blas.CopyView(nil, panel.View(), columns.View().T()); err != nil || identity {
		return err
	}
	left := f.left.Slice(0, width, 0, m-first)
	blas.Gemm(nil, blas.ConjTrans, blas.NoTrans, -1, t, vh, 0, left)
	right := f.a.Slice(first, m, end, f.a.Cols)
	strips := ceilDiv(right.Cols, stripWidth)
	also := f.also
	if also.Rows > 0 {
		also = also.Slice(first, m, 0, also.Cols)
	}
	return f.inStrips(strips+ceilDiv(also.Cols, stripWidth), width*(m-first)*(right.Cols+also.Cols), func(strip int) {
		// Products of the second matrix stand behind those of the first.
		of, products := right, f.products
		if strip >= strips {
			of, products, strip = also, products[width*right.Cols:], strip-strips
		}
		j0, j1 := strip*stripWidth, min((strip+1)*stripWidth, of.Cols)
		x := of.Slice(0, of.Rows, j0, j1)
		product := dense.Matrix[T]{Rows: width, Cols: j1 - j0, Stride: j1 - j0, Data: products[width*j0 : width*j1]}
		blas.Gemm(nil, blas.NoTrans, blas.NoTrans, 1, left, x, 0, product)
		blas.Gemm(nil, blas.ConjTrans, blas.NoTrans, 1, vh, product, 1, x)
	})
}

// reduceColumn applies the reflectors of the panel, which are the identity if identity says so, to column j of it and
// generates that of the column. It reports whether there is one.
func (f *qr[T]) reduceColumn(j int, columns, vh, t dense.Matrix[T], identity bool) bool {
	x, v, sums := columns.Row(j), vh.Row(j), f.sums[:j]
	if !identity {
		before := vh.Slice(0, j, 0, vh.Cols)
		blas.Gemv(nil, blas.NoTrans, 1, before, dense.Vec(x), 0, dense.Vec(sums))
		MultiplyTriangleAdjoint(t, sums)
		blas.Gemv(nil, blas.ConjTrans, 1, before, dense.Vec(sums), 1, dense.Vec(x))
	}
	clear(v[:j])
	if isZero(x[j+1:]) {
		clear(v[j:])
		return false
	}
	copy(v[j:], x[j:])
	beta, tau := GenerateHermitian(v[j:])
	clear(x[j:])
	x[j] = beta
	clear(sums)
	if !identity {
		blas.Gemv(nil, blas.NoTrans, 1, vh.Slice(0, j, j, vh.Cols), dense.Vec(v[j:]), 0, dense.Vec(sums))
	}
	ExtendTriangle(t, dense.FromReal[T](tau), sums)
	dense.ConjugateTo(v[j:], v[j:])
	return true
}

// isZero reports whether all elements of x are zero.
func isZero[T dense.Scalar](x []T) bool {
	for _, v := range x {
		if v != 0 {
			return false
		}
	}
	return true
}

// formPanel multiplies qt by P^T from the right for the panel of columns first to end-1. The rows from below on are
// those of the panels behind, the rows from first on become part of qt.
func (f *qr[T]) formPanel(first, end, below int) error {
	m, width := f.a.Rows, end-first
	vt, right := f.v.Slice(0, width, 0, m-first), f.right.Slice(0, m-first, 0, width)
	for j := range width {
		copy(vt.Row(j), f.qt.Row(first + j)[first:])
	}
	f.setUnitRows(first, below)
	blas.Gemm(nil, blas.ConjTrans, blas.Trans, -1, vt, f.triangle(first, end), 0, right)
	top := f.qt.Slice(first, below, first, m)
	blas.Gemm(nil, blas.NoTrans, blas.NoTrans, 1, right.Slice(0, top.Rows, 0, width), vt, 1, top)
	return f.inStrips(ceilDiv(m-below, stripWidth), 2*width*(m-below)*(m-below), func(strip int) {
		i0, i1 := below+strip*stripWidth, min(below+(strip+1)*stripWidth, m)
		product := dense.Matrix[T]{Rows: i1 - i0, Cols: width, Stride: width, Data: f.products[width*i0 : width*i1]}
		blas.Gemm(nil, blas.NoTrans, blas.NoTrans, 1, f.qt.Slice(i0, i1, below, m), right.Slice(top.Rows, m-first, 0, width),
			0, product)
		blas.Gemm(nil, blas.NoTrans, blas.NoTrans, 1, product, vt, 1, f.qt.Slice(i0, i1, first, m))
	})
}

// setUnitRows makes the rows first to end-1 of qt those of the identity.
func (f *qr[T]) setUnitRows(first, end int) {
	for i := first; i < end; i++ {
		clear(f.qt.Row(i))
		f.qt.Set(i, i, 1)
	}
}

// inStrips does the given number of multiply-adds in strips.
func (f *qr[T]) inStrips(strips, work int, do func(strip int)) error {
	if strips > 1 && f.team.WorthSharing(work, sharedWork) {
		return f.team.For(strips, func(_, strip int) error {
			do(strip)
			return nil
		})
	}
	for strip := range strips {
		if err := f.team.Err(); err != nil {
			return err
		}
		do(strip)
	}
	return f.team.Err()
}
