package product

import (
	"errors"
	"strings"
	"testing"

	"trnsci/core/precision"
	"trnsci/trnbackend"
	"trnsci/trnbackend/graph"
)

func TestChoose(t *testing.T) {
	caps := trnbackend.Caps{Device: "test", DTypes: []graph.DType{graph.F32, graph.BF16, graph.F64}}
	if p, err := Choose(caps, "", false); p != precision.FP32 || err != nil {
		t.Errorf("%s, %v", p, err)
	}
	if p, err := Choose(caps, Integers, false); p != precision.FP32 || err != nil {
		t.Errorf("integers in single precision: %s, %v", p, err)
	}
	for _, p := range precision.Device() {
		if got, err := Choose(caps, string(p), true); got != p || err != nil {
			t.Errorf("%s: %s, %v", p, got, err)
		}
	}
	var unsupported *trnbackend.UnsupportedError
	for asked, words := range map[string]string{
		"":       "precision: float64 arrays need precision=, one of fp32, ",
		Integers: "precision: integer arrays are computed in float64, ",
	} {
		if _, err := Choose(caps, asked, true); !errors.As(err, &unsupported) ||
			!strings.HasPrefix(unsupported.What, words) {
			t.Errorf("float64 with precision %q: %v", asked, err)
		}
	}
	for _, asked := range []string{"fp16", string(precision.Mixed)} {
		if _, err := Choose(caps, asked, true); err == nil || errors.As(err, &unsupported) {
			t.Errorf("%s, which no device has: %v", asked, err)
		}
	}
	caps.DTypes = caps.DTypes[:1]
	for _, asked := range []string{"fp64", "bf16", "bf16x2", "bf16x3"} {
		if _, err := Choose(caps, asked, true); !errors.As(err, &unsupported) || unsupported.Device != "test" {
			t.Errorf("%s where there is only f32: %v", asked, err)
		}
	}
}
