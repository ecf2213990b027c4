"""Sentences made from the report's own numbers: who wins, how sure; do people agree; which metric follows them."""

from __future__ import annotations

from typing import Any

from metrics.report.assessors import POOLED
from metrics.report.book import records
from metrics.report.numbers import amount, coefficient, decimals_for, listed, share, whole


def headline(data: dict[str, Any]) -> list[str]:
    """The result in a few sentences; each human score has one of its own."""
    sentences = [_winner(data["human"]), _agreement(data), _best_metric(data)]
    return [sentence for sentence in sentences if sentence]


def human_headline(section: dict[str, Any], options: dict[str, Any]) -> str:
    """One human score: the leader with its interval, and whom it cannot be told from."""
    systems = records(section["systems"])
    best, score = systems[0], section["score"]
    found = f"{_value(best, systems)} over {_count(best['items'], 'item')}"
    if len(systems) == 1:
        return f"{best['system']} has {found} by {score}; there is no other system to compare it with."
    together = [row["system"] for row in systems[1:] if row["cluster"] == best["cluster"]]
    how_often = (
        f"; it came first in {share(best['first_share'])} of {whole(options['n_resamples'])} resamples of the items"
        if best["first_share"] is not None
        else ""
    )
    if not together:
        others = f"all {len(systems) - 1} other systems" if len(systems) > 2 else systems[1]["system"]
        return f"{best['system']} is best by {score}, {found}, significantly better than {others}{how_often}."
    if len(together) == len(systems) - 1:
        return (
            f"There is no significant winner by {score}: {best['system']} has the highest mean, {found}, but no line can be "
            f"drawn between the {len(systems)} systems{how_often}."
        )
    return (
        f"{best['system']} leads by {score}, {found}, in one cluster with {listed(together)}, significantly better than the "
        f"{_count(len(systems) - 1 - len(together), 'other system')}{how_often}."
    )


def _value(row: dict[str, Any], rows: list[dict[str, Any]]) -> str:
    decimals = decimals_for(one["mean"] for one in rows)
    mean = amount(row["mean"], decimals)
    if row["low"] is None:
        return mean
    return f"{mean} [{amount(row['low'], decimals)}, {amount(row['high'], decimals)}]"


def _count(number: int, what: str) -> str:
    return f"{whole(number)} {what}" + ("" if number == 1 else "s")


def _winner(people: list[dict[str, Any]]) -> str:
    if not people:
        return "There is no human score yet."
    if len(people) == 1:
        return str(people[0]["headline"])
    leaders: dict[str, list[str]] = {}
    for section in people:
        leaders.setdefault(records(section["systems"])[0]["system"], []).append(_name(section, people))
    if len(leaders) == 1:
        (best,) = leaders
        return f"{best} has the highest mean by all {len(people)} human scores."
    parts = [f"{system} by {listed(scores)}" for system, scores in leaders.items()]
    return f"No system is first by every human score: the highest mean has {'; '.join(parts)}."


def _name(section: dict[str, Any], people: list[dict[str, Any]]) -> str:
    """The score's own name where it says enough."""
    return str(
        section["score"] if [one["score"] for one in people].count(section["score"]) == 1 else section["id"]
    )


def main_agreement(data: dict[str, Any]) -> dict[str, Any] | None:
    """Krippendorff's α of all criteria pooled, or of the first human score's criterion; ordinal for scales of few values."""
    if data["agreement"] is None or not data["human"]:
        return None
    first = data["human"][0]
    scale = {(row["task"], row["criterion"]) for row in records(data["assessors"]["shares"])}
    rows = [
        row for row in records(data["agreement"]) if row["task"] == first["task"] and row["value"] is not None
    ]
    only = {row["criterion"] for row in rows}
    for criterion in (POOLED, first["score"], *(only if len(only) == 1 else ())):
        few_values = (first["task"], criterion) in scale or criterion == POOLED
        wanted = "alpha-ordinal" if few_values else "alpha-interval"
        found = [row for row in rows if (row["criterion"], row["coefficient"]) == (criterion, wanted)]
        if found:
            return found[0]
    return None


def agreement_in_short(data: dict[str, Any]) -> str:
    """The main coefficient with its interval, such as "α = .61 [.52, .69]"; empty where there is none."""
    row = main_agreement(data)
    if row is None:
        return ""
    interval = "" if row["low"] is None else f" [{coefficient(row['low'])}, {coefficient(row['high'])}]"
    return f"α = {coefficient(row['value'])}{interval}"


def _agreement(data: dict[str, Any]) -> str:
    row = main_agreement(data)
    if row is None:
        return ""
    what = "on all criteria together" if row["criterion"] == POOLED else f"on {row['criterion']}"
    kind = row["coefficient"].removeprefix("alpha-")
    people = _count(row["assessors"], "assessor")
    return f"The {people} agree {what} with {agreement_in_short(data)} (Krippendorff, {kind})."


def _best_metric(data: dict[str, Any]) -> str:
    if not data["meta"] or data["meta"][0]["summary"] is None:
        return ""
    section, meta = data["human"][0], data["meta"][0]
    rows = [row for row in records(meta["summary"]) if row["pearson"] is not None]
    if not rows:
        return ""
    best, score = rows[0], _name(section, data["human"])
    interval = "" if best["low"] is None else f" [{coefficient(best['low'])}, {coefficient(best['high'])}]"
    sentence = (
        f"Of {_count(len(rows), 'automatic metric')} {best['metric']} follows {score} most closely: r = "
        f"{coefficient(best['pearson'])}{interval} over {_count(best['n'], 'system')}"
    )
    if meta["williams"] is None or len(rows) == 1:
        return f"{sentence}."
    optimal = len(meta["williams"]["not_outperformed"])
    return f"{sentence}; {_count(optimal, 'metric')} {'is' if optimal == 1 else 'are'} not significantly outperformed by any other."
