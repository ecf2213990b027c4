"""What an assessor's pages read."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count

from annotation.models import Assessor, Assignment, Judgment
from annotation.selectors.exhibits import answer_of, config_of, exhibit_shown, kind_of, with_texts


@dataclass(frozen=True)
class Progress:
    """How far an assessor is. ``total`` is None where a pool decides how much there is."""

    done: int
    total: int | None
    practice: bool = False

    @property
    def percent(self) -> int:
        return round(100 * self.done / self.total) if self.total else 0


def assessor_find(*, pk: int, fingerprint: str, slug: str) -> Assessor | None:
    """The assessor of a session, if the link it came from is still valid."""
    try:
        assessor = Assessor.objects.select_related("study").get(pk=pk)
    except Assessor.DoesNotExist:
        return None
    valid = assessor.token_hash and assessor.token_hash.startswith(fingerprint)
    return assessor if valid and assessor.study.slug == slug else None


def assessor_progress(assessor: Assessor, *, pooled: bool) -> Progress:
    """Practice does not count."""
    counts = dict(
        assessor.assignments.filter(practice=False).order_by().values_list("state").annotate(n=Count("pk"))
    )
    done = counts.get(Assignment.State.DONE, 0)
    return Progress(done=done, total=None if pooled else done + counts.get(Assignment.State.OPEN, 0))


def assignment_find(*, assessor: Assessor, public_id: str) -> Assignment | None:
    """One of the assessor's own assignments; anybody else's does not exist for them."""
    try:
        found = Assignment.objects.select_related("draft").get(assessor=assessor, public_id=public_id)
    except Assignment.DoesNotExist:
        return None
    found.assessor = assessor
    return with_texts(found)


def judgment_newest(assignment: Assignment) -> Judgment | None:
    return assignment.judgments.order_by("-revision").first()


def assignment_answer(assignment: Assignment, newest: Judgment | None) -> dict | None:
    """What the page starts from: the draft, else the newest judgment."""
    draft = getattr(assignment, "draft", None)
    if draft:
        return draft.answer
    return newest.answer if newest else None


def assignment_content(assignment: Assignment, answer: dict | None) -> dict:
    """What the page shows: the kind decides, from texts alone."""
    task = assignment.subject.task
    parsed = answer_of(assignment, answer) if answer is not None else None
    return kind_of(task).content(config_of(task), exhibit_shown(assignment), parsed)
