"""Tables about metrics: their correlations with people, ROUGE's variants, the grid of AEv."""

from __future__ import annotations

from functools import partial

from metrics.report import numbers
from metrics.report.book import SIGNATURE, records
from metrics.report.names import ROUGE_OPTIONS, choice_name, king_basis
from metrics.report.printed.base import (
    DOT,
    LONG,
    Column,
    Format,
    Head,
    Printed,
    Row,
    interval,
    number,
    printed,
    text,
)


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
        number("pvalue_adjusted", "p, best of all", numbers.pvalue, wide=True),
        *_without(meta, r),
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
        f"otherwise. {_note_of_choice(meta)}".strip(),
    )


def _without(meta: Row, r: Format) -> list[Column]:
    """Pearson's r without what makes any metric look good, where there is such."""
    heads = {
        "without_marked": "r, systems only",
        "without_outliers": "r, no outliers",
        "length_partial": "r, length out",
    }
    return [number(name, head, r, wide=True) for name, head in heads.items() if _is_known(meta, name)]


def _is_known(meta: Row, column: str) -> bool:
    """Whether any metric has it: without some systems, too few may be left to correlate over."""
    return any(row[column] is not None for row in records(meta["summary"]))


def _note_of_choice(meta: Row) -> str:
    chosen = meta["selection"]
    if chosen is None:
        return ""
    parts = ["p, best of all, is that of a correlation that was chosen among all of them."]
    if _is_known(meta, "without_marked"):
        parts.append(f"Systems only: without {numbers.listed(chosen['marked'])} (humans and baselines).")
    if _is_known(meta, "without_outliers"):
        parts.append(f"Outliers: {numbers.listed(chosen['outliers'])}.")
    if chosen["length_partial"] is not None:
        parts.append("Length out: the partial correlation that is not due to the length of the outputs.")
    return " ".join(parts)


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


def preference_table(section: Row, meta: Row, options: Row) -> Printed:
    """Does the metric prefer what people prefer? Pairs of texts, item by item."""
    form = partial(numbers.coefficient, decimals=3)
    columns = [
        text("metric", "Metric"),
        number("accuracy", "Prefers the same", form, is_main=True),
        interval(options["confidence_level"], form),
        number("n", "Preferences", numbers.whole),
        number("tied", "Equal scores", numbers.whole, wide=True),
        number("accuracy_ties", "With ties", form),
    ]
    return printed(
        f"Metrics and what people prefer ({section['task']})",
        meta["preference"],
        columns,
        file=f"preference-{section['slug']}",
        shown=LONG,
        note="The share of people’s preferences for one of two texts of an item that the metric shares, equal scores counting half; "
        "intervals over resampled items. With ties: of all judgments, ties among them, the share that the metric gives too, small "
        "differences counting as ties as it serves the metric best.",
    )


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
        note="KING: the share of references that, left out of the others, the metric ranks above every output"
        + (f", {king_basis(meta['king_basis'])}." if meta.get("king_basis") else "."),
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
