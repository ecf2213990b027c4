"""Handing out one assignment at a time, whatever the reason: from a pool, or from somebody who is gone."""

from __future__ import annotations

from datetime import datetime

from django.db import connection
from django.db.models import QuerySet
from django.utils import timezone

from annotation.models import Assessor, Assignment, Subject
from annotation.services.dealing import last_position
from annotation.services.places import places_draw


def assignments_kept(assessor: Assessor) -> QuerySet[Assignment]:
    """What the assessor has, done or to do."""
    return Assignment.objects.filter(assessor=assessor).exclude(state=Assignment.State.ABANDONED)


def assignment_add(
    *, assessor: Assessor, subject: Subject, lease_ends_at: datetime | None = None
) -> Assignment:
    """Hand the subject out, last in line; one that this assessor had abandoned before is handed out again."""
    given = {
        "state": Assignment.State.OPEN,
        "position": last_position(assessor) + 1,
        "counts": subject.counts,
        "dealt_at": timezone.now(),
        "lease_ends_at": lease_ends_at,
    }
    # What was abandoned may have a draft, which speaks of places: they stay.
    added, _ = Assignment.objects.update_or_create(
        assessor=assessor,
        subject=subject,
        defaults=given,
        create_defaults=given | {"places": places_draw(assessor, subject)},
    )
    return Assignment.objects.select_related("draft").get(pk=added.pk)


def locked(rows: QuerySet) -> QuerySet:
    """Lock the rows where the database can; on SQLite the transaction itself is the lock."""
    if connection.features.has_select_for_update_skip_locked:
        return rows.select_for_update(no_key=True, skip_locked=True, of=("self",))
    return rows
