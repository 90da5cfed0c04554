"""Estimated costs of calls in floating-point operations. They decide whether a call is direct or a job.

A direct call cannot be interrupted, and a job costs 30 to 200 microseconds. Estimates need to be right only to a factor
of about two.
"""

from __future__ import annotations

# Calls up to this number of operations are direct, by the library's set of kernels. That is some milliseconds of most
# methods and some tens of milliseconds of Jacobi's, the slowest one.
DIRECT = {"go": 2e7, "avx2": 1e8, "avx512": 2e8}

COMPLEX_FACTOR = 4  # real operations in a complex one, about

# Operations of a product count a quarter, since they take the least time. A direct product takes ten milliseconds at
# most; as jobs, products of order 500 would take up to a tenth longer.
PRODUCT = 1 / 4

# Constant cost of each matrix, which dominates in stacks of many small ones. Logarithms have the largest one.
PER_MATRIX = 1e5

# Per n^3 in real arithmetic.
CHOLESKY = 2 / 3
LU = 2 / 3
LDL = 1 / 2  # panels take longer than products
LINEAR_SYSTEM = 1.0  # without the solution, with the estimate of the condition
BALANCE = 1.0  # some sweeps of n^2
EIGENVALUES = 4 / 3  # of Hermitian matrices, as the next three
EIGENVECTORS = 9.0
JACOBI = 60.0
DIVIDE_AND_CONQUER = 4 / 3  # eigenvectors of a tridiagonal matrix
SINGULAR_VALUES = 8 / 3
SINGULAR_VECTORS = 12.0
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
EXPM_FRECHET = 60.0
EXPM_COND = 800.0  # some tens of derivatives
INTEGER_POWER = 8.0
INV_SQRT_SPD = 10.0
SQRTM = 30.0  # a Schur form and more, as the next three
LOGM = 50.0
POWER = 60.0
SIGNM = 35.0
PARLETT = 15.0

# Per n^2: eigenvalues of a tridiagonal matrix; the reduction of each diagonal of a band.
TRIDIAGONAL_EIGENVALUES = 50.0
BAND_DIAGONAL = 6.0

# Of a Toeplitz system per n^2, without right-hand sides; of each of these.
LEVINSON = 4.0
LEVINSON_RIGHT = 2.0

# Of a Sylvester equation per m n (m + n), without the Schur forms.
SYLVESTER_SOLUTION = 6.0

# Limits for matrix products in multiplications: up to the first they are called directly on any processor, up to the
# second they run on one thread.
QUICK_PRODUCT = 1 << 22
ONE_THREAD_PRODUCT = 1 << 12

# Of DF-MP2: cost of a pair of orbitals in addition to its product; quadrature points of the opposite-spin energy.
MP2_PAIR = 2000.0
KMP2_PAIR = 5e3
SOS_MP2_POINTS = 9

# Of a fit, per naux^3.
DF_METRIC = 1 / 3
