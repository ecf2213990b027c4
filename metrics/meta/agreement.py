"""Do assessors agree? Coefficients with intervals, per task and criterion of a table of judgments.

A *rated thing* is an output, or a unit of it where a task judges units. Intervals are over items: everything about one
document or topic is drawn, or left out, together, since judgments of it are not independent. Below ``FEW_ITEMS`` items they
are by the jackknife (``metrics.meta.intervals``), because percentiles of few items are far too short, above percentiles of a
bootstrap. A coefficient of 1 has none: it would claim to be sure.
Beside the coefficients of ``reliability``: ``alignment-f1``, the F1 of the pairs of units that two assessors marked
(SEE), and ``intra-NAME``, any coefficient between an assessor's first judgment and that of the repeated item. Kinds
whose people agree on something else than values, such as which of two texts is better, declare coefficients of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from metrics.errors import BadInput
from metrics.frames import one_row_per_text, scored
from metrics.human.base import MissingAttribute
from metrics.human.kind import Coefficient
from metrics.human.registry import as_compared, is_mark, kinds
from metrics.human.registry import coefficients as declared_coefficients
from metrics.meta.common import (
    CERTAIN,
    UNDEFINED_INTERVAL,
    ConfidenceInterval,
    NanPolicy,
    Rng,
    batches,
    check_level,
    drawn_counts,
    interval_at,
    plain_array,
    refuse_missing,
    seeded,
    share_of,
    tails,
    undefined,
)
from metrics.meta.intervals import jackknife_interval
from metrics.meta.reliability import COEFFICIENTS, WITHIN, Estimate, complete_things
from metrics.signature import signature

ALIGNMENT = "alignment-f1"
INTRA = "intra-"
COMPLETE = ("icc-2", "icc-3")
NAMES = (*COEFFICIENTS, ALIGNMENT, *(INTRA + name for name in COEFFICIENTS))
DEFAULT = ("percent", "alpha-ordinal", "alpha-interval", ALIGNMENT, "intra-percent")
COLUMNS = ["task", "criterion", "coefficient", "value", "low", "high", "items", "assessors"]
THING = ["system", "item", "unit"]
RESAMPLES = 1_000
FEW_ITEMS = 20
INTERVAL = f"jackknife-items-below-{FEW_ITEMS}-else-bootstrap-items-percentile"
BEYOND_CHANCE = ("alpha", "cohen", "fleiss", "gwet", "icc", "kappa")
"""Words in the names of coefficients that may be below 0; all others are shares."""


@dataclass(frozen=True)
class Bootstrap:
    """How an interval is made."""

    n_resamples: int
    confidence_level: float
    rng: Rng
    strata: str | None = None

    @property
    def options(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "strata"}


@dataclass(frozen=True)
class AgreementResult:
    """A coefficient with its interval, and what it stands on."""

    coefficient: str
    statistic: float
    confidence_interval: ConfidenceInterval
    items: int
    assessors: int
    n_resamples: int
    seed: int | None

    @property
    def signature(self) -> str:
        how: dict[str, object] = {"items": self.items, "assessors": self.assessors}
        if self.items < FEW_ITEMS:
            return signature(self.coefficient, {**how, "interval": "jackknife-items"})
        drawn = {
            "interval": "bootstrap-items-percentile",
            "resamples": self.n_resamples,
            "seed": self.seed,
        }
        return signature(self.coefficient, {**how, **drawn})


def agreement_coefficient(
    ratings: npt.ArrayLike,
    coefficient: str,
    *,
    items: npt.ArrayLike | None = None,
    strata: npt.ArrayLike | None = None,
    n_resamples: int = RESAMPLES,
    confidence_level: float = 0.95,
    nan_policy: NanPolicy = "omit",
    rng: Rng = None,
) -> AgreementResult:
    """One coefficient of a matrix of rated things × assessors, NaN where a judgment is missing.

    ``items`` says which item each thing belongs to; without it each is an item of its own. ``n_resamples=0`` leaves the
    interval out. A coefficient is NaN, with a warning, when nothing was judged twice or no judgment differs. ``strata`` says
    which criterion each thing is judged by, where several are taken together: chance is then chance within each.

    The forms ``icc-2-*`` and ``icc-3-*`` need things that all assessors judged; ``items`` of the result counts those alone.

    >>> ratings = [[1, 1], [2, 3], [3, 3], [4, 4]]
    >>> round(agreement_coefficient(ratings, "alpha-interval", n_resamples=0).statistic, 3)
    0.911
    """
    refuse_missing(nan_policy, ratings)
    table = plain_array(ratings)
    if table.ndim != 2:
        raise BadInput(f"ratings must be a matrix of things × assessors, not of {table.ndim} dimensions")
    if coefficient not in COEFFICIENTS:
        raise BadInput(f"expected a coefficient among {', '.join(COEFFICIENTS)}, found {coefficient!r}")
    if coefficient == "alpha-ratio" and (table < 0).any():
        raise BadInput("expected no value below 0: a ratio scale has a true zero", column="value")
    known = ~np.isnan(table)
    compared = known.sum(axis=1) >= 2
    if coefficient.startswith(COMPLETE):
        twice = int(compared.sum())
        compared &= complete_things(table)
        if compared.sum() < twice:
            undefined(
                f"{coefficient} stands on the {int(compared.sum())} of {twice} outputs that all assessors judged: "
                "icc-1-* takes all that were judged twice"
            )
    estimate = COEFFICIENTS[coefficient]
    if strata is not None:
        if coefficient not in WITHIN:
            raise BadInput(f"expected a coefficient among {', '.join(WITHIN)} over several criteria")
        codes = np.unique(np.asarray(strata), return_inverse=True)[1][compared]
        estimate = lambda kept: WITHIN[coefficient](kept, codes)  # noqa: E731
    groups = np.arange(len(table)) if items is None else np.unique(np.asarray(items), return_inverse=True)[1]
    groups = np.unique(groups[compared], return_inverse=True)[1]
    return _with_interval(
        coefficient,
        estimate(table[compared]),
        groups,
        Bootstrap(n_resamples, confidence_level, rng),
        assessors=int(known[compared].any(axis=0).sum()),
    )


def agreement(
    judgments: pd.DataFrame,
    *,
    attributes: pd.DataFrame | None = None,
    coefficients: Sequence[str] | None = None,
    task: str | None = None,
    n_resamples: int = RESAMPLES,
    confidence_level: float = 0.95,
    rng: Rng = None,
    strata: str | None = None,
) -> pd.DataFrame:
    """``task, criterion, coefficient, value, low, high, items, assessors`` of a table of judgments.

    ``items`` and ``assessors`` count what could be compared. Every row draws from the same seed, so that it does not
    depend on which others are asked for. Without ``coefficients``, those of ``DEFAULT`` that apply. ``strata`` names a column
    that says what is judged, where a criterion of the table is several together. ``attributes`` tell which systems have one text.

    >>> from metrics.frames import check_judgments
    >>> ratings = pd.DataFrame(
    ...     [("p1", "A", "d1", "q", 1), ("p2", "A", "d1", "q", 2), ("p1", "B", "d1", "q", 3), ("p2", "B", "d1", "q", 3)],
    ...     columns=["assessor", "system", "item", "criterion", "value"],
    ... )
    >>> agreement(check_judgments(ratings), coefficients=["percent"], rng=1)["value"].tolist()
    [0.5]
    """
    known = all_names()
    wrong = [name for name in coefficients or () if name not in known]
    if wrong:
        raise BadInput(f"expected a coefficient among {', '.join(known)}, found {wrong[0]!r}")
    rows = as_compared(scored(judgments, controls=True))
    rows = rows if task is None else rows[rows["task"] == task]
    if rows.empty:
        raise BadInput("expected judgments" + (f" of task {task}" if task else "") + ", found none")
    if len(set(rows["study"])) > 1:
        raise BadInput("expected the judgments of one study", column="study")
    _, seed = seeded(rng)
    how = Bootstrap(n_resamples, confidence_level, rng if seed is None else seed, strata)
    found = [
        {
            "task": of_task,
            "criterion": criterion,
            "coefficient": result.coefficient,
            "value": result.statistic,
            "low": result.confidence_interval.low,
            "high": result.confidence_interval.high,
            "items": result.items,
            "assessors": result.assessors,
        }
        for (of_task, criterion), of_criterion in rows.groupby(["task", "criterion"], sort=False)
        for result in _results(of_criterion, rows[rows["task"] == of_task], coefficients, how, attributes)
    ]
    return pd.DataFrame(found, columns=COLUMNS)


def all_names() -> tuple[str, ...]:
    """Every coefficient: those of values, and those that kinds declare."""
    return (*NAMES, *declared_coefficients())


def _results(
    of_criterion: pd.DataFrame,
    of_task: pd.DataFrame,
    coefficients: Sequence[str] | None,
    how: Bootstrap,
    attributes: pd.DataFrame | None,
) -> Iterator[AgreementResult]:
    """The coefficients that make sense of one criterion: marks have an F1, some kinds their own, values have all others."""
    only_marks = is_mark(of_criterion).all()
    repeated = (of_criterion["control"] == "repeat").any()
    kind = kinds().get(str(of_criterion["kind"].iloc[0]))
    own = {
        one.name: one
        for one in (kind.coefficients if kind is not None else ())
        if one.applies is None or one.applies(of_criterion)
    }
    without_values = only_marks or of_criterion["value"].isna().all()
    per_text = one_row_per_text(of_criterion)
    for name in coefficients or tuple(one.name for one in own.values() if one.is_default) or DEFAULT:
        if name == ALIGNMENT:
            if only_marks:
                yield _alignment(one_row_per_text(of_task), how)
        elif name in own and not (without_values and own[name].applies is None):
            with _said_if_unknown(name):
                yield _declared(own[name], of_criterion, attributes, how)
        elif without_values or name not in NAMES:
            continue
        elif not name.startswith(INTRA):
            yield _between(per_text, name, how)
        elif repeated:
            yield _within(per_text, name, how)


@contextmanager
def _said_if_unknown(name: str) -> Iterator[None]:
    """A coefficient that lacks an attribute is left out, with a warning."""
    try:
        yield
    except MissingAttribute as problem:
        undefined(f"{name} is left out: {problem}")


def _declared(
    coefficient: Coefficient, rows: pd.DataFrame, attributes: pd.DataFrame | None, how: Bootstrap
) -> AgreementResult:
    """A coefficient that the kind declares."""
    found = coefficient.function(rows, attributes)
    result = _with_interval(
        coefficient.name, found.estimate, np.arange(found.width), how, assessors=found.assessors
    )
    return replace(result, items=found.items)


def _between(rows: pd.DataFrame, name: str, how: Bootstrap) -> AgreementResult:
    """Assessors against each other, control items left out."""
    first = rows[rows["control"] == ""].sort_values("position", kind="stable")
    things = [*THING, how.strata] if how.strata else THING
    table = first.pivot_table(index=things, columns="assessor", values="value", aggfunc="first")
    strata = table.index.get_level_values(how.strata) if how.strata else None
    items = table.index.get_level_values("item")
    return agreement_coefficient(table, name, items=items, strata=strata, **how.options)


def _within(rows: pd.DataFrame, name: str, how: Bootstrap) -> AgreementResult:
    """Assessors against themselves: the first judgment beside that of the repeated item."""
    rows = rows[rows["control"].isin(["", "repeat"])].sort_values("position", kind="stable")
    table = rows.pivot_table(index=["assessor", *THING], columns="control", values="value", aggfunc="first")
    table = table.reindex(columns=["", "repeat"]).dropna()
    items = table.index.get_level_values("item")
    result = agreement_coefficient(table, name.removeprefix(INTRA), items=items, **how.options)
    assessors = len(set(table.index.get_level_values("assessor")))
    return replace(result, coefficient=name, assessors=assessors)


def _alignment(of_task: pd.DataFrame, how: Bootstrap) -> AgreementResult:
    """F1 of the marked pairs of two assessors, 2·|A ∩ B| / (|A| + |B|), all pairs of assessors summed up.

    Of k assessors who compared an output with a reference, c marked a given pair of units: among their pairs, it is in
    both sets c(c − 1)/2 times, and in either set c(k − 1) times.
    """
    declared = kinds()[of_task["kind"].iloc[0]].marks
    if declared is None:
        raise TypeError("an alignment needs a kind with marks")
    rows = of_task[of_task["control"] == ""]
    marks = rows[rows["criterion"] == declared.criterion]
    graded = rows[rows["criterion"] == declared.compared]
    compared = graded.assign(reference=_reference(graded["unit"]))
    k = compared.groupby(["system", "item", "reference"])["assessor"].nunique()
    k = k[k >= 2]
    c = marks.assign(reference=_reference(marks["unit"].str.rsplit(":", n=1).str[0]))
    counts = (
        c.groupby(["system", "item", "reference", "unit"])["assessor"].nunique().rename("c").reset_index()
    )
    counts = counts.join(k.rename("k"), on=["system", "item", "reference"], how="inner")
    both = (counts["c"] * (counts["c"] - 1)).groupby(counts["item"]).sum()
    either = (counts["c"] * (counts["k"] - 1)).groupby(counts["item"]).sum()
    items = pd.Index(sorted(set(k.index.get_level_values("item"))))
    sums = np.stack([both.reindex(items, fill_value=0), either.reindex(items, fill_value=0)]).astype(float)
    judged = compared.set_index(["system", "item", "reference"])["assessor"]
    return _with_interval(
        ALIGNMENT,
        lambda weights: share_of(weights @ sums[0], weights @ sums[1]),
        np.arange(len(items)),
        how,
        assessors=judged[judged.index.isin(k.index)].nunique(),
    )


def _reference(unit: pd.Series[str]) -> pd.Series[str]:
    return unit.str.rsplit("/", n=1).str[0]


def _with_interval(
    name: str,
    estimate: Estimate,
    groups: npt.NDArray[np.intp],
    how: Bootstrap,
    *,
    assessors: int,
) -> AgreementResult:
    """The estimate with all weights 1, and its interval over items: left out one by one where they are few, else drawn."""
    check_level(how.confidence_level)
    rng, seed = seeded(how.rng)
    items = int(groups.max()) + 1 if len(groups) else 0
    statistic = float(estimate(np.ones((1, len(groups))))[0]) if items else float("nan")
    interval = UNDEFINED_INTERVAL
    if np.isnan(statistic):
        undefined(f"{name} is undefined: nothing was judged twice, or no judgment differs")
    elif items > 1 and how.n_resamples and statistic > 1 - CERTAIN:
        undefined(f"{name} is 1, and has no interval: it would claim to be sure")
    elif 1 < items < FEW_ITEMS and how.n_resamples:
        left_out = np.vstack([np.ones(items), 1 - np.eye(items)])[:, groups]
        ends = jackknife_interval(estimate(left_out), how.confidence_level)
        if np.isnan(ends.low):
            undefined(f"{name} is undefined or the same without single items, and has no interval")
        lowest = 0.0 if not any(word in name for word in BEYOND_CHANCE) else -1.0
        unbounded = name.endswith("-k") or np.isnan(ends.low)
        interval = (
            ends
            if unbounded
            else interval_at(
                lambda level: (max(lowest, ends(level).low), ends(level).high), how.confidence_level
            )
        )
    elif items > 1 and how.n_resamples:
        replicates = np.concatenate(
            [
                estimate(drawn_counts(rng, size, items)[:, groups])
                for size in batches(how.n_resamples, len(groups))
            ]
        )
        known = replicates[np.isfinite(replicates)]
        if len(known) and np.ptp(known) > CERTAIN:
            interval = interval_at(
                lambda level: tuple(np.quantile(known, tails(level, "two-sided"))), how.confidence_level
            )
        else:
            undefined(f"{name} is undefined or the same whichever items are drawn, and has no interval")
    return AgreementResult(name, statistic, interval, items, assessors, how.n_resamples, seed)
