"""Telling others: what there is to tell is written with the change, and sent by whoever keeps the house."""

from __future__ import annotations

import hashlib
import logging
import uuid
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from annotation.models import AuditEntry, Study, WebhookEvent
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
    now, public_id = timezone.now(), uuid.uuid4()
    payload = {
        "id": str(public_id),
        "event": event,
        "at": now.isoformat(),
        "study": {
            "slug": study.slug,
            "name": study.name,
            "address": f"{settings.PUBLIC_URL}{reverse('study', kwargs={'slug': study.slug})}",
        },
        **told,
    }
    _, is_new = WebhookEvent.objects.get_or_create(
        key=f"{event}/{study.pk}/{key}"[:200],
        defaults={"public_id": public_id, "event": event, "payload": payload, "made_at": now},
    )
    return is_new


@transaction.atomic
def quality_warnings_raise(*, study: Study, verdicts: Mapping[str, str]) -> int:
    """Somebody looks careless: say so in the history and to others, once for the same words; returns how many were new.

    ``verdicts``: words by pseudonym, without numbers, which would move on with every judgment.
    """
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)  # one at a time
    lines = {f"assessor {pseudonym}: {verdict}"[:300]: pseudonym for pseudonym, verdict in verdicts.items()}
    said = AuditEntry.objects.filter(chain=study.pk, action=WARNING, target__in=lines)
    new = sorted(lines.keys() - set(said.values_list("target", flat=True)))
    for line in new:
        told = {"assessor": lines[line], "verdict": verdicts[lines[line]]}
        webhook_add(study=study, event=WARNING, key=_short(line), told=told)
    for line in new:
        audit_write(study=study, action=WARNING, target=line)
    return len(new)


def _short(words: str) -> str:
    return hashlib.sha256(words.encode()).hexdigest()


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
    # Nothing waits longer than the longest pause, unless the clock was set back meanwhile.
    due = Q(next_at__lte=now) | Q(next_at__gt=now + PAUSES[-1])
    waiting = WebhookEvent.objects.filter(due, sent_at=None, given_up_at=None)
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
