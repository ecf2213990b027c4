"""An experimenter's tokens for the API."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db.models import QuerySet

from annotation.models import ApiToken


def tokens_of(user: User) -> QuerySet[ApiToken]:
    return ApiToken.objects.filter(user=user)


def token_find(user: User, pk: int) -> ApiToken | None:
    """One of the user's own; anybody else's does not exist for them."""
    return tokens_of(user).filter(pk=pk).first()


def token_count(user: User) -> int:
    return tokens_of(user).count()
