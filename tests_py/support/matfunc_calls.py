"""Calls of matrix functions: with their warnings, and powers as functions of one argument."""

import warnings

import trnsci
from trnsci.linalg import fractional_matrix_power


def called(function, *args):
    """The result, and whether there was a LinAlgWarning."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        x = function(*args)
    assert all(w.category is trnsci.LinAlgWarning for w in caught)
    return x, bool(caught)


def power(t):
    return lambda a: fractional_matrix_power(a, t)
