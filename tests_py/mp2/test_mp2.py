"""DF-MP2 energies: made-up cases that can be evaluated by hand, layouts, files, bad input, the command line."""

import pickle

import numpy as np
import pytest
import trnsci
from mp2_cases import OCC, VIR, by_definition, layouts, random_case, small_b
from trnsci import df_mp2_energy

EPS = np.finfo(float).eps


# Energies


def test_made_up_case():
    result = df_mp2_energy(small_b(), OCC, VIR)
    assert result.e_corr_os == pytest.approx(-1.1079465142789195, rel=1e-14)
    assert result.e_corr_ss == pytest.approx(-0.011858974358974355, rel=1e-14)
    assert float(result) == result.e_corr == pytest.approx(-1.1198054886378938, rel=1e-14)
    assert result.e_scs == pytest.approx(-1.3334888085876948, rel=1e-14)
    assert result.pair_energies is None


def test_made_up_unrestricted_case():
    b = small_b()
    result = df_mp2_energy((b, b[:1]), (OCC, OCC[:1]), (VIR, VIR), pair_energies=True)
    assert result.e_corr_ss == pytest.approx(-0.00592948717948718, rel=1e-14)
    assert result.e_corr_os == pytest.approx(-0.37333657622561717, rel=1e-14)
    assert result.e_corr == pytest.approx(-0.3792660634051043, rel=1e-14)
    aa, bb, ab = result.pair_energies
    assert aa.sum() == pytest.approx(-0.00592948717948718, rel=1e-14)
    assert bb.tolist() == [[0.0]]
    assert ab.shape == (2, 1)
    assert ab.sum() == pytest.approx(-0.37333657622561717, rel=1e-14)


def test_one_orbital_of_each_kind():
    result = df_mp2_energy(np.sqrt([[[0.3]]]), [-0.5], [0.7])
    assert result.e_corr == pytest.approx(-0.0375, rel=1e-15)
    assert result.e_corr_ss == 0


@pytest.mark.parametrize(("nocc", "nvir", "naux"), [(1, 1, 1), (3, 7, 5), (5, 65, 33), (2, 129, 70)])
def test_against_the_definition(nocc, nvir, naux):
    b, occ, vir = random_case(1, nocc, nvir, naux)
    opposite, same, pairs = by_definition(b, occ, vir)
    result = df_mp2_energy(b, occ, vir, pair_energies=True)
    assert abs(result.e_corr_os / opposite - 1) < 50 * EPS
    assert abs(result.e_corr_ss - same) < 100 * EPS * abs(opposite)
    np.testing.assert_allclose(result.pair_energies, pairs, rtol=1e-12, atol=1e-15)
    assert result.pair_energies.sum() == pytest.approx(result.e_corr, rel=1e-14)
    assert abs(result.e_corr - opposite - same) <= result.error_bound + 50 * EPS * abs(opposite)


def test_unrestricted_closed_shell_is_restricted():
    b, occ, vir = random_case(2, 4, 9, 12)
    restricted = df_mp2_energy(b, occ, vir)
    unrestricted = df_mp2_energy((b, b), (occ, occ), (vir, vir))
    assert unrestricted.e_corr_os == pytest.approx(restricted.e_corr_os, rel=1e-14)
    assert unrestricted.e_corr_ss == pytest.approx(restricted.e_corr_ss, rel=1e-13)


@pytest.mark.parametrize(
    "transform", ["permute occupied", "permute virtual", "permute auxiliary", "rotate auxiliary", "uncoupled"]
)
def test_invariance(transform):
    b, occ, vir = random_case(3, 4, 10, 15)
    before = df_mp2_energy(b, occ, vir)
    rng = np.random.default_rng(4)
    if transform == "permute occupied":
        p = rng.permutation(4)
        b, occ = b[p], occ[p]
    elif transform == "permute virtual":
        p = rng.permutation(10)
        b, vir = b[:, p], vir[p]
    elif transform == "permute auxiliary":
        b = b[:, :, rng.permutation(15)]
    elif transform == "rotate auxiliary":
        b = b @ np.linalg.qr(rng.standard_normal((15, 15)))[0]
    else:  # an occupied orbital without integrals adds nothing
        b, occ = np.concatenate([b, np.zeros((1, 10, 15))]), np.append(occ, -3.0)
    after = df_mp2_energy(b, occ, vir)
    assert after.e_corr_os == pytest.approx(before.e_corr_os, rel=1e-13)
    assert after.e_corr_ss == pytest.approx(before.e_corr_ss, rel=1e-13)


def test_two_systems_far_apart_add_up():
    b, occ, vir = random_case(5, 3, 5, 8)
    both = np.zeros((6, 10, 16))
    both[:3, :5, :8] = both[3:, 5:, 8:] = b
    one, two = df_mp2_energy(b, occ, vir), df_mp2_energy(both, np.tile(occ, 2), np.tile(vir, 2))
    assert two.e_corr == pytest.approx(2 * one.e_corr, rel=1e-14)


# Layouts, dtypes, precision, threads


@pytest.mark.parametrize("layout", ["iaP", "(ia)P", "P(ia)", "iPa"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_layouts(layout, dtype):
    b, occ, vir = random_case(6, 3, 11, 14, dtype)
    expected = by_definition(b, occ, vir)
    given = layouts(b)[layout]
    for form in (given, np.asfortranarray(given), given[..., ::-1][..., ::-1], np.repeat(given, 2, axis=-1)[..., ::2]):
        copy = form.copy()
        result = df_mp2_energy(form, occ, vir, layout=layout)
        assert abs(result.e_corr - expected[0] - expected[1]) <= result.error_bound
        np.testing.assert_array_equal(form, copy)


@pytest.mark.parametrize("kind", ["read-only", "big-endian", "unaligned", "reversed"])
def test_awkward_memory(kind):
    b, occ, vir = random_case(7, 3, 6, 9)
    expected = df_mp2_energy(b, occ, vir).e_corr
    if kind == "read-only":
        b.flags.writeable = False
    elif kind == "big-endian":
        b = b.astype(">f8")
    elif kind == "unaligned":
        buffer = np.empty(b.nbytes + 1, np.uint8)[1:]
        unaligned = buffer.view(np.float64).reshape(b.shape)
        unaligned[...] = b
        b = unaligned
        assert not b.flags.aligned
    else:
        b = np.ascontiguousarray(b[::-1, ::-1, ::-1])[::-1, ::-1, ::-1]
    assert df_mp2_energy(b, occ, vir).e_corr == pytest.approx(expected, rel=1e-14)


def test_sequences_in_place_of_arrays():
    b = small_b()
    expected = df_mp2_energy(b, OCC, VIR).e_corr
    for form in (b.tolist(), list(b), tuple(b)):
        assert df_mp2_energy(form, tuple(OCC), VIR).e_corr == expected
    pair = df_mp2_energy([b.tolist(), b[:1]], [OCC, np.array(OCC[:1])], [VIR, VIR])
    assert pair.e_corr == df_mp2_energy((b, b[:1]), (OCC, OCC[:1]), (VIR, VIR)).e_corr


def test_result_is_a_value():
    result = df_mp2_energy(small_b(), OCC, VIR, pair_energies=True)
    again = pickle.loads(pickle.dumps(result))
    assert again == result
    assert hash(again) == hash(result)
    assert f"{result:.6f}" == "-1.119805"
    assert "e_corr=-1.1198" in repr(result)


@pytest.mark.parametrize(
    "result",
    [
        trnsci.MP2Result(-0.25, 0.0, -0.25, -0.3, None, 0.0),
        trnsci.SOSResult(-0.25, -0.2, 7, 4, 0.0),
        trnsci.GMP2Result(-0.25, 0.0),
        trnsci.KMP2Result(-0.25, 0.0, -0.25, 0.0),
    ],
    ids=lambda result: type(result).__name__,
)
def test_results_stand_for_their_energy(result):
    assert float(result) == -0.25
    assert (f"{result:.3f}", f"{result:10.2f}") == ("-0.250", "     -0.25")
    assert f"{result}" == str(result)


def test_integers_and_half_precision():
    ml_dtypes = pytest.importorskip("ml_dtypes", reason="ml_dtypes is not installed")
    b = np.arange(12).reshape(2, 3, 2)
    expected = by_definition(b, OCC, VIR)
    assert df_mp2_energy(b, OCC, VIR).e_corr == pytest.approx(sum(expected[:2]), rel=1e-14)
    for dtype in (np.float16, ml_dtypes.bfloat16):  # these integers are exact in both
        assert df_mp2_energy(b.astype(dtype), OCC, VIR).e_corr == pytest.approx(sum(expected[:2]), rel=1e-5)


def test_precision_and_error_bound():
    b, occ, vir = random_case(8, 4, 30, 200)
    exact = sum(by_definition(b, occ, vir)[:2])
    double, mixed = df_mp2_energy(b, occ, vir), df_mp2_energy(b, occ, vir, precision="mixed")
    assert abs(double.e_corr - exact) <= double.error_bound < 1e-9 * abs(exact)
    assert 0 < abs(mixed.e_corr - exact) <= mixed.error_bound
    single = df_mp2_energy(b.astype(np.float32), occ, vir, precision="fp64")
    assert single.error_bound < abs(
        single.e_corr - exact
    )  # B was rounded, which the bound leaves out; products were not


def test_mixed_dtypes_of_the_spins():
    b, occ, vir = random_case(9, 3, 5, 7)
    result = df_mp2_energy((b, b[:2].astype(np.float32)), (occ, occ[:2]), (vir, vir))
    expected = df_mp2_energy((b, b[:2].astype(np.float32).astype(np.float64)), (occ, occ[:2]), (vir, vir))
    assert result.e_corr == expected.e_corr


def test_same_bits_for_any_number_of_threads():
    b, occ, vir = random_case(10, 7, 70, 90)
    results = [df_mp2_energy(b, occ, vir, threads=n, pair_energies=True) for n in (1, 2, 5)]
    for other in results[1:]:
        assert (other.e_corr_ss, other.e_corr_os, other.error_bound) == (
            results[0].e_corr_ss, results[0].e_corr_os, results[0].error_bound,
        )  # fmt: skip
        assert np.array_equal(other.pair_energies, results[0].pair_energies)


def test_progress_counts_pairs():
    calls = []
    b, occ, vir = random_case(11, 5, 6, 7)
    df_mp2_energy(b, occ, vir, progress=lambda done, total: calls.append((done, total)))
    assert calls[-1] == (15, 15)


# Edges and bad input


@pytest.mark.parametrize(("nocc", "nvir", "naux"), [(0, 3, 2), (2, 0, 2), (2, 3, 0), (0, 0, 0)])
def test_nothing_to_correlate(nocc, nvir, naux):
    for layout, b in layouts(np.ones((nocc, nvir, naux))).items():
        result = df_mp2_energy(b, -np.ones(nocc), np.ones(nvir), layout=layout, pair_energies=True)
        assert (result.e_corr, result.e_corr_ss, result.e_corr_os) == (0, 0, 0)
        assert result.pair_energies.shape == (nocc, nocc)
        assert not result.pair_energies.any()


BAD = [
    (dict(B=np.ones((2, 3))), ValueError, r"B: shape \(2, 3\).*'iaP'.*\(2, 3, any\)"),
    (dict(B=np.ones((2, 4, 2))), ValueError, r"B: shape \(2, 4, 2\).*\(2, 3, any\)"),
    (dict(B=np.ones((5, 2)), layout="(ia)P"), ValueError, r"B: shape \(5, 2\).*\(6, any\)"),
    (dict(B=np.ones((2, 7, 3))), ValueError, "layout 'iPa' fits"),
    (dict(B=np.ones((7, 2, 3))), ValueError, r"transpose\(1, 2, 0\)"),
    (dict(eps_occ="occ.npy"), TypeError, "eps_occ.*load"),
    (dict(eps_occ=(OCC, OCC)), ValueError, "B: expected a pair"),
    (dict(eps_occ=np.ones((2, 2))), ValueError, r"eps_occ.*\(2, 2\)"),
    (dict(layout=["iaP"]), ValueError, "layout"),
    (dict(max_memory=10**400), TypeError, "max_memory"),
    (dict(max_memory="1GB"), TypeError, "max_memory"),
    (dict(layout="aiP"), ValueError, "layout: 'aiP'.*'iaP'"),
    (dict(precision="fp16"), ValueError, "precision: 'fp16'"),
    (dict(eps_occ=[[-1.0, -0.5]]), ValueError, r"eps_occ.*\(1, 2\)"),
    (dict(eps_occ=[-1.0, np.nan]), ValueError, "eps_occ"),
    (dict(eps_vir=[0.2, np.inf, 0.9]), ValueError, "eps_vir"),
    (dict(eps_vir=[0.2, 0.4j, 0.9]), TypeError, "eps_vir"),
    (dict(B=np.full((2, 3, 2), np.nan)), ValueError, "B"),
    (dict(B=np.ones((2, 3, 2), object)), TypeError, "B: dtype object.*accepted"),
    (dict(B=np.ones((2, 3, 2), np.longdouble)), TypeError, "B: dtype"),
    (dict(B=np.ones((2, 3, 2), complex)), trnsci.UnsupportedError, "B: complex"),
    (dict(max_memory=-1), ValueError, "max_memory"),
    (dict(device="neuron"), trnsci.UnsupportedError, "device"),
    (dict(device="abacus"), ValueError, "device: 'abacus'.*'cuda'"),
    (dict(B=(small_b(), small_b())), ValueError, "B: .*eps_occ and eps_vir are pairs too"),
]


@pytest.mark.parametrize(("change", "error", "match"), BAD)
def test_bad_input(change, error, match):
    arguments = dict(B=small_b(), eps_occ=OCC, eps_vir=VIR) | change
    with pytest.raises(error, match=match):
        df_mp2_energy(arguments.pop("B"), arguments.pop("eps_occ"), arguments.pop("eps_vir"), **arguments)


@pytest.mark.parametrize(("occ", "vir"), [([1.0, 0.5], [0.25, 0.5, 1.25]), ([1.0, 0.1], [0.2, 0.4, 0.9])])
def test_zero_denominator_names_the_orbitals(occ, vir):
    """1.0 + 0.1 - 0.2 - 0.9 is zero only up to rounding."""
    with pytest.raises(ValueError, match=r"i = 1, j = 0 .* a = 0, b = 2"):
        df_mp2_energy(small_b(), occ, vir)


def test_nan_without_the_check():
    b = small_b()
    b[1, 1, 1] = np.nan
    assert np.isnan(df_mp2_energy(b, OCC, VIR, check_finite=False).e_corr)
