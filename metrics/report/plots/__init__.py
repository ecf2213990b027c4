"""How each kind of figure is drawn: one line per kind, a function from report, description and width to a scene."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from metrics.drawing.scene import Scene
from metrics.report.plots.boards import draw_aev, draw_duels, draw_pairs, draw_williams
from metrics.report.plots.elements import draw_elements
from metrics.report.plots.lines import (
    draw_assessors,
    draw_correlations,
    draw_king,
    draw_shares,
    draw_speed,
    draw_systems,
)
from metrics.report.plots.marks import draw_errors, draw_heat
from metrics.report.plots.points import draw_prediction, draw_scatter

Plot = Callable[[dict[str, Any], dict[str, Any], float], Scene]

PLOTS: dict[str, Plot] = {
    "systems": draw_systems,
    "pairs": draw_pairs,
    "duels": draw_duels,
    "assessors": draw_assessors,
    "shares": draw_shares,
    "speed": draw_speed,
    "correlations": draw_correlations,
    "scatter": draw_scatter,
    "williams": draw_williams,
    "prediction": draw_prediction,
    "aev": draw_aev,
    "king": draw_king,
    "elements": draw_elements,
    "errors": draw_errors,
    "heat": draw_heat,
}
