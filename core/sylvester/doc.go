// Package sylvester solves linear matrix equations:
//
//	A X + X B = C        Sylvester's
//	A X + X A^H = Q      the continuous Lyapunov equation
//	A X A^H - X + Q = 0  the discrete one, also called Stein's
//
// by the method of Bartels and Stewart (Comm. ACM 15, 1972): Schur forms make the coefficients triangular, and the
// triangular equation is solved by substitution. The substitution is blocked, so that nearly all of it is matrix
// products (Jonsson and Kagstrom, Recursive blocked algorithms for solving triangular systems, ACM TOMS 28, 2002).
//
// Nothing overflows on the way: a solution that grows too large is scaled by powers of two while it is found. Equations
// that are singular, because A and -B have an eigenvalue in common, are solved for coefficients that differ by about
// eps, which is reported.
//
// Results do not depend on the number of threads.
package sylvester
