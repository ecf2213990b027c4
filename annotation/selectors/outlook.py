"""What a design comes to, before anybody is asked: pieces, judgments, words to read, hours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import combinations

from django.contrib.auth.models import User
from django.db.models import Avg, Count
from django.db.models.functions import Length

from annotation.design_words import describe_confounded
from annotation.designs import Design, DesignProblem, bounded
from annotation.models import AuditEntry, Judgment, Output, Study, Task
from annotation.selectors.exhibits import config_of, kind_of
from annotation.selectors.files import study_materials
from annotation.selectors.plan import design_of
from annotation.selectors.progress import duration
from annotation.study_files.schema import Materials
from annotation.tasks.spans import word_count
from annotation.tasks.terms import SubjectPlan
from annotation.words import phrase

WORDS_A_MINUTE = 220  # of careful reading
SECONDS_A_QUESTION = 8
LONG_WORDS, LONG_UNITS = 1000, 50  # of one text: more is tiring on a single page
ENOUGH_TIMES = 20  # judgments of a kind, before their mean says more than a guess


@dataclass(frozen=True)
class Outlook:
    """One task. ``seconds``: for one piece; ``seen``: of how many judgments that is the mean, 0 if it is a guess."""

    task: Task
    title: str
    design: Design
    own_design: bool
    pieces: int
    items: int
    systems: int
    each: int  # people who judge one piece
    judgments: int
    per_person: float
    words: float
    seconds: float
    seen: int
    meetings: int  # the fewest pieces in which two systems meet
    compares: bool
    confounded: list[str]
    problem: str = ""

    @property
    def seconds_per_person(self) -> float:
        return self.per_person * self.seconds

    @property
    def time_per_person(self) -> str:
        return duration(self.seconds_per_person)


def task_outlooks(study: Study, user: User, *, people: int) -> list[Outlook]:
    """A fixed number of queries for each task."""
    materials, _ = study_materials(study)
    return [_outlook(study, task, materials, user, people) for task in study.tasks.all()]


def _outlook(study: Study, task: Task, materials: Materials, user: User, people: int) -> Outlook:
    kind, config, design = kind_of(task), config_of(task), design_of(study, task)
    problem = ""
    try:
        subjects = [subject for subject in bounded(kind.subjects(config, materials)) if subject.counts]
    except DesignProblem as reason:
        subjects, problem = [], str(reason)
    everybody = kind.dealt_as(config, design, kind.first_phase(config)) is None
    each = people if everybody else min(design.assessors_per_item, people)
    together = [{materials.outputs[output].system for output in subject.outputs} for subject in subjects]
    systems = set().union(*together)
    words = _words(subjects, materials, "document" in kind.needs(config))
    seconds, seen = _seconds(task.kind, user)
    questions = len(getattr(config, "criteria", None) or getattr(config, "statements", None) or (1,))
    return Outlook(
        task=task,
        title=kind.title,
        design=design,
        own_design=task.design is not None,
        pieces=len(subjects),
        items=len({subject.item for subject in subjects}),
        systems=len(systems),
        each=each,
        judgments=len(subjects) * each,
        per_person=len(subjects) * each / max(people, 1),
        words=words,
        seconds=seconds if seen else words / WORDS_A_MINUTE * 60 + questions * SECONDS_A_QUESTION,
        seen=seen,
        meetings=_fewest_meetings(together, systems),
        compares=kind.compares_in(config),
        confounded=[] if everybody else describe_confounded(design),
        problem=problem,
    )


def _words(subjects: Sequence[SubjectPlan], materials: Materials, shows_source: bool) -> float:
    """Words on the page of one piece, on average."""
    if not subjects:
        return 0.0
    outputs = [word_count(row.whole_text) for row in materials.outputs]
    references = [word_count(row.whole_text) for row in materials.references]
    documents = {row.id: word_count(row.whole_text) for row in materials.documents}
    numbers = list(documents.values())
    total = 0
    for subject in subjects:
        total += sum(outputs[output] for output in subject.outputs)
        total += references[subject.reference] if subject.reference is not None else 0
        if subject.document is not None:
            total += numbers[subject.document]
        elif shows_source and subject.outputs:
            total += documents.get(materials.outputs[subject.outputs[0]].document, 0)
    return total / len(subjects)


def _seconds(kind: str, user: User) -> tuple[float, int]:
    """The mean time of judgments of this kind in the user's studies, and of how many; (0, 0) if of too few.

    Made-up people take no time: studies that were played are not among them.
    """
    played = AuditEntry.objects.filter(action="judgments.simulate").values("chain")
    seen = (
        Judgment.objects.exclude(assignment__assessor__study__in=played)
        .filter(
            assignment__subject__task__kind=kind,
            assignment__assessor__study__memberships__user=user,
            assignment__assessor__study__deleted_at=None,
            assignment__counts=True,
            assignment__left_out=False,
            revision=1,
            imported=False,
        )
        .aggregate(mean=Avg("seconds"), n=Count("pk"))
    )
    return (float(seen["mean"]), seen["n"]) if seen["n"] >= ENOUGH_TIMES else (0.0, 0)


def long_pieces(study: Study) -> list[str]:
    """What is to be said of a text that is long for one page, task by task; the one with the most letters stands for all."""
    longest = (
        Output.objects.filter(study=study).annotate(letters=Length("text")).order_by("-letters", "pk").first()
    )
    if longest is None:
        return []
    words, units = len(longest.text.split()), len(longest.units)
    if words <= LONG_WORDS and units <= LONG_UNITS:
        return []
    found = []
    for task in study.tasks.all():
        config = config_of(task)
        pieces = type(config).model_fields.get("window")
        if pieces is not None and getattr(config, "window", None) is not None:
            continue
        said = phrase(
            "Task {task}: the longest text is one page. Words: {words}; units: {units}.",
            task=task.name,
            words=f"{words:,}",
            units=f"{units:,}",
        )
        if pieces is not None:
            said += " " + phrase("“{title}” in its settings cuts it into several.", title=pieces.title)
        found.append(said)
    return found


def _fewest_meetings(together: Sequence[Collection[str]], systems: Collection[str]) -> int:
    met: Counter[tuple[str, str]] = Counter()
    for shown in together:
        met.update(combinations(sorted(shown), 2))
    pairs = list(combinations(sorted(systems), 2))
    return min((met[pair] for pair in pairs), default=0)
