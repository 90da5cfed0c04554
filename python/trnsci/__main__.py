"""The command line: ``python -m trnsci info | devices | selftest | mp2``."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence

from . import _device, _mp2_command, _selftest
from ._errors import DeviceError
from ._info import info


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


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m trnsci", description="Dense linear algebra and DF-MP2 energies.")
    commands = parser.add_subparsers(required=True, dest="command")

    command = commands.add_parser("info", help="print versions, CPU features and kernels in use, threads, devices")
    command.add_argument("--json", action="store_true", help="print one JSON object")
    command.set_defaults(run=_info)

    command = commands.add_parser("devices", help="open the devices that are installed; print their versions, types, memory")
    command.set_defaults(run=_devices)

    command = commands.add_parser("selftest", help="check residuals of every solver; exit status 1 on failure")
    command.set_defaults(run=_run_selftest)

    _mp2_command.add(commands)
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
