//go:build !linux

package sched

import "sync/atomic"

// parker lets a goroutine sleep until another one wakes it up.
type parker struct{ woken chan struct{} }

func newParker() parker { return parker{make(chan struct{}, 1)} }

// park returns after wake has been called, which may be before.
func (p *parker) park() { <-p.woken }

// wake ends a call of park, or the next one.
func (p *parker) wake(*processorSet) { p.woken <- struct{}{} }

var lastProcessor atomic.Int64

// currentProcessor returns a new number each time: not every system tells.
func currentProcessor() int { return int(lastProcessor.Add(1)) }

// processorSet is a set of processors that is always empty.
type processorSet struct{}

func (processorSet) has(int) bool { return false }
func (processorSet) add(int)      {}
