"""The methods paragraphs: exactly what was done, in plain words, for the appendix of a paper."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from metrics.human.registry import coefficients
from metrics.human.registry import kinds as known_kinds
from metrics.meta.agreement import FEW_ITEMS
from metrics.meta.design_check import FEWEST_ITEMS, FEWEST_SYSTEMS
from metrics.meta.exact import ALL_SPLITS
from metrics.report.assessors import POOLED, pooling_kinds
from metrics.report.book import records
from metrics.report.numbers import counted, level, listed, percent, whole
from metrics.report.options import RANDOMIZATIONS
from metrics.report.selected import PERMUTATIONS, SPLITS

NORMALISATIONS = {
    "z": "brought to mean 0 and standard deviation 1",
    "mean": "brought to mean 0",
    "rank": "replaced by their ranks among the assessor's own, as shares",
}
COEFFICIENTS = {
    "percent": "the share of agreeing pairs of judgments",
    "alpha-ordinal": "Krippendorff's α with ordinal distances",
    "alpha-interval": "Krippendorff's α with interval distances",
    "alignment-f1": "the F1 of the pairs of units that two assessors marked",
    "intra-percent": "the share of repeated judgments that equal the assessor's first",
}
LEVELS = {
    "system": "system (scores of systems)",
    "item": "item (over systems within each item, averaged)",
    "global": "global (all outputs pooled)",
    "system-average": "system-average (over items within each system, averaged)",
}
TERMS = {
    "item": "items",
    "assessor": "assessors",
    "assessor:system": "assessor × system",
    "item:system": "item × system",
}
AVERAGED = ("item", "system-average")
RESAMPLED = {
    "bootstrap-systems": "the systems",
    "bootstrap-items": "the items",
    "bootstrap-both": "both systems and items",
}


def methods(data: dict[str, Any]) -> list[str]:
    """One paragraph per part of the report that was made; every sentence is about something that this study has."""
    parts = (
        _study,
        _scores,
        _design,
        _systems,
        _further,
        _agreement,
        _assessors,
        _metrics,
        _correlations,
        _selection,
        _williams,
        _preferences,
        _prediction,
        _families,
        _reproduction,
    )
    paragraphs = (" ".join(sentence for sentence in part(data) if sentence) for part in parts)
    return [paragraph for paragraph in paragraphs if paragraph]


def _study(data: dict[str, Any]) -> Iterator[str]:
    counts = data["counts"]
    if not counts["judgments"]:
        yield "No judgment counts."
    else:
        yield (
            f"{counted(counts['assessors'], 'assessor')} judged outputs of {counted(counts['systems'], 'system')} on "
            f"{counted(counts['items'], 'item')} in {counted(counts['tasks'], 'task')}; "
            f"{counted(counts['judgments'], 'value')} {'counts' if counts['judgments'] == 1 else 'count'}."
        )
    left = [row for row in data["left_out"] if row["what"] == "judgments"]
    if left:
        yield (
            "Not counted: "
            + ", ".join(f"{counted(row['count'], 'value')} ({row['why']})" for row in left)
            + "."
        )


def _scores(data: dict[str, Any]) -> Iterator[str]:
    people = data["human"]
    if not people:
        return
    definitions = {section["score"]: section["definition"] for section in people}
    meanings = [f"{name} is {definition}" for name, definition in definitions.items() if definition]
    plain = [name for name, definition in definitions.items() if not definition]
    if plain:
        meanings.insert(0, f"{listed(plain, most=len(plain))}: values as the assessors gave them")
    yield f"Human scores: {'; '.join(meanings)}."
    yield from _normalisation(data)
    kinds = dict.fromkeys(section["kind"] for section in people)
    declared = (known_kinds().get(kind) for kind in kinds)
    first = [f"{kind.first_over} (kind {kind.slug})" for kind in declared if kind and kind.first_over]
    if first:
        yield f"For each assessor, values are first averaged {listed(first)}."
    people = [section for section in people if section["comparison"]["method"] != "bootstrap-items"]
    if not people:
        return
    if any(section["assessors"] > 1 for section in people):
        yield "The score of an output is the mean over the assessors who judged it, and a system's score the mean over its items."
    else:
        yield "A system's score is the mean over its items."


def _normalisation(data: dict[str, Any]) -> Iterator[str]:
    how = NORMALISATIONS.get(data["options"]["normalise"])
    without = [row["human"] for row in data["missing"] if row["section"] == "normalisation"]
    if how is None or len(without) == len(data["human"]):
        yield "Values were not normalised per assessor."
        return
    but = f"; not so for {listed(without, most=len(without))}, where it has no meaning" if without else ""
    yield f"Before averaging, the values of every assessor on a criterion of a task were {how}{but}."


def _design(data: dict[str, Any]) -> Iterator[str]:
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


def _systems(data: dict[str, Any]) -> Iterator[str]:
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
            "where there is an interval, the true difference that such a comparison would find with power .8 at the level of "
            "Holm's first step."
        )


def _by_model(data: dict[str, Any], sections: list[dict[str, Any]], by: str) -> Iterator[str]:
    alpha, confidence = level(data["options"]["alpha"]), percent(data["options"]["confidence_level"])
    ordinal = sections[0]["comparison"]["method"] == "ordinal-model"
    kind, fitted = (
        (
            "an ordinal crossed mixed model (cumulative logits, McCullagh 1980)",
            "Laplace's approximation, thresholds and systems integrated as in restricted maximum likelihood; estimates are logits about the "
            "mean of the systems",
        )
        if ordinal
        else ("a crossed mixed model", "restricted maximum likelihood")
    )
    yield (
        f"Systems were compared{by} by {kind} of the single judgments, for each human score: systems are fixed, items, "
        "assessors, assessor × system and item × system are random, as far as the design can tell them apart; it was fitted by "
        f"{fitted}. What is found so holds for other items and other assessors than those of the study. "
        f"Intervals of systems ({confidence}) are by t; all pairs were tested by t with Satterthwaite's degrees of freedom, p-values "
        f"adjusted for the number of pairs by Holm's method, and intervals of differences hold for all pairs together (Bonferroni). {_lines(alpha)}"
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
        f"together. {_lines(level(data['options']['alpha']))} With few assessors this errs more often than it says."
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
        f"other items, judged by the same people. {_lines(level(data['options']['alpha']))}"
    )


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


def _lines(alpha: str) -> str:
    return (
        "The same tests make the significance clusters: systems are listed by score, and a line is drawn where each system "
        f"above it is significantly better than each one below (adjusted p below {alpha})."
    )


def _intervals_over_items(data: dict[str, Any], sections: list[dict[str, Any]], by: str) -> Iterator[str]:
    rows = [row for section in sections for row in records(section["systems"])]
    if not any(row["low"] is not None for row in rows):
        yield "There are no intervals of system scores: they would need scores of two items."
        return
    yield f"Intervals of system scores{by} ({percent(data['options']['confidence_level'])}) are by t over items."
    if any(row["low"] is None for row in rows):
        yield "A system with scores of one item only has no interval."


def _further(data: dict[str, Any]) -> Iterator[str]:
    """Where the noise comes from, who is severe, and how high a metric can be expected to correlate."""
    if any(section["generalisability"] for section in data["human"]):
        yield (
            "What more items or more assessors would bring follows from the variance components of the model (a generalisability "
            "study, Brennan 2001), the systems' own being what their estimates vary beyond their errors."
        )
    if any(section["rasch"] for section in data["human"]):
        yield (
            "Severity of assessors is estimated by a many-facet Rasch model of system, item and assessor (Linacre 1989), by joint "
            "maximum likelihood."
        )
    if any(section["ceiling"] for section in data["human"]) and any(
        section["summary"] for section in data["meta"]
    ):
        yield (
            "Human scores are noisy too: no metric can be expected to correlate higher with them than the square root of their "
            "reliability, which is the generalisability coefficient, or, without a model, that of random halves of the items "
            "(Spearman–Brown)."
        )


def _agreement(data: dict[str, Any]) -> Iterator[str]:
    if data["agreement"] is None:
        return
    rows = [row for row in records(data["agreement"]) if row["value"] is not None]
    found = {row["coefficient"] for row in rows}
    declared = {name: one.definition for name, one in coefficients().items()}
    names = [text for name, text in (COEFFICIENTS | declared).items() if name in found]
    yield f"Agreement between assessors is given as {listed(names)}, by task and criterion."
    if any(row["criterion"] == POOLED for row in rows):
        yield (
            f"Where all criteria of a {' or '.join(pooling_kinds())} task have the same lowest and highest value, they are also taken "
            "together: a judgment is only compared with judgments on the same criterion, and disagreement by chance is that within "
            "a criterion."
        )
    known = [row for row in rows if row["low"] is not None]
    if known:
        options = data["options"]
        drawn = f"percentiles of {whole(options['n_resamples'])} resamples of the items"
        left_out = "by the jackknife over items, with t on the scale of log(1 − coefficient)"
        few = [row["items"] < FEW_ITEMS for row in known]
        how = (
            left_out
            if all(few)
            else drawn
            if not any(few)
            else f"{drawn}, below {FEW_ITEMS} items {left_out}"
        )
        yield f"Intervals ({percent(options['confidence_level'])}) are {how}."


def _assessors(data: dict[str, Any]) -> Iterator[str]:
    section = data["assessors"]
    if not section["distributions"]["rows"]:
        return
    how = section["normalise"]
    unused = "" if data["options"]["normalise"] != "none" else ", which enters no score"
    yield (
        "The distribution of each assessor's values is shown as given and after normalisation "
        f"({how}: values {NORMALISATIONS[how]}{unused})."
    )
    if any(row["compared"] for row in records(section["assessors"])):
        yield (
            "An assessor's bias is the mean difference from the mean of the others who judged the same; the correlation with "
            "that mean is Pearson's r."
        )


def _metrics(data: dict[str, Any]) -> Iterator[str]:
    rows = [row for row in records(data["metrics"]) if row["level"] == "system"]
    computed = [row for row in rows if row["source"] == "computed"]
    if computed:
        families = list(dict.fromkeys(row["family"] for row in computed))
        kinds = "family" if len(families) == 1 else "families"
        yield (
            f"{counted(len(computed), 'automatic score')} of systems ({kinds} {listed(families, most=len(families))}) "
            f"{'was' if len(computed) == 1 else 'were'} computed from {counted(data['counts']['outputs'], 'output')} and "
            f"{counted(data['counts']['references'], 'reference')}, for each system over all of its outputs that have a reference, "
            "judged or not."
        )
    imported = len(rows) - len(computed)
    if imported:
        means = any(
            "|aggregate:mean|" in data["signatures"][row["signature"]] for row in rows if row not in computed
        )
        yield (
            f"{counted(imported, 'metric')} {'was' if imported == 1 else 'were'} imported as a score table"
            f"{', with means over items where it has no scores of systems' if means else ''}."
        )
    if not all(row["higher_is_better"] for row in rows):
        yield "Scores for which lower is better were negated before any comparison."


def _correlations(data: dict[str, Any]) -> Iterator[str]:
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
            "left out of the average, and the p-value is that of a t-test of the average against 0."
        )
    yield from _intervals(data["options"], levels, averaged)


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


def _selection(data: dict[str, Any]) -> Iterator[str]:
    """What is left of the best metric when the choosing is allowed for."""
    found = [section["selection"] for section in data["meta"] if section["selection"]]
    if not found:
        return
    options = data["options"]
    yield (
        f"The best of many metrics is flattered by chance. Its p-value is from the largest Pearson correlation of each of {whole(PERMUTATIONS)} "
        "permutations of the systems (Westfall and Young 1993); its interval holds for whichever metric was chosen (Berk et al. "
        f"2013); r, held out, is the mean correlation of metrics that were chosen on half of the systems and items, on the other half, over {SPLITS} "
        "splits; metrics that may be the best are those that none outperforms by Williams' tests at α divided by the number of "
        f"other metrics (Hsu 1984). A metric is said to follow people where that p is below {level(options['alpha'])} and there are at "
        f"least {FEWEST_SYSTEMS} systems."
    )
    if any(one["marked"] for one in found):
        yield "Correlations are also given without humans and baselines among the systems."
    if any(one["outliers"] for one in found):
        yield (
            "Correlations are also given without outliers, systems more than 2.5 robust deviations from the median human score "
            "(Mathur et al. 2020)."
        )
    if any(one["length_partial"] is not None for one in found):
        yield "Partial correlations are freed of the mean length of a system's outputs, in characters."


def _preferences(data: dict[str, Any]) -> Iterator[str]:
    if any(section.get("preference") for section in data["meta"]):
        yield (
            "Where people compared texts, a metric's accuracy is the share of their preferences for one of two texts of an item that it "
            "shares, equal scores counting half, with percentile intervals over resampled items; with ties it is the share of all "
            "judgments that the metric gives too, differences up to a threshold that serves it best counting as ties (Deutsch et al. 2023)."
        )


def _williams(data: dict[str, Any]) -> Iterator[str]:
    sizes = [len(section["williams"]["metrics"]) for section in data["meta"] if section["williams"]]
    if sizes:
        yield (
            "Differences between metrics in Pearson's correlation at system level were tested by Williams' test for dependent "
            f"correlations, one-sided, for all pairs of {whole(max(sizes))} metrics (Graham 2015), α = {level(data['options']['alpha'])}, not "
            "corrected for their number; a metric is called not outperformed when no other one correlates significantly higher."
        )


def _prediction(data: dict[str, Any]) -> Iterator[str]:
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


def _families(data: dict[str, Any]) -> Iterator[str]:
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


def _reproduction(data: dict[str, Any]) -> Iterator[str]:
    versions = ", ".join(
        f"{name} {version}" for name, version in data["versions"].items() if name != "touchstone"
    )
    yield (
        f"Computed by Touchstone {data['versions']['touchstone']} with {versions}; seed {data['options']['seed']}; SHA-256 of the "
        f"input tables {data['data']['sha256']}."
    )
