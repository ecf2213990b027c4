"""One study in, everything a paper's results section needs out."""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

import pandas as pd

from metrics import __version__
from metrics.human.base import attribute
from metrics.report.assessors import agreement_table, assessor_section
from metrics.report.automatic import MetricResult, metric_results
from metrics.report.book import Book, Table, plain
from metrics.report.decided import decided_section, inputs_used, note_decided
from metrics.report.design import cautions
from metrics.report.explained import explained_outputs
from metrics.report.figures import figure_specs
from metrics.report.generalised import generalised
from metrics.report.human import HumanResult, detail_tables, human_results, wanted_scores
from metrics.report.inputs import Inputs, canonical_inputs
from metrics.report.left_out import (
    leave_out_judgments,
    leave_out_systems,
    note_erasures,
    note_text_versions,
    values_that_count,
)
from metrics.report.marked import marked_section
from metrics.report.meta import meta_section
from metrics.report.methods import methods
from metrics.report.options import Options
from metrics.report.programs import program_section
from metrics.report.said import chosen_agreement, overview, remarks
from metrics.report.selected import mean_lengths
from metrics.report.steps import Progress, Steps
from metrics.report.without_people import King, king_of_metrics
from metrics.report.words import agreement_in_short, headline, human_headline
from metrics.signature import signature

SCHEMA = "touchstone-report/3"
PACKAGES = ("numpy", "pandas", "scipy", "sacrebleu", "rapidfuzz", "matplotlib")

# Units of work, about equally long on a study of 1,200 outputs; only their proportion matters, for time left.
HUMAN, PEOPLE, SCORING, META = 1, 4, 80, 16


@dataclass(frozen=True)
class Report:
    """The report: ``data`` is what ``report.json`` holds (docs/report.md), ``tables`` are the files of its tables."""

    data: dict[str, Any]
    tables: tuple[Table, ...]


def build_report(
    judgments: pd.DataFrame,
    *,
    attributes: pd.DataFrame | None = None,
    outputs: pd.DataFrame | None = None,
    references: pd.DataFrame | None = None,
    scores: pd.DataFrame | None = None,
    programs: pd.DataFrame | None = None,
    tasks: Sequence[str] = (),
    title: str = "",
    options: Options | None = None,
    executor: Executor | None = None,
    processes: int | None = None,
    progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Report:
    """The report of one study.

    ``judgments`` and ``attributes`` are the long table and what goes with it, ``outputs`` and ``references`` the texts,
    ``scores`` an imported score table, ``programs`` what programs judged, as the long table has it (all as :mod:`metrics.frames` reads them); everything but the judgments may be
    left out, and the report then says what is missing. ``tasks`` is the order of the study's tasks; without it they come as
    the judgments first name them. The same input, options and versions give the same report,
    byte for byte; ``executor`` and ``processes`` (see :func:`metrics.automatic.run.score`) change how fast, not what.

    ``progress(done, total, label)`` is told how far it is; ``cancelled()`` is asked between steps, and
    :class:`~metrics.report.steps.Cancelled` raised when it says yes.
    """
    options = options or Options()
    given = canonical_inputs(
        judgments,
        attributes=attributes,
        outputs=outputs,
        references=references,
        scores=scores,
        programs=programs,
        tasks=tasks,
    )
    decided = decided_section(given, options.adjudicated)
    inputs, raw = inputs_used(given, options.adjudicated), inputs_used(given, "raw")
    count = len(wanted_scores(inputs, options))
    total = HUMAN * count + PEOPLE + (SCORING if inputs.has_texts else 1) + META * count
    steps = Steps(total, progress=progress, cancelled=cancelled)
    book = Book()
    leave_out_judgments(inputs, book)
    note_text_versions(inputs, book)
    note_erasures(inputs, book)
    note_decided(decided, book)
    people = _people(inputs, options, book, steps)
    sections = [human.section | generalised(human, options, book) for human in people]
    details = detail_tables(inputs, book)
    assessors, agreement = _assessors(raw, options, book, steps)
    programs_section = program_section(raw, options, book)
    metrics = _metrics(inputs, options, book, steps, executor, processes)
    leave_out_systems(people, metrics, book)
    king = king_of_metrics(inputs, metrics, executor=executor, processes=processes) if people else None
    lengths = mean_lengths(inputs.outputs, inputs.practice_items)
    meta = [_meta(human, metrics, options, book, steps, king, lengths) for human in people]
    steps.start("writing it up")
    data: dict[str, Any] = {
        "schema": SCHEMA,
        "title": title or _study_name(inputs),
        "signature": _signature(inputs, options),
        "data": {"sha256": inputs.sha256, "tables": inputs.hashes, "rows": inputs.rows()},
        "versions": _versions(),
        "options": options.plain(),
        "counts": _counts(inputs, metrics),
        "pages": {
            name: next(iter(attribute(inputs.attributes, "study", name)), "")
            for name in ("interface", "aids")
        },
        **({"adjudication": decided} if decided else {}),
        "human": [section | {"headline": human_headline(section, options.plain())} for section in sections],
        "details": details,
        "assessors": assessors,
        "agreement": agreement,
        "programs": programs_section,
        "metrics": book.json_table(metrics.info),
        "metric_scores": _system_scores(metrics),
        "meta": meta,
        "explained": explained_outputs(inputs, metrics, book),
        "marked": marked_section(inputs, book),
        "missing": book.missing,
        "left_out": book.left_out,
        "notes": book.notes,
        "signatures": book.signatures(),
    }
    data["agreement_chosen"] = chosen_agreement(agreement, assessors["shares"])
    data["cautions"] = cautions(data["human"])
    data["overview"] = overview(data)
    data["remarks"] = remarks(data)
    data["headline"] = headline(data)
    data["agreement_in_short"] = agreement_in_short(data)
    data["methods"] = methods(data)
    data["figures"] = figure_specs(data)
    data["tables"] = [
        {"name": table.name, "title": table.title, "tex": table.tex, "human": table.human}
        for table in book.tables
    ]
    return Report(data, tuple(book.tables))


def _people(inputs: Inputs, options: Options, book: Book, steps: Steps) -> list[HumanResult]:
    steps.start("human scores")
    found = []
    for identity, result in human_results(inputs, options, book):
        steps.finish(HUMAN, f"human scores: {identity}")
        steps.start(f"human scores: {identity}")
        if result is not None:
            found.append(result)
    if not found:
        book.miss("human", "there is no human score")
    return found


def _assessors(
    inputs: Inputs, options: Options, book: Book, steps: Steps
) -> tuple[dict[str, Any], dict[str, Any] | None]:
    steps.start("assessors and agreement")
    section = assessor_section(inputs, options, book)
    table = agreement_table(inputs, options, book)
    if table is not None:
        book.add("agreement", "Agreement between assessors", table, tex=True)
    steps.finish(PEOPLE, "assessors and agreement")
    return section, None if table is None else book.json_table(table)


def _metrics(
    inputs: Inputs,
    options: Options,
    book: Book,
    steps: Steps,
    executor: Executor | None,
    processes: int | None,
) -> MetricResult:
    units = SCORING if inputs.has_texts else 1
    steps.start("automatic metrics")
    begun = steps.done
    result = metric_results(
        inputs,
        options,
        book,
        executor=executor,
        processes=processes,
        progress=steps.within(units, "automatic metrics"),
    )
    steps.finish(begun + units - steps.done, "automatic metrics")
    if not result.empty:
        book.add("metrics", "Automatic metrics", result.info)
        book.add("metric-scores-system", "Automatic scores of systems", result.system)
        book.add("metric-scores-item", "Automatic scores of single outputs", result.item)
    return result


def _meta(
    human: HumanResult,
    metrics: MetricResult,
    options: Options,
    book: Book,
    steps: Steps,
    king: King | None,
    lengths: pd.Series[float] | None,
) -> dict[str, Any]:
    label = f"metrics against {human.id}"
    steps.start(label)
    section = meta_section(human, metrics, options, book, king, lengths)
    steps.finish(META, label)
    return section


def _study_name(inputs: Inputs) -> str:
    names = sorted(set(inputs.judgments["study"]))
    return names[0] if names and names[0] else "Report"


def _signature(inputs: Inputs, options: Options) -> str:
    chosen = {
        "human": "all" if options.human is None else ",".join(options.human),
        "metrics": "default" if options.metrics is None else ",".join(options.metrics),
    }
    plain = {name: value for name, value in options.plain().items() if name not in chosen}
    return signature("report", {"data": inputs.sha256, **chosen, **plain})


def _versions() -> dict[str, str]:
    packages = {name: version(name) for name in PACKAGES}
    return {"touchstone": __version__, "python": platform.python_version(), **packages}


def _counts(inputs: Inputs, metrics: MetricResult) -> dict[str, int]:
    rows = values_that_count(inputs)
    return {
        "judgments": len(rows),
        "tasks": rows["task"].nunique(),
        "assessors": rows["assessor"].nunique(),
        "systems": rows.loc[rows["system"] != "", "system"].nunique(),
        "items": rows.loc[rows["item"] != "", "item"].nunique(),
        "outputs": metrics.outputs,
        "references": metrics.references,
        "answer_key": metrics.nuggets,
        "metrics_system": int((metrics.info["level"] == "system").sum()),
        "metrics_item": int((metrics.info["level"] == "item").sum()),
    }


def _system_scores(metrics: MetricResult) -> dict[str, Any] | None:
    """Systems × metrics, as given (not negated): what a scatter plot needs beside the human means."""
    if metrics.empty:
        return None
    table = metrics.system.pivot_table(
        index="metric", columns="system", values="score", aggfunc="first", dropna=False
    )
    names = list(dict.fromkeys(metrics.info.loc[metrics.info["level"] == "system", "metric"]))
    table = table.reindex(index=names)
    rows = [[plain(value) for value in row] for row in table.to_numpy(dtype="float64")]
    return {"systems": [str(name) for name in table.columns], "metrics": names, "scores": rows}
