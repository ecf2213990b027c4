"""Where people disagree: the queue of pieces beyond the threshold, the worst first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import (
    Case,
    Count,
    Exists,
    F,
    FloatField,
    Max,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
    Value,
    When,
)
from django.db.models.functions import Coalesce

from annotation.disagreement import Compared, Differing, differing, expected_difference
from annotation.models import (
    Adjudication,
    Disagreement,
    DisagreementQueue,
    Erasure,
    Exclusion,
    Judgment,
    Study,
    Subject,
)
from annotation.selectors.exhibits import SUBJECT_TEXTS, exhibit_placed, facts_of_subject, kind_of
from annotation.selectors.tasks import tasks_of
from annotation.sets import order_in

ROW_PARTS = (
    "task",
    "output__system",
    "output__document",
    "output__topic",
    "document",
    "topic",
    "adjudication__adjudicator",
)
AT_A_TIME = 100  # judgments that are read with their texts, which may be long
USUAL_ALPHA = 1.0  # as far apart as chance would have them


def queue_of(study: Study) -> DisagreementQueue:
    """The study's own, or what is usual, not stored."""
    return DisagreementQueue.objects.filter(study=study).first() or DisagreementQueue(study=study)


def stand_of_results(study: Study) -> str:
    """Changes when something is left out, included again or erased: then all pieces are looked at anew."""
    exclusions = Exclusion.objects.filter(study=study).aggregate(last=Max("pk"), ended=Max("ended_at"))
    erased = Erasure.objects.filter(study=study).aggregate(last=Max("pk"))
    return f"{exclusions['last'] or 0}/{exclusions['ended'] or ''}/{erased['last'] or 0}"[:80]


def counted() -> QuerySet[Judgment]:
    """Judgments among which there can be disagreement: no practice, no control items, nothing that is left out."""
    return Judgment.objects.filter(
        assignment__counts=True, assignment__left_out=False, assignment__subject__control=""
    )


def judgments_counted(study: Study) -> QuerySet[Judgment]:
    return counted().filter(assignment__assessor__study=study)


def judgments_unseen(queue: DisagreementQueue) -> QuerySet[Judgment]:
    return judgments_counted(queue.study).filter(pk__gt=queue.seen).order_by("pk")


def newest_of(study: Study, subjects: list[int]) -> QuerySet[Judgment]:
    """The newest judgment of everybody who judged one of these subjects, with what its rows are made of."""
    newer = Judgment.objects.filter(assignment=OuterRef("assignment"), revision__gt=OuterRef("revision"))
    rows = judgments_counted(study).filter(~Exists(newer), assignment__subject__in=subjects)
    return rows.select_related(
        "assignment__subject__output__system", *(f"assignment__subject__{path}" for path in SUBJECT_TEXTS)
    ).prefetch_related("assignment__subject__members__output__system")


def subjects_differing(study: Study, subjects: list[int]) -> dict[int, list[Differing]]:
    """How far people differ on each of these subjects; of those that one person has judged, nothing."""
    said: dict[int, list[list[Compared]]] = {}
    for judgment in newest_of(study, subjects).order_by("pk").iterator(chunk_size=AT_A_TIME):
        said.setdefault(judgment.assignment.subject_id, []).append(values_of(judgment))
    return {subject: differing(judges) for subject, judges in said.items() if len(judges) > 1}


def values_of(judgment: Judgment) -> list[Compared]:
    """What a judgment says that others can agree with; of a set by text, wherever it stood."""
    assignment = judgment.assignment
    facts = facts_of_subject(assignment.subject)
    if facts.kind.builds and assignment.subject.phase == facts.kind.phases[0]:
        return []  # a key is written, not judged
    exhibit = exhibit_placed(facts.exhibit, assignment.places)
    rows = facts.kind.rows(facts.config, exhibit, facts.record, facts.answer(judgment.answer))
    if assignment.places:
        rows = (
            row
            if row.output is None
            else row._replace(output=order_in(assignment.places, row.unit)[row.output])
            for row in rows
        )
    return list(facts.kind.values_compared(facts.config, rows))


# --- the queue ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Threshold:
    """From where on people disagree in one task."""

    task: str
    at: float


def thresholds(queue: DisagreementQueue) -> list[Threshold]:
    """As the experimenter has set it for all tasks, or what is usual for each."""
    return [
        Threshold(task.name, _threshold(queue, kind_of(task).disagreement_from))
        for task in tasks_of(queue.study)
    ]


def _threshold(queue: DisagreementQueue, usual_spread: float) -> float:
    if queue.threshold is not None:
        return queue.threshold
    return usual_spread if queue.by == DisagreementQueue.By.SPREAD else USUAL_ALPHA


def disagreements(queue: DisagreementQueue) -> QuerySet[Subject]:
    """Subjects at or beyond the threshold, the worst first.

    A constant number of queries, whatever the size of the study: what people said was added up before.
    """
    beyond = Q()
    for task in tasks_of(queue.study):
        beyond |= Q(task=task, distance__gte=_threshold(queue, kind_of(task).disagreement_from))
    rows = _measured(queue)
    if not beyond:
        return rows.none()
    return rows.filter(beyond, left_out=False)


def _measured(queue: DisagreementQueue) -> QuerySet[Subject]:
    """The study's subjects with ``distance``, ``criterion`` and ``judges``: of several criteria, the one that people differ most by."""
    known = Disagreement.objects.filter(subject__task__study=queue.study, subject__superseded=False)
    worst = (
        known.annotate(distance=_distance(queue, known))
        .filter(subject=OuterRef("pk"))
        .order_by("-distance", "criterion")
    )
    rows = Subject.objects.filter(task__study=queue.study, superseded=False)
    measured = rows.annotate(
        distance=Coalesce(Subquery(worst.values("distance")[:1], output_field=FloatField()), 0.0),
        criterion=Subquery(worst.values("criterion")[:1]),
        judges=Subquery(worst.values("judges")[:1]),
    )
    return measured.select_related(*ROW_PARTS).order_by("-distance", "pk")


def _distance(queue: DisagreementQueue, known: QuerySet[Disagreement]) -> Any:
    """The spread, or what the piece adds to α: its mean squared difference by the one expected in its task and criterion."""
    if queue.by == DisagreementQueue.By.SPREAD:
        return F("spread")
    sums = (
        known.order_by()
        .values("subject__task", "criterion")
        .annotate(n=Sum("values"), sum=Sum("total"), sum2=Sum("squares"))
    )
    cases = []
    for row in sums:
        expected = expected_difference(row["n"], row["sum"], row["sum2"])
        if expected > 0:
            cases.append(
                When(
                    subject__task=row["subject__task"],
                    criterion=row["criterion"],
                    then=F("within") / F("values") / Value(expected),
                )
            )
    return Case(*cases, default=Value(0.0), output_field=FloatField())


def queue_rows(queue: DisagreementQueue, show: str) -> QuerySet[Subject]:
    """``open``: beyond the threshold and given to nobody; ``given``: on somebody's desk; ``decided``.

    What was given stays in sight, whatever the threshold is by now.
    """
    if show in ("given", "decided"):
        given = _measured(queue).filter(adjudication__isnull=False)
        return given.filter(adjudication__decided_at__isnull=show == "given")
    return disagreements(queue).filter(adjudication=None)


def queue_counts(queue: DisagreementQueue) -> dict[str, int]:
    """How many pieces are to be given, are given, and are decided."""
    counted = adjudications_of(queue.study).aggregate(given=Count("pk"), decided=Count("decided_at"))
    waiting = queue_rows(queue, "open").count()
    return {
        "open": waiting,
        "given": counted["given"] - counted["decided"],
        "decided": counted["decided"],
    }


@dataclass(frozen=True)
class Said:
    """What one person judged, in a line, for the experimenter."""

    name: str
    words: str


def said_of(study: Study, subjects: list[int], *, names: bool) -> dict[int, list[Said]]:
    """By subject, what everybody said who judged it, people always in the same order; without ``names``, pseudonyms."""
    found: dict[int, list[Said]] = {}
    called = "name" if names else "pseudonym"
    rows = newest_of(study, subjects).select_related("assignment__assessor")
    for judgment in rows.order_by(f"assignment__assessor__{called}", "assignment"):
        facts = facts_of_subject(judgment.assignment.subject)
        exhibit = exhibit_placed(facts.exhibit, judgment.assignment.places)
        words = facts.kind.answer_in_words(facts.config, exhibit, facts.answer(judgment.answer))
        said = Said(getattr(judgment.assignment.assessor, called), words)
        found.setdefault(judgment.assignment.subject_id, []).append(said)
    return found


def subjects_named(study: Study, pks: list[int]) -> list[Subject]:
    """Those of the study among them, in the order in which they were named."""
    found = Subject.objects.filter(task__study=study).select_related("task__study").in_bulk(pks)
    return [found[pk] for pk in dict.fromkeys(pks) if pk in found]


def adjudications_of(study: Study) -> QuerySet[Adjudication]:
    return Adjudication.objects.filter(adjudicator__study=study, subject__superseded=False)
