"""Leases: in a pool, whoever comes gets the least-judged subject for a while; what is not done by then goes back."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db.models import Exists, F, OuterRef, QuerySet
from django.utils import timezone

from annotation.errors import Conflict
from annotation.models import Assessor, Assignment, Study, Subject
from annotation.selectors.plan import design_of
from annotation.services.assignments import assignment_add, assignments_kept, locked
from annotation.study_files.schema import Settings


def subject_lease(*, assessor: Assessor) -> Assignment | None:
    """Lease the least-judged subject of the pool that this assessor may judge and has not met."""
    pools = [task for task in assessor.study.tasks.all() if design_of(assessor.study, task).pool]
    if not pools:
        return None
    _leases_return(assessor.study)
    mine = assignments_kept(assessor).filter(subject=OuterRef("pk"))
    for task in pools:
        free = Subject.objects.filter(task=task, practice=False, taken__lt=F("wanted")).filter(~Exists(mine))
        subject = locked(_not_own(free, assessor).order_by("taken", "order")).first()
        if subject:
            Subject.objects.filter(pk=subject.pk).update(taken=F("taken") + 1)
            return assignment_add(assessor=assessor, subject=subject, lease_ends_at=lease_end(assessor.study))
    return None


def _leases_return(study: Study) -> None:
    """Subjects whose lease ran out go back to the pool. Drafts stay: the assessor may still come back first."""
    over = locked(
        Assignment.objects.filter(
            assessor__study=study, state=Assignment.State.OPEN, lease_ends_at__lt=timezone.now()
        )
    )
    for assignment in over:
        Assignment.objects.filter(pk=assignment.pk).update(state=Assignment.State.ABANDONED)
        Subject.objects.filter(pk=assignment.subject_id).update(taken=F("taken") - 1)


def _not_own(subjects: QuerySet[Subject], assessor: Assessor) -> QuerySet[Subject]:
    return subjects.exclude(output__author=assessor.author) if assessor.author else subjects


def lease_end(study: Study) -> datetime:
    """When a lease that begins, or is used, at this moment runs out."""
    minutes = Settings.model_validate(study.settings).abandon_after_minutes
    return timezone.now() + timedelta(minutes=minutes)


def lease_extend(*, assignment: Assignment) -> None:
    """Whoever is at work keeps what they have."""
    if assignment.lease_ends_at:
        Assignment.objects.filter(pk=assignment.pk).update(lease_ends_at=lease_end(assignment.assessor.study))


def lease_reclaim(*, assignment: Assignment) -> None:
    """Somebody comes back to an item whose lease ran out: theirs again, unless others have judged it meanwhile."""
    taken = Subject.objects.filter(pk=assignment.subject_id, taken__lt=F("wanted")).update(
        taken=F("taken") + 1
    )
    if not taken:
        raise Conflict(
            "This item was given to somebody else after a long break. Please go on with the next one."
        )
    Assignment.objects.filter(pk=assignment.pk).update(state=Assignment.State.OPEN)
    assignment.state = Assignment.State.OPEN
