package compliance

import (
	"math"
	"testing"

	"trnsci/trnbackend"
	"trnsci/trnbackend/graph"
)

func dot(contractX, contractY, batchX, batchY []int) operation {
	return func(b *graph.Builder, in []graph.Value) graph.Value {
		return b.Dot(in[0], in[1],
			graph.Dimensions{Contract: [2][]int{contractX, contractY}, Batch: [2][]int{batchX, batchY}})
	}
}

// withItself is a product with the same array as both operands.
func withItself(contract, batch []int) operation {
	return func(b *graph.Builder, in []graph.Value) graph.Value {
		return dot(contract, contract, batch, batch)(b, []graph.Value{in[0], in[0]})
	}
}

// plusTranspose is x y + (x y)^T: a product that is read in two layouts.
func plusTranspose(b *graph.Builder, in []graph.Value) graph.Value {
	product := dot([]int{1}, []int{0}, nil, nil)(b, in)
	return b.Add(product, b.Transpose(product, 1, 0))
}

func testProducts(t *testing.T, e trnbackend.Executor) {
	eachType(t, e, floatTypes, func(t *testing.T, d graph.DType) {
		to := d
		if d == graph.BF16 {
			to = graph.F32
			needType(t, e, to)
		}
		x, y := of(d, []int{2, 3}, 1, 2, 3, 4, 5, 6), of(d, []int{3, 2}, 7, 8, 9, 10, 11, 12)
		product := of(to, []int{2, 2}, 58, 64, 139, 154)
		check(t, e, []testCase{
			{"matrices", dot([]int{1}, []int{0}, nil, nil), []array{x, y}, product, 0},
			{"transposed", dot([]int{0}, []int{1}, nil, nil),
				[]array{of(d, []int{3, 2}, 1, 4, 2, 5, 3, 6), of(d, []int{2, 3}, 7, 9, 11, 8, 10, 12)}, product, 0},
			{"outer", dot(nil, nil, nil, nil), []array{vector(d, 1, 2), vector(d, 3, 4, 5)},
				of(to, []int{2, 3}, 3, 4, 5, 6, 8, 10), 0},
			{"inner", dot([]int{0}, []int{0}, nil, nil), []array{vector(d, 1, 2, 3), vector(d, 4, 5, 6)},
				scalar(to, 32), 0},
			{"both dimensions", dot([]int{0, 1}, []int{1, 0}, nil, nil), []array{x, y},
				scalar(to, 1*7+2*9+3*11+4*8+5*10+6*12), 0},
			{"batch alone", dot(nil, nil, []int{0}, []int{0}), []array{vector(d, 1, 2), vector(d, 3, 4)},
				vector(to, 3, 8), 0},
			{"scalars", dot(nil, nil, nil, nil), []array{scalar(d, 3), scalar(d, 5)}, scalar(to, 15), 0},
			{"no terms", dot([]int{1}, []int{0}, nil, nil), []array{of(d, []int{2, 0}), of(d, []int{0, 2})},
				of(to, []int{2, 2}, 0, 0, 0, 0), 0},
			{"no elements", dot([]int{1}, []int{0}, nil, nil), []array{of(d, []int{0, 3}), y}, of(to, []int{0, 2}), 0},
			{"not finite", dot([]int{1}, []int{0}, nil, nil),
				[]array{of(d, []int{2, 2}, 0, 1, 1, 1), of(d, []int{2, 1}, inf, 1)}, of(to, []int{2, 1}, nan, inf), 0},
			{"beyond bf16", dot([]int{0}, []int{0}, nil, nil), []array{vector(d, 256, 1), vector(d, 1, 1)},
				scalar(to, 257), 0},
			{"with itself", withItself([]int{1}, nil), []array{x}, of(to, []int{2, 2}, 14, 32, 32, 77), 0},
			{"with itself, transposed", withItself([]int{0}, nil), []array{x},
				of(to, []int{3, 3}, 17, 22, 27, 22, 29, 36, 27, 36, 45), 0},
			{
				"stack with itself", withItself([]int{2},
					[]int{0}), []array{of(d, []int{2, 2, 2}, 1, 2, 3, 4, 5, 6, 7, 8)},
				of(to, []int{2, 2, 2}, 5, 11, 11, 25, 61, 83, 83, 113), 0,
			},
			{"plus its transpose", plusTranspose, []array{x, y}, of(to, []int{2, 2}, 116, 203, 203, 308), 0},
			batches(d, to),
			long(d, to),
		})
	})
}

// batches is a product with a batch dimension in the middle: of x[k,b,m] and y[n,b,k], summed over k.
func batches(d, to graph.DType) testCase {
	const k, b, m, n = 3, 2, 2, 4
	x, y := of(d, []int{k, b, m}), of(d, []int{n, b, k})
	for i := range k * b * m {
		x.elements = append(x.elements, float64(i%5-2))
	}
	for i := range n * b * k {
		y.elements = append(y.elements, float64(i%7-3))
	}
	want := of(to, []int{b, m, n})
	for ib := range b {
		for im := range m {
			for in := range n {
				sum := 0.0
				for ik := range k {
					sum += x.elements[(ik*b+ib)*m+im] * y.elements[(in*b+ib)*k+ik]
				}
				want.elements = append(want.elements, sum)
			}
		}
	}
	return testCase{"batch in the middle", dot([]int{0}, []int{2}, []int{1}, []int{1}), []array{x, y}, want, 0}
}

// long is a product of matrices that are larger than the blocks of any compiler. Their elements are integers, so that
// the sums are exact.
func long(d, to graph.DType) testCase {
	const m, k, n = 130, 150, 70
	x, y, want := of(d, []int{m, k}), of(d, []int{k, n}), of(to, []int{m, n})
	for i := range m * k {
		x.elements = append(x.elements, float64(i*7%11-5))
	}
	for i := range k * n {
		y.elements = append(y.elements, float64(i*5%13-6))
	}
	for i := range m {
		for j := range n {
			sum := 0.0
			for l := range k {
				sum += x.elements[i*k+l] * y.elements[l*n+j]
			}
			want.elements = append(want.elements, sum)
		}
	}
	return testCase{"large", dot([]int{1}, []int{0}, nil, nil), []array{x, y}, want, 0}
}

func reduction(method func(b *graph.Builder, x graph.Value, dims ...int) graph.Value, dims ...int) operation {
	return func(b *graph.Builder, in []graph.Value) graph.Value { return method(b, in[0], dims...) }
}

func testReductions(t *testing.T, e trnbackend.Executor) {
	sum, most, least := (*graph.Builder).ReduceSum, (*graph.Builder).ReduceMax, (*graph.Builder).ReduceMin
	eachType(t, e, []graph.DType{graph.F32, graph.BF16, graph.F64, graph.S32}, func(t *testing.T, d graph.DType) {
		x := of(d, []int{2, 3, 2}, 1, -2, 3, 4, 5, 6, 7, 8, -9, 10, 11, 12)
		empty := of(d, []int{2, 0})
		largest := inf
		smallest := -inf
		if d == graph.S32 {
			largest, smallest = math.MaxInt32, math.MinInt32
		}
		check(t, e, []testCase{
			{"sum of none", reduction(sum), []array{x}, x, 0},
			{"sum over the first", reduction(sum, 0), []array{x}, of(d, []int{3, 2}, 8, 6, -6, 14, 16, 18), 0},
			{"sum over the middle", reduction(sum, 1), []array{x}, of(d, []int{2, 2}, 9, 8, 9, 30), 0},
			{"sum over the last", reduction(sum, 2), []array{x}, of(d, []int{2, 3}, -1, 7, 11, 15, 1, 23), 0},
			{"sum over two", reduction(sum, 2, 0), []array{x}, vector(d, 14, 8, 34), 0},
			{"sum over all", reduction(sum, 0, 1, 2), []array{x}, scalar(d, 56), 0},
			{"max over the first", reduction(most, 0), []array{x}, of(d, []int{3, 2}, 7, 8, 3, 10, 11, 12), 0},
			{"max over two", reduction(most, 0, 2), []array{x}, vector(d, 8, 10, 12), 0},
			{"min over the last", reduction(least, 2), []array{x}, of(d, []int{2, 3}, -2, 3, 5, 7, -9, 11), 0},
			{"min over all", reduction(least, 0, 1, 2), []array{x}, scalar(d, -9), 0},
			{"sum of nothing", reduction(sum, 1), []array{empty}, vector(d, 0, 0), 0},
			{"max of nothing", reduction(most, 1), []array{empty}, vector(d, smallest, smallest), 0},
			{"min of nothing", reduction(least, 1), []array{empty}, vector(d, largest, largest), 0},
			{"nothing is left", reduction(sum, 0), []array{empty}, vector(d), 0},
		})
		if d == graph.S32 {
			check(t, e, []testCase{
				{"sum wraps around", reduction(sum, 0), []array{vector(d, math.MaxInt32, 1, 1)},
					scalar(d, math.MinInt32+1), 0},
				{"max of the smallest", reduction(most, 0), []array{vector(d, math.MinInt32, math.MinInt32)},
					scalar(d, math.MinInt32), 0},
			})
			return
		}
		check(t, e, []testCase{
			{"sum with NaN", reduction(sum, 1), []array{of(d, []int{3, 2}, 1, nan, inf, -inf, inf, 1)},
				vector(d, nan, nan, inf), 0},
			{"max with NaN", reduction(most, 1), []array{of(d, []int{3, 2}, 1, nan, nan, 1, -inf, -inf)},
				vector(d, nan, nan, -inf), 0},
			{"min with NaN", reduction(least, 1), []array{of(d, []int{3, 2}, 1, nan, nan, 1, inf, inf)},
				vector(d, nan, nan, inf), 0},
		})
	})
}
