"""Amplitudes and densities of MP2 against plain einsum, in arrays and files."""

import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from mp2_cases import layouts, random_case
from trnsci import UnsupportedError, mp2_amplitudes, mp2_natural_orbitals, mp2_rdm1

SIZES = [(1, 1, 1), (3, 5, 4), (4, 13, 20)]


def plain_amplitudes(left, right, antisymmetric=False):
    """The definition, given (B, eps_occ, eps_vir) of both spins."""
    (b1, o1, v1), (b2, o2, v2) = left, right
    k = np.einsum("iap,jbp->ijab", b1, b2, dtype=np.float64)
    if antisymmetric:
        k = k - k.swapaxes(2, 3)
    return k / (o1[:, None, None, None] + o2[:, None, None] - v1[:, None] - v2)


def plain_parts(alpha, beta):
    return plain_amplitudes(alpha, alpha, True), plain_amplitudes(alpha, beta), plain_amplitudes(beta, beta, True)


def two_spins(seed, nocc, nvir, naux):
    return random_case(seed, nocc, nvir, naux), random_case(seed + 1, nocc + 1, nvir + 2, naux)


def close(got, want):
    np.testing.assert_allclose(got, want, rtol=0, atol=1e-14 * max(1, np.abs(want).max(initial=0)) * 20)


@pytest.mark.parametrize("sizes", SIZES)
def test_amplitudes(sizes):
    case = random_case(1, *sizes)
    t = mp2_amplitudes(*case)
    close(t, plain_amplitudes(case, case))
    np.testing.assert_array_equal(t, t.transpose(1, 0, 3, 2))
    alpha, beta = two_spins(2, *sizes)
    got = mp2_amplitudes(*zip(alpha, beta, strict=True))
    assert isinstance(got, tuple)
    for part, want in zip(got, plain_parts(alpha, beta), strict=True):
        close(part, want)
    for t in (got[0], got[2]):
        np.testing.assert_array_equal(t, t.transpose(1, 0, 3, 2))
        np.testing.assert_array_equal(t, -t.swapaxes(0, 1))


@pytest.mark.parametrize("layout", ["iaP", "(ia)P", "P(ia)", "iPa"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_same_bits_from_everywhere(layout, dtype, tmp_path):
    b, occ, vir = random_case(3, 4, 6, 7, dtype)
    given = layouts(b)[layout]
    np.save(tmp_path / "b.npy", given)
    amplitudes, density = mp2_amplitudes(given, occ, vir, layout=layout), mp2_rdm1(given, occ, vir, layout=layout)
    close(amplitudes, plain_amplitudes((b, occ, vir), (b, occ, vir)))
    options = {"layout": layout, "max_memory": 8 * 2 * 6 * 7 / 1e6, "threads": 2}  # a pair of orbitals
    np.testing.assert_array_equal(mp2_amplitudes(tmp_path / "b.npy", occ, vir, **options), amplitudes)
    np.testing.assert_array_equal(mp2_rdm1(tmp_path / "b.npy", occ, vir, **options), density)
    close(mp2_amplitudes(lambda i, j: b[i:j], occ, vir), amplitudes)


def test_arrays_of_the_caller():
    b, occ, vir = random_case(4, 3, 5, 6)
    want = mp2_amplitudes(b, occ, vir)
    shape = want.shape
    wide = np.full((6, 3, 5, 10), np.nan)
    for out in (np.empty(shape), np.empty(shape, order="F"), wide[::-2, :, :, 1::2], np.empty(shape[::-1]).T):
        assert mp2_amplitudes(b, occ, vir, out=out) is out
        np.testing.assert_array_equal(out, want)
    assert np.isnan(wide[::2]).all() and np.isnan(wide[..., ::2]).all()
    alpha, beta = two_spins(5, 2, 3, 4)
    parts = plain_parts(alpha, beta)
    outs = [np.empty(p.shape) for p in parts]
    got = mp2_amplitudes(*zip(alpha, beta, strict=True), out=outs)
    assert all(g is o for g, o in zip(got, outs, strict=True))
    for out, part in zip(outs, parts, strict=True):
        close(out, part)


def test_files(tmp_path):
    b, occ, vir = random_case(6, 3, 5, 6)
    path = tmp_path / "t.npy"
    path.write_text("what is there already")
    assert mp2_amplitudes(b, occ, vir, out=path) == path
    np.testing.assert_array_equal(np.load(path), mp2_amplitudes(b, occ, vir))
    alpha, beta = two_spins(7, 2, 3, 4)
    both = tuple(zip(alpha, beta, strict=True))
    mixed = (tmp_path / "aa.npy", np.empty((2, 3, 3, 5)), os.fspath(tmp_path / "bb.npy"))
    mp2_amplitudes(*both, out=mixed)
    for got, want in zip((np.load(mixed[0]), mixed[1], np.load(mixed[2])), mp2_amplitudes(*both), strict=True):
        np.testing.assert_array_equal(got, want)
    assert sorted(os.listdir(tmp_path)) == ["aa.npy", "bb.npy", "t.npy"]


def test_nothing_is_left_after_an_error(tmp_path):
    b, occ, vir = random_case(8, 3, 5, 6)
    with pytest.raises(OSError, match=r"none.*t\.npy"):
        mp2_amplitudes(b, occ, vir, out=tmp_path / "none" / "t.npy")
    b[2] = np.nan
    with pytest.raises(ValueError, match="orbital 2"):
        mp2_amplitudes(b, occ, vir, out=tmp_path / "t.npy")

    def fails(i, j):
        if i > 0:
            raise KeyError("no such orbital")
        return b[i:j]

    with pytest.raises(KeyError, match="no such orbital"):
        mp2_amplitudes(fails, occ, vir, out=tmp_path / "t.npy", max_memory=2 * 30 * 8 / 1e6)
    assert os.listdir(tmp_path) == []


def test_full_disk(tmp_path):
    """A limit on the size of files stands for a disk that is full."""
    program = textwrap.dedent(
        """
        import resource, sys
        import numpy as np
        import trnsci

        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
        try:
            trnsci.mp2_amplitudes(np.ones((8, 80, 3)), -np.ones(8), np.ones(80), out=sys.argv[1])
        except OSError as error:
            print("refused:", error)
        """
    )
    run = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "t.npy")], capture_output=True, text=True, check=False
    )
    assert run.stdout.startswith("refused:") and "t.npy" in run.stdout, run.stdout + run.stderr
    assert os.listdir(tmp_path) == []


def test_bad_output():
    b, occ, vir = random_case(9, 3, 5, 6)
    shape = (3, 3, 5, 5)
    read_only = np.empty(shape)
    read_only.flags.writeable = False
    repeated = np.lib.stride_tricks.as_strided(np.empty(shape), shape, (0, 200, 40, 8))
    for out, words in [
        (np.empty((3, 3, 5, 6)), "shape"),
        (np.empty(shape, np.float32), "float32"),
        (read_only, "read-only"),
        (repeated, "overlapping"),
    ]:
        with pytest.raises(ValueError, match=f"out: .*{words}"):
            mp2_amplitudes(b, occ, vir, out=out)
    with pytest.raises(TypeError, match="out"):
        mp2_amplitudes(b, occ, vir, out=7)
    with pytest.raises(ValueError, match="out: expected three"):
        mp2_amplitudes((b, b), (occ, occ), (vir, vir), out=np.empty(shape))
    memory = np.ones(3 * 3 * 5 * 5 + 3 * 5 * 6)
    with pytest.raises(ValueError, match="shares memory with B"):
        mp2_amplitudes(memory[-225:][:90].reshape(3, 5, 6), occ, vir, out=memory[-225:].reshape(shape))
    memory[-3:] = occ
    with pytest.raises(ValueError, match="shares memory with B or the energies"):
        mp2_amplitudes(b, memory[-3:], vir, out=memory[-225:].reshape(shape))
    sliding = np.lib.stride_tricks.as_strided(memory, shape, (80, 40, 8, 8))
    with pytest.raises(ValueError, match="overlapping"):
        mp2_amplitudes(b, occ, vir, out=sliding)


def test_parts_in_one_place(tmp_path):
    b, occ, vir = random_case(9, 2, 3, 4)
    both, shape = ((b, b), (occ, occ), (vir, vir)), (2, 2, 3, 3)
    array, wide, path = np.empty(shape), np.empty((*shape, 2)), tmp_path / "t.npy"
    shared = [
        (1, (array, array, wide[..., 0])),
        (2, (array, path, array[::-1])),
        (2, (path, array, f"{tmp_path}/./t.npy")),
    ]
    for n, outs in shared:
        with pytest.raises(ValueError, match=rf"out\[{n}\]: is where out\[0\] is too"):
            mp2_amplitudes(*both, out=outs)
    assert os.listdir(tmp_path) == []
    # Arrays that lie between one another are apart.
    got = mp2_amplitudes(*both, out=(wide[..., 0], wide[..., 1], array))
    for part, want in zip(got, mp2_amplitudes(*both), strict=True):
        np.testing.assert_array_equal(part, want)


def test_names_of_other_things(tmp_path):
    """A file would replace a folder, a pipe or a device of its name; a link leads to what is written."""
    b, occ, vir = random_case(9, 3, 5, 6)
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe", os.devnull):
        with pytest.raises(ValueError, match=r"out: '.*' is not a regular file"):
            mp2_amplitudes(b, occ, vir, out=path)
    for path in ("", "a\0b"):
        with pytest.raises(ValueError, match=r"out: '.*' is no path"):
            mp2_amplitudes(b, occ, vir, out=path)
    link, target = tmp_path / "link", tmp_path / "t.npy"
    link.symlink_to(target.name)
    assert mp2_amplitudes(b, occ, vir, out=link) == link and link.is_symlink()
    np.testing.assert_array_equal(np.load(target), mp2_amplitudes(b, occ, vir))
    assert sorted(os.listdir(tmp_path)) == ["link", "pipe", "t.npy"]


def test_bad_input():
    b, occ, vir = random_case(10, 3, 5, 6)
    for function in (mp2_amplitudes, mp2_rdm1):
        with pytest.raises(UnsupportedError, match="complex"):
            function(b + 0j, occ, vir)
        with pytest.raises(ValueError, match="denominator"):
            function(b, np.zeros(3), np.zeros(5))
        with pytest.raises(ValueError, match="max_memory"):
            function(np.asfortranarray(b), occ, vir, max_memory=1e-6)
        with pytest.raises(ValueError, match="shape"):
            function(b, occ, vir[1:])
    for bad in (np.ones(3), np.ones((2, 3)), np.ones((2, 2, 2)), np.diag([1, np.nan])):
        with pytest.raises(ValueError, match="rdm1"):
            mp2_natural_orbitals(bad)


def plain_density(nocc, nvir, occupation, occupied, virtual):
    density = np.zeros((nocc + nvir, nocc + nvir))
    density[:nocc, :nocc] = occupation * (np.eye(nocc) - occupied)
    density[nocc:, nocc:] = occupation * virtual
    return density


@pytest.mark.parametrize("sizes", SIZES)
def test_density_of_a_closed_shell(sizes):
    case = random_case(11, *sizes)
    t = plain_amplitudes(case, case)
    u = 2 * t - t.swapaxes(2, 3)
    want = plain_density(*sizes[:2], 2, np.einsum("imab,jmab->ij", t, u), np.einsum("ijca,ijcb->ab", t, u))
    got = mp2_rdm1(*case)
    close(got, want)
    np.testing.assert_array_equal(got, got.T)
    assert got.trace() == pytest.approx(2 * sizes[0], rel=1e-13)
    occupations, orbitals = mp2_natural_orbitals(got)
    assert (np.diff(occupations) <= 0).all() and occupations.sum() == pytest.approx(2 * sizes[0], rel=1e-13)
    close(orbitals @ np.diag(occupations) @ orbitals.T, got)
    close(orbitals.T @ orbitals, np.eye(len(got)))


@pytest.mark.parametrize("sizes", SIZES)
def test_density_of_an_open_shell(sizes):
    alpha, beta = two_spins(12, *sizes)
    aa, ab, bb = plain_parts(alpha, beta)
    ba = ab.transpose(1, 0, 3, 2)
    got = mp2_rdm1(*zip(alpha, beta, strict=True))
    for density, same, mixed, spin in zip(got, (aa, bb), (ab, ba), (alpha, beta), strict=True):
        occupied = np.einsum("imab,jmab->ij", same, same) / 2 + np.einsum("imab,jmab->ij", mixed, mixed)
        virtual = np.einsum("ijac,ijbc->ab", same, same) / 2 + np.einsum("ijac,ijbc->ab", mixed, mixed)
        close(density, plain_density(len(spin[1]), len(spin[2]), 1, occupied, virtual))


def test_no_orbitals():
    assert mp2_amplitudes(np.zeros((0, 4, 3)), [], np.ones(4)).shape == (0, 0, 4, 4)
    np.testing.assert_array_equal(mp2_rdm1(np.zeros((2, 3, 0)), -np.ones(2), np.ones(3)), np.diag([2.0, 2, 0, 0, 0]))
    np.testing.assert_array_equal(mp2_rdm1(np.zeros((2, 0, 4)), -np.ones(2), []), np.diag([2.0, 2]))
