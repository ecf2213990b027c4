"""The figures of a report: which there are, and one by its name; :mod:`metrics.report.drawn` draws them.

A figure is described by a *spec*, an entry of ``figures`` in ``report.json``, and drawn from ``report.json`` alone, whenever it is
wanted. So a page can draw a scatter plot of any metric later (:func:`scatter_spec`) without computing anything again.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from metrics.errors import BadInput
from metrics.report.book import records
from metrics.report.drawn import Spec
from metrics.report.figure_data import MOST_ASSESSORS, human_of
from metrics.report.human import slug_of
from metrics.report.names import king_basis
from metrics.report.numbers import coefficient, interval, percent
from metrics.report.plots.marks import MOST_CATEGORIES, OTHERS
from metrics.report.printed.systems import BEYOND_VALUES, TESTED, is_moved, is_ranked

SCATTERS = 6
CROWD = 12
"""With more systems than these, not every name may find room in a scatter plot."""
CURVES = 6
"""More curves than these nobody can tell apart."""
FOREST = 20
HEAT = 20
MOST_MARKED = 20
"""Systems whose errors are drawn."""


# --- drawing --------------------------------------------------------------------------------------------------------


def figure_named(data: dict[str, Any], name: str, *, curves: Sequence[str] = ()) -> Spec:
    """The spec of this name: one of the report's, any scatter plot, or all Williams tests.

    ``curves`` are the metrics of a figure of significance prediction, if others than the report's own.
    """
    for spec in data["figures"]:
        if spec["name"] == name:
            chosen = spec["kind"] == "prediction" and curves
            return prediction_spec(data, spec["human"], curves) if chosen else dict(spec)
    for section in data["meta"]:
        if section["williams"] is not None and name == f"williams-all-{section['slug']}":
            return williams_spec(data, section["human"])
        if name.startswith(prefix := f"scatter-{section['slug']}--") and data["metric_scores"]:
            for metric in data["metric_scores"]["metrics"]:
                if slug_of(metric) == name.removeprefix(prefix):
                    return scatter_spec(data, section["human"], metric)
    raise BadInput(f"expected a figure of the report, found {name!r}")


# --- which figures --------------------------------------------------------------------------------------------------


def figure_specs(data: dict[str, Any]) -> list[Spec]:
    """All figures of a report, in the order in which they appear."""
    specs: list[Spec] = []
    for place, section in enumerate(data["human"]):
        specs.append(_systems(section, data["options"]))
        specs += _pairs(section)
        if section["task"] not in {earlier["task"] for earlier in data["human"][:place]}:
            specs += _duels(section)
    specs += _distributions(data)
    specs += _speed(data)
    for section in data["meta"]:
        if section["summary"] is not None and shown_metrics(records(section["summary"]), 1):
            specs += _of_meta(data, section)
    specs += [_elements(place, explained) for place, explained in enumerate(data["explained"])]
    for section in data["marked"]:
        specs += _of_marks(section)
    return specs


def _keys(*tables: dict[str, Any]) -> list[str]:
    """Keys of how the numbers of these tables were made."""
    return list(dict.fromkeys(row["signature"] for table in tables for row in records(table)))


INTERVALS = {
    "ordinal-model": "for other items and other assessors",
    "mixed-model": "for other items and other assessors",
    "bootstrap": "for other items and other assessors",
    "randomization": "for other items",
    "rank-sum": "for other items",
    "bootstrap-items": "over resampled items",
}


def _with_intervals(section: dict[str, Any]) -> str:
    known = any(row["low"] is not None for row in records(section["systems"]))
    return f", with intervals {INTERVALS[section['comparison']['method']]}" if known else ""


def shown_metrics(summary: list[dict[str, Any]], limit: int) -> list[str]:
    """Metrics worth a place in a figure: the best of each family, then the best of the rest, the strongest first."""
    known = [row for row in summary if row["pearson"] is not None]
    of_family = {row["family"]: row["metric"] for row in reversed(known)}
    leaders = [row["metric"] for row in known if of_family[row["family"]] == row["metric"]][:limit]
    rest = [row["metric"] for row in known if row["metric"] not in leaders][: limit - len(leaders)]
    return [row["metric"] for row in known if row["metric"] in {*leaders, *rest}]


def _estimate(section: dict[str, Any]) -> str:
    """What is drawn of a system: for the axis."""
    if section["comparison"]["method"] == "ordinal-model":
        return "logits"
    mean = "estimated mean" if is_moved(records(section["systems"])) else "mean"
    return f"{mean}, negated" if section.get("negated") else mean


def _systems(section: dict[str, Any], options: dict[str, Any]) -> Spec:
    ranked = is_ranked(section, options)
    several = len(section["systems"]["rows"]) > 1 and ranked
    what = "Estimated mean" if is_moved(records(section["systems"])) else "Mean"
    if section["comparison"]["method"] == "bootstrap-items":
        what = "Values of"
    if section["comparison"]["method"] == "ordinal-model":
        what = "Logits, about the mean of the systems, of"
    lines = (
        "Lines separate significance clusters; the numbers on the right are the ranks that a cluster shares."
        if section["comparison"]["method"] != "bootstrap-items"
        else "The numbers on the right are the ranks that a system has over resampled items; lines stand where no such range above "
        "reaches one below."
    )
    return {
        "name": f"systems-{section['slug']}",
        "kind": "systems",
        "human": section["id"],
        "score": section["score"],
        "interval": f"{percent(options['confidence_level'])} interval",
        "estimate": _estimate(section),
        "ranked": ranked,
        "title": f"Systems by {section['score']}",
        "caption": " ".join(
            [
                f"{what} {section['score']}{_with_intervals(section)}.",
                *([BEYOND_VALUES] if section["comparison"].get("beyond_values") else []),
                *([lines] if several else []),
            ]
        ),
        "signatures": _keys(section["systems"]),
    }


def _duels(section: dict[str, Any]) -> list[Spec]:
    """The matrix of wins, where texts were compared with each other."""
    if not section.get("duels"):
        return []
    return [
        {
            "name": f"duels-{section['slug']}",
            "kind": "duels",
            "human": section["id"],
            "title": f"Who beat whom, systems by {section['score']}",
            "caption": "The share of comparisons that the system of the row won against that of the column, ties counting half; where "
            "the interval over resampled items leaves out one half, the cell is framed.",
            "signatures": _keys(section["duels"]),
        }
    ]


def _pairs(section: dict[str, Any]) -> list[Spec]:
    """None where there is one system only."""
    if not section["pairs"]["rows"]:
        return []
    return [
        {
            "name": f"pairs-{section['slug']}",
            "kind": "pairs",
            "human": section["id"],
            "title": f"Pairs of systems by {section['score']}",
            "caption": f"Row above column, the darker the surer. {TESTED[section['comparison']['method']]}",
            "signatures": [section["pairs_signature"]],
        }
    ]


def _distributions(data: dict[str, Any]) -> list[Spec]:
    """Of each scale how each assessor used it, and how often each gave each value if it has few."""
    after = data["assessors"]["normalise"]
    people: dict[tuple[str, str], set[str]] = {}
    for row in records(data["assessors"]["distributions"]):
        people.setdefault((row["task"], row["criterion"]), set()).add(row["assessor"])
    counted = {(row["task"], row["criterion"]) for row in records(data["assessors"]["shares"])}
    specs: list[Spec] = []
    for (task, criterion), names in people.items():
        slug = slug_of(f"{task}/{criterion}")
        whole = {"human": None, "task": task, "criterion": criterion}
        most = _most(len(names))
        specs.append(
            {
                "name": f"assessors-{slug}",
                "kind": "assessors",
                **whole,
                "after": after,
                "title": f"How assessors used {criterion}",
                "caption": f"Values as given and after normalisation ({after}): boxes hold the middle half, lines reach to the "
                f"lowest and highest, bars are medians and dots means.{most}",
                "signatures": _keys(data["assessors"]["distributions"]),
            }
        )
        if (task, criterion) in counted:
            specs.append(
                {
                    "name": f"shares-{slug}",
                    "kind": "shares",
                    **whole,
                    "title": f"Values that assessors gave for {criterion}",
                    "caption": f"The share of each value, from the lowest on the left to the highest on the right.{most}",
                    "signatures": _keys(data["assessors"]["shares"]),
                }
            )
    return specs


def _most(number: int) -> str:
    return f" The {MOST_ASSESSORS} of {number} who judged most." if number > MOST_ASSESSORS else ""


def _speed(data: dict[str, Any]) -> list[Spec]:
    people: dict[str, int] = {}
    for row in records(data["assessors"]["speed"]):
        people[row["task"]] = people.get(row["task"], 0) + 1
    return [
        {
            "name": f"speed-{slug_of(task)}",
            "kind": "speed",
            "human": None,
            "task": task,
            "title": f"Seconds per judgment, {task}",
            "caption": f"Dots are means, ticks medians.{_most(number)}",
            "signatures": _keys(data["assessors"]["speed"]),
        }
        for task, number in people.items()
    ]


def _of_meta(data: dict[str, Any], section: dict[str, Any]) -> list[Spec]:
    human = human_of(data, section["human"])
    summary = records(section["summary"])
    specs = [_correlations(section, human["score"], summary)]
    specs += [scatter_spec(data, section["human"], metric) for metric in shown_metrics(summary, SCATTERS)]
    if section["williams"] is not None:
        specs.append(_williams(section, human["score"], shown_metrics(summary, HEAT)))
    chosen = _predicting(data, section, summary)
    specs += [prediction_spec(data, section["human"], chosen)] if chosen else []
    if section["aev"] is not None:
        specs.append(
            {
                **_named("aev", section),
                "title": f"R² of AEv(α, N) with {human['score']}",
                "caption": "R² from recall (left) to precision (right), from single words (bottom) to longer n-grams (top).",
                "signatures": [section["aev"]["signature"]],
            }
        )
    if section.get("king") is not None and section["king"]["rows"]:
        specs.append(_king(section, human["score"]))
    return specs


def _named(kind: str, section: dict[str, Any]) -> Spec:
    return {"name": f"{kind}-{section['slug']}", "kind": kind, "human": section["human"]}


def _correlations(section: dict[str, Any], score: str, summary: list[dict[str, Any]]) -> Spec:
    shown = shown_metrics(summary, FOREST)
    which = (
        f": the best of each family and the best of all, {len(shown)} of {len(summary)}"
        if len(shown) < len(summary)
        else ""
    )
    filled = " Filled points are not significantly outperformed by any other metric."
    return {
        **_named("correlations", section),
        "metrics": shown,
        "title": f"Correlation with {score}",
        "caption": f"Pearson's r of metrics with {score} over systems, with intervals{which}."
        + (filled if section["williams"] is not None else ""),
        "signatures": _keys(section["summary"]),
    }


def scatter_spec(data: dict[str, Any], human: str, metric: str) -> Spec:
    """The scatter plot of any system-level metric against a human score."""
    section = human_of(data, human)
    known = data["metric_scores"]["metrics"] if data["metric_scores"] else []
    if metric not in known:
        raise BadInput(f"expected a metric of the report, found {metric!r}")
    made = [row for row in records(data["metrics"]) if (row["metric"], row["level"]) == (metric, "system")]
    higher = all(row["higher_is_better"] for row in made)
    room = " Names that find no room are left out." if len(section["systems"]["rows"]) > CROWD else ""
    return {
        "name": f"scatter-{section['slug']}--{slug_of(metric)}",
        "kind": "scatter",
        "human": human,
        "score": section["score"],
        "metric": metric,
        "axis": metric + ("" if higher else " (lower is better)"),
        "title": f"{metric} and {section['score']}",
        "caption": f"Each point is a system: its score by {metric} and its mean {section['score']}{'' if is_moved(records(section['systems'])) else _with_intervals(section)}. "
        f"{_correlation(data, human, metric)}{room}",
        "signatures": _keys(section["systems"]) + [row["signature"] for row in made],
    }


def _correlation(data: dict[str, Any], human: str, metric: str) -> str:
    """How the two go together, in a sentence."""
    section = next((section for section in data["meta"] if section["human"] == human), None)
    summary = records(section["summary"]) if section and section["summary"] else []
    row = next((row for row in summary if row["metric"] == metric), None)
    if row is None or row["pearson"] is None:
        return "Pearson's r is undefined."
    digits = partial(coefficient, decimals=3)
    ends = "" if row["low"] is None else f" {interval(row['low'], row['high'], digits)}"
    return f"Pearson's r = {digits(row['pearson'])}{ends}, n = {row['n']}."


def _elements(place: int, explained: dict[str, Any]) -> Spec:
    share = f"{len(explained['matched'])} of {explained['reference_elements']}"
    several = ", the best of several," if explained["references"] > 1 else ""
    return {
        "name": f"elements-{place + 1}",
        "kind": "elements",
        "human": None,
        "example": place,
        "title": f"BEwT-E of {explained['system']}, item {explained['item']}",
        "caption": f"The {explained['which']} score, {coefficient(explained['score'], decimals=3)}. Which Basic Elements of the output match "
        f"which of reference {explained['reference']}{several} and by what; a line without words joins identical ones. {share} "
        "elements of the reference are matched.",
        "signatures": [explained["signature"]],
    }


def _of_marks(section: dict[str, Any]) -> list[Spec]:
    """Errors by category and severity, the systems with the fewest first, and the heat of a few documents."""
    rows = records(section["errors"])
    of_category: dict[str, int] = {}
    of_system: dict[str, float] = {}
    for row in rows:
        of_category[row["category"]] = of_category.get(row["category"], 0) + row["errors"]
        of_system[row["system"]] = of_system.get(row["system"], 0.0) + row["rate"]
    names = sorted(of_category, key=lambda name: (-of_category[name], name))
    kept = names if len(names) <= MOST_CATEGORIES else [*names[: MOST_CATEGORIES - 1], OTHERS]
    common = {"human": None, "task": section["task"], "signatures": [section["signature"]]}
    errors = {
        "name": f"errors-{section['slug']}",
        "kind": "errors",
        "categories": kept,
        "others": OTHERS,
        "severities": section["severities"],
        "systems": sorted(of_system, key=lambda name: (of_system[name], name))[:MOST_MARKED],
        "title": f"Errors by category and severity ({section['task']})",
        "caption": "For each unit that somebody judged; the system with the fewest errors is first, shades are categories.",
    }
    heats = [
        {
            "name": f"heat-{section['slug']}--{slug_of(one['item'])}",
            "kind": "heat",
            "item": one["item"],
            "title": f"Where errors stand in {one['item']} ({section['task']})",
            "caption": "Each line is a system’s text from its beginning to its end, the darker the more of the people marked the place.",
        }
        for one in section["documents"]
    ]
    return [common | spec for spec in (errors, *heats)]


def _williams(section: dict[str, Any], score: str, metrics: list[str]) -> Spec:
    return {
        **_named("williams", section),
        "metrics": metrics,
        "title": f"Which metric follows {score} better",
        "caption": "Row correlates higher with people than column, the darker the surer (Williams' test, one-sided); the strongest "
        "metric is first.",
        "signatures": [section["williams"]["signature"]],
    }


def _king(section: dict[str, Any], score: str) -> Spec:
    rows = records(section["king"])
    shown = [row["metric"] for row in rows][:FOREST]
    most = f" The {len(shown)} highest of {len(rows)} metrics." if len(shown) < len(rows) else ""
    over = f", {king_basis(section['king_basis'])}" if section.get("king_basis") else ""
    return {
        **_named("king", section),
        "metrics": shown,
        "title": f"KING beside the correlation with {score}",
        "caption": "KING is the share of references that, left out of the others, a metric ranks above every output: what it is "
        f"worth without people (Amigó et al. 2005){over}. Beside it, Pearson's r with {score} over systems.{most}",
        "signatures": _keys(section["king"], section["summary"]),
    }


def williams_spec(data: dict[str, Any], human: str) -> Spec:
    """The Williams tests of all metrics, however many they are."""
    section = next(section for section in data["meta"] if section["human"] == human)
    score = human_of(data, human)["score"]
    spec = _williams(section, score, section["williams"]["metrics"])
    return spec | {"name": f"williams-all-{section['slug']}"}


def _predicting(data: dict[str, Any], section: dict[str, Any], summary: list[dict[str, Any]]) -> list[str]:
    """Metrics of items whose curves are worth drawing; none where no curve has a point."""
    rows = records(section["prediction"]) if section["prediction"] is not None else []
    known = {row["metric"] for row in rows if row["recall"] is not None and row["precision"] is not None}
    origin = {row["metric"]: row["of"] for row in records(data["metrics"]) if row["level"] == "system"}
    of_items: dict[str, dict[str, Any]] = {}
    for row in summary:
        name = origin[row["metric"]]
        if name in known:
            of_items.setdefault(name, row | {"metric": name})
    return shown_metrics(list(of_items.values()), CURVES)


def prediction_spec(data: dict[str, Any], human: str, metrics: Sequence[str]) -> Spec:
    """Curves of significance prediction, of the metrics among these that the report has them for."""
    section = next(section for section in data["meta"] if section["human"] == human)
    known = dict.fromkeys(row["metric"] for row in records(section["prediction"]))
    return {
        **_named("prediction", section),
        "metrics": [metric for metric in dict.fromkeys(metrics) if metric in known][:CURVES],
        "title": f"Significant differences in {human_of(data, human)['score']}, as metrics predict them",
        "caption": "Recall and precision of significant differences between systems; the points of a curve are levels of α.",
        "signatures": _keys(section["prediction"]),
    }
