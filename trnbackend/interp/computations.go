package interp

import "trnsci/trnbackend/graph"

// computations has the function that computes each operation; nil for those that make no array of their own.
var computations = [...]func(*evaluation){
	graph.Parameter: nil,
	graph.Constant:  nil,
	graph.Iota:      (*evaluation).iota,

	graph.Negate:  (*evaluation).unary,
	graph.Abs:     (*evaluation).unary,
	graph.Sign:    (*evaluation).unary,
	graph.Exp:     (*evaluation).unary,
	graph.Log:     (*evaluation).unary,
	graph.Sqrt:    (*evaluation).unary,
	graph.Rsqrt:   (*evaluation).unary,
	graph.Tanh:    (*evaluation).unary,
	graph.Not:     (*evaluation).unary,
	graph.Convert: (*evaluation).convert,

	graph.Add:      (*evaluation).binary,
	graph.Subtract: (*evaluation).binary,
	graph.Multiply: (*evaluation).binary,
	graph.Divide:   (*evaluation).binary,
	graph.Maximum:  (*evaluation).binary,
	graph.Minimum:  (*evaluation).binary,
	graph.And:      (*evaluation).binary,
	graph.Or:       (*evaluation).binary,
	graph.Compare:  (*evaluation).compare,
	graph.Select:   (*evaluation).choose,

	graph.Dot:       (*evaluation).dot,
	graph.ReduceSum: (*evaluation).reduce,
	graph.ReduceMax: (*evaluation).reduce,
	graph.ReduceMin: (*evaluation).reduce,

	graph.Broadcast:          (*evaluation).broadcast,
	graph.Reshape:            nil,
	graph.Transpose:          (*evaluation).transpose,
	graph.Slice:              (*evaluation).slice,
	graph.DynamicSlice:       (*evaluation).dynamicSlice,
	graph.DynamicUpdateSlice: (*evaluation).update,
	graph.GatherRows:         (*evaluation).gatherRows,
	graph.Concatenate:        (*evaluation).concatenate,
	graph.Pad:                (*evaluation).pad,
}

// makesArray reports whether a node has an array of its own.
func makesArray(n *graph.Node) bool { return computations[n.Op] != nil }
