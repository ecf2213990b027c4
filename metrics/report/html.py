"""The page: one file that needs no network, for screen and paper, light and dark.

The template decides what stands where; this module decides what a cell says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from metrics.report import numbers
from metrics.report.book import records
from metrics.report.style import inline

FOLDER = Path(__file__).parent
SHOWN = 20
"""Rows of a long table that are visible at once; the rest folds out."""

NAMES = {
    "human": "human scores",
    "pairs": "comparisons of systems",
    "normalisation": "evaluator normalisation",
    "speed": "time per judgment",
    "computed-scores": "computed metrics",
    "correlations": "metrics against people",
    "williams": "Williams tests",
    "prediction": "significance prediction",
    "aev": "the AEv grid",
    "rouge": "ROUGE’s variants",
}
"""Sections in words, where they are missing."""

Format = Callable[[Any], str]


@dataclass(frozen=True)
class Column:
    """A column of a printed table: where its value comes from, its head, and how it is printed (None: text)."""

    name: str
    title: str
    form: Format | None = None
    number: bool = True

    @property
    def is_number(self) -> bool:
        """Whether it stands on the right, digits under digits."""
        return self.form is not None and self.number


@dataclass(frozen=True)
class Printed:
    """A table in print; ``signatures`` are the keys of how its numbers were made, ``file`` its name in ``tables/``."""

    caption: str
    columns: Sequence[Column]
    rows: list[list[str]]
    signatures: list[str]
    file: str = ""
    shown: int | None = None


def page(data: dict[str, Any], pictures: dict[str, bytes]) -> str:
    """The report as HTML; ``pictures`` are its SVGs by name."""
    environment = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    figures = [
        spec | {"svg": Markup(inline(pictures[spec["name"]], name=f"g{number}", title=spec["title"]))}  # noqa: S704
        for number, spec in enumerate(data["figures"])
    ]
    meta = {section["human"]: section for section in data["meta"]}
    return environment.get_template("report.html").render(
        data=data,
        css=Markup((FOLDER / "report.css").read_text(encoding="utf-8")),  # noqa: S704 – our own file
        figures=figures,
        whole=numbers.whole,
        names=NAMES,
        people=[_human(section) for section in data["human"]],
        details=[_detail(table) for table in data["details"]],
        agreement=_agreement(data),
        assessors=_assessors(data),
        metrics=[_metrics(section, meta[section["id"]]) for section in data["human"]],
    )


def _printed(
    caption: str,
    table: dict[str, Any],
    columns: Sequence[Column],
    *,
    file: str,
    shown: int | None = None,
    signatures: Sequence[str] = (),
) -> Printed:
    rows = records(table)
    cells = [[_cell(row[column.name], column) for column in columns] for row in rows]
    keys = dict.fromkeys([*signatures, *(row["signature"] for row in rows if "signature" in row)])
    return Printed(caption, columns, cells, list(keys), file, shown)


def _cell(value: Any, column: Column) -> str:
    if column.form is not None:
        return column.form(value)
    return "" if value is None else str(value)


def _scale(rows: list[dict[str, Any]], name: str) -> Format:
    return partial(numbers.amount, decimals=numbers.decimals_for(row[name] for row in rows))


def _human(section: dict[str, Any]) -> dict[str, Any]:
    rows = records(section["systems"])
    scale = _scale(rows, "mean")
    systems = [
        Column("system", "System"),
        Column("mean", "Mean", scale),
        Column("low", "Low", scale),
        Column("high", "High", scale),
        Column("items", "Items", numbers.whole),
        Column("judgments", "Judgments", numbers.whole),
        Column("assessors", "Assessors", numbers.whole),
        Column("cluster", "Cluster", numbers.whole),
        Column("wins", "Wins", numbers.whole),
        Column("losses", "Losses", numbers.whole),
        Column("first_share", "First in", numbers.share),
    ]
    pairs = [
        Column("system_a", "Better"),
        Column("system_b", "Worse"),
        Column("mean_a", "Mean", scale),
        Column("mean_b", "Mean", scale),
        Column("difference", "Difference", _scale(records(section["pairs"]), "difference")),
        Column("pvalue", "p", numbers.pvalue),
        Column("pvalue_adjusted", "p, Holm", numbers.pvalue),
    ]
    slug = section["slug"]
    return {
        "section": section,
        "systems": _printed(
            f"Systems by {section['score']}", section["systems"], systems, file=f"systems-{slug}"
        ),
        "pairs": _printed(
            "All pairs of systems",
            section["pairs"],
            pairs,
            file=f"pairs-{slug}",
            signatures=[section["pairs_signature"]],
        ),
    }


def _detail(table: dict[str, Any]) -> dict[str, Any]:
    columns = [
        Column(
            column["name"],
            column["title"],
            None if column["decimals"] is None else partial(numbers.amount, decimals=column["decimals"]),
        )
        for column in table["columns"]
    ]
    cells = [
        [_cell(value, column) for value, column in zip(row, columns, strict=True)] for row in table["rows"]
    ]
    return {
        "task": table["task"],
        "note": table["note"],
        "table": Printed(table["title"], columns, cells, [table["signature"]], table["file"]),
    }


def _agreement(data: dict[str, Any]) -> Printed | None:
    if data["agreement"] is None:
        return None
    columns = [
        Column("task", "Task"),
        Column("criterion", "Criterion"),
        Column("coefficient", "Coefficient"),
        Column("value", "Value", numbers.coefficient),
        Column("low", "Low", numbers.coefficient),
        Column("high", "High", numbers.coefficient),
        Column("items", "Items", numbers.whole),
        Column("assessors", "Assessors", numbers.whole),
    ]
    return _printed("Agreement between assessors", data["agreement"], columns, file="agreement")


def _assessors(data: dict[str, Any]) -> list[Printed]:
    beside = data["assessors"]["assessors"]
    rows = records(beside)
    deviations = [
        Column("task", "Task"),
        Column("criterion", "Criterion"),
        Column("assessor", "Assessor"),
        Column("judgments", "Judgments", numbers.whole),
        Column("mean", "Mean", _scale(rows, "mean")),
        Column("deviation", "Deviation", numbers.amount),
        Column("compared", "Compared", numbers.whole),
        Column("bias", "Bias", numbers.amount),
        Column("correlation", "r with others", numbers.coefficient),
    ]
    speed = [
        Column("task", "Task"),
        Column("assessor", "Assessor"),
        Column("judgments", "Judgments", numbers.whole),
        Column("seconds", "Mean, s", partial(numbers.amount, decimals=1)),
        Column("median", "Median, s", partial(numbers.amount, decimals=1)),
        Column("total", "Total, s", numbers.whole),
    ]
    tables = [
        _printed(
            "Each assessor beside the others who judged the same",
            beside,
            deviations,
            file="assessors",
            shown=SHOWN,
        ),
        _printed("Time per judgment", data["assessors"]["speed"], speed, file="speed", shown=SHOWN),
    ]
    return [table for table in tables if table.rows]


def _metrics(section: dict[str, Any], meta: dict[str, Any]) -> dict[str, Any]:
    slug, score = section["slug"], section["score"]
    dots = set(meta["williams"]["not_outperformed"]) if meta["williams"] else set()
    mark: Format = lambda name: f"{name} •" if name in dots else str(name)  # noqa: E731
    summary = [
        Column("metric", "Metric", mark, number=False),
        Column("family", "Family"),
        Column("n", "Systems", numbers.whole),
        Column("pearson", "r", numbers.coefficient),
        Column("low", "Low", numbers.coefficient),
        Column("high", "High", numbers.coefficient),
        Column("spearman", "ρ", numbers.coefficient),
        Column("kendall", "τ", numbers.coefficient),
        Column("item_kendall", "τ, items", numbers.coefficient),
        Column("system_average_kendall", "τ, within systems", numbers.coefficient),
        Column("global_pearson", "r, global", numbers.coefficient),
        Column("outperformed_by", "Outperformed by", numbers.whole),
    ]
    yes: Format = lambda value: "•" if value else ""  # noqa: E731
    rouge = [
        Column("rank", "Rank", numbers.whole),
        Column("unit", "ROUGE"),
        Column("stem", "Stemmed"),
        Column("stop", "Stop words removed"),
        Column("measure", "P, R, F", str.upper, number=False),
        Column("average", "Average"),
        Column("pearson", "r", partial(numbers.coefficient, decimals=3)),
        Column("low", "Low", numbers.coefficient),
        Column("high", "High", numbers.coefficient),
        Column("not_outperformed", "Not outperformed", yes, number=False),
    ]
    shares = [
        Column("option", "Option"),
        Column("choice", "Choice"),
        Column("count", "Variants", numbers.whole),
        Column("share", "Share", numbers.share),
    ]
    made = {
        "summary": (f"Metrics against {score}", summary, f"metrics-{slug}"),
        "rouge": (f"ROUGE’s variants against {score}", rouge, f"rouge-{slug}"),
        "rouge_shares": ("Options of the variants that none outperforms", shares, ""),
    }
    tables = {
        name: None if meta[name] is None else _printed(title, meta[name], columns, file=file, shown=SHOWN)
        for name, (title, columns, file) in made.items()
    }
    return {"section": section, "meta": meta, **tables}
