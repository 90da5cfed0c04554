"""What editors and exception handlers see of the package: names, lazy imports, the order of a minor."""

import copy
import importlib
import pickle
import subprocess
import sys

import numpy as np
import pytest
import trnsci
from trnsci import blas, linalg, mp2


@pytest.mark.parametrize("package", [trnsci, linalg, blas, mp2], ids=lambda package: package.__name__)
def test_dir_is_what_is_public(package):
    assert dir(package) == sorted(package.__all__)
    assert all(hasattr(package, name) for name in dir(package))


def test_dir_of_pyscf():
    pytest.importorskip("pyscf", reason="PySCF is not installed")
    package = importlib.import_module("trnsci.pyscf")
    assert dir(package) == sorted(package.__all__)


def in_a_new_process(*lines):
    run = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return run.stdout.strip()


def test_pyscf_is_imported_when_asked_for():
    pytest.importorskip("pyscf", reason="PySCF is not installed")
    lines = (
        "import sys, trnsci",
        "print('pyscf' in sys.modules, trnsci.pyscf.accelerate.__name__, hasattr(trnsci, 'pyscf'))",
    )
    assert in_a_new_process(*lines) == "False accelerate True"


def test_without_pyscf_an_error_says_what_is_needed():
    hidden = "import sys, trnsci", "sys.modules['pyscf'] = None", "print(hasattr(trnsci, 'pyscf'))"
    shown = "try: trnsci.pyscf", "except AttributeError as error: print(error)"
    first, second = in_a_new_process(*hidden, *shown).splitlines()
    assert first == "False"
    assert second.startswith("module 'trnsci' has no attribute 'pyscf': trnsci.pyscf needs PySCF 2.9 or later")


def test_linalg_comes_without_scipy():
    lines = "import sys, trnsci.linalg", "print(hasattr(trnsci.linalg, 'toeplitz'), 'scipy' in sys.modules)"
    assert in_a_new_process(*lines) == "False False"


@pytest.mark.parametrize("package", [trnsci, linalg], ids=lambda package: package.__name__)
def test_unknown_names(package):
    with pytest.raises(AttributeError, match=f"^module '{package.__name__}' has no attribute 'eigs'$"):
        _ = package.eigs


def test_errors_are_in_linalg():
    assert linalg.LinAlgError is trnsci.LinAlgError
    assert linalg.LinAlgWarning is trnsci.LinAlgWarning


def indefinite(order, n=5):
    """A symmetric matrix whose leading minors are positive below that order, and negative there."""
    lower = np.tri(n)
    return lower @ np.diag([-1.0 if k == order - 1 else 1.0 for k in range(n)]) @ lower.T


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
@pytest.mark.parametrize("order", [1, 3, 5])
def test_order_of_the_minor(dtype, order):
    a, identity = indefinite(order).astype(dtype), np.eye(5, dtype=dtype)
    calls = (
        lambda: linalg.cholesky(a),
        lambda: linalg.cho_factor(a, lower=True),
        lambda: linalg.cholesky(np.stack([identity, a])),
        lambda: linalg.eigh(identity, a),
        lambda: linalg.eigvalsh(identity, np.stack([identity, a]), type=3),
        lambda: linalg.eigh(identity, a, progress=lambda done, total: None),  # as a job
    )
    for call in calls:
        with pytest.raises(trnsci.LinAlgError, match=f"leading minor of order {order} ") as caught:
            call()
        assert caught.value.minor == order
        for same in (pickle.loads(pickle.dumps(caught.value)), copy.copy(caught.value), copy.deepcopy(caught.value)):
            assert (type(same), same.args, same.minor) == (trnsci.LinAlgError, caught.value.args, order)


def test_other_errors_have_no_minor():
    for call in (
        lambda: linalg.solve_triangular(np.diag([1.0, 0.0]), [1.0, 1.0]),
        lambda: linalg.inv_sqrt_spd(np.diag([1.0, -1.0])),
    ):
        with pytest.raises(trnsci.LinAlgError) as caught:
            call()
        assert caught.value.minor is None
    assert trnsci.LinAlgError("text").minor is None
    assert pickle.loads(pickle.dumps(trnsci.ConvergenceError("text"))).minor is None
