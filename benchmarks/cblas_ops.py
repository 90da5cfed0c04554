"""A BLAS and LAPACK called from C: ctypes finds the function, benchmarks/peers/cblas.c repeats the call."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timers import Skip, Timer

ROOT = Path(__file__).resolve().parent.parent

# Numbers of the operations in cblas.c.
OPS = {
    "gemm s": 0, "gemm d": 1, "gemm c": 2, "gemm z": 3, "symv d": 4, "gemv d": 5, "trsm d": 6, "trmm d": 7, "syrk d": 8,
    "symm d": 9, "potrf d": 10, "eigh d": 11, "schur d": 12,
}  # fmt: skip
LAPACK = {"potrf": "{dtype}potrf_", "eigh": "{dtype}syevd_", "schur": "{dtype}gees_"}
# Numbers for each row in the workspace of dgees, enough for blocks of 64 columns.
SCHUR_WORK = 70
DTYPES = {"s": np.float32, "d": np.float64, "c": np.complex64, "z": np.complex128}
# Constants of cblas.h.
TRANS = {"N": 111, "T": 112, "C": 113}
UPLO = {"U": 121, "L": 122}
SIDE = {"L": 141, "R": 142}
# How the names of an OpenBLAS are decorated: NumPy's (64-bit integers), SciPy's, a system's with and without 64 bits.
DECORATIONS = (("scipy_", "64_"), ("scipy_", ""), ("", "64_"), ("", ""))


class Problem(ctypes.Structure):
    """The struct of this name in cblas.c."""

    _fields_ = (
        ("function", ctypes.c_void_p),
        *[(name, ctypes.c_int32) for name in ("op", "trans_a", "trans_b", "side", "uplo")],
        *[(name, ctypes.c_int64) for name in ("m", "n", "k", "lda", "ldb", "ldc")],
        *[(name, ctypes.c_void_p) for name in ("a", "b", "c", "original")],
        ("bytes", ctypes.c_int64),
    )


def loaded_openblas() -> list[str]:
    """Return the paths of the OpenBLAS libraries that are loaded: NumPy's, and SciPy's after its import."""
    paths = [
        line.split(maxsplit=5)[5] for line in Path("/proc/self/maps").read_text().splitlines() if "openblas" in line
    ]
    if not paths:
        raise SystemExit("NumPy has loaded no OpenBLAS: install NumPy from its wheel")
    return list(dict.fromkeys(paths))


class Library:
    """A shared library with CBLAS and LAPACK functions."""

    def __init__(self, path: str | None) -> None:
        self._loop = ctypes.CDLL(str(ROOT / "build/bench/cblas.so")).bench_time
        self._loop.restype = ctypes.c_double
        self._loop.argtypes = [ctypes.POINTER(Problem), ctypes.c_int64]
        self.path = path or loaded_openblas()[0]
        self._blas = ctypes.CDLL(self.path)
        self._prefix, self._suffix = next(d for d in DECORATIONS if hasattr(self._blas, d[0] + "cblas_dgemm" + d[1]))

    def _text(self, name: str) -> str:
        """Return what a function of OpenBLAS says, or nothing in another library."""
        function = getattr(self._blas, self._prefix + name + self._suffix, None)
        if function is None:
            return ""
        function.restype = ctypes.c_char_p
        return str(function().decode())

    def facts(self) -> dict[str, str]:
        """Return name, version and kernels of the library."""
        version = self._text("openblas_get_config") or self._mkl_version()
        return {"version": version.strip(), "kernel": self._text("openblas_get_corename")}

    def _mkl_version(self) -> str:
        """Return what MKL says of itself, in another library the name of its file."""
        function = getattr(self._blas, "MKL_Get_Version_String", None)
        if function is None:
            return os.path.basename(self.path)
        text = ctypes.create_string_buffer(200)  # as long as Intel's documentation asks for
        function(text, ctypes.c_int(len(text)))
        return text.value.decode()

    def _function(self, op: str, dtype: str) -> int:
        name = LAPACK.get(op, "cblas_{dtype}{op}").format(dtype=dtype, op=op)
        function = getattr(self._blas, self._prefix + name + self._suffix, None)
        if function is None:
            raise Skip(f"{os.path.basename(self.path)} exports no {name}")
        address = ctypes.cast(function, ctypes.c_void_p).value
        assert address is not None
        return address

    def prepare(self, request: dict[str, Any]) -> Timer:
        """Return what times the call that the request describes."""
        op, dtype = request["op"], request["dtype"]
        key = f"{op} {dtype}"
        if key not in OPS:
            raise Skip(f"no {key} from C")
        a, b, c, reads_c = _operands(request)
        original = c.copy() if reads_c else None
        m, k = request.get("m", 0), request.get("k", 0)
        if op == "eigh":
            m, k = b.size - request["n"], a.size
        elif op == "schur":
            m = SCHUR_WORK * request["n"]
        problem = Problem(
            function=self._function(op, dtype),
            op=OPS[key],
            trans_a=TRANS[request.get("trans_a", "N")],
            trans_b=TRANS[request.get("trans_b", "N")],
            side=SIDE[request.get("side", "L")],
            uplo=UPLO[request.get("uplo", "L")],
            m=m, n=request["n"], k=k,
            lda=a.shape[-1], ldb=b.shape[-1], ldc=c.shape[-1],
            a=a.ctypes.data, b=b.ctypes.data, c=c.ctypes.data,
            original=None if original is None else original.ctypes.data,
            bytes=c.nbytes,
        )  # fmt: skip
        kept = (a, b, original, c)  # the problem holds their addresses

        def timer(loops: int) -> float:
            return float(self._loop(problem, loops)) if kept else 0.0

        return timer


def _operands(r: dict[str, Any]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], bool]:
    """Return A, B, C by rows and whether C is read. Of a symmetric or triangular matrix both triangles are there."""
    op, dtype, rng = r["op"], DTYPES[r["dtype"]], np.random.default_rng(1)

    def random(*shape: int) -> NDArray[Any]:
        return rng.uniform(-1, 1, shape).astype(dtype)

    m, n, k = r.get("m", 0), r["n"], r.get("k", 0)
    empty = np.zeros(1, dtype)
    if op == "gemm":
        a, b = (k, m) if r.get("trans_a") else (m, k), (n, k) if r.get("trans_b") else (k, n)
        return random(*a), random(*b), np.zeros((m, n), dtype), False
    if op == "symv":
        return random(n, n), random(n), np.zeros(n, dtype), False
    if op == "gemv":
        x, y = (m, n) if r.get("trans_a") else (n, m)
        return random(m, n), random(x), np.zeros(y, dtype), False
    if op == "syrk":
        return random(n, k), empty, np.zeros((n, n), dtype), False
    order = {"L": m, "R": n}[r.get("side", "R")]
    if op == "symm":
        return random(order, order), random(m, n), np.zeros((m, n), dtype), False
    heavy = random(order, order) + 2 * order * np.eye(order, dtype=dtype)  # well-conditioned, positive definite
    if op == "potrf":
        return empty, empty, heavy, True
    if op == "eigh":  # the workspaces that LAPACK's documentation of dsyevd asks for
        symmetric = random(n, n)
        return np.zeros(3 + 5 * n, np.int64), np.zeros(n + 1 + 6 * n + 2 * n**2, dtype), symmetric + symmetric.T, True
    if op == "schur":  # eigenvalues, vectors and a workspace
        return np.zeros(1, np.int64), np.zeros(2 * n + n**2 + SCHUR_WORK * n, dtype), random(n, n), True
    return heavy, empty, random(m, n), True
