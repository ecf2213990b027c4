"""Changing a study that exists, also while it runs."""

from __future__ import annotations

from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.base import StudyView, parsed, uploaded
from annotation.api.change_schemas import (
    NewCopy,
    NewOverlap,
    NewPause,
    NewSlug,
    OverlapRaised,
    StudyChange,
    StudyChanged,
    WaveAdded,
)
from annotation.api.documented import READS, WRITES, form, operation
from annotation.api.errors import Detail, Invalid
from annotation.api.schemas import NoFields
from annotation.models import Membership, Study
from annotation.selectors.tasks import task_find
from annotation.services import changes as services
from annotation.services import waves


class StudyDetails(StudyView):
    @operation(
        "studies", "study_details", "Name, contact, texts, deadline, pause", *READS, answer=StudyChanged
    )
    def get(self, request: Request, slug: str) -> Response:
        return _answer(self.study)

    @operation(
        "studies",
        "study_change",
        "Change a study",
        *WRITES,
        409,
        422,
        answer=StudyChanged,
        takes=StudyChange,
    )
    def post(self, request: Request, slug: str) -> Response:
        """What is left out stays as it is. Instructions and consent become a new version, which assessors see before they
        go on; a deadline of null ends it."""
        sent = parsed(StudyChange, request.data)
        services.study_change(study=self.study, given=sent.model_dump(exclude_unset=True))
        return _answer(self.study)


class StudyPause(StudyView):
    @operation(
        "studies",
        "study_pause",
        "Pause a study",
        *WRITES,
        409,
        422,
        answer=StudyChanged,
        takes=NewPause,
    )
    def post(self, request: Request, slug: str) -> Response:
        """Nothing more is handed out, and assessors read the message; what they have on the screen can be sent."""
        services.study_pause(study=self.study, message=parsed(NewPause, request.data).message)
        return _answer(self.study)

    @operation("studies", "study_resume", "Go on with a paused study", *WRITES, 409, status=204)
    def delete(self, request: Request, slug: str) -> Response:
        services.study_resume(study=self.study)
        return Response(status=204)


class StudyArchive(StudyView):
    @operation("studies", "study_archive", "Archive a study", *WRITES, 409, answer=StudyChanged)
    def post(self, request: Request, slug: str) -> Response:
        """It is out of the way in lists; nothing else changes."""
        services.study_archive(study=self.study)
        return _answer(self.study)

    @operation("studies", "study_unarchive", "Take a study out of the archive", *WRITES, status=204)
    def delete(self, request: Request, slug: str) -> Response:
        services.study_unarchive(study=self.study)
        return Response(status=204)


class StudySlug(StudyView):
    @operation(
        "studies",
        "study_rename",
        "Give a study another slug",
        *WRITES,
        409,
        422,
        answer=StudyChanged,
        takes=NewSlug,
    )
    def post(self, request: Request, slug: str) -> Response:
        """Addresses with the old slug lead to it, too."""
        services.study_rename(study=self.study, slug=parsed(NewSlug, request.data).slug)
        return _answer(self.study)


class StudyCopy(StudyView):
    changed_by = Membership.Role.VIEWER  # nothing of the study changes

    @operation(
        "studies",
        "study_copy",
        "Copy a study",
        *WRITES,
        409,
        422,
        answer=StudyChanged,
        status=201,
        takes=NewCopy,
    )
    def post(self, request: Request, slug: str) -> Response:
        """A draft of your own with the same texts, tasks and design; with the same people if you say so; no judgments, no links."""
        new = parsed(NewCopy, request.data)
        copy = services.study_duplicate(study=self.study, owner=self.user, **new.model_dump())
        return Response(_detail(copy), status=201)


class StudyOverlap(StudyView):
    @operation(
        "studies",
        "study_overlap",
        "More judgments of each piece",
        *WRITES,
        409,
        422,
        answer=OverlapRaised,
        takes=NewOverlap,
    )
    def post(self, request: Request, slug: str) -> Response:
        """Of one task, or of all that go by the study's design. What more is wanted goes to whoever is done with their own."""
        new = parsed(NewOverlap, request.data)
        task = task_find(self.study, new.task) if new.task else None
        if new.task and task is None:
            raise Invalid("Nothing was changed.", [Detail(field="task", message="There is no such task.")])
        more = waves.overlap_raise(study=self.study, to=new.assessors_per_item, task=task)
        return Response(OverlapRaised(judgments=more).model_dump())


class StudyWave(StudyView):
    parser_classes = [MultiPartParser]

    @operation(
        "studies",
        "study_wave",
        "Add texts or tasks to a study",
        *WRITES,
        409,
        422,
        answer=WaveAdded,
        status=201,
        takes=form(),
    )
    def post(self, request: Request, slug: str) -> Response:
        """A study file: what it has more than the study is added, and in an open study dealt on top. What both have must
        be the same."""
        file, fields = uploaded(request)
        parsed(NoFields, fields)
        wave = waves.study_extend_upload(study=self.study, source=file)
        return Response(WaveAdded.model_validate(wave).model_dump(), status=201)


def _answer(study: Study) -> Response:
    return Response(_detail(study))


def _detail(study: Study) -> dict:
    return StudyChanged.model_validate(study).model_dump(mode="json")
