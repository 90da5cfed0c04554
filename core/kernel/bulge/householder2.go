package bulge

import (
	"fmt"
	"unsafe"

	"trnsci/core/internal/vec"
	"trnsci/core/kernel"
)

// Householder2 is the Hermitian reflector I - tau v v^H with v = (1, V), which acts on two neighbouring rows or
// columns: T0 = tau, a real number, and T1 = tau V. The zero value is the identity.
type Householder2[C kernel.Complex] struct{ V, T1, T0 C }

// reflect returns the reflector's product with (x, y).
func (r *Householder2[C]) reflect(x, y C) (C, C) {
	s := x + vec.Conj(r.V)*y
	return x - r.T0*s, y - r.T1*s
}

// conjugated returns the reflector with conj(v), which acts on columns from the right as this one acts on rows from the
// left.
func (r *Householder2[C]) conjugated() Householder2[C] {
	return Householder2[C]{vec.Conj(r.V), vec.Conj(r.T1), r.T0}
}

// ReflectRowPairs applies reflectors in turn from the left: reflector k to the rows k and k+1 of cols elements, where
// row i begins at a[i*stride]. With columns, the rows are columns of a matrix to which the reflectors are applied from
// the right: they are conjugated. An element gets the same bits however the columns are cut into calls.
func ReflectRowPairs[C kernel.Complex](s kernel.Set, reflectors []Householder2[C], columns bool, a []C, stride,
	cols int) {
	n := len(reflectors)
	if n == 0 || cols == 0 {
		return
	}
	if cols < 0 || stride < 0 || n*stride+cols > len(a) {
		panic(fmt.Sprintf("bulge: %d reflectors of two rows of %d elements, stride %d, length %d", n, cols, stride,
			len(a)))
	}
	if s != kernel.Go {
		reflectRowPairsAssembly(s, reflectors, columns, a, stride, cols)
		return
	}
	for k := range reflectors {
		r := reflectors[k]
		if columns {
			r = r.conjugated()
		}
		x, y := a[k*stride:][:cols], a[(k+1)*stride:][:cols]
		for j := range x {
			x[j], y[j] = r.reflect(x[j], y[j])
		}
	}
}

// numbers returns the parts of complex numbers. T is their type.
func numbers[T kernel.Float, C kernel.Complex](a []C) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(a))), 2*len(a))
}

func reflectRowPairsAssembly[C kernel.Complex](s kernel.Set, reflectors []Householder2[C], columns bool, a []C, stride,
	cols int) {
	l := vec.TypeOf[C]()
	var args vec.StripArgs
	if l.IsDouble() {
		args = vec.NewStripArgs(s, numbers[float64](a), 2*stride, 2*cols, len(reflectors))
	} else {
		args = vec.NewStripArgs(s, numbers[float32](a), 2*stride, 2*cols, len(reflectors))
	}
	args.Factors = unsafe.Pointer(&reflectors[0])
	args.Signs = l.ImagSigns()
	if columns {
		args.Signs = l.RealSigns()
	}
	reflectRowPairsKernel(s, l, &args)
}
