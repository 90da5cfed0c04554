"""PySCF keeps the stdout that it finds when it is imported, so it is imported before any test replaces that."""

import contextlib

with contextlib.suppress(ImportError):
    import pyscf  # noqa: F401
