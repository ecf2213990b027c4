"""``restore FILE``: what ``backup`` wrote, into an empty data folder and database."""

from pathlib import Path

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.backups import backup_restore
from annotation.errors import Refused


class Command(BaseCommand):
    help = "Restore a backup. It is checked as a whole first, and written only where there are no data yet."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "file", type=Path, help="the backup, as manage.py backup or the server has written it"
        )

    def handle(self, *, file: Path, **options: object) -> None:
        try:
            manifest = backup_restore(source=file)
        except Refused as refused:
            raise CommandError(str(refused)) from refused
        judgments = manifest.rows.get("annotation_judgment", 0)
        self.stdout.write(f"Restored the backup of {manifest.made_at}: {judgments:,} judgments.")
