"""What is left out of results, and why. Judgments stay; whoever was left out can be included again."""

from __future__ import annotations

from django.db import models

from annotation.models.materials import Document, Topic
from annotation.models.study import Study, Task
from annotation.models.work import Assessor, Assignment

TARGETS = ("assessor", "assignment", "document", "topic", "task")


class Exclusion(models.Model):
    """One person, one judgment (by its assignment), one item or one task, left out of results until ``ended_at``."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="exclusions")
    assessor = models.ForeignKey(Assessor, on_delete=models.CASCADE, null=True, related_name="exclusions")
    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, null=True, related_name="exclusions")
    document = models.ForeignKey(Document, on_delete=models.CASCADE, null=True, related_name="exclusions")
    topic = models.ForeignKey(Topic, on_delete=models.CASCADE, null=True, related_name="exclusions")
    task = models.ForeignKey(Task, on_delete=models.CASCADE, null=True, related_name="exclusions")
    reason = models.CharField(max_length=500)
    made_at = models.DateTimeField(auto_now_add=True)
    made_by = models.CharField(max_length=200)
    ended_at = models.DateTimeField(null=True)  # included again; null: left out now
    ended_by = models.CharField(max_length=200, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=[target],
                condition=models.Q(ended_at=None),
                name=f"one_exclusion_per_{target}",
            )
            for target in TARGETS
        ]

    def __str__(self) -> str:
        return f"exclusion {self.pk} of {self.study_id}"
