package schur

import (
	"trnsci/core/dense"
	"trnsci/core/kernel"
)

// zone is the part of a matrix that a sweep over a block changes: the rows from top on and the columns before end. bottom is the block's last row.
type zone struct{ top, end, bottom int }

// chase moves a bulge through its steps first to last: step k applies a reflector to the rows and columns k+1 to k+3, not further than z.bottom, that
// eliminates what column k has below row k+1. With start, the first step makes the bulge instead: its reflector maps start to a multiple of e_1. The reflectors
// go to out, one for each step.
//
// A reflector changes from the right, in its step, only the rows of its own group of kernel.SweepRows and those below; the groups above get all of them
// together.
func (f *francis[W]) chase(z zone, first, last int, start *[3]float64, out []kernel.Reflector[W]) {
	k := first
	if start != nil {
		f.step(z, k, start, &out[0])
		k++
	}
	for k <= last {
		c := kernel.Chase[W]{
			A: f.t.Data, Stride: f.t.Stride, First: k, Last: z.bottom, End: z.end, Top: z.top, Reflectors: out[k-first : last+1-first],
		}
		k += c.Run(f.set)
		if k <= last {
			f.step(z, k, nil, &out[k-first])
			k++
		}
	}
	group := kernel.SweepRows(f.set)
	for row := z.top; row+group <= last+1; row += group {
		from := max(first, row+group-1) // the first step whose reflector acts below the group
		kernel.ReflectColumns(f.set, out[from-first:last+1-first], f.t.Data[row*f.t.Stride+from+1:], f.t.Stride)
	}
}

// step is a step of chase with the care that the kernel does not take.
func (f *francis[W]) step(z zone, k int, start *[3]float64, out *kernel.Reflector[W]) {
	t := f.t
	var p reflector
	if start != nil {
		p, _ = newReflector(start[0], start[1], start[2])
	} else {
		var beta float64
		p, beta = newReflector(float64(t.At(k+1, k)), float64(t.At(k+2, k)), float64(t.At(k+3, k)))
		t.Set(k+1, k, W(beta))
		t.Set(k+2, k, 0)
		t.Set(k+3, k, 0)
	}
	*out = kernel.Reflector[W]{V1: W(p.v1), V2: W(p.v2), T0: W(p.tau), T1: W(p.t1), T2: W(p.t2)}
	kernel.ReflectRows(f.set, []kernel.Reflector[W]{*out}, t.Data[(k+1)*t.Stride+k+1:], t.Stride, z.end-k-1)
	group := kernel.SweepRows(f.set)
	from := z.top + (k+1-z.top)/group*group
	reflectColumns(out, t, k+1, from, min(k+4, z.bottom)+1)
}

// reflectColumns applies the reflector to the columns k to k+2 of the rows from up to end.
func reflectColumns[W dense.Float](p *kernel.Reflector[W], t dense.Matrix[W], k, from, end int) {
	for i := from; i < end; i++ {
		r := t.Data[i*t.Stride+k : i*t.Stride+k+3 : i*t.Stride+k+3]
		s := r[0] + p.V1*r[1] + p.V2*r[2]
		r[0] -= p.T0 * s
		r[1] -= p.T1 * s
		r[2] -= p.T2 * s
	}
}

// finish ends a bulge at the bottom of its block, where it has shrunk to two rows: a rotation of them eliminates the last element below the subdiagonal.
func (f *francis[W]) finish(z zone) kernel.Rotation[W] {
	t, k := f.t, z.bottom-1
	g, r := newRotation(float64(t.At(k, k-1)), float64(t.At(k+1, k-1)))
	t.Set(k, k-1, W(r))
	t.Set(k+1, k-1, 0)
	q := kernel.Rotation[W]{C: W(g.cs), S: W(g.sn)}
	kernel.Rotate(f.set, []kernel.Rotation[W]{q}, false, t.Data[k*t.Stride+k:], t.Stride, z.end-k)
	rotateColumns(g, t.Slice(z.top, k+2, 0, t.Cols), k, k+2-z.top)
	return q
}
