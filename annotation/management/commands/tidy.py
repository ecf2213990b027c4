"""``tidy``: forget what is over. ``serve`` does it once a day."""

from django.core.management import call_command
from django.core.management.base import BaseCommand

from annotation.management.shared import database_or_error
from annotation.services.retention import tidy


class Command(BaseCommand):
    help = (
        "Forget sessions, counts and tokens that are over, studies that were in the bin for long enough, and what the settings "
        "let go: reports (TOUCHSTONE_REPORTS_KEPT, TOUCHSTONE_REPORT_DAYS) and who judged (TOUCHSTONE_RETENTION_DAYS)."
    )

    def handle(self, **options: object) -> None:
        database_or_error()
        done = tidy()
        call_command("prune_db_task_results", verbosity=0)
        self.stdout.write(
            f"Forgotten: sessions that were over, {done['counts']} counts, {done['tokens']} API tokens, "
            f"{done['studies']} studies of the bin, {done['assessors']} names of assessors, {done['reports']} reports."
        )
