package pjrt

import (
	"fmt"
	"slices"
	"sync"

	"trnsci/trnbackend"
	"trnsci/trnbackend/graph"
)

// bufferTypes are the numbers of element types in PJRT, which differ from those in HLO.
var bufferTypes = map[graph.DType]int{graph.Pred: 1, graph.S32: 4, graph.F32: 11, graph.F64: 12, graph.BF16: 13}

// buffer is an array on the device.
type buffer struct {
	executor *Executor
	shape    graph.Shape

	mu    sync.Mutex
	array *array // nil once it is freed or donated
}

// newBuffer returns a buffer that becomes a user of the array.
func (e *Executor) newBuffer(shape graph.Shape, a *array) *buffer {
	return &buffer{executor: e, shape: graph.Of(shape.DType, slices.Clone(shape.Dims)...), array: a}
}

// Shape returns the shape.
func (b *buffer) Shape() graph.Shape { return b.shape }

// Download waits for the array and copies it.
func (b *buffer) Download(data []byte) error {
	doing := "downloading " + b.shape.String()
	if int64(len(data)) != b.shape.Bytes() {
		return fmt.Errorf("%s: data has %d bytes, not %d", doing, len(data), b.shape.Bytes())
	}
	if err := b.executor.enter(doing); err != nil {
		return err
	}
	defer b.executor.leave()
	a := b.read()
	if a == nil {
		return freed(doing)
	}
	defer b.executor.drop(a)
	defer a.downloads.RUnlock()
	if err := b.executor.driver.download(a.handle, b.shape.Rank(), data); err != nil {
		return b.executor.failure(doing, err)
	}
	return nil
}

// Free releases the array when no call uses it any more.
func (b *buffer) Free() {
	if b.executor.enter("freeing") != nil {
		return // Close has freed it
	}
	defer b.executor.leave()
	if a := b.take(); a != nil {
		b.executor.drop(a)
	}
}

// use returns the array and makes the caller one of its users; nil if the buffer is free. Like the next methods it is
// for calls that have entered the executor.
func (b *buffer) use() *array {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.array != nil {
		b.executor.live.use(b.array)
	}
	return b.array
}

// read is use for a download: the array cannot be donated until its lock is released.
func (b *buffer) read() *array {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.array != nil {
		b.executor.live.use(b.array)
		b.array.downloads.RLock()
	}
	return b.array
}

// donate is take for a run that may write to the array: it waits for the downloads in progress.
func (b *buffer) donate() *array {
	a := b.take()
	if a != nil {
		a.downloads.Lock()
		defer a.downloads.Unlock()
	}
	return a
}

// take frees the buffer and makes the caller the user of its array; nil if the buffer was free.
func (b *buffer) take() *array {
	b.mu.Lock()
	defer b.mu.Unlock()
	a := b.array
	b.array = nil
	return a
}

// write makes the buffer the user of another array, unless the buffer is free.
func (b *buffer) write(a *array) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.array == nil {
		return false
	}
	b.executor.drop(b.array)
	b.array = a
	return true
}

// drop ends a use of an array. Errors of freeing it are ignored, since no caller could handle them.
func (e *Executor) drop(a *array) {
	if e.live.drop(a) {
		_ = e.driver.freeBuffer(a.handle)
	}
}

// own returns a buffer of this executor.
func (e *Executor) own(given trnbackend.Buffer) (*buffer, error) {
	b, ok := given.(*buffer)
	if !ok || b.executor != e {
		return nil, fmt.Errorf("it is of another device")
	}
	return b, nil
}

func (b *buffer) isFreed() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.array == nil
}

// Upload copies an array.
func (e *Executor) Upload(shape graph.Shape, data []byte) (trnbackend.Buffer, error) {
	if err := shape.Check(); err != nil {
		return nil, fmt.Errorf("uploading: %w", err)
	}
	doing := "uploading " + shape.String()
	if int64(len(data)) != shape.Bytes() {
		return nil, fmt.Errorf("%s: data has %d bytes, not %d", doing, len(data), shape.Bytes())
	}
	if !e.caps.Has(shape.DType) {
		return nil, &trnbackend.UnsupportedError{Device: e.name,
			What: fmt.Sprintf("%s: the device has the types %v", doing, e.caps.DTypes)}
	}
	if err := e.enter(doing); err != nil {
		return nil, err
	}
	defer e.leave()
	dims := make([]int64, shape.Rank())
	for i, d := range shape.Dims {
		dims[i] = int64(d)
	}
	h, err := e.driver.upload(bufferTypes[shape.DType], dims, data)
	if err != nil {
		return nil, e.failure(doing, err)
	}
	return e.newBuffer(shape, e.live.add(h, shape.Bytes())), nil
}
