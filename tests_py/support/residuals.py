"""Errors of decompositions in units of the machine epsilon.

Everything is computed in double precision on copies scaled by powers of two, so that neither the size of a matrix nor
its dtype disturbs the measurement. A result with a NaN has a NaN residual, which is below no limit.
"""

import numpy as np
import scipy.linalg
import scipy.optimize

# Orders below this count as this: an error of a few units in a tiny matrix is no sign of trouble.
SMALLEST_DIVISOR = 8

# What a Hermitian decomposition must stay below, in units of n eps; for the general ones.
HERMITIAN_LIMIT = 4.0
GENERAL_LIMIT = 10.0


def eps(dtype):
    return float(np.finfo(dtype).eps)


def divisor(n):
    return max(n, SMALLEST_DIVISOR)


def exponent(a):
    """The e for which the largest part of `a` is between 2**(e-1) and 2**e; 0 for a zero or an empty matrix."""
    largest = max(np.abs(a.real).max(initial=0), np.abs(a.imag).max(initial=0))
    return int(np.frexp(np.float64(largest))[1])


def scaled(a, shift=0):
    """``2**shift * a`` in double precision."""
    wide = np.array(a, dtype=np.complex128 if a.dtype.kind == "c" else np.float64, order="C", ndmin=1)
    parts = wide.view(np.float64)
    np.ldexp(parts, shift, out=parts)
    return wide


def adjoint(a):
    return a.conj().swapaxes(-1, -2)


def spectral_norm(a):
    return float(np.linalg.norm(a, 2)) if a.size else 0.0


def hermitian_norm(a):
    """The spectral norm of a Hermitian matrix of moderate size, by its eigenvalues."""
    return float(np.abs(np.linalg.eigvalsh(a)).max(initial=0))


def rounding_floor(dtype, n, shift):
    """What n roundings to subnormal numbers may cost, after multiplication by 2**shift."""
    return n * float(np.ldexp(np.float64(np.finfo(dtype).smallest_subnormal), shift))


def _in_eps(difference, n, dtype, norm, floor=0.0):
    error = float(np.linalg.norm(difference))
    return 0.0 if error == 0 else error / (divisor(n) * eps(dtype) * norm + floor)


def orthogonality(v):
    """|V^H V - I|_F / (m eps), m = max(n, 8) with V of n rows."""
    wide = scaled(v)
    return _in_eps(adjoint(wide) @ wide - np.eye(v.shape[1]), v.shape[0], v.dtype, 1.0)


def eigen_residual(a, w, v):
    """|A V - V diag(w)|_F / (m eps |A|_2) for a Hermitian `a` and any number of eigenpairs."""
    shift = -exponent(a)
    h, values, vectors = scaled(a, shift), scaled(w, shift), scaled(v)
    floor = rounding_floor(a.dtype, len(a), shift)
    return _in_eps(h @ vectors - vectors * values, len(a), v.dtype, hermitian_norm(h), floor)


def pair_residual(a, w, v):
    """|A V - V diag(w)|_F / (m eps |A|_2) for a square `a`; left vectors belong to its adjoint and conjugate values."""
    shift = -exponent(a)
    return _pair_residual(
        scaled(a, shift), scaled(w, shift), scaled(v), v.dtype, rounding_floor(a.dtype, len(a), shift)
    )


def _pair_residual(a, w, v, dtype, floor):
    return _in_eps(a @ v - v * w, len(a), dtype, spectral_norm(a), floor)


def balanced_pair_residual(a, w, v):
    """The pair_residual of the matrix that balancing makes of `a`, and of its vectors.

    Eigenvectors are computed there, and the way back may enlarge a single element of the error a hundred times.
    """
    shift = -exponent(a)
    balanced, transform = scipy.linalg.matrix_balance(scaled(a, shift))
    vectors = np.linalg.solve(transform, scaled(v))
    lengths = np.linalg.norm(vectors, axis=0)
    vectors /= np.where(lengths == 0, 1.0, lengths)
    return _pair_residual(balanced, scaled(w, shift), vectors, v.dtype, rounding_floor(a.dtype, len(a), shift))


def eigenvalue_error(a, w, reference=None):
    """max |w - w_exact| / (m eps |A|_2) against SciPy in double precision, or against known ascending eigenvalues.

    SciPy is asked for vectors too, by its driver 'ev': without them all drivers err by 27 eps |A| on some matrices of
    order 3, such as [[0, 0, 1e-155], [0, 0, 1], [1e-155, 1, 0]] times 1e100.
    """
    shift = -exponent(a)
    h, values = scaled(a, shift), scaled(w, shift)
    if reference is not None:
        known = scaled(np.asarray(reference, float), shift)
    else:
        known = scipy.linalg.eigh(h, driver="ev")[0] if h.size else np.zeros(0)
    assert values.shape == known.shape
    floor = rounding_floor(a.dtype, len(a), shift)
    return float(np.abs(values - known).max(initial=0)) / (
        divisor(len(a)) * eps(a.dtype) * (spectral_norm(h) or 1.0) + floor
    )


def similarity_residual(a, q, form):
    """|A - Q F Q^H|_F / (m eps |A|_2): the backward error of a Schur or Hessenberg decomposition."""
    shift = -exponent(a)
    g, f, z = scaled(a, shift), scaled(form, shift), scaled(q)
    floor = rounding_floor(a.dtype, len(a), shift)
    return _in_eps(z @ f @ adjoint(z) - g, len(a), form.dtype, spectral_norm(g), floor)


def cholesky_residual(a, factor, lower):
    """|A - L L^H|_F / ((n + 1) eps |A|_2), or the same of U^H U."""
    shift = -exponent(a) // 2 * 2
    h, f = scaled(a, shift), scaled(factor, shift // 2)
    product = f @ adjoint(f) if lower else adjoint(f) @ f
    floor = rounding_floor(a.dtype, len(a), shift)
    error = float(np.linalg.norm(product - h))
    return 0.0 if error == 0 else error / ((len(a) + 1) * eps(factor.dtype) * spectral_norm(h) + floor)


def _unit_columns(v):
    """Columns of norm 1 with the directions of v's; none of v's may be zero."""
    wide = scaled(v, -exponent(v))
    return wide / np.linalg.norm(wide, axis=0)


def generalized_residual(problem, a, b, w, v):
    """The largest |r| / (m eps scale) over the eigenpairs (w, x).

    r is A x - w B x, A B x - w x or B A x - w x; scale is (|A| + |w| |B|) |x| for problem 1 and (|A| |B| + |w|) |x| for
    the others.
    """
    if w.size == 0:
        return 0.0
    shift_a, shift_b = -exponent(a), -exponent(b)
    g, m, x = scaled(a, shift_a), scaled(b, shift_b), _unit_columns(v)
    norm_a, norm_b = spectral_norm(g), spectral_norm(m)
    if problem == 1:
        values = scaled(w, shift_a - shift_b)
        difference, scale = g @ x - m @ x * values, norm_a + np.abs(values) * norm_b
    else:
        values = scaled(w, shift_a + shift_b)
        product = g @ (m @ x) if problem == 2 else m @ (g @ x)
        difference, scale = product - x * values, norm_a * norm_b + np.abs(values)
    errors = np.linalg.norm(difference, axis=0)
    relative = np.divide(errors, scale, out=np.zeros_like(errors), where=errors != 0)  # both are 0 for a zero A
    return float(relative.max()) / (divisor(len(a)) * eps(v.dtype))


def metric_orthogonality(problem, b, v):
    """|V^H B V - I|_F / (m eps cond(B)); with B's inverse for problem 3."""
    if b.size == 0:
        return 0.0
    metric, x = scaled(b), scaled(v)
    image = np.linalg.solve(metric, x) if problem == 3 else metric @ x
    return _in_eps(adjoint(x) @ image - np.eye(v.shape[1]), len(b), v.dtype, np.linalg.cond(metric))


def schur_fault(t):
    """Say where `t` is not a standardized real Schur form; an empty text if it is one."""
    rows, columns = np.nonzero(np.tril(t, -2))
    if len(rows):
        return f"element ({rows[0]}, {columns[0]}) below the subdiagonal is {t[rows[0], columns[0]]}"
    below = np.diagonal(t, -1)
    for i in np.flatnonzero(below):
        block = t[i : i + 2, i : i + 2]
        if block[0, 0].tobytes() != block[1, 1].tobytes():
            return f"the block at {i} has the diagonal elements {block[0, 0]!r} and {block[1, 1]!r}"
        if np.sign(block[0, 1]) * np.sign(block[1, 0]) != -1:
            return f"the block at {i} has the off-diagonal elements {block[0, 1]!r} and {block[1, 0]!r}"
        if i + 1 < len(below) and below[i + 1] != 0:
            return f"two blocks overlap in row {i + 1}"
    return ""


def schur_eigenvalues(t):
    """The eigenvalues of a standardized real Schur form, in the order of its diagonal."""
    values = np.diagonal(t).astype(np.complex128)
    for i in np.flatnonzero(np.diagonal(t, -1)):
        imaginary = np.sqrt(abs(t[i, i + 1])) * np.sqrt(abs(t[i + 1, i]))
        values[i : i + 2] += [1j * imaginary, -1j * imaginary]
    return values


# A backward error of this many n eps |A| is allowed to the values that are compared with SciPy's.
_MATCHED_ERROR = 20.0


def unmatched_eigenvalues(a, values, first_order=True):
    """How many of `values` cannot be paired with an eigenvalue of the square matrix `a` that SciPy finds.

    The members of a pair may differ by what first-order perturbation theory says, the condition number of the
    eigenvalue times the backward error E, but never by more than ``(2 |A| + |E|)**(1 - 1/n) |E|**(1/n)``, which holds
    for defective eigenvalues too (L. Elsner, Linear Algebra Appl. 71, 1985). Without `first_order` only the second
    bound counts: SciPy balances matrices, and where that scales them extremely its condition numbers are wrong.
    """
    n = len(a)
    if n == 0:
        return 0
    shift = -exponent(a)
    g, values = scaled(a, shift), scaled(values, shift)
    known, left, right = scipy.linalg.eig(g, left=True, right=True)
    norm = spectral_norm(g)
    error = _MATCHED_ERROR * (divisor(n) * eps(a.dtype) * norm + rounding_floor(a.dtype, n, shift))
    elsner = (2 * norm + error) ** (1 - 1 / n) * error ** (1 / n)
    allowed = np.full(n, elsner)
    if first_order:
        overlap = np.abs(np.sum(left.conj() * right, axis=0))
        allowed = np.minimum(allowed, error / np.maximum(overlap, np.finfo(float).tiny))
    too_far = np.abs(values[:, None] - known) > allowed
    rows, columns = scipy.optimize.linear_sum_assignment(too_far.astype(float))
    return int(too_far[rows, columns].sum())


def assert_solved(name, a, result, lower=False):
    """Check what the public function `name` returned for the matrix `a` (Hermitian, except for the Schur family)."""
    if name == "eigh":
        w, v = result
        assert w.shape == a.shape[:1] and v.shape == a.shape
        assert np.all(np.diff(w) >= 0)
        assert eigen_residual(a, w, v) < HERMITIAN_LIMIT
        assert orthogonality(v) < HERMITIAN_LIMIT
    elif name == "eigvalsh":
        assert np.all(np.diff(result) >= 0)
        assert eigenvalue_error(a, result) < HERMITIAN_LIMIT
    elif name == "cholesky":
        assert result.shape == a.shape
        outside = np.triu(result, 1) if lower else np.tril(result, -1)
        assert not outside.any()
        diagonal = np.diagonal(result)
        assert np.all(diagonal.real > 0) and not np.any(diagonal.imag)
        assert cholesky_residual(a, result, lower) <= 1
    else:
        form, q = result
        assert form.shape == q.shape == a.shape
        if name == "schur":
            assert schur_fault(form) == ""
        else:
            assert not np.tril(form, -2).any()
        assert similarity_residual(a, q, form) < GENERAL_LIMIT
        assert orthogonality(q) < GENERAL_LIMIT
