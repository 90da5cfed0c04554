"""Devices: products on them, their report, and the life of a Device."""

import copy
import os
import pickle
import re
import threading

import growth
import numpy as np
import pytest
import trnsci
from trnsci import blas
from trnsci._core._info import info


@pytest.fixture
def rng():
    return np.random.default_rng(5)


# How far off products of numbers below 1 are: not more than the upper limit, and not less than the operands allow.
OFF = {"fp32": (1e-9, 1e-5), "fp64": (0, 1e-13), "bf16": (1e-4, 0.1), "bf16x2": (1e-7, 1e-3), "bf16x3": (1e-9, 1e-5)}


@pytest.mark.parametrize("precision", OFF)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_gemm(rng, device, dtype, precision):
    a, b = rng.random((3, 20, 30)).astype(dtype), rng.random((30, 11)).astype(dtype)
    got = blas.gemm(2.0, a, b, device=device, precision=precision)
    report = trnsci.last_report()
    exact = 2 * (a.astype("f8") @ b.astype("f8"))
    off = abs(got - exact).max()
    low, high = OFF[precision]
    rounding = np.finfo(dtype).eps * abs(exact).max()
    assert got.dtype == a.dtype
    assert off <= min(high, report.error_bound) + rounding
    assert off >= low or dtype == "f4"
    assert (report.device, report.dispatches) == (device, 1)
    assert report.bytes_in > a.nbytes / 2 and report.bytes_out > 0 and report.seconds > 0


@pytest.mark.parametrize("trans_a", [False, True])
@pytest.mark.parametrize("trans_b", [False, True])
@pytest.mark.parametrize("order", ["C", "F"])
def test_gemm_forms(rng, order, trans_a, trans_b):
    a = np.asarray(rng.random((9, 5) if trans_a else (5, 9)), order=order)
    b = np.asarray(rng.random((7, 9) if trans_b else (9, 7)), order=order)
    c = np.asarray(rng.random((5, 7)), order=order)
    want = 0.5 * (a.T if trans_a else a) @ (b.T if trans_b else b) - 2 * c
    got = blas.gemm(0.5, a, b, -2, c, trans_a, trans_b, device="interp", precision="fp64")
    assert abs(got - want).max() < 1e-13
    for target in (np.full_like(c, np.nan), c):  # beta = -2 reads C, not what is in out
        out = blas.gemm(0.5, a, b, -2, c.copy(), trans_a, trans_b, out=target, device="interp", precision="fp64")
        assert out is target
        assert abs(out - want).max() < 1e-13


def test_c_is_not_read_where_beta_is_zero():
    a = np.eye(3, dtype="f4")
    assert np.array_equal(blas.gemm(1, a, a, 0, np.full((3, 3), np.nan, "f4"), device="interp"), a)


def test_not_a_number_in_nan_out(device):
    a = np.array([[1, np.nan], [2, 3]], "f4")
    got = blas.gemm(1, a, np.eye(2, dtype="f4"), device=device)
    assert np.isnan(got[0]).all() and np.isnan(trnsci.last_report().error_bound)
    assert np.array_equal(got[1], a[1])


@pytest.mark.parametrize("shape", [(0, 3, 4), (3, 0, 4), (3, 4, 0), (0, 0, 0)])
def test_empty_products(shape):
    m, k, n = shape
    got = blas.gemm(1, np.zeros((m, k), "f4"), np.zeros((k, n), "f4"), device="interp")
    assert got.shape == (m, n) and not got.any()


def test_batched_gemm(rng):
    a, b = rng.random((4, 3, 5)).astype("f4"), rng.random((4, 5, 2)).astype("f4")
    assert abs(blas.batched_gemm(1, a, b, device="interp") - a @ b).max() < 1e-5


@pytest.mark.parametrize(
    ("error", "text", "call"),
    [
        (trnsci.UnsupportedError, "precision: float64", lambda a: blas.gemm(1, a, a, device="interp")),
        (trnsci.UnsupportedError, "complex", lambda a: blas.gemm(1, a + 1j, a, device="interp", precision="fp32")),
        (ValueError, "precision: 'fp16'", lambda a: blas.gemm(1, a, a, device="interp", precision="fp16")),
        (ValueError, "precision:", lambda a: blas.gemm(1, a, a, precision="fp32")),
        (ValueError, "device: 'abacus'.*interp", lambda a: blas.gemm(1, a, a, device="abacus")),
        (trnsci.UnsupportedError, "device: 'neuron'", lambda a: blas.gemm(1, a, a, device="neuron")),
        (trnsci.UnsupportedError, "device: 'interp'", lambda a: trnsci.eigh(a, device="interp")),
        (trnsci.UnsupportedError, "device: 'interp'", lambda a: trnsci.eigh(a, device=trnsci.Device("interp"))),
        (ValueError, "device: 'cpu'", lambda a: trnsci.Device("cpu")),
        (ValueError, "device: 3", lambda a: trnsci.Device(3)),
    ],
)
def test_bad_input(error, text, call):
    with pytest.raises(error, match=text):
        call(np.eye(2))


def test_life_of_a_device():
    a = np.eye(2, dtype="f4")
    with trnsci.Device("interp") as device:
        assert device.info()["name"] == "interp"
        blas.gemm(1, a, a, device=device)
        assert trnsci.last_report().compiles == 1
        blas.gemm(1, 2 * a, a, device=device)
        assert (trnsci.last_report().compiles, trnsci.last_report().cache_hits) == (0, 1)
        assert device.info()["memory_used"] == 0
    device.close()
    with pytest.raises(trnsci.DeviceError, match="closed"):
        blas.gemm(1, a, a, device=device)
    assert "interp" in repr(device) and "interp" in trnsci.devices()


def test_a_device_is_not_pickled():
    with trnsci.Device("interp") as device:
        for do in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError, match=r"cannot be pickled or copied.*device='interp'"):
                do(device)


def test_reports_belong_to_threads():
    a = np.eye(2, dtype="f4")
    blas.gemm(1, a, a, device="interp")
    mine, theirs = trnsci.last_report(), []
    thread = threading.Thread(target=lambda: theirs.append(trnsci.last_report()))
    thread.start()
    thread.join()
    assert mine is not None and theirs == [None]


def _integrals(nocc, nvir, naux):
    rng = np.random.default_rng(nocc)
    b = 0.1 * rng.standard_normal((nocc, nvir, naux))
    return b, np.sort(-0.5 - rng.random(nocc)), np.sort(0.2 + rng.random(nvir))


def _cases(device):
    """Small calls on a device. Each returns how far off its result is, in units of what is allowed."""
    rng = np.random.default_rng(3)
    cases = []
    for m, k, n in [(9, 7, 5), (3, 12, 8), (17, 2, 11)]:
        a, b, c = (rng.random(shape).astype("f4") for shape in [(m, k), (k, n), (m, n)])
        want, stack = a @ b - c, np.stack([a, 2 * a, -a])
        cases.append(lambda a=a, b=b, c=c, want=want: abs(blas.gemm(1, a, b, -1, c, device=device) - want).max() / 1e-5)
        cases.append(
            lambda stack=stack, b=b, want=stack @ b: (
                abs(blas.batched_gemm(1, stack, np.stack([b] * 3), device=device) - want).max() / 1e-5
            )
        )
    b, occ, vir = _integrals(3, 4, 6)
    energy = trnsci.df_mp2_energy(b, occ, vir).e_corr
    cases.append(
        lambda: abs(trnsci.df_mp2_energy(b, occ, vir, device=device, precision="fp32").e_corr / energy - 1) / 1e-5
    )
    g = rng.random((7, 7))
    spd = (g @ g.T + np.eye(7)).astype("f4")

    def root():
        x, _ = trnsci.linalg.inv_sqrt_spd(spd, method="newton-schulz", device=device)
        return abs(x.astype("f8") @ spd @ x - np.eye(7)).max() / 1e-4

    cases.append(root)
    return cases


def _resident():
    """Return the bytes of this process that are in memory."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.parametrize(
    ("name", "calls"),
    [("pjrt:cpu", 2_000), ("interp", 2_000), pytest.param("pjrt:cpu", 10_000, marks=pytest.mark.slow)],
)
def test_many_calls_from_many_threads_leave_nothing_behind(name, calls):
    if name not in trnsci.devices():
        pytest.skip(f"{name} is not installed: pip install lammps-jax-pjrt-cpu")
    threads = 4
    with trnsci.Device(name) as device:
        cases = _cases(device)
        wrong, done = [], []

        def work(first, count):
            for i in range(first, first + count):
                off = cases[i % len(cases)]()
                if not off <= 1:
                    wrong.append((i % len(cases), off))
            done.append(count)

        def in_threads(total):
            workers = [threading.Thread(target=work, args=(7 * t, total // threads)) for t in range(threads)]
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join()

        in_threads(calls // 4)  # programs, threads and heaps are there then
        growth.assert_stays(_resident, lambda: in_threads(calls - calls // 4), 4 << 20)
        assert not wrong
        assert sum(done) >= calls
        assert device.info()["memory_used"] == 0


# What a precision leaves of the energy, relatively.
ENERGY_OFF = {"fp64": 1e-13, "fp32": 1e-6, "bf16x3": 1e-6, "bf16x2": 1e-4, "bf16": 1e-2}


@pytest.mark.parametrize("precision", ENERGY_OFF)
def test_mp2(device, precision):
    b, occ, vir = _integrals(5, 9, 30)
    host = trnsci.df_mp2_energy(b, occ, vir, pair_energies=True)
    there = trnsci.df_mp2_energy(b, occ, vir, pair_energies=True, device=device, precision=precision)
    off = ENERGY_OFF[precision]
    assert abs(there.e_corr / host.e_corr - 1) < off
    assert abs(there.e_corr - host.e_corr) <= there.error_bound
    assert abs(there.e_corr_ss - host.e_corr_ss) < off * abs(host.e_corr)
    assert abs(there.pair_energies - host.pair_energies).max() < off * abs(host.e_corr)
    report = trnsci.last_report()
    assert report.dispatches >= 1 and report.compiles + report.cache_hits == 1
    assert report.error_bound == there.error_bound and len(report.host_steps) == 2


def test_programs_are_kept_on_disk(tmp_path):
    if "pjrt:cpu" not in trnsci.devices():
        pytest.skip("pjrt:cpu is not installed: pip install lammps-jax-pjrt-cpu")
    a = np.eye(5, dtype="f4")
    for compiles in (1, 0):
        with trnsci.Device("pjrt:cpu", cache_dir=tmp_path) as there:
            assert np.array_equal(blas.gemm(1, a, a, device=there), a)
            assert (trnsci.last_report().compiles, trnsci.last_report().cache_hits) == (compiles, 1 - compiles)


def test_what_is_no_plugin(tmp_path):
    path = tmp_path / "plugin.so"
    path.write_bytes(b"no library")
    with pytest.raises(trnsci.DeviceError, match=r"plugin\.so"):
        trnsci.Device(f"pjrt:{path}")
    with pytest.raises(trnsci.DeviceError, match="is not a file"):
        trnsci.Device("pjrt:/there/is/none.so")


def test_unrestricted_mp2_from_files_on_interp(tmp_path):
    b, occ, vir = _integrals(4, 7, 12)
    paths = [tmp_path / "alpha.npy", tmp_path / "beta.npy"]
    np.save(paths[0], b)
    np.save(paths[1], b[:3])
    host = trnsci.df_mp2_energy(tuple(paths), (occ, occ[:3]), (vir, vir), pair_energies=True)
    there = trnsci.df_mp2_energy(
        tuple(paths), (occ, occ[:3]), (vir, vir), pair_energies=True, device="interp", precision="fp64"
    )
    assert abs(there.e_corr / host.e_corr - 1) < 1e-13
    for ours, theirs in zip(there.pair_energies, host.pair_energies, strict=True):
        assert abs(ours - theirs).max() < 1e-14 * abs(host.e_corr)


def test_mp2_streams_blocks_from_a_file(tmp_path):
    """With less memory than B takes, blocks come from the file several times, and the energies are the same."""
    b, occ, vir = _integrals(40, 8, 64)
    path = tmp_path / "B.npy"
    np.save(path, b)

    def energy(**options):
        result = trnsci.df_mp2_energy(path, occ, vir, device="interp", precision="fp64", **options)
        return result, trnsci.last_report()

    whole, at_once = energy()
    in_parts, streamed = energy(max_memory=b.nbytes / 1e6 / 2)
    assert at_once.dispatches == 1
    assert streamed.dispatches > 1 and streamed.bytes_in > 1.5 * b.nbytes
    assert abs(in_parts.e_corr / whole.e_corr - 1) < 1e-13
    with pytest.raises(trnsci.UnsupportedError, match=r"max_memory: 1000 bytes.*two blocks of one orbital take"):
        energy(max_memory=0.001)


def test_mp2_of_single_precision_needs_no_word():
    b, occ, vir = _integrals(3, 5, 8)
    b = b.astype("f4")
    assert (
        abs(trnsci.df_mp2_energy(b, occ, vir, device="interp").e_corr / trnsci.df_mp2_energy(b, occ, vir).e_corr - 1)
        < 1e-6
    )


@pytest.mark.parametrize(
    ("a", "b", "words"),
    [
        (np.eye(2), np.eye(2), "float64 arrays need precision="),
        (np.eye(2, dtype=int), np.eye(2, dtype=int), "integer arrays are computed in float64, which needs precision="),
        (
            np.eye(2, dtype=bool),
            np.eye(2, dtype="f4"),
            "integer arrays are computed in float64, which needs precision=",
        ),
        ([[1, 0], [0, 1]], [[1.0, 0.0], [0.0, 1.0]], "float64 arrays need precision="),
    ],
)
def test_what_needs_a_precision_is_named(a, b, words):
    with pytest.raises(trnsci.UnsupportedError, match=rf"^device interp: precision: {words}, one of fp32, fp64, bf16"):
        blas.gemm(1, a, b, device="interp")


@pytest.mark.parametrize(
    ("function", "args"),
    [(blas.syrk, (1, np.eye(2, dtype=int))), (trnsci.linalg.inv_sqrt_spd, (np.eye(2, dtype=int),))],
)
def test_integers_need_a_precision(function, args):
    method = {"method": "newton-schulz"} if function is trnsci.linalg.inv_sqrt_spd else {}
    with pytest.raises(trnsci.UnsupportedError, match="integer arrays are computed in float64"):
        function(*args, device="interp", **method)


def test_mixed_is_for_the_host():
    a = np.eye(2, dtype="f4")
    for product, args in ((blas.gemm, (1, a, a)), (blas.syrk, (1, a))):
        with pytest.raises(ValueError, match="precision: 'mixed' is for df_mp2_energy on the host; devices have fp32"):
            product(*args, device="interp", precision="mixed")


def test_versions_are_readable(device):
    with trnsci.Device(device) as there:
        assert there.info()["version"] == "interp 1" or re.fullmatch(
            r"cpu \(XLA, PJRT 0\.\d+\)", there.info()["version"]
        )


def test_mp2_refuses():
    b, occ, vir = _integrals(3, 5, 8)
    with pytest.raises(trnsci.UnsupportedError, match="precision: float64 arrays need precision=, one of fp32"):
        trnsci.df_mp2_energy(b, occ, vir, device="interp")
    with pytest.raises(ValueError, match="precision: 'mixed' is for df_mp2_energy on the host"):
        trnsci.df_mp2_energy(b, occ, vir, device="interp", precision="mixed")
    with pytest.raises(ValueError, match="precision: 'fp32'"):
        trnsci.df_mp2_energy(b, occ, vir, precision="fp32")
    with pytest.raises(ValueError, match="denominator"):
        trnsci.df_mp2_energy(b, np.zeros(3), np.zeros(5), device="interp", precision="fp32")


def test_command_line_lists_devices(capsys, monkeypatch):
    from trnsci import __main__
    from trnsci._core import _device

    assert __main__.main(["devices"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(": ")[0] for line in lines] == trnsci.devices()[1:]
    assert "interp 1" in lines[0] and "bf16" in lines[0]
    assert info()["devices"] == trnsci.devices()
    monkeypatch.setattr(_device, "devices", lambda: ["cpu", "pjrt:/there/is/none.so"])
    assert __main__.main(["devices"]) == 0
    assert "is not a file" in capsys.readouterr().out


def test_progress_counts_runs(device):
    rng = np.random.default_rng(5)
    b, occ, vir = rng.normal(size=(9, 4, 6)).astype(np.float32), -1 - rng.random(9), 1 + rng.random(4)
    seen = []
    trnsci.df_mp2_energy(b, occ, vir, device=device, progress=lambda done, total: seen.append((done, total)))
    runs = trnsci.last_report().dispatches
    assert seen[-1] == (runs, runs) and runs > 0


def test_method_that_runs_on_the_host(device):
    with pytest.raises(trnsci.UnsupportedError, match="newton-schulz"):
        trnsci.linalg.inv_sqrt_spd(np.eye(2), device=device)


@pytest.mark.parametrize("condition, precision", [(1e6, "bf16x2"), (1e12, "fp32")])
def test_nothing_is_known_of_a_hard_root(device, condition, precision):
    rng = np.random.default_rng(6)
    q = np.linalg.qr(rng.normal(size=(40, 40)))[0]
    a = (q * np.geomspace(1, 1 / condition, 40)) @ q.T
    a = ((a + a.T) / 2).astype("f4")
    with pytest.raises(trnsci.ConvergenceError, match=rf"^a: .*singular to {precision}"):
        trnsci.linalg.inv_sqrt_spd(a, method="newton-schulz", device=device, precision=precision)
