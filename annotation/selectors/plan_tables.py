"""The plan as the study page shows it: how many pieces each assessor gets of each system, task by task.

Before a study opens the numbers come from the plan on paper; afterwards from what was dealt and leased.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

from django.db.models import Case, Count, Q, QuerySet, Value, When

from annotation.controls import describe_controls
from annotation.design_words import describe, describe_meetings, describe_sets, handed_on
from annotation.designs import Design, systems_in_runs
from annotation.models import Assessor, Assignment, SetMember, Study, Subject, Task
from annotation.selectors.draft_versions import KEPT_DRAFTS, DraftVersion, draft_version
from annotation.selectors.exhibits import config_of, kind_of, members_of
from annotation.selectors.keys import KeyRow, key_rows
from annotation.selectors.plan import design_of, next_phase, study_plan
from annotation.selectors.progress import counted
from annotation.selectors.subjects import PlannedSubjects
from annotation.study_files.schema import Settings
from annotation.words import phrase

Cell = tuple[int, int | None]  # assessor id, system id (None: the piece is nobody's output)


@dataclass(frozen=True)
class TaskTable:
    """One task: its design in words, and assessor × system counts."""

    name: str
    phase: str  # that is open
    title: str  # of its kind
    design: Design
    pieces: int
    practice: int
    description: str
    counts: Counter[Cell]  # a set counts for each of its systems
    loads: Counter[int]  # pieces, by assessor id
    next_phase: str | None = None  # which phase an owner can open now
    extendable: bool = False  # what was judged since the phase opened can be added to it
    keys: list[KeyRow] = field(default_factory=list)  # what its first phase has built

    def of_assessor(self, assessor: Assessor) -> int:
        return self.loads[assessor.pk]


@dataclass(frozen=True)
class PlanTables:
    tasks: list[TaskTable] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def has_pool(self) -> bool:
        return any(table.design.pool for table in self.tasks)


def plan_warnings(study: Study) -> list[str]:
    """What would spoil the judgments, though it can be carried out."""
    fixed = [
        task.name
        for task in study.tasks.all()
        if (design := design_of(study, task)).order == "fixed" and not design.interleave and not design.pool
    ]
    if not fixed or not systems_in_runs(
        list(study.outputs.order_by("pk").values_list("system__key", flat=True))
    ):
        return []
    return [
        phrase(
            "Task {fixed}: the order is fixed and the file is sorted by system, so that everybody meets "
            "all outputs of one system, then all of the next, and can tell them apart. Write "
            "“interleave: true” under “design” to let systems take turns, or choose another order, and "
            "import the study again.",
            fixed=", ".join(fixed),
        )
    ]


def plan_tables(study: Study) -> PlanTables:
    if study.state == Study.State.DRAFT:
        return _on_paper_as_it_stands(draft_version(study))
    return _as_dealt(study)


@lru_cache(maxsize=KEPT_DRAFTS)
def _on_paper_as_it_stands(version: DraftVersion) -> PlanTables:
    return _on_paper(version.study())


def _on_paper(study: Study) -> PlanTables:
    plan = study_plan(study)
    systems = dict(study.outputs.values_list("pk", "system_id"))
    tables = []
    for task in plan.tasks:
        plans = task.subjects.plans
        counted = [one for one in task.dealt if plans[one.subject].counts]
        counts: Counter[Cell] = Counter(
            (one.assessor, system)
            for one in counted
            for system in _systems(task.subjects.output_ids(one.subject), systems)
        )
        controls = sum(plan.control is not None for plan in plans)
        tables.append(
            TaskTable(
                name=task.task.name,
                phase=task.task.phase,
                title=kind_of(task.task).title,
                design=task.design,
                pieces=sum(plan.counts for plan in plans),
                practice=len(task.practice) + sum(plan.practice for plan in plans),
                description=_described(
                    task.task,
                    task.design,
                    len(plans) - controls,
                    len(plan.people),
                    met=_meetings(_members_on_paper(task.subjects, systems)),
                    controls=controls,
                ),
                counts=counts,
                loads=Counter(one.assessor for one in counted),
            )
        )
    return PlanTables(tasks=tables, problems=plan.problems_in_words(), warnings=plan_warnings(study))


def _described(
    task: Task, design: Design, pieces: int, people: int, *, met: Collection[int], controls: int
) -> str:
    """In words: the protocol's own way of dealing, else the design's."""
    kind, config = kind_of(task), config_of(task)
    dealt = kind.deal_described(config, design, people) or describe(design, pieces, people)
    phase = task.phase or kind.first_phase(config)
    return " ".join(
        filter(
            None,
            [
                dealt,
                describe_sets() if met else "",
                describe_meetings(met),
                describe_controls(controls),
                handed_on(kind.dealt_as(config, design, phase), _away(task.study)),
            ],
        )
    )


Member = tuple[int, int, int]  # which set, which of its texts, and a system that wrote it


def _members_on_paper(subjects: PlannedSubjects, systems: dict[int, int]) -> Iterator[Member]:
    for number, plan in enumerate(subjects.plans):
        if plan.set and plan.control is None:
            for member in members_of(subjects[number]):
                yield number, member.index, systems[member.output_id]


def _meetings(members: Iterable[Member]) -> Collection[int]:
    """For each two systems of the task, in how many sets they stand with different texts."""
    sets: dict[int, list[tuple[int, int]]] = {}
    for number, index, system in members:
        sets.setdefault(number, []).append((index, system))
    everybody = sorted({system for texts in sets.values() for _, system in texts})
    met = Counter(dict.fromkeys(combinations(everybody, 2), 0))
    for texts in sets.values():
        pairs = {
            (min(one, other), max(one, other))
            for (index, one), (place, other) in combinations(texts, 2)
            if index != place and one != other
        }
        met.update(pairs)
    return met.values()


def _away(study: Study) -> str:
    hours = Settings.model_validate(study.settings).reassign_after_hours
    stays_away = phrase(", or who stays away for {hours},", hours=counted(hours, "hour")) if hours else ""
    return phrase("whose link is revoked{stays_away}", stays_away=stays_away)


def _systems(outputs: Iterable[int], systems: dict[int, int]) -> set[int | None]:
    """The systems that wrote these outputs; None if there is none, and the piece is nobody's."""
    return {systems[pk] for pk in outputs} or {None}


class _Numbers(NamedTuple):
    """How many subjects a task has, of each sort."""

    pieces: int = 0
    practice: int = 0
    sets: int = 0
    controls: int = 0


def _numbers(study: Study) -> dict[int, _Numbers]:
    rows = (
        Subject.objects.filter(task__study=study)
        .order_by()
        .values_list("task")
        .annotate(
            pieces=Count("pk", filter=Q(counts=True)),
            practised=Count("pk", filter=Q(practice=True)),
            sets=Count("pk", filter=~Q(set_id="")),
            controls=Count("pk", filter=~Q(control="")),
        )
    )
    return {task: _Numbers(*counts) for task, *counts in rows}


def _pieces_by(counted: QuerySet[Assignment]) -> Iterable[tuple[int, int, int | None, bool, int]]:
    """Task, assessor, system (None: a set, or nobody's output), whether it is a set, and how many."""
    is_set = Case(When(subject__set_id="", then=Value(False)), default=Value(True))
    rows = counted.order_by().annotate(is_set=is_set)
    return rows.values_list("subject__task", "assessor", "subject__output__system", "is_set").annotate(
        n=Count("pk")
    )


def _sets_by(counted: QuerySet[Assignment]) -> Iterable[tuple[int, int, int, int]]:
    """Task, assessor, and how many sets with this system."""
    rows = counted.exclude(subject__set_id="").order_by()
    return rows.values_list("subject__task", "assessor", "subject__members__output__system").annotate(
        n=Count("pk", distinct=True)
    )


def _as_dealt(study: Study) -> PlanTables:
    people = study.assessors.count()
    numbers = _numbers(study)
    dealt: dict[int, Counter[Cell]] = {}
    loads: dict[int, Counter[int]] = {}
    counted = Assignment.objects.filter(assessor__study=study, counts=True).exclude(
        state=Assignment.State.ABANDONED
    )
    for task_pk, assessor_pk, system_pk, is_set, number in _pieces_by(counted):
        loads.setdefault(task_pk, Counter())[assessor_pk] += number
        if not is_set:
            dealt.setdefault(task_pk, Counter())[assessor_pk, system_pk] += number
    for task_pk, assessor_pk, system_pk, number in (
        _sets_by(counted) if any(row.sets for row in numbers.values()) else ()
    ):
        dealt.setdefault(task_pk, Counter())[assessor_pk, system_pk] += number
    return PlanTables(
        tasks=[
            _task_table(
                task, numbers.get(task.pk, _Numbers()), dealt.get(task.pk), loads.get(task.pk), people
            )
            for task in study.tasks.select_related("study")
        ]
    )


def _members_as_stored(task: Task) -> Iterable[Member]:
    rows = SetMember.objects.filter(subject__task=task, subject__control="")
    return rows.values_list("subject", "index", "output__system").iterator()


def _task_table(
    task: Task, has: _Numbers, dealt: Counter[Cell] | None, loads: Counter[int] | None, people: int
) -> TaskTable:
    design = design_of(task.study, task)
    return TaskTable(
        name=task.name,
        phase=task.phase,
        title=kind_of(task).title,
        design=design,
        pieces=has.pieces,
        practice=has.practice,
        description=_described(
            task,
            design,
            has.pieces - has.controls,
            people,
            met=_meetings(_members_as_stored(task)) if has.sets else (),
            controls=has.controls,
        ),
        counts=dealt or Counter(),
        loads=loads or Counter(),
        next_phase=next_phase(task),
        extendable=task.phase not in ("", kind_of(task).first_phase(config_of(task))),
        keys=key_rows(task),
    )
