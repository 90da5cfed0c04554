"""eig and eigvals: residuals of both kinds of vectors, SciPy's return conventions, errors."""

import itertools

import matrices
import numpy as np
import pytest
import residuals
import scipy.linalg
import trnsci
from trnsci.linalg import eig, eigvals

ALL_DTYPES = pytest.mark.parametrize("dtype", matrices.DTYPES)
LIMIT = residuals.GENERAL_LIMIT


def check(a):
    """The results of a single matrix have SciPy's types and small residuals."""
    a = np.asarray(a)
    w, vl, vr = eig(a, left=True)
    assert w.dtype == np.result_type(a.dtype, np.complex64)
    assert vl.dtype == vr.dtype == (a.dtype if a.dtype.kind != "c" and not w.imag.any() else w.dtype)
    assert residuals.pair_residual(a, w, vr) < LIMIT
    assert residuals.pair_residual(residuals.adjoint(a), w.conj(), vl) < LIMIT
    for v in (vl, vr):
        assert v.flags.f_contiguous
        unit = residuals.divisor(len(a)) * residuals.eps(a.dtype)
        np.testing.assert_allclose(np.linalg.norm(residuals.scaled(v), axis=0), 1, atol=2 * unit)
        check_phases(w, v, unit)
    return w, vl, vr


def check_phases(w, v, unit):
    """The largest elements of complex vectors are real and positive; pairs of a real matrix have conjugate vectors."""
    if v.dtype.kind != "c":
        return
    for x, value in zip(v.T, w, strict=True):
        if value.imag != 0:
            largest = x[np.abs(x) >= np.abs(x).max() * (1 - 8 * unit)]
            assert np.any((np.abs(largest.imag) <= 8 * unit) & (largest.real > 0))


@ALL_DTYPES
@pytest.mark.parametrize("n", matrices.SIZES)
def test_random(n, dtype):
    a = matrices.random((n, n), dtype)
    w, _, _ = check(a)
    assert residuals.unmatched_eigenvalues(a, w) == 0


@pytest.mark.parametrize("dtype", ["float64", "complex64"])
def test_large(dtype):
    check(matrices.random((matrices.LARGE, matrices.LARGE), dtype))


@ALL_DTYPES
@pytest.mark.parametrize("n", [1, 2, 5, 10, 33])
@pytest.mark.parametrize("name", matrices.GENERAL)
def test_special(name, n, dtype):
    """Defective, graded and normal matrices among them; complex ones get random phases, which change no eigenvalue."""
    a = matrices.GENERAL[name](n)
    if np.dtype(dtype).kind == "c":
        phases = np.exp(2j * np.pi * np.random.default_rng(n).random(n))
        a = a * np.outer(phases, phases.conj())
    check(a.astype(dtype))


@pytest.mark.parametrize("exponent", [-320, -310, -300, -160, 160, 300, 306])
@pytest.mark.parametrize("n", [2, 3, 20])
def test_scales(n, exponent):
    check(matrices.random((n, n), "float64") * 10.0**exponent)


@ALL_DTYPES
@pytest.mark.parametrize("n", [2, 5, 40])
def test_vectors_of_one_defective_eigenvalue_are_parallel(n, dtype):
    """With an eigenvalue that is exact, all vectors of a Jordan block are the first unit vector."""
    _, vl, vr = check((np.eye(n) * 3 + np.eye(n, k=1)).astype(dtype))
    np.testing.assert_allclose(np.abs(vr), np.eye(n, 1) * np.ones(n), atol=4 * residuals.eps(dtype))
    np.testing.assert_allclose(np.abs(vl), np.eye(n)[:, -1:] * np.ones(n), atol=4 * residuals.eps(dtype))


def test_vectors_of_distinct_eigenvalues_are_biorthogonal():
    a = matrices.random((30, 30), "float64")
    _, vl, vr = check(a)
    products = vl.conj().T @ vr
    off = products - np.diag(np.diagonal(products))
    condition = 1 / np.abs(np.diagonal(products)).min()
    assert np.abs(off).max() < 1e3 * condition * residuals.eps("float64")


@ALL_DTYPES
def test_badly_scaled_matrices_are_balanced(dtype):
    """The eigenvalues of D B D^-1 are those of B, as in SciPy, though its elements differ by factors of up to 2**40."""
    rng = np.random.default_rng(7)
    b = matrices.random((12, 12), dtype, 7)
    scales = np.ldexp(np.ones(12, b.real.dtype), rng.integers(-10, 11, 12))
    a = b * scales[:, None] / scales
    expected = scipy.linalg.eigvals(b.astype(np.complex128))
    limit = 1000 * residuals.eps(b.dtype) * np.abs(expected).max()
    for w in (eigvals(a), eig(a)[0], scipy.linalg.eigvals(a)):
        distances = np.abs(w[:, None] - expected)
        assert max(distances.min(axis=0).max(), distances.min(axis=1).max()) < limit


@ALL_DTYPES
def test_eigenvalues_of_permuted_triangles_are_exact(dtype):
    rng = np.random.default_rng(8)
    upper = np.triu(matrices.random((30, 30), dtype, 8))
    order = rng.permutation(30)
    a = upper[np.ix_(order, order)]
    for w in (eigvals(a), eig(a, left=True)[0]):
        assert sorted(w.tolist(), key=lambda x: (x.real, x.imag)) == sorted(
            map(complex, np.diag(upper).tolist()), key=lambda x: (x.real, x.imag)
        )


def test_pairs_are_exactly_conjugate():
    w, vl, vr = eig(matrices.random((41, 41), "float64"), left=True)
    first = np.flatnonzero(w.imag > 0)
    assert len(first) and 2 * len(first) == np.count_nonzero(w.imag)
    for x in (w, vl.T, vr.T):
        np.testing.assert_array_equal(x[first + 1], x[first].conj())


def test_eigenvalues_that_are_known():
    n = 24
    roots = np.exp(2j * np.pi * np.arange(n) / n)
    found = eigvals(matrices.cyclic(n))
    np.testing.assert_allclose(np.sort_complex(np.round(found, 12)), np.sort_complex(np.round(roots, 12)), atol=1e-12)
    polynomial = scipy.linalg.companion(np.poly(np.arange(1, 7)))
    np.testing.assert_allclose(np.sort(eigvals(polynomial).real), np.arange(1, 7), rtol=1e-9)
    np.testing.assert_array_equal(eigvals(np.triu(np.arange(1.0, 17).reshape(4, 4))), [1, 6, 11, 16])


# What is returned

FLAGS = list(itertools.product((False, True), repeat=3))


def parts(result):
    return result if isinstance(result, tuple) else (result,)


@ALL_DTYPES
@pytest.mark.parametrize("left, right, homogeneous", FLAGS)
@pytest.mark.parametrize("kind", ["random", "symmetric", "empty"])
@pytest.mark.parametrize("generalized", [False, True])
def test_results_are_those_of_scipy(generalized, kind, left, right, homogeneous, dtype):
    """Numbers, shapes and dtypes of the results, for every combination of flags."""
    n = 0 if kind == "empty" else 7
    a = matrices.hermitian(n, dtype) if kind == "symmetric" else matrices.random((n, n), dtype)
    b = matrices.positive_definite(n, dtype) if generalized else None
    options = {"left": left, "right": right, "homogeneous_eigvals": homogeneous}
    ours, theirs = parts(eig(a, b, **options)), parts(scipy.linalg.eig(a, b, **options))
    assert [(x.shape, x.dtype) for x in ours] == [(x.shape, x.dtype) for x in theirs]
    alone = eigvals(a, b, homogeneous_eigvals=homogeneous)
    expected = scipy.linalg.eigvals(a, b, homogeneous_eigvals=homogeneous)
    assert (alone.shape, alone.dtype) == (expected.shape, expected.dtype)


def test_words_of_scipys_documentation():
    np.testing.assert_array_equal(eigvals([[0.0, -1.0], [1.0, 0.0]]), [1j, -1j])
    np.testing.assert_array_equal(eigvals(np.diag([3.0, 8, 7]), homogeneous_eigvals=True), [[3, 8, 7], [1, 1, 1]])
    np.testing.assert_allclose(
        np.sort(eigvals([[0.0, -1.0], [1.0, 0.0]], [[0.0, 1.0], [1.0, 1.0]])), [-1, 1], rtol=1e-14
    )


@ALL_DTYPES
@pytest.mark.parametrize("n", [1, 4, 30])
def test_generalized(n, dtype):
    a, b = matrices.random((n, n), dtype, 1), matrices.random((n, n), dtype, 2)
    w, vl, vr = eig(a, b, left=True)
    scale = np.linalg.norm(residuals.scaled(a), 2) + np.abs(w) * np.linalg.norm(residuals.scaled(b), 2)
    limit = LIMIT * residuals.divisor(n) * residuals.eps(dtype)
    wide_a, wide_b = residuals.scaled(a), residuals.scaled(b)
    right = wide_a @ vr - wide_b @ vr * w
    left = residuals.adjoint(wide_a) @ vl - residuals.adjoint(wide_b) @ vl * w.conj()
    for r in (right, left):
        assert np.all(np.linalg.norm(r, axis=0) <= limit * scale)


@pytest.mark.parametrize("exponent", [-1050, -1030, -600, 600, 1000])
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_quotients_of_tiny_and_huge_numbers(dtype, exponent):
    """A power of two that a and b have in common changes nothing but what is rounded to subnormal numbers."""
    a, b = (residuals.scaled(np.round(64 * matrices.random((5, 5), dtype, k))) for k in (1, 2))
    w = eigvals(a, b)
    np.testing.assert_allclose(eigvals(residuals.scaled(a, exponent), residuals.scaled(b, exponent)), w, rtol=1e-3)


@pytest.mark.parametrize("shape", [(2, 3, 6, 6), (0, 3, 3), (5, 0, 0), (1, 1, 1)])
@ALL_DTYPES
def test_stacks(shape, dtype):
    a = matrices.random(shape, dtype)
    w, vl, vr = eig(a, left=True)
    assert w.shape == shape[:-1] and vl.shape == vr.shape == shape
    for index in np.ndindex(shape[:-2]):
        assert residuals.pair_residual(a[index], w[index], vr[index]) < LIMIT
        assert residuals.pair_residual(residuals.adjoint(a[index]), w[index].conj(), vl[index]) < LIMIT
    assert eig(a, homogeneous_eigvals=True)[0].shape == (*shape[:-2], 2, shape[-1])


def test_vectors_of_a_stack_are_real_if_all_eigenvalues_are():
    real, rotation = np.diag([1.0, 2.0]), np.array([[0.0, -1.0], [1.0, 0.0]])
    assert eig(np.stack([real, real]))[1].dtype == np.float64
    assert eig(np.stack([real, rotation]))[1].dtype == np.complex128


@ALL_DTYPES
@pytest.mark.parametrize("layout", matrices.LAYOUTS)
def test_layouts(layout, dtype):
    a = matrices.random((9, 9), dtype)
    expected = eig(a, left=True)
    view, memory = matrices.LAYOUTS[layout](a)
    before = memory.copy()
    for x, y in zip(eig(view, left=True), expected, strict=True):
        assert type(x) is np.ndarray
        np.testing.assert_array_equal(x, y)
    np.testing.assert_array_equal(memory, before)


@pytest.mark.parametrize("n", [5, 150])
@ALL_DTYPES
def test_threads_do_not_matter(n, dtype):
    a = matrices.random((n, n), dtype)
    for x, y in zip(eig(a, left=True, threads=1), eig(a, left=True, threads=2), strict=True):
        assert x.tobytes(order="A") == y.tobytes(order="A")


@pytest.mark.parametrize("dtype", ["bool", "int8", "int64", "uint16"])
def test_integers_are_computed_in_double_precision(dtype):
    a = (np.arange(9).reshape(3, 3) % 4).astype(dtype)
    for x, y in zip(eig(a), eig(a.astype(float)), strict=True):
        assert x.dtype == y.dtype
        np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("dtype", matrices.SHORT_DTYPES)
def test_short_types_are_computed_in_single_precision(dtype):
    a = matrices.random((6, 6), "float32").astype(dtype)
    for x, y in zip(eig(a), eig(a.astype(np.float32)), strict=True):
        assert x.dtype == np.complex64
        np.testing.assert_array_equal(x, y)


def test_overwriting_is_allowed():
    a = matrices.random((8, 8), "float64")
    expected = eig(a)
    for x, y in zip(eig(a.copy(), overwrite_a=True, overwrite_b=True), expected, strict=True):
        np.testing.assert_array_equal(x, y)


# Errors


@pytest.mark.parametrize("function", [eig, eigvals])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_not_finite(function, bad):
    a = matrices.random((3, 5, 5), "float64")
    clean = parts(function(a))
    a[1, 4, 0] = bad
    with pytest.raises(ValueError, match=r"a: .*infinities or NaNs"):
        function(a)
    for x, y in zip(parts(function(a, check_finite=False)), clean, strict=True):
        assert np.isnan(x[1]).all()
        x[1] = y[1]
        np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("function", [eig, eigvals])
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (4, 2, 3)])
def test_not_square(function, shape):
    with pytest.raises(ValueError, match="a: expected a square matrix"):
        function(np.ones(shape))


def test_metric_that_does_not_fit():
    with pytest.raises(ValueError, match="b: shape"):
        eig(np.eye(3), np.eye(2))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_vectors_have_norm_1_where_the_imaginary_parts_of_pairs_underflow(dtype):
    for n in range(2, 66):  # rounding errors of rounding errors make pairs of some orders
        a = np.full((n, n), 3, dtype)
        _, left, right = eig(a, left=True)
        for vectors in (left, right):
            assert np.abs(np.linalg.norm(vectors, axis=0) - 1).max() < 20 * np.finfo(dtype).eps


def test_eigenvalue_that_overflows():
    with pytest.raises(ValueError, match=r"a: .*too large"):
        eigvals(np.full((2, 2), 1.5e308))


def test_other_devices_are_refused():
    with pytest.raises((trnsci.UnsupportedError, ValueError), match="device"):
        eig(np.eye(2), device="tpu:0")


def test_exception_of_a_progress_callback_arrives():
    def stop(done, total):
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        eig(matrices.random((400, 400), "float64"), progress=stop)


def test_progress_reaches_its_end():
    seen = []
    eig(matrices.random((400, 400), "float64"), left=True, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1][0] == seen[-1][1] > 0


@pytest.mark.parametrize("elements", ["random", "small integers"])
@pytest.mark.parametrize("dtype", matrices.DTYPES)
def test_order_of_eigenvalues_beside_the_identity(dtype, elements):
    """eig(a, eye(2)) has the eigenvalues of eig(a) in the same order, for real matrices that of LAPACK's eig(a).

    Complex matrices of integers, whose eigenvalues shifts may find in one step, have it seldom otherwise, in LAPACK
    too.
    """
    rng = np.random.default_rng(3)
    is_complex = np.dtype(dtype).kind == "c"
    others = 0
    for _ in range(300):
        parts = [rng.standard_normal((2, 2)) if elements == "random" else rng.integers(-3, 4, (2, 2)) for _ in range(2)]
        a = (parts[0] + 1j * parts[1] if is_complex else parts[0]).astype(dtype)
        w = eigvals(a)
        both = eigvals(a, np.eye(2, dtype=dtype))
        # An eigenvalue that is double, or nearly so, is known to the root of eps.
        near = 16 * np.linalg.norm(a) * np.sqrt(np.finfo(dtype).eps)
        if abs(w[0] - w[1]) > near:
            others += not abs(w - both).max() < near
            assert is_complex or abs(w - scipy.linalg.eigvals(a)).max() < near
    assert others <= (6 if is_complex and elements == "small integers" else 0)


def test_overwrite_b_has_its_place():
    """Positions are those of SciPy 1.18."""
    a = np.array([[1.0, 2], [3, 4]])
    b = np.array([[2.0, np.nan], [0, 1]])
    with pytest.raises(ValueError, match="b"):
        eigvals(a, b, False, False)
    assert np.isnan(eigvals(a, b, False, False, False)).all()
    assert eigvals(a, np.eye(2), overwrite_a=True, overwrite_b=True).shape == (2,)
    assert eigvals(a, None, False, False, True, True).shape == (2, 2)
