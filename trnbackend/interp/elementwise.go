package interp

import "trnsci/trnbackend/graph"

func (e *evaluation) unary() {
	op, from, to := e.node.Op, e.shapes[0].DType, e.node.Shape.DType
	e.chunks(func(lo, hi int) {
		out := e.out[lo:hi]
		for i, x := range e.in[0][lo:hi] {
			out[i] = op.Unary(from, x)
		}
		round(to, out)
	})
}

func (e *evaluation) convert() {
	e.chunks(func(lo, hi int) {
		copy(e.out[lo:hi], e.in[0][lo:hi])
		round(e.node.Shape.DType, e.out[lo:hi])
	})
}

func (e *evaluation) binary() {
	op, d := e.node.Op, e.shapes[0].DType
	loop := loops[op]
	e.chunks(func(lo, hi int) {
		out, x, y := e.out[lo:hi], e.in[0][lo:hi], e.in[1][lo:hi]
		if loop != nil && d.IsFloat() {
			loop(out, x, y)
		} else {
			for i := range out {
				out[i] = op.Binary(d, x[i], y[i])
			}
		}
		round(d, out)
	})
}

// loops has Op.Binary on floats as loops, for the four most frequent operations. All slices have one length.
var loops = map[graph.Op]func(out, x, y []float64){
	graph.Add: func(out, x, y []float64) {
		x, y = x[:len(out)], y[:len(out)]
		for i := range out {
			out[i] = x[i] + y[i]
		}
	},
	graph.Subtract: func(out, x, y []float64) {
		x, y = x[:len(out)], y[:len(out)]
		for i := range out {
			out[i] = x[i] - y[i]
		}
	},
	graph.Multiply: func(out, x, y []float64) {
		x, y = x[:len(out)], y[:len(out)]
		for i := range out {
			out[i] = x[i] * y[i]
		}
	},
	graph.Divide: func(out, x, y []float64) {
		x, y = x[:len(out)], y[:len(out)]
		for i := range out {
			out[i] = x[i] / y[i]
		}
	},
}

func (e *evaluation) compare() {
	d := e.node.Attributes.(graph.Direction)
	e.chunks(func(lo, hi int) {
		out, x, y := e.out[lo:hi], e.in[0][lo:hi], e.in[1][lo:hi]
		for i := range out {
			out[i] = 0
			if d.Holds(x[i], y[i]) {
				out[i] = 1
			}
		}
	})
}

func (e *evaluation) choose() {
	e.chunks(func(lo, hi int) {
		out, p, x, y := e.out[lo:hi], e.in[0][lo:hi], e.in[1][lo:hi], e.in[2][lo:hi]
		for i := range out {
			if p[i] != 0 {
				out[i] = x[i]
			} else {
				out[i] = y[i]
			}
		}
	})
}

func (e *evaluation) iota() {
	shape, dim := e.node.Shape, e.node.Attributes.(graph.Axes)[0]
	stride, length := strides(shape.Dims)[dim], shape.Dims[dim]
	e.chunks(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			e.out[i] = float64(i / stride % length)
		}
		round(shape.DType, e.out[lo:hi])
	})
}

// round is DType.Round of each element.
func round(d graph.DType, x []float64) {
	switch d {
	case graph.F64:
	case graph.F32:
		for i, v := range x {
			x[i] = float64(float32(v))
		}
	default:
		for i, v := range x {
			x[i] = d.Round(v)
		}
	}
}
