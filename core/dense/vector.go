package dense

// Vector is a strided view of N elements: element i is Data[i*Inc] for Inc > 0 and, as in the BLAS, Data[(N-1-i)*-Inc]
// for Inc < 0. Inc is not 0.
type Vector[T Scalar] struct {
	N, Inc int
	Data   []T
}

// First returns where in Data element 0 is; element i is Inc places further than element i-1.
func (v Vector[T]) First() int {
	if v.Inc < 0 {
		return (v.N - 1) * -v.Inc
	}
	return 0
}

// Vec returns x as a vector of its own memory.
func Vec[T Scalar](x []T) Vector[T] { return Vector[T]{N: len(x), Inc: 1, Data: x} }

// RowVec returns the elements j0 <= j < j1 of row i.
func (m Matrix[T]) RowVec(i, j0, j1 int) Vector[T] { return Vec(m.Row(i)[j0:j1]) }

// ColVec returns the elements i0 <= i < i1 of column j.
func (m Matrix[T]) ColVec(j, i0, i1 int) Vector[T] {
	v := Vector[T]{N: i1 - i0, Inc: m.Stride}
	if v.N > 0 {
		v.Data = m.Data[i0*m.Stride+j : (i1-1)*m.Stride+j+1]
	}
	return v
}
