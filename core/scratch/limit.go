package scratch

import (
	"runtime/debug"
	"sync"
	"sync/atomic"
)

// DefaultLimit is the number of bytes that all pools together keep, unless SetLimit says otherwise.
const DefaultLimit = 1 << 30

var (
	limit atomic.Int64
	kept  atomic.Pointer[ledger]
	lists registry
)

// ledger counts the bytes of kept pieces. Release begins a new one, since dropped pieces live until they are collected.
type ledger struct{ bytes atomic.Int64 }

func init() {
	limit.Store(DefaultLimit)
	kept.Store(&ledger{})
}

// SetLimit sets the number of bytes that all pools together keep. Pieces below a megabyte are not counted. Pieces that
// are kept already stay.
func SetLimit(bytes int64) { limit.Store(bytes) }

// Kept returns the number of bytes in pieces of a megabyte and more that all pools together keep at present.
func Kept() int64 { return kept.Load().bytes.Load() }

// Release empties all pools and caches, calls the functions given to OnRelease, and returns the memory to the system.
// Memory that is lent stays valid and may be given back afterwards. Cost: two garbage collections.
func Release() {
	lists.empty()
	kept.Store(&ledger{})
	// A dropped sync.Pool survives the collection in which the runtime retires its elements.
	const collections = 2
	for range collections {
		debug.FreeOSMemory()
	}
}

// OnRelease registers a function that Release calls: it frees memory that its package keeps between calls outside of
// pools, such as that of a device.
func OnRelease(free func()) {
	lists.mu.Lock()
	defer lists.mu.Unlock()
	lists.others = append(lists.others, free)
}

// account says in which ledger a piece is counted: nil while it is lent. It outlives the piece.
type account struct {
	bytes  int64
	ledger atomic.Pointer[ledger]
}

// enter counts a piece among those kept, and reports false if there is no room for it.
func (a *account) enter() bool {
	l := kept.Load()
	if l.bytes.Add(a.bytes) > limit.Load() {
		l.bytes.Add(-a.bytes)
		return false
	}
	a.ledger.Store(l)
	return true
}

// leave ends that, when the piece is lent or has been collected.
func (a *account) leave() {
	if l := a.ledger.Swap(nil); l != nil {
		l.bytes.Add(-a.bytes)
	}
}

// registry holds the lists that may have elements, and what else is to be freed.
type registry struct {
	mu     sync.Mutex
	lists  []*list
	others []func()
}

func (r *registry) add(l *list) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lists = append(r.lists, l)
}

func (r *registry) empty() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, l := range r.lists {
		l.current.Store(nil)
	}
	r.lists = nil
	for _, free := range r.others {
		free()
	}
}

// list is a sync.Pool that can be emptied.
type list struct{ current atomic.Pointer[sync.Pool] }

func (l *list) get() any {
	if pool := l.current.Load(); pool != nil {
		return pool.Get()
	}
	return nil
}

func (l *list) put(x any) {
	pool := l.current.Load()
	if pool == nil {
		pool = &sync.Pool{}
		if l.current.CompareAndSwap(nil, pool) {
			lists.add(l)
		} else if pool = l.current.Load(); pool == nil {
			return // emptied meanwhile
		}
	}
	pool.Put(x)
}
