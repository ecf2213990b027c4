"""Tokens with which an experimenter's programs use the API, and passwords for one login."""

from __future__ import annotations

import hashlib

from django.conf import settings
from django.db import models


def token_hash(token: str) -> str:
    """What is stored of a token, also of an assessor's link: it has 256 random bits, so a plain hash is not guessed back."""
    return hashlib.sha256(token.encode()).hexdigest()


class ApiToken(models.Model):
    """A program's way in. Only the hash is stored, so a token can be shown once and never looked up."""

    class Scope(models.TextChoices):
        READ = "read"
        WRITE = "write"

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=80)
    scope = models.CharField(max_length=10, choices=Scope.choices, default=Scope.WRITE)
    expires_at = models.DateTimeField(null=True)  # null: never
    token_hash = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(auto_now_add=True)
    last_used_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["user", "name"], name="token_names_are_unique")]

    def __str__(self) -> str:
        return f"{self.name} of {self.user_id}"


class FirstPassword(models.Model):
    """The user's password was printed, and is good for one login; ``used_at``: it was, and is good no more."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    used_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"first password of {self.user_id}"
