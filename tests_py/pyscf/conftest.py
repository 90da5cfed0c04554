"""Fixtures of the tests with PySCF."""

import pytest
from trnsci import linalg


@pytest.fixture
def recorded(monkeypatch):
    """The keyword arguments of each call of our eigensolver."""
    calls = []
    solver = linalg.eigh

    def recorder(*args, **kwargs):
        calls.append(kwargs)
        return solver(*args, **kwargs)

    monkeypatch.setattr(linalg, "eigh", recorder)
    return calls
