"""``export_study SLUG --out PATH``: the study file back."""

from pathlib import Path

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.management.shared import study_or_error
from annotation.selectors.files import study_as_file
from annotation.study_files import write_study


class Command(BaseCommand):
    help = "Write a study as a study file: a folder, or a zip if PATH ends in .zip."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--out", type=Path, required=True, metavar="PATH")

    def handle(self, *, slug: str, out: Path, **options: object) -> None:
        study = study_or_error(slug)
        try:
            write_study(study_as_file(study), out)
        except OSError as error:  # among them Occupied
            raise CommandError(str(error)) from error
        self.stdout.write(str(out))
