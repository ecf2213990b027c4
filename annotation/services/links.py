"""Personal links, by which assessors and adjudicators come in, and when they were here last."""

from __future__ import annotations

import secrets
from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from annotation.models import Adjudicator, Assessor
from annotation.models.tokens import token_hash

SEEN_EVERY = timedelta(minutes=1)  # how exactly we know when somebody was last here


def link_make(person: Assessor | Adjudicator) -> str:
    """A new personal link, as its token; an earlier one stops working."""
    token = secrets.token_urlsafe(32)
    person.token_hash = token_hash(token)
    person.token_made_at = timezone.now()
    days = settings.LINK_DAYS
    person.token_expires_at = person.token_made_at + timedelta(days=days) if days else None
    person.save(update_fields=["token_hash", "token_made_at", "token_expires_at"])
    return token


def person_seen(*, person: Assessor | Adjudicator) -> None:
    """Note that somebody is here; once a minute is enough."""
    now = timezone.now()
    if person.last_seen_at is None or now - person.last_seen_at > SEEN_EVERY:
        type(person)._default_manager.filter(pk=person.pk).update(last_seen_at=now)
