// Package pybind is the flat surface that gopy binds and the only package that knows Python exists.
//
// Every exported function takes integers, floats, booleans, strings and the addresses of array descriptors (see
// descriptor), and returns one number and an error: gopy handles nothing else without copies or leaks. Arrays belong to
// Python. A function may use their memory until it returns or, when it was started as a job, until the job has ended;
// it keeps no pointer after that and hands out no Go memory.
//
// Errors cross the border as text that starts with their kind (see encode); the Python side turns each kind into its
// exception class. A panic, in whichever goroutine, comes out as an error of kind "internal": the process lives on.
package pybind
