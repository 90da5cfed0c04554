package compliance

import (
	"errors"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"trnsci/trnbackend"
	"trnsci/trnbackend/graph"
	"trnsci/trnbackend/graphtest"
)

const (
	randomGraphs = 100 // default for graphsVariable
	randomNodes  = 20
)

// graphsVariable is the environment variable with the number of random graphs for a device.
const graphsVariable = "TRNSCI_TEST_GRAPHS"

// graphs returns the number of random graphs for a device.
func graphs(t *testing.T) uint64 {
	text := os.Getenv(graphsVariable)
	if text == "" {
		return randomGraphs
	}
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		t.Fatalf("%s: %v", graphsVariable, err)
	}
	return n
}

// source returns the random numbers of a seed.
func source(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// testRandom runs random graphs of the device's types and operations. The first one that fails is shrunk and printed.
func testRandom(t *testing.T, e trnbackend.Executor) {
	known, all := 0, 0
	for seed := range graphs(t) {
		g := randomGraph(e, seed)
		k, n, err := judge(e, g, seed)
		known, all = known+k, all+n
		if err != nil {
			small := graphtest.Shrink(g, func(g *graph.Graph) bool { return wrong(e, g, seed) })
			_, _, shown := judge(e, small, seed)
			t.Fatalf("seed %d: %v\nsmaller: %v\n%s", seed, err, shown, small.Text())
		}
	}
	t.Logf("%d of %d elements compared", known, all)
	if known < all/2 {
		t.Errorf("only %d of %d elements were compared", known, all)
	}
}

func randomGraph(e trnbackend.Executor, seed uint64) *graph.Graph {
	caps := e.Caps()
	return graphtest.Random(source(seed), graphtest.Limits{Nodes: randomNodes, DTypes: caps.DTypes, NoOps: caps.NoOps})
}

// judge runs a graph on random inputs. It returns the number of elements of the results that were compared, and of all.
func judge(e trnbackend.Executor, g *graph.Graph, seed uint64) (known, all int, err error) {
	in := graphtest.Inputs(source(seed), g)
	got, err := evaluate(e, g, in)
	if u := (*trnbackend.UnsupportedError)(nil); errors.As(err, &u) {
		return 0, 0, nil // larger than the device takes
	}
	if err != nil {
		return 0, 0, err
	}
	want := graphtest.Evaluate(g, in)
	known, all = want.Known()
	return known, all, want.Compare(got)
}

func wrong(e trnbackend.Executor, g *graph.Graph, seed uint64) bool {
	_, _, err := judge(e, g, seed)
	return err != nil
}
