"""Test matrices, all from fixed seeds, and the memory layouts they are handed over in."""

import ml_dtypes
import numpy as np

DTYPES = ("float32", "float64", "complex64", "complex128")
# Both sides of block sizes, and the empty and tiny orders.
SIZES = (0, 1, 2, 3, 5, 16, 31, 32, 33, 63, 64, 65, 127, 128, 129, 200)
LARGE = 500


def real_dtype(dtype):
    return np.finfo(dtype).dtype


def random(shape, dtype, seed=0):
    """Independent standard normal elements, in both parts if `dtype` is complex."""
    rng = np.random.default_rng([seed, *np.atleast_1d(shape)])
    a = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        a = a + 1j * rng.standard_normal(shape)
    return a.astype(dtype)


def from_lower(a):
    """The Hermitian matrices that have the lower triangles of `a` and the real parts of its diagonals."""
    low = np.tril(a, -1)
    diagonal = np.zeros_like(a)
    np.einsum("...ii->...i", diagonal)[...] = np.einsum("...ii->...i", a).real
    return low + low.conj().swapaxes(-1, -2) + diagonal


def hermitian(n, dtype, seed=0, batch=()):
    return from_lower(random((*batch, n, n), dtype, seed))


def positive_definite(n, dtype, seed=0, batch=()):
    """``G G^H / n + I``: the condition number is about 5."""
    wide = np.result_type(dtype, np.float64)
    g = random((*batch, n, n), wide, seed)
    return from_lower((g @ g.conj().swapaxes(-1, -2) / max(n, 1) + np.eye(n)).astype(dtype))


def unitary(n, dtype, seed=0):
    wide = np.result_type(dtype, np.float64)
    return np.linalg.qr(random((n, n), wide, seed))[0]


def with_spectrum(w, dtype, seed=0):
    """A Hermitian matrix with the eigenvalues `w`, up to rounding."""
    q = unitary(len(w), dtype, seed)
    return from_lower(((q * w) @ q.conj().T).astype(dtype))


def with_phases(a, dtype):
    """The real symmetric `a` in `dtype`; if that is complex, ``D A D^H`` with random phases D."""
    if np.dtype(dtype).kind != "c":
        return a.astype(dtype)
    phases = np.exp(2j * np.pi * np.random.default_rng(len(a)).random(len(a)))
    return from_lower((a * np.outer(phases, phases.conj())).astype(dtype))


def tridiagonal(diagonal, off_diagonal):
    return np.diag(np.asarray(diagonal, float)) + np.diag(off_diagonal, 1) + np.diag(off_diagonal, -1)


def wilkinson(n):
    """W_n^+ (J. H. Wilkinson, The Algebraic Eigenvalue Problem, 1965, chapter 5), with close pairs of eigenvalues."""
    return tridiagonal(np.abs(np.arange(n) - (n - 1) / 2), np.ones(n - 1))


def clement(n):
    """The symmetric form of Clement's matrix (SIAM Review 1, 1959); its eigenvalues are n-1, n-3, ..., 1-n."""
    k = np.arange(1, n)
    return tridiagonal(np.zeros(n), np.sqrt(k * (n - k)))


def hilbert(n):
    return 1 / (np.add.outer(np.arange(n), np.arange(n)) + 1.0)


def _graded(n):
    d = 10 ** (-8 * np.arange(n) / max(n - 1, 1))
    return hermitian(n, "float64", 1) * np.outer(d, d)


def _low_rank(n):
    g = random((n, max(1, n // 4)), "float64", 2)
    return from_lower(g @ g.T)


def _two_clusters(n):
    spread = 1e-14 * np.arange(n)
    return with_spectrum(np.where(np.arange(n) < n // 2, 1 + spread, 2 + spread), "float64", 3)


def _diagonal_plus_rank_one(n):
    z = random(n, "float64", 4)
    return np.diag(np.arange(n, dtype=float)) + np.outer(z, z)


def _coupled_wilkinson(n):
    half = n // 2
    return np.kron(np.eye(2), wilkinson(half)) + 1e-14 * (np.eye(n, k=half) + np.eye(n, k=-half))


def _glued_wilkinson(n):
    """Copies of W_21^+, the last one cut off, coupled by 1e-10."""
    order = 21
    i = np.arange(n)
    off_diagonal = np.where((i + 1) % order == 0, 1e-10, 1.0)[: n - 1]
    return tridiagonal(np.abs(i % order - (order - 1) / 2), off_diagonal)


def _arrow(n):
    a = np.diag(np.arange(n, dtype=float))
    a[0, 1:] = a[1:, 0] = 1
    return a


# Real symmetric matrices of any even order.
SYMMETRIC = {
    "clustered": _two_clusters,
    "one cluster": lambda n: np.eye(n) + 1e-15 * hermitian(n, "float64", 5),
    "graded downwards": _graded,
    "graded upwards": lambda n: _graded(n)[::-1, ::-1].copy(),
    "rank deficient": _low_rank,
    "zero": lambda n: np.zeros((n, n)),
    "identity": np.eye,
    "ones": lambda n: np.ones((n, n)),
    "diagonal": lambda n: np.diag(random(n, "float64", 6)),
    "tridiagonal": lambda n: tridiagonal(np.full(n, 2.0), np.full(n - 1, -1.0)),
    "random tridiagonal": lambda n: tridiagonal(random(n, "float64", 7), random(n - 1, "float64", 8)),
    "Wilkinson": wilkinson,
    "two coupled Wilkinson": _coupled_wilkinson,
    "glued Wilkinson": _glued_wilkinson,
    "Clement": clement,
    "geometric spectrum": lambda n: with_spectrum(np.geomspace(1e-16, 1, n), "float64", 9),
    "half equal": lambda n: with_spectrum(np.maximum(np.arange(n) - n // 2, 0), "float64", 17),
    "Hilbert": hilbert,
    "Hadamard x identity": lambda n: np.kron([[1.0, 1.0], [1.0, -1.0]], np.eye(n // 2)),
    "diagonal plus rank one": _diagonal_plus_rank_one,
    "arrow": _arrow,
    "reversal": lambda n: np.eye(n)[::-1].copy(),
}


def cyclic(n):
    """The permutation whose eigenvalues are the n-th roots of unity; a plain QR step reproduces it."""
    return np.roll(np.eye(n), 1, axis=0)


def grcar(n):
    """Grcar's Toeplitz matrix (Sandia report 89-8691): -1 below the diagonal, 1 on it and on three above it."""
    return sum(np.eye(n, k=k) for k in range(4)) - np.eye(n, k=-1)


def frank(n):
    """Frank's Hessenberg matrix (J. SIAM 6, 1958) with determinant 1 and ill-conditioned small eigenvalues."""
    i, j = np.indices((n, n))
    return np.where(j >= i - 1, n - np.maximum(i, j), 0).astype(float)


def companion(n):
    return np.eye(n, k=-1) + np.pad(random((1, n), "float64", 10), ((0, n - 1), (0, 0)))


def quasi_triangular(n):
    """A real Schur form: standardized 2 x 2 blocks and 1 x 1 blocks in turn."""
    t = np.triu(random((n, n), "float64", 11))
    for i in range(0, n - 1, 3):
        t[i + 1, i + 1] = t[i, i]
        t[i + 1, i] = -np.copysign(1.5, t[i, i + 1])
    return t


def day(n):
    """Blocks on which EISPACK's QR iteration fails (D. Day, Sandia report 96-0913J)."""
    h = 1e-6
    block = np.array([[0, 1, 0, 0], [1, 0, h, 0], [0, -h, 0, 1], [0, 0, 1, 0]])
    return np.kron(np.eye(-(-n // 4)), block)[:n, :n]


def _graded_general(n):
    d = 10 ** (-6 * np.arange(n) / max(n - 1, 1))
    return random((n, n), "float64", 12) * np.outer(d, d)


def _skew(n):
    low = np.tril(random((n, n), "float64", 13), -1)
    return low - low.T


# Real square matrices of any order.
GENERAL = {
    "cyclic": cyclic,
    "cyclic, transposed": lambda n: cyclic(n).T.copy(),
    "permutation": lambda n: np.eye(n)[np.random.default_rng(n).permutation(n)],
    "Grcar": grcar,
    "Frank": frank,
    "Frank, transposed": lambda n: frank(n).T.copy(),
    "companion": companion,
    "Jordan": lambda n: 2 * np.eye(n) + np.eye(n, k=1),
    "Jordan, transposed": lambda n: 2 * np.eye(n) + np.eye(n, k=-1),
    "skew": _skew,
    "orthogonal": lambda n: unitary(n, "float64", 14),
    "graded downwards": _graded_general,
    "graded upwards": lambda n: _graded_general(n)[::-1, ::-1].copy(),
    "triangular": lambda n: np.triu(random((n, n), "float64", 15)),
    "lower triangular": lambda n: np.tril(random((n, n), "float64", 16)),
    "quasi-triangular": quasi_triangular,
    "symmetric": lambda n: hermitian(n, "float64", 17),
    "uniform": lambda n: np.random.default_rng(n).random((n, n)),
    "signs": lambda n: np.random.default_rng(n).integers(-1, 2, (n, n)).astype(float),
    "low rank": lambda n: random((n, 2), "float64", 18) @ random((2, n), "float64", 19),
    "nilpotent": lambda n: np.eye(n, k=-1),
    "zero": lambda n: np.zeros((n, n)),
    "identity": np.eye,
    "ones": lambda n: np.ones((n, n)),
    "zero diagonal": lambda n: random((n, n), "float64", 20) * (1 - np.eye(n)),
    "Clement": lambda n: np.diag(np.arange(1.0, n), 1) + np.diag(np.arange(n - 1.0, 0, -1), -1),
    "Day": day,
}

POISON = 0xA5  # fills the memory around an array, to see whether it is touched


def _poisoned(nbytes):
    return np.full(nbytes, POISON, np.uint8)


def _spread(a, step, reverse):
    """`a` in the middle of poisoned memory, every step-th element of each of its last two dimensions."""
    *lead, m, n = a.shape
    memory = _poisoned(int(np.prod(lead)) * (m * step + 2) * (n * step + 2) * a.itemsize)
    whole = memory.view(a.dtype).reshape(*lead, m * step + 2, n * step + 2)
    view = whole[..., 1 : 1 + m * step : step, 1 : 1 + n * step : step]
    if reverse:
        view = view[..., ::-1, ::-1]
    view[...] = a
    return view, memory


def _at_odd_address(a):
    memory = _poisoned(a.nbytes + 17)
    view = memory[1 : 1 + a.nbytes].view(a.dtype).reshape(a.shape)
    view[...] = a
    return view, memory


def _field(a):
    """A field of a record array: the strides are no multiples of the item size."""
    records = np.zeros(a.shape, [("flag", "i1"), ("value", a.dtype)])
    records["value"] = a
    return records["value"], records.reshape(-1).view(np.uint8)


def _own(a, order):
    view = np.array(a, order=order)
    return view, view.reshape(-1, order="A").view(np.uint8)


def _read_only(a):
    view, memory = _own(a, "C")
    view.flags.writeable = False
    return view, memory


def _swapped(a):
    view = a.astype(a.dtype.newbyteorder("S"))
    return view, view.reshape(-1).view(np.uint8)


class Subclass(np.ndarray):
    """A subclass that results must not inherit."""


def _subclass(kind):
    def make(a):
        view, memory = _own(a, "C")
        return view.view(kind), memory

    return make


# Ways to lay out a matrix. Each returns an array of the same values and the bytes of all memory behind it.
LAYOUTS = {
    "C": lambda a: _own(a, "C"),
    "F": lambda a: _own(a, "F"),
    "padded rows": lambda a: _spread(a, 1, False),
    "strided": lambda a: _spread(a, 3, False),
    "negative strides": lambda a: _spread(a, 1, True),
    "negative strided": lambda a: _spread(a, 2, True),
    "read-only": _read_only,
    "other byte order": _swapped,
    "odd address": _at_odd_address,
    "record field": _field,
    "matrix": _subclass(np.matrix),
    "subclass": _subclass(Subclass),
}

# The types that are computed in float32 and cast back.
SHORT_DTYPES = (np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16))
