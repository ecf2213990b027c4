"""The plan of a study: who will judge what, before anything is written. Opening the study carries it out."""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache

from annotation.controls import ControlPiece, with_controls
from annotation.designs import (
    MOST_DEALT,
    MOST_PIECES,
    Deal,
    Design,
    DesignProblem,
    PeopleProblem,
    Person,
    Piece,
    bounded,
    deal,
    pool_order,
    too_many_pieces,
)
from annotation.models import (
    WITH_ORIGINAL,
    Assessor,
    Control,
    Study,
    Subject,
    Task,
)
from annotation.selectors.check_items import check_items_made, check_items_of, numbered_controls
from annotation.selectors.exhibits import config_of, kind_of
from annotation.selectors.files import MaterialIds, study_materials
from annotation.selectors.judged import going_on, judged_so_far, keys_undecided, loads, people_of, person_of
from annotation.selectors.subjects import (
    Ground,
    PlannedSubjects,
    control_subjects,
    first_subjects,
    identity,
    numbered,
    practice_planned,
    subject_planned,
)
from annotation.selectors.work import GONE
from annotation.sets import drawn_places
from annotation.study_files.schema import Materials
from annotation.tasks.terms import SubjectPlan
from annotation.words import phrase


@dataclass(frozen=True)
class Dealt:
    """A subject for an assessor. ``places``: of a set, the index of the text at each place."""

    assessor: int
    subject: int  # index into the task plan's subjects
    places: list[int]


@dataclass(frozen=True)
class TaskPlan:
    """One task: its subjects as they would be stored, and who gets which. ``order`` serves a pool."""

    task: Task
    phase: str
    design: Design
    subjects: PlannedSubjects
    practice: list[Subject]
    dealt: list[Dealt]
    order: list[int]


@dataclass(frozen=True)
class PlanProblem:
    """Why a study cannot open. ``of_people``: it is mended where people are added and grouped, and not in the design."""

    words: str
    of_people: bool = False

    @classmethod
    def of(cls, task: Task, problem: DesignProblem) -> PlanProblem:
        return cls(f"Task {task.name}: {problem}", of_people=isinstance(problem, PeopleProblem))


@dataclass(frozen=True)
class Plan:
    people: list[int]  # assessor ids
    already: Counter[int]  # pieces that each of them has, so that loads come out even over all tasks
    tasks: list[TaskPlan] = field(default_factory=list)
    problems: list[PlanProblem] = field(default_factory=list)

    def problems_in_words(self) -> list[str]:
        return [problem.words for problem in self.problems]


def design_of(study: Study, task: Task) -> Design:
    """The task's own design, else the study's."""
    return Design.model_validate(task.design if task.design is not None else study.design)


def has_pool(study: Study) -> bool:
    """Whether some task of the study is an open pool."""
    return _has_pool(study.pk, study.opened_at, study.wave) if study.opened_at else _pool_among(study)


@lru_cache(maxsize=1000)
def _has_pool(study_pk: int, opened_at: datetime, wave: int) -> bool:
    """A design does not change once the study is open but by a wave, so every process looks once."""
    return _pool_among(Study.objects.get(pk=study_pk, opened_at=opened_at))


def _pool_among(study: Study) -> bool:
    return any(design_of(study, task).pool for task in study.tasks.all())


def next_phase(task: Task) -> str | None:
    """The phase that comes after the one that is open."""
    phases = kind_of(task).phases
    later = phases[phases.index(task.phase) + 1 :] if task.phase in phases else phases
    return later[0] if later else None


# --- whole plans --------------------------------------------------------------------------------------------------


def study_plan(
    study: Study, *, dealt: bool = True, read: tuple[Materials, MaterialIds] | None = None
) -> Plan:
    """Deal the first phase of every task to the assessors, on paper; or only list what there is to judge.

    ``read``: the materials, if they are at hand.
    """
    people = people_of(study)
    plan = Plan(people=[person.index for person in people], already=Counter())
    tasks = list(study.tasks.prefetch_related("practice_items", "control_items"))
    if dealt and not people and not all(design_of(study, task).pool for task in tasks):
        words = phrase("There are no assessors yet. Add some, or let the design be a pool.")
        plan.problems.append(PlanProblem(words, of_people=True))
        return plan
    materials, ids = read or study_materials(study)
    for task in tasks:
        ground = Ground.of(task, materials, ids)
        try:
            subjects, controls = first_subjects(ground), control_subjects(ground)
        except DesignProblem as problem:
            plan.problems.append(PlanProblem.of(task, problem))
            continue
        if sum(len(other.subjects) for other in plan.tasks) + len(subjects) > MOST_PIECES:
            plan.problems.append(PlanProblem.of(task, too_many_pieces()))
            continue
        phase = kind_of(task).first_phase(config_of(task))
        plan_task(plan, ground, phase, subjects, people if dealt else None, controls, crowd=people)
    return plan


def welcome_plans(
    task: Task, newcomers: Sequence[Assessor], *, instead_of: Assessor | None = None
) -> dict[int, list[str]]:
    """What each of those who join an open study gets of a task at once, in order: what everybody gets, by its identity.

    One who comes ``instead_of`` somebody gets that person's order, so that orders stay counterbalanced.
    """
    kind, config, design = kind_of(task), config_of(task), design_of(task.study, task)
    phase = kind.first_phase(config)
    everything = kind.dealt_as(config, design, phase) is None
    if task.phase != phase or design.pool or not (everything or design.shared):
        return {}
    ground, pieces = _ground_read(task.pk, task.study.opened_at, task.study.wave, json.dumps(task.config))
    ground = replace(ground, task=task)
    subjects = [subject for subject in pieces if everything or subject.item in design.shared]
    people = people_of(task.study)
    if instead_of:
        new = next(person for person in people if person.index == newcomers[0].pk)
        others = [person for person in people if person is not new]
        people = [new if person.index == instead_of.pk else person for person in others]
    try:
        deals = _deals(ground, phase, design, subjects, people, already=Counter())
    except DesignProblem:  # none of the people who are left may do it
        return {}
    names = [identity(subject_planned(ground, phase, subject)) for subject in subjects]
    plans: dict[int, list[str]] = {newcomer.pk: [] for newcomer in newcomers}
    for one in deals:
        if one.person in plans:
            plans[one.person].append(names[one.piece])
    return plans


@lru_cache(maxsize=8)
def _ground_read(
    task_pk: int, opened_at: datetime | None, wave: int, config: str
) -> tuple[Ground, list[SubjectPlan]]:
    """Materials do not change once the study is open but by a wave, so every process reads them once."""
    tasks = Task.objects.select_related("study")
    task = tasks.get(pk=task_pk, study__opened_at=opened_at, study__wave=wave)
    task.config = json.loads(config)
    ground = Ground.of(task, *study_materials(task.study))
    return ground, first_subjects(ground)


def welcome_read_ahead(study: Study) -> None:
    """For whoever is about to add somebody: what takes long to read is read before the database is locked."""
    study.refresh_from_db(fields=["state", "opened_at", "wave", "design"])
    if study.state == Study.State.OPEN:
        for task in study.tasks.all():
            if not design_of(study, task).pool and _is_welcomed(task, design_of(study, task)):
                with suppress(Task.DoesNotExist):  # a wave has come meanwhile
                    _ground_read(task.pk, study.opened_at, study.wave, json.dumps(task.config))


def _is_welcomed(task: Task, design: Design) -> bool:
    """Whether newcomers get something of the task at once."""
    kind, config = kind_of(task), config_of(task)
    return bool(kind.dealt_as(config, design, kind.first_phase(config)) is None or design.shared)


def phase_plan(task: Task, phase: str, *, known: Collection[str] = (), dealt: bool = True) -> Plan:
    """Deal a later phase of one task, from what was judged before; without the subjects that are ``known``."""
    people = [person_of(assessor) for assessor in task.study.assessors.exclude(GONE)]
    plan = Plan(people=[person.index for person in people], already=loads(task.study))
    ground = Ground.of(task, *study_materials(task.study))
    judged = list(judged_so_far(task, counted=True))
    if undecided := keys_undecided(task, judged):
        words = phrase(
            "Task {name}: several people have built a key for {undecided}. Choose one of each on the plan page.",
            name=task.name,
            undecided=", ".join(undecided),
        )
        plan.problems.append(PlanProblem(words))
        return plan
    later = kind_of(task).later_subjects(config_of(task), ground.materials, phase, going_on(task, judged))
    try:
        subjects = [
            subject
            for subject in numbered(bounded(later), ground.materials)
            if identity(subject_planned(ground, phase, subject)) not in known
        ]
    except DesignProblem as problem:
        plan.problems.append(PlanProblem.of(task, problem))
        return plan
    if known and not subjects:
        return plan
    plan_task(plan, replace(ground, practice=[]), phase, subjects, people if dealt else None, [])
    return plan


# --- people and what they have done ------------------------------------------------------------------------------


# --- dealing ------------------------------------------------------------------------------------------------------


def plan_task(
    plan: Plan,
    ground: Ground,
    phase: str,
    subjects: list[SubjectPlan],
    people: list[Person] | None,
    controls: list[SubjectPlan],
    *,
    crowd: Sequence[Person] = (),
    met: Mapping[tuple[int, str], int] | None = None,
) -> None:
    """Add one task's phase to the plan, or say why it cannot be dealt.

    ``met``: what people have of this task's systems already. ``crowd``: for whom check items are chosen where nothing is dealt, so that they are those of the study once it is open.
    """
    task = ground.task
    design = design_of(task.study, task)
    nothing = PlanProblem(
        phrase(
            "Task {name}: there is nothing to judge. Check outputs, references and practice.", name=task.name
        )
    )
    if not subjects:
        plan.problems.append(nothing)
        return
    try:
        deals = [] if people is None else _deals(ground, phase, design, subjects, people, plan.already, met)
    except DesignProblem as problem:
        plan.problems.append(PlanProblem.of(task, problem))
        return
    if people and not deals and not design.pool:
        plan.problems.append(nothing)
        return
    if deals:
        # A protocol leaves out what only practice would have needed, such as the full text of a practised surrogate.
        used = sorted({one.piece for one in deals})
        if len(used) < len(subjects):
            place = {piece: index for index, piece in enumerate(used)}
            subjects = [subjects[piece] for piece in used]
            deals = [Deal(one.person, place[one.piece]) for one in deals]
        plan.already.update(one.person for one in deals if subjects[one.piece].counts)
    if phase == kind_of(task).first_phase(config_of(task)):
        paper = deals or _on_paper(plan, ground, phase, subjects, crowd)
        made = check_items_made(ground, subjects, _hands(paper))
        controls = [*controls, *numbered_controls(made, len(ground.controls))]
        ground = replace(ground, controls=[*ground.controls, *(item for item, _ in made)])
    if deals:
        deals = _with_controls(ground, subjects, controls, deals, people or [])
    order = _pool_order(ground, subjects) if design.pool else range(len(subjects))
    subjects = subjects + controls
    plan.tasks.append(
        TaskPlan(
            task=task,
            phase=phase,
            design=design,
            subjects=PlannedSubjects(ground, phase, subjects),
            practice=practice_planned(task, ground.practice, phase),
            dealt=_placed(ground, subjects, deals),
            order=[*order, *range(len(order), len(subjects))],
        )
    )


def _pool_order(ground: Ground, subjects: Sequence[SubjectPlan]) -> Sequence[int]:
    pieces = [_piece(index, subject, ground.materials) for index, subject in enumerate(subjects)]
    return pool_order(pieces, seed=_seed(ground.task))


def _deals(
    ground: Ground,
    phase: str,
    design: Design,
    subjects: list[SubjectPlan],
    people: list[Person],
    already: Counter[int],
    met: Mapping[tuple[int, str], int] | None = None,
) -> list[Deal]:
    """The protocol's own deal, else the design's."""
    task, seed = ground.task, _seed(ground.task)
    kind, config = kind_of(task), config_of(task)
    everybody = kind.dealt_as(config, design, phase) is None
    each, shared = min(len(people), design.assessors_per_item), set(design.shared)
    wanted = (len(people) if everybody or one.item in shared else each for one in subjects)
    if not design.pool and already.total() + sum(wanted) > MOST_DEALT:
        raise DesignProblem(
            phrase(
                "more than {most} judgments would be asked for. Let fewer people judge each piece, or let it be a pool.",
                most=f"{MOST_DEALT:,}",
            )
        )
    own = kind.deal(config, design, phase, subjects, people, seed=seed, already=already)
    if own is not None:
        return own
    if people:
        people = [person for person in people if kind.takes_part(config, phase, person)]
        if not people:
            raise PeopleProblem(
                phrase(
                    "nobody is in the group that does “{phase}”. Put somebody in, or let everybody take part.",
                    phase=phase,
                )
            )
    design = kind.dealt_as(config, design, phase) or design
    pieces = [_piece(index, subject, ground.materials) for index, subject in enumerate(subjects)]
    return deal(design, pieces, people, seed=seed, already=already, met=met)


def _hands(deals: Sequence[Deal]) -> dict[int, list[int]]:
    hands: dict[int, list[int]] = defaultdict(list)
    for one in deals:
        hands[one.person].append(one.piece)
    return hands


def _on_paper(
    plan: Plan, ground: Ground, phase: str, subjects: list[SubjectPlan], crowd: Sequence[Person]
) -> list[Deal]:
    """What would be dealt, where that decides which check items there are."""
    task = ground.task
    if not crowd or not check_items_of(task.study, task).asked:
        return []
    try:
        deals = _deals(ground, phase, design_of(task.study, task), subjects, list(crowd), plan.already)
    except DesignProblem:
        return []
    plan.already.update(one.person for one in deals if subjects[one.piece].counts)
    return deals


def _with_controls(
    ground: Ground,
    subjects: Sequence[SubjectPlan],
    controls: Sequence[SubjectPlan],
    deals: list[Deal],
    people: Sequence[Person],
) -> list[Deal]:
    """The deals with control items between them; their indices go on after those of the subjects."""
    if not controls:
        return deals
    original_of: dict[tuple[object, ...], int] = {}
    for index, subject in enumerate(subjects):
        original_of.setdefault(_about(subject), index)
    pieces = []
    for index, control in enumerate(controls, start=len(subjects)):
        item = ground.controls[control.control or 0]
        original = original_of.get(_about(control)) if item.type in WITH_ORIGINAL else None
        if item.type in WITH_ORIGINAL and original is None:
            continue  # nobody judges the original, which is there to practise on
        piece = _piece(index, control, ground.materials)
        pieces.append(ControlPiece(piece, original, comes_after=item.type == Control.REPEAT))
    design = design_of(ground.task.study, ground.task)
    dealt = [_piece(index, subject, ground.materials) for index, subject in enumerate(subjects)]
    return with_controls(design, deals, dealt, pieces, people, seed=_seed(ground.task))


def _about(subject: SubjectPlan) -> tuple[object, ...]:
    """What a control item has in common with the piece that it was made of."""
    return subject.outputs, subject.reference, json.dumps(dict(subject.shown), sort_keys=True)


def _placed(ground: Ground, subjects: Sequence[SubjectPlan], deals: Sequence[Deal]) -> list[Dealt]:
    """Each person's sets with the places of their texts; a repeat has them the other way round."""
    sets: dict[int, list[int]] = defaultdict(list)  # person → numbers of deals
    repeats: list[int] = []
    first: dict[tuple[object, ...], int] = {}  # person and piece → number of the deal as it is
    for number, one in enumerate(deals):
        subject = subjects[one.piece]
        if not subject.set:
            continue
        if subject.control is not None and ground.controls[subject.control].type == Control.REPEAT:
            repeats.append(number)
            continue
        sets[one.person].append(number)
        if subject.control is None:
            first[one.person, *_about(subject)] = number
    places: dict[int, list[int]] = {}
    # A pseudonym is the same wherever the study is opened; an id of the database is not.
    names = dict(ground.task.study.assessors.values_list("pk", "pseudonym")) if sets else {}
    for person, numbers in sets.items():
        systems = [
            [ground.materials.outputs[output].system for output in subjects[deals[number].piece].outputs]
            for number in numbers
        ]
        drawn = drawn_places(
            systems, random.Random(f"{_seed(ground.task)}/places/{names.get(person, person)}")
        )
        places.update(zip(numbers, drawn, strict=True))
    for number in repeats:
        one = deals[number]
        places[number] = places[first[one.person, *_about(subjects[one.piece])]][::-1]
    return [Dealt(one.person, one.piece, places.get(number, [])) for number, one in enumerate(deals)]


def _seed(task: Task) -> int:
    """Each task has a seed of its own: adding a task at the end must not change the plan of the others."""
    return task.study.seed * 1009 + task.position


def _piece(index: int, subject: SubjectPlan, materials: Materials) -> Piece:
    """A set counts as a system of its own, and nobody judges one with a text of theirs."""
    outputs = [
        materials.outputs[same] for output in subject.outputs for same in _alike(subject, output, materials)
    ]
    reference = materials.references[subject.reference] if subject.reference is not None else None
    return Piece(
        index=index,
        item=subject.item,
        system="\x1f".join(sorted(output.system for output in outputs)),
        authors=subject.authors | (frozenset(output.author for output in outputs) - {""}),
        writer=subject.writer or (reference.author if reference else ""),
    )


def _alike(subject: SubjectPlan, output: int, materials: Materials) -> list[int]:
    return materials.same_outputs(output) if subject.set else [output]
