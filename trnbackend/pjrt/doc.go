// Package pjrt runs graphs on any device that has a PJRT plugin: a shared library through whose table of C functions
// XLA, or another compiler, is called. Find looks for a plugin, Open loads it and makes a client.
//
// A graph becomes HLO (package hlo), which the plugin compiles. Runs are asynchronous: Run returns when the work is
// queued, Download waits.
//
// XLA ends the process, or reads memory that it must not read, if a caller makes a mistake: buffers of other shapes,
// dead handles, another number of results than expected. All of that is checked here before a handle goes to the
// plugin.
//
// api.h has the parts of the C interface that are used, client.c calls them, client.go is the border to Go, and the
// other files have no C. Without cgo, and on systems other than Linux, stub.go replaces the client, and Open fails.
package pjrt
