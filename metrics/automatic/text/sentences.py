"""The sentences of a text that was given as one string."""

from __future__ import annotations

from functools import cache
from typing import Any

from metrics.automatic.text.prepared import Text


def sentences_of(text: Text) -> tuple[str, ...]:
    """The sentences as given; a plain text is cut where nupunkt sees the end of one."""
    if len(text.sentences) != 1:
        return text.sentences
    made: tuple[str, ...] = text.remember("cut", lambda own: tuple(_cut(own.sentences[0])))
    return made


def _cut(text: str) -> list[str]:
    if not text.strip():
        return []
    return [sentence.strip() for sentence in _tokeniser().tokenize(text) if sentence.strip()]


@cache
def _tokeniser() -> Any:
    from nupunkt import load_default_model  # noqa: PLC0415 — its model takes a while

    return load_default_model()
