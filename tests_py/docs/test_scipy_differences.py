"""docs/eigh.md and docs/general.md describe every argument, and every difference from SciPy in their tables is true.

Each line of a table of differences is a call, executed with trnsci.linalg and with scipy.linalg. A SciPy newer than the
pages may differ from its column; such a test is reported as an expected failure that says how.
"""

import warnings

import matrices
import ml_dtypes
import numpy as np
import pages
import pytest
import scipy.linalg
import scipy.sparse
from trnsci import linalg

IDENTITY = np.eye(2)
EMPTY = np.zeros((0, 0))
HUGE = np.full((2, 2), 1.5e308)
NILPOTENT = np.array([[0.0, 1], [0, 0]])
TWO = np.array([[2.0, 1], [1, 3]])
# Its smallest singular value is half an eps of the largest one, or less.
ALMOST_SINGULAR = np.array([[1, 1], [1, 1 + 2.0**-52]])
# Two pairs that differ by 4e-6 in badly scaled blocks, coupled by numbers of 1e10: LAPACK finds them too close as well.
CLOSE = np.array(
    [[1, 1, -2.9e10, 2.4e10], [-1, 1, -3.5e9, -3.6e10], [0, 0, 1.0000036, 3.6e10], [0, 0, -1 / 3.6e10, 1.0000036]]
)
# The a, b, q, r and e of an equation whose states are measured in units that differ by 1e4.
BADLY_SCALED = (
    np.array([[1, 1e4], [1e-4, 2]]), np.array([[1e2], [1]]), np.diag([1e-4, 1e2]), 1.0, np.array([[2, 1e4], [1e-4, 2]])
)  # fmt: skip
DIAGONAL, OFFDIAGONAL = np.array([2.0, 1, 3]), np.zeros(2)
BAND = np.array([[0, 0, 0], DIAGONAL])

# The calls of the tables of differences by page and section; `m` is SciPy's module or ours.
CALLS = {
    ("eigh.md", "Where results and errors differ"): {
        "bool or integers of 8 or 16 bits": lambda m: m.eigh(IDENTITY.astype(np.int16)),
        "float16": lambda m: m.eigh(IDENTITY.astype(np.float16)),
        "bfloat16": lambda m: m.eigh(IDENTITY.astype(ml_dtypes.bfloat16)),
        "longdouble": lambda m: m.eigh(IDENTITY.astype(np.longdouble)),
        "object array": lambda m: m.eigh(IDENTITY.astype(object)),
        "strings of digits": lambda m: m.eigh([["1"]]),
        "sparse matrix": lambda m: m.eigh(scipy.sparse.eye_array(2)),
        "None for a": lambda m: m.eigh(None),
        "masked elements": lambda m: m.eigh(np.ma.masked_equal(IDENTITY, 0)),
        "type 4 without b": lambda m: m.eigh(IDENTITY, type=4),
        "type 1.0": lambda m: m.eigh(IDENTITY, IDENTITY, type=1.0),
        "indices with fractions": lambda m: m.eigh(IDENTITY, subset_by_index=(0.7, 1.9)),
        "indices as an array": lambda m: m.eigh(IDENTITY, subset_by_index=np.array([0, 1])),
        "no indices": lambda m: m.eigh(IDENTITY, subset_by_index=()),
        "one index, not in a sequence": lambda m: m.eigh(IDENTITY, subset_by_index=1),
        "an end that is a text": lambda m: m.eigh(IDENTITY, subset_by_value=("low", 1)),
        "an end that is complex": lambda m: m.eigh(IDENTITY, subset_by_value=(1j, 2)),
        "interval of a stack": lambda m: m.eigh(np.stack([IDENTITY, IDENTITY]), subset_by_value=(0, 2)),
        "indices of an empty matrix": lambda m: m.eigh(EMPTY, subset_by_index=(0, 5)),
        "driver of an empty matrix": lambda m: m.eigh(EMPTY, driver="gvd"),
        "metric of an empty matrix": lambda m: m.eigh(EMPTY, IDENTITY),
        "stack without members": lambda m: m.eigh(np.zeros((0, 3, 3))),
        "metric that is singular up to one rounding error": lambda m: m.eigh(
            IDENTITY, np.array([[1, 1], [1, np.nextafter(1, 2)]])
        ),
    },
    ("eigh.md", "Tridiagonal matrices"): {
        "tridiagonal: integers of 8 or 16 bits": lambda m: m.eigh_tridiagonal(
            DIAGONAL.astype("i1"), OFFDIAGONAL.astype("i1")
        ),
        "tridiagonal: an integer, of order 1": lambda m: m.eigh_tridiagonal([1], []),
        "tridiagonal: float16": lambda m: m.eigh_tridiagonal(DIAGONAL.astype("f2"), OFFDIAGONAL.astype("f2")),
        "tridiagonal: longdouble": lambda m: m.eigh_tridiagonal(DIAGONAL.astype("g"), OFFDIAGONAL),
        "tridiagonal: interval of a stack": lambda m: m.eigh_tridiagonal(
            np.stack([DIAGONAL] * 2), np.stack([OFFDIAGONAL] * 2), select="v", select_range=(0, 9)
        ),
        "tridiagonal: interval from NaN": lambda m: m.eigh_tridiagonal(
            DIAGONAL, OFFDIAGONAL, select="v", select_range=(np.nan, 1)
        ),
        "tridiagonal: stack without members": lambda m: m.eigh_tridiagonal(np.zeros((0, 3)), np.zeros((0, 2))),
        "tridiagonal: select in a list": lambda m: m.eigh_tridiagonal(DIAGONAL, OFFDIAGONAL, select=["a"]),
    },
    ("eigh.md", "Band matrices"): {
        "band: integers of 8 or 16 bits": lambda m: m.eig_banded(BAND.astype(np.int8)),
        "band: float16": lambda m: m.eig_banded(BAND.astype(np.float16)),
        "band: longdouble": lambda m: m.eig_banded(BAND.astype(np.longdouble)),
        "band: interval of a stack": lambda m: m.eig_banded(np.stack([BAND, BAND]), select="v", select_range=(0, 9)),
        "band: stack without members": lambda m: m.eig_banded(np.zeros((0, 2, 3))),
        "band: no rows": lambda m: m.eig_banded(np.zeros((0, 3))),
        "band: NaN outside of the matrix, not checked": lambda m: m.eig_banded(
            [[np.nan, 0], [1, 2]], check_finite=False
        ),
        "band: masked elements": lambda m: m.eig_banded(np.ma.masked_equal(BAND, 0)),
    },
    ("general.md", "Schur form"): {
        "integers of 16 bits": lambda m: m.schur(IDENTITY.astype(np.int16)),
        "integers of 16 bits, complex form": lambda m: m.schur(IDENTITY.astype(np.int16), "complex"),
        "bool": lambda m: m.schur(IDENTITY.astype(bool)),
        "float16": lambda m: m.schur(IDENTITY.astype(np.float16)),
        "bfloat16": lambda m: m.schur(IDENTITY.astype(ml_dtypes.bfloat16)),
        "longdouble": lambda m: m.schur(IDENTITY.astype(np.longdouble)),
        "object array": lambda m: m.schur(IDENTITY.astype(object)),
        "sparse matrix": lambda m: m.schur(scipy.sparse.eye_array(2)),
        "None for a": lambda m: m.schur(None),
        "masked elements": lambda m: m.schur(np.ma.masked_equal(IDENTITY, 0)),
        "not square": lambda m: m.schur(np.zeros((2, 3))),
        "a NaN": lambda m: m.schur(np.full((2, 2), np.nan)),
        "a form that overflows": lambda m: m.schur(HUGE),
        "unknown word for sort": lambda m: m.schur(IDENTITY, sort="up"),
        "stack without members": lambda m: m.schur(np.zeros((0, 3, 3))),
    },
    ("general.md", "Eigenvalues and eigenvectors"): {
        "integers of 16 bits": lambda m: m.eig(IDENTITY.astype(np.int16)),
        "float16": lambda m: m.eig(IDENTITY.astype(np.float16)),
        "bfloat16": lambda m: m.eig(IDENTITY.astype(ml_dtypes.bfloat16)),
        "longdouble": lambda m: m.eig(IDENTITY.astype(np.longdouble)),
        "object array": lambda m: m.eig(IDENTITY.astype(object)),
        "sparse matrix": lambda m: m.eig(scipy.sparse.eye_array(2)),
        "None for a": lambda m: m.eig(None),
        "masked elements": lambda m: m.eig(np.ma.masked_equal(IDENTITY, 0)),
        "a and b of different orders": lambda m: m.eig(IDENTITY, np.eye(3)),
        "an eigenvalue that overflows": lambda m: m.eig(HUGE),
        "stack without members": lambda m: m.eig(np.zeros((0, 3, 3))),
    },
    ("general.md", "Sylvester's and Lyapunov's equations"): {
        "sylvester: integers of 8 bits": lambda m: m.solve_sylvester(*[np.array([[2, 1], [0, 3]], np.int8)] * 3),
        "sylvester: float16": lambda m: m.solve_sylvester(*[IDENTITY.astype(np.float16)] * 3),
        "sylvester: singular": lambda m: m.solve_sylvester(NILPOTENT, NILPOTENT, IDENTITY),
        "sylvester: NaN in q": lambda m: m.solve_sylvester(IDENTITY, IDENTITY, np.nan * IDENTITY),
        "lyapunov: singular": lambda m: m.solve_continuous_lyapunov(NILPOTENT, IDENTITY),
        "lyapunov: numbers": lambda m: m.solve_continuous_lyapunov(2.0, 8.0),
        "lyapunov: overflow": lambda m: m.solve_continuous_lyapunov([[1e-300]], [[1e300]]),
        "discrete: singular": lambda m: m.solve_discrete_lyapunov(IDENTITY, IDENTITY),
        "discrete: unknown method": lambda m: m.solve_discrete_lyapunov(IDENTITY, IDENTITY, "exact"),
        "discrete: NaN in q": lambda m: m.solve_discrete_lyapunov(IDENTITY / 2, np.nan * IDENTITY),
    },
    ("general.md", "Generalized Schur form"): {
        "integers of 16 bits": lambda m: m.qz(IDENTITY.astype(np.int16), IDENTITY.astype(np.int16)),
        "integers of 16 bits, complex form": lambda m: m.qz(
            IDENTITY.astype(np.int16), IDENTITY.astype(np.int16), "complex"
        ),
        "bfloat16": lambda m: m.qz(IDENTITY.astype(ml_dtypes.bfloat16), IDENTITY.astype(ml_dtypes.bfloat16)),
        "longdouble": lambda m: m.qz(IDENTITY.astype(np.longdouble), IDENTITY),
        "object array": lambda m: m.qz(IDENTITY.astype(object), IDENTITY),
        "strings of digits": lambda m: m.qz([["1"]], [["1"]]),
        "sparse matrix": lambda m: m.qz(scipy.sparse.eye_array(2), IDENTITY),
        "None for A": lambda m: m.qz(None, IDENTITY),
        "masked elements": lambda m: m.qz(np.ma.masked_equal(IDENTITY, 0), IDENTITY),
        "stack without members": lambda m: m.qz(np.zeros((0, 3, 3)), np.eye(3)),
        "matrices of order 0": lambda m: m.qz(EMPTY, EMPTY),
        "ordqz, eigenvalues too close": lambda m: m.ordqz(CLOSE, np.eye(4), lambda alpha, beta: np.array([0, 0, 1, 1])),
    },
    ("general.md", "Riccati's equations"): {
        "float32": lambda m: m.solve_continuous_are(*(IDENTITY.astype(np.float32),) * 4),
        "complex64": lambda m: m.solve_discrete_are(*(IDENTITY.astype(np.complex64),) * 4),
        "numbers": lambda m: m.solve_continuous_are(2.0, 1.0, 3.0, 4.0),
        "badly scaled, with e": lambda m: m.solve_continuous_are(*BADLY_SCALED),
        "r that is singular": lambda m: m.solve_continuous_are(IDENTITY, IDENTITY, IDENTITY, np.ones((2, 2))),
        "r that is singular, discrete": lambda m: m.solve_discrete_are(IDENTITY, IDENTITY, IDENTITY, np.ones((2, 2))),
        "a state that cannot be controlled": lambda m: m.solve_continuous_are(2.0, 0.0, 1.0, 1.0),
        "matrices of order 0": lambda m: m.solve_continuous_are(EMPTY, np.zeros((0, 1)), EMPTY, 1.0),
        "stack without members": lambda m: m.solve_continuous_are(np.zeros((0, 2, 2)), *(IDENTITY,) * 3),
    },
    ("general.md", "Matrix functions"): {
        "expm, float16": lambda m: m.expm(TWO.astype(np.float16)),
        "expm, bfloat16": lambda m: m.expm(TWO.astype(ml_dtypes.bfloat16)),
        "expm, longdouble": lambda m: m.expm(TWO.astype(np.longdouble)),
        "expm, object array": lambda m: m.expm(TWO.astype(object)),
        "expm, bool of order 1": lambda m: m.expm([[True]]),
        "expm, rectangle": lambda m: m.expm(np.zeros((2, 3))),
        "expm, masked elements": lambda m: m.expm(np.ma.masked_equal(TWO, 1)),
        "sqrtm, float16": lambda m: m.sqrtm(TWO.astype(np.float16)),
        "sqrtm, longdouble": lambda m: m.sqrtm(TWO.astype(np.longdouble)),
        "sqrtm, NaN": lambda m: m.sqrtm(TWO * np.nan),
        "logm, float32": lambda m: m.logm(TWO.astype(np.float32)),
        "logm, complex64": lambda m: m.logm(TWO.astype(np.complex64)),
        "logm, NaN": lambda m: m.logm(TWO * np.nan),
        "logm, order 0": lambda m: m.logm(EMPTY),
        "logm, stack without members": lambda m: m.logm(np.zeros((0, 2, 2))),
        "logm, a number": lambda m: m.logm(4.0),
        "power, float32": lambda m: m.fractional_matrix_power(TWO.astype(np.float32), 0.5),
        "power, integers to an integer": lambda m: m.fractional_matrix_power(TWO.astype(np.int64), 2),
        "power, order 0": lambda m: m.fractional_matrix_power(EMPTY, 0.5),
        "power, exponent that is a text": lambda m: m.fractional_matrix_power(TWO, "half"),
        "power, infinite exponent": lambda m: m.fractional_matrix_power(TWO, np.inf),
        "power, singular to a negative integer": lambda m: m.fractional_matrix_power(np.ones((2, 2)), -1),
        "power, singular to working precision, to a negative integer": lambda m: m.fractional_matrix_power(
            ALMOST_SINGULAR, -1
        ),
        "signm, bool": lambda m: m.signm(np.eye(2, dtype=bool)),
        "signm, order 0": lambda m: m.signm(EMPTY),
        "funm, order 0": lambda m: m.funm(EMPTY, np.exp),
        "funm, values of another shape": lambda m: m.funm(TWO, lambda w: np.ones(3)),
        "cosm, float16": lambda m: m.cosm(TWO.astype(np.float16)),
        "tanm, NaN": lambda m: m.tanm(TWO * np.nan),
        "tanhm, exponentials that overflow": lambda m: m.tanhm(1e3 * TWO),
        "coshm, order 0": lambda m: m.coshm(EMPTY),
        "expm_frechet, float32": lambda m: m.expm_frechet(TWO.astype(np.float32), TWO.astype(np.float32))[1],
        "expm_frechet, order 0": lambda m: m.expm_frechet(EMPTY, EMPTY)[1],
        "expm_cond, order 0": lambda m: m.expm_cond(EMPTY),
    },
}
# Sections whose tables of arguments describe these functions.
FUNCTIONS = {
    ("eigh.md", "Arguments"): ("eigh", "eigvalsh"),
    ("eigh.md", "Tridiagonal matrices"): ("eigh_tridiagonal", "eigvalsh_tridiagonal"),
    ("eigh.md", "Band matrices"): ("eig_banded", "eigvals_banded"),
    ("general.md", "Hessenberg form and balancing"): ("hessenberg", "matrix_balance"),
    ("general.md", "Schur form"): ("schur",),
    ("general.md", "Eigenvalues and eigenvectors"): ("eig", "eigvals"),
    ("general.md", "Generalized Schur form"): ("qz", "ordqz"),
    ("general.md", "Riccati's equations"): ("solve_continuous_are", "solve_discrete_are"),
    ("general.md", "Matrix functions"): (
        "expm",
        "sqrtm",
        "logm",
        "fractional_matrix_power",
        "signm",
        "funm",
        "cosm",
        "sinm",
        "tanm",
        "coshm",
        "sinhm",
        "tanhm",
        "expm_frechet",
        "expm_cond",
    ),
}
# In these sections a call that warns is described by the warning's name.
WARNINGS_COUNT = ("Sylvester's and Lyapunov's equations",)

EVERY_CALL = pytest.mark.parametrize(
    ("page", "section", "name"), [(*section, name) for section, calls in CALLS.items() for name in calls]
)


def stated(page, section):
    """SciPy's column and ours, by call."""
    return {row[0]: row[1:] for row in pages.tables(page, "call")[section]}


def described(page, section, name, module):
    """What a call does in the words of a page: the dtype and shape of the (first) result, or the name of the error."""
    with warnings.catch_warnings():
        warnings.simplefilter("error" if section in WARNINGS_COUNT else "ignore")
        try:
            result = CALLS[page, section][name](module)
        except Exception as error:
            return type(error).__name__
    if isinstance(result, (tuple, list)):
        result = result[0]
    return f"{result.dtype} {result.shape}" if hasattr(result, "dtype") else type(result).__name__


@pytest.mark.parametrize(("page", "section"), CALLS)
def test_page_has_the_differences(page, section):
    assert list(stated(page, section)) == list(CALLS[page, section])


@EVERY_CALL
def test_our_column(page, section, name):
    assert described(page, section, name, linalg) == stated(page, section)[name][1]


@EVERY_CALL
def test_scipys_column(page, section, name):
    does = described(page, section, name, scipy.linalg)
    pages.assert_scipys(does, pages.of_version(stated(page, section)[name][0]), name)


@pytest.mark.parametrize(("page", "section"), FUNCTIONS)
def test_page_has_every_argument(page, section):
    described = pages.described_arguments(page, section)
    for name in FUNCTIONS[page, section]:
        assert set(pages.arguments(name)) <= set(described)
    if page == "eigh.md":  # in the order of the signature
        ours = pages.arguments(FUNCTIONS[page, section][0])
        assert [argument for argument in described if argument in ours] == ours


def test_cells_about_versions():
    cell = "list; before 1.18: ValueError; before 1.17: IndexError"
    for minor, words in [(19, "list"), (18, "list"), (17, "ValueError"), (16, "IndexError"), (9, "IndexError")]:
        assert pages.of_version(cell, (1, minor)) == words


def test_differences_of_a_newer_scipy_are_reported(monkeypatch):
    monkeypatch.setattr(pages, "SCIPY", (pages.NEWEST[0], pages.NEWEST[1] + 1))
    pages.assert_scipys("float64", "float64", "call")
    with pytest.raises(pytest.xfail.Exception, match=r"call: list; stated: float64"):
        pages.assert_scipys("list", "float64", "call")
    monkeypatch.setattr(pages, "SCIPY", pages.NEWEST)
    with pytest.raises(AssertionError):
        pages.assert_scipys("list", "float64", "call")


def largest_error(module, exponent):
    """The largest element of ``A V - V W``, divided by that of A, for a random matrix of that size."""
    a = matrices.random((10, 10), "float64") * 10.0**exponent
    w, v = module.eig(a)
    scale = np.abs(a).max()
    return np.abs((a / scale) @ v - v * (w / scale)).max()


@pytest.mark.parametrize("exponent", [-300, -150, 150, 300])
def test_eigenvalues_of_matrices_of_extreme_size(exponent):
    assert largest_error(linalg, exponent) < 1e-13


@pytest.mark.parametrize("exponent", [-300, -150, 150, 300])
def test_scipys_eigenvalues_of_matrices_of_extreme_size(exponent):
    """The LAPACK in the wheels of 1.16 and 1.17 scales such matrices and does not scale the eigenvalues back."""
    wrong = largest_error(scipy.linalg, exponent) > 1e-2
    pages.assert_scipys(wrong, pages.SCIPY in ((1, 16), (1, 17)), "eigenvalues are not scaled back")
