"""``exclude SLUG (--assessor A | --judgment J | --item I | --task T) --reason TEXT``: leave it out of results."""

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.errors import Refused
from annotation.management.shared import study_or_error
from annotation.management.targets import add_targets, target_or_error
from annotation.selectors.exclusions import left_out
from annotation.services.exclusions import exclusion_add


class Command(BaseCommand):
    help = "Leave a person, a judgment, an item or a task out of results; “include” takes it back."

    def add_arguments(self, parser: CommandParser) -> None:
        add_targets(parser)
        parser.add_argument("--reason", required=True, help="stands in the report and in the export")

    def handle(self, *, slug: str, reason: str, **options: object) -> None:
        study = study_or_error(slug)
        target = target_or_error(study, options)
        try:
            made = exclusion_add(study=study, target=target, reason=reason)
        except Refused as refused:
            raise CommandError(str(refused)) from refused
        row = next(row for row in left_out(study) if row.exclusion.pk == made.pk)
        self.stdout.write(f"{row.what} is left out: {len(row.judgments)} judgments")
