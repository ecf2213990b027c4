"""Can the design of a study carry the claims that will be made of its human scores? Looked at before any claim."""

from __future__ import annotations

from typing import Any

import pandas as pd

from metrics.errors import BadInput
from metrics.meta.design_check import FEWEST_ITEMS, FEWEST_SYSTEMS, DesignCheck, check_design

Row = dict[str, Any]

TOLD = ("stop", "warn")
"""Severities that a reader is told at the top; mere notes stand in the section of the score."""

IN_SHORT = {
    "not-connected": "assessors who do not connect the systems",
    "items-not-connected": "items that do not connect the systems",
    "few-items": f"fewer than {FEWEST_ITEMS} items",
    "few-systems": f"fewer than {FEWEST_SYSTEMS} systems",
}
"""Why systems are not ranked, the first reason first."""


def design_of(judgments: pd.DataFrame, matrix: pd.DataFrame) -> DesignCheck:
    """The check of single judgments; of the outputs' scores where a kind's judgments are not about single outputs."""
    try:
        return check_design(judgments)
    except BadInput:
        rows = matrix.rename_axis(index="system").reset_index().melt("system", var_name="item")
        return check_design(rows.assign(assessor="all"))


def design_section(check: DesignCheck) -> Row:
    """The check as the report's JSON holds it; ``why`` says in short why nothing is ranked, and is empty otherwise."""
    stops = {warning.code for warning in check.warnings if warning.severity == "stop"}
    return {
        "may_rank": check.may_rank,
        "may_correlate": check.may_correlate,
        "connected": check.connected,
        "balanced": check.balanced,
        "complete": check.complete,
        "why": " and ".join(words for code, words in IN_SHORT.items() if code in stops),
        "warnings": [vars(warning) for warning in check.warnings],
    }


def cautions(people: list[Row]) -> list[Row]:
    """What a reader must know before the numbers, each thing once; ``of`` are the scores that it is true of."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for section in people:
        for warning in section["design"]["warnings"]:
            if warning["severity"] in TOLD:
                key = (warning["code"], warning["severity"], warning["sentence"])
                found.setdefault(key, []).append(section["id"])
    ordered = sorted(found.items(), key=lambda entry: TOLD.index(entry[0][1]))
    return [
        {"code": code, "severity": severity, "text": text, "of": ids}
        for (code, severity, text), ids in ordered
    ]
