// Package product builds the matrix products of device programs in a precision of package core/precision, and chooses
// the precision that a device has.
package product

import (
	"fmt"
	"slices"

	"trnsci/core/precision"
	"trnsci/trnbackend"
	"trnsci/trnbackend/graph"
)

// DType returns the type in which operands come to the device and results leave it.
func DType(p precision.Precision) graph.DType {
	if p.IsDouble() {
		return graph.F64
	}
	return graph.F32
}

// Choices returns the precisions that a device has.
func Choices(caps trnbackend.Caps) []precision.Precision {
	return slices.DeleteFunc(precision.Device(), func(p precision.Precision) bool {
		return p.IsDouble() && !caps.Has(graph.F64) || p.Parts() > 0 && !caps.Has(graph.BF16)
	})
}

// Integers is asked for where no precision was named and the data were integers before they became double precision. It
// is a word of callers, not of users, and only changes what the error says.
const Integers = "integers"

// Choose returns the precision that was asked for, or fp32 for single-precision data where none was named. Data of
// double precision are not rounded unasked: without a named precision they are an UnsupportedError, as is a precision
// that the device lacks.
func Choose(caps trnbackend.Caps, asked string, double bool) (precision.Precision, error) {
	choices, p := Choices(caps), precision.Precision(asked)
	have := precision.List(choices)
	refuse := func(format string, args ...any) error {
		return &trnbackend.UnsupportedError{Device: caps.Device, What: "precision: " + fmt.Sprintf(format, args...)}
	}
	switch {
	case asked == "" && double:
		return "", refuse("float64 arrays need precision=, one of %s", have)
	case asked == Integers && double:
		return "", refuse("integer arrays are computed in float64, which needs precision=, one of %s", have)
	case asked == "" || asked == Integers:
		return precision.FP32, nil
	case !slices.Contains(precision.Device(), p):
		return "", fmt.Errorf("precision: %q is not one of %s", asked, have)
	case !slices.Contains(choices, p):
		return "", refuse("there is no %s, there are %s", asked, have)
	}
	return p, nil
}
