package kernel

import "testing"

func TestSets(t *testing.T) {
	sets := Sets()
	if sets[0] != Go || sets[len(sets)-1] != Best() {
		t.Errorf("sets %v, best %v", sets, Best())
	}
	if s := BestForOverlaps(); s != Best() && (s != AVX2 || Best() != AVX512) {
		t.Errorf("best %v, for overlaps %v", Best(), s)
	}
	for _, s := range []Set{Go, AVX2, AVX512} {
		for _, b := range []*Blocking{BlockingOf[float32](s), BlockingOf[float64](s)} {
			if b.Cols%b.TileCols() != 0 || b.Rows < 1 || b.Inner < 1 {
				t.Errorf("%v: %+v", s, b)
			}
		}
	}
}
