"""Programs as assessors: what there is to judge, item by item, and their answers."""

from __future__ import annotations

from typing import Any

from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.base import StudyView, parsed
from annotation.api.documented import READS, WRITES, operation
from annotation.api.errors import Detail, Invalid
from annotation.api.schemas import Answer
from annotation.found import found_or_404
from annotation.models import Program
from annotation.selectors.programs import ProgramState, program_find, program_item_find, program_states
from annotation.services import programs as services
from annotation.strict import Strict
from annotation.tasks.terms import NotYet

NO_PROGRAM = "There is no such program in this study."


class NewProgram(Strict):
    """A name of small letters, digits, ``-`` and ``_``. One that is known already goes on where it stopped."""

    name: str = Field(min_length=1, max_length=60, pattern=r"^[-a-zA-Z0-9_]+$")


class ProgramDetail(Answer):
    """How far a program is: ``items`` that it was given, and how many of them it has ``judged``."""

    name: str
    items: int
    judged: int


class ProgramList(Answer):
    results: list[ProgramDetail]


class ProgramNext(Answer):
    """What to judge now, as a person would see it, with the JSON schema of an answer; null when there is nothing left."""

    item: dict[str, Any] | None


class NewProgramAnswer(Strict):
    """An answer to the item of this id at this stage, in the form of its ``schema``."""

    item: str = Field(min_length=1, max_length=16)
    stage: int = Field(ge=1, le=100)
    answer: dict[str, Any]


class Programs(StudyView):
    @operation("programs", "programs_list", "Programs that judge", *READS, answer=ProgramList)
    def get(self, request: Request, slug: str) -> Response:
        rows = [_detail(state) for state in program_states(self.study)]
        return Response(ProgramList(results=rows).model_dump(mode="json"))

    @operation(
        "programs",
        "program_enter",
        "Let a program judge",
        *WRITES,
        409,
        422,
        answer=ProgramDetail,
        takes=NewProgram,
    )
    def post(self, request: Request, slug: str) -> Response:
        """It gets every text that people judge, in an order and with places of its own; never practice or control items. What
        it judges is kept apart from people's judgments and is a metric in the report."""
        new = parsed(NewProgram, request.data)
        program = services.program_enter(study=self.study, name=new.name)
        return Response(_state_of(program).model_dump(mode="json"))


class ProgramItems(StudyView):
    @operation("programs", "program_next", "What a program is to judge now", *WRITES, answer=ProgramNext)
    def post(self, request: Request, slug: str, program: str) -> Response:
        judge = found_or_404(program_find(self.study, program), NO_PROGRAM)
        turn = services.program_next(program=judge)
        return Response(ProgramNext(item=turn and turn.shown()).model_dump(mode="json"))


class ProgramAnswers(StudyView):
    @operation(
        "programs",
        "program_answer",
        "A program's answer",
        *WRITES,
        409,
        422,
        answer=ProgramDetail,
        takes=NewProgramAnswer,
    )
    def post(self, request: Request, slug: str, program: str) -> Response:
        """The same answer again changes nothing; another one to the same stage is refused."""
        judge = found_or_404(program_find(self.study, program), NO_PROGRAM)
        sent = parsed(NewProgramAnswer, request.data)
        item = program_item_find(judge, sent.item)
        if item is None:
            raise Invalid("Nothing was taken.", [Detail(field="item", message="There is no such item.")])
        try:
            services.program_answer(item=item, stage=sent.stage, answer=sent.answer)
        except NotYet as missing:
            details = [
                Detail(field=f"answer.{entry.field}".rstrip("."), message=entry.message)
                for entry in missing.missing
            ]
            raise Invalid("The answer cannot count as it is.", details) from missing
        return Response(_state_of(judge).model_dump(mode="json"))


def _state_of(program: Program) -> ProgramDetail:
    return next(_detail(state) for state in program_states(program.study) if state.name == program.name)


def _detail(state: ProgramState) -> ProgramDetail:
    return ProgramDetail(name=state.name, items=state.items, judged=state.judged)
