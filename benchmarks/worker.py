"""A process that times Python's side or, through ctypes, a BLAS from C: requests and answers are those of gotimes.

Usage: ``python worker.py ours | scipy | pyscf | pyscf-openblas | cblas [LIBRARY]``. Nothing but NumPy is imported that
the side does not need, so that each side has the process, and its threads, to itself.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from typing import Any

import python_ops
from timers import Skip, Timer, repeated


def _table(name: str) -> python_ops.Table:
    """Return what a side has that is called from Python."""
    if name.startswith("pyscf"):
        import pyscf_ops

        return pyscf_ops.with_own_blas() if name == "pyscf" else pyscf_ops.with_scipy_openblas()
    return python_ops.ours() if name == "ours" else python_ops.scipy_and_numpy()


def _side(name: str, library: str | None) -> tuple[dict[str, str], Callable[[dict[str, Any]], Timer]]:
    """Return the facts about a side and the function that prepares a request."""
    if name == "cblas":
        import cblas_ops

        peer = cblas_ops.Library(library)
        return peer.facts(), peer.prepare
    table = _table(name)

    def prepare(request: dict[str, Any]) -> Timer:
        if request["op"] not in table.ops:
            raise Skip(f"no {request['op']} here")
        return repeated(table.ops[request["op"]](request))

    return table.facts, prepare


def main() -> None:
    """Answer requests until the input ends."""
    parser = argparse.ArgumentParser()
    parser.add_argument("side", choices=["ours", "scipy", "pyscf", "pyscf-openblas", "cblas"])
    parser.add_argument("library", nargs="?", help="shared library with the BLAS (default: NumPy's OpenBLAS)")
    options = parser.parse_args()
    answers = sys.stdout
    sys.stdout = sys.stderr  # whatever a library prints is no answer
    facts, prepare = _side(options.side, options.library)
    print(json.dumps(facts), file=answers, flush=True)
    timer: Timer | None = None
    for line in sys.stdin:
        request = json.loads(line)
        answer: dict[str, object] = {}
        try:
            if request["do"] == "prepare":
                timer = prepare(request)
            elif timer is not None:
                answer["seconds"] = timer(request["loops"])
        except Skip as reason:
            answer["skip"] = str(reason)
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
