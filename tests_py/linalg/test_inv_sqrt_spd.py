"""inv_sqrt_spd: residuals and dropped eigenvalues, on the host and on a device."""

import matrices
import ml_dtypes
import numpy as np
import pytest
import residuals
import scipy.linalg
import trnsci
from trnsci.linalg import inv_sqrt_spd

ALL_DTYPES = pytest.mark.parametrize("dtype", matrices.DTYPES)
DEVICE = dict(method="newton-schulz", device="interp")


def check_root(a, x, condition, eps=None):
    """norm(X A X - I, F) / (eps (m + sqrt(n) cond(A))) stays below the limit."""
    assert x.dtype == a.dtype and x.shape == a.shape
    n = len(a)
    wide, root = residuals.scaled(a), residuals.scaled(x)
    off = np.linalg.norm(root @ wide @ root - np.eye(n)) if n else 0.0
    unit = residuals.eps(a.dtype) if eps is None else eps
    assert off <= residuals.HERMITIAN_LIMIT * unit * (residuals.divisor(n) + n**0.5 * condition)


@ALL_DTYPES
@pytest.mark.parametrize("n", matrices.SIZES)
def test_random(n, dtype):
    a = matrices.positive_definite(n, dtype)
    x, dropped = inv_sqrt_spd(a)
    assert dropped == 0 and isinstance(dropped, int)
    assert np.array_equal(x, x.conj().T)
    check_root(a, x, 10)


@ALL_DTYPES
@pytest.mark.parametrize("n", [2, 33, 200])
def test_ill_conditioned(n, dtype):
    condition = 1e-3 / residuals.eps(dtype)
    a = matrices.with_spectrum(np.geomspace(1 / condition, 1, n), dtype)
    x, dropped = inv_sqrt_spd(a, threshold=residuals.eps(dtype))
    assert dropped == 0
    check_root(a, x, condition)


def test_against_scipy():
    a = matrices.positive_definite(50, "complex128")
    expected = scipy.linalg.inv(scipy.linalg.sqrtm(a))
    np.testing.assert_allclose(inv_sqrt_spd(a)[0], expected, rtol=0, atol=1e-13)


@ALL_DTYPES
@pytest.mark.parametrize("layout", matrices.LAYOUTS)
def test_layouts(layout, dtype):
    a = matrices.positive_definite(17, dtype)
    view, memory = matrices.LAYOUTS[layout](a)
    before = memory.copy()
    x, _ = inv_sqrt_spd(view)
    assert type(x) is np.ndarray and np.array_equal(memory, before)
    np.testing.assert_array_equal(x, inv_sqrt_spd(a)[0])


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
def test_short_dtypes(dtype):
    a = np.diag([4.0, 16.0, 0.25]).astype(dtype)
    for options in ({}, DEVICE):
        x, _ = inv_sqrt_spd(a, **options)
        assert x.dtype == dtype
        np.testing.assert_array_equal(x.astype(float), np.diag([0.5, 0.25, 2.0]))


@ALL_DTYPES
def test_only_the_lower_triangle_is_read(dtype):
    a = matrices.positive_definite(20, dtype)
    poisoned = a.copy()
    poisoned[np.triu_indices(20, 1)] = np.nan
    x, _ = inv_sqrt_spd(poisoned, check_finite=False)
    np.testing.assert_array_equal(x, inv_sqrt_spd(a)[0])
    with pytest.raises(ValueError, match=r"a: .*infinities or NaNs"):
        inv_sqrt_spd(poisoned)


# What is dropped


@ALL_DTYPES
@pytest.mark.parametrize("rank", [0, 1, 7, 29, 30])
def test_rank_is_counted_and_the_result_is_a_pseudo_inverse(rank, dtype):
    n = 30
    values = np.r_[np.zeros(n - rank), np.linspace(1, 3, rank)]
    a = matrices.with_spectrum(values, dtype)
    x, dropped = inv_sqrt_spd(a, threshold=100 * residuals.eps(dtype))
    assert dropped == n - rank
    wide, root = residuals.scaled(a), residuals.scaled(x)
    # X A X is the projector onto the range of A.
    projector = root @ wide @ root
    limit = 40 * n * residuals.eps(dtype)
    assert np.linalg.norm(projector @ projector - projector) < limit
    assert abs(np.trace(projector) - rank) < limit
    assert np.linalg.norm(projector @ wide - wide) < limit


def test_threshold_is_relative():
    a = np.diag([1e-3, 1.0, 10.0])
    for scale in (1e-200, 1.0, 1e200):
        assert [inv_sqrt_spd(scale * a, threshold=t)[1] for t in (1e-6, 0.9e-4, 1.1e-4, 0.2)] == [0, 0, 1, 2]


@pytest.mark.parametrize("threshold", [0, 1, -1e-3, np.nan, np.inf, "small", [1e-3, 1e-3]])
def test_bad_threshold(threshold):
    with pytest.raises(ValueError, match=r"^threshold: "):
        inv_sqrt_spd(np.eye(2), threshold=threshold)


@ALL_DTYPES
def test_a_negative_eigenvalue_is_named(dtype):
    a = matrices.with_spectrum(np.array([-0.25, 1, 2, 3]), dtype)
    with pytest.raises(
        trnsci.LinAlgError, match=r"^a: .*eigenvalue is -0\.25(00\d*)?, |^a: .*eigenvalue is -0\.2499\d*, "
    ):
        inv_sqrt_spd(a)
    with pytest.raises(trnsci.LinAlgError, match=r"member 1\)$"):
        inv_sqrt_spd(np.stack([np.eye(4, dtype=dtype), a]))
    assert inv_sqrt_spd(a, threshold=0.1)[1] == 1


# Stacks


@ALL_DTYPES
@pytest.mark.parametrize("shape", [(2, 3, 5, 5), (3, 70, 70), (0, 3, 3), (5, 0, 0), (1, 1, 1)])
def test_batch(shape, dtype):
    a = matrices.positive_definite(shape[-1], dtype, batch=shape[:-2])
    a[..., :1, :] = a[..., :, :1] = 0
    x, dropped = inv_sqrt_spd(a)
    assert x.shape == shape and dropped.shape == shape[:-2] and dropped.dtype == np.int64
    for index in np.ndindex(shape[:-2]):
        single, count = inv_sqrt_spd(a[index])
        assert dropped[index] == count == min(shape[-1], 1)
        np.testing.assert_array_equal(x[index], single)


def test_number_of_threads_does_not_change_a_bit():
    a = matrices.positive_definite(150, "float64")
    assert inv_sqrt_spd(a, threads=1)[0].tobytes() == inv_sqrt_spd(a, threads=2)[0].tobytes()


def test_not_square():
    with pytest.raises(ValueError, match=r"^a: expected a square matrix"):
        inv_sqrt_spd(np.ones((2, 3)))


# Devices


@pytest.mark.parametrize("precision, dtype", [("fp32", "f4"), ("bf16x3", "f4"), ("fp32", "f8"), ("fp64", "f8")])
@pytest.mark.parametrize("n", [1, 9, 60])
def test_on_interp(n, precision, dtype):
    a = matrices.with_spectrum(np.geomspace(1e-3, 1, n), dtype)
    x, dropped = inv_sqrt_spd(a, **DEVICE, precision=precision)
    report = trnsci.last_report()
    assert dropped == 0
    check_root(a, x, 1e3, np.finfo("f8" if precision == "fp64" else "f4").eps)
    assert report.device == "interp" and report.compiles + report.cache_hits == 1 and 1 <= report.dispatches <= 5
    assert len(report.host_steps) == 2
    w, v = np.linalg.eigh(a.astype("f8"))
    off = np.linalg.norm(x - (v / np.sqrt(w)) @ v.T, 2)
    reference = 1e3 * np.finfo("f8").eps * np.linalg.norm(x, 2)  # what NumPy's eigenvalues leave open
    assert off <= report.error_bound + reference and 0 < report.error_bound < 0.01 * np.linalg.norm(x, 2)


def test_batch_on_interp():
    a = matrices.positive_definite(6, "float32", batch=(2, 3)).swapaxes(0, 1)
    x, dropped = inv_sqrt_spd(a, **DEVICE)
    assert dropped.shape == (3, 2) and not dropped.any()
    for index in np.ndindex(3, 2):
        check_root(a[index], x[index], 10)
    assert trnsci.last_report().compiles <= 1 and len(trnsci.last_report().host_steps) == 2
    bound = trnsci.last_report().error_bound
    for index in np.ndindex(3, 2):
        inv_sqrt_spd(a[index], **DEVICE)
        assert 0 < trnsci.last_report().error_bound <= bound
    assert inv_sqrt_spd(np.zeros((0, 3, 3)), **DEVICE)[0].shape == (0, 3, 3)


def test_errors_of_a_device():
    indefinite = np.diag(np.array([1, -1], "f4"))
    with pytest.raises(trnsci.ConvergenceError, match=r"^a: .* not positive definite"):
        inv_sqrt_spd(indefinite, **DEVICE)
    with pytest.raises(trnsci.ConvergenceError, match=r"member 1\)$"):
        inv_sqrt_spd(np.stack([np.eye(2, dtype="f4"), indefinite]), **DEVICE)
    with pytest.raises(ValueError, match=r"a: .*infinities or NaNs"):
        inv_sqrt_spd(np.full((2, 2), np.nan, "f4"), **DEVICE)
    upper = np.stack([np.eye(2, dtype="f4"), np.eye(2, dtype="f4")])
    upper[1, 0, 1] = np.inf
    with pytest.raises(ValueError, match=r"^a: .*infinities or NaNs.*member 1\)$"):
        inv_sqrt_spd(upper, **DEVICE)
    np.testing.assert_array_equal(
        inv_sqrt_spd(upper, check_finite=False, **DEVICE)[0], np.stack([np.eye(2), np.eye(2)])
    )
    with pytest.raises(ValueError, match=r"a: .*infinities or NaNs"):  # that triangle is used
        inv_sqrt_spd(upper.swapaxes(1, 2), check_finite=False, **DEVICE)
    for a, options in (
        (np.eye(2), {}),  # float64 without a word on precision
        (np.eye(2, dtype="F"), {}),
        (np.eye(2, dtype="f4"), {"precision": "bf16"}),
    ):
        with pytest.raises(trnsci.UnsupportedError, match="interp"):
            inv_sqrt_spd(a, **DEVICE, **options)


@pytest.mark.parametrize(
    "options, kind, message",
    [
        (dict(method="newton-schulz"), ValueError, "^method: .* needs device="),
        (dict(method="newton-schulz", device="cpu"), ValueError, "^method: .* needs device="),
        (dict(method="lanczos"), ValueError, "^method: 'lanczos' is not one of"),
        (dict(device="interp"), trnsci.UnsupportedError, "^device: method='eigh' .* method='newton-schulz'"),
        (dict(method="newton-schulz", device="sim:trn2"), trnsci.UnsupportedError, "^device: 'sim:trn2'"),
        (dict(precision="fp32"), ValueError, "^precision: "),
        (DEVICE | dict(threshold=1e-3), ValueError, "^threshold: "),
    ],
)
def test_methods_and_devices(options, kind, message):
    with pytest.raises(kind, match=message):
        inv_sqrt_spd(np.eye(2, dtype="f4"), **options)
