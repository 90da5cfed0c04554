package bulge

import (
	"unsafe"

	"trnsci/core/internal/vec"
	"trnsci/core/kernel"
)

func reflectRowsAssembly[T kernel.Float](s kernel.Set, reflectors []Householder3[T], a []T, stride, cols int) {
	args := vec.NewStripArgs(s, a, stride, cols, len(reflectors))
	args.Factors = unsafe.Pointer(&reflectors[0])
	if endsShort(reflectors) {
		args.Count--
		args.Short = 1
	}
	reflectRowsKernel(s, vec.FloatType[T](), &args)
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
	// Whole groups of reflectors load as many columns; the last group may be a whole one, but for the missing column.
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
