"""Scores of comparisons: shares of wins, means of values, and models of strength; with how sure each of them is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import pandas as pd

from metrics.errors import BadInput
from metrics.human.base import ASSESSMENT, HumanScore, Resampling, counts, score_table
from metrics.human.comparison import (
    TALLY,
    Material,
    compared_rows,
    material,
    pairs_of,
    rankings_of,
    share,
    strict_rankings,
    tallies,
)
from metrics.human.comparison_resampling import (
    RUNS,
    item_counts,
    mean_of_runs,
    preferences,
    resampled_fits,
    resampled_means,
    resampled_rankings,
    resampled_shares,
    trueskill_runs,
    trueskill_runs_of_sets,
)
from metrics.human.kind import Option, Score
from metrics.human.strengths import Strengths, bradley_terry, davidson, expected_wins, plackett_luce
from metrics.signature import DEFAULT_SEED, signature


def _shares(
    name: str,
    judgments: pd.DataFrame,
    attributes: pd.DataFrame | None,
    task: str | None,
    criterion: str,
    half: bool,
) -> HumanScore:
    rows, reading = compared_rows(judgments, task=task, criterion=criterion)
    pairs = pairs_of(rows, reading, attributes)
    tally = tallies(rows, pairs)
    assessments = tally.assign(value=share(tally, half=half))
    return HumanScore(
        name=name,
        scores=score_table(name, share(tally.groupby(["system", "item"])[TALLY].sum(), half=half)),
        assessments=assessments[[*ASSESSMENT, "value"]],
        signature=_signed(name, "item", rows, assessments, len(pairs) // 2),
        pooled=share(tally.groupby("system")[TALLY].sum(), half=half),
        resampling=resampled_shares(tally, sorted(rows["system"].unique()), half=half),
        preferences=preferences(pairs),
    )


def _signed(
    name: str, level: str, rows: pd.DataFrame, assessments: pd.DataFrame, pairs: int, **options: object
) -> str:
    criteria = "+".join(dict.fromkeys(rows["criterion"]))
    about = {"level": level, "criteria": criteria, **options, "controls": "out"}
    return signature(name, {**about, **counts(assessments), "pairs": pairs})


def wins(
    judgments: pd.DataFrame,
    *,
    attributes: pd.DataFrame | None = None,
    task: str | None = None,
    criterion: str = "",
) -> HumanScore:
    """The share of wins among comparisons that were not tied."""
    return _shares("wins", judgments, attributes, task, criterion, half=False)


def wins_half(
    judgments: pd.DataFrame,
    *,
    attributes: pd.DataFrame | None = None,
    task: str | None = None,
    criterion: str = "",
) -> HumanScore:
    """The share of wins among all comparisons, a tie being half a win."""
    return _shares("wins-half", judgments, attributes, task, criterion, half=True)


def mean_value(
    name: str,
    judgments: pd.DataFrame,
    kind: str,
    *,
    attributes: pd.DataFrame | None,
    task: str | None,
    criterion: str,
) -> HumanScore:
    """The mean of the values a system got over the sets it was shown in."""
    own = judgments[judgments["kind"] == kind]
    if own.empty:
        raise BadInput(f"expected judgments of kind {kind}, found none")
    rows, reading = compared_rows(own, task=task, criterion=criterion)
    assessments = rows.groupby(ASSESSMENT, dropna=False, sort=False)["value"].mean().reset_index()
    return HumanScore(
        name=name,
        scores=score_table(name, rows.groupby(["system", "item"])["value"].mean()),
        assessments=assessments,
        signature=_signed(name, "item", rows, assessments, 0).replace("|pairs:0", ""),
        pooled=rows.groupby("system")["value"].mean(),
        resampling=resampled_means(rows, sorted(rows["system"].unique())),
        preferences=preferences(pairs_of(rows, reading, attributes)),
    )


Fit = Callable[[Material, float], Strengths]


def _expected(given: Material, ridge: float) -> Strengths:
    return expected_wins(given.counts.wins, given.counts.systems)


def _bradley_terry(given: Material, ridge: float) -> Strengths:
    return bradley_terry(given.counts.wins, given.counts.systems, ridge=ridge)


def _davidson(given: Material, ridge: float) -> Strengths:
    return davidson(given.counts.wins, given.counts.ties, given.counts.systems, ridge=ridge)


def _plackett_luce(given: Material, ridge: float) -> Strengths:
    systems = given.counts.systems
    strict = strict_rankings(given.rows, given.reading, given.attributes, systems)
    return plackett_luce(strict.rankings, len(systems), systems, ridge=ridge)


FITS: dict[str, Fit] = {
    "expected-wins": _expected,
    "bradley-terry": _bradley_terry,
    "davidson": _davidson,
    "plackett-luce": _plackett_luce,
}


@dataclass(frozen=True)
class _FittedScore:
    """The function of a score that only whole systems have: its table has a row per system, with an empty item."""

    name: str

    def __call__(
        self,
        judgments: pd.DataFrame,
        *,
        attributes: pd.DataFrame | None = None,
        task: str | None = None,
        criterion: str = "",
        ridge: float = 0.0,
    ) -> HumanScore:
        given = material(*compared_rows(judgments, task=task, criterion=criterion), attributes)
        fitted = FITS[self.name](given, ridge)
        how = {} if self.name == "expected-wins" else {"ridge": f"{ridge:g}"}
        resampling = _resampling(self.name, given, fitted, ridge)
        return _of_systems(self.name, given, fitted.values, resampling, **how)


def _of_systems(
    name: str, given: Material, values: Iterable[float], resampling: Resampling, **how: object
) -> HumanScore:
    """A score of whole systems; what a person said of an output is its share of wins."""
    tally = tallies(given.rows, given.pairs)
    assessments = tally.assign(value=share(tally, half=True))[[*ASSESSMENT, "value"]]
    table = {"metric": name, "system": given.counts.systems, "item": "", "score": list(values)}
    return HumanScore(
        name=name,
        scores=pd.DataFrame(table),
        assessments=assessments,
        signature=_signed(name, "system", given.rows, assessments, len(given.pairs) // 2, **how),
        resampling=resampling,
        preferences=preferences(given.pairs),
    )


def _resampling(name: str, given: Material, fitted: Strengths, ridge: float) -> Resampling:
    systems = given.counts.systems
    if name != "plackett-luce":
        return resampled_fits(item_counts(given.pairs, systems), fitted.values, name, ridge=ridge)
    strict = strict_rankings(given.rows, given.reading, given.attributes, systems)
    items = sorted(given.rows["item"].unique())
    return resampled_rankings(strict.rankings, strict.items, fitted.values, systems, items=items, ridge=ridge)


def trueskill(
    judgments: pd.DataFrame,
    *,
    attributes: pd.DataFrame | None = None,
    task: str | None = None,
    criterion: str = "",
    runs: int = RUNS,
    whole: bool = False,
) -> HumanScore:
    """TrueSkill with WMT's settings, the mean of many runs over resampled items (:mod:`metrics.human.trueskill`).

    ``whole``: a set moves all of its systems at once, rather than two by two as at WMT.
    """
    if runs < 1:
        raise BadInput(f"expected at least 1 run, found {runs}")
    given = material(*compared_rows(judgments, task=task, criterion=criterion), attributes)
    systems = given.counts.systems
    if not whole:
        resampling = trueskill_runs(given.pairs, systems)
    elif given.reading.equal_is_tie:
        rankings = list(rankings_of(given.rows, given.reading, given.attributes, systems))
        resampling = trueskill_runs_of_sets(rankings, systems, len(given.pairs) // 2)
    else:
        raise BadInput(
            "expected rankings for whole sets, found the best and the worst, which order no others"
        )
    values = mean_of_runs(resampling, runs)
    how = {"update": "sets" if whole else "pairs", "runs": runs, "seed": DEFAULT_SEED}
    return _of_systems("trueskill", given, values, resampling, **how)


CRITERION = Option("criterion", "one criterion of a task of comparisons (default all together)")
RIDGE = Option("ridge", "times the squared strengths, taken off the log-likelihood (default 0)", type=float)

WINS = Score(
    "wins",
    wins,
    (CRITERION,),
    meaning="The share of comparisons that the system won, ties left out.",
    definition="the share of comparisons won among those without a tie",
)
WINS_HALF = Score(
    "wins-half",
    wins_half,
    (CRITERION,),
    meaning="The share of comparisons that the system won, a tie being half a win.",
    definition="the share of comparisons won, ties counting half",
)
EXPECTED_WINS = Score(
    "expected-wins",
    _FittedScore("expected-wins"),
    (CRITERION,),
    meaning="How often the system would beat another one drawn at random, ties left out.",
    definition="the share of comparisons won without ties, averaged over opponents (Koehn 2012)",
)
BRADLEY_TERRY = Score(
    "bradley-terry",
    _FittedScore("bradley-terry"),
    (CRITERION, RIDGE),
    meaning="The strength of the system in the Bradley–Terry model, ties left out, 0 on average.",
    definition="the log strength in a Bradley–Terry model without ties, with mean 0 (Bradley and Terry 1952)",
)
DAVIDSON = Score(
    "davidson",
    _FittedScore("davidson"),
    (CRITERION, RIDGE),
    meaning="The strength of the system in Davidson's model of wins and ties, 0 on average.",
    definition="the log strength in Davidson's model with ties, with mean 0 (Davidson 1970)",
)
PLACKETT_LUCE = Score(
    "plackett-luce",
    _FittedScore("plackett-luce"),
    (CRITERION, RIDGE),
    meaning="The strength of the system in the Plackett–Luce model of rankings without ties, 0 on average.",
    definition="the log strength in a Plackett–Luce model of the rankings without ties, with mean 0 (Luce 1959; Plackett 1975)",
)
TRUESKILL = Score(
    "trueskill",
    trueskill,
    (
        CRITERION,
        Option("runs", "over resampled comparisons, averaged (default 1,000)", type=int),
        Option(
            "whole", "a ranking moves all of its systems at once (default two by two, as at WMT)", flag=True
        ),
    ),
    meaning="The skill of the system by TrueSkill, as WMT ranked systems from 2014 to 2016.",
    definition="the mean skill by TrueSkill over runs on resampled items, in random order (Herbrich et al. 2007; Sakaguchi et al. "
    "2014)",
)
