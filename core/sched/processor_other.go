//go:build !linux

package sched

// offerProcessor has no counterpart that all systems know.
func offerProcessor() {}
