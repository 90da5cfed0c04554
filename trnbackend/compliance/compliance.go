// Package compliance is the test that every trnbackend.Executor must pass. Run has cases for every operation with
// results written by hand, cases for the life of buffers and programs, and random graphs that package graphtest judges.
// What an executor's Caps exclude is skipped, with the reason.
package compliance

import (
	"testing"

	"trnsci/trnbackend"
)

// Run tests the executors that open returns. It opens several and closes each of them.
func Run(t *testing.T, open func() (trnbackend.Executor, error)) {
	for _, part := range []struct {
		name string
		test func(t *testing.T, e trnbackend.Executor)
	}{
		{"caps", testCaps}, {"floats", testFloats}, {"integers", testIntegers}, {"predicates",
			testPredicates}, {"conversions", testConversions},
		{"sources", testSources}, {"products", testProducts}, {"reductions", testReductions}, {"movements",
			testMovements},
		{"buffers", testBuffers}, {"places", testPlaces}, {"reuse", testReuse},
		{"freed early", testFreedEarly}, {"donation", testDonation}, {"refusals", testRefusals}, {"programs",
			testPrograms},
		{"goroutines", testGoroutines}, {"random", testRandom}, {"close", testClose},
	} {
		t.Run(part.name, func(t *testing.T) {
			e, err := open()
			if err != nil {
				t.Fatal(err)
			}
			part.test(t, e)
			if err := e.Close(); err != nil {
				t.Errorf("closing: %v", err)
			}
		})
	}
}
