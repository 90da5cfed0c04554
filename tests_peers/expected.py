"""Tests of the peers that fail with our functions on purpose. docs/peers.md explains each reason.

A pattern names a file, a class, a function or one test, from the folder of the environment's packages on, with all that
is below it; a star stands for any text. `run.py` fails if a pattern of a version that it runs matches no failed test.
"""

import re
from typing import NamedTuple


class Difference(NamedTuple):
    """Tests that fail for one reason.

    `shows` is a regular expression that the message of the failure contains, so that other faults in the same tests are
    found. `since` and `before` bound the peer's versions: from the one, up to and without the other.
    """

    reason: str  # a key of the table in docs/peers.md
    peer: str  # a suite of run.py
    tests: tuple[str, ...]
    shows: str
    since: str = "0"
    before: str = "1000"

    def holds_for(self, version):
        return _numbers(self.since) <= _numbers(version) < _numbers(self.before)

    def pattern_of(self, test, message):
        """Return the pattern that a failed test with this message belongs to, or None."""
        if re.search(self.shows, message) is None:
            return None
        return next((pattern for pattern in self.tests if belongs(test, pattern)), None)


def _numbers(version):
    return tuple(int(part) for part in version.split("."))


def belongs(test, pattern):
    """Whether a test is what a pattern names, or below it."""
    body = ".*".join(map(re.escape, pattern.split("*")))
    return re.fullmatch(rf"{body}(::.*|\[.*)?", test, re.DOTALL) is not None


_LINALG = "scipy/linalg/tests"
_ARRAYS = f"{_LINALG}/test_cythonized_array_utils.py"
_DEPRECATIONS = f"{_LINALG}/test_deprecations.py::test_deprecations"
_CHOLESKY = f"{_LINALG}/test_decomp_cholesky.py"
_UPDATE = f"{_LINALG}/test_decomp_update.py"
_EIG = f"{_LINALG}/test_decomp.py::TestEig"
_SQRTM = f"{_LINALG}/test_matfuncs.py::TestSqrtM"
_LOGM = f"{_LINALG}/test_matfuncs.py::TestLogM"
_POWER = f"{_LINALG}/test_matfuncs.py::TestFractionalMatrixPower"
_SIZES = f"{_SQRTM}::test_data_size_preservation"
_COMPLEX_OR_NOT = "type_conversion_mixed_sign_or_complex_spectrum"
# What pytest says of a function that raised where a warning was expected, or what the function says.
_NO_WARNING = "DID NOT WARN|is not supported"

DIFFERENCES = (
    Difference(
        "class of errors",
        "scipy",
        (
            f"{_LINALG}/test_basic.py::TestMatrix_Balance::test_string_arg",
            f"{_LINALG}/test_decomp.py::TestEigh::test_eigh_of_sparse",
        ),
        shows="TypeError: .* dtype .* is not supported",
    ),
    Difference(
        "words of errors",
        "scipy",
        (
            f"{_CHOLESKY}::TestCholesky::test_invalid_shape",
            f"{_CHOLESKY}::TestCholesky::test_non_posdef",
            f"{_CHOLESKY}::TestChoFactor::test_invalid_shape",
            f"{_CHOLESKY}::TestChoFactor::test_non_posdef",
            f"{_LINALG}/test_batch.py::test_shapes_solve_like[solve_triangular]",
        ),
        shows="Regex pattern did not match",
        since="1.18",
    ),
    Difference("long double", "scipy", (f"{_SIZES}_float_in_comp_out",), shows="float128 is not supported"),
    Difference(
        "long double", "scipy", (f"{_SIZES}_float_in_float_out",), shows="float128 is not supported", before="1.15"
    ),
    Difference(
        "long double", "scipy", (f"{_SIZES}_comp_in_comp_out",), shows="complex256 is not supported", since="1.15"
    ),
    Difference(
        "long double", "scipy", (f"{_DEPRECATIONS}[g-*]", f"{_DEPRECATIONS}[G-*]"), shows=_NO_WARNING, since="1.18"
    ),
    Difference(
        "long double",
        "scipy",
        (f"{_ARRAYS}::test_bandwidth_square_inputs[g]", f"{_ARRAYS}::test_bandwidth_rect_inputs[g]"),
        shows="float128 is not supported",
    ),
    Difference("texts", "scipy", (f"{_ARRAYS}::test_bandwidth_rect_inputs[S]",), shows="dtype .* is not supported"),
    Difference(
        "half precision",
        "scipy",
        (f"{_ARRAYS}::test_bandwidth_dtypes", f"{_ARRAYS}::test_issymetric_ishermitian_dtypes"),
        shows="DID NOT RAISE",
    ),
    Difference(
        "half precision", "scipy", (f"{_SIZES}_float_in_float_out",), shows="float16.* == .*float32", since="1.15"
    ),
    Difference("half precision", "scipy", (f"{_DEPRECATIONS}[e-*]",), shows="DID NOT WARN", since="1.18"),
    Difference("times", "scipy", (f"{_DEPRECATIONS}[m-*]", f"{_DEPRECATIONS}[M-*]"), shows=_NO_WARNING, since="1.18"),
    Difference(
        "integers",
        "scipy",
        (
            f"{_SIZES}_uint_in_float_out",
            f"{_SIZES}_int_in_float_out",
            f"{_SIZES}_int_in_comp_out",
            f"{_LINALG}/test_matfuncs.py::TestExpM::test_empty_matrix_input[int]",
        ),
        shows="assert dtype",
        before="1.15",
    ),
    Difference(
        "precision is kept",
        "scipy",
        (f"{_SIZES}_comp_in_comp_out",),
        shows="complex64.* == .*complex128",
        before="1.15",
    ),
    Difference("real where it can be", "scipy", (f"{_POWER}::test_{_COMPLEX_OR_NOT}",), shows="AssertionError"),
    Difference(
        "real where it can be",
        "scipy",
        (f"{_SQRTM}::test_sqrtm_{_COMPLEX_OR_NOT}",),
        shows="AssertionError",
        before="1.15",
    ),
    Difference(
        "stacks without members",
        "scipy",
        (f"{_LINALG}/test_batch.py::TestBatch::test_zero_size_batch[eig-args1]",),
        shows="DID NOT RAISE .*ValueError",
        since="1.15",
        before="1.18",
    ),
    Difference(
        "inputs are kept",
        "scipy",
        (
            f"{_EIG}::test_overwrite_reg[True-2-F-*]",
            f"{_EIG}::test_overwrite_gen[True-*-2-2-*]",
            f"{_EIG}::test_overwrite_gen[False-True-2-2-*]",
        ),
        shows="assert np.True_ != True|AssertionError: [AB]",
        since="1.18",
    ),
    Difference(
        "inputs are kept",
        "scipy",
        (
            f"{_UPDATE}::*::test_overwrite*",
            f"{_UPDATE}::TestQRdelete*::test_non_unit_strides_*",
            f"{_UPDATE}::TestQRupdate*::test_non_unit_strides_*",
        ),
        shows="Not equal to tolerance|AssertionError",
    ),
    Difference(
        "dtypes of factors",
        "scipy",
        (f"{_UPDATE}::*::test_unsupported_dtypes", f"{_UPDATE}::TestQRupdate*::test_integer_input"),
        shows="DID NOT RAISE",
    ),
    Difference(
        "scales of a stack",
        "scipy",
        (f"{_LINALG}/test_batch.py::TestBatch::test_matrix_balance",),
        shows="tuple indices must be integers or slices",
        since="1.15",
    ),
    Difference(
        "no square root", "scipy", (f"{_SQRTM}::test_strict_upper_triangular",), shows="Assert|assert", since="1.15"
    ),
    Difference(
        "no square root", "scipy", (f"{_SQRTM}::test_gh24508",), shows="Regex pattern did not match", since="1.18"
    ),
    Difference("no square root", "scipy", (f"{_SQRTM}::test_weird_matrix",), shows="AssertionError", before="1.15"),
    Difference(
        "SciPy's own warnings",
        "scipy",
        (f"{_LOGM}::test_exactly_singular", f"{_LOGM}::test_nearly_singular"),
        shows="Logm.*SingularWarning|No warning raised when calling logm",
    ),
    Difference(
        "SciPy's own warnings", "scipy", (f"{_LOGM}::test_no_ZeroDivisionError",), shows="Logm.*Warning", since="1.17"
    ),
)
