"""What the files of a study say about each other."""

from __future__ import annotations

import difflib
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any

from pydantic import ValidationError

from annotation.designs import Design
from annotation.study_files.archive import STUDY
from annotation.study_files.draft import Draft, NamedOutput, OutputName, Table, Task
from annotation.study_files.plain import sentences
from annotation.study_files.problems import Problems
from annotation.study_files.schema import (
    ControlRow,
    DocumentRow,
    ItemTextRow,
    Materials,
    NamedOutputRow,
    OutputRow,
    PrefilledRow,
    is_answer,
)
from annotation.tasks.base import NO_TEXT, Exhibit, Fault, SubjectPlan, Text
from annotation.units import cut

_FEW = 200  # ids to look for a similar one among; for every problem among thousands it would take too long


def check(draft: Draft, problems: Problems) -> None:
    """Add every problem between the files. What a faulty file would cause elsewhere is not reported."""
    _check_items(draft, problems)
    _check_texts(draft, problems)
    check_scores(draft, problems)
    _check_designs(draft, problems)
    _check_assessors(draft, problems)
    _check_named_outputs(draft, problems)
    if not problems:
        _check_tasks(draft, problems)
    if not problems:
        _check_keys(draft, problems)
        _check_prefilled(draft, problems)


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
            _known(topics, document.topic, documents.file, line, problems)
    for line, topic in topics.located():
        for key in topic.gold:
            _known(documents, key, topics.file, line, problems)


def _check_texts(draft: Draft, problems: Problems) -> None:
    named_topics = set(draft.named_topics())
    for table in (draft.references, draft.outputs):
        for line, row in table.located():
            if row.document:
                _known(draft.documents, row.document, table.file, line, problems)
            elif row.topic not in named_topics:
                _known(draft.topics, row.topic, table.file, line, problems)
    for line, question in draft.questions.located():
        _known(draft.documents, question.document, draft.questions.file, line, problems)
    _check_units(draft, named_topics, problems)
    if draft.systems.file:
        for line, output in draft.outputs.located():
            _known(draft.systems, output.system, draft.outputs.file, line, problems)
    _check_once(
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
            _known(draft.references, unit.reference, draft.units.file, line, problems)
        elif unit.document:
            _known(draft.documents, unit.document, draft.units.file, line, problems)
        elif unit.topic not in named_topics:
            _known(draft.topics, unit.topic, draft.units.file, line, problems)
        for contributor in unit.contributors:
            _known(draft.references, contributor.reference, draft.units.file, line, problems)
            if items.get(contributor.reference, unit.owner) != unit.owner:
                message = f"reference “{contributor.reference}” is about “{items[contributor.reference]}”, not “{unit.owner}”."
                problems.add(draft.units.file, line, message)
    _check_once(
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
            problems.add(scores.file, line, f"unknown system “{row.system}”.{_near(row.system, systems)}")
        if draft.documents.usable and draft.topics.usable and row.item and row.item not in items:
            problems.add(scores.file, line, f"unknown item “{row.item}”.{_near(row.item, items)}")
        if upward.setdefault(row.metric, row.higher_is_better) != row.higher_is_better:
            problems.add(
                scores.file, line, f"higher_is_better must be the same for all scores of “{row.metric}”."
            )
    _check_once(
        scores,
        [(row.metric, row.system, row.item) for row in scores.rows],
        lambda row: (
            f"“{row.metric}” has a score for “{row.system}”" + (f" on “{row.item}”" if row.item else "")
        ),
        problems,
    )


def _known(table: Table[Any], key: str, file: str, line: int, problems: Problems) -> None:
    """A problem if the table has no such id."""
    if not table.usable or key in table.ids:
        return
    kind = table.name.removesuffix("s")
    if table.file:
        problems.add(
            file, line, f"unknown {kind} “{key}”: {table.file} has no such id.{_near(key, table.ids)}"
        )
    else:
        problems.add(file, line, f"unknown {kind} “{key}”: study.yaml names no file of {table.name}.")


def _near(key: str, known: Iterable[str]) -> str:
    words = list(known)
    close = difflib.get_close_matches(key, words, n=1) if len(words) <= _FEW else []
    return f" Did you mean “{close[0]}”?" if close else ""


def _check_once(table: Table[Any], keys: Iterable[Hashable], said: Any, problems: Problems) -> None:
    first: dict[Hashable, int] = {}
    for key, (line, row) in zip(keys, table.located(), strict=True):
        if key in first:
            problems.add(table.file, line, f"{said(row)} already, in line {first[key]}; remove one of them.")
        else:
            first[key] = line


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
                message = f"“shared” names an unknown item, “{item}”.{_near(item, items)}"
                problems.add(STUDY, draft.line(*place, "shared", index), message)


def _check_assessors(draft: Draft, problems: Problems) -> None:
    people = draft.assessors
    _check_once(
        people,
        [row.name for row in people.rows],
        lambda row: f"there is an assessor “{row.name}”",
        problems,
    )


def _check_tasks(draft: Draft, problems: Problems) -> None:
    """Every output has what each task needs beside it, and each task finds something to judge."""
    materials = draft.materials()
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
        practised = {_key(row) for row in draft.practice.rows if row.task == task.row.name}
        practised |= {
            _key(row) for row in draft.controls.rows if row.task == task.row.name and row.type == "gold"
        }
        if not lacking and not faults and not _finds_work(task, materials, practised):
            message = f"task “{task.row.name}” finds nothing to judge; give more outputs, or others than those for practice."
            problems.add(STUDY, line, message)


def _finds_work(task: Task, materials: Materials, practised: set[tuple[str, str, str]]) -> bool:
    """Whether there is anything to judge beside practice."""
    return any(
        not subject.practice
        and not any(_key(materials.outputs[output]) in practised for output in subject.outputs)
        for subject in task.kind.subjects(task.config, materials)
    )


def _add_fault(draft: Draft, task: Task, fault: Fault, problems: Problems) -> None:
    """A kind's fault where the experimenter finds it: at the row, or at the task if no file has the row."""
    message = f"task “{task.row.name}”: {fault.message}"
    table: Table[Any] | None = getattr(draft, fault.table) if fault.table else None
    if table is None or not table.file:
        problems.add(STUDY, draft.line("tasks", task.place), message)
    else:
        problems.add(table.file, table.lines[fault.row], message)


def _key(row: OutputRow | NamedOutputRow | PrefilledRow) -> tuple[str, str, str]:
    """What a row of practice or controls names an output by."""
    return row.system, row.item, row.kind


# --- practice and controls ------------------------------------------------------------------------------------------


def _check_named_outputs(draft: Draft, problems: Problems) -> None:
    """What practice and controls name is there, and their tasks take them."""
    _check_names(draft, draft.practice, problems)
    _check_names(draft, draft.controls, problems)
    _check_output_names(draft, draft.prefilled, problems)
    tasks = {task.row.name: task for task in draft.tasks}
    for line, row in draft.practice.located():
        task = tasks.get(row.task)
        if task and (not task.kind.practisable or task.kind.compares_in(task.config)):
            problems.add(
                draft.practice.file,
                line,
                f"a task of kind {task.row.kind} has no practice items; remove this line.",
            )
        elif task and row.key is not None:
            _check_answer(task, "key", row.key, draft.practice.file, line, problems)
    for line, control in draft.controls.located():
        task = tasks.get(control.task)
        if task and not task.kind.controls:
            problems.add(
                draft.controls.file,
                line,
                f"a task of kind {task.row.kind} has an order of its own and takes no control items; remove this line.",
            )
        elif task and control.expect is not None and is_answer(control.expect):
            _check_answer(task, "expect", control.expect, draft.controls.file, line, problems)


def _check_names(draft: Draft, table: Table[NamedOutput], problems: Problems) -> None:
    _check_output_names(draft, table, problems)
    items = {row.id: row.item for row in draft.references.rows}
    for line, row in table.located():
        if row.reference:
            _known(draft.references, row.reference, table.file, line, problems)
            if items.get(row.reference, row.item) != row.item:
                message = f"reference “{row.reference}” is about “{items[row.reference]}”, not “{row.item}”."
                problems.add(table.file, line, message)


def _check_output_names(draft: Draft, table: Table[OutputName], problems: Problems) -> None:
    outputs = draft.output_kinds()
    outputs_whole = draft.outputs.usable and not problems.concerns(draft.outputs.file)
    for line, row in table.located():
        named = row.task or not isinstance(row, PrefilledRow)
        if named and row.task not in draft.task_names:
            problems.add(table.file, line, f"unknown task “{row.task}”.{_near(row.task, draft.task_names)}")
        kinds = outputs.get((row.system, row.item), [])
        if outputs_whole and row.kind not in kinds:
            problems.add(table.file, line, _no_output(row, kinds))


def _check_answer(
    task: Task, what: str, answer: dict[str, Any], file: str, line: int, problems: Problems
) -> None:
    try:
        task.kind.Answer.model_validate(answer)
    except ValidationError as error:
        said = "the key" if what == "key" else f"“{what}”"
        for _, sentence in sentences(error, task.kind.Answer):
            problems.add(
                file, line, f"{said} does not fit task “{task.row.name}” ({task.row.kind}): {sentence}"
            )


def _no_output(row: NamedOutputRow | PrefilledRow, kinds: Sequence[str]) -> str:
    if kinds and not row.kind:
        several = ", ".join(f"“{kind}”" for kind in kinds)
        return (
            f"system “{row.system}” has outputs of several kinds for “{row.item}” ({several}); give “kind”."
        )
    of_kind = f" of kind “{row.kind}”" if row.kind else ""
    return f"there is no output of system “{row.system}” for “{row.item}”{of_kind}."


def _check_keys(draft: Draft, problems: Problems) -> None:
    """What a kind says of each key, seen with its texts. Only when all else is in order."""
    materials = draft.materials()
    language = draft.head.language if draft.head else "en"
    keys = [row.key for row in draft.practice.rows]
    _check_expected(draft, draft.practice, keys, "the key", materials, language, problems)
    _check_control_pieces(draft, materials, problems)
    expected = [row.expect if row.expect and is_answer(row.expect) else None for row in draft.controls.rows]
    _check_expected(draft, draft.controls, expected, "“expect”", materials, language, problems)


def _check_expected(
    draft: Draft,
    table: Table[NamedOutput],
    answers: Sequence[dict[str, Any] | None],
    what: str,
    materials: Materials,
    language: str,
    problems: Problems,
) -> None:
    named = _subjects_of(draft, table, materials)
    for line, answer, (row, task, subject) in zip(table.lines, answers, named, strict=True):
        if subject is None:
            problems.add(table.file, line, _not_shown(row))
        elif answer is not None:
            exhibit = _exhibit(materials, row, subject, language)
            for fault in task.kind.key_faults(task.config, exhibit, task.kind.Answer.model_validate(answer)):
                problems.add(table.file, line, f"{what} cannot be right: {fault}")


def _not_shown(row: NamedOutputRow) -> str:
    if not isinstance(row, ControlRow):
        return f"task “{row.task}” has nothing to compare this output with but its author’s own text."
    with_it = f" with reference “{row.reference}”" if row.reference else ""
    return f"task “{row.task}” does not show this output{with_it}. Name one that it shows; of outputs with the same text, the first."


def _check_control_pieces(draft: Draft, materials: Materials, problems: Problems) -> None:
    """One control item of a type for a piece, or its judgments could not be told apart; and somebody must judge the original."""
    first: dict[Hashable, int] = {}
    practised = {(row.task, *_key(row)) for row in draft.practice.rows}
    apart = practised | {(row.task, *_key(row)) for row in draft.controls.rows if row.type == "gold"}
    for line, (row, _, subject) in zip(
        draft.controls.lines, _subjects_of(draft, draft.controls, materials), strict=True
    ):
        if subject is None:
            continue
        piece = (row.task, row.type, subject.outputs, subject.reference)
        if piece in first:
            message = f"there is a {row.type} item of the same piece already, in line {first[piece]}; remove one of them."
            problems.add(draft.controls.file, line, message)
        first.setdefault(piece, line)
        output = materials.outputs[
            next(index for index in subject.outputs if _key(materials.outputs[index]) == _key(row))
        ]
        if (
            row.type == "degraded"
            and (row.text or "\n".join(row.units or ())).strip() == output.whole_text.strip()
        ):
            problems.add(draft.controls.file, line, "the degraded text is the output itself; make it worse.")
        if row.type == "gold" and (row.task, *_key(row)) in practised:
            message = (
                f"this output is there to practise on in task “{row.task}”; choose another one for gold."
            )
            problems.add(draft.controls.file, line, message)
        if row.type in {"repeat", "degraded"} and (row.task, *_key(row)) in apart:
            message = f"nobody judges this output as it is in task “{row.task}”: it is there for practice or as gold."
            problems.add(draft.controls.file, line, message)


def with_references(draft: Draft, table: Table[NamedOutput]) -> list[NamedOutput]:
    """The rows; where a task compares with a reference and a row names none, the task's first one."""
    materials = draft.materials()
    named = []
    for row, _, subject in _subjects_of(draft, table, materials):
        if not row.reference and subject is not None and subject.reference is not None:
            named.append(row.model_copy(update={"reference": materials.references[subject.reference].id}))
        else:
            named.append(row)
    return named


def _subjects_of(
    draft: Draft, table: Table[NamedOutput], materials: Materials
) -> Iterator[tuple[NamedOutput, Task, SubjectPlan | None]]:
    """Each row with its task and what that task would make of the output."""
    tasks = {task.row.name: task for task in draft.tasks}
    wanted = {(row.task, *_key(row)) for row in table.rows}
    shown: dict[tuple[str, str, str, str], list[SubjectPlan]] = {}
    for name, task in tasks.items() if wanted else ():
        for subject in task.kind.subjects(task.config, materials):
            for output in subject.outputs:
                place = (name, *_key(materials.outputs[output]))
                if place in wanted:
                    shown.setdefault(place, []).append(subject)
    for row in table.rows:
        subjects = shown.get((row.task, *_key(row)), [])
        if isinstance(row, ControlRow) and row.reference:
            # Practice may show another reference than the task does; a control item is one of the task's own pieces.
            subjects = [
                subject
                for subject in subjects
                if subject.reference is not None
                and materials.references[subject.reference].id == row.reference
            ]
        yield row, tasks[row.task], next(iter(subjects), None)


def _exhibit(materials: Materials, row: NamedOutputRow, subject: SubjectPlan, language: str) -> Exhibit:
    references = {reference.id: reference for reference in materials.references}
    given = references.get(row.reference)
    if given is None and subject.reference is not None:
        given = materials.references[subject.reference]
    return Exhibit(
        outputs=tuple(_shown(materials.outputs[output], row, language) for output in subject.outputs),
        reference=_text(given, language) if given else NO_TEXT,
        document=_document(materials, row.document, language),
    )


def _document(materials: Materials, key: str, language: str) -> Text:
    found = next((document for document in materials.documents if document.id == key), None)
    return _text(found, language) if found else NO_TEXT


def _shown(output: OutputRow, row: NamedOutputRow, language: str) -> Text:
    """A control item may put another text in the output's place."""
    if isinstance(row, ControlRow) and _key(output) == _key(row) and (row.text or row.units is not None):
        return _text(row, language)
    return _text(output, language)


def _text(row: ItemTextRow | ControlRow | DocumentRow, language: str) -> Text:
    units = row.units if row.units is not None else tuple(cut(row.text, language))
    return Text(text=row.text or "\n".join(units), units=units)


# --- prefilled ------------------------------------------------------------------------------------------------------


def _check_prefilled(draft: Draft, problems: Problems) -> None:
    """Each error that is there already fits its text, and the tasks that show it."""
    table = draft.prefilled
    if not table.rows:
        return
    materials = draft.materials()
    outputs = {_key(row): row for row in materials.outputs}
    language = materials.language
    first: dict[Hashable, int] = {}
    for line, row in table.located():
        takers = [
            task for task in draft.tasks if row.task in {"", task.row.name} and task.kind.takes_prefilled
        ]
        if not takers:
            problems.add(
                table.file, line, "no task can show errors that are marked already; name one in “task”."
            )
            continue
        place = (row.task, *_key(row), row.unit, row.side, row.start, row.end, row.category)
        if row.start is not None and place in first:
            problems.add(
                table.file,
                line,
                f"the same error is there already, in line {first[place]}; remove one of them.",
            )
        first.setdefault(place, line)
        output = _text(outputs[_key(row)], language)
        document = _document(materials, row.document, language)
        for task in takers:
            if fault := task.kind.prefilled_fault(task.config, output, document, row.model_dump()):
                problems.add(table.file, line, f"task “{task.row.name}”: {fault}")
