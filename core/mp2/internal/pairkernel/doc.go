// Package pairkernel sums the MP2 terms of tiles of a pair of occupied orbitals: opposite-spin and same-spin energies
// together with the sums that bound their errors.
package pairkernel
