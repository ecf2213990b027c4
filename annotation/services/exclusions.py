"""Leaving a person, a judgment, an item or a task out of results, and including it again.

Judgments stay as they are. ``Subject.left_out`` and ``Assignment.left_out`` say for every reader what counts, and are
kept here: whatever excludes or includes, or hands out work while something is excluded, calls ``results_settle``.
What was judged by somebody who is left out is wanted again: others get it from the pool, or as what somebody left
(``services/handing_on.py``).
"""

from __future__ import annotations

from collections.abc import Sequence

from django.db import OperationalError, connection, transaction
from django.db.models import Count, Exists, F, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotation.actors import actor
from annotation.errors import Refused
from annotation.models import Assessor, Assignment, Exclusion, Judgment, Study, Subject
from annotation.selectors.exclusions import Target, exclusion_of, target_field, target_words
from annotation.services.audit import audit_write
from annotation.words import phrase

LONGEST_REASON = 500
LOCK_NOT_AVAILABLE = "55P03"  # PostgreSQL's number for it
TRIES = 20
BATCH = 1000  # rows in one statement


@transaction.atomic
def exclusion_add(*, study: Study, target: Target, reason: str) -> Exclusion:
    """Leave it out of results from now on. A person who is left out gets no more work, and others get theirs."""
    reason = " ".join(reason.split())
    if not reason:
        raise Refused(phrase("Say why: the reason stands in the report and in the export."))
    if len(reason) > LONGEST_REASON:
        raise Refused(
            phrase(
                "The reason is too long: it may have {longest_reason} characters.",
                longest_reason=LONGEST_REASON,
            )
        )
    if isinstance(target, Assignment) and not target.counts:
        raise Refused(phrase("Practice enters no result: there is nothing to leave out."))
    _lock(study)
    if isinstance(target, Assessor):
        assignments_wait(target)
    _refuse_erased(target)
    if known := exclusion_of(study, target):
        raise Refused(
            phrase(
                "{known} is left out already: {reason}",
                known=_capital(target_words(known)),
                reason=known.reason,
            )
        )
    row = Exclusion.objects.create(
        study=study, reason=reason, made_by=actor(), **{target_field(target): target}
    )
    results_settle(study=study)
    _changed(study)
    audit_write(study=study, action="results.exclude", target=target_words(row), after=_told(row))
    return row


@transaction.atomic
def exclusion_end(*, exclusion: Exclusion) -> None:
    """It counts again. What others have judged in its place meanwhile counts too."""
    study = exclusion.study
    _lock(study)
    _refuse_erased(exclusion)
    now = timezone.now()
    open_still = Exclusion.objects.filter(pk=exclusion.pk, ended_at=None)
    if not open_still.update(ended_at=now, ended_by=actor()):
        raise Refused(
            phrase("{exclusion} is included again already.", exclusion=_capital(target_words(exclusion)))
        )
    results_settle(study=study)
    _changed(study)
    audit_write(
        study=study,
        action="results.include",
        target=target_words(exclusion),
        before=_told(exclusion),
    )


def _told(exclusion: Exclusion) -> dict[str, str | int]:
    """For the history. Of people not the words: they may name somebody who is erased one day, and the history stays as it is."""
    if exclusion.assessor_id or exclusion.assignment_id:
        return {"characters": len(exclusion.reason)}
    return {"reason": exclusion.reason}


def reasons_forget(*, assessor: Assessor, words: str) -> None:
    """Why somebody who is erased, or a judgment of theirs, was left out: what was typed may say who it was."""
    rows = Exclusion.objects.filter(Q(assessor=assessor) | Q(assignment__assessor=assessor))
    rows.update(reason=words)


def _lock(study: Study) -> None:
    """One who changes what counts, at a time."""
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)


def _refuse_erased(row: Target | Exclusion) -> None:
    """For whoever has the study locked: its person may have been erased a moment before, with all that was theirs."""
    if not type(row)._default_manager.filter(pk=row.pk).exists():
        raise Refused(phrase("It was erased in the meantime. Load the page again."))


def assignments_wait(assessor: Assessor) -> None:
    """Whoever is submitting, or is being handed work at this moment, is done with it before; afterwards they wait."""
    work_wait(
        Assignment.objects.filter(assessor=assessor).exclude(state=Assignment.State.ABANDONED),
        Assessor.objects.filter(pk=assessor.pk),
    )


def work_wait(pieces: QuerySet[Assignment], people: QuerySet[Assessor]) -> None:
    """Be alone with these pieces and people until the transaction ends.

    In the order in which a submit locks, the piece and then its assessor: the other way round each would wait for the other. A piece
    that somebody was handed before they had to wait may be submitted at this moment, and its submit waits for them: then all of
    it is let go, and waited for once more.
    """
    rows = pieces.order_by("pk").values_list("pk")
    for _ in range(TRIES):
        try:
            with transaction.atomic():
                list(rows.select_for_update(no_key=True, of=("self",)))
                list(people.select_for_update(no_key=True).order_by("pk").values_list("pk"))
                list(rows.select_for_update(no_key=True, of=("self",), nowait=True))
                return
        except OperationalError as fault:
            if not _is_locked(fault):
                raise
    raise _busy()


def _busy() -> Refused:
    return Refused(phrase("People are submitting this at this very moment. Try again."))


def _is_locked(fault: OperationalError) -> bool:
    return getattr(fault.__cause__, "sqlstate", "") == LOCK_NOT_AVAILABLE


def _changed(study: Study) -> None:
    """Scores that were computed before no longer hold."""
    Study.objects.filter(pk=study.pk).update(results_version=F("results_version") + 1)
    study.refresh_from_db(fields=["results_version"])


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


@transaction.atomic
def results_settle(*, study: Study) -> None:
    """Bring every subject and assignment of the study in line with what is excluded at this moment."""
    if connection.features.has_select_for_update:
        _changing_wait(study)
    _subjects_settle(study)
    _assignments_settle(study)
    _places_settle(study)


def results_settle_if_any(*, study: Study) -> None:
    """For whoever has dealt new work: it may be about something that is left out."""
    if study.exclusions.filter(ended_at=None).exists():
        results_settle(study=study)


@transaction.atomic
def newcomers_settle(*, assessors: Sequence[Assessor]) -> None:
    """For whoever has the study locked and has welcomed these: the same, of what they have alone. Of a subject that is left out nothing counts.

    People come by a link, many at once; to go through all of a large study for each would keep everybody waiting.
    """
    rows = Assignment.objects.filter(assessor__in=assessors, subject__left_out=True)
    Subject.objects.filter(pk__in=rows.values("subject"), practice=False).update(taken=0)
    rows.update(left_out=True)


def _changing_wait(study: Study) -> None:
    """Be alone with what is going or coming until the transaction ends.

    A statement that waits for a row looks at all other rows as they were before: what was submitted meanwhile would be given up as if it
    was open. First what people have, as a submit locks it; then the subjects, for which nobody waits who hands out work; then the tasks, of
    which sets are made on request; and what was handed out until then.
    """
    excluded = _subjects_excluded(study).values("pk")
    going, coming = _assignments_changing(study, Q(subject__in=excluded))
    _assignments_lock(going, coming)
    subjects = Subject.objects.filter(task__study=study)
    changing = {
        *subjects.filter(left_out=False, pk__in=excluded).values_list("pk", flat=True),
        *subjects.filter(left_out=True).exclude(pk__in=excluded).values_list("pk", flat=True),
        *going.values_list("subject", flat=True),
        *coming.values_list("subject", flat=True),
    }
    _subjects_wait(sorted(changing))
    for _ in range(TRIES):
        _assignments_lock(going, coming)
        try:
            with transaction.atomic():
                list(study.tasks.select_for_update(no_key=True).order_by("pk").values_list("pk"))
                # Whoever submits such a piece may wait for the task: then it is let go, and waited for once more.
                _assignments_lock(going, coming, nowait=True)
                return
        except OperationalError as fault:
            if not _is_locked(fault):
                raise
    raise _busy()


def _assignments_lock(*among: QuerySet[Assignment], nowait: bool = False) -> None:
    for rows in among:
        at_work = rows.exclude(state=Assignment.State.ABANDONED).order_by("pk")
        list(at_work.select_for_update(no_key=True, of=("self",), nowait=nowait).values_list("pk"))


def _subjects_wait(pks: list[int]) -> None:
    """Whoever is being handed one of these at this moment has it, or gets another."""
    for first in range(0, len(pks), BATCH):
        rows = Subject.objects.filter(pk__in=pks[first : first + BATCH]).order_by("pk")
        list(rows.select_for_update(no_key=True).values_list("pk"))


def _subjects_excluded(study: Study) -> QuerySet[Subject]:
    """What is about an item or a task that is left out."""
    active = study.exclusions.filter(ended_at=None)
    documents, topics, tasks = (
        list(active.exclude(**{name: None}).values_list(name, flat=True))
        for name in ("document", "topic", "task")
    )
    of_excluded = (
        Q(task__in=tasks)
        | Q(document__in=documents)
        | Q(output__document__in=documents)
        | Q(topic__in=topics)
        | Q(output__topic__in=topics)
    )
    return Subject.objects.filter(of_excluded, task__study=study)


def _subjects_settle(study: Study) -> None:
    excluded = _subjects_excluded(study).values("pk")
    subjects = Subject.objects.filter(task__study=study)
    subjects.filter(left_out=False, pk__in=excluded).update(left_out=True)
    subjects.filter(left_out=True).exclude(pk__in=excluded).update(left_out=False)


def _assignments_changing(study: Study, of_excluded: Q) -> tuple[QuerySet[Assignment], QuerySet[Assignment]]:
    """What is to be left out and is not, and the other way round. ``of_excluded``: those whose subject is left out."""
    active = study.exclusions.filter(ended_at=None)
    people = list(active.exclude(assessor=None).values_list("assessor", flat=True))
    single = active.exclude(assignment=None).values("assignment")
    is_out = Q(assessor__in=people) | Q(pk__in=single) | of_excluded
    rows = Assignment.objects.filter(assessor__study=study)
    return rows.filter(is_out, left_out=False), rows.filter(~is_out, left_out=True)


def _assignments_settle(study: Study) -> None:
    going, coming = _assignments_changing(study, Q(subject__left_out=True))
    # A lease ends at once; otherwise it would be returned to the pool a second time when it runs out. Who comes back to it has one again.
    going.filter(state=Assignment.State.OPEN, lease_ends_at__isnull=False).update(
        state=Assignment.State.ABANDONED
    )
    going.update(left_out=True)
    # What others have taken over meanwhile is not theirs any more; what they have judged is, also where they have it open again.
    judged = Judgment.objects.filter(assignment=OuterRef("pk"))
    coming.filter(
        ~Exists(judged),
        state=Assignment.State.OPEN,
        subject__practice=False,
        subject__taken__gte=F("subject__wanted"),
    ).update(state=Assignment.State.ABANDONED)
    coming.update(left_out=False)


def _places_settle(study: Study) -> None:
    """How many of the judgments wanted of a subject are made or on their way, without those that are left out."""
    kept = (
        Assignment.objects.filter(subject=OuterRef("pk"), left_out=False)
        .exclude(state=Assignment.State.ABANDONED)
        .order_by()
        .values("subject")
        .annotate(n=Count("pk"))
        .values("n")
    )
    number = Coalesce(Subquery(kept, output_field=IntegerField()), 0)
    subjects = Subject.objects.filter(task__study=study, practice=False, superseded=False)
    other = subjects.annotate(kept=number).exclude(taken=F("kept"))
    if connection.features.has_select_for_update:
        # First the lock, then the count: whoever is handed one at this moment is among them.
        _subjects_wait(sorted(other.values_list("pk", flat=True)))
    other.update(taken=number)
    # Where more people have judged than the design asked for, that many were wanted there.
    subjects.filter(taken__gt=F("wanted")).update(wanted=F("taken"))
