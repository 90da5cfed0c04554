"""The base of the dataclasses that functions return."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np


class Record:
    """Mixin for frozen dataclasses of numbers, texts and arrays."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as a dict that ``json.dumps`` takes: arrays become lists, NumPy's numbers Python's."""
        return {f.name: _plain(getattr(self, f.name)) for f in dataclasses.fields(self)}  # type: ignore[arg-type]


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (tuple, list)):
        return [_plain(part) for part in value]
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    return value
