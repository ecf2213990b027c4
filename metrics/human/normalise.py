"""Evaluator normalisation (Doddington 2003; Leusch et al. 2005 §3.5; Banerjee & Lavie 2005 §3.7).

People use a scale differently. Within one study, task, assessor and criterion, ``z`` turns an assessor's scores into
mean 0 and standard deviation 1 (the sample deviation, ddof = 1, as WMT does), ``mean`` only removes the mean, ``rank``
replaces a score by its place among the assessor's own, (rank − ½)/n with ties averaged, and ``none`` leaves it.
"""

from __future__ import annotations

import warnings
from typing import get_args

import pandas as pd

from metrics.choices import Normalise
from metrics.errors import BadInput, UndefinedScoreWarning
from metrics.meta.ties import settled

Method = Normalise
METHODS: tuple[str, ...] = get_args(Method)
EVALUATOR = ["study", "task", "assessor", "criterion"]


def normalised(values: pd.DataFrame, *, method: Method) -> pd.Series[float]:
    """The ``value`` column normalised per evaluator; all rows given take part in mean and deviation."""
    raw = values["value"]
    if method == "none":
        return raw
    evaluator = [values[name] for name in EVALUATOR]
    own = raw.groupby(evaluator, dropna=False, sort=False)
    if method == "mean":
        return raw - own.transform("mean")
    # Values that only rounding tells apart are one value: a coverage of .4 by the grades .2, .4 and .6 in any order.
    own = own.transform(lambda scores: settled(scores.to_numpy())).groupby(
        evaluator, dropna=False, sort=False
    )
    if method == "rank":
        return (own.rank() - 0.5) / own.transform("count")
    if method != "z":
        raise BadInput(f"expected a normalisation among {', '.join(METHODS)}, found {method!r}")
    deviation = own.transform("std", ddof=1)
    # Equal scores can leave a deviation of a few units in the last place, which would blow up into nonsense.
    constant = own.transform("min") == own.transform("max")
    deviation = deviation.mask(constant)
    flat = sorted(values.loc[deviation.isna() & raw.notna(), "assessor"].unique())
    if flat:
        warnings.warn(
            f"z is undefined for assessors with one judgment or no variance: {', '.join(flat)}",
            UndefinedScoreWarning,
            stacklevel=4,
        )
    return (raw - own.transform("mean")) / deviation


def distributions(values: pd.DataFrame, *, method: Method = "z") -> pd.DataFrame:
    """How each assessor used the scale, before and after (Leusch et al. Figure 1, as quartiles).

    ``task, criterion, assessor, stage, n, mean, deviation, minimum, lower, median, upper, maximum`` with stage
    ``raw`` or the method's name.
    """
    stages = []
    for stage, column in (("raw", values["value"]), (method, normalised(values, method=method))):
        own = column.groupby([values[name] for name in ("task", "criterion", "assessor")])
        table = own.agg(["count", "mean", "std", "min", "median", "max"])
        table["lower"], table["upper"] = own.quantile(0.25), own.quantile(0.75)
        stages.append(table.assign(stage=stage))
    table = pd.concat(stages).reset_index()
    table = table.rename(columns={"count": "n", "std": "deviation", "min": "minimum", "max": "maximum"})
    order = ["n", "mean", "deviation", "minimum", "lower", "median", "upper", "maximum"]
    return table[["task", "criterion", "assessor", "stage", *order]]


def shares(values: pd.DataFrame) -> pd.DataFrame:
    """How often each assessor gave each value: ``task, criterion, assessor, value, count, share`` (their Figure 1)."""
    key = ["task", "criterion", "assessor"]
    counted = values.dropna(subset="value").groupby([*key, "value"]).size().rename("count").reset_index()
    counted["share"] = counted["count"] / counted.groupby(key)["count"].transform("sum")
    return counted
