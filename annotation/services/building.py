"""Building a study in the browser: a draft from its first moment on, kept at every step.

What is built is what a study file would say, and goes through the same checks; ``study_as_file`` gives it back as one.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from pydantic import ValidationError

from annotation.checks import CheckItems, Checks
from annotation.designs import Design
from annotation.errors import Overtaken, Refused
from annotation.models import ControlItem, Document, Membership, Output, Reference, Study, Task, TextTable
from annotation.overtaken import CHANGED, refuse_overtaken
from annotation.selectors.building import assembly_of, grid_of, grid_packed, summary_of
from annotation.selectors.studies import study_owned
from annotation.services.audit import audit_count, audit_write
from annotation.services.materials import (
    Stock,
    Texts,
    materials_made,
    materials_store,
    next_position,
    text_fields,
)
from annotation.services.removal import rows_drop
from annotation.services.rows import rows_update
from annotation.services.studies import study_import
from annotation.study_files import Problem, StudyFileProblems
from annotation.study_files.plain import sentences
from annotation.study_files.schema import Materials, Settings
from annotation.study_files.texts import unstorable
from annotation.tables import Assembly, Grid, TableProblem, guessed_roles, read_grids
from annotation.tables.roles import ROLES, mapped_roles, with_names
from annotation.tables.study import slug_of, study_file_of, template_named
from annotation.tasks import KINDS, TEMPLATES
from annotation.tasks.base import Template
from annotation.units import cut, not_too_many
from annotation.words import phrase

TRIES = 50
WORDS = ("name", "contact", "instructions", "consent")


def study_begin(*, owner: User, name: str, language: str = "en", source_language: str = "") -> Study:
    """A draft with a name and nothing else."""
    base = slug_of(name)
    for number in range(1, TRIES):
        slug = base if number == 1 else f"{base}-{number}"
        try:
            with transaction.atomic():
                study = Study.objects.create(
                    slug=slug,
                    name=name,
                    language=language,
                    seed=secrets.randbelow(2**31),
                    design=Design(assessors_per_item=2).model_dump(mode="json"),
                    settings=Settings(source_language=source_language).model_dump(mode="json"),
                )
                Membership.objects.create(study=study, user=owner, role=Membership.Role.OWNER)
                audit_write(study=study, action="study.begin", after={"name": name, "slug": slug})
            return study
        except IntegrityError:
            continue  # the slug is taken, perhaps by somebody whose studies are none of this user's business
    raise Refused(phrase("There are too many studies of this name. Choose another one."))


def study_from_table(
    *,
    owner: User,
    name: str,
    language: str,
    files: Sequence[tuple[str, bytes]],
    max_bytes: int,
    source_language: str = "",
) -> Study:
    """A draft that begins with a table; ``TableProblem`` if there is none, and then there is no draft either."""
    grid = read_grids(files, max_bytes=max_bytes)
    roles = guessed_roles(grid)
    study = study_begin(owner=owner, name=name, language=language, source_language=source_language)
    _keep(study, grid, roles, seen=None)
    return study


def study_of_table_upload(
    *,
    file: tuple[str, bytes],
    template: str,
    mapping: Sequence[str],
    name: str,
    slug: str,
    language: str,
    source_language: str,
    owner: User,
    replace: bool,
    max_bytes: int,
) -> Study:
    """A whole study of a table that a program sends, as ``import_study TABLE --template`` makes it."""
    try:
        grid = with_names(read_grids([file], max_bytes=max_bytes), mapping)
        study_file = study_file_of(
            grid,
            mapped_roles(grid, mapping),
            template_named(template),
            name=name or grid.name or "Study",
            slug=slug,
            language=language,
            source_language=source_language,
        )
    except TableProblem as problem:
        raise StudyFileProblems([Problem(file[0], None, str(problem))]) from None
    replace = replace and study_owned(owner, study_file.slug)
    return study_import(study_file=study_file, owner=owner, replace=replace)


def _draft(study: Study) -> Study:
    """The study, locked; ``Refused`` if people are at work in it."""
    locked = Study.objects.select_for_update().get(pk=study.pk)
    if locked.state != Study.State.DRAFT:
        raise Refused(phrase("The study is open, or was: what it is built of cannot change any more."))
    return locked


# --- the table ------------------------------------------------------------------------------------------------------


def table_store(*, study: Study, files: Sequence[tuple[str, bytes]], max_bytes: int) -> TextTable:
    """Read the table and keep it with a guess of what its columns are; ``TableProblem`` if it is none."""
    grid = read_grids(files, max_bytes=max_bytes)
    return _keep(study, grid, guessed_roles(grid), seen=None)


def table_change(
    *,
    study: Study,
    seen: int,
    roles: Sequence[str] | None = None,
    header: bool | None = None,
) -> TextTable:
    """Say what the columns are, or whether the first row names them."""
    grid, known = _seen(study, seen)
    if header is not None and header != grid.has_header:
        grid = grid.with_header() if header else grid.without_header()
        return _keep(study, grid, guessed_roles(grid) if header else known, seen=seen)
    chosen = tuple(roles if roles is not None else known)
    if len(chosen) != len(grid.columns) or any(role not in ROLES for role in chosen):
        raise Refused(phrase("Every column needs a role."))
    return _keep(study, grid, chosen, seen=seen)


def table_row_mend(*, study: Study, seen: int, row: int, cells: Sequence[str] | None) -> TextTable:
    """Other cells in one row; None empties it."""
    grid, roles = _seen(study, seen)
    if not 0 <= row < len(grid.rows):
        raise Refused(phrase("There is no such row."))
    try:
        mended = grid.without(row) if cells is None else grid.changed(row, cells)
    except TableProblem as problem:
        raise Refused(str(problem)) from None
    return _keep(study, mended, roles, seen=seen)


def _seen(study: Study, seen: int) -> tuple[Grid, tuple[str, ...]]:
    table = TextTable.objects.filter(study=study).first()
    if table is None:
        raise Refused(phrase("There is no table yet. Upload one, or paste it."))
    if table.version != seen:
        raise Overtaken(CHANGED)
    return grid_of(table), tuple(table.roles)


def _keep(study: Study, grid: Grid, roles: Sequence[str], *, seen: int | None) -> TextTable:
    """Everything is worked out before anything is locked."""
    return _table_write(study, _fields_of(grid, roles, assembly_of(grid, roles)), seen=seen)


def _fields_of(grid: Grid, roles: Sequence[str], assembly: Assembly) -> dict[str, Any]:
    """A table as it is stored."""
    return {"cells": grid_packed(grid), "roles": list(roles), "summary": summary_of(grid, assembly)}


@transaction.atomic
def _table_write(study: Study, fields: dict[str, Any], *, seen: int | None) -> TextTable:
    _draft(study)
    table = TextTable.objects.defer("cells").filter(study=study).first()
    if table is None:
        return TextTable.objects.create(study=study, **fields)
    if seen is not None and table.version != seen:
        raise Overtaken(CHANGED)
    for name, value in fields.items():
        setattr(table, name, value)
    table.version += 1
    table.save()
    return table


# --- texts ----------------------------------------------------------------------------------------------------------


def texts_use(*, study: Study, seen: int) -> Study:
    """Put the table's texts into the study, in place of those that it has. What was cut by hand and is still there stays cut."""
    grid, roles = _seen(study, seen)
    assembly = assembly_of(grid, roles)
    if assembly.fatal:
        raise Refused(phrase("Mend the rows that are named below first."))
    _texts_write(study, _NewTexts(study, assembly), seen=seen)
    return study


class _NewTexts:
    """The texts of a table, in units and as rows. Making them takes long, so this comes before anything is locked."""

    def __init__(self, study: Study, assembly: Assembly) -> None:
        self.materials = materials = assembly.materials
        if not materials.outputs and not materials.documents:
            raise Refused(phrase("There is no text in the table."))
        self._texts = Texts(
            documents=[text_fields(row, study) for row in materials.documents],
            references=[text_fields(row, study) for row in materials.references],
            outputs=[text_fields(row, study) for row in materials.outputs],
            controls=[],
        )
        self._changes = audit_count(study)
        self._stock = self._made(study)

    def _made(self, study: Study) -> Stock:
        _keep_cuts(study, [*self._texts.references, *self._texts.outputs])
        return materials_made(study, self.materials, self._texts, (), instead=True)

    def store(self, study: Study) -> None:
        """In place of the texts that the study has; for whoever has it locked. Somebody may have cut a text meanwhile."""
        stock = self._stock if audit_count(study) == self._changes else self._made(study)
        for many in (study.outputs, study.references):
            rows_drop(many.all())
        for few in (study.documents, study.topics, study.systems):
            few.all().delete()
        materials_store(stock)


@transaction.atomic
def _texts_write(study: Study, new: _NewTexts, *, seen: int) -> None:
    """``seen``: the version of the table that they are from."""
    _draft(study)
    _refuse_other_materials(study)
    new.store(study)
    TextTable.objects.filter(study=study).update(used_version=seen)
    _fit_tasks(study, new.materials)
    size = {"documents": len(new.materials.documents), "outputs": len(new.materials.outputs)}
    audit_write(study=study, action="study.table", after=size)


def table_use_whole(
    *, study: Study, file: tuple[str, bytes], mapping: Sequence[str], max_bytes: int
) -> Assembly:
    """A program's table becomes the texts of a draft at once: every problem is named with its row, or nothing is wrong."""
    grid = with_names(read_grids([file], max_bytes=max_bytes), mapping)
    roles = mapped_roles(grid, mapping)
    assembly = assembly_of(grid, roles)
    if assembly.fatal:
        raise StudyFileProblems(
            [
                Problem(file[0], None if issue.row is None else grid.number(issue.row), issue.message)
                for issue in assembly.fatal
            ]
        )
    texts, fields = _NewTexts(study, assembly), _fields_of(grid, roles, assembly)
    with transaction.atomic():
        table = _table_write(study, fields, seen=None)
        _texts_write(study, texts, seen=table.version)
    return assembly


def _refuse_other_materials(study: Study) -> None:
    """What a study file brought along and no table has would be lost."""
    tasks = study.tasks.all()
    practised = tasks.filter(practice_items__isnull=False).exists()
    controlled = tasks.filter(control_items__isnull=False).exists()
    special = study.outputs.exclude(prefilled=[], citations=[]).exists()
    named = study.questions.exists() or study.contentunits.exists()
    if practised or controlled or named or special:
        raise Refused(
            phrase(
                "This study came as a file, with practice, control or question items, or content units, that name its texts. "
                "Change the file, and upload it again."
            )
        )


def _keep_cuts(study: Study, fields: Iterable[dict[str, Any]]) -> None:
    cuts = {
        _letters(row.text): row.units
        for rows in (
            Reference.objects.filter(study=study, units_given=True),
            Output.objects.filter(study=study, units_given=True),
        )
        for row in rows
    }
    for text in fields if cuts else ():
        units = cuts.get(_letters(text["text"]))
        if units is not None:
            text.update(units=units, text="\n".join(units), units_given=True)


def _letters(text: str) -> str:
    return "".join(text.split())


def _fit_tasks(study: Study, materials: Materials) -> None:
    """What a template made of other texts is fitted to these: which systems there are, for one."""
    for task in study.tasks.all():
        template = next(
            (
                one
                for one in TEMPLATES.values()
                if one.fitted and one.kind == task.kind and task.name == one.name
            ),
            None,
        )
        if template is not None:
            task.config = {**task.config, **template.configured(materials)}
            task.save(update_fields=["config"])


# --- tasks ----------------------------------------------------------------------------------------------------------


def task_from_template(*, study: Study, template: Template, materials: Materials) -> Task:
    """Another task for the study; the first one brings its instructions and its design along."""
    config = template.configured(materials)
    try:
        KINDS[template.kind].Config.model_validate(config)
    except ValidationError as error:
        reasons = " ".join(sentence for _, sentence in sentences(error, KINDS[template.kind].Config))
        raise Refused(phrase("This does not fit the texts: {reasons}", reasons=reasons)) from None
    with transaction.atomic():
        _draft(study)
        study.refresh_from_db(fields=["design", "instructions"])  # somebody else may be at them
        names = set(study.tasks.values_list("name", flat=True))
        if len(names) >= 20:
            raise Refused(phrase("A study has 20 tasks at most."))
        name = next(
            name
            for number in range(1, 30)
            if (name := template.name if number == 1 else f"{template.name}-{number}") not in names
        )
        if not names:
            study.design = Design.model_validate(template.design).model_dump(mode="json")
        if not study.instructions.strip():
            study.instructions = template.instructions
        study.save(update_fields=["design", "instructions"])
        task = Task.objects.create(
            study=study, name=name, kind=template.kind, position=next_position(study), config=config
        )
        audit_write(study=study, action="task.add", target=f"task {name}", after={"template": template.name})
        return task


def _refuse_gone(task: Task) -> None:
    """For whoever has the study locked: somebody else may have removed the task a moment before."""
    if not Task.objects.filter(pk=task.pk).exists():
        raise Refused(phrase("Task {name} was removed in the meantime.", name=task.name))


@transaction.atomic
def task_remove(*, study: Study, task: Task) -> None:
    """Take a task out of a draft. Its draft of the instructions goes with it, if nobody has changed a word."""
    study.instructions = _draft(study).instructions
    _refuse_gone(task)
    drafts = {template.instructions for template in TEMPLATES.values()}
    if study.instructions in drafts and study.tasks.count() == 1:
        study.instructions = ""
        study.save(update_fields=["instructions"])
    task.delete()
    audit_write(study=study, action="task.remove", target=f"task {task.name}")


@transaction.atomic
def words_set(*, study: Study, words: dict[str, str], seen: str) -> Study:
    """Name, contact, instructions and consent of a draft."""
    locked = _draft(study)
    refuse_overtaken(words_of(locked), seen)
    before = words_of(locked)
    changed = [name for name in WORDS if words[name] != before[name]]
    for name in WORDS:
        setattr(study, name, words[name])
    study.save(update_fields=list(WORDS))
    if changed:
        audit_write(
            study=study,
            action="study.words",
            before={name: before[name] for name in changed},
            after={name: words[name] for name in changed},
        )
    return study


def words_of(study: Study) -> dict[str, str]:
    return {name: getattr(study, name) for name in WORDS}


@transaction.atomic
def design_set(*, study: Study, design: Design, seen: str) -> Study:
    """Another design of a draft; tasks that have one of their own keep it."""
    locked = _draft(study)
    refuse_overtaken(locked.design, seen)
    study.design = design.model_dump(mode="json")
    study.save(update_fields=["design"])
    audit_write(study=study, action="study.design", before=locked.design, after=study.design)
    return study


@transaction.atomic
def checks_set(*, study: Study, checks: Checks, seen: str) -> Study:
    """Which check items are made in a draft, and what follows for who fails.

    Tasks that have asked for their own keep it; those whose order is the protocol's own are left without.
    """
    locked = _draft(study)
    refuse_overtaken(locked.checks, seen)
    study.checks = checks.model_dump(mode="json", exclude_defaults=True)
    study.save(update_fields=["checks"])
    if _items_asked(Checks.model_validate(locked.checks)) != _items_asked(checks):
        # What came with a study file that had been open: while it is there, no others are made.
        ControlItem.objects.filter(task__study=study, task__checks__isnull=True, made=True).delete()
    for task in study.tasks.all():
        if not KINDS[task.kind].controls:
            task.checks = {} if checks.asked else None
            task.save(update_fields=["checks"])
    audit_write(study=study, action="study.checks", before=locked.checks, after=study.checks)
    return study


def _items_asked(checks: Checks) -> dict[str, Any]:
    return checks.model_dump(include={*CheckItems.model_fields, "seed"})


def units_cut_all(*, study: Study, how: str) -> int:
    """Cut all outputs, references and documents alike; how many were cut. Those with errors marked already stay, and so do
    those that cite and those that are cited, unit by unit.
    """
    outputs = [row for row in study.outputs.all() if not row.prefilled and not row.citations]
    cited = set(study.outputs.exclude(citations=[]).values_list("document_id", flat=True))
    references = list(study.references.all())
    documents = [row for row in study.documents.all() if row.pk not in cited]
    texts: list[Output | Reference | Document] = [*outputs, *references, *documents]
    others = [row for row in texts if _cut_otherwise(row, how, study)]
    with transaction.atomic():
        _draft(study)
        rows_update(others, ("text", "units", "units_given"))
        audit_write(
            study=study, action="text.cut", target="all texts", after={"how": how, "texts": len(texts)}
        )
    return len(texts)


def _cut_otherwise(row: Output | Reference | Document, how: str, study: Study) -> bool:
    """Cut the text; whether that changes anything. What stays as it is need not be written."""
    before = row.text, row.units, row.units_given
    language = study.document_language if isinstance(row, Document) else study.language
    row.units = CUTTERS[how](row.text, language)
    not_too_many(row.units)
    row.units_given = how != "sentences"
    if row.units_given:  # as it would come back from a study file
        row.text = "\n".join(row.units)
    return before != (row.text, row.units, row.units_given)


def _lines(text: str, language: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()] or [text.strip()]


CUTTERS: dict[str, Callable[[str, str], list[str]]] = {
    "sentences": cut,
    "lines": _lines,
    "whole": lambda text, language: [text.strip()],
}


@transaction.atomic
def task_configure(*, study: Study, task: Task, config: dict[str, Any], seen: str) -> Task:
    """Another configuration, valid for the kind. ``seen``: the fingerprint of the one that it was made from."""
    _draft(study)
    _refuse_gone(task)
    task.refresh_from_db(fields=["config"])
    refuse_overtaken(task.config, seen)
    KINDS[task.kind].Config.model_validate(config)
    if fault := unstorable(config):
        raise Refused(fault[:1].upper() + fault[1:])
    before, task.config = task.config, config
    task.save(update_fields=["config"])
    if before != config:
        changed = {"before": {"config": before}, "after": {"config": config}}
        audit_write(study=study, action="task.configure", target=f"task {task.name}", **changed)
    return task
