"""Programs that judge, and how far each is."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Max, Q

from annotation.models import Program, ProgramItem, Study


@dataclass(frozen=True)
class ProgramState:
    name: str
    items: int
    judged: int
    last: datetime | None = None  # when it last answered


def program_states(study: Study) -> list[ProgramState]:
    rows = study.programs.annotate(
        given=Count("items", distinct=True),
        judged=Count("items", filter=Q(items__answers__final=True), distinct=True),
        last=Max("items__answers__answered_at"),
    )
    return [ProgramState(row.name, row.given, row.judged, row.last) for row in rows.order_by("name")]


def program_find(study: Study, name: str) -> Program | None:
    return study.programs.select_related("study").filter(name=name).first()


def program_item_find(program: Program, public_id: str) -> ProgramItem | None:
    return program.items.filter(public_id=public_id).first()
