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

func forSetsAndDtypes(t *testing.T, f32, f64, c64, c128 func(*testing.T, kernel.Set)) {
	for _, s := range kernel.Sets() {
		t.Run(s.String(), func(t *testing.T) {
			with := func(f func(*testing.T, kernel.Set)) func(*testing.T) {
				return func(t *testing.T) { f(t, s) }
			}
			forDtypes(t, with(f32), with(f64), with(c64), with(c128))
		})
	}
}

// level3Case is a level 3 operation with its operands: run computes C in place, exact is the result by definition, and
// size is the sum of the moduli of its terms.
type level3Case[T dense.Scalar] struct {
	name        string
	part        part
	c           dense.Matrix[T]
	run         func(team *sched.Team, c dense.Matrix[T]) error
	exact, size dense.Matrix[complex128]
	terms       int
}

// add adds alpha x y to the expected result, and its modulus to the bound.
func (u *level3Case[T]) add(alpha T, x, y opMatrix[T]) {
	m, k := x.shape()
	_, n := y.shape()
	u.terms += k
	scale := dense.Convert[complex128](alpha)
	for i := range m {
		for p := range k {
			xip := scale * dense.Convert[complex128](x.at(i, p))
			for j := range n {
				z := xip * dense.Convert[complex128](y.at(p, j))
				u.exact.Data[i*n+j] += z
				u.size.Data[i*n+j] += complex(dense.Abs(z), 0)
			}
		}
	}
}

// start sets the expected result to beta C, with a real diagonal if requested. C becomes NaN where it must not be read.
func (u *level3Case[T]) start(beta T, realDiagonal bool) {
	u.exact, u.size = dense.New[complex128](u.c.Rows, u.c.Cols), dense.New[complex128](u.c.Rows, u.c.Cols)
	nan := dense.FromReal[T](math.NaN())
	for i := range u.c.Rows {
		first, last := u.part.columns(i, 0, u.c.Cols, 1)
		for j := range u.c.Cols {
			if beta == 0 || j < first || j >= last {
				u.c.Set(i, j, nan)
				continue
			}
			x := dense.Convert[complex128](u.c.At(i, j))
			if realDiagonal && i == j {
				x = complex(real(x), 0)
			}
			x *= dense.Convert[complex128](beta)
			u.exact.Set(i, j, x)
			u.size.Set(i, j, complex(dense.Abs(x), 0))
		}
	}
}

// check runs the operation with several teams and compares the results with the definition and with one another.
func (u *level3Case[T]) check(t *testing.T) {
	t.Helper()
	var first dense.Matrix[T]
	for _, threads := range []int{1, 2, 3} {
		// Guard words follow each row of C and must not change.
		memory := dense.New[T](u.c.Rows, u.c.Cols+2)
		memory.Fill(guardWord)
		c := memory.Slice(0, u.c.Rows, 0, u.c.Cols)
		c.CopyFrom(u.c)
		if err := u.run(startedTeam(threads), c); err != nil {
			t.Fatal(err)
		}
		for i := range c.Rows {
			lo, hi := u.part.columns(i, 0, c.Cols, 1)
			for j := range c.Cols {
				x := c.At(i, j)
				if j < lo || j >= hi {
					if x == x {
						t.Fatalf("%s: (%d,%d) is outside of the triangle and was written", u.name, i, j)
					}
					continue
				}
				limit := 4 * float64(u.terms+4) * dense.Eps[T]() * real(u.size.At(i, j))
				if e := dense.Abs(dense.Convert[complex128](x) - u.exact.At(i, j)); !(e <= limit) {
					t.Fatalf("%s: (%d,%d) is %v, want %v within %.2g", u.name, i, j, x, u.exact.At(i, j), limit)
				}
				if first.Data != nil && x != first.At(i, j) {
					t.Fatalf("%s: (%d,%d) has different bits with %d threads", u.name, i, j, threads)
				}
			}
			for j := u.c.Cols; j < memory.Cols; j++ {
				if memory.At(i, j) != guardWord {
					t.Fatalf("%s: the gap after row %d was written", u.name, i)
				}
			}
		}
		if first.Data == nil {
			first = c
		}
	}
}

// someOrder returns orders around those of strips, tiles and base blocks, some with enough work for several threads.
func someOrder(rng *rand.Rand, round int) int {
	if round%10 == 0 {
		return 50 + rng.IntN(60)
	}
	return 1 + rng.IntN(40)
}

func pick[X any](rng *rand.Rand, xs ...X) X { return xs[rng.IntN(len(xs))] }

// symmetricTranses are the values of trans that Syrk takes.
func symmetricTranses[T dense.Scalar]() []Transpose {
	if dense.IsComplex[T]() {
		return []Transpose{NoTrans, Trans}
	}
	return []Transpose{NoTrans, Trans, ConjTrans}
}

func hermitianTranses[T dense.Scalar]() []Transpose {
	if dense.IsComplex[T]() {
		return []Transpose{NoTrans, ConjTrans}
	}
	return []Transpose{NoTrans, Trans, ConjTrans}
}

func TestRankK(t *testing.T) {
	forSetsAndDtypes(t, testRankK[float32], testRankK[float64], testRankK[complex64], testRankK[complex128])
}

func testRankK[T dense.Scalar](t *testing.T, s kernel.Set) {
	rng := rand.New(rand.NewPCG(31, uint64(s)))
	for round := range rounds(75) {
		n, k := someOrder(rng, round), rng.IntN(30)
		if round%25 == 0 {
			k = 200 + rng.IntN(200)
		}
		uplo := pick(rng, Lower, Upper)
		alpha, beta := pick(rng, 1, -1, 0, number[T](rng)), pick(rng, 0, 1, number[T](rng))
		operand := func(trans Transpose) dense.Matrix[T] {
			if trans == NoTrans {
				return random[T](rng, n, k)
			}
			return random[T](rng, k, n)
		}
		r := func(team *sched.Team) rankK[T] { return rankK[T]{s, team, uplo} }
		u := level3Case[T]{part: partOf(uplo), c: random[T](rng, n, n)}

		switch round % 5 {
		case 0:
			tA, tB := pick(rng, NoTrans, Trans, ConjTrans), pick(rng, NoTrans, Trans, ConjTrans)
			a := opOf(tA, operand(tA))
			b := opOf(tB, operand(pick(rng, Trans)))
			if tB != NoTrans {
				b = opOf(tB, operand(NoTrans))
			}
			u.name = fmt.Sprintf("Gemmt %c%c%c n=%d k=%d", uplo, tA, tB, n, k)
			u.start(beta, false)
			u.add(alpha, a, b)
			u.run = func(team *sched.Team, c dense.Matrix[T]) error {
				return multiply(s, team, partOf(uplo), alpha, a, b, beta, c)
			}
		case 1:
			trans := pick(rng, symmetricTranses[T]()...)
			a := operand(trans)
			u.name = fmt.Sprintf("Syrk %c%c n=%d k=%d", uplo, trans, n, k)
			u.start(beta, false)
			u.add(alpha, opOf(trans, a), opOf(trans, a).transposed())
			u.run = func(team *sched.Team, c dense.Matrix[T]) error {
				return r(team).update("Syrk", trans, alpha, a, beta, c)
			}
		case 2:
			trans := pick(rng, hermitianTranses[T]()...)
			a, alpha, beta := operand(trans), dense.Real(alpha), dense.Real(beta)
			if alpha == 0 && beta == 1 {
				beta = 2 // otherwise C does not change, not even the imaginary parts of its diagonal
			}
			u.name = fmt.Sprintf("Herk %c%c n=%d k=%d alpha=%v beta=%v", uplo, trans, n, k, alpha, beta)
			u.start(dense.FromReal[T](beta), true)
			u.add(dense.FromReal[T](alpha), opOf(trans, a), opOf(trans, a).adjoint())
			u.run = func(team *sched.Team, c dense.Matrix[T]) error {
				if k == 0 && beta == 1 {
					makeDiagonalReal(c) // Herk leaves C unchanged
				}
				return r(team).hermitianUpdate("Herk", trans, alpha, a, beta, c)
			}
		case 3:
			trans := pick(rng, symmetricTranses[T]()...)
			a, b := operand(trans), operand(trans)
			x, y := opOf(trans, a), opOf(trans, b)
			u.name = fmt.Sprintf("Syr2k %c%c n=%d k=%d", uplo, trans, n, k)
			u.start(beta, false)
			u.add(alpha, x, y.transposed())
			u.add(alpha, y, x.transposed())
			u.run = func(team *sched.Team, c dense.Matrix[T]) error {
				return r(team).update2(alpha, alpha, x, y, y.transposed(), x.transposed(), beta, c)
			}
		case 4:
			trans := pick(rng, hermitianTranses[T]()...)
			a, b, beta := operand(trans), operand(trans), 1+dense.Real(beta)
			x, y := opOf(trans, a), opOf(trans, b)
			u.name = fmt.Sprintf("Her2k %c%c n=%d k=%d", uplo, trans, n, k)
			makeDiagonalReal(u.c)
			u.start(dense.FromReal[T](beta), true)
			u.add(alpha, x, y.adjoint())
			u.add(dense.Conj(alpha), y, x.adjoint())
			u.run = func(team *sched.Team, c dense.Matrix[T]) error {
				if s == kernel.Best() {
					Her2k(team, uplo, trans, alpha, a, b, beta, c)
					return nil
				}
				err := r(team).update2(alpha, dense.Conj(alpha), x, y, y.adjoint(), x.adjoint(),
					dense.FromReal[T](beta), c)
				makeDiagonalReal(c)
				return err
			}
		}
		u.check(t)
	}
}

func TestSymmetricFactor(t *testing.T) {
	forSetsAndDtypes(t, testSymmetric[float32], testSymmetric[float64], testSymmetric[complex64],
		testSymmetric[complex128])
}

func testSymmetric[T dense.Scalar](t *testing.T, s kernel.Set) {
	rng := rand.New(rand.NewPCG(32, uint64(s)))
	for round := range rounds(40) {
		m, n := someOrder(rng, round), someOrder(rng, round+1)
		if round == 20 && s == kernel.Best() { // more than one block on the diagonal
			m, n = symmBlock+70, symmBlock+9
		}
		side, uplo, isHermitian := pick(rng, Left, Right), pick(rng, Lower, Upper), round%2 == 0
		order := m
		if side == Right {
			order = n
		}
		a, full := dense.New[T](order, order), dense.New[T](order, order)
		for i := range order {
			for j := range order {
				x := number[T](rng)
				a.Set(i, j, x)
				mirror := x
				if isHermitian {
					mirror = dense.Conj(x)
				}
				switch {
				case i == j && isHermitian:
					full.Set(i, i, dense.FromReal[T](dense.Real(x)))
				case i == j:
					full.Set(i, i, x)
				case (i > j) == (uplo == Lower):
					full.Set(i, j, x)
					full.Set(j, i, mirror)
				default:
					a.Set(i, j, dense.FromReal[T](math.NaN()))
				}
			}
		}
		b := random[T](rng, m, n)
		alpha, beta := pick(rng, 1, 0, number[T](rng)), pick(rng, 0, 1, number[T](rng))
		u := level3Case[T]{name: fmt.Sprintf("symmetric %c%c hermitian=%v %dx%d", side, uplo, isHermitian, m, n),
			c: random[T](rng, m, n)}
		u.start(beta, false)
		if side == Left {
			u.add(alpha, plain(full), plain(b))
		} else {
			u.add(alpha, plain(b), plain(full))
		}
		u.run = func(team *sched.Team, c dense.Matrix[T]) error {
			x := symmetric[T]{s, team, a, uplo, isHermitian}
			return x.multiply("Symm", side, alpha, b, beta, c)
		}
		u.check(t)
	}
}

func TestBatches(t *testing.T) {
	forDtypes(t, testBatches[float32], testBatches[float64], testBatches[complex64], testBatches[complex128])
}

func testBatches[T dense.Scalar](t *testing.T) {
	rng := rand.New(rand.NewPCG(34, 0))
	for round := range 100 {
		limit := 12
		if round%3 == 1 {
			limit = 70
		}
		count, m, n, k := rng.IntN(30), rng.IntN(limit), rng.IntN(limit), rng.IntN(limit)
		if round%20 == 0 {
			count, m, n, k = 3, 100, 120, 130
		}
		tA, tB := pick(rng, NoTrans, Trans, ConjTrans), pick(rng, NoTrans, Trans, ConjTrans)
		ar, ac := opShape(tA, m, k)
		br, bc := opShape(tB, k, n)
		gap, shared := rng.IntN(3), round%3 == 0
		a, c := random[T](rng, max(1, count)*(ar+gap), ac), random[T](rng, max(1, count)*(m+gap), n)
		b, strideB := random[T](rng, max(1, count)*(br+gap), bc), 0
		if !shared {
			strideB = (br + gap) * b.Stride
		}
		alpha, beta := number[T](rng), pick(rng, 0, number[T](rng))
		want := c.Clone()
		var as, bs, cs []dense.Matrix[T]
		for p := range count {
			at := p * (br + gap)
			if shared {
				at = 0
			}
			as, bs = append(as, a.Slice(p*(ar+gap), p*(ar+gap)+ar, 0, ac)), append(bs, b.Slice(at, at+br, 0, bc))
			cs = append(cs, c.Slice(p*(m+gap), p*(m+gap)+m, 0, n))
			Gemm(nil, tA, tB, alpha, as[p], bs[p], beta, want.Slice(p*(m+gap), p*(m+gap)+m, 0, n))
		}
		before := c.Clone()
		same := func(name string) {
			t.Helper()
			for i := range c.Rows {
				for j := range c.Cols {
					if c.At(i, j) != want.At(i, j) {
						t.Fatalf("%s of %d %dx%dx%d: (%d,%d) differs from the separate product", name, count, m, n, k,
							i, j)
					}
				}
			}
		}
		team := startedTeam(2)
		GemmBatch(team, tA, tB, alpha, as, bs, beta, cs)
		same("GemmBatch")
		c.CopyFrom(before)
		head := func(x dense.Matrix[T], rows int) dense.Matrix[T] {
			x.Rows = rows
			return x
		}
		GemmStrided(team, tA, tB, alpha, count, head(a, ar), (ar+gap)*a.Stride, head(b, br), strideB, beta, head(c, m),
			(m+gap)*c.Stride)
		same("GemmStrided")
	}
}

// GemmRoundings is nearly attained if the first term of a piece is 1 and all others are just too small to change a sum
// that contains it: each addition up to the end of the piece then has almost the largest possible error. float64 gives
// the exact sum of the float32 terms.
func TestGemmRoundingsAreReached(t *testing.T) {
	u := dense.Eps[float32]() / 2
	small := u * (1 - 8*u)
	for _, k := range []int{8, 100, 256, 257, 384, 700, 1000} {
		roundings := GemmRoundings[float32](k)
		for first := range k {
			if first > 0 && roundings[first] <= roundings[first-1] {
				continue // not where a piece begins
			}
			a, b, c := dense.New[float32](1, k), dense.New[float32](k, 1), dense.New[float32](1, 1)
			a.Fill(float32(small))
			b.Fill(1)
			a.Data[first] = 1
			Gemm(nil, NoTrans, NoTrans, 1, a, b, 0, c)
			off := math.Abs(float64(c.Data[0]) - (1 + float64(k-1)*small))
			bound := 0.0
			for p, x := range a.Data {
				bound += roundings[p] * u * float64(x)
			}
			if most := bound / (1 - float64(k)*u); off > most || off < roundings[first]*u/2 {
				t.Errorf("k=%d, 1 at %d: error %g, bound %g, GemmRoundings %g", k, first, off, most,
					roundings[first])
			}
		}
	}
}
