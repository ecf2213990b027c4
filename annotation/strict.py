"""The base of every schema. It stands alone, so that designs and task kinds can both build on it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class Strict(BaseModel):
    """A schema that refuses what it does not know."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


Name = Annotated[
    str,
    Field(
        min_length=1,
        max_length=60,
        pattern=r"^[a-z0-9][a-z0-9_-]*$",
        title="Name",
        description="In tables and scores: small letters, digits and hyphens.",
    ),
]
"""What a part of a task is called where programs read it."""


def names_differ(names: Collection[str], what: str) -> None:
    """ValueError if two of them are the same; ``what``: which, in the plural."""
    if len(set(names)) < len(names):
        raise ValueError(f"two {what} have the same name")
