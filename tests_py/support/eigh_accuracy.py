"""Errors of eigh and of SciPy's drivers on kinds of matrices, which a test bounds and docs/numerics.md shows.

``python tests_py/support/eigh_accuracy.py`` prints the table of the documentation, ``--orders 256,500`` one of larger
matrices.
"""

import argparse
from collections import namedtuple

import matrices
import numpy as np
import residuals
import scipy.linalg
import threadpoolctl
import trnsci

# The drivers of SciPy that have a name for accuracy; all of them work for all dtypes.
DRIVERS = ("evd", "evr")

# The largest residual r = |A V - V W|_F / (m eps |A|_2) and departure from orthogonality q = |V^H V - I|_F / (m eps) of
# a number of matrices, m = max(n, 8).
Errors = namedtuple("Errors", "r q")


def _scaled_random(fraction_of):
    """Random matrices times a number that depends on the dtype."""

    def make(n, dtype):
        real = matrices.real_dtype(dtype)
        return matrices.hermitian(n, dtype) * real.type(fraction_of(np.finfo(real), n))

    return make


# The random matrices and those at both ends of the range have each dtype's own elements; the others are real and are
# given phases where the dtype is complex.
KINDS = {
    "random": matrices.hermitian,
    "near overflow": _scaled_random(lambda info, n: float(info.max) / (8 * max(n, 8))),
    "subnormal": _scaled_random(lambda info, n: float(info.tiny) / 8),
    **{
        name: lambda n, dtype, make=make: matrices.with_phases(make(n), dtype)
        for name, make in matrices.SYMMETRIC.items()
    },
}

# Even orders, since some kinds have no others; variants make odd ones of them.
ORDERS = range(2, 132, 2)


def variants(a):
    """`a`, `a` with reversed rows and columns, `a` shuffled with signs, and all of that but its last row and column."""
    rng = np.random.default_rng(len(a))
    shuffled, signs = rng.permutation(len(a)), rng.choice([-1, 1], len(a)).astype(a.real.dtype)
    signed = a[np.ix_(shuffled, shuffled)] * np.outer(signs, signs)
    return a, a[::-1, ::-1].copy(), signed, signed[:-1, :-1].copy()


def errors(a, w, v):
    """The errors of one result."""
    return Errors(residuals.eigen_residual(a, w, v), residuals.orthogonality(v))


def worst(results):
    """The largest errors of some."""
    return Errors(*np.max(list(results), axis=0).tolist())


def solvers(drivers=DRIVERS):
    """Ours and SciPy's eigh, by name."""
    return {
        "ours": trnsci.eigh,
        **{driver: lambda a, driver=driver: scipy.linalg.eigh(a, driver=driver) for driver in drivers},
    }


def measure(kind, dtype, orders=ORDERS, drivers=DRIVERS):
    """The largest errors of each solver over all variants of the matrices of a kind."""
    found = {name: [] for name in solvers(drivers)}
    with threadpoolctl.threadpool_limits(
        1
    ):  # those of OpenBLAS wait in loops, which takes long where others are at work
        for n in orders:
            for a in variants(KINDS[kind](n, dtype)):
                for name, solve in solvers(drivers).items():
                    found[name].append(errors(a, *solve(a)))
    return {name: worst(results) for name, results in found.items()}


def best(measured):
    """The errors of the driver of SciPy that is best in each."""
    return Errors(*np.min([e for name, e in measured.items() if name != "ours"], axis=0).tolist())


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--orders", help="orders of the matrices, separated by commas; even ones")
    parser.add_argument("--kinds", help="kinds of the matrices, separated by commas")
    options = parser.parse_args()
    orders = list(map(int, options.orders.split(","))) if options.orders else ORDERS
    kinds = options.kinds.split(",") if options.kinds else KINDS
    print("| kind | " + " | ".join(matrices.DTYPES) + " |")
    print("|---" * (1 + len(matrices.DTYPES)) + "|")
    for kind in kinds:
        cells = []
        for dtype in matrices.DTYPES:
            measured = measure(kind, dtype, orders)
            ours, theirs = measured["ours"], best(measured)
            cells.append(f"{ours.r:.2f}, {ours.q:.2f} ({theirs.r:.2f}, {theirs.q:.2f})")
        print(f"| {kind} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
