package compliance

import (
	"math"
	"testing"

	"trnsci/trnbackend"
	"trnsci/trnbackend/graph"
)

var (
	inf  = math.Inf(1)
	nan  = math.NaN()
	zero = math.Copysign(0, -1) // the negative one
)

// libraryUlps is what functions of a device's mathematical library may be off.
const libraryUlps = 8

func unary(method func(*graph.Builder, graph.Value) graph.Value) operation {
	return func(b *graph.Builder, in []graph.Value) graph.Value { return method(b, in[0]) }
}

func binary(method func(b *graph.Builder, x, y graph.Value) graph.Value) operation {
	return func(b *graph.Builder, in []graph.Value) graph.Value { return method(b, in[0], in[1]) }
}

func choice(b *graph.Builder, in []graph.Value) graph.Value { return b.Select(in[0], in[1], in[2]) }

func testFloats(t *testing.T, e trnbackend.Executor) {
	eachType(t, e, floatTypes, func(t *testing.T, d graph.DType) {
		v := func(elements ...float64) array { return vector(d, elements...) }
		eps := d.Eps()
		check(t, e, []testCase{
			{"negate", unary((*graph.Builder).Negate), []array{v(-2.5, 0, 3, inf, nan)}, v(2.5, 0, -3, -inf, nan), 0},
			{"abs", unary((*graph.Builder).Abs), []array{v(-2.5, zero, 3, -inf, nan)}, v(2.5, 0, 3, inf, nan), 0},
			{"sign", unary((*graph.Builder).Sign), []array{v(-2.5, 0, 1e-3, -inf, nan)}, v(-1, 0, 1, -1, nan), 0},
			{"exp", unary((*graph.Builder).Exp), []array{v(0, 1, -2, inf, -inf, nan)},
				v(1, 2.718281828459045, 0.1353352832366127, inf, 0, nan), libraryUlps},
			{"log", unary((*graph.Builder).Log), []array{v(1, 10, 0, -1, inf, nan)},
				v(0, 2.302585092994046, -inf, nan, inf, nan), libraryUlps},
			{"sqrt", unary((*graph.Builder).Sqrt), []array{v(0, 0.25, 2, -1, inf, nan)},
				v(0, 0.5, 1.4142135623730951, nan, inf, nan), 1},
			{"rsqrt", unary((*graph.Builder).Rsqrt), []array{v(4, 2, 0, -1, inf, nan)},
				v(0.5, 0.7071067811865476, inf, nan, 0, nan), libraryUlps},
			{"tanh", unary((*graph.Builder).Tanh), []array{v(0, 0.5, -20, inf, nan)},
				v(0, 0.46211715726000976, -1, 1, nan), libraryUlps},
			{"add", binary((*graph.Builder).Add), []array{v(1, 2, inf, inf, nan), v(0.5, -2, 1, -inf, 1)},
				v(1.5, 0, inf, nan, nan), 0},
			{"subtract", binary((*graph.Builder).Subtract), []array{v(1, 2, inf, inf, 1), v(0.5, 2, 1, inf, nan)},
				v(0.5, 0, inf, nan, nan), 0},
			{"multiply", binary((*graph.Builder).Multiply), []array{v(2, -3, 0, inf, nan), v(0.5, 3, inf, -2, 0)},
				v(1, -9, nan, -inf, nan), 0},
			{"divide", binary((*graph.Builder).Divide), []array{v(1, 3, -1, 0, 1), v(2, -4, 0, 0, inf)},
				v(0.5, -0.75, -inf, nan, 0), 0},
			{"maximum", binary((*graph.Builder).Maximum),
				[]array{v(1, -3, nan, 1, -inf, nan), v(2, -4, 1, nan, 0, nan)}, v(2, -3, nan, nan, 0, nan), 0},
			{"minimum", binary((*graph.Builder).Minimum),
				[]array{v(1, -3, nan, 1, -inf, nan), v(2, -4, 1, nan, 0, nan)}, v(1, -4, nan, nan, -inf, nan), 0},
			{"rounding", binary((*graph.Builder).Add), []array{v(1, 1, 1+eps, 1), v(eps/4, eps/2, eps/2, 3*eps/4)},
				v(1, 1, 1+2*eps, 1+eps), 0},
			{"select", choice, []array{vector(graph.Pred, 1, 0, 1, 0), v(1, nan, inf, 4), v(nan, 2, 0, -inf)},
				v(1, 2, inf, -inf), 0},
		})
		checkCompare(t, e, v(1, 2, 3, nan, nan, inf, zero), v(2, 2, 2, nan, 1, inf, 0), map[graph.Direction][]float64{
			graph.EQ: {0, 1, 0, 0, 0, 1, 1}, graph.NE: {1, 0, 1, 1, 1, 0, 0},
			graph.LT: {1, 0, 0, 0, 0, 0, 0}, graph.LE: {1, 1, 0, 0, 0, 1, 1},
			graph.GT: {0, 0, 1, 0, 0, 0, 0}, graph.GE: {0, 1, 1, 0, 0, 1, 1},
		})
	})
}

// checkCompare compares two arrays in all directions.
func checkCompare(t *testing.T, e trnbackend.Executor, x, y array, want map[graph.Direction][]float64) {
	t.Helper()
	var cases []testCase
	for d := graph.EQ; d <= graph.GE; d++ {
		op := func(b *graph.Builder, in []graph.Value) graph.Value { return b.Compare(d, in[0], in[1]) }
		cases = append(cases, testCase{"compare " + d.String(), op, []array{x, y}, vector(graph.Pred, want[d]...), 0})
	}
	check(t, e, cases)
}

func testIntegers(t *testing.T, e trnbackend.Executor) {
	needType(t, e, graph.S32)
	const least, most = math.MinInt32, math.MaxInt32
	v := func(elements ...float64) array { return vector(graph.S32, elements...) }
	check(t, e, []testCase{
		{"negate", unary((*graph.Builder).Negate), []array{v(3, 0, -7, least)}, v(-3, 0, 7, least), 0},
		{"abs", unary((*graph.Builder).Abs), []array{v(3, 0, -7, least)}, v(3, 0, 7, least), 0},
		{"sign", unary((*graph.Builder).Sign), []array{v(3, 0, -7, least)}, v(1, 0, -1, -1), 0},
		{"add", binary((*graph.Builder).Add), []array{v(1, most, least), v(2, 1, -1)}, v(3, least, most), 0},
		{"subtract", binary((*graph.Builder).Subtract), []array{v(1, most, least), v(2, -1, 1)}, v(-1, least, most), 0},
		{"multiply", binary((*graph.Builder).Multiply), []array{v(-3, 65536, 123456789), v(5, 65536, 1000)},
			v(-15, 0, -1097262584), 0},
		{"divide", binary((*graph.Builder).Divide), []array{v(7, -7, 5, least, -5), v(-2, 2, 0, -1, 0)},
			v(-3, -3, -1, least, -1), 0},
		{"maximum", binary((*graph.Builder).Maximum), []array{v(1, -3, most), v(2, -4, least)}, v(2, -3, most), 0},
		{"minimum", binary((*graph.Builder).Minimum), []array{v(1, -3, most), v(2, -4, least)}, v(1, -4, least), 0},
		{"select", choice, []array{vector(graph.Pred, 1, 0), v(most, 2), v(3, least)}, v(most, least), 0},
	})
	checkCompare(t, e, v(1, 2, 3, least), v(2, 2, 2, most), map[graph.Direction][]float64{
		graph.EQ: {0, 1, 0, 0}, graph.NE: {1, 0, 1, 1}, graph.LT: {1, 0, 0, 1}, graph.LE: {1, 1, 0, 1}, graph.GT: {0, 0,
			1, 0}, graph.GE: {0, 1, 1, 0},
	})
}

func testPredicates(t *testing.T, e trnbackend.Executor) {
	needType(t, e, graph.Pred)
	v := func(elements ...float64) array { return vector(graph.Pred, elements...) }
	x, y := v(0, 0, 1, 1), v(0, 1, 0, 1)
	check(t, e, []testCase{
		{"not", unary((*graph.Builder).Not), []array{x}, v(1, 1, 0, 0), 0},
		{"and", binary((*graph.Builder).And), []array{x, y}, v(0, 0, 0, 1), 0},
		{"or", binary((*graph.Builder).Or), []array{x, y}, v(0, 1, 1, 1), 0},
		{"select", choice, []array{v(0, 1, 0, 1), x, v(1, 1, 0, 0)}, v(1, 0, 0, 1), 0},
	})
	checkCompare(t, e, x, y, map[graph.Direction][]float64{
		graph.EQ: {1, 0, 0, 1}, graph.NE: {0, 1, 1, 0}, graph.LT: {0, 1, 0, 0}, graph.LE: {1, 1, 0, 1}, graph.GT: {0, 0,
			1, 0}, graph.GE: {1, 0, 1, 1},
	})
}

func testConversions(t *testing.T, e trnbackend.Executor) {
	const least, most = math.MinInt32, math.MaxInt32
	var cases []testCase
	add := func(from, to graph.DType, x, want []float64) {
		op := func(b *graph.Builder, in []graph.Value) graph.Value { return b.Convert(in[0], to) }
		cases = append(cases,
			testCase{from.String() + " to " + to.String(), op, []array{vector(from, x...)}, vector(to, want...), 0})
	}
	// To bf16: a tie to even downwards, one upwards, just above a tie.
	add(graph.F32, graph.BF16, []float64{1 + 0x1p-8, 1 + 0x3p-8, 1 + 0x1p-8 + 0x1p-23, -inf, nan},
		[]float64{1, 1 + 0x1p-6, 1 + 0x1p-7, -inf, nan})
	// once, not by way of f32
	add(graph.F64, graph.BF16, []float64{1 + 0x1p-8, 1 + 0x1p-8 + 0x1p-40, nan}, []float64{1, 1 + 0x1p-7, nan})
	add(graph.F64, graph.F32, []float64{1 + 0x1p-24, 1 + 0x3p-24, 1e39, -0.5}, []float64{1, 1 + 0x1p-22, inf, -0.5})
	// From integers: ties to even downwards and upwards, beside ties, and those that f32 does not hold.
	add(graph.S32, graph.F32,
		[]float64{1<<24 + 1, 1<<24 + 3, 1<<30 + 64, 1<<30 + 192, 1<<30 + 65, -1<<30 - 65, -3, most, least},
		[]float64{1 << 24, 1<<24 + 4, 1 << 30, 1<<30 + 256, 1<<30 + 128, -1<<30 - 128, -3, 1 << 31, -1 << 31})
	add(graph.S32, graph.BF16, []float64{257, 259, -3, most, least, 1<<24 + 1<<16, 1<<24 + 3<<16},
		[]float64{256, 260, -3, 1 << 31, -1 << 31, 1 << 24, 1<<24 + 2<<17})
	// To bf16 once, not by way of f32: one beside a tie of bf16, where f32 holds only the tie.
	const ulp = 1 << 30 >> 7 // of bf16 from 2^30 on
	const half = ulp / 2
	add(graph.S32, graph.BF16,
		[]float64{1<<24 + 1<<16 + 1, -1<<24 - 1<<16 - 1, 1<<24 + 3<<16 - 1, 1<<30 + half, 1<<30 + half + 1,
			1<<30 + half + 63, 1<<30 + 3*half - 1, 1<<30 + 3*half, -1<<30 - half - 1, 0},
		[]float64{1<<24 + 1<<17, -1<<24 - 1<<17, 1<<24 + 1<<17, 1 << 30, 1<<30 + ulp, 1<<30 + ulp, 1<<30 + ulp,
			1<<30 + 2*ulp, -1<<30 - ulp, 0})
	add(graph.S32, graph.F64, []float64{most, least}, []float64{most, least})
	for _, d := range floatTypes {
		add(d, graph.S32, []float64{2.875, -2.875, 1e10, -1e10, nan, inf}, []float64{2, -2, most, least, 0, most})
		add(d, graph.Pred, []float64{0, zero, 0.25, -inf, nan}, []float64{0, 0, 1, 1, 1})
		add(graph.Pred, d, []float64{0, 1}, []float64{0, 1})
	}
	add(graph.BF16, graph.F32, []float64{1 + 0x1p-7, -inf}, []float64{1 + 0x1p-7, -inf})
	add(graph.F32, graph.F64, []float64{1 + 0x1p-23, nan}, []float64{1 + 0x1p-23, nan})
	add(graph.S32, graph.Pred, []float64{0, 2, -1}, []float64{0, 1, 1})
	add(graph.Pred, graph.S32, []float64{0, 1}, []float64{0, 1})
	check(t, e, cases)
}

func testSources(t *testing.T, e trnbackend.Executor) {
	eachType(t, e, allTypes, func(t *testing.T, d graph.DType) {
		elements := []float64{1, 0, 0, 1, 1, 0}
		check(t, e, []testCase{
			{"constant",
				func(b *graph.Builder,
					_ []graph.Value) graph.Value {
					return b.Constant(graph.Of(d, 2, 3),
						elements...)
				}, nil, of(d, []int{2, 3}, elements...), 0},
			{"fill", func(b *graph.Builder, _ []graph.Value) graph.Value { return b.Fill(graph.Of(d, 3), 1) }, nil,
				vector(d, 1, 1, 1), 0},
		})
		if d == graph.Pred {
			return
		}
		check(t, e, []testCase{
			{"iota 0", func(b *graph.Builder, _ []graph.Value) graph.Value { return b.Iota(graph.Of(d, 2, 3), 0) }, nil,
				of(d, []int{2, 3}, 0, 0, 0, 1, 1, 1), 0},
			{"iota 1", func(b *graph.Builder, _ []graph.Value) graph.Value { return b.Iota(graph.Of(d, 2, 3), 1) }, nil,
				of(d, []int{2, 3}, 0, 1, 2, 0, 1, 2), 0},
		})
	})
}
