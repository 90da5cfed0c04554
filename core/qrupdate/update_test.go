package qrupdate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/factor"
	"trnsci/core/numtest"
	"trnsci/core/sched"
	"trnsci/core/sched/schedtest"
)

// problem is a matrix, its QR factorization, a change, the changed matrix, and the number of columns that its Q has.
type problem[T dense.Scalar] struct {
	a, q, r, changed dense.Matrix[T]
	change           Change[T]
	columns          int
}

func (p *problem[T]) String() string {
	return fmt.Sprintf("%d x %d, Q of %d columns, kind %d from %d, %d of them", p.a.Rows, p.a.Cols, p.q.Cols,
		p.change.Kind,
		p.change.First, p.change.Count)
}

func newProblem[T dense.Scalar](t *testing.T, rng *rand.Rand, a dense.Matrix[T], economic bool, kind Kind, first,
	count int) *problem[T] {
	t.Helper()
	m, n := a.Rows, a.Cols
	p := &problem[T]{a: a, change: Change[T]{Kind: kind, First: first, Count: count}}
	k := m
	if economic {
		k = min(m, n)
	}
	q, r := dense.New[T](k, m).View().T(), dense.New[T](n, k).View().T()
	if err := factor.QRView(nil, a.View(), factor.QRResults[T]{Q: q, R: r}, false); err != nil {
		t.Fatal(err)
	}
	p.q, p.r = dense.New[T](m, k), dense.New[T](k, n)
	dense.Copy(p.q.View(), q)
	dense.Copy(p.r.View(), r)
	u, v := numtest.Random[T](rng, m, count), numtest.Random[T](rng, n, count)
	rows, columns := m, n
	switch kind {
	case InsertRows:
		rows, u = m+count, numtest.Random[T](rng, count, n)
	case InsertColumns:
		columns = n + count
	case DeleteRows:
		rows = m - count
	case DeleteColumns:
		columns = n - count
	default:
		p.change.V = v.View()
		p.changed = a.Clone()
		blas.Gemm(nil, blas.NoTrans, blas.ConjTrans, 1, u, v, 1, p.changed)
	}
	p.change.U = u.View()
	if kind != AddProduct {
		p.changed = dense.New[T](rows, columns)
		p.fill(u)
	}
	p.columns = rows
	if k < m {
		p.columns = min(rows, columns)
		if kind == InsertRows {
			p.columns = n
		}
	}
	return p
}

// fill sets the elements of a matrix with rows or columns more or less.
func (p *problem[T]) fill(u dense.Matrix[T]) {
	kind, first, count := p.change.Kind, p.change.First, p.change.Count
	for i := range p.changed.Rows {
		for j := range p.changed.Cols {
			from, to := i, j
			inside := j >= first && j < first+count
			along, across := &to, j
			if kind == InsertRows || kind == DeleteRows {
				inside, along, across = i >= first && i < first+count, &from, i
			}
			inserts := kind == InsertRows || kind == InsertColumns
			switch {
			case inserts && inside && kind == InsertRows:
				p.changed.Set(i, j, u.At(i-first, j))
				continue
			case inserts && inside:
				p.changed.Set(i, j, u.At(i, j-first))
				continue
			case inserts && across >= first:
				*along -= count
			case !inserts && across >= first:
				*along += count
			}
			p.changed.Set(i, j, p.a.At(from, to))
		}
	}
}

// solve returns the changed factors.
func (p *problem[T]) solve(team *sched.Team) (q, r dense.Matrix[T], err error) {
	q, r = dense.New[T](p.changed.Rows, p.columns), dense.New[T](p.columns, p.changed.Cols)
	return q, r, Update(team, p.q.View(), p.r.View(), p.change, q.View(), r.View())
}

func (p *problem[T]) expect(t *testing.T, q, r dense.Matrix[T]) {
	t.Helper()
	unit := 4 * float64(max(8, p.a.Rows, p.a.Cols)+p.change.Count) * dense.Eps[T]()
	residual := p.changed.Clone()
	blas.Gemm(nil, blas.NoTrans, blas.NoTrans, 1, q, r, -1, residual)
	size := numtest.FrobeniusNorm(p.a) + numtest.FrobeniusNorm(p.changed)
	if e := numtest.FrobeniusNorm(residual); !(e <= unit*size) {
		t.Fatalf("%v: residual %g, limit %g", p, e, unit*size)
	}
	gram := dense.New[T](q.Cols, q.Cols)
	gram.SetIdentity()
	blas.Gemm(nil, blas.ConjTrans, blas.NoTrans, 1, q, q, -1, gram)
	if e := numtest.FrobeniusNorm(gram); !(e <= unit*math.Sqrt(float64(max(1, q.Cols)))) {
		t.Fatalf("%v: Q^H Q differs from I by %g, limit %g", p, e, unit)
	}
	for i := range r.Rows {
		for j := range min(i, r.Cols) {
			if r.At(i, j) != 0 {
				t.Fatalf("%v: element (%d,%d) of R is %v", p, i, j, r.At(i, j))
			}
		}
	}
}

func TestUpdate(t *testing.T) {
	t.Run("float32", testUpdate[float32])
	t.Run("float64", testUpdate[float64])
	t.Run("complex64", testUpdate[complex64])
	t.Run("complex128", testUpdate[complex128])
}

func testUpdate[T dense.Scalar](t *testing.T) {
	rng := rand.New(rand.NewPCG(81, 1))
	for _, shape := range [][2]int{
		{1, 1}, {1, 4}, {4, 1}, {3, 2}, {7, 7}, {12, 7}, {7, 12}, {40, 33}, {33, 40}, {70, 20},
	} {
		m, n := shape[0], shape[1]
		for range 12 {
			for kind := InsertRows; kind <= AddProduct; kind++ {
				most := map[Kind]int{InsertRows: m, InsertColumns: m + 2, DeleteRows: m, DeleteColumns: n,
					AddProduct: min(m, n)}[kind]
				count := 1 + rng.IntN(most)
				last := map[Kind]int{InsertRows: m, InsertColumns: n, DeleteRows: m - count, DeleteColumns: n - count}[kind]
				for _, economic := range []bool{false, true} {
					a := numtest.Random[T](rng, m, n)
					p := newProblem(t, rng, a, economic, kind, rng.IntN(last+1), count)
					q, r, err := p.solve(nil)
					if err != nil {
						t.Fatalf("%v: %v", p, err)
					}
					p.expect(t, q, r)
				}
			}
		}
	}
}

// Matrices for which vectors are in the range of Q, or nearly so.
func TestUpdateOfSpecialMatrices(t *testing.T) {
	rng := rand.New(rand.NewPCG(82, 1))
	identity := dense.New[float64](9, 4)
	identity.SetIdentity()
	graded := numtest.Random[float64](rng, 9, 4)
	for i := range 9 {
		for j := range 4 {
			graded.Set(i, j, graded.At(i, j)*math.Exp2(float64(-12*i-12*j)))
		}
	}
	for _, a := range []dense.Matrix[float64]{identity, graded, dense.New[float64](9, 4)} {
		for first := range 9 {
			for count := 1; first+count <= 9; count++ {
				p := newProblem(t, rng, a, true, DeleteRows, first, count)
				q, r, err := p.solve(nil)
				if err != nil {
					t.Fatal(err)
				}
				p.expect(t, q, r)
			}
		}
		p := newProblem(t, rng, a, true, AddProduct, 0, 2)
		for i := range 9 { // columns of A, which the range of Q contains
			for j := range 2 {
				p.change.U.Set(i, j, a.At(i, j+1))
			}
		}
		u, _ := p.change.U.Matrix()
		v, _ := p.change.V.Matrix()
		p.changed = a.Clone()
		blas.Gemm(nil, blas.NoTrans, blas.ConjTrans, 1, u, v, 1, p.changed)
		q, r, err := p.solve(nil)
		if err != nil {
			t.Fatal(err)
		}
		p.expect(t, q, r)
	}
}

func TestColumnsInTheRange(t *testing.T) {
	rng := rand.New(rand.NewPCG(83, 1))
	a := numtest.Random[complex128](rng, 9, 4)
	p := newProblem(t, rng, a, true, InsertColumns, 2, 2)
	for i := range 9 {
		p.change.U.Set(i, 1, a.At(i, 0)-2i*a.At(i, 3))
	}
	u, _ := p.change.U.Matrix()
	p.fill(u)
	p.change.Rcond = dense.Eps[complex128]()
	var dependent *DependentError
	_, _, err := p.solve(nil)
	if !errors.As(err, &dependent) || dependent.Column != 2 || dependent.Rcond > p.change.Rcond {
		t.Errorf("a column in the range of Q gives %v", err)
	}
	p.change.Rcond = 0
	q, r, err := p.solve(nil)
	if err != nil {
		t.Fatal(err)
	}
	p.expect(t, q, r)
	p.change.U.Set(0, 0, complex(math.NaN(), 0))
	var bad *dense.ArgumentError
	if _, _, err := p.solve(nil); !errors.As(err, &bad) || bad.Arg != "u" {
		t.Errorf("a NaN gives %v", err)
	}
	p.change.SkipFiniteCheck = true
	if q, _, err := p.solve(nil); err != nil || q.View().AllFinite() {
		t.Errorf("a NaN that is let in gives a finite Q, %v", err)
	}
}

func TestUpdateThreads(t *testing.T) {
	rng := rand.New(rand.NewPCG(84, 1))
	for kind := InsertRows; kind <= AddProduct; kind++ {
		for _, count := range []int{1, 5} {
			p := newProblem(t, rng, numtest.Random[complex64](rng, 300, 60), true, kind, 17, count)
			q, r, err := p.solve(nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, threads := range []int{2, 3} {
				q2, r2, err := p.solve(sched.NewTeam(context.Background(), threads, nil))
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(q.Data, q2.Data) || !slices.Equal(r.Data, r2.Data) {
					t.Errorf("%v: %d threads change the bits", p, threads)
				}
			}
		}
	}
}

func TestUpdateObeysCancellation(t *testing.T) {
	rng := rand.New(rand.NewPCG(85, 1))
	a := numtest.Random[float64](rng, 300, 200)
	for kind := InsertRows; kind <= AddProduct; kind++ {
		p := newProblem(t, rng, a, true, kind, 3, 40)
		schedtest.Cancel(t, schedtest.Limits{}, func(team *sched.Team) error {
			_, _, err := p.solve(team)
			return err
		})
	}
}

func TestShapesThatDoNotFit(t *testing.T) {
	var bad *dense.ArgumentError
	q, r := dense.New[float64](3, 2), dense.New[float64](2, 3)
	if err := Update(nil, q.View(), r.View(), Change[float64]{Kind: DeleteRows, Count: 1}, q.View(), r.View()); !errors.As(
		err, &bad) {
		t.Errorf("factors that do not fit give %v", err)
	}
}
