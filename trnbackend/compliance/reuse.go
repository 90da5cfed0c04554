package compliance

import (
	"slices"
	"testing"

	"trnsci/trnbackend"
	"trnsci/trnbackend/graph"
)

// reused is a graph of a parameter x of three numbers, with its results. They come from operations of all kinds that
// write memory; two results are one value, one is the parameter and one a constant.
func reused(d graph.DType) (make func(b *graph.Builder), results func(x [3]float64) []array) {
	make = func(b *graph.Builder) {
		x := b.Parameter("x", graph.Of(d, 3))
		one := b.Fill(graph.Of(d), 1)
		sum := b.ReduceSum(x, 0)
		b.Result("sum", sum)
		b.Result("sum_again", sum)
		b.Result("largest", b.ReduceMax(x, 0))
		b.Result("x", x)
		b.Result("constant", b.Constant(graph.Of(d, 3), 5, 6, 7))
		b.Result("reversed",
			b.Concatenate(0, b.Slice(x, []int{1}, []int{3}, []int{1}), b.Slice(x, []int{0}, []int{1}, []int{1})))
		b.Result("padded", b.Pad(x, one, []int{1}, []int{2}))
		b.Result("outer", b.Multiply(b.Broadcast(x, []int{3, 3}, 0), b.Broadcast(x, []int{3, 3}, 1)))
		b.Result("negative", b.Reshape(b.Negate(x), 3, 1))
		b.Result("chosen", b.Select(b.Compare(graph.GT, x, b.Fill(x.Shape(), 0)), x, b.Fill(x.Shape(), 9)))
	}
	results = func(x [3]float64) []array {
		sum := scalar(d, x[0]+x[1]+x[2])
		outer, chosen := of(d, []int{3, 3}), vector(d)
		chosen.shape = graph.Of(d, 3)
		for _, v := range x {
			outer.elements = append(outer.elements, v*x[0], v*x[1], v*x[2])
			if v > 0 {
				chosen.elements = append(chosen.elements, v)
			} else {
				chosen.elements = append(chosen.elements, 9)
			}
		}
		return []array{
			sum, sum, scalar(d, max(x[0], x[1], x[2])), vector(d, x[:]...), vector(d, 5, 6, 7), vector(d, x[1], x[2],
				x[0]),
			vector(d, 1, x[0], x[1], x[2], 1, 1), outer, of(d, []int{3, 1}, -x[0], -x[1], -x[2]), chosen,
		}
	}
	return make, results
}

// testReuse runs with places that hold other data: NaN, and results of earlier runs of this and of another program.
// Each result must be as in a new buffer, and nothing else may change: not the input, not the constant of the program,
// not the other one of two equal results.
func testReuse(t *testing.T, e trnbackend.Executor) {
	d := float(e)
	make, results := reused(d)
	p, other := compile(t, e, make), compile(t, e, func(b *graph.Builder) {
		x := b.Parameter("x", graph.Of(d, 3))
		b.Result("twice", b.Add(x, x))
	})
	var places []trnbackend.Buffer
	for _, r := range results([3]float64{}) {
		places = append(places, upload(t, e, array{r.shape, slices.Repeat([]float64{nan}, r.shape.Size())}))
	}
	given := slices.Clone(places)
	for _, x := range [][3]float64{{1, -2, 3}, {-4, 5, 6}, {7, 8, -9}} {
		in := []trnbackend.Buffer{upload(t, e, vector(d, x[:]...))}
		run(t, p, in, places)
		for i, want := range results(x) {
			holds(t, places[i], want.elements...)
		}
		for i, r := range p.Graph().Results() { // places that hold the input, a constant, and a computed result
			if r.Name == "x" || r.Name == "constant" || r.Name == "chosen" {
				run(t, other, in, places[i:i+1])
				holds(t, places[i], 2*x[0], 2*x[1], 2*x[2])
			}
		}
		holds(t, in[0], x[:]...)
		in[0].Free()
	}
	if caps := e.Caps(); caps.Reuses && !slices.Equal(places, given) {
		t.Errorf("device %s says that it writes into places, and replaces them", e.Name())
	}
	one := places[:1]
	run(t, compile(t, e, func(b *graph.Builder) { b.Result("r", b.ReduceMin(b.Parameter("x", graph.Of(d, 3)), 0)) }),
		[]trnbackend.Buffer{upload(t, e, vector(d, 3, 2, 1))}, one)
	holds(t, one[0], 1)
	holds(t, places[1], 7+8-9) // was equal to the first
}

// testFreedEarly frees the inputs and an unused result of a run before it has finished, and uses the memory for other
// data.
func testFreedEarly(t *testing.T, e trnbackend.Executor) {
	const n, factor = 192, 4 // a product that takes a while
	d := float(e)
	p := compile(t, e, func(b *graph.Builder) {
		x, y := b.Parameter("x", graph.Of(d, n, n)), b.Parameter("y", graph.Of(d, n, n))
		z := x
		for range 4 {
			z = b.Convert(b.MatMul(z, y), d)
		}
		b.Result("z", z)
		b.Result("sum", b.Add(x, y))
	})
	diagonal := func(v float64) array {
		a := of(d, []int{n, n}, make([]float64, n*n)...)
		for i := range n {
			a.elements[i*(n+1)] = v
		}
		return a
	}
	want := diagonal(factor * factor * factor * factor)
	for range 10 {
		in := []trnbackend.Buffer{upload(t, e, diagonal(1)), upload(t, e, diagonal(factor))}
		out := make([]trnbackend.Buffer, 2)
		run(t, p, in, out)
		for _, b := range append(in, out[1]) {
			b.Free()
		}
		ones := upload(t, e, of(d, []int{n, n}, slices.Repeat([]float64{1}, n*n)...))
		holds(t, out[0], want.elements...)
		freed(t, "downloading an input that was freed behind the run", download(in[0]))
		out[0].Free()
		ones.Free()
	}
}
