"""What calls cost, in floating-point operations: it decides whether they are direct calls of the library or jobs.

A direct call cannot be interrupted, and a job costs 30 to 200 microseconds. Estimates need be right to a factor of two
or so.
"""

from __future__ import annotations

# Operations up to which a call is direct, by the library's set of kernels: some milliseconds of products of matrices,
# tens of them for the slowest calls, Jacobi's method.
DIRECT = {"go": 2e7, "avx2": 1e8, "avx512": 2e8}

COMPLEX_FACTOR = 4  # a complex operation in real ones, about

# Costs of a matrix of order n, whatever n is, which decide for stacks of many small ones; logarithms cost the most.
PER_MATRIX = 1e5

# Per n^3 in real arithmetic.
CHOLESKY = 2 / 3
BALANCE = 1.0  # some sweeps of n^2
EIGENVALUES = 4 / 3  # of Hermitian matrices, as are the next ones
EIGENVECTORS = 9.0
JACOBI = 60.0
DIVIDE_AND_CONQUER = 4 / 3  # eigenvectors of a tridiagonal matrix
HESSENBERG = 14 / 3
SCHUR = 25.0
SCHUR_COMPLEX = 35.0
SCHUR_ORDER = 6.0
SCHUR_TO_COMPLEX = 1.0
SCHUR_CONDITION = 10.0
SCHUR_EIGENVALUES = 0.0
GENERAL_EIGENVALUES = 15.0
GENERAL_EIGENVECTORS = 28.0
QZ = 66.0
QZ_ORDER = 24.0
EXPM = 21.0  # nine products and a system of equations
INTEGER_POWER = 8.0
INV_SQRT_SPD = 10.0
SQRTM = 30.0  # a Schur form and more, as are the next ones
LOGM = 50.0
POWER = 60.0
SIGNM = 35.0
PARLETT = 15.0

# Of a tridiagonal matrix per n^2: its eigenvalues, and each diagonal of a band that is reduced to it.
TRIDIAGONAL_EIGENVALUES = 50.0
BAND_DIAGONAL = 6.0

# Of a Sylvester equation per m n (m + n), beside the Schur forms.
SYLVESTER_SOLUTION = 6.0

# Products of matrices, in multiplications: up to which they are called without job and records, and up to which they
# are never shared by threads.
QUICK_PRODUCT = 1 << 22
ONE_THREAD_PRODUCT = 1 << 12

# Of DF-MP2: what a pair of orbitals costs besides its product; quadrature points of the opposite-spin energy.
MP2_PAIR = 2000.0
KMP2_PAIR = 5e3
SOS_MP2_POINTS = 9

# Of a fit, per naux^3.
DF_METRIC = 1 / 3
