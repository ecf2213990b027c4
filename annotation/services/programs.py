"""A program as assessor: it gets what a person would see, item by item, and its answers pass the same checks.

What it judges stands in tables of its own (``models/programs.py``) and never enters a human score.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import Max, Q, QuerySet
from django.utils import timezone

from annotation.errors import Closed, Conflict, Refused
from annotation.models import Program, ProgramAnswer, ProgramItem, Study, Subject
from annotation.selectors.exhibits import (
    SUBJECT_SETS,
    SUBJECT_TEXTS,
    Facts,
    exhibit_placed,
    facts_of_subject,
)
from annotation.services.answers import answer_begun, answer_complete, answer_parsed
from annotation.services.audit import audit_write
from annotation.services.places import places_drawn
from annotation.services.rows import Ready, rows_store
from annotation.tasks.terms import Exhibit
from annotation.words import phrase


@dataclass(frozen=True)
class ProgramTurn:
    """An item at the stage that the program has reached; ``answered`` is what it said of it before, as the kind's type."""

    item: ProgramItem
    facts: Facts
    exhibit: Exhibit
    stage: int
    answered: Any

    @property
    def stages(self) -> int:
        """How many answers the item takes: one, and one for each stage before the last."""
        return 1 + int(self.facts.kind.stages(self.facts.config, self.exhibit))

    def shown(self) -> dict[str, Any]:
        """All that a person would see, as JSON, and the form that an answer has. No field tells who wrote a text."""
        facts, study = self.facts, self.item.program.study
        return {
            "item": self.item.public_id,
            "task": facts.task_name,
            "kind": facts.kind.slug,
            "language": study.language,
            "document_language": study.document_language,
            "instructions": study.instructions,
            "stage": self.stage + 1,
            "stages": self.stages,
            "content": facts.kind.content(facts.config, self.exhibit, self.answered),
            "answer": None if self.answered is None else self.answered.model_dump(mode="json"),
            "schema": facts.kind.Answer.model_json_schema(),
        }


def program_enter(*, study: Study, name: str) -> Program:
    """The program of this name, with everything that there is to judge by now. The same name goes on where it stopped.

    Its items are made before anything is locked: people judge meanwhile.
    """
    return _enter(study, name, _line(study, name, Program.objects.filter(study=study, name=name).first()))


class _Line(NamedTuple):
    """What a program gets on top of what it has: items, ready to be stored, and what they depend on."""

    items: Ready[ProgramItem]  # of program 0, where there is none yet
    subjects: list[int]
    had: int


def _line(study: Study, name: str, program: Program | None) -> _Line:
    subjects = list(_new_to(study, program).only("pk", "set_id"))
    pks, had = [subject.pk for subject in subjects], program.items.count() if program else 0
    rng = random.Random(f"{study.seed}/program/{name}/{had}")
    rng.shuffle(subjects)
    last = program.items.aggregate(last=Max("position"))["last"] if program else None
    items = [
        ProgramItem(
            program_id=program.pk if program else 0, subject_id=subject.pk, position=position, places=places
        )
        for position, (subject, places) in enumerate(
            zip(subjects, places_drawn(subjects, rng), strict=True), start=(last or 0) + 1
        )
    ]
    return _Line(Ready(items), pks, had)


@transaction.atomic
def _enter(study: Study, name: str, line: _Line) -> Program:
    """``line`` was made before; if there is something else to judge by now, another is made."""
    locked = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    if locked.deleted_at is not None or locked.state == Study.State.DRAFT:
        raise Closed(
            phrase("A program can judge once the study is open: what it judges is what people judge.")
        )
    program, is_new = Program.objects.get_or_create(study=locked, name=name)
    if line.had != program.items.count() or line.subjects != list(
        _new_to(locked, program).values_list("pk", flat=True)
    ):
        line = _line(locked, name, program)
    line.items.change("program_id", [program.pk] * len(line.subjects))  # it may be new
    rows_store(line.items)
    if is_new or line.subjects:
        audit_write(
            study=locked,
            action="program.enter",
            target=f"program {name}",
            after={"items": program.items.count()},
        )
    return program


def _new_to(study: Study, program: Program | None) -> QuerySet[Subject]:
    """What there is to judge that the program has not got yet."""
    return _judged_by_people(study).exclude(
        pk__in=ProgramItem.objects.filter(program=program).values("subject")
    )


def _judged_by_people(study: Study) -> QuerySet[Subject]:
    """Texts of systems, alone or in sets. Practice, control items, and what people build or write are no texts of systems."""
    about_outputs = Q(output__isnull=False) | ~Q(set_id="")
    return Subject.objects.filter(
        about_outputs,
        task__study=study,
        practice=False,
        counts=True,
        control="",
        left_out=False,
        superseded=False,
    ).order_by("task__position", "order", "pk")


def items_left(program: Program) -> QuerySet[ProgramItem]:
    """What the program has not judged yet, in its own order."""
    return program.items.filter(subject__left_out=False, subject__superseded=False).exclude(
        answers__final=True
    )


def program_next(*, program: Program, without: set[str] | None = None) -> ProgramTurn | None:
    """What the program is to judge now; ``without`` are items that it has passed over. Time runs from here on."""
    item = items_left(program).exclude(public_id__in=without or set()).order_by("position").first()
    if item is None:
        return None
    if not item.answers.exists():
        ProgramItem.objects.filter(pk=item.pk).update(shown_at=timezone.now())
    return program_turn(item=item)


def program_turn(*, item: ProgramItem) -> ProgramTurn:
    """An item as the program sees it at this stage."""
    subject = (
        Subject.objects.select_related(*SUBJECT_TEXTS).prefetch_related(*SUBJECT_SETS).get(pk=item.subject_id)
    )
    facts = facts_of_subject(subject)
    said = list(item.answers.order_by("stage"))
    return ProgramTurn(
        item=item,
        facts=facts,
        exhibit=exhibit_placed(facts.exhibit, item.places),
        stage=len(said),
        answered=facts.answer(said[-1].answer) if said else None,
    )


@transaction.atomic
def program_answer(*, item: ProgramItem, stage: int, answer: dict[str, Any]) -> bool:
    """Take an answer as a person's would be taken; True when the item is judged. ``stage`` counts from 1, as ``shown`` does.

    The same answer to the same stage again changes nothing; another one is a conflict.
    """
    rows = ProgramItem.objects.select_for_update(of=("self",)).select_related("program__study")
    found = rows.filter(pk=item.pk).first()
    if found is None or found.program.study.deleted_at is not None:
        raise Closed(phrase("This study has been taken away."))
    item = found
    turn = program_turn(item=item)
    facts = turn.facts
    if not 1 <= stage <= turn.stages:
        raise Refused(
            phrase(
                "This item has {stages} stages; there is no stage {stage}.", stages=turn.stages, stage=stage
            )
        )
    parsed = answer_parsed(facts, answer)
    if stage <= turn.stage:
        return _same_again(item, stage, facts, parsed)
    if stage != turn.stage + 1:
        raise Conflict(phrase("The next stage of this item is {stage}.", stage=turn.stage + 1))
    final = stage == turn.stages
    if final:
        taken = answer_complete(facts, turn.exhibit, turn.answered, parsed)
    else:
        taken = answer_begun(facts, turn.exhibit, turn.answered, parsed, advance=True)
    ProgramAnswer.objects.create(item=item, stage=stage, final=final, answer=taken.model_dump(mode="json"))
    return final


def _same_again(item: ProgramItem, stage: int, facts: Facts, parsed: Any) -> bool:
    stored = item.answers.get(stage=stage)
    if stored.final and facts.answer(stored.answer) != parsed:
        raise Conflict(phrase("This item has been judged already; the first answer counts."))
    return bool(stored.final)
