"""The versions in the header of a run, and the fixture of the devices."""

from importlib.metadata import PackageNotFoundError, version

import pytest

pytest.register_assert_rewrite("residuals", "fitted_mean_fields")

_REPORTED = ("trnsci", "numpy", "scipy", "ml_dtypes", "hypothesis", "jax")


@pytest.fixture(params=["interp", "pjrt:cpu"])
def device(request):
    """The names of devices that run everywhere, of which XLA needs its plugin."""
    import trnsci  # not above: some tests run where there is none

    if request.param not in trnsci.devices():
        pytest.skip(f"{request.param} is not installed: pip install lammps-jax-pjrt-cpu")
    return request.param


def _version(name):
    try:
        return version(name)
    except PackageNotFoundError:
        return "absent"


def pytest_report_header():
    return ", ".join(f"{name} {_version(name)}" for name in _REPORTED)
