"""What tables say in print, on the page and in LaTeX: which columns, under which heads, with how many digits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from metrics.report import numbers
from metrics.report.assessors import POOLED
from metrics.report.book import SIGNATURE, records
from metrics.report.names import COEFFICIENTS, ROUGE_OPTIONS, choice_name
from metrics.report.options import RANDOMIZATIONS

Row = dict[str, Any]
Format = Callable[[Any], str]

LONG = 20
"""Rows of a long table that the page shows at once; the rest folds out."""

DOT = "•"
SECONDS: Format = partial(numbers.amount, decimals=1)


@dataclass(frozen=True)
class Head:
    """The head of a column, whether numbers stand under it, whether paper is too narrow for it, and whether it is what the
    table is about.
    """

    title: str
    is_number: bool = True
    wide: bool = False
    is_main: bool = False


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
    note: str = ""
    """What a reader should know to read it."""
    records: Sequence[Row] = ()
    """The numbers behind the rows."""


def text(name: str, title: str, form: Format | None = None, *, wide: bool = False) -> Column:
    """A column of words."""
    return Column(Head(title, False, wide), lambda row: _word(row[name], form))


def _word(value: Any, form: Format | None) -> str:
    return "" if value is None else str(value) if form is None else form(value)


def number(name: str, title: str, form: Format, *, wide: bool = False, is_main: bool = False) -> Column:
    """A column of numbers."""
    return Column(Head(title, wide=wide, is_main=is_main), lambda row: form(row[name]))


def interval(confidence: float, form: Format) -> Column:
    """Both ends of an interval, of the columns ``low`` and ``high``."""

    def cell(row: Row) -> str:
        return numbers.interval(row["low"], row["high"], form)

    return Column(Head(f"{numbers.percent(confidence)} interval"), cell)


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
    note: str = "",
) -> Printed:
    """A table of the report's JSON in print."""
    return printed_rows(
        caption,
        records(table),
        columns,
        file=file,
        shown=shown,
        signatures=signatures,
        links=links,
        rules=rules,
        note=note,
    )


def printed_rows(
    caption: str,
    rows: list[Row],
    columns: Sequence[Column],
    *,
    file: str = "",
    shown: int | None = None,
    signatures: Iterable[str] = (),
    links: Sequence[str] = (),
    rules: Iterable[int] = (),
    note: str = "",
) -> Printed:
    """Some rows of a table in print."""
    cells = [[column.cell(row) for column in columns] for row in rows]
    keys = dict.fromkeys([*(row[SIGNATURE] for row in rows if SIGNATURE in row), *signatures])
    heads = [column.head for column in columns]
    return Printed(caption, heads, cells, list(keys), file, shown, links, frozenset(rules), note, rows)


def scale(rows: Iterable[Row], *names: str) -> Format:
    """As many digits as show the numbers of these columns well."""
    decimals = numbers.decimals_for(row[name] for row in rows for name in names)
    return partial(numbers.amount, decimals=decimals)


# --- at a glance ----------------------------------------------------------------------------------------------------


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


# --- systems --------------------------------------------------------------------------------------------------------


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
    return printed("Agreement between assessors", data["agreement"], _of_agreement(data), file="agreement")


def chosen_agreement_table(data: Row) -> Printed:
    """One coefficient by task and criterion: the one that says most."""
    return printed(
        "Agreement between assessors", data["agreement_chosen"], _of_agreement(data), file="agreement"
    )


def scale_agreement_table(data: Row, task: str, criterion: str) -> Printed:
    """All coefficients of one scale, and of all criteria pooled."""
    rows = [
        row
        for row in records(data["agreement"] or {"columns": [], "rows": []})
        if row["task"] == task and row["criterion"] in (criterion, POOLED)
    ]
    coefficient, others = _of_agreement(data)[2], _of_agreement(data)[3:]
    columns = [coefficient, text("criterion", "Criterion"), *others]
    return printed_rows("Agreement between assessors", rows, columns, file="agreement")


def _of_agreement(data: Row) -> list[Column]:
    return [
        text("task", "Task"),
        text("criterion", "Criterion"),
        text("coefficient", "Coefficient", lambda name: COEFFICIENTS.get(name) or str(name)),
        number("value", "Value", numbers.coefficient, is_main=True),
        interval(data["options"]["confidence_level"], numbers.coefficient),
        number("items", "Items", numbers.whole),
        number("assessors", "Assessors", numbers.whole, wide=True),
    ]


BESIDE_OTHERS = "Each assessor beside the others who judged the same"
NOTE_OF_BIAS = "Bias is the mean difference from the mean of the others who judged the same; r is the correlation with that mean."


def deviations_table(data: Row) -> Printed:
    """Each assessor beside the others."""
    rows = records(data["assessors"]["assessors"])
    columns = [text("task", "Task"), text("criterion", "Criterion"), *_of_deviations(rows)]
    return printed_rows(BESIDE_OTHERS, rows, columns, file="assessors", shown=LONG, note=NOTE_OF_BIAS)


def scale_deviations_table(data: Row, task: str, criterion: str) -> Printed:
    """Each assessor beside the others on one scale, and how long each took."""
    section = data["assessors"]
    speed = {row["assessor"]: row for row in records(section["speed"]) if row["task"] == task}
    rows = [
        row | {name: speed.get(row["assessor"], {}).get(name) for name in ("seconds", "median")}
        for row in records(section["assessors"])
        if (row["task"], row["criterion"]) == (task, criterion)
    ]
    columns = [
        *_of_deviations(rows),
        number("seconds", "Mean, s", SECONDS),
        number("median", "Median, s", SECONDS),
    ]
    return printed_rows(BESIDE_OTHERS, rows, columns, file="assessors", note=NOTE_OF_BIAS)


def _of_deviations(rows: list[Row]) -> list[Column]:
    return [
        text("assessor", "Assessor"),
        number("judgments", "Judgments", numbers.whole),
        number("mean", "Mean", scale(rows, "mean")),
        number("deviation", "Deviation", numbers.amount),
        number("compared", "Compared", numbers.whole),
        number("bias", "Bias", numbers.amount, is_main=True),
        number("correlation", "r with others", numbers.coefficient),
    ]


def speed_table(data: Row) -> Printed:
    """How long judgments took."""
    columns = [
        text("task", "Task"),
        text("assessor", "Assessor"),
        number("judgments", "Judgments", numbers.whole),
        number("seconds", "Mean, s", SECONDS),
        number("median", "Median, s", SECONDS),
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
        number("pearson", "r", r, is_main=True),
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
        note=f"{DOT} not significantly outperformed by any other metric. r, ρ and τ are over systems unless the head says "
        "otherwise.",
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
        number("pearson", "r", partial(numbers.coefficient, decimals=3), is_main=True),
        interval(options["confidence_level"], numbers.coefficient),
        text("not_outperformed", DOT, lambda value: DOT if value else ""),
    ]
    return printed(
        f"ROUGE’s variants against {section['score']}",
        meta["rouge"],
        columns,
        file=f"rouge-{section['slug']}",
        shown=LONG,
        note=f"{DOT} not significantly outperformed by any other variant.",
    )


def rouge_shares_table(section: Row, meta: Row) -> Printed:
    """What the variants that none outperforms have in common (Graham 2015, Table 2)."""
    columns = [
        text("option", "Option", lambda name: ROUGE_OPTIONS.get(name) or str(name)),
        Column(Head("Choice", False), lambda row: choice_name(row["option"], row["choice"])),
        number("count", "Variants", numbers.whole),
        number("share", "Share", numbers.share),
    ]
    caption = f"Options of ROUGE’s variants that none outperforms by {section['score']}"
    return printed(caption, meta["rouge_shares"], columns, file=f"rouge-shares-{section['slug']}")


def king_table(section: Row, meta: Row) -> Printed:
    """What metrics are worth by references alone, beside their correlation with people (Amigó et al. 2005)."""
    columns = [
        text("metric", "Metric"),
        number("king", "KING", numbers.share),
        number("pearson", "r", partial(numbers.coefficient, decimals=3), is_main=True),
    ]
    return printed(
        f"KING beside the correlation with {section['score']}",
        meta["king"],
        columns,
        file=f"king-{section['slug']}",
        note="KING: the share of references that, left out of the others, the metric ranks above every output.",
    )


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
