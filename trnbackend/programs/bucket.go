package programs

import "math/bits"

// bucket returns n rounded up to one of four sizes between two powers of two: few shapes, so few graphs, for a quarter more work at most.
func bucket(n int) int {
	const smallest = 8
	if n <= smallest {
		return smallest
	}
	step := 1 << (bits.Len(uint(n-1)) - 3)
	return (n + step - 1) / step * step
}
