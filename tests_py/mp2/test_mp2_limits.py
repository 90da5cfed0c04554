"""Sizes beyond 32-bit indices or memory, and orbital energies that are not finite or make D vanish.

Each kind of failure is one that users of other programs have met.
"""

import mmap
import os

import numpy as np
import pytest
import trnsci
from mp2_reference import Orbitals, opposite_spin, random_orbitals, rounding, same_spin
from trnsci import df_gmp2_energy, df_mp2_energy, mp2_amplitudes, mp2_rdm1, sos_mp2_energy

FUNCTIONS = (df_mp2_energy, sos_mp2_energy, mp2_amplitudes, mp2_rdm1, df_gmp2_energy)
TOO_MANY = 2**31  # elements, more than an int32 counts


# Offsets beyond 32 bits


@pytest.fixture
def far_elements(tmp_path):
    """A function that spreads an array over a sparse file, so that one axis has steps of more than 2^31 elements."""
    maps = []

    def spread(b, axis, backwards):
        steps = np.array([s // b.itemsize for s in b.strides])
        steps[axis] = TOO_MANY + b.size
        span = int(((np.array(b.shape) - 1) * steps).sum()) + 1
        path = tmp_path / "far.npy"
        with open(path, "wb") as file:
            np.lib.format.write_array_header_1_0(file, {"descr": b.dtype.str, "fortran_order": False, "shape": (span,)})
            try:
                file.truncate(file.tell() + span * b.itemsize)
            except OSError as error:
                pytest.skip(f"this file system has no files of {span * b.itemsize} bytes: {error}")
        flat = np.load(path, mmap_mode="r+")
        maps.append(flat)
        strides = steps * b.itemsize
        far = np.lib.stride_tricks.as_strided(flat, b.shape, strides)
        if backwards:
            far = far[tuple(slice(None, None, -1 if n == axis else 1) for n in range(3))]
        far[...] = b
        assert max(map(abs, far.strides)) > TOO_MANY * b.itemsize
        assert os.stat(path).st_blocks * 512 < 1e6, "the file is not sparse"
        return far

    yield spread
    for flat in maps:
        flat._mmap.close()


@pytest.mark.skipif(not hasattr(mmap, "MAP_SHARED"), reason="there are no sparse files to map here")
@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.complex128])
@pytest.mark.parametrize("backwards", [False, True])
def test_offsets_of_more_than_32_bits(far_elements, axis, dtype, backwards):
    x = random_orbitals(np.random.default_rng(301), 3, 3, 3, dtype)
    far = far_elements(x.b, axis, backwards)
    limit = rounding(3, dtype)
    want = same_spin(x)
    assert abs(df_gmp2_energy(far, x.occ, x.vir).e_corr - want.value) <= limit * want.moduli
    if np.dtype(dtype).kind == "c":
        return
    result, opposite = df_mp2_energy(far, x.occ, x.vir), opposite_spin(x, x)
    assert abs(result.e_corr_os - opposite.value) <= limit * opposite.moduli
    assert abs(result.e_corr_ss - 2 * want.value) <= limit * 2 * want.moduli
    two = df_mp2_energy((far, far[:2]), (x.occ, x.occ[:2]), (x.vir, x.vir))
    mixed = opposite_spin(x, Orbitals(x.b[:2], x.occ[:2], x.vir))
    assert abs(two.e_corr_os - mixed.value) <= limit * mixed.moduli
    separated = sos_mp2_energy(far, x.occ, x.vir)
    assert abs(separated.e_corr_os - opposite.value) <= separated.quadrature_error + 2 * limit * opposite.moduli
    for function in (mp2_amplitudes, mp2_rdm1):
        near = function(x.b, x.occ, x.vir)
        np.testing.assert_allclose(function(far, x.occ, x.vir), near, rtol=0, atol=1e-13 * abs(near).max())


# Memory that there is not


def orbitals_without_memory(nocc, nvir, naux, dtype=np.float64):
    """Return integrals and energies of which only the latter take memory."""
    return np.broadcast_to(dtype(0.01), (nocc, nvir, naux)), np.full(nocc, -1.0), np.full(nvir, 1.0)


def test_plan_of_a_molecule_of_1963_functions():
    """The energy of 200 pairs of electrons needs no amplitudes, and the plan states its operations and memory."""
    nocc, nvir, naux = 200, 1963 - 200, 4358
    plan = df_mp2_energy(*orbitals_without_memory(nocc, nvir, naux), plan=True)
    assert plan.flops == nocc * (nocc + 1) * float(nvir) ** 2 * naux
    assert plan.seconds > 0
    # A K of each thread, and much less than the amplitudes, of which nocc^2 are as large as a K.
    assert plan.threads * 8 * nvir**2 <= plan.memory < 8 * nocc * nvir**2
    words = str(plan)
    assert f"{plan.memory / 1e6:.3f} MB in addition to B" in words and f"{plan.seconds:.3g} s" in words, words


@pytest.mark.parametrize("spins", [1, 2])
def test_amplitudes_that_no_memory_holds(spins):
    """They are refused before anything is computed, with their number of bytes."""
    nocc, nvir = 200, 1763
    b, occ, vir = orbitals_without_memory(nocc, nvir, 8)
    seen = []
    args = (b, occ, vir) if spins == 1 else ((b, b), (occ, occ), (vir, vir))
    with pytest.raises(MemoryError, match=f"^{8 * nocc**2 * nvir**2} bytes .*amplitudes"):
        mp2_amplitudes(*args, progress=lambda *counts: seen.append(counts))
    assert not seen


@pytest.mark.parametrize(
    ("function", "sizes", "least"),
    [
        (mp2_rdm1, (2000, 20000, 1), 8 * 2000 * 20000**2),  # the amplitudes of one orbital
        (df_mp2_energy, (2, 10**6, 1), 8 * 10**12),  # a K
        (df_gmp2_energy, (2, 10**6, 1), 8 * 10**12),
        (sos_mp2_energy, (2, 3, 10**6), 8 * 10**12),  # a matrix over auxiliary functions
    ],
)
def test_workspace_that_no_memory_holds(function, sizes, least):
    seen = []
    with pytest.raises(MemoryError, match=rf"^{function.__name__} needs \d+ bytes") as caught:
        function(*orbitals_without_memory(*sizes), progress=lambda *counts: seen.append(counts))
    assert least <= int(str(caught.value).split()[2]) < 10 * least
    assert not seen


def test_amplitudes_of_one_orbital_that_no_memory_holds(tmp_path):
    with pytest.raises(MemoryError, match=r"^mp2_amplitudes needs \d+ bytes"):
        mp2_amplitudes(*orbitals_without_memory(2000, 20000, 1), out=tmp_path / "t.npy")
    assert not os.listdir(tmp_path)


# Orbital energies


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_energies_that_are_not_finite(function, bad):
    b = np.ones((2, 3, 2))
    occ, vir = np.array([-1, -0.5]), np.array([0.2, 0.4, 0.9])
    with pytest.raises(ValueError, match=r"^eps_occ: .*infinities or NaNs"):
        function(b, [-1, bad], vir)
    with pytest.raises(ValueError, match=r"^eps_vir: .*infinities or NaNs"):
        function(b, occ, [0.2, bad, 0.9])
    if function is df_gmp2_energy:
        return
    with pytest.raises(ValueError, match=r"^eps_occ: .*infinities or NaNs \(beta\)"):
        function((b, b), (occ, [-1, bad]), (vir, vir))
    with pytest.raises(ValueError, match=r"^eps_vir: .*infinities or NaNs \(alpha\)"):
        function((b, b), (occ, occ), ([0.2, bad, 0.9], vir))


def vanishing(spins):
    """Return arguments for which D is zero in one place only: i = 1, j = 0, a = 0, b = 2, all numbers being exact."""
    b = np.ones((2, 3, 2))
    if spins == 1:
        return b, [1.0, 0.5], [0.25, 0.5, 1.25]
    return (b, b), ([-1.0, -0.5], [1.0, -4.0]), ([0.25, 8.0, 16.0], [2.0, 4.0, 0.25])


@pytest.mark.parametrize("function", [df_mp2_energy, mp2_amplitudes, mp2_rdm1, df_gmp2_energy])
def test_denominator_of_one_spin_that_vanishes(function):
    with pytest.raises(ValueError, match=r"vanishes for the occupied orbitals i = [01], j = [10] .* a = 0, b = 2$"):
        function(*vanishing(1))


@pytest.mark.parametrize("function", [df_mp2_energy, mp2_amplitudes, mp2_rdm1])
def test_denominator_of_two_spins_that_vanishes(function):
    with pytest.raises(ValueError, match="vanishes") as caught:
        function(*vanishing(2))
    occupied, virtual = str(caught.value).split("virtual")
    assert "1 (alpha)" in occupied and "0 (beta)" in occupied and "0 (alpha)" in virtual and "2 (beta)" in virtual


@pytest.mark.parametrize("spins", [1, 2])
def test_opposite_spin_energy_needs_a_gap(spins):
    with pytest.raises(trnsci.UnsupportedError, match=r"^eps_occ: .*has to be positive"):
        sos_mp2_energy(*vanishing(spins))


@pytest.mark.parametrize("sizes", [(0, 3, 2), (2, 0, 2), (2, 3, 0), (0, 0, 0)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_nothing_to_correlate(sizes, dtype):
    """Zero, also where a denominator would vanish if it were asked for."""
    b, occ, vir = np.ones(sizes, dtype), np.zeros(sizes[0]), np.zeros(sizes[1])
    other = np.ones((2, 3, sizes[2]), dtype), np.array([-1.0, -0.5]), np.array([0.2, 0.4, 0.9])
    for function in (df_mp2_energy, sos_mp2_energy, df_gmp2_energy):
        assert function(b, occ, vir).e_corr == 0
    assert df_gmp2_energy(b + dtype(0) * 1j, occ, vir).e_corr == 0
    pairs = list(zip((b, occ, vir), other, strict=True))
    assert df_mp2_energy(*pairs).e_corr_os == sos_mp2_energy(*pairs).e_corr == 0
    alone = df_gmp2_energy(*other).e_corr
    assert abs(df_mp2_energy(*pairs).e_corr_ss - alone) <= 1e-14 * abs(alone)
