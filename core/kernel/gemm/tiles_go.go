package gemm

// stripGo computes a strip of tiles of at most 4 rows and 4 columns, two rows at a time: 8 sums, 2 elements of A and 4
// of B fit the 16 registers that the compiler has on amd64.
func (t *Tiles[T]) stripGo(a, strip []T) {
	for n := range t.Count {
		b, c := t.B[n*t.StepB:], strip[n*t.StepC:]
		i := 0
		if t.Cols == 4 {
			for ; i+2 <= t.Rows; i += 2 {
				t.twoRows(a[i*t.RowA:], b, c[i*t.RowC:])
			}
		}
		for ; i < t.Rows; i++ {
			t.oneRow(a[i*t.RowA:], b, c[i*t.RowC:])
		}
	}
}

// twoRows computes two rows of four columns.
func (t *Tiles[T]) twoRows(a, b, c []T) {
	var s00, s01, s02, s03, s10, s11, s12, s13 T
	below := a[t.RowA:]
	pa, pb := 0, 0
	for range t.K {
		x, y, row := a[pa], below[pa], b[pb:pb+4:pb+4]
		s00 += x * row[0]
		s10 += y * row[0]
		s01 += x * row[1]
		s11 += y * row[1]
		s02 += x * row[2]
		s12 += y * row[2]
		s03 += x * row[3]
		s13 += y * row[3]
		pa += t.ColA
		pb += t.RowB
	}
	t.store(c[:4], [4]T{s00, s01, s02, s03})
	t.store(c[t.RowC:t.RowC+4], [4]T{s10, s11, s12, s13})
}

// oneRow computes a row of at most four columns.
func (t *Tiles[T]) oneRow(a, b, c []T) {
	var sums [4]T
	for j := range t.Cols {
		var s T
		pa, pb := 0, j
		for range t.K {
			s += a[pa] * b[pb]
			pa += t.ColA
			pb += t.RowB
		}
		sums[j] = s
	}
	t.store(c[:t.Cols], sums)
}

// store updates a row of C, which has at most four elements.
func (t *Tiles[T]) store(c []T, sums [4]T) {
	for j := range c {
		if t.Accumulate {
			c[j] += t.Alpha * sums[j]
		} else {
			c[j] = t.Alpha * sums[j]
		}
	}
}
