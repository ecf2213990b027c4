"""The one comparison of systems that table, clusters, figures and sentences go by.

Where two or more people judged, the default is a crossed mixed model of their single judgments, so that what is found holds
for other items *and* other assessors (``ordinal`` takes these as ordered categories); where no model can be fitted, items and assessors are drawn together. Where one person
judged, or a score is no average of judgments, items are exchanged (randomisation). WMT's procedure can be asked for.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
from scipy import special

from metrics.errors import UndefinedScoreWarning
from metrics.human import HumanScore
from metrics.meta.common import FloatArray
from metrics.meta.effects import superiority
from metrics.meta.generalisability import detectable_difference
from metrics.meta.intervals import mean_intervals
from metrics.meta.pairs import PairTable, system_pairs
from metrics.meta.ranking import RankedSystem, rank_systems, significance_clusters
from metrics.meta.system_model import SystemModel, system_model
from metrics.meta.ties import settled, settled_differences
from metrics.report.exchanges import smallest_adjusted
from metrics.report.options import MODELS, RANDOMIZATIONS, Options

PAIRS = [
    "system_a",
    "system_b",
    "mean_a",
    "mean_b",
    "difference",
    "low",
    "high",
    "superiority",
    "superiority_low",
    "superiority_high",
    "n",
    "ties",
    "detectable",
    "error",
    "df",
    "statistic",
    "pvalue",
    "pvalue_adjusted",
]
POWER = 0.8
MODEL_RESAMPLES = 1_999
"""Draws of items and assessors where no model can be fitted."""


@dataclass(frozen=True)
class Comparison:
    """All systems and all pairs by one method; ``why`` says why it is not the model, where that was asked for."""

    method: str
    estimates: pd.DataFrame
    """``estimate, low, high`` by system."""
    pairs: pd.DataFrame
    ranked: list[RankedSystem]
    signature: str
    interval: str
    """How ``low`` and ``high`` of a system were made, for its signature."""
    clusters: str
    generalises_over: tuple[str, ...]
    why: str = ""
    model: SystemModel | None = None

    def section(self) -> dict[str, Any]:
        """What the report's JSON says of it."""
        found = {
            "method": self.method,
            "why": self.why,
            "generalises_over": list(self.generalises_over),
            "pairs": len(self.pairs),
        }
        model = self.model
        return found | {
            "variances": model.variances if model else {},
            "left_out": model.left_out if model else {},
            "boundary": list(model.boundary) if model else [],
        }


def compare_systems(
    matrix: pd.DataFrame, score: HumanScore, judgments: pd.DataFrame, options: Options, *, connected: bool
) -> Comparison:
    """Compare the systems of a system × item matrix; ``judgments`` are the single ones behind it, higher is better.

    Where assessors do not connect the systems (``connected`` is False), nothing is tested: a good system could not be told
    from lenient assessors.
    """
    why = _why_no_model(matrix, score, judgments, options)
    if why or options.comparison not in MODELS or len(matrix) < 2:
        return _by_items(matrix, options, why, connected=connected)
    model = system_model(
        judgments,
        scale="ordinal" if options.comparison == "ordinal" else "interval",
        confidence_level=options.confidence_level,
        n_resamples=MODEL_RESAMPLES,
        rng=options.seed,
    )
    return _by_model(matrix, model, options, connected=connected)


def _why_no_model(matrix: pd.DataFrame, score: HumanScore, judgments: pd.DataFrame, options: Options) -> str:
    if options.comparison not in MODELS:
        return ""
    if score.pooled is not None or not _is_average(matrix, judgments):
        return f"{score.name} is no average of single judgments, of which a model could be made"
    if judgments["assessor"].nunique() < 2:
        return "one assessor judged everything"
    return "one item was judged" if matrix.shape[1] < 2 else ""


def _is_average(matrix: pd.DataFrame, judgments: pd.DataFrame) -> bool:
    """Whether the score of an output is the mean of its assessors' judgments: otherwise a model of these is not about it."""
    by_assessor = judgments.groupby(["system", "item", "assessor"])["value"].mean().reset_index()
    means = by_assessor.pivot_table(index="system", columns="item", values="value", aggfunc="mean")
    judged = matrix.dropna(axis="columns", how="all")
    whole = judged.reindex(index=means.index, columns=means.columns).to_numpy(dtype=np.float64)
    return means.shape == judged.shape and bool(
        np.allclose(means.to_numpy(), whole, atol=1e-6, equal_nan=True)
    )


# --- for other items and other assessors ----------------------------------------------------------------------------


def _by_model(matrix: pd.DataFrame, model: SystemModel, options: Options, *, connected: bool) -> Comparison:
    names = list(model.systems)
    # Estimates that differ in their last digits only are one estimate, and then neither of two systems is ahead.
    estimate = settled(model.estimate)
    of = dict(zip(names, estimate, strict=True))
    pairs = model.pair_frame()
    pairs = pairs.assign(
        mean_a=pairs["system_a"].map(of),
        mean_b=pairs["system_b"].map(of),
        difference=settled_differences(pairs["difference"], scale=float(np.abs(estimate).max(initial=0.0))),
    )
    pairs = _beside(pairs, matrix, options)
    better = model.better()
    if not connected:
        pairs = _untested(pairs)
        better = np.full_like(better, np.nan)
    return Comparison(
        method=model.method,
        estimates=pd.DataFrame({"estimate": estimate, "low": model.low, "high": model.high}, index=names),
        pairs=pairs[PAIRS],
        ranked=significance_clusters(names, estimate, better, alpha=options.alpha),
        signature=model.signature,
        interval="bootstrap-items-assessors" if model.method == "bootstrap" else "t-satterthwaite",
        clusters=f"{model.method}-{model.correction}-{options.alpha:g}",
        generalises_over=model.generalises_over,
        why=f"no mixed model could be fitted ({model.why})" if model.method == "bootstrap" else model.why,
        model=model,
    )


# --- for other items, judged by the same people ---------------------------------------------------------------------


def _by_items(matrix: pd.DataFrame, options: Options, why: str, *, connected: bool) -> Comparison:
    wmt = options.comparison == "wmt"
    compared = system_pairs(
        matrix,
        test="rank-sum" if wmt else "randomization",
        alternative="greater" if wmt else "two-sided",
        correction="none" if wmt else "holm",
        n_resamples=RANDOMIZATIONS,
        rng=options.seed,
    )
    names = [str(system) for system in matrix.index]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedScoreWarning)  # an empty cell of the table says it
        ends = mean_intervals(matrix.to_numpy(dtype=np.float64), confidence_level=options.confidence_level)
    estimates = pd.DataFrame(
        {"estimate": matrix.mean(axis=1), "low": ends.low, "high": ends.high}, index=names
    )
    pairs = compared.frame.assign(**_paired_ends(compared, matrix, options, wmt=wmt))
    pairs = _beside(pairs, matrix, options)[PAIRS]
    # What a test by exchanges cannot find at all has no difference that it would find.
    hopeless = [smallest_adjusted(int(n), len(pairs)) >= options.alpha for n in pairs["n"]]
    pairs["detectable"] = pairs["detectable"].mask(np.array(hopeless, dtype=bool))
    wins = compared.wins(names)
    if not (connected or wmt):
        pairs, wins = _untested(pairs), np.full_like(wins, np.nan)
    # WMT asks each pair in both directions, because a rank test may prefer the system with the lower mean.
    ranked = (
        rank_systems(names, matrix, test="rank-sum", alpha=options.alpha)
        if wmt
        else significance_clusters(names, estimates["estimate"].to_numpy(), wins, alpha=options.alpha)
    )
    return Comparison(
        method=compared.tests.test,
        estimates=estimates,
        pairs=pairs,
        ranked=ranked,
        signature=compared.signature,
        interval="t-items",
        clusters=f"{compared.tests.test}-{'greater' if wmt else 'holm'}-{options.alpha:g}",
        generalises_over=("items",),
        why=why,
    )


def _paired_ends(
    compared: PairTable, matrix: pd.DataFrame, options: Options, *, wmt: bool
) -> dict[str, FloatArray]:
    """Intervals of the differences over the items that both have: t, for all pairs together (Bonferroni).

    WMT's procedure is one of ranks: it has no interval of a difference.
    """
    frame = compared.frame
    low, high, error, df = (np.full(len(frame), np.nan) for _ in range(4))
    tail = (1 - options.confidence_level) / 2 / max(1, len(frame))
    scale = float(np.nanmax(np.abs(matrix.to_numpy(dtype=np.float64)), initial=0.0))
    for place, (one, other) in enumerate(zip(frame["system_a"], frame["system_b"], strict=True)):
        gaps = settled_differences((matrix.loc[one] - matrix.loc[other]).dropna(), scale=scale)
        # The same difference on every item would have an interval that claims to be sure.
        if wmt or len(gaps) < 2 or np.ptp(gaps) == 0:
            continue
        error[place], df[place] = gaps.std(ddof=1) / np.sqrt(len(gaps)), len(gaps) - 1
        reach = special.stdtrit(df[place], 1 - tail) * error[place]
        low[place], high[place] = gaps.mean() - reach, gaps.mean() + reach
    return {"low": low, "high": high, "error": error, "df": df}


# --- beside every pair ----------------------------------------------------------------------------------------------


def _beside(pairs: pd.DataFrame, matrix: pd.DataFrame, options: Options) -> pd.DataFrame:
    """P(A > B) over the items that both have, how many these are, and the difference that would have been found."""
    values = matrix.to_numpy(dtype=np.float64)
    place = {str(name): number for number, name in enumerate(matrix.index)}
    scale = float(np.nanmax(np.abs(values), initial=0.0))
    rows = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedScoreWarning)
        for one, other in zip(pairs["system_a"], pairs["system_b"], strict=True):
            gaps = values[place[str(one)]] - values[place[str(other)]]
            gaps = settled_differences(gaps[np.isfinite(gaps)], scale=scale)
            effect = superiority(gaps, np.zeros(len(gaps)), confidence_level=options.confidence_level)
            ends = effect.confidence_interval
            rows.append((effect.statistic, ends.low, ends.high, len(gaps), int((gaps == 0).sum())))
    columns = ["superiority", "superiority_low", "superiority_high", "n", "ties"]
    found = pd.DataFrame(rows, columns=columns, index=pairs.index)
    if "n" in pairs.columns:
        found = found.drop(columns=["n", "ties"])
    level = options.alpha / max(1, len(pairs))
    detectable = [
        _detectable(round(float(df), 1), level) * error if np.isfinite(df) else np.nan
        for df, error in zip(pairs["df"], pairs["error"], strict=True)
    ]
    return pairs.assign(**{str(name): found[name] for name in found.columns}, detectable=detectable)


@lru_cache(maxsize=4_096)
def _detectable(df: float, alpha: float) -> float:
    """In standard errors: a true difference that is found with power .8 at the level of the first of Holm's steps."""
    return detectable_difference(1.0, max(df, 1.0), alpha=alpha, power=POWER)


def _untested(pairs: pd.DataFrame) -> pd.DataFrame:
    nothing = ("low", "high", "detectable", "statistic", "pvalue", "pvalue_adjusted")
    return pairs.assign(**dict.fromkeys(nothing, np.nan))
