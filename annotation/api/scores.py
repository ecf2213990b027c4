"""Automatic scores computed elsewhere: in, and out again."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.base import StudyView, parsed, query
from annotation.api.documented import JSON, PAGED, READS, WRITES, asked, operation
from annotation.api.paging import paged
from annotation.api.parsers import CSV, Csv, Json
from annotation.api.schemas import (
    RawScoreTable,
    ScoreDetail,
    ScorePage,
    ScoreQuery,
    ScoresImported,
    ScoreTable,
)
from annotation.selectors.studies import metric_scores
from annotation.services.scores import scores_import

CSV_EXAMPLE = "metric,system,item,score\nrouge-2-f,lead,story-1,0.125\n"


class Scores(StudyView):
    parser_classes = [Json, Csv]
    takes_much = True

    @operation(
        "scores",
        "scores_list",
        "Automatic scores of a study",
        *READS,
        422,
        answer=ScorePage,
        parameters=[*PAGED, asked("metric", str, "Only of this metric.", maxLength=200)],
    )
    def get(self, request: Request, slug: str) -> Response:
        asked_for = query(ScoreQuery, request)
        rows = metric_scores(self.study, asked_for.metric)
        return paged(request, rows, asked_for, ScorePage, ScoreDetail.model_validate)

    @operation(
        "scores",
        "scores_import",
        "Send automatic scores",
        *WRITES,
        422,
        answer=ScoresImported,
        takes={JSON: ScoreTable, CSV: {"type": "string", "examples": [CSV_EXAMPLE]}},
    )
    def post(self, request: Request, slug: str) -> Response:
        """A score table (metric, system, item, score, and higher_is_better where lower is better): all of it or
        nothing. Each metric in the table replaces what there was of that metric; other metrics stay as they are.
        Problems name the line of the CSV file, or the place in the list, counted from 1."""
        sent = request.data
        given = sent if isinstance(sent, bytes) else parsed(RawScoreTable, sent).scores
        done = scores_import(study=self.study, given=given)
        return Response(ScoresImported.model_validate(done).model_dump())
