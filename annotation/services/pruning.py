"""Reports that the settings let go: their files are deleted, their pages stay and offer to make them again."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from annotation.models import Run, Study
from annotation.selectors.progress import count
from annotation.services.audit import audit_write
from annotation.services.runs import drafts_sweep, files_discard


def reports_prune() -> int:
    """Of each study, all but the newest so many, and those that are too old; the newest always stays. Returns how many went."""
    drafts_sweep()
    if not settings.REPORTS_KEPT and not settings.REPORT_DAYS:
        return 0
    over = timezone.now() - timedelta(days=settings.REPORT_DAYS)
    pruned = 0
    for study in Study.objects.filter(runs__state=Run.State.DONE).distinct():
        there = [run for run in study.runs.filter(state=Run.State.DONE).order_by("-pk") if run.has_files]
        going = [
            run
            for place, run in enumerate(there)
            if place
            and (
                (settings.REPORTS_KEPT and place >= settings.REPORTS_KEPT)
                or (settings.REPORT_DAYS and run.finished_at and run.finished_at < over)
            )
        ]
        for run in going:
            files_discard(run=run)
        if going:
            numbers = [run.pk for run in going]
            audit_write(
                study=study,
                action="report.prune",
                target=count(len(going), "report"),
                before={"reports": numbers},
            )
        pruned += len(going)
    return pruned
