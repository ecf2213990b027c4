"""The methods paragraphs: exactly what was done, in plain words, for the appendix of a paper."""

from __future__ import annotations

from typing import Any

from metrics.report.book import records
from metrics.report.numbers import listed, whole

MEANINGS = {
    "coverage": "coverage is the sum of the grades of the model units over their number (Lin and Hovy 2003)",
    "coverage-recall": "coverage-recall is the share of model units of which anything was marked",
    "coverage-length-adjusted": "coverage-length-adjusted is half coverage and half brevity against the target length",
    "coverage-duc2004": "coverage-duc2004 is the number of matching peer units times the overall estimate, over the number "
    "of model units (Graham 2015)",
    "quality": "quality is the mean over the quality criteria",
    "assessment": "assessment is the mean of coverage and quality (Graham 2015)",
    "assessment-geometric": "assessment-geometric is the geometric mean of coverage and quality (Graham 2015)",
    "assessment-harmonic": "assessment-harmonic is the harmonic mean of coverage and quality (Graham 2015)",
    "combined": "combined is the mean of adequacy and fluency",
    "likert": "likert is the mean over all statements, negative ones reversed",
    "answer-relevant": "answer-relevant is the share of foreign questions that a summary answers relevantly (Kolluru and "
    "Gotoh 2005)",
    "answer-found": "answer-found is the share of foreign questions that a summary answers at all (Kolluru and Gotoh 2005)",
    "relevance-prediction": "relevance-prediction is the share of judgments that equal the same assessor's on the full text "
    "(Dorr et al. 2005)",
    "gold-agreement": "gold-agreement is the share of judgments that equal the external key (Dorr et al. 2005)",
    "nugget-f": "nugget-f is the F-score of nuggets with β = 3 (Lin and Demner-Fushman 2005)",
    "pyramid": "pyramid is the weight of the content units found over the best weight for as many units",
    "pyramid-modified": "pyramid-modified is the weight of the content units found over the best weight for as many units "
    "as a model has on average",
}
NORMALISATIONS = {
    "z": "every assessor's values were brought to mean 0 and standard deviation 1",
    "mean": "every assessor's mean was subtracted from their values",
    "rank": "every value was replaced by its rank among the assessor's own",
}


def methods(data: dict[str, Any]) -> list[str]:
    """One paragraph per part of the report that was made."""
    paragraphs = [
        _study(data),
        _scores(data),
        _systems(data),
        _agreement(data),
        _metrics(data),
        _correlations(data),
    ]
    paragraphs += [_williams(data), _prediction(data), _families(data), _reproduction(data)]
    return [paragraph for paragraph in paragraphs if paragraph]


def _study(data: dict[str, Any]) -> str:
    counts = data["counts"]
    left = sum(row["count"] for row in data["left_out"] if row["what"] == "judgments")
    return (
        f"{whole(counts['assessors'])} assessors judged outputs of {whole(counts['systems'])} systems on "
        f"{whole(counts['items'])} items in {whole(counts['tasks'])} task(s); {whole(counts['judgments'])} values count. "
        f"Only the newest revision of a judgment counts; practice and control items enter no score. "
        f"{whole(left)} values were left out for these and other reasons, which the report lists."
    )


def _scores(data: dict[str, Any]) -> str:
    if not data["human"]:
        return ""
    names = list(dict.fromkeys(section["score"] for section in data["human"]))
    meanings = [MEANINGS[name] for name in names if name in MEANINGS]
    plain = [name for name in names if name not in MEANINGS]
    if plain:
        meanings.insert(0, f"{listed(plain, most=20)}: values as the assessors gave them")
    how = NORMALISATIONS.get(data["options"]["normalise"])
    normalised = (
        f"Before averaging, {how}, per task and criterion, where a score allows it. "
        if how
        else "Values were not normalised per assessor. "
    )
    return (
        f"Human scores: {'; '.join(meanings)}. {normalised}A score of an output is the mean over the references compared "
        "with and then over assessors; a system's score is the mean over its items."
    )


def _systems(data: dict[str, Any]) -> str:
    if not data["human"]:
        return ""
    options = data["options"]
    return (
        f"Intervals of system scores are {_percent(options)} percentile bootstrap intervals over {whole(options['n_resamples'])} "
        "resamples of the items, the same for all systems. Significance clusters are drawn as the WMT news task does: a line "
        "separates systems when each one above it is significantly better than each one below (one-sided Mann–Whitney tests with "
        f"continuity correction, α = {options['alpha']:g}, not corrected for their number). Differences of single pairs were tested "
        "by approximate randomisation with 10,000 exchanges, two-sided (Riezler and Maxwell 2005), p-values adjusted by Holm's "
        "method."
    )


def _percent(options: dict[str, Any]) -> str:
    return f"{100 * options['confidence_level']:g} %"


def _agreement(data: dict[str, Any]) -> str:
    if data["agreement"] is None:
        return ""
    return (
        "Agreement between assessors is given as the share of agreeing pairs and as Krippendorff's α with ordinal and interval "
        "distances; for marked units of SEE also as F1 of marked pairs, and for repeated items within assessors. Intervals are "
        f"{_percent(data['options'])} percentile bootstrap intervals over items. The distributions of each assessor's values are "
        f"shown before and after normalisation ({data['assessors']['normalise']})."
    )


def _metrics(data: dict[str, Any]) -> str:
    rows = [row for row in records(data["metrics"]) if row["level"] == "system"]
    if not rows:
        return ""
    computed = [row for row in rows if row["source"] == "computed"]
    imported = len(rows) - len(computed)
    parts = []
    if computed:
        families = listed(dict.fromkeys(row["family"] for row in computed), most=20)
        parts.append(
            f"{whole(len(computed))} system-level scores of the families {families} were computed from "
            f"{whole(data['counts']['outputs'])} outputs and {whole(data['counts']['references'])} references, over all outputs given"
        )
    if imported:
        parts.append(f"{whole(imported)} metrics were imported as a score table")
    return f"Automatic metrics: {'; '.join(parts)}. Scores for which lower is better were negated before any comparison."


def _correlations(data: dict[str, Any]) -> str:
    if not _any(data, "correlations"):
        return ""
    options = data["options"]
    intervals = (
        "by Fisher's z at the levels system and global (with Bonett and Wright's variances for the rank coefficients) and t "
        "intervals of the mean at the others; at the global level they take outputs for independent, which is optimistic"
        if options["interval"] == "analytic"
        else f"from {whole(options['n_resamples'])} bootstrap resamples ({options['interval'].removeprefix('bootstrap-')})"
    )
    return (
        "Correlations with human scores are Pearson's r, Spearman's ρ and Kendall's τ-b at four levels: system (means of systems), "
        "item (over systems within each item, averaged), global (all outputs pooled) and system-average (over items within each "
        f"system, averaged). Intervals ({_percent(options)}) are {intervals}. The best of many metrics is flattered by chance: its "
        "correlation on new systems is likely to be lower."
    )


def _williams(data: dict[str, Any]) -> str:
    if not _any(data, "williams"):
        return ""
    return (
        "Differences between metrics in Pearson correlation at system level were tested by Williams' test for dependent "
        f"correlations, one-sided, for all pairs (Graham 2015), α = {data['options']['alpha']:g}, not corrected for their number; a "
        "metric is called not outperformed when no other one correlates significantly higher."
    )


def _prediction(data: dict[str, Any]) -> str:
    if not _any(data, "prediction"):
        return ""
    return (
        "Significance prediction (Lin and Hovy 2003): every pair of systems was compared by a two-sided z-test on human and on "
        "metric scores; recall and precision of the metric's significant differences, in the same direction, are given at five "
        "levels of α."
    )


def _families(data: dict[str, Any]) -> str:
    sentences = []
    if _any(data, "aev"):
        sentences.append(
            "The AEv grid gives R² of AEv(α, N) with the human score over systems (Soricut and Brill 2004)."
        )
    if _any(data, "rouge"):
        sentences.append(
            "ROUGE follows ROUGE-1.5.5; its variants differ in n-gram, stemming, stop words, precision, recall or F, and mean or "
            "median over a system's outputs (Graham 2015)."
        )
    return " ".join(sentences)


def _any(data: dict[str, Any], part: str) -> bool:
    return any(section[part] is not None for section in data["meta"])


def _reproduction(data: dict[str, Any]) -> str:
    versions = ", ".join(
        f"{name} {version}" for name, version in data["versions"].items() if name != "touchstone"
    )
    return (
        f"Computed by Touchstone {data['versions']['touchstone']} with {versions}; seed {data['options']['seed']}; SHA-256 of the "
        f"input tables {data['data']['sha256']}."
    )
