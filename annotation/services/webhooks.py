"""Telling others: what there is to tell is written with the change, and sent by whoever keeps the house."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from annotation.models import Assessor, AuditEntry, Study, WebhookEvent
from annotation.selectors.plan import next_phase
from annotation.selectors.progress import headline, study_progress
from annotation.services.audit import audit_write
from annotation.webhook import NotSent, webhook_post, webhook_wanted

FINISHED, CLOSED, WARNING = "study.finished", "study.closed", "quality.warning"
# After each attempt that failed; after the last one it is given up.
PAUSES = tuple(timedelta(seconds=seconds) for seconds in (10, 60, 300, 1800, 7200, 21_600))
AT_ONCE = 20
KEPT = timedelta(days=30)

log = logging.getLogger(__name__)


@transaction.atomic
def webhook_add(*, study: Study, event: str, key: str, told: dict[str, Any]) -> bool:
    """Something to tell about a study, once per ``key``; False if nobody is to be told, or it was told before."""
    if not webhook_wanted():
        return False
    now = timezone.now()
    row = WebhookEvent(key=f"{event}/{study.pk}/{key}"[:200], event=event, made_at=now)
    row.payload = {
        "id": str(row.public_id),
        "event": event,
        "at": now.isoformat(),
        "study": {
            "slug": study.slug,
            "name": study.name,
            "address": f"{settings.PUBLIC_URL}{reverse('study', kwargs={'slug': study.slug})}",
        },
        **told,
    }
    added = WebhookEvent.objects.get_or_create(
        key=row.key,
        defaults={"public_id": row.public_id, "event": event, "payload": row.payload, "made_at": now},
    )
    return added[1]


@transaction.atomic
def quality_warning_raise(*, assessor: Assessor, verdict: str, reasons: Sequence[str]) -> bool:
    """Somebody looks careless: say so in the history and to others, once for the same ``reasons``; False if it was said before.

    ``reasons`` are names of checks (``speed``, ``repeats``), which stay while the numbers in the ``verdict`` move on.
    """
    study, named = assessor.study, ", ".join(sorted(reasons))
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)  # one at a time
    target = f"assessor {assessor.pseudonym} ({named})"
    if AuditEntry.objects.filter(chain=study.pk, action=WARNING, target=target[:300]).exists():
        return False
    told = {"assessor": assessor.pseudonym, "verdict": verdict, "reasons": sorted(reasons)}
    webhook_add(study=study, event=WARNING, key=f"{assessor.pk}/{named}", told=told)
    audit_write(study=study, action=WARNING, target=target, after={"verdict": verdict})
    return True


def finished_studies_tell() -> int:
    """Open studies in which everything is judged that was planned; told again when there was more to do and that is done."""
    if not webhook_wanted():
        return 0
    told = 0
    for study in Study.objects.filter(state=Study.State.OPEN, deleted_at=None):
        progress = study_progress(study)
        if not progress.wanted or progress.left or any(next_phase(task) for task in study.tasks.all()):
            continue
        words = {"headline": headline(study, progress), "judgments": progress.done}
        told += webhook_add(study=study, event=FINISHED, key=str(progress.wanted), told=words)
    return told


def study_closed_tell(*, study: Study) -> None:
    at = study.closed_at or timezone.now()
    webhook_add(study=study, event=CLOSED, key=at.isoformat(), told={})


def webhooks_send() -> int:
    """Send what is waiting, oldest first; what the other side does not take is tried again a few times, ever later."""
    if not webhook_wanted():
        return 0
    now = timezone.now()
    waiting = WebhookEvent.objects.filter(sent_at=None, given_up_at=None, next_at__lte=now)
    return sum(_send(row) for row in waiting.order_by("next_at", "pk")[:AT_ONCE])


def _send(row: WebhookEvent) -> bool:
    """The attempt is noted before it is made: another keeper, or the next one, does not make it at the same time."""
    pause = PAUSES[min(row.attempts, len(PAUSES) - 1)]
    mine = WebhookEvent.objects.filter(pk=row.pk, attempts=row.attempts, sent_at=None).update(
        attempts=row.attempts + 1, next_at=timezone.now() + pause
    )
    if not mine:
        return False
    here = WebhookEvent.objects.filter(pk=row.pk)
    try:
        webhook_post(event=row.event, public_id=row.public_id, payload=row.payload)
    except NotSent as problem:
        last = row.attempts >= len(PAUSES)
        here.update(error=str(problem)[:300], given_up_at=timezone.now() if last else None)
        log.warning("A webhook was not taken%s: %s", ", and is given up" if last else "", problem)
        return False
    here.update(sent_at=timezone.now(), error="")
    return True


def webhooks_tidy() -> int:
    """What was sent or given up a month ago."""
    return WebhookEvent.objects.filter(made_at__lt=timezone.now() - KEPT).delete()[0]
