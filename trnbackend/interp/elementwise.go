package interp

import "trnsci/trnbackend/graph"

func (e *evaluation) unary() {
	op, from, to := e.node.Op, e.shapes[0].DType, e.node.Shape.DType
	e.chunks(func(lo, hi int) {
		out, in := e.out[lo:hi], e.in[0][lo:hi]
		if op == graph.Convert {
			copy(out, in)
		} else {
			for i, x := range in {
				out[i] = op.Unary(from, x)
			}
		}
		round(to, out)
	})
}

func (e *evaluation) binary() {
	op, d := e.node.Op, e.shapes[0].DType
	e.chunks(func(lo, hi int) {
		out, x, y := e.out[lo:hi], e.in[0][lo:hi], e.in[1][lo:hi]
		switch {
		case op == graph.Compare:
			compare(e.node.Direction, out, x, y)
			return
		case d.IsFloat() && op <= graph.Divide:
			arithmetic(op, out, x, y)
		default:
			for i := range out {
				out[i] = op.Binary(d, x[i], y[i])
			}
		}
		round(d, out)
	})
}

// arithmetic is Op.Binary of the four operations of floats with the choice made once: they are most of what graphs have. All have one length.
func arithmetic(op graph.Op, out, x, y []float64) {
	x, y = x[:len(out)], y[:len(out)]
	switch op {
	case graph.Add:
		for i := range out {
			out[i] = x[i] + y[i]
		}
	case graph.Subtract:
		for i := range out {
			out[i] = x[i] - y[i]
		}
	case graph.Multiply:
		for i := range out {
			out[i] = x[i] * y[i]
		}
	case graph.Divide:
		for i := range out {
			out[i] = x[i] / y[i]
		}
	}
}

func compare(d graph.Direction, out, x, y []float64) {
	for i := range out {
		out[i] = 0
		if d.Holds(x[i], y[i]) {
			out[i] = 1
		}
	}
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
	shape, dim := e.node.Shape, e.node.Dims[0]
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
