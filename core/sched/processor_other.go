//go:build !linux

package sched

// offerProcessor has no counterpart that all systems know.
func offerProcessor() {}

// currentProcessor does not know.
func currentProcessor() int { return -1 }

// leaveProcessor leaves it to the system where threads run.
func leaveProcessor(int) {}
