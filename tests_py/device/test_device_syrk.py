"""Devices: products of matrices with their own transposes, against NumPy and within the bound of the report."""

import numpy as np
import pytest
import trnsci
from trnsci import blas


@pytest.fixture
def rng():
    return np.random.default_rng(6)


# How far off sums of 30 products of numbers below 1 are: not more than the upper limit, and not less than the lower one
# where the arrays have more digits than the products.
OFF = {"fp32": (1e-9, 1e-5), "fp64": (0, 1e-13), "bf16": (1e-4, 0.1), "bf16x2": (1e-7, 1e-3), "bf16x3": (1e-9, 1e-5)}


def symmetric(a):
    """What the upper triangle says."""
    return np.triu(a) + np.triu(a, 1).swapaxes(-1, -2)


@pytest.mark.parametrize("precision", OFF)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_precisions(rng, device, dtype, precision):
    a = rng.random((3, 20, 30)).astype(dtype)
    got = blas.syrk(2.0, a, device=device, precision=precision)
    report = trnsci.last_report()
    exact = 2 * (a.astype("f8") @ a.astype("f8").swapaxes(1, 2))
    off = abs(got - exact).max()
    low, high = OFF[precision]
    assert got.dtype == a.dtype and got.shape == (3, 20, 20)
    assert off <= min(high, report.error_bound) + np.finfo(dtype).eps * abs(exact).max()
    assert off >= low or dtype == "f4"
    assert np.array_equal(got, got.swapaxes(1, 2))
    assert (report.device, report.dispatches, report.compiles + report.cache_hits) == (device, 1, 1)
    # Three matrices become eight, of 20 x 32 numbers, and a factor; C is not sent.
    assert report.bytes_in == (8 * 20 * 32 + 1) * (8 if precision == "fp64" else 4)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("trans", [False, True])
@pytest.mark.parametrize("uplo", ["upper", "lower"])
def test_forms(rng, device, order, trans, uplo):
    a = np.asarray(rng.random((9, 5) if trans else (5, 9)), order=order)
    c = rng.random((5, 5))
    start = symmetric(c if uplo == "upper" else c.T)
    want = 0.5 * (a.T @ a if trans else a @ a.T) - 2 * start
    unread = np.tri(5, k=-1, dtype=bool) if uplo == "upper" else ~np.tri(5, dtype=bool)
    given = np.asarray(np.where(unread, np.nan, c), order=order)
    got = blas.syrk(0.5, a, -2, given, trans, uplo, device=device, precision="fp64")
    assert abs(got - want).max() < 1e-13
    for target in (np.full_like(c, np.nan), given):
        out = blas.syrk(0.5, a, -2, given, trans, uplo, out=target, device=device, precision="fp64")
        assert out is target
        assert abs(out - want).max() < 1e-13


def test_stacks(rng, device):
    a, c = rng.random((2, 1, 4, 6)).astype("f4"), rng.random((3, 4, 4)).astype("f4")
    got = blas.syrk(1, a, 1, c, device=device)
    assert got.shape == (2, 3, 4, 4)
    assert abs(got - (a @ a.swapaxes(-1, -2) + symmetric(c))).max() < 1e-5


def test_c_is_not_read_where_beta_is_zero(device):
    a = np.array([[1], [2]], "f4")
    out = np.full((2, 2), np.nan, "f4")
    assert np.array_equal(blas.syrk(1, a, 0, out, out=out, device=device), [[1, 2], [2, 4]])


def test_out_may_be_the_operand(rng, device):
    a = rng.random((4, 4))
    want = a @ a.T
    assert abs(blas.syrk(1, a, out=a, device=device, precision="fp64") - want).max() < 1e-13


def test_empty_sums_and_results(rng, device):
    c = rng.random((3, 3)).astype("f4")
    assert np.array_equal(blas.syrk(1, np.zeros((3, 0), "f4"), 2, c, device=device), 2 * symmetric(c))
    assert blas.syrk(1, np.zeros((0, 3), "f4"), device=device).shape == (0, 0)
    assert blas.syrk(1, np.zeros((0, 2, 3), "f4"), device=device).shape == (0, 2, 2)


def test_near_sizes_and_both_triangles_share_a_graph():
    with trnsci.Device("interp") as device:
        for compiles, n, uplo in ((1, 97, "upper"), (0, 112, "lower"), (0, 105, "upper")):
            blas.syrk(1, np.zeros((n, 9), "f4"), uplo=uplo, device=device)
            assert trnsci.last_report().compiles == compiles
        assert device.info()["memory_used"] == 0


@pytest.mark.parametrize(
    ("error", "text", "call"),
    [
        (trnsci.UnsupportedError, "precision: float64", lambda a: blas.syrk(1, a, device="interp")),
        (trnsci.UnsupportedError, "complex", lambda a: blas.syrk(1, a + 1j, device="interp", precision="fp32")),
        (trnsci.UnsupportedError, "complex", lambda a: blas.syrk(1j, a, device="interp", precision="fp32")),
        (ValueError, "precision: 'fp16'", lambda a: blas.syrk(1, a, device="interp", precision="fp16")),
        (ValueError, "precision:", lambda a: blas.syrk(1, a, precision="fp32")),
        (ValueError, "device: 'abacus'.*interp", lambda a: blas.syrk(1, a, device="abacus")),
        (
            ValueError,
            "C: expected 2 x 2 matrices",
            lambda a: blas.syrk(1, a, 1, np.eye(3), device="interp", precision="fp32"),
        ),
        (trnsci.UnsupportedError, "device: 'interp'", lambda a: blas.herk(1, a, device="interp")),
        (trnsci.UnsupportedError, "device: 'interp'", lambda a: blas.syr2k(1, a, a, device="interp")),
        (trnsci.UnsupportedError, "device: 'interp'", lambda a: blas.her2k(1, a, a, device="interp")),
    ],
)
def test_bad_input(error, text, call):
    with pytest.raises(error, match=text):
        call(np.eye(2))
