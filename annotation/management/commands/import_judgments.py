"""``import_judgments SLUG FILE``: judgments made elsewhere, in the long table."""

from pathlib import Path

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.analysis import BadInput, judgment_table
from annotation.errors import Refused
from annotation.management.shared import study_or_error
from annotation.services.imports import judgments_import


class Command(BaseCommand):
    help = "Bring judgments made elsewhere into a study: CSV, JSON Lines or Parquet, by the ending."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("file", type=Path)

    def handle(self, *, slug: str, file: Path, **options: object) -> None:
        study = study_or_error(slug)
        if file.exists() and not file.is_file():  # a device or a pipe, which may never end
            raise CommandError(f"{file} is not a file.")
        try:
            result = judgments_import(study=study, rows=judgment_table(file))
        except BadInput as problem:
            raise CommandError(str(problem)) from problem
        except Refused as refused:
            raise CommandError(f"{file}: nothing was imported.\n{refused}") from refused
        self.stdout.write(
            f"{result.judgments} judgments imported, {result.known} were here already, "
            f"{result.practice} rows of practice and {result.excluded} excluded ones left out"
        )
        if result.differing:
            self.stdout.write(
                f"{result.differing} of those that were here already say something else in the table. They stay as they were: "
                "to correct a judgment, give the other answer the next revision."
            )
