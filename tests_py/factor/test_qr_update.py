"""qr_insert, qr_delete and qr_update: residuals, SciPy's shapes and conventions, stacks, and errors."""

import matrices
import numpy as np
import pytest
import residuals
import scipy.linalg
import trnsci
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import dtypes, presented, properties
from trnsci.linalg import qr, qr_delete, qr_insert, qr_update

ALL_DTYPES = pytest.mark.parametrize("dtype", matrices.DTYPES)
LIMIT = 4.0  # as docs/numerics.md says


def errors(a, changed, q, r):
    """|Q R - A'|_F / (m eps (|A|_F + |A'|_F)) and |Q^H Q - I|_F / (m eps sqrt(k)), for a Q of k columns."""
    wide, triangle = q.astype(complex), r.astype(complex)
    unit = residuals.divisor(max(*a.shape, *changed.shape)) * residuals.eps(q.dtype)
    size = np.linalg.norm(a) + np.linalg.norm(changed)
    residual = np.linalg.norm(wide @ triangle - changed)
    defect = np.linalg.norm(wide.conj().T @ wide - np.eye(q.shape[1]))
    return residual and residual / (unit * size), defect / (unit * max(1, q.shape[1]) ** 0.5)


def expect_factors(a, changed, factors, kept):
    q, r = factors
    assert q.dtype == r.dtype == a.dtype
    assert q.shape == (changed.shape[0], kept) and r.shape == (kept, changed.shape[1])
    assert not np.tril(r, -1).any()
    assert max(errors(a, changed, q, r)) <= LIMIT


def kept_columns(a, changed, mode):
    """The columns of Q after a change: SciPy's economic factors stay so while the matrix is tall."""
    return changed.shape[0] if mode == "full" or a.shape[0] <= a.shape[1] else min(changed.shape)


CHANGES = ("insert rows", "insert columns", "delete rows", "delete columns", "update")


def changed_by(change, a, first, count, seed=0):
    """The changed matrix, and a function that changes factors, SciPy's or ours."""
    m, n = a.shape
    axis = int("columns" in change)
    which = "col" if axis else "row"
    if change.startswith("insert"):
        u = matrices.random((count, n) if axis == 0 else (m, count), a.dtype, seed + 1001)
        return np.insert(a, [first] * count, u, axis), lambda m, q, r, **o: m.qr_insert(q, r, u, first, which, **o)
    if change.startswith("delete"):
        rest = np.delete(a, slice(first, first + count), axis)
        return rest, lambda m, q, r, **o: m.qr_delete(q, r, first, count, which, **o)
    u, v = matrices.random((m, count), a.dtype, seed + 1002), matrices.random((n, count), a.dtype, seed + 1003)
    return a + u @ v.conj().T, lambda m, q, r, **o: m.qr_update(q, r, u, v, **o)


def limits(change, m, n):
    """The largest count, and whether it may be inserted after the last one."""
    size = n if "columns" in change else m
    return {"insert": size + 3, "delete": size, "update": min(m, n)}[change.split()[0]], size


@ALL_DTYPES
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("shape", [(1, 1), (1, 5), (5, 1), (6, 6), (12, 7), (7, 12), (40, 33), (33, 40), (70, 20)])
def test_changes(shape, change, dtype):
    a = matrices.random(shape, dtype)
    most, size = limits(change, *shape)
    for mode in ("full", "economic"):
        q, r = qr(a, mode=mode)
        before = q.copy(), r.copy()
        for count in sorted({1, 2, (most + 1) // 2, most} & set(range(1, most + 1))):
            last = size if change.startswith("insert") else max(0, size - count)
            for first in sorted({0, last // 2, last}):
                changed, apply = changed_by(change, a, first, count)
                expect_factors(a, changed, apply(trnsci.linalg, q, r), kept_columns(a, changed, mode))
        assert (q == before[0]).all() and (r == before[1]).all()


@ALL_DTYPES
@pytest.mark.parametrize("change", CHANGES)
def test_residuals_beside_scipys(change, dtype):
    """The largest residuals of many changes are at most half as large again as SciPy's."""
    ours, scipys = [], []
    for mode in ("full", "economic"):
        for m, n in ((9, 5), (30, 20), (20, 20), (20, 30), (60, 7)):
            for seed, count in enumerate((1, 1, 2, 3, 4, 5) * 6):
                if count == n:  # SciPy's qr_update fails for so many vectors
                    continue
                a = matrices.random((m, n), dtype, seed)
                factors = scipy.linalg.qr(a, mode=mode)
                changed, apply = changed_by(change, a, seed % 3, min(count, m, n), seed)
                ours.append(errors(a, changed, *apply(trnsci.linalg, *factors)))
                scipys.append(errors(a, changed, *apply(scipy.linalg, *factors)))
    assert (np.max(ours, 0) <= 1.5 * np.max(scipys, 0)).all()
    assert (np.mean(ours, 0) <= 1.5 * np.mean(scipys, 0)).all()


@settings(properties, max_examples=1000)
@given(st.data())
def test_any_change(data):
    dtype, change = data.draw(dtypes), data.draw(st.sampled_from(CHANGES))
    m, n = data.draw(st.integers(1, 9)), data.draw(st.integers(1, 9))
    mode = data.draw(st.sampled_from(["full", "economic"]))
    a = matrices.random((m, n), dtype, data.draw(st.integers(0, 999)))
    if data.draw(st.booleans()):  # graded, so that columns are nearly dependent
        a = (a * 2.0 ** np.linspace(0, -18, m)[:, None]).astype(dtype)
    if data.draw(st.booleans()):  # of lower rank
        a[:, n // 2 :] = 0
    most, size = limits(change, m, n)
    count = data.draw(st.integers(1, most))
    last = size if change.startswith("insert") else max(0, size - count)
    changed, apply = changed_by(change, a, data.draw(st.integers(0, last)), count)
    factors = [data.draw(presented(x)) for x in qr(a, mode=mode)]
    expect_factors(a, changed, apply(trnsci.linalg, *factors), kept_columns(a, changed, mode))


@pytest.mark.parametrize("dtype", ["float64", "complex64"])
def test_vectors(dtype):
    a = matrices.random((6, 4), dtype)
    row, column = matrices.random(4, dtype), matrices.random(6, dtype)
    for mode in ("full", "economic"):
        q, r = qr(a, mode=mode)
        for k in (-6, -1, 0, 6):
            changed = np.insert(a, k + 6 if k < 0 else k, row, 0)
            expect_factors(a, changed, qr_insert(q, r, row, k), kept_columns(a, changed, mode))
        for k in (-4, -1, 0, 4):
            changed = np.insert(a, k + 4 if k < 0 else k, column, 1)
            expect_factors(a, changed, qr_insert(q, r, column, k, "col"), kept_columns(a, changed, mode))
        expect_factors(a, a + np.outer(column, row.conj()), qr_update(q, r, column, row), q.shape[1])
        expect_factors(a, np.delete(a, -2, 0), qr_delete(q, r, -2), 5 if mode == "full" else 4)


@ALL_DTYPES
def test_columns_in_the_range_of_q(dtype):
    q, r = np.eye(5, 3, dtype=dtype), np.eye(3, dtype=dtype)
    u = np.array([[0, 0, 0, 1, 0], [1, 0, 2, 0, 0]], dtype).T
    with pytest.raises(trnsci.LinAlgError, match=r"^u: column 2 lies in the range of Q"):
        qr_insert(q, r, u, 0, "col")
    with pytest.raises(scipy.linalg.LinAlgError):
        scipy.linalg.qr_insert(q, r, u, 0, "col")
    a = q @ r
    expect_factors(a, np.insert(a, [0, 0], u, 1), qr_insert(q, r, u, 0, "col", rcond=0), 5)
    near = u[:, :1] * residuals.eps(dtype) * 8 + u[:, 1:]
    expect_factors(a, np.insert(a, [3], near, 1), qr_insert(q, r, near, 3, "col"), 4)
    with pytest.raises(trnsci.LinAlgError):
        qr_insert(q, r, near, 3, "col", rcond=1e-2)
    v = np.array([1, 2, 3], dtype)
    expect_factors(a, a + np.outer(u[:, 1], v), qr_update(q, r, u[:, 1], v), 3)
    for row in range(5):  # unit vectors in the range of Q and orthogonal to it
        expect_factors(a, np.delete(a, row, 0), qr_delete(q, r, row), 3)


def test_stacks_broadcast():
    a = matrices.random((2, 3, 6, 4), "complex128")
    factors = [scipy.linalg.qr(x, mode="economic") for x in a.reshape(-1, 6, 4)]
    q, r = (np.stack(x).reshape(2, 3, *x[0].shape) for x in zip(*factors, strict=True))
    u, v, k = matrices.random((3, 6, 2), "complex128"), matrices.random((4, 2), "complex128"), [[1], [3]]
    inserted, deleted, updated = qr_insert(q, r, u, k, "col"), qr_delete(q, r, k, 2), qr_update(q, r, u, v)
    for i, j in np.ndindex(2, 3):
        at = k[i][0]
        one = a[i, j]
        expect_factors(one, np.insert(one, [at, at], u[j], 1), [x[i, j] for x in inserted], 6)
        expect_factors(one, np.delete(one, [at, at + 1], 0), [x[i, j] for x in deleted], 4)
        expect_factors(one, one + u[j] @ v.conj().T, [x[i, j] for x in updated], 4)
    assert [x.shape for x in qr_delete(q[:0], r[:0], 0)] == [(0, 3, 5, 4), (0, 3, 4, 4)]
    with pytest.raises(trnsci.LinAlgError, match=r"column 1 lies .*\(batch member 1\)$"):
        qr_insert(q[0], r[0], np.stack([u[0, :, :1], a[0, 1, :, :1], u[0, :, :1]]), 0, "col")


def test_threads_change_no_bit():
    a = matrices.random((400, 300), "float64")
    for change in CHANGES:
        for count in (1, 4):
            _, apply = changed_by(change, a, 7, count)
            factors = qr(a, mode="economic")
            one, two = (apply(trnsci.linalg, *factors, threads=threads) for threads in (1, 2))
            for x, y in zip(one, two, strict=True):
                assert x.tobytes() == y.tobytes()


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("change", CHANGES)
def test_not_finite(change, bad):
    for mode in ("full", "economic"):
        a = matrices.random((6, 4), "float64")
        factors = dict(zip("QR", qr(a, mode=mode), strict=True))
        _, apply = changed_by(change, a, 1, 2)
        for name in "QR":
            spoiled = {**factors, name: factors[name].copy()}
            spoiled[name][0, 0] = bad
            with pytest.raises(ValueError, match=f"^{name}: contains infinities or NaNs$"):
                apply(trnsci.linalg, *spoiled.values())
            results = apply(trnsci.linalg, *spoiled.values(), check_finite=False)
            assert not all(np.isfinite(x).all() for x in results)
    with pytest.raises(ValueError, match=r"^u: contains infinities or NaNs$"):
        qr_insert(*factors.values(), np.full(4, bad), 0)
    with pytest.raises(ValueError, match=r"^v: contains infinities or NaNs$"):
        qr_update(*factors.values(), np.ones(6), np.full(4, bad))


Q, R = np.eye(4), np.eye(4, 3)
THIN = np.eye(4, 3), np.eye(3)


@pytest.mark.parametrize(
    ("words", "call"),
    [
        ("Q: expected factors of shapes", lambda: qr_delete(Q[:, :2], R[:2], 0)),
        ("Q: expected factors of shapes", lambda: qr_delete(Q, R[:3], 0)),
        ("Q: expected a matrix", lambda: qr_delete(2.0, R, 0)),
        ("k: 4 is out of bounds", lambda: qr_delete(Q, R, 4)),
        ("k: -5 is out of bounds", lambda: qr_delete(Q, R, -5)),
        ("k: 3 is out of bounds", lambda: qr_delete(Q, R, 3, which="col")),
        ("k: 5 is out of bounds", lambda: qr_insert(Q, R, np.ones(3), 5)),
        ("k: 4 is out of bounds", lambda: qr_insert(Q, R, np.ones(4), 4, "col")),
        ("p: 0 is not between 1 and 4", lambda: qr_delete(Q, R, 0, 0)),
        ("p: 3 is not between 1 and 2", lambda: qr_delete(Q, R, 2, 3)),
        ("which: 'foo' is not one of", lambda: qr_delete(Q, R, 0, which="foo")),
        ("which: 'foo' is not one of", lambda: qr_insert(Q, R, np.ones(3), 0, "foo")),
        ("u: expected any x 3 matrices", lambda: qr_insert(Q, R, np.ones(4), 0)),
        ("u: expected 4 x any matrices", lambda: qr_insert(Q, R, np.ones(3), 0, "col")),
        ("u: expected rows or columns to insert", lambda: qr_insert(Q, R, np.ones((0, 3)), 0)),
        ("rcond: expected None", lambda: qr_insert(Q, R, np.ones(3), 0, rcond=0.1)),
        ("rcond: expected None", lambda: qr_insert(Q, R, np.ones(4), 0, "col", 0.1)),
        ("rcond: expected None", lambda: qr_insert(*THIN, np.ones(3), 0, rcond=0.1)),
        ("v: expected as many dimensions", lambda: qr_update(Q, R, np.ones(4), np.ones((3, 1)))),
        ("v: expected 3 x 2 matrices", lambda: qr_update(Q, R, np.ones((4, 2)), np.ones((3, 1)))),
        ("u: expected 4 x any matrices", lambda: qr_update(Q, R, np.ones(3), np.ones(3))),
        ("u: 4 columns are more than", lambda: qr_update(Q, R, np.ones((4, 4)), np.ones((3, 4)))),
        ("device: 'tpu'", lambda: qr_update(Q, R, np.ones(4), np.ones(3), device="tpu")),
    ],
)
def test_bad_arguments(words, call):
    with pytest.raises(ValueError, match=f"^{words}"):
        call()


def test_types_of_arguments():
    with pytest.raises(TypeError, match=r"^k: expected integers"):
        qr_delete(Q, R, 1.5)
    with pytest.raises(TypeError, match=r"^p: expected an integer"):
        qr_delete(Q, R, 1, 1.5)
    assert qr_update(np.eye(2, dtype=np.float32), np.eye(2), [1j, 0], [1, 2])[0].dtype == np.complex128
