"""What a precision costs on molecules: DF-MP2 energies on devices against the host's float64 engine."""

import pytest

pytest.importorskip("pyscf")
from precision_envelope import CASES, PRECISIONS, calculation, on_device
from pyscf.mp import dfmp2

# What is asked for: hartree, for the precisions with the digits of float32, and a part of the energy of water.
SINGLE_OFF = 1e-6
WATER_OFF = 1e-6
# A wider bound than this part of the energy would say little. Numbers of 8 bits are off by 2^-8 of themselves, sums of
# two by 2^-16, sums of naux products in float32 by naux 2^-24; the bound of an energy is some tens of that, since it
# adds up the lengths of rows where errors cancel.
WIDEST_BOUND = {"fp32": 1e-3, "bf16": 0.3, "bf16x2": 3e-3, "bf16x3": 1e-3}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("precision", PRECISIONS)
def test_envelope(name, device, precision):
    case = calculation(name)
    result = on_device(case, device, precision)
    off = abs(result.e_corr - case.e_corr)
    assert 0 < off <= result.error_bound + case.error_bound
    assert result.error_bound < WIDEST_BOUND[precision] * abs(case.e_corr)
    if precision in ("fp32", "bf16x3"):
        assert off < SINGLE_OFF


def test_parts_of_water(device):
    """One bf16 number for each operand is seen in the energy, three are as good as single precision."""
    case = calculation("H2O")
    one, three = (abs(on_device(case, device, precision).e_corr / case.e_corr - 1) for precision in ("bf16", "bf16x3"))
    assert three < WATER_OFF < one


def test_water_against_pyscf(device):
    case = calculation("H2O")
    theirs, _ = dfmp2.DFMP2(case.mf).kernel(with_t2=False)
    assert abs(case.e_corr - theirs) < 1e-10
    assert abs(on_device(case, device, "fp32").e_corr - theirs) < SINGLE_OFF
