"""Versions of a key: a subject that is judged by a newer one takes the place of the old, and those who had it have it again."""

from __future__ import annotations

from django.db.models import F, Max
from django.utils import timezone

from annotation.models import Assignment, Draft, Subject
from annotation.selectors.exhibits import config_of, facts_of_subject, kind_of


def version_make(*, old: Subject, new: Subject) -> None:
    """Put ``new``, which is not stored yet, in the place of ``old``: what was judged is opened again, with what still stands.

    Judgments of the old version stay for audit, and count no more.
    """
    new.order, new.wanted, new.taken = old.order, old.wanted, old.taken
    new.save()
    rows = old.assignments.exclude(state=Assignment.State.ABANDONED)
    list(
        rows.select_for_update(no_key=True).order_by("pk")
    )  # whoever submits at this moment comes first, or not at all
    for assignment in rows.select_related("assessor", "draft").prefetch_related("judgments"):
        _open_again(assignment, old, new)
    old.assignments.filter(state=Assignment.State.OPEN).update(state=Assignment.State.ABANDONED)
    old.assignments.update(counts=False)
    # Nobody takes the old one again, from a pool or by coming back.
    Subject.objects.filter(pk=old.pk).update(superseded=True, counts=False, taken=F("wanted"))


def _open_again(assignment: Assignment, old: Subject, new: Subject) -> None:
    judgments = list(assignment.judgments.all())
    draft = getattr(assignment, "draft", None)
    last = Assignment.objects.filter(assessor=assignment.assessor_id).aggregate(last=Max("position"))["last"]
    made = Assignment.objects.create(
        assessor=assignment.assessor,
        subject=new,
        counts=new.counts,
        position=last + 1,
        lease_ends_at=assignment.lease_ends_at,
        revisions_before=assignment.revisions_before + len(judgments),
    )
    stored = draft.answer if draft else judgments[-1].answer if judgments else None
    if stored is None:
        return
    kind, config = kind_of(new.task), config_of(new.task)
    before, shown = facts_of_subject(old).exhibit, facts_of_subject(new).exhibit
    answer = kind.carried(config, before, shown, kind.Answer.model_validate(stored))
    Draft.objects.create(
        assignment=made, revision=1, answer=answer.model_dump(mode="json"), saved_at=timezone.now()
    )
