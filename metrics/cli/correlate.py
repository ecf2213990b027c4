"""``python -m metrics correlate``: how well does each metric agree with human scores?"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Mapping
from math import isnan
from typing import Any

import pandas as pd

from metrics.cli.arguments import (
    add_output_arguments,
    add_resamples_argument,
    add_score_tables_arguments,
    score_tables_of,
)
from metrics.cli.notes import of_shared_items, of_system_scores
from metrics.cli.output import write
from metrics.cli.progress import shown
from metrics.errors import BadInput, UndefinedScoreWarning
from metrics.meta.accuracy import (
    AccuracyResult,
    pairwise_accuracy,
    soft_pairwise_accuracy,
    tie_calibrated_accuracy,
)
from metrics.meta.clustered import KENDALLS
from metrics.meta.coefficients import COEFFICIENTS
from metrics.meta.common import ALTERNATIVES
from metrics.meta.correlation import INTERVALS, CorrelationResult, correlate_all
from metrics.meta.correlation_intervals import CERTAIN
from metrics.meta.levels import LEVELS
from metrics.meta.resampling import DEFAULT_RESAMPLES
from metrics.meta.tables import ScoreTables

ACCURACIES = ("accuracy", "accuracy-ties", "soft-accuracy")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_score_tables_arguments(parser)
    parser.add_argument(
        "--level",
        choices=[*LEVELS, "document"],
        default="system",
        help="document: as item, scores averaged by document (default %(default)s)",
    )
    parser.add_argument(
        "--method",
        choices=[*COEFFICIENTS, *ACCURACIES],
        default="pearson",
        help="a coefficient or a pairwise accuracy (default %(default)s)",
    )
    parser.add_argument(
        "--alternative", choices=ALTERNATIVES, default="two-sided", help="default %(default)s"
    )
    parser.add_argument(
        "--interval",
        choices=INTERVALS,
        help="default fisher, and t at the levels item and system-average",
    )
    add_resamples_argument(parser, default=DEFAULT_RESAMPLES, what="of the bootstrap")
    add_output_arguments(parser, seed=True)


def run(arguments: argparse.Namespace) -> None:
    items = arguments.level != "system" or arguments.method == "soft-accuracy"
    tables = score_tables_of(arguments, items=items, documents=arguments.level == "document")
    results = _results(tables, arguments)
    rows = [
        {
            "metric": name,
            "level": arguments.level,
            "method": result.method,
            "n": result.n,
            "statistic": result.statistic,
            "pvalue": result.pvalue if isinstance(result, CorrelationResult) else float("nan"),
            "low": result.confidence_interval.low if isinstance(result, CorrelationResult) else float("nan"),
            "high": result.confidence_interval.high
            if isinstance(result, CorrelationResult)
            else float("nan"),
        }
        for name, result in results.items()
    ]
    _warn_of_intervals(results)
    signatures = {name: result.signature for name, result in results.items()}
    notes = of_system_scores(tables) if arguments.level == "system" else of_shared_items(tables)
    notes += _of_ties(results, tables)
    if arguments.level == "global" and arguments.method in KENDALLS:
        notes.append("Kendall's τ over all cells has no p-value: cells of one system are not independent")
    write(pd.DataFrame(rows), arguments, signatures=signatures, notes=notes)


def level_of(arguments: argparse.Namespace) -> Any:
    """Documents are correlated as items are."""
    return "item" if arguments.level == "document" else arguments.level


def _of_ties(results: Mapping[str, CorrelationResult | AccuracyResult], tables: ScoreTables) -> list[str]:
    """Where the best threshold ties all pairs, the accuracy is the share of pairs that people tie, whatever the metric."""
    everything = [
        name
        for name, result in results.items()
        if isinstance(result, AccuracyResult) and result.epsilon is not None and result.all_tied
    ]
    if not everything:
        return []
    return [
        f"tie calibration ties every pair of {', '.join(everything)}: the accuracy is the share of pairs that people tie"
    ]


def _warn_of_intervals(results: Mapping[str, CorrelationResult | AccuracyResult]) -> None:
    """A correlation that is defined without an interval says why."""
    found: dict[str, list[str]] = {}
    for name, result in results.items():
        if not isinstance(result, CorrelationResult) or isnan(result.statistic):
            continue
        if isnan(result.confidence_interval.low):
            found.setdefault(_why_no_interval(result), []).append(name)
    for why, names in found.items():
        warnings.warn(f"no interval for {', '.join(names)}: {why}", UndefinedScoreWarning, stacklevel=2)


def _why_no_interval(result: CorrelationResult) -> str:
    if result.method == "ccc":
        return "the scores lie on a straight line, or do not correlate at all"
    least = 5 if result.method.startswith("kendall") else 4
    if abs(result.statistic) >= CERTAIN and (result.level != "system" or result.n >= least):
        return "a correlation of 1 or −1 leaves nothing to tell how far another system would lie off the line"
    if result.interval == "fisher":
        # Bonett & Wright (2000): the variance of atanh τ is .437/(n − 4); that of atanh r is 1/(n − 3).
        least = 5 if result.method.startswith("kendall") else 4
        points = {"system": "systems", "global": "cells"}.get(result.level, "points in a group")
        return f"Fisher's z needs at least {least} {points} for {result.method}; --interval bootstrap-both needs fewer"
    return "too few correlations are defined"


def _results(
    tables: ScoreTables, arguments: argparse.Namespace
) -> Mapping[str, CorrelationResult | AccuracyResult]:
    if arguments.method in ACCURACIES:
        return {name: _accuracy(tables.human, metric, arguments) for name, metric in tables.metrics.items()}
    with shown("resamples") as progress:
        return correlate_all(
            tables.human,
            tables.metrics,
            level=level_of(arguments),
            method=arguments.method,
            alternative=arguments.alternative,
            interval=arguments.interval,
            n_resamples=arguments.resamples,
            rng=arguments.seed,
            progress=progress,
        )


def _accuracy(human: pd.DataFrame, metric: pd.DataFrame, arguments: argparse.Namespace) -> AccuracyResult:
    if arguments.interval:
        raise BadInput(f"{arguments.method} has no confidence interval: leave out --interval")
    if arguments.alternative != "two-sided":
        raise BadInput(f"{arguments.method} has no p-value: leave out --alternative")
    if arguments.method == "accuracy-ties":
        return tie_calibrated_accuracy(human, metric, level=arguments.level)
    if arguments.level != "system":
        raise BadInput(f"{arguments.method} compares systems: expected --level system, not {arguments.level}")
    if arguments.method == "accuracy":
        return pairwise_accuracy(human, metric)
    return soft_pairwise_accuracy(human, metric, n_resamples=arguments.resamples, rng=arguments.seed)
