"""The work itself: what comes next, drafts and judgments."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import connection, transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from annotation.errors import Closed, Conflict
from annotation.models import Assessor, Assignment, Draft, Judgment, Study, Task
from annotation.prepared import Prepared, PreparedInsert, PreparedUpdate
from annotation.selectors.desks import Desk
from annotation.selectors.exclusions import is_excluded
from annotation.selectors.exhibits import exhibit_shown, facts_of
from annotation.selectors.halts import halt_of
from annotation.selectors.lines import LINES, Line, line_read
from annotation.selectors.plan import has_pool
from annotation.selectors.work import (
    assignment_draft,
    desk_of,
    judgment_newest,
    load_is_full,
    was_submitted,
)
from annotation.services.answers import (
    answer_begun,
    answer_complete,
    answer_parsed,
    answer_stored,
    draft_check,
    revision_check,
    stage_check,
    submit_check,
    unheard_parsed,
)
from annotation.services.assignments import locked
from annotation.services.audit import audit_write
from annotation.services.checking import PASSED, Verdict, checks_apply, checks_tell, expectation_share
from annotation.services.handing_on import is_work_left, work_take_over
from annotation.services.leasing import lease_end, lease_extend, lease_reclaim, subject_lease
from annotation.services.order import judgments_in_turn
from annotation.services.sets_on_request import sets_read_ahead
from annotation.study_files.schema import Settings
from annotation.tasks.terms import Feedback
from annotation.words import gettext

# The page offers it for ten seconds; a slow network and a held pointer take more.
UNDO_WITHIN = timedelta(seconds=60)


@dataclass(frozen=True)
class Recorded:
    """What became of a submit. ``new`` is False for one that had arrived before."""

    judgment: Judgment
    new: bool
    feedback: list[Feedback]
    verdict: Verdict = PASSED


# --- what comes next ----------------------------------------------------------------------------------------------


def assignment_next(*, assessor: Assessor) -> Assignment | None:
    """The assessor's current assignment: the first open one, else one leased from the pool or taken over."""
    assignment = _first_open(assessor)
    if assignment is None and not (has_pool(assessor.study) or is_work_left(assessor=assessor)):
        return None  # whoever is done may load the page again and again: nobody waits for that
    if assignment is None or assignment.shown_at is None or assignment.lease_ends_at:
        sets_read_ahead(study=assessor.study)
        with transaction.atomic():
            assignment = _hand_out(assessor)
    if assignment:
        facts_of(assignment)  # for the page that comes next, and after the transaction
    return assignment


_FIRST_OPEN: Prepared[Assignment] = Prepared(
    lambda assessor: (
        Assignment.objects.filter(assessor=assessor, state=Assignment.State.OPEN, left_out=False)
        .select_related("draft")
        .order_by("position")[:1]
    ),
    -1,
)


_SHOWN = PreparedUpdate(Assignment, "shown_at", "lease_ends_at")
_DONE = PreparedUpdate(Assignment, "state", "lease_ends_at", "met")
_JUDGED = PreparedInsert(Judgment)


def _first_open(assessor: Assessor) -> Assignment | None:
    return _FIRST_OPEN.first(assessor.pk)


def _hand_out(assessor: Assessor) -> Assignment | None:
    """What comes next, without its texts. It is marked as shown in the same transaction: time runs from here on."""
    assignment = _first_open(assessor) or _taken(assessor)
    if assignment is None:
        return None
    assignment.assessor = assessor
    lease = lease_end(assessor.study) if assignment.lease_ends_at else None
    if assignment.shown_at is None or (lease and not _is_locked(assignment)):
        assignment.shown_at = assignment.shown_at or timezone.now()
        assignment.lease_ends_at = lease
        _SHOWN.set(assignment.pk, assignment.shown_at, lease)
    return assignment


def _is_locked(assignment: Assignment) -> bool:
    """Whether somebody writes to it at this moment, as another tab of the same person does who submits it: then its lease is their
    business. To wait for them here, with judgments in turn, would have each wait for the other."""
    if not connection.features.has_select_for_update_skip_locked:
        return False
    return not locked(Assignment.objects.filter(pk=assignment.pk).only("pk"))


def _taken(assessor: Assessor) -> Assignment | None:
    """Something new: from the pool, or from somebody who is gone."""
    # Two tabs that ask at the same moment take turns, and the second gets what the first was given.
    still = Assessor.objects.select_for_update(no_key=True).filter(
        pk=assessor.pk, pseudonym=assessor.pseudonym
    )
    if not still.values_list("pk"):  # erased a moment ago
        return None
    if connection.features.has_select_for_update and (assignment := _first_open(assessor)):
        return assignment
    if assessor.stopped_at or is_excluded(assessor) or load_is_full(assessor):
        return None
    return subject_lease(assessor=assessor) or work_take_over(assessor=assessor)


# --- drafts and judgments -----------------------------------------------------------------------------------------


def draft_save(
    *,
    assignment: Assignment,
    revision: int,
    answer: dict[str, Any],
    seconds: float = 0,
    raw_seconds: float = 0,
    advance: bool = False,
    seen: str | None = None,
    unheard: Sequence[Any] = (),
) -> Draft:
    """Keep half-finished work; with ``advance``, go to the next stage of the answer (TIDES: confirm fluency).

    ``revision`` is the judgment that it is to become. A tab that is closed may send its draft after another one has
    submitted: that is no beginning of the next revision. ``seen`` and ``unheard``: which draft it goes on from
    (``draft_check``).
    """
    facts = facts_of(assignment)
    parsed, before = answer_parsed(facts, answer), unheard_parsed(facts, unheard)
    return _draft_save(
        assignment, revision, parsed, (seconds, raw_seconds), advance=advance, seen=seen, unheard=before
    )


@transaction.atomic
def _draft_save(
    assignment: Assignment,
    revision: int,
    answer: Any,
    counted: tuple[float, float],
    *,
    advance: bool,
    seen: str | None,
    unheard: Sequence[Any],
) -> Draft:
    assignment = _for_writing(assignment)
    desk = _desk(assignment, revision, _revisions(assignment))
    if not advance:  # a step that was taken already is for the kind to say
        stage_check(desk, answer)
    kept = answer_begun(desk.facts, desk.exhibit, desk.answer, answer, advance=advance)
    draft_check(desk, seen, kept, unheard)
    now = timezone.now()
    draft, _ = Draft.objects.update_or_create(
        assignment=assignment,
        defaults={
            "revision": revision,
            "saved_at": now,
            **answer_stored(kept, counted, shown_at=assignment.shown_at, now=now),
        },
    )
    lease_extend(assignment=assignment)
    return draft


def judgment_submit(
    *,
    assignment: Assignment,
    client_key: uuid.UUID,
    revision: int,
    answer: dict[str, Any],
    seconds: float,
    raw_seconds: float = 0,
    seen: str | None = None,
    waited: float = 0,
) -> tuple[Recorded, Line | None]:
    """Record a judgment and hand out what comes next, in one transaction; the line is None when nothing comes.

    On SQLite only one transaction can write at a time, so texts are read before it (they come with ``assignment``)
    and after it, and the answer is parsed before it, whatever somebody may have sent.
    """
    parsed = answer_parsed(facts_of(assignment), answer)
    line = LINES.take(assignment.assessor)
    sets_read_ahead(study=assignment.assessor.study)
    with transaction.atomic():
        recorded = _record(assignment, client_key, revision, parsed, (seconds, raw_seconds), (seen, waited))
        halted = recorded.verdict.again or halt_of(assignment.assessor)
        following = None if halted else _hand_out(assignment.assessor)
        _history_tell(assignment, recorded)
    if following is None:
        return recorded, None
    if line is None or not recorded.new or not line.moves_on(assignment, following):
        line = line_read(following)
    LINES.keep(line)
    return recorded, line


def judgment_record(
    *,
    assignment: Assignment,
    client_key: uuid.UUID,
    revision: int,
    answer: dict[str, Any],
    seconds: float,
    raw_seconds: float = 0,
) -> Recorded:
    """Record a judgment and nothing else; ``judgment_submit`` says how."""
    parsed = answer_parsed(facts_of(assignment), answer)
    with transaction.atomic():
        recorded = _record(assignment, client_key, revision, parsed, (seconds, raw_seconds))
        _history_tell(assignment, recorded)
        return recorded


def _record(
    assignment: Assignment,
    client_key: uuid.UUID,
    revision: int,
    answer: Any,
    counted: tuple[float, float],
    known: tuple[str | None, float] = (None, 0),
) -> Recorded:
    """Record a judgment once, whatever the network does.

    The same ``client_key`` again is the same submit again and changes nothing. Another key for a revision that is
    there already comes from another tab or device and is a conflict. Two database constraints back both rules.
    ``counted``: active seconds, and seconds with the page open. ``known``: the draft that its page knew of, and how long it has waited
    since (``submit_check``).
    """
    assignment = _for_writing(assignment)
    revisions = _revisions(assignment)
    again = next((judgment for judgment in revisions if judgment.client_key == client_key), None)
    if again:
        return Recorded(again, False, _feedback(assignment, facts_of(assignment).answer(again.answer)))
    desk = _desk(assignment, revision, revisions)
    parsed = answer_complete(desk.facts, desk.exhibit, desk.answer, answer)
    submit_check(desk, *known, parsed)
    judgments_in_turn(assignment.assessor.study)
    now = timezone.now()
    judgment = _JUDGED.insert(
        Judgment(
            assignment=assignment,
            revision=revision,
            client_key=client_key,
            shown_at=min(assignment.shown_at or now, now),
            submitted_at=now,
            text_version=assignment.assessor.text_version,
            **answer_stored(parsed, counted, shown_at=assignment.shown_at, now=now),
        )
    )
    _DONE.set(assignment.pk, Assignment.State.DONE, None, expectation_share(assignment, parsed))
    if hasattr(assignment, "draft"):
        Draft.objects.filter(assignment=assignment).delete()
    feedback = _feedback(assignment, parsed)
    verdict = checks_apply(assignment=assignment, judgment=judgment)
    return Recorded(judgment, True, feedback, verdict)


def _history_tell(assignment: Assignment, recorded: Recorded) -> None:
    """At the end: whoever has written into the history and then waits for a person keeps those waiting who have the person."""
    checks_tell(assessor=assignment.assessor, verdict=recorded.verdict)
    revision = recorded.judgment.revision
    if recorded.new and revision > 1:
        audit_write(
            study=assignment.assessor.study,
            action="judgment.revise",
            target=f"judgment {assignment.assessor.pseudonym}/{assignment.position}",
            before={"revision": revision - 1},
            after={"revision": revision},
        )


# --- second thoughts ----------------------------------------------------------------------------------------------


@transaction.atomic
def judgment_undo(*, assignment: Assignment) -> Draft:
    """Open the judgment that was submitted a moment ago once more: its answer becomes the draft of a revision.

    Nothing is taken out: the judgment counts until the revision is submitted, and stays for audit after that. Asked for
    twice, the same draft comes back.
    """
    assignment = _for_writing(assignment)
    newest = judgment_newest(assignment) if assignment.state == Assignment.State.DONE else None
    if newest is None:
        raise Conflict(gettext("There is nothing to undo: this item is not submitted."))
    if draft := assignment_draft(assignment, newest):
        return draft
    later = Judgment.objects.filter(assignment__assessor=assignment.assessor_id, pk__gt=newest.pk)
    if not may_undo(assignment, newest) or later.exists():
        raise Conflict(gettext("It is too late to undo this. Your answer counts as you gave it."))
    return Draft.objects.create(
        assignment=assignment,
        revision=newest.revision + 1,
        answer=newest.answer,
        seconds=newest.seconds or 0,
        raw_seconds=newest.raw_seconds or 0,
        saved_at=timezone.now(),
    )


def may_undo(assignment: Assignment, newest: Judgment) -> bool:
    """Whether the protocol lets an answer be changed, and this one was given a moment ago."""
    facts = facts_of(assignment)
    settings = Settings.model_validate(assignment.assessor.study.settings)
    if facts.practice or not facts.kind.revisable or not settings.undo or newest.imported:
        return False
    if _is_fixed(assignment):
        return False
    return timezone.now() - newest.submitted_at <= UNDO_WITHIN


@transaction.atomic
def draft_discard(*, assignment: Assignment, revision: int) -> None:
    """Drop a change that was not submitted; the newest judgment counts, as before."""
    assignment = _for_writing(assignment)
    if not was_submitted(assignment) or facts_of(assignment).practice:
        raise Conflict(gettext("This item is not submitted yet: there is no change to discard."))
    dropped, _ = Draft.objects.filter(assignment=assignment, revision=revision).delete()
    if dropped:  # what the experimenter had opened again is done as it is
        Assignment.objects.filter(pk=assignment.pk).update(state=Assignment.State.DONE)


def _locked(pk: int) -> QuerySet[Assignment]:
    return Assignment.objects.only("pk").select_for_update(no_key=True).filter(pk=pk).order_by()


def _as_it_is(pk: int) -> QuerySet[Assignment]:
    rows = Assignment.objects.select_related("draft").annotate(
        study_state=F("assessor__study__state"),
        deleted_at=F("assessor__study__deleted_at"),
        whose=F("assessor__pseudonym"),
        superseded=F("subject__superseded"),
    )
    return rows.filter(pk=pk).order_by()


_LOCKED: Prepared[Assignment] = Prepared(_locked, -1)
_AS_IT_IS: Prepared[Assignment] = Prepared(_as_it_is, -1)


def _for_writing(assignment: Assignment) -> Assignment:
    """The assignment as it is now, locked, in a study that is open; its subject and assessor are taken as given."""
    if connection.features.has_select_for_update:
        # First the lock, then a look: whoever had to wait for it would see everything beside the row as it was before.
        _LOCKED.first(assignment.pk)
    found: Any = _AS_IT_IS.first(assignment.pk)
    if found is None:
        raise Closed(
            gettext(
                "This study has been taken away. Nothing that you submitted was lost: it had no judgments."
            )
        )
    found.assessor = assignment.assessor
    if found.deleted_at is not None:
        raise Closed(gettext("This study has been taken away. What you have submitted is kept for now."))
    was_erased = found.whose != assignment.assessor.pseudonym  # a moment ago: nothing of them may come after
    if was_erased or found.study_state != Study.State.OPEN:
        raise Closed(gettext("This study is not open. What you have submitted is kept."))
    if found.superseded:
        raise Conflict(
            gettext(
                "What this item is judged by has changed since. It comes again, with your answers so far."
            )
        )
    if found.shown_at is None:
        raise Conflict(gettext("This item is not the one whose turn it is."))
    if found.state == Assignment.State.ABANDONED:
        lease_reclaim(assignment=found)
    return found


def _revisions(assignment: Assignment) -> list[Judgment]:
    """The judgments so far; there is none before the assignment is done, but for one that was opened again."""
    return list(assignment.judgments.order_by("revision")) if was_submitted(assignment) else []


def _desk(assignment: Assignment, revision: int, revisions: list[Judgment]) -> Desk:
    """The item as its assessor has it, for ``revision``, which must be the next one."""
    newest = next(reversed(revisions), None)
    desk = desk_of(assignment, newest)
    revision_check(desk, revision, is_final=newest is not None and not may_revise(assignment, newest))
    return desk


def may_revise(assignment: Assignment, newest: Judgment | None = None) -> bool:
    """Where the study lets assessors revise; elsewhere only what they have opened again at once (``judgment_undo``)."""
    facts = facts_of(assignment)
    if facts.practice:
        return assignment.state == Assignment.State.OPEN  # once more, as it was not passed
    if not facts.kind.revisable or _is_fixed(assignment):
        return False
    if Settings.model_validate(assignment.assessor.study.settings).revise:
        return True
    newest = newest or judgment_newest(assignment)
    return newest is not None and assignment_draft(assignment, newest) is not None


def _is_fixed(assignment: Assignment) -> bool:
    """A key whose phase is over: others judge by it, and only the experimenter opens it again (``services/keys.py``)."""
    facts = facts_of(assignment)
    if not facts.kind.builds or assignment.state != Assignment.State.DONE:
        return False
    return not Task.objects.filter(pk=facts.task, phase=facts.record.phase).exists()


def _feedback(assignment: Assignment, answer: Any) -> list[Feedback]:
    facts = facts_of(assignment)
    if not facts.practice or facts.key is None:
        return []
    return facts.kind.feedback(facts.config, exhibit_shown(assignment), answer, facts.key)
