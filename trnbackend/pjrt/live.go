package pjrt

import (
	"sync"

	"trnsci/trnbackend"
)

// array is a buffer of the plugin. It is freed with its last user: the Buffer that owns it, or a call in progress.
type array struct {
	handle handle
	bytes  int64
	users  int // guarded by live.mu

	// Downloads, which may read the memory itself, hold the lock for reading. A call that donates the array locks once
	// for writing, when no new download can begin.
	downloads sync.RWMutex
}

// live has all objects of the plugin that belong to an executor. They are freed when it closes.
type live struct {
	mu       sync.Mutex
	arrays   map[*array]struct{}
	programs map[trnbackend.Program]handle
	total    int64 // bytes of the arrays
}

func newLive() live {
	return live{arrays: map[*array]struct{}{}, programs: map[trnbackend.Program]handle{}}
}

// add records a buffer of the plugin, with one user.
func (l *live) add(h handle, bytes int64) *array {
	a := &array{handle: h, bytes: bytes, users: 1}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.arrays[a] = struct{}{}
	l.total += bytes
	return a
}

// use adds a user to an array that has one.
func (l *live) use(a *array) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a.users++
}

// drop removes a user and reports whether it was the last one, which must free the array.
func (l *live) drop(a *array) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	a.users--
	if a.users > 0 {
		return false
	}
	delete(l.arrays, a)
	l.total -= a.bytes
	return true
}

func (l *live) addProgram(p trnbackend.Program, h handle) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.programs[p] = h
}

func (l *live) dropProgram(p trnbackend.Program) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.programs, p)
}

// bytes returns the size of all arrays.
func (l *live) bytes() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.total
}

// counts returns the numbers of arrays and programs.
func (l *live) counts() (arrays, programs int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.arrays), len(l.programs)
}

// takeArrays removes all arrays and returns their handles.
func (l *live) takeArrays() []handle {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []handle
	for a := range l.arrays {
		all = append(all, a.handle)
	}
	clear(l.arrays)
	return all
}

// takePrograms removes all programs and returns their handles.
func (l *live) takePrograms() []handle {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []handle
	for _, h := range l.programs {
		all = append(all, h)
	}
	clear(l.programs)
	return all
}
