"""Tables about systems: who wins at a glance, all of them, every pair, and what kinds show beside their scores."""

from __future__ import annotations

from functools import partial

from metrics.report import numbers
from metrics.report.book import records
from metrics.report.options import RANDOMIZATIONS
from metrics.report.printed.base import (
    Column,
    Head,
    Printed,
    Row,
    interval,
    number,
    printed,
    printed_rows,
    scale,
    text,
    word,
)


def winners_table(data: Row) -> Printed:
    """Who is first by each human score, and how sure that is."""
    options = data["options"]
    columns = [
        text("human", "Human score"),
        text("system", "Best system"),
        Column(Head("Mean", is_main=True), lambda row: numbers.amount(row["mean"], row["decimals"])),
        Column(
            Head(f"{numbers.percent(options['confidence_level'])} interval"),
            lambda row: numbers.interval(
                row["low"], row["high"], partial(numbers.amount, decimals=row["decimals"])
            ),
        ),
        number("first_share", "First in", numbers.share),
        Column(
            Head("Not told apart from it", False),
            lambda row: numbers.listed(row["together"], most=4) or "nobody",
        ),
        number("items", "Items", numbers.whole),
        number("judgments", "Judgments", numbers.whole),
    ]
    note = (
        f"“First in” is the share of {numbers.whole(options['n_resamples'])} resamples of the items in which the system was best. "
        "Systems that are not told apart from it do not differ from it significantly, by the tests of the table of pairs."
    )
    return printed_rows("Who wins, and how sure", data["overview"], columns, note=note)


def best_metrics_table(data: Row) -> Printed:
    """Which metric follows each human score best; only scores that any metric was compared with."""
    rows = [
        row | (row["metric"] or {}) | {"human": row["human"]} for row in data["overview"] if row["metric"]
    ]
    columns = [
        text("human", "Human score"),
        text("metric", "Best metric"),
        number("pearson", "Pearson’s r", numbers.coefficient, is_main=True),
        interval(data["options"]["confidence_level"], numbers.coefficient),
        number("n", "Systems", numbers.whole),
        Column(
            Head("Not outperformed"),
            lambda row: (
                numbers.DASH
                if row["not_outperformed"] is None
                else f"{numbers.whole(row['not_outperformed'])} of {numbers.whole(row['metrics'])}"
            ),
        ),
    ]
    return printed_rows("Which metrics follow people", rows, columns)


def systems_table(section: Row, options: Row) -> Printed:
    """Who wins, with lines between significance clusters."""
    rows = records(section["systems"])
    digits = scale(rows, "mean")
    kinds = {row["type"] for row in rows} - {"", "system"}
    columns = [
        text("system", "System"),
        *([text("type", "Type")] if kinds else []),
        Column(Head("Rank"), lambda row: numbers.span(row["start"], row["end"])),
        number("mean", "Mean", digits, is_main=True),
        interval(options["confidence_level"], digits),
        number("items", "Items", numbers.whole),
        number("judgments", "Judgments", numbers.whole, wide=True),
        number("assessors", "Assessors", numbers.whole, wide=True),
        number("wins", "Wins", numbers.whole),
        number("losses", "Losses", numbers.whole),
        number("first_share", "First in", numbers.share),
    ]
    clusters = [row["cluster"] for row in rows]
    return printed(
        f"Systems by {section['score']}",
        section["systems"],
        columns,
        file=f"systems-{section['slug']}",
        signatures=[section["signature"]],
        rules=[place for place in range(1, len(clusters)) if clusters[place] != clusters[place - 1]],
        note=_note_of_systems(rows, options),
    )


def _note_of_systems(rows: list[Row], options: Row) -> str:
    sentences = []
    if any(row["low"] is not None for row in rows):
        sentences.append(f"Intervals from {numbers.whole(options['n_resamples'])} resamples of the items.")
    if any(row["first_share"] is not None for row in rows):
        sentences.append("“First in” is the share of resamples in which the system was best.")
    if len(rows) > 1:
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


def pairs_table(section: Row, options: Row) -> Printed:
    """Every pair of systems, tested."""
    rows = records(section["pairs"])
    as_wmt = options["comparison"] == "wmt"
    columns = [
        text("system_a", "Better"),
        text("system_b", "Worse"),
        number("mean_a", "Mean", scale(rows, "mean_a", "mean_b")),
        number("mean_b", "Mean", scale(rows, "mean_a", "mean_b")),
        number("difference", "Difference", scale(rows, "difference")),
        number("pvalue", "p", numbers.pvalue),
        number("pvalue_adjusted", "p, as it counts" if as_wmt else "p, Holm", numbers.pvalue, is_main=True),
    ]
    note = (
        "Pairs are compared by one-sided rank-sum tests over each system's own items, uncorrected, as WMT did; clusters and "
        "sentences go by the same tests."
        if as_wmt
        else "Pairs are compared on the items that both have, and p-values corrected for the number of pairs (Holm); clusters and "
        "sentences go by the same tests."
    )
    # A p-value of n exchanges is at least 1 / (n + 1), and Holm multiplies the smallest by the number of pairs.
    floor = min(1.0, len(rows) / (RANDOMIZATIONS + 1))
    if floor >= 0.001 and not as_wmt:
        note += f" With {numbers.whole(RANDOMIZATIONS)} exchanges and {len(rows)} pairs no corrected p can be below {numbers.pvalue(floor)}."
    return printed(
        "All pairs of systems",
        section["pairs"],
        columns,
        file=f"pairs-{section['slug']}",
        signatures=[section["pairs_signature"]],
        note=note,
    )


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
