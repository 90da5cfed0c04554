package kernel

import "unsafe"

// Blocking says which tiles the kernels of a set take and how large the blocks are that keep them busy.
type Blocking struct {
	Rows    int // most rows of a tile
	Lanes   int // elements of a vector
	Vectors int // most vectors in a row of a tile
	Inner   int // length of a sum that is kept in registers, BLIS's kc
	Cols    int // columns of the block of B that stays in the L2 cache, BLIS's nc
	// Multiplications that are worth a second thread: 10 to 40 microseconds of assembly, 300 of the Go kernels.
	ThreadWork int
}

// TileCols returns the most columns of a tile.
func (b *Blocking) TileCols() int { return b.Lanes * b.Vectors }

// Inner*Cols elements are half of an L2 cache of 1 MB for AVX-512, of 512 kB for AVX2. On the former, times are flat for
// Inner from 192 to 512.
var (
	blocking64 = [setCount]Blocking{
		Go:     {Rows: 4, Lanes: 4, Vectors: 1, Inner: 256, Cols: 64, ThreadWork: 1 << 17},
		AVX2:   {Rows: 4, Lanes: 4, Vectors: 3, Inner: 256, Cols: 120, ThreadWork: 1 << 20},
		AVX512: {Rows: 8, Lanes: 8, Vectors: 3, Inner: 256, Cols: 240, ThreadWork: 1 << 20},
	}
	blocking32 = [setCount]Blocking{
		Go:     {Rows: 4, Lanes: 4, Vectors: 1, Inner: 256, Cols: 64, ThreadWork: 1 << 17},
		AVX2:   {Rows: 4, Lanes: 8, Vectors: 3, Inner: 384, Cols: 168, ThreadWork: 1 << 20},
		AVX512: {Rows: 8, Lanes: 16, Vectors: 3, Inner: 384, Cols: 336, ThreadWork: 1 << 20},
	}
)

// BlockingOf returns the blocking of a set for T, which nobody changes.
func BlockingOf[T Float](s Set) *Blocking {
	if unsafe.Sizeof(T(0)) == unsafe.Sizeof(float64(0)) {
		return &blocking64[s]
	}
	return &blocking32[s]
}
