"""PySCF with the eigensolver and the DF-MP2 energies of this package.

`DFMP2` stands in for PySCF's class of that name. `accelerate` gives one mean-field object the eigensolver
`trnsci.eigh`, and `patch` gives it to all of them inside a ``with`` block. PySCF 2.9 or later is needed; the number of
threads is always the one that ``pyscf.lib.num_threads()`` says.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

try:
    from pyscf import lib
    from pyscf.lib import logger
    from pyscf.mp import dfmp2, dfump2
    from pyscf.scf import dhf, hf
    from pyscf.x2c import x2c
except ImportError as error:
    raise ImportError(f"trnsci.pyscf needs PySCF 2.9 or later ({error}): pip install pyscf") from error

from . import _device, linalg, mp2
from ._array import Array
from ._device import last_report
from ._errors import UnsupportedError
from .mp2 import MP2Result

__all__ = ["DFMP2", "DFRMP2", "DFUMP2", "accelerate", "patch", "restore"]

# The part of the free memory that blocks of integrals may take, as in PySCF's own out-of-core code.
_BLOCK_SHARE = 0.6
# PySCF's memory limit is soft: when nothing is left of it, work goes on with blocks of this many megabytes, and of this
# many occupied orbitals where that is more; two orbitals make a pair.
_LEAST_MEGABYTES = 64.0
_LEAST_ORBITALS = 4
# A device holds parts of them and products besides, five or six orbitals' worth for fp64 and bf16x3, the largest.
_LEAST_ORBITALS_ON_DEVICE = 12

_MP2_REFERENCES = "RHF, UHF and ROHF, their Kohn-Sham forms, and those of a cell at one k-point, all with real orbitals"
_SCF_SUPPORTED = (
    "PySCF's RHF, UHF, ROHF, GHF and their Kohn-Sham forms, of molecules and of cells, with or without k-points and "
    "symmetry, and the two-component X2C ones without Kramers restriction"
)


# The eigensolver


def _scf_eigh(h: Any, s: Any, overwrite: bool = False, x: Any = None, **kwargs: Any) -> tuple[Array, Array]:
    """Solve ``h c = s c e`` as PySCF's ``SCF._eigh`` does.

    Parameters
    ----------
    h, s : (nao, nao) ndarray
        Fock and overlap matrix; an `s` of None stands for the unit matrix. Neither is written to, whatever `overwrite`.
    overwrite : bool, optional
        Ignored.
    x : (nao, nmo) ndarray, optional
        Orthonormal orbitals, ``x^H s x = 1``. The problem is then solved in the space that they span.
    **kwargs
        Ignored: what other versions of PySCF pass.

    Returns
    -------
    e : (nmo,) ndarray
        Orbital energies, ascending.
    c : (nao, nmo) ndarray
        Orbitals with ``c^H s c = 1``, the largest component of each real and positive.
    """
    h = np.asarray(h)  # PySCF's matrices may carry attributes, which would follow every product
    threads = lib.num_threads()
    if x is None:
        e, c = linalg.eigh(h, None if s is None else np.asarray(s), threads=threads)
        return e, _fix_phase(c)
    x = np.asarray(x)
    e, c = linalg.eigh(x.conj().T.dot(h).dot(x), overwrite_a=True, threads=threads)
    return e, _fix_phase(x.dot(c))


def _fix_phase(c: Array) -> Array:
    """Multiply each column so that its largest component is real and positive, PySCF's convention; in place."""
    if c.size:
        largest = np.take_along_axis(c, np.abs(c).argmax(axis=0)[np.newaxis], axis=0)
        size = np.abs(largest)
        c *= np.divide(largest.conj(), size, out=np.ones_like(largest), where=size > 0)
    return c


def _scf_eigh_method(self: Any, h: Any, s: Any, overwrite: bool = False, x: Any = None, **kwargs: Any) -> Any:
    """What `patch` puts into the classes."""
    return _scf_eigh(h, s, overwrite, x, **kwargs)


def accelerate(mf: Any) -> Any:
    """Give a mean-field object the eigensolver of this package.

    Parameters
    ----------
    mf : pyscf.scf.hf.SCF
        RHF, UHF, ROHF, GHF or a Kohn-Sham form, of a molecule or a cell, with or without k-points and symmetry. It is
        changed in place: it gets the instance attribute ``_eigh``, which PySCF has for this purpose. Copies, scanners
        and what is made from the object inherit it like any other attribute, and the object can be pickled.

    Returns
    -------
    pyscf.scf.hf.SCF
        `mf` itself. An object that has an eigensolver of its own already, as ``eig`` or ``_eigh``, keeps it, and the
        log says so.

    Raises
    ------
    TypeError
        For other objects, such as four-component ones, whose eigensolver depends on what else is installed.

    See Also
    --------
    restore : undoes it.
    patch : also covers the objects that PySCF makes on its own, such as the atoms of an initial guess.

    Notes
    -----
    Where PySCF itself goes round ``_eigh``, as it does from version 2.13 on for linear molecules with ``symmetry=True``,
    it stays with SciPy.

    Examples
    --------
    >>> from pyscf import gto, scf
    >>> import trnsci.pyscf
    >>> molecule = gto.M(atom="H 0 0 0; H 0 0 0.74", basis="sto-3g", verbose=0)
    >>> mf = trnsci.pyscf.accelerate(scf.RHF(molecule)).run()
    >>> round(float(mf.e_tot), 6)
    -1.116759
    """
    if not isinstance(mf, hf.SCF) or isinstance(mf, (dhf.DHF, x2c.RHF)):
        raise TypeError(f"mf: expected a mean field of {_SCF_SUPPORTED}, got {_type_name(mf)}")
    if vars(mf).get("_eigh") is _scf_eigh:
        return mf
    if not vars(mf).keys().isdisjoint(("eig", "_eigh")) or type(mf)._eigh not in _common_solvers():
        logger.note(mf, "trnsci: %s has an eigensolver of its own, which is kept", _type_name(mf))
        return mf
    mf._eigh = _scf_eigh
    return mf


def restore(mf: Any) -> Any:
    """Undo `accelerate`: take the eigensolver out of the object again.

    Parameters
    ----------
    mf : pyscf.scf.hf.SCF
        Changed in place. An eigensolver that is not of this package stays.

    Returns
    -------
    pyscf.scf.hf.SCF
        `mf` itself.

    Raises
    ------
    TypeError
        If `mf` is no mean field.
    """
    if not isinstance(mf, hf.SCF):
        raise TypeError(f"mf: expected a mean field of {_SCF_SUPPORTED}, got {_type_name(mf)}")
    if vars(mf).get("_eigh") is _scf_eigh:
        del mf._eigh
    return mf


def _type_name(obj: Any) -> str:
    return f"{type(obj).__module__}.{type(obj).__qualname__}"


def _common_solvers() -> tuple[Any, ...]:
    """Return the functions under which PySCF's classes hold the common eigensolver.

    Up to PySCF 2.12 the two-component X2C classes have their own copy of its source text.
    """
    return hf.SCF._eigh, x2c.SCF._eigh, _scf_eigh_method


class _Patch:
    """The state of `patch`: how many blocks are open, and what the classes held before the first."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._blocks = 0
        self._before: dict[type, Any] = {}

    def enter(self) -> None:
        with self._lock:
            self._blocks += 1
            if self._blocks == 1:
                common = _common_solvers()
                self._before = {c: vars(c)["_eigh"] for c in _scf_classes() if vars(c).get("_eigh") in common}
                for cls in self._before:
                    cls._eigh = _scf_eigh_method  # type: ignore[attr-defined]

    def leave(self) -> None:
        with self._lock:
            self._blocks -= 1
            if self._blocks == 0:
                # A class that was made meanwhile may have copied the function.
                for cls in _scf_classes():
                    if vars(cls).get("_eigh") is _scf_eigh_method:
                        cls._eigh = self._before.get(cls, self._before[hf.SCF])  # type: ignore[attr-defined]
                self._before = {}


_patch = _Patch()


def _scf_classes() -> list[type]:
    """Return ``hf.SCF`` and all classes derived from it."""
    found: dict[type, None] = {hf.SCF: None}
    waiting = [hf.SCF]
    while waiting:
        derived = [cls for cls in waiting.pop().__subclasses__() if cls not in found]
        found.update(dict.fromkeys(derived))
        waiting += derived
    return list(found)


@contextmanager
def patch() -> Iterator[None]:
    """Give all mean-field objects of PySCF the eigensolver of this package inside a ``with`` block.

    It holds for the whole process, other threads included, until the last block that is open anywhere ends, by an
    exception or not. PySCF's classes are then as they were. Objects and classes that have an eigensolver of their own
    keep it.

    See Also
    --------
    accelerate : does it for one object.

    Examples
    --------
    >>> from pyscf import gto, scf
    >>> import trnsci.pyscf
    >>> molecule = gto.M(atom="H 0 0 0; H 0 0 0.74", basis="sto-3g", verbose=0)
    >>> with trnsci.pyscf.patch():
    ...     mf = scf.RHF(molecule).run()
    >>> round(float(mf.e_tot), 6)
    -1.116759
    """
    _patch.enter()
    try:
        yield
    finally:
        _patch.leave()


# DF-MP2


class _PairEnergies:
    """Replaces the pair energies of PySCF's DF-MP2 classes; mixed in before one of them."""

    _keys = {"result", "device", "precision", "etol"}  # noqa: RUF012 -- the way in which PySCF's classes name their attributes

    result: MP2Result | None = None

    def __init__(
        self,
        mf: Any,
        frozen: Any = None,
        mo_coeff: Any = None,
        mo_occ: Any = None,
        mo_energy: Any = None,
        *,
        device: str | _device.Device | None = None,
        precision: str | None = None,
        etol: float | None = None,
    ) -> None:
        self.device, self.precision, self.etol = device, precision, etol
        self._open_device()
        if mo_coeff is None and mf.mo_coeff is None:
            mf.run()
        super().__init__(mf, frozen, mo_coeff, mo_occ, mo_energy)  # type: ignore[call-arg]

    def _open_device(self) -> _device.Device | None:
        """Return the device of the pair energies, None for the host; refuse what would be refused when they are computed."""
        on = mp2.resolve(self.device, self.precision)
        if on is not None and self.precision is None:
            choices = ", ".join(map(repr, _device.PRECISIONS))
            raise UnsupportedError(f"precision: PySCF's integrals are float64, for which a device needs one of {choices}")
        return on

    def kernel(
        self: Any, mo_energy: Any = None, mo_coeff: Any = None, eris: Any = None, with_t2: bool = False
    ) -> tuple[float, Any]:
        """Compute the energies.

        Parameters
        ----------
        mo_energy, mo_coeff : ndarray, optional
            Other orbitals than the object's. Energies that are not given are those of the Fock matrix of `mo_coeff`.
        eris : optional
            What `ao2mo` returned.
        with_t2 : bool, optional
            Compute and keep the amplitudes too; PySCF's own code does that.

        Returns
        -------
        e_corr : float
        t2 : ndarray or tuple of ndarray or None

        Raises
        ------
        UnsupportedError
            If the mean field has not converged, or the orbitals are complex; and those of the constructor, since the
            attributes `device` and `precision` may have changed.
        MemoryError
            If the amplitudes are more than `max_memory` leaves, before the energies are computed.
        """
        self._open_device()
        if not self._scf.converged:
            raise UnsupportedError(
                f"{type(self).__name__}: the mean field has not converged, and DF-MP2 needs canonical orbitals: raise "
                "max_cycle, try another initial guess or mf.newton()"
            )
        if isinstance(self, lib.SinglePointScanner):
            self.mo_energy = self._scf.mo_energy  # PySCF's scanner renews the orbitals only
        if mo_coeff is not None and mo_energy is None:
            mo_energy = dfmp2.get_mo_energy(self._scf, mo_coeff, self.mo_occ)
        return super().kernel(mo_energy, mo_coeff, eris, with_t2)  # type: ignore[misc,no-any-return]

    def ao2mo(self: Any, mo_coeff: Any = None, ovL: Any = None, ovL_to_save: Any = None) -> Any:
        """Compute the three-index integrals; the parameters are PySCF's, and `mo_coeff` is not ignored."""
        mp = self._with_orbitals(None, mo_coeff)
        spaces = [coeff[1:3] for coeff in _by_spin(mp.split_mo_coeff())]
        if any(np.iscomplexobj(c) for space in spaces for c in space):
            raise UnsupportedError(f"DF-MP2 supports {_MP2_REFERENCES}; these orbitals are complex")
        if ovL is None and not any(occ.shape[1] * vir.shape[1] for occ, vir in spaces):
            # PySCF does not expect that nothing is left to compute.
            empty = [np.zeros((0, 1)) for _ in spaces]
            ovL = empty if len(empty) == 2 else empty[0]
        return super(_PairEnergies, mp).ao2mo(None, ovL, ovL_to_save)  # type: ignore[misc]

    def init_amps(
        self: Any, mo_energy: Any = None, mo_coeff: Any = None, eris: Any = None, with_t2: bool = False
    ) -> tuple[Any, Any]:
        """Return the correlation energy, tagged with ``e_corr_ss`` and ``e_corr_os``, and the amplitudes or None."""
        if eris is None:
            eris = self.ao2mo(mo_coeff)
        mp = self._with_orbitals(mo_energy, mo_coeff)
        if with_t2:
            _require_room_for_amplitudes(mp)
        self.result = _energies(mp, eris)
        t2 = None
        if with_t2:
            logger.info(self, "t2 amplitudes: PySCF")
            t2 = super(_PairEnergies, mp).init_amps(None, None, eris, True)[1]  # type: ignore[misc]
        return lib.tag_array(self.result.e_corr, e_corr_ss=self.result.e_corr_ss, e_corr_os=self.result.e_corr_os), t2

    def _amplitudes(self: Any, t2: Any) -> Any:
        """Return `t2`, or the object's amplitudes, which PySCF computes first where they are missing."""
        if t2 is None and self.t2 is None:
            logger.info(self, "t2 amplitudes: PySCF")
            _require_room_for_amplitudes(self)
            self.t2 = super().init_amps(None, None, self.ao2mo(), True)[1]  # type: ignore[misc]
        return self.t2 if t2 is None else t2

    def make_rdm1(self: Any, t2: Any = None, *args: Any, **kwargs: Any) -> Any:
        """Return PySCF's unrelaxed one-particle density matrix; amplitudes that are missing are computed first."""
        return super().make_rdm1(self._amplitudes(t2), *args, **kwargs)  # type: ignore[misc]

    def make_rdm2(self: Any, t2: Any = None, *args: Any, **kwargs: Any) -> Any:
        """Return PySCF's two-particle density matrix; amplitudes that are missing are computed first."""
        return super().make_rdm2(self._amplitudes(t2), *args, **kwargs)  # type: ignore[misc]

    def update_amps(self, t2: Any, eris: Any) -> Any:
        """Not available: DF-MP2 is for canonical orbitals."""
        raise UnsupportedError("DF-MP2 is for canonical orbitals only; there is no iterative form")

    def _with_orbitals(self: Any, mo_energy: Any, mo_coeff: Any) -> Any:
        """Return the object itself or a copy with other orbitals; PySCF's methods look at the attributes only."""
        if mo_energy is None and mo_coeff is None:
            return self
        other = self.copy()
        other.mo_energy = self.mo_energy if mo_energy is None else mo_energy
        other.mo_coeff = self.mo_coeff if mo_coeff is None else mo_coeff
        return other


class DFRMP2(_PairEnergies, dfmp2.DFMP2):  # type: ignore[misc]
    """DF-MP2 for a restricted mean field; see `DFMP2`."""

    def get_nocc(self) -> int:
        """Return the number of correlated occupied orbitals, which may be zero."""
        if self._nocc is not None:
            return int(self._nocc)
        occupied = self.mo_occ > 0
        if isinstance(self.frozen, (int, np.integer)) and self.frozen > np.count_nonzero(occupied):
            raise ValueError(f"frozen: {self.frozen} orbitals, but {np.count_nonzero(occupied)} are occupied")
        return int(np.count_nonzero(occupied & self.get_frozen_mask()))


class DFUMP2(_PairEnergies, dfump2.DFUMP2):  # type: ignore[misc]
    """DF-MP2 for an unrestricted mean field; see `DFMP2`."""


def DFMP2(
    mf: Any,
    frozen: Any = None,
    mo_coeff: Any = None,
    mo_occ: Any = None,
    mo_energy: Any = None,
    *,
    device: str | _device.Device | None = None,
    precision: str | None = None,
    etol: float | None = None,
) -> DFRMP2 | DFUMP2:
    """PySCF's DF-MP2 with the pair energies computed by this package.

    Parameters
    ----------
    mf : pyscf.scf.hf.SCF
        RHF, UHF or ROHF, which is converted to UHF as ``pyscf.mp.MP2`` does, or a Kohn-Sham form. It is run if it has
        no orbitals yet.
    frozen : int or list, optional
        The number of lowest orbitals, or the indices of the orbitals, occupied and virtual, that are not correlated;
        for UHF it may be one list for each spin. The method ``set_frozen()`` freezes the chemical core.
    mo_coeff, mo_occ, mo_energy : ndarray, optional
        Orbitals in place of those of `mf`.
    device : str or Device, optional
        Where the pair energies are computed, see `trnsci.devices`; the host by default. The mean field, the integrals,
        amplitudes and density matrices stay on the host.
    precision : str, optional
        As for `trnsci.df_mp2_energy`. A device needs one: PySCF's integrals are float64. ``"mixed"`` is for the host.
    etol : float, optional
        With ``"mixed"``, what the error bound of the correlation energy may be, in hartree; see `trnsci.df_mp2_energy`.

    Returns
    -------
    DFRMP2 or DFUMP2
        A subclass of ``pyscf.mp.dfmp2.DFRMP2`` or ``pyscf.mp.dfump2.DFUMP2`` with all their methods and with their
        attributes after ``kernel()`` or ``run()``: ``e_corr``, ``e_corr_ss``, ``e_corr_os``, ``e_tot``, ``e_hf``,
        ``emp2``, ``emp2_scs``, ``e_tot_scs``, ``t2``. The attribute ``result`` is the `MP2Result`; ``device``,
        ``precision`` and ``etol`` are the arguments and may be changed, also as ``run(device=..., precision=...)``.

    Raises
    ------
    TypeError
        For a mean field of another kind.
    ValueError
        For words that name no device or no precision, before the mean field is run.
    UnsupportedError, DeviceError
        For a device without a precision, one that this version cannot run on, and one that cannot be opened, likewise.

    Notes
    -----
    Three-index integrals come from PySCF, in memory or on disk as the attributes ``max_memory`` and ``force_outcore``
    say. What differs from PySCF: amplitudes are not computed unless ``kernel(with_t2=True)`` asks for them; freezing all
    occupied orbitals gives zero; ``kernel`` heeds its arguments `mo_energy` and `mo_coeff`; and a scanner takes the
    orbital energies of each new geometry, where PySCF's keeps those of the first.

    On a device the log has a line, from ``verbose=4`` on, with device, precision, graphs that were compiled, runs of graphs,
    seconds and the bound of the error; `trnsci.last_report` says more. An object with the name of a device can be pickled,
    one with an open `Device` cannot.

    Examples
    --------
    >>> from pyscf import gto, scf
    >>> import trnsci.pyscf
    >>> molecule = gto.M(atom="H 0 0 0; F 0 0 0.92", basis="cc-pvdz", verbose=0)
    >>> mp = trnsci.pyscf.DFMP2(scf.RHF(molecule).run(), frozen=1).run()
    >>> bool(abs(mp.e_tot - (mp.e_hf + mp.e_corr_ss + mp.e_corr_os)) < 1e-12)
    True
    """
    mf = _mp2_reference(mf)
    cls = DFUMP2 if mf.istype("UHF") else DFRMP2
    return cls(mf, frozen, mo_coeff, mo_occ, mo_energy, device=device, precision=precision, etol=etol)


def _mp2_reference(mf: Any) -> Any:
    """Return the mean field that DF-MP2 starts from: `mf` without second-order solver, and UHF for ROHF."""
    unsupported = isinstance(mf, (dhf.DHF, x2c.SCF)) or not isinstance(mf, hf.SCF)
    if unsupported or mf.istype("GHF") or mf.istype("KSCF") or not (mf.istype("RHF") or mf.istype("UHF")):
        raise TypeError(f"mf: DF-MP2 supports {_MP2_REFERENCES}, got {_type_name(mf)}")
    mf = mf.remove_soscf()
    if mf.istype("ROHF"):
        logger.warn(mf, "DF-MP2 has no ROHF form. The ROHF object is converted to a UHF object.")
        mf = mf.to_uhf()
    return mf


def _by_spin(split: list[Any]) -> list[Any]:
    """Return for each spin the four parts into which PySCF splits orbitals: frozen and active, occupied and virtual."""
    return split if isinstance(split[0], list) else [split]


def _require_room_for_amplitudes(mp: Any) -> None:
    """Refuse amplitudes that PySCF will refuse, but before the energies are computed, and with their number of bytes."""
    spins = [[e.size for e in energies[1:3]] for energies in _by_spin(mp.split_mo_energy())]
    pairs = combinations_with_replacement(spins, 2)
    needed = 8 * sum(nocc * other_nocc * nvir * other_nvir for (nocc, nvir), (other_nocc, other_nvir) in pairs)
    free = mp.max_memory - lib.current_memory()[0]
    if needed / 1e6 > free:
        raise MemoryError(
            f"with_t2: the amplitudes take {needed} bytes, and max_memory, {mp.max_memory:g} MB, leaves {max(0, free):.0f} MB; "
            "energies alone need none of them, and trnsci.mp2_amplitudes writes them to files"
        )


def _energies(mp: Any, eris: Any) -> MP2Result:
    """Compute the energies from what PySCF's ``ao2mo`` returned."""
    log = logger.new_logger(mp)
    start = (logger.process_clock(), logger.perf_counter())
    on = mp._open_device()
    threads = lib.num_threads()
    eps_occ, eps_vir = zip(*(energies[1:3] for energies in _by_spin(mp.split_mo_energy())), strict=True)
    restricted = len(eps_occ) == 1
    integrals = [eris.ovL] if restricted else eris.ovL
    megabytes = _block_megabytes(mp, integrals, eps_vir, _LEAST_ORBITALS if on is None else _LEAST_ORBITALS_ON_DEVICE)
    if on is None:
        log.info("DF-MP2 pair energies: trnsci, %d threads", threads)
    arguments = (integrals, eps_occ, eps_vir)
    result = mp2.df_mp2_energy(
        *((spins[0] for spins in arguments) if restricted else arguments),
        layout="(ia)P",
        max_memory=megabytes if on is None or on.in_host_memory else None,
        threads=threads,
        device=on,
        precision=mp.precision,
        etol=mp.etol,
    )
    if on is not None:
        _log_report(log, mp.precision, last_report())
    log.timer("trnsci pair energies", *start)
    return result


def _log_report(log: Any, precision: str, report: Any) -> None:
    """Write what happened on a device into PySCF's log."""
    log.info(
        "DF-MP2 pair energies: trnsci on %s, %s: %d graphs compiled, %d runs, %.3f seconds, error bound %.1e hartree",
        report.device, precision, report.compiles, report.dispatches, report.seconds, report.error_bound,
    )  # fmt: skip


def _block_megabytes(mp: Any, integrals: Sequence[Any], eps_vir: Sequence[Array], least: int) -> float:
    """Return how much memory blocks of integrals on disk, or on a device, may take: that of `least` orbitals at any rate."""
    free = mp.max_memory - lib.current_memory()[0]
    orbital = max(vir.size * x.shape[1] * x.dtype.itemsize for x, vir in zip(integrals, eps_vir, strict=True)) / 1e6
    return float(max(_LEAST_MEGABYTES, least * orbital, _BLOCK_SHARE * free))
