"""Errors of schur, eig and their SciPy counterparts on kinds of matrices, bounded by a test, shown in docs/numerics.md.

``python tests_py/support/general_accuracy.py`` prints the table of the documentation, which leaves eigenvectors out,
``--vectors`` one with them, ``--kinds Frank,cyclic`` lines of either.
"""

import argparse
import warnings
from collections import namedtuple

import eigh_accuracy
import matrices
import numpy as np
import residuals
import scipy.linalg
import threadpoolctl
from trnsci import linalg

# The largest residuals of a Schur form, |A - Z T Z^H|_F / (m eps |A|_2), of its factor, |Z^H Z - I|_F / (m eps), and of
# the right and left eigenvectors, |A V - V D|_F / (m eps |A|_2), m = max(n, 8), of the balanced matrix; the larger one
# of the two of the matrix itself.
Errors = namedtuple("Errors", "form factor right left unbalanced")


def _with_phases(make):
    """Real matrices of a kind, ``D A D^H`` with random phases D if the dtype is complex."""

    def made(n, dtype):
        a = make(n)
        if np.dtype(dtype).kind == "c":
            phases = np.exp(2j * np.pi * np.random.default_rng(n).random(n))
            a = a * np.outer(phases, phases.conj())
        return a.astype(dtype)

    return made


def _scaled(factor_of):
    """Random matrices times a number that depends on the dtype."""

    def make(n, dtype):
        real = matrices.real_dtype(dtype)
        return matrices.random((n, n), dtype) * real.type(factor_of(np.finfo(real), n))

    return make


def _one_huge(n):
    a = matrices.random((n, n), "float64", 21)
    a[n // 2, n // 3] = 1e12
    return a


def _nearly_normal(n):
    return matrices.unitary(n, "float64", 22) + 1e-10 * matrices.random((n, n), "float64", 23)


def _perturbed_jordan(n):
    return np.eye(n) + np.eye(n, k=1) + 1e-12 * matrices.random((n, n), "float64", 24)


def _toeplitz(n):
    return scipy.linalg.toeplitz(matrices.random(n, "float64", 26), matrices.random(n, "float64", 27))


def _widely_graded(n):
    d = 10 ** np.linspace(-6, 6, n)
    return matrices.random((n, n), "float64", 25) * np.outer(d, d)


KINDS = {
    "random": lambda n, dtype: matrices.random((n, n), dtype),
    "near overflow": _scaled(lambda info, n: float(info.max) / (8 * max(n, 8))),
    "norm 1e300 or 1e30": _scaled(lambda info, n: 1e300 if info.bits == 64 else 1e30),
    "norm 1e-300 or 1e-30": _scaled(lambda info, n: 1e-300 if info.bits == 64 else 1e-30),
    "subnormal": _scaled(lambda info, n: float(info.tiny) / 8),
    **{name: _with_phases(make) for name, make in matrices.GENERAL.items()},
    "one huge element": _with_phases(_one_huge),
    "Toeplitz": _with_phases(_toeplitz),
    "Hessenberg": lambda n, dtype: np.triu(matrices.random((n, n), dtype, 28), -1),
    "nearly normal": _with_phases(_nearly_normal),
    "Jordan, perturbed": _with_phases(_perturbed_jordan),
    "graded over 24 powers of ten": _with_phases(_widely_graded),
}

# Kinds of which SciPy's errors are not the measure: what the form and the factor stay below instead, and why.
Exempt = namedtuple("Exempt", "limits reason")
EXCEPTIONS = {
    "ones": Exempt(
        (1.0, 2.5),
        "after one reflector nothing is left but rounding errors, which cancel in LAPACK's reduction; "
        "ours has those of random matrices",
    ),
}

ORDERS = range(2, 102, 2)  # 200 matrices of each kind, with the variants


def errors(module, a, vectors=True):
    """The errors of the functions of a module, SciPy's or ours; without `vectors` those of eigenvectors are zero."""
    form, factor = module.schur(a)
    of_form = residuals.similarity_residual(a, factor, form), residuals.orthogonality(factor)
    if not vectors:
        return Errors(*of_form, 0.0, 0.0, 0.0)
    w, vl, vr = module.eig(a, left=True)
    pairs = (a, w, vr), (residuals.adjoint(a), w.conj(), vl)
    return Errors(
        *of_form,
        *(residuals.balanced_pair_residual(*pair) for pair in pairs),
        max(residuals.pair_residual(*pair) for pair in pairs),
    )


def measure(kind, dtype, orders=ORDERS, vectors=True):
    """The largest errors, ours and SciPy's, over all variants of the matrices of a kind."""
    found = [], []
    with threadpoolctl.threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        for n in orders:
            for a in eigh_accuracy.variants(KINDS[kind](n, dtype)):
                for results, module in zip(found, (linalg, scipy.linalg), strict=True):
                    results.append(errors(module, a, vectors))
    return tuple(Errors(*np.max(results, axis=0).tolist()) for results in found)


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kinds", help="kinds of the matrices, separated by commas")
    parser.add_argument("--step", type=int, default=ORDERS.step, help="from one order to the next; an even number")
    parser.add_argument("--vectors", action="store_true", help="residuals of right and left eigenvectors too")
    options = parser.parse_args()
    shown = len(Errors._fields) if options.vectors else 2
    print("| kind | " + " | ".join(matrices.DTYPES) + " |")
    print("|---" * (1 + len(matrices.DTYPES)) + "|")
    for kind in options.kinds.split(",") if options.kinds else KINDS:
        cells = []
        for dtype in matrices.DTYPES:
            ours, theirs = measure(kind, dtype, range(ORDERS.start, ORDERS.stop, options.step), options.vectors)
            cells.append("{} ({})".format(*(", ".join(f"{x:.2f}" for x in found[:shown]) for found in (ours, theirs))))
        print(f"| {kind} | " + " | ".join(cells) + " |", flush=True)
    for kind, exempt in EXCEPTIONS.items():
        print(
            f'\nOf the kind "{kind}" the form may have {exempt.limits[0]}, '
            f"the factor {exempt.limits[1]}: {exempt.reason}."
        )


if __name__ == "__main__":
    main()
