"""Personal links, by which assessors and adjudicators come in, and when they were here last."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from annotation.errors import Refused
from annotation.models import Adjudicator, Assessor, Study
from annotation.models.tokens import token_hash
from annotation.words import phrase

SEEN_EVERY = timedelta(minutes=1)  # how exactly we know when somebody was last here


def person_wait(person: Assessor | Adjudicator) -> None:
    """Be alone with a person until the transaction ends, the study first, as everybody locks them; and know its state anew.

    ``Refused`` if somebody else has removed or erased them a moment ago: nothing of them may come back by a late change.
    """
    people_wait([person])


def people_wait(people: Sequence[Assessor | Adjudicator]) -> None:
    """The same with several people of one study, in two queries."""
    study = people[0].study
    study.refresh_from_db(from_queryset=Study.objects.select_for_update(no_key=True), fields=["state"])
    rows = type(people[0])._default_manager.select_for_update(no_key=True).order_by("pk")
    names = dict(rows.filter(pk__in=[person.pk for person in people]).values_list("pk", "name"))
    for person in people:
        person.study = study
        if names.get(person.pk) != person.name:  # what stays of somebody who was erased has no name
            raise Refused(
                phrase("{name} was removed in the meantime. Load the page again.", name=person.name)
            )


def links_make(people: Sequence[Assessor | Adjudicator]) -> list[str]:
    """A new personal link for each, as its token; an earlier one stops working."""
    people_wait(people)
    tokens = [secrets.token_urlsafe(32) for _ in people]
    days = settings.LINK_DAYS
    for person, token in zip(people, tokens, strict=True):
        person.token_hash = token_hash(token)
        person.token_made_at = timezone.now()
        person.token_expires_at = person.token_made_at + timedelta(days=days) if days else None
        person.save(update_fields=["token_hash", "token_made_at", "token_expires_at"])
    return tokens


def person_seen(*, person: Assessor | Adjudicator) -> None:
    """Note that somebody is here; once a minute is enough."""
    now = timezone.now()
    # After a clock was set back, what was noted before is as far away in the other direction.
    if person.last_seen_at is None or abs(now - person.last_seen_at) > SEEN_EVERY:
        type(person)._default_manager.filter(pk=person.pk).update(last_seen_at=now)
