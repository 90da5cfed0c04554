// Package eigen solves dense Hermitian (real: symmetric) eigenproblems, standard and generalized, for float32, float64,
// complex64 and complex128. Matrices and vectors are worked on in their dtype, but single precision matrices of orders below 40, and those of
// generalized and banded problems, in double precision: their results are rounded once, at the end. Eigenvalues of a tridiagonal matrix are always
// found in double precision.
//
// # Method
//
// The matrix is reduced to a real tridiagonal one by Householder reflections (Golub and Van Loan, Matrix Computations,
// 4th ed., section 8.3.1), which divide and conquer diagonalizes (Cuppen, Numer. Math. 36, 1981; Gu and Eisenstat, SIAM J. Matrix
// Anal. Appl. 15, 1994) with the implicit QL iteration for pieces of order 16 or less (Dubrulle, Martin and Wilkinson, "The implicit QL
// algorithm", Numer. Math. 12, 1968); the reflections are then applied to the eigenvectors, some of them at a time (Schreiber and
// Van Loan, SIAM J. Sci. Stat. Comput. 10, 1989). Eigenvalues alone come from divide and conquer that carries along the ends of
// vectors only, those of small matrices from the root-free QL iteration (Parlett, The Symmetric Eigenvalue Problem, section 8.15), so they
// differ by rounding errors from those that come with vectors.
//
// Small matrices, of which EighGroup takes several, are solved in the lanes of vectors, one in each lane, by the QL iteration alone.
//
// Where an element beside the diagonal of the tridiagonal matrix is negligible, the blocks on its two sides are solved on their own.
//
// Generalized problems are brought to standard form with the Cholesky factor of B (Martin and Wilkinson, "Reduction of
// the symmetric eigenproblem", Numer. Math. 11, 1968), or, if B has linearly dependent functions, with those of its eigenvectors that are not
// (Löwdin, Adv. Quantum Chem. 5, 1970). A subset of the eigenpairs is selected after all eigenvalues are
// known; only the reflections are saved.
//
// Jacobi's method, which Options.Jacobi asks for, rotates rows in pairs (Demmel and Veselic, SIAM J. Matrix Anal. Appl. 13, 1992). EighTridiagonal
// and EighBanded leave out what their matrices do not need.
//
// # Phase
//
// Eigenvectors are unique up to a factor of modulus 1 at best. It is chosen so that the first component whose modulus is
// at least nine tenths of the largest one is real and positive. The slack keeps the choice the same when the largest
// modulus occurs several times and rounding errors would decide.
//
// # Range
//
// Matrices whose largest element is very large or very small are scaled by a power of two first, so any finite input is
// solved. An eigenvalue beyond the range of the dtype comes out as an infinity, as its rounding demands.
package eigen
