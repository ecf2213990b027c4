"""Modules that are loaded when something of them is first used.

pandas, SciPy and Matplotlib take a second and a hundred megabytes in every process that loads them. Those that hand out items
and take judgments never need them.
"""

from __future__ import annotations

import importlib
from typing import Any


class Later:
    """Stands for a module. ``if TYPE_CHECKING`` beside it tells type checker and import rules which."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        return getattr(importlib.import_module(self._name), attribute)
