package packed

import "trnsci/core/kernel"

// Rows of a square that are copied before they are transposed: some lines of the first cache for every column.
const unpackRows = 16

// Unpack writes the symmetric matrix of order n whose lower triangle is packed row by row.
func Unpack(set kernel.Set, packed []float64, n int, square []float64) {
	at := 0
	for i0 := 0; i0 < n; i0 += unpackRows {
		i1 := min(n, i0+unpackRows)
		for i := i0; i < i1; i++ {
			at += copy(square[i*n:i*n+i+1], packed[at:])
		}
		if i0 > 0 {
			kernel.Transpose(set, i1-i0, i0, square[i0*n:], n, square[i0:], n)
		}
		for i := i0; i < i1; i++ {
			for j, x := range square[i*n+i0 : i*n+i] {
				square[(i0+j)*n+i] = x
			}
		}
	}
}
