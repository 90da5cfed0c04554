// Package gemm holds the building blocks of BLAS level 3: micro-kernels that multiply tiles, functions that pack and
// transpose their operands, and small triangular solves and products (TRSM, TRMM).
//
// A tile is a few rows of vectors whose sums stay in registers. The loops around the tiles, the packing of whole blocks
// and the threads are those of core/blas.
//
// Sources: Goto and van de Geijn, Anatomy of high-performance matrix multiplication, ACM TOMS 34 (2008); Van Zee and
// van de Geijn, BLIS: a framework for rapidly instantiating BLAS functionality, ACM TOMS 41 (2015); Van Zee and Smith,
// Implementing high-performance complex matrix multiplication via the 1m method, SIAM J. Sci. Comput. 42 (2020).
package gemm
