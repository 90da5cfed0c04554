"""The command ``python -m trnsci mp2``."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import functools
import importlib
import json
import math
import os
import re
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from .._core import _device, _names, _threads
from .._core._errors import DeviceError
from .._core._files import check_outputs, output_path
from ._energy import MP2Result, df_mp2_energy
from ._plan import MP2Plan

_DESCRIPTION = """DF-MP2 correlation energy of a closed shell or, with --beta, an open one. B holds the fitted
three-index integrals B = (ia|Q) J^-1/2, (ia|jb) = sum_P B[i,a,P] B[j,b,P], for the correlated orbitals. Files are
.npy files, or datasets of HDF5 files, FILE.h5:DATASET, if h5py is installed."""
_EPILOG = """Layouts: iaP is (nocc, nvir, naux), (ia)P is (nocc*nvir, naux), P(ia) is (naux, nocc*nvir), iPa is
(nocc, naux, nvir). Exit status: 0, 2 for bad input, 130 for Ctrl-C, 143 for SIGTERM, after both of which a checkpoint
is whole."""

# An HDF5 file has this at its begin, or at 512 bytes, 1024, 2048 and so on (HDF5 File Format Specification,
# superblock).
_HDF5_SIGNATURE = b"\x89HDF\r\n\x1a\n"
_HDF5_USER_BLOCK = 512  # bytes, at least, of other data before the signature
_HDF5 = re.compile(r"(.+\.(?:h5|hdf5)):(.+)")


def add(commands: Any) -> None:
    """Add the command to the parser's commands."""
    command = commands.add_parser(
        "mp2", help="DF-MP2 correlation energy from files", description=_DESCRIPTION, epilog=_EPILOG
    )
    command.add_argument("B", help="file of the three-index integrals; read in blocks, never loaded whole")
    command.add_argument("eps_occ", help="file of the occupied orbital energies (hartree)")
    command.add_argument("eps_vir", help="file of the virtual orbital energies (hartree)")
    command.add_argument(
        "--beta",
        nargs=3,
        metavar=("B", "EPS_OCC", "EPS_VIR"),
        help="files of the beta spin; those before are then alpha's",
    )
    command.add_argument(
        "--layout", default="iaP", choices=["iaP", "(ia)P", "P(ia)", "iPa"], help="axes of B (default iaP)"
    )
    command.add_argument(
        "--precision", choices=[*_names.HOST_PRECISIONS, *(p for p in _names.DEVICE_PRECISIONS if p != "fp64")],
        help="of the products (default: B's dtype); fp64 or mixed on the host, mixed on no device",
    )  # fmt: skip
    command.add_argument("--device", metavar="NAME", help="run on this device; see python -m trnsci devices")
    command.add_argument(
        "--etol", type=float, metavar="HARTREE", help="with mixed: recompute pairs until the bound is this"
    )
    command.add_argument(
        "--max-memory", "--memory", type=float, metavar="MB", help="memory for blocks of B (default 256)"
    )
    command.add_argument("--threads", type=int, help=f"number of threads (default {_threads.get_num_threads()})")
    command.add_argument(
        "--checkpoint", metavar="FILE", help="keep finished pairs there; go on from what a killed run left"
    )
    command.add_argument("--plan", action="store_true", help="say what the run would do, and do nothing")
    command.add_argument(
        "--pair-energies",
        metavar="OUT",
        help="write the pair energies to this .npy file; for two spins .npz with three arrays",
    )
    command.add_argument("--progress", action="store_true", help="show a progress bar (needs tqdm)")
    command.add_argument("--json", action="store_true", help="print one JSON object")
    command.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    try:
        pairs_file = _check_files(options)
        with contextlib.ExitStack() as files:
            spins = [(options.B, options.eps_occ, options.eps_vir)] + ([options.beta] if options.beta else [])
            inputs = [(_integrals(b, files), _load(occ, files), _load(vir, files)) for b, occ, vir in spins]
            arguments = inputs[0] if len(inputs) == 1 else tuple(zip(*inputs, strict=True))
            compute: Callable[..., Any] = functools.partial(
                df_mp2_energy, *arguments, layout=options.layout, precision=options.precision, device=options.device,
                etol=options.etol, pair_energies=options.pair_energies is not None, max_memory=options.max_memory,
                threads=options.threads, checkpoint=options.checkpoint, progress=options.progress,
            )  # fmt: skip
            if options.checkpoint is not None and not options.plan and os.path.exists(options.checkpoint):
                _print_start(compute(plan=True), options.checkpoint)
            result = compute(plan=options.plan)
        if not isinstance(result, MP2Result):
            _print_plan(result, options.json)
            return 0
        _print_energies(result, options.json)
        if pairs_file is not None:
            _save_pairs(pairs_file, result.pair_energies)
    except BrokenPipeError:
        raise
    except (ValueError, TypeError, NotImplementedError, DeviceError, OSError, MemoryError) as error:
        print(f"trnsci mp2: {error}", file=sys.stderr)
        return 2
    return 0


def _integrals(path: str, files: contextlib.ExitStack) -> Any:
    """Return the dataset that the path names, or the path of a file."""
    if _names_dataset(path):
        return _dataset(path, files)
    _refuse_hdf5(path)
    return path


def _refuse_hdf5(path: str) -> None:
    """Say how a dataset of an HDF5 file is named, for the file alone."""
    if not os.path.isfile(path):  # reading a pipe would wait for its other end
        return
    with open(path, "rb") as file:
        size, at = os.fstat(file.fileno()).st_size, 0
        while at + len(_HDF5_SIGNATURE) <= size:
            file.seek(at)
            if file.read(len(_HDF5_SIGNATURE)) == _HDF5_SIGNATURE:
                raise ValueError(f"{path}: is an HDF5 file; for HDF5 write FILE.h5:DATASET")
            at = max(_HDF5_USER_BLOCK, 2 * at)


def _names_dataset(path: str) -> bool:
    return _HDF5.fullmatch(path) is not None and not os.path.exists(path)


def _dataset(path: str, files: contextlib.ExitStack) -> Any:
    """Open a dataset, whose file is closed with `files`."""
    match = _HDF5.fullmatch(path)
    assert match is not None
    try:
        h5py = importlib.import_module("h5py")
    except ImportError:
        raise ValueError(f"{path}: HDF5 files need h5py: pip install h5py") from None
    try:
        found = files.enter_context(h5py.File(match[1], "r")).get(match[2])
    except OSError as error:
        raise OSError(f"{match[1]}: {error}") from None
    if not isinstance(found, h5py.Dataset):
        raise ValueError(f"{match[1]}: there is no dataset {match[2]!r}")
    return found


def _load(path: str, files: contextlib.ExitStack) -> Any:
    """Return the array of a file."""
    if _names_dataset(path):
        return _dataset(path, files)[()]
    if os.path.exists(path) and not os.path.isfile(path):
        raise ValueError(f"{path}: not a regular file")
    _refuse_hdf5(path)
    try:
        array = np.load(path, allow_pickle=False)
    except (ValueError, EOFError):  # NumPy's text would advise to allow pickles, which are programs
        array = None
    if not isinstance(array, np.ndarray):
        raise ValueError(f"{path}: not a .npy file of numbers")
    return array


def _check_files(options: argparse.Namespace) -> str | None:
    """Return the file for the pair energies; refuse outputs that cannot be written, before hours are spent on them."""
    outputs = {f"--{name.replace('_', '-')}": vars(options)[name] for name in ("checkpoint", "pair_energies")}
    whole = {name: None if path is None else output_path(path, name) for name, path in outputs.items()}
    given = {name: _file(getattr(options, name)) for name in ("B", "eps_occ", "eps_vir")}
    check_outputs(whole, {**given, "--beta": [_file(path) for path in options.beta or ()]})
    path = whole["--pair-energies"]
    if path is not None and not os.path.isdir(os.path.dirname(path)):
        raise ValueError(f"--pair-energies: there is no folder {os.path.dirname(options.pair_energies)!r}")
    return path


def _file(path: str) -> str:
    """Return the file of an argument that may name a dataset."""
    match = _HDF5.fullmatch(path) if _names_dataset(path) else None
    return path if match is None else match[1]


def _save_pairs(path: str, pairs: Any) -> None:
    with open(path, "wb") as file:
        if isinstance(pairs, tuple):
            np.savez(file, alpha_alpha=pairs[0], beta_beta=pairs[1], alpha_beta=pairs[2])
        else:
            np.save(file, pairs)


def _print_start(plan: MP2Plan, checkpoint: str) -> None:
    """Say what an earlier run has left."""
    if plan.pairs_kept:
        print(
            f"trnsci mp2: going on from {checkpoint}: {plan.pairs_kept} of {plan.pairs} pairs are there",
            file=sys.stderr,
        )


def _print_plan(plan: MP2Plan | _device.DevicePlan, as_json: bool) -> None:
    if not as_json:
        print(plan)
        return
    print(json.dumps({name: value for name, value in dataclasses.asdict(plan).items() if name != "text"}))


def _print_energies(result: MP2Result, as_json: bool) -> None:
    energies = {
        "e_corr": result.e_corr,
        "e_corr_ss": result.e_corr_ss,
        "e_corr_os": result.e_corr_os,
        "e_scs": result.e_scs,
        "error_bound": result.error_bound,
    }
    if as_json:
        facts: dict[str, float | int | None] = {
            n: value if math.isfinite(value) else None for n, value in energies.items()
        }
        print(json.dumps({**facts, "recomputed": result.recomputed}))
        return
    for name, value in energies.items():
        print(f"{name:12} {value:20.12f} hartree" if name != "error_bound" else f"{name:12} {value:20.1e} hartree")
    if result.recomputed:
        print(f"{'recomputed':12} {result.recomputed:20d} pairs")
