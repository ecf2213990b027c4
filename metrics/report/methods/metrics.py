"""How metrics were computed, and how they were compared with people and with each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from metrics.meta.design_check import FEWEST_SYSTEMS
from metrics.report.book import records
from metrics.report.names import king_basis
from metrics.report.numbers import counted, level, listed, percent, whole
from metrics.report.selected import PERMUTATIONS, SPLITS

LEVELS = {
    "system": "system (scores of systems)",
    "item": "item (over systems within each item, averaged)",
    "global": "global (all outputs pooled)",
    "system-average": "system-average (over items within each system, averaged)",
}
AVERAGED = ("item", "system-average")
RESAMPLED = {
    "bootstrap-systems": "the systems",
    "bootstrap-items": "the items",
    "bootstrap-both": "both systems and items",
}


def _compared(counts: dict[str, int]) -> str:
    nuggets = f"{counted(counts['answer_key'], 'nugget')} of the answer key"
    if not counts["references"] and counts["answer_key"]:
        return f"{nuggets}, for each system over all of its outputs that have nuggets"
    also = f" (POURPRE: {nuggets})" if counts["answer_key"] else ""
    return f"{counted(counts['references'], 'reference')}{also}, for each system over all of its outputs that have a reference"


def metrics(data: dict[str, Any]) -> Iterator[str]:
    rows = [row for row in records(data["metrics"]) if row["level"] == "system"]
    computed = [row for row in rows if row["source"] == "computed"]
    if computed:
        families = list(dict.fromkeys(row["family"] for row in computed))
        kinds = "family" if len(families) == 1 else "families"
        yield (
            f"{counted(len(computed), 'automatic score')} of systems ({kinds} {listed(families, most=len(families))}) "
            f"{'was' if len(computed) == 1 else 'were'} computed from {counted(data['counts']['outputs'], 'output')} and "
            f"{_compared(data['counts'])}, judged or not."
        )
    given = [row for row in rows if row["source"] == "imported"]
    imported = len(given)
    if imported:
        means = any("|aggregate:mean|" in data["signatures"][row["signature"]] for row in given)
        yield (
            f"{counted(imported, 'metric')} {'was' if imported == 1 else 'were'} imported as a score table"
            f"{', with means over items where it has no scores of systems' if means else ''}."
        )
    if data["programs"]:
        names = data["programs"]["programs"]
        yield (
            f"{listed(names, most=len(names))} judged as {'a program' if len(names) == 1 else 'programs'} what people judged, without entering any human "
            "score: the scores made of those judgments are metrics here, and Krippendorff’s α is over pairs of a program’s and a "
            "person’s judgment of the same text (beside it, over pairs of people)."
        )
    if not all(row["higher_is_better"] for row in rows):
        yield "Scores for which lower is better were negated before any comparison."


def correlations(data: dict[str, Any]) -> Iterator[str]:
    found = [
        row for section in data["meta"] if section["correlations"] for row in records(section["correlations"])
    ]
    if not found:
        return
    levels = [level for level in LEVELS if any(row["level"] == level for row in found)]
    where = "the level" if len(levels) == 1 else f"{len(levels)} levels:"
    yield (
        f"Correlations with human scores are Pearson's r, Spearman's ρ and Kendall's τ-b at {where} "
        f"{listed([LEVELS[level] for level in levels])}, over what has both scores; p-values are two-sided."
    )
    averaged = [level for level in levels if level in AVERAGED]
    if averaged:
        yield (
            f"At the level{'s' if len(averaged) > 1 else ''} {listed(averaged)}, correlations that are undefined (equal scores) are "
            "left out of the average."
        )
    yield from _dealt_anew(data["options"], levels)
    yield from _intervals(data["options"], levels, averaged)


def _dealt_anew(options: dict[str, Any], levels: list[str]) -> Iterator[str]:
    """Where the p-values beyond the level system are from (``metrics.meta.clustered``)."""
    by_systems = [level for level in levels if level in ("item", "global")]
    dealt = (
        [f"systems (level{'s' if len(by_systems) > 1 else ''} {listed(by_systems)})"] if by_systems else []
    )
    dealt += ["items (level system-average)"] if "system-average" in levels else []
    if dealt:
        yield (
            f"As outputs of one system are not independent, whole {listed(dealt)} of the metric were dealt out anew for the p-value, in all "
            f"ways where these are at most {whole(options['n_resamples'])}, else so often at random."
        )
    if "global" in levels:
        yield "Kendall's τ-b has no p-value at the level global."


def _intervals(options: dict[str, Any], levels: list[str], averaged: list[str]) -> Iterator[str]:
    if options["interval"] != "analytic":
        yield (
            f"Intervals of correlations ({percent(options['confidence_level'])}) are percentile intervals of {whole(options['n_resamples'])} bootstrap "
            f"resamples of {RESAMPLED[options['interval']]}"
            + (
                "; at the level system only human scores follow the items drawn, as metrics have scores of whole systems there."
                if options["interval"] != "bootstrap-systems"
                else "."
            )
        )
        return
    single = [level for level in levels if level not in averaged]
    parts = [
        f"by Fisher's z at the level{'s' if len(single) > 1 else ''} {listed(single)}, with Bonett and Wright's variances for the "
        "rank coefficients",
    ]
    parts += (
        [f"t intervals of the mean at the level{'s' if len(averaged) > 1 else ''} {listed(averaged)}"]
        if averaged
        else []
    )
    optimistic = (
        "; at the level global they take outputs for independent, which is optimistic"
        if "global" in levels
        else ""
    )
    yield f"Intervals of correlations ({percent(options['confidence_level'])}) are {', and '.join(parts)}{optimistic}."
    over = {
        others: [name for name in levels if name in of]
        for others, of in (("other systems", ("system", "system-average")), ("other items", ("item",)))
    }
    holds = [
        f"for {others} at the level{'s' * (len(of) > 1)} {listed(of)}" for others, of in over.items() if of
    ]
    if holds:
        yield f"They hold {', and '.join(holds)}, all else being as in the study."


def selection(data: dict[str, Any]) -> Iterator[str]:
    """What is left of the best metric when the choosing is allowed for."""
    found = [section["selection"] for section in data["meta"] if section["selection"]]
    if not found:
        return
    options = data["options"]
    yield (
        f"The best of many metrics is flattered by chance. Its p-value is from the largest Pearson correlation of each permutation "
        f"of the systems (Westfall and Young 1993), of all of them where these are at most {whole(PERMUTATIONS)}, else of so many at random; its interval holds for whichever metric was chosen (Berk et al. "
        f"2013); r, held out, is the mean correlation of metrics that were chosen on half of the systems, on the other half, over {SPLITS} "
        "splits, human scores of each half being over a half of the items of its own and scores of metrics over all items; metrics that may be the best are those that none outperforms by Williams' tests at α divided by the number of "
        f"other metrics (Hsu 1984). A metric is said to follow people where that p is below {level(options['alpha'])}, that interval is "
        f"above 0, assessors connect the systems, and these are at least {FEWEST_SYSTEMS}."
    )
    if any(one["without_marked"] for one in found):
        yield "Correlations are also given without humans and baselines among the systems."
    if any(one["without_outliers"] for one in found):
        yield (
            "Correlations are also given without outliers, systems more than 2.5 robust deviations from the median human score "
            "(Mathur et al. 2020)."
        )
    if any(one["length_partial"] is not None for one in found):
        yield "Partial correlations are freed of the mean length of a system's outputs, in characters."


def williams(data: dict[str, Any]) -> Iterator[str]:
    sizes = [len(section["williams"]["metrics"]) for section in data["meta"] if section["williams"]]
    if sizes:
        yield (
            "Differences between metrics in Pearson's correlation at system level were tested by Williams' test for dependent "
            f"correlations, one-sided, for all pairs of {whole(max(sizes))} metrics (Graham 2015), α = {level(data['options']['alpha'])}, not "
            "corrected for their number; a metric is called not outperformed when no other one correlates significantly higher."
        )


def preferences(data: dict[str, Any]) -> Iterator[str]:
    if any(section.get("preference") for section in data["meta"]):
        yield (
            "Where people compared texts, a metric's accuracy is the share of their preferences for one of two texts of an item that it "
            "shares, equal scores counting half, with percentile intervals over resampled items; with ties it is the share of all "
            "judgments that the metric gives too, differences up to a threshold that serves it best counting as ties (Deutsch et al. 2023)."
        )


def prediction(data: dict[str, Any]) -> Iterator[str]:
    rows = [
        row for section in data["meta"] if section["prediction"] for row in records(section["prediction"])
    ]
    if rows:
        alphas = [level(alpha) for alpha in dict.fromkeys(row["alpha"] for row in rows)]
        yield (
            "Significance prediction (Lin and Hovy 2003): every pair of systems was compared by a two-sided z-test on the human and "
            "on the metric's scores of items, each system with its own variance; recall and precision of the metric's significant "
            f"differences, in the same direction, are given at α = {listed(alphas)}."
        )


def king(data: dict[str, Any]) -> Iterator[str]:
    """How metrics were judged by references alone (``metrics.report.without_people``)."""
    bases = [section["king_basis"] for section in data["meta"] if section.get("king_basis")]
    if bases:
        yield (
            "KING (Amigó et al. 2005) is the share of references that, left out of the others, a metric ranks above every output of "
            "the item, ties counting against it; it was computed for metrics of the default set, "
            f"{king_basis(bases[0])}."
        )


def families(data: dict[str, Any]) -> Iterator[str]:
    grids = [section["aev"] for section in data["meta"] if section["aev"]]
    if grids:
        grid = grids[0]
        yield (
            "The AEv grid gives R² of AEv(α, N) with the human score over systems (Soricut and Brill 2004), for α from "
            f"{min(grid['alphas']):g} to {max(grid['alphas']):g} and N from {min(grid['orders'])} to {max(grid['orders'])}."
        )
    variants = [len(section["rouge"]["rows"]) for section in data["meta"] if section["rouge"]]
    if not variants:
        return
    if any(row["family"] == "rouge" for row in records(data["metrics"])):
        yield "ROUGE follows ROUGE-1.5.5."
    if max(variants) > 1:
        yield (
            f"The {whole(max(variants))} variants of ROUGE differ in what is counted (n-grams, longest common subsequences or "
            "skip-bigrams), stemming, stop words, precision, recall or F, and mean or median over a system's outputs (Graham 2015)."
        )
