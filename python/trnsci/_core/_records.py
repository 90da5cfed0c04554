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
    record = list(_words("q", _BLAS(
        0, threads, trans_a, trans_b, uplo, side, diag, conjugate, solve, check_finite, alpha.real, alpha.imag,
        beta.real, beta.imag,
    )))
    describe(record, a, b, c)
    record[0] = len(record)
    return function, _words("q", record), (a, b, c)


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
    record = list(_words("q", _DEVICE_PRODUCT(0, threads, device, trans_a, trans_b, uplo, alpha, beta)))
    describe(record, a, b, c)
    put_text(record, precision)
    record[0] = len(record)
    return function, _words("q", record), (a, b, c)


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
    record = list(_words("q", _EIGH(
        0, threads, problem, lower, check_finite, overwrite, jacobi, lindep, kind, first, last, above, up_to,
    )))
    describe(record, a, b, w, v, dropped)
    record[0] = len(record)
    return function, _words("q", record), (a, b, w, v, dropped)


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
    record = list(_words("q", _EIGH_STRUCTURED(0, threads, lower, check_finite, kind, first, last, above, up_to)))
    describe(record, matrix, subdiagonals, w, v)
    record[0] = len(record)
    return function, _words("q", record), (matrix, subdiagonals, w, v)


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
    record = [0, threads, check_finite, overwrite]
    describe(record, a, t, z, complex_t, complex_z, counts)
    put_text(record, sort)
    record[0] = len(record)
    return "Schur", _words("q", record), (a, t, z, complex_t, complex_z, counts)


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
    record = [0, threads, check_finite, overwrite]
    describe(record, a, h, q)
    record[0] = len(record)
    return "Hessenberg", _words("q", record), (a, h, q)


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
    record = [0, threads, permute, scale]
    describe(record, b, order, scales)
    record[0] = len(record)
    return "Balance", _words("q", record), (b, order, scales)


def schur_eigenvalues(
    *,
    threads: int,
    t: Array,
    w: Array,
) -> Call:
    """SchurEigenvalues has Schur forms and room for their eigenvalues."""
    record = [0, threads]
    describe(record, t, w)
    record[0] = len(record)
    return "SchurEigenvalues", _words("q", record), (t, w)


def schur_order(
    *,
    threads: int,
    t: Array,
    z: Array,
    selected: Array,
) -> Call:
    """SchurOrder has Schur forms that are reordered in place, and which eigenvalues come first."""
    record = [0, threads]
    describe(record, t, z, selected)
    record[0] = len(record)
    return "SchurOrder", _words("q", record), (t, z, selected)


def schur_to_complex(
    *,
    threads: int,
    t: Array,
    z: Array,
) -> Call:
    """SchurToComplex has complex arrays with real Schur forms, which become complex forms."""
    record = [0, threads]
    describe(record, t, z)
    record[0] = len(record)
    return "SchurToComplex", _words("q", record), (t, z)


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
    record = [0, threads]
    describe(record, t, counts, results)
    record[0] = len(record)
    return "SchurCondition", _words("q", record), (t, counts, results)


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
    record = [0, threads, check_finite, overwrite]
    describe(record, a, w, left, right)
    record[0] = len(record)
    return "Eig", _words("q", record), (a, w, left, right)


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
    record = [0, threads, check_finite]
    describe(record, a, b, s, p, q, z, alpha, beta, selected)
    record[0] = len(record)
    return function, _words("q", record), (a, b, s, p, q, z, alpha, beta, selected)


def qz_eigen(
    *,
    threads: int,
    a: Array,
    b: Array,
    w: Array,
    denominators: Array | None = None,
    left: Array | None = None,
    right: Array | None = None,
    check_finite: bool,
) -> Call:
    """QZEigen has pairs of matrices and room for their generalized eigenvalues and eigenvectors. With Denominators, W
    is room for the numerators of the eigenvalues.
    """
    record = [0, threads, check_finite]
    describe(record, a, b, w, denominators, left, right)
    record[0] = len(record)
    return "QZEigen", _words("q", record), (a, b, w, denominators, left, right)


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
    record = [0, threads]
    describe(record, a, b, q, x)
    record[0] = len(record)
    return function, _words("q", record), (a, b, q, x)


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
    record = list(_words("q", _INV_SQRT_SPD(0, threads, threshold, check_finite)))
    describe(record, a, x, dropped)
    record[0] = len(record)
    return "InvSqrtSPD", _words("q", record), (a, x, dropped)


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
    record = [0, threads, device, check_finite]
    describe(record, a, x)
    put_text(record, precision)
    record[0] = len(record)
    return "DeviceInvSqrtSPD", _words("q", record), (a, x)


def matrix_power(
    function: Literal["Expm", "IntegerPower"],
    *,
    threads: int,
    a: Array,
    x: Array,
    exponent: int = 0,
) -> Call:
    """MatrixPower has matrices and room for their exponentials or powers."""
    record = [0, threads, exponent]
    describe(record, a, x)
    record[0] = len(record)
    return function, _words("q", record), (a, x)


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
    record = list(_words("q", _MATRIX_FUNCTION(0, threads, exponent)))
    describe(record, a, x, met, residuals)
    record[0] = len(record)
    return function, _words("q", record), (a, x, met, residuals)


def expm_frechet(
    *,
    threads: int,
    a: Array,
    e: Array,
    derivative: Array,
) -> Call:
    """ExpmFrechet has matrices and directions, and room for derivatives of the exponential."""
    record = [0, threads]
    describe(record, a, e, derivative)
    record[0] = len(record)
    return "ExpmFrechet", _words("q", record), (a, e, derivative)


def expm_cond(
    *,
    threads: int,
    a: Array,
    conditions: Array,
) -> Call:
    """ExpmCond has matrices and room for the condition numbers of their exponentials."""
    record = [0, threads]
    describe(record, a, conditions)
    record[0] = len(record)
    return "ExpmCond", _words("q", record), (a, conditions)


def triangularize(
    *,
    threads: int,
    a: Array,
    t: Array,
    z: Array,
) -> Call:
    """Triangularize has matrices and room for their complex Schur forms."""
    record = [0, threads]
    describe(record, a, t, z)
    record[0] = len(record)
    return "Triangularize", _words("q", record), (a, t, z)


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
    record = [0, threads]
    describe(record, t, z, values, x, conditions, finite)
    record[0] = len(record)
    return "Parlett", _words("q", record), (t, z, values, x, conditions, finite)


def device_open(
    *,
    name: str,
    cache_dir: str,
    plugin_dirs: str,
) -> Call:
    """DeviceOpen has the name of a device, the folder of compiled programs (empty for none) and the folders of
    plugins.
    """
    record = [0]
    put_text(record, name)
    put_text(record, cache_dir)
    put_text(record, plugin_dirs)
    record[0] = len(record)
    return "DeviceOpen", _words("q", record), ()


def devices_found(
    *,
    plugin_dirs: str,
) -> Call:
    """DevicesFound has folders of plugins."""
    record = [0]
    put_text(record, plugin_dirs)
    record[0] = len(record)
    return "DevicesFound", _words("q", record), ()


def cholesky(
    *,
    threads: int,
    a: Array,
    factor: Array,
    lower: bool,
    check_finite: bool,
) -> Call:
    """Cholesky has a stack of matrices and room for their factors."""
    record = [0, threads, lower, check_finite]
    describe(record, a, factor)
    record[0] = len(record)
    return "Cholesky", _words("q", record), (a, factor)


def ldl(
    *,
    threads: int,
    a: Array,
    left: Array,
    d: Array,
    perm: Array,
    lower: bool,
    hermitian: bool,
    check_finite: bool,
) -> Call:
    """LDL has symmetric or Hermitian matrices and room for their factors L and D, whose rows are contiguous, and for
    the order of the rows of L.
    """
    record = [0, threads, lower, hermitian, check_finite]
    describe(record, a, left, d, perm)
    record[0] = len(record)
    return "LDL", _words("q", record), (a, left, d, perm)


def lu_factor(
    *,
    threads: int,
    a: Array,
    factor: Array,
    pivots: Array,
    zeros: Array,
    check_finite: bool,
) -> Call:
    """LUFactor has matrices and room for their LU factors, whose columns are contiguous, for the pivots, from 0, and
    for the numbers of the first zero pivots, from 1.
    """
    record = [0, threads, check_finite]
    describe(record, a, factor, pivots, zeros)
    record[0] = len(record)
    return "LUFactor", _words("q", record), (a, factor, pivots, zeros)


def lu_solve(
    *,
    threads: int,
    factor: Array,
    pivots: Array,
    x: Array,
    trans: int,
    check_finite: bool,
) -> Call:
    """LUSolve has LU factors whose columns are contiguous, their pivots, and right-hand sides, which the solutions
    overwrite.
    """
    record = [0, threads, trans, check_finite]
    describe(record, factor, pivots, x)
    record[0] = len(record)
    return "LUSolve", _words("q", record), (factor, pivots, x)


def determinant(
    *,
    threads: int,
    a: Array,
    mantissas: Array,
    exponents: Array,
    check_finite: bool,
) -> Call:
    """Determinant has matrices and room for their determinants."""
    record = [0, threads, check_finite]
    describe(record, a, mantissas, exponents)
    record[0] = len(record)
    return "Determinant", _words("q", record), (a, mantissas, exponents)


def linear_system(
    function: Literal["Solve", "Inverse"],
    *,
    threads: int,
    a: Array,
    x: Array,
    conditions: Array,
    structure: int,
    lower: bool,
    transposed: bool = False,
    check_finite: bool,
) -> Call:
    """LinearSystem has matrices and right-hand sides, which the solutions overwrite, or room for the inverses, and
    room for estimates of the reciprocal condition numbers.
    """
    record = [0, threads, structure, lower, transposed, check_finite]
    describe(record, a, x, conditions)
    record[0] = len(record)
    return function, _words("q", record), (a, x, conditions)


def banded_system(
    function: Literal["SolveBanded", "SolveHermitianBanded", "CholeskySolveBanded", "SolveToeplitz"],
    *,
    threads: int,
    a: Array,
    x: Array,
    below: Array | None = None,
    lower: bool = False,
    check_finite: bool,
    name: str,
    arg: str,
) -> Call:
    """BandedSystem has the diagonals of band matrices, or the first columns and rows of Toeplitz matrices, and
    right-hand sides, which the solutions overwrite. Below has the number of diagonals below the main one for each
    member, of general band matrices only. Name and Arg are those of the function and of its matrix.
    """
    record = [0, threads, lower, check_finite]
    describe(record, a, x, below)
    put_text(record, name)
    put_text(record, arg)
    record[0] = len(record)
    return function, _words("q", record), (a, x, below)


def cholesky_banded(
    *,
    threads: int,
    a: Array,
    factor: Array,
    lower: bool,
    check_finite: bool,
) -> Call:
    """CholeskyBanded has the diagonals of one triangle of Hermitian band matrices and room for those of their
    factors.
    """
    record = [0, threads, lower, check_finite]
    describe(record, a, factor)
    record[0] = len(record)
    return "CholeskyBanded", _words("q", record), (a, factor)


_QR_UPDATE = Struct("qqqqdq").pack


def qr_update(
    *,
    threads: int,
    q: Array,
    r: Array,
    u: Array | None = None,
    v: Array | None = None,
    q1: Array,
    r1: Array,
    first: Array | None = None,
    kind: int,
    count: int,
    rcond: float = 0.0,
    check_finite: bool,
) -> Call:
    """QRUpdate has a QR factorization, what changes its matrix, and room for the changed factorization. Kind is one
    of qrupdate.Kind, Count is the number of rows, columns or vectors, and First has the first row or column of each
    member.
    """
    record = list(_words("q", _QR_UPDATE(0, threads, kind, count, rcond, check_finite)))
    describe(record, q, r, u, v, q1, r1, first)
    record[0] = len(record)
    return "QRUpdate", _words("q", record), (q, r, u, v, q1, r1, first)


def qr(
    function: Literal["QR", "RQ"],
    *,
    threads: int,
    a: Array,
    q: Array | None = None,
    r: Array | None = None,
    raw: Array | None = None,
    tau: Array | None = None,
    pivots: Array | None = None,
    products: Array | None = None,
    transposed: bool = False,
    conjugate: bool = False,
    check_finite: bool,
) -> Call:
    """QR has matrices and room for the parts of their factorizations that are wanted; those after R are for QR only.
    Products is overwritten by the products of its rows with Q, Q^T, conj(Q) or Q^H.
    """
    record = [0, threads, transposed, conjugate, check_finite]
    describe(record, a, q, r, raw, tau, pivots, products)
    record[0] = len(record)
    return function, _words("q", record), (a, q, r, raw, tau, pivots, products)


def svd(
    *,
    threads: int,
    a: Array,
    s: Array,
    u: Array | None = None,
    vh: Array | None = None,
    check_finite: bool,
) -> Call:
    """SVD has matrices and room for their singular values, of the real dtype, and vectors, of which all or none are
    present.
    """
    record = [0, threads, check_finite]
    describe(record, a, s, u, vh)
    record[0] = len(record)
    return "SVD", _words("q", record), (a, s, u, vh)


def tensor_rows(
    *,
    path: str,
) -> Call:
    """TensorRows has the path of a file of integrals."""
    record = [0]
    put_text(record, path)
    record[0] = len(record)
    return "TensorRows", _words("q", record), ()


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
    record = list(_words("q", _DF_FIT(0, threads, lindep, check_finite)))
    describe(record, metric, integrals)
    record[0] = len(record)
    return "DFFit", _words("q", record), (metric, integrals)


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
    record = [0, threads, requests, check_finite, max_bytes]
    describe(record, integrals, occ, vir, out)
    put_text(record, path)
    record[0] = len(record)
    return "DFTransform", _words("q", record), (integrals, occ, vir, out)


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
    record = [0, threads, requests, labelled, hermi, check_finite, max_bytes]
    describe(record, integrals, dm, dm_imag, coeff, occ, j, j_imag, k, k_imag)
    put_text(record, path)
    record[0] = len(record)
    return "DFJK", _words("q", record), (integrals, dm, dm_imag, coeff, occ, j, j_imag, k, k_imag)


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
    record = list(_words("q", _MP2(0, threads, requests, check_finite, max_bytes, tolerance, device)))
    describe(
        record, b_alpha, occ_alpha, vir_alpha, b_beta, occ_beta, vir_beta, sums, recomputed, pairs, pairs_beta,
        pairs_mixed,
    )
    put_text(record, path_alpha)
    put_text(record, path_beta)
    put_text(record, layout)
    put_text(record, precision)
    put_text(record, checkpoint)
    record[0] = len(record)
    return function, _words("q", record), (
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
    record = list(_words("q", _SOSMP2(0, threads, requests, tolerance, max_bytes)))
    describe(record, b_alpha, occ_alpha, vir_alpha, b_beta, occ_beta, vir_beta, sums, points)
    put_text(record, path_alpha)
    put_text(record, path_beta)
    put_text(record, layout)
    record[0] = len(record)
    return "SOSMP2", _words("q", record), (b_alpha, occ_alpha, vir_alpha, b_beta, occ_beta, vir_beta, sums, points)


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
    record = [0, threads, requests, part, max_bytes]
    describe(record, b_alpha, occ_alpha, vir_alpha, b_beta, occ_beta, vir_beta, out)
    put_text(record, path_alpha)
    put_text(record, path_beta)
    put_text(record, layout)
    put_text(record, path_out)
    record[0] = len(record)
    return "MP2Amplitudes", _words("q", record), (b_alpha, occ_alpha, vir_alpha, b_beta, occ_beta, vir_beta, out)


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
    record = [0, threads, requests, max_bytes]
    describe(record, b_alpha, occ_alpha, vir_alpha, b_beta, occ_beta, vir_beta, out, out_beta)
    put_text(record, path_alpha)
    put_text(record, path_beta)
    put_text(record, layout)
    record[0] = len(record)
    return "MP2Density", _words("q", record), (
        b_alpha, occ_alpha, vir_alpha, b_beta, occ_beta, vir_beta, out, out_beta,
    )


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
    record = [0, threads, requests, check_finite, max_bytes]
    describe(record, b_alpha, occ_alpha, vir_alpha, b_beta, occ_beta, vir_beta, sums)
    put_text(record, path_alpha)
    put_text(record, path_beta)
    put_text(record, layout)
    record[0] = len(record)
    return "GMP2", _words("q", record), (b_alpha, occ_alpha, vir_alpha, b_beta, occ_beta, vir_beta, sums)


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
    record = [0, threads, requests, check_finite, max_bytes]
    describe(record, occ, vir, conserve, sums)
    describe_all(record, b)
    record[0] = len(record)
    return "KMP2", _words("q", record), (occ, vir, conserve, sums, *b)
