// Package hlo writes graphs as HloModuleProto messages, which XLA and the compilers built on it take, and reads back
// what it writes.
//
// Encode lowers a graph to a Module and serializes it; Decode is the inverse of the second step, for tests and for
// looking into files. Messages are written field by field in the wire format of Protocol Buffers: the schema
// (xla_data.proto and hlo.proto of OpenXLA) is large, and the few fields in use are listed in fields.go.
//
// Only opcodes that compilers for accelerators are known to take are emitted. Other operations of graphs are written
// with them:
//
//	rsqrt            1 / sqrt
//	dynamic-slice    gather of one part, whose start XLA moves into the array
//	gather-rows      gather
//	divide of s32    with -1 chosen where the divisor is 0, since XLA makes x / x to 1
//	reduce-sum, ...  reduce with a computation of two scalars, one for each kind and type in a module
//
// Sums and reciprocal roots of bf16 are computed in f32 and rounded once. XLA converts f64 and s32 to bf16 by way of
// f32 and so rounds twice: f64 is corrected afterwards, s32 before. Dots of f32 and f64 ask for full precision, since
// XLA may otherwise round operands; dots of bf16 use the default, since their products are exact in f32, the type of
// the result.
package hlo
