"""The processes that are timed, and how one is talked to."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PEERS = ROOT / "build/bench-peers"

# An idle thread of OpenBLAS spins for about 100 ms after a call with two threads, one of MKL's OpenMP for 200 ms, and
# takes a processor from whoever is timed next: we wait longer than that.
OPENBLAS_SPIN = 0.12
OPENMP_SPIN = 0.25

# PySCF's functions distribute pairs over OpenMP's threads, each of which calls a product that is to have one thread.
ONE_BLAS_THREAD = {"OPENBLAS_NUM_THREADS": "1"}

# What would choose other kernels, blocks or threads than the library's own choice.
UNSET = (
    "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "OPENBLAS_VERBOSE", "GOTO_NUM_THREADS", "MKL_ENABLE_INSTRUCTIONS",
    "GOMAXPROCS",
    "GOGC", "GOMEMLIMIT", "GODEBUG", "OMP_DYNAMIC", "OMP_PLACES", "OMP_PROC_BIND", "OMP_THREAD_LIMIT",
    "OMP_WAIT_POLICY",
    "GOMP_CPU_AFFINITY", "GOMP_SPINCOUNT",
)  # fmt: skip
THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS", "TRNSCI_NUM_THREADS", "RAYON_NUM_THREADS")


@dataclass(frozen=True)
class Kind:
    """How a contestant is started; `{threads}` in the command becomes the number of threads."""

    title: str
    command: tuple[str, ...]
    spin: float = 0.0
    environment: dict[str, str] = field(default_factory=dict)
    file: Path | None = None  # of an optional peer, which takes part where it was built


def _mkl() -> Path:
    return next((PEERS / "mkl").glob("lib/libmkl_rt.so*"), PEERS / "mkl/lib/libmkl_rt.so")


_GO = (str(ROOT / "build/bench/gotimes"), "-threads={threads}")
_WORKER = (sys.executable, str(ROOT / "benchmarks/worker.py"))
_FAER = PEERS / "faer/release/faer-times"

KINDS = {
    "go": Kind("trnsci from Go", _GO),
    "go-avx2": Kind("trnsci from Go, AVX-512 switched off", _GO, environment={"GODEBUG": "cpu.avx512f=off"}),
    "python": Kind("trnsci from Python", (*_WORKER, "ours")),
    "openblas": Kind("OpenBLAS of NumPy from C", (*_WORKER, "cblas"), OPENBLAS_SPIN),
    "openblas-haswell": Kind(
        "OpenBLAS of NumPy from C, kernels for Haswell",
        (*_WORKER, "cblas"),
        OPENBLAS_SPIN,
        {"OPENBLAS_CORETYPE": "Haswell"},
    ),
    "scipy": Kind("NumPy and SciPy from Python", (*_WORKER, "scipy"), OPENBLAS_SPIN),
    "pyscf": Kind("PySCF's C functions for DF-MP2, its BLAS", (*_WORKER, "pyscf"), OPENMP_SPIN, ONE_BLAS_THREAD),
    "pyscf-openblas": Kind(
        "PySCF's C functions for DF-MP2, OpenBLAS of SciPy", (*_WORKER, "pyscf-openblas"), OPENMP_SPIN, ONE_BLAS_THREAD
    ),
    "mkl": Kind("MKL from C", (*_WORKER, "cblas", str(_mkl())), OPENMP_SPIN, file=_mkl()),
    "faer": Kind("faer", (str(_FAER), "{threads}"), OPENBLAS_SPIN, file=_FAER),
}

# What is kept of what a contestant says of itself; only ours know the microarchitecture.
FACTS = ("version", "kernel", "microarchitecture")


class Skipped(Exception):
    """Why a contestant does not take part in a case."""


class Contestant:
    """A worker process."""

    def __init__(self, kind: Kind, threads: int) -> None:
        environment = {name: value for name, value in os.environ.items() if name not in UNSET}
        environment.update(dict.fromkeys(THREADS, str(threads)), **kind.environment)
        self._spin = kind.spin if threads > 1 else 0.0
        command = [part.format(threads=threads) for part in kind.command]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )
        self.facts = self._read()

    def _read(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self._process.args!r} ended with status {self._process.wait()}")
        answer: dict[str, Any] = json.loads(line)
        if answer.get("error"):
            raise RuntimeError(f"{self._process.args!r}: {answer['error']}")
        return answer

    def _ask(self, request: dict[str, object]) -> dict[str, Any]:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        return self._read()

    def prepare(self, request: dict[str, object]) -> None:
        """Choose what `time` times."""
        reason = self._ask(request).get("skip")
        if reason:
            raise Skipped(reason)

    def time(self, loops: int) -> float:
        """Return the seconds of that many calls."""
        return float(self._ask({"do": "time", "loops": loops})["seconds"])

    def settle(self) -> None:
        """Wait until the contestant's threads are asleep."""
        time.sleep(self._spin)

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


class Pool:
    """The contestants that run, started when they are first asked for."""

    def __init__(self, kinds: Mapping[str, Kind] = KINDS) -> None:
        self._kinds = kinds
        self._running: dict[tuple[str, int], Contestant] = {}

    def get(self, entry: str, threads: int) -> Contestant:
        """Return a contestant with that many threads; each entry of a table of peers has a process of its own."""
        kind = self._kinds[entry.partition("/")[0]]
        if kind.file is not None and not kind.file.exists():
            raise Skipped("not built (make bench-peers)")
        if (entry, threads) not in self._running:
            self._running[entry, threads] = Contestant(kind, threads)
        return self._running[entry, threads]

    def facts(self) -> dict[str, dict[str, str]]:
        """Return what each contestant says of itself."""
        facts = {}
        for (entry, _), contestant in self._running.items():
            name = entry.partition("/")[0]
            facts[name] = {
                "title": self._kinds[name].title,
                **{key: contestant.facts[key] for key in FACTS if key in contestant.facts},
            }
        return facts

    def close(self) -> None:
        """End all processes."""
        for contestant in self._running.values():
            contestant.close()
        self._running.clear()
