"""Heat maps of pair energies: the elements of the pictures."""

import subprocess
import sys

import numpy as np
import pytest
import trnsci

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")  # draws without a screen
from matplotlib import pyplot  # noqa: E402

SPINS = ("alpha-alpha", "beta-beta", "alpha-beta")


@pytest.fixture(autouse=True)
def no_figures_left():
    yield
    pyplot.close("all")


def closed_shell(pairs):
    """A result with the given pair energies, whose other numbers do not count here."""
    return trnsci.MP2Result(0.0, 0.0, 0.0, 0.0, pairs, 0.0)


def open_shell():
    rng = np.random.default_rng(7)
    return closed_shell((-rng.random((3, 3)), -rng.random((2, 2)), -rng.random((3, 2))))


def values(ax):
    """What the picture shows, in millihartree."""
    (image,) = ax.get_images()
    return np.asarray(image.get_array())


def test_closed_shell():
    pairs = np.array([[-0.010, -0.002], [-0.002, -0.020]])
    ax = closed_shell(pairs).plot_pairs(first=1)
    assert np.allclose(values(ax), [[-10, -2], [-2, -20]], rtol=1e-14)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("occupied orbital j", "occupied orbital i")
    (image,) = ax.get_images()
    assert image.colorbar.ax.get_ylabel() == "pair energy in millihartree"
    assert image.get_clim() == (-20, 0)
    # Orbitals 1 and 2, the first of them above.
    assert tuple(image.get_extent()) == (0.5, 2.5, 2.5, 0.5)
    ax.figure.canvas.draw()
    inside = [t for t in ax.get_xticks() if 0.5 <= t <= 2.5]
    assert inside == [1, 2]


def test_energies_of_both_signs_have_white_at_zero():
    (image,) = closed_shell(np.array([[-0.010, 0.030], [0.030, -0.020]])).plot_pairs().get_images()
    assert image.get_clim() == (-30, 30)
    assert np.allclose(image.cmap(image.norm(0.0))[:3], 1, atol=0.05)


def test_colours_are_those_of_the_finite_energies():
    """Integrals that are not finite give such pairs where check_finite=False."""
    (image,) = closed_shell(np.array([[np.nan, -0.002], [-0.002, -0.010]])).plot_pairs().get_images()
    assert image.get_clim() == (-10, 0)


def test_three_panels_of_two_spins():
    result = open_shell()
    panels = result.plot_pairs()
    assert [ax.get_title() for ax in panels] == list(SPINS)
    for ax, pairs in zip(panels, result.pair_energies, strict=True):
        assert np.allclose(values(ax), 1000 * pairs, rtol=1e-14)
    assert (panels[2].get_ylabel(), panels[2].get_xlabel()) == ("occupied orbital i alpha", "occupied orbital j beta")


@pytest.mark.parametrize("n, spin", list(enumerate(SPINS)))
def test_one_panel_of_two_spins(n, spin):
    result = open_shell()
    ax = result.plot_pairs(spin=spin)
    assert ax.get_title() == spin
    assert np.allclose(values(ax), 1000 * result.pair_energies[n], rtol=1e-14)


def test_into_given_axes():
    _, axes = pyplot.subplots(1, 3)
    assert open_shell().plot_pairs(ax=axes) == tuple(axes)
    assert all(len(ax.get_images()) == 1 for ax in axes)
    _, ax = pyplot.subplots()
    assert closed_shell(np.array([[-0.01]])).plot_pairs(ax=ax) is ax
    assert len(pyplot.get_fignums()) == 2


def test_a_spin_without_pairs(tmp_path):
    """A hydrogen atom has no beta electron."""
    panels = closed_shell((np.zeros((1, 1)), np.zeros((0, 0)), np.zeros((1, 0)))).plot_pairs()
    assert [len(ax.get_images()) for ax in panels] == [1, 0, 0]
    assert [text.get_text() for text in panels[1].texts] == ["no pairs"]
    panels[0].figure.savefig(tmp_path / "pairs.png")
    assert (tmp_path / "pairs.png").stat().st_size > 0


@pytest.mark.parametrize(
    "result, options, error, text",
    [
        (closed_shell(None), {}, ValueError, "pair_energies=True"),
        (closed_shell(np.zeros((0, 0))), {}, ValueError, "no pairs of orbitals"),
        (closed_shell(np.zeros((1, 1))), {"spin": "alpha-beta"}, ValueError, "spin: .* closed shell"),
        (open_shell(), {"spin": "alpha"}, ValueError, "spin: 'alpha' is not one of 'alpha-alpha'"),
        (open_shell(), {"first": 1.5}, TypeError, "first: .* 1.5"),
        (open_shell(), {"first": True}, TypeError, "first: .* True"),
        (open_shell(), {"ax": [1, 2]}, ValueError, "ax: expected 3 .* got 2"),
    ],
)
def test_bad_input(result, options, error, text):
    with pytest.raises(error, match=text):
        result.plot_pairs(**options)


def test_without_matplotlib():
    """The package does not import it, and says what is missing."""
    program = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import numpy as np, trnsci\n"
        "try: trnsci.MP2Result(0.0, 0.0, 0.0, 0.0, np.zeros((1, 1)), 0.0).plot_pairs()\n"
        "except ImportError as error: print(error)\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "matplotlib" in run.stdout and "extra `plot`" in run.stdout
