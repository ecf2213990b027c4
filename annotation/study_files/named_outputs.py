"""What a study says about single outputs beside its materials: practice, control items, errors that are marked already."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from typing import Any

from pydantic import ValidationError

from annotation.designs import bounded
from annotation.study_files.draft import Draft, NamedOutput, OutputName, Table, Task
from annotation.study_files.lookups import known_id, near_word, output_key
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
from annotation.tasks.terms import NO_TEXT, Exhibit, SubjectPlan, Text
from annotation.units import cut

MAX_PREFILLED = 1000  # errors of an output: all of them stand on one page

# --- practice and controls ------------------------------------------------------------------------------------------


def check_named_outputs(draft: Draft, problems: Problems) -> None:
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
            known_id(draft.references, row.reference, table.file, line, problems)
            if items.get(row.reference, row.item) != row.item:
                message = f"reference “{row.reference}” is about “{items[row.reference]}”, not “{row.item}”."
                problems.add(table.file, line, message)


def _check_output_names(draft: Draft, table: Table[OutputName], problems: Problems) -> None:
    outputs = draft.output_kinds() if table.rows else {}
    outputs_whole = draft.outputs.usable and not problems.concerns(draft.outputs.file)
    for line, row in table.located():
        named = row.task or not isinstance(row, PrefilledRow)
        if named and row.task not in draft.task_names:
            problems.add(
                table.file, line, f"unknown task “{row.task}”.{near_word(row.task, draft.task_names)}"
            )
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


def check_keys(draft: Draft, problems: Problems) -> None:
    """What a kind says of each key, seen with its texts. Only when all else is in order."""
    materials = draft.materials()
    keys = [row.key for row in draft.practice.rows]
    _check_expected(draft, draft.practice, keys, "the key", materials, problems)
    _check_control_pieces(draft, materials, problems)
    expected = [row.expect if row.expect and is_answer(row.expect) else None for row in draft.controls.rows]
    _check_expected(draft, draft.controls, expected, "“expect”", materials, problems)


def _check_expected(
    draft: Draft,
    table: Table[NamedOutput],
    answers: Sequence[dict[str, Any] | None],
    what: str,
    materials: Materials,
    problems: Problems,
) -> None:
    named = _subjects_of(draft, table, materials)
    for line, answer, (row, task, subject) in zip(table.lines, answers, named, strict=True):
        if subject is None:
            problems.add(table.file, line, _not_shown(row))
        elif answer is not None:
            exhibit = _exhibit(materials, row, subject)
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
    practised = {(row.task, *output_key(row)) for row in draft.practice.rows}
    apart = practised | {(row.task, *output_key(row)) for row in draft.controls.rows if row.type == "gold"}
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
            next(
                index for index in subject.outputs if output_key(materials.outputs[index]) == output_key(row)
            )
        ]
        if (
            row.type == "degraded"
            and (row.text or "\n".join(row.units or ())).strip() == output.whole_text.strip()
        ):
            problems.add(draft.controls.file, line, "the degraded text is the output itself; make it worse.")
        if row.type == "gold" and (row.task, *output_key(row)) in practised:
            message = (
                f"this output is there to practise on in task “{row.task}”; choose another one for gold."
            )
            problems.add(draft.controls.file, line, message)
        if row.type in {"repeat", "degraded"} and (row.task, *output_key(row)) in apart:
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
    wanted = {(row.task, *output_key(row)) for row in table.rows}
    shown: dict[tuple[str, str, str, str], list[SubjectPlan]] = {}
    for name, task in tasks.items() if wanted else ():
        for subject in bounded(task.kind.subjects(task.config, materials)):
            for output in subject.outputs:
                place = (name, *output_key(materials.outputs[output]))
                if place in wanted:
                    shown.setdefault(place, []).append(subject)
    for row in table.rows:
        subjects = shown.get((row.task, *output_key(row)), [])
        if isinstance(row, ControlRow) and row.reference:
            # Practice may show another reference than the task does; a control item is one of the task's own pieces.
            subjects = [
                subject
                for subject in subjects
                if subject.reference is not None
                and materials.references[subject.reference].id == row.reference
            ]
        yield row, tasks[row.task], next(iter(subjects), None)


def _exhibit(materials: Materials, row: NamedOutputRow, subject: SubjectPlan) -> Exhibit:
    references = {reference.id: reference for reference in materials.references}
    given = references.get(row.reference)
    if given is None and subject.reference is not None:
        given = materials.references[subject.reference]
    return Exhibit(
        outputs=tuple(_shown(materials.outputs[output], row, materials) for output in subject.outputs),
        reference=_text(given, materials) if given else NO_TEXT,
        document=_document(materials, row.document),
    )


def _document(materials: Materials, key: str) -> Text:
    found = next((document for document in materials.documents if document.id == key), None)
    return _text(found, materials) if found else NO_TEXT


def _shown(output: OutputRow, row: NamedOutputRow, materials: Materials) -> Text:
    """A control item may put another text in the output's place."""
    if (
        isinstance(row, ControlRow)
        and output_key(output) == output_key(row)
        and (row.text or row.units is not None)
    ):
        return _text(row, materials)
    return _text(output, materials)


def _text(row: ItemTextRow | ControlRow | DocumentRow, materials: Materials) -> Text:
    units = row.units if row.units is not None else tuple(cut(row.text, materials.language_of(row)))
    return Text(text=row.text or "\n".join(units), units=units)


# --- prefilled ------------------------------------------------------------------------------------------------------


def check_prefilled(draft: Draft, problems: Problems) -> None:
    """Each error that is there already fits its text, and the tasks that show it."""
    table = draft.prefilled
    if not table.rows:
        return
    materials = draft.materials()
    outputs = {output_key(row): row for row in materials.outputs}
    marked = Counter(map(output_key, table.rows))
    (system, item, _), most = marked.most_common(1)[0]
    if most > MAX_PREFILLED:
        message = f"{most:,} errors are marked in what “{system}” wrote for “{item}”; at most {MAX_PREFILLED:,} are possible."
        problems.add(table.file, None, message)
        return
    texts = {key: _text(outputs[key], materials) for key in marked}
    named = {row.document for row in table.rows}
    documents = {row.id: _text(row, materials) for row in materials.documents if row.id in named}
    first: dict[Hashable, int] = {}
    # Text by text: where the characters of a long one end is then found once, and not for each of its errors.
    located = sorted(table.located(), key=lambda found: (*output_key(found[1]), found[1].side, found[1].unit))
    for line, row in located:
        problems.watch_the_clock()
        takers = [
            task for task in draft.tasks if row.task in {"", task.row.name} and task.kind.takes_prefilled
        ]
        if not takers:
            problems.add(
                table.file, line, "no task can show errors that are marked already; name one in “task”."
            )
            continue
        place = (row.task, *output_key(row), row.unit, row.side, row.start, row.end, row.category)
        if row.start is not None and place in first:
            problems.add(
                table.file,
                line,
                f"the same error is there already, in line {first[place]}; remove one of them.",
            )
        first.setdefault(place, line)
        output = texts[output_key(row)]
        document = documents.get(row.document, NO_TEXT)
        for task in takers:
            if fault := task.kind.prefilled_fault(task.config, output, document, row.model_dump()):
                problems.add(table.file, line, f"task “{task.row.name}”: {fault}")
