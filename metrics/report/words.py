"""Sentences made from the report's own numbers: who wins, how sure; do people agree; which metric follows them."""

from __future__ import annotations

import math
from typing import Any

from metrics.human.registry import coefficients
from metrics.report.assessors import POOLED
from metrics.report.book import records
from metrics.report.numbers import (
    amount,
    coefficient,
    counted,
    decimals_for,
    equal_to,
    interval,
    listed,
    share,
    whole,
)
from metrics.report.printed.systems import is_moved


def headline(data: dict[str, Any]) -> list[str]:
    """The result in a few sentences; each human score has one of its own."""
    sentences = [_winner(data["human"]), _agreement(data), _best_metric(data)]
    return [sentence for sentence in sentences if sentence]


def human_headline(section: dict[str, Any], options: dict[str, Any]) -> str:
    """One human score: who has the highest estimate, with its interval, and what may be claimed of it."""
    systems = records(section["systems"])
    best, score = systems[0], shown_score(section)
    first = leaders(section)
    unit = " logits" if section["comparison"]["method"] == "ordinal-model" else ""
    found = f"{_value(best, systems, unit)} {_stands_on(section, best)}"
    if len(systems) == 1:
        return f"{best['system']} has {found} by {score}; there is no other system to compare it with."
    if len(first) == len(systems):
        everyone = all_of(len(systems), "systems")
        value = amount(best["estimate"], decimals_for([best["estimate"]]))
        return f"{everyone[:1].upper()}{everyone[1:]} have the same {_called(section)} by {score}, {value} {_stands_on(section, best)}."
    if len(first) > 1:
        found = f"{amount(best['estimate'], decimals_for([best['estimate']]))} {_stands_on(section, best)}"
        holds = f"{listed(first)} share the highest {_called(section)}"
    else:
        holds = f"{best['system']} has the highest {_called(section)}"
    if not section["design"]["may_rank"]:
        return f"{holds} by {score}, {found}{_above(section, first)}; none is called best, with {section['design']['why']}."
    if all(row["cluster"] == best["cluster"] for row in systems):
        return (
            f"There is no significant winner by {score}: {holds}, {found}, but no line can be drawn between the "
            f"{len(systems)} systems{_significant(section, options)}{_how_often(best, first, options)}."
        )
    if len(first) > 1:
        return f"{holds} by {score}, {found}{_beyond(systems, first)}."
    alone = sum(row["cluster"] == best["cluster"] for row in systems) == 1
    verb = "is best" if alone else "leads"
    return f"{best['system']} {verb} by {score}, {found}{_beyond(systems, first)}{_how_often(best, first, options)}."


def shown_score(section: dict[str, Any]) -> str:
    """The score's name, and that its values are shown with the other sign where lower is better: the highest of them is the best."""
    return f"{section['score']} (negated)" if section.get("negated") else str(section["score"])


def _called(*sections: dict[str, Any]) -> str:
    """What systems are ordered by: an estimate that is not the plain mean is not called so."""
    return "estimate" if any(is_moved(records(section["systems"])) for section in sections) else "mean"


def _stands_on(section: dict[str, Any], best: dict[str, Any]) -> str:
    """Its own items, and its own assessors where the interval allows for others of them; the table beside it has the same numbers."""
    people = (
        f" and {counted(best['assessors'], 'assessor')}"
        if "assessors" in section["comparison"]["generalises_over"]
        else ""
    )
    return f"over {counted(best['items'], 'item')}{people}"


def _how_often(best: dict[str, Any], first: list[str], options: dict[str, Any]) -> str:
    if best["first_share"] is None or len(first) > 1:
        return ""
    return (
        f"; in {share(best['first_share'])} of {whole(options['n_resamples'])} redraws of these items, with the same assessors, "
        "its mean was the highest"
    )


def significant_pairs(section: dict[str, Any], alpha: float) -> list[dict[str, Any]]:
    """The pairs of systems that differ significantly, by the one test that everything goes by."""
    return [
        row
        for row in records(section["pairs"])
        if row["pvalue_adjusted"] is not None and row["pvalue_adjusted"] < alpha
    ]


def _significant(section: dict[str, Any], options: dict[str, Any]) -> str:
    """Single pairs may differ where no line can be drawn."""
    found = len(significant_pairs(section, options["alpha"]))
    every = counted(len(section["pairs"]["rows"]), "pair")
    return (
        f"; {whole(found)} of {every} {'differs' if found == 1 else 'differ'} significantly" if found else ""
    )


def _above(section: dict[str, Any], first: list[str]) -> str:
    """Which systems the first ones differ from, where nothing is ranked: facts about pairs."""
    below = [row["system"] for row in records(section["systems"]) if row["system"] not in first]
    beaten = [name for name in below if name not in section["not_told_from_first"]]
    return f", significantly above {listed(beaten)}" if beaten and len(first) == 1 else ""


def leaders(section: dict[str, Any]) -> list[str]:
    """The systems with the highest estimate: one, or several that tie."""
    systems = records(section["systems"])
    best = systems[0]["estimate"]
    return [
        row["system"] for row in systems if math.isclose(row["estimate"], best, rel_tol=1e-12, abs_tol=1e-12)
    ]


def _beyond(systems: list[dict[str, Any]], first: list[str]) -> str:
    """Whom the first cannot be told from as a group, and whom they beat."""
    cluster = systems[0]["cluster"]
    together = [row["system"] for row in systems if row["cluster"] == cluster and row["system"] not in first]
    below = [row["system"] for row in systems if row["cluster"] != cluster]
    beaten = below[0] if len(below) == 1 else f"the {len(below)} other systems"
    if not together and len(first) == 1 and len(below) > 1:
        beaten = all_of(len(below), "other systems")
    within = f", in one cluster with {listed(together)}" if together else ""
    return f"{within}, significantly better than {beaten}"


def _value(row: dict[str, Any], rows: list[dict[str, Any]], unit: str) -> str:
    decimals = decimals_for(one["estimate"] for one in rows)
    mean = amount(row["estimate"], decimals)
    if row["low"] is None:
        return mean
    return f"{mean} [{amount(row['low'], decimals)}, {amount(row['high'], decimals)}]{unit}"


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
        return f"{listed(always)} share the highest {_called(*people)} by {all_of(len(people), 'human scores')}{_how_sure(people)}."
    if always:
        shared = [
            f"with {listed([name for name in first if name not in always])} by {listed(scores)}"
            for first, scores in by_leaders.items()
            if len(first) > 1
        ]
        together = f", shared {' and '.join(shared)}" if shared else ""
        return f"{always[0]} has the highest {_called(*people)} by {all_of(len(people), 'human scores')}{together}{_how_sure(people)}."
    parts = [
        f"by {listed(scores)} {listed(first)}{' together' if len(first) > 1 else ''}"
        for first, scores in by_leaders.items()
    ]
    return f"No system has the highest {_called(*people)} by every human score: {', '.join(parts)}{_how_sure(people)}."


def _how_sure(people: list[dict[str, Any]]) -> str:
    """Of several human scores: by which is the first significantly better than all others?"""
    ranked = [section for section in people if section["design"]["may_rank"]]
    if not ranked:
        why = dict.fromkeys(section["design"]["why"] for section in people)
        return f"; none is called best, with {listed(why)}"
    alone = [section for section in ranked if is_best(section)]
    names = [score_name(section, people) for section in alone]
    if not alone:
        return "; by none of them is the first significantly better than all other systems"
    if len(alone) == len(people):
        return ", and each time significantly better than all other systems"
    return f"; significantly better than all other systems by {listed(names)} only"


def is_best(section: dict[str, Any]) -> bool:
    """Whether the first system is significantly better than every other, in a design that can carry that."""
    systems = records(section["systems"])
    alone = sum(row["cluster"] == systems[0]["cluster"] for row in systems) == 1
    return bool(section["design"]["may_rank"] and alone and len(systems) > 1)


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
    """Which metric follows the first human score, if any can be said to: the best of many is flattered."""
    if not data["meta"] or data["meta"][0]["summary"] is None:
        return ""
    section, meta = data["human"][0], data["meta"][0]
    return metric_sentence(meta, score_name(section, data["human"]))


def metric_sentence(meta: dict[str, Any], score: str) -> str:
    """The highest correlation with a human score, and what is left of it when the choosing is allowed for."""
    rows = [row for row in records(meta["summary"]) if row["pearson"] is not None]
    chosen = meta["selection"]
    if not rows:
        return ""
    if chosen is None:
        best = rows[0]
        return (
            f"No automatic metric can be said to follow {score}: {counted(best['n'], 'system')} are too few to tell. The highest "
            f"correlation is that of {best['metric']}, r = {coefficient(best['pearson'])}."
        )
    ends = "" if chosen["low"] is None else f" {interval(chosen['low'], chosen['high'], coefficient)}"
    many = chosen["metrics"]
    found = f"r = {coefficient(chosen['statistic'])}{ends} over {counted(chosen['systems'], 'system')}"
    chance = f"p {equal_to(chosen['pvalue'])}" + (f" for the best of {whole(many)}" if many > 1 else "")
    if not chosen["claimed"]:
        return _no_metric(chosen, score, f"{found}, {chance}")
    others = _without_some(chosen)
    if many == 1:
        return f"The automatic metric {chosen['best']} correlates with {score} at {found}, {chance}{others}."
    held_out = (
        ""
        if chosen["held_out"] is None
        else f"; metrics chosen on one half of the systems reach {coefficient(chosen['held_out'])} on the other"
    )
    number = len(chosen["candidates"])
    may = "no other metric may be the best" if number == 1 else f"{whole(number)} metrics may be the best one"
    return (
        f"Of {whole(many)} automatic metrics {chosen['best']} has the highest correlation with {score}: {found}, "
        f"{chance}{held_out}; {may}{others}."
    )


def _no_metric(chosen: dict[str, Any], score: str, found: str) -> str:
    few = f", and {chosen['why']}" if chosen["why"] else ""
    if chosen["metrics"] == 1:
        return f"The automatic metric {chosen['best']} cannot be said to follow {score}: {found}{few}."
    return (
        f"None of {whole(chosen['metrics'])} automatic metrics can be said to follow {score}: the highest correlation is that of "
        f"{chosen['best']}, {found}{few}."
    )


def _without_some(chosen: dict[str, Any]) -> str:
    """The correlation without humans and baselines, or without outliers, where there are such."""
    parts = [
        f"without {what} {coefficient(chosen[name]['statistic'])}"
        for name, what in (("without_marked", "humans and baselines"), ("without_outliers", "outliers"))
        if chosen[name] is not None and chosen[name]["statistic"] is not None
    ]
    return f"; {' and '.join(parts)}" if parts else ""


def not_outperformed(number: int) -> str:
    """How many metrics no other is significantly better than."""
    return f"{counted(number, 'metric')} {'is' if number == 1 else 'are'} not significantly outperformed by any other"
