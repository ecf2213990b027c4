"""What the experimenter answers to an assessor's flags and messages."""

from __future__ import annotations

from django.db import models

from annotation.models.work import Assessor, Assignment


class Reply(models.Model):
    """An answer in a thread. A thread is all that one assessor and the experimenter say to each other about one item, or about none."""

    assessor = models.ForeignKey(Assessor, on_delete=models.CASCADE, related_name="replies")
    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, null=True, related_name="replies")
    comment = models.TextField()
    made_by = models.CharField(max_length=200)
    made_at = models.DateTimeField(auto_now_add=True)
    read_at = models.DateTimeField(null=True)  # null: the assessor has not seen it

    class Meta:
        ordering = ["made_at", "id"]

    def __str__(self) -> str:
        return f"reply {self.pk}"
