package secular

// Equation is the equation f(x) = 0 for the secular function
//
//	f(x) = Inverse + sum_j Weights[j] / (At[j] - x)
//
// with Count ascending poles of positive weights. The poles that fill up the last group lie behind them by more than
// Reach and have the weight 0. There is a root between any two neighbours, and one behind the last pole by less than
// Reach. Inverse is positive.
type Equation struct {
	Poles
	Count          int
	Inverse, Reach float64
}

const (
	// A value of the secular function counts as zero below this many unit roundoffs of the sum of the moduli of its
	// terms; the second number is for each pole. The sums of the kernels have errors of this size. The vectors would be
	// orthogonal for much larger ones, as the weights are computed again from the roots.
	errorUnits, errorUnitsPerPole = 16, 1.0 / 32
	// Four steps are typical. At least every second step halves the bracket, so that this many are never taken.
	maxSteps = 250

	unitRoundoff = 0x1p-53
)

// tolerance is the part of the moduli of all terms below which a value is zero.
func (e *Equation) tolerance() float64 {
	return unitRoundoff * (errorUnits + errorUnitsPerPole*float64(e.Count))
}

// neighbours returns the poles on both sides of root k, their weights and their distance. The last root has Reach in
// place of a pole above, and no weight there.
func (e *Equation) neighbours(k int) (at, next, weight, nextWeight, gap float64) {
	at, weight = e.At[k], e.Weights[k]
	if k+1 == e.Count {
		return at, at, weight, 0, e.Reach
	}
	next = e.At[k+1]
	return at, next, weight, e.Weights[k+1], next - at
}
