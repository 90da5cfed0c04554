// Package graph holds static graphs of tensor operations, the programs of every device.
//
// A graph is a list of nodes in which operands come before their users. Shapes and types are fixed when it is built;
// there is no control flow. A Builder makes a graph, infers shapes and keeps the first mistake with the operation and
// the caller's line. Build removes what no output needs, folds constants, merges equal nodes and freezes the graph. A
// frozen graph never changes and may be used by many goroutines.
//
// Arrays are dense and row-major; dimensions count from 0. The operations are those of XLA with the same names,
// restricted to what compilers for systolic arrays take: no dynamic shapes, no sorting, no loops. The methods of
// Builder say what each operation computes; package interp is that definition as code.
package graph
