"""Dealing the work: what the plan says becomes subjects and assignments."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from django.db import transaction
from django.db.models import F, Max, Q, QuerySet

from annotation.errors import Refused
from annotation.models import Assessor, Assignment, ControlItem, SetMember, Study, Subject, Task
from annotation.selectors.exhibits import config_of, kind_of, members_of
from annotation.selectors.files import MaterialIds
from annotation.selectors.plan import Plan, TaskPlan, next_phase, phase_plan, study_plan, welcome_plans
from annotation.selectors.subjects import Ground, identity
from annotation.selectors.wave_plan import wave_plan, with_added
from annotation.selectors.work import assignments_left
from annotation.services.audit import audit_count, audit_write
from annotation.services.exclusions import results_settle_if_any, work_wait
from annotation.services.materials import NewTasks, Stock
from annotation.services.places import places_by_unit, places_draw_all
from annotation.services.rows import Ready, rows_store
from annotation.services.versions import version_make
from annotation.sets import Places
from annotation.study_files.schema import Materials
from annotation.words import phrase


class _Hand(NamedTuple):
    """What a task deals, ready to be stored: what is practised on, what is judged, and who gets which."""

    task: TaskPlan
    practice: Ready[Subject]
    pieces: Pieces
    assignments: Ready[Assignment]


class Pieces(NamedTuple):
    """Subjects that are to be stored, with the check items that the plan has made, and the members of sets."""

    controls: Ready[ControlItem]
    subjects: Ready[Subject]
    members: Ready[SetMember]


class Planned(NamedTuple):
    """What is to be dealt, and how many lines the study's history had when it was planned: every change writes one."""

    hands: list[_Hand]
    changes: int


def planned(study: Study) -> Planned:
    """The plan as the study is now, made ready; nothing is written. ``Refused`` says why it cannot be dealt."""
    changes = audit_count(study)
    study.refresh_from_db()  # whoever asks may have read it before the last change
    return Planned(_hands(study), changes)


def _hands(study: Study) -> list[_Hand]:
    plan = study_plan(study)
    if plan.problems:
        raise Refused(" ".join(plan.problems_in_words()))
    if not plan.tasks:
        raise Refused(phrase("The study has no task: there would be nothing to judge. Add one first."))
    positions: dict[int, int] = {}
    return [_hand(plan, task, positions) for task in plan.tasks]


def _hand(
    plan: Plan, task: TaskPlan, positions: dict[int, int], given: Collection[ControlItem] = ()
) -> _Hand:
    """``given``: check items that are not stored yet, and that somebody else stores."""
    subjects = _subjects_made(task)
    practice = [_Pair(person, subject) for person in plan.people for subject in task.practice]
    assignments = _assignments_made(practice + _pairs(task, subjects), positions)
    return _Hand(task, Ready(task.practice), _pieces(subjects, given), Ready(assignments))


def _hand_store(hand: _Hand) -> None:
    rows_store(hand.practice)
    _pieces_store(hand.pieces)
    rows_store(hand.assignments)
    _enter(hand.task)


@transaction.atomic
def assignments_deal(*, study: Study, planned: Planned | None = None) -> None:
    """Carry out the plan that the study page shows, for the first phase of every task.

    ``planned`` was made before; if the study has changed since, another is made.
    """
    is_fresh = planned is not None and planned.changes == audit_count(study)
    for hand in planned.hands if planned and is_fresh else _hands(study):
        _hand_store(hand)


@transaction.atomic
def phase_open(*, task: Task) -> None:
    """Open the next phase of a task: its subjects come from what was judged in the phases before."""
    _lock(task)
    phase = next_phase(task)
    if phase is None:
        raise Refused(phrase("Task {name} has no further phase.", name=task.name))
    if task.study.state != Study.State.OPEN:
        raise Refused(phrase("Open the study first."))
    plan = phase_plan(task, phase)
    if plan.problems:
        raise Refused(" ".join(plan.problems_in_words()))
    for dealt in plan.tasks:
        _assign(_dealt(dealt), _positions(task.study))
        _enter(dealt)
    results_settle_if_any(study=task.study)
    audit_write(study=task.study, action="task.phase", target=f"task {task.name}", after={"phase": phase})


class WaveDeal(NamedTuple):
    """What a wave deals, ready to be stored on top of what everybody has: positions and orders count from its own beginning."""

    people: list[int]
    hands: list[_Hand]


def wave_planned(
    study: Study, read: tuple[Materials, MaterialIds], materials: Materials, new: NewTasks
) -> WaveDeal:
    """The plan of a wave of these materials and tasks, which are not stored yet; ``read``: those that the study has."""
    everything, ids, added = with_added(read, materials)
    grounds = [
        Ground(
            task,
            everything,
            ids,
            practice=[item for item in new.practice if item.task is task],
            controls=[item for item in new.controls if item.task is task],
        )
        for task in new.tasks
    ]
    marked = frozenset(pk for pk, output in new.stock.new["output"].items() if output.prefilled)
    plan = wave_plan(study, added, (everything, replace(ids, marked=marked)), grounds)
    if plan.problems:
        raise Refused(" ".join(plan.problems_in_words()))
    positions: dict[int, int] = {}
    for task in plan.tasks:
        _refer(task, new.stock)
    return WaveDeal(plan.people, [_hand(plan, task, positions, new.controls) for task in plan.tasks])


def _refer(task: TaskPlan, stock: Stock) -> None:
    """Pieces that are about texts of a wave get their keys with those."""
    stock.refer(task.practice)
    for subject in stock.refer(task.subjects):
        stock.refer(members_of(subject))
    stock.refer(item for subject in task.subjects if (item := subject.control_item) and item.made)


@transaction.atomic
def wave_deal(*, study: Study, deal: WaveDeal) -> int:
    """Deal what was added to an open study, on top of what everybody has; returns how many subjects are new."""
    positions = _positions(study)
    for task, practice, pieces, assignments in deal.hands:
        last = Subject.objects.filter(task=task.task).aggregate(last=Max("order"))["last"]
        offset = 0 if last is None else last + 1
        pieces.subjects.change("order", [offset + subject.order for subject in pieces.subjects.rows])
        behind = [positions.get(row.assessor_id, 0) + row.position for row in assignments.rows]
        assignments.change("position", behind)
        _hand_store(_Hand(task, practice, pieces, assignments))
    results_settle_if_any(study=study)
    return sum(len(hand.task.subjects) for hand in deal.hands)


def _lock(task: Task) -> None:
    """One request at a time, and each sees the phase as it is, how often pieces are judged and whose key goes on: a double click must
    not deal everything twice, and what somebody has just been told holds. The study first, as
    everybody locks them: whoever erases a person at this moment wants the task after the person."""
    task.study.refresh_from_db(
        from_queryset=Study.objects.select_for_update(no_key=True), fields=["state", "design"]
    )
    task.refresh_from_db(
        from_queryset=Task.objects.select_for_update(no_key=True), fields=["phase", "design", "choices"]
    )


def _positions(study: Study) -> dict[int, int]:
    """How far each assessor's line reaches. Whoever asks for work at this moment gets it before, or waits."""
    list(study.assessors.select_for_update(no_key=True).order_by("pk").values_list("pk"))
    rows = Assignment.objects.filter(assessor__study=study).order_by().values_list("assessor")
    return dict(rows.annotate(last=Max("position")))


@transaction.atomic
def phase_extend(*, task: Task) -> int:
    """Add to the open phase what has been judged since it opened (late authors); returns how many subjects are new."""
    _lock(task)
    if task.study.state != Study.State.OPEN or task.phase in ("", kind_of(task).first_phase(config_of(task))):
        raise Refused(phrase("Only a later phase of an open study can be extended."))
    renewed = _versions_renew(task) if kind_of(task).builds else 0
    known = {identity(row) for row in _stored(task)}
    plan = phase_plan(task, task.phase, known=known)
    if plan.problems:
        raise Refused(" ".join(plan.problems_in_words()))
    for dealt in plan.tasks:
        _assign(_dealt(dealt), _positions(task.study))
    results_settle_if_any(study=task.study)
    new = renewed + sum(len(dealt.subjects) for dealt in plan.tasks)
    audit_write(study=task.study, action="task.extend", target=f"task {task.name}", after={"subjects": new})
    return new


def _versions_renew(task: Task) -> int:
    """Where a key has changed, what is judged by it is judged by the new version; returns how many subjects that are.

    Nobody submits or is handed work meanwhile, in the order in which a submit locks: else two would get the same place in somebody's
    line, and each version would count what the other was handed.
    """
    pieces = Assignment.objects.filter(subject__task=task, subject__phase=task.phase)
    work_wait(pieces.exclude(state=Assignment.State.ABANDONED), task.study.assessors.all())
    stored = {_matter(row): row for row in _stored(task)}
    plan = phase_plan(task, task.phase, known={identity(row) for row in stored.values()}, dealt=False)
    if plan.problems and stored:
        raise Refused(" ".join(plan.problems_in_words()))
    changed = [
        (stored[_matter(subject)], subject)
        for made in plan.tasks
        for subject in made.subjects
        if _matter(subject) in stored
    ]
    for old, new in changed:
        version_make(old=old, new=new)
    if changed:  # what was judged by the older key counts no more
        Study.objects.filter(pk=task.study_id).update(results_version=F("results_version") + 1)
    return len(changed)


def _matter(subject: Subject) -> tuple[int | None, ...]:
    """What a subject is about, by whatever key it is judged."""
    return subject.output_id, subject.reference_id, subject.document_id, subject.topic_id


def _stored(task: Task, phase: str | None = None) -> QuerySet[Subject]:
    """What a phase of the task has to judge, by default the one that is open."""
    rows = Subject.objects.filter(task=task, phase=task.phase if phase is None else phase, superseded=False)
    return rows.prefetch_related("members")


def subjects_made(plan: Plan) -> list[Pieces]:
    """What there is to judge, of each task, as rows: before anything is locked."""
    return [_pieces(_subjects_made(task)) for task in plan.tasks]


@transaction.atomic
def subjects_create(*, plan: Plan, made: list[Pieces] | None = None) -> None:
    """What there is to judge, dealt to nobody: for judgments that were made elsewhere."""
    for task, pieces in zip(plan.tasks, made or subjects_made(plan), strict=True):
        _pieces_store(pieces)
        _enter(task)


@transaction.atomic
def later_subjects_create(*, task: Task) -> None:
    """What the later phases of a task have to judge, as far as it is not there yet, dealt to nobody."""
    for phase in kind_of(task).phases[1:]:
        known = {identity(row) for row in _stored(task, phase)}
        for made in phase_plan(task, phase, known=known, dealt=False).tasks:
            _subjects_store(_subjects_made(made))
            _enter(made)


@transaction.atomic
def assignments_welcome(*, assessors: Sequence[Assessor]) -> None:
    """What people who join an open study get at once: practice, and what everybody gets.

    The rest comes on request: from a pool, or from what others leave undone.
    """
    positions = {assessor.pk: last_position(assessor) for assessor in assessors}
    for task in assessors[0].study.tasks.select_related("study") if assessors else ():
        # A practice item of the study file has nothing noted; what a protocol practises on is dealt with the rest.
        rehearsal = list(Subject.objects.filter(task=task, practice=True, noted={}).order_by("order"))
        for assessor, everybodys in zip(assessors, _everybodys(task, assessors), strict=True):
            subjects = [*rehearsal, *everybodys]
            places = places_draw_all(assessor, subjects)
            _assign([_Pair(assessor.pk, *pair) for pair in zip(subjects, places, strict=True)], positions)


def _everybodys(task: Task, assessors: Sequence[Assessor]) -> Iterator[list[Subject]]:
    """What everybody gets of the task, for each newcomer, who takes the place of somebody who is gone if there is one."""
    plans = welcome_plans(task, assessors)
    stored = _stored_among(task, list({one for person in assessors for one in plans.get(person.pk, ())}))
    left = assignments_left(task.study).filter(subject__in=list(stored.values()))
    for assessor in assessors:
        planned = plans.get(assessor.pk, [])
        mine = left.filter(subject__in=[stored[one] for one in planned])
        first = (
            mine.filter(counts=True).select_related("assessor").order_by("assessor_id").first()
            if planned
            else None
        )
        if first:
            planned = welcome_plans(task, [assessor], instead_of=first.assessor).get(assessor.pk, [])
            stored |= _stored_among(task, [one for one in planned if one not in stored])
            theirs = mine.filter(assessor=first.assessor).select_for_update(no_key=True, of=("self",))
            given_up = dict(theirs.values_list("pk", "subject"))
            _wanted_change(list(given_up.values()), -1)
            Assignment.objects.filter(pk__in=given_up).update(state=Assignment.State.ABANDONED)
        subjects = [stored[one] for one in planned]
        _wanted_change([subject.pk for subject in subjects], 1)
        yield subjects


def _stored_among(task: Task, identities: list[str]) -> dict[str, Subject]:
    rows = _stored(task).filter(_about_any(identities)) if identities else ()
    return {identity(row): row for row in rows}


FEW = 300  # pieces that are looked for one by one


def _about_any(identities: list[str]) -> Q:
    """Of a few pieces: what is about the same texts. There may be many others, and people wait."""
    if len(identities) > FEW:
        return Q()
    about = [json.loads(one)[0] for one in identities]
    outputs, _, documents, topics = (set(ids) - {None} for ids in zip(*about, strict=True))
    if None in (output for output, *_ in about) and not documents | topics:
        return Q()  # about references alone
    return Q(output__in=outputs) | Q(output=None, document__in=documents) | Q(output=None, topic__in=topics)


def _wanted_change(subjects: list[int], number: int) -> None:
    """So many judgments more are wanted of these, by somebody who has them already."""
    Subject.objects.filter(pk__in=subjects).update(wanted=F("wanted") + number, taken=F("taken") + number)


def last_position(assessor: Assessor) -> int:
    return assessor.assignments.aggregate(last=Max("position"))["last"] or 0


class _Pair(NamedTuple):
    assessor: int
    subject: Subject
    places: Places = []


def _dealt(task: TaskPlan) -> list[_Pair]:
    return _pairs(task, _subjects_store(_subjects_made(task)))


def _pairs(task: TaskPlan, subjects: list[Subject]) -> list[_Pair]:
    return [_Pair(one.assessor, subjects[one.subject], one.places) for one in task.dealt]


def _enter(task: TaskPlan) -> None:
    task.task.phase = task.phase
    task.task.save(update_fields=["phase"])


def _subjects_made(task: TaskPlan) -> list[Subject]:
    """The subjects of the plan, as they are to be stored."""
    taken = Counter(one.subject for one in task.dealt)
    for index, subject in enumerate(task.subjects):
        subject.order = task.order[index]
        # Of a control item as many as get it; in a pool that is not known beforehand.
        subject.wanted = taken[index] or (0 if subject.control else task.design.assessors_per_item)
        subject.taken = taken[index]
    return list(task.subjects)


def _subjects_store(subjects: list[Subject]) -> list[Subject]:
    """With the members of sets."""
    return _pieces_store(_pieces(subjects))


def _pieces(subjects: list[Subject], given: Collection[ControlItem] = ()) -> Pieces:
    items = [subject.control_item for subject in subjects if subject.control_item is not None]
    others = set(map(id, given))
    return Pieces(
        controls=Ready(item for item in items if item.pk is None and id(item) not in others),
        subjects=Ready(subjects),
        members=Ready(member for subject in subjects for member in _members(subject)),
    )


def _pieces_store(pieces: Pieces) -> list[Subject]:
    rows_store(pieces.controls)
    subjects = rows_store(pieces.subjects)
    rows_store(pieces.members)
    return subjects


def _members(subject: Subject) -> Iterator[SetMember]:
    for member in members_of(subject) if subject.set_id else ():
        member.subject = subject
        yield member


def _assign(pairs: list[_Pair], positions: dict[int, int]) -> None:
    rows_store(_assignments_made(pairs, positions))


def _assignments_made(pairs: list[_Pair], positions: dict[int, int]) -> list[Assignment]:
    """Who gets which, at the end of everybody's line; ``positions`` says how far it reaches, and afterwards does."""
    rows = []
    people = {pair.assessor for pair in pairs if pair.places}
    pseudonyms = dict(Assessor.objects.filter(pk__in=people).values_list("pk", "pseudonym")) if people else {}
    tasks: dict[int, Task] = {}  # each read once, with its study
    for assessor_id, subject, drawn in pairs:
        if drawn:
            if subject.task_id not in tasks:
                tasks[subject.task_id] = subject.task
            subject.task = tasks[subject.task_id]
        places = places_by_unit(pseudonyms[assessor_id], subject, drawn) if drawn else drawn
        positions[assessor_id] = positions.get(assessor_id, 0) + 1
        rows.append(
            Assignment(
                assessor_id=assessor_id,
                subject=subject,
                counts=subject.counts,
                position=positions[assessor_id],
                places=places,
            )
        )
    return rows
