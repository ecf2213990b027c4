"""Who wins, and how sure? A crossed mixed model of the single judgments.

    value = system + item + assessor + assessor × system + item × system + error

Systems are fixed, all else is random, so that what is found holds for other items *and* other assessors than those of
the study (Clark 1973; Barr, Levy, Scheepers & Tily 2013: random effects must include what varies within them). An assessor
may like a system more than others do (assessor × system), and a system may do well on an item (item × system, which is one
output, judged by several): leaving out either takes many judgments of one thing for many things, and finds differences in
up to 40 % of studies of equal systems. Terms that the design cannot tell from others are left out, and said.

All pairs are tested at once, in one family: each pair's t with its own standard error and Satterthwaite degrees of freedom,
adjusted by Holm; headline, clusters and table all come from these p-values. ``tukey`` takes the studentised range instead, as
emmeans does with lmerTest: it finds more, but its joint distribution holds exactly in balanced designs with one error
term only, and with three assessors it errs a little more often than it says (benchmarks/calibration.py).
Where the model cannot be fitted, items and assessors are bootstrapped (``crossed_bootstrap``), and the result says so.

``scale="ordinal"`` takes ratings as ordered steps of unknown width (``metrics.meta.ordinal``): the same terms, tests and
degrees of freedom, and estimates in logits about the mean of the systems.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np
import pandas as pd
from scipy import special

from metrics.errors import BadInput
from metrics.meta.common import FloatArray, IntArray, Rng, check_choice, check_level, seeded
from metrics.meta.crossed_bootstrap import crossed_bootstrap
from metrics.meta.judged import Judged, judged
from metrics.meta.multiplicity import adjust
from metrics.meta.ordinal import MOST_STEPS, fit_ordinal
from metrics.meta.ranking import RankedSystem, significance_clusters
from metrics.meta.reml import NotFitted, RemlFit, fit_reml
from metrics.meta.studentized import range_quantile, range_tail
from metrics.signature import signature

Correction = Literal["tukey", "holm"]
Scale = Literal["interval", "ordinal"]
Method = Literal["mixed-model", "ordinal-model", "bootstrap"]
TERMS = ("item", "assessor", "assessor:system", "item:system")
RESAMPLES = 9_999


@dataclass(frozen=True)
class SystemPairs:
    """All pairs of systems, ``first`` < ``second``: numbers of the systems of the model.

    ``low`` and ``high`` hold for all pairs together, as ``pvalue_adjusted`` does. With ``tukey`` one is below α exactly where
    the other leaves out 0; beside Holm's p-values they are Bonferroni's, a little wide.
    """

    first: IntArray
    second: IntArray
    difference: FloatArray
    error: FloatArray
    df: FloatArray
    statistic: FloatArray
    pvalue: FloatArray
    pvalue_adjusted: FloatArray
    low: FloatArray
    high: FloatArray


@dataclass(frozen=True)
class SystemModel:
    """Estimates of the systems, in the order of ``systems``, and all pairs of them.

    ``variances`` are those of the random terms and of ``residual``; empty after a bootstrap. ``left_out`` says of each
    term that is not in the model why. ``why`` says why it is not the model that was asked for, and is empty otherwise.
    ``unit`` is that of the estimates: of the scores, or logits about the mean of the systems.
    """

    systems: tuple[str, ...]
    estimate: FloatArray
    error: FloatArray
    df: FloatArray
    low: FloatArray
    high: FloatArray
    pairs: SystemPairs
    variances: dict[str, float]
    left_out: dict[str, str]
    generalises_over: tuple[str, ...]
    method: Method
    why: str
    judgments: int
    items: int
    assessors: int
    correction: str
    confidence_level: float
    options: dict[str, object] = field(default_factory=dict)

    @property
    def unit(self) -> str:
        return "logits" if self.method == "ordinal-model" else "scores"

    @property
    def boundary(self) -> tuple[str, ...]:
        """The random terms whose variance is estimated as 0."""
        return tuple(name for name, variance in self.variances.items() if variance == 0)

    def frame(self) -> pd.DataFrame:
        """``system, estimate, error, df, low, high``, the highest first."""
        columns = ("estimate", "error", "df", "low", "high")
        table = pd.DataFrame({"system": self.systems} | {name: getattr(self, name) for name in columns})
        return table.sort_values("estimate", ascending=False, kind="stable", ignore_index=True)

    def pair_frame(self) -> pd.DataFrame:
        """One row per pair, the higher system first, with the difference that was tested."""
        pairs, names = self.pairs, np.array(self.systems, dtype=object)
        sign = np.where(pairs.difference < 0, -1.0, 1.0)
        ahead = np.where(sign > 0, pairs.first, pairs.second)
        behind = np.where(sign > 0, pairs.second, pairs.first)
        table = pd.DataFrame(
            {
                "system_a": names[ahead],
                "system_b": names[behind],
                "difference": sign * pairs.difference,
                "low": np.where(sign > 0, pairs.low, -pairs.high),
                "high": np.where(sign > 0, pairs.high, -pairs.low),
                "error": pairs.error,
                "df": pairs.df,
                "statistic": sign * pairs.statistic,
                "pvalue": pairs.pvalue,
                "pvalue_adjusted": pairs.pvalue_adjusted,
            }
        )
        order = np.lexsort((-self.estimate[behind], -self.estimate[ahead]))
        return table.iloc[order].reset_index(drop=True)

    def better(self) -> FloatArray:
        """``[i, j]``: the adjusted p-value where system i is above system j, 1 where it is not; for clusters."""
        count = len(self.systems)
        table = np.ones((count, count))
        above = self.pairs.difference > 0
        ahead = np.where(above, self.pairs.first, self.pairs.second)
        behind = np.where(above, self.pairs.second, self.pairs.first)
        table[ahead, behind] = np.nan_to_num(self.pairs.pvalue_adjusted, nan=1.0)
        return table

    def clusters(self, *, alpha: float = 0.05) -> list[RankedSystem]:
        """Ranks and clusters from the adjusted p-values."""
        return significance_clusters(self.systems, self.estimate, self.better(), alpha=alpha)

    @property
    def signature(self) -> str:
        base = {
            "over": "+".join(self.generalises_over) or "nothing",
            "correction": self.correction,
            "systems": len(self.systems),
            "items": self.items,
            "assessors": self.assessors,
            "judgments": self.judgments,
            "confidence": self.confidence_level,
        }
        return signature(self.method, base | self.options)


def system_model(
    judgments: pd.DataFrame,
    *,
    terms: Sequence[str] | None = None,
    scale: Scale = "interval",
    correction: Correction = "holm",
    confidence_level: float = 0.95,
    n_resamples: int = RESAMPLES,
    rng: Rng = None,
) -> SystemModel:
    """Fit the model to ``assessor, system, item, value``; ``n_resamples`` and ``rng`` are for the bootstrap alone.

    ``terms`` chooses among the random terms; without, all that the design can tell apart are in. ``scale`` is ``ordinal`` for
    ratings of few steps; where that model cannot be fitted, the one of intervals is, and ``why`` says so.

    >>> rows = [(a, s, i, 2 + (s == "x") + 0.1 * ((3 * a + 5 * i + (s == "x")) % 7)) for a in range(3)
    ...         for s in "xy" for i in range(6)]
    >>> model = system_model(pd.DataFrame(rows, columns=["assessor", "system", "item", "value"]))
    >>> model.systems, model.estimate.round(3).tolist(), bool(model.pairs.pvalue_adjusted[0] < 0.05)
    (('x', 'y'), [3.289, 2.306], True)
    """
    check_choice("correction", correction, get_args(Correction))
    check_choice("scale", scale, get_args(Scale))
    check_level(confidence_level)
    data = judged(judgments)
    if len(data.systems) < 2:
        raise BadInput("a comparison needs two systems or more", column="system")
    for term in terms or ():
        check_choice("term", term, TERMS)
    used, left_out = usable_terms(data, TERMS if terms is None else terms)
    why = ""
    if scale == "ordinal":
        try:
            return _fitted(data, used, left_out, correction, confidence_level, ordinal=True)
        except NotFitted as problem:
            why = f"the ordinal model could not be fitted: {problem}"
    try:
        return _fitted(data, used, left_out, correction, confidence_level, why=why)
    except NotFitted as problem:
        return _bootstrapped(data, left_out, str(problem), confidence_level, n_resamples, rng)


def usable_terms(
    data: Judged, wanted: Sequence[str] = TERMS, *, fixed: bool = True
) -> tuple[list[str], dict[str, str]]:
    """The random terms that this design can tell apart, and of the others why not; ``fixed``: systems are a fixed effect."""
    used: list[str] = []
    left_out: dict[str, str] = {}
    taken: dict[bytes, str] = {}
    systems = data.codes("system")
    for term in wanted:
        codes = data.codes(term)
        levels = int(codes.max(initial=-1)) + 1
        partition = _canonical(codes).tobytes()
        if levels < 2:
            left_out[term] = "there is only one"
        elif levels == len(data):
            left_out[term] = "each has one judgment only: it cannot be told from the error"
        elif fixed and partition == _canonical(systems).tobytes():
            left_out[term] = "it cannot be told from the systems"
        elif partition in taken:
            left_out[term] = f"it cannot be told from {taken[partition]}"
        else:
            used.append(term)
            taken[partition] = term
    return used, left_out


def _canonical(codes: IntArray) -> IntArray:
    """The same numbers for the same partition, whatever its parts are called."""
    _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    return np.asarray(first[inverse], dtype=np.intp)


def _interval_fit(data: Judged, used: list[str]) -> tuple[RemlFit, dict[str, object]]:
    X = np.zeros((len(data), len(data.systems)))
    X[np.arange(len(data)), data.system] = 1
    fit = fit_reml(data.value, X, [data.codes(term) for term in used])
    return fit, {"random": "+".join(used) or "none", "estimation": "reml", "df": "satterthwaite"}


def _ordinal_fit(data: Judged, used: list[str]) -> tuple[RemlFit, dict[str, object]]:
    categories, steps = np.unique(data.value, return_inverse=True)
    if not 1 < len(categories) <= MOST_STEPS:
        raise NotFitted(f"{len(categories)} different values are no scale of 2 to {MOST_STEPS} steps")
    fit = fit_ordinal(np.asarray(steps, dtype=np.intp), data.system, [data.codes(term) for term in used])
    made = {"random": "+".join(used) or "none", "estimation": "laplace-reml", "df": "satterthwaite"}
    return fit, made | {"link": "logit", "steps": len(categories)}


def _fitted(
    data: Judged,
    used: list[str],
    left_out: dict[str, str],
    correction: Correction,
    level: float,
    *,
    ordinal: bool = False,
    why: str = "",
) -> SystemModel:
    systems = len(data.systems)
    fit, options = (_ordinal_fit if ordinal else _interval_fit)(data, used)
    # Known spreads would leave the ordinal model without any limit.
    most = float(len(data) - systems) if ordinal else np.inf
    first, second = np.triu_indices(systems, 1)
    contrasts = np.zeros((len(first), systems))
    contrasts[np.arange(len(first)), first] = 1
    contrasts[np.arange(len(first)), second] = -1
    df = np.minimum(fit.satterthwaite(np.eye(systems)), most)
    error = np.sqrt(np.diag(fit.covariance))
    reach = special.stdtrit(df, (1 + level) / 2) * error
    variances = {term: float(variance) for term, variance in zip(used, fit.variances, strict=True)}
    return SystemModel(
        systems=data.systems,
        estimate=fit.beta,
        error=error,
        df=df,
        low=fit.beta - reach,
        high=fit.beta + reach,
        pairs=_tested(
            contrasts @ fit.beta,
            np.sqrt(np.einsum("ij,jk,ik->i", contrasts, fit.covariance, contrasts)),
            np.minimum(fit.satterthwaite(contrasts), most),
            systems,
            correction,
            level,
        ),
        variances=variances | {"residual": fit.residual},
        left_out=left_out,
        generalises_over=_generalised(used),
        method="ordinal-model" if ordinal else "mixed-model",
        why=why,
        judgments=len(data),
        items=len(data.items),
        assessors=len(data.assessors),
        correction=correction,
        confidence_level=level,
        options=options,
    )


def _tested(
    difference: FloatArray,
    error: FloatArray,
    df: FloatArray,
    systems: int,
    correction: Correction,
    level: float,
) -> SystemPairs:
    first, second = np.triu_indices(systems, 1)
    statistic = difference / error
    pvalue = 2 * special.stdtr(df, -np.abs(statistic))
    if correction == "tukey":
        adjusted = range_tail(np.abs(statistic) * np.sqrt(2), systems, df)
        reach = range_quantile(level, systems, df) / np.sqrt(2) * error
    else:
        adjusted = adjust(pvalue, "holm")
        reach = special.stdtrit(df, 1 - (1 - level) / 2 / len(first)) * error
    return SystemPairs(
        first,
        second,
        difference,
        error,
        df,
        statistic,
        pvalue,
        np.maximum(adjusted, pvalue),
        difference - reach,
        difference + reach,
    )


def _generalised(used: Sequence[str]) -> tuple[str, ...]:
    """What the model lets vary: other assessors, where an assessor or assessor × system is random; items alike."""
    over = {name for term in used for name in term.split(":")} - {"system"}
    return tuple(f"{name}s" for name in ("item", "assessor") if name in over)


def _bootstrapped(
    data: Judged, left_out: dict[str, str], why: str, level: float, n_resamples: int, rng: Rng
) -> SystemModel:
    generator, seed = seeded(rng)
    drawn = crossed_bootstrap(data, confidence_level=level, n_resamples=n_resamples, rng=generator)
    first, second = np.triu_indices(len(data.systems), 1)
    unknown = np.full(len(first), np.nan)
    return SystemModel(
        systems=data.systems,
        estimate=drawn.mean,
        error=drawn.error,
        df=np.full(len(data.systems), np.nan),
        low=drawn.low,
        high=drawn.high,
        pairs=SystemPairs(
            first,
            second,
            drawn.difference,
            drawn.pair_error,
            unknown,
            drawn.statistic,
            drawn.pvalue,
            drawn.pvalue_adjusted,
            drawn.pair_low,
            drawn.pair_high,
        ),
        variances={},
        left_out=left_out,
        generalises_over=drawn.over,
        method="bootstrap",
        why=why,
        judgments=len(data),
        items=len(data.items),
        assessors=len(data.assessors),
        correction="max-t",
        confidence_level=level,
        options={"resamples": n_resamples, "seed": seed},
    )
