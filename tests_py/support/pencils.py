"""Pairs of square matrices A - x B, and residuals of generalized Schur forms and eigenvalues."""

import hypothesis.extra.numpy
import matrices
import numpy as np
import residuals
import scipy.optimize
from hypothesis import strategies as st

# What residuals stay below, in units of m eps; those of random pairs are about 1.
LIMIT = 4.0

dtypes = st.sampled_from(matrices.DTYPES)


def random(n, dtype, seed=0, batch=()):
    return tuple(matrices.random((*batch, n, n), dtype, 2 * seed + k) for k in range(2))


def backward_error(a, q, form, z):
    """|A - Q F Z^H|_F / (m eps |A|_2)."""
    shift = -residuals.exponent(a)
    g, f = residuals.scaled(a, shift), residuals.scaled(form, shift)
    difference = residuals.scaled(q) @ f @ residuals.adjoint(residuals.scaled(z)) - g
    error = float(np.linalg.norm(difference))
    floor = residuals.rounding_floor(form.dtype, len(a), shift)
    scale = residuals.divisor(len(a)) * residuals.eps(form.dtype) * residuals.spectral_norm(g) + floor
    return 0.0 if error == 0 else error / scale


def errors(a, b, aa, bb, q, z):
    """The backward errors of A and B, and how far Q and Z are from unitary matrices."""
    return (
        backward_error(a, q, aa, z),
        backward_error(b, q, bb, z),
        residuals.orthogonality(q),
        residuals.orthogonality(z),
    )


def fault(aa, bb):
    """Say where a pair is not a generalized Schur form; an empty text if it is one."""
    diagonal = np.diagonal(bb)
    if np.tril(bb, -1).any() or diagonal.imag.any() or (diagonal.real < 0).any():
        return "BB is not triangular with a diagonal that is nowhere negative"
    below = np.tril(aa, -1)
    if aa.dtype.kind == "c":
        return "AA is not triangular" if below.any() else ""
    starts = np.flatnonzero(np.diagonal(aa, -1))
    if np.tril(aa, -2).any() or (np.diff(starts) == 1).any():
        return "AA is not quasi-triangular"
    for k in starts:
        if bb[k, k + 1] != 0 or not bb[k, k] >= bb[k + 1, k + 1] > 0:
            return f"BB's block in row {k} is {bb[k : k + 2, k : k + 2].tolist()}"
    return ""


def assert_form(a, b, aa, bb, q, z):
    """`aa`, `bb`, `q`, `z` are the generalized Schur form of one pair."""
    assert aa.shape == bb.shape == q.shape == z.shape == a.shape
    assert fault(aa, bb) == ""
    assert max(errors(a, b, aa, bb, q, z)) < LIMIT


def on_sphere(alpha, beta):
    """The eigenvalues alpha / beta as unit vectors; 0 / 0 as zeros."""
    pairs = np.stack([np.asarray(alpha, complex), np.asarray(beta, complex)], axis=-1)
    sizes = np.linalg.norm(pairs, axis=-1, keepdims=True)
    return np.divide(pairs, sizes, out=np.zeros_like(pairs), where=sizes != 0)


def distances(first, second):
    """The chordal distances of all eigenvalues of one list from all of another, each a pair (alpha, beta)."""
    x, y = on_sphere(*first)[:, None], on_sphere(*second)[None]
    return np.abs(x[..., 0] * y[..., 1] - x[..., 1] * y[..., 0])


def largest_distance(first, second):
    """The largest chordal distance of eigenvalues that are paired as well as possible."""
    table = distances(first, second)
    rows, columns = scipy.optimize.linear_sum_assignment(table)
    return float(table[rows, columns].max(initial=0))


def singularity(a, b, alpha, beta):
    """The largest smallest singular value of beta A - alpha B, in units of m eps (|beta| |A| + |alpha| |B|)."""
    shift_a, shift_b = -residuals.exponent(a), -residuals.exponent(b)
    g, h = residuals.scaled(a, shift_a), residuals.scaled(b, shift_b)
    # Eigenvalues of the scaled pair: norms, alpha and beta are all of moderate size then.
    x = residuals.scaled(alpha, shift_a), residuals.scaled(beta, shift_b)
    worst = 0.0
    for y, w in on_sphere(*x):
        scale = abs(w) * residuals.spectral_norm(g) + abs(y) * residuals.spectral_norm(h)
        smallest = np.linalg.svd(w * g - y * h, compute_uv=False)[-1]
        if smallest != 0:
            worst = max(worst, float(smallest) / (residuals.divisor(len(a)) * residuals.eps(alpha.dtype) * scale))
    return worst


def elements(dtype):
    """Small integers, which make singular pencils and multiple eigenvalues, and numbers of many sizes."""
    parts = st.one_of(
        st.integers(-2, 2).map(float),
        st.floats(-10, 10, width=32),
        st.builds(lambda x, e: float(np.ldexp(x, e)), st.floats(-1, 1, width=32), st.integers(-60, 60)),
    ).map(lambda x: float(np.zeros(1, dtype).real.dtype.type(x)))  # hypothesis refuses what the dtype would round
    return st.builds(complex, parts, parts) if np.dtype(dtype).kind == "c" else parts


@st.composite
def any_pair(draw, largest=8):
    """Two matrices of one order and one dtype with elements of all kinds."""
    n, dtype = draw(st.integers(1, largest)), draw(dtypes)
    arrays = hypothesis.extra.numpy.arrays(dtype, (n, n), elements=elements(dtype), fill=st.nothing())
    return draw(arrays), draw(arrays)


@st.composite
def random_pair(draw, largest=12):
    """Normally distributed elements: eigenvalues are seldom ill-conditioned."""
    return random(draw(st.integers(1, largest)), draw(dtypes), draw(st.integers(0, 10**6)))
