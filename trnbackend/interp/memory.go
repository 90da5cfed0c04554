package interp

import "trnsci/trnbackend/graph"

// memoryPlan says which arrays of a graph are dead after each node. It names only arrays that a run makes for itself:
// those of parameters and results belong to buffers, those of constants to the graph.
type memoryPlan struct {
	dead   [][]int     // for each node, the nodes whose arrays are not read after it
	sizes  map[int]int // the number of nodes that make an array of each size
	shared []bool      // for each result, whether its array belongs to a parameter, a constant or an earlier result
}

// planMemory follows each array to its last reader, through reshapes, which share the array of their operand.
func planMemory(g *graph.Graph) memoryPlan {
	nodes, use := g.Nodes(), g.LastUse()
	plan := memoryPlan{dead: make([][]int, len(nodes)), sizes: map[int]int{}}
	maker := make([]int, len(nodes)) // the node that made the array
	last := make([]int, len(nodes))  // of each maker
	for i := range nodes {
		maker[i] = i
		if nodes[i].Op == graph.Reshape {
			maker[i] = maker[nodes[i].Operands[0]]
		}
		last[maker[i]] = max(last[maker[i]], use[i])
		if makesArray(&nodes[i]) {
			plan.sizes[nodes[i].Shape.Size()]++
		}
	}
	taken := make([]bool, len(nodes))
	for _, r := range g.Results() {
		m := maker[r.Node]
		plan.shared = append(plan.shared, taken[m] || !makesArray(&nodes[m]))
		taken[m] = true
	}
	for i := range nodes {
		if makesArray(&nodes[i]) && last[i] < len(nodes) {
			plan.dead[last[i]] = append(plan.dead[last[i]], i)
		}
	}
	return plan
}

// arrays is the memory of one run. Dead arrays are used again for new ones of the same size, which is cheaper than new
// pages.
type arrays struct {
	spare  map[int][][]float64
	wanted map[int]int // arrays of each size that are still to be made
}

// newArrays returns the memory of a run, with arrays that it may write.
func newArrays(plan memoryPlan, spare [][]float64) *arrays {
	a := &arrays{spare: map[int][][]float64{}, wanted: make(map[int]int, len(plan.sizes))}
	for size, count := range plan.sizes {
		a.wanted[size] = count
	}
	for _, x := range spare {
		a.give(x)
	}
	return a
}

// take returns an array with any contents.
func (a *arrays) take(size int) []float64 {
	a.wanted[size]--
	list := a.spare[size]
	if len(list) == 0 {
		return make([]float64, size)
	}
	a.spare[size] = list[:len(list)-1]
	return list[len(list)-1]
}

// give keeps a dead array if one of its size is still needed.
func (a *arrays) give(x []float64) {
	if size := len(x); a.wanted[size] > len(a.spare[size]) {
		a.spare[size] = append(a.spare[size], x)
	}
}
