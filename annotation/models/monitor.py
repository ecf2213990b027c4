"""What the monitor of a study shows, kept by the worker so that a page need not compute it: derived from judgments, and made anew
whenever it is lost."""

from __future__ import annotations

from django.db import models

from annotation.models.study import Study, Task


class Monitor(models.Model):
    """How far the worker has followed one study, and what it found."""

    study = models.OneToOneField(Study, on_delete=models.CASCADE, related_name="monitor")
    # Grows with each write, and a write names the one it has read: two workers cannot both add the same judgment.
    version = models.PositiveIntegerField(default=0)
    newest_judgment = models.BigIntegerField(default=0)  # all up to it are in the sums
    results_version = models.PositiveIntegerField(
        default=0
    )  # of the study, when the sums were compared with it
    checked_at = models.DateTimeField(null=True)  # when all cells were last compared with the judgments
    sums = models.JSONField(default=dict)  # annotation.analysis.live.Sums
    snapshot = models.JSONField(default=dict)  # what the page shows
    asked_at = models.DateTimeField(null=True)  # somebody looked, and the worker was asked to follow up
    begun_at = models.DateTimeField(null=True)  # the worker took it up
    finished_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"monitor of {self.study_id}"


class MonitorCell(models.Model):
    """The values of one item in one task, as the sums have them: what a new judgment replaces is taken out of the sums first."""

    monitor = models.ForeignKey(Monitor, on_delete=models.CASCADE, related_name="cells")
    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="+")
    document = models.BigIntegerField(default=0)  # 0: the item is a topic
    topic = models.BigIntegerField(default=0)
    group = models.PositiveSmallIntegerField()  # which part of the jackknife it is in
    count = models.PositiveIntegerField(default=0)  # judgments, all revisions …
    stamp = models.BigIntegerField(
        default=0
    )  # … and the sum of their numbers, to see at once what has changed
    judged = models.JSONField(default=dict)  # annotation.analysis.live.Cell

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["task", "document", "topic"], name="one_cell_per_task_and_item")
        ]

    def __str__(self) -> str:
        return f"cell {self.pk} of task {self.task_id}"
