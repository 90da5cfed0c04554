"""The command line: ``python -m trnsci [--version] info | devices | selftest | mp2``."""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
from collections.abc import Sequence

from . import _selftest
from ._core import _device
from ._core._errors import DeviceError
from ._core._info import info
from ._core._termination import Terminated, terminable
from ._version import __version__
from .mp2 import _command as _mp2_command

# The exit statuses of sysexits.h for an input or output error, and of shells for processes that a signal ended.
_SUCCESS = 0
_CANNOT_WRITE = 74
_INTERRUPTED = 128 + signal.SIGINT
_TERMINATED = 128 + signal.SIGTERM

# argparse would use the file's name, which nobody types. The script exists only if the package is installed.
_PROGRAM = "trnsci" if os.path.basename(sys.argv[0]) == "trnsci" else "python -m trnsci"


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
    """Open every device whose software is installed, and print its description or why it does not open."""
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
    return 1 if _selftest.report() else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=_PROGRAM, description="Dense linear algebra and DF-MP2 energies.")
    parser.add_argument("--version", action="version", version=f"trnsci {__version__}")

    def print_help(options: argparse.Namespace) -> int:
        parser.print_help()
        return _SUCCESS

    parser.set_defaults(run=print_help)
    commands = parser.add_subparsers(dest="command", metavar="command")

    command = commands.add_parser("info", help="print versions, CPU features and kernels in use, threads, devices")
    command.add_argument("--json", action="store_true", help="print one JSON object")
    command.set_defaults(run=_info)

    command = commands.add_parser(
        "devices", help="open the devices that are installed; print their versions, types, memory"
    )
    command.set_defaults(run=_devices)

    command = commands.add_parser("selftest", help="check residuals of every function; exit status 1 on failure")
    command.set_defaults(run=_run_selftest)

    _mp2_command.add(commands)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command, or print the help if there is none, and return the exit status.

    0, or 1 for a failed selftest, 2 for bad input, 74 when the output cannot be written, 130 for Ctrl-C, 143 for
    SIGTERM.
    """
    options = _parser().parse_args(arguments)
    try:
        with terminable():
            status = int(options.run(options))
            sys.stdout.flush()
            return status
    except KeyboardInterrupt:
        print(f"interrupted{_rest(options)}", file=sys.stderr)
        return _INTERRUPTED
    except Terminated:
        print(f"terminated{_rest(options)}", file=sys.stderr)
        return _TERMINATED
    except OSError as error:  # a closed pipe, a full disk
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # so that the interpreter's last flush is quiet
        print(f"trnsci: the output cannot be written: {error}", file=sys.stderr)
        return _CANNOT_WRITE


def _rest(options: argparse.Namespace) -> str:
    """Return how to continue a stopped run, if it has a checkpoint."""
    path = getattr(options, "checkpoint", None)
    if path is None or not os.path.exists(path):
        return ""
    return f"; {path} keeps the finished pairs, and the same command goes on from it"


if __name__ == "__main__":
    sys.exit(main())
