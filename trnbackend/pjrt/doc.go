// Package pjrt runs graphs on any device for which there is a PJRT plugin: a shared library by which XLA, or another
// compiler, is called through a table of C functions. Find looks for one, Open loads it and makes a client.
//
// A graph becomes HLO (package hlo), which the plugin compiles. Runs are asynchronous: Run returns when the work is
// queued, Download waits.
//
// XLA ends the process, or reads what it should not, where a caller is wrong: buffers of other shapes, handles that are
// gone, results of another number than there is room for. All of that is checked here before a handle goes to the
// plugin.
//
// The files: api.h has the parts of the C interface that are used, client.c calls them, client.go is the border to Go,
// and the others have no C in them. Without cgo, or elsewhere than on Linux, stub.go takes the place of the client, and
// Open fails.
package pjrt
