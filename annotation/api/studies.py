"""Studies: list, import, open, close, progress, and the study file again."""

from __future__ import annotations

from dataclasses import asdict

from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.urls import reverse
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.base import AnyType, ApiView, StudyView, parsed, query, uploaded
from annotation.api.documented import PAGED, READS, WRITES, form, operation
from annotation.api.paging import paged
from annotation.api.schemas import (
    PageQuery,
    Progress,
    StudyDetail,
    StudyImportFields,
    StudyPage,
    StudySummary,
    TaskSummary,
)
from annotation.downloads import ZIP, study_file
from annotation.models import Membership, Study
from annotation.selectors import studies as selectors
from annotation.selectors.progress import headline, study_progress
from annotation.selectors.tasks import tasks_of
from annotation.services import building
from annotation.services import studies as services
from annotation.services.bin import study_bin


class Studies(ApiView):
    parser_classes = [MultiPartParser]

    @operation(
        "studies", "studies_list", "Your studies, newest first", 404, 422, answer=StudyPage, parameters=PAGED
    )
    def get(self, request: Request) -> Response:
        rows = selectors.studies_newest_first(self.user)
        return paged(request, rows, query(PageQuery, request), StudyPage, StudySummary.model_validate)

    @operation(
        "studies",
        "studies_import",
        "Import a study file, or make a study of a table",
        403,
        409,
        422,
        answer=StudyDetail,
        status=201,
        location="the new study",
        takes=form(
            replace={
                "type": "boolean",
                "default": False,
                "description": "Replace your study of the same slug, if nobody has judged it.",
            },
            template={
                "type": "string",
                "description": "With it, the file is a table of texts (CSV, TSV, XLSX, JSON, JSONL) and this says what assessors do.",
            },
            map={
                "type": "string",
                "description": "Of a table: COLUMN=ROLE, one a line, where the guess would be wrong.",
            },
            name={
                "type": "string",
                "description": "Of a table: the name of the study; the file's without it.",
            },
            slug={"type": "string", "description": "Of a table: the slug; made of the name without it."},
            language={
                "type": "string",
                "default": "en",
                "description": "Of a table: the language of its texts.",
            },
            source_language={
                "type": "string",
                "description": "Of a table: the language of its sources, if another.",
            },
        ),
    )
    def post(self, request: Request) -> Response:
        """A zip with `study.yaml`; or, with `template`, a table of texts. The file is checked as a whole. If anything is wrong with it, the answer lists every problem with its file
        and line, and nothing is stored. A new study is a draft, and you are its owner."""
        file, fields = uploaded(request)
        asked = parsed(StudyImportFields, fields)
        if asked.template:
            study = building.study_of_table_upload(
                file=(file.name or "", file.read()),
                mapping=[line.strip() for line in asked.map.splitlines() if line.strip()],
                owner=self.user,
                max_bytes=settings.STUDY_UNPACKED_MAX_BYTES,
                **asked.model_dump(
                    include={"template", "name", "slug", "language", "source_language", "replace"}
                ),
            )
        else:
            study = services.study_upload(source=file, owner=self.user, replace=asked.replace)
        address = request.build_absolute_uri(reverse("api_study", args=[study.slug]))
        return Response(_detail(self.user, study), status=201, headers={"Location": address})


class OneStudy(StudyView):
    changed_by = Membership.Role.OWNER

    @operation("studies", "study", "A study with its tasks", *READS, answer=StudyDetail)
    def get(self, request: Request, slug: str) -> Response:
        return Response(_detail(self.user, self.study))

    @operation("studies", "study_delete", "Delete a study", *WRITES, 409, status=204)
    def delete(self, request: Request, slug: str) -> Response:
        """Into the bin, judgments and all: it can be brought back for 30 days, and is gone for good after that."""
        study_bin(study=self.study, by=self.user.username)
        return Response(status=204)


class StudyOpen(StudyView):
    @operation("studies", "study_open", "Open a study", *WRITES, 409, answer=StudyDetail)
    def post(self, request: Request, slug: str) -> Response:
        """Deals the work of a draft and lets assessors in. A closed study opens again with the work it had."""
        services.study_open(study=self.study)
        return Response(_detail(self.user, self.study))


class StudyClose(StudyView):
    @operation("studies", "study_close", "Close a study", *WRITES, 409, answer=StudyDetail)
    def post(self, request: Request, slug: str) -> Response:
        """No more judgments; what has been judged stays. It can be opened again."""
        services.study_close(study=self.study)
        return Response(_detail(self.user, self.study))


class StudyFile(StudyView):
    content_negotiation_class = AnyType

    @operation("studies", "study_file", "The study file again, as a zip", *READS, files=[ZIP])
    def get(self, request: Request, slug: str) -> HttpResponse:
        return study_file(self.study)


class StudyProgress(StudyView):
    @operation("studies", "progress", "How far a study is", *READS, answer=Progress)
    def get(self, request: Request, slug: str) -> Response:
        """In all and task by task; the list of assessors says how far each of them is."""
        found = study_progress(self.study)
        answer = Progress(
            headline=headline(self.study, found),
            wanted=found.wanted,
            done=found.done,
            left=found.left,
            seconds_left=found.seconds_left,
            last_judgment=found.last_judgment,
            tasks=found.tasks,
        )
        return Response(answer.model_dump(mode="json"))


def _detail(user: User, study: Study) -> dict:
    summary = StudySummary.model_validate(selectors.study_row(user, study))
    answer = StudyDetail(
        **summary.model_dump(),
        tasks=[TaskSummary.model_validate(task) for task in tasks_of(study)],
        **asdict(selectors.study_size(study)),
    )
    return answer.model_dump(mode="json")
