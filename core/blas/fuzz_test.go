package blas

import (
	"math"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/sched"
)

// fuzzed is an operation with random operands whose elements are at most about 1.
type fuzzed[T dense.Scalar] struct {
	rng     *rand.Rand
	m, n, k int
	flags   uint
	gap     int // between the rows of matrices

	out   dense.Matrix[T] // the operand that the operation overwrites; the columns from cols on are a gap
	cols  int
	size  float64 // bound of the sum of the moduli of the terms of a result
	terms int
	run   func(set kernel.Set, team *sched.Team, out dense.Matrix[T])
}

// flag returns one of n choices, which it removes from the flags.
func (f *fuzzed[T]) flag(n uint) int {
	choice := f.flags % n
	f.flags /= n
	return int(choice)
}

func (f *fuzzed[T]) trans() Transpose { return [...]Transpose{NoTrans, Trans, ConjTrans}[f.flag(3)] }
func (f *fuzzed[T]) uplo() Uplo       { return [...]Uplo{Lower, Upper}[f.flag(2)] }
func (f *fuzzed[T]) side() Side       { return [...]Side{Left, Right}[f.flag(2)] }
func (f *fuzzed[T]) diag() Diag       { return [...]Diag{NonUnit, Unit}[f.flag(2)] }

func (f *fuzzed[T]) scalar() T {
	return [...]T{1, 0, dense.FromReal[T](-0.5), dense.FromParts[T](0.25,
		map[bool]float64{true: 0.75}[dense.IsComplex[T]()])}[f.flag(4)]
}

func (f *fuzzed[T]) matrix(rows, cols int) dense.Matrix[T] {
	whole := dense.New[T](rows, cols+f.gap)
	whole.Fill(dense.FromReal[T](math.NaN()))
	a := whole.Slice(0, rows, 0, cols)
	for i := range rows {
		for j := range cols {
			im := 0.0
			if dense.IsComplex[T]() {
				im = 2*f.rng.Float64() - 1
			}
			a.Set(i, j, dense.FromParts[T](2*f.rng.Float64()-1, im))
		}
	}
	return a
}

func (f *fuzzed[T]) op(trans Transpose, rows, cols int) opMatrix[T] {
	return opOf(trans, f.matrix(opShape(trans, rows, cols)))
}

// triangle returns a matrix with a well-conditioned triangle, and NaN where it must not be read.
func (f *fuzzed[T]) triangle(n int, uplo Uplo, diag Diag) dense.Matrix[T] {
	a := f.matrix(n, n)
	shrink := dense.FromReal[T](1 / float64(2*n+2))
	for i := range n {
		for j := range n {
			switch {
			case i == j && diag == NonUnit:
				a.Set(i, i, a.At(i, i)*dense.FromReal[T](0.25)+1)
			case i != j && (i > j) == (uplo == Lower):
				a.Set(i, j, a.At(i, j)*shrink)
			default:
				a.Set(i, j, dense.FromReal[T](math.NaN()))
			}
		}
	}
	return a
}

// vector returns a vector with an increment of 1, 3 or -2.
func (f *fuzzed[T]) vector(n int) dense.Vector[T] {
	inc := [...]int{1, 3, -2}[f.flag(3)]
	width := max(inc, -inc)
	memory := f.matrix(n, width)
	flat := dense.New[T](n, width)
	flat.CopyFrom(memory)
	return dense.Vector[T]{N: n, Inc: inc, Data: flat.Data}
}

// outVector makes the result a vector of n elements.
func (f *fuzzed[T]) outVector(n int, run func(set kernel.Set, team *sched.Team, y dense.Vector[T])) {
	inc := [...]int{1, 3, -2}[f.flag(3)]
	width := max(inc, -inc)
	f.out, f.cols = dense.New[T](n, width), 1
	f.out.CopyFrom(f.matrix(n, width))
	f.run = func(set kernel.Set, team *sched.Team, out dense.Matrix[T]) {
		run(set, team, dense.Vector[T]{N: n, Inc: inc, Data: out.Data})
	}
}

func (f *fuzzed[T]) outMatrix(rows, cols int, run func(set kernel.Set, team *sched.Team, c dense.Matrix[T]) error) {
	f.out, f.cols = dense.New[T](rows, cols+f.gap), cols
	f.out.Fill(dense.FromReal[T](guardWord))
	f.out.Slice(0, rows, 0, cols).CopyFrom(f.matrix(rows, cols))
	f.run = func(set kernel.Set, team *sched.Team, out dense.Matrix[T]) {
		if err := run(set, team, out.Slice(0, rows, 0, cols)); err != nil {
			panic(err)
		}
	}
}

// choose sets the operation with the given number.
func (f *fuzzed[T]) choose(operation int) {
	m, n, k := f.m, f.n, f.k
	alpha, beta := f.scalar(), f.scalar()
	f.terms, f.size = k, 2*float64(k)+2
	switch operation {
	case 0:
		a, b := f.op(f.trans(), m, k), f.op(f.trans(), k, n)
		f.outMatrix(m, n, func(set kernel.Set, team *sched.Team, c dense.Matrix[T]) error {
			return multiply(set, team, full, alpha, a, b, beta, c)
		})
	case 1:
		part := partOf(f.uplo())
		a, b := f.op(f.trans(), n, k), f.op(f.trans(), k, n)
		f.outMatrix(n, n, func(set kernel.Set, team *sched.Team, c dense.Matrix[T]) error {
			return multiply(set, team, part, alpha, a, b, beta, c)
		})
	case 2:
		uplo, side, hermitian := f.uplo(), f.side(), f.flag(2) == 1
		order := orderOf(side, m, n)
		a, b := f.matrix(order, order), f.matrix(m, n)
		f.terms, f.size = order, 2*float64(order)+2
		f.outMatrix(m, n, func(set kernel.Set, team *sched.Team, c dense.Matrix[T]) error {
			s := symmetric[T]{set, team, a, uplo, hermitian}
			return s.multiply("", side, alpha, b, beta, c)
		})
	case 3:
		uplo, side, trans, diag, solve := f.uplo(), f.side(), f.trans(), f.diag(), f.flag(2) == 1
		order := orderOf(side, m, n)
		a := f.triangle(order, uplo, diag)
		f.terms, f.size = 4*order, 8
		f.outMatrix(m, n, func(set kernel.Set, team *sched.Team, c dense.Matrix[T]) error {
			return newTriangular("", side, uplo, trans, diag, a, c).overwrite(set, team, solve, side, alpha, c)
		})
	case 4:
		trans := f.trans()
		a := f.matrix(opShape(trans, m, n))
		x := f.vector(n)
		f.terms, f.size = n, 2*float64(n)+2
		f.outVector(m, func(set kernel.Set, team *sched.Team, y dense.Vector[T]) {
			generalProduct(set, team, trans, alpha, a, x, beta, y)
		})
	case 5:
		uplo, hermitian := f.uplo(), f.flag(2) == 1 && dense.IsComplex[T]()
		a, x := f.matrix(n, n), f.vector(n)
		f.terms, f.size = n, 2*float64(n)+2
		f.outVector(n, func(set kernel.Set, team *sched.Team, y dense.Vector[T]) {
			symvWith(set, team, uplo, hermitian, alpha, a, x, beta, y)
		})
	case 6:
		uplo, trans, diag, solve := f.uplo(), f.trans(), f.diag(), f.flag(2) == 1
		a := f.triangle(n, uplo, diag)
		f.terms, f.size = 4*n, 8
		f.outVector(n, func(set kernel.Set, team *sched.Team, x dense.Vector[T]) {
			if solve {
				trsvWith(set, team, uplo, trans, diag, a, x)
			} else {
				trmvWith(set, team, uplo, trans, diag, a, x)
			}
		})
	case 7:
		u := update[T]{conj: f.flag(2) == 1 && dense.IsComplex[T]()}
		rows := m
		if f.flag(2) == 1 {
			rows, u.uplo, u.both = n, f.uplo(), f.flag(2) == 1
		}
		x, y := f.vector(rows), f.vector(n)
		if u.uplo != 0 && !u.both {
			y = x
		}
		f.terms, f.size = 4, 8
		f.outMatrix(rows, n, func(set kernel.Set, team *sched.Team, c dense.Matrix[T]) error {
			if alpha != 0 {
				u := u
				u.a = c
				updateWith(set, team, u, alpha, x, y)
			}
			return nil
		})
	}
}

const fuzzedOperations = 8

// check compares every kernel set, with two threads, with the kernels in Go, with one.
func (f *fuzzed[T]) check(t *testing.T, operation int) {
	if f.out.Rows == 0 || f.cols == 0 {
		return
	}
	want := f.out.Clone()
	f.run(kernel.Go, nil, want)
	limit := 8 * float64(f.terms+8) * dense.Eps[T]() * f.size
	for _, set := range kernel.Sets() {
		got := f.out.Clone()
		f.run(set, startedTeam(2), got)
		for i := range got.Rows {
			for j, x := range got.Row(i) {
				if j >= f.cols {
					if before := f.out.At(i, j); x != before && before == before {
						t.Fatalf("operation %d, %v, %dx%dx%d: the gap after row %d was written", operation, set, f.m,
							f.n, f.k, i)
					}
					continue
				}
				if d := dense.Abs(x - want.At(i, j)); !(d <= limit) && !(x != x && want.At(i, j) != want.At(i, j)) {
					t.Fatalf("operation %d, %v, %dx%dx%d: (%d,%d) is %v, the Go kernels give %v", operation, set, f.m, f.n,
						f.k, i, j, x, want.At(i, j))
				}
			}
		}
	}
}

func fuzzOne[T dense.Scalar](t *testing.T, seed uint64, m, n, k uint16, flags uint, gap uint8, operation int) {
	const most, mostGap = 180, 5
	f := fuzzed[T]{rng: rand.New(rand.NewPCG(seed, 1)), m: int(m % most), n: int(n % most), k: int(k % most),
		flags: flags, gap: int(gap % mostGap)}
	if operation >= 5 && f.n == 0 || operation == 4 && (f.m == 0 || f.n == 0) || operation == 7 && f.m == 0 {
		return // the public functions return before they call these
	}
	f.choose(operation)
	f.check(t, operation)
}

// FuzzAgainstTwins compares random operations of levels 2 and 3 between every kernel set and the kernels in Go.
func FuzzAgainstTwins(f *testing.F) {
	for operation := range fuzzedOperations {
		for dtype := range 4 {
			f.Add(uint64(operation), uint16(20+dtype), uint16(33), uint16(17), uint(12345*(operation+1)), uint8(dtype),
				uint8(operation), uint8(dtype))
		}
	}
	f.Fuzz(func(t *testing.T, seed uint64, m, n, k uint16, flags uint, gap, operation, dtype uint8) {
		run := [...]func(*testing.T, uint64, uint16, uint16, uint16, uint, uint8, int){
			fuzzOne[float32], fuzzOne[float64], fuzzOne[complex64], fuzzOne[complex128],
		}[dtype%4]
		run(t, seed, m, n, k, flags, gap, int(operation)%fuzzedOperations)
	})
}

// orderOf returns the order of the square operand on the given side of an m x n matrix.
func orderOf(side Side, m, n int) int {
	if side == Left {
		return m
	}
	return n
}
