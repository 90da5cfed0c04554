package blas

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/sched"
)

var transposes = []Transpose{NoTrans, Trans, ConjTrans}

// times calls f with T's real type.
func times[T dense.Scalar](single, double func()) {
	if dense.IsSingle[T]() {
		single()
	} else {
		double()
	}
}

func symvWith[T dense.Scalar](set kernel.Set, team *sched.Team, uplo Uplo, hermitian bool, alpha T, a dense.Matrix[T], x dense.Vector[T], beta T, y dense.Vector[T]) {
	symmetricProduct(set, team, uplo, hermitian && dense.IsComplex[T](), alpha, a, x, beta, y)
}

func trmvWith[T dense.Scalar](set kernel.Set, team *sched.Team, uplo Uplo, trans Transpose, diag Diag, a dense.Matrix[T], x dense.Vector[T]) {
	times[T](func() { trmv[float32](set, team, uplo, trans, diag, a, x) }, func() { trmv[float64](set, team, uplo, trans, diag, a, x) })
}

func trsvWith[T dense.Scalar](set kernel.Set, team *sched.Team, uplo Uplo, trans Transpose, diag Diag, a dense.Matrix[T], x dense.Vector[T]) {
	times[T](func() { trsv[float32](set, team, uplo, trans, diag, a, x) }, func() { trsv[float64](set, team, uplo, trans, diag, a, x) })
}

func updateWith[T dense.Scalar](set kernel.Set, team *sched.Team, u update[T], alpha T, x, y dense.Vector[T]) {
	times[T](func() { rankUpdate[float32](set, team, u, alpha, x, y) }, func() { rankUpdate[float64](set, team, u, alpha, x, y) })
}

// addProduct adds alpha A x to what is expected.
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
		checkf(t, differs(y, want, n), "%c %dx%d alpha %v beta %v increments %d %d", trans, rows, cols, alpha, beta, x.Inc, y.Inc)
	}
}

// symmetricOf returns the whole matrix, in double precision, of which the triangle uplo is given.
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

// spoil makes NaN what must not be read: the other triangle and a unit diagonal.
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
		checkf(t, differs(y, want, n), "%c n %d hermitian %v alpha %v beta %v increments %d %d", uplo, n, hermitian, alpha, beta, x.Inc, y.Inc)
	}
}

// triangleAlone returns op of the triangle in double precision.
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

// testTrmv checks products by definition, and solutions by the product with the triangle: each element of A z - x is small against
// the sum of |a_ij| |z_j|.
func testTrmv[T dense.Scalar](t *testing.T, s kernel.Set) {
	rng := rand.New(rand.NewPCG(33, uint64(s)))
	for round := range rounds(300) {
		n, uplo, trans, diag := 1+someLength(rng, round), pick(rng, Upper, Lower), pick(rng, transposes...), pick(rng, NonUnit, Unit)
		name := fmt.Sprintf("%c%c%c n %d", uplo, trans, diag, n)
		a, x := random[T](rng, n, n), newStrided[T](rng, n, guardWord)
		for i := range n { // rows that neither explode nor vanish
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

// testUpdates checks all kinds of updates; rows of the result are checked as vectors are, with the other triangle as a guard.
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
			checkf(t, differs(got, row, 4), "%c conj %v both %v %dx%d alpha %v row %d", u.uplo, u.conj, u.both, m, n, alpha, i)
			if hermitian && dense.Imag(got.at(i)) != 0 {
				t.Fatalf("diagonal element %d has an imaginary part", i)
			}
		}
	}
}

// updatedRows returns what A becomes by definition, the other triangle unchanged.
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

func TestLevel2BitsDoNotDependOnThreads(t *testing.T) {
	forSetsAndDtypes(t, testLevel2Threads[float32], testLevel2Threads[float64], testLevel2Threads[complex64], testLevel2Threads[complex128])
}

// testLevel2Threads uses matrices that are just large enough to be shared.
func testLevel2Threads[T dense.Scalar](t *testing.T, s kernel.Set) {
	rng := rand.New(rand.NewPCG(35, uint64(s)))
	n := int(math.Sqrt(float64(sweepBytes/dense.Bytes[T]()))) + 3
	a, x, y := random[T](rng, n, n), newStrided(rng, n, nanOf[T]()), newStrided(rng, n, nanOf[T]())
	for i := range n {
		a.Set(i, i, dense.FromReal[T](float64(n))) // so that solutions stay small
	}
	for name, call := range map[string]func(*sched.Team, dense.Vector[T]){
		"Gemv N":  func(team *sched.Team, y dense.Vector[T]) { generalProduct(s, team, NoTrans, 2, a, x.Vector, 1, y) },
		"Gemv T":  func(team *sched.Team, y dense.Vector[T]) { generalProduct(s, team, Trans, 2, a, x.Vector, 1, y) },
		"Gemv C":  func(team *sched.Team, y dense.Vector[T]) { generalProduct(s, team, ConjTrans, 2, a, x.Vector, 1, y) },
		"Symv L":  func(team *sched.Team, y dense.Vector[T]) { symvWith(s, team, Lower, false, 2, a, x.Vector, 1, y) },
		"Hemv U":  func(team *sched.Team, y dense.Vector[T]) { symvWith(s, team, Upper, true, 2, a, x.Vector, 1, y) },
		"Trmv N":  func(team *sched.Team, y dense.Vector[T]) { trmvWith(s, team, Lower, NoTrans, NonUnit, a, y) },
		"Trmv C":  func(team *sched.Team, y dense.Vector[T]) { trmvWith(s, team, Upper, ConjTrans, NonUnit, a, y) },
		"Trsv LN": func(team *sched.Team, y dense.Vector[T]) { trsvWith(s, team, Lower, NoTrans, NonUnit, a, y) },
		"Trsv LT": func(team *sched.Team, y dense.Vector[T]) { trsvWith(s, team, Lower, Trans, NonUnit, a, y) },
	} {
		var one *strided[T]
		for _, threads := range []int{1, 2, 3} {
			got := y.clone()
			call(sched.NewTeam(context.Background(), threads, nil), got.Vector)
			if one == nil {
				one = got
			}
			for i := range n {
				if got.at(i) != one.at(i) {
					t.Fatalf("%s: 1 and %d threads give different bits", name, threads)
				}
			}
		}
	}
	for _, uplo := range []Uplo{0, Lower} {
		var one dense.Matrix[T]
		for _, threads := range []int{1, 2, 3} {
			u := update[T]{a: a.Clone(), uplo: uplo, both: uplo != 0}
			updateWith(s, sched.NewTeam(context.Background(), threads, nil), u, 3, x.Vector, y.Vector)
			if threads == 1 {
				one = u.a
			}
			if !slices.Equal(one.Data, u.a.Data) {
				t.Fatalf("update %c: 1 and %d threads give different bits", uplo, threads)
			}
		}
	}
}

func TestLevel2Public(t *testing.T) {
	forDtypes(t, testLevel2Public[float32], testLevel2Public[float64], testLevel2Public[complex64], testLevel2Public[complex128])
}

// testLevel2Public checks that each name means the operation it should, and that alpha = 0 reads nothing.
func testLevel2Public[T dense.Scalar](t *testing.T) {
	rng := rand.New(rand.NewPCG(36, 0))
	const n = 11
	a, x, y := random[T](rng, n, n), newStrided(rng, n, nanOf[T]()), newStrided(rng, n, nanOf[T]())
	alpha, size := number[T](rng), dense.Real(number[T](rng))
	for name, c := range map[string]struct {
		call  func(a dense.Matrix[T])
		want  update[T]
		alpha T
		x, y  *strided[T]
	}{
		"Ger":  {func(a dense.Matrix[T]) { Ger(nil, alpha, x.Vector, y.Vector, a) }, update[T]{}, alpha, x, y},
		"Gerc": {func(a dense.Matrix[T]) { Gerc(nil, alpha, x.Vector, y.Vector, a) }, update[T]{conj: true}, alpha, x, y},
		"Syr":  {func(a dense.Matrix[T]) { Syr(nil, Upper, alpha, x.Vector, a) }, update[T]{uplo: Upper}, alpha, x, x},
		"Her":  {func(a dense.Matrix[T]) { Her(nil, Lower, size, x.Vector, a) }, update[T]{uplo: Lower, conj: true}, dense.FromReal[T](size), x, x},
		"Syr2": {func(a dense.Matrix[T]) { Syr2(nil, Lower, alpha, x.Vector, y.Vector, a) }, update[T]{uplo: Lower, both: true}, alpha, x, y},
		"Her2": {func(a dense.Matrix[T]) { Her2(nil, Upper, alpha, x.Vector, y.Vector, a) }, update[T]{uplo: Upper, conj: true, both: true}, alpha, x, y},
	} {
		got := a.Clone()
		c.call(got)
		for i, row := range updatedRows(c.want, dense.Convert[complex128](c.alpha), c.x.wide(), c.y.wide(), a) {
			checkf(t, differs(rowOf(got, i), row, 4), "%s row %d", name, i)
		}
	}
	whole := map[string]dense.Matrix[complex128]{"Symv": symmetricOf(Upper, false, a), "Hemv": symmetricOf(Lower, true, a), "Gemv": wideOp(NoTrans, a)}
	for name, call := range map[string]func(T, dense.Matrix[T], dense.Vector[T]){
		"Symv": func(alpha T, a dense.Matrix[T], z dense.Vector[T]) { Symv(nil, Upper, alpha, a, x.Vector, 1, z) },
		"Hemv": func(alpha T, a dense.Matrix[T], z dense.Vector[T]) { Hemv(nil, Lower, alpha, a, x.Vector, 1, z) },
		"Gemv": func(alpha T, a dense.Matrix[T], z dense.Vector[T]) { Gemv(nil, NoTrans, alpha, a, x.Vector, 1, z) },
	} {
		z := newStrided[T](rng, n, guardWord)
		want := newExpected(n)
		want.addScaled(1, z.wide())
		nothing := dense.New[T](n, n)
		nothing.Fill(nanOf[T]())
		call(0, nothing, z.Vector)
		checkf(t, differs(z, want, 0), "%s with alpha 0", name)
		want.addProduct(dense.Convert[complex128](alpha), whole[name], x.wide())
		call(alpha, a, z.Vector)
		checkf(t, differs(z, want, n), "%s", name)
	}
	z := newStrided[T](rng, n, guardWord)
	want := newExpected(n)
	want.addProduct(1, triangleAlone(Lower, ConjTrans, Unit, a), z.wide())
	before := z.clone()
	Trmv(nil, Lower, ConjTrans, Unit, a, z.Vector)
	checkf(t, differs(z, want, n), "Trmv")
	Trsv(nil, Lower, ConjTrans, Unit, a, z.Vector)
	for i := range n { // a unit triangle of this order is far from singular, not from ill-conditioned
		const condition = 1e5
		if e := dense.Abs(z.at(i) - before.at(i)); !(e <= condition*dense.Eps[T]()) {
			t.Fatalf("Trsv does not undo Trmv: %v, want %v", z.at(i), before.at(i))
		}
	}
}

func TestLevel2PropagatesInfinities(t *testing.T) {
	forSetsAndDtypes(t, testLevel2Infinities[float32], testLevel2Infinities[float64], testLevel2Infinities[complex64], testLevel2Infinities[complex128])
}

// testLevel2Infinities multiplies zeros by a matrix with one infinity, which makes one or two elements NaN and no others.
func testLevel2Infinities[T dense.Scalar](t *testing.T, s kernel.Set) {
	rng := rand.New(rand.NewPCG(37, uint64(s)))
	for range rounds(100) {
		n := 1 + rng.IntN(40)
		i, j := rng.IntN(n), rng.IntN(n)
		a, x := random[T](rng, n, n), dense.Vec(make([]T, n))
		a.Set(i, j, dense.FromReal[T](math.Inf(1)))
		check := func(name string, y dense.Vector[T], where ...int) {
			t.Helper()
			for k, v := range y.Data {
				if (v != v) != slices.Contains(where, k) {
					t.Fatalf("%s: infinity at %d,%d of %d: element %d is %v", name, i, j, n, k, v)
				}
			}
		}
		y := dense.Vec(make([]T, n))
		generalProduct(s, nil, NoTrans, 1, a, x, 0, y)
		check("Gemv N", y, i)
		generalProduct(s, nil, ConjTrans, 1, a, x, 0, y)
		check("Gemv C", y, j)
		uplo := Upper
		if i > j {
			uplo = Lower
		}
		symvWith(s, nil, uplo, false, 1, a, x, 0, y)
		check("Symv", y, i, j)
		clear(y.Data)
		trmvWith(s, nil, uplo, NoTrans, NonUnit, a, y)
		check("Trmv N", y, i)
		clear(y.Data)
		trmvWith(s, nil, uplo, Trans, NonUnit, a, y)
		check("Trmv T", y, j)
	}
}

func TestLevel2ObeysCancellation(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	team := sched.NewTeam(ctx, 2, nil)
	const n = 1200
	a, x, y := dense.New[float64](n, n), dense.Vec(make([]float64, n)), dense.Vec(make([]float64, n))
	a.Fill(1)
	for i := range x.Data {
		x.Data[i] = 1
	}
	Gemv(team, NoTrans, 1, a, x, 0, y)
	if y.Data[n-1] != 0 {
		t.Error("Gemv went on to its end")
	}
	Symv(team, Lower, 1, a, x, 0, y)
	if y.Data[n-1] == n {
		t.Error("Symv went on to its end")
	}
	Ger(team, 1, x, x, a)
	if a.At(n-1, n-1) != 1 {
		t.Error("Ger went on to its end")
	}
}

func TestSmallLevel2AllocatesNothing(t *testing.T) {
	const n = 257 // Go allocates integers above 255 that become interfaces
	a, x, y := dense.New[float64](n, n), dense.Vec(make([]float64, n)), dense.Vec(make([]float64, n))
	for name, call := range map[string]func(){
		"Gemv": func() { Gemv(nil, Trans, 1, a, x, 0, y) },
		"Symv": func() { Symv(nil, Lower, 1, a, x, 0, y) },
		"Trsv": func() { Trsv(nil, Lower, Trans, Unit, a, y) },
		"Syr2": func() { Syr2(nil, Lower, 1, x, y, a) },
		"Dotu": func() { Dotu(x, y) },
		"Axpy": func() { Axpy(1, x, y) },
		"Nrm2": func() { Nrm2(x) },
	} {
		if n := testing.AllocsPerRun(20, call); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
