"""Band matrices by their diagonals, the dense matrices they stand for, and residuals of systems."""

import matrices
import numpy as np
import residuals


def full(ab, l, u):  # noqa: E741  (SciPy's name)
    """The matrix with l diagonals below the main one and u above it that `ab` stores."""
    n = ab.shape[-1]
    a = np.zeros((n, n), ab.dtype)
    for k in range(-min(l, n - 1), min(u, n - 1) + 1):
        row = ab[u - k]
        a += np.diag(row[k:] if k >= 0 else row[: n + k], k)
    return a


def stored(a, l, u, junk=0.0):  # noqa: E741
    """The diagonals of `a`, with `junk` in places that belong to no element."""
    n = len(a)
    ab = np.full((l + u + 1, n), junk, a.dtype)
    for k in range(-min(l, n - 1), min(u, n - 1) + 1):
        ab[u - k, max(k, 0) : n + min(k, 0)] = np.diag(a, k)
    return ab


def full_hermitian(ab, lower):
    """The Hermitian matrix of which `ab` stores the diagonals of one triangle."""
    rows = len(ab)
    a = full(ab, rows - 1, 0) if lower else full(ab, 0, rows - 1).conj().T
    return matrices.from_lower(a)


def _plain(rng, n, l, u, dtype):  # noqa: E741
    return _random(rng, (l + u + 1, n), dtype)


def _dominant(rng, n, l, u, dtype):  # noqa: E741
    ab = _random(rng, (l + u + 1, n), dtype)
    ab[u] += 3 * (l + u + 1)
    return ab


def _graded(rng, n, l, u, dtype):  # noqa: E741
    """Rows of `ab` times powers of ten; columns of very different size."""
    return _random(rng, (l + u + 1, n), dtype) * (10.0 ** rng.integers(-4, 5, n)).astype(matrices.real_dtype(dtype))


def _small_pivots(rng, n, l, u, dtype):  # noqa: E741
    ab = _random(rng, (l + u + 1, n), dtype)
    if l + u:
        ab[u] *= 1e-3
    return ab


def _integers(rng, n, l, u, dtype):  # noqa: E741
    """Small integers, many zeros among them, and no zero in the diagonal that is the lowest but one."""
    ab = rng.integers(-2, 3, (l + u + 1, n)).astype(dtype)
    ab[u] = rng.integers(3, 9, n)
    return ab


def _random(rng, shape, dtype):
    a = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        a = a + 1j * rng.standard_normal(shape)
    return a.astype(dtype)


# Functions of a generator, an order, the numbers of diagonals and a dtype that make the diagonals of a matrix.
KINDS = {
    "random": _plain,
    "dominant": _dominant,
    "graded": _graded,
    "small pivots": _small_pivots,
    "integers": _integers,
}


def definite(rng, n, rows, dtype, lower):
    """Diagonals of one triangle of a diagonally dominant Hermitian matrix."""
    ab = _random(rng, (rows, n), dtype)
    main = 0 if lower else rows - 1
    ab[main] = np.abs(ab[main]) + 3 * rows
    return ab


def residual(a, x, b):
    """|A X - B|_F / (m eps |A|_F |X|_F), m = max(n, 8)."""
    wide = np.result_type(a.dtype, x.dtype, np.complex128)
    a, y, b = a.astype(wide), np.asarray(x).astype(wide), np.asarray(b).astype(wide)
    error = np.linalg.norm(a @ y - b)
    if error == 0:
        return 0.0
    scale = residuals.divisor(len(a)) * residuals.eps(x.dtype) * np.linalg.norm(a) * np.linalg.norm(y)
    return float(error / scale)


class Comparison:
    """Residuals of this library's solutions and of SciPy's for the same systems."""

    FLOOR = 0.05  # of a mean: below it differences are noise
    FACTOR = 1.5

    def __init__(self, limit):
        self.limit, self.ours, self.theirs = limit, [], []

    def note(self, a, ours, theirs, b):
        assert ours.shape == theirs.shape
        self.ours.append(residual(a, ours, b))
        self.theirs.append(residual(a, theirs.astype(ours.dtype), b))
        assert self.ours[-1] <= max(self.limit, self.FACTOR * self.theirs[-1]), (a.shape, a.dtype, self.ours[-1])

    def check(self):
        """On the average ours are at most half as large again."""
        assert np.mean(self.ours) <= self.FACTOR * np.mean(self.theirs) + self.FLOOR
