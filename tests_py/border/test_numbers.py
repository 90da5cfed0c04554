"""Single numbers, alone or in a list, are matrices of order 1 where SciPy takes them so, and a ValueError elsewhere."""

import math

import numpy as np
import pytest
import scipy.linalg
from trnsci import linalg

NUMBERS = pytest.mark.parametrize("x", [4.0, [4.0], (4,), np.float32(4), np.array(4.0), np.array([4.0])])

# What the functions return for the matrix [[4]], the first of several results.
TAKEN = {
    "cholesky": (lambda x: linalg.cholesky(x), 2),
    "cho_factor": (lambda x: linalg.cho_factor(x, lower=True)[0], 2),
    "matrix_balance": (lambda x: linalg.matrix_balance(x)[0], 4),
    "solve_continuous_lyapunov": (lambda x: linalg.solve_continuous_lyapunov(x, x), 0.5),
    "solve_lyapunov": (lambda x: linalg.solve_lyapunov(x, x), 0.5),
    "solve_discrete_lyapunov": (lambda x: linalg.solve_discrete_lyapunov(x, x), -4 / 15),
    "expm": (lambda x: linalg.expm(x), math.exp(4)),
    "expm_frechet": (lambda x: linalg.expm_frechet(x, x)[1], 4 * math.exp(4)),
    "cosm": (lambda x: linalg.cosm(x), math.cos(4)),
    "sinm": (lambda x: linalg.sinm(x), math.sin(4)),
    "tanm": (lambda x: linalg.tanm(x), math.tan(4)),
    "coshm": (lambda x: linalg.coshm(x), math.cosh(4)),
    "sinhm": (lambda x: linalg.sinhm(x), math.sinh(4)),
    "tanhm": (lambda x: linalg.tanhm(x), math.tanh(4)),
    "solve_continuous_are": (lambda x: linalg.solve_continuous_are(x, x, x, x), 1 + 2**0.5),
    "solve_discrete_are": (lambda x: linalg.solve_discrete_are(x, x, x, x), (31 + 1025**0.5) / 8),
    "sqrtm": (lambda x: linalg.sqrtm(x), 2),
    "logm": (lambda x: linalg.logm(x), math.log(4)),
    "fractional_matrix_power": (lambda x: linalg.fractional_matrix_power(x, 1.5), 8),
    "signm": (lambda x: linalg.signm(x), 1),
    "funm": (lambda x: linalg.funm(x, np.exp), math.exp(4)),
}

REFUSED = {
    "eigh": lambda m, x: m.eigh(x),
    "eigh, generalized": lambda m, x: m.eigh(np.eye(1), x),
    "eigvalsh": lambda m, x: m.eigvalsh(x),
    "eig": lambda m, x: m.eig(x),
    "eig, generalized": lambda m, x: m.eig(np.eye(1), x),
    "eigvals": lambda m, x: m.eigvals(x),
    "schur": lambda m, x: m.schur(x),
    "hessenberg": lambda m, x: m.hessenberg(x),
    "qr": lambda m, x: m.qr(x),
    "rq": lambda m, x: m.rq(x),
    "rsf2csf": lambda m, x: m.rsf2csf(x, x),
    "qz": lambda m, x: m.qz(x, x),
    "ordqz": lambda m, x: m.ordqz(x, x),
    "solve_sylvester": lambda m, x: m.solve_sylvester(x, x, x),
    "cho_solve": lambda m, x: m.cho_solve((x, True), [8.0]),
    "solve_triangular": lambda m, x: m.solve_triangular(x, [8.0]),
    "eig_banded": lambda m, x: m.eig_banded(x),
}


@NUMBERS
@pytest.mark.parametrize("name", TAKEN)
def test_taken(name, x):
    function, expected = TAKEN[name]
    result = function(x)
    assert result.shape == (1, 1)
    assert result[0, 0] == pytest.approx(expected, rel=float(32 * np.finfo(result.dtype).eps))


@pytest.mark.parametrize("x", [[1.0, 2.0], np.zeros(3), []])
@pytest.mark.parametrize("name", TAKEN)
def test_vectors_are_no_matrices(name, x):
    with pytest.raises(ValueError, match=r"^[aAq]: "):
        TAKEN[name][0](x)


@NUMBERS
@pytest.mark.parametrize("name", REFUSED)
def test_refused(name, x):
    with pytest.raises(ValueError, match=r"^(a|A|b|B|c|T|Z|a_band): "):
        REFUSED[name](linalg, x)
    with pytest.raises((ValueError, AttributeError)):  # SciPy 1.18's decorator asks floats for their ndim
        REFUSED[name](scipy.linalg, x)


@NUMBERS
def test_scipy_takes_them(x):
    assert scipy.linalg.cholesky(x).tolist() == [[2.0]]
    assert scipy.linalg.matrix_balance(x)[0].tolist() == [[4.0]]
    assert scipy.linalg.solve_continuous_lyapunov(x, x).tolist() == [[0.5]]
    assert scipy.linalg.expm(x)[0, 0] == pytest.approx(math.exp(4), rel=1e-6)
