package factor

import "math"

// SmallSystem is the augmented matrix of at most four linear equations: row i holds the n coefficients of equation i
// and then its right-hand side.
type SmallSystem [4][5]float64

// Solve returns the solution x of the first n equations in n unknowns, by Gaussian elimination with complete pivoting.
// It overwrites m. Pivots of a modulus below least are replaced by least, and perturbed is then true: the system is
// singular to working precision.
func (m *SmallSystem) Solve(n int, least float64) (x [4]float64, perturbed bool) {
	unknown := [4]int{0, 1, 2, 3}
	for k := range n {
		row, col := k, k
		for i := k; i < n; i++ {
			for j := k; j < n; j++ {
				if math.Abs(m[i][j]) > math.Abs(m[row][col]) {
					row, col = i, j
				}
			}
		}
		m[k], m[row] = m[row], m[k]
		for i := range n {
			m[i][k], m[i][col] = m[i][col], m[i][k]
		}
		unknown[k], unknown[col] = unknown[col], unknown[k]
		if math.Abs(m[k][k]) < least {
			m[k][k], perturbed = least, true
		}
		for i := k + 1; i < n; i++ {
			f := m[i][k] / m[k][k]
			for j := k + 1; j <= n; j++ {
				m[i][j] -= f * m[k][j]
			}
		}
	}
	for k := n - 1; k >= 0; k-- {
		s := m[k][n]
		for j := k + 1; j < n; j++ {
			s -= m[k][j] * x[unknown[j]]
		}
		x[unknown[k]] = s / m[k][k]
	}
	return x, perturbed
}
