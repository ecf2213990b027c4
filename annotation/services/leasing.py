"""Leases: in a pool, whoever comes gets the least-judged subject for a while; what is not done by then goes back."""

from __future__ import annotations

import json
from collections import Counter
from datetime import datetime, timedelta

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Sum
from django.utils import timezone

from annotation.errors import Conflict
from annotation.models import WITH_ORIGINAL, Assessor, Assignment, Control, SetMember, Study, Subject, Task
from annotation.selectors.exhibits import config_of, kind_of
from annotation.selectors.judged import person_of
from annotation.selectors.plan import design_of
from annotation.services.assignments import assignment_add, assignments_kept, locked
from annotation.services.sets_on_request import set_make
from annotation.study_files.schema import Settings
from annotation.words import gettext


def subject_lease(*, assessor: Assessor) -> Assignment | None:
    """Lease the least-judged subject of the pool that this assessor may judge and has not met."""
    person = person_of(assessor)
    pools = [
        task
        for task in assessor.study.tasks.all()
        if design_of(assessor.study, task).pool
        and kind_of(task).takes_part(config_of(task), task.phase, person)
    ]
    if not pools:
        return None
    _leases_return(assessor.study)
    out = set(assessor.study.exclusions.filter(ended_at=None, task__in=pools).values_list("task", flat=True))
    mine = assignments_kept(assessor).filter(subject=OuterRef("pk"))
    for task in pools:
        if task.pk in out:
            continue
        new = _not_own(
            Subject.objects.filter(
                ~Exists(mine), task=task, phase=task.phase, practice=False, left_out=False
            ),
            assessor,
        )
        subject = locked(new.filter(control="", taken__lt=F("wanted")).order_by("taken", "order")).first()
        subject = subject or set_make(assessor=assessor, task=task)
        if subject is None:
            continue
        control = _control_due(assessor, task, new)
        if control and locked(Subject.objects.filter(pk=control.pk)):
            # One more is wanted of a control item, by somebody who has it already.
            Subject.objects.filter(pk=control.pk).update(taken=F("taken") + 1, wanted=F("wanted") + 1)
            subject = control
        else:
            Subject.objects.filter(pk=subject.pk).update(taken=F("taken") + 1)
        return assignment_add(assessor=assessor, subject=subject, lease_ends_at=lease_end(assessor.study))
    return None


def _control_due(assessor: Assessor, task: Task, new: QuerySet[Subject]) -> Subject | None:
    """The control item that it is time for: all of them come while somebody does a fair share of the pool.

    A repeat or a degraded output goes to whoever has judged the output as it is; a repeat only when that is a quarter of a
    fair share ago.
    """
    controls = list(new.exclude(control="").order_by("order", "pk"))
    if not controls:
        return None
    everything = Subject.objects.filter(task=task, counts=True)
    pieces = everything.filter(control="").aggregate(wanted=Sum("wanted"), number=Count("pk"))
    share = (pieces["wanted"] or 0) / max(1, assessor.study.assessors.count())
    types = Counter(everything.exclude(control="").values_list("control", flat=True))
    # Whoever does a fair share meets the originals of so many repeats and degraded outputs.
    with_original = sum(number for name, number in types.items() if name in WITH_ORIGINAL)
    met_originals = with_original * min(1.0, share / max(1, pieces["number"]))
    every = max(2, round(share / (1 + types.total() - with_original + met_originals)))
    met = list(
        assignments_kept(assessor)
        .filter(subject__task=task, counts=True)
        .order_by("position")
        .select_related("subject")
    )
    since = next((n for n, row in enumerate(reversed(met)) if row.subject.control), len(met))
    if since < every:
        return None
    when = {_about(row.subject): len(met) - n for n, row in enumerate(met) if not row.subject.control}
    for control in controls:
        if control.control not in WITH_ORIGINAL:
            return control
        ago = when.get(_about(control), 0)
        if ago >= (max(every, share / 4) if control.control == Control.REPEAT else 1):
            return control
    return None


def _about(subject: Subject) -> tuple[object, ...]:
    """What a control item has in common with the subject that it was made of."""
    piece = json.dumps(subject.shown, sort_keys=True)
    return (
        subject.output_id,
        subject.reference_id,
        subject.document_id,
        subject.topic_id,
        subject.set_id,
        piece,
    )


def _leases_return(study: Study) -> None:
    """Subjects whose lease ran out go back to the pool. Drafts stay: the assessor may still come back first.

    A lease that ends later than one that begins now was given by a clock that has been set back since: it becomes one of now.
    """
    now, latest = timezone.now(), lease_end(study)
    over = list(
        locked(
            Assignment.objects.filter(
                Q(lease_ends_at__lt=now) | Q(lease_ends_at__gt=latest),
                assessor__study=study,
                state=Assignment.State.OPEN,
                left_out=False,
            )
        )
    )
    # Nobody is waited for who holds a subject: it goes back with the next who asks.
    free = {
        row.pk for row in locked(Subject.objects.filter(pk__in={row.subject_id for row in over}).only("pk"))
    }
    for assignment in over:
        if assignment.lease_ends_at and assignment.lease_ends_at > latest:
            Assignment.objects.filter(pk=assignment.pk).update(lease_ends_at=latest)
        elif assignment.subject_id in free:
            Assignment.objects.filter(pk=assignment.pk).update(state=Assignment.State.ABANDONED)
            Subject.objects.filter(pk=assignment.subject_id).update(taken=F("taken") - 1)


def _not_own(subjects: QuerySet[Subject], assessor: Assessor) -> QuerySet[Subject]:
    if not assessor.author:
        return subjects
    own = SetMember.objects.filter(subject=OuterRef("pk"), output__author=assessor.author)
    return subjects.exclude(output__author=assessor.author).filter(~Exists(own))


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
    free = Subject.objects.filter(pk=assignment.subject_id, taken__lt=F("wanted"))
    taken = not assignment.left_out and free.update(taken=F("taken") + 1)
    if not taken:
        raise Conflict(
            gettext(
                "This item was given to somebody else after a long break. Please go on with the next one."
            )
        )
    Assignment.objects.filter(pk=assignment.pk).update(state=Assignment.State.OPEN)
    assignment.state = Assignment.State.OPEN
