package mp2

import (
	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
)

// fill sets X for the points that follow.
func (f *oppositeSpinFactor) fill(opt Options, points []float64) error {
	op := f.block.op
	factors := make([][]float64, len(points))
	for k, p := range points {
		factors[k] = f.places.next(p)
		if k == len(f.x) {
			f.x = append(f.x, make([]float64, op.naux*op.naux))
		}
		clear(f.x[k])
	}
	for first := 0; first < op.nocc; first += f.chunk {
		end := min(op.nocc, first+f.chunk)
		if err := f.gather(opt, first, end); err != nil {
			return err
		}
		rows := (end - first) * op.nvir
		left := dense.Matrix[float64]{Rows: rows, Cols: op.naux, Stride: op.naux, Data: f.left}
		right := dense.Matrix[float64]{Rows: rows, Cols: op.naux, Stride: op.naux, Data: f.right}
		for k, factor := range factors {
			if err := scaleRows(opt.Team, factor[first*op.nvir:end*op.nvir], left, right); err != nil {
				return err
			}
			x := dense.Matrix[float64]{Rows: op.naux, Cols: op.naux, Stride: op.naux, Data: f.x[k]}
			blas.Gemmt(opt.Team, blas.Lower, blas.Trans, blas.NoTrans, 1, left, right, 1, x)
			if err := opt.Team.Err(); err != nil {
				return err // X is unfinished
			}
			opt.Team.Step(1)
		}
	}
	return nil
}

// gather copies the orbitals first <= i < end to left, nvir rows of naux for each.
func (f *oppositeSpinFactor) gather(opt Options, first, end int) error {
	op := f.block.op
	size := op.nvir * op.naux
	for at := first; at < end; at += f.width {
		stop := min(end, at+f.width)
		if err := f.block.fill(opt.Team, at, stop, !opt.SkipFiniteCheck); err != nil {
			return err
		}
		for i := at; i < stop; i++ {
			from := f.block.orbitals(i, i+1).View()
			if op.alongA {
				from = from.T()
			}
			to := dense.Matrix[float64]{Rows: op.nvir, Cols: op.naux, Stride: op.naux, Data: f.left[(i-first)*size:]}
			if err := blas.CopyView(opt.Team, to.View(), from); err != nil {
				return err
			}
		}
	}
	return nil
}

// Rows that a thread scales at a time.
const scaledRows = 32

// scaleRows sets out to diag(factor) m.
func scaleRows(team *sched.Team, factor []float64, m, out dense.Matrix[float64]) error {
	return team.For((m.Rows+scaledRows-1)/scaledRows, func(_, part int) error {
		for r := part * scaledRows; r < min(m.Rows, (part+1)*scaledRows); r++ {
			scaled := out.Row(r)
			for c, x := range m.Row(r) {
				scaled[c] = factor[r] * x
			}
		}
		return nil
	})
}

// innerProduct returns sum_PQ X_PQ Y_PQ for symmetric matrices of order n, given their lower triangles. The sums of the rows are added up in order.
func innerProduct(team *sched.Team, n int, x, y []float64) (float64, error) {
	sums := make([]float64, n)
	err := team.For(n, func(_, p int) error {
		below := 0.0
		for q := range p {
			below += x[p*n+q] * y[p*n+q]
		}
		sums[p] = 2*below + x[p*n+p]*y[p*n+p]
		return nil
	})
	var total compensated
	for _, s := range sums {
		total.add(s)
	}
	return total.value(), err
}

// OppositeSpinWorkspace returns an upper bound on the bytes that OppositeSpin allocates beside its integrals.
func OppositeSpinWorkspace(opt Options, spins ...Spin) (int64, error) {
	sources := make([]Source, len(spins))
	for n, s := range spins {
		sources[n] = s.Source
	}
	if err := opt.check(sources...); err != nil {
		return 0, err
	}
	bytes := int64(fixedBytes) + int64(opt.Team.Threads())*blas.GemmWorkspace[float64]()
	for _, src := range sources {
		nocc, nvir, naux := src.Shape()
		chunk := int64(chunkOf(nocc, nvir)) * int64(nvir) * int64(naux)
		bytes += 8 * (3*chunk + (pointsPerPass+4)*int64(nocc)*int64(nvir))
		bytes += 8 * int64(pointsTogether(opt, spins)) * (int64(naux)*int64(naux) + 2*int64(naux))
		if file, ok := src.(*FileIntegrals); ok {
			bytes += 3*readBytes + 8*int64(file.strideI)*int64(file.nocc)
		}
	}
	return bytes, nil
}
