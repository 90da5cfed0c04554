package tridiag

import (
	"testing"

	"trnsci/core/dense"
)

// The nodes that threads solve at the same time take no more memory than the whole block.
func checkSubtreesFit[R dense.Float](t *testing.T) {
	for n := 2 * minSharedNode; n < 4000; n++ {
		for top := 1; top < 9 && n>>top >= minSharedNode; top++ {
			if got := WorkElements[R](ceilDiv(n, 1<<top)) << top; got > WorkElements[R](n) {
				t.Fatalf("n = %d: %d nodes take %d, more than %d", n, 1<<top, got, WorkElements[R](n))
			}
		}
	}
}

func TestSubtreesFit(t *testing.T) {
	checkSubtreesFit[float32](t)
	checkSubtreesFit[float64](t)
}
