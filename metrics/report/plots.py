"""How each kind of figure is drawn: a function from the numbers behind it, and its spec, to a matplotlib figure."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from metrics.automatic.aev_grid import AevGrid
from metrics.automatic.preparation import Setting
from metrics.report.labels import name_points
from metrics.report.numbers import DASH, coefficient
from metrics.report.printed import span
from metrics.report.style import BLUE, COLOURS, INK, LINE, MARKERS, PAPER, STYLE, WIDTH, without_glyphs

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = npt.NDArray[np.float64]
Plot = Callable[[pd.DataFrame, dict[str, Any]], "Figure"]

LONGEST_NAME = 32
LONGEST_AXIS = 44
ROOM = 20
"""Letters of a name that leave a plot of the usual width wide enough."""
ROW = 0.27
"""Inches for a line of a dot plot."""


def plotted(draw: Callable[[pd.DataFrame, dict[str, Any]], Figure]) -> Plot:
    """The style holds while a figure is made; it is global in matplotlib only within this block."""

    def styled(frame: pd.DataFrame, spec: dict[str, Any]) -> Figure:
        import matplotlib as mpl  # noqa: PLC0415 – see style.rendered

        with mpl.rc_context(STYLE), without_glyphs():
            return draw(frame, spec)

    return styled


def _figure(width: float, height: float) -> Figure:
    from matplotlib.figure import Figure  # noqa: PLC0415

    return Figure(figsize=(width, height), layout="constrained")


def short(name: str, longest: int = LONGEST_NAME) -> str:
    """A name that fits beside a plot, on one line; long ones often differ at their end, so the middle goes."""
    name = " ".join(name.split())
    if len(name) <= longest:
        return name
    end = longest // 3
    return f"{name[: longest - 1 - end]}…{name[-end:]}"


def _score(spec: dict[str, Any]) -> str:
    """The human score that a figure is about, for an axis."""
    return short(spec["human"].rsplit("/", 1)[-1], LONGEST_AXIS)


def _width(names: list[str]) -> float:
    """The width of a plot that has these names on its left, and room for itself."""
    longest = max((len(short(name)) for name in names), default=0)
    return WIDTH + 0.06 * max(0, longest - ROOM)


def _rows(axes: Axes, names: list[str]) -> Floats:
    """One line per name, the first on top."""
    places = np.arange(len(names), dtype=np.float64)
    axes.set_yticks(places, [short(name) for name in names])
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.grid(axis="x")
    return places


def _systems(frame: pd.DataFrame, spec: dict[str, Any]) -> Figure:
    """Means with intervals, the best on top, lines between clusters."""
    names = frame["system"].tolist()
    figure = _figure(_width(names), 0.9 + ROW * len(frame))
    axes = figure.subplots()
    places = _rows(axes, names)
    _intervals(axes, frame["mean"], frame["low"], frame["high"], places)
    axes.plot(frame["mean"], places, "o", color=BLUE, markersize=5)
    for place, (before, after) in enumerate(zip(frame["cluster"], frame["cluster"].iloc[1:], strict=False)):
        if before != after:
            axes.axhline(place + 0.5, color=INK, linewidth=0.8, linestyle=(0, (4, 3)))
    ranks = axes.secondary_yaxis("right")
    ranks.set_yticks(
        places, [span(int(a), int(b)) for a, b in zip(frame["start"], frame["end"], strict=True)]
    )
    ranks.tick_params(length=0)
    ranks.spines["right"].set_visible(False)
    axes.set_xlabel(_score(spec))
    return figure


def _intervals(
    axes: Axes, middle: pd.Series[float], low: pd.Series[float], high: pd.Series[float], places: Any
) -> None:
    ends = [series.astype("float64").fillna(middle.astype("float64")) for series in (low, high)]
    axes.hlines(places, ends[0], ends[1], color=BLUE, linewidth=1.6, alpha=0.65)


def _assessors(frame: pd.DataFrame, spec: dict[str, Any]) -> Figure:
    """Before and after normalisation, one line per assessor (Leusch et al. 2005, Figure 1)."""
    spread = frame[frame["median"].notna()]
    names = sorted(set(spread["assessor"]))
    counted = frame[frame["share"].notna()]
    figure = _figure(WIDTH * 1.25, 1.2 + ROW * len(names))
    before, after = figure.subplots(1, 2, sharey=True)
    places = dict(zip(names, _rows(before, names), strict=True))
    if len(counted):
        _shares(before, counted, places)
    else:
        _quartiles(before, spread[spread["stage"] == "raw"], places)
    _quartiles(after, spread[spread["stage"] == spec["after"]], places)
    after.grid(axis="x")
    after.tick_params(axis="y", length=0)
    after.spines["left"].set_visible(False)
    before.set_xlabel("share of values" if len(counted) else "as given")
    after.set_xlabel(f"after normalisation ({spec['after']})")
    return figure


def _shares(axes: Axes, counted: pd.DataFrame, places: dict[str, float]) -> None:
    """Stacked shares of each value, low values dark, high ones light, as viridis orders them."""
    import matplotlib as mpl  # noqa: PLC0415

    values = sorted(set(counted["value"]))
    colours = mpl.colormaps["viridis"](np.linspace(0.05, 0.95, len(values)))
    left = dict.fromkeys(places, 0.0)
    for value, colour in zip(values, colours, strict=True):
        own = counted[counted["value"] == value].set_index("assessor")["share"]
        names = [name for name in places if name in own.index]
        axes.barh(
            [places[name] for name in names],
            [own[name] for name in names],
            left=[left[name] for name in names],
            height=0.72,
            color=colour,
            label=f"{value:g}",
        )
        for name in names:
            left[name] += float(own[name])
    axes.set_xlim(0, 1)
    axes.grid(visible=False)
    axes.legend(
        loc="lower left",
        bbox_to_anchor=(0, 1),
        ncols=min(6, len(values)),
        handlelength=0.9,
        columnspacing=0.9,
    )


def _quartiles(axes: Axes, spread: pd.DataFrame, places: dict[str, float]) -> None:
    """Range thin, middle half thick, median open, mean as a cross."""
    rows = [places[name] for name in spread["assessor"]]
    axes.hlines(rows, spread["minimum"], spread["maximum"], color=BLUE, linewidth=0.8)
    axes.hlines(rows, spread["lower"], spread["upper"], color=BLUE, linewidth=6, alpha=0.55)
    axes.plot(spread["median"], rows, "o", color=PAPER, markeredgecolor=BLUE, markersize=5)
    axes.plot(spread["mean"], rows, "x", color=INK, markersize=4.5)


def _correlations(frame: pd.DataFrame, spec: dict[str, Any]) -> Figure:
    """Coefficients with intervals; filled where no other metric is significantly better."""
    names = frame["metric"].tolist()
    figure = _figure(_width(names), 0.8 + 0.24 * len(frame))
    axes = figure.subplots()
    places = _rows(axes, names)
    _intervals(axes, frame["pearson"], frame["low"], frame["high"], places)
    beaten = frame["outperformed_by"].fillna(0).to_numpy() > 0
    for chosen, face in ((~beaten, BLUE), (beaten, PAPER)):
        axes.plot(
            frame["pearson"][chosen],
            places[chosen],
            "o",
            markersize=5,
            markerfacecolor=face,
            markeredgecolor=BLUE,
        )
    axes.axvline(0, color=INK, linewidth=0.6)
    axes.set_xlim(min(-0.05, _lowest(frame["low"], frame["pearson"])), 1.02)
    axes.set_xlabel(f"Pearson’s r, {int(frame['n'].max())} systems")
    return figure


def _lowest(*columns: pd.Series[float]) -> float:
    return float(np.nanmin([column.astype("float64").min() for column in columns])) - 0.02


def _scatter(frame: pd.DataFrame, spec: dict[str, Any]) -> Figure:
    """Metric across, people up, each system named."""
    figure = _figure(WIDTH, WIDTH * 0.78)
    axes = figure.subplots()
    x, y = frame["metric"].to_numpy(dtype=np.float64), frame["human"].to_numpy(dtype=np.float64)
    ends = [frame[name].astype("float64").fillna(frame["human"]) for name in ("low", "high")]
    axes.vlines(x, ends[0], ends[1], color=BLUE, linewidth=1, alpha=0.35)
    axes.plot(x, y, "o", color=BLUE, markersize=5)
    axes.margins(0.12)
    axes.grid(visible=True)
    axes.set_xlabel(short(spec["axis"], LONGEST_AXIS))
    axes.set_ylabel(_score(spec))
    name_points(figure, axes, x, y, [short(name, 24) for name in frame["system"]])
    return figure


# Levels of significance with the side of a cell's square: size, unlike shade, reads alike on light and dark paper.
LEVELS = ((0.001, 0.92), (0.01, 0.66), (0.05, 0.4))
CELL = 0.24
"""Inches."""


def _williams(frame: pd.DataFrame, spec: dict[str, Any]) -> Figure:
    """Rows that beat columns, as in Graham's (2015) Figure 3."""
    from matplotlib.lines import Line2D  # noqa: PLC0415
    from matplotlib.patches import Rectangle  # noqa: PLC0415

    names = list(dict.fromkeys(frame["row"]))
    own = frame.drop_duplicates("row").set_index("row")["correlation"]
    margin = 0.8 + 0.09 * max(len(short(name, 26)) for name in names)
    figure = _figure(CELL * len(names) + margin, CELL * len(names) + margin)
    axes = figure.subplots()
    place = {name: number for number, name in enumerate(names)}
    edges = np.arange(len(names) + 1) - 0.5
    axes.hlines(edges, -0.5, len(names) - 0.5, color=LINE, linewidth=0.5)
    axes.vlines(edges, -0.5, len(names) - 0.5, color=LINE, linewidth=0.5)
    for row, column, pvalue in zip(frame["row"], frame["column"], frame["pvalue"], strict=True):
        side = _side(pvalue)
        if side:
            at = (place[column] - side / 2, place[row] - side / 2)
            axes.add_patch(Rectangle(at, side, side, facecolor=BLUE, linewidth=0))
    labels = [f"{short(name, 26)}  {coefficient(float(own[name]))}" for name in names]
    axes.set_yticks(range(len(names)), labels)
    axes.set_xticks(range(len(names)), [short(name, 26) for name in names], rotation=90)
    axes.set_xlim(-0.6, len(names) - 0.4)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_aspect("equal")
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    squares = [
        Line2D(
            [], [], marker="s", linestyle="", color=BLUE, markersize=72 * CELL * side, label=f"p < {level:g}"
        )
        for level, side in LEVELS
    ]
    figure.legend(handles=squares, loc="outside upper left", ncols=len(squares))
    return figure


def _side(pvalue: float | None) -> float:
    return next((side for level, side in LEVELS if pvalue is not None and pvalue < level), 0.0)


def _prediction(frame: pd.DataFrame, spec: dict[str, Any]) -> Figure:
    """Recall across, precision up, one curve per metric over the levels (Lin & Hovy 2003, Figure 3)."""
    figure = _figure(WIDTH, WIDTH * 0.85)
    axes = figure.subplots()
    for number, (metric, curve) in enumerate(frame.groupby("metric", sort=False)):
        axes.plot(
            curve["recall"].astype("float64"),
            curve["precision"].astype("float64"),
            color=COLOURS[number % len(COLOURS)],
            marker=MARKERS[number % len(MARKERS)],
            markersize=4.5,
            linewidth=1.3,
            label=short(str(metric)),
        )
    axes.set_xlim(-0.02, 1.02)
    axes.set_ylim(-0.02, 1.02)
    axes.set_aspect("equal")
    axes.grid(visible=True)
    axes.set_xlabel("recall")
    axes.set_ylabel("precision")
    figure.legend(loc="outside lower center", ncols=2)
    return figure


def _aev(frame: pd.DataFrame, spec: dict[str, Any]) -> Figure:
    """The grid's own picture, narrow enough for a phone."""
    grid = frame.pivot_table(index="N", columns="alpha", values="r2", dropna=False).astype("float64")
    figure = AevGrid(
        human=_score(spec),
        setting=Setting(),
        orders=tuple(int(order) for order in grid.index),
        alphas=tuple(float(alpha) for alpha in grid.columns),
        statistic=grid.to_numpy(),
        n=int(frame["systems"].max()),
    ).plot()
    for cell in figure.axes[0].texts:
        if cell.get_text() == DASH:
            cell.set_color(INK)  # nothing is drawn under what is undefined, and white on paper is nothing
    figure.set_size_inches(1.1 + 0.44 * grid.shape[1], 1.2 + 0.42 * grid.shape[0])
    return figure


PLOTS: dict[str, Plot] = {
    "systems": plotted(_systems),
    "assessors": plotted(_assessors),
    "correlations": plotted(_correlations),
    "scatter": plotted(_scatter),
    "williams": plotted(_williams),
    "prediction": plotted(_prediction),
    "aev": plotted(_aev),
}
