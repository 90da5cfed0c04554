package vector

import (
	"trnsci/core/internal/vec"
	"trnsci/core/kernel"
)

// row returns row i of r.
func (r *Rows[T]) row(i int) []T { return r.A[i*r.Stride:][:r.Cols] }

// dotsGo keeps four sums for each row, so that additions need not wait for one another.
func dotsGo[T kernel.Float](r *Rows[T], x, sums []T) {
	for i := range r.Count {
		sums[i] += vec.Dot(r.row(i), x)
	}
}

func dotsPairGo[T kernel.Float](r *Rows[T], x, y, sums []T) {
	for i := range r.Count {
		row := r.row(i)
		sums[2*i] += vec.Dot(row, x)
		sums[2*i+1] += vec.Dot(row, y)
	}
}

func axpysGo[T kernel.Float](r *Rows[T], alpha, y []T) {
	for i := range r.Count {
		vec.Axpy(alpha[i], r.row(i), y)
	}
}

func axpysPairGo[T kernel.Float](r *Rows[T], alpha, y, z []T) {
	for i := range r.Count {
		vec.Axpy(alpha[2*i], r.row(i), y)
		vec.Axpy(alpha[2*i+1], r.row(i), z)
	}
}

func sumAbsGo[T kernel.Float](x []T) T {
	var sum T
	for _, v := range x {
		sum += abs(v)
	}
	return sum
}

func sumSquaresGo[T kernel.Float](x []T) T { return vec.Dot(x, x) }

func maxAbsGo[T kernel.Float](x []T) T {
	var most T
	for _, v := range x {
		if a := abs(v); a > most {
			most = a
		}
	}
	return most
}

func abs[T kernel.Float](x T) T {
	if x < 0 {
		return -x
	}
	return x
}
