"""More to judge in a study that runs: further documents, systems, outputs and tasks as a new wave, and more judgments of each."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable
from dataclasses import dataclass, replace
from typing import IO, Any, NamedTuple, TypeVar

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q

from annotation.designs import Design
from annotation.errors import Refused
from annotation.models import Study, Subject, Task
from annotation.selectors.exhibits import config_of, kind_of
from annotation.selectors.files import study_as_file, study_materials
from annotation.selectors.plan import design_of
from annotation.selectors.wave_plan import wave_people
from annotation.services.audit import audit_count, audit_write
from annotation.services.dealing import WaveDeal, wave_deal, wave_planned
from annotation.services.materials import (
    NewTasks,
    Stock,
    materials_made,
    materials_store,
    tasks_made,
    tasks_store,
    texts_cut,
)
from annotation.study_files import read_study
from annotation.study_files.lookups import spelled_alike
from annotation.study_files.schema import Materials, StudyFile
from annotation.words import phrase

Row = TypeVar("Row")
SHOWN = 5  # of what differs, by name
TRIES = 3  # to make a wave ready while nobody changes the study


@dataclass(frozen=True)
class Wave:
    """What a wave has added."""

    documents: int
    systems: int
    outputs: int
    tasks: int
    subjects: int  # pieces that were dealt; 0 in a draft


def study_extend_upload(*, study: Study, source: IO[bytes]) -> Wave:
    """The same from a study file that came over the network."""
    study_file = read_study(
        source, max_bytes=settings.STUDY_UNPACKED_MAX_BYTES, seconds=settings.STUDY_READING_MAX_SECONDS
    )
    return study_extend(study=study, study_file=study_file)


def study_extend(*, study: Study, study_file: StudyFile) -> Wave:
    """Add what the file has and the study has not; in an open study it is dealt on top.

    What both have must be the same: a text that was judged is never another one afterwards. What the study has and the
    file has not stays. Of people, settings, design and scores the file says nothing here.
    """
    seen = study.wave
    for _ in range(TRIES):
        ready = _ready(study, study_file)
        try:
            return _extend(study, ready, seen=seen)
        except _Outdated:
            study.refresh_from_db()
    return _extend_at_once(study, study_file, seen=seen)


class _Outdated(Exception):
    """The study has changed since the wave was made ready."""


class _Ready(NamedTuple):
    """What a wave adds, made before anything is locked: people judge meanwhile. ``changes``: as :class:`dealing.Planned` has them."""

    new: StudyFile
    stock: Stock
    tasks: NewTasks
    deal: WaveDeal | None  # None in a draft
    changes: int


def _ready(study: Study, given: StudyFile) -> _Ready:
    """Nothing is written."""
    changes = audit_count(study)
    study.refresh_from_db(fields=["state", "design", "settings", "checks"])
    read = study_materials(study, scores=True)
    new = _what_is_new(study, given, study_as_file(study, read[0]))
    texts = texts_cut(new)
    stock = materials_made(study, new.materials, texts, new.prefilled)
    tasks = tasks_made(study, new, texts, stock)
    is_open = study.state == Study.State.OPEN
    deal = wave_planned(study, read, new.materials, tasks) if is_open else None
    return _Ready(new, stock, tasks, deal, changes)


@transaction.atomic
def _extend_at_once(study: Study, given: StudyFile, *, seen: int) -> Wave:
    """In a study that changes all the time nobody else changes it meanwhile. People go on to judge, and what they do is in the history, too:
    there is no looking whether that has grown."""
    _lock(study, seen)
    return _stored(study, _ready(study, given))


def _lock(study: Study, seen: int) -> None:
    study.refresh_from_db(
        from_queryset=Study.objects.select_for_update(no_key=True), fields=["state", "wave"]
    )
    if study.wave != seen:
        raise Refused(
            phrase(
                "Somebody else has added to this study in the meantime. Look at what it has, and send it "
                "again."
            )
        )
    if study.state == Study.State.CLOSED:
        raise Refused(phrase("The study is closed. Open it again first; then what you add can be judged."))


@transaction.atomic
def _extend(study: Study, ready: _Ready, *, seen: int) -> Wave:
    """``seen``: the wave that the file was compared with."""
    _lock(study, seen)
    if audit_count(study) != ready.changes or _are_others(study, ready.deal):
        raise _Outdated
    return _stored(study, ready)


def _stored(study: Study, ready: _Ready) -> Wave:
    """For whoever has the study locked."""
    materials_store(ready.stock)
    tasks_store(ready.tasks)
    study.wave += 1
    study.save(update_fields=["wave"])
    materials = ready.new.materials
    wave = Wave(
        documents=len(materials.documents),
        systems=len(materials.systems),
        outputs=len(materials.outputs),
        tasks=len(ready.new.tasks),
        subjects=wave_deal(study=study, deal=ready.deal) if ready.deal else 0,
    )
    audit_write(study=study, action="study.wave", target=f"wave {study.wave}", after=vars(wave))
    return wave


def _are_others(study: Study, deal: WaveDeal | None) -> bool:
    """Whether other people get something now: a link may have run out meanwhile."""
    return deal is not None and deal.people != [person.index for person in wave_people(study)]


# --- what is new, and what must not differ ------------------------------------------------------------------------


def _what_is_new(study: Study, given: StudyFile, known: StudyFile) -> StudyFile:
    """``known``: the study as it is."""
    problems: list[str] = []
    if given.language != known.language:
        problems.append(
            phrase(
                "The language is {language}; the study’s is {own}.",
                language=given.language,
                own=known.language,
            )
        )
    if given.document_language != known.document_language:
        problems.append(
            phrase(
                "The language of the sources is {language}; the study’s is {own}.",
                language=given.document_language,
                own=known.document_language,
            )
        )
    old, file = known.materials, given.materials

    def fresh(
        what: str, rows: Iterable[Row], stored: Iterable[Row], key: Callable[[Row], Hashable], says: Any
    ) -> tuple[Row, ...]:
        there = {key(row): row for row in stored}
        differ = [key(row) for row in rows if key(row) in there and says(row) != says(there[key(row)])]
        if differ:
            listed = ", ".join(_named(one) for one in differ[:SHOWN]) + (" …" if len(differ) > SHOWN else "")
            problems.append(
                phrase(
                    "{what} {listed}: not as in the study. What people judge stays as it is.",
                    what=what,
                    listed=listed,
                )
            )
        return tuple(row for row in rows if key(row) not in there)

    tasks = fresh("Task", given.tasks, known.tasks, lambda row: row.name, lambda row: (row.kind, row.config))
    names = {task.name for task in tasks}
    materials = Materials(
        topics=fresh("Topic", file.topics, old.topics, lambda row: row.id, lambda row: row.description),
        documents=fresh(
            "Document",
            file.documents,
            old.documents,
            lambda row: row.id,
            lambda row: (row.whole_text, row.topic),
        ),
        references=fresh(
            "Reference",
            file.references,
            old.references,
            lambda row: row.id,
            lambda row: (row.item, row.whole_text),
        ),
        outputs=fresh(
            "Output",
            file.outputs,
            old.outputs,
            lambda row: (row.system, row.item, row.kind),
            lambda row: (row.whole_text, row.author, row.citations),
        ),
        systems=fresh("System", file.systems, old.systems, lambda row: row.id, lambda row: row.type),
        questions=tuple(row for row in file.questions if row not in old.questions),
        units=fresh(
            phrase("Content unit"),
            file.units,
            old.units,
            lambda row: (row.owner, row.id),
            lambda row: row.text,
        ),
        seed=study.seed,
        language=study.language,
        source_language=study.source_language,
    )
    owners = {
        row.id for rows in (materials.topics, materials.documents, materials.references) for row in rows
    }
    if late := [row.owner for row in materials.units if row.owner not in owners]:
        problems.append(
            phrase(
                "Content units of {late}: people judge by those it has. Add units of new texts only.",
                late=late[0],
            )
        )
    both = (*old.outputs, *materials.outputs)  # those that the study has had alike stay as they are
    if alike := [name for place, name in spelled_alike(both) if place >= len(old.outputs)]:
        problems.append(
            phrase(
                "Tables would call two outputs “{name}”: write one of the ids without its slash.",
                name=alike[0],
            )
        )
    new_outputs = {(row.system, row.item, row.kind) for row in materials.outputs}
    if not (tasks or materials.topics or materials.documents or materials.references or materials.outputs):
        problems.append(phrase("There is nothing in the file that the study has not."))
    if problems:
        raise Refused(" ".join(problems))
    return replace(
        given,
        materials=materials,
        tasks=tuple(tasks),
        practice=tuple(row for row in given.practice if row.task in names),
        controls=tuple(row for row in given.controls if row.task in names),
        prefilled=tuple(row for row in given.prefilled if (row.system, row.item, row.kind) in new_outputs),
        assessors=(),
    )


def _named(key: Hashable) -> str:
    return "/".join(part for part in key if part) if isinstance(key, tuple) else str(key)


# --- more judgments of each ---------------------------------------------------------------------------------------


@transaction.atomic
def overlap_raise(*, study: Study, to: int, task: Task | None = None) -> int:
    """Every piece is judged by so many people: of one task, or of all that go by the study's design.

    What more is wanted goes to whoever is done with their own, least judged first, or is handed out by the pool. Returns
    how many judgments more that is.
    """
    study.refresh_from_db(
        from_queryset=Study.objects.select_for_update(no_key=True), fields=["state", "design", "wave"]
    )
    if task:
        # Two who raise it at once: the second must see what the first has made of it, or it is raised twice.
        task.refresh_from_db(fields=["design", "phase"])
    tasks = [task] if task else [row for row in study.tasks.all() if row.design is None]
    if not tasks:
        raise Refused(phrase("Every task has a design of its own. Say which task."))
    before = [design_of(study, row).assessors_per_item for row in tasks]
    if to <= max(before):
        raise Refused(
            phrase(
                "Every piece is judged {before} times already. Overlap can only be raised: judgments that "
                "were made stay, and leaving some out is done with a reason.",
                before=max(before),
            )
        )
    for row in tasks:
        _refuse_overlap(study, row, to)
    if task:
        task.design = design_of(study, task).model_dump(mode="json") | {"assessors_per_item": to}
        task.save(update_fields=["design"])
    else:
        study.design = Design.model_validate(study.design).model_dump(mode="json") | {
            "assessors_per_item": to
        }
    study.wave += 1
    study.save(update_fields=["design", "wave"])
    more = 0
    if study.state != Study.State.DRAFT:
        for row, number in zip(tasks, before, strict=True):
            phases = _phases_by_design(study, row)
            pieces = Subject.objects.filter(
                task=row, phase__in=phases, counts=True, practice=False, control=""
            )
            pieces = pieces.exclude(_about_any_of(design_of(study, row).shared))
            more += (to - number) * pieces.update(wanted=F("wanted") + to - number)
    target = f"task {task.name}" if task else "all tasks"
    was = {"assessors_per_item": max(before)}
    audit_write(
        study=study, action="study.overlap", target=target, before=was, after={"assessors_per_item": to}
    )
    return more


def _phases_by_design(study: Study, task: Task) -> list[str]:
    """The phases in which so many judge a piece as the design says; who builds a key, for one, the task says by itself."""
    kind, config, design = kind_of(task), config_of(task), design_of(study, task)
    more = design.model_copy(update={"assessors_per_item": design.assessors_per_item + 1})

    def asked(dealt: Design | None) -> int:
        return 0 if dealt is None or _is_writers_alone(dealt) else dealt.assessors_per_item

    return [
        phase
        for phase in kind.phases
        if asked(kind.dealt_as(config, design, phase)) < asked(kind.dealt_as(config, more, phase))
    ]


def _is_writers_alone(design: Design) -> bool:
    return design.order == "model-author" and not design.pool


def _about_any_of(items: Collection[str]) -> Q:
    """Subjects about these items, which everybody judges already."""
    paths = ("output__document", "output__topic", "document", "topic")
    return Q(*((f"{path}__key__in", items) for path in paths), _connector=Q.OR)


def _refuse_overlap(study: Study, task: Task, to: int) -> None:
    kind, config, design = kind_of(task), config_of(task), design_of(study, task)
    last = kind.dealt_as(config, design, kind.phases[-1])
    if kind.dealt_as(config, design, task.phase or kind.first_phase(config)) is None:
        raise Refused(phrase("Task {name} is judged by everybody already.", name=task.name))
    if last and _is_writers_alone(last):
        raise Refused(
            phrase(
                "Task {name}: whoever wrote a model or a key judges by it, and nobody else may.",
                name=task.name,
            )
        )
    if not _phases_by_design(study, task):
        raise Refused(
            phrase(
                "Task {name} says in its own settings how many people judge a piece; the design does not.",
                name=task.name,
            )
        )
    people = study.assessors.count()
    if study.state != Study.State.DRAFT and not design.pool and people < to:
        raise Refused(
            phrase(
                "Nobody judges a piece twice. Judgments of each: {to}; people: {people}. Add some first.",
                to=to,
                people=people,
            )
        )
