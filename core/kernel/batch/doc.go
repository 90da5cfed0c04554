// Package batch solves up to eight small Hermitian eigenproblems of the same order at once, one in each lane of a
// vector: reduction to tridiagonal form, formation of Q, and the implicit QL iteration.
package batch
