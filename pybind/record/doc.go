// Package record holds the records in which the arguments of calls cross the border from Python.
//
// The files calls*.go have a struct for each kind of call. The generator in gen writes both sides from them: a file
// decode*_gen.go here for each, and python/trnsci/_core/_records.py. A record is an array of int64 words in native byte
// order:
//
//   - the number of words, this one included;
//   - the integers, booleans (0 or 1), floats (their bits) and complex numbers (two floats) of the struct, in order;
//   - its arrays: dtype code, address, number of dimensions, shape, strides in bytes; an absent one is the word -1;
//   - its lists of arrays: their length, then the arrays;
//   - its strings: their length in bytes, then the bytes, padded to whole words.
//
// Decoding checks everything that can be checked without touching the memory of the arrays. A record that breaks a rule
// is a bug of the Python side.
package record
