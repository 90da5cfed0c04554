package schur

import (
	"trnsci/core/kernel"
	"trnsci/core/kernel/bulge"
)

// zone is the part of a matrix that a sweep over a block changes: the rows from top on and the columns before end. bottom is the block's last row.
type zone struct {
	top, end, bottom int
	withZT           bool // whether the same is done to the rows of zt
}

// chase moves a bulge through its steps first to last: step k applies a reflector to the rows and columns k+1 to k+3, not further than z.bottom, that
// eliminates what column k has below row k+1. With start, the first step makes the bulge instead: its reflector maps start to a multiple of e_1. Step
// z.bottom-2, which has two rows, is the end of the bulge. The reflectors go to out, one for each step.
//
// A reflector changes from the right, in its step, only the rows of its own group of bulge.SweepRows and those below; the groups above get all of them
// together.
func (f *francis[W]) chase(z zone, first, last int, start *[3]W, out []bulge.Householder3[W]) {
	c := bulge.DoubleShiftChase[W]{A: f.t.Data, Stride: f.t.Stride, Last: z.bottom, End: z.end, Top: z.top, Start: start}
	if z.withZT {
		c.Other, c.OtherCols = f.zt.Data, f.zt.Cols
	}
	for k := first; k <= last; {
		c.First, c.Reflectors = k, out[k-first:last+1-first]
		if k += c.Run(f.set); k > first {
			c.Start = nil
		}
		if k <= last {
			f.step(z, k, c.Start, &out[k-first])
			c.Start = nil
			k++
		}
	}
	group := bulge.SweepRows(f.set)
	above := (first + 1 - z.top) / group // groups that all reflectors act upon
	apply := func(row, from, groups int, staggered bool) {
		if groups > 0 {
			bulge.ReflectColumns(f.set, out[from-first:last+1-first], f.t.Data[row*f.t.Stride+from+1:], f.t.Stride, groups, staggered)
		}
	}
	apply(z.top, first, above, false)
	row := z.top + above*group
	apply(row, row+group-1, (last+1-row)/group, true) // each from the first step on whose reflector acts below it
}

// step is a step of chase with the care that the kernel does not take.
func (f *francis[W]) step(z zone, k int, start *[3]W, out *bulge.Householder3[W]) {
	t, rows := f.t, min(3, z.bottom-k)
	var x [3]float64
	for i := range rows {
		if start != nil {
			x[i] = float64(start[i])
		} else {
			x[i] = float64(t.At(k+1+i, k))
			t.Set(k+1+i, k, 0)
		}
	}
	p, beta := newReflector(x[0], x[1], x[2])
	if start == nil {
		t.Set(k+1, k, W(beta))
	}
	*out = bulge.Householder3[W]{V1: W(p.v1), V2: W(p.v2), T0: W(p.tau), T1: W(p.t1), T2: W(p.t2)}
	if rows < len(x) {
		out.V2, out.T2 = 0, 0 // what they are but for numbers that have overflowed
	}
	one := []bulge.Householder3[W]{*out}
	bulge.ReflectRows(f.set, one, t.Data[(k+1)*t.Stride+k+1:], t.Stride, z.end-k-1)
	if z.withZT {
		bulge.ReflectRows(f.set, one, f.zt.Data[(k+1)*f.zt.Stride:], f.zt.Stride, f.zt.Cols)
	}
	group := bulge.SweepRows(f.set)
	for i := z.top + (k+1-z.top)/group*group; i <= min(k+4, z.bottom); i++ {
		bulge.ReflectRows(kernel.Go, one, t.Data[i*t.Stride+k+1:], 1, 1)
	}
}
