//go:build !linux

package sched

// offerProcessor does nothing: not every system has a counterpart.
func offerProcessor() {}
