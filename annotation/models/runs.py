"""The making of a report: who asked for it, how far it is, and where its files are."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.db import models
from django.utils import timezone

from annotation.models.study import Study

# A worker says every few seconds that it is alive; one that has been silent for so long is taken for dead.
SILENCE = timedelta(seconds=30)


class Run(models.Model):
    """One report of one study. Its files appear whole, in a folder of its own, when it is done."""

    class State(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        DONE = "done"
        FAILED = "failed"
        CANCELLED = "cancelled"

    ACTIVE = (State.QUEUED, State.RUNNING)

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="runs")
    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    options = models.JSONField(default=dict)  # annotation.analysis.options.ReportOptions
    data_hash = models.CharField(max_length=64)  # of judgments, texts, scores, options and version
    newest_judgment = models.BigIntegerField(default=0)  # the last one that is in the report
    newest_score = models.BigIntegerField(default=0)  # likewise of metric scores that were brought along
    results_version = models.PositiveIntegerField(default=0)  # likewise of what is left out of results
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    label = models.CharField(max_length=200, blank=True)
    seconds_left = models.FloatField(null=True)  # as far as can be told
    error = models.TextField(blank=True)
    agreement = models.CharField(max_length=100, blank=True)  # in short, for the study's headline
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    requested_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True)
    heartbeat_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    is_new = False  # to whoever has just created it

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["study"],
                condition=models.Q(state__in=["queued", "running"]),
                name="one_active_run_per_study",
            )
        ]
        indexes = [models.Index(fields=["study", "state", "data_hash"], name="run_of_data")]

    def __str__(self) -> str:
        return f"run {self.pk} of {self.study_id}, {self.state}"

    @property
    def folder(self) -> Path:
        """Where its files are once it is done."""
        return settings.DATA_DIR / "reports" / str(self.pk)

    @property
    def is_active(self) -> bool:
        return self.state in self.ACTIVE

    @property
    def is_lost(self) -> bool:
        """Whether the worker that had it is gone: killed, or the machine was switched off."""
        return self.state == self.State.RUNNING and self.is_silent

    @property
    def is_silent(self) -> bool:
        """Whether no worker has been at it lately. After a clock was set back, what was heard before is as far away in the other direction."""
        return self.heartbeat_at is None or abs(timezone.now() - self.heartbeat_at) > SILENCE

    @property
    def has_files(self) -> bool:
        """Whether its result is still on disk: somebody may have cleared the data folder."""
        return self.state == self.State.DONE and (self.folder / "report.json").is_file()

    @property
    def percent(self) -> int:
        return 100 * self.done // self.total if self.total else 0
