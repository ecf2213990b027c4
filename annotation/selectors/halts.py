"""What keeps an assessor of an open study from going on: failed checks, a pause, the deadline, or a new version of the instructions."""

from __future__ import annotations

from typing import Literal

from django.utils import timezone

from annotation.models import Assessor

Halt = Literal["", "stopped", "paused", "deadline", "changed"]


def halt_of(assessor: Assessor) -> Halt:
    """Nothing new is handed out meanwhile. What is on somebody's screen can still be sent."""
    study = assessor.study
    if assessor.stopped_at:
        return "stopped"
    if study.paused_at or assessor.paused_at:
        return "paused"
    if study.deadline_at and study.deadline_at <= timezone.now():
        return "deadline"
    if assessor.started_at and assessor.text_version < study.text_version:
        return "changed"
    return ""
