/*
 * Repeats one call of a BLAS or LAPACK function and returns the seconds it took, so that a peer is timed without the cost
 * of a call from Python. benchmarks/cblas_ops.py fills the problem; the address of the function comes from the library that
 * it opened.
 *
 * Integers are passed as 64 bits to libraries with 32-bit integers too: on the 64-bit machines that this runs on, an argument
 * has a register or 8 bytes of stack to itself, and integers behind pointers are little-endian.
 */
#include <stdint.h>
#include <string.h>
#include <time.h>

enum { ROW_MAJOR = 101, NON_UNIT = 131 };

struct problem {
	void *function;
	int32_t op, trans_a, trans_b, side, uplo;
	int64_t m, n, k, lda, ldb, ldc;
	void *a, *b;          /* what the call reads, or its workspaces */
	void *c;              /* what the call writes */
	const void *original; /* copied to c before every call that reads c; else NULL */
	int64_t bytes;        /* of original */
};

/* The numbers of these are those of OPS in cblas_ops.py. */
enum { SGEMM, DGEMM, CGEMM, ZGEMM, DSYMV, DGEMV, DTRSM, DTRMM, DSYRK, DSYMM, DPOTRF, DSYEVD, DGEES };

static const float one_c[2] = {1, 0}, zero_c[2] = {0, 0};
static const double one_z[2] = {1, 0}, zero_z[2] = {0, 0};

typedef void (*sgemm_t)(int, int, int, int64_t, int64_t, int64_t, float, const void *, int64_t, const void *, int64_t, float, void *, int64_t);
typedef void (*dgemm_t)(int, int, int, int64_t, int64_t, int64_t, double, const void *, int64_t, const void *, int64_t, double, void *, int64_t);
typedef void (*zgemm_t)(int, int, int, int64_t, int64_t, int64_t, const void *, const void *, int64_t, const void *, int64_t, const void *, void *, int64_t);
typedef void (*dsymv_t)(int, int, int64_t, double, const void *, int64_t, const void *, int64_t, double, void *, int64_t);
typedef void (*dgemv_t)(int, int, int64_t, int64_t, double, const void *, int64_t, const void *, int64_t, double, void *, int64_t);
typedef void (*dtrsm_t)(int, int, int, int, int, int64_t, int64_t, double, const void *, int64_t, void *, int64_t);
typedef void (*dsyrk_t)(int, int, int, int64_t, int64_t, double, const void *, int64_t, double, void *, int64_t);
typedef void (*dsymm_t)(int, int, int, int64_t, int64_t, double, const void *, int64_t, const void *, int64_t, double, void *, int64_t);
typedef void (*dsyevd_t)(const char *, const char *, const int64_t *, void *, const int64_t *, void *, void *, const int64_t *, void *, const int64_t *, int64_t *, int64_t, int64_t);
typedef void (*dgees_t)(const char *, const char *, const void *, const int64_t *, void *, const int64_t *, void *, void *, void *, void *, const int64_t *, void *, const int64_t *, const void *, int64_t *, int64_t, int64_t);
typedef void (*dpotrf_t)(const char *, const int64_t *, void *, const int64_t *, int64_t *, int64_t);

static void call(const struct problem *p)
{
	int64_t info = 0;
	switch (p->op) {
	case SGEMM:
		((sgemm_t)p->function)(ROW_MAJOR, p->trans_a, p->trans_b, p->m, p->n, p->k, 1, p->a, p->lda, p->b, p->ldb, 0, p->c, p->ldc);
		return;
	case DGEMM:
		((dgemm_t)p->function)(ROW_MAJOR, p->trans_a, p->trans_b, p->m, p->n, p->k, 1, p->a, p->lda, p->b, p->ldb, 0, p->c, p->ldc);
		return;
	case CGEMM:
		((zgemm_t)p->function)(ROW_MAJOR, p->trans_a, p->trans_b, p->m, p->n, p->k, one_c, p->a, p->lda, p->b, p->ldb, zero_c, p->c, p->ldc);
		return;
	case ZGEMM:
		((zgemm_t)p->function)(ROW_MAJOR, p->trans_a, p->trans_b, p->m, p->n, p->k, one_z, p->a, p->lda, p->b, p->ldb, zero_z, p->c, p->ldc);
		return;
	case DSYMV:
		((dsymv_t)p->function)(ROW_MAJOR, p->uplo, p->n, 1, p->a, p->lda, p->b, 1, 0, p->c, 1);
		return;
	case DGEMV:
		((dgemv_t)p->function)(ROW_MAJOR, p->trans_a, p->m, p->n, 1, p->a, p->lda, p->b, 1, 0, p->c, 1);
		return;
	case DTRSM:
	case DTRMM:
		((dtrsm_t)p->function)(ROW_MAJOR, p->side, p->uplo, p->trans_a, NON_UNIT, p->m, p->n, 1, p->a, p->lda, p->c, p->ldc);
		return;
	case DSYRK:
		((dsyrk_t)p->function)(ROW_MAJOR, p->uplo, p->trans_a, p->n, p->k, 1, p->a, p->lda, 0, p->c, p->ldc);
		return;
	case DSYMM:
		((dsymm_t)p->function)(ROW_MAJOR, p->side, p->uplo, p->m, p->n, 1, p->a, p->lda, p->b, p->ldb, 0, p->c, p->ldc);
		return;
	case DPOTRF: /* columns: the upper triangle is the lower one of a matrix by rows */
		((dpotrf_t)p->function)("U", &p->n, p->c, &p->ldc, &info, 1);
		return;
	case DSYEVD: /* b has room for n eigenvalues and a workspace of m numbers, a for k integers */
		((dsyevd_t)p->function)("V", "U", &p->n, p->c, &p->ldc, p->b, (double *)p->b + p->n, &p->m, p->a, &p->k, &info, 1, 1);
		return;
	case DGEES: { /* b has room for n eigenvalues in two parts, n x n vectors and a workspace of m numbers, a for the count of selected ones */
		double *values = p->b, *vectors = values + 2 * p->n;
		((dgees_t)p->function)("V", "N", NULL, &p->n, p->c, &p->ldc, p->a, values, values + p->n, vectors, &p->n, vectors + p->n * p->n, &p->m, NULL, &info, 1, 1);
		return;
	}
	}
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + 1e-9 * t.tv_nsec;
}

/* Returns the seconds of that many calls; copies of the original are not counted. */
double bench_time(const struct problem *p, int64_t loops)
{
	double seconds = 0;
	if (p->original == NULL) {
		double start = now();
		for (int64_t i = 0; i < loops; i++)
			call(p);
		return now() - start;
	}
	for (int64_t i = 0; i < loops; i++) {
		memcpy(p->c, p->original, p->bytes);
		double start = now();
		call(p);
		seconds += now() - start;
	}
	return seconds;
}
