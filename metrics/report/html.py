"""The page: one file that needs no network, for screen and paper, light and dark.

The template decides what stands where, :mod:`metrics.report.printed` what tables say.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from metrics.drawing.svg import page_svg
from metrics.report import numbers, printed
from metrics.report.drawn import figure_scene
from metrics.report.said import SECTIONS
from metrics.report.words import aev_best, score_name

FOLDER = Path(__file__).parent


def page(data: dict[str, Any], *, long_tables: Collection[str] = (), has_figures: bool = False) -> str:
    """The report as HTML; ``long_tables`` are Parquet in the folder, and figures are files of their own only if they are said to."""
    environment = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    figures = [
        spec | {"svg": Markup(page_svg(figure_scene(data, spec)))}  # noqa: S704 – escaped where it is written
        for spec in data["figures"]
    ]
    meta = {section["human"]: section for section in data["meta"]}
    compared = [section for section in data["human"] if meta[section["id"]]["correlations"] is not None]
    return environment.get_template("report.html").render(
        data=data,
        long_tables=long_tables,
        has_figures=has_figures,
        css=Markup((FOLDER / "report.css").read_text(encoding="utf-8")),  # noqa: S704 – our own file
        figures=figures,
        whole=numbers.whole,
        counted=numbers.counted,
        names=SECTIONS,
        people=[_human(section, data) for section in data["human"]],
        details=[_detail(table) for table in data["details"]],
        agreement=None if data["agreement"] is None else printed.agreement_table(data),
        programs=_programs(data),
        assessors=[
            table for table in (printed.deviations_table(data), printed.speed_table(data)) if table.rows
        ],
        metrics=[_metrics(section, meta[section["id"]], data) for section in compared],
        without_metrics=[one for one in data["remarks"]["missing"] if one["section"] == "correlations"],
    )


def _human(section: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    return {
        "section": section,
        "name": score_name(section, data["human"]),
        "systems": printed.systems_table(section, data["options"]),
        "pairs": printed.pairs_table(section, data["options"]),
        "severity": printed.severity_table(section),
    }


def _detail(table: dict[str, Any]) -> dict[str, Any]:
    return {"task": table["task"], "note": table["note"], "table": printed.detail_table(table)}


def _programs(data: dict[str, Any]) -> list[printed.Printed]:
    if data["programs"] is None:
        return []
    found = (printed.programs_table(data), printed.programs_first_place_table(data))
    return [table for table in found if table.rows]


def _metrics(section: dict[str, Any], meta: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    best = meta["aev"] and meta["aev"]["best"]
    return {
        "section": section,
        "name": score_name(section, data["human"]),
        "sentence": meta["sentence"],
        "summary": printed.metrics_table(section, meta, data),
        "rouge": meta["rouge"] and printed.rouge_table(section, meta, data["options"]),
        "rouge_shares": meta["rouge_shares"] and printed.rouge_shares_table(section, meta),
        "preference": meta.get("preference") and printed.preference_table(section, meta, data["options"]),
        "king": meta.get("king") and printed.king_table(section, meta),
        "aev": best and aev_best(best),
        "aev_signature": meta["aev"] and meta["aev"]["signature"],
        "no_curves": meta["prediction"] is not None
        and not any(
            (spec["kind"], spec["human"]) == ("prediction", section["id"]) for spec in data["figures"]
        ),
    }
