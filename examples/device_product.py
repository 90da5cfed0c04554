"""A matrix product on a device, its error and the bound that comes with it.

"interp" is an interpreter of device programs that is always there. "pjrt:cpu" is XLA on the host's processor, where its
plugin is installed (pip install lammps-jax-pjrt-cpu). Three bf16 numbers (8 bits each) can stand for a single-precision
one.

Run it with:  python examples/device_product.py
"""

import sys

import numpy as np
import trnsci
from trnsci import blas

SHAPE = (300, 200, 250)
PRECISIONS = ("fp32", "bf16x3", "bf16x2", "bf16")


def main():
    rng = np.random.default_rng(0)
    m, k, n = SHAPE
    a, b = (rng.standard_normal(shape).astype(np.float32) for shape in ((m, k), (k, n)))
    exact = a.astype(np.float64) @ b.astype(np.float64)

    failed = []
    for device in ("interp", "pjrt:cpu"):
        if device not in trnsci.devices():
            print(f"{device}: not installed")
            continue
        for precision in PRECISIONS:
            c = blas.gemm(1.0, a, b, device=device, precision=precision)
            report = trnsci.last_report()
            error = np.abs(c - exact).max()
            print(f"{device:<10}{precision:<8}error {error:.1e}, bound {report.error_bound:.1e}")
            if not error <= report.error_bound:
                failed.append(f"{device} in {precision}")
    if failed:
        sys.exit(f"Above the bound: {', '.join(failed)}.")


if __name__ == "__main__":
    main()
