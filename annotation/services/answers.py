"""An answer as somebody sent it, and whether it can count: the same for people and for programs."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone
from pydantic import ValidationError

from annotation.errors import Conflict
from annotation.overtaken import fingerprint
from annotation.selectors.desks import Desk
from annotation.selectors.exhibits import Facts
from annotation.tasks.terms import Exhibit, Missing, NotYet
from annotation.words import gettext

ERRORS_SHOWN = 20  # of an answer that no page of ours has sent
MOST_UNHEARD = 20  # answers, as in drafts.js
LONGEST_SITTING = 24 * 60 * 60.0
SLACK = 30.0  # seconds: a page gives a draft twenty to arrive
LONGEST_WAIT = 10 * 365 * 24 * 60 * 60.0  # a browser's clock may be anywhere


def answer_parsed(facts: Facts, sent: dict[str, Any]) -> Any:
    """As the kind's type; ``NotYet`` says what cannot be read."""
    try:
        return facts.answer(sent)
    except ValidationError as problem:
        errors = problem.errors(include_url=False, include_context=False, include_input=False)
        raise NotYet(
            [
                Missing(
                    ".".join(map(str, error["loc"])),
                    gettext("This answer cannot be read: {why}.", why=error["msg"]),
                )
                for error in errors[:ERRORS_SHOWN]
            ]
        ) from problem


def answer_begun(facts: Facts, exhibit: Exhibit, before: Any, answer: Any, *, advance: bool) -> Any:
    """What is kept of a half-finished answer, given what the server has of it; with ``advance``, at its next stage."""
    amended = facts.kind.amend(facts.config, before, answer)
    return facts.kind.advance(facts.config, exhibit, amended) if advance else amended


def answer_complete(facts: Facts, exhibit: Exhibit, before: Any, answer: Any) -> Any:
    """What counts, given what the server has of it; ``NotYet`` says what keeps it from counting."""
    amended = facts.kind.amend(facts.config, before, answer)
    missing = facts.kind.missing(facts.config, exhibit, amended)
    if missing:
        raise NotYet(missing)
    return amended


def answer_stored(
    answer: Any, counted: tuple[float, float], *, shown_at: datetime | None, now: datetime
) -> dict[str, Any]:
    """What a draft, a judgment and a decision keep. ``counted``: active seconds, and seconds with the page open."""
    return {
        "answer": answer.model_dump(mode="json"),
        "seconds": _seconds_sane(counted[0], shown_at, now),
        "raw_seconds": _seconds_sane(max(counted), shown_at, now),
    }


def _seconds_sane(seconds: float, shown_at: datetime | None, now: datetime) -> float:
    """Seconds as the browser counted them, but never below zero or above the time that has passed."""
    passed = (now - shown_at).total_seconds() if shown_at else 0.0
    if seconds != seconds:  # noqa: PLR0124 - NaN
        return 0.0
    if passed < 0:  # the server's clock was set back meanwhile: what has passed is not known
        passed = LONGEST_SITTING
    return round(min(max(seconds, 0.0), passed), 3)


def revision_check(desk: Desk, revision: int, *, is_final: bool) -> None:
    """What was submitted is final, or is revised one step at a time, whatever another tab or device does."""
    if desk.newest and is_final:
        raise Conflict(gettext("You have judged this item already. Your first answer counts."))
    if revision != desk.revision:
        raise _changed_elsewhere()


def unheard_parsed(facts: Facts, sent: Sequence[Any]) -> list[Any]:
    """Earlier answers of a page as the kind's type, without what cannot be read: that was never kept."""
    parsed = []
    for answer in sent[:MOST_UNHEARD]:
        with suppress(ValidationError):
            parsed.append(facts.answer(answer))
    return parsed


def stage_check(desk: Desk, sent: Any) -> None:
    """A page at another stage than the answer, since another device has gone on or the reply to its own step was lost, must not be told
    that it is saved: of what it sends nothing may be kept."""
    if desk.begun and desk.facts.kind.stage(desk.facts.config, sent) != desk.stage:
        raise _changed_elsewhere()


def draft_check(desk: Desk, seen: str | None, answer: Any, unheard: Sequence[Any] = ()) -> None:
    """A page that has not seen the newest draft must not replace it: it was left open while another tab or device went on.

    ``seen`` is the fingerprint of the draft that the page knows of, None where it cannot know. ``unheard`` is what it has sent since
    without hearing of it: one of these may be the draft.
    """
    if seen is None or not desk.begun or desk.seen == seen:
        return
    facts, before = desk.facts, desk.answer
    may_be = (facts.kind.amend(facts.config, before, one) for one in unheard)
    if all(fingerprint(one.model_dump(mode="json")) != desk.seen for one in (answer, *may_be)):
        raise _changed_elsewhere()


def submit_check(desk: Desk, seen: str | None, waited: float, answer: Any) -> None:
    """A submit that comes at once goes on from no draft: it is what somebody means now. One that has ``waited`` so many seconds, for the
    network or in a browser that was closed, must not replace what another device has saved since. ``seen``: as for a draft; where nobody
    knows, the time tells.
    """
    if waited <= SLACK or not desk.begun:
        return
    meant = timezone.now() - timedelta(seconds=min(waited, LONGEST_WAIT) - SLACK)
    if seen is None and desk.begun.saved_at and desk.begun.saved_at > meant:
        seen = ""
    draft_check(desk, seen, answer)


def _changed_elsewhere() -> Conflict:
    return Conflict(
        gettext("You have changed this item in another tab or device. Reload it to see your newest answer."),
        offer="reload",
    )
