// Package condense holds the fused steps of reductions to condensed form: TridiagStep and the vector operations between
// two of them for the tridiagonal form of a Hermitian matrix, HessenbergStep for the Hessenberg form. Each step reads
// and writes the matrix once, for the update by the last reflector and the product that gives the next one.
package condense
