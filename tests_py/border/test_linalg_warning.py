"""trnsci.LinAlgWarning is one class, a subclass of SciPy's, and importing trnsci does not import SciPy."""

import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
import scipy.linalg
import trnsci
from trnsci.linalg import sqrtm

SINGULAR = np.array([[0.0, 1], [0, 0]])  # has no square root


def run_script(script):
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=dict(os.environ), timeout=200
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_it_is_scipys():
    assert issubclass(trnsci.LinAlgWarning, scipy.linalg.LinAlgWarning)
    assert issubclass(trnsci.LinAlgWarning, RuntimeWarning)
    assert trnsci.LinAlgWarning is trnsci.LinAlgWarning
    assert (trnsci.LinAlgWarning.__module__, trnsci.LinAlgWarning.__qualname__) == ("trnsci", "LinAlgWarning")
    with pytest.warns(scipy.linalg.LinAlgWarning) as caught:
        sqrtm(SINGULAR)
    assert [w.category for w in caught] == [trnsci.LinAlgWarning]


def test_filters_that_name_scipys_class():
    script = """
import warnings, numpy, scipy.linalg, trnsci
for action in "error", "ignore":
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter(action, scipy.linalg.LinAlgWarning)
        try:
            trnsci.linalg.sqrtm(numpy.diag([1.0, 0.0]))
            print("silent")
        except scipy.linalg.LinAlgWarning as error:
            print(type(error) is trnsci.LinAlgWarning)
"""
    assert run_script(script).split() == ["True", "silent"]


def test_pickles():
    assert pickle.loads(pickle.dumps(trnsci.LinAlgWarning)) is trnsci.LinAlgWarning
    copy = pickle.loads(pickle.dumps(trnsci.LinAlgWarning("text")))
    assert type(copy) is trnsci.LinAlgWarning and copy.args == ("text",)


@pytest.mark.parametrize("imports", ["import trnsci", "import scipy.linalg, trnsci"])
@pytest.mark.parametrize("first", ["", "from trnsci import LinAlgWarning", "trnsci.linalg.sqrtm([[0.0, 1], [0, 0]])"])
def test_the_order_of_imports_does_not_matter(imports, first):
    script = f"""
import warnings
warnings.simplefilter("ignore")
{imports}
{first}
seen = trnsci.LinAlgWarning
import scipy.linalg
assert seen is trnsci.LinAlgWarning and issubclass(seen, scipy.linalg.LinAlgWarning)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    trnsci.linalg.sqrtm([[0.0, 1], [0, 0]])
assert [w.category for w in caught] == [seen]
"""
    run_script(script)


def test_import_and_calls_without_warnings_bring_no_scipy():
    script = """
import sys, trnsci
trnsci.linalg.sqrtm([[4.0, 1], [0, 9]]), trnsci.linalg.cholesky(4.0), dir(trnsci)
assert not any(name.split(".")[0] == "scipy" for name in sys.modules)
assert "LinAlgWarning" in dir(trnsci)
"""
    run_script(script)


def test_without_scipy():
    script = """
import sys, warnings
sys.modules["scipy"] = None  # what an import then raises is ImportError
import trnsci
assert trnsci.LinAlgWarning.__mro__[1] is RuntimeWarning
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    trnsci.linalg.sqrtm([[0.0, 1], [0, 0]])
assert [w.category for w in caught] == [trnsci.LinAlgWarning]
"""
    run_script(script)


def test_threads_get_one_class():
    script = """
import threading, trnsci
found, start = [], threading.Barrier(8)
def ask():
    start.wait()
    found.append(trnsci.LinAlgWarning)
threads = [threading.Thread(target=ask) for _ in range(8)]
[t.start() for t in threads], [t.join() for t in threads]
assert len(found) == 8 and len(set(found)) == 1
"""
    run_script(script)


def test_other_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="module 'trnsci' has no attribute 'LinAlgWarnings'"):
        trnsci.LinAlgWarnings  # noqa: B018
