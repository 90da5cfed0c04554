"""norm: every order, axis and dtype beside SciPy, and sizes whose squares are no numbers."""

import itertools

import matrices
import numpy as np
import pytest
import residuals
import scipy.linalg
from trnsci.linalg import norm

ORDERS = (None, "fro", "nuc", np.inf, -np.inf, 0, 1, -1, 2, -2, 3, 0.5, "row")
AXES = (None, 0, -1, (0, 1), (1, 0), (-1, -2), (0, 0), 2, (0, 2))
SHAPES = ((4,), (0,), (3, 5), (5, 3), (0, 3), (0, 0), (2, 3, 4), (2, 0, 3))


def answer(function, *args):
    try:
        with np.errstate(all="ignore"):
            return function(*args)
    except (ValueError, TypeError, IndexError) as error:  # of axes, AxisError is both of the first and the last
        return error


@pytest.mark.parametrize("dtype", [*matrices.DTYPES, "int64"])
@pytest.mark.parametrize("shape", SHAPES)
def test_as_in_scipy(shape, dtype):
    a = np.arange(-3, 9).astype(dtype).repeat(2)[: int(np.prod(shape))].reshape(shape)
    eps = residuals.eps("float64" if dtype == "int64" else dtype)
    for order, axis, keepdims in itertools.product(ORDERS, AXES, (False, True)):
        theirs = answer(scipy.linalg.norm, a, order, axis, keepdims)
        ours = answer(norm, a, order, axis, keepdims)
        assert isinstance(ours, Exception) == isinstance(theirs, Exception), (order, axis, keepdims, ours, theirs)
        if not isinstance(ours, Exception):
            assert np.shape(ours) == np.shape(theirs)
            size = 100 * eps * np.abs(a).max(initial=1) * max(a.size, 1)
            assert np.allclose(ours, theirs, rtol=100 * eps, atol=size if order in (-2, "nuc") else 0)


def test_sizes_whose_squares_are_no_numbers():
    assert norm([3e300, 4e300]) == 5e300
    assert norm(np.full((2, 2), 1e200), "fro") == pytest.approx(2e200, rel=1e-15)
    assert norm([3e-300, 4e-300], 2) == pytest.approx(5e-300, rel=1e-15)


def test_dtypes_and_infinities():
    for dtype, real in (("float32", "float32"), ("complex64", "float32"), ("int8", "float64"), ("float16", "float16")):
        for order in (None, 1, 2, "nuc"):
            assert norm(np.eye(2, dtype=dtype), order).dtype == real
    with pytest.raises(ValueError, match=r"^a: contains infinities or NaNs"):
        norm([1.0, np.nan])
    assert np.isnan(norm([1.0, np.nan], check_finite=False))
    assert norm([1.0, -np.inf], check_finite=False) == np.inf
