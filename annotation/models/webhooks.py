"""What others are to be told: a row is written with the change itself, and sent afterwards."""

from __future__ import annotations

import uuid

from django.db import models
from django.utils import timezone


class WebhookEvent(models.Model):
    """One thing to tell. ``key`` says what it is about, so that it is told once; rows of what is over are forgotten."""

    public_id = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    key = models.CharField(max_length=200, unique=True)
    event = models.CharField(max_length=60)  # such as "study.finished"
    payload = models.JSONField()
    made_at = models.DateTimeField(default=timezone.now)
    attempts = models.PositiveSmallIntegerField(default=0)
    next_at = models.DateTimeField(default=timezone.now)
    sent_at = models.DateTimeField(null=True)
    given_up_at = models.DateTimeField(null=True)
    error = models.CharField(max_length=300, blank=True)  # of the last attempt

    class Meta:
        ordering = ["id"]
        indexes = [
            models.Index(
                fields=["next_at"],
                condition=models.Q(sent_at=None, given_up_at=None),
                name="webhooks_to_send",
            )
        ]

    def __str__(self) -> str:
        return f"{self.event} {self.key}"
