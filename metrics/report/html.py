"""The page: one file that needs no network, for screen and paper, light and dark.

The template decides what stands where, :mod:`metrics.report.printed` what tables say.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from metrics.report import numbers, printed
from metrics.report.style import inline
from metrics.report.words import counted, score_name

FOLDER = Path(__file__).parent

NAMES = {
    "human": "human scores",
    "pairs": "comparisons of systems",
    "normalisation": "evaluator normalisation",
    "details": "further tables",
    "speed": "time per judgment",
    "computed-scores": "computed metrics",
    "correlations": "metrics against people",
    "williams": "Williams tests",
    "prediction": "significance prediction",
    "aev": "the AEv grid",
    "rouge": "ROUGE’s variants",
}
"""Sections in words, where they are missing."""


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
    compared = [section for section in data["human"] if meta[section["id"]]["correlations"] is not None]
    return environment.get_template("report.html").render(
        data=data,
        css=Markup((FOLDER / "report.css").read_text(encoding="utf-8")),  # noqa: S704 – our own file
        figures=figures,
        whole=numbers.whole,
        counted=counted,
        names=NAMES,
        people=[_human(section, data) for section in data["human"]],
        details=[_detail(table) for table in data["details"]],
        agreement=None if data["agreement"] is None else printed.agreement_table(data),
        assessors=[
            table for table in (printed.deviations_table(data), printed.speed_table(data)) if table.rows
        ],
        metrics=[_metrics(section, meta[section["id"]], data) for section in compared],
        without_metrics=_together(data, [one for one in data["missing"] if one["section"] == "correlations"]),
        left_out=_together(data, data["left_out"]),
        notes=_together(data, data["notes"]),
    )


def _human(section: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    return {
        "section": section,
        "name": score_name(section, data["human"]),
        "systems": printed.systems_table(section, data["options"]),
        "pairs": printed.pairs_table(section),
    }


def _detail(table: dict[str, Any]) -> dict[str, Any]:
    return {"task": table["task"], "note": table["note"], "table": printed.detail_table(table)}


def _metrics(section: dict[str, Any], meta: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    best = meta["aev"] and meta["aev"]["best"]
    return {
        "section": section,
        "name": score_name(section, data["human"]),
        "summary": printed.metrics_table(section, meta, data),
        "rouge": meta["rouge"] and printed.rouge_table(section, meta, data["options"]),
        "rouge_shares": meta["rouge_shares"] and printed.rouge_shares_table(section, meta),
        "aev": best
        and f"The highest R² is {numbers.coefficient(best['statistic'])}, at α = {best['alpha']:g} and N = {best['order']}",
        "aev_signature": meta["aev"] and meta["aev"]["signature"],
        "no_curves": meta["prediction"] is not None
        and not any(
            (spec["kind"], spec["human"]) == ("prediction", section["id"]) for spec in data["figures"]
        ),
    }


def _together(data: dict[str, Any], rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What is true of several human scores for the same reason, said once; ``of`` says of which."""
    ids = [section["id"] for section in data["human"]]
    found: dict[tuple[Any, ...], list[str]] = {}
    for row in rows:
        same = tuple((name, value) for name, value in row.items() if name != "human")
        found.setdefault(same, []).append(row["human"])
    return [dict(same) | {"of": _of(humans, ids)} for same, humans in found.items()]


def _of(humans: list[Any], ids: list[str]) -> str:
    if None in humans:
        return "the study"
    if len(ids) > 1 and set(humans) == set(ids):
        return "every human score"
    return numbers.listed(humans, most=len(humans))
