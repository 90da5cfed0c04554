"""Every function with every kind of array: read-only ones and objects of other libraries."""

import warnings

import array_arguments
import numpy as np
import pytest
from array_arguments import CALLS, WITHOUT_ARRAYS, arrays_of, call, public_functions
from trnsci import blas, linalg

ARGUMENTS = [(name, argument) for name in CALLS for argument in arrays_of(name)]


def test_every_public_function_is_here():
    assert public_functions() - WITHOUT_ARRAYS == set(CALLS)


def _memmap(a, folder):
    a.tofile(folder / "a.bin")
    return np.memmap(folder / "a.bin", a.dtype, "r", shape=a.shape)


def _read_only(a):
    a = a.copy()
    a.flags.writeable = False
    return a


# Arrays of the same elements that may not be written to. Those of broadcast_arrays say that they may, with a warning.
UNWRITABLE = {
    "broadcast_arrays": lambda a, _: np.broadcast_arrays(a[None], np.zeros((2,) + (1,) * a.ndim))[0][1],
    "broadcast_to": lambda a, _: np.broadcast_to(a, (2, *a.shape))[1],
    "meshgrid": lambda a, _: np.meshgrid(a.ravel(), np.zeros(2), copy=False)[0][0].reshape(a.shape),
    "read-only": lambda a, _: _read_only(a),
    "read-only, by columns": lambda a, _: _read_only(a.T).T,
    "frombuffer": lambda a, _: np.frombuffer(a.tobytes(), a.dtype).reshape(a.shape),
    "memmap": _memmap,
    "strided": lambda a, _: np.broadcast_arrays(np.repeat(a[..., None], 2, -1), np.zeros(2))[0][..., 0],
}


@pytest.mark.parametrize("kind", UNWRITABLE)
@pytest.mark.parametrize(("name", "argument"), ARGUMENTS)
def test_arrays_that_may_not_be_written_to(name, argument, kind, tmp_path):
    given = UNWRITABLE[kind](arrays_of(name)[argument], tmp_path)
    before = np.array(given)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        got = call(name, **{argument: given})
    for a, b in zip(got, call(name), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-13, atol=1e-13)
    np.testing.assert_array_equal(given, before)


def _warns_on_write(a):
    return np.broadcast_arrays(a[None], np.zeros((2,) + (1,) * a.ndim))[0][0]


@pytest.mark.parametrize(
    "use",
    [
        lambda a, x: blas.scal(2, x, out=_warns_on_write(x)),
        lambda a, x: blas.gemm(1, a, a, out=_warns_on_write(a.copy())),
        lambda a, x: blas.syrk(1, a, out=_warns_on_write(a.copy())),
    ],
)
def test_results_do_not_go_where_nothing_may_be_written(use):
    with warnings.catch_warnings(), pytest.raises(ValueError, match=r"out: .*read-only"):
        warnings.simplefilter("error")
        use(np.eye(3), np.ones(3))


@pytest.mark.parametrize(
    "use",
    [
        lambda a: blas.gemm(1, a, a),
        lambda a: blas.gemm(1, a[None], a[None]),
        lambda a: linalg.qz(a, a),
        lambda a: linalg.eigh(a, overwrite_a=True),
        lambda a: linalg.schur(a, overwrite_a=True),
        lambda a: linalg.eig(a, overwrite_a=True),
        lambda a: linalg.hessenberg(a, overwrite_a=True),
        lambda a: linalg.solve_triangular(np.eye(3), a, overwrite_b=True),
        lambda a: array_arguments.trnsci.df_fit(np.eye(3), a, overwrite=True),
    ],
)
def test_arguments_that_warn_when_they_are_written_do_not_warn(use):
    base = np.array(array_arguments.SPD)
    given = _warns_on_write(base)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        use(given)
    assert np.array_equal(base, array_arguments.SPD)


class Frame:
    """Indexed by labels and iterated over them, as a DataFrame or a Series of pandas is."""

    def __init__(self, a):
        self._a = np.asarray(a)
        self.shape, self.ndim, self.size = self._a.shape, self._a.ndim, self._a.size

    def __len__(self):
        return len(self._a)

    def __iter__(self):
        return iter(f"column {k}" for k in range(self.shape[-1]))

    def __getitem__(self, key):
        raise KeyError(key)

    def __getattr__(self, name):
        raise AttributeError(f"'Frame' object has no attribute {name!r}")

    def __array__(self, dtype=None, copy=None):
        return np.array(self._a, dtype)


class Converts:
    """Nothing but the conversion."""

    def __init__(self, a):
        self._a = np.asarray(a)

    def __array__(self, dtype=None, copy=None):
        return self._a if dtype is None else self._a.astype(dtype)


class Interface:
    def __init__(self, a):
        self._a = np.array(a, order="C")
        self.__array_interface__ = self._a.__array_interface__


class Struct:
    def __init__(self, a):
        self._a = np.array(a, order="C")
        self.__array_struct__ = self._a.__array_struct__


class Subclass(np.ndarray):
    """Indexing, attributes and products of its own."""

    def __getitem__(self, key):
        raise KeyError(key)

    def __matmul__(self, other):
        raise NotImplementedError

    __mul__ = __add__ = __matmul__


class Exchanges:
    """What only DLPack can read."""

    def __init__(self, a):
        self._a = np.asarray(a)

    def __dlpack__(self, **options):
        return self._a.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._a.__dlpack_device__()


class OnDevice:
    """A tensor that cannot become an array: PyTorch's raise RuntimeError or TypeError, CuPy's TypeError."""

    def __init__(self, error):
        self._error, self.shape, self.ndim = error, (3, 3), 2

    def __len__(self):
        return 3

    def __array__(self, dtype=None, copy=None):
        raise self._error


def _optional(module, make):
    def made(a):
        return make(pytest.importorskip(module, reason=f"{module} is not installed"), a)

    return made


def _matrix(a):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PendingDeprecationWarning)
        return np.matrix(a)


def _of_pandas(pandas, a):
    if a.ndim > 2 or a.ndim == 0:
        pytest.skip(f"pandas has nothing with {a.ndim} dimensions")
    return pandas.Series(a) if a.ndim == 1 else pandas.DataFrame(a)


def _of_polars(polars, a):
    if a.ndim not in (1, 2) or a.dtype.kind == "c":
        pytest.skip(f"polars has nothing with {a.ndim} dimensions and dtype {a.dtype}")
    return polars.Series(a) if a.ndim == 1 else polars.DataFrame(a)


def _of_jax(jax, a):
    jax.config.update("jax_enable_x64", True)
    return jax.numpy.asarray(a)


# Objects with the elements of an array.
LIKES = {
    "list": lambda a: a.tolist(),
    "labels": Frame,
    "__array__": Converts,
    "__array_interface__": Interface,
    "__array_struct__": Struct,
    "subclass": lambda a: a.view(Subclass),
    "masked": np.ma.masked_array,
    "matrix": _matrix,
    "memoryview": memoryview,
    "jax": _optional("jax", _of_jax),
    "pandas": _optional("pandas", _of_pandas),
    "polars": _optional("polars", _of_polars),
    "xarray": _optional("xarray", lambda xarray, a: xarray.DataArray(a)),
    "torch": _optional("torch", lambda torch, a: torch.from_numpy(a.copy())),
}


@pytest.mark.parametrize("kind", LIKES)
@pytest.mark.parametrize(("name", "argument"), ARGUMENTS)
def test_objects_that_become_arrays(name, argument, kind):
    a = arrays_of(name)[argument]
    if kind == "matrix" and a.ndim != 2:
        pytest.skip("matrices have two dimensions")
    for got, want in zip(call(name, **{argument: LIKES[kind](a)}), call(name), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-13, atol=1e-13)
        assert type(got) is np.ndarray


REFUSED = {
    "dlpack only": lambda a: Exchanges(a),
    "needs a gradient": lambda a: OnDevice(RuntimeError("Can't call numpy() on Tensor that requires grad.")),
    "on a device": lambda a: OnDevice(TypeError("can't convert cuda:0 device type tensor to numpy.")),
    "any error": lambda a: OnDevice(KeyError("a label")),
    "one array for each row": lambda a: np.array([a, a[:0]], dtype=object),
    "an object": lambda a: object(),
    "words": lambda a: np.full(a.shape, "word"),
    "times": lambda a: np.zeros(a.shape, "M8[s]"),
    "fields": lambda a: np.zeros(a.shape, [("x", float)]),
    "objects": lambda a: a.astype(object),
    "a set": lambda a: {1.0, 2.0},
    "a dict": lambda a: {"a": [1.0]},
}


@pytest.mark.parametrize("kind", REFUSED)
@pytest.mark.parametrize(("name", "argument"), ARGUMENTS)
def test_other_objects_are_refused_by_name(name, argument, kind):
    ragged = name == "df_kmp2_energy" and argument in ("B", "eps_occ", "eps_vir")
    if kind == "one array for each row" and (argument == "sdim" or ragged):
        pytest.skip("not for numbers, and for what may be a sequence of arrays")
    with pytest.raises(TypeError, match=rf"^{argument}\b"):
        call(name, **{argument: REFUSED[kind](arrays_of(name)[argument])})


class Fails:
    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("on another device")


VALUES = [Fails(), Frame(np.ones(2)), np.ones(1), "2", None, object(), [1, [2]]]


@pytest.mark.parametrize("value", VALUES, ids=lambda v: type(v).__name__)
def test_numbers_that_are_none(value):
    with pytest.raises((TypeError, ValueError), match=r"^alpha\b"):
        blas.scal(value, np.ones(3))
    with pytest.raises((TypeError, ValueError), match=r"^eps_occ\b"):
        call("df_mp2_energy", eps_occ=(Fails(), value))


@pytest.mark.parametrize(
    "value", [Converts(2.0), Interface(2.0), np.float32(2), np.array(2), True + np.array(1), np.ma.array(2)]
)
def test_numbers_of_other_kinds(value):
    assert blas.scal(value, np.ones(3)).tolist() == [2, 2, 2]


@pytest.mark.parametrize(("name", "argument"), ARGUMENTS)
def test_masked_elements_are_refused(name, argument):
    a = np.ma.masked_array(arrays_of(name)[argument], copy=True)
    a[(0,) * a.ndim] = np.ma.masked
    with pytest.raises((ValueError, TypeError), match=rf"^{argument}\b"):
        call(name, **{argument: a})
    if a.ndim > 1:  # rows of which one is masked
        with pytest.raises((ValueError, TypeError), match=rf"^{argument}\b"):
            call(name, **{argument: list(a)})


def test_a_masked_number_in_a_list():
    with pytest.raises(ValueError, match=r"^x: .*masked"):
        blas.nrm2([1.0, np.ma.masked, 2.0])
    assert linalg.eigvalsh([np.ma.array([2.0, 0.0]), np.ma.array([0.0, 1.0])]).tolist() == [1, 2]


def test_many_matrices_as_objects():
    many = np.empty(2, object)
    many[:] = [np.eye(2), np.eye(2)]
    with pytest.raises(TypeError, match=r"a: dtype object .*\(np.stack makes one array of many\)"):
        linalg.eigvalsh(many)
    with pytest.raises(TypeError, match=r"np.from_dlpack makes an array of it"):
        linalg.eigvalsh(Exchanges(np.eye(2)))
    assert linalg.eigvalsh(np.stack(many)).tolist() == [[1, 1], [1, 1]]
