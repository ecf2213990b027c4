"""Signatures: every reported number says how it was made, as sacreBLEU's do (Post 2018)."""

from __future__ import annotations

from collections.abc import Mapping

from metrics import __version__

DEFAULT_SEED = 20050629
"""What random numbers are drawn from where nobody says otherwise; a signature names the seed."""


def signature(name: str, options: Mapping[str, object]) -> str:
    """``name|key:value|…|version:touchstone-0.1.0``, options in the order given, None left out."""
    parts = [name, *(f"{key}:{_plain(value)}" for key, value in options.items() if value is not None)]
    return "|".join([*parts, f"version:touchstone-{__version__}"])


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
