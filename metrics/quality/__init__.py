"""How carefully does each person judge? Checks per assessor, each with what it means and how sure it is, and one verdict in words.

Nothing here leaves anybody out: an experimenter reads, looks at the judgments, and decides (``docs/quality.md``).

>>> from metrics.quality import assess_quality
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from metrics.errors import UndefinedScoreWarning
from metrics.quality.controls import degraded, expected, repeats
from metrics.quality.crowd import read_crowd
from metrics.quality.findings import Finding
from metrics.quality.habits import first_place, speed, straight_lining
from metrics.quality.peers import distance, drift, others
from metrics.quality.triads import circular_triads
from metrics.quality.verdicts import verdict
from metrics.quality.words import CHECKS, HOW, MEANINGS, VERDICT

__all__ = ["CHECKS", "HOW", "MEANINGS", "QUALITY_COLUMNS", "VERDICT", "QualityTable", "assess_quality"]

QUALITY_COLUMNS = ("assessor", "check", "n", "statistic", "pvalue", "low", "high", "verdict")


@dataclass(frozen=True)
class QualityTable:
    """``rows`` (``QUALITY_COLUMNS``) has a row per assessor and check that applies; ``meanings`` a sentence on each check;
    ``careless`` those whose verdict is a warning."""

    rows: pd.DataFrame
    meanings: Mapping[str, str]
    careless: list[str]


def assess_quality(judgments: pd.DataFrame, attributes: pd.DataFrame | None = None) -> QualityTable:
    """All checks on a checked long table (:func:`metrics.frames.check_judgments`); control items are what most of them live on.

    ``attributes`` tell what was expected, and how long texts are. Practice and what is left out of results is not looked at. A check
    that means nothing in a study is left out; where it is undefined for somebody it is NaN, with a warning.
    """
    crowd = read_crowd(judgments, attributes)
    if not crowd.size:
        return QualityTable(pd.DataFrame(columns=list(QUALITY_COLUMNS)), MEANINGS, [])
    made = (
        expected(crowd, attributes, "gold"),
        expected(crowd, attributes, "attention"),
        repeats(crowd),
        degraded(crowd, attributes),
        speed(crowd, attributes),
        straight_lining(crowd),
        first_place(crowd),
        circular_triads(crowd, attributes),
        others(crowd),
        distance(crowd),
        drift(crowd),
    )
    findings = [finding for finding in made if finding is not None]
    once = crowd.rows.drop_duplicates("judgment")["person"].to_numpy(dtype=np.intp)
    last = verdict(
        findings,
        lambda trust: others(crowd, trusted=trust),
        np.bincount(once, minlength=crowd.size).astype(np.float64),
    )
    rows = _table(crowd.people, [*findings, last])
    _warn(rows)
    careless = [name for name, warns in zip(crowd.people, last.warns, strict=True) if warns == 1]
    return QualityTable(
        rows, {check: MEANINGS[check] for check in CHECKS if check in set(rows["check"])}, careless
    )


def _table(people: tuple[str, ...], findings: list[Finding]) -> pd.DataFrame:
    order = {check: place for place, check in enumerate(CHECKS)}
    parts = [
        pd.DataFrame(
            {
                "assessor": people,
                "check": finding.check,
                "n": finding.n,
                "statistic": finding.statistic,
                "pvalue": finding.pvalue,
                "low": finding.low,
                "high": finding.high,
                "verdict": finding.words,
                "person": np.arange(len(people)),
                "order": order[finding.check],
            }
        )
        for finding in findings
    ]
    table = pd.concat(parts, ignore_index=True)
    table = table[table["n"] > 0].sort_values(["person", "order"])
    return table[list(QUALITY_COLUMNS)].reset_index(drop=True)


def _warn(rows: pd.DataFrame) -> None:
    undefined = rows[rows["statistic"].isna() & (rows["check"] != VERDICT)]
    for check, part in undefined.groupby("check", sort=False):
        names = ", ".join(part["assessor"].head(5)) + (" and others" if len(part) > 5 else "")
        warnings.warn(f"{check} is undefined for {names}", UndefinedScoreWarning, stacklevel=3)
