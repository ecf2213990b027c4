"""``export_judgments SLUG --format csv|jsonl|parquet --out FILE``: the long table and its attributes."""

from pathlib import Path

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.export import FORMATS
from annotation.export_files import export_write
from annotation.management.shared import study_or_error


class Command(BaseCommand):
    help = "Write the judgments of a study as one long table, and FILE.attributes.csv beside it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--format", choices=FORMATS, default="csv")
        parser.add_argument("--out", type=Path, required=True, metavar="FILE")
        parser.add_argument("--all-revisions", action="store_true", help="older revisions too")
        parser.add_argument("--names", action="store_true", help="assessors' names in place of pseudonyms")
        parser.add_argument(
            "--panel", action="store_true", help="among the attributes: parameters that people came with"
        )
        parser.add_argument(
            "--excluded", action="store_true", help="also what is left out of results, and why"
        )
        parser.add_argument(
            "--decisions",
            action="store_true",
            help="also decisions of adjudicators, and a column that tells them from judgments",
        )

        parser.add_argument(
            "--programs", action="store_true", help="what programs judged, in place of what people did"
        )

    def handle(self, *, slug: str, format: str, out: Path, **options: bool) -> None:
        study = study_or_error(slug)
        if out.exists() and not out.is_file():  # a folder; or a device, in whose place a file would stand
            raise CommandError(f"{out} is not a file. Choose another name.")
        choices = {
            name: options[name]
            for name in ("all_revisions", "names", "excluded", "panel", "programs", "decisions")
        }
        try:
            out.parent.mkdir(parents=True, exist_ok=True)
            export_write(study, format=format, out=out, **choices)
        except OSError as error:
            raise CommandError(f"{out} cannot be written: {error.strerror}.") from None
        self.stdout.write(str(out))
