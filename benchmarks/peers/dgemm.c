/*
 * Stands in for the dgemm_ that a library calls, with that of another BLAS: PySCF's libmp is timed with a current OpenBLAS in the
 * place of the one in its wheel. SciPy's OpenBLAS has all its names prefixed, so that it cannot be loaded for this by itself.
 *
 * Loaded with RTLD_GLOBAL before libmp, this comes first where the loader looks for libmp's dgemm_. The target is set before any
 * thread calls it, and nothing is resolved later.
 */
#include <stddef.h>

typedef void (*dgemm_t)(const char *, const char *, const int *, const int *, const int *, const double *, const double *,
			const int *, const double *, const int *, const double *, double *, const int *, size_t, size_t);

static dgemm_t target;
static int called; /* whether any call came through here */

void bench_set_dgemm(dgemm_t function)
{
	target = function;
}

int bench_dgemm_called(void)
{
	return __atomic_load_n(&called, __ATOMIC_RELAXED);
}

/* Callers in C leave out the lengths of the two texts, which Fortran passes behind the other arguments. */
void dgemm_(const char *trans_a, const char *trans_b, const int *m, const int *n, const int *k, const double *alpha,
	    const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c, const int *ldc)
{
	if (!__atomic_load_n(&called, __ATOMIC_RELAXED)) /* only read from then on: no line that threads take from each other */
		__atomic_store_n(&called, 1, __ATOMIC_RELAXED);
	target(trans_a, trans_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, 1, 1);
}
