"""What is said beside the numbers, decided once: which agreement, who is first, what is missing, left out or to be noted."""

from __future__ import annotations

from typing import Any

from metrics.human.registry import coefficients
from metrics.report.assessors import POOLED
from metrics.report.book import records
from metrics.report.numbers import counted, decimals_for, listed
from metrics.report.words import is_best, leaders, score_name

Row = dict[str, Any]

SECTIONS = {
    "human": "human scores",
    "pairs": "comparisons of systems",
    "normalisation": "evaluator normalisation",
    "details": "further tables",
    "agreement": "agreement",
    "speed": "time per judgment",
    "computed-scores": "computed metrics",
    "correlations": "metrics against people",
    "williams": "Williams tests",
    "selection": "the best of the metrics",
    "generalisability": "where the noise comes from",
    "rasch": "severity of assessors",
    "prediction": "significance prediction",
    "aev": "the AEv grid",
    "rouge": "ROUGE’s variants",
    "marked": "marked texts",
}
"""Parts of a report in words, where they are missing."""

# The coefficient that a reader is told first comes first: of scales with few values their order counts, of others distances.
FEW_VALUES = ("alpha-ordinal", "alpha-interval", "alignment-f1", "percent", "intra-percent")
MANY_VALUES = ("alpha-interval", *FEW_VALUES)
# Those that a kind declares come in the order in which it names them.


def chosen_agreement(agreement: Row | None, shares: Row) -> Row | None:
    """One line per task and criterion, by the coefficient that says most; the same table otherwise."""
    if agreement is None:
        return None
    few = {(row["task"], row["criterion"]) for row in records(shares)}
    best: dict[tuple[str, str], tuple[int, int]] = {}
    for place, row in enumerate(records(agreement)):
        key = (row["task"], row["criterion"])
        order = FEW_VALUES if key in few or row["criterion"] == POOLED else MANY_VALUES
        order = (*coefficients(), *order)
        rank = order.index(row["coefficient"]) if row["coefficient"] in order else len(order)
        rank += len(order) + 1 if row["value"] is None else 0
        best[key] = min(best.get(key, (rank, place)), (rank, place))
    return {
        "columns": agreement["columns"],
        "rows": [agreement["rows"][place] for _, place in best.values()],
    }


def overview(data: Row) -> list[Row]:
    """In a line per human score: who is first and how sure, and which metric follows it best."""
    metas = {section["human"]: section for section in data["meta"]}
    return [_line(section, metas.get(section["id"]), data["human"]) for section in data["human"]]


def _line(section: Row, meta: Row | None, people: list[Row]) -> Row:
    systems = records(section["systems"])
    best, design = systems[0], section["design"]
    ranked = (
        [row for row in records(meta["summary"]) if row["pearson"] is not None]
        if meta and meta["summary"]
        else []
    )
    williams = meta["williams"] if meta else None
    return {
        "human": section["id"],
        "slug": section["slug"],
        "name": score_name(section, people),
        "system": best["system"],
        "leaders": leaders(section),
        "estimate": best["estimate"],
        "low": best["low"],
        "high": best["high"],
        "decimals": decimals_for(row["estimate"] for row in systems),
        "first_share": best["first_share"],
        "together": section["not_told_from_first"],
        "may_rank": design["may_rank"],
        "verdict": _verdict(section, len(systems)),
        "items": section["items"],
        "judgments": section["judgments"],
        "metric": {name: ranked[0][name] for name in ("metric", "pearson", "low", "high", "n")}
        if ranked
        else None,
        "metrics": len(ranked),
        "not_outperformed": len(williams["not_outperformed"]) if williams else None,
        "selection": _chosen(meta["selection"]) if meta else None,
    }


def _verdict(section: Row, systems: int) -> str:
    """What may be said of the first system, in a few words."""
    if systems == 1:
        return "no other system"
    if not section["design"]["may_rank"]:
        return f"not ranked: {section['design']['why']}"
    if is_best(section):
        return "better than all others"
    near = listed(section["not_told_from_first"], most=4)
    return f"not told apart from {near}" if near else "in one cluster with others"


def _chosen(selection: Row | None) -> Row | None:
    """What is left of the best metric when the choosing is allowed for, in a line."""
    if selection is None:
        return None
    names = ("pvalue", "low", "high", "held_out", "claimed", "metrics")
    return {name: selection[name] for name in names} | {"candidates": len(selection["candidates"])}


def remarks(data: Row) -> dict[str, list[Row]]:
    """What was left out, what is missing and what to note: each thing once, with the human scores that it is true of."""
    ids = [section["id"] for section in data["human"]]
    return {
        "left_out": [
            row | {"text": f"{counted(row['count'], row['what'].removesuffix('s'))}: {row['why']}"}
            for row in _together(data["left_out"], ids)
        ],
        "missing": [
            row | {"text": f"{SECTIONS.get(row['section'], row['section'])}: {row['why']}"}
            for row in _together(data["missing"], ids)
        ],
        "notes": [row | {"text": row["note"]} for row in _together(data["notes"], ids)],
    }


def _together(rows: list[Row], ids: list[str]) -> list[Row]:
    """What is true of several human scores for the same reason, said once; ``of`` says of which."""
    found: dict[tuple[Any, ...], list[str | None]] = {}
    for row in rows:
        same = tuple((name, value) for name, value in row.items() if name != "human")
        found.setdefault(same, []).append(row["human"])
    return [dict(same) | {"of": _of(humans, ids)} for same, humans in found.items()]


def _of(humans: list[str | None], ids: list[str]) -> str:
    """The human scores in words; empty where it is about the study as a whole."""
    named = [human for human in humans if human is not None]
    if len(named) < len(humans):
        return ""
    if len(ids) > 1 and set(named) == set(ids):
        return "every human score"
    return listed(named, most=len(named))
