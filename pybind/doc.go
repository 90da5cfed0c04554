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
