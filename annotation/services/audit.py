"""The audit trail: every change to a study, a person or a result writes a line, in the transaction of the change."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.db import connection, transaction
from django.utils import timezone

from annotation.actors import actor
from annotation.models import AuditEntry, Study
from annotation.models.audit import FIRST

LOCK = 1_147_237  # tells these locks from others in the same database
LONGEST_TEXT = 2_000  # of a value; whoever wants all of a long text has the version that holds it


@transaction.atomic
def audit_write(
    *,
    study: Study | None,
    action: str,
    target: str = "",
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
) -> AuditEntry:
    """Say what was done; ``before`` and ``after`` are what has changed. Call it last: others wait for the chain."""
    chain = study.pk if study else 0
    _in_turn(chain)
    last = AuditEntry.objects.filter(chain=chain).order_by("-number").first()
    entry = AuditEntry(
        chain=chain,
        number=last.number + 1 if last else 1,
        study=study.slug if study else "",
        at=_moment(),
        actor=actor(),
        action=action,
        target=target[:300],
        before=_plain(before),
        after=_plain(after),
        previous=last.hash if last else FIRST,
    )
    entry.hash = entry.digest()
    entry.save()
    return entry


# What people do at their work, all day long: no plan depends on it.
AT_WORK = ("adjudication.decide", "assessor.start", "flag.raise", "judgment.revise")


def audit_count(study: Study) -> int:
    """The number of the last change in the history of a study: another one with every change that a plan may depend on."""
    changes = AuditEntry.objects.filter(chain=study.pk).exclude(action__in=AT_WORK)
    return changes.order_by("-number").values_list("number", flat=True).first() or 0


def _in_turn(chain: int) -> None:
    """One at a time per chain; on SQLite the transaction itself is the lock."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [LOCK, chain])


def _moment() -> datetime:
    return timezone.now()


def _plain(values: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """As the database gives it back, so that the hash is the same; long texts are cut."""
    if values is None:
        return None
    return json.loads(
        json.dumps({name: _cut(value) for name, value in values.items()}, cls=DjangoJSONEncoder)
    )


def _cut(value: Any) -> Any:
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        return f"{value[:LONGEST_TEXT]}… ({len(value):,} characters)"
    return value
