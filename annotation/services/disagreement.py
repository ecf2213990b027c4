"""Keeping track of where people disagree: each judgment is looked at once, when somebody asks, and added up per piece."""

from __future__ import annotations

import math

from django.db import transaction
from django_tasks import task

from annotation.errors import Refused
from annotation.models import Disagreement, DisagreementQueue, Study
from annotation.selectors.disagreement import judgments_unseen, queue_of, stand_of_results, subjects_differing
from annotation.services.audit import audit_write
from annotation.words import phrase

AT_ONCE = 500  # judgments that are looked at while a page waits


def disagreement_look(*, study: Study) -> bool:
    """Look at judgments that have come since; True if there were more than a page can wait for, which a worker goes on with."""
    if not _is_behind(study) or not _look(study):
        return False
    disagreement_catch_up.enqueue(study.pk)
    return True


@task()
def disagreement_catch_up(pk: int) -> None:
    """What the worker does."""
    study = Study.objects.filter(pk=pk).first()
    while study and _is_behind(study):
        _look(study)


def _is_behind(study: Study) -> bool:
    queue = queue_of(study)
    return queue.stand != stand_of_results(study) or judgments_unseen(queue).exists()


@transaction.atomic
def _look(study: Study) -> bool:
    """The next judgments, in the order in which they came: the pieces that they are about are added up anew. True if more may wait."""
    DisagreementQueue.objects.get_or_create(study=study)
    queue = DisagreementQueue.objects.select_for_update(of=("self",)).select_related("study").get(study=study)
    known = Disagreement.objects.filter(subject__task__study=study)
    stand = stand_of_results(study)
    if queue.stand != stand:
        known.delete()
        queue.seen, queue.stand = 0, stand
    unseen = list(judgments_unseen(queue).values_list("pk", "assignment__subject")[:AT_ONCE])
    subjects = list(dict.fromkeys(subject for _, subject in unseen))
    known.filter(subject__in=subjects).delete()
    found = subjects_differing(study, subjects)
    Disagreement.objects.bulk_create(
        Disagreement(subject_id=subject, **vars(entry)) for subject, rows in found.items() for entry in rows
    )
    queue.seen = unseen[-1][0] if unseen else queue.seen
    queue.save(update_fields=["seen", "stand"])
    return len(unseen) == AT_ONCE


@transaction.atomic
def disagreement_set(*, study: Study, by: str, threshold: float | None) -> DisagreementQueue:
    """What counts as disagreement here; without a threshold what is usual."""
    if by not in DisagreementQueue.By.values:
        raise Refused(
            phrase("Disagreement is measured by {values}.", values=" or ".join(DisagreementQueue.By.values))
        )
    if threshold is not None and not (math.isfinite(threshold) and 0 < threshold <= 100):
        raise Refused(phrase("The threshold is a number above 0."))
    queue, _ = DisagreementQueue.objects.get_or_create(study=study)
    before = {"by": queue.by, "threshold": queue.threshold}
    queue.by, queue.threshold = by, threshold
    queue.save(update_fields=["by", "threshold"])
    audit_write(
        study=study,
        action="disagreement.set",
        before=before,
        after={"by": by, "threshold": threshold},
    )
    return queue
