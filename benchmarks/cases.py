"""What is timed: one table of groups, each with its sizes, its operation count and the peers it is compared with."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

Sizes = dict[str, int]

COMPLEX = 4  # a complex multiplication and addition is 8 real operations, a real one 2

SMOKE = "smoke"  # begins the names of groups that only show that all works

GEMM_SIZES = (16, 24, 32, 48, 64, 96, 128, 192, 256, 512, 1000, 1024, 2048)
TRANSPOSED_SIZES = (128, 256, 512, 1000, 1024)
OTHER_DTYPE_SIZES = (16, 64, 128, 256, 512, 1024)
VECTOR_SIZES = (64, 128, 256, 512, 1024, 2048)
LEVEL3_SIZES = (256, 512, 1024, 2048)
CHOLESKY_SIZES = (128, 256, 512, 1024, 2048)
LU_SIZES = (16, 64, 128, 256, 512, 1024, 2048)
PYTHON_SIZES = (64, 128, 256, 512)
EIGEN_SIZES = (16, 32, 64, 128, 256, 512, 1024)
LARGE_EIGEN_SIZES = (*EIGEN_SIZES, 2048)
FORCED_SIZES = (64, 256, 1024)
SVD_SIZES = (32, 64, 128, 256, 512, 1024)
QR_SIZES = tuple({"m": rows * n, "n": n} for rows in (1, 4) for n in (64, 128, 256, 512, 1024))
PENCIL_SIZES = (8, 16, 32, 60, 100, 200, 500)
GENERAL_SIZES = (16, 32, 64, 128, 256, 384, 500, 512, 1000, 1024)


def _cube(count: float) -> Callable[[Sizes], float]:
    """Return the operation count of a matrix function that takes `count` n^3."""
    return lambda s: count * s["n"] ** 3


def _gemm(s: Sizes) -> float:
    return 2.0 * s.get("count", 1) * s["m"] * s["n"] * s["k"]


def _eigh(s: Sizes) -> float:
    """Count the eigenvalues and vectors of each matrix."""
    return 9.0 * s.get("count", 1) * s["n"] ** 3


def _mp2(s: Sizes) -> float:
    """Count the products of the pairs i <= j, which are nearly all of the work."""
    pairs = s["nocc"] * (s["nocc"] + 1) / 2
    return 2.0 * pairs * s["nvir"] ** 2 * s["naux"]


def _ump2(s: Sizes) -> float:
    """Count the same for an open shell whose spins both have these sizes: pairs i < j of each, all pairs of both."""
    pairs = s["nocc"] * (s["nocc"] - 1) + s["nocc"] ** 2
    return 2.0 * pairs * s["nvir"] ** 2 * s["naux"]


def _qr(s: Sizes) -> float:
    """Count R and a Q of n columns."""
    return 4.0 * s["m"] * s["n"] ** 2 - 4 / 3 * s["n"] ** 3


def _square(sizes: Sequence[int]) -> tuple[Sizes, ...]:
    return tuple({"m": n, "n": n, "k": n} for n in sizes)


def _order(sizes: Sequence[int]) -> tuple[Sizes, ...]:
    return tuple({"n": n} for n in sizes)


@dataclass(frozen=True)
class Group:
    """Cases that differ in their sizes and threads. A peer is a contestant, "/" and its name of the operation if
    another.

    A long group has calls of many seconds. It is timed where its whole name is asked for, with all processors only.
    """

    name: str
    op: str
    sizes: tuple[Sizes, ...]
    flops: Callable[[Sizes], float]
    peers: tuple[str, ...]
    dtype: str = "d"
    ours: str = "go"
    options: dict[str, str] = field(default_factory=dict)
    long: bool = False


@dataclass(frozen=True)
class Case:
    """One call that is timed on our side and on its peers'."""

    group: Group
    sizes: Sizes
    threads: int

    @property
    def label(self) -> str:
        """Return the sizes as text: one number where all are equal."""
        different = set(self.sizes.values())
        if len(different) == 1:
            return f"n={different.pop()}"
        return " ".join(f"{name}={size}" for name, size in self.sizes.items())

    def request(self, op: str) -> dict[str, object]:
        """Return the request that prepares this case in a worker that calls the operation `op`."""
        return {
            "do": "prepare",
            "op": op or self.group.op,
            "dtype": self.group.dtype,
            **self.sizes,
            **self.group.options,
        }


FROM_C = ("openblas", "mkl")
LEFT, RIGHT = {"side": "L", "uplo": "L"}, {"side": "R", "uplo": "L"}
EIG_PEERS = ("scipy", "scipy/eig_numpy")
QR_PEERS = ("scipy", "scipy/qr_numpy")
SVD_PEERS = ("scipy", "scipy/svd_numpy")
EIGH_PEERS = ("scipy", "scipy/eigh_evd", "scipy/eigh_numpy")
K_SIZES = tuple({"m": 1024, "n": 1024, "k": k} for k in (16, 32, 64, 128))
BATCHES = ({"count": 1000, "m": 16, "n": 16, "k": 16}, {"count": 200, "m": 64, "n": 64, "k": 64})
PYSCF = ("pyscf", "pyscf-openblas")
MP2_SIZES = ({"nocc": 16, "nvir": 112, "naux": 384},)
EIGEN_BATCHES = ({"count": 2000, "n": 8}, {"count": 500, "n": 24})
MEDIUM_MP2_SIZES = (*MP2_SIZES, {"nocc": 32, "nvir": 224, "naux": 768})
LARGE_MP2_SIZES = ({"nocc": 64, "nvir": 448, "naux": 1536},)
TINY_MP2_SIZES = ({"nocc": 8, "nvir": 24, "naux": 80},)
# Operations of ours that take the operands of df_mp2.
LARGE_MP2_VARIANTS = ("python/df_mp2_mixed", "python/sos_mp2")
MP2_VARIANTS = (*LARGE_MP2_VARIANTS, "python/df_mp2_file")

# Counts for eigenvalues with vectors and for the Schur form with its basis and without: Golub and Van Loan, Matrix
# Computations, 4th ed., sections 8.3 and 7.5. For exponentials and square roots: Higham, Functions of Matrices,
# sections 10.3 (six products and a solve, without squarings) and 6.2. Other methods take fewer operations, so that
# these are names for times, not rates of the hardware; so are the rates of sos_mp2, which are those of the pairs that
# it does without.
GROUPS = (
    Group("smoke", "gemm", _square((32, 128)), _gemm, FROM_C),
    Group("smoke-python", "eigh", _order((64,)), _eigh, ("scipy",), ours="python"),
    Group("smoke-mp2", "df_mp2", TINY_MP2_SIZES, _mp2, ("scipy", *PYSCF, *MP2_VARIANTS), ours="python"),
    Group("smoke-mp2-open", "df_ump2", TINY_MP2_SIZES, _ump2, PYSCF, ours="python"),
    Group("dgemm", "gemm", _square(GEMM_SIZES), _gemm, (*FROM_C, "faer")),
    Group("dgemm-nt", "gemm", _square(TRANSPOSED_SIZES), _gemm, FROM_C, options={"trans_b": "T"}),
    Group("dgemm-tn", "gemm", _square(TRANSPOSED_SIZES), _gemm, FROM_C, options={"trans_a": "T"}),
    Group("dgemm-tt", "gemm", _square(TRANSPOSED_SIZES), _gemm, FROM_C, options={"trans_a": "T", "trans_b": "T"}),
    Group("dgemm-k", "gemm", K_SIZES, _gemm, FROM_C),
    Group("sgemm", "gemm", _square(OTHER_DTYPE_SIZES), _gemm, FROM_C, dtype="s"),
    Group("cgemm", "gemm", _square(OTHER_DTYPE_SIZES), lambda s: COMPLEX * _gemm(s), FROM_C, dtype="c"),
    Group("zgemm", "gemm", _square(OTHER_DTYPE_SIZES), lambda s: COMPLEX * _gemm(s), FROM_C, dtype="z"),
    Group("dgemm-avx2", "gemm", _square(FORCED_SIZES), _gemm, ("openblas-haswell",), ours="go-avx2"),
    Group(
        "dsymv",
        "symv",
        _order(VECTOR_SIZES),
        lambda s: 2.0 * s["n"] ** 2,
        (*FROM_C, "scipy/dsymv"),
        options={"uplo": "L"},
    ),
    Group("dgemv-n", "gemv", _square(VECTOR_SIZES), lambda s: 2.0 * s["n"] ** 2, FROM_C),
    Group("dgemv-t", "gemv", _square(VECTOR_SIZES), lambda s: 2.0 * s["n"] ** 2, FROM_C, options={"trans_a": "T"}),
    Group("dtrsm-l", "trsm", _square(LEVEL3_SIZES), _cube(1), FROM_C, options=LEFT),
    Group("dtrsm-r", "trsm", _square(LEVEL3_SIZES), _cube(1), FROM_C, options=RIGHT),
    Group("dtrmm-l", "trmm", _square(LEVEL3_SIZES), _cube(1), FROM_C, options=LEFT),
    Group("dtrmm-r", "trmm", _square(LEVEL3_SIZES), _cube(1), FROM_C, options=RIGHT),
    Group("dsyrk", "syrk", _square(LEVEL3_SIZES), _cube(1), FROM_C, options={"uplo": "L"}),
    Group("dsymm", "symm", _square(LEVEL3_SIZES), _cube(2), FROM_C, options=LEFT),
    Group("dpotrf", "potrf", _order(CHOLESKY_SIZES), _cube(1 / 3), (*FROM_C, "faer"), options={"uplo": "L"}),
    Group("matmul", "matmul", _square(PYTHON_SIZES), _gemm, ("scipy",), ours="python"),
    Group("matmul-batched", "matmul", BATCHES, _gemm, ("scipy",), ours="python"),
    Group("cholesky", "cholesky", _order(CHOLESKY_SIZES), _cube(1 / 3), ("scipy", "scipy/dpotrf"), ours="python"),
    Group("qr", "qr", QR_SIZES, _qr, QR_PEERS, ours="python"),
    Group("qr-s", "qr", QR_SIZES, _qr, QR_PEERS, dtype="s", ours="python"),
    Group("qr-z", "qr", QR_SIZES, lambda s: COMPLEX * _qr(s), QR_PEERS, dtype="z", ours="python"),
    Group("qr-pivoting", "qr_pivoting", QR_SIZES, _qr, ("scipy",), ours="python"),
    Group("svd", "svd", _order(SVD_SIZES), _cube(28 / 3), SVD_PEERS, ours="python"),
    Group("svd-z", "svd", _order(SVD_SIZES), _cube(COMPLEX * 28 / 3), SVD_PEERS, dtype="z", ours="python"),
    Group("svdvals", "svdvals", _order(SVD_SIZES), _cube(8 / 3), ("scipy",), ours="python"),
    Group("solve-triangular", "solve_triangular", _order(LEVEL3_SIZES), _cube(1), ("scipy",), ours="python"),
    Group("lu-factor", "lu_factor", _order(LU_SIZES), _cube(2 / 3), ("scipy",), ours="python"),
    Group("lu-factor-z", "lu_factor", _order(LU_SIZES), _cube(8 / 3), ("scipy",), dtype="z", ours="python"),
    Group("eigh", "eigh", _order(LARGE_EIGEN_SIZES), _eigh, (*EIGH_PEERS, "mkl", "faer"), ours="python"),
    Group("eigh-s", "eigh", _order(EIGEN_SIZES), _eigh, EIGH_PEERS, dtype="s", ours="python"),
    Group("eigh-z", "eigh", _order(EIGEN_SIZES), _eigh, EIGH_PEERS, dtype="z", ours="python"),
    Group("eigh-c", "eigh", _order(EIGEN_SIZES), _eigh, EIGH_PEERS, dtype="c", ours="python"),
    Group(
        "eigh-values", "eigvalsh", _order(EIGEN_SIZES), _cube(4 / 3), ("scipy", "scipy/eigvalsh_numpy"), ours="python"
    ),
    Group(
        "eigh-subset", "eigh_subset", _order(EIGEN_SIZES[2:]), _eigh, ("scipy", "scipy/eigh_subset_evx"), ours="python"
    ),
    Group(
        "eigh-generalized", "eigh_generalized", _order(EIGEN_SIZES), _eigh, ("scipy", "scipy/eigh_gv"), ours="python"
    ),
    Group("eigh-batched", "eigh", EIGEN_BATCHES, _eigh, ("scipy/eigh_numpy",), ours="python"),
    Group("hessenberg", "hessenberg", _order(GENERAL_SIZES), _cube(14 / 3), ("scipy",), ours="python"),
    Group("hessenberg-s", "hessenberg", _order(EIGEN_SIZES), _cube(14 / 3), ("scipy",), dtype="s", ours="python"),
    Group(
        "hessenberg-z", "hessenberg", _order(EIGEN_SIZES), _cube(COMPLEX * 14 / 3), ("scipy",), dtype="z", ours="python"
    ),
    Group("schur", "schur", _order(GENERAL_SIZES), _cube(25), ("scipy", "mkl"), ours="python"),
    Group("schur-s", "schur", _order(GENERAL_SIZES), _cube(25), ("scipy",), dtype="s", ours="python"),
    Group("schur-z", "schur", _order(GENERAL_SIZES), _cube(COMPLEX * 25), ("scipy",), dtype="z", ours="python"),
    Group("schur-c", "schur", _order(GENERAL_SIZES), _cube(COMPLEX * 25), ("scipy",), dtype="c", ours="python"),
    Group("eig-vectors", "eig", _order(GENERAL_SIZES), _cube(28), (*EIG_PEERS, "faer"), ours="python"),
    Group("eig-vectors-z", "eig", _order(GENERAL_SIZES), _cube(COMPLEX * 28), EIG_PEERS, dtype="z", ours="python"),
    Group(
        "eig-values",
        "eigvals",
        _order(GENERAL_SIZES),
        _cube(10),
        ("scipy", "scipy/eigvals_numpy", "faer"),
        ours="python",
    ),
    Group("qz", "qz", _order(PENCIL_SIZES), _cube(66), ("scipy",), ours="python"),
    Group("eig-pencil", "eig_pencil", _order(PENCIL_SIZES), _cube(66), ("scipy",), ours="python"),
    Group("expm", "expm", _order(PYTHON_SIZES), _cube(44 / 3), ("scipy",), ours="python"),
    Group("sqrtm", "sqrtm", _order(PYTHON_SIZES), _cube(85 / 3), ("scipy",), ours="python"),
    Group("df-mp2", "df_mp2", MP2_SIZES, _mp2, ("scipy", *PYSCF), ours="python"),
    Group("df-mp2-open", "df_ump2", MP2_SIZES, _ump2, PYSCF, ours="python"),
    Group("df-mp2-mixed", "df_mp2_mixed", MEDIUM_MP2_SIZES, _mp2, ("python/df_mp2",), ours="python"),
    Group("df-mp2-file", "df_mp2_file", MEDIUM_MP2_SIZES, _mp2, ("python/df_mp2",), ours="python"),
    Group("sos-mp2", "sos_mp2", MEDIUM_MP2_SIZES, _mp2, ("python/df_mp2",), ours="python"),
    Group("df-mp2-large", "df_mp2", LARGE_MP2_SIZES, _mp2, (*PYSCF, *LARGE_MP2_VARIANTS), ours="python", long=True),
)


def _thread_counts() -> tuple[int, ...]:
    everything = len(os.sched_getaffinity(0))
    return (1,) if everything == 1 else (1, everything)


def chosen(name: str, wanted: str, long: bool) -> bool:
    """Whether one of the comma-separated texts selects a group: a part of its name, for a long one all of it.

    Without a text the usual groups are selected.
    """
    texts = [text.strip() for text in wanted.split(",") if text.strip()]
    if long:
        return name in texts
    if name.startswith(SMOKE):
        return any(text in name and text.startswith(SMOKE) for text in texts)
    return not texts or any(text in name for text in texts)


def chosen_groups(wanted: str) -> list[Group]:
    """Return the groups that the comma-separated texts select."""
    return [group for group in GROUPS if chosen(group.name, wanted, group.long)]


def select(wanted: str) -> Iterator[Case]:
    """Yield the cases of the groups that the comma-separated texts select."""
    for group in chosen_groups(wanted):
        for threads in _thread_counts()[-1:] if group.long else _thread_counts():
            for sizes in group.sizes:
                yield Case(group, sizes, threads)
