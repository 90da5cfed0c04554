package mp2

import (
	"trnsci/core/dense"
	"trnsci/core/sched"
)

// Spin is the integrals and the orbital energies, in hartree, of one spin.
type Spin struct {
	Name     string // "alpha" or "beta" in messages; empty for a closed shell
	Source   Source
	Occ, Vir []float64
}

// Check returns the error that Restricted, given one spin, or Unrestricted, given alpha and beta, returns before its long
// work: for sizes that do not fit, infinities and NaNs in the energies, and a vanishing denominator. It is for programs
// that compute the energies by other means.
func Check(team *sched.Team, spins ...Spin) error { return check(Options{Team: team}, spins...) }

// CommonNaux returns the number of auxiliary functions of one or two sources, of which nothing but the sizes and dtypes are looked at. One without
// orbitals goes with any other.
//
// Errors: *ComplexError; *dense.ArgumentError where they have different ones.
func CommonNaux(sources ...Source) (int, error) {
	naux, from := 0, -1
	for n, src := range sources {
		if src.isComplex() {
			return 0, &ComplexError{}
		}
		o, v, p := src.Shape()
		switch {
		case o == 0 || v == 0:
		case from < 0:
			naux, from = p, n
		case p != naux:
			oa, va, _ := sources[from].Shape()
			return 0, dense.BadArgument("B", "the spins have different numbers of auxiliary functions: shapes (%d, %d, %d) and (%d, %d, %d)", oa, va, naux, o, v, p)
		}
	}
	return naux, nil
}

// check is Check with options, which are looked at first.
func check(opt Options, spins ...Spin) error {
	sources := make([]Source, len(spins))
	for n, s := range spins {
		sources[n] = s.Source
	}
	if err := opt.check(sources...); err != nil {
		return err
	}
	closedShell := len(spins) == 1
	for _, s := range spins {
		if err := s.check(); err != nil {
			return err
		}
		if err := checkSameSpin(opt.Team, s, closedShell); err != nil {
			return err
		}
	}
	if closedShell {
		return nil
	}
	return checkOppositeSpin(opt.Team, spins[0], spins[1])
}

func (s Spin) empty() bool {
	nocc, nvir, naux := s.Source.Shape()
	return nocc == 0 || nvir == 0 || naux == 0
}

// check compares the numbers of orbital energies with the shape of B, and refuses infinities and NaNs in them.
func (s Spin) check() error {
	nocc, nvir, naux := s.Source.Shape()
	for _, eps := range []struct {
		arg    string
		values []float64
		want   int
	}{{"eps_occ", s.Occ, nocc}, {"eps_vir", s.Vir, nvir}} {
		if len(eps.values) != eps.want {
			return dense.BadArgument(eps.arg, "has shape (%d,)%s, but B has shape (nocc, nvir, naux) = (%d, %d, %d)",
				len(eps.values), ofSpin(s.Name), nocc, nvir, naux)
		}
		for _, x := range eps.values {
			if !dense.IsFinite(x) {
				return dense.BadArgument(eps.arg, "contains infinities or NaNs%s", ofSpin(s.Name))
			}
		}
	}
	return nil
}

// ofSpin returns what follows the name of something that belongs to a spin.
func ofSpin(name string) string {
	if name == "" {
		return ""
	}
	return " (" + name + ")"
}

// check looks at the options and at the integrals, which have to be real.
func (o Options) check(sources ...Source) error {
	if err := o.checkAny(sources...); err != nil {
		return err
	}
	_, err := CommonNaux(sources...)
	return err
}

// checkAny is check for integrals that may be complex and need not go together.
func (o Options) checkAny(sources ...Source) error {
	switch o.Precision {
	case PrecisionInput, PrecisionFP64, PrecisionMixed:
	default:
		return dense.BadArgument("precision", "expected '', 'fp64' or 'mixed', got '%s'", string(o.Precision))
	}
	if o.MaxBytes < 0 {
		return dense.BadArgument("max_memory", "expected a number of bytes, or 0 for the default, got %d", o.MaxBytes)
	}
	if !(o.Tolerance >= 0) {
		return dense.BadArgument("etol", "expected a number of hartree that is not negative, got %g", o.Tolerance)
	}
	if len(sources) < 1 || len(sources) > 2 {
		return dense.BadArgument("B", "expected the integrals of one or of two spins, got %d", len(sources))
	}
	for _, src := range sources {
		if src == nil {
			return dense.BadArgument("B", "expected integrals, got none")
		}
		if err := src.check(); err != nil {
			return err
		}
	}
	return nil
}

// refuseCheckpoint is for calls that keep none.
func (o Options) refuseCheckpoint() error {
	if o.Checkpoint != "" {
		return dense.BadArgument("checkpoint", "only Restricted, Unrestricted and Generalized with real integrals keep one")
	}
	return nil
}

func (o Options) maxBytes() int64 {
	if o.MaxBytes == 0 {
		return DefaultMaxBytes
	}
	return o.MaxBytes
}

// single reports whether the products are in float32.
func (o Options) single(sources ...Source) bool {
	for _, src := range sources {
		if o.Precision == PrecisionInput && !src.singlePrecision() {
			return false
		}
	}
	return o.Precision != PrecisionFP64
}
