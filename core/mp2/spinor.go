package mp2

import (
	"math"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
)

// Generalized returns the MP2 correlation energy of spin orbitals with real integrals,
//
//	E = 1/4 sum_ijab (K_ab - K_ba)^2 / D
//
// as SameSpin of the result. Options and errors are those of Restricted.
func Generalized(b Source, epsOcc, epsVir []float64, opt Options) (Result, error) {
	s := Spin{Source: b, Occ: epsOcc, Vir: epsVir}
	if err := opt.check(b); err != nil {
		return Result{}, err
	}
	if err := s.check(); err != nil {
		return Result{}, err
	}
	if err := checkSameSpin(opt.Team, s, false); err != nil {
		return Result{}, err
	}
	// Spin orbitals are one spin of an open shell whose other one has no orbitals.
	c, recomputed, err := compute(opt, s, Spin{Source: without(b)})
	if err != nil {
		return Result{}, err
	}
	sum := total(c.same[0])
	return Result{SameSpin: sum.same, AlphaAlpha: sum.same, ErrorBound: certain(sum.bound), Recomputed: recomputed}, nil
}

// without returns integrals of no orbitals that go with b.
func without(b Source) Source {
	_, _, naux := b.Shape()
	if b.singlePrecision() {
		return Integrals[float32]{Naux: naux}
	}
	return Integrals[float64]{Naux: naux}
}

// GeneralizedWorkspace returns an upper bound on the bytes that Generalized allocates beside its integrals.
func GeneralizedWorkspace(opt Options, b Source) (int64, error) {
	if err := opt.check(b); err != nil {
		return 0, err
	}
	return Workspace(opt, b, without(b))
}

// SpinorIntegrals is complex B[i,a,P] in memory with arbitrary element strides, each orbital i a matrix of nvir x naux.
type SpinorIntegrals[T dense.Complex] struct {
	Nvir, Naux int
	Orbitals   []dense.View[T]
}

// Spinors returns the MP2 correlation energy of complex spin orbitals, (ia|jb) = K_ab = sum_P B_iaP B_jbP without a conjugate,
//
//	E = 1/4 sum_ijab |K_ab - K_ba|^2 / D
//
// and a bound on its rounding errors, as SameSpin and ErrorBound of the result. Products are in T. Of the options, Precision, PairEnergies, MaxBytes and Tolerance
// are not used.
//
// Errors: *dense.ArgumentError for sizes that do not fit, infinities and NaNs; *DenominatorError; the team's.
//
// Cost: 4 nocc^2 nvir^2 naux real floating-point operations. Orbitals whose rows are not contiguous are copied.
func Spinors[T dense.Complex](b SpinorIntegrals[T], epsOcc, epsVir []float64, opt Options) (Result, error) {
	// The shape and the energies are checked as those of real integrals that are nowhere.
	shape := &FunctionIntegrals[float64]{Nocc: len(b.Orbitals), Nvir: b.Nvir, Naux: b.Naux}
	s := Spin{Source: shape, Occ: epsOcc, Vir: epsVir}
	if err := s.check(); err != nil {
		return Result{}, err
	}
	if s.empty() {
		return Result{}, nil
	}
	if err := checkSameSpin(opt.Team, s, false); err != nil {
		return Result{}, err
	}
	run, err := newSpinorRun(b, s, opt)
	if err != nil {
		return Result{}, err
	}
	pairs := make([]contribution, triangular(len(epsOcc)-1, 0)) // i > j
	opt.Team.Plan(len(pairs))
	scratch := make([][]T, opt.Team.Threads())
	err = opt.Team.For(len(pairs), func(worker, n int) error {
		if scratch[worker] == nil {
			scratch[worker] = make([]T, b.Nvir*b.Nvir)
		}
		i, j := strictPair(n)
		pairs[n] = run.pair(opt.Team.Serial(), i, j, scratch[worker])
		opt.Team.Step(1)
		return opt.Team.Err()
	})
	if err != nil {
		return Result{}, err
	}
	sum := total(pairs)
	return Result{SameSpin: sum.same, AlphaAlpha: sum.same, ErrorBound: certain(sum.bound)}, nil
}

// strictPair returns i > j of the pair with number i (i-1)/2 + j.
func strictPair(n int) (i, j int) {
	i = int((1 + math.Sqrt(1+8*float64(n))) / 2)
	for triangular(i-1, 0) > n { // the root may be off by its rounding
		i--
	}
	for triangular(i, 0) <= n {
		i++
	}
	return i, n - triangular(i-1, 0)
}

// spinorRun is the state of a call of Spinors.
type spinorRun[T dense.Complex] struct {
	spin     Spin
	orbitals []dense.Matrix[T]
	norms    [][]float64 // bounds on |B_ia|_2
	errors   productError
	largest  float64 // modulus of an orbital energy
}

func newSpinorRun[T dense.Complex](b SpinorIntegrals[T], s Spin, opt Options) (*spinorRun[T], error) {
	u := dense.Eps[T]() / 2
	r := &spinorRun[T]{spin: s, largest: max(s.largestVir(), largest(s.Occ))}
	// The real and the imaginary part of K_ab are sums of 2 naux products whose moduli sum to at most |B_ia| |B_jb|.
	r.errors = productError{relative: math.Sqrt2 * gamma(2*b.Naux, u), absolute: 4 * float64(b.Naux) * smallestOf[T]()}
	for i, v := range b.Orbitals {
		m, ok := v.Matrix()
		if !ok {
			m = dense.New[T](v.Rows, v.Cols)
			if err := blas.CopyView(opt.Team, m.View(), v); err != nil {
				return nil, err
			}
		}
		norms := make([]float64, b.Nvir)
		for a := range norms {
			row := dense.Vec(m.Row(a))
			norms[a] = blas.Nrm2(row)*boundSlack + math.Sqrt(float64(b.Naux))*tiny[T]()
			if !opt.SkipFiniteCheck && !dense.IsFinite(norms[a]) {
				return nil, dense.BadArgument("B", "contains infinities or NaNs, or numbers too large to square, in occupied orbital %d", i)
			}
		}
		r.orbitals, r.norms = append(r.orbitals, m), append(r.norms, norms)
		if err := opt.Team.Err(); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// smallestOf and tiny are smallestSubnormal and smallestNorm for the parts of T.
func smallestOf[T dense.Complex]() float64 {
	if dense.IsSingle[T]() {
		return smallestSubnormal[float32]()
	}
	return smallestSubnormal[float64]()
}

func tiny[T dense.Complex]() float64 {
	if dense.IsSingle[T]() {
		return smallestNorm[float32]()
	}
	return smallestNorm[float64]()
}

// pair returns sum_{a<b} |K_ab - K_ba|^2 / D of a pair of orbitals with its bound. A cancelled team leaves it unfinished.
func (r *spinorRun[T]) pair(team *sched.Team, i, j int, memory []T) contribution {
	vir := r.spin.Vir
	n := len(vir)
	k := dense.Matrix[T]{Rows: n, Cols: n, Stride: n, Data: memory}
	blas.Gemm(team, blas.NoTrans, blas.Trans, 1, r.orbitals[i], r.orbitals[j], 0, k)
	spread := gamma(denominatorRoundings, unitRoundoff) * 4 * r.largest
	// A term takes two subtractions, two squares, their sum, and a quotient.
	rounding := gamma(termRoundings+3+2*compensatedRoundings, unitRoundoff)
	var sum compensated
	bound := 0.0
	for a := range n {
		if team.Err() != nil {
			return contribution{}
		}
		bounds := 0.0
		for b := a + 1; b < n; b++ {
			x, y := k.At(a, b), k.At(b, a)
			re, im := dense.Real(x)-dense.Real(y), dense.Imag(x)-dense.Imag(y)
			d := denominator(r.spin.Occ[i]-vir[a], r.spin.Occ[j]-vir[b])
			term := (re*re + im*im) / d
			sum.add(term)
			off := r.errors.relative*(r.norms[i][a]*r.norms[j][b]+r.norms[i][b]*r.norms[j][a]) + 2*r.errors.absolute
			least := math.Abs(d) - spread // of |D|
			if !(least > 0) {
				bounds = math.Inf(1)
				continue
			}
			bounds += (2*math.Hypot(re, im)*off+off*off)/least + math.Abs(term)*(rounding+spread/least) + underflow*(1+1/least)
		}
		bound += bounds
	}
	return contribution{same: sum.value(), bound: bound}
}

// SpinorsWorkspace returns an upper bound on the bytes that Spinors allocates beside its integrals.
func SpinorsWorkspace[T dense.Complex](b SpinorIntegrals[T], opt Options) int64 {
	element := int64(16)
	if dense.IsSingle[T]() {
		element = 8
	}
	nocc, nvir := int64(len(b.Orbitals)), int64(b.Nvir)
	bytes := int64(fixedBytes) + nocc*(8*nvir+128) + nocc*nocc/2*24
	for _, v := range b.Orbitals {
		if _, ok := v.Matrix(); !ok {
			bytes += element * nvir * int64(b.Naux)
		}
	}
	return bytes + int64(opt.Team.Threads())*(element*nvir*nvir+2*blas.GemmWorkspace[float64]())
}
