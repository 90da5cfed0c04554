// Package df computes with the three-index integrals of density fitting. With the Coulomb integrals (P|mu nu) and the
// metric J[P,Q] = (P|Q) of the auxiliary functions,
//
//	(mu nu|la si) = sum_PQ (mu nu|P) J^-1[P,Q] (Q|la si) = sum_P L[P,mu nu] L[P,la si],  L = W (P|mu nu), J^-1 = W^T W
//
// DecomposeMetric finds W and Metric.Fit applies it, in place. Transform takes L from atomic to molecular orbitals. JK
// contracts L with density matrices to Coulomb and exchange matrices. See O. Vahtras, J. Almlöf and M. W. Feyereisen,
// Chem. Phys. Lett. 213, 514 (1993), and for the exchange through occupied orbitals F. Weigend, Phys. Chem. Chem. Phys.
// 4, 4285 (2002).
//
// L is packed as PySCF's cderi: row P holds the lower triangle of a symmetric matrix, element mu >= nu at
// mu(mu+1)/2 + nu. It is read in blocks of rows from memory, a file or a function.
//
// Results are bitwise the same for every number of threads, every memory limit and every kind of source.
package df
