"""Result dataclasses convert to dicts that json.dumps accepts."""

import dataclasses
import json

import numpy as np
import pytest
import trnsci

B, EPS_OCC, EPS_VIR = np.random.default_rng(1).normal(size=(2, 3, 4)), np.array([-1.0, -0.5]), np.array([0.2, 0.4, 0.9])


def results():
    pair = ((B, B), (EPS_OCC, EPS_OCC), (EPS_VIR, EPS_VIR))
    crystal = (B[None, None] + 0j, EPS_OCC[None], EPS_VIR[None], [[[0]]])
    trnsci.df_mp2_energy(B, EPS_OCC, EPS_VIR, device="interp", precision="fp32")
    return {
        "closed shell": trnsci.df_mp2_energy(B, EPS_OCC, EPS_VIR),
        "pairs": trnsci.df_mp2_energy(B, EPS_OCC, EPS_VIR, pair_energies=True),
        "pairs of an open shell": trnsci.df_mp2_energy(*pair, pair_energies=True),
        "spin orbitals": trnsci.df_gmp2_energy(B, EPS_OCC, EPS_VIR),
        "crystal": trnsci.df_kmp2_energy(*crystal),
        "opposite spin": trnsci.sos_mp2_energy(B, EPS_OCC, EPS_VIR),
        "plan": trnsci.df_mp2_energy(B, EPS_OCC, EPS_VIR, plan=True),
        "plan of a device": trnsci.df_mp2_energy(B, EPS_OCC, EPS_VIR, plan=True, device="interp", precision="fp32"),
        "report": trnsci.last_report(),
    }


@pytest.mark.parametrize("name", results())
def test_to_dict(name):
    result = results()[name]
    assert dataclasses.is_dataclass(result)
    facts = result.to_dict()
    assert list(facts) == [f.name for f in dataclasses.fields(result)]
    again = json.loads(json.dumps(facts))
    for field, value in facts.items():
        assert again[field] == value
        want = getattr(result, field)
        if isinstance(want, tuple):
            assert all(np.array_equal(x, y) for x, y in zip(value, want, strict=True))
        else:
            assert np.array_equal(value, want) if isinstance(want, np.ndarray) else value == want
