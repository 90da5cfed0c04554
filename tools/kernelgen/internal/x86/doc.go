// Package x86 is shared by the generators of all kernel packages. It has vector registers and instructions of AVX2 and
// AVX-512 for both precisions under one name, blocks of arguments, loops over strips of columns, and the writer of a
// package's files.
//
// A generator is written once for all instruction sets and element types: a Set says which of them it writes code for.
package x86
