"""Where people disagree, who decides, and what was decided. None of it is a judgment: whoever reads judgments never meets it."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.utils import timezone

from annotation.errors import Refused
from annotation.models.study import Study
from annotation.models.work import Subject, public_id


class Disagreement(models.Model):
    """How far people differ on one subject by one criterion (``annotation/disagreement.py``); kept by ``services/disagreement.py``."""

    subject = models.ForeignKey(Subject, on_delete=models.CASCADE, related_name="disagreements")
    criterion = models.CharField(max_length=200)
    judges = models.PositiveIntegerField()
    spread = models.FloatField()
    values = models.PositiveIntegerField()
    total = models.FloatField()
    squares = models.FloatField()
    within = models.FloatField()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["subject", "criterion"], name="one_disagreement_per_subject_and_criterion"
            )
        ]

    def __str__(self) -> str:
        return f"{self.criterion} of {self.subject_id}"


class DisagreementQueue(models.Model):
    """What the experimenter calls disagreement, and how far the judgments of the study have been looked at."""

    class By(models.TextChoices):
        SPREAD = "spread"
        ALPHA = "alpha"

    study = models.OneToOneField(Study, on_delete=models.CASCADE, related_name="disagreement_queue")
    by = models.CharField(max_length=10, choices=By.choices, default=By.SPREAD)
    threshold = models.FloatField(null=True)  # null: what is usual, for a spread the kind's own
    seen = models.PositiveBigIntegerField(default=0)  # the last judgment that was looked at
    stand = models.CharField(max_length=80, blank=True)  # of exclusions and erasures at that time

    def __str__(self) -> str:
        return f"disagreement in {self.study_id}"


class Adjudicator(models.Model):
    """A person who decides where others disagree, known by a personal link. Never an assessor: they see what others judged."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="adjudicators")
    name = models.CharField(max_length=120)
    pseudonym = models.CharField(max_length=20)
    token_hash = models.CharField(max_length=64, null=True, unique=True)  # noqa: DJ001 - null: no link, or revoked
    token_made_at = models.DateTimeField(null=True)
    token_expires_at = models.DateTimeField(null=True)  # null: never
    last_seen_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["study", "name"], name="adjudicator_names_are_unique"),
            models.UniqueConstraint(fields=["study", "pseudonym"], name="adjudicator_pseudonyms_are_unique"),
        ]

    def __str__(self) -> str:
        return self.pseudonym


class Adjudication(models.Model):
    """One subject, given to one adjudicator to be decided. What is begun is its draft."""

    public_id = models.CharField(max_length=16, unique=True, default=public_id)
    subject = models.OneToOneField(Subject, on_delete=models.CASCADE, related_name="adjudication")
    adjudicator = models.ForeignKey(Adjudicator, on_delete=models.CASCADE, related_name="adjudications")
    number = models.PositiveIntegerField()  # in the adjudicator's line
    places = models.JSONField(default=list)  # of a set: the index of the text at each place; empty otherwise
    given_at = models.DateTimeField(default=timezone.now)
    shown_at = models.DateTimeField(null=True)
    decided_at = models.DateTimeField(null=True)
    draft = models.JSONField(null=True)
    draft_revision = models.PositiveIntegerField(default=0)
    draft_seconds = models.FloatField(default=0)
    draft_raw_seconds = models.FloatField(default=0)

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["adjudicator", "number"], name="one_adjudication_per_number"),
        ]

    def __str__(self) -> str:
        return self.public_id


class Decision(models.Model):
    """What an adjudicator decided, in the kind's own answer. A correction is a new revision; nothing is changed or deleted."""

    adjudication = models.ForeignKey(Adjudication, on_delete=models.PROTECT, related_name="decisions")
    revision = models.PositiveIntegerField()
    client_key = models.UUIDField()  # made by the browser, once per submit
    answer = models.JSONField()  # the kind's Answer
    shown_at = models.DateTimeField()
    submitted_at = models.DateTimeField()
    seconds = models.FloatField()  # active, without idle and hidden time
    raw_seconds = models.FloatField()  # with the page open, idle or not

    class Meta:
        ordering = ["adjudication_id", "revision"]
        constraints = [
            models.UniqueConstraint(fields=["adjudication", "revision"], name="one_decision_per_revision"),
            models.UniqueConstraint(fields=["adjudication", "client_key"], name="one_decision_per_submit"),
        ]

    def __str__(self) -> str:
        return f"{self.adjudication_id} r{self.revision}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise Refused("A decision is never changed; a correction is a new revision.")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        raise Refused("A decision is never deleted.")
