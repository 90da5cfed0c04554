//go:build !linux

package sched

// parker lets a goroutine sleep until another one wakes it up.
type parker struct{ woken chan struct{} }

// bind makes the parker ready.
func (p *parker) bind() { p.woken = make(chan struct{}, 1) }

// park returns after wake has been called, which may be before.
func (p *parker) park() { <-p.woken }

// wake ends a call of park, or the next one.
func (p *parker) wake() { p.woken <- struct{}{} }
