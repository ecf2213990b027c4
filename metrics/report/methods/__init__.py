"""The methods paragraphs: exactly what was done, in plain words, for the appendix of a paper."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from metrics.report.methods import metrics, people, systems


def methods(data: dict[str, Any]) -> list[str]:
    """One paragraph per part of the report that was made; every sentence is about something that this study has."""
    parts = (
        people.study,
        people.scores,
        systems.design,
        systems.systems,
        systems.further,
        people.agreement,
        people.assessors,
        metrics.metrics,
        metrics.correlations,
        metrics.selection,
        metrics.williams,
        metrics.preferences,
        metrics.prediction,
        metrics.families,
        metrics.king,
        _reproduction,
    )
    paragraphs = (" ".join(sentence for sentence in part(data) if sentence) for part in parts)
    return [paragraph for paragraph in paragraphs if paragraph]


def _reproduction(data: dict[str, Any]) -> Iterator[str]:
    versions = ", ".join(
        f"{name} {version}" for name, version in data["versions"].items() if name != "touchstone"
    )
    yield (
        f"Computed by Touchstone {data['versions']['touchstone']} with {versions}; seed {data['options']['seed']}; SHA-256 of the "
        f"input tables {data['data']['sha256']}."
    )
