package interp

import (
	"trnsci/core/sched"
	"trnsci/trnbackend/graph"
)

// evaluation is one node with the elements and shapes of its operands. out is for its own elements.
type evaluation struct {
	team   *sched.Team
	node   *graph.Node
	in     [][]float64
	shapes []graph.Shape
	out    []float64
}

// chunk is the number of elements that one thread works on at a time: few enough that a second pass finds them in the
// L1 cache.
const chunk = 1 << 11

// chunks calls body for all ranges of elements of out, on all threads.
func (e *evaluation) chunks(body func(lo, hi int)) {
	size := len(e.out)
	e.parallel((size+chunk-1)/chunk, func(i int) { body(i*chunk, min(size, (i+1)*chunk)) })
}

// parallel calls body for 0 <= i < n on all threads.
func (e *evaluation) parallel(n int, body func(i int)) {
	err := e.team.For(n, func(_, i int) error {
		body(i)
		return nil
	})
	if err != nil {
		panic(err) // bodies return no error, and nothing cancels the team
	}
}
