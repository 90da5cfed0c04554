package pjrt

import "sync"

// array is a buffer of the plugin. It is freed when its last user lets go of it: the Buffer that owns it, or a call
// that is under way.
type array struct {
	handle handle
	bytes  int64
	users  int // guarded by live.mu

	// Held for reading by downloads, which may look at the memory itself. Whoever donates the array has it once for
	// writing, when no new download can begin.
	downloads sync.RWMutex
}

// live is what an executor has of the plugin's objects. All of it is freed when it closes.
type live struct {
	mu       sync.Mutex
	arrays   map[*array]struct{}
	programs map[*program]handle
	total    int64 // bytes of the arrays
}

func newLive() live {
	return live{arrays: map[*array]struct{}{}, programs: map[*program]handle{}}
}

// add notes a buffer of the plugin, with one user.
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

// drop removes a user and reports whether that was the last one, who has to free the array.
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

func (l *live) addProgram(p *program, h handle) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.programs[p] = h
}

func (l *live) dropProgram(p *program) {
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

// counts returns how many arrays and programs there are.
func (l *live) counts() (arrays, programs int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.arrays), len(l.programs)
}

// takeArrays forgets all arrays and returns their handles.
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

// takePrograms forgets all programs and returns their handles.
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
