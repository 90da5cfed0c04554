"""`out=` that overlaps an operand: the result is what copies of the operands give, for all strides."""

import numpy as np
import pytest
import trnsci
from blas_definitions import LEVEL2, LEVEL3, STARTS, Call
from trnsci import blas, linalg

# Of gemmt one triangle of `out` stays as it is; it has a test of its own.
WITH_OUT = [name for name in ("axpy", "scal", *LEVEL2, *LEVEL3) if name != "gemmt"]
# Offset and step, in elements, of the first place and of the second one in one piece of memory.
PLACES = [
    ((0, 1), (0, 2)), ((0, 2), (0, 1)), ((0, 1), (1, 2)), ((0, 1), (0, 3)), ((3, 1), (0, 2)), ((0, 1), (-1, -1)),
    ((0, 1), (-1, -2)), ((-1, -1), (-1, -2)), ((-1, -2), (-1, -1)), ((0, 2), (1, 2)), ((0, 1), (0, 1)),
    ((0, 1), (1, 1)),
    ((1, 1), (0, 1)), ((0, 3), (0, 2)),
]  # fmt: skip


def views(shape, dtype, places):
    """Two arrays of one shape in one piece of memory, whose last axes begin and step as they are told."""
    size = int(np.prod(shape))
    memory = np.zeros(4 * size + 8, dtype)
    found = []
    for start, step in places:
        flat = memory[start::step][:size]
        found.append(np.lib.stride_tricks.as_strided(flat, shape, [flat.strides[0] * n for n in _steps(shape)]))
    return found


def _steps(shape):
    return [int(np.prod(shape[axis + 1 :])) for axis in range(len(shape))]


def test_the_vectors_of_the_report():
    """0, 1, 2 times 2, where the result lies in every other place."""
    a = np.array([0.0, 1.0, 2.0, 9.0, 9.0, 9.0])
    assert blas.scal(2, a[:3], out=a[::2]).tolist() == [0, 2, 4]


@pytest.mark.parametrize("places", PLACES, ids=str)
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16"])
@pytest.mark.parametrize("name", WITH_OUT)
def test_out_where_an_operand_is(name, dtype, places):
    for operand in Call(name, dtype, m=5, n=5, k=5).arrays:
        call = Call(name, dtype, m=5, n=5, k=5)
        given = call.arrays[operand]
        place, out = views(given.shape, dtype, places)
        if out.shape != call.arrays[STARTS[name]].shape:
            continue
        place[...] = given
        call.arrays[operand] = place
        result = call(out=out)
        assert result is out
        call.check(np.array(out))


@pytest.mark.parametrize("places", PLACES, ids=str)
@pytest.mark.parametrize("uplo", ["upper", "lower"])
def test_one_triangle_where_an_operand_is(uplo, places):
    for operand in ("A", "B", "C"):
        call = Call("gemmt", "f8", m=5, n=5, k=5, flags={"transA": False, "transB": False, "uplo": uplo})
        place, out = views((5, 5), "f8", places)
        place[...] = call.arrays[operand]
        call.arrays[operand] = place
        written = np.triu(np.ones((5, 5), bool)) if uplo == "upper" else np.tril(np.ones((5, 5), bool))
        call.check(np.where(written, call(out=out), 0))


def _overlapping(shift):
    """Two positive definite matrices of order 6 in one piece of memory, the second one some rows further on."""
    memory = np.linspace(-0.01, 0.01, 100)
    first, second = memory[:36].reshape(6, 6), memory[6 * shift : 6 * shift + 36].reshape(6, 6)
    first += 4 * np.eye(6)
    if shift:
        second += 3 * np.eye(6)
    return first, second


@pytest.mark.parametrize("shift", [0, 1, 3, 5])
@pytest.mark.parametrize(
    "use",
    [
        lambda a, b, **over: linalg.solve_triangular(a, b, **over),
        lambda a, b, **over: linalg.cho_solve((a, True), b, **over),
        lambda a, b, **over: linalg.eigvalsh(a, b, overwrite_a=bool(over), **over),
        lambda a, b, **over: linalg.eigvals(a, b, overwrite_a=bool(over)),
        lambda a, b, **over: linalg.qz(a, b, overwrite_a=bool(over), **over)[0],
        lambda a, b, **over: trnsci.df_fit(a, b, overwrite=bool(over)).integrals,
    ],
)
def test_operands_that_overlap_and_may_be_overwritten(use, shift):
    want = use(*(x.copy() for x in _overlapping(shift)))
    np.testing.assert_array_equal(use(*_overlapping(shift), overwrite_b=True), want)


def test_metric_and_integrals_in_one_place():
    """The fitted metric is its own factor, transposed: with J = L L^T, L^-1 J is L^T."""
    j = np.array([[4.0, 2.0], [2.0, 10.0]])
    got = trnsci.df_fit(j, j, overwrite=True).integrals
    np.testing.assert_allclose(got, np.linalg.cholesky([[4.0, 2.0], [2.0, 10.0]]).T, rtol=1e-14, atol=1e-15)
