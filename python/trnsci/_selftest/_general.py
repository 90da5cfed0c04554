"""General matrices and pairs of matrices: Schur forms, eigenvectors, matrix equations."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .. import linalg
from .._core._array import Array
from ._case import GENERAL_LIMIT, HERMITIAN_LIMIT, ORDER, REAL, Case, Checks, Measured, norm, wide

CHECKS = Checks()

_EQUATION_LIMIT = 8.0
_SMALL_LIMIT = 10.0  # of relative errors of a problem of order 2


def _form(case: Case, name: str, a: Array, t: Array, z: Array) -> Iterator[Measured]:
    factor = wide(z)
    yield Measured(f"{name}: A - Z T Z^H", case.in_eps(factor @ t @ factor.conj().T - a, norm(a)), GENERAL_LIMIT)
    yield Measured(f"{name}: Z^H Z - I", case.identity_error(z), GENERAL_LIMIT)


@CHECKS.add()
def _schur(case: Case) -> Iterator[Measured]:
    a = case.general()
    t, z = linalg.schur(a)
    yield from _form(case, "schur", a, t, z)
    yield from _form(case, "rsf2csf", a, *linalg.rsf2csf(t, z))
    t, z, count = linalg.schur(a, "complex", sort="lhp")
    yield from _form(case, "schur, sorted", a, t, z)
    left = np.diag(t).real < 0
    misplaced = int(np.count_nonzero(~left[:count]) + np.count_nonzero(left[count:]))
    yield Measured("schur, sorted: eigenvalues misplaced", misplaced, 0.0)
    h, q = linalg.hessenberg(a, calc_q=True)
    yield from _form(case, "hessenberg", a, h, q)


@CHECKS.add()
def _triangles(case: Case) -> Iterator[Measured]:
    a = case.general()
    q, r, p = linalg.qr(a, pivoting=True)
    yield from _product(case, "qr, pivoting", a[:, p], wide(q) @ r, q)
    q, r = linalg.qr(a)
    yield from _product(case, "qr", a, wide(q) @ r, q)
    product, r = linalg.qr_multiply(a, np.eye(ORDER, dtype=case.dtype))
    yield from _product(case, "qr_multiply", a, wide(product) @ r, product)
    r, q = linalg.rq(a)
    yield from _product(case, "rq", a, wide(r) @ q, q)


def _product(case: Case, name: str, a: Array, product: Array, q: Array) -> Iterator[Measured]:
    yield Measured(f"{name}: A - product of the factors", case.in_eps(product - a, norm(a)), HERMITIAN_LIMIT)
    yield Measured(f"{name}: Q^H Q - I", case.identity_error(q), HERMITIAN_LIMIT)


@CHECKS.add()
def _condition(case: Case) -> Iterator[Measured]:
    t = np.array([[3, 4], [0, 1]], case.dtype)
    s, sep = linalg.schur_condition(t, 1)
    # With the solution r of 3 r - r 1 = 4, s is 1/sqrt(1 + r^2) and sep is 3 - 1.
    yield Measured("schur_condition: s and sep", max(case.relative(s, 5**-0.5), case.relative(sep, 2.0)), _SMALL_LIMIT)


@CHECKS.add()
def _balance(case: Case) -> Iterator[Measured]:
    scales = 2.0 ** case.rng.integers(-9, 9, ORDER)
    a = (case.general() * scales / scales[:, None]).astype(case.dtype)
    b, t = linalg.matrix_balance(a)
    yield Measured(
        "matrix_balance: T B - A T", case.in_eps(t @ wide(b) - wide(a) @ t, np.linalg.norm(wide(a) @ t)), 0.0
    )
    growth = norm(b) / norm(a)
    yield Measured("matrix_balance: norm(B) / norm(A)", growth, 1.0)


@CHECKS.add()
def _eig(case: Case) -> Iterator[Measured]:
    a = case.general()
    w, left, right = linalg.eig(a, left=True)
    for name, matrix, values, v in (("eig", a, w, right), ("eig, left", a.conj().T, w.conj(), left)):
        vectors = wide(v)
        yield Measured(
            f"{name}: A V - V W", case.in_eps(wide(matrix) @ vectors - vectors * values, norm(a)), GENERAL_LIMIT
        )
    cycle = np.roll(np.eye(ORDER, dtype=case.dtype), 1, axis=0)
    distances = np.abs(linalg.eigvals(cycle)[:, None] - np.exp(2j * np.pi * np.arange(ORDER) / ORDER))
    nearest = np.maximum(
        distances.min(axis=0), distances.min(axis=1)
    )  # each root has its eigenvalue and each eigenvalue its root
    yield Measured("eigvals: roots of unity", case.in_eps(nearest), GENERAL_LIMIT)


@CHECKS.add()
def _pencil(case: Case) -> Iterator[Measured]:
    a, b = case.general(), case.general()
    w, v = linalg.eig(a, b, homogeneous_eigvals=True)
    (alpha, beta), vectors = wide(w), wide(v)
    length = np.hypot(abs(alpha), abs(beta))
    residual = (wide(a) @ vectors * beta - wide(b) @ vectors * alpha) / length
    yield Measured("eig(a, b): A V beta - B V alpha", case.in_eps(residual, norm(a) + norm(b)), GENERAL_LIMIT)
    yield from _generalized_form(case, "qz", a, b, *linalg.qz(a, b))
    s, t, alpha, beta, q, z = linalg.ordqz(a, b, sort="iuc")
    yield from _generalized_form(case, "ordqz", a, b, s, t, q, z)
    inside = np.abs(alpha) < np.abs(beta)
    misplaced = int(np.count_nonzero(np.diff(inside.astype(int)) > 0))
    yield Measured("ordqz: eigenvalues misplaced", misplaced, 0.0)


def _generalized_form(
    case: Case, name: str, a: Array, b: Array, s: Array, t: Array, q: Array, z: Array
) -> Iterator[Measured]:
    left, right = wide(q), wide(z).conj().T
    worst = max(case.in_eps(left @ form @ right - matrix, norm(matrix)) for form, matrix in ((s, a), (t, b)))
    yield Measured(f"{name}: A - Q S Z^H, B - Q T Z^H", worst, HERMITIAN_LIMIT)
    orthogonality = max(case.identity_error(q), case.identity_error(z))
    yield Measured(f"{name}: Q^H Q - I, Z^H Z - I", orthogonality, HERMITIAN_LIMIT)


@CHECKS.add()
def _equations(case: Case) -> Iterator[Measured]:
    a, b, q = (case.general() for _ in range(3))
    wide_a, size = wide(a), float(np.linalg.norm(a))
    x = wide(linalg.solve_sylvester(a, b, q))
    scale = (size + np.linalg.norm(b)) * np.linalg.norm(x)
    yield Measured("solve_sylvester: A X + X B - Q", case.in_eps(wide_a @ x + x @ b - q, scale), _EQUATION_LIMIT)
    for name in ("solve_continuous_lyapunov", "solve_lyapunov"):
        x = wide(getattr(linalg, name)(a, q))
        residual = wide_a @ x + x @ wide_a.conj().T - q
        yield Measured(f"{name}: A X + X A^H - Q", case.in_eps(residual, 2 * size * np.linalg.norm(x)), _EQUATION_LIMIT)
    x = wide(linalg.solve_discrete_lyapunov(a, q))
    residual = wide_a @ x @ wide_a.conj().T - x + q
    scale = (size**2 + 1) * np.linalg.norm(x)
    yield Measured("solve_discrete_lyapunov: A X A^H - X + Q", case.in_eps(residual, scale), _EQUATION_LIMIT)


@CHECKS.add()
def _riccati(case: Case) -> Iterator[Measured]:
    a, b, e, s = ((case.general() / case.dtype.type(ORDER**0.5)).astype(case.dtype) for _ in range(4))
    q, r = case.positive(), case.positive()
    e, s = e + 2 * np.eye(ORDER, dtype=case.dtype), s / 8
    for name in ("solve_continuous_are", "solve_discrete_are"):
        x = wide(getattr(linalg, name)(a, b, q, r, e, s))
        if name == "solve_continuous_are":
            outer, inner, weight = wide(e).conj().T @ x, wide(a), wide(r)
            terms = [outer @ inner, (outer @ inner).conj().T]
        else:
            outer, inner, weight = wide(a).conj().T @ x, wide(a), wide(r) + wide(b).conj().T @ x @ b
            terms = [outer @ inner, -wide(e).conj().T @ x @ e]
        feedback = outer @ b + s
        terms += [-feedback @ np.linalg.solve(weight, feedback.conj().T), wide(q)]
        scale = np.sum(np.linalg.norm(terms, axis=(1, 2)))
        yield Measured(f"{name}: residual", case.in_eps(np.sum(terms, axis=0), scale), _EQUATION_LIMIT)


@CHECKS.add()
def _elements(case: Case) -> Iterator[Measured]:
    a = case.hermitian()
    band = np.triu(np.tril(a, 3), -7)
    widths = np.array(linalg.bandwidth(band))
    yield Measured("bandwidth: deviation", np.abs(widths - (7, 3)).sum(), 0.0)
    symmetric = a + a.T
    answers = linalg.ishermitian(a), linalg.issymmetric(symmetric), linalg.ishermitian(band), linalg.issymmetric(band)
    wrong = np.abs(np.array(answers, int) - (1, 1, 0, 0)).sum()
    yield Measured("ishermitian, issymmetric: wrong answers", wrong, 0.0)
    # Of a matrix of signs that is orthogonal up to a factor, all singular values are that factor.
    signs = np.array([[1, 1], [1, -1]], case.dtype)
    norms = [linalg.norm(signs, kind) for kind in (None, 1, np.inf, 2, -2, "nuc")]
    error = case.relative(np.array(norms), np.array([2, 2, 2, 2**0.5, 2**0.5, 8**0.5]))
    yield Measured("norm: a matrix of signs", error, _SMALL_LIMIT)
    product, first, second = linalg.khatri_rao(a, band), wide(a), wide(band)
    exact = np.einsum("ik,jk->ijk", first, second).reshape(product.shape)
    yield Measured("khatri_rao", case.in_eps(wide(product) - exact, np.linalg.norm(exact)), 1.0)


@CHECKS.add(REAL)
def _real_pairs(case: Case) -> Iterator[Measured]:
    # A rotation by 120 degrees, whose Schur form has a 2 x 2 block for the pair of eigenvalues.
    half, root = -0.5, np.sqrt(0.75)
    t, z = linalg.schur(np.array([[half, root], [-root, half]], case.dtype))
    trace, determinant = t[0, 0] + t[1, 1], t[0, 0] * t[1, 1] - t[0, 1] * t[1, 0]
    error = max(
        case.relative(trace, -1.0), case.relative(determinant, 1.0), case.relative(abs(np.linalg.det(wide(z))), 1.0)
    )
    yield Measured("schur: trace and determinant of a rotation", error, _SMALL_LIMIT)
    a = case.general()
    form, vectors = map(wide, linalg.cdf2rdf(*linalg.eig(a)))
    residual = wide(a) @ vectors - vectors @ form
    yield Measured("cdf2rdf: A V - V W", case.in_eps(residual, norm(a) * np.linalg.norm(vectors)), GENERAL_LIMIT)


@CHECKS.add()
def _linear_systems(case: Case) -> Iterator[Measured]:
    a, b = case.general(), case.general()
    p, lower, upper = linalg.lu(a)
    yield Measured("lu: A - P L U", case.in_eps(wide(p) @ wide(lower) @ wide(upper) - a, norm(a)), GENERAL_LIMIT)
    yield from _changed_factors(case, a, b)
    symmetric = a + a.conj().T
    left, middle, _ = map(wide, linalg.ldl(symmetric))
    residual = left @ middle @ left.conj().T - symmetric
    size = np.linalg.norm(abs(left) @ abs(middle) @ abs(left).T)
    yield Measured("ldl: A - L D L^H", case.in_eps(residual, size), GENERAL_LIMIT)
    factors = linalg.lu_factor(a)
    inverse = linalg.inv(a)
    systems = (
        ("lu_factor, lu_solve: A X - B", linalg.lu_solve(factors, b), b),
        ("solve: A X - B", linalg.solve(a, b), b),
        ("inv: A X - I", inverse, np.eye(ORDER)),
    )
    for name, x, right in systems:
        yield Measured(name, case.in_eps(wide(a) @ wide(x) - right, norm(a) * np.linalg.norm(x)), HERMITIAN_LIMIT)
    sign, logarithm = linalg.slogdet(a)
    exact_sign, exact = np.linalg.slogdet(wide(a))
    error = max(abs(complex(sign) - exact_sign), abs(float(logarithm) - exact))
    condition = norm(a) * np.linalg.norm(inverse)
    yield Measured("slogdet: sign and logarithm", case.in_eps(np.array([error]), condition), GENERAL_LIMIT)
    ratio = complex(linalg.det(a)) / (exact_sign * np.exp(exact))
    yield Measured("det: D", case.in_eps(np.array([ratio - 1]), condition), GENERAL_LIMIT)


def _changed_factors(case: Case, a: Array, b: Array) -> Iterator[Measured]:
    factors = linalg.qr(a)
    u, v = b[:, :2], b[:, 2:4]
    changes = (
        ("qr_insert", linalg.qr_insert(*factors, u, 1, "col"), np.insert(a, [1, 1], u, 1)),
        ("qr_delete", linalg.qr_delete(*factors, 1, 2), np.delete(a, [1, 2], 0)),
        ("qr_update", linalg.qr_update(*factors, u, v), wide(a) + wide(u) @ wide(v).conj().T),
    )
    for name, (q, r), changed in changes:
        yield Measured(f"{name}: Q R - A", case.in_eps(wide(q) @ wide(r) - changed, norm(changed)), GENERAL_LIMIT)
