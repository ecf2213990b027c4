"""A report as a folder: page, JSON, tables, figures, methods. Written beside its place and moved there when complete."""

from __future__ import annotations

import json
import secrets
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from metrics.errors import BadInput
from metrics.report.build import Report
from metrics.report.drawn import render_figure
from metrics.report.html import page
from metrics.report.latex import latex_tables
from metrics.report.steps import Progress, Steps
from metrics.report.stored import JSON, long_tables, slim, write_tables

PAGE, METHODS = "report.html", "methods.txt"
FOLDERS = ("tables", "figures")
FORMS = (".csv", ".parquet", ".tex", ".svg", ".png", ".pdf")


def write_report(
    report: Report,
    folder: str | Path,
    *,
    figures: bool = False,
    progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Path:
    """Write ``report.html``, ``report.json``, ``methods.txt``, ``tables/`` and ``figures/``; returns the folder.

    The page has all figures in it. As files of their own, in every form, they are drawn only with ``figures``: that takes far longer
    than all else, and whoever has the folder can draw them when they are wanted (``python -m metrics export``,
    :func:`~metrics.report.drawn.render_figure`). Tables of many rows are Parquet (:mod:`metrics.report.stored`).

    An older report in the same place is replaced once the new one is complete. A folder that holds anything else is left
    alone, and refused.
    """
    place = check_place(folder)
    drawn = report.data["figures"] if figures else []
    steps = Steps(len(drawn) + 2, progress=progress, cancelled=cancelled)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        made = place.with_name(f".{place.name}.{secrets.token_hex(4)}")
        made.mkdir()
    except OSError as problem:
        raise BadInput(f"cannot be written ({problem.strerror})", file=str(folder)) from problem
    try:
        _figures(report, drawn, made / "figures", steps)
        _fill(report, made, steps, drawn=figures)
        _move(made, place)
    finally:
        shutil.rmtree(made, ignore_errors=True)
    return place


def check_place(folder: Path | str) -> Path:
    """Where the report goes. Hours of computing should not end with a place that is taken: ask before."""
    place = Path(folder).absolute()
    if place.exists() and not (place.is_dir() and _replaceable(place)):
        raise BadInput("expected a folder of a report, an empty one, or a new name", file=str(folder))
    return place


def _replaceable(place: Path) -> bool:
    """Whether there is nothing in it but a report of ours: whatever else somebody keeps there must not be lost."""
    found = {path.relative_to(place) for path in place.rglob("*")}
    ours = {Path(name) for name in (JSON, PAGE, METHODS, *FOLDERS)}
    files = {path for path in found - ours if str(path.parent) in FOLDERS and path.suffix in FORMS}
    return found <= ours | files and (not found or _is_report(place / JSON))


def _is_report(file: Path) -> bool:
    try:
        return str(json.loads(file.read_text(encoding="utf-8"))["schema"]).startswith("touchstone-report/")
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _fill(report: Report, folder: Path, steps: Steps, *, drawn: bool) -> None:
    steps.start("tables")
    _tables(report, folder / "tables")
    steps.finish(1, "tables")
    steps.start("page")
    long = long_tables(report.tables)
    (folder / JSON).write_text(as_json(slim(report.data, long)), encoding="utf-8")
    (folder / METHODS).write_text("\n\n".join(report.data["methods"]) + "\n", encoding="utf-8")
    (folder / PAGE).write_text(page(report.data, long_tables=long, has_figures=drawn), encoding="utf-8")
    steps.finish(1, "page")


def as_json(data: dict[str, Any]) -> str:
    """A report as text, the same for the same report."""
    return json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":")) + "\n"


def _figures(report: Report, specs: list[dict[str, Any]], folder: Path, steps: Steps) -> None:
    """Each figure in every form."""
    if specs:
        folder.mkdir()
    for spec in specs:
        label = f"figure: {spec['title']}"
        steps.start(label)
        for form, content in render_figure(report.data, spec).items():
            (folder / f"{spec['name']}.{form}").write_bytes(content)
        steps.finish(1, label)


def _tables(report: Report, folder: Path) -> None:
    folder.mkdir()
    write_tables(report.tables, report.data, folder)
    long = long_tables(report.tables)
    for name, text in latex_tables(report.data, without=long).items():
        (folder / f"{name}.tex").write_text(text, encoding="utf-8", newline="")


def _move(made: Path, place: Path) -> None:
    """The finished folder to its place; an older report steps aside first, and comes back if that fails."""
    if not place.exists():
        made.rename(place)
        return
    aside = made.with_name(f"{made.name}.old")
    place.rename(aside)
    try:
        made.rename(place)
    except OSError:
        aside.rename(place)
        raise
    shutil.rmtree(aside, ignore_errors=True)
