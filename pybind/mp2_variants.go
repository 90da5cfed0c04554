package pybind

import (
	"trnsci/core/mp2"
	"trnsci/core/sched"
)

// openSpins calls op with the spins there are, beta being nil for a closed shell. The integrals are open until it returns.
func openSpins(alpha, beta *spin, layout string, op func(spins []mp2.Spin) error) error {
	var spins []mp2.Spin
	for n, s := range []*spin{alpha, beta} {
		if s == nil {
			continue
		}
		source, closer, err := s.open(layout)
		if err != nil {
			return err
		}
		defer closer()
		name := ""
		if beta != nil {
			name = []string{"alpha", "beta"}[n]
		}
		spins = append(spins, mp2.Spin{Name: name, Source: source, Occ: s.occ, Vir: s.vir})
	}
	return op(spins)
}

// SOSMP2 computes the opposite-spin energy to within a tolerance. sums, three float64, gets it, the number of points and the bound of the
// quadrature's error. The other arguments are those of MP2.
func SOSMP2(jobID, threads int64, bAlpha, occAlpha, virAlpha, bBeta, occBeta, virBeta, sums uint64,
	hexPathAlpha, hexPathBeta, layout string, fed int64, tolerance float64, maxBytes int64) (zero int64, err error) {
	defer guard(&err)
	alpha, beta := newSpin(bAlpha, occAlpha, virAlpha, hexPathAlpha), newSpin(bBeta, occBeta, virBeta, hexPathBeta)
	feed := feedOf(fed, alpha, beta)
	out := vector[float64](descriptor(sums))
	return runFed(jobID, threads, feed, func(team *sched.Team) (int64, error) {
		options := mp2.Options{Team: team, MaxBytes: maxBytes}
		return 0, openSpins(alpha, beta, layout, func(spins []mp2.Spin) error {
			size, err := mp2.OppositeSpinWorkspace(options, spins...)
			if err != nil {
				return err
			}
			if err := reserve("sos_mp2_energy", size, 0); err != nil {
				return err
			}
			result, err := mp2.OppositeSpin(tolerance, options, spins...)
			out[0], out[1], out[2] = result.OppositeSpin, float64(result.Points), result.QuadratureError
			return err
		})
	})
}
