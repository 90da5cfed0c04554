package main

import (
	"context"
	"math/rand/v2"
	"time"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/factor"
	"trnsci/core/sched"
)

// job is a call to repeat. restore, if there is one, brings the operand that the call overwrites back before every
// call.
type job struct {
	call    func() error
	restore func()
}

// time returns the seconds of that many calls; restoring is not counted.
func (j job) time(loops int) (float64, error) {
	if j.restore == nil {
		start := time.Now()
		for range loops {
			if err := j.call(); err != nil {
				return 0, err
			}
		}
		return time.Since(start).Seconds(), nil
	}
	var total time.Duration
	for range loops {
		j.restore()
		start := time.Now()
		err := j.call()
		total += time.Since(start)
		if err != nil {
			return 0, err
		}
	}
	return total.Seconds(), nil
}

// plain is a job that overwrites nothing it reads.
func plain(call func()) job {
	return job{call: func() error { call(); return nil }}
}

// jobs holds what can be timed, by operation and dtype.
var jobs = map[string]func(*request) job{
	"gemm s":  gemm[float32],
	"gemm d":  gemm[float64],
	"gemm c":  gemm[complex64],
	"gemm z":  gemm[complex128],
	"symv d":  symv,
	"gemv d":  gemv,
	"trsm d":  trsm,
	"trmm d":  trmm,
	"syrk d":  syrk,
	"symm d":  symm,
	"potrf d": potrf,
}

// team returns the team of a call, whose workers wait between the calls of a loop as those of a peer do.
func (r *request) team() *sched.Team {
	if r.threads == 1 {
		return nil
	}
	return sched.NewTeam(context.Background(), r.threads, nil)
}

func transpose(letter string) blas.Transpose {
	switch letter {
	case "T":
		return blas.Trans
	case "C":
		return blas.ConjTrans
	}
	return blas.NoTrans
}

// random returns a matrix of numbers between -1 and 1.
func random[T dense.Scalar](rows, cols int) dense.Matrix[T] {
	rng := rand.New(rand.NewPCG(1, 2))
	m := newMatrix[T](rows, cols)
	for i := range m.Data {
		m.Data[i] = dense.FromReal[T](2*rng.Float64() - 1)
	}
	return m
}

// stored returns the shape of a matrix whose op is rows x cols.
func stored(trans blas.Transpose, rows, cols int) (int, int) {
	if trans == blas.NoTrans {
		return rows, cols
	}
	return cols, rows
}

func gemm[T dense.Scalar](r *request) job {
	tA, tB, team := transpose(r.TransA), transpose(r.TransB), r.team()
	a := random[T](stored(tA, r.M, r.K))
	b := random[T](stored(tB, r.K, r.N))
	c := newMatrix[T](r.M, r.N)
	return plain(func() { blas.Gemm(team, tA, tB, 1, a, b, 0, c) })
}

// restored returns a job that overwrites a matrix.
func restored(a dense.Matrix[float64], call func() error) job {
	original := a.Clone()
	return job{call: call, restore: func() { a.CopyFrom(original) }}
}

func potrf(r *request) job {
	a, team := heavy(r.N), r.team()
	return restored(a, func() error { return factor.Cholesky(team, a) })
}
