"""What the files of a study say about each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from annotation.designs import Design, DesignProblem, bounded
from annotation.study_files.archive import STUDY
from annotation.study_files.check_rules import check_checks, check_made_of
from annotation.study_files.draft import Draft, Table, Task
from annotation.study_files.lookups import check_once, known_id, near_word, output_key, spelled_alike
from annotation.study_files.named_outputs import check_keys, check_named_outputs, check_prefilled
from annotation.study_files.problems import Problems
from annotation.study_files.schema import Materials
from annotation.tasks.terms import Fault, SubjectPlan
from annotation.units import MAX_UNITS

# What stands on one page, which is made at once. Nothing of this is asked of what a database has already.
MAX_TEXT = 1_000_000  # characters: a long novel, as in a cell of a table
MAX_CONTENT_UNITS = 2000  # of an item or a reference


def check(draft: Draft, problems: Problems) -> None:
    """Add every problem between the files. What a faulty file would cause elsewhere is not reported."""
    _check_items(draft, problems)
    _check_sizes(draft, problems)
    _check_texts(draft, problems)
    check_scores(draft, problems)
    _check_designs(draft, problems)
    _check_assessors(draft, problems)
    check_named_outputs(draft, problems)
    check_checks(draft, problems)
    if not problems:
        _check_tasks(draft, problems)
    if not problems:
        check_made_of(draft, problems)
        check_keys(draft, problems)
        check_prefilled(draft, problems)


# --- materials ------------------------------------------------------------------------------------------------------


def _check_items(draft: Draft, problems: Problems) -> None:
    topics, documents = draft.topics, draft.documents
    for key, line in documents.ids.items():
        if key in topics.ids:
            where = f"{topics.file}:{topics.ids[key]}"
            problems.add(
                documents.file, line, f"the id “{key}” is a topic’s too ({where}); ids of items must differ."
            )
    for line, document in documents.located():
        if document.topic and topics.file:
            known_id(topics, document.topic, documents.file, line, problems)
    for line, topic in topics.located():
        for key in topic.gold:
            known_id(documents, key, topics.file, line, problems)


def _check_sizes(draft: Draft, problems: Problems) -> None:
    for table in (draft.documents, draft.references, draft.outputs, draft.controls):
        for line, row in table.located():
            length = len(row.text) if row.units is None else sum(map(len, row.units))
            if length > MAX_TEXT:
                message = f"the text has {length:,} characters; at most {MAX_TEXT:,} are allowed."
                problems.add(table.file, line, message)
            if row.units is not None and len(row.units) > MAX_UNITS:
                message = f"the text has {len(row.units):,} units; at most {MAX_UNITS:,} are allowed."
                problems.add(table.file, line, message)
    described = [(line, row.title + row.description) for line, row in draft.topics.located()]
    titled = [(line, row.title) for line, row in draft.documents.located()]
    for file, rows in ((draft.topics.file, described), (draft.documents.file, titled)):
        for line, text in rows:
            if len(text) > MAX_TEXT:
                problems.add(file, line, f"the title or description has more than {MAX_TEXT:,} characters.")


def _check_texts(draft: Draft, problems: Problems) -> None:
    named_topics = set(draft.named_topics())
    for table in (draft.references, draft.outputs):
        for line, row in table.located():
            if row.document:
                known_id(draft.documents, row.document, table.file, line, problems)
            elif row.topic not in named_topics:
                known_id(draft.topics, row.topic, table.file, line, problems)
    for line, question in draft.questions.located():
        known_id(draft.documents, question.document, draft.questions.file, line, problems)
    _check_units(draft, named_topics, problems)
    for place, name in spelled_alike(draft.outputs.rows):
        message = f"tables would call this output “{name}”, and another one, too; write one of the ids without its slash."
        problems.add(draft.outputs.file, draft.outputs.lines[place], message)
    if draft.systems.file:
        for line, output in draft.outputs.located():
            known_id(draft.systems, output.system, draft.outputs.file, line, problems)
    check_once(
        draft.outputs,
        [(row.system, row.item, row.kind) for row in draft.outputs.rows],
        lambda row: (
            f"system “{row.system}” has an output for “{row.item}”"
            + (f" of kind “{row.kind}”" if row.kind else "")
        ),
        problems,
    )


def _check_units(draft: Draft, named_topics: set[str], problems: Problems) -> None:
    """Content units belong to what is there, each once, and their words stand in references of the item."""
    items = {row.id: row.item for row in draft.references.rows}
    for line, unit in draft.units.located():
        if unit.reference:
            known_id(draft.references, unit.reference, draft.units.file, line, problems)
        elif unit.document:
            known_id(draft.documents, unit.document, draft.units.file, line, problems)
        elif unit.topic not in named_topics:
            known_id(draft.topics, unit.topic, draft.units.file, line, problems)
        for contributor in unit.contributors:
            known_id(draft.references, contributor.reference, draft.units.file, line, problems)
            if items.get(contributor.reference, unit.owner) != unit.owner:
                message = f"reference “{contributor.reference}” is about “{items[contributor.reference]}”, not “{unit.owner}”."
                problems.add(draft.units.file, line, message)
    owners = Counter(row.owner for row in draft.units.rows)
    for owner, count in owners.items():
        if count > MAX_CONTENT_UNITS:
            problems.add(
                draft.units.file,
                None,
                f"“{owner}” has {count:,} units; at most {MAX_CONTENT_UNITS:,} are possible.",
            )
    check_once(
        draft.units,
        [(row.owner, row.id) for row in draft.units.rows],
        lambda row: f"“{row.owner}” has a unit “{row.id}”",
        problems,
    )


def check_scores(draft: Draft, problems: Problems) -> None:
    """Scores are of known systems on known items, each once, and a metric has one direction."""
    scores = draft.metric_scores
    systems = draft.systems.ids or {row.system: 0 for row in draft.outputs.rows}
    items = draft.items()
    upward: dict[str, bool] = {}
    for line, row in scores.located():
        if draft.systems.usable and draft.outputs.usable and row.system not in systems:
            problems.add(scores.file, line, f"unknown system “{row.system}”.{near_word(row.system, systems)}")
        if draft.documents.usable and draft.topics.usable and row.item and row.item not in items:
            problems.add(scores.file, line, f"unknown item “{row.item}”.{near_word(row.item, items)}")
        if upward.setdefault(row.metric, row.higher_is_better) != row.higher_is_better:
            problems.add(
                scores.file, line, f"higher_is_better must be the same for all scores of “{row.metric}”."
            )
    check_once(
        scores,
        [(row.metric, row.system, row.item) for row in scores.rows],
        lambda row: (
            f"“{row.metric}” has a score for “{row.system}”" + (f" on “{row.item}”" if row.item else "")
        ),
        problems,
    )


# --- study.yaml -----------------------------------------------------------------------------------------------------


def _check_designs(draft: Draft, problems: Problems) -> None:
    designs: list[tuple[Design | None, tuple[str | int, ...]]] = [
        (task.row.design, ("tasks", task.place, "design")) for task in draft.tasks
    ]
    designs += [(draft.head.design, ("design",))] if draft.head else []
    items = draft.items()
    for design, place in designs:
        for index, item in enumerate(design.shared if design else ()):
            if draft.documents.usable and draft.topics.usable and item not in items:
                message = f"“shared” names an unknown item, “{item}”.{near_word(item, items)}"
                problems.add(STUDY, draft.line(*place, "shared", index), message)


def _check_assessors(draft: Draft, problems: Problems) -> None:
    people = draft.assessors
    check_once(
        people,
        [row.name for row in people.rows],
        lambda row: f"there is an assessor “{row.name}”",
        problems,
    )


def _check_tasks(draft: Draft, problems: Problems) -> None:
    """Every output has what each task needs beside it, and each task finds something to judge."""
    materials = draft.materials()
    pieces = 0
    for task in draft.tasks:
        line = draft.line("tasks", task.place)
        needs = task.kind.needs(task.config)
        lacking: set[str] = set()
        for place, output in draft.outputs.located():
            if (
                "reference" in needs
                and not materials.references_of(output.item)
                and output.item not in lacking
            ):
                lacking.add(output.item)
                message = f"task “{task.row.name}” compares with a reference, and there is none for “{output.item}”."
                problems.add(draft.outputs.file, place, message)
            if "document" in needs and not output.document:
                message = f"task “{task.row.name}” shows the source, and this output is about a topic, not a document."
                problems.add(draft.outputs.file, place, message)
        faults = list(task.kind.faults(task.config, materials))
        for fault in faults:
            _add_fault(draft, task, fault, problems)
        practised = {output_key(row) for row in draft.practice.rows if row.task == task.row.name}
        practised |= {
            output_key(row) for row in draft.controls.rows if row.task == task.row.name and row.type == "gold"
        }
        if lacking or faults:
            continue
        try:
            subjects = list(bounded(task.kind.subjects(task.config, materials), pieces))
        except DesignProblem as problem:
            problems.add(STUDY, line, f"task “{task.row.name}”: {problem}")
            continue
        pieces += len(subjects)
        if not _has_work(subjects, materials, practised):
            message = f"task “{task.row.name}” finds nothing to judge; give more outputs, or others than those for practice."
            problems.add(STUDY, line, message)


def _has_work(
    subjects: Iterable[SubjectPlan], materials: Materials, practised: set[tuple[str, str, str]]
) -> bool:
    """Whether there is anything to judge beside practice."""
    return any(
        not subject.practice
        and not any(output_key(materials.outputs[output]) in practised for output in subject.outputs)
        for subject in subjects
    )


def _add_fault(draft: Draft, task: Task, fault: Fault, problems: Problems) -> None:
    """A kind's fault where the experimenter finds it: at the row, or at the task if no file has the row."""
    message = f"task “{task.row.name}”: {fault.message}"
    table: Table[Any] | None = getattr(draft, fault.table) if fault.table else None
    if table is None or not table.file:
        problems.add(STUDY, draft.line("tasks", task.place), message)
    else:
        problems.add(table.file, table.lines[fault.row], message)
