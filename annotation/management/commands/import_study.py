"""``import_study PATH [--replace]``: a study from a folder or a zip."""

from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.errors import Refused
from annotation.management.shared import database_or_error
from annotation.selectors.plan_tables import plan_warnings
from annotation.services.studies import studies_adopt, study_import
from annotation.study_files import StudyFileProblems, read_study


class Command(BaseCommand):
    help = (
        "Import a study file, a folder or a zip. Every problem is named; nothing is written if there is one."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("path", type=Path)
        parser.add_argument(
            "--replace", action="store_true", help="replace a study of the same slug that has no judgments"
        )

    def handle(self, *, path: Path, replace: bool, **options: object) -> None:
        database_or_error()
        try:
            study_file = read_study(path, max_bytes=settings.STUDY_UNPACKED_MAX_BYTES)
            study = study_import(study_file=study_file, replace=replace)
        except StudyFileProblems as found:
            count = len(found.problems)
            raise CommandError(
                f"{found}\n{count} problem{'s' if count > 1 else ''} in {path}; nothing was imported."
            ) from found
        except Refused as refused:
            raise CommandError(str(refused)) from refused
        # As of the demo study: the first experimenter's, who can share it. Before there is one, ``serve`` does this.
        first = User.objects.filter(is_active=True).order_by("pk").first()
        if first:
            studies_adopt(owner=first)
        self.stdout.write(f"Imported {study.slug}")
        for warning in plan_warnings(study):
            self.stderr.write(f"Warning: {warning}")
