"""Judgments: a page at a time, as a file, and those made elsewhere."""

from __future__ import annotations

import tempfile
from pathlib import Path, PurePosixPath

from django.core.files.uploadedfile import UploadedFile
from django.http import Http404
from django.http.response import HttpResponseBase
from drf_spectacular.utils import OpenApiParameter
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.urls import replace_query_param

from annotation import analysis
from annotation.api.base import AnyType, StudyView, parsed, query, uploaded
from annotation.api.documented import READS, WRITES, asked, form, operation
from annotation.api.errors import Detail, Invalid
from annotation.api.schemas import (
    ExportFileQuery,
    JudgmentQuery,
    JudgmentsImported,
    JudgmentValues,
    NoFields,
)
from annotation.downloads import TYPES, attributes_file, judgments_file
from annotation.export import judgment_page
from annotation.services.imports import ImportProblems, judgments_import

CHOICES = [
    asked("all_revisions", bool, "Also what was corrected later.", default=False),
    asked("names", bool, "Assessors’ names instead of pseudonyms.", default=False),
    asked("excluded", bool, "Also what is left out of results, with the reason.", default=False),
]


class Judgments(StudyView):
    parser_classes = [MultiPartParser]

    @operation(
        "judgments",
        "judgments_list",
        "The long table, a page at a time",
        *READS,
        422,
        answer=JudgmentValues,
        parameters=[
            asked("after", int, "Only judgments after this one.", minimum=0, default=0),
            asked("limit", int, "How many judgments.", minimum=1, maximum=1000, default=200),
            *CHOICES,
        ],
    )
    def get(self, request: Request, slug: str) -> Response:
        """Judgments in the order in which they came, one row per value decided. Only the newest revision of each,
        unless asked for all."""
        choices = query(JudgmentQuery, request)
        page = judgment_page(self.study, **choices.model_dump())
        address = replace_query_param(request.build_absolute_uri(), "after", page.last)
        return Response({"next": address if page.more else None, "last": page.last, "results": page.rows})

    @operation(
        "judgments",
        "judgments_import",
        "Import judgments made elsewhere",
        *WRITES,
        409,
        422,
        answer=JudgmentsImported,
        takes=form(),
    )
    def post(self, request: Request, slug: str) -> Response:
        """A file of the long table whose name ends in .csv, .jsonl or .parquet: all of it or nothing. Importing it
        twice changes nothing. A draft becomes a closed study, since its judging was done elsewhere."""
        file, fields = uploaded(request)
        parsed(NoFields, fields)
        with tempfile.TemporaryDirectory() as folder:
            path = _stored(file, Path(folder))
            try:
                done = judgments_import(study=self.study, rows=analysis.judgment_table(path))
            except UnicodeEncodeError:
                message = f"{file.name}: a text holds half a character (a lone surrogate such as \\ud83d)."
                raise Invalid("Nothing was imported.", [Detail(message=message)]) from None
            except analysis.BadInput as problem:
                message = str(problem).replace(str(path), file.name or path.name)
                raise Invalid("Nothing was imported.", [Detail(message=message)]) from None
            except ImportProblems as found:
                details = [Detail(message=problem) for problem in found.problems]
                raise Invalid("Nothing was imported.", details) from None
        return Response(JudgmentsImported.model_validate(done).model_dump())


def _stored(file: UploadedFile, folder: Path) -> Path:
    """The upload on disk, under a name of ours with its ending: that tells which format it is."""
    ending = PurePosixPath(file.name or "").suffix.lower()
    if ending.removeprefix(".") not in TYPES:
        message = "The name of the file must end in .csv, .jsonl or .parquet."
        raise Invalid("Nothing was imported.", [Detail(field="file", message=message)])
    path = folder / f"judgments{ending}"
    with path.open("wb") as target:
        target.writelines(file.chunks())
    return path


class JudgmentsFile(StudyView):
    content_negotiation_class = AnyType

    @operation(
        "judgments",
        "judgments_file",
        "The long table as a file, streamed",
        *READS,
        422,
        files=list(TYPES.values()),
        parameters=[
            OpenApiParameter(
                "ending", str, OpenApiParameter.PATH, enum=list(TYPES), description="The format."
            ),
            *CHOICES,
            asked(
                "decisions",
                bool,
                "Also decisions of adjudicators, and a column “adjudication” that tells them from judgments.",
                default=False,
            ),
        ],
    )
    def get(self, request: Request, slug: str, ending: str) -> HttpResponseBase:
        if ending not in TYPES:
            raise Http404(f"There is no such format; there are {', '.join(TYPES)}.")
        choices = query(ExportFileQuery, request)
        return judgments_file(self.study, ending, **choices.model_dump())


class Attributes(StudyView):
    content_negotiation_class = AnyType

    @operation(
        "judgments", "attributes_file", "What scores need beside judgments", *READS, files=[TYPES["csv"]]
    )
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        """Lengths and targets of outputs, and what each kind of task adds: scope, id, name, value."""
        return attributes_file(self.study)
