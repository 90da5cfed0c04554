// Package programs holds the device algorithms: they build graphs, choose block sizes from what a device can do, run the graphs in a Call of
// package device, and do the little that is left on the host, which their report says.
//
// Each algorithm has a plan, a value that says before anything runs which graphs there will be, how often they run, and what moves.
package programs
