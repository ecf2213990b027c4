"""A figure of a report as a page shows it, or as SVG, PNG, PDF or CSV: drawn from its spec and report.json alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from metrics.drawing.files import PICTURES, scene_file
from metrics.drawing.scene import Scene
from metrics.drawing.svg import page_svg
from metrics.report.book import with_signature
from metrics.report.figure_data import figure_frame
from metrics.report.plots import PLOTS
from metrics.report.plots.boards import is_nameless
from metrics.tables import csv_text

Spec = dict[str, Any]
"""An entry of ``figures`` in ``report.json``."""
FORMS = (*PICTURES, "csv")
WIDTH = 440.0
"""Pixels of a file: a column of a paper, and lines of text are still legible when it fills the screen of a phone."""
LAYOUTS = {"narrow": 340.0, "wide": 640.0}
"""Pixels on a page that knows how much room there is."""


def figure_scene(data: dict[str, Any], spec: Spec, width: float = WIDTH) -> Scene:
    """The drawing that a spec describes, for so much room."""
    return PLOTS[spec["kind"]](data, spec, width)


def render_figure(data: dict[str, Any], spec: Spec, *, forms: Sequence[str] = FORMS) -> dict[str, bytes]:
    """A figure as ``svg``, ``pdf``, ``png`` and the ``csv`` of its numbers, by form; the same report gives the same bytes."""
    scene = figure_scene(data, spec) if set(forms) - {"csv"} else None
    made = {}
    for form in forms:
        if scene is None or form == "csv":
            how = " and ".join(data["signatures"][key] for key in spec["signatures"])
            made[form] = csv_text(with_signature(figure_frame(data, spec), how)).encode()
        else:
            made[form] = scene_file(scene, form, title=spec["title"])
    return made


@dataclass(frozen=True)
class PageFigure:
    """A figure for a page: a drawing for each layout, and of a matrix what a reader is told cell by cell."""

    drawings: dict[str, str]
    board: dict[str, Any] | None


def page_figure(data: dict[str, Any], spec: Spec) -> PageFigure:
    """The figure in the colours of the page, for little and for much room; one without names needs one drawing only."""
    layouts = {"only": LAYOUTS["wide"]} if is_nameless(spec) else LAYOUTS
    scenes = {name: figure_scene(data, spec, width) for name, width in layouts.items()}
    boards = {name: scene.board for name, scene in scenes.items() if scene.board}
    drawings = {name: page_svg(scene, class_name=name) for name, scene in scenes.items()}
    if not boards:
        return PageFigure(drawings, None)
    said = {key: value for key, value in next(iter(boards.values())).items() if key not in PLACES}
    places = {name: {key: board[key] for key in PLACES} for name, board in boards.items()}
    return PageFigure(drawings, said | {"places": places})


PLACES = ("left", "top", "cell")
