"""What tables say in print, on the page and in LaTeX: which columns, under which heads, with how many digits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from metrics.report import numbers
from metrics.report.book import SIGNATURE, records

Row = dict[str, Any]
Format = Callable[[Any], str]

LONG = 20
"""Rows of a long table that the page shows at once; the rest folds out."""

COEFFICIENTS = {
    "percent": "agreeing pairs",
    "alpha-ordinal": "Krippendorff’s α, ordinal",
    "alpha-interval": "Krippendorff’s α, interval",
    "alignment-f1": "F1 of marked pairs",
    "intra-percent": "agreeing pairs, same assessor again",
}
DOT = "•"


@dataclass(frozen=True)
class Head:
    """The head of a column, whether numbers stand under it, and whether paper is too narrow for it."""

    title: str
    is_number: bool = True
    wide: bool = False


@dataclass(frozen=True)
class Column:
    """A column, and what it says of a row."""

    head: Head
    cell: Callable[[Row], str]


@dataclass(frozen=True)
class Printed:
    """A table in print; ``file`` is its name in ``tables/``."""

    caption: str
    heads: Sequence[Head]
    rows: list[list[str]]
    signatures: list[str]
    """Keys of how its numbers were made."""
    file: str = ""
    shown: int | None = None
    """How many rows the page shows at once."""
    links: Sequence[str] = ()
    """By row, the key of how the thing it is about was made."""
    rules: frozenset[int] = frozenset()
    """Rows with a line above them."""


def text(name: str, title: str, form: Format | None = None, *, wide: bool = False) -> Column:
    """A column of words."""
    return Column(Head(title, False, wide), lambda row: _word(row[name], form))


def _word(value: Any, form: Format | None) -> str:
    return "" if value is None else str(value) if form is None else form(value)


def number(name: str, title: str, form: Format, *, wide: bool = False) -> Column:
    """A column of numbers."""
    return Column(Head(title, wide=wide), lambda row: form(row[name]))


def interval(confidence: float, form: Format) -> Column:
    """Both ends of an interval, of the columns ``low`` and ``high``."""

    def cell(row: Row) -> str:
        if row["low"] is None or row["high"] is None:
            return numbers.DASH
        return f"[{form(row['low'])}, {form(row['high'])}]"

    return Column(Head(f"{100 * confidence:g} % interval"), cell)


def printed(
    caption: str,
    table: dict[str, Any],
    columns: Sequence[Column],
    *,
    file: str = "",
    shown: int | None = None,
    signatures: Iterable[str] = (),
    links: Sequence[str] = (),
    rules: Iterable[int] = (),
) -> Printed:
    """A table of the report's JSON in print."""
    rows = records(table)
    cells = [[column.cell(row) for column in columns] for row in rows]
    keys = dict.fromkeys([*(row[SIGNATURE] for row in rows if SIGNATURE in row), *signatures])
    heads = [column.head for column in columns]
    return Printed(caption, heads, cells, list(keys), file, shown, links, frozenset(rules))


def scale(rows: Iterable[Row], *names: str) -> Format:
    """As many digits as show the numbers of these columns well."""
    decimals = numbers.decimals_for(row[name] for row in rows for name in names)
    return partial(numbers.amount, decimals=decimals)


# --- systems --------------------------------------------------------------------------------------------------------


def systems_table(section: Row, options: Row) -> Printed:
    """Who wins, with lines between significance clusters."""
    rows = records(section["systems"])
    digits = scale(rows, "mean")
    kinds = {row["type"] for row in rows} - {"", "system"}
    columns = [
        text("system", "System"),
        *([text("type", "Type")] if kinds else []),
        Column(Head("Rank"), lambda row: span(row["start"], row["end"])),
        number("mean", "Mean", digits),
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
    )


def span(start: int, end: int) -> str:
    """The ranks of a cluster: 4, or 4–9."""
    return str(start) if start == end else f"{start}–{end}"


def pairs_table(section: Row) -> Printed:
    """Every pair of systems, tested."""
    rows = records(section["pairs"])
    columns = [
        text("system_a", "Better"),
        text("system_b", "Worse"),
        number("mean_a", "Mean", scale(rows, "mean_a", "mean_b")),
        number("mean_b", "Mean", scale(rows, "mean_a", "mean_b")),
        number("difference", "Difference", scale(rows, "difference")),
        number("pvalue", "p", numbers.pvalue),
        number("pvalue_adjusted", "p, Holm", numbers.pvalue),
    ]
    return printed(
        "All pairs of systems",
        section["pairs"],
        columns,
        file=f"pairs-{section['slug']}",
        signatures=[section["pairs_signature"]],
    )


def detail_table(table: Row) -> Printed:
    """A table that a kind shows beside its scores."""
    forms = [
        None if column["decimals"] is None else partial(numbers.amount, decimals=column["decimals"])
        for column in table["columns"]
    ]
    cells = [
        [_word(value, None) if form is None else form(value) for value, form in zip(row, forms, strict=True)]
        for row in table["rows"]
    ]
    heads = [
        Head(column["title"], form is not None) for column, form in zip(table["columns"], forms, strict=True)
    ]
    return Printed(table["title"], heads, cells, [table["signature"]], table["file"])


# --- assessors ------------------------------------------------------------------------------------------------------


def agreement_table(data: Row) -> Printed:
    """Coefficients by task and criterion."""
    columns = [
        text("task", "Task"),
        text("criterion", "Criterion"),
        text("coefficient", "Coefficient", lambda name: COEFFICIENTS.get(name) or str(name)),
        number("value", "Value", numbers.coefficient),
        interval(data["options"]["confidence_level"], numbers.coefficient),
        number("items", "Items", numbers.whole),
        number("assessors", "Assessors", numbers.whole, wide=True),
    ]
    return printed("Agreement between assessors", data["agreement"], columns, file="agreement")


def deviations_table(data: Row) -> Printed:
    """Each assessor beside the others."""
    table = data["assessors"]["assessors"]
    columns = [
        text("task", "Task"),
        text("criterion", "Criterion"),
        text("assessor", "Assessor"),
        number("judgments", "Judgments", numbers.whole),
        number("mean", "Mean", scale(records(table), "mean")),
        number("deviation", "Deviation", numbers.amount),
        number("compared", "Compared", numbers.whole),
        number("bias", "Bias", numbers.amount),
        number("correlation", "r with others", numbers.coefficient),
    ]
    caption = "Each assessor beside the others who judged the same"
    return printed(caption, table, columns, file="assessors", shown=LONG)


def speed_table(data: Row) -> Printed:
    """How long judgments took."""
    seconds = partial(numbers.amount, decimals=1)
    columns = [
        text("task", "Task"),
        text("assessor", "Assessor"),
        number("judgments", "Judgments", numbers.whole),
        number("seconds", "Mean, s", seconds),
        number("median", "Median, s", seconds),
        number("total", "Total, s", numbers.whole),
    ]
    return printed("Time per judgment", data["assessors"]["speed"], columns, file="speed", shown=LONG)


# --- metrics --------------------------------------------------------------------------------------------------------


def metrics_table(section: Row, meta: Row, data: Row) -> Printed:
    """Metrics by their correlation with people; a dot where none is significantly better."""
    dots = set(meta["williams"]["not_outperformed"]) if meta["williams"] else set()
    r = numbers.coefficient
    columns = [
        text("metric", "Metric", lambda name: f"{name} {DOT}" if name in dots else str(name)),
        number("pearson", "r", r),
        interval(data["options"]["confidence_level"], r),
        number("spearman", "ρ", r),
        number("kendall", "τ", r),
        number("item_kendall", "τ, items", r),
        number("system_average_kendall", "τ, within systems", r, wide=True),
        number("global_pearson", "r, global", r),
        number("outperformed_by", "Outperformed by", numbers.whole, wide=True),
        number("n", "Systems", numbers.whole, wide=True),
        text("family", "Family", wide=True),
    ]
    made = {row["metric"]: row[SIGNATURE] for row in records(data["metrics"]) if row["level"] == "system"}
    return printed(
        f"Metrics against {section['score']}",
        meta["summary"],
        columns,
        file=f"metrics-{section['slug']}",
        shown=LONG,
        signatures=[
            *(row[SIGNATURE] for row in records(meta["correlations"]) if _in_summary(row)),
            *([meta["williams"][SIGNATURE]] if meta["williams"] else []),
        ],
        links=[made[row["metric"]] for row in records(meta["summary"])],
    )


def _in_summary(row: Row) -> bool:
    return row["level"] == "system" or (row["level"], row["method"]) in {
        ("item", "kendall"),
        ("system-average", "kendall"),
        ("global", "pearson"),
    }


def rouge_table(section: Row, meta: Row, options: Row) -> Printed:
    """ROUGE's variants (Graham 2015, Table 1)."""
    columns = [
        number("rank", "Rank", numbers.whole),
        text("unit", "ROUGE", str.upper),
        text("stem", "Stemmed"),
        text("stop", "Stop list"),
        text("measure", "P/R/F", str.upper),
        text("average", "Average"),
        number("pearson", "r", partial(numbers.coefficient, decimals=3)),
        interval(options["confidence_level"], numbers.coefficient),
        text("not_outperformed", DOT, lambda value: DOT if value else ""),
    ]
    return printed(
        f"ROUGE’s variants against {section['score']}",
        meta["rouge"],
        columns,
        file=f"rouge-{section['slug']}",
        shown=LONG,
    )


def rouge_shares_table(section: Row, meta: Row) -> Printed:
    """What the variants that none outperforms have in common (Graham 2015, Table 2)."""
    columns = [
        text("option", "Option"),
        text("choice", "Choice"),
        number("count", "Variants", numbers.whole),
        number("share", "Share", numbers.share),
    ]
    caption = f"Options of ROUGE’s variants that none outperforms by {section['score']}"
    return printed(caption, meta["rouge_shares"], columns, file=f"rouge-shares-{section['slug']}")


def aev_table(section: Row, meta: Row) -> Printed:
    """R² by N (rows) and α (columns)."""
    grid = meta["aev"]
    form = partial(numbers.coefficient, decimals=3)
    rows = [
        [str(order), *(form(value) for value in line)]
        for order, line in zip(grid["orders"], grid["statistic"], strict=True)
    ]
    caption = f"R² of AEv(α, N) with {section['score']}, α from 0 (recall) to 1 (precision)"
    heads = [Head("N"), *(Head(f"{alpha:g}") for alpha in grid["alphas"])]
    return Printed(caption, heads, rows, [grid[SIGNATURE]], f"aev-{section['slug']}")
