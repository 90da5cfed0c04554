"""The functions for general matrices against SciPy's: a thousand small cases of each, over all arguments."""

import warnings

import matrices
import numpy as np
import pencils
import residuals
import scipy.linalg
import trnsci
from hypothesis import example, given, settings
from hypothesis import strategies as st
from strategies import dtypes, orders, presented, properties, square
from trnsci import linalg

many = settings(properties, max_examples=1000)

LIMIT = residuals.GENERAL_LIMIT
WORDS = {
    "lhp": lambda w: w.real < 0,
    "rhp": lambda w: w.real >= 0,
    "iuc": lambda w: np.abs(w) <= 1,
    "ouc": lambda w: np.abs(w) > 1,
}
# What callables select by; all of them take the members of a pair together.
CHOICES = (lambda w: w.real > 0.5, lambda w: np.abs(w.imag) > 0, lambda w: w.real == w.real, lambda w: w.real != w.real)


def parts(result):
    return result if isinstance(result, tuple) else (result,)


def kinds(result):
    """The shapes and dtypes of results."""
    return [(x.shape, x.dtype) for x in parts(result)]


ELEMENT_BY_ELEMENT = 3  # orders up to this; larger matrices come from seeds, which takes far less time
# What the elements of larger matrices are multiplied by, given random integers and the limits of the type.
SIZES = {
    "one": lambda k, info: 1.0,
    "many": lambda k, info: 2.0 ** (k % 121 - 60),
    "huge": lambda k, info: float(info.max) / 1024,
    "tiny": lambda k, info: float(info.tiny) / 16,
    "with zeros": lambda k, info: k % 2,
}


def from_seed(n, dtype, seed, sizes):
    """Normally distributed or, for odd seeds, small integers, of which many are zero, of some sizes."""
    rng = np.random.default_rng(seed)
    parts = [
        rng.standard_normal((n, n)).clip(-8, 8) if seed % 2 == 0 else rng.integers(-1, 3, (n, n)) for _ in range(2)
    ]
    a = parts[0] + 1j * parts[1] if np.dtype(dtype).kind == "c" else parts[0]
    return (a * SIZES[sizes](rng.integers(0, 1000, (n, n)), np.finfo(dtype))).astype(dtype)


@st.composite
def general(draw):
    """A matrix, and an argument that stands for it: an array of any layout, or lists."""
    n, dtype = draw(orders), draw(dtypes)
    if n <= ELEMENT_BY_ELEMENT:
        a = draw(square(dtype, n))
    else:
        a = from_seed(n, dtype, draw(st.integers(0, 10**6)), draw(st.sampled_from(sorted(SIZES))))
    if n and dtype in ("float64", "complex128") and draw(st.integers(0, 9)) == 0:
        return a, a.tolist()
    return a, draw(presented(a))


@st.composite
def pairs(draw):
    """Two matrices of one order and dtype: small ones of all kinds, also singular and badly scaled."""
    if draw(st.booleans()):
        return draw(pencils.any_pair(ELEMENT_BY_ELEMENT))
    n, dtype = draw(st.integers(1, 8)), draw(dtypes)
    sizes = st.sampled_from(["one", "many", "with zeros"])
    return tuple(from_seed(n, dtype, draw(st.integers(0, 10**6)), draw(sizes)) for _ in range(2))


def assert_similar(a, form, factor):
    assert residuals.similarity_residual(a, factor, form) < LIMIT
    assert residuals.orthogonality(factor) < LIMIT


def eigenvalues(t):
    return np.diagonal(t) if t.dtype.kind == "c" else residuals.schur_eigenvalues(t)


def assert_schur_form(t):
    if t.dtype.kind == "c":
        assert not np.tril(t, -1).any()
    else:
        assert residuals.schur_fault(t) == ""


@many
@given(general(), st.booleans(), st.booleans(), st.booleans())
def test_hessenberg(pair, calc_q, overwrite, check):
    a, given_a = pair
    result = linalg.hessenberg(given_a, calc_q=calc_q, overwrite_a=overwrite, check_finite=check)
    assert kinds(result) == [(a.shape, a.dtype)] * (1 + calc_q)  # for orders 1 and 2 SciPy's Q is float64 in any case
    h, q = result if calc_q else (result, linalg.hessenberg(a, calc_q=True)[1])
    assert not np.tril(h, -2).any()
    assert_similar(a, h, q)


def sort_of(word, to_complex):
    """What `sort` is, and which eigenvalues it selects."""
    if word is None or isinstance(word, str):
        return word, WORDS.get(word)
    choose = CHOICES[word]
    if to_complex:
        return choose, choose
    return (lambda x, y: choose(np.complex128(complex(x, y)))), choose


@many
@given(
    general(),
    st.sampled_from(["real", "complex", "r", "c"]),
    st.sampled_from([None, None, *WORDS, *range(len(CHOICES))]),
    st.booleans(),
    st.booleans(),
)
def test_schur(pair, output, word, overwrite, check):
    a, given_a = pair
    sort, choose = sort_of(word, output in ("complex", "c") or a.dtype.kind == "c")
    try:
        t, z, *sdim = linalg.schur(given_a, output, overwrite_a=overwrite, sort=sort, check_finite=check)
    except trnsci.LinAlgError:
        assert sort is not None  # eigenvalues may be too close to be put in order
        return
    assert kinds((t, z)) == kinds(scipy.linalg.schur(np.eye(len(a), dtype=a.dtype), output))
    assert_similar(a, t, z)
    assert_schur_form(t)
    if sort is None:
        w = eigenvalues(t)
        assert residuals.unmatched_eigenvalues(a, w, first_order=False) == 0
        return
    chosen = choose(eigenvalues(t))
    assert chosen[: sdim[0]].all() and not chosen[sdim[0] :].any()


@many
@given(general(), st.booleans())
def test_rsf2csf(pair, check):
    a, _ = pair
    t, z = linalg.schur(a.real)
    form, factor = linalg.rsf2csf(t, z, check_finite=check)
    assert kinds((form, factor)) == kinds(scipy.linalg.rsf2csf(np.eye(len(a), dtype=t.dtype), z))
    assert not np.tril(form, -1).any()
    assert_similar(a.real, form, factor)
    assert residuals.unmatched_eigenvalues(a.real, np.diagonal(form), first_order=False) == 0


@many
@given(st.integers(2, 8), dtypes, st.integers(0, 10**6), st.data())
def test_schur_condition(n, dtype, seed, data):
    t, z = linalg.schur(matrices.random((n, n), dtype, seed))
    ends = [k for k in range(1, n) if t[k, k - 1] == 0]  # where no pair is cut
    if not ends:
        return
    sdim = data.draw(st.sampled_from(ends))
    trsen = scipy.linalg.get_lapack_funcs("trsen", (t,))
    room = {"lwork": 2 * t.size} | ({} if t.dtype.kind == "c" else {"liwork": t.size})
    *_, expected_s, _, info = trsen(np.arange(n) < sdim, t, z, job="B", **room)
    assert info == 0
    s, sep = linalg.schur_condition(t, sdim)
    wide = residuals.scaled(t)
    first, last = wide[:sdim, :sdim], wide[sdim:, sdim:]
    operator = np.kron(first, np.eye(n - sdim)) - np.kron(np.eye(sdim), last.T)
    exact = np.linalg.svd(operator, compute_uv=False)[-1]
    unit = (
        residuals.eps(dtype) * np.linalg.norm(wide) / exact
    )  # Sylvester equations have the condition number norm / sep
    np.testing.assert_allclose(s, expected_s, rtol=100 * unit)
    # An estimate of a 1-norm in place of a 2-norm, which is too small by a factor of 3 at the very most.
    factor = len(operator) ** 0.5 * (1 + 100 * unit)
    assert exact / factor <= sep <= 3 * factor * exact


flags = st.fixed_dictionaries(
    {name: st.booleans() for name in ("left", "right", "homogeneous_eigvals", "check_finite")}
)


@many
@given(general(), flags, st.booleans())
def test_eig(pair, options, overwrite):
    a, given_a = pair
    result = linalg.eig(given_a, overwrite_a=overwrite, **options)
    w, *vectors = parts(result)
    expected = scipy.linalg.eig(np.eye(len(a), dtype=a.dtype), **options)
    assert [x.shape for x in (w, *vectors)] == [x.shape for x in parts(expected)]
    assert w.dtype == np.result_type(a.dtype, np.complex64)
    if options["homogeneous_eigvals"]:
        assert np.all(w[1] == 1)
        w = w[0]
    real = a.dtype.kind != "c" and not w.imag.any()
    assert all(v.dtype == (a.dtype if real else w.dtype) for v in vectors)
    if options["left"]:
        assert balanced_residual(a, w, vectors[0], "left") < LIMIT
    if options["right"]:
        assert balanced_residual(a, w, vectors[-1], "right") < LIMIT


def balanced_residual(a, w, v, side):
    """The residual of eigenvectors of A or, if that is smaller, of the balanced matrix that they are made of."""
    b, (scaling, perm) = linalg.matrix_balance(a, separate=True)
    y = residuals.scaled(v)[perm]
    y = y * scaling[:, None] if side == "left" else y / scaling[:, None]
    y /= np.maximum(np.abs(y).max(axis=0, initial=0), np.finfo(np.float64).tiny)
    y /= np.maximum(np.linalg.norm(y, axis=0), 1)
    found = []
    for matrix, x in ((a, v), (b, y.astype(v.dtype))):
        if side == "left":
            found.append(residuals.pair_residual(residuals.adjoint(matrix), w.conj(), x))
        else:
            found.append(residuals.pair_residual(matrix, w, x))
    return min(found)


@many
@given(general(), st.booleans(), st.booleans(), st.booleans())
def test_eigvals(pair, overwrite, check, homogeneous):
    a, given_a = pair
    w = linalg.eigvals(given_a, overwrite_a=overwrite, check_finite=check, homogeneous_eigvals=homogeneous)
    assert kinds(w) == kinds(scipy.linalg.eigvals(np.eye(len(a), dtype=a.dtype), homogeneous_eigvals=homogeneous))
    if homogeneous:
        assert np.all(w[1] == 1)
        w = w[0]
    assert residuals.unmatched_eigenvalues(a, w, first_order=False) == 0


@many
@given(pairs(), flags, st.booleans())
def test_generalized_eig(pair, options, overwrite):
    """Vectors satisfy their equations with the eigenvalue as a quotient, infinite and undefined ones included."""
    a, b = pair
    options["homogeneous_eigvals"] = True
    result = linalg.eig(a.copy(), b, overwrite_a=overwrite, **options)
    (alpha, beta), *vectors = parts(result)
    expected = scipy.linalg.eig(np.eye(len(a), dtype=a.dtype), np.eye(len(a), dtype=a.dtype), **options)
    assert [x.shape for x in parts(result)] == [x.shape for x in parts(expected)]
    assert pencils.singularity(a, b, alpha, beta) < LIMIT
    named = ([("left", vectors[0])] if options["left"] else []) + ([("right", vectors[-1])] if options["right"] else [])
    for side, v in named:
        assert vector_residual(a, b, alpha, beta, v, side) < LIMIT


def vector_residual(a, b, alpha, beta, v, side):
    """The largest |beta A x - alpha B x| / (m eps (|beta| |A| + |alpha| |B|) |x|), or that of left vectors."""
    g, h = residuals.scaled(a), residuals.scaled(b)
    if side == "left":
        g, h, alpha, beta = residuals.adjoint(g), residuals.adjoint(h), alpha.conj(), beta.conj()
    sphere = pencils.on_sphere(alpha, beta)
    y, w = sphere.T
    x = residuals.scaled(v)
    error = np.linalg.norm(g @ x * w - h @ x * y, axis=0)
    size = (np.abs(w) * residuals.spectral_norm(g) + np.abs(y) * residuals.spectral_norm(h)) * np.linalg.norm(x, axis=0)
    unit = residuals.divisor(len(a)) * residuals.eps(v.dtype)
    return float(np.max(np.divide(error, size * unit, out=np.zeros_like(error), where=error != 0)))


@many
@given(pairs(), st.booleans(), st.booleans())
@example((np.zeros((1, 1), np.float32), np.full((1, 1), 1.848e-41, np.float32)), False, False)
def test_generalized_eigvals(pair, overwrite, homogeneous):
    a, b = pair
    w = linalg.eigvals(a.copy(), b, overwrite_a=overwrite, homogeneous_eigvals=homogeneous)
    alpha, beta = linalg.eigvals(a, b, homogeneous_eigvals=True)
    if homogeneous:
        np.testing.assert_array_equal(w, (alpha, beta))
    else:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            assert w.dtype == alpha.dtype and w.shape == alpha.shape
            finite = beta != 0
            assert not beta.imag.any()
            # NumPy's complex division multiplies by the reciprocal, which overflows for a subnormal beta.
            quotients = np.empty_like(w[finite])
            quotients.real, quotients.imag = (part[finite] / beta.real[finite] for part in (alpha.real, alpha.imag))
            np.testing.assert_allclose(w[finite], quotients, rtol=4 * residuals.eps(a.dtype))
    assert pencils.singularity(a, b, alpha, beta) < LIMIT
