package bulge

import (
	"fmt"
	"math"
	"unsafe"

	"trnsci/core/internal/vec"
	"trnsci/core/kernel"
)

// Householder3 is the reflector I - tau v v^T with v = (1, V1, V2), which acts on three neighbouring rows or columns:
// T0 = tau, T1 = tau V1, T2 = tau V2. The zero value is the identity.
type Householder3[T kernel.Float] struct{ V1, V2, T0, T1, T2 T }

// reflect returns the reflector's product with (x, y, z).
func (r *Householder3[T]) reflect(x, y, z T) (T, T, T) {
	s := x + r.V1*y + r.V2*z
	return x - r.T0*s, y - r.T1*s, z - r.T2*s
}

// reflectedRows is the number of rows or columns that a reflector changes.
const reflectedRows = 3

// endsShort reports whether the last reflector does not change the third of its rows, which then need not exist.
func endsShort[T kernel.Float](reflectors []Householder3[T]) bool {
	r := &reflectors[len(reflectors)-1]
	return r.V2 == 0 && r.T2 == 0
}

// reflected returns the number of rows or columns that the reflectors change.
func reflected[T kernel.Float](reflectors []Householder3[T]) int {
	if endsShort(reflectors) {
		return len(reflectors) + reflectedRows - 2
	}
	return len(reflectors) + reflectedRows - 1
}

// ReflectRows applies reflectors in turn from the left: reflector k to the rows k, k+1 and k+2 of cols elements, where
// row i begins at a[i*stride]. If V2 and T2 of the last reflector are zero, its third row need not exist. An element
// gets the same bits however the columns are cut into calls.
func ReflectRows[T kernel.Float](s kernel.Set, reflectors []Householder3[T], a []T, stride, cols int) {
	n := len(reflectors)
	if n == 0 || cols == 0 {
		return
	}
	if cols < 0 || stride < 0 || (reflected(reflectors)-1)*stride+cols > len(a) {
		panic(fmt.Sprintf("bulge: %d reflectors of rows of %d elements, stride %d, length %d", n, cols, stride, len(a)))
	}
	if s != kernel.Go {
		reflectRowsAssembly(s, reflectors, a, stride, cols)
		return
	}
	var none T
	for k := range reflectors {
		r := &reflectors[k]
		x, y := a[k*stride:][:cols], a[(k+1)*stride:][:cols]
		if k == n-1 && endsShort(reflectors) {
			for j := range x {
				x[j], y[j], _ = r.reflect(x[j], y[j], none)
			}
			return
		}
		z := a[(k+2)*stride:][:cols]
		for j := range x {
			x[j], y[j], z[j] = r.reflect(x[j], y[j], z[j])
		}
	}
}

func reflectRowsAssembly[T kernel.Float](s kernel.Set, reflectors []Householder3[T], a []T, stride, cols int) {
	args := vec.NewStripArgs(s, a, stride, cols, len(reflectors))
	args.Factors = unsafe.Pointer(&reflectors[0])
	if endsShort(reflectors) {
		args.Count--
		args.Short = 1
	}
	reflectRowsKernel(s, vec.FloatType[T](), &args)
}

// SweepRows returns the number of rows of a group in ReflectColumns.
func SweepRows(s kernel.Set) int {
	const rows = 8 // the elements of a vector of AVX-512, or half of them
	if s == kernel.AVX2 {
		return rows / 2
	}
	return rows
}

// StripColumns returns a number of columns, a few cache lines at most, for which ReflectRows makes the most of the
// registers.
func StripColumns(s kernel.Set) int {
	if s == kernel.AVX2 {
		return 40 // five vectors together, or twice as many
	}
	return 32 // multiples of four vectors
}

// ReflectColumns applies reflectors in turn from the right: reflector k to the columns k, k+1 and k+2 of groups of
// SweepRows rows, where row i begins at a[i*stride]. If staggered, each group begins SweepRows reflectors after the
// group above it. If V2 and T2 of the last reflector are zero, its third column need not exist.
func ReflectColumns[T kernel.Float](s kernel.Set, reflectors []Householder3[T], a []T, stride, groups int,
	staggered bool) {
	n, rows := len(reflectors), SweepRows(s)*groups
	if n == 0 || groups == 0 {
		return
	}
	if stride < 0 || groups < 0 || staggered && n <= rows-SweepRows(s) ||
		(rows-1)*stride+reflected(reflectors) > len(a) {
		panic(fmt.Sprintf("bulge: %d reflectors of columns, %d rows, stride %d, length %d", n, rows, stride, len(a)))
	}
	if s != kernel.Go {
		reflectColumnsAssembly(s, reflectors, a, stride, groups, staggered)
		return
	}
	for i := range rows {
		from := firstReflector(s, i/SweepRows(s), staggered)
		ReflectRows(kernel.Go, reflectors[from:], a[i*stride+from:], 1, 1)
	}
}

// firstReflector returns the number of the reflector that a group of rows begins with.
func firstReflector(s kernel.Set, group int, staggered bool) int {
	if staggered {
		return group * SweepRows(s)
	}
	return 0
}

// from sets r to the reflector that maps x to -norm e_1. It fails if the squares of x may overflow or underflow, or if
// nothing is to be eliminated.
func (r *Householder3[T]) from(x [reflectedRows]T) (norm T, ok bool) {
	least, most := safeSquares[T]()
	tail := x[1]*x[1] + x[2]*x[2]
	sum := x[0]*x[0] + tail
	if !(sum >= least && sum <= most) || tail == 0 {
		return 0, false
	}
	norm = T(math.Copysign(math.Sqrt(float64(sum)), float64(x[0])))
	d := x[0] + norm
	*r = Householder3[T]{V1: x[1] / d, V2: x[2] / d, T0: d / norm}
	r.T1, r.T2 = r.T0*r.V1, r.T0*r.V2
	return norm, true
}

// refine corrects T0 and its multiples so that the reflector is orthogonal up to one rounding error: T0 |v|^2 = 2. The
// errors of many reflectors add up.
func (r *Householder3[T]) refine() {
	const half = 0.5
	excess := math.FMA(float64(r.T0), float64(r.V1*r.V1+r.V2*r.V2), float64(r.T0)-2)
	r.T0 -= T(half*excess) * r.T0
	r.T1, r.T2 = r.T0*r.V1, r.T0*r.V2
}

// safeSquares returns the bounds of a sum of squares in which no square that matters has overflowed or underflowed.
func safeSquares[T kernel.Float]() (least, most T) {
	const leastSingle, mostSingle, leastDouble, mostDouble = 0x1p-90, 0x1p+120, -900, +1000
	if unsafe.Sizeof(T(0)) == unsafe.Sizeof(float32(0)) {
		return leastSingle, mostSingle
	}
	return T(math.Ldexp(1, leastDouble)), T(math.Ldexp(1, mostDouble))
}

// togetherAVX2 and togetherAVX512 are the groups of rows that ReflectColumns hands to the assembly: enough of them that
// it need not wait for the reflectors of one.
const togetherAVX2, togetherAVX512 = 4, 1

func reflectColumnsAssembly[T kernel.Float](s kernel.Set, reflectors []Householder3[T], a []T, stride, groups int,
	staggered bool) {
	together := togetherAVX512
	if s == kernel.AVX2 {
		together = togetherAVX2
	}
	for first := 0; first < groups; first += together {
		from, count := firstReflector(s, first, staggered), min(together, groups-first)
		atFirst := count
		if staggered {
			atFirst = 1
		}
		reflectGroups(s, reflectors[from:], a[first*SweepRows(s)*stride+from:], stride, count, atFirst)
	}
}

// reflectGroups is ReflectColumns for groups of rows that the assembly takes together, of which the first atFirst ones
// begin with the first reflector.
func reflectGroups[T kernel.Float](s kernel.Set, reflectors []Householder3[T], a []T, stride, groups, atFirst int) {
	size, side := int(unsafe.Sizeof(a[0])), SweepRows(s)
	columns := reflected(reflectors)
	missing := len(reflectors) + reflectedRows - 1 - columns
	// A whole group of side reflectors loads side columns. The last group may be whole but for the missing column.
	chunks := (len(reflectors) - missing) / side
	rest := len(reflectors) - chunks*side
	columns -= chunks * side // that are still to be stored
	last := min(columns, side)
	if rest == 0 {
		last = 0
	}
	var pending [togetherAVX2 * (reflectedRows - 1) * vec.BytesAVX2]byte
	args := chaseArgs{
		a: unsafe.Pointer(&a[0]), reflectors: unsafe.Pointer(&reflectors[0]), stride: stride * size,
		groups: groups, atFirst: atFirst, pending: unsafe.Pointer(&pending[0]), chunks: chunks, rest: rest,
		restMask: 1<<(rest-min(rest, missing)) - 1, lastMask: 1<<last - 1, finalMask: 1<<(columns-last) - 1,
		restLanes: vec.Mask((rest - min(rest,
			missing)) * size), lastLanes: vec.Mask(last * size), finalLanes: vec.Mask((columns - last) * size),
	}
	reflectColumnsKernel(s, vec.FloatType[T](), &args)
}
