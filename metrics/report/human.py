"""Human scores: who wins, how sure. Estimates with intervals, significance clusters, and all pairs of systems."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from metrics.errors import BadInput
from metrics.frames import oriented, score_matrix, scored
from metrics.human import HumanScore, human_score
from metrics.human.base import MissingAttribute, attribute
from metrics.human.registry import kinds as known_kinds
from metrics.human.registry import score_meaning, score_of
from metrics.human.tables import ResultTable, human_tables
from metrics.meta.common import FloatArray, batches, drawn_counts, seeded
from metrics.meta.levels import system_means
from metrics.meta.ties import settled
from metrics.report.book import Book, plain
from metrics.report.compared import Comparison, compare_systems
from metrics.report.design import design_of, design_section
from metrics.report.inputs import Inputs
from metrics.report.numbers import listed
from metrics.report.options import Options
from metrics.report.resampled import METHOD, compare_resampled, duels
from metrics.signature import signature

LONGEST_SLUG = 80
"""Two of these, a prefix and an ending still make the name of a file."""


@dataclass(frozen=True)
class HumanResult:
    """One human score of one task, and its section of the report."""

    id: str
    task: str
    kind: str
    score: HumanScore
    matrix: pd.DataFrame
    """System × item; systems without any score are not in it."""
    judgments: pd.DataFrame
    """``assessor, system, item, value`` of these systems, turned so that higher is better."""
    comparison: Comparison
    section: dict[str, Any]


def wanted_scores(inputs: Inputs, options: Options) -> list[tuple[str, str, str]]:
    """``(task, kind, score)`` of every human score that the report is about."""
    rows = scored(inputs.judgments)
    found = {str(task): str(kind) for task, kind in zip(rows["task"], rows["kind"], strict=True)}
    kinds = {task: found[task] for task in inputs.tasks if task in found}
    possible = [
        (task, kind, name)
        for task, kind in kinds.items()
        if kind in known_kinds()
        for name in known_kinds()[kind].score_names(rows[rows["task"] == task])
        if name not in known_kinds()[kind].scores_withheld(inputs.attributes, task)
    ]
    if options.human is None:
        return possible
    return list(dict.fromkeys(found for asked in options.human for found in _asked(asked, possible, kinds)))


def _asked(
    name: str, possible: list[tuple[str, str, str]], kinds: dict[str, str]
) -> list[tuple[str, str, str]]:
    """The scores that a name means: listed ones, or one that a kind gives only when it is asked for."""
    rare = [
        (task, kind, score.name)
        for task, kind in kinds.items()
        if kind in known_kinds()
        for score in known_kinds()[kind].scores
    ]
    for choice in (possible, rare):
        found = [one for one in choice if name in (one[2], f"{one[0]}/{one[2]}")]
        if found:
            return found
    known = ", ".join(f"{task}/{score}" for task, _, score in possible)
    raise BadInput(f"expected a human score among {known or 'none'}, found {name!r}")


def human_results(inputs: Inputs, options: Options, book: Book) -> Iterator[tuple[str, HumanResult | None]]:
    """Each human score by its id as it is made; None where it cannot be, which the book then explains."""
    told: set[str] = set()
    types = {str(system): kind for system, kind in attribute(inputs.attributes, "system", "type").items()}
    for task, kind, name in wanted_scores(inputs, options):
        why = known_kinds()[kind].scores_withheld(inputs.attributes, task)
        if why and task not in told:
            told.add(task)
            book.note(
                "human",
                f"{listed(why, most=len(why))} of task {task} are left out: {next(iter(why.values()))}",
            )
        identity = f"{task}/{name}"
        try:
            with book.noting("human", human=identity):
                score = _score(inputs, options, task, kind, name, book)
        except BadInput as problem:
            book.miss("human", _why_missing(problem), human=identity)
            yield identity, None
            continue
        yield identity, _result(identity, task, kind, score, options, book, types)


def _why_missing(problem: BadInput) -> str:
    """A score that lacks an attribute is not a mistake of the judgments."""
    if isinstance(problem, MissingAttribute):
        return str(problem).replace("expected an attribute:", "the attributes do not tell", 1)
    return str(problem)


def _score(inputs: Inputs, options: Options, task: str, kind: str, name: str, book: Book) -> HumanScore:
    how: dict[str, Any] = {}
    score = score_of(kind, name)
    if options.controls and score is not None and score.takes("controls"):
        how["controls"] = True
    if options.normalise != "none":
        if score is not None and score.takes("normalise"):
            how["normalise"] = options.normalise
        else:
            book.miss("normalisation", f"{name} has no evaluator normalisation", human=f"{task}/{name}")
    return human_score(inputs.judgments, name, attributes=inputs.attributes, task=task, **how)


def _result(
    identity: str,
    task: str,
    kind: str,
    score: HumanScore,
    options: Options,
    book: Book,
    types: dict[str, str],
) -> HumanResult | None:
    whole = _matrix(score)
    matrix = whole.dropna(how="all")
    book.leave_out(
        "outputs", int(score.scores["score"].isna().sum()), f"{score.name} is undefined", human=identity
    )
    book.leave_out("systems", len(whole) - len(matrix), f"no output has a {score.name}", human=identity)
    if matrix.empty:
        book.miss("human", f"{score.name} is undefined for every output", human=identity)
        return None
    judgments = _judgments(score, matrix)
    design = design_section(design_of(judgments, matrix))
    resampled = score.resampling is not None and len(matrix) > 1
    with book.noting("human", human=identity):
        if resampled:
            compared, first = compare_resampled(score, [str(name) for name in matrix.index], options)
        else:
            compared = compare_systems(matrix, score, judgments, options, connected=design["connected"])
            shares = first_shares(matrix.to_numpy(dtype=np.float64), options)
            first = pd.Series(shares, index=[str(name) for name in matrix.index])
        systems = _systems(matrix, score, options, compared, first, may_rank=design["may_rank"]).assign(
            type=lambda table: table["system"].map(types).fillna("")
        )
    if score.pooled is not None and not resampled:
        systems["pooled"] = systems["system"].map(score.pooled if score.higher_is_better else -score.pooled)
    pairs, how_pairs = compared.pairs, compared.signature
    alone = any(warning["code"] == "one-assessor" for warning in design["warnings"])
    if compared.why and not alone:
        book.note("pairs", _of_fallback(compared), human=identity)
    if matrix.isna().any(axis=None) and compared.model is None and not resampled:
        book.note("pairs", _of_gaps(pairs, options), human=identity)
    slug = slug_of(identity)
    book.add(
        f"human-scores-{slug}",
        f"Single outputs by {identity}",
        score.scores,
        signature=score.signature,
        human=identity,
    )
    book.add(f"systems-{slug}", f"Systems by {identity}", systems, tex=True, human=identity)
    book.add(f"pairs-{slug}", f"Pairs of systems by {identity}", pairs, signature=how_pairs, human=identity)
    section = {
        "id": identity,
        "slug": slug,
        "task": task,
        "kind": kind,
        "score": score.name,
        **_in_words(kind, score.name),
        "negated": not score.higher_is_better,
        "signature": book.sign(score.signature),
        "items": score.resampling.items if score.resampling is not None else matrix.shape[1],
        "assessors": int(score.assessments["assessor"].nunique()),
        "judgments": len(score.assessments),
        "design": design,
        "comparison": compared.section()
        | {"beyond_values": _is_beyond(systems, judgments, matrix, compared, options)},
        "systems": book.json_table(systems),
        "not_told_from_first": _not_told_from_first(systems, pairs, options),
        "pairs": book.json_table(pairs),
        "pairs_signature": book.sign(how_pairs),
        "duels": _duels(score, slug, identity, options, book) if resampled else None,
    }
    if len(matrix) < 2:
        book.miss("pairs", "there is one system only: nothing to compare it with", human=identity)
    return HumanResult(identity, task, kind, score, matrix, judgments, compared, section)


def _matrix(score: HumanScore) -> pd.DataFrame:
    """System × item; a score that only whole systems have makes one column."""
    table = oriented(score.scores)
    if len(table) and (table["item"] == "").all():
        return table.set_index("system")[["score"]].rename(columns={"score": ""})
    return score_matrix(table, score.name)


def _duels(
    score: HumanScore, slug: str, identity: str, options: Options, book: Book
) -> dict[str, Any] | None:
    """Who beat whom, where texts were compared with each other."""
    table = duels(score, options)
    if table.empty:
        return None
    how = signature("wins", {"interval": METHOD, "resamples": options.n_resamples, "seed": options.seed})
    table = table.assign(signature=how)
    book.add(f"duels-{slug}", f"Who beat whom, by {identity}", table, human=identity)
    return book.json_table(table)


def _judgments(score: HumanScore, matrix: pd.DataFrame) -> pd.DataFrame:
    rows = score.assessments[["assessor", "system", "item", "value"]]
    rows = rows[rows["system"].isin(list(matrix.index)) & rows["value"].notna()]
    return rows if score.higher_is_better else rows.assign(value=-rows["value"])


def _in_words(kind: str, name: str) -> dict[str, str]:
    """What the score is, for a page and for the methods; nothing of a criterion, whose values are as the assessors gave them."""
    score = score_of(kind, name)
    negated = "" if score is None or score.higher_is_better else ", negated, because lower is better"
    return {
        "meaning": score_meaning(kind, name),
        "definition": "" if score is None else score.definition + negated,
    }


def _is_beyond(
    systems: pd.DataFrame,
    judgments: pd.DataFrame,
    matrix: pd.DataFrame,
    compared: Comparison,
    options: Options,
) -> bool:
    """Whether an interval by t passes all values that were given: it is as wide on both sides, and knows no ends of a scale."""
    if (
        not compared.interval.startswith("t-")
        or compared.method == "ordinal-model"
        or options.normalise != "none"
    ):
        return False
    values = matrix.to_numpy() if compared.model is None else judgments["value"].to_numpy()
    return bool(
        (systems["low"] < np.nanmin(values) - 1e-9).any()
        or (systems["high"] > np.nanmax(values) + 1e-9).any()
    )


def _of_fallback(compared: Comparison) -> str:
    if compared.method == "mixed-model":
        return f"{compared.why}; the model of numbers was taken in its place"
    if compared.model is not None:
        return f"{compared.why}: items and assessors were drawn together with replacement instead, which errs too often where assessors are few"
    return f"{compared.why}: systems are compared over items, and what is found holds for other items judged by the same people"


def _of_gaps(pairs: pd.DataFrame, options: Options) -> str:
    if options.comparison == "wmt":
        return "not all systems have all items: pairs are compared by each system's own"
    least, most = pairs["n"].min(), pairs["n"].max()
    if not most:
        return "no two systems have an item in common: no pair is compared"
    shared = f"{least}" if least == most else f"{least} to {most}"
    return f"not all systems have all items: a pair's means, difference and p are over the {shared} items that both have"


def _not_told_from_first(systems: pd.DataFrame, pairs: pd.DataFrame, options: Options) -> list[str]:
    """The systems that do not differ significantly from the one with the highest mean."""
    first = systems["system"].iloc[0]
    apart = pairs[pairs["pvalue_adjusted"] < options.alpha]
    told = set(apart.loc[apart["system_a"] == first, "system_b"])
    told |= set(apart.loc[apart["system_b"] == first, "system_a"])
    return [str(name) for name in systems["system"].iloc[1:] if name not in told]


def _systems(
    matrix: pd.DataFrame,
    score: HumanScore,
    options: Options,
    compared: Comparison,
    first: pd.Series[float],
    *,
    may_rank: bool,
) -> pd.DataFrame:
    """One row per system, the highest first: estimate, interval, cluster, ranks.

    Where the design cannot carry a ranking there is one cluster of all; WMT's is drawn as WMT draws it in any case.
    """
    present, means = matrix.notna().sum(axis=1), matrix.mean(axis=1)
    if score.resampling is not None:
        # Such a score is no mean over items.
        present, means = (
            score.assessments.groupby("system")["item"].nunique(),
            score.system_scores().set_index("system")["score"],
        )
    behind = score.assessments.groupby("system")
    judgments, assessors = behind["value"].count(), behind["assessor"].nunique()
    how = signature(
        score.name,
        {
            "statistic": "system-mean" if compared.model is None else compared.method,
            "interval": compared.interval,
            "confidence": options.confidence_level,
            "first": "bootstrap-items",
            "resamples": options.n_resamples,
            "seed": options.seed,
            "clusters": compared.clusters,
            "items": matrix.shape[1] if score.resampling is None else score.resampling.items,
        },
    )
    is_ranked = may_rank or options.comparison == "wmt"
    whole = {"cluster": 1, "start": 1, "end": len(matrix)}
    rows = [
        {
            "system": one.system,
            "estimate": one.score,
            "low": compared.estimates["low"][one.system],
            "high": compared.estimates["high"][one.system],
            "mean": float(means[one.system]),
            "items": int(present[one.system]),
            "judgments": int(judgments[one.system]),
            "assessors": int(assessors[one.system]),
            **({"cluster": one.cluster, "start": one.start, "end": one.end} if is_ranked else whole),
            "wins": one.wins,
            "losses": one.losses,
            "first_share": float(first[one.system]),
            "signature": how,
        }
        for one in compared.ranked
    ]
    return pd.DataFrame(rows)


def first_shares(matrix: FloatArray, options: Options) -> FloatArray:
    """In which share of resamples of the items each system has the highest mean; the assessors stay the same.

    Items are drawn for all systems alike, because systems were judged on the same items; a system is left out of a resample
    that has none of its items. Systems that tie for the first place share it. One item alone says nothing of others: where
    a system has no more, it is not known who else would come first.
    """
    systems, items = matrix.shape
    if not (np.isfinite(matrix).sum(axis=1) > 1).all():
        return np.full(systems, np.nan)
    rng, _ = seeded(options.seed)
    sizes = batches(options.n_resamples, items + systems)
    means = np.concatenate([system_means(matrix[None], drawn_counts(rng, size, items)) for size in sizes])
    means = settled(means[np.isfinite(means).any(axis=1)])
    best = means == np.nanmax(means, axis=1, keepdims=True)
    return np.asarray((best / best.sum(axis=1, keepdims=True)).mean(axis=0))


def detail_tables(inputs: Inputs, book: Book) -> list[dict[str, Any]]:
    """What kinds have to say beside their scores (rates, confusion, consistency …), as :mod:`metrics.human.tables` has it."""
    found = []
    how = signature("details", {"controls": "out", "data": inputs.sha256[:12]})
    for task, table in _detail_tables(inputs, book):
        file = f"details-{slug_of(f'{task}/{table.name}')}"
        frame = pd.DataFrame(table.rows, columns=[column.name for column in table.columns])
        book.add(file, f"{task}: {table.title}", frame, signature=how)
        found.append(
            {
                "task": task,
                "name": table.name,
                "title": table.title,
                "note": table.note,
                "columns": [column._asdict() for column in table.columns],
                "rows": [[plain(value) for value in row] for row in table.rows],
                "file": file,
                "signature": book.sign(how),
            }
        )
    return found


def _detail_tables(inputs: Inputs, book: Book) -> Iterator[tuple[str, ResultTable]]:
    """Task by task, so that one whose answers make no sense does not take the others with it."""
    for task in inputs.tasks:
        rows = inputs.judgments[inputs.judgments["task"] == task]
        try:
            made = human_tables(rows, inputs.attributes)
        except BadInput as problem:
            book.miss("details", f"{task}: {problem}")
            continue
        yield from ((name, table) for name, tables in made.items() for table in tables)


def slug_of(name: str) -> str:
    """A name for files: small letters, digits and a few signs, not too long. Where more is lost than that, or two names
    could become one, a hash tells them apart.
    """
    kept = name.replace("/", "--").replace("+", "plus")
    slug = re.sub(r"[^a-z0-9._-]+", "-", kept.lower()).strip("-.")
    if slug and slug == kept and len(slug) <= LONGEST_SLUG and not re.search("--|plus", name):
        return slug
    return f"{slug[:LONGEST_SLUG]}-{hashlib.sha256(name.encode()).hexdigest()[:6]}".strip("-")
