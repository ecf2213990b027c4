"""Programs that judge what people judge. Their judgments stand in tables of their own: nothing that reads people's meets them."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.utils import timezone

from annotation.errors import Refused
from annotation.models.study import Study
from annotation.models.work import Subject, public_id


class Program(models.Model):
    """A program as assessor, known by a name within its study."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="programs")
    name = models.SlugField(max_length=60)
    made_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["study", "name"], name="program_names_are_unique"),
        ]

    def __str__(self) -> str:
        return self.name


class ProgramItem(models.Model):
    """A subject handed to a program. ``public_id`` says nothing of what is behind it: programs judge blindly, too."""

    program = models.ForeignKey(Program, on_delete=models.CASCADE, related_name="items")
    subject = models.ForeignKey(Subject, on_delete=models.CASCADE, related_name="program_items")
    public_id = models.CharField(max_length=16, unique=True, default=public_id)
    position = models.PositiveIntegerField()
    places = models.JSONField(default=list)  # of a set: the index of the text at each place
    shown_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["program", "subject"], name="a_subject_once_per_program"),
            models.UniqueConstraint(fields=["program", "position"], name="one_item_per_position"),
        ]

    def __str__(self) -> str:
        return self.public_id


class ProgramAnswer(models.Model):
    """What a program said at a stage of an item; the ``final`` one is its judgment. Rows are added, never changed."""

    item = models.ForeignKey(ProgramItem, on_delete=models.CASCADE, related_name="answers")
    stage = models.PositiveSmallIntegerField()
    final = models.BooleanField(default=False)
    answer = models.JSONField()
    answered_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["stage"]
        constraints = [
            models.UniqueConstraint(fields=["item", "stage"], name="one_answer_per_stage"),
        ]

    def __str__(self) -> str:
        return f"{self.item_id}, stage {self.stage}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if self.pk is not None:
            raise Refused("What a program answered is never changed.")
        super().save(*args, **kwargs)
