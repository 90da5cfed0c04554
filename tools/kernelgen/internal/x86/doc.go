// Package x86 is what the generators of all kernel packages share: vector registers and instructions of AVX2 and
// AVX-512 for both precisions under one name, blocks of arguments, loops over strips of columns, and the files that are
// written for a package.
//
// A generator is written once for all instruction sets and element types: a Set says which of them it writes code for.
package x86
