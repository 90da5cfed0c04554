// Package tridiag solves the eigenproblem of real symmetric tridiagonal matrices, with or without eigenvectors. Package
// reduce below it brings dense and banded Hermitian matrices to tridiagonal form.
//
// # Method
//
// The matrix is split into unreduced blocks at negligible off-diagonal elements. A block is solved by divide and
// conquer: Cuppen, "A divide and conquer method for the symmetric tridiagonal eigenproblem", Numer. Math. 36, 1981, in
// the stable form of Gu and Eisenstat, "A divide-and-conquer algorithm for the symmetric tridiagonal eigenproblem",
// SIAM J. Matrix Anal. Appl. 16, 1995. This is what LAPACK's xSTEDC does with xLAED1 to xLAED4. The leaves of the tree,
// of order 16 or less, are solved by the implicit QL iteration (Dubrulle, Martin and Wilkinson, "The implicit QL
// algorithm", Numer. Math. 12, 1968; xSTEQR), several at a time in the lanes of SIMD vectors.
//
// Without eigenvectors, divide and conquer keeps only the first and the last row of the eigenvector matrix of every
// node. Blocks below order 32 are solved by the root-free QL iteration (Parlett, The Symmetric Eigenvalue Problem,
// section 8.15; xSTERF).
//
// All eigenvalues are computed in double precision. Eigenvectors have the type that the caller asks for.
package tridiag
