"""Checks of singular value decompositions and of what rests on them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from .. import linalg
from ._case import HERMITIAN_LIMIT, ORDER, Case, Checks, Measured, norm, wide

CHECKS = Checks()

_COLUMNS = ORDER // 2


@CHECKS.add()
def _svd(case: Case) -> Iterator[Measured]:
    a = case.general()[:, :_COLUMNS]
    u, s, vh = linalg.svd(a)
    yield Measured("svd: A - U S Vh", case.in_eps(wide(u)[:, :_COLUMNS] * s @ vh - a, norm(a)), HERMITIAN_LIMIT)
    for name, q in ("U", u), ("V", vh.conj().T):
        yield Measured(f"svd: {name}^H {name} - I", case.identity_error(q), HERMITIAN_LIMIT)
    yield Measured("svdvals: s", case.in_eps(linalg.svdvals(a) - wide(s), norm(a)), HERMITIAN_LIMIT)
    p, h = linalg.polar(a)
    yield Measured("polar: A - U P", case.in_eps(wide(p) @ h - a, norm(a)), HERMITIAN_LIMIT)
    q, z = linalg.orth(a), linalg.null_space(a.conj().T)
    for name, basis in ("orth", q), ("null_space", z):
        yield Measured(f"{name}: Q^H Q - I", case.identity_error(basis), HERMITIAN_LIMIT)
    yield Measured("orth and null_space: Q^H Z", case.in_eps(wide(q).conj().T @ z), HERMITIAN_LIMIT)
    yield Measured(
        "subspace_angles: pi/2 - the least one",
        case.in_eps(np.pi / 2 - linalg.subspace_angles(q, z)[-1:]),
        HERMITIAN_LIMIT,
    )
    turn, _ = linalg.orthogonal_procrustes(a, a @ vh)
    yield Measured(
        "orthogonal_procrustes: A R - A Q",
        case.in_eps(wide(a) @ turn - wide(a) @ vh, norm(a)),
        HERMITIAN_LIMIT * norm(a),
    )


@CHECKS.add()
def _least_squares(case: Case) -> Iterator[Measured]:
    a, b = case.general()[:, :_COLUMNS], case.general()[:, :2]
    scale = norm(a) * np.linalg.cond(wide(a)) * norm(b)
    x = linalg.lstsq(a, b)[0]
    gradient = wide(a).conj().T @ (wide(a) @ x - b)
    yield Measured("lstsq: A^H (A x - b)", case.in_eps(gradient, scale), HERMITIAN_LIMIT)
    difference = wide(linalg.pinv(a)) @ b - x
    yield Measured("pinv: pinv(A) b - x", case.in_eps(difference, scale / norm(a) ** 2), HERMITIAN_LIMIT * norm(a))
    g = a.conj().T @ a
    product = wide(linalg.pinvh(g)) @ wide(g) - np.eye(_COLUMNS)
    yield Measured("pinvh: pinvh(G) G - I", case.in_eps(product, np.linalg.cond(wide(g))), HERMITIAN_LIMIT)
