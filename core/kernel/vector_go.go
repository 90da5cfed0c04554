package kernel

// row returns row i of r.
func (r *Rows[T]) row(i int) []T { return r.A[i*r.Stride:][:r.Cols] }

// dotsGo keeps four sums for each row, so that additions need not wait for one another.
func dotsGo[T Float](r *Rows[T], x, sums []T) {
	for i := range r.Count {
		sums[i] += dot(r.row(i), x)
	}
}

func dotsPairGo[T Float](r *Rows[T], x, y, sums []T) {
	for i := range r.Count {
		row := r.row(i)
		sums[2*i] += dot(row, x)
		sums[2*i+1] += dot(row, y)
	}
}

func dot[T Float](a, x []T) T {
	x = x[:len(a)]
	var s0, s1, s2, s3 T
	j := 0
	for ; j+4 <= len(a); j += 4 {
		p, q := a[j:j+4:j+4], x[j:j+4:j+4]
		s0 += p[0] * q[0]
		s1 += p[1] * q[1]
		s2 += p[2] * q[2]
		s3 += p[3] * q[3]
	}
	for ; j < len(a); j++ {
		s0 += a[j] * x[j]
	}
	return (s0 + s1) + (s2 + s3)
}

func axpysGo[T Float](r *Rows[T], alpha, y []T) {
	for i := range r.Count {
		axpy(alpha[i], r.row(i), y)
	}
}

func axpysPairGo[T Float](r *Rows[T], alpha, y, z []T) {
	for i := range r.Count {
		axpy(alpha[2*i], r.row(i), y)
		axpy(alpha[2*i+1], r.row(i), z)
	}
}

func axpy[T Float](alpha T, a, y []T) {
	y = y[:len(a)]
	for j, v := range a {
		y[j] += alpha * v
	}
}

func scaleGo[T Float](alpha T, x []T) {
	for i := range x {
		x[i] *= alpha
	}
}

func sumAbsGo[T Float](x []T) T {
	var sum T
	for _, v := range x {
		sum += abs(v)
	}
	return sum
}

func sumSquaresGo[T Float](x []T) T { return dot(x, x) }

func maxAbsGo[T Float](x []T) T {
	var most T
	for _, v := range x {
		if a := abs(v); a > most {
			most = a
		}
	}
	return most
}

func abs[T Float](x T) T {
	if x < 0 {
		return -x
	}
	return x
}
