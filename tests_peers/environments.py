"""Virtual environments with exact versions of the peers, and the tests of the peers in them."""

import subprocess
import sys
import tarfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
PLACE = ROOT / "build" / "peers"
sys.path.insert(0, str(ROOT / "tests_py" / "support"))
from run_on_all_pythons import find  # noqa: E402

# What the suites themselves need; from 8.2 on pytest reads the names of tests from a file.
_TOOLS = ("pytest>=8.2", "pytest-timeout>=2.3", "hypothesis>=6.100", "threadpoolctl>=3.1")
# Folders of PySCF whose tests are run, where its sources are, and the commits of its releases.
PYSCF_PARTS = ("mp", "scf", "df")
PYSCF_REPOSITORY = "https://github.com/pyscf/pyscf.git"
PYSCF_COMMITS = {
    "2.9.0": "3ece29dc19453663671d6eea1b0ee4223b1a3d29",
    "2.14.0": "c63a953ba603a5ad8c1d65d88da72aaf05ede4d8",
}


class PeerSet(NamedTuple):
    """Versions that are tested together, and the versions of Python that they have wheels for, the best first."""

    pythons: tuple[str, ...]
    versions: dict[str, str]


# The oldest versions that pyproject.toml promises, those of a year between, and the newest ones.
SETS = {
    "oldest": PeerSet(("3.10", "3.11"), {"numpy": "1.24.4", "scipy": "1.14.1", "pyscf": "2.9.0"}),
    "middle": PeerSet(("3.11", "3.12", "3.13"), {"numpy": "2.4.6", "scipy": "1.17.1", "pyscf": "2.14.0"}),
    "newest": PeerSet(("3.13", "3.12"), {"numpy": "2.5.5", "scipy": "1.18.1", "pyscf": "2.14.0"}),
}


class MissingPython(Exception):
    """No version of Python that a set has wheels for is on this machine."""


class MissingTests(Exception):
    """A peer's tests cannot be had."""


class Environment:
    """The virtual environment of a set."""

    def __init__(self, name):
        self.name = name
        self.set = SETS[name]
        self.folder = PLACE / name
        self.python = self.folder / "venv" / "bin" / "python"

    def make(self):
        """Create the environment unless it is there with these versions."""
        wanted = [f"{peer}=={version}" for peer, version in self.set.versions.items()]
        stamp = self.folder / "made"
        if stamp.exists() and stamp.read_text().split() == wanted:
            return
        python = next(filter(None, map(find, self.set.pythons)), None)
        if python is None:
            raise MissingPython(f"needs Python {' or '.join(self.set.pythons)}")
        subprocess.run([python, "-m", "venv", "--clear", self.folder / "venv"], check=True)
        self._pip("install", *_TOOLS, *wanted)
        stamp.write_text("\n".join(wanted))

    def install(self, wheel):
        self._pip("install", "--force-reinstall", "--no-deps", wheel)

    def uninstall(self):
        """Remove an earlier wheel of trnsci, which would be imported in place of a package in another folder."""
        self._pip("uninstall", "--yes", "trnsci")

    def site_packages(self):
        ask = "import sysconfig; print(sysconfig.get_path('platlib'))"
        return Path(subprocess.run([self.python, "-c", ask], capture_output=True, text=True, check=True).stdout.strip())

    def _pip(self, command, *arguments):
        subprocess.run([self.python, "-m", "pip", command, "-q", "--disable-pip-version-check", *arguments], check=True)

    def take_tests_of_pyscf(self, repository):
        """Put PySCF's tests beside its modules, unless they are there.

        Only its repository has them; NumPy's and SciPy's wheels contain theirs.
        """
        site = self.site_packages()
        folders = [f"pyscf/{part}/test" for part in PYSCF_PARTS]
        if all((site / folder).exists() for folder in folders):
            return
        commit = PYSCF_COMMITS[self.set.versions["pyscf"]]
        clone = self.folder / "pyscf.git"
        archive = self.folder / "pyscf-tests.tar"
        subprocess.run(["git", "init", "-q", "--bare", clone], check=True)
        if subprocess.run(["git", "-C", clone, "fetch", "-q", "--depth=1", repository, commit]).returncode:
            raise MissingTests(f"{repository} does not give PySCF's tests: name a clone with --pyscf-repository")
        subprocess.run(["git", "-C", clone, "archive", f"--output={archive}", commit, *folders], check=True)
        with tarfile.open(archive) as file:
            file.extractall(site, filter="data")
