"""What checks of assessors need to know of control items: what was expected, where to mark, how long a changed text is.

Ids are ``task/type/system/item``, of an expected value ``task/type/system/item/unit/criterion``: what the rows of its judgments say.
That a control item has ``tokens`` also tells which text of a set was changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from annotation.models import Output, Study, Subject
from annotation.selectors.exhibits import SUBJECT_TEXTS, Facts, facts_of_subject, outputs_of
from annotation.selectors.texts import system_cell, system_cells
from annotation.study_files.schema import is_answer
from annotation.tasks.spans import word_count
from annotation.tasks.terms import Attribute, Place, Row

SCOPE = "control"


def control_attributes(study: Study) -> Iterator[Attribute]:
    """Of every control item that is part of the work, in the order of tasks."""
    subjects = (
        Subject.objects.filter(task__study=study, control_item__isnull=False)
        .select_related("control_item__output__system", "output__system", *SUBJECT_TEXTS)
        .prefetch_related("members__output__system")
        .order_by("task__position", "control_item_id", "pk")
    )
    systems: dict[int, str] | None = None
    told: set[Attribute] = set()
    for subject in subjects:
        systems = system_cells(study) if systems is None else systems
        for attribute in _of_subject(subject, systems):
            if attribute not in told:  # a later phase may have the item again
                told.add(attribute)
                yield attribute


def _of_subject(subject: Subject, systems: Mapping[int, str]) -> Iterator[Attribute]:
    control, facts = subject.control_item, facts_of_subject(subject)
    assert control is not None
    own = _id(facts, control.type, system_cell(control.output, systems))
    if control.text:
        yield Attribute(SCOPE, own, "tokens", str(word_count(control.text)))
    expect = control.expect
    if expect is None or "below" in expect:
        return
    if not is_answer(expect):
        yield Attribute(SCOPE, own, "marks", _within_unit(facts, subject, str(expect["marks"])))
        return
    texts = outputs_of(subject)
    rows = facts.kind.key_rows(facts.config, facts.exhibit, facts.record, facts.answer(expect))
    for row in (row for row in rows if row.value is not None):
        for output in _behind(row, subject, texts):
            place = _id(facts, control.type, system_cell(output, systems))
            yield Attribute(SCOPE, f"{place}/{row.unit}/{row.criterion}", "expected", f"{row.value:.12g}")


def _id(facts: Facts, type_: str, system: str) -> str:
    record = facts.record
    place = facts.kind.place(record, Place(system, record.document, record.document or record.topic))
    return f"{facts.task_name}/{type_}/{place.system}/{place.item}"


def _behind(row: Row, subject: Subject, texts: list[list[Output]]) -> list[Output | None]:
    """The outputs that a row is about: of a set, all that have the text."""
    if row.output is None or not subject.set_id:
        return [subject.output]
    return list(texts[row.output])


def text_changed(subject: Subject) -> int:
    """Of a set with a control item, the index of the text that it is about."""
    assert subject.control_item is not None
    changed = subject.control_item.output_id
    texts = enumerate(outputs_of(subject))
    return next((n for n, outputs in texts if changed in {output.pk for output in outputs}), 0)


def _within_unit(facts: Facts, subject: Subject, where: str) -> str:
    """``unit/start:end``: characters of a whole text, whose units are joined by line breaks, as characters of one unit."""
    if "/" in where:
        return where
    start, end = map(int, where.split(":"))
    text = facts.exhibit.outputs[text_changed(subject)]
    units = text.units or (text.text,)
    for number, unit in enumerate(units, start=1):
        if start <= len(unit):
            return f"{number}/{start}:{min(end, len(unit))}"
        start, end = start - len(unit) - 1, end - len(unit) - 1
    return f"{len(units)}/{where}"
