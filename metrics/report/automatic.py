"""Automatic scores of the study: computed from its texts, imported as a score table, or both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from contextlib import suppress
from dataclasses import dataclass

import pandas as pd

from metrics.automatic import registry
from metrics.automatic.pourpre import FAMILY, LISTED
from metrics.automatic.run import score
from metrics.errors import BadInput
from metrics.frames import check_scores, oriented, system_scores
from metrics.human import kinds
from metrics.meta.tables import table_matrices
from metrics.report.book import Book
from metrics.report.inputs import Inputs
from metrics.report.options import Options, default_metrics
from metrics.report.programs import PROGRAM, program_scores
from metrics.signature import signature

IMPORTED = "imported"
SCORE_COLUMNS = ["metric", "system", "item", "score", "higher_is_better"]
INFO = ["metric", "level", "of", "family", "higher_is_better", "source", "systems", "items", "signature"]

Tables = tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]
"""Scores of systems, scores of items, and what there is to know of each metric."""


@dataclass(frozen=True)
class MetricResult:
    """Score tables at both levels, as given and as matrices in which higher is better."""

    system: pd.DataFrame
    item: pd.DataFrame
    info: pd.DataFrame
    """One row per metric and level, see ``INFO``; ``of`` is the item-level metric a system score is made of."""
    system_matrices: dict[str, pd.DataFrame]
    item_matrices: dict[str, pd.DataFrame]
    outputs: int = 0
    """So many outputs were compared with …"""
    references: int = 0
    """… so many references, and by POURPRE with …"""
    nuggets: int = 0
    """… so many nuggets of the answer key."""

    @property
    def empty(self) -> bool:
        return self.info.empty


def metric_results(
    inputs: Inputs,
    options: Options,
    book: Book,
    *,
    executor: Executor | None,
    processes: int | None,
    progress: Callable[[int, int], None],
) -> MetricResult:
    """All metrics of the study. An imported metric of the same name takes the place of a computed one."""
    scores, outputs, references = (
        _without_practice(table, inputs.practice_items, what, book)
        for what, table in (
            ("metric scores", inputs.scores),
            ("outputs", inputs.outputs),
            ("references", inputs.references),
        )
    )
    parts = [] if scores is None else [_given(scores, IMPORTED, inputs.hashes["scores"])]
    judged = program_scores(inputs, options)
    if judged is not None:
        parts.append(_given(judged, PROGRAM, inputs.hashes["programs"]))
    nuggets = None if outputs is None else _nuggets(inputs, book)
    compared = (0, 0)
    for texts, names, where in (
        (references, _names(options, of_nuggets=False, nuggets=nuggets), (executor, processes, progress)),
        (nuggets, _names(options, of_nuggets=True, nuggets=nuggets), (None, 1, None)),
    ):
        if outputs is None or texts is None or not names:
            continue
        with book.noting("metrics"):
            computed = _computed(outputs, texts, names, *where)
        parts.append(computed if scores is None else _not_imported(computed, set(scores["metric"]), book))
        if not any(compared):
            compared = _compared(outputs, texts, book)
    if outputs is None or (references is None and nuggets is None):
        book.miss("computed-scores", _why_no_texts(outputs, references))
    columns = (SCORE_COLUMNS, SCORE_COLUMNS, INFO)
    system, item, info = (
        pd.concat([part[number] for part in parts], ignore_index=True)
        if parts
        else pd.DataFrame(columns=names)
        for number, names in enumerate(columns)
    )
    matrices = _matrices(system, items=False), _matrices(item, items=True)
    if references is None:
        compared = compared[0], 0
    return MetricResult(
        system, item, info, *matrices, *compared, nuggets=0 if nuggets is None else len(nuggets)
    )


def _nuggets(inputs: Inputs, book: Book) -> pd.DataFrame | None:
    """The answer key of the first task that has responses judged by one: what POURPRE compares outputs with."""
    judged = inputs.judgments[inputs.judgments["system"] != ""]
    kind_of = dict(zip(judged["task"], judged["kind"], strict=True))
    for task in inputs.tasks:
        kind = kinds().get(kind_of.get(task, ""))
        if kind is None or kind.answer_key is None:
            continue
        with suppress(BadInput):  # the texts of its nuggets are not known, or nothing of it counts
            found = kind.answer_key(inputs.judgments, attributes=inputs.attributes, task=task)
            book.note(
                "metrics",
                f"POURPRE compares outputs with the nuggets of the task {task}, not with references",
            )
            return found
    return None


def _names(options: Options, *, of_nuggets: bool, nuggets: pd.DataFrame | None) -> list[str]:
    """The metrics asked for; where there are nuggets, POURPRE is one of them and is computed with these."""
    chosen = default_metrics() if options.metrics is None else list(options.metrics)
    if nuggets is None:
        return [] if of_nuggets else chosen
    if options.metrics is None:
        chosen = [*chosen, *LISTED]
    choices = registry.select(chosen, level="system")
    return [choice.name for choice in choices if (choice.metric.family == FAMILY.name) == of_nuggets]


def _without_practice(
    table: pd.DataFrame | None, practice: set[str], what: str, book: Book
) -> pd.DataFrame | None:
    """The table without items that people only practised on; None if nothing is left."""
    if table is None:
        return None
    practised = table["item"].isin(practice)
    book.leave_out(what, int(practised.sum()), "practice never counts, not even in automatic scores")
    kept = table[~practised].reset_index(drop=True)
    return kept if len(kept) else None


def _why_no_texts(outputs: pd.DataFrame | None, references: pd.DataFrame | None) -> str:
    if outputs is not None:
        return "outputs were given without references"
    if references is not None:
        return "references were given without outputs"
    # Whoever has no references need not hand over the outputs: that there are none of them cannot be said.
    return "no references were given: outputs and references are needed to compute metrics"


def _compared(outputs: pd.DataFrame, references: pd.DataFrame, book: Book) -> tuple[int, int]:
    """How many outputs have a reference, and how many references an output."""
    known = outputs["item"].isin(set(references["item"]))
    book.leave_out("outputs", int((~known).sum()), "no reference: automatic metrics are undefined")
    return int(known.sum()), int(references["item"].isin(set(outputs["item"])).sum())


def _not_imported(computed: Tables, imported: set[str], book: Book) -> Tables:
    """What was computed, but for metrics that the score table has; their system scores go with their item scores."""
    system, item, info = computed
    dropped = info["metric"].isin(imported) | info["of"].isin(imported)
    book.leave_out(
        "computed metrics",
        int(info.loc[dropped, "metric"].nunique()),
        "the score table has a metric of that name",
    )
    names = set(info.loc[dropped, "metric"])
    return system[~system["metric"].isin(names)], item[~item["metric"].isin(names)], info[~dropped]


def _computed(
    outputs: pd.DataFrame,
    references: pd.DataFrame,
    chosen: Sequence[str],
    executor: Executor | None,
    processes: int | None,
    progress: Callable[[int, int], None] | None,
) -> Tables:
    choices = registry.select(chosen, level="system")
    of_items = dict.fromkeys(choice.metric.name for choice in choices)
    scores = score(
        outputs,
        references,
        metrics=of_items,
        executor=executor,
        processes=processes,
        progress=progress,
    )
    of_systems = [choice.name for choice in choices]
    tables = {"system": scores.table("system", of_systems), "item": scores.table("item", of_items)}
    signatures = {
        "system": scores.signatures("system", of_systems),
        "item": scores.signatures("item", of_items),
    }
    origin = {choice.name: choice.metric for choice in choices} | {
        choice.metric.name: choice.metric for choice in choices
    }
    extents = {level: _extents(table) for level, table in tables.items()}
    info = [
        {
            "metric": name,
            "level": level,
            "of": origin[name].name,
            "family": origin[name].family,
            "higher_is_better": origin[name].higher_is_better,
            "source": "computed",
            **extents[level][name],
            "signature": line,
        }
        for level, lines in signatures.items()
        for name, line in lines.items()
    ]
    return check_scores(tables["system"]), check_scores(tables["item"]), pd.DataFrame(info, columns=INFO)


def _given(scores: pd.DataFrame, source: str, sha256: str) -> Tables:
    """System scores of all its metrics (means of items where no others are given), item scores of those that have any."""
    names = list(dict.fromkeys(scores["metric"]))
    given = set(scores.loc[scores["item"] == "", "metric"])
    direction = scores.groupby("metric")["higher_is_better"].first()
    system = pd.concat(
        [
            system_scores(scores, name).rename("score").reset_index().assign(metric=name, item="")
            for name in names
        ]
    )
    system = system.assign(higher_is_better=system["metric"].map(direction))
    item = scores[scores["item"] != ""]
    extents = {"system": _extents(system), "item": _extents(item)}
    info = [
        {
            "metric": name,
            "level": level,
            "of": name,
            "family": source,
            "higher_is_better": bool(direction[name]),
            "source": source,
            **extents[level][name],
            "signature": signature(
                source,
                {
                    "metric": name,
                    "level": level,
                    "aggregate": "mean" if level == "system" and name not in given else None,
                    "data": sha256[:12],
                },
            ),
        }
        for level in ("system", "item")
        for name in names
        if name in extents[level]
    ]
    return system[SCORE_COLUMNS], item[SCORE_COLUMNS], pd.DataFrame(info, columns=INFO)


def _extents(table: pd.DataFrame) -> dict[str, dict[str, int]]:
    """How many systems and items each metric has scores of."""
    rows = table[table["score"].notna()]
    systems = rows.groupby("metric")["system"].nunique().to_dict()
    items = rows[rows["item"] != ""].groupby("metric")["item"].nunique().to_dict()
    return {
        name: {"systems": int(systems.get(name, 0)), "items": int(items.get(name, 0))}
        for name in dict.fromkeys(table["metric"])
    }


def _matrices(scores: pd.DataFrame, *, items: bool) -> dict[str, pd.DataFrame]:
    return {} if scores.empty else table_matrices(oriented(scores), file="scores", items=items)
