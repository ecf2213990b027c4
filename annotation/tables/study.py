"""A study file of a table and a template, checked as every study file is; what is wrong is said of the table's rows."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace

from annotation.designs import Design
from annotation.study_files import Problem, StudyFileProblems, read_study
from annotation.study_files.problems import collapsed, suggestion
from annotation.study_files.schema import Settings, StudyFile, TaskRow
from annotation.study_files.write import NAMES, files_of
from annotation.tables.assemble import Assembly, assemble
from annotation.tables.grid import Grid, TableProblem
from annotation.tasks import TEMPLATES
from annotation.tasks.base import Template

SEED = 1
_TABLES = {file: name for name, file in NAMES.items()}


def study_of_table(
    assembly: Assembly,
    template: Template,
    *,
    name: str,
    slug: str,
    language: str = "en",
    source_language: str = "",
    seed: int = SEED,
) -> StudyFile:
    """The study that a template makes of a table's texts, not yet checked."""
    materials = replace(assembly.materials, seed=seed, language=language, source_language=source_language)
    return StudyFile(
        name=name,
        slug=slug,
        seed=seed,
        language=language,
        # A bad tag is named with all else that is wrong.
        settings=Settings.model_construct(source_language=source_language),
        materials=materials,
        tasks=(TaskRow(kind=template.kind, name=template.name, config=template.configured(materials)),),
        instructions=template.instructions,
        design=Design.model_validate(template.design),
    )


def checked_study(study_file: StudyFile) -> StudyFile:
    """As it comes back from its own file: ``StudyFileProblems`` says what keeps it from being one."""
    return read_study(files_of(study_file))


def study_file_of(
    grid: Grid,
    roles: Sequence[str],
    template: Template,
    *,
    name: str,
    slug: str = "",
    language: str = "en",
    source_language: str = "",
) -> StudyFile:
    """A whole study of a table; ``StudyFileProblems`` names the rows that keep it from being one."""
    assembly = assemble(grid, roles)
    fatal = [
        Problem(grid.name, None if issue.row is None else grid.number(issue.row), issue.message)
        for issue in assembly.fatal
    ]
    if fatal:
        raise StudyFileProblems(collapsed(fatal))
    study_file = study_of_table(
        assembly,
        template,
        name=name,
        slug=slug or slug_of(name),
        language=language,
        source_language=source_language,
    )
    try:
        return checked_study(study_file)
    except StudyFileProblems as found:
        raise StudyFileProblems(collapsed(problems_of_rows(found, assembly, grid))) from None


def template_named(name: str) -> Template:
    """The template; ``TableProblem`` says which there are."""
    if name not in TEMPLATES:
        raise TableProblem(f"There is no template “{name}”{suggestion(name, TEMPLATES)}")
    return TEMPLATES[name]


def problems_of_rows(problems: StudyFileProblems, assembly: Assembly, grid: Grid) -> list[Problem]:
    """Problems that name a line of a study's file, said of the row of the table that the line was made of."""
    return [_of_row(problem, assembly, grid) for problem in problems.problems]


def _of_row(problem: Problem, assembly: Assembly, grid: Grid) -> Problem:
    rows = assembly.rows_of.get(_TABLES.get(problem.file, ""), ())
    if problem.line is None or not 0 < problem.line <= len(rows):
        return Problem("", None, problem.message)
    return Problem(grid.name, grid.number(rows[problem.line - 1]), problem.message)


def slug_of(name: str) -> str:
    """A slug that a name suggests; small letters, digits and hyphens."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:60].strip("-") or "study"
