"""Judgments to be read: piece by piece, with texts, everybody's answers side by side, the most disputed first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery

from annotation.models import Assessor, Assignment, Disagreement, Judgment, SetMember, Study, Subject
from annotation.selectors.exhibits import SUBJECT_TEXTS, Facts, exhibit_placed, facts_of_subject, outputs_of
from annotation.sets import order_in
from annotation.words import phrase_lazy

MOST_ROWS = 60  # of one piece on the page
SORTS = {"spread": phrase_lazy("Most disputed first"), "item": phrase_lazy("By task and item")}
CONTROLS = {
    "": phrase_lazy("Without control items"),
    "only": phrase_lazy("Control items only"),
    "all": phrase_lazy("With control items"),
}
LEFT_OUT = {
    "": phrase_lazy("Whether it counts or not"),
    "no": phrase_lazy("What counts"),
    "only": phrase_lazy("Left out only"),
}


@dataclass(frozen=True)
class ReadingFilter:
    """What an address asks for; what it does not know means everything."""

    task: str = ""
    person: int | None = None
    system: str = ""
    item: str = ""
    control: str = ""
    left_out: str = ""
    sort: str = "spread"

    @classmethod
    def of(cls, asked: Mapping[str, str]) -> ReadingFilter:
        person = asked.get("person", "")
        return cls(
            task=asked.get("task", ""),
            person=int(person) if person.isascii() and person.isdecimal() and len(person) < 18 else None,
            system=asked.get("system", ""),
            item=asked.get("item", "").strip(),
            control=asked.get("control", "") if asked.get("control") in CONTROLS else "",
            left_out=asked.get("left_out", "") if asked.get("left_out") in LEFT_OUT else "",
            sort=asked.get("sort", "") if asked.get("sort") in SORTS else "spread",
        )


@dataclass(frozen=True)
class Reader:
    """Whose judgment a column is."""

    assignment: Assignment
    judgment: Judgment
    name: str
    is_meant: bool  # it was asked for by this person


@dataclass
class Line:
    """One thing that was decided: what each reader said of it, and how far they differ."""

    criterion: str
    unit: str
    system: str
    said: list[str] = field(default_factory=list)
    values: list[float] = field(default_factory=list)

    @property
    def range(self) -> float | None:
        return max(self.values) - min(self.values) if len(self.values) > 1 else None


@dataclass(frozen=True)
class ShownText:
    title: str
    text: str
    language: str


@dataclass(frozen=True)
class Piece:
    """A subject, its texts, and everybody's judgment of it side by side."""

    subject: Subject
    systems: str
    texts: list[ShownText]
    beside: list[ShownText]
    readers: list[Reader]
    lines: list[Line]
    hidden: int  # lines that there is no room for
    spread: float | None


def pieces(study: Study, asked: ReadingFilter) -> QuerySet[Subject]:
    """The judged pieces that the filter lets through, in its order; ``pieces_read`` completes a page of them."""
    judged = Assignment.objects.filter(subject=OuterRef("pk"), state=Assignment.State.DONE)
    if asked.person is not None:
        judged = judged.filter(assessor=asked.person)
    if asked.left_out:
        judged = judged.filter(left_out=asked.left_out == "only")
    rows = Subject.objects.filter(Exists(judged), task__study=study, practice=False)
    if asked.task:
        rows = rows.filter(task__name=asked.task)
    if asked.control != "all":
        rows = rows.exclude(control="") if asked.control else rows.filter(control="")
    if asked.system:
        in_set = SetMember.objects.filter(subject=OuterRef("pk"), output__system__key=asked.system)
        rows = rows.filter(Q(output__system__key=asked.system) | Q(Exists(in_set)))
    if asked.item:
        names = ("document", "topic", "output__document", "output__topic")
        of_item = Q()
        for name in names:
            of_item |= Q(**{f"{name}__key": asked.item})
        rows = rows.filter(of_item)
    worst = Disagreement.objects.filter(subject=OuterRef("pk")).order_by("-spread")
    rows = rows.annotate(spread=Subquery(worst.values("spread")[:1]))
    if asked.sort == "item":
        return rows.order_by("task__position", "order", "pk")
    return rows.order_by(F("spread").desc(nulls_last=True), "pk")


def pieces_read(
    study: Study, subjects: Sequence[Subject], asked: ReadingFilter, *, names: bool
) -> list[Piece]:
    """Four queries, however many pieces and people. With ``names``, people are called by them, else by pseudonyms."""
    keys = [subject.pk for subject in subjects]
    found = {
        subject.pk: subject
        for subject in Subject.objects.filter(pk__in=keys)
        .select_related("output__system", *SUBJECT_TEXTS)
        .prefetch_related("members__output__system")
    }
    newer = Judgment.objects.filter(assignment=OuterRef("assignment"), revision__gt=OuterRef("revision"))
    judgments = (
        Judgment.objects.filter(~Exists(newer), assignment__subject__in=keys)
        .select_related("assignment__assessor")
        .order_by("assignment__assessor__name", "assignment_id")
    )
    if asked.left_out:
        judgments = judgments.filter(assignment__left_out=asked.left_out == "only")
    by_subject: dict[int, list[Judgment]] = {}
    for judgment in judgments:
        by_subject.setdefault(judgment.assignment.subject_id, []).append(judgment)
    return [
        _piece(found[row.pk], by_subject.get(row.pk, []), asked, spread=row.spread, names=names)  # type: ignore[attr-defined]
        for row in subjects
    ]


def _piece(
    subject: Subject,
    judgments: list[Judgment],
    asked: ReadingFilter,
    *,
    spread: float | None,
    names: bool,
) -> Piece:
    facts = facts_of_subject(subject)
    systems = [" = ".join(output.system.key for output in same) for same in outputs_of(subject)]
    # Whoever was asked for comes first.
    judgments = sorted(judgments, key=lambda row: row.assignment.assessor_id != asked.person)
    readers = [_reader(row, asked, names=names) for row in judgments]
    lines = _lines(facts, systems, judgments)
    study = subject.task.study
    return Piece(
        subject=subject,
        systems=", ".join(systems),
        texts=[
            ShownText(title, text.text or "\n".join(text.units), study.language)
            for title, text in zip(systems, facts.exhibit.outputs, strict=True)
        ],
        beside=[
            ShownText(title, text.text or "\n".join(text.units), language)
            for title, text, language in (
                ("Reference", facts.exhibit.reference, study.language),
                ("Source", facts.exhibit.document, study.document_language),
                ("Topic", facts.exhibit.topic, study.language),
            )
            if text.text or text.units
        ],
        readers=readers,
        lines=lines[:MOST_ROWS],
        hidden=max(0, len(lines) - MOST_ROWS),
        spread=spread,
    )


def _reader(judgment: Judgment, asked: ReadingFilter, *, names: bool) -> Reader:
    assessor: Assessor = judgment.assignment.assessor
    name = assessor.name if names else assessor.pseudonym
    return Reader(judgment.assignment, judgment, name, assessor.pk == asked.person)


def _lines(facts: Facts, systems: list[str], judgments: list[Judgment]) -> list[Line]:
    """What each judgment says, as rows of the export, under what it says it of."""
    found: dict[tuple[str, str, str], Line] = {}
    for place, judgment in enumerate(judgments):
        places = judgment.assignment.places
        exhibit = exhibit_placed(facts.exhibit, places)
        answer = facts.answer(judgment.answer)
        for row in facts.kind.rows(facts.config, exhibit, facts.record, answer):
            system = (
                "" if row.output is None or not places else systems[order_in(places, row.unit)[row.output]]
            )
            line = found.setdefault((row.criterion, row.unit, system), Line(row.criterion, row.unit, system))
            line.said += [""] * (place - len(line.said))
            line.said.append(_said(row))
            if row.value is not None:
                line.values.append(row.value)
    for line in found.values():
        line.said += [""] * (len(judgments) - len(line.said))
    return list(found.values())


def _said(row: Any) -> str:
    value = "" if row.value is None else f"{row.value:g}"
    return f"{value} {row.label}".strip() if row.label != value else value
