"""Sentences made from the report's own numbers: who wins, how sure; do people agree; which metric follows them."""

from __future__ import annotations

import math
from typing import Any

from metrics.human.registry import coefficients
from metrics.report.assessors import POOLED
from metrics.report.book import records
from metrics.report.numbers import amount, coefficient, counted, decimals_for, interval, listed, share, whole


def headline(data: dict[str, Any]) -> list[str]:
    """The result in a few sentences; each human score has one of its own."""
    sentences = [_winner(data["human"]), _agreement(data), _best_metric(data)]
    return [sentence for sentence in sentences if sentence]


def human_headline(section: dict[str, Any], options: dict[str, Any]) -> str:
    """One human score: the leader with its interval, and whom it cannot be told from."""
    systems = records(section["systems"])
    best, score = systems[0], section["score"]
    first = leaders(section)
    over = f"over {counted(best['items'], 'item')}"
    if len(systems) == 1:
        found = f"{_value(best, systems)} {over}"
        return f"{best['system']} has {found} by {score}; there is no other system to compare it with."
    if len(first) > 1:
        return _tie(systems, first, score)
    how_often = (
        f"; it came first in {share(best['first_share'])} of {whole(options['n_resamples'])} resamples of the items"
        if best["first_share"] is not None
        else ""
    )
    found = f"{_value(best, systems)} {over}"
    if all(row["cluster"] == best["cluster"] for row in systems):
        return (
            f"There is no significant winner by {score}: {best['system']} has the highest mean, {found}"
            f"{_beyond(systems, first)}{how_often}."
        )
    alone = sum(row["cluster"] == best["cluster"] for row in systems) == 1
    verb = "is best" if alone else "leads"
    return f"{best['system']} {verb} by {score}, {found}{_beyond(systems, first)}{how_often}."


def _tie(systems: list[dict[str, Any]], first: list[str], score: str) -> str:
    """Several systems with the highest mean."""
    best = systems[0]
    mean = f"{amount(best['mean'], decimals_for([best['mean']]))} over {counted(best['items'], 'item')}"
    if len(first) == len(systems):
        everyone = all_of(len(systems), "systems")
        return f"{everyone[:1].upper()}{everyone[1:]} have the same mean by {score}, {mean}."
    shared = f"{listed(first)} share the highest mean"
    if all(row["cluster"] == best["cluster"] for row in systems):
        return f"There is no significant winner by {score}: {shared}, {mean}{_beyond(systems, first)}."
    return f"{shared} by {score}, {mean}{_beyond(systems, first)}."


def leaders(section: dict[str, Any]) -> list[str]:
    """The systems with the highest mean: one, or several that tie."""
    systems = records(section["systems"])
    best = systems[0]["mean"]
    return [row["system"] for row in systems if math.isclose(row["mean"], best, rel_tol=1e-12, abs_tol=1e-12)]


def _beyond(systems: list[dict[str, Any]], first: list[str]) -> str:
    """Whom the first cannot be told from, and whom they beat."""
    cluster = systems[0]["cluster"]
    together = [row["system"] for row in systems if row["cluster"] == cluster and row["system"] not in first]
    below = [row["system"] for row in systems if row["cluster"] != cluster]
    if not below:
        return f", but no line can be drawn between the {len(systems)} systems"
    beaten = below[0] if len(below) == 1 else f"the {len(below)} other systems"
    if not together and len(first) == 1 and len(below) > 1:
        beaten = all_of(len(below), "other systems")
    within = f", in one cluster with {listed(together)}" if together else ""
    return f"{within}, significantly better than {beaten}"


def _value(row: dict[str, Any], rows: list[dict[str, Any]]) -> str:
    decimals = decimals_for(one["mean"] for one in rows)
    mean = amount(row["mean"], decimals)
    if row["low"] is None:
        return mean
    return f"{mean} [{amount(row['low'], decimals)}, {amount(row['high'], decimals)}]"


def all_of(number: int, what: str) -> str:
    """Both systems, all 3 systems."""
    return f"both {what}" if number == 2 else f"all {number} {what}"


def _winner(people: list[dict[str, Any]]) -> str:
    """Who is first: by the only human score, by all of them, or by which."""
    if not people:
        return "There is no human score yet."
    if len(people) == 1:
        return str(people[0]["headline"])
    by_leaders: dict[tuple[str, ...], list[str]] = {}
    for section in people:
        by_leaders.setdefault(tuple(leaders(section)), []).append(score_name(section, people))
    always = [system for system in next(iter(by_leaders)) if all(system in first for first in by_leaders)]
    if len(always) > 1:
        return f"{listed(always)} share the highest mean by {all_of(len(people), 'human scores')}."
    if always:
        shared = [
            f"with {listed([name for name in first if name not in always])} by {listed(scores)}"
            for first, scores in by_leaders.items()
            if len(first) > 1
        ]
        together = f", shared {' and '.join(shared)}" if shared else ""
        return f"{always[0]} has the highest mean by {all_of(len(people), 'human scores')}{together}."
    parts = [
        f"{listed(first)}{' together' if len(first) > 1 else ''} by {listed(scores)}"
        for first, scores in by_leaders.items()
    ]
    return f"No system is first by every human score: the highest mean has {'; '.join(parts)}."


def aev_best(best: dict[str, Any]) -> str:
    """Where the grid of AEv is highest, without a full stop."""
    return f"The highest R² is {coefficient(best['statistic'])}, at α = {best['alpha']:g} and N = {best['order']}"


def score_name(section: dict[str, Any], people: list[dict[str, Any]]) -> str:
    """The score's own name where it says enough."""
    return str(
        section["score"] if [one["score"] for one in people].count(section["score"]) == 1 else section["id"]
    )


def main_agreement(data: dict[str, Any]) -> dict[str, Any] | None:
    """The report's chosen coefficient, if it takes chance out: of all criteria pooled, or of the first human score's criterion."""
    if data["agreement_chosen"] is None or not data["human"]:
        return None
    first = data["human"][0]
    rows = [
        row
        for row in records(data["agreement_chosen"])
        if row["task"] == first["task"] and row["value"] is not None and _symbol(row["coefficient"])
    ]
    by_criterion = {row["criterion"]: row for row in rows}
    only = tuple(by_criterion) if len(by_criterion) == 1 else ()
    return next(
        (by_criterion[name] for name in (POOLED, first["score"], *only) if name in by_criterion), None
    )


def _symbol(coefficient_name: str) -> str:
    """The letter of a coefficient that a sentence may name; empty for shares of agreement, which leave chance in."""
    declared = coefficients().get(coefficient_name)
    return "α" if coefficient_name.startswith("alpha-") else declared.symbol if declared is not None else ""


def agreement_in_short(data: dict[str, Any]) -> str:
    """The main coefficient with its interval, such as "α = .61 [.52, .69]"; empty where there is none."""
    row = main_agreement(data)
    if row is None:
        return ""
    ends = "" if row["low"] is None else f" {interval(row['low'], row['high'], coefficient)}"
    return f"{_symbol(row['coefficient'])} = {coefficient(row['value'])}{ends}"


def _agreement(data: dict[str, Any]) -> str:
    row = main_agreement(data)
    if row is None:
        return ""
    what = "on all criteria together" if row["criterion"] == POOLED else f"on {row['criterion']}"
    declared = coefficients().get(row["coefficient"])
    kind = (
        f"Krippendorff, {row['coefficient'].removeprefix('alpha-')}" if declared is None else declared.title
    )
    people = counted(row["assessors"], "assessor")
    found = f"{agreement_in_short(data)} ({kind})"
    if row["value"] <= 0:
        return f"The {people} agree {what} no more than by chance: {found}."
    return f"The {people} agree {what} with {found}."


def _best_metric(data: dict[str, Any]) -> str:
    """Which metric follows the first human score best; the best of many may still be a bad one."""
    if not data["meta"] or data["meta"][0]["summary"] is None:
        return ""
    section, meta = data["human"][0], data["meta"][0]
    rows = [row for row in records(meta["summary"]) if row["pearson"] is not None]
    if not rows:
        return ""
    best, score = rows[0], score_name(section, data["human"])
    ends = "" if best["low"] is None else f" {interval(best['low'], best['high'], coefficient)}"
    found = f"r = {coefficient(best['pearson'])}{ends} over {counted(best['n'], 'system')}"
    if len(rows) == 1:
        return f"The automatic metric {best['metric']} correlates with {score} at {found}."
    if best["pearson"] <= 0:
        return f"None of {len(rows)} automatic metrics follows {score}: the highest correlation has {best['metric']}, {found}."
    sentence = (
        f"Of {whole(len(rows))} automatic metrics {best['metric']} follows {score} most closely: {found}"
    )
    if meta["williams"] is None:
        return f"{sentence}."
    return f"{sentence}; {not_outperformed(len(meta['williams']['not_outperformed']))}."


def not_outperformed(number: int) -> str:
    """How many metrics no other is significantly better than."""
    return f"{counted(number, 'metric')} {'is' if number == 1 else 'are'} not significantly outperformed by any other"
