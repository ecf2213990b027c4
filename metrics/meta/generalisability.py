"""A generalisability study: where does the noise come from, and what would more items or more assessors buy?

Cronbach, Gleser, Nanda & Rajaratnam (1972); Brennan (2001). The *G-study* splits the variance of single judgments into
systems, items, assessors and what they do together, all random, by REML. The *D-study* asks what a planned study with so
many items and assessors would have: its generalisability coefficient (of a ranking), its dependability Φ (of scores as
they stand), the standard error of a difference of two systems, and the power to find one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import special

from metrics.errors import BadInput
from metrics.meta.common import check_positive, undefined
from metrics.meta.judged import judged
from metrics.meta.reml import NotFitted, fit_reml
from metrics.meta.system_model import usable_terms
from metrics.signature import signature

FACETS = ("system", "item", "assessor", "assessor:system", "item:system", "assessor:item")


@dataclass(frozen=True)
class PlannedStudy:
    """What a study of ``items`` × ``assessors`` would have, with so many of them for each output (all, if not said otherwise).

    ``detectable``: the true difference of two systems that a single test would find with the power asked for.
    ``mean_error`` and ``mean_df`` are of a system's mean, for other items and other assessors.
    """

    items: int
    assessors: int
    generalisability: float
    dependability: float
    difference_error: float
    df: float
    detectable: float
    power: float
    mean_error: float
    mean_df: float


@dataclass(frozen=True)
class GeneralisabilityStudy:
    """Variance components of single judgments, ``residual`` last, and how many of each facet they come from.

    ``outputs`` were judged: of every system on every item, if not said otherwise.
    """

    variances: dict[str, float]
    left_out: dict[str, str]
    systems: int
    items: int
    assessors: int
    judgments: int
    outputs: int | None = None

    def shares(self) -> dict[str, float]:
        """Each component as a share of the variance of a single judgment."""
        total = sum(self.variances.values())
        return {name: value / total for name, value in self.variances.items()}

    def plan(
        self,
        items: int,
        assessors: int,
        *,
        per_output: int | None = None,
        effect: float | None = None,
        alpha: float = 0.05,
        target: float = 0.8,
    ) -> PlannedStudy:
        """The D-study of one size; ``effect`` is the true difference whose power is asked for (NaN without).

        ``per_output``: so many of the assessors judge each output, and all of them every system equally often.
        """
        check_positive("items", items)
        check_positive("assessors", assessors)
        each = assessors if per_output is None else per_output
        check_positive("per_output", each)
        if each > assessors:
            raise BadInput(f"{each} assessors cannot judge each output: there are {assessors}")
        if self._unknown(items, assessors):
            undefined(self._unknown(items, assessors))
            nan = float("nan")
            return PlannedStudy(items, assessors, *[nan] * 8)
        levels = {
            "item": items,
            "assessor": assessors,
            "assessor:system": assessors,
            "item:system": items,
            "assessor:item": items * each,
            "residual": items * each,
        }
        parts = {name: self.variances.get(name, 0.0) / number for name, number in levels.items()}
        if each == 1:
            # One judgment of each output: how well a system did on an item is part of the error.
            parts["residual"] += parts["item:system"]
            parts["item:system"] = 0.0
        system = self.variances.get("system", 0.0)
        relative = parts["assessor:system"] + parts["item:system"] + parts["residual"]
        absolute = sum(parts.values())
        error = float(np.sqrt(2 * relative))
        df = self._freedom(parts, items, assessors, each)
        return PlannedStudy(
            items=items,
            assessors=assessors,
            generalisability=_ratio(system, system + relative),
            dependability=_ratio(system, system + absolute),
            difference_error=error,
            df=df,
            detectable=detectable_difference(error, df, alpha=alpha, power=target),
            power=float("nan") if effect is None else t_power(effect, error, df, alpha=alpha),
            mean_error=float(np.sqrt(absolute)),
            mean_df=self._mean_freedom(parts, items, assessors, each),
        )

    def plans(
        self, items: Sequence[int], assessors: Sequence[int], *, effect: float | None = None
    ) -> pd.DataFrame:
        """The D-study of every combination."""
        return pd.DataFrame([vars(self.plan(i, a, effect=effect)) for a in assessors for i in items])

    def own(self, *, alpha: float = 0.05) -> PlannedStudy:
        """The study itself: as many items of a system, and as many judgments of an output, as it has on average.

        Systems may have been judged on items of their own, and an output by some of the assessors.
        """
        return self._times(alpha=alpha)

    def _times(self, *, items: int = 1, assessors: int = 1, alpha: float = 0.05) -> PlannedStudy:
        """The study with so many times its items, or its assessors; either takes so many times the judgments."""
        outputs = self.systems * self.items if self.outputs is None else self.outputs
        each = min(self.assessors, max(1, round(self.judgments / outputs)))
        of_system = max(1, round(outputs / self.systems))
        return self.plan(
            items * of_system, assessors * self.assessors, per_output=assessors * each, alpha=alpha
        )

    def advice(self) -> str:
        """Items or assessors: which of the two brings the error of a difference down further, if doubled?"""
        unknown = self._unknown(2 * self.items, 2 * self.assessors)
        if unknown:
            return f"{unknown[:1].upper()}{unknown[1:]}."
        here = self.own().difference_error
        if here == 0:
            return "Judgments differ by system alone: more of them would change nothing."
        items = 1 - self._times(items=2).difference_error / here
        assessors = 1 - self._times(assessors=2).difference_error / here
        at_most = (
            ""
            if "item:system" in self.variances
            else "; how well a system did on an item cannot be told from the error, so that assessors may bring less"
        )
        if round(100 * items) == round(100 * assessors):
            return (
                f"Add items or assessors: twice as many of either would take {100 * items:.0f} % off the error of a "
                f"difference between systems{at_most}."
            )
        better, worse = ("items", "assessors") if items > assessors else ("assessors", "items")
        most, least = max(items, assessors), min(items, assessors)
        return (
            f"Add {better}: twice as many would take {100 * most:.0f} % off the error of a difference between systems, "
            f"twice as many {worse} {100 * least:.0f} %{at_most}."
        )

    def _unknown(self, items: int, assessors: int) -> str:
        """Why a study of another size cannot be planned from this one; empty where it can."""
        if "system" not in self.variances or (items != self.items and self.items < 2):
            return "what other items would bring cannot be told from this study"
        if assessors != self.assessors and "assessor:system" not in self.variances:
            return "what other assessors would bring cannot be told from this study"
        return ""

    @property
    def signature(self) -> str:
        sizes: dict[str, object] = {"systems": self.systems, "items": self.items, "assessors": self.assessors}
        random = "+".join(name for name in self.variances if name != "residual")
        return signature("generalisability", sizes | {"random": random, "estimation": "reml"})

    def _freedom(self, parts: dict[str, float], items: int, assessors: int, each: int) -> float:
        """Satterthwaite's degrees of freedom of a planned difference, from the mean squares of a balanced design.

        With K assessors for each output, σ²_as/A + σ²_is/I + σ²/(IK) = (MS_as + MS_is − MS)/(IK); a component of 0 drops
        its mean square.
        """
        systems = max(2, self.systems)
        residual = parts["residual"]
        squares = [
            (parts[name] + residual, (number - 1) * (systems - 1))
            for name, number in (("assessor:system", assessors), ("item:system", items))
            if parts[name] > 0 and number > 1
        ]
        left = items * each * systems - systems - (items - 1) - (assessors - 1) - sum(df for _, df in squares)
        if parts["assessor:item"] > 0:
            left -= items * each - items - assessors + 1
        squares.append(((1 - len(squares)) * residual, left))
        return _satterthwaite(squares)

    def _mean_freedom(self, parts: dict[str, float], items: int, assessors: int, each: int) -> float:
        """The same of a system's mean: (MS_i/S + MS_a/S + (1 − 1/S)(MS_as + MS_is) − MS)/(IK), systems being fixed."""
        systems = max(2, self.systems)
        residual = parts["residual"] + parts["assessor:item"]
        squares: list[tuple[float, float]] = []
        coefficient = 1.0  # what is left of the residual, which is in every mean square
        for name, number in (("assessor", assessors), ("item", items)):
            within = parts[f"{name}:system"]
            if number > 1:
                squares.append((parts[name] + (within + residual) / systems, number - 1))
                coefficient -= 1 / systems
            if number > 1 and within > 0:
                squares.append(((1 - 1 / systems) * (within + residual), (number - 1) * (systems - 1)))
                coefficient -= 1 - 1 / systems
        left = (items * each - 1) * systems - sum(df for _, df in squares)
        squares.append((coefficient * residual, left))
        return _satterthwaite(squares)


def _satterthwaite(squares: Sequence[tuple[float, float]]) -> float:
    """Degrees of freedom of a sum of mean squares, each with its own."""
    known = [(square, df) for square, df in squares if df > 0]
    total = sum(square for square, _ in known)
    spread = sum(square**2 / df for square, df in known)
    return float(total**2 / spread) if spread > 0 else float("nan")


def generalisability(judgments: pd.DataFrame) -> GeneralisabilityStudy:
    """Variance components of ``assessor, system, item, value``; components that cannot be told apart are left out.

    >>> rows = [(a, s, i, s + 0.5 * (i % 3) + 0.3 * a + 0.1 * ((5 * a + 3 * i + 2 * s) % 4))
    ...         for a in range(3) for s in range(4) for i in range(6)]
    >>> study = generalisability(pd.DataFrame(rows, columns=["assessor", "system", "item", "value"]))
    >>> round(study.variances["system"], 2), study.plan(6, 3).generalisability > 0.99
    (1.68, True)
    """
    data = judged(judgments)
    if len(data.systems) < 2:
        raise BadInput("a generalisability study needs two systems or more", column="system")
    # A component of the systems is what is sought: here it is random, so nothing can be confused with a fixed effect.
    used, left_out = usable_terms(data, FACETS, fixed=False)
    try:
        fit = fit_reml(data.value, np.ones((len(data), 1)), [data.codes(term) for term in used])
    except NotFitted as problem:
        raise BadInput(f"variance components cannot be estimated: {problem}") from problem
    return GeneralisabilityStudy(
        variances={term: float(value) for term, value in zip(used, fit.variances, strict=True)}
        | {"residual": fit.residual},
        left_out=left_out,
        systems=len(data.systems),
        items=len(data.items),
        assessors=len(data.assessors),
        judgments=len(data),
        outputs=int(data.codes("item:system").max()) + 1,
    )


def t_power(effect: float, error: float, df: float, *, alpha: float = 0.05) -> float:
    """The chance that a two-sided t-test finds a true difference, by the noncentral t distribution.

    >>> round(t_power(0.5, 0.2, 20), 3)
    0.662
    """
    if not (error > 0 and df > 0):
        return float("nan")
    critical = special.stdtrit(df, 1 - alpha / 2)
    away = abs(effect) / error
    # The functions behind stats.nct, without its checks of arguments, which cost a hundred times as much.
    return float(1 - special.nctdtr(df, away, critical) + special.nctdtr(df, away, -critical))


def detectable_difference(error: float, df: float, *, alpha: float = 0.05, power: float = 0.8) -> float:
    """The smallest true difference that a two-sided t-test finds with this power.

    >>> round(detectable_difference(0.2, 20), 3)
    0.589
    """
    if not (error > 0 and df > 0):
        return float("nan")
    low, high = 0.0, float(special.stdtrit(df, 1 - alpha / 2) + special.stdtrit(df, power)) * 2 + 1
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if t_power(middle, 1.0, df, alpha=alpha) < power else (low, middle)
    return float((low + high) / 2 * error)


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole > 0 else float("nan")
