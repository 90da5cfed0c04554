"""eigh and eigvalsh for random arguments give what SciPy gives: shapes, dtypes, values, classes of errors.

Where they are meant to differ is a table in docs/eigh.md, which test_scipy_differences.py checks.
"""

import matrices
import numpy as np
import residuals
import scipy.linalg
import trnsci
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from trnsci import linalg

LIMIT = residuals.HERMITIAN_LIMIT
# Differences of eigenvalues of generalized problems, in units of m eps max |w|; the metrics' condition number is about
# 5.
GENERALIZED_VALUES = 50

# The same examples in every run.
examples = settings(deadline=None, derandomize=True, print_blob=True, suppress_health_check=[HealthCheck.too_slow])

INTEGERS = ("bool", "int8", "uint8", "int16", "int32", "uint32", "int64")
STANDARD_DRIVERS, GENERALIZED_DRIVERS = ("ev", "evd", "evr", "evx"), ("gv", "gvd", "gvx")
SUBSET_DRIVERS = ("evr", "evx", "gvx")

# Values of matrices that are cheap to make in any order, before they are made Hermitian.
CONTENTS = {
    "normal": lambda rng, n: rng.standard_normal((n, n)),
    "small integers": lambda rng, n: rng.integers(-3, 4, (n, n)).astype(float),
    "diagonal": lambda rng, n: np.diag(rng.integers(-2, 3, n).astype(float)),
    "zero": lambda rng, n: np.zeros((n, n)),
    "rank one": lambda rng, n: np.outer(*[rng.integers(0, 2, n).astype(float)] * 2),
    "tridiagonal": lambda rng, n: matrices.tridiagonal(rng.standard_normal(n), np.ones(max(n - 1, 0)))[:n, :n],
}


def contents(kind, seed, shape, dtype):
    """A stack of Hermitian matrices; with integers if `dtype` holds no others."""
    *batch, n, _ = shape
    rng = np.random.default_rng([seed, *shape])
    parts = 2 if np.dtype(dtype).kind == "c" else 1
    stack = [CONTENTS[kind](rng, n) for _ in range(parts * int(np.prod(batch)))]
    a = np.reshape(stack, (parts, *shape)) if stack else np.zeros((parts, *shape))
    if np.dtype(dtype).kind in "bu":
        a = np.abs(a)
    whole = matrices.from_lower(a[0] + 1j * a[1] if parts == 2 else a[0])
    return whole.astype(dtype)


# What is wrong with the arguments of a call, as a change of them; `n` is the order.
FAULTS = {
    "not square": lambda c, n: c.update(a=np.zeros((n, n + 1), c["a"].dtype)),
    "one dimension": lambda c, n: c.update(a=np.zeros(n, c["a"].dtype)),
    "metric of another order": lambda c, n: c.update(b=np.eye(n + 1, dtype=c["a"].dtype), driver=None),
    "metric not square": lambda c, n: c.update(b=np.ones((n, n + 1), c["a"].dtype), driver=None),
    "indefinite metric": lambda c, n: c.update(b=np.diag(np.append(np.ones(n - 1), -1)), driver=None),
    "zero metric": lambda c, n: c.update(b=np.zeros((n, n)), driver=None),
    "NaN in a": lambda c, n: c.update(a=np.full((n, n), np.nan, np.float32), check_finite=True),
    "infinity in b": lambda c, n: c.update(
        b=np.diag(np.append(np.ones(n - 1), np.inf)), driver=None, check_finite=True
    ),
    "type 0": lambda c, n: c.update(b=np.eye(n), type=0, driver=None),
    "type 4": lambda c, n: c.update(b=np.eye(n), type=4, driver=None),
    "driver unknown": lambda c, n: c.update(driver="evrr"),
    "driver of a generalized problem": lambda c, n: c.update(b=None, driver="gvd"),
    "driver of a standard problem": lambda c, n: c.update(b=np.eye(n), driver="evr"),
    "driver without subsets": lambda c, n: c.update(
        b=None, driver="evd", subset_by_index=[0, n - 1], subset_by_value=None
    ),
    "both subsets": lambda c, n: c.update(subset_by_index=[0, n - 1], subset_by_value=(0, 1), driver=None),
    "index too large": lambda c, n: c.update(subset_by_index=[0, n], subset_by_value=None, driver=None),
    "index negative": lambda c, n: c.update(subset_by_index=[-1, n - 1], subset_by_value=None, driver=None),
    "indices in descending order": lambda c, n: c.update(subset_by_index=[n, n - 1], subset_by_value=None, driver=None),
    "one index": lambda c, n: c.update(subset_by_index=[0], subset_by_value=None, driver=None),
    "interval empty": lambda c, n: c.update(subset_by_value=[1, 1], subset_by_index=None, driver=None),
    "interval of NaN": lambda c, n: c.update(subset_by_value=[np.nan, 1], subset_by_index=None, driver=None),
    "one end": lambda c, n: c.update(subset_by_value=[1], subset_by_index=None, driver=None),
}


@st.composite
def dtypes(draw):
    """Any dtype for which both give the same, in either byte order."""
    dtype = np.dtype(draw(st.sampled_from((*matrices.DTYPES, *matrices.DTYPES, *INTEGERS))))
    return dtype.newbyteorder(draw(st.sampled_from("=S"))) if draw(st.booleans()) else dtype


@st.composite
def subsets(draw, n, batch):
    kind = draw(st.sampled_from(["all", "all", "index"] if batch else ["all", "all", "index", "value"]))
    if kind == "index":
        first = draw(st.integers(0, n - 1))
        return {"subset_by_index": [first, draw(st.integers(first, n - 1))]}
    if kind == "value":
        low, high = draw(st.floats(-4, 4, width=32)), draw(st.floats(-4, 4, width=32))
        assume(low < high)
        infinite = draw(st.sampled_from([(), (), (0,), (1,)]))
        return {"subset_by_value": (-np.inf if 0 in infinite else low, np.inf if 1 in infinite else high)}
    return {}


def allowed_drivers(generalized, subset):
    words = GENERALIZED_DRIVERS if generalized else STANDARD_DRIVERS
    return [None, *(word for word in words if not subset or word in SUBSET_DRIVERS)]


@st.composite
def calls(draw):
    """The arguments of a call, the layouts of its matrices, and what is wrong with it, if anything."""
    n, fault = draw(st.integers(1, 40)), draw(st.sampled_from([None] * 2 * len(FAULTS) + list(FAULTS)))
    batch = () if fault else draw(st.sampled_from([(), (), (1,), (2,), (2, 3)]))
    if len(batch) == 2:
        n = min(n, 8)
    c = {"a": contents(draw(st.sampled_from(sorted(CONTENTS))), draw(st.integers(0, 9)), (*batch, n, n),
        draw(dtypes())),
         "b": None, **draw(subsets(n, batch))}  # fmt: skip
    if draw(st.booleans()):
        c["b"] = matrices.positive_definite(n, draw(st.sampled_from(matrices.DTYPES)), draw(st.integers(0, 9)))
        c["type"] = draw(st.sampled_from([1, 2, 3]))
    subset = "subset_by_index" in c or "subset_by_value" in c
    c["driver"] = draw(st.sampled_from(allowed_drivers(c["b"] is not None, subset)))
    for name in ("lower", "check_finite", "overwrite_a", "overwrite_b"):
        c[name] = draw(st.booleans())
    if fault:
        FAULTS[fault](c, n)
    c["half"] = draw(st.booleans()) and not fault
    layouts = [draw(st.sampled_from(sorted(matrices.LAYOUTS))) for _ in range(2)]
    return c, layouts, fault


def members(c):
    """The arguments of one call for each matrix of a stack, stored by rows in the byte order of the machine.

    Integers become float64 here, since SciPy computes the shorter ones in float32.
    """
    a, b = (None if x is None else np.array(x, x.dtype.newbyteorder("="), order="C") for x in (c["a"], c["b"]))
    if a.dtype.kind in "bui":
        a = a.astype(np.float64)
    plain = {name: value for name, value in c.items() if name != "half" and not name.startswith("overwrite")}
    for index in np.ndindex(a.shape[:-2]):
        yield index, {**plain, "a": a[index], "b": b}


def outcome(function, arguments):
    """What a call returns, as a tuple, or the exception that it raises."""
    try:
        result = function(**arguments)
    except Exception as error:
        return error
    return result if isinstance(result, tuple) else (result,)


def presented(c, layouts):
    """The arguments with their matrices in the named layouts, and the memory behind those that may not change.

    With ``half``, what is in the triangle that does not count is not the matrix's.
    """
    c, kept = dict(c), []
    half = c.pop("half")
    for name, layout in zip("ab", layouts, strict=True):
        if c[name] is not None:
            # A vector has no layouts here, a stack is no np.matrix.
            layout = "C" if c[name].ndim < 2 or (layout == "matrix" and c[name].ndim > 2) else layout
            if half:
                c[name] = (np.tril if c["lower"] else np.triu)(c[name])
            c[name], memory = matrices.LAYOUTS[layout](c[name])
            if not (c["overwrite_a"] and c["overwrite_b"] if c["b"] is not None else c["overwrite_a"]):
                kept.append((memory, memory.tobytes()))
    return c, kept


def near_an_end(c, w, slack):
    """Whether an eigenvalue is so near to an end of the wanted interval that rounding errors decide."""
    ends = np.array([x for x in c["subset_by_value"] if np.isfinite(x)])
    return np.any(np.abs(w[:, None] - ends) <= slack)


def check_member(c, ours, theirs):
    """Compare eigenvalues, and take residuals of the eigenvectors."""
    a, b, w = c["a"], c["b"], ours[0]
    allowed = (
        (2 * LIMIT if b is None else GENERALIZED_VALUES) * residuals.divisor(len(a)) * residuals.eps(theirs[0].dtype)
    )
    wide = [x if x is None else x.astype(np.result_type(x, float)) for x in (a, b)]
    whole = scipy.linalg.eigvalsh(*wide, type=c.get("type", 1))
    slack = allowed * np.abs(whole).max()
    if c.get("subset_by_value") is not None:
        assume(not near_an_end(c, whole, slack))
    assert w.shape == theirs[0].shape and w.dtype == theirs[0].dtype
    assert np.all(np.diff(w) >= 0)
    np.testing.assert_allclose(w, theirs[0], rtol=0, atol=slack)
    if len(ours) == 1:
        return
    v = ours[1]
    assert v.shape == theirs[1].shape and v.dtype == theirs[1].dtype
    if b is None:
        assert residuals.eigen_residual(a, w, v) < LIMIT
        assert residuals.orthogonality(v) < LIMIT
    else:
        assert residuals.generalized_residual(c["type"], a, b, w, v) < LIMIT
        assert residuals.metric_orthogonality(c["type"], b, v) < LIMIT


def check_call(ours, theirs, drawn, **more):
    """Compare a call of ours with one of SciPy's function for each member of the stack."""
    c, layouts, fault = drawn
    arguments, kept = presented(c, layouts)
    got = outcome(ours, {**arguments, **more})
    assert all(memory.tobytes() == before for memory, before in kept)
    for index, member in members(c):
        expected = outcome(theirs, {**member, **more})
        assert (fault is None) == isinstance(expected, tuple), expected
        if fault is not None:
            assert isinstance(got, type(expected)), (got, expected)
            return
        assert isinstance(got, tuple), got
        check_member(member, tuple(x[index] for x in got), expected)


@settings(examples, max_examples=500)
@given(calls(), st.booleans())
def test_eigh(drawn, eigvals_only):
    check_call(trnsci.eigh, scipy.linalg.eigh, drawn, eigvals_only=eigvals_only)


@settings(examples, max_examples=300)
@given(calls())
def test_eigvalsh(drawn):
    check_call(linalg.eigvalsh, scipy.linalg.eigvalsh, drawn)


@settings(examples, max_examples=200)
@given(calls())
def test_eigvalsh_is_the_values_of_eigh(drawn):
    c, layouts, fault = drawn
    first = outcome(linalg.eigvalsh, presented(c, layouts)[0])
    second = outcome(trnsci.eigh, {**presented(c, layouts)[0], "eigvals_only": True})
    if fault is None:
        assert first[0].tobytes() == second[0].tobytes()
    else:
        assert type(first) is type(second) and str(first) == str(second)
