// Package secular holds the kernels of the secular equation of divide and conquer eigensolvers: its roots (LAPACK's
// xLAED4), the weights that have these roots exactly (Gu and Eisenstat) and the eigenvectors.
package secular
