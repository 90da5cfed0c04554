package vec

import (
	"math"
	"unsafe"

	"trnsci/core/kernel"
)

// Bytes of the vectors of each set.
const BytesAVX2, BytesAVX512 = 32, 64

// LineBytes is the size of a cache line.
const LineBytes = 64

const setCount = kernel.AVX512 + 1

var (
	vectorBytes = [setCount]int{kernel.AVX2: BytesAVX2, kernel.AVX512: BytesAVX512}
	vectorShift = [setCount]uint{kernel.AVX2: 5, kernel.AVX512: 6}
)

// Bytes returns the bytes of a vector of a set that has assembly.
func Bytes(s kernel.Set) int { return vectorBytes[s] }

// Shift returns the binary logarithm of Bytes: a division by a variable takes longer than a small kernel.
func Shift(s kernel.Set) uint { return vectorShift[s] }

// maskWords holds a vector of set bits, followed by one of zeros. The vector that begins n bytes before the middle
// selects the first n bytes.
var maskWords = [16]uint32{
	0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff,
}

// Mask returns an AVX2 vector with all bits set in the first bytes, a multiple of four. More bytes than a vector has
// select all of it.
func Mask(bytes int) unsafe.Pointer {
	const wordBytes = 4
	return unsafe.Pointer(&maskWords[len(maskWords)/2-min(bytes/wordBytes, len(maskWords)/2)])
}

// SignBits returns a vector of 64 bytes with the sign bits of a pair of numbers in each of its pairs.
func SignBits[T kernel.Float](pair [2]T) (vector [8]uint64) {
	for i := range vector {
		if unsafe.Sizeof(pair[0]) == unsafe.Sizeof(vector[0]) {
			vector[i] = math.Float64bits(float64(pair[i%2])) & (1 << 63)
			continue
		}
		for j, x := range pair {
			vector[i] |= uint64(math.Float32bits(float32(x))&(1<<31)) << (32 * j)
		}
	}
	return vector
}

// NoAssembly panics: there are no kernels in assembly for the set, or none in this build.
func NoAssembly(s kernel.Set) { panic("kernel: no assembly for " + s.String() + " in this build") }
