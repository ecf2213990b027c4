"""``import_study PATH [--replace]``: a study from a folder or a zip. ``import_study TABLE --template NAME``: of a table of texts."""

from collections.abc import Sequence
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.errors import Refused
from annotation.management.shared import database_or_error
from annotation.selectors.plan_tables import plan_warnings
from annotation.selectors.texts import missing_cells_warning
from annotation.services.studies import studies_adopt, study_import
from annotation.study_files import Problem, StudyFileProblems, read_study
from annotation.study_files.schema import StudyFile
from annotation.tables import Grid, TableProblem, read_grids
from annotation.tables.grid import FORMATS
from annotation.tables.roles import ROLES, mapped_roles, with_names
from annotation.tables.study import study_file_of, template_named
from annotation.tasks import TEMPLATES


class Command(BaseCommand):
    help = (
        "Import a study file, a folder or a zip; or make a study of a table of texts, with --template. Every problem is "
        "named; nothing is written if there is one."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "path", type=Path, nargs="*", help="a folder, a zip, a table, or a table for each system"
        )
        parser.add_argument(
            "--replace", action="store_true", help="replace a study of the same slug that has no judgments"
        )
        parser.add_argument(
            "--template", metavar="NAME", help="make a study of a table: what assessors are to do"
        )
        parser.add_argument(
            "--map",
            action="append",
            default=[],
            metavar="COLUMN=ROLE",
            help=f"what a column is, where the guess is wrong: {', '.join(ROLES)}",
        )
        parser.add_argument("--name", default="", help="of the study; the file's without it")
        parser.add_argument("--slug", default="", help="of the study; made of its name without it")
        parser.add_argument("--language", default="en", help="of the texts, such as de")
        parser.add_argument("--source-language", default="", help="of the sources, if another")
        parser.add_argument("--list-templates", action="store_true", help="list the templates and end")

    def handle(
        self,
        *,
        path: Sequence[Path],
        replace: bool,
        template: str | None,
        list_templates: bool,
        **options: object,
    ) -> None:
        if list_templates:
            for one in TEMPLATES.values():
                self.stdout.write(f"{one.name:<24}{one.about}")
            return
        if not path:
            raise CommandError("Name the folder, zip or table to import.")
        database_or_error()
        try:
            study_file = self._of_table(path, template, options) if template else _of_files(path)
            study = study_import(study_file=study_file, replace=replace)
        except StudyFileProblems as found:
            raise CommandError(_said(found.problems, path)) from found
        except (Refused, TableProblem) as refused:
            raise CommandError(str(refused)) from refused
        # As of the demo study: the first experimenter's, who can share it. Before there is one, ``serve`` does this.
        first = User.objects.filter(is_active=True).order_by("pk").first()
        if first:
            studies_adopt(owner=first)
        self.stdout.write(f"Imported {study.slug}")
        for warning in [*plan_warnings(study), *missing_cells_warning(study)]:
            self.stderr.write(f"Warning: {warning}")

    # --- a table ---

    def _of_table(self, paths: Sequence[Path], name: str, options: dict) -> StudyFile:
        template = template_named(name)
        files = [(path.name, _bytes(path)) for path in paths]
        grid = with_names(read_grids(files, max_bytes=settings.STUDY_UNPACKED_MAX_BYTES), options["map"])
        roles = mapped_roles(grid, options["map"])
        self._explain(grid, roles)
        title = options["name"] or grid.name or paths[0].parent.resolve().name
        return study_file_of(
            grid,
            roles,
            template,
            name=title,
            slug=options["slug"],
            language=options["language"],
            source_language=options["source_language"],
        )

    def _explain(self, grid: Grid, roles: Sequence[str]) -> None:
        """What each column was taken for: whoever reads it sees at once where the guess is wrong."""
        for note in grid.notes:
            self.stderr.write(note)
        understood = ", ".join(f"{column} = {role}" for column, role in zip(grid.columns, roles, strict=True))
        self.stderr.write(f"Columns: {understood}. Another role: --map COLUMN=ROLE")


def _of_files(paths: Sequence[Path]) -> StudyFile:
    (path, *more) = paths
    if more or (path.is_file() and path.suffix.lower().lstrip(".") in FORMATS):
        raise CommandError(
            f"A table of texts needs --template NAME, which says what assessors are to do: {', '.join(TEMPLATES)}."
        )
    return read_study(path, max_bytes=settings.STUDY_UNPACKED_MAX_BYTES)


def _bytes(path: Path) -> bytes:
    try:
        if path.is_file():  # a pipe may never end
            return path.read_bytes()
    except OSError as error:
        raise CommandError(f"{path} cannot be read: {error.strerror}.") from None
    raise CommandError(f"There is no file {path}." if not path.is_dir() else f"{path} is a folder, no table.")


def _said(problems: Sequence[Problem], paths: Sequence[Path]) -> str:
    lines = "\n".join(str(problem) for problem in problems)
    count = len(problems)
    where = ", ".join(map(str, paths))
    return f"{lines}\n{count} problem{'s' if count > 1 else ''} in {where}; nothing was imported."
