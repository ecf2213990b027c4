"""Sentences: the headline (who wins, how sure) and the methods paragraph, made from the report's own numbers."""

from __future__ import annotations

from typing import Any


def headline(data: dict[str, Any]) -> list[str]:
    return []


def methods(data: dict[str, Any]) -> list[str]:
    return []
