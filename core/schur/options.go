package schur

import (
	"fmt"

	"trnsci/core/sched"
)

// Options of a decomposition. The zero value is right for most callers.
type Options struct {
	// Team carries threads, cancellation and progress.
	Team *sched.Team
	// SkipFiniteCheck makes a matrix with infinities or NaNs give results full of NaN instead of an error.
	SkipFiniteCheck bool
	// Overwrite is for callers who do not need a any more: t may then be the same view as a. No other overlap of the views
	// is allowed, with or without Overwrite.
	Overwrite bool
	// ValuesOnly is for callers who only want the eigenvalues: of t only the diagonal blocks are computed then, and what
	// is right of them is unspecified. It changes nothing if z is wanted.
	ValuesOnly bool
	// MaxIterations limits the QR sweeps of the whole call; 0 means 30 for each eigenvalue.
	MaxIterations int
}

// ConvergenceError reports that the QR iteration gave up: the rows Lo to Hi (0-based, inclusive) of the iterated matrix
// still form one unreduced Hessenberg block after Sweeps sweeps in all. Found of the N eigenvalues were isolated.
type ConvergenceError struct {
	Lo, Hi   int
	Found, N int
	Sweeps   int
}

func (e *ConvergenceError) Error() string {
	const format = "schur: the block of rows %d to %d did not split after %d QR sweeps; %d of %d eigenvalues were found"
	return fmt.Sprintf(format, e.Lo, e.Hi, e.Sweeps, e.Found, e.N)
}
