"""PySCF's DF-MP2 classes with the energies of this package."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import mp2
from .._core import _device, _names
from .._core._array import Array
from .._core._errors import UnsupportedError
from ..mp2 import MP2Result
from ._common import dfmp2, dfump2, lib
from ._density import density_matrix, natural_orbitals
from ._fock import fock_matrices, is_mean_fields, orbital_energies, warn_unless_canonical
from ._integrals import in_memory, pair_integrals
from ._orbitals import by_spin, correlated, require_frozen, require_shapes, warn_of_fractions
from ._pairs import amplitudes, energies, require_room_for_amplitudes
from ._patched_mp2 import PYSCF_AO2MO
from ._reference import REFERENCES, reference_of


class _PairEnergies:
    """Replaces the pair energies of PySCF's DF-MP2 classes; mixed in before one of them."""

    _keys = {"result", "device", "precision", "etol"}  # noqa: RUF012 -- the way in which PySCF's classes name their attributes

    _spins: int
    result: MP2Result | None = None
    _derived_energies: Any = None  # those that nobody has given, so that they have to belong to the orbitals
    _fock: tuple[Any, list[Array]] | None = None  # over the orbitals that come with it

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
        given = ((mo_coeff, mf.mo_coeff), (mo_occ, mf.mo_occ), (mo_energy, None))
        coeff, occ, _ = (own if value is None else value for value, own in given)
        require_shapes(mf.mol.nao_nr(), self._spins, coeff, occ, mo_energy)
        is_derived = mo_energy is None
        if is_derived and not (mf.converged and coeff is mf.mo_coeff):
            self._fock = coeff, fock_matrices(mf, coeff, occ)
            mo_energy = orbital_energies(mf, coeff, occ, self._fock[1])
        super().__init__(mf, frozen, mo_coeff, mo_occ, mo_energy)  # type: ignore[call-arg]
        self._derived_energies = self.mo_energy if is_derived else ()

    def _open_device(self) -> _device.Device | None:
        """Return the device of the pair energies, None for the host; refuse what would be refused when they are
        computed."""
        on = mp2.resolve(self.device, self.precision)
        if on is not None and self.precision is None:
            choices = ", ".join(map(repr, _names.DEVICE_PRECISIONS))
            raise UnsupportedError(
                f"precision: PySCF's integrals are float64, for which a device needs one of {choices}"
            )
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
            Compute and keep the amplitudes too.

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

        Warns
        -----
        UserWarning
            If energies are not given for other orbitals than the mean field's, and the Fock matrix over these is not
            diagonal where DF-MP2 takes it for that.
        """
        self._open_device()
        self._renew_orbitals()
        if not self._scf.converged:
            raise UnsupportedError(
                f"{type(self).__name__}: the mean field has not converged, and DF-MP2 needs canonical orbitals: raise "
                "max_cycle, try another initial guess or mf.newton()"
            )
        given = self.mo_coeff if mo_coeff is None else mo_coeff
        own = self.mo_energy if mo_coeff is None and mo_energy is None else mo_energy
        require_shapes(self.mol.nao_nr(), self._spins, given, self.mo_occ, own)
        warn_of_fractions(self)
        if mo_energy is None:
            fock = self._fock_of(given, mo_coeff is not None)
            if fock is not None:
                warn_unless_canonical(self, fock)
            if mo_coeff is not None:
                mo_energy = orbital_energies(self._scf, mo_coeff, self.mo_occ, fock)
        return super().kernel(mo_energy, mo_coeff, eris, with_t2)  # type: ignore[misc,no-any-return]

    def ao2mo(self: Any, mo_coeff: Any = None, ovL: Any = None, ovL_to_save: Any = None) -> Any:
        """Compute the three-index integrals over orbitals; the parameters and the result are PySCF's.

        `mo_coeff` is not ignored. Where PySCF keeps integrals on disk, or has been given them, its own code is used.
        """
        require_frozen(self)
        self._renew_orbitals()
        mp = self._with_orbitals(None, mo_coeff)
        spaces = [coeff[1:3] for coeff in by_spin(mp.split_mo_coeff())]
        if any(np.iscomplexobj(c) for space in spaces for c in space):
            raise UnsupportedError(f"DF-MP2 supports {REFERENCES}; these orbitals are complex")
        integrals = None
        if ovL is None and not any(occ.shape[1] * vir.shape[1] for occ, vir in spaces):
            # PySCF does not expect that nothing is left to compute.
            integrals = [np.zeros((0, 1)) for _ in spaces]
        elif ovL is None:
            integrals = pair_integrals(mp, spaces, on_disk=ovL_to_save is not None)
        if integrals is not None:
            return in_memory(mp, spaces, integrals)
        return PYSCF_AO2MO[self._spins](mp, None, ovL, ovL_to_save)

    def init_amps(
        self: Any, mo_energy: Any = None, mo_coeff: Any = None, eris: Any = None, with_t2: bool = False
    ) -> tuple[Any, Any]:
        """Return the correlation energy, tagged with ``e_corr_ss`` and ``e_corr_os``, and the amplitudes or None."""
        if eris is None:
            eris = self.ao2mo(mo_coeff)
        mp = self._with_orbitals(mo_energy, mo_coeff)
        if with_t2:
            require_room_for_amplitudes(mp)
        self.result = energies(mp, eris, self._open_device(), self.precision, self.etol)
        t2 = amplitudes(mp, eris) if with_t2 else None
        return lib.tag_array(self.result.e_corr, e_corr_ss=self.result.e_corr_ss, e_corr_os=self.result.e_corr_os), t2

    def make_rdm1(
        self: Any, t2: Any = None, ao_repr: bool = False, with_frozen: bool = True, *, eris: Any = None
    ) -> Any:
        """Return the unrelaxed one-particle density matrix, of two spins a tuple.

        Parameters
        ----------
        t2 : optional
            Amplitudes, by default those that ``kernel(with_t2=True)`` has kept. PySCF's code makes the density of them;
            where there are none `trnsci.mp2_rdm1` does, which keeps no amplitudes.
        ao_repr : bool, optional
            Over basis functions in place of orbitals.
        with_frozen : bool, optional
            Over all orbitals, the frozen ones with their electrons, or over the correlated ones only.
        eris : optional
            What `ao2mo` returned, for `trnsci.mp2_rdm1`. Integrals are computed anew by default: a run does not keep
            its own.
        """
        if t2 is None and self.t2 is None:
            self._renew_orbitals()
            return density_matrix(self, self.ao2mo() if eris is None else eris, ao_repr, with_frozen)
        return super().make_rdm1(self.t2 if t2 is None else t2, ao_repr, with_frozen)  # type: ignore[misc]

    def make_natorbs(self: Any, rdm1_mo: Any = None, relaxed: bool = False, *, eris: Any = None) -> tuple[Array, Array]:
        """Return the natural orbitals as ``pyscf.mp.dfmp2_native`` and ``dfump2_native`` do.

        Parameters
        ----------
        rdm1_mo : optional
            What `make_rdm1` returned, by default made of the same arguments.
        relaxed : bool, optional
            Not available: only the unrelaxed density is.
        eris : optional
            See `make_rdm1`.

        Returns
        -------
        occupations : (nmo,) ndarray
            Occupation numbers, descending; frozen orbitals are among them. Of two spins those of the sum of both
            densities.
        orbitals : (nao, nmo) ndarray
            A column for each, over basis functions.

        Raises
        ------
        UnsupportedError
            For a relaxed density.
        ValueError
            If `rdm1_mo` has another shape.
        """
        if relaxed:
            raise UnsupportedError(
                "relaxed: only the unrelaxed density is available; pyscf.mp.dfmp2_native has the relaxed one"
            )
        return natural_orbitals(self, self.make_rdm1(eris=eris) if rdm1_mo is None else rdm1_mo)

    def make_rdm2(self: Any, t2: Any = None, *args: Any, **kwargs: Any) -> Any:
        """Return PySCF's two-particle density matrix; amplitudes that are missing are computed first, and kept."""
        if t2 is None and self.t2 is None:
            self._renew_orbitals()
            require_room_for_amplitudes(self)
            self.t2 = amplitudes(self, self.ao2mo())
        return super().make_rdm2(self.t2 if t2 is None else t2, *args, **kwargs)  # type: ignore[misc]

    def update_amps(self, t2: Any, eris: Any) -> Any:
        """Not available: DF-MP2 is for canonical orbitals."""
        raise UnsupportedError("DF-MP2 is for canonical orbitals only; there is no iterative form")

    def nuc_grad_method(self) -> Any:
        """Not available, as in PySCF."""
        raise UnsupportedError(
            "DF-MP2 has no analytical gradients; pyscf.mp.MP2 of a mean field without density fitting has"
        )

    def to_gpu(self) -> Any:
        """Not available; that of PySCF's class is, after `trnsci.pyscf.restore`."""
        raise UnsupportedError("to_gpu: trnsci.pyscf.restore(mp) makes this an object of PySCF's class, which has it")

    def density_fit(self: Any, auxbasis: Any = None, with_df: Any = None) -> Any:
        """Return an object like this one with other auxiliary functions, those of `with_df` or those that are named.

        PySCF's own method takes its auxiliary functions for mean fields wherever `auxbasis` is None, also for a
        `with_df` that has others.
        """
        other = self.copy()._forget_results()
        if with_df is not None:
            other.with_df = with_df
        if auxbasis is not None and other.with_df.auxbasis != auxbasis:
            other.with_df = other.with_df.copy()
            other.with_df.auxbasis = auxbasis
            other.with_df.auxmol = None  # which older versions of PySCF keep
        return other

    def reset(self: Any, mol: Any = None) -> Any:
        """Forget the results, and for another molecule the orbitals: `kernel` then runs the mean field first."""
        super().reset(mol)  # type: ignore[misc]
        if mol is not None:
            self.mo_coeff = self.mo_energy = None
        return self._forget_results()

    def _forget_results(self: Any) -> Any:
        self.e_hf = self.e_corr = self.e_corr_ss = self.e_corr_os = self.t2 = self.result = None
        return self

    def _renew_orbitals(self: Any) -> None:
        """Take the orbitals of the mean field, and their energies, where `reset` or PySCF's scanner has left none."""
        if self.mo_coeff is None:
            mf = self._scf.run()
            self.mo_coeff, self.mo_occ = mf.mo_coeff, mf.mo_occ
        if self.mo_energy is None:
            self.mo_energy = self._derived_energies = dfmp2.get_mo_energy(self._scf, self.mo_coeff, self.mo_occ)

    def _fock_of(self: Any, mo_coeff: Any, is_argument: bool) -> list[Array] | None:
        """Return the Fock matrices over orbitals that may not be canonical, None for the mean field's own and for those
        that the object was given with their energies. After `accelerate` it is not known whether it was."""
        has_given_energies = self._derived_energies is not None and self._derived_energies is not self.mo_energy
        if is_mean_fields(self._scf, mo_coeff, self.mo_occ) or (has_given_energies and not is_argument):
            return None
        if self._fock is not None and self._fock[0] is mo_coeff:
            return self._fock[1]  # type: ignore[no-any-return]
        return fock_matrices(self._scf, mo_coeff, self.mo_occ)

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

    __module__ = "trnsci.pyscf"  # PySCF's log prints it
    _spins = 1

    def get_nocc(self) -> int:
        """Return the number of correlated occupied orbitals, which may be zero."""
        return correlated(self)[0] if self._nocc is None else int(self._nocc)


class DFUMP2(_PairEnergies, dfump2.DFUMP2):  # type: ignore[misc]
    """DF-MP2 for an unrestricted mean field; see `DFMP2`."""

    __module__ = "trnsci.pyscf"
    _spins = 2

    def get_nocc(self) -> tuple[int, int]:
        """Return the number of correlated occupied orbitals of each spin, which may be zero."""
        alpha, beta = correlated(self) if self._nocc is None else self._nocc
        return int(alpha), int(beta)


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
        Orbitals in place of those of `mf`. Energies that are not given are the diagonal of the Fock matrix over
        `mo_coeff`.
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
        ``emp2``, ``emp2_scs``, ``e_tot_scs``, ``t2``. The attribute ``result`` is the `MP2Result`, with
        pair energies; ``device``, ``precision`` and ``etol`` are the arguments and may be changed, also as
        ``run(device=..., precision=...)``.

    Raises
    ------
    TypeError
        For a mean field of another kind, and from ``kernel`` for what `frozen` is not.
    ValueError
        For an unknown device or precision, before the mean field is run; from ``kernel`` for a number or an index
        in `frozen` that is out of range.
    UnsupportedError, DeviceError
        For a device without a precision, one that this version cannot run on, and one that cannot be opened, likewise.

    Warns
    -----
    UserWarning
        From ``kernel``: without energies, if the Fock matrix over `mo_coeff` has elements between correlated occupied,
        between correlated virtual, or between occupied and virtual orbitals that are more than ten times as large as
        the orbital gradient with which the mean field counts as converged. Localized orbitals have such elements. The
        energy is then not that of MP2. Orbitals that were put into the attribute ``mo_coeff`` of the mean field itself
        are taken for its own.

    Notes
    -----
    Three-index integrals over atomic orbitals come from PySCF, and are transformed and fitted by `trnsci.df_transform`
    and `trnsci.df_fit`. PySCF does that where integrals are on disk, as the attributes ``max_memory`` and
    ``force_outcore`` say, and for cells. The log says which, from ``verbose=4`` on, with the seconds of each step. What
    differs from PySCF: amplitudes are not computed unless ``kernel(with_t2=True)`` asks for them, and ``make_rdm1``
    needs none; ``make_natorbs`` is that of PySCF's native classes; freezing all occupied orbitals gives zero;
    ``kernel`` heeds its arguments `mo_energy` and `mo_coeff`; after ``reset(mol)`` it runs the mean field first; a
    metric of the auxiliary functions that is not positive definite loses the eigenvectors up to 1e-7, as in
    ``pyscf.df``; and a scanner takes the orbital energies of each new geometry, where PySCF's keeps those of the first.

    On a device the log has a line, from ``verbose=4`` on, with device, precision, graphs that were compiled, runs of
    graphs, seconds and the bound of the error; `trnsci.last_report` says more. An object with the name of a device can
    be pickled, one with an open `Device` cannot.

    Examples
    --------
    >>> from pyscf import gto, scf
    >>> import trnsci.pyscf
    >>> molecule = gto.M(atom="H 0 0 0; F 0 0 0.92", basis="cc-pvdz", verbose=0)
    >>> mp = trnsci.pyscf.DFMP2(scf.RHF(molecule).run(), frozen=1).run()
    >>> bool(abs(mp.e_tot - (mp.e_hf + mp.e_corr_ss + mp.e_corr_os)) < 1e-12)
    True
    """
    mf = reference_of(mf)
    cls = DFUMP2 if mf.istype("UHF") else DFRMP2
    return cls(mf, frozen, mo_coeff, mo_occ, mo_energy, device=device, precision=precision, etol=etol)
