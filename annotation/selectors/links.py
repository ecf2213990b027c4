"""People who come by a personal link: whose it is, and whether a session that it began still holds."""

from __future__ import annotations

from typing import TypeVar

from django.utils import timezone

from annotation.models import Adjudicator, Assessor
from annotation.models.tokens import token_hash

Person = TypeVar("Person", Assessor, Adjudicator)


def person_of_link(people: type[Person], token: str) -> Person | None:
    """Whose personal link this is."""
    rows = people._default_manager.select_related("study").filter(study__deleted_at=None)
    found = rows.filter(token_hash=token_hash(token)).first()
    return None if found is None or is_expired(found) else found


def still_in(person: Person | None, *, fingerprint: str, slug: str) -> Person | None:
    """Whoever a session names, if the link it came from is still valid; a study that was renamed is found under both slugs."""
    if person is None or not (person.token_hash or "").startswith(fingerprint) or not person.token_hash:
        return None
    if is_expired(person):
        return None
    study = person.study
    return person if study.slug == slug or study.aliases.filter(slug=slug).exists() else None


def is_expired(person: Assessor | Adjudicator) -> bool:
    """Whether the link has had its time."""
    return person.token_expires_at is not None and person.token_expires_at <= timezone.now()
