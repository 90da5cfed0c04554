package scratch

import (
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"
	"unsafe"

	"trnsci/core/dense"
)

func TestMemoryBeginsWithALine(t *testing.T) {
	pool := Pool{MostBytes: 1 << 20}
	for words := range 100 {
		m := pool.Borrow(words)
		if at := uintptr(unsafe.Pointer(unsafe.SliceData(m.Words))); at%dense.LineBytes != 0 || len(m.Words) < words {
			t.Fatalf("%d words: %d at %#x", words, len(m.Words), at)
		}
		for i := range m.Words { // all of it can be written
			m.Words[i] = 1
		}
		m.GiveBack()
	}
}

func TestMemoryIsLentOnce(t *testing.T) {
	pool := Pool{MostBytes: 1 << 20}
	first := pool.Borrow(10)
	first.GiveBack()
	a, b := pool.Borrow(10), pool.Borrow(10)
	if unsafe.SliceData(a.Words) == unsafe.SliceData(b.Words) {
		t.Error("the same memory was lent twice")
	}
}

func TestLargeMemoryIsNotKept(t *testing.T) {
	pool := Pool{MostBytes: 64}
	pool.Borrow(100).GiveBack()
	if pool.list.get() != nil {
		t.Error("memory of 800 bytes was kept")
	}
}

// keptWords asks for large memory and gives it back. The race detector makes a sync.Pool drop some of what it gets, so
// that tests repeat it.
const keptWords = 2 * countedBytes / wordBytes

func giveBackOne(t *testing.T, pool *Pool) {
	t.Helper()
	for range 100 {
		pool.Borrow(keptWords).GiveBack()
		if Kept() > 0 {
			return
		}
	}
	t.Fatal("nothing is kept")
}

func TestKeptMemoryIsCounted(t *testing.T) {
	Release()
	pool := Pool{MostBytes: 1 << 30}
	giveBackOne(t, &pool)
	if Kept() < keptWords*wordBytes {
		t.Errorf("%d bytes are kept, %d were given back", Kept(), keptWords*wordBytes)
	}
	lent := pool.Borrow(keptWords)
	for pool.list.get() != nil { // what the pool has besides
	}
	lent.Words[0] = 1
	Release()
	if Kept() != 0 {
		t.Errorf("%d bytes are kept after the release", Kept())
	}
	lent.GiveBack() // after the release
	Release()
	if Kept() != 0 {
		t.Errorf("%d bytes are kept after the second release", Kept())
	}
}

func TestNoMoreThanTheLimitIsKept(t *testing.T) {
	Release()
	SetLimit(5 * countedBytes)
	defer SetLimit(DefaultLimit)
	pools := [8]Pool{}
	for i := range pools {
		pools[i].MostBytes = 1 << 30
		pools[i].Borrow(keptWords).GiveBack()
		if Kept() > 5*countedBytes {
			t.Fatalf("%d bytes are kept, the limit is %d", Kept(), 5*countedBytes)
		}
	}
	pool := Pool{MostBytes: 1 << 30}
	pool.Borrow(6 * countedBytes / wordBytes).GiveBack()
	if pool.list.get() != nil {
		t.Error("a piece above the limit was kept")
	}
	Release()
	if Kept() != 0 {
		t.Errorf("%d bytes are kept after the release", Kept())
	}
}

func TestMemoryThatTheCollectorTakesIsNotCounted(t *testing.T) {
	Release()
	pool := Pool{MostBytes: 1 << 30}
	giveBackOne(t, &pool)
	for range 100 {
		runtime.GC()
		if Kept() == 0 {
			return
		}
		time.Sleep(time.Millisecond) // for the clean-up, which runs on a goroutine of its own
	}
	t.Errorf("%d bytes are kept after collections", Kept())
}

func TestPoolOfManyGoroutines(t *testing.T) {
	pool := Pool{MostBytes: 1 << 30}
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 200 {
				m := pool.Borrow(keptWords)
				m.Words[0], m.Words[keptWords-1] = float64(g), float64(i)
				if i%50 == 7 {
					lists.empty()
				}
				if m.Words[0] != float64(g) || m.Words[keptWords-1] != float64(i) {
					t.Error("memory is lent twice")
				}
				m.GiveBack()
			}
		})
	}
	wg.Wait()
	if Release(); Kept() != 0 {
		t.Errorf("%d bytes are kept after the release", Kept())
	}
}

func TestCache(t *testing.T) {
	var cache Cache[[4]float64]
	if cache.Get() != nil {
		t.Error("an empty cache has a value")
	}
	x := &[4]float64{1}
	for cache.Put(x); ; cache.Put(x) { // under the race detector some are dropped
		if got := cache.Get(); got == x {
			break
		} else if got != nil {
			t.Fatal("another value")
		}
	}
	cache.Put(x)
	Release()
	if cache.Get() != nil {
		t.Error("a value is kept after the release")
	}
}

func TestOnRelease(t *testing.T) {
	calls := 0
	OnRelease(func() { calls++ })
	Release()
	Release()
	if calls != 2 {
		t.Errorf("%d calls in two releases", calls)
	}
}

func TestSmallLoansTakeNoMemory(t *testing.T) {
	pool := Pool{MostBytes: 1 << 20}
	if n := testing.AllocsPerRun(100, func() { pool.Borrow(100).GiveBack() }); n > 0.1 {
		t.Errorf("%g allocations", n)
	}
}

// BenchmarkLoan times a loan of memory that is kept.
func BenchmarkLoan(b *testing.B) {
	for _, words := range []int{100, keptWords} {
		b.Run(strconv.Itoa(words), func(b *testing.B) {
			pool := Pool{MostBytes: 1 << 30}
			for b.Loop() {
				pool.Borrow(words).GiveBack()
			}
		})
	}
}
