"""Beyond who wins: would more items or more assessors help, how severe is each assessor, how high can a metric correlate?"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from metrics.errors import BadInput, UndefinedScoreWarning
from metrics.meta.effects import reliability_ceiling
from metrics.meta.generalisability import GeneralisabilityStudy
from metrics.meta.rasch import MOST_STEPS, RaschModel, rasch
from metrics.meta.system_model import SystemModel, system_model
from metrics.report.book import Book, plain
from metrics.report.human import HumanResult
from metrics.report.numbers import amount, coefficient, listed, share
from metrics.report.options import Options
from metrics.signature import signature

COMPONENTS = {
    "system": "by system",
    "item": "by item",
    "assessor": "by assessor",
    "assessor:system": "by assessor × system",
    "item:system": "by item × system",
    "residual": "otherwise",
}
SPLITS = 500
MOST_RASCH = 4_000_000
"""Judgments times parameters; above, the many-facet model would take minutes."""


def generalised(human: HumanResult, options: Options, book: Book) -> dict[str, Any]:
    """``generalisability``, ``rasch`` and ``ceiling`` of a human score; None where they do not apply."""
    study = _study(human, options, book)
    return {
        "generalisability": study,
        "rasch": _rasch(human, book),
        "ceiling": _ceiling(human, study, options, book),
    }


def _study(human: HumanResult, options: Options, book: Book) -> dict[str, Any] | None:
    """Items or assessors? From the components of the model that the systems were compared by."""
    model = human.comparison.model
    if model is not None and model.method == "ordinal-model":
        # Shares of variance, and what more judgments would bring, are of the scores themselves.
        model = system_model(human.judgments, confidence_level=options.confidence_level, rng=options.seed)
    if model is None or model.method != "mixed-model" or "assessor:system" not in model.variances:
        return None
    study = components(model, outputs=len(human.judgments[["system", "item"]].drop_duplicates()))
    here = study.own(alpha=options.alpha)
    shares, advice = study.shares(), study.advice()
    parts = [f"{share(value)} {COMPONENTS[name]}" for name, value in shares.items()]
    return {
        "shares": {name: plain(value) for name, value in shares.items()},
        "generalisability": plain(here.generalisability),
        "detectable": plain(here.detectable),
        "advice": advice,
        "sentence": f"Variance of single judgments: {listed(parts, most=len(parts))}. The generalisability of the order of systems is "
        f"{coefficient(here.generalisability)}. {advice}",
        "signature": book.sign(study.signature),
    }


def components(model: SystemModel, *, outputs: int | None = None) -> GeneralisabilityStudy:
    """Variance components from the model of the systems, theirs being what their estimates vary beyond their errors.

    In a balanced design these are the estimates of an analysis of variance.
    """
    error = float(np.nanmean(model.pairs.error**2)) / 2
    system = max(0.0, float(np.var(model.estimate, ddof=1)) - error)
    return GeneralisabilityStudy(
        variances={"system": system} | model.variances,
        left_out=model.left_out,
        systems=len(model.systems),
        items=model.items,
        assessors=model.assessors,
        judgments=model.judgments,
        outputs=outputs,
    )


def _rasch(human: HumanResult, book: Book) -> dict[str, Any] | None:
    """Severity and fit of each assessor, for scales of few steps that all systems' assessors share."""
    rows = human.judgments
    steps = rows["value"].nunique()
    people = rows["assessor"].nunique()
    facets = sum(rows[name].nunique() for name in ("system", "item", "assessor"))
    if people < 2 or not 2 <= steps <= MOST_STEPS or human.comparison.model is None:
        return None
    if not np.allclose(rows["value"], rows["value"].round()):
        return None
    if len(rows) * facets > MOST_RASCH:
        book.miss("rasch", "the many-facet model would take too long with so many items", human=human.id)
        return None
    try:
        with book.noting("rasch", human=human.id):
            found = rasch(rows)
    except BadInput as problem:
        book.miss("rasch", str(problem), human=human.id)
        return None
    table = found.assessors.sort_values("measure", ascending=False, kind="stable", ignore_index=True)
    book.add(
        f"severity-{human.section['slug']}",
        f"Severity of assessors by {human.id}",
        table,
        signature=found.signature,
        human=human.id,
    )
    return {
        "assessors": book.json_table(table),
        "odd": list(found.odd_assessors()),
        "sentence": _severity(found),
        "signature": book.sign(found.signature),
    }


def _severity(model: RaschModel) -> str:
    by_measure = model.assessors.sort_values("measure", kind="stable")
    (lenient, low), (severe, high) = (
        (str(by_measure["assessor"].iloc[place]), float(by_measure["measure"].iloc[place]))
        for place in (0, -1)
    )
    odd = model.odd_assessors()
    unlike = (
        f" {listed(odd)} judged unlike the others (infit or outfit above 1.5, and not by chance)."
        if odd
        else ""
    )
    return f"The most severe assessor is {severe} ({amount(high)} logits), the most lenient {lenient} ({amount(low)}).{unlike}"


def _ceiling(
    human: HumanResult, study: dict[str, Any] | None, options: Options, book: Book
) -> dict[str, Any] | None:
    """How high a metric can be expected to correlate with scores that are noisy themselves: √reliability.

    The reliability is the generalisability coefficient, for other items and other assessors; without one, that of halves of
    the items, judged by the same people.
    """
    if study is not None:
        reliability, over, how = (
            study["generalisability"],
            "other items and other assessors",
            study["signature"],
        )
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedScoreWarning)
            found = reliability_ceiling(human.matrix, splits=SPLITS, rng=options.seed)
        reliability, over = found.reliability, "other items, judged by the same people"
        line = signature("reliability-ceiling", {"halves": "items", "splits": SPLITS, "seed": options.seed})
        how = book.sign(line)
    if reliability is None or not np.isfinite(reliability):
        return None
    ceiling = float(np.sqrt(max(0.0, reliability)))
    return {
        "reliability": plain(reliability),
        "ceiling": ceiling,
        "over": over,
        "sentence": f"Human scores are noisy too: their reliability, for {over}, is {coefficient(reliability)}, so that no metric "
        f"can be expected to correlate higher than {coefficient(ceiling)}.",
        "signature": how,
    }
