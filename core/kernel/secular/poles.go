package secular

import (
	"fmt"
	"unsafe"

	"trnsci/core/internal/vec"
	"trnsci/core/kernel"
)

// Poles are the poles and weights of a secular function
//
//	f(x) = constant + sum_j Weights[j] / (At[j] - x)
//
// of a diagonal matrix plus one of rank one. An x is given as the sum of an origin, which is one of the poles, and a
// shift, so that its distance from the poles nearby, (At[j] - origin) - shift, has all digits. Both slices have the
// same length, a multiple of PoleGroup; the poles that fill up the last group have the weight 0 and are far from every
// x.
type Poles struct{ At, Weights []float64 }

// PoleGroup divides the number of poles that the kernels take.
const PoleGroup = 8

func (p Poles) check() {
	if n := len(p.At); len(p.Weights) != n || n%PoleGroup != 0 {
		panic(fmt.Sprintf("secular: %d poles with %d weights", n, len(p.Weights)))
	}
}

// checkRange panics unless there are origins and shifts for all poles, and first and end are bounds of groups of them.
func checkRange(p Poles, origins, shifts []float64, first, end int) {
	if n := len(p.At); len(origins) != n || len(shifts) != n || first%PoleGroup != 0 || end%PoleGroup != 0 ||
		first < 0 || first > end || end > n {
		panic(fmt.Sprintf("secular: %d origins and %d shifts for %d poles, range %d to %d", len(origins), len(shifts),
			n, first, end))
	}
}

// newArgs returns the arguments that the kernels of vectors and of weights share.
func newArgs(p Poles, origins, shifts []float64) secularArgs {
	return secularArgs{
		at: unsafe.Pointer(unsafe.SliceData(p.At)), weights: unsafe.Pointer(unsafe.SliceData(p.Weights)),
		origins: unsafe.Pointer(unsafe.SliceData(origins)), shifts: unsafe.Pointer(unsafe.SliceData(shifts)), one: 1,
	}
}

// lanesOf returns how many doubles a vector has.
func lanesOf(s kernel.Set) int { return vec.Bytes(s) / int(unsafe.Sizeof(float64(0))) }
