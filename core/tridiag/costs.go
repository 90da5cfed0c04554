package tridiag

// Costs are counted in multiply-adds of products of real double precision matrices. The rates say how many of these one
// operation of another kind takes. They were measured on Zen 4 with one thread at orders of 1000 to 2000 by
// benchmarks/progress.py, and they determine reported progress only.
const (
	secularRate  = 480  // roots and weights, for each pair of poles
	productRate  = 0.75 // less than one, because some pairs deflate
	boundaryRate = 15   // divide and conquer without vectors, for each pair of poles
)

// secularCost returns the cost of the eigenvalues in a merge of order n.
func secularCost(n int) int { return secularRate * n * n }

// productCost returns the cost of the given number of vectors in a merge of order n.
func productCost(n, vectors int) int { return int(productRate / 2 * float64(n*n) * float64(vectors)) }

// boundaryCost returns the cost of a merge of order n without vectors.
func boundaryCost(n int) int { return boundaryRate * n * n }

// EigenvaluesCost returns the expected cost of Eigenvalues.
func EigenvaluesCost(n int) int { return 2 * boundaryCost(n) }

// EigenpairsCost returns the expected cost of Eigenpairs for up to count eigenvectors, for a matrix that is a single
// unreduced block with little deflation.
func EigenpairsCost(n, count int) int {
	cost := secularCost(n) + productCost(n, count)
	for parts := 2; n/parts > leafOrder; parts *= 2 {
		cost += parts * (secularCost(n/parts) + productCost(n/parts, n/parts))
	}
	return cost
}

// blocksCost returns the sum of the costs of consecutive blocks with the given ends.
func blocksCost(ends []int, cost func(n int) int) (sum int) {
	start := 0
	for _, end := range ends {
		sum += cost(end - start)
		start = end
	}
	return sum
}

// singularCost returns the cost of a merge of the singular value decompositions of n rows.
func singularCost(n int) int { return secularCost(n) + 2*productCost(n, n) }

// SingularPairsCost returns the expected cost of all merges of SingularPairs.
func SingularPairsCost(n int) int {
	cost := singularCost(n)
	for parts := 2; n/parts > singularLeafOrder; parts *= 2 {
		cost += parts * singularCost(n/parts)
	}
	return cost
}
