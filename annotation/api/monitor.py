"""The monitor of a study, the quality of its assessors, and its judgments to be read."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from pydantic import Field
from rest_framework.request import Request
from rest_framework.response import Response

from annotation import analysis
from annotation.api.base import StudyView
from annotation.api.documented import READS, operation
from annotation.api.schemas import Answer
from annotation.models import Membership
from annotation.selectors.monitor import monitor_page, progress_kept, quality_named
from annotation.selectors.progress import study_progress


class MonitorWarning(Answer):
    """Something to act on: ``careless``, ``worker``, ``too_few``, ``nobody``, ``flags`` or ``deadline``, in words."""

    code: str
    text: str


class MonitorPerson(Answer):
    """One assessor; ``name`` is a pseudonym for viewers. ``finish``: at the present pace."""

    id: int = Field(validation_alias="pk")
    name: str
    done: int
    total: int
    seconds: float | None
    per_day: float
    finish: Any
    is_here: bool
    is_excluded: bool
    is_careless: bool
    verdict: str


class MonitorDetail(Answer):
    """What the monitor shows. ``as_of``: when the worker last followed up; null: not yet. ``agreement`` and ``standings`` have
    intervals of 95 % over items; in ``standings``, ``apart`` says how many more judgments tell the two best apart."""

    headline: str
    as_of: Any
    worker: str
    warnings: list[MonitorWarning]
    people: list[MonitorPerson]
    here: list[str]
    leases: int
    tasks: list[dict[str, Any]]
    systems: list[dict[str, Any]]
    days: list[dict[str, Any]]
    agreement: list[dict[str, Any]]
    standings: list[dict[str, Any]]


class QualityDetail(Answer):
    """Every check of every assessor, as ``python -m metrics quality`` has it, the verdict last, and what each check means."""

    rows: list[dict[str, Any]]
    meanings: dict[str, str]
    careless: list[str]


class StudyMonitor(StudyView):
    @operation("studies", "monitor", "How a study is going at this moment", *READS, answer=MonitorDetail)
    def get(self, request: Request, slug: str) -> Response:
        """What the monitor's page shows, made by the worker in the background; asking for it makes the worker follow up."""
        kept = analysis.monitor_request(study=self.study)
        progress = progress_kept(kept) or study_progress(self.study)
        page = monitor_page(
            self.study, kept, progress, may_change=self.membership.may(Membership.Role.EDITOR)
        )
        found = MonitorDetail(
            headline=page.headline,
            as_of=page.as_of,
            worker=page.state,
            warnings=[MonitorWarning.model_validate(row) for row in page.warnings],
            people=[MonitorPerson.model_validate(row) for row in page.people],
            here=[row.name for row in page.here],
            leases=len(page.leases),
            tasks=[asdict(row) for row in progress.tasks],
            systems=[asdict(row) for row in page.systems],
            days=kept.snapshot.get("days", []),
            agreement=kept.snapshot.get("agreement", []),
            standings=(kept.snapshot.get("tables") or {}).get("standings", []),
        )
        return Response(found.model_dump(mode="json"))


class StudyQuality(StudyView):
    @operation("studies", "quality", "How carefully assessors judge", *READS, answer=QualityDetail)
    def get(self, request: Request, slug: str) -> Response:
        """As the worker last found it. Owners and editors read names, viewers pseudonyms. Nothing of it leaves anybody out by itself."""
        analysis.monitor_request(study=self.study)
        found = QualityDetail(**quality_named(self.study, names=self.membership.may(Membership.Role.EDITOR)))
        return Response(found.model_dump(mode="json"))
