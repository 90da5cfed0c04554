package pybind

import (
	"trnsci/core/mp2"
	"trnsci/core/sched"
)

// KMP2 computes the energy of a closed shell for each cell of a crystal with nk k-points. b is the address of nk*nk addresses of records of the integrals,
// complex arrays of shape (nocc, nvir, naux), row by row; occ and vir are arrays of shapes (nk, nocc) and (nk, nvir); conserve is the address of nk*nk*nk
// int64. Where fed is set the integrals come from Python, which is asked for those of number ki nk + ka, and the records have their shapes and dtype alone.
// sums, three float64, gets the opposite-spin and same-spin energies and the error bound. The other arguments are those of MP2.
func KMP2(jobID, threads int64, b, occ, vir, conserve, sums uint64, fed, checkFinite bool, maxBytes int64) (zero int64, err error) {
	defer guard(&err)
	k := mp2.KPoints{Occ: vectors(descriptor(occ)), Vir: vectors(descriptor(vir))}
	nk := len(k.Occ)
	for _, kb := range numbers[int64](conserve, nk*nk*nk) {
		k.Conserve = append(k.Conserve, int(kb))
	}
	var f *feed
	if fed {
		f = newFeed()
	}
	k.B = make([][]mp2.Source, nk)
	for n, record := range numbers[uint64](b, nk*nk) {
		k.B[n/nk] = append(k.B[n/nk], sourceOf(descriptor(record), f, n))
	}
	out := vector[float64](descriptor(sums))
	return runFed(jobID, threads, f, func(team *sched.Team) (int64, error) {
		options := mp2.Options{Team: team, MaxBytes: maxBytes, SkipFiniteCheck: !checkFinite}
		size, err := mp2.KPointWorkspace(k, options)
		if err != nil {
			return 0, err
		}
		if err := reserve("df_kmp2_energy", size, 0); err != nil {
			return 0, err
		}
		result, err := mp2.KPointEnergy(k, options)
		out[0], out[1], out[2] = result.OppositeSpin, result.SameSpin, result.ErrorBound
		return 0, err
	})
}

// vectors returns the rows of a contiguous array of two dimensions.
func vectors(a *array) [][]float64 {
	rows := newRows[float64](a)
	out := make([][]float64, rows.count())
	for n := range out {
		out[n] = rows.at(n)
	}
	return out
}
