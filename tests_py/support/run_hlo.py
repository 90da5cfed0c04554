"""Run the programs of a folder that tests_go/hlocases wrote by jaxlib's XLA on the CPU.

Usage: run_hlo.py FOLDER. Writes, for each case of index.json, results-NUMBER.npz with the arrays arr_0, arr_1, ...;
bf16 is written as the 16-bit integers of its bits. Writes texts.json, XLA's text of each program. The exit status is 3,
with the reason in the last line, if jax is not here or lacks what this needs; jax 0.6 to 0.12 are known to have it.
"""

import json
import sys
from pathlib import Path

import numpy as np

UNAVAILABLE = 3
BITS = {"f32": "<f4", "bf16": "<u2", "s32": "<i4", "pred": "?", "f64": "<f8"}


def array(data, where):
    """The array at a place of data.bin; bf16 as its bits."""
    flat = np.frombuffer(
        data, BITS[where["dtype"]], offset=where["offset"], count=int(np.prod(where["dims"], dtype=np.int64))
    )
    return flat.reshape(where["dims"])


def reader():
    """A function from HLO to text."""
    try:
        from jaxlib._hlo import HloModule
    except ImportError:  # before jax 0.10
        from jaxlib._jax import HloModule
    return lambda hlo: HloModule.from_serialized_hlo_module_proto(hlo).to_string()


def oracle():
    """A function that compiles and runs HLO on arrays, and gives arrays."""
    import jax
    import ml_dtypes
    from jax._src.lib import _jax, xla_client

    jax.config.update("jax_platforms", "cpu")
    jax.config.update("jax_enable_x64", True)
    device = jax.devices("cpu")[0]
    translate, compile_and_load = _jax.mlir.hlo_to_stablehlo, device.client.compile_and_load
    devices = xla_client.DeviceList((device,))

    def run(hlo, inputs, dtypes):
        program = compile_and_load(translate(hlo), devices, xla_client.CompileOptions())
        arguments = [x.view(ml_dtypes.bfloat16) if d == "bf16" else x for x, d in zip(inputs, dtypes, strict=True)]
        outputs = program.execute_sharded([jax.device_put(x, device) for x in arguments])
        return [np.asarray(shards[0]) for shards in outputs.disassemble_into_single_device_arrays()]

    return run


def main():
    folder = Path(sys.argv[1])
    try:
        run, text = oracle(), reader()
    except (ImportError, AttributeError) as lacking:
        print(f"jax cannot run HLO here: {lacking}")
        sys.exit(UNAVAILABLE)
    texts = {}
    data = (folder / "data.bin").read_bytes()
    for number, case in enumerate(json.loads((folder / "index.json").read_text())):
        hlo = data[case["hlo"]["offset"] :][: case["hlo"]["length"]]
        print(case["name"], flush=True)  # the last line names the case if XLA ends the process
        texts[case["name"]] = text(hlo)
        outputs = run(hlo, [array(data, x) for x in case["inputs"]], [x["dtype"] for x in case["inputs"]])
        plain = [x.view(np.uint16) if x.dtype.name == "bfloat16" else x for x in outputs]
        np.savez(folder / f"results-{number}.npz", *plain)
    (folder / "texts.json").write_text(json.dumps(texts))


if __name__ == "__main__":
    main()
