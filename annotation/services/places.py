"""Where the outputs of a set stand, for work that is handed out one piece at a time."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Hashable

from annotation.models import Assessor, Assignment, Control, SetMember, Subject
from annotation.sets import drawn_places, next_places


def places_draw_all(assessor: Assessor, subjects: list[Subject]) -> list[list[int]]:
    """The same for all that somebody gets at once, and has had nothing before: every system at every place equally often."""
    return places_drawn(subjects, random.Random(f"{assessor.study.seed}/{assessor.pk}"))


def places_drawn(subjects: list[Subject], rng: random.Random) -> list[list[int]]:
    """For each subject the index of the text at each place; nothing for one that is no set."""
    sets = [subject.pk for subject in subjects if subject.set_id]
    systems = _systems(sets) if sets else {}
    drawn = dict(zip(sets, drawn_places([systems[pk] for pk in sets], rng), strict=True))
    return [drawn.get(subject.pk, []) for subject in subjects]


def places_draw(assessor: Assessor, subject: Subject) -> list[int]:
    """The index of the text at each place, so that this assessor meets every system at every place about equally often."""
    if not subject.set_id:
        return []
    if subject.control == Control.REPEAT and (before := _original_places(assessor, subject)):
        return before[::-1]
    systems = _systems([subject.pk])[subject.pk]
    met = dict(
        Assignment.objects.filter(assessor=assessor, subject__task=subject.task_id)
        .exclude(subject__set_id="")
        .values_list("subject", "places")
    )
    stood: Counter[tuple[Hashable, int]] = Counter()
    for pk, earlier in _systems(list(met)).items():
        stood.update((earlier[index], place) for place, index in enumerate(met[pk]))
    rng = random.Random(f"{assessor.study.seed}/{assessor.pk}/{subject.pk}")
    return next_places(systems, stood, rng)


def _original_places(assessor: Assessor, subject: Subject) -> list[int]:
    """Where the texts of a set stood when this assessor judged it first: a repeat shows them the other way round."""
    same = {"task": subject.task_id, "document": subject.document_id, "topic": subject.topic_id}
    original = Assignment.objects.filter(
        **{f"subject__{name}": value for name, value in same.items() if value is not None},
        assessor=assessor,
        subject__set_id=subject.set_id,
        subject__control="",
    ).first()
    return original.places if original else []


def _systems(subjects: list[int]) -> dict[int, list[int]]:
    """Of each set the systems by index; of several with the same text the first."""
    found: dict[int, dict[int, int]] = {}
    rows = SetMember.objects.filter(subject__in=subjects).order_by("subject", "index", "pk")
    for subject, index, system in rows.values_list("subject", "index", "output__system"):
        found.setdefault(subject, {}).setdefault(index, system)
    return {subject: [systems[index] for index in sorted(systems)] for subject, systems in found.items()}
