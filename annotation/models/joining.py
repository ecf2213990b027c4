"""How people come into a study by themselves, and what is known of those who were erased from it."""

from __future__ import annotations

import secrets

from django.db import models

from annotation.models.study import Study


def join_code() -> str:
    return secrets.token_urlsafe(12)


class JoinLink(models.Model):
    """One address for everybody who wants to take part. It is no secret, and is shown whenever asked for."""

    study = models.OneToOneField(Study, on_delete=models.CASCADE, related_name="join_link")
    code = models.CharField(max_length=40, unique=True, default=join_code)
    is_open = models.BooleanField(default=True)
    rules = models.JSONField(default=dict)  # annotation.joining.JoinRules

    def __str__(self) -> str:
        return f"join link of {self.study_id}"


class Erasure(models.Model):
    """Somebody withdrew, and nothing of who they were is left: not even under which pseudonym."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="erasures")
    at = models.DateTimeField(auto_now_add=True)
    by = models.CharField(max_length=200)
    judgments = models.PositiveIntegerField()
    kept = models.BooleanField()  # the judgments stay, without any trace of who made them

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"erasure {self.pk} of {self.study_id}"
