package blas

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/sched"
)

var transposes = []Transpose{NoTrans, Trans, ConjTrans}

// times calls single or double, depending on the real type of T.
func times[T dense.Scalar](single, double func()) {
	if dense.IsSingle[T]() {
		single()
	} else {
		double()
	}
}

func symvWith[T dense.Scalar](
	set kernel.Set, team *sched.Team, uplo Uplo, hermitian bool, alpha T, a dense.Matrix[T], x dense.Vector[T],
	beta T, y dense.Vector[T],
) {
	symmetricProduct(set, team, uplo, hermitian && dense.IsComplex[T](), alpha, a, x, beta, y)
}

func trmvWith[T dense.Scalar](
	set kernel.Set, team *sched.Team, uplo Uplo, trans Transpose, diag Diag, a dense.Matrix[T], x dense.Vector[T],
) {
	times[T](func() { trmv[float32](set, team, uplo, trans, diag, a, x) },
		func() { trmv[float64](set, team, uplo, trans, diag, a, x) })
}

func trsvWith[T dense.Scalar](
	set kernel.Set, team *sched.Team, uplo Uplo, trans Transpose, diag Diag, a dense.Matrix[T], x dense.Vector[T],
) {
	times[T](func() { trsv[float32](set, team, uplo, trans, diag, a, x) },
		func() { trsv[float64](set, team, uplo, trans, diag, a, x) })
}

func updateWith[T dense.Scalar](set kernel.Set, team *sched.Team, u update[T], alpha T, x, y dense.Vector[T]) {
	times[T](func() { rankUpdate[float32](set, team, u, alpha, x, y) },
		func() { rankUpdate[float64](set, team, u, alpha, x, y) })
}

// addProduct adds alpha A x to the expected result.
func (e *expected) addProduct(alpha complex128, a dense.Matrix[complex128], x []complex128) {
	for i := range a.Rows {
		for j, v := range a.Row(i) {
			e.add(i, alpha*v, x[j])
		}
	}
}

// wideOp returns op(A) in double precision.
func wideOp[T dense.Scalar](trans Transpose, a dense.Matrix[T]) dense.Matrix[complex128] {
	m, n := opShape(trans, a.Rows, a.Cols)
	w := dense.New[complex128](m, n)
	for i := range m {
		for j := range n {
			w.Set(i, j, op(trans, a, i, j))
		}
	}
	return w
}

func TestGemv(t *testing.T) {
	forSetsAndDtypes(t, testGemv[float32], testGemv[float64], testGemv[complex64], testGemv[complex128])
}

func testGemv[T dense.Scalar](t *testing.T, s kernel.Set) {
	rng := rand.New(rand.NewPCG(31, uint64(s)))
	for round := range rounds(300) {
		rows, cols, trans := 1+someLength(rng, round), 1+someLength(rng, round+10), pick(rng, transposes...)
		alpha, beta := pick(rng, factorsOf[T](rng)[1:]...), pick(rng, factorsOf[T](rng)...)
		a := random[T](rng, rows, cols)
		m, n := opShape(trans, rows, cols)
		x, y := newStrided(rng, n, nanOf[T]()), newStrided[T](rng, m, guardWord)
		want := newExpected(m)
		want.addScaled(dense.Convert[complex128](beta), y.wide())
		want.addProduct(dense.Convert[complex128](alpha), wideOp(trans, a), x.wide())
		if beta == 0 {
			y.fill(nanOf[T]())
		}
		generalProduct(s, nil, trans, alpha, a, x.Vector, beta, y.Vector)
		checkf(t, differs(y, want, n), "%c %dx%d alpha %v beta %v increments %d %d", trans, rows, cols, alpha, beta,
			x.Inc, y.Inc)
	}
}

// symmetricOf returns, in double precision, the symmetric or Hermitian matrix whose triangle uplo is that of a.
func symmetricOf[T dense.Scalar](uplo Uplo, hermitian bool, a dense.Matrix[T]) dense.Matrix[complex128] {
	w := dense.New[complex128](a.Rows, a.Cols)
	for i := range a.Rows {
		for j := range a.Cols {
			x := dense.Convert[complex128](a.At(i, j))
			switch {
			case i == j && hermitian:
				x = complex(real(x), 0)
			case i != j && (i > j) != (uplo == Lower):
				x = dense.Convert[complex128](a.At(j, i))
				if hermitian {
					x = dense.Conj(x)
				}
			}
			w.Set(i, j, x)
		}
	}
	return w
}

// spoil fills the elements that must not be read with NaN: the other triangle and a unit diagonal.
func spoil[T dense.Scalar](uplo Uplo, diag Diag, a dense.Matrix[T]) {
	for i := range a.Rows {
		for j := range a.Cols {
			if i == j && diag == Unit || i != j && (i > j) != (uplo == Lower) {
				a.Set(i, j, nanOf[T]())
			}
		}
	}
}

// spoilImaginary makes the imaginary parts of the diagonal NaN.
func spoilImaginary[T dense.Scalar](a dense.Matrix[T]) {
	for i := range a.Rows {
		a.Set(i, i, dense.FromParts[T](dense.Real(a.At(i, i)), math.NaN()))
	}
}

func TestSymvAndHemv(t *testing.T) {
	forSetsAndDtypes(t, testSymv[float32], testSymv[float64], testSymv[complex64], testSymv[complex128])
}

func testSymv[T dense.Scalar](t *testing.T, s kernel.Set) {
	rng := rand.New(rand.NewPCG(32, uint64(s)))
	for round := range rounds(300) {
		n, uplo, hermitian := 1+someLength(rng, round), pick(rng, Upper, Lower), rng.IntN(2) == 0
		alpha, beta := pick(rng, factorsOf[T](rng)[1:]...), pick(rng, factorsOf[T](rng)...)
		a, x, y := random[T](rng, n, n), newStrided(rng, n, nanOf[T]()), newStrided[T](rng, n, guardWord)
		want := newExpected(n)
		want.addScaled(dense.Convert[complex128](beta), y.wide())
		want.addProduct(dense.Convert[complex128](alpha), symmetricOf(uplo, hermitian, a), x.wide())
		spoil(uplo, NonUnit, a)
		if hermitian {
			spoilImaginary(a)
		}
		if beta == 0 {
			y.fill(nanOf[T]())
		}
		symvWith(s, nil, uplo, hermitian, alpha, a, x.Vector, beta, y.Vector)
		checkf(t, differs(y, want, n), "%c n %d hermitian %v alpha %v beta %v increments %d %d", uplo, n, hermitian,
			alpha, beta, x.Inc, y.Inc)
	}
}

// triangleAlone returns op(A) in double precision for the triangular matrix A in the triangle uplo of a.
func triangleAlone[T dense.Scalar](uplo Uplo, trans Transpose, diag Diag, a dense.Matrix[T]) dense.Matrix[complex128] {
	alone := a.Clone()
	for i := range a.Rows {
		for j := range a.Cols {
			switch {
			case i == j && diag == Unit:
				alone.Set(i, j, 1)
			case i != j && (i > j) != (uplo == Lower):
				alone.Set(i, j, 0)
			}
		}
	}
	return wideOp(trans, alone)
}

func TestTrmvAndTrsv(t *testing.T) {
	forSetsAndDtypes(t, testTrmv[float32], testTrmv[float64], testTrmv[complex64], testTrmv[complex128])
}

// testTrmv checks products by definition, and solutions z by the residual: each element of A z - x is small relative to
// |x_i| plus the sum of |a_ij| |z_j|.
func testTrmv[T dense.Scalar](t *testing.T, s kernel.Set) {
	rng := rand.New(rand.NewPCG(33, uint64(s)))
	for round := range rounds(300) {
		n, uplo, trans, diag := 1+someLength(rng, round), pick(rng, Upper, Lower), pick(rng, transposes...), pick(rng,
			NonUnit, Unit)
		name := fmt.Sprintf("%c%c%c n %d", uplo, trans, diag, n)
		a, x := random[T](rng, n, n), newStrided[T](rng, n, guardWord)
		for i := range n { // so that products and solutions keep a moderate size
			for j := range n {
				a.Set(i, j, a.At(i, j)/dense.FromReal[T](float64(n)))
			}
			a.Set(i, i, a.At(i, i)*dense.FromReal[T](float64(n))+2)
		}
		op := triangleAlone(uplo, trans, diag, a)
		spoil(uplo, diag, a)
		want := newExpected(n)
		want.addProduct(1, op, x.wide())
		product, solution := x.clone(), x.clone()
		trmvWith(s, nil, uplo, trans, diag, a, product.Vector)
		checkf(t, differs(product, want, n), "Trmv %s increment %d", name, x.Inc)
		trsvWith(s, nil, uplo, trans, diag, a, solution.Vector)
		back := newExpected(n)
		back.addProduct(1, op, solution.wide())
		for i, v := range x.wide() {
			back.size[i] += dense.Abs(v)
		}
		checkf(t, differs(x, back, n), "Trsv %s increment %d", name, x.Inc)
		if !solution.guarded() {
			t.Fatalf("Trsv %s: memory around x was written", name)
		}
	}
}

func TestRankUpdates(t *testing.T) {
	forSetsAndDtypes(t, testUpdates[float32], testUpdates[float64], testUpdates[complex64], testUpdates[complex128])
}

// testUpdates checks all kinds of updates. The rows of the result are checked like vectors; the other triangle must not
// change.
func testUpdates[T dense.Scalar](t *testing.T, s kernel.Set) {
	rng := rand.New(rand.NewPCG(34, uint64(s)))
	for round := range rounds(300) {
		n, m := 1+someLength(rng, round), 0
		u := update[T]{uplo: pick(rng, 0, Upper, Lower), conj: dense.IsComplex[T]() && rng.IntN(2) == 0}
		m, u.both = n, u.uplo != 0 && rng.IntN(2) == 0
		if u.uplo == 0 {
			m = 1 + someLength(rng, round+10)
		}
		alpha := pick(rng, factorsOf[T](rng)[1:]...)
		x, y := newStrided(rng, m, nanOf[T]()), newStrided(rng, n, nanOf[T]())
		if u.uplo != 0 && !u.both {
			y = x
		}
		if u.uplo != 0 && !u.both && u.conj {
			alpha = dense.FromReal[T](dense.Real(alpha))
		}
		before := random[T](rng, m, n)
		u.a = before.Clone()
		hermitian := u.conj && u.uplo != 0
		if hermitian {
			spoilImaginary(u.a)
		}
		updateWith(s, nil, u, alpha, x.Vector, y.Vector)
		for i, row := range updatedRows(u, dense.Convert[complex128](alpha), x.wide(), y.wide(), before) {
			got := rowOf(u.a, i)
			checkf(t, differs(got, row, 4), "%c conj %v both %v %dx%d alpha %v row %d", u.uplo, u.conj, u.both, m, n,
				alpha, i)
			if hermitian && dense.Imag(got.at(i)) != 0 {
				t.Fatalf("diagonal element %d has an imaginary part", i)
			}
		}
	}
}

// updatedRows returns the updated A by definition; the other triangle is unchanged.
func updatedRows[T dense.Scalar](u update[T], alpha complex128, x, y []complex128, before dense.Matrix[T]) []*expected {
	conj, beta := func(z complex128) complex128 { return z }, alpha
	if u.conj {
		conj, beta = dense.Conj[complex128], dense.Conj(alpha)
	}
	rows := make([]*expected, before.Rows)
	for i := range rows {
		rows[i] = newExpected(before.Cols)
		for j := range before.Cols {
			a := dense.Convert[complex128](before.At(i, j))
			if u.conj && u.uplo != 0 && i == j {
				a = complex(real(a), 0)
			}
			rows[i].add(j, 1, a)
			if u.uplo != 0 && i != j && (i > j) != (u.uplo == Lower) {
				continue
			}
			rows[i].add(j, alpha*x[i], conj(y[j]))
			if u.both {
				rows[i].add(j, beta*y[i], conj(x[j]))
			}
		}
	}
	return rows
}
