"""Tables about systems: who wins at a glance, all of them, every pair, and what kinds show beside their scores."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from metrics.report import numbers
from metrics.report.book import records
from metrics.report.exchanges import is_exhausted, smallest_of
from metrics.report.options import RANDOMIZATIONS
from metrics.report.printed.base import (
    Column,
    Format,
    Head,
    Printed,
    Row,
    interval,
    number,
    printed,
    scale,
    text,
    word,
)

SAME_PEOPLE = (
    "“Highest in” is the share of {resamples} redraws of the items, judged by the same people, in which the system had the "
    "highest mean; it is not the probability that the system is the best."
)


def winners_table(data: Row) -> Printed:
    """Who is first by each human score, and what may be claimed of it."""
    options = data["options"]
    columns = [
        text("human", "Human score"),
        text("system", "Highest"),
        Column(
            Head(
                "Estimate"
                if any(is_moved(records(section["systems"])) for section in data["human"])
                else "Mean",
                is_main=True,
            ),
            lambda row: numbers.amount(row["estimate"], row["decimals"]),
        ),
        Column(
            Head(f"{numbers.percent(options['confidence_level'])} interval"),
            lambda row: numbers.interval(
                row["low"], row["high"], partial(numbers.amount, decimals=row["decimals"])
            ),
        ),
        number("first_share", "Highest in", numbers.share),
        text("verdict", "How sure"),
        number("items", "Items", numbers.whole),
        number("judgments", "Values", numbers.whole),
    ]
    note = (
        f"{SAME_PEOPLE.format(resamples=numbers.whole(options['n_resamples']))} Systems that are not told apart from it do not "
        "differ from it significantly, by the tests of the table of pairs."
    )
    negated = [section["id"] for section in data["human"] if section.get("negated")]
    if negated:
        note += f" Lower is better by {numbers.listed(negated, most=len(negated))}: these values are shown negated."
    ranked = any(row["may_rank"] for row in data["overview"])
    caption = "Who wins, and how sure" if ranked else "The highest means"
    return printed(caption, data["overview"], columns, note=note)


def best_metrics_table(data: Row) -> Printed:
    """The highest correlation with each human score, and what is left of it; only scores that metrics were compared with."""
    rows = [
        row | (row["metric"] or {}) | {"human": row["human"], "chosen": row["selection"] or {}}
        for row in data["overview"]
        if row["metric"]
    ]
    r = numbers.coefficient

    def chosen(name: str, form: Format) -> Callable[[Row], str]:
        return lambda row: form(row["chosen"].get(name))

    columns = [
        text("human", "Human score"),
        text("metric", "Highest correlation"),
        number("pearson", "Pearson’s r", r, is_main=True),
        Column(
            Head(f"{numbers.percent(data['options']['confidence_level'])} interval"),
            lambda row: numbers.interval(row["chosen"].get("low"), row["chosen"].get("high"), r),
        ),
        Column(Head("p, best of all"), chosen("pvalue", numbers.pvalue)),
        Column(Head("r, held out"), chosen("held_out", r)),
        Column(
            Head("May be the best"),
            lambda row: (
                f"{numbers.whole(row['chosen']['candidates'])} of {numbers.whole(row['chosen']['metrics'])}"
                if row["chosen"]
                else numbers.DASH
            ),
        ),
        number("n", "Systems", numbers.whole),
    ]
    note = (
        "The best of many metrics is flattered by chance. The interval holds for whichever metric was chosen; p is how often "
        "the best of as many would be so high if none had anything to do with people; r, held out, is that of metrics chosen on "
        "one half of the systems, on the other half."
    )
    return printed("Which metrics follow people", rows, columns, note=note)


def is_ranked(section: Row, options: Row) -> bool:
    """Whether ranks and lines may be shown: the design carries them, or WMT's procedure was asked for by its name."""
    return bool(section["design"]["may_rank"] or options["comparison"] == "wmt")


BY_RANGES = "bootstrap-items"
"""Comparisons of texts: a score is made anew of resampled items, and ranks are ranges."""


def systems_table(section: Row, options: Row) -> Printed:
    """Who wins, with lines between significance clusters; only numbers where the design carries no ranking."""
    rows = records(section["systems"])
    digits = scale(rows, "estimate", "mean")
    ranked, moved = is_ranked(section, options), is_moved(rows)
    clusters = [row["cluster"] for row in rows]
    unranked = "" if ranked or len(rows) < 2 else f" (not ranked: {section['design']['why']})"
    return printed(
        f"Systems by {section['score']}{unranked}",
        section["systems"],
        _columns_of_systems(rows, digits, options, ranked=ranked, moved=moved),
        file=f"systems-{section['slug']}",
        signatures=[section["signature"]],
        rules=[place for place in range(1, len(clusters)) if clusters[place] != clusters[place - 1]],
        note=_note_of_systems(section, rows, options, moved=moved),
    )


def is_moved(rows: list[Row]) -> bool:
    """Whether the model's estimates are not the plain means: who judged what was not balanced, or they are logits."""
    return any(abs(row["estimate"] - row["mean"]) > 1e-9 * max(1.0, abs(row["mean"])) for row in rows)


def is_pooled(rows: list[Row]) -> bool:
    """Whether the score of a system is also known of all its units or words together, and is not the mean over items."""
    known = [row for row in rows if row.get("pooled") is not None]
    return any(abs(row["pooled"] - row["mean"]) > 1e-9 * max(1.0, abs(row["mean"])) for row in known)


def _columns_of_systems(
    rows: list[Row], digits: Format, options: Row, *, ranked: bool, moved: bool
) -> list[Column]:
    kinds = {row["type"] for row in rows} - {"", "system"}
    columns = [
        text("system", "System"),
        *([text("type", "Type")] if kinds else []),
        *([Column(Head("Rank"), lambda row: numbers.span(row["start"], row["end"]))] if ranked else []),
        number("estimate", "Estimate" if moved else "Mean", digits, is_main=True),
        interval(options["confidence_level"], digits),
        *([number("mean", "Plain mean", digits)] if moved else []),
        *([number("pooled", "Pooled", digits)] if is_pooled(rows) else []),
        number("items", "Items", numbers.whole),
        number("judgments", "Values", numbers.whole, wide=True),
        number("assessors", "Assessors", numbers.whole, wide=True),
    ]
    if ranked:
        columns += [
            number("wins", "Wins", numbers.whole),
            number("losses", "Losses", numbers.whole),
            number("first_share", "Highest in", numbers.share),
        ]
    return columns


INTERVALS = {
    "ordinal-model": "Estimates and intervals are those of the ordinal mixed model, in logits about the mean of the systems: they hold "
    "for other items and other assessors.",
    "mixed-model": "Estimates and intervals are those of the mixed model: they hold for other items and other assessors.",
    "bootstrap": "Intervals from resamples of items and assessors together.",
    "randomization": "Intervals by t over items: they hold for other items, judged by the same people.",
    "rank-sum": "Intervals by t over items: they hold for other items, judged by the same people.",
    BY_RANGES: "Intervals are percentiles over resampled items: they hold for other items, judged by the same people.",
}


POOLED = (
    "Pooled is the score of all units or words of a system together, as it is published and as `python -m metrics human --level "
    "system` prints it: long items count for more. Order, intervals and tests go by means over items, which count alike."
)
BEYOND_VALUES = (
    "Where an interval passes the lowest or the highest value that can be given, read it as ending there."
)
NEGATED = "Lower is better: values are shown negated, so that the best system has the highest."


def _note_of_systems(section: Row, rows: list[Row], options: Row, *, moved: bool) -> str:
    sentences = []
    if section.get("negated"):
        sentences.append(NEGATED)
    if is_pooled(rows):
        sentences.append(POOLED)
    if any(row["low"] is not None for row in rows):
        sentences.append(INTERVALS[section["comparison"]["method"]])
    if section["comparison"].get("beyond_values"):
        sentences.append(BEYOND_VALUES)
    if moved and section["comparison"]["method"] != "ordinal-model":
        sentences.append(
            "Estimates differ from plain means because systems were not judged by the same people on the same items."
        )
    if not is_ranked(section, options):
        return " ".join(sentences)
    if any(row["first_share"] is not None for row in rows):
        sentences.append(SAME_PEOPLE.format(resamples=numbers.whole(options["n_resamples"])))
    if len(rows) > 1 and section["comparison"]["method"] == BY_RANGES:
        sentences.append(
            f"Rank is the range of ranks in {numbers.percent(options['confidence_level'])} of the resamples; lines stand where no range "
            "above reaches one below, as WMT printed it. Wins and losses count pairs that differ significantly."
        )
    elif len(rows) > 1:
        tests = (
            "one-sided rank-sum tests"
            if options["comparison"] == "wmt"
            else "the tests of the table of pairs"
        )
        sentences.append(
            "Lines separate clusters: every system above a line is significantly better than every one below it "
            f"({tests}, p < {numbers.level(options['alpha'])}). Wins and losses count such tests."
        )
    return " ".join(sentences)


TESTED = {
    "ordinal-model": "Pairs are compared by the ordinal mixed model, for other items and other assessors: differences in logits, t with "
    "Satterthwaite’s degrees of freedom, corrected for the number of pairs (Holm).",
    "mixed-model": "Pairs are compared by the mixed model, for other items and other assessors: t with Satterthwaite’s degrees of "
    "freedom, corrected for the number of pairs (Holm).",
    "bootstrap": "Pairs are compared by resamples of items and assessors together, corrected for the number of pairs (max-t).",
    "randomization": "Pairs are compared on the items that both have, and p-values corrected for the number of pairs (Holm).",
    "rank-sum": "Pairs are compared by one-sided rank-sum tests over each system’s own items, uncorrected, as WMT did.",
    BY_RANGES: "Pairs are compared over resampled items, of which p is twice the smaller share on one side, uncorrected.",
}


def pairs_table(section: Row, options: Row) -> Printed:
    """Every pair of systems: the difference with its interval, how sure it is, and what would have been found."""
    rows = records(section["pairs"])
    digits = scale(rows, "difference")
    known = any(row["low"] is not None for row in rows)
    estimated = "Estimate" if is_moved(records(section["systems"])) else "Mean"

    def detectable(row: Row) -> str:
        tested, found = row["pvalue_adjusted"], row["detectable"]
        return "" if tested is None or tested < options["alpha"] or found is None else digits(found)

    columns = [
        text("system_a", "Higher"),
        text("system_b", "Lower"),
        number("mean_a", estimated, scale(rows, "mean_a", "mean_b")),
        number("mean_b", estimated, scale(rows, "mean_a", "mean_b")),
        number("difference", "Difference", digits),
        *([interval(options["confidence_level"], digits)] if known else []),
        number("superiority", "P(A > B)", numbers.coefficient),
        number("pvalue", "p", numbers.pvalue),
        number(
            "pvalue_adjusted",
            CORRECTED.get(section["comparison"]["method"], "p, Holm"),
            numbers.pvalue,
            is_main=True,
        ),
        *([Column(Head("Detectable"), detectable)] if _finds_something(rows) else []),
    ]
    return printed(
        "All pairs of systems",
        section["pairs"],
        columns,
        file=f"pairs-{section['slug']}",
        signatures=[section["pairs_signature"]],
        note=_note_of_pairs(section, rows, options, known=known),
    )


def _finds_something(rows: list[Row]) -> bool:
    """Whether there is a true difference that the test of some pair would find."""
    return any(row["detectable"] is not None for row in rows)


CORRECTED = {"rank-sum": "p, as it counts", "bootstrap": "p, max-t", BY_RANGES: "p, as it counts"}


BONFERRONI = (
    "Intervals hold for all pairs together (Bonferroni), which makes them a little wider than the tests are."
)
TOGETHER = {
    "ordinal-model": BONFERRONI,
    "mixed-model": BONFERRONI,
    "bootstrap": "Intervals hold for all pairs together (max-t), as the tests do.",
    "randomization": "Intervals are by t, for all pairs together (Bonferroni): with few items they and the tests may disagree.",
}


def _note_of_pairs(section: Row, rows: list[Row], options: Row, *, known: bool) -> str:
    method = section["comparison"]["method"]
    if not section["design"]["connected"] and method != "rank-sum":
        return "No pair is tested: no assessor connects all systems, so that a good system cannot be told from lenient assessors."
    if method == "randomization" and not any(row["n"] for row in rows):
        return "No pair is tested: no two systems have an item in common."
    if method == BY_RANGES:
        return (
            f"{TESTED[method]} P(A > B) is the share of direct comparisons that the first won, ties counting half; clusters go by "
            "ranges of ranks."
        )
    followers = "Clusters and sentences" if is_ranked(section, options) else "Sentences"
    sentences = [f"{TESTED[method]} {followers} go by the same tests."]
    if known:
        sentences.append(TOGETHER[method])
    sentences.append("P(A > B) is the share of common items on which the first is ahead, ties counting half.")
    if _finds_something(rows):
        sentences.append(
            "Detectable, beside what is not significant, is the true difference that such a comparison finds with power .8."
        )
    floor = smallest_of(rows) if method == "randomization" else 0.0
    if floor >= 0.001:
        items = max(row["n"] for row in rows)
        made = (
            numbers.counted(items, "item")
            if is_exhausted(items)
            else f"{numbers.whole(RANDOMIZATIONS)} exchanges"
        )
        hopeless = ": no pair can become significant" if floor >= options["alpha"] else ""
        sentences.append(
            f"With {made} and {numbers.counted(len(rows), 'pair')} no corrected p can be below {numbers.pvalue(floor)}{hopeless}."
        )
    return " ".join(sentences)


def detail_table(table: Row) -> Printed:
    """A table that a kind shows beside its scores."""
    forms = [
        None if column["decimals"] is None else partial(numbers.amount, decimals=column["decimals"])
        for column in table["columns"]
    ]
    cells = [
        [word(value, None) if form is None else form(value) for value, form in zip(row, forms, strict=True)]
        for row in table["rows"]
    ]
    heads = [
        Head(column["title"], form is not None) for column, form in zip(table["columns"], forms, strict=True)
    ]
    return Printed(table["title"], heads, cells, [table["signature"]], table["file"])
