"""sqrtm, logm, fractional_matrix_power, signm, funm: residuals in eps, known values, mpmath, SciPy, arguments."""

import warnings

import hypothesis.extra.numpy
import matrices
import ml_dtypes
import mpmath
import numpy as np
import pytest
import residuals
import scipy.linalg
import trnsci
from hypothesis import given, settings
from hypothesis import strategies as st
from trnsci.linalg import expm, fractional_matrix_power, funm, logm, signm, sqrtm

ALL_DTYPES = pytest.mark.parametrize("dtype", matrices.DTYPES)
SIZES = (1, 2, 3, 5, 16, 33, 64, 100)

FUNCTIONS = {
    "sqrtm": sqrtm,
    "logm": logm,
    "power": lambda a, **options: fractional_matrix_power(a, 0.3, **options),
    "integer power": lambda a, **options: fractional_matrix_power(a, -2, **options),
    "signm": signm,
    "funm": lambda a, **options: funm(a, np.cosh, **options),
}
ALL_FUNCTIONS = pytest.mark.parametrize("name", FUNCTIONS)


def around(n, dtype, center, seed=0):
    """A random matrix whose eigenvalues fill the unit disk around `center`."""
    scale = 1 / max(n, 1) ** 0.5 / (2**0.5 if np.dtype(dtype).kind == "c" else 1)
    wide = np.result_type(dtype, np.float64)
    return (matrices.random((n, n), wide, seed) * scale + center * np.eye(n)).astype(dtype)


def unit(a):
    return residuals.divisor(len(a)) * residuals.eps(a.dtype)


def norm(a):
    return float(np.linalg.norm(residuals.scaled(np.asarray(a))))


@ALL_DTYPES
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("center", [0, 1.5])
def test_roots(center, n, dtype):
    a = around(n, dtype, center)
    x = sqrtm(a)
    assert x.dtype == (a.dtype if center else x.dtype) and np.finfo(x.dtype).eps == np.finfo(dtype).eps
    wide, root = residuals.scaled(a), residuals.scaled(x)
    assert norm(root @ root - wide) <= 2 * unit(a) * norm(root) ** 2
    assert np.linalg.eigvals(root).real.min() >= -unit(a) * norm(root)


@ALL_DTYPES
@pytest.mark.parametrize("n", SIZES)
def test_logarithms(n, dtype):
    a = around(n, dtype, 1.5)
    x = logm(a)
    assert x.dtype == a.dtype
    wide, log = residuals.scaled(a), residuals.scaled(x)
    assert norm(expm(log) - wide) <= 10 * unit(a) * norm(log) * norm(wide)


@ALL_DTYPES
@pytest.mark.parametrize("n", SIZES)
def test_powers(n, dtype):
    a = around(n, dtype, 1.5)
    x, y = fractional_matrix_power(a, 0.3), fractional_matrix_power(a, 0.7)
    assert x.dtype == y.dtype == a.dtype
    wide = residuals.scaled(a)
    assert norm(residuals.scaled(x) @ residuals.scaled(y) - wide) <= 10 * unit(a) * norm(x) * norm(y)
    cube = residuals.scaled(fractional_matrix_power(a, 3))
    assert norm(cube - wide @ wide @ wide) <= unit(a) * norm(wide) ** 3
    inverse = residuals.scaled(fractional_matrix_power(a, -1))
    assert norm(inverse @ wide - np.eye(n)) <= 4 * unit(a) * norm(inverse) * norm(wide)


@ALL_DTYPES
@pytest.mark.parametrize("n", SIZES)
def test_signs(n, dtype):
    a = around(n, dtype, 0.1)
    x = signm(a)
    assert x.dtype == a.dtype
    wide, sign = residuals.scaled(a), residuals.scaled(x)
    assert norm(sign @ sign - np.eye(n)) <= 20 * unit(a) * norm(sign) ** 2
    assert norm(sign @ wide - wide @ sign) <= 20 * unit(a) * norm(sign) ** 2 * norm(wide)
    assert round(np.trace(sign).real) == np.sign(np.linalg.eigvals(wide).real).sum()


@ALL_DTYPES
@pytest.mark.parametrize("n", SIZES)
def test_functions_of_numbers(n, dtype):
    a = around(n, dtype, 0.5, seed=1)
    calls = []

    def square(w):
        calls.append((w.dtype, w.shape))
        return w * w

    x, errest = funm(a, square, disp=False)
    assert x.dtype == a.dtype and calls == [(np.result_type(dtype, np.complex64), (n,))]
    wide = residuals.scaled(a)
    gaps = np.abs(np.subtract.outer(*[np.linalg.eigvals(wide)] * 2))[np.triu_indices(n, 1)].min(initial=1)
    assert norm(residuals.scaled(x) - wide @ wide) <= 10 * unit(a) * norm(wide) ** 2 / gaps
    assert residuals.eps(dtype) <= errest <= 1


# Known values

INVERSE_ROOT_OF_5 = 5**-0.5
BLOCK = np.array([[1, -1j], [1j, 2]])


def test_known_root_and_its_inverse():
    a = scipy.linalg.block_diag([[1]], BLOCK)
    x = sqrtm(a)
    expected = scipy.linalg.block_diag([[1]], np.array([[2, -1j], [1j, 3]]) * INVERSE_ROOT_OF_5)
    np.testing.assert_allclose(x, expected, rtol=0, atol=1e-15)
    inverse = np.array([[3, 1j], [-1j, 2]]) * INVERSE_ROOT_OF_5
    np.testing.assert_allclose(fractional_matrix_power(BLOCK, -0.5), inverse, rtol=0, atol=2e-15)
    np.testing.assert_array_equal(sqrtm([[1]]), [[1.0]])


def test_real_results_of_real_matrices():
    rotation = np.array([[0.0, -1], [1, 0]])
    np.testing.assert_allclose(sqrtm(rotation), np.array([[1, -1], [1, 1]]) * 0.5**0.5, rtol=1e-15)
    np.testing.assert_allclose(logm(rotation), np.pi / 2 * rotation, rtol=0, atol=1e-15)
    third = np.array([[3**0.5, -1], [1, 3**0.5]]) / 2
    np.testing.assert_allclose(fractional_matrix_power(rotation, 1 / 3), third, rtol=0, atol=1e-15)
    negative = np.diag([-4.0, 9])
    np.testing.assert_array_equal(sqrtm(negative), np.diag([2j, 3]))
    np.testing.assert_allclose(logm(-np.eye(2)), 1j * np.pi * np.eye(2), rtol=1e-15)
    for function in (sqrtm, logm):
        assert function(rotation).dtype == np.float64 and function(negative).dtype == np.complex128
        assert function(np.stack([rotation, negative])).dtype == np.complex128
        assert function(negative.astype(np.float32)).dtype == np.complex64


@pytest.mark.parametrize("p", [0.5, -0.25, 1.7, -2.2])
def test_against_mpmath(p):
    for n in (1, 2, 4, 5):
        a = around(n, "float64", 1.5, seed=n)
        with mpmath.workdps(40):
            log = mpmath.logm(mpmath.matrix(a.tolist()))
            exact, power = (
                np.array(m.tolist(), dtype=complex).reshape(n, n) for m in (log, mpmath.expm(p * log, method="taylor"))
            )
        scale = norm(a) * norm(np.linalg.inv(a)) * residuals.divisor(n) * residuals.eps("float64")
        assert norm(logm(a) - exact) <= scale
        assert norm(fractional_matrix_power(a, p) - power) <= scale * norm(power)


# SciPy


@st.composite
def well_conditioned(draw):
    dtype = draw(st.sampled_from(matrices.DTYPES))
    n = draw(st.integers(1, 6))
    elements = st.integers(-2, 2).map(float) | st.floats(-2, 2, width=16).map(float)
    a = draw(hypothesis.extra.numpy.arrays(dtype, (n, n), elements=elements, fill=st.just(0)))
    # Eigenvalues within 2 n of 0, moved into the right half plane.
    return (a + (2 * n + 1) * np.eye(n)).astype(dtype)


@settings(deadline=None, max_examples=60, derandomize=True)
@given(well_conditioned(), st.sampled_from([0.5, 0.2, -0.4, 1.6]))
def test_functions_beside_scipy(a, p):
    wide = a.astype(np.result_type(a.dtype, np.float64))
    limit = 100 * residuals.divisor(len(a)) * residuals.eps(a.dtype) * np.linalg.cond(wide)
    for ours, theirs in (
        (sqrtm(a), scipy.linalg.sqrtm(wide)),
        (logm(a), scipy.linalg.logm(wide)),
        (fractional_matrix_power(a, p), scipy.linalg.fractional_matrix_power(wide, p)),
    ):
        assert ours.dtype == a.dtype
        assert norm(ours - theirs) <= limit * max(norm(theirs), 1)


@settings(deadline=None, max_examples=200, derandomize=True)
@given(
    st.integers(1, 6).flatmap(
        lambda n: hypothesis.extra.numpy.arrays(
            "float64",
            (n, n),
            elements=st.integers(-3, 3).map(float) | st.floats(-9, 9, width=16).map(float),
            fill=st.just(0),
        )
    )
)
def test_roots_of_any_real_matrix(a):
    """The root is one, or a warning says that it may be none."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        x = sqrtm(a)
    if caught:
        assert caught[0].category is trnsci.LinAlgWarning
    else:
        assert norm(x @ x - a) <= 4 * unit(a) * norm(x) ** 2


@settings(deadline=None, max_examples=200, derandomize=True)
@given(
    st.integers(1, 6).flatmap(
        lambda n: hypothesis.extra.numpy.arrays(
            "float64",
            (n, n),
            elements=st.integers(-3, 3).map(float) | st.floats(-9, 9, width=16).map(float),
            fill=st.just(0),
        )
    )
)
def test_funm_is_scipys(a):
    """Both have the same estimate of the error, and results that agree to it."""
    with np.errstate(all="ignore"):
        theirs, scipys_estimate = scipy.linalg.funm(a, np.cos, disp=False)
    ours, estimate = funm(a, np.cos, disp=False)
    if max(estimate, scipys_estimate) < 1e-9:
        assert norm(ours - theirs) <= 1e3 * max(estimate, scipys_estimate) * max(norm(theirs), 1) * (1 + norm(a))


# Arguments


@ALL_FUNCTIONS
@ALL_DTYPES
@pytest.mark.parametrize("layout", matrices.LAYOUTS)
def test_layouts(layout, dtype, name):
    a = around(9, dtype, 1.5)
    view, memory = matrices.LAYOUTS[layout](a)
    before = memory.copy()
    x = FUNCTIONS[name](view)
    assert type(x) is np.ndarray and np.array_equal(memory, before)
    np.testing.assert_array_equal(x, FUNCTIONS[name](a))


@ALL_FUNCTIONS
@pytest.mark.parametrize("dtype", ["float32", "complex128"])
def test_stacks_are_their_members(dtype, name):
    a = np.stack([around(7, dtype, 1.5, seed) for seed in range(6)]).reshape(2, 3, 7, 7)
    for threads in (1, 2):
        x = FUNCTIONS[name](a, threads=threads)
        assert x.shape == a.shape
        for k in np.ndindex(2, 3):
            np.testing.assert_array_equal(x[k], FUNCTIONS[name](a[k]))


@ALL_FUNCTIONS
@pytest.mark.parametrize("shape", [(0, 0), (0, 4, 4), (3, 0, 0)])
def test_empty(shape, name):
    x = FUNCTIONS[name](np.zeros(shape, np.float32))
    assert x.shape == shape and x.dtype == np.float32


@ALL_FUNCTIONS
@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
def test_short_dtypes(dtype, name):
    a = np.diag([1.0, 2.0, 4.0])
    x = FUNCTIONS[name](a.astype(dtype))
    assert x.dtype == dtype
    np.testing.assert_allclose(x.astype(float), FUNCTIONS[name](a), rtol=float(ml_dtypes.finfo(dtype).eps))


@ALL_FUNCTIONS
def test_integers_numbers_and_wrong_shapes(name):
    function = FUNCTIONS[name]
    np.testing.assert_array_equal(function(np.array([[2, 1], [1, 3]])), function(np.array([[2.0, 1], [1, 3]])))
    np.testing.assert_array_equal(function(4), function([[4.0]]))
    for bad in (np.zeros((2, 3)), np.zeros(3)):
        with pytest.raises(ValueError, match=r"^A: expected a square matrix"):
            function(bad)
    with pytest.raises(TypeError, match=r"^A: dtype object"):
        function(np.eye(2, dtype=object))
    with pytest.raises(trnsci.UnsupportedError, match="device"):
        function(np.eye(2), device="interp")


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_infinities_and_nans(bad):
    a = np.array([[1.0, bad], [0, 1]])
    assert np.isnan(sqrtm(a)).all()
    for name in ("logm", "power", "signm", "funm"):
        with pytest.raises(ValueError, match=r"^A: contains infinities or NaNs"):
            FUNCTIONS[name](a)
    with pytest.raises(ValueError, match=r"batch member 1"):
        logm(np.stack([np.eye(2), a]))


def test_singular_matrices():
    projector = np.array([[1.0, 1], [0, 0]])
    with pytest.warns(trnsci.LinAlgWarning, match="singular"):
        np.testing.assert_array_equal(sqrtm(projector), projector)
    with pytest.warns(trnsci.LinAlgWarning, match="singular"):
        np.testing.assert_allclose(logm(np.zeros((2, 2))), np.log(1e-20) * np.eye(2), rtol=1e-15)
    np.testing.assert_array_equal(fractional_matrix_power(projector, 0.3), projector)
    with pytest.warns(trnsci.LinAlgWarning, match=r"singular .* no power -0\.3"):
        assert np.isnan(fractional_matrix_power(projector, -0.3)).all()
    with pytest.raises(trnsci.LinAlgError, match=r"^A: the matrix is singular"):
        fractional_matrix_power(projector, -2)
    np.testing.assert_array_equal(signm(projector), projector)


@pytest.mark.parametrize("t", [np.nan, np.inf, -np.inf, 2.0**64])
def test_wrong_exponents(t):
    with pytest.raises(ValueError, match=r"^t: "):
        fractional_matrix_power(np.eye(2), t)


def test_exponents_that_are_no_numbers():
    for t in ("two", 1j, None, [1, 2]):
        with pytest.raises(TypeError, match=r"^t: expected a number"):
            fractional_matrix_power(np.eye(2), t)


def test_deprecated_arguments():
    a = around(5, "float64", 1.5)
    with pytest.warns(DeprecationWarning, match="disp"):
        x, error = sqrtm(a, disp=False)
    assert error < 1e-28
    np.testing.assert_array_equal(x, sqrtm(a))
    with pytest.warns(DeprecationWarning, match="blocksize"):
        sqrtm(a, blocksize=8)
    with pytest.warns(DeprecationWarning, match="disp"):
        x, error = logm(a, disp=False)
    assert 0 <= error < 1e-13
    with pytest.warns(DeprecationWarning, match="disp"):
        np.testing.assert_array_equal(signm(a, disp=True), signm(a))


def test_funm_warns_where_eigenvalues_are_equal():
    with pytest.warns(trnsci.LinAlgWarning, match=r"^funm: .*1\.0e\+00"):
        funm([[1.0, 1], [0, 1]], np.exp)


def test_errors_in_callables_reach_the_caller():
    def fails(w):
        raise RuntimeError("no value")

    with pytest.raises(RuntimeError, match="no value"):
        funm(np.eye(3), fails)
    for wrong in (lambda w: 1.0, lambda w: np.ones(4), lambda w: np.ones((3, 3))):
        with pytest.raises(ValueError, match=r"^func: expected an array of shape \(3,\)"):
            funm(np.eye(3), wrong)
    np.testing.assert_array_equal(funm(np.eye(2), lambda w: [3, 4]), np.diag([3.0, 4]))


@ALL_FUNCTIONS
def test_interrupts_and_progress(name):
    a = around(150, "float64", 1.5)
    seen = []
    FUNCTIONS[name](a, progress=lambda done, total: seen.append(done <= total))
    assert all(seen)

    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        FUNCTIONS[name](around(500, "float64", 1.5), progress=stop)


@ALL_FUNCTIONS
def test_matrices_that_are_too_large_are_called_by_their_name(name):
    if name != "integer power":
        with pytest.raises(ValueError, match=r"^A: elements are too large"):
            FUNCTIONS[name](np.full((3, 3), 1.7e308))


def test_what_is_no_function_of_numbers_is_named():
    for func in (3, lambda values: ["a"] * len(values)):
        with pytest.raises(TypeError, match=r"^func: expected"):
            funm(np.eye(2), func)


def test_singular_matrix_to_a_negative_integer_names_the_pivot():
    with pytest.raises(
        trnsci.LinAlgError, match=r"^A: the matrix is singular: pivot 2 of its LU factorization is zero"
    ):
        fractional_matrix_power(np.array([[1.0, 2.0], [2.0, 4.0]]), -1)
