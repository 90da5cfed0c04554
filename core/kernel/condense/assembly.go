package condense

import (
	"unsafe"

	"trnsci/core/internal/vec"
	"trnsci/core/kernel"
)

// groupRows returns the rows that the kernel of a set takes together.
func groupRows(s kernel.Set, l vec.Type) int {
	rows := 8
	if s == kernel.AVX2 {
		rows = 4
	}
	if l.IsComplex() {
		rows /= 2
	}
	return rows
}

// tridiagAssembly does the pass in assembly.
func tridiagAssembly[E kernel.Scalar](s kernel.Set, r *TridiagStep[E]) {
	l := vec.TypeOf[E]()
	args := tridiagArgs{
		a: unsafe.Pointer(&r.A[0]), v: unsafe.Pointer(&r.V[0]), w: unsafe.Pointer(&r.W[0]), x: unsafe.Pointer(&r.X[0]), y: unsafe.Pointer(&r.Y[0]),
		lanes: vec.Mask(0), signs: l.ImagSigns(),
		stride: r.Stride * l.Bytes(), first: r.First * l.Bytes(), groups: r.Rows / groupRows(s, l),
	}
	tridiagStepKernel(s, l, &args)
}

// vectorsAssembly runs one of the passes over vectors. It returns the sum of squares of UpdateRow and Advance.
func vectorsAssembly[E kernel.Scalar](s kernel.Set, k vectorsKernel, z, v, w []E, c, d E, i,
	count int) (squares float64) {
	l := vec.TypeOf[E]()
	var factors, sum [4]float64
	factors[0], factors[1] = vec.Parts(c)
	factors[2], factors[3] = vec.Parts(d)
	if !l.IsDouble() {
		narrow(&factors)
	}
	summed := count * l.Bytes() / vec.Bytes(s)
	rest := count*l.Bytes() - summed*vec.Bytes(s)
	args := vectorsArgs{
		z: unsafe.Pointer(unsafe.SliceData(z)), v: unsafe.Pointer(unsafe.SliceData(v)), w: unsafe.Pointer(unsafe.SliceData(w)),
		factors: unsafe.Pointer(&factors), signs: l.ImagSigns(), sum: unsafe.Pointer(&sum), lanes: vec.Mask(rest),
		kernel: uint64(k), steps: len(z) * l.Bytes() / vec.Bytes(s), summed: summed, mask: 1<<(rest/l.RealBytes()) - 1, at: i * l.Bytes(),
	}
	tridiagVectorsKernel(s, l, &args)
	if !l.IsDouble() {
		sum[0] = float64(*(*float32)(unsafe.Pointer(&sum)))
	}
	return sum[0]
}

// narrow puts the numbers of x, rounded to single precision, into the first half of its memory.
func narrow(x *[4]float64) {
	single := (*[4]float32)(unsafe.Pointer(x))
	for i, value := range *x {
		single[i] = float32(value)
	}
}

// hessenbergAssembly does the pass in assembly.
func hessenbergAssembly[T kernel.Float](s kernel.Set, p *HessenbergStep[T]) {
	size, width := int(unsafe.Sizeof(T(0))), p.width()
	at := func(x []T, i int) unsafe.Pointer { return unsafe.Add(unsafe.Pointer(unsafe.SliceData(x)), i*size) }
	args := hessenbergArgs{
		a: at(p.A, p.Row*p.Stride+p.First), y: at(p.Y, p.Row*width),
		v: at(p.V, p.First), x: at(p.X, p.First),
		imagOffset: p.ImagOffset * size, stride: p.Stride * size, steps: p.Cols * size / vec.Bytes(s), top: p.Top, rows: p.Rows,
	}
	if p.Rows > 0 {
		args.rowsV, args.rowsX, args.w, args.s = at(p.V, p.Row*width), at(p.X, p.Row*width), at(p.W, p.First), at(p.S,
			p.First)
	}
	t := vec.FloatType[T]()
	if p.Complex {
		t += vec.Complex64 - vec.Float32
	}
	hessenbergStepKernel(s, t, &args)
}
