"""Tokens for the API: made, used, revoked."""

from __future__ import annotations

import secrets
from datetime import timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from annotation.errors import Refused
from annotation.models import ApiToken
from annotation.models.tokens import token_hash
from annotation.services.audit import audit_write
from annotation.words import phrase

PREFIX = "touchstone_"  # so that a token that has slipped into a file is recognised as one
DAYS = 365
USE_NOTED_EVERY = timedelta(minutes=1)


@transaction.atomic
def token_create(*, user: User, name: str, scope: str = ApiToken.Scope.WRITE, days: int | None = DAYS) -> str:
    """Make a token and return it: the only time that it can be seen. ``days`` until it ends; None: it does not."""
    name = name.strip()
    if not name:
        raise Refused(phrase("Give the token a name, such as the program that will use it."))
    token = PREFIX + secrets.token_urlsafe(32)
    _, is_new = ApiToken.objects.get_or_create(
        user=user,
        name=name,
        defaults={
            "token_hash": token_hash(token),
            "scope": scope,
            "expires_at": timezone.now() + timedelta(days=days) if days else None,
        },
    )
    if not is_new:
        raise Refused(
            phrase(
                "You have a token “{name}” already. Choose another name, or revoke that one first.", name=name
            )
        )
    told = {"name": name, "scope": scope, "days": days}
    audit_write(study=None, action="token.create", target=f"experimenter {user.username}", after=told)
    return token


def token_used(*, token: str) -> ApiToken | None:
    """The token's row, with its user, if it opens the API; that it was used is noted.

    Not with every request: reading through the API must not become a queue of writes.
    """
    found = (
        ApiToken.objects.select_related("user")
        .filter(token_hash=token_hash(token), user__is_active=True)
        .first()
    )
    now = timezone.now()
    if found and found.expires_at and found.expires_at <= now:
        return None
    if found and (found.last_used_at is None or found.last_used_at < now - USE_NOTED_EVERY):
        found.last_used_at = now
        ApiToken.objects.filter(pk=found.pk).update(last_used_at=now)
    return found


@transaction.atomic
def token_revoke(*, token: ApiToken) -> None:
    """The token stops working at once."""
    token.delete()
    target = f"experimenter {token.user.username}"
    audit_write(study=None, action="token.revoke", target=target, before={"name": token.name})
