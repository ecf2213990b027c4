"""Automatic scores that were computed elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db import transaction

from annotation.models import MetricScore, Study
from annotation.study_files.scores import read_scores

BATCH = 1000  # a database takes only so many parameters at once


@dataclass(frozen=True)
class ScoresImported:
    """What an import did."""

    scores: int
    metrics: list[str]


@transaction.atomic
def scores_import(*, study: Study, given: bytes | list[Any]) -> ScoresImported:
    """Store a score table (the bytes of a CSV file, or a list of rows): all of it or nothing.

    The scores of each metric in the table replace what there was of that metric; other metrics stay as they are.
    """
    rows = read_scores(
        given,
        systems=study.systems.values_list("key", flat=True),
        items=[*study.documents.values_list("key", flat=True), *study.topics.values_list("key", flat=True)],
    )
    metrics = list(dict.fromkeys(row.metric for row in rows))
    for first in range(0, len(metrics), BATCH):
        study.metricscores.filter(metric__in=metrics[first : first + BATCH]).delete()
    MetricScore.objects.bulk_create(
        [MetricScore(study=study, **row.model_dump()) for row in rows], batch_size=BATCH
    )
    return ScoresImported(scores=len(rows), metrics=metrics)
