"""What an assessor's pages read."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from annotation.models import WITH_ORIGINAL, Assessor, Assignment, Draft, Judgment, Reply, Study, Subject
from annotation.prepared import Prepared
from annotation.selectors.desks import Desk
from annotation.selectors.exhibits import exhibit_shown, facts_of
from annotation.selectors.links import person_of_link, still_in
from annotation.study_files.schema import Settings
from annotation.tasks import KINDS
from annotation.tasks.terms import NO_TEXT

REVOKED = Q(token_hash=None, token_made_at__isnull=False)  # had a link, and has none
GONE = REVOKED | Q(stopped_at__isnull=False)  # gets nothing more, and what is undone goes to others


_ASSESSOR: Prepared[Assessor] = Prepared(
    lambda pk: Assessor.objects.select_related("study").filter(pk=pk, study__deleted_at=None), -1
)


@dataclass(frozen=True)
class Progress:
    """How far an assessor is. ``total`` is None where a pool decides how much there is."""

    done: int
    total: int | None


def task_kinds(study: Study) -> list[str]:
    """The kinds of the study's tasks."""
    return list(study.tasks.order_by().values_list("kind", flat=True).distinct())


def assessor_of_session(*, pk: int, fingerprint: str, slug: str) -> Assessor | None:
    """The assessor of a session, if the link it came from is still valid."""
    return still_in(_ASSESSOR.first(pk), fingerprint=fingerprint, slug=slug)


def assessor_of_link(token: str) -> Assessor | None:
    return person_of_link(Assessor, token)


def is_all_done(assessor: Assessor) -> bool:
    """Whether the assessor has done something, and nothing is left to do."""
    states = set(_met(assessor.assignments.all()).values_list("state", flat=True))
    return Assignment.State.DONE in states and Assignment.State.OPEN not in states


def revisable_assignments(assessor: Assessor) -> QuerySet[Assignment]:
    """What the assessor has submitted and may go back to, the newest first; a key only while its phase is open."""
    kinds = [slug for slug, kind in KINDS.items() if kind.revisable]
    fixed = [slug for slug, kind in KINDS.items() if kind.builds]
    done = assessor.assignments.filter(
        ~Q(subject__task__kind__in=fixed) | Q(subject__phase=F("subject__task__phase")),
        state=Assignment.State.DONE,
        counts=True,
        subject__task__kind__in=kinds,
    )
    return (
        done.select_related("subject__task", "draft")
        .prefetch_related("flags", "judgments", "replies")
        .order_by("-position")
    )


@dataclass(frozen=True)
class EarlierItem:
    """What the list of earlier items says of one: enough to find it again."""

    assignment: Assignment
    excerpt: str
    language: str  # of the excerpt
    answer: str
    is_changed: bool  # a change waits to be submitted
    is_flagged: bool
    reply: Reply | None  # the experimenter's last


def earlier_item(assignment: Assignment) -> EarlierItem:
    """One of ``revisable_assignments``, with the assessor's own newest answer in words."""
    newest = max(assignment.judgments.all(), key=lambda judgment: judgment.revision)
    desk = desk_of(assignment, newest)
    exhibit, facts = desk.exhibit, desk.facts
    texts = (*exhibit.outputs, exhibit.document, exhibit.topic)
    excerpted = next((text for text in texts if text), NO_TEXT)
    study = assignment.assessor.study
    return EarlierItem(
        assignment=assignment,
        excerpt=" ".join((excerpted.text or excerpted.title).split()),
        language=study.document_language if excerpted is exhibit.document else study.language,
        answer=facts.kind.answer_in_words(facts.config, exhibit, facts.answer(newest.answer)),
        is_changed=desk.is_changed,
        is_flagged=bool(assignment.flags.all()),
        reply=next(reversed(assignment.replies.all()), None),
    )


def assignments_left(study: Study) -> QuerySet[Assignment]:
    """What is undone of people who are gone: their link is revoked, the study has stopped them, or they stay away.

    Away is who was not seen for the time that the study sets, although the work and the link were there all the time.
    What was submitted and is open again is not undone: it counts as it is.
    """
    gone = Q(assessor__in=study.assessors.filter(GONE))
    hours = Settings.model_validate(study.settings).reassign_after_hours
    if hours is not None:
        stale = timezone.now() - timedelta(hours=hours)
        gone |= Q(dealt_at__lte=stale) & Q(
            assessor__in=study.assessors.filter(
                Q(last_seen_at__lte=stale)
                | Q(last_seen_at=None) & (Q(token_made_at=None) | Q(token_made_at__lte=stale))
            )
        )
    submitted = Judgment.objects.filter(assignment=OuterRef("pk"))
    return Assignment.objects.filter(gone, ~Exists(submitted), state=Assignment.State.OPEN, left_out=False)


def load_is_full(assessor: Assessor) -> bool:
    """Whether the assessor has as many judgments as they may; nothing is asked of the database where there is no cap."""
    if assessor.load_cap is None:
        return False
    has = assessor.assignments.filter(counts=True).exclude(state=Assignment.State.ABANDONED)
    return has.count() >= assessor.load_cap


def assessor_progress(assessor: Assessor, *, pooled: bool) -> Progress:
    """Practice does not count, nor does getting to know a document."""
    progress = _progress(assessor.assignments.filter(counts=True))
    return Progress(done=progress.done, total=None) if pooled else progress


def practice_progress(assignment: Assignment) -> Progress:
    """Each task has practice of its own."""
    practice = Assignment.objects.filter(
        assessor=assignment.assessor_id, subject__task=facts_of(assignment).task, subject__practice=True
    )
    return _progress(practice)


def _met(assignments: QuerySet[Assignment]) -> QuerySet[Assignment]:
    """Without what was to come and is left out now: nobody will be asked for it."""
    return assignments.exclude(state=Assignment.State.OPEN, left_out=True)


def _progress(assignments: QuerySet[Assignment]) -> Progress:
    counts = dict(_met(assignments).order_by().values_list("state").annotate(n=Count("pk")))
    done = counts.get(Assignment.State.DONE, 0)
    return Progress(done=done, total=done + counts.get(Assignment.State.OPEN, 0))


def assignment_find(*, assessor: Assessor, public_id: str) -> Assignment | None:
    """One of the assessor's own assignments; anybody else's does not exist for them."""
    try:
        found = Assignment.objects.select_related("draft").get(assessor=assessor, public_id=public_id)
    except Assignment.DoesNotExist:
        return None
    found.assessor = assessor
    facts_of(found)  # read now, and not in the transaction of a write, which others wait for
    return found


def was_submitted(assignment: Assignment) -> bool:
    """Whether there is a judgment: it is done, or was opened again for a revision."""
    draft = getattr(assignment, "draft", None)
    return assignment.state == Assignment.State.DONE or (draft is not None and draft.revision > 1)


def original_of(assessor: Assessor, subject: Subject) -> Assignment | None:
    """Where this assessor judges what a repeat or a degraded text was made of, judged or not."""
    same = _about_the_same(assessor, subject).filter(subject__control="", counts=True)
    original = same.select_related("subject").first()
    if original:
        original.assessor = assessor
    return original


def controls_of(assignment: Assignment) -> QuerySet[Assignment]:
    """The repeats and degraded texts that the same assessor has judged of what this is about."""
    same = _about_the_same(assignment.assessor, assignment.subject)
    return same.filter(subject__control__in=WITH_ORIGINAL, state=Assignment.State.DONE)


def _about_the_same(assessor: Assessor, subject: Subject) -> QuerySet[Assignment]:
    """A text, or the same piece of it, changed or not."""
    same = ("task", "output", "reference", "document", "topic")
    parts = {f"subject__{name}": getattr(subject, f"{name}_id") for name in same}
    return Assignment.objects.filter(
        **{name: pk for name, pk in parts.items() if pk is not None},
        assessor=assessor,
        subject__set_id=subject.set_id,
        subject__shown=subject.shown,
    )


def judgment_newest(assignment: Assignment) -> Judgment | None:
    return assignment.judgments.order_by("-revision").first()


def assessor_last_judgment(assessor: Assessor) -> Judgment | None:
    """What the assessor has submitted last."""
    judgments = Judgment.objects.filter(assignment__assessor=assessor).select_related("assignment")
    last = judgments.order_by("-pk").first()
    if last:
        last.assignment.assessor = assessor
    return last


def desk_of(assignment: Assignment, newest: Judgment | None) -> Desk:
    """The item before its assessor, who has submitted ``newest`` last."""
    draft = assignment_draft(assignment, newest)
    return Desk(facts_of(assignment), exhibit_shown(assignment), newest, draft)


def assignment_draft(assignment: Assignment, newest: Judgment | None) -> Draft | None:
    """The draft of the next revision. One that was saved just before the newest judgment, unseen by it, is past."""
    draft = getattr(assignment, "draft", None)
    return draft if draft and draft.revision == (newest.revision if newest else 0) + 1 else None
