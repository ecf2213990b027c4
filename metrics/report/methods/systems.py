"""How systems were compared, and what may be claimed of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from metrics.meta.design_check import FEWEST_ITEMS, FEWEST_SYSTEMS
from metrics.meta.exact import ALL_SPLITS
from metrics.report.book import records
from metrics.report.exchanges import smallest_of
from metrics.report.numbers import level, listed, percent, whole
from metrics.report.options import RANDOMIZATIONS

TERMS = {
    "item": "items",
    "assessor": "assessors",
    "assessor:system": "assessor × system",
    "item:system": "item × system",
}


def design(data: dict[str, Any]) -> Iterator[str]:
    """What was looked at before any claim, and what came of it."""
    several = [section for section in data["human"] if len(section["systems"]["rows"]) > 1]
    if not several:
        return
    yield (
        "Before any claim the design was checked: whether assessors and items connect all systems, whether who judged what is "
        f"balanced, and whether there are at least {FEWEST_ITEMS} items and {FEWEST_SYSTEMS} systems; without these no system is called best."
    )
    stopped: dict[str, list[str]] = {}
    for section in several:
        if not section["design"]["may_rank"]:
            stopped.setdefault(section["design"]["why"], []).append(section["id"])
    for why, ids in stopped.items():
        of = "" if len(ids) == len(data["human"]) else f" by {listed(ids, most=len(ids))}"
        yield f"Systems are not ranked{of}: {why}."


def systems(data: dict[str, Any]) -> Iterator[str]:
    by_method: dict[str, list[dict[str, Any]]] = {}
    for section in data["human"]:
        by_method.setdefault(section["comparison"]["method"], []).append(section)
    for method, sections in by_method.items():
        of = [] if len(by_method) == 1 else [section["id"] for section in sections]
        by = f" ({listed(of, most=len(of))})" if of else ""
        if any(len(section["systems"]["rows"]) > 1 for section in sections):
            yield from COMPARED[method](data, sections, by)
        if method in ("randomization", "rank-sum"):
            yield from _intervals_over_items(data, sections, by)
    over_items = [
        section for section in data["human"] if section["comparison"]["method"] != "bootstrap-items"
    ]
    if any(len(section["systems"]["rows"]) > 1 for section in over_items):
        yield (
            "Beside each pair stand P(A > B), the share of common items on which the first is ahead, ties counting half, and, "
            "where there is an interval and the test can find any, the true difference that such a comparison would find with power .8 at the level of "
            "Holm's first step."
        )
    if any(section["comparison"].get("beyond_values") for section in data["human"]):
        yield (
            "Intervals by t know no ends of a scale: where one passes the lowest or the highest value that can be given, read it as "
            "ending there."
        )
    if len(data["human"]) > 1:
        yield "Each human score was analysed by itself: nothing is corrected for their number."


FITTED = {
    "mixed-model": ("a crossed mixed model", "restricted maximum likelihood"),
    "ordinal-model": (
        "an ordinal crossed mixed model (cumulative logits, McCullagh 1980)",
        "Laplace's approximation, thresholds and systems integrated as in restricted maximum likelihood; estimates are logits about "
        "the mean of the systems",
    ),
}
"""What a model is called, and how it was fitted."""


def _by_model(data: dict[str, Any], sections: list[dict[str, Any]], by: str) -> Iterator[str]:
    alpha, confidence = level(data["options"]["alpha"]), percent(data["options"]["confidence_level"])
    kind, fitted = FITTED[sections[0]["comparison"]["method"]]
    yield (
        f"Systems were compared{by} by {kind} of the single judgments, for each human score: systems are fixed, items, "
        "assessors, assessor × system and item × system are random, as far as the design can tell them apart; it was fitted by "
        f"{fitted}. What is found so holds for other items and other assessors than those of the study. "
        f"Intervals of systems ({confidence}) are by t; all pairs were tested by t with Satterthwaite's degrees of freedom, p-values "
        f"adjusted for the number of pairs by Holm's method, and intervals of differences hold for all pairs together (Bonferroni).{_lines(sections, alpha)}"
    )
    left_out = dict.fromkeys(
        f"{TERMS[term]} ({why})"
        for section in sections
        for term, why in section["comparison"]["left_out"].items()
    )
    if left_out:
        yield f"Not in the model, for one human score or more: {listed(left_out, most=len(left_out))}."


def _by_bootstrap(data: dict[str, Any], sections: list[dict[str, Any]], by: str) -> Iterator[str]:
    reasons = listed(dict.fromkeys(section["comparison"]["why"] for section in sections))
    yield (
        f"Because {reasons}{by}, items and assessors were drawn together with replacement (Owen 2007); intervals of systems are "
        "percentiles of these draws, and pairs were tested by the largest studentised difference of each draw, for all pairs "
        f"together.{_lines(sections, level(data['options']['alpha']))} With few assessors this errs more often than it says."
    )


def _by_randomisation(data: dict[str, Any], sections: list[dict[str, Any]], by: str) -> Iterator[str]:
    reasons = dict.fromkeys(
        section["comparison"]["why"] for section in sections if section["comparison"]["why"]
    )
    if reasons:
        yield f"No model of the single judgments was made{by}: {listed(reasons)}."
    yield (
        f"Pairs of systems were tested by randomisation on the items that both have, two-sided (Riezler and Maxwell 2005; all "
        f"exchanges where these are at most {whole(RANDOMIZATIONS)}, else so many at random), with p-values adjusted for the "
        "number of pairs by Holm's method; intervals of differences are by t, for all pairs together (Bonferroni). They hold for "
        f"other items, judged by the same people.{_lines(sections, level(data['options']['alpha']))}"
    )
    hopeless = [
        section["id"]
        for section in sections
        if any(row["n"] for row in records(section["pairs"]))
        and smallest_of(records(section["pairs"])) >= data["options"]["alpha"]
    ]
    if hopeless:
        yield f"With so few items, or so many pairs, none can become significant by randomisation ({listed(hopeless, most=len(hopeless))})."


def _as_wmt(data: dict[str, Any], sections: list[dict[str, Any]], by: str) -> Iterator[str]:
    yield (
        f"Pairs of systems were compared{by}, and significance clusters drawn, as at the WMT news task: systems are listed by "
        "score, and a line is drawn where each system above it is significantly better than each one below, and the one "
        "right above it better than none that is listed above it (one-sided Mann–Whitney tests, exact between systems of at "
        f"most {ALL_SPLITS} items, else in normal approximation with continuity correction, "
        f"α = {level(data['options']['alpha'])}, not corrected for their number)."
    )


def _by_ranges(data: dict[str, Any], sections: list[dict[str, Any]], by: str) -> Iterator[str]:
    options = data["options"]
    yield (
        f"Scores of comparisons{by} are no means over items: they were made anew for {whole(options['n_resamples'])} resamples of the items, "
        f"everything about an item drawn together. Intervals ({percent(options['confidence_level'])}) are percentiles of these, a system's rank "
        f"is the range of its ranks in {percent(options['confidence_level'])} of the resamples, and a line is drawn where no range above it reaches one "
        "below, as at WMT until 2016 (Bojar et al. 2016). Pairs were compared by the share of resamples in which the other is ahead, "
        f"two-sided, α = {level(options['alpha'])}, not corrected for their number; beside them stands the share of direct comparisons that "
        "the first won, ties counting half. They hold for other items, judged by the same people."
    )


COMPARED = {
    "ordinal-model": _by_model,
    "mixed-model": _by_model,
    "bootstrap": _by_bootstrap,
    "randomization": _by_randomisation,
    "rank-sum": _as_wmt,
    "bootstrap-items": _by_ranges,
}


def _lines(sections: list[dict[str, Any]], alpha: str) -> str:
    """How clusters were drawn, after a space; nothing where the design carries no ranking, and there are none."""
    if not any(section["design"]["may_rank"] for section in sections):
        return ""
    return (
        " The same tests make the significance clusters: systems are listed by score, and a line is drawn where each system "
        f"above it is significantly better than each one below (adjusted p below {alpha})."
    )


def _intervals_over_items(data: dict[str, Any], sections: list[dict[str, Any]], by: str) -> Iterator[str]:
    rows = [row for section in sections for row in records(section["systems"])]
    if not any(row["low"] is not None for row in rows):
        yield "There are no intervals of system scores: they would need scores of two items."
        return
    yield f"Intervals ({percent(data['options']['confidence_level'])}) of system scores{by} are by t over items."
    if any(row["low"] is None for row in rows):
        yield "A system with scores of one item only has no interval."


def further(data: dict[str, Any]) -> Iterator[str]:
    """Where the noise comes from, who is severe, and how high a metric can be expected to correlate."""
    if any(section["generalisability"] for section in data["human"]):
        yield (
            "What more items or more assessors would bring follows from the variance components of the model (a generalisability "
            "study, Brennan 2001), the systems' own being what their estimates vary beyond their errors."
        )
    if any(section["rasch"] for section in data["human"]):
        yield (
            "Severity of assessors is estimated by a many-facet Rasch model of system, item and assessor (Linacre 1989), by joint "
            "maximum likelihood; somebody is said to judge unlike the others where infit or outfit is above 1.5 (Linacre 2002) and, "
            "standardised, above 2."
        )
    if any(section["ceiling"] for section in data["human"]) and any(
        section["summary"] for section in data["meta"]
    ):
        yield (
            "Human scores are noisy too: no metric can be expected to correlate higher with them than the square root of their "
            "reliability, which is the generalisability coefficient, or, without a model, that of random halves of the items "
            "(Spearman–Brown)."
        )
