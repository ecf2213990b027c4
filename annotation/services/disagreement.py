"""Keeping track of where people disagree: each judgment is looked at once, when somebody asks, and added up per piece."""

from __future__ import annotations

import math

from django.db import transaction
from django_tasks import task

from annotation.disagreement import Differing
from annotation.errors import Refused
from annotation.models import Disagreement, DisagreementQueue, Study, Subject
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


def _look(study: Study) -> bool:
    """The next judgments, in the order in which they came: the pieces that they are about are added up anew. True if more may wait.

    They are compared before anything is locked: on SQLite whoever judges would wait for that. If somebody else has looked at them
    meanwhile, or something was left out, that holds, and what was found here is dropped.
    """
    stand, queue = stand_of_results(study), queue_of(study)
    begun = queue.seen, queue.stand
    queue.study = study
    if queue.stand != stand:
        queue.seen, queue.stand = 0, stand
    unseen = list(judgments_unseen(queue).values_list("pk", "assignment__subject")[:AT_ONCE])
    found = subjects_differing(study, list(dict.fromkeys(subject for _, subject in unseen)))
    queue.seen = unseen[-1][0] if unseen else queue.seen
    with transaction.atomic():
        kept = _keep(study, queue, begun, found, {subject for _, subject in unseen})
    return not kept or len(unseen) == AT_ONCE


def _keep(
    study: Study,
    queue: DisagreementQueue,
    begun: tuple[int, str],
    found: dict[int, list[Differing]],
    subjects: set[int],
) -> bool:
    """Write what was found since the queue stood at ``begun``; False where somebody was quicker, or something was left out."""
    DisagreementQueue.objects.get_or_create(study=study)
    now = DisagreementQueue.objects.select_for_update().get(study=study)
    if (now.seen, now.stand) != begun or stand_of_results(study) != queue.stand:
        return False
    known = Disagreement.objects.filter(subject__task__study=study)
    (known if now.stand != queue.stand else known.filter(subject__in=subjects)).delete()
    # Pieces may be gone by now, with the person who wrote them.
    there = set(Subject.objects.filter(pk__in=found).values_list("pk", flat=True))
    Disagreement.objects.bulk_create(
        Disagreement(subject_id=subject, **vars(entry))
        for subject, rows in found.items()
        for entry in rows
        if subject in there
    )
    now.seen, now.stand = queue.seen, queue.stand
    now.save(update_fields=["seen", "stand"])
    return True


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
