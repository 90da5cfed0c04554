package blas

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/sched"
)

func TestLevel2BitsDoNotDependOnThreads(t *testing.T) {
	forSetsAndDtypes(t, testLevel2Threads[float32], testLevel2Threads[float64], testLevel2Threads[complex64],
		testLevel2Threads[complex128])
}

// testLevel2Threads uses matrices that are just large enough to be split among threads.
func testLevel2Threads[T dense.Scalar](t *testing.T, s kernel.Set) {
	rng := rand.New(rand.NewPCG(35, uint64(s)))
	n := int(math.Sqrt(float64(sweepBytes/dense.Bytes[T]()))) + 3
	a, x, y := random[T](rng, n, n), newStrided(rng, n, nanOf[T]()), newStrided(rng, n, nanOf[T]())
	for i := range n {
		a.Set(i, i, dense.FromReal[T](float64(n))) // so that solutions stay small
	}
	for name, call := range map[string]func(*sched.Team, dense.Vector[T]){
		"Gemv N": func(team *sched.Team, y dense.Vector[T]) { generalProduct(s, team, NoTrans, 2, a, x.Vector, 1, y) },
		"Gemv T": func(team *sched.Team, y dense.Vector[T]) { generalProduct(s, team, Trans, 2, a, x.Vector, 1, y) },
		"Gemv C": func(team *sched.Team, y dense.Vector[T]) {
			generalProduct(s, team, ConjTrans, 2, a, x.Vector, 1,
				y)
		},
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
			call(startedTeam(threads), got.Vector)
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
			updateWith(s, startedTeam(threads), u, 3, x.Vector, y.Vector)
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
	forDtypes(t, testLevel2Public[float32], testLevel2Public[float64], testLevel2Public[complex64],
		testLevel2Public[complex128])
}

// testLevel2Public checks that each public function does its operation, and that products with alpha = 0 do not read A.
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
		"Ger": {func(a dense.Matrix[T]) { Ger(nil, alpha, x.Vector, y.Vector, a) }, update[T]{}, alpha, x, y},
		"Gerc": {func(a dense.Matrix[T]) { Gerc(nil, alpha, x.Vector, y.Vector, a) }, update[T]{conj: true}, alpha, x,
			y},
		"Syr": {func(a dense.Matrix[T]) { Syr(nil, Upper, alpha, x.Vector, a) }, update[T]{uplo: Upper}, alpha, x, x},
		"Her": {func(a dense.Matrix[T]) { Her(nil, Lower, size, x.Vector, a) }, update[T]{uplo: Lower, conj: true},
			dense.FromReal[T](size), x, x},
		"Syr2": {func(a dense.Matrix[T]) { Syr2(nil, Lower, alpha, x.Vector, y.Vector, a) },
			update[T]{uplo: Lower, both: true}, alpha, x, y},
		"Her2": {func(a dense.Matrix[T]) { Her2(nil, Upper, alpha, x.Vector, y.Vector, a) },
			update[T]{uplo: Upper, conj: true, both: true}, alpha, x, y},
	} {
		got := a.Clone()
		c.call(got)
		for i, row := range updatedRows(c.want, dense.Convert[complex128](c.alpha), c.x.wide(), c.y.wide(), a) {
			checkf(t, differs(rowOf(got, i), row, 4), "%s row %d", name, i)
		}
	}
	whole := map[string]dense.Matrix[complex128]{"Symv": symmetricOf(Upper, false, a),
		"Hemv": symmetricOf(Lower, true, a), "Gemv": wideOp(NoTrans, a)}
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
	for i := range n { // a random unit triangle of this order may be ill conditioned
		const condition = 1e5
		if e := dense.Abs(z.at(i) - before.at(i)); !(e <= condition*dense.Eps[T]()) {
			t.Fatalf("Trsv does not undo Trmv: %v, want %v", z.at(i), before.at(i))
		}
	}
}

func TestLevel2PropagatesInfinities(t *testing.T) {
	forSetsAndDtypes(t, testLevel2Infinities[float32], testLevel2Infinities[float64], testLevel2Infinities[complex64],
		testLevel2Infinities[complex128])
}

// testLevel2Infinities multiplies zeros by a matrix with one infinity, which makes one or two elements NaN and no
// others.
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
		t.Error("Gemv ran to completion")
	}
	Symv(team, Lower, 1, a, x, 0, y)
	if y.Data[n-1] == n {
		t.Error("Symv ran to completion")
	}
	Ger(team, 1, x, x, a)
	if a.At(n-1, n-1) != 1 {
		t.Error("Ger ran to completion")
	}
}

func TestSmallLevel2AllocatesNothing(t *testing.T) {
	const n = 257 // Go allocates memory to convert integers above 255 to interfaces
	// The race detector makes pools forget a quarter of what they get: less than one allocation a call on average.
	const runs = 200
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
		if n := testing.AllocsPerRun(runs, call); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
