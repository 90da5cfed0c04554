"""The records of calls, made by pybind/record/gen from pybind/record/calls.go: do not edit.

Each function returns the call of a function of the Go library: its name, the record of the arguments, and the arrays,
which have to stay alive as long as the library uses them.
"""

from __future__ import annotations

from array import array as _words
from collections.abc import Sequence
from struct import Struct
from typing import Literal

from ._array import Array
from ._record import Call, describe, describe_all, put_text

_BLAS = Struct("qqqqqqqqqqdddd").pack


def blas(
    function: Literal[
        "Axpy", "Scal", "Dot", "Nrm2", "Asum", "Iamax", "Gemv", "Symv", "TriangularVector", "Ger", "Syr", "Syr2",
        "Gemm", "Gemmt", "Symm", "Syrk", "Syr2k", "TriangularMatrix", "SolveTriangular", "CholeskySolve",
    ],
    *,
    threads: int,
    a: Array | None = None,
    b: Array | None = None,
    c: Array | None = None,
    trans_a: int = 0,
    trans_b: int = 0,
    uplo: int = 0,
    side: int = 0,
    diag: int = 0,
    conjugate: bool = False,
    solve: bool = False,
    check_finite: bool = False,
    alpha: complex = 0,
    beta: complex = 0,
) -> Call:
    """BLAS has the operands of a function of the BLAS and its flags, the letters of the reference BLAS."""
    words = _words("q", _BLAS(
        0, threads, trans_a, trans_b, uplo, side, diag, conjugate, solve, check_finite, alpha.real, alpha.imag,
        beta.real, beta.imag,
    ))
    describe(words, a)
    describe(words, b)
    describe(words, c)
    words[0] = len(words)
    return function, words, (a, b, c)


_DEVICE_PRODUCT = Struct("qqqqqqdd").pack


def device_product(
    function: Literal["DeviceGemm", "DeviceSyrk"],
    *,
    threads: int,
    a: Array,
    b: Array | None = None,
    c: Array,
    device: int,
    trans_a: int,
    trans_b: int = 0,
    uplo: int = 0,
    alpha: float,
    beta: float,
    precision: str,
) -> Call:
    """DeviceProduct has the operands of a real product on a device; B is absent from a symmetric one."""
    words = _words("q", _DEVICE_PRODUCT(0, threads, device, trans_a, trans_b, uplo, alpha, beta))
    describe(words, a)
    describe(words, b)
    describe(words, c)
    put_text(words, precision)
    words[0] = len(words)
    return function, words, (a, b, c)


_CHOLESKY = Struct("qqqq").pack


def cholesky(
    *,
    threads: int,
    a: Array,
    factor: Array,
    lower: bool,
    check_finite: bool,
) -> Call:
    """Cholesky has a stack of matrices and room for their factors."""
    words = _words("q", _CHOLESKY(0, threads, lower, check_finite))
    describe(words, a)
    describe(words, factor)
    words[0] = len(words)
    return "Cholesky", words, (a, factor)


_EIGH = Struct("qqqqqqqdqqqdd").pack


def eigh(
    function: Literal["Eigh", "EighCanonical"],
    *,
    threads: int,
    a: Array,
    b: Array | None = None,
    w: Array,
    v: Array | None = None,
    dropped: Array | None = None,
    problem: int = 1,
    lower: bool,
    check_finite: bool,
    overwrite: bool,
    jacobi: bool = False,
    lindep: float = 0.0,
    kind: int = 0,
    first: int = 0,
    last: int = 0,
    above: float = 0.0,
    up_to: float = 0.0,
) -> Call:
    """Eigh has a standard problem, or with B a generalized one of the type Problem. Lindep and Dropped are for
    EighCanonical.
    """
    words = _words("q", _EIGH(
        0, threads, problem, lower, check_finite, overwrite, jacobi, lindep, kind, first, last, above, up_to,
    ))
    describe(words, a)
    describe(words, b)
    describe(words, w)
    describe(words, v)
    describe(words, dropped)
    words[0] = len(words)
    return function, words, (a, b, w, v, dropped)


_EIGH_STRUCTURED = Struct("qqqqqqqdd").pack


def eigh_structured(
    function: Literal["EighTridiagonal", "EighBanded"],
    *,
    threads: int,
    matrix: Array,
    subdiagonals: Array | None = None,
    w: Array,
    v: Array | None = None,
    lower: bool,
    check_finite: bool,
    kind: int = 0,
    first: int = 0,
    last: int = 0,
    above: float = 0.0,
    up_to: float = 0.0,
) -> Call:
    """EighStructured has the diagonals and subdiagonals of tridiagonal matrices, or band matrices."""
    words = _words("q", _EIGH_STRUCTURED(0, threads, lower, check_finite, kind, first, last, above, up_to))
    describe(words, matrix)
    describe(words, subdiagonals)
    describe(words, w)
    describe(words, v)
    words[0] = len(words)
    return function, words, (matrix, subdiagonals, w, v)


_SCHUR = Struct("qqqq").pack


def schur(
    *,
    threads: int,
    a: Array,
    t: Array,
    z: Array,
    complex_t: Array | None = None,
    complex_z: Array | None = None,
    counts: Array | None = None,
    check_finite: bool,
    overwrite: bool,
    sort: str,
) -> Call:
    """Schur has matrices and room for their Schur forms. If ComplexT and ComplexZ are present, the complex form of a
    real matrix is written to them. Sort is empty or a word for the eigenvalues that come first; their numbers are
    then written to Counts.
    """
    words = _words("q", _SCHUR(0, threads, check_finite, overwrite))
    describe(words, a)
    describe(words, t)
    describe(words, z)
    describe(words, complex_t)
    describe(words, complex_z)
    describe(words, counts)
    put_text(words, sort)
    words[0] = len(words)
    return "Schur", words, (a, t, z, complex_t, complex_z, counts)


_HESSENBERG = Struct("qqqq").pack


def hessenberg(
    *,
    threads: int,
    a: Array,
    h: Array,
    q: Array | None = None,
    check_finite: bool,
    overwrite: bool,
) -> Call:
    """Hessenberg has matrices and room for their Hessenberg forms and the unitary factors."""
    words = _words("q", _HESSENBERG(0, threads, check_finite, overwrite))
    describe(words, a)
    describe(words, h)
    describe(words, q)
    words[0] = len(words)
    return "Hessenberg", words, (a, h, q)


_BALANCE = Struct("qqqq").pack


def balance(
    *,
    threads: int,
    b: Array,
    order: Array,
    scales: Array,
    permute: bool,
    scale: bool,
) -> Call:
    """Balance has matrices that are balanced in place, and room for permutations and scales."""
    words = _words("q", _BALANCE(0, threads, permute, scale))
    describe(words, b)
    describe(words, order)
    describe(words, scales)
    words[0] = len(words)
    return "Balance", words, (b, order, scales)


_SCHUR_EIGENVALUES = Struct("qq").pack


def schur_eigenvalues(
    *,
    threads: int,
    t: Array,
    w: Array,
) -> Call:
    """SchurEigenvalues has Schur forms and room for their eigenvalues."""
    words = _words("q", _SCHUR_EIGENVALUES(0, threads))
    describe(words, t)
    describe(words, w)
    words[0] = len(words)
    return "SchurEigenvalues", words, (t, w)


_SCHUR_ORDER = Struct("qq").pack


def schur_order(
    *,
    threads: int,
    t: Array,
    z: Array,
    selected: Array,
) -> Call:
    """SchurOrder has Schur forms that are reordered in place, and which eigenvalues come first."""
    words = _words("q", _SCHUR_ORDER(0, threads))
    describe(words, t)
    describe(words, z)
    describe(words, selected)
    words[0] = len(words)
    return "SchurOrder", words, (t, z, selected)


_SCHUR_TO_COMPLEX = Struct("qq").pack


def schur_to_complex(
    *,
    threads: int,
    t: Array,
    z: Array,
) -> Call:
    """SchurToComplex has complex arrays with real Schur forms, which become complex forms."""
    words = _words("q", _SCHUR_TO_COMPLEX(0, threads))
    describe(words, t)
    describe(words, z)
    words[0] = len(words)
    return "SchurToComplex", words, (t, z)


_SCHUR_CONDITION = Struct("qq").pack


def schur_condition(
    *,
    threads: int,
    t: Array,
    counts: Array,
    results: Array,
) -> Call:
    """SchurCondition has Schur forms, the sizes of their leading clusters, and room for the condition numbers s and
    sep.
    """
    words = _words("q", _SCHUR_CONDITION(0, threads))
    describe(words, t)
    describe(words, counts)
    describe(words, results)
    words[0] = len(words)
    return "SchurCondition", words, (t, counts, results)


_EIG = Struct("qqqq").pack


def eig(
    *,
    threads: int,
    a: Array,
    w: Array,
    left: Array | None = None,
    right: Array | None = None,
    check_finite: bool,
    overwrite: bool,
) -> Call:
    """Eig has matrices and room for their eigenvalues and eigenvectors."""
    words = _words("q", _EIG(0, threads, check_finite, overwrite))
    describe(words, a)
    describe(words, w)
    describe(words, left)
    describe(words, right)
    words[0] = len(words)
    return "Eig", words, (a, w, left, right)


_QZ = Struct("qqq").pack


def qz(
    function: Literal["QZ", "QZOrder"],
    *,
    threads: int,
    a: Array | None = None,
    b: Array | None = None,
    s: Array,
    p: Array,
    q: Array,
    z: Array,
    alpha: Array | None = None,
    beta: Array | None = None,
    selected: Array | None = None,
    check_finite: bool = False,
) -> Call:
    """QZ has pairs of matrices and room for their generalized Schur forms, or such forms and which eigenvalues come
    first.
    """
    words = _words("q", _QZ(0, threads, check_finite))
    describe(words, a)
    describe(words, b)
    describe(words, s)
    describe(words, p)
    describe(words, q)
    describe(words, z)
    describe(words, alpha)
    describe(words, beta)
    describe(words, selected)
    words[0] = len(words)
    return function, words, (a, b, s, p, q, z, alpha, beta, selected)


_QZ_EIGEN = Struct("qqq").pack


def qz_eigen(
    *,
    threads: int,
    a: Array,
    b: Array,
    alpha: Array,
    beta: Array,
    left: Array | None = None,
    right: Array | None = None,
    check_finite: bool,
) -> Call:
    """QZEigen has pairs of matrices and room for their generalized eigenvalues and eigenvectors."""
    words = _words("q", _QZ_EIGEN(0, threads, check_finite))
    describe(words, a)
    describe(words, b)
    describe(words, alpha)
    describe(words, beta)
    describe(words, left)
    describe(words, right)
    words[0] = len(words)
    return "QZEigen", words, (a, b, alpha, beta, left, right)


_EQUATION = Struct("qq").pack


def equation(
    function: Literal["Sylvester", "Lyapunov", "DiscreteLyapunov"],
    *,
    threads: int,
    a: Array,
    b: Array | None = None,
    q: Array,
    x: Array,
) -> Call:
    """Equation has the matrices of an equation and room for the solution; B is absent from one with a single
    coefficient.
    """
    words = _words("q", _EQUATION(0, threads))
    describe(words, a)
    describe(words, b)
    describe(words, q)
    describe(words, x)
    words[0] = len(words)
    return function, words, (a, b, q, x)


_INV_SQRT_SPD = Struct("qqdq").pack


def inv_sqrt_spd(
    *,
    threads: int,
    a: Array,
    x: Array,
    dropped: Array,
    threshold: float,
    check_finite: bool,
) -> Call:
    """InvSqrtSPD has matrices and room for their inverse square roots and the numbers of eigenvalues that were
    dropped.
    """
    words = _words("q", _INV_SQRT_SPD(0, threads, threshold, check_finite))
    describe(words, a)
    describe(words, x)
    describe(words, dropped)
    words[0] = len(words)
    return "InvSqrtSPD", words, (a, x, dropped)


_DEVICE_INV_SQRT_SPD = Struct("qqqq").pack


def device_inv_sqrt_spd(
    *,
    threads: int,
    a: Array,
    x: Array,
    device: int,
    check_finite: bool,
    precision: str,
) -> Call:
    """DeviceInvSqrtSPD has matrices and room for their inverse square roots, computed on a device."""
    words = _words("q", _DEVICE_INV_SQRT_SPD(0, threads, device, check_finite))
    describe(words, a)
    describe(words, x)
    put_text(words, precision)
    words[0] = len(words)
    return "DeviceInvSqrtSPD", words, (a, x)


_MATRIX_POWER = Struct("qqq").pack


def matrix_power(
    function: Literal["Expm", "IntegerPower"],
    *,
    threads: int,
    a: Array,
    x: Array,
    exponent: int = 0,
) -> Call:
    """MatrixPower has matrices and room for their exponentials or powers."""
    words = _words("q", _MATRIX_POWER(0, threads, exponent))
    describe(words, a)
    describe(words, x)
    words[0] = len(words)
    return function, words, (a, x)


_MATRIX_FUNCTION = Struct("qqd").pack


def matrix_function(
    function: Literal["Sqrtm", "Logm", "Signm", "Power"],
    *,
    threads: int,
    a: Array,
    x: Array,
    met: Array,
    residuals: Array,
    exponent: float = 0.0,
) -> Call:
    """MatrixFunction has matrices and room for a function of them, for flags that describe the result, and for
    residuals. Exponent is for Power.
    """
    words = _words("q", _MATRIX_FUNCTION(0, threads, exponent))
    describe(words, a)
    describe(words, x)
    describe(words, met)
    describe(words, residuals)
    words[0] = len(words)
    return function, words, (a, x, met, residuals)


_TRIANGULARIZE = Struct("qq").pack


def triangularize(
    *,
    threads: int,
    a: Array,
    t: Array,
    z: Array,
) -> Call:
    """Triangularize has matrices and room for their complex Schur forms."""
    words = _words("q", _TRIANGULARIZE(0, threads))
    describe(words, a)
    describe(words, t)
    describe(words, z)
    words[0] = len(words)
    return "Triangularize", words, (a, t, z)


_PARLETT = Struct("qq").pack


def parlett(
    *,
    threads: int,
    t: Array,
    z: Array,
    values: Array,
    x: Array,
    conditions: Array,
    finite: Array,
) -> Call:
    """Parlett has Schur forms, values of a function at their eigenvalues, and room for the function of the matrices,
    for its conditions and for whether it is finite.
    """
    words = _words("q", _PARLETT(0, threads))
    describe(words, t)
    describe(words, z)
    describe(words, values)
    describe(words, x)
    describe(words, conditions)
    describe(words, finite)
    words[0] = len(words)
    return "Parlett", words, (t, z, values, x, conditions, finite)


_DEVICE_OPEN = Struct("q").pack


def device_open(
    *,
    name: str,
    cache_dir: str,
    plugin_dirs: str,
) -> Call:
    """DeviceOpen has the name of a device, the folder of compiled programs (empty for none) and the folders of
    plugins.
    """
    words = _words("q", _DEVICE_OPEN(0))
    put_text(words, name)
    put_text(words, cache_dir)
    put_text(words, plugin_dirs)
    words[0] = len(words)
    return "DeviceOpen", words, ()


_DEVICES_FOUND = Struct("q").pack


def devices_found(
    *,
    plugin_dirs: str,
) -> Call:
    """DevicesFound has folders of plugins."""
    words = _words("q", _DEVICES_FOUND(0))
    put_text(words, plugin_dirs)
    words[0] = len(words)
    return "DevicesFound", words, ()


_TENSOR_ROWS = Struct("q").pack


def tensor_rows(
    *,
    path: str,
) -> Call:
    """TensorRows has the path of a file of integrals."""
    words = _words("q", _TENSOR_ROWS(0))
    put_text(words, path)
    words[0] = len(words)
    return "TensorRows", words, ()


_DF_FIT = Struct("qqdq").pack


def df_fit(
    *,
    threads: int,
    metric: Array,
    integrals: Array,
    lindep: float,
    check_finite: bool,
) -> Call:
    """DFFit has the metric and the integrals, which are overwritten."""
    words = _words("q", _DF_FIT(0, threads, lindep, check_finite))
    describe(words, metric)
    describe(words, integrals)
    words[0] = len(words)
    return "DFFit", words, (metric, integrals)


_DF_TRANSFORM = Struct("qqqqq").pack


def df_transform(
    *,
    threads: int,
    integrals: Array | None = None,
    path: str,
    requests: bool,
    occ: Array,
    vir: Array,
    out: Array,
    check_finite: bool,
    max_bytes: int,
) -> Call:
    """DFTransform has integrals of atomic orbitals, molecular orbitals, and room for the integrals of these."""
    words = _words("q", _DF_TRANSFORM(0, threads, requests, check_finite, max_bytes))
    describe(words, integrals)
    describe(words, occ)
    describe(words, vir)
    describe(words, out)
    put_text(words, path)
    words[0] = len(words)
    return "DFTransform", words, (integrals, occ, vir, out)


_DFJK = Struct("qqqqqqq").pack


def dfjk(
    *,
    threads: int,
    integrals: Array | None = None,
    path: str,
    requests: bool,
    dm: Array,
    dm_imag: Array | None = None,
    coeff: Array | None = None,
    occ: Array | None = None,
    j: Array | None = None,
    j_imag: Array | None = None,
    k: Array | None = None,
    k_imag: Array | None = None,
    labelled: bool,
    hermi: int,
    check_finite: bool,
    max_bytes: int,
) -> Call:
    """DFJK has densities, the orbitals they are made of, and room for Coulomb and exchange matrices. Imaginary parts
    are separate arrays.
    """
    words = _words("q", _DFJK(0, threads, requests, labelled, hermi, check_finite, max_bytes))
    describe(words, integrals)
    describe(words, dm)
    describe(words, dm_imag)
    describe(words, coeff)
    describe(words, occ)
    describe(words, j)
    describe(words, j_imag)
    describe(words, k)
    describe(words, k_imag)
    put_text(words, path)
    words[0] = len(words)
    return "DFJK", words, (integrals, dm, dm_imag, coeff, occ, j, j_imag, k, k_imag)


_MP2 = Struct("qqqqqdq").pack


def mp2(
    function: Literal["MP2", "MP2Plan", "DeviceMP2Plan"],
    *,
    threads: int,
    b_alpha: Array,
    occ_alpha: Array,
    vir_alpha: Array,
    b_beta: Array | None = None,
    occ_beta: Array | None = None,
    vir_beta: Array | None = None,
    requests: int,
    path_alpha: str,
    path_beta: str,
    layout: str,
    sums: Array | None = None,
    recomputed: Array | None = None,
    pairs: Array | None = None,
    pairs_beta: Array | None = None,
    pairs_mixed: Array | None = None,
    check_finite: bool,
    max_bytes: int,
    tolerance: float,
    device: int,
    precision: str,
    checkpoint: str,
) -> Call:
    """MP2 has the input of an energy and, unless only a plan is wanted, room for the opposite-spin energy, the
    same-spin energy and the error bound; for the number of pairs that were computed again; and for pair energies.
    """
    words = _words("q", _MP2(0, threads, requests, check_finite, max_bytes, tolerance, device))
    describe(words, b_alpha)
    describe(words, occ_alpha)
    describe(words, vir_alpha)
    describe(words, b_beta)
    describe(words, occ_beta)
    describe(words, vir_beta)
    describe(words, sums)
    describe(words, recomputed)
    describe(words, pairs)
    describe(words, pairs_beta)
    describe(words, pairs_mixed)
    put_text(words, path_alpha)
    put_text(words, path_beta)
    put_text(words, layout)
    put_text(words, precision)
    put_text(words, checkpoint)
    words[0] = len(words)
    return function, words, (
        b_alpha, occ_alpha, vir_alpha, b_beta, occ_beta, vir_beta, sums, recomputed, pairs, pairs_beta, pairs_mixed,
    )


_SOSMP2 = Struct("qqqdq").pack


def sosmp2(
    *,
    threads: int,
    b_alpha: Array,
    occ_alpha: Array,
    vir_alpha: Array,
    b_beta: Array | None = None,
    occ_beta: Array | None = None,
    vir_beta: Array | None = None,
    requests: int,
    path_alpha: str,
    path_beta: str,
    layout: str,
    sums: Array,
    points: Array,
    tolerance: float,
    max_bytes: int,
) -> Call:
    """SOSMP2 has the input of an opposite-spin energy and room for it and its error bound, and for two numbers of
    points.
    """
    words = _words("q", _SOSMP2(0, threads, requests, tolerance, max_bytes))
    describe(words, b_alpha)
    describe(words, occ_alpha)
    describe(words, vir_alpha)
    describe(words, b_beta)
    describe(words, occ_beta)
    describe(words, vir_beta)
    describe(words, sums)
    describe(words, points)
    put_text(words, path_alpha)
    put_text(words, path_beta)
    put_text(words, layout)
    words[0] = len(words)
    return "SOSMP2", words, (b_alpha, occ_alpha, vir_alpha, b_beta, occ_beta, vir_beta, sums, points)


_MP2_AMPLITUDES = Struct("qqqqq").pack


def mp2_amplitudes(
    *,
    threads: int,
    b_alpha: Array,
    occ_alpha: Array,
    vir_alpha: Array,
    b_beta: Array | None = None,
    occ_beta: Array | None = None,
    vir_beta: Array | None = None,
    requests: int,
    path_alpha: str,
    path_beta: str,
    layout: str,
    out: Array | None = None,
    part: int,
    max_bytes: int,
    path_out: str,
) -> Call:
    """MP2Amplitudes has the input of amplitudes and room for them, or the path of a file to write them to."""
    words = _words("q", _MP2_AMPLITUDES(0, threads, requests, part, max_bytes))
    describe(words, b_alpha)
    describe(words, occ_alpha)
    describe(words, vir_alpha)
    describe(words, b_beta)
    describe(words, occ_beta)
    describe(words, vir_beta)
    describe(words, out)
    put_text(words, path_alpha)
    put_text(words, path_beta)
    put_text(words, layout)
    put_text(words, path_out)
    words[0] = len(words)
    return "MP2Amplitudes", words, (b_alpha, occ_alpha, vir_alpha, b_beta, occ_beta, vir_beta, out)


_MP2_DENSITY = Struct("qqqq").pack


def mp2_density(
    *,
    threads: int,
    b_alpha: Array,
    occ_alpha: Array,
    vir_alpha: Array,
    b_beta: Array | None = None,
    occ_beta: Array | None = None,
    vir_beta: Array | None = None,
    requests: int,
    path_alpha: str,
    path_beta: str,
    layout: str,
    out: Array,
    out_beta: Array | None = None,
    max_bytes: int,
) -> Call:
    """MP2Density has the input of densities and room for them."""
    words = _words("q", _MP2_DENSITY(0, threads, requests, max_bytes))
    describe(words, b_alpha)
    describe(words, occ_alpha)
    describe(words, vir_alpha)
    describe(words, b_beta)
    describe(words, occ_beta)
    describe(words, vir_beta)
    describe(words, out)
    describe(words, out_beta)
    put_text(words, path_alpha)
    put_text(words, path_beta)
    put_text(words, layout)
    words[0] = len(words)
    return "MP2Density", words, (b_alpha, occ_alpha, vir_alpha, b_beta, occ_beta, vir_beta, out, out_beta)


_GMP2 = Struct("qqqqq").pack


def gmp2(
    *,
    threads: int,
    b_alpha: Array,
    occ_alpha: Array,
    vir_alpha: Array,
    b_beta: Array | None = None,
    occ_beta: Array | None = None,
    vir_beta: Array | None = None,
    requests: int,
    path_alpha: str,
    path_beta: str,
    layout: str,
    sums: Array,
    check_finite: bool,
    max_bytes: int,
) -> Call:
    """GMP2 has the input of an energy of spin orbitals and room for it and its error bound."""
    words = _words("q", _GMP2(0, threads, requests, check_finite, max_bytes))
    describe(words, b_alpha)
    describe(words, occ_alpha)
    describe(words, vir_alpha)
    describe(words, b_beta)
    describe(words, occ_beta)
    describe(words, vir_beta)
    describe(words, sums)
    put_text(words, path_alpha)
    put_text(words, path_beta)
    put_text(words, layout)
    words[0] = len(words)
    return "GMP2", words, (b_alpha, occ_alpha, vir_alpha, b_beta, occ_beta, vir_beta, sums)


_KMP2 = Struct("qqqqq").pack


def kmp2(
    *,
    threads: int,
    b: Sequence[Array],
    occ: Array,
    vir: Array,
    conserve: Array,
    sums: Array,
    requests: bool,
    check_finite: bool,
    max_bytes: int,
) -> Call:
    """KMP2 has the integrals of all pairs of k-points, the orbital energies, the momentum that is conserved, and room
    for the energies and the error bound.
    """
    words = _words("q", _KMP2(0, threads, requests, check_finite, max_bytes))
    describe(words, occ)
    describe(words, vir)
    describe(words, conserve)
    describe(words, sums)
    describe_all(words, b)
    words[0] = len(words)
    return "KMP2", words, (occ, vir, conserve, sums, *b)
