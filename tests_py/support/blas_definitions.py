"""The functions of trnsci.blas by definition, in extended precision, and the limits within which results must agree.

A definition applied to the moduli of its arguments bounds every sum of products from above: with inner dimension k a
result may be wrong by a few (k + 2) eps times that (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed.,
section 3.5).
"""

from itertools import product

import matrices
import numpy as np
import residuals
from trnsci import blas

ALPHA, BETA = 1.5, -0.75
COMPLEX_ALPHA, COMPLEX_BETA = 1.5 - 0.5j, -0.75 + 0.25j
# Units of (k + 2) eps that complex arithmetic and the scalars may cost.
FACTOR = 4

UPLOS = ("upper", "lower")
DIAGS = ("nonunit", "unit")
ALL_TRANS = (False, True, "C")


def op(a, trans):
    if trans == "C":
        return a.conj().swapaxes(-1, -2)
    return a.swapaxes(-1, -2) if trans in (True, "T") else a


def triangle(a, uplo, diag="nonunit"):
    k = 0 if diag == "nonunit" else 1
    part = np.triu(a, k) if uplo == "upper" else np.tril(a, -k)
    return part + np.eye(a.shape[-1], dtype=a.dtype) if diag == "unit" else part


def symmetric(a, uplo):
    strict = triangle(a, uplo) - triangle(a, uplo) * np.eye(a.shape[-1])
    return triangle(a, uplo) + strict.swapaxes(-1, -2)


def hermitian(a, uplo):
    diagonal = triangle(a, uplo) * np.eye(a.shape[-1])
    strict = triangle(a, uplo) - diagonal
    return strict + diagonal.real + strict.conj().swapaxes(-1, -2)


def _gemm(p):
    return p.alpha * op(p.A, p.transA) @ op(p.B, p.transB) + (p.beta * p.C if p.beta else 0)


def _gemmt(p):
    return triangle(
        p.alpha * op(p.A, p.transA) @ op(p.B, p.transB) + (p.beta * triangle(p.C, p.uplo) if p.beta else 0), p.uplo
    )


def _symm(whole):
    def define(p):
        a = whole(p.A, p.uplo)
        return p.alpha * (a @ p.B if p.side == "left" else p.B @ a) + (p.beta * p.C if p.beta else 0)

    return define


def _rank_k(whole):
    def define(p):
        conjugate = np.conj if whole is hermitian else np.positive
        a = p.A if p.trans is False else conjugate(p.A.swapaxes(-1, -2))
        b = a if p.B is None else p.B if p.trans is False else conjugate(p.B.swapaxes(-1, -2))
        update = p.alpha * a @ conjugate(b.swapaxes(-1, -2))
        if p.B is not None:
            update = update + conjugate(p.alpha) * b @ conjugate(a.swapaxes(-1, -2))
        return update + (p.beta * whole(p.C, p.uplo) if p.beta else 0)

    return define


def _rank_1(whole):
    def define(p):
        conjugate = np.conj if whole is hermitian else np.positive
        y = p.x if p.y is None else p.y
        update = p.alpha * np.outer(p.x, conjugate(y))
        if p.y is not None:
            update = update + conjugate(p.alpha) * np.outer(y, conjugate(p.x))
        return update + whole(p.A, p.uplo)

    return define


def _multiply_triangle(p):
    a = op(triangle(p.A, p.uplo, p.diag), p.trans)
    if p.B is None:
        return a @ p.x
    return p.alpha * (a @ p.B if p.side == "left" else p.B @ a)


def _symv(whole):
    return lambda p: p.alpha * whole(p.A, p.uplo) @ p.x + (p.beta * p.y if p.beta else 0)


DEFINITIONS = {
    "axpy": lambda p: p.alpha * p.x + p.y,
    "scal": lambda p: p.alpha * p.x,
    "dot": lambda p: (p.x * p.y).sum(),
    "vdot": lambda p: (p.x.conj() * p.y).sum(),
    "nrm2": lambda p: np.sqrt((p.x * p.x.conj()).real.sum()),
    "asum": lambda p: (abs(p.x.real) + abs(p.x.imag)).sum(),
    "gemv": lambda p: p.alpha * op(p.A, p.trans) @ p.x + (p.beta * p.y if p.beta else 0),
    "symv": _symv(symmetric),
    "hemv": _symv(hermitian),
    "trmv": _multiply_triangle,
    "trsv": _multiply_triangle,
    "ger": lambda p: p.alpha * np.outer(p.x, p.y) + p.A,
    "gerc": lambda p: p.alpha * np.outer(p.x, p.y.conj()) + p.A,
    "syr": _rank_1(symmetric),
    "her": _rank_1(hermitian),
    "syr2": _rank_1(symmetric),
    "her2": _rank_1(hermitian),
    "gemm": _gemm,
    "gemmt": _gemmt,
    "symm": _symm(symmetric),
    "hemm": _symm(hermitian),
    "syrk": _rank_k(symmetric),
    "herk": _rank_k(hermitian),
    "syr2k": _rank_k(symmetric),
    "her2k": _rank_k(hermitian),
    "trmm": _multiply_triangle,
    "trsm": _multiply_triangle,
}
SCALAR_RESULTS = ("dot", "vdot", "nrm2", "asum")
SOLVES = {"trsv": "x", "trsm": "B"}  # what the solution takes the place of
# What `out` may be, or what stands in the place of the result at first.
STARTS = {
    **dict.fromkeys(("axpy", "gemv", "symv", "hemv"), "y"),
    **dict.fromkeys(("scal", "trmv", "trsv"), "x"),
    **dict.fromkeys(("ger", "gerc", "syr", "her", "syr2", "her2"), "A"),
    **dict.fromkeys(("gemm", "gemmt", "symm", "hemm", "syrk", "herk", "syr2k", "her2k"), "C"),
    **dict.fromkeys(("trmm", "trsm"), "B"),
}
REAL_ALPHA, REAL_BETA = ("her", "herk"), ("herk", "her2k")
NO_ALPHA = ("dot", "vdot", "nrm2", "asum", "trmv", "trsv")
WITH_BETA = ("gemv", "symv", "hemv", "gemm", "gemmt", "symm", "hemm", "syrk", "herk", "syr2k", "her2k")
TRIANGLES_OF_START = ("syr", "her", "syr2", "her2", "syrk", "herk", "syr2k", "her2k", "gemmt")
LEVEL1 = ("axpy", "scal", *SCALAR_RESULTS)
LEVEL2 = ("gemv", "symv", "hemv", "trmv", "trsv", "ger", "gerc", "syr", "her", "syr2", "her2")
LEVEL3 = ("gemm", "gemmt", "symm", "hemm", "syrk", "herk", "syr2k", "her2k", "trmm", "trsm")


def variants(name):
    """Every combination of flags that the function has."""
    trans = {"herk": (False, "C"), "her2k": (False, "C"), "syrk": (False, True), "syr2k": (False, True)}.get(
        name, ALL_TRANS
    )
    choices = {}
    if name in ("gemm", "gemmt"):
        choices.update(transA=trans, transB=trans)
    if name in ("symm", "hemm", "trmm", "trsm"):
        choices.update(side=("left", "right"))
    if name not in (*LEVEL1, "gemv", "gemm", "ger", "gerc"):
        choices.update(uplo=UPLOS)
    if name in ("gemv", "trmv", "trsv", "trmm", "trsm", "syrk", "herk", "syr2k", "her2k"):
        choices.update(trans=trans)
    if name in ("trmv", "trsv", "trmm", "trsm"):
        choices.update(diag=DIAGS)
    return [dict(zip(choices, values, strict=True)) for values in product(*choices.values())]


def _shapes(name, m, n, k, flags):
    turn = [s for s in ("transA", "transB", "trans") if flags.get(s, False) is not False]
    flip = lambda shape, flag: shape[::-1] if flag in turn else shape  # noqa: E731
    order = m if flags.get("side") == "left" else n
    return {
        "axpy": {"x": (n,), "y": (n,)},
        "scal": {"x": (n,)},
        "nrm2": {"x": (n,)},
        "asum": {"x": (n,)},
        "dot": {"x": (n,), "y": (n,)},
        "vdot": {"x": (n,), "y": (n,)},
        "gemv": {"A": flip((m, n), "trans"), "x": (n,), "y": (m,)},
        "symv": {"A": (n, n), "x": (n,), "y": (n,)},
        "trmv": {"A": (n, n), "x": (n,)},
        "ger": {"x": (m,), "y": (n,), "A": (m, n)},
        "syr": {"x": (n,), "A": (n, n)},
        "syr2": {"x": (n,), "y": (n,), "A": (n, n)},
        "gemm": {"A": flip((m, k), "transA"), "B": flip((k, n), "transB"), "C": (m, n)},
        "gemmt": {"A": flip((n, k), "transA"), "B": flip((k, n), "transB"), "C": (n, n)},
        "symm": {"A": (order, order), "B": (m, n), "C": (m, n)},
        "syrk": {"A": flip((n, k), "trans"), "C": (n, n)},
        "syr2k": {"A": flip((n, k), "trans"), "B": flip((n, k), "trans"), "C": (n, n)},
        "trmm": {"A": (order, order), "B": (m, n)},
    }[_SAME_SHAPES.get(name, name)]


_SAME_SHAPES = {
    "hemv": "symv", "trsv": "trmv", "gerc": "ger", "her": "syr", "her2": "syr2", "hemm": "symm", "herk": "syrk",
    "her2k": "syr2k", "trsm": "trmm",
}  # fmt: skip


def _poison(a, uplo, diag="nonunit"):
    """NaNs where the function must not read."""
    unread = triangle(np.ones(a.shape[-2:], bool), uplo, "nonunit") == 0
    if diag == "unit":
        unread |= np.eye(a.shape[-1], dtype=bool)
    a[..., unread] = np.nan


class Call:
    """One call of a function: its arrays, which can be replaced by others of the same values, its flags and scalars."""

    def __init__(self, name, dtype, m=6, n=9, k=7, flags=None, beta=True, batch=()):
        self.name, self.flags, self.k = name, variants(name)[0] if flags is None else flags, max(m, n, k)
        self.arrays = {
            a: matrices.random((*batch, *shape), dtype, seed)
            for seed, (a, shape) in enumerate(_shapes(name, m, n, k, self.flags).items())
        }
        is_complex = np.dtype(dtype).kind == "c"
        self.scalars = {}
        if name not in NO_ALPHA:
            self.scalars["alpha"] = COMPLEX_ALPHA if is_complex and name not in REAL_ALPHA else ALPHA
        if name in WITH_BETA:
            self.scalars["beta"] = (COMPLEX_BETA if is_complex and name not in REAL_BETA else BETA) if beta else 0
        self._poison()
        self.exact = {a: np.array(x) for a, x in self.arrays.items()}

    def _poison(self):
        uplo = self.flags.get("uplo")
        if uplo and self.name not in TRIANGLES_OF_START:
            a = self.arrays["A"]
            order = a.shape[-1]
            a[...] = a / max(order, 1)
            a[..., range(order), range(order)] += 2  # well-conditioned
            _poison(a, uplo, self.flags.get("diag", "nonunit"))
        if self.name in TRIANGLES_OF_START:
            _poison(self.arrays[STARTS[self.name]], uplo)
        if self.scalars.get("beta") == 0:
            self.arrays[STARTS[self.name]][...] = np.nan

    def __call__(self, **more):
        return getattr(blas, self.name)(**self.scalars, **self.arrays, **self.flags, **more)

    def _define(self, of, **replaced):
        values = {"alpha": 1, "beta": 0, **self.scalars, **self.exact, **replaced}
        values = {key: of(np.asarray(x)) for key, x in values.items()}
        missing = dict.fromkeys(("A", "B", "C", "x", "y"))
        return DEFINITIONS[self.name](type("Arguments", (), {**missing, **values, **self.flags}))

    def check(self, result):
        """The result is right, within the limit for its dtype."""
        dtype = np.result_type(*self.exact.values())
        wanted = dtype.type(0).real.dtype if self.name in ("nrm2", "asum") else dtype
        assert result.dtype == wanted
        if self.name in SOLVES:
            unknown = SOLVES[self.name]
            right = np.broadcast_to(self.scalars.get("alpha", 1) * _wide(self.exact[unknown]), result.shape)
            got, replaced = self._define(_wide, alpha=1, **{unknown: result}), {"alpha": 1, unknown: result}
        else:
            right, got, replaced = self._define(_wide), _wide(result), {}
        size = self._define(_modulus, **replaced)
        assert got.shape == right.shape
        limit = FACTOR * (self.k + 2) * residuals.eps(dtype) * size
        difference = abs(got - right)
        assert (difference <= limit).all(), f"error {(difference / np.where(limit, limit, 1)).max()} of the limit"


def _wide(a):
    return a.astype(np.clongdouble if a.dtype.kind == "c" else np.longdouble)


def _modulus(a):
    return abs(a.real).astype(np.longdouble) + abs(a.imag)


def vector_layouts(layout, x):
    """`x` in a layout of `matrices.LAYOUTS`, and the memory behind it."""
    view, memory = matrices.LAYOUTS[layout](x[None])
    return view[0], memory


def laid_out(layout, a):
    return vector_layouts(layout, a) if a.ndim == 1 else matrices.LAYOUTS[layout](a)
