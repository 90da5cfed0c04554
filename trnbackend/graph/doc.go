// Package graph holds static graphs of tensor operations, the programs of every device.
//
// A graph is a list of nodes in which operands come before their users. Shapes and types are fixed when it is built;
// there is no control flow. A Builder makes one, infers shapes and remembers the first mistake with the operation and
// the caller's line. Build prunes what no output needs, folds constants, merges equal nodes and freezes the rest. A
// frozen graph is never changed and may be used by many goroutines.
//
// Arrays are dense and row-major; dimensions count from 0. The operations are those that XLA has under the same names,
// restricted to what a compiler for a systolic array takes: no dynamic shape, no sort, no loop. What an operation means
// is written beside its method of Builder. Package interp is that meaning as code.
package graph
