// Package pybind is the flat surface that gopy binds and the only package that knows Python exists.
//
// Exported functions take a job's number, if they may run as jobs, and the address of the record of their arguments
// (see package record). They return one number and an error: gopy handles nothing else without copies or leaks. The
// functions that manage jobs and devices take plain numbers, and so do those of small.go, for which making a record
// would take longer than the computation. Arrays belong to Python. A function may use their memory until it returns or,
// when it was started as a job, until the job has ended; it keeps no pointer after that and hands out no Go memory.
//
// Errors cross the border as text that starts with their kind (see encode); the Python side turns each kind into its
// exception class. A panic in any goroutine becomes an error of kind "internal", and the process lives on.
package pybind

// The compiler compiles generic functions where they are instantiated, which is this package for most of core, and
// inlines functions of the packages that are imported here only. These are the ones that core's generic functions use.
import (
	_ "trnsci/core/householder"
	_ "trnsci/core/kernel/batch"
	_ "trnsci/core/kernel/bulge"
	_ "trnsci/core/kernel/condense"
	_ "trnsci/core/kernel/gemm"
	_ "trnsci/core/kernel/givens"
	_ "trnsci/core/kernel/secular"
	_ "trnsci/core/kernel/vector"
	_ "trnsci/core/stream"
	_ "trnsci/core/tridiag"
	_ "trnsci/core/tridiag/reduce"
)
