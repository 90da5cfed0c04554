"""qz: residuals, the structure of the form, and eigenvalues against SciPy."""

import contextlib
import warnings

import matrices
import numpy as np
import pencils
import pytest
import residuals
import scipy.linalg
import trnsci
from hypothesis import given, settings
from trnsci.linalg import eig, ordqz, qz

properties = settings(deadline=None, max_examples=1000, derandomize=True, print_blob=True)


@pytest.mark.parametrize("dtype", matrices.DTYPES)
@pytest.mark.parametrize("n", [0, 1, 2, 3, 5, 16, 33, 64, 65, 130])
def test_random(n, dtype):
    a, b = pencils.random(n, dtype)
    form = qz(a, b)
    assert {x.dtype for x in form} == {np.dtype(dtype)}
    if n:
        pencils.assert_form(a, b, *form)


@pytest.mark.parametrize("n", [2, 5, 30])
@pytest.mark.parametrize("name", matrices.GENERAL)
def test_special(name, n):
    """Each kind beside every other one: the worst residual is not much larger than SciPy's worst."""
    a = matrices.GENERAL[name](n)
    ours, theirs = [], []
    for make in matrices.GENERAL.values():
        b = make(n)
        pencils.assert_form(a, b, *qz(a, b))
        ours.append(max(pencils.errors(a, b, *qz(a, b))))
        # A warning: the iteration did not converge there.
        with warnings.catch_warnings(), contextlib.suppress(Warning):
            warnings.simplefilter("error")
            theirs.append(max(pencils.errors(a, b, *scipy.linalg.qz(a, b))))
    assert max(ours) <= max(1.5 * max(theirs), 0.5)


@properties
@given(pencils.any_pair(5))
def test_any_pair(pair):
    a, b = pair
    aa, bb, alpha, beta, q, z = ordqz(a, b, lambda alpha, beta: np.zeros(len(alpha)))
    pencils.assert_form(a, b, aa, bb, q, z)
    assert pencils.singularity(a, b, alpha, beta) < pencils.LIMIT
    form = qz(a, b)
    pencils.assert_form(a, b, *form)
    # Else a block has split that is a pair but for rounding errors.
    if np.array_equal(np.diagonal(form[0], -1) != 0, np.diagonal(aa, -1) != 0):
        for x, y in zip(form, (aa, bb, q, z), strict=True):
            assert x.tobytes() == y.tobytes()  # nothing to move


@properties
@given(pencils.random_pair())
def test_eigenvalues_are_scipys(pair):
    a, b = pair
    alpha, beta = ordqz(a, b)[2:4]
    wide = np.complex128 if a.dtype.kind == "c" else np.float64
    theirs = scipy.linalg.ordqz(a.astype(wide), b.astype(wide))[2:4]
    # The condition of an eigenvalue of these pairs may be some thousands.
    assert pencils.largest_distance((alpha, beta), theirs) < 1e5 * residuals.eps(a.dtype)


@pytest.mark.parametrize("dtype", matrices.DTYPES)
def test_complex_output(dtype):
    a, b = pencils.random(7, dtype)
    wide = np.result_type(dtype, np.complex64)
    for word in ("complex", "c"):
        form = qz(a, b, word)
        assert {x.dtype for x in form} == {wide}
        pencils.assert_form(a, b, *form)
        for x, y in zip(form, qz(a.astype(wide), b.astype(wide)), strict=True):
            assert x.tobytes() == y.tobytes()


@pytest.mark.parametrize(
    ("first", "second", "common"),
    [
        ("float32", "float64", "float64"),
        ("complex64", "float64", "complex128"),
        ("float32", "complex64", "complex64"),
        ("int32", "float32", "float64"),
        ("float16", "float16", "float32"),
    ],
)
def test_common_dtype(first, second, common):
    a, b = pencils.random(5, "float64")
    a, b = (4 * a).astype(first), (4 * b).astype(second)
    form = qz(a, b)
    assert {x.dtype for x in form} == {np.dtype(common)}
    for x, y in zip(form, qz(a.astype(common), b.astype(common)), strict=True):
        assert x.tobytes() == y.tobytes()


def test_stacks_broadcast():
    a, b = pencils.random(6, "float64", batch=(2, 3))
    b = b[0]
    form = qz(a, b)
    for index in np.ndindex(2, 3):
        one = qz(a[index], b[index[1]])
        for x, y in zip(form, one, strict=True):
            assert x[index].tobytes() == y.tobytes()


@pytest.mark.parametrize("layout", matrices.LAYOUTS)
def test_layouts(layout):
    a, b = pencils.random(9, "complex128")
    expected = qz(a, b)
    view_a, view_b = matrices.LAYOUTS[layout](a)[0], matrices.LAYOUTS[layout](b)[0]
    for x, y in zip(qz(view_a, view_b, overwrite_a=True, overwrite_b=True), expected, strict=True):
        assert x.tobytes() == y.tobytes()
    assert np.array_equal(view_a, a) and np.array_equal(view_b, b)


def test_threads_do_not_change_the_result():
    a, b = pencils.random(150, "float64")
    one, two = qz(a, b, threads=1), qz(a, b, threads=2)
    assert all(x.tobytes() == y.tobytes() for x, y in zip(one, two, strict=True))


def test_no_members():
    assert [x.shape for x in qz(np.zeros((0, 3, 3)), np.zeros((3, 3)))] == [(0, 3, 3)] * 4


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_not_finite(bad):
    a, b = pencils.random(4, "float64")
    b[2, 1] = bad
    with pytest.raises(ValueError, match=r"^B: contains infinities or NaNs"):
        qz(a, b)
    with pytest.raises(ValueError, match=r"^A: contains infinities or NaNs"):
        qz(b, a)
    assert all(np.isnan(x).all() for x in qz(a, b, check_finite=False))
    assert np.isnan(ordqz(a, b, check_finite=False)[2]).all()


@pytest.mark.parametrize(
    ("arguments", "words", "match"),
    [
        ((np.eye(2), np.eye(3)), {}, r"^B: shape \(3, 3\) does not fit A's shape \(2, 2\)"),
        ((np.ones((2, 3)), np.eye(3)), {}, r"^A: expected a square matrix"),
        ((np.ones((2, 2, 2)), np.ones((3, 2, 2))), {}, r"^B: shape"),
        ((np.eye(2), np.eye(2), "imaginary"), {}, r"^output: "),
        ((np.eye(2), np.eye(2)), {"sort": "lhp"}, r"^sort: 'lhp' is not None"),
    ],
)
def test_bad_arguments(arguments, words, match):
    with pytest.raises(ValueError, match=match):
        qz(*arguments, **words)


def test_device_and_progress():
    steps = []
    qz(*pencils.random(20, "float64"), device="cpu", lwork=-1, progress=lambda done, total: steps.append((done, total)))
    assert steps[-1][0] == steps[-1][1] > 0
    with pytest.raises(trnsci.UnsupportedError):
        qz(np.eye(2), np.eye(2), device="interp")


@pytest.mark.parametrize("homogeneous", [False, True])
@pytest.mark.parametrize(("left", "right"), [(False, False), (True, False), (False, True), (True, True)])
@pytest.mark.parametrize("dtype", matrices.DTYPES)
def test_generalized_eig(dtype, left, right, homogeneous):
    a, b = pencils.random(9, dtype)
    b[:, 2] = 0  # an infinite eigenvalue
    ours = eig(a, b, left, right, homogeneous_eigvals=homogeneous)
    theirs = scipy.linalg.eig(a, b, left, right, homogeneous_eigvals=homogeneous)
    assert isinstance(ours, tuple) == isinstance(theirs, tuple) == (left or right)
    ours, theirs = (x if isinstance(x, tuple) else (x,) for x in (ours, theirs))
    assert [(x.dtype, x.shape) for x in ours] == [(x.dtype, x.shape) for x in theirs]
    alpha, beta = eig(a, b, right=False, homogeneous_eigvals=True)
    if homogeneous:
        assert np.array_equal(ours[0], [alpha, beta])
    else:
        assert np.isinf(ours[0]).sum() == 1
        finite = beta != 0
        np.testing.assert_array_equal(ours[0].real[finite], alpha.real[finite] / beta.real[finite])
        np.testing.assert_array_equal(ours[0].imag[finite], alpha.imag[finite] / beta.real[finite])
    vectors = list(ours[1:])
    for v, scale_a, scale_b in [
        *([(vectors.pop(0), a.conj().T, b.conj().T)] if left else []),
        *([(vectors.pop(0), a, b)] if right else []),
    ]:
        w = alpha if scale_a is a else alpha.conj()
        difference = scale_a @ v * beta - scale_b @ v * w
        scale = np.abs(beta) * np.linalg.norm(a, 2) + np.abs(w) * np.linalg.norm(b, 2)
        assert (np.linalg.norm(difference, axis=0) < pencils.LIMIT * 9 * residuals.eps(dtype) * scale).all()
        np.testing.assert_allclose(np.linalg.norm(v, axis=0), 1, rtol=16 * residuals.eps(dtype))


def test_generalized_eig_of_special_pairs():
    w, vectors = eig(np.diag([1.0, 2, 0]), np.diag([2.0, 0, 0]))
    np.testing.assert_array_equal(w, [0.5, np.inf, np.nan])
    assert not w.imag.any()
    assert vectors.dtype == np.float64  # real, as all eigenvalues are
    w = eig(np.diag([1.0j, 2, 0]), np.diag([2.0, 0, 0]), right=False)
    np.testing.assert_array_equal(w.real, [0, np.inf, np.nan])
    np.testing.assert_array_equal(w.imag, [0.5, 0, np.nan])  # as SciPy has it
    stack = np.stack([np.eye(2), [[0.0, 1], [-1, 0]]])
    w, left, right = eig(stack, np.eye(2), left=True, homogeneous_eigvals=True)
    assert w.shape == (2, 2, 2) and left.shape == right.shape == (2, 2, 2) and right.dtype == np.complex128
    np.testing.assert_allclose(w[1, 0] / w[1, 1], [1j, -1j], rtol=1e-14)
