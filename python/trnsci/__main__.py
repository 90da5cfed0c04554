"""The command line: ``python -m trnsci info | devices | selftest | mp2``."""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _device, _selftest, _threads
from ._errors import DeviceError
from ._info import info
from .mp2 import MP2Result, df_mp2_energy


def _info(options: argparse.Namespace) -> int:
    facts = info()
    if options.json:
        print(json.dumps(facts, indent=2))
        return 0
    width = max(map(len, facts))
    for name, value in facts.items():
        print(f"{name:{width}}  {', '.join(map(str, value)) if isinstance(value, list) else value}")
    return 0


def _devices(options: argparse.Namespace) -> int:
    """Open every device whose software is here, and print what it says of itself or why it does not open."""
    for name in _device.devices()[1:]:
        try:
            with _device.Device(name) as device:
                facts = device.info()
        except DeviceError as error:
            print(f"{name}: {error}")
            continue
        limit = f"{facts['memory_limit'] / 1e9:.1f} GB" if facts["memory_limit"] else "unknown"
        print(f"{name}: {facts['version']}; types {', '.join(facts['types'])}; memory {limit}")
    return 0


def _run_selftest(options: argparse.Namespace) -> int:
    failed = 0
    for check in _selftest.checks():
        failed += not check.passed
        print(f"{'ok  ' if check.passed else 'FAIL'}  {check.name:44} {check.value:9.3g}  limit {check.limit:g}")
    print("selftest passed" if not failed else f"selftest FAILED: {failed} checks over their limits")
    return 1 if failed else 0


def _load(path: str) -> Any:
    if os.path.exists(path) and not os.path.isfile(path):
        raise ValueError(f"{path}: not a regular file")
    try:
        array = np.load(path, allow_pickle=False)
    except (ValueError, EOFError):  # NumPy's text would advise to allow pickles, which are programs
        array = None
    if not isinstance(array, np.ndarray):
        raise ValueError(f"{path}: not a .npy file of numbers")
    return array


def _mp2(options: argparse.Namespace) -> int:
    try:
        result = df_mp2_energy(
            options.B, _load(options.eps_occ), _load(options.eps_vir), layout=options.layout, precision=options.precision,
            pair_energies=options.pair_energies is not None, max_memory=options.max_memory, threads=options.threads,
            progress=options.progress,
        )  # fmt: skip
        _print_energies(result, options.json)
        if options.pair_energies is not None:
            with open(options.pair_energies, "wb") as file:
                np.save(file, result.pair_energies)
    except BrokenPipeError:
        raise
    except (ValueError, TypeError, NotImplementedError, OSError, MemoryError) as error:
        print(f"trnsci mp2: {error}", file=sys.stderr)
        return 2
    return 0


def _print_energies(result: MP2Result, as_json: bool) -> None:
    energies = {
        "e_corr": result.e_corr,
        "e_corr_ss": result.e_corr_ss,
        "e_corr_os": result.e_corr_os,
        "e_scs": result.e_scs,
        "error_bound": result.error_bound,
    }
    if as_json:
        print(json.dumps({name: value if math.isfinite(value) else None for name, value in energies.items()}))
        return
    for name, value in energies.items():
        print(f"{name:12} {value:20.12f} hartree" if name != "error_bound" else f"{name:12} {value:20.1e} hartree")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m trnsci", description="Dense linear algebra and DF-MP2 energies.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    command = commands.add_parser("info", help="print versions, CPU features and kernels in use, threads, devices")
    command.add_argument("--json", action="store_true", help="print one JSON object")
    command.set_defaults(run=_info)

    command = commands.add_parser("devices", help="open the devices that are installed; print their versions, types, memory")
    command.set_defaults(run=_devices)

    command = commands.add_parser("selftest", help="check residuals of every solver; exit status 1 on failure")
    command.set_defaults(run=_run_selftest)

    command = commands.add_parser(
        "mp2",
        help="closed-shell DF-MP2 correlation energy from .npy files",
        description="Closed-shell DF-MP2 correlation energy. B holds the three-index integrals with the Coulomb metric folded "
        "in, (ia|jb) = sum_P B[i,a,P] B[j,b,P], for the correlated orbitals.",
        epilog="Layouts: iaP is (nocc, nvir, naux), (ia)P is (nocc*nvir, naux), P(ia) is (naux, nocc*nvir), iPa is "
        "(nocc, naux, nvir). Exit status: 0, 2 for bad input, 130 for Ctrl-C.",
    )
    command.add_argument("B", help=".npy file of the three-index integrals; read in blocks, never loaded whole")
    command.add_argument("eps_occ", help=".npy file of the occupied orbital energies (hartree)")
    command.add_argument("eps_vir", help=".npy file of the virtual orbital energies (hartree)")
    command.add_argument("--layout", default="iaP", choices=["iaP", "(ia)P", "P(ia)", "iPa"], help="axes of B (default iaP)")
    command.add_argument("--precision", choices=["fp64", "mixed"], help="of the products (default: B's dtype)")
    command.add_argument("--max-memory", type=float, metavar="MB", help="memory for blocks of B (default 256)")
    command.add_argument("--threads", type=int, help=f"number of threads (default {_threads.get_num_threads()})")
    command.add_argument("--pair-energies", metavar="OUT.npy", help="write the pair energies to this file")
    command.add_argument("--progress", action="store_true", help="show a progress bar (needs tqdm)")
    command.add_argument("--json", action="store_true", help="print one JSON object")
    command.set_defaults(run=_mp2)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit status.

    0, or 1 for a failed selftest, 2 for bad input, 74 when the output cannot be written, 130 for Ctrl-C.
    """
    options = _parser().parse_args(arguments)
    try:
        status = int(options.run(options))
        sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except OSError as error:  # a closed pipe, a full disk
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # so that the interpreter's last flush is quiet
        print(f"trnsci: the output cannot be written: {error}", file=sys.stderr)
        return 74


if __name__ == "__main__":
    sys.exit(main())
