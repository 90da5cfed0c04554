package factor

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/internal/workspace"
)

// scaleTriangle multiplies the triangle of x by 2^exponent.
func (f *qr[T]) scaleTriangle(exponent int) {
	if exponent == 0 {
		return
	}
	for j := range f.x.Rows {
		blas.Ldexp(f.x.Row(j)[:min(j+1, f.x.Cols)], exponent)
	}
}

// writeTriangle writes R^T to rt, which may have fewer columns than x and may be x.
func (f *qr[T]) writeTriangle(rt dense.Matrix[T]) {
	for j := range rt.Rows {
		row := rt.Row(j)
		count := min(j+1, len(row))
		copy(row[:count], f.x.Row(j))
		clear(row[count:])
	}
}

// loadPanel returns the panel of rows first to end-1 with V^T as reduce left it.
func (f *qr[T]) loadPanel(first, end int) qrPanel[T] {
	p := f.panelAt(first, end)
	for j := range end - first {
		row := p.vt.Row(j)
		clear(row[:j])
		row[j] = 1
		copy(row[j+1:], p.rows.Row(j)[j+1:])
	}
	return p
}

// apply replaces rows, of m columns, by rows Q, or with transposed by rows Q^T, and with conjugate by the same for
// conj(Q).
func (f *qr[T]) apply(rows dense.Matrix[T], transposed, conjugate bool) error {
	if rows.Rows == 0 {
		return nil
	}
	if conjugate == transposed { // update multiplies by factors of Q^T and conj(Q)
		workspace.Conjugate(rows)
		defer workspace.Conjugate(rows)
	}
	k := len(f.tau)
	for done := 0; done < k; done += f.width {
		first := done
		if transposed { // the last panel comes first
			first = (k-1)/f.width*f.width - done
		}
		if err := f.team.Err(); err != nil { // also here: a product follows before the next look
			return err
		}
		p := f.loadPanel(first, min(first+f.width, k))
		f.update(f.team, p.vt, p.s, transposed, rows.Slice(0, rows.Rows, first, rows.Cols))
		if err := f.team.Err(); err != nil {
			return err
		}
		f.team.Step(f.panelSteps(first, rows.Rows))
	}
	return f.team.Err()
}

// form writes the rows of Q^T to qt, whose first rows may be those of x. Those of a panel become part of qt in its
// turn, the last panel first.
func (f *qr[T]) form(qt dense.Matrix[T]) error {
	k, m := len(f.tau), f.x.Cols
	for i := k; i < qt.Rows; i++ {
		clear(qt.Row(i))
		qt.Set(i, i, 1)
	}
	for first := (k - 1) / f.width * f.width; first >= 0 && k > 0 && qt.Rows > 0; first -= f.width {
		if err := f.team.Err(); err != nil { // also here: products follow before the next look
			return err
		}
		end := min(first+f.width, k)
		width := end - first
		p := f.loadPanel(first, end)
		left, right := p.vt.Slice(0, width, 0, width), p.vt.Slice(0, width, width, m-first)
		// The rows of later panels are zero left of column end.
		below := qt.Slice(end, qt.Rows, end, m)
		w, ws := f.w.Slice(0, below.Rows, 0, width), f.ws.Slice(0, below.Rows, 0, width)
		blas.Gemm(f.team, blas.NoTrans, blas.ConjTrans, 1, below, right, 0, w)
		if err := f.team.Err(); err != nil {
			return err
		}
		blas.Gemm(f.team, blas.NoTrans, blas.ConjTrans, 1, w, p.s, 0, ws)
		if err := f.team.Err(); err != nil {
			return err
		}
		blas.Gemm(f.team, blas.NoTrans, blas.NoTrans, -1, ws, right, 1, below)
		blas.Gemm(f.team, blas.NoTrans, blas.NoTrans, -1, ws, left, 0, qt.Slice(end, qt.Rows, first, end))
		// The rows of this panel are those of the identity times the transpose of its product.
		inner := f.inner[0].Slice(0, width, 0, width)
		blas.Gemm(nil, blas.ConjTrans, blas.ConjTrans, -1, left, p.s, 0, inner)
		blas.Gemm(f.team, blas.NoTrans, blas.NoTrans, 1, inner, p.vt, 0, qt.Slice(first, end, first, m))
		if err := f.team.Err(); err != nil {
			return err
		}
		for i := first; i < end; i++ {
			qt.Data[i*qt.Stride+i]++
		}
		f.team.Step(f.panelSteps(first, qt.Rows))
	}
	return f.team.Err()
}
