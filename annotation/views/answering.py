"""The page of an item and what it gets in answer: the same for assessors, adjudicators and whoever tries a task out."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.http import JsonResponse
from django.template.loader import render_to_string
from django.utils import timezone

from annotation import markdown
from annotation.languages import direction, scale_direction
from annotation.models import Draft, Study
from annotation.overtaken import fingerprint
from annotation.rooms import page_files, page_styles
from annotation.selectors.desks import Begun, Desk
from annotation.selectors.work import Progress
from annotation.study_files.schema import Settings
from annotation.tasks.terms import Feedback
from annotation.words import gettext, script_words


def study_context(study: Study) -> dict[str, Any]:
    """What every page of somebody who answers knows of the study."""
    settings = Settings.model_validate(study.settings)
    return {
        "study": study,
        "aids": settings.aids,
        "text_dir": direction(study.language),
        "source_dir": direction(study.document_language),
        "scale_dir": scale_direction(settings.interface, study.language),
    }


def around_items(study: Study, kinds: Iterable[str]) -> dict[str, Any]:
    """What stays while one item takes the place of the other: the next one may be of another kind and comes without a page of its own."""
    return {
        "styles": page_styles(kinds),
        "instructions_html": markdown.render(study.instructions),
        "words": script_words(Settings.model_validate(study.settings).interface),
    }


def item_context(desk: Desk) -> dict[str, Any]:
    """The item itself, as far as somebody has got with it. Practice that is gone through again is no change."""
    revising = desk.newest is not None and not desk.facts.practice
    return {
        "is_practice": desk.facts.practice,
        "content": desk.content(),
        "answer": desk.stored or {},
        "revision": desk.revision,
        "is_changed": revising and desk.is_changed,
        "submit_word": gettext("Submit change") if revising else gettext("Submit"),
        "seen": desk.seen,
        "stage": desk.stage,
        "saved_ago": _seconds_ago(desk.begun.saved_at) if desk.begun else None,
        "seconds": desk.begun.seconds if desk.begun else 0,
        "raw_seconds": desk.begun.raw_seconds if desk.begun else 0,
        **page_files(desk.facts.kind.slug),
    }


def _seconds_ago(moment: datetime | None) -> float | None:
    return None if moment is None else (timezone.now() - moment).total_seconds()


def whereabouts(
    progress: Progress,
    *,
    counts: bool = True,
    is_done: bool = False,
    is_practice: bool = False,
    practised: Progress | None = None,
) -> dict[str, Any]:
    """How far somebody is, in words and as a bar; ``practised``: with the practice that the item belongs to."""
    shown = practised if is_practice else progress
    number, total = (shown.done + 1, shown.total) if shown else (0, None)
    if is_practice:
        place = gettext("Practice {number} of {total}") if shown else gettext("Practice")
    elif is_done:
        place = gettext("Earlier item")
    elif counts:
        place = gettext("Item {number} of {total}") if total else gettext("Item {number}")
    else:
        place = gettext("Before item {number} of {total}") if total else gettext("Before item {number}")
    bar = None
    if shown and total:
        # As text: numbers of an attribute are the same in every language.
        bar = {
            "done": str(shown.done),
            "total": str(total),
            "label": gettext("Practice done") if is_practice else gettext("Items done"),
            "words": gettext("{done} of {total}", done=shown.done, total=total),
        }
    return {"place": place.format(number=number, total=total), "bar": bar}


def item_html(context: dict[str, Any]) -> str:
    """The part of the page that is swapped in place. It says nothing of whose browser it is for, so no request is looked at."""
    return render_to_string("annotation/assess/_item.html", context)


def draft_response(saved: Begun | Draft, html: str | None) -> JsonResponse:
    """``html``: the item at its next stage."""
    told = {"saved_at": saved.saved_at.isoformat()} if saved.saved_at else {}
    return JsonResponse(told | {"seen": fingerprint(saved.answer)} | ({} if html is None else {"html": html}))


def submit_response(
    *,
    is_new: bool = True,
    feedback: Iterable[Feedback] = (),
    following: tuple[str, str] | None,
    finished_url: str,
    undo_url: str | None = None,
) -> JsonResponse:
    """``following``: address and html of the item that comes next; without one, the page goes to ``finished_url``."""
    return JsonResponse(
        {
            "status": "saved" if is_new else "already",
            "feedback": [line._asdict() for line in feedback],
            "next": {"url": following[0], "html": following[1]} if following else None,
            "finished_url": None if following else finished_url,
            "undo_url": undo_url,
        }
    )
