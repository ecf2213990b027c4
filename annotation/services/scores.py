"""Automatic scores that were computed elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db import transaction

from annotation.models import MetricScore, Study
from annotation.services.audit import audit_write
from annotation.study_files.scores import read_scores

METRICS_TOLD = 50  # by name, in the audit trail
BATCH = 1000  # a database takes only so many parameters at once


@dataclass(frozen=True)
class ScoresImported:
    """What an import did."""

    scores: int
    metrics: list[str]


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
    scores = [MetricScore(study=study, **row.model_dump()) for row in rows]
    # All that takes long without writing is done: in SQLite those who judge wait for a transaction.
    with transaction.atomic():
        # Two tables at the same moment take turns, so that the second replaces what the first has written.
        study.refresh_from_db(from_queryset=Study.objects.select_for_update(no_key=True), fields=["state"])
        for first in range(0, len(metrics), BATCH):
            study.metricscores.filter(metric__in=metrics[first : first + BATCH]).delete()
        MetricScore.objects.bulk_create(scores, batch_size=BATCH)
        told = {"scores": len(rows), "metrics": metrics[:METRICS_TOLD]}
        audit_write(study=study, action="scores.import", after=told)
    return ScoresImported(scores=len(rows), metrics=metrics)
