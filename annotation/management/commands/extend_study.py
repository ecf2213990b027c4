"""``extend_study SLUG PATH``: add what a study file has more than the study, as a new wave."""

from pathlib import Path

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.errors import Refused
from annotation.management.shared import study_or_error
from annotation.services.waves import study_extend
from annotation.study_files import StudyFileProblems, read_study


class Command(BaseCommand):
    help = "Add documents, systems, outputs and tasks to a study; in an open one they are dealt on top of what people have."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("path", type=Path, help="a folder or a zip, as for import_study")

    def handle(self, *, slug: str, path: Path, **options: object) -> None:
        study = study_or_error(slug)
        limit = settings.STUDY_UNPACKED_MAX_BYTES
        try:
            wave = study_extend(study=study, study_file=read_study(path, max_bytes=limit))
        except StudyFileProblems as found:
            raise CommandError(f"{found}\nNothing was added.") from found
        except Refused as refused:
            raise CommandError(str(refused)) from refused
        self.stdout.write(
            f"wave {study.wave}: {wave.documents} documents, {wave.systems} systems, {wave.outputs} outputs and "
            f"{wave.tasks} tasks are new; {wave.subjects} pieces were dealt"
        )
