"""``include SLUG (--assessor A | --judgment J | --item I | --task T)``: what was left out counts again."""

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.errors import Refused
from annotation.management.shared import study_or_error
from annotation.management.targets import add_targets, target_or_error
from annotation.selectors.exclusions import exclusion_of, target_words
from annotation.services.exclusions import exclusion_end


class Command(BaseCommand):
    help = "Include again what “exclude” has left out of results."

    def add_arguments(self, parser: CommandParser) -> None:
        add_targets(parser)

    def handle(self, *, slug: str, **options: object) -> None:
        study = study_or_error(slug)
        found = exclusion_of(study, target_or_error(study, options))
        if found is None:
            raise CommandError("It is not left out: there is nothing to include again.")
        try:
            exclusion_end(exclusion=found)
        except Refused as refused:
            raise CommandError(str(refused)) from refused
        self.stdout.write(f"{target_words(found)} is included again")
