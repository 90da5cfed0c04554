"""A pytest plugin that puts the functions of `trnsci.linalg` in the place of SciPy's of the same names.

They are exchanged in every module of `scipy.linalg` that holds them, so that SciPy's own functions call ours too: its
``pinvh`` takes our ``eigh``. Modules of tests import them
afterwards.
"""

import sys

import recorder
import scipy.linalg
import trnsci.linalg


def _modules():
    return [module for name, module in sys.modules.items() if name.split(".")[:2] == ["scipy", "linalg"]]


def exchange():
    for name in trnsci.linalg.__all__:
        theirs = getattr(scipy.linalg, name, None)
        if theirs is None or isinstance(
            theirs, type
        ):  # exceptions and warnings stay SciPy's, of which ours are subclasses
            continue
        ours = recorder.counted(getattr(trnsci.linalg, name))
        for module in _modules():
            if vars(module).get(name) is theirs:
                setattr(module, name, ours)


exchange()
