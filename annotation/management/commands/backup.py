"""``backup FILE``: database, secret key and reports in one file, while the server runs."""

from pathlib import Path

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.backups import backup_make
from annotation.errors import Refused
from annotation.management.shared import database_or_error


class Command(BaseCommand):
    help = "Write a backup: database, secret key and reports, as they are at one moment. The server may be running."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="where to write it; it must not be there yet")

    def handle(self, *, file: Path, **options: object) -> None:
        database_or_error(any_version=True)
        try:
            manifest = backup_make(target=file)
        except Refused as refused:
            raise CommandError(str(refused)) from refused
        judgments = manifest.rows.get("annotation_judgment", 0)
        self.stdout.write(
            f"{file}: {judgments:,} judgments, {len(manifest.entries):,} files, {file.stat().st_size:,} bytes. "
            "It holds the secret key: keep it where only you can read it."
        )
