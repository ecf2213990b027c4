"""Where the outputs of a set stand, for work that is handed out one piece at a time."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Hashable

from annotation.models import Assessor, Assignment, Control, SetMember, Subject
from annotation.selectors.exhibits import outputs_of, units_with_places
from annotation.selectors.work import original_of
from annotation.sets import Places, drawn_by_unit, drawn_places, is_by_unit, next_places, other_way_round


def places_draw_all(assessor: Assessor, subjects: list[Subject]) -> list[list[int]]:
    """The same for all that somebody gets at once, and has had nothing before: every system at every place equally often."""
    return places_drawn(subjects, random.Random(f"{assessor.study.seed}/{assessor.pseudonym}"))


def places_drawn(subjects: list[Subject], rng: random.Random) -> list[list[int]]:
    """For each subject the index of the text at each place; nothing for one that is no set."""
    sets = [subject.pk for subject in subjects if subject.set_id]
    systems = _systems(sets) if sets else {}
    drawn = dict(zip(sets, drawn_places([systems[pk] for pk in sets], rng), strict=True))
    return [drawn.get(subject.pk, []) for subject in subjects]


def places_by_unit(pseudonym: str, subject: Subject, places: Places) -> Places:
    """The same drawn for each unit, where the study says so and all texts have as many units as they are shown.

    Pieces of one document are sets of their own and drawn alike, since they have the same texts; a repeat is shown the other
    way round. The seed knows names and texts and no ids of the database, so that a study opened elsewhere has the same places.
    """
    if not places or is_by_unit(places):
        return places
    units = units_with_places(subject)
    if not units:
        return places
    texts = "\n".join(same[0].text for same in outputs_of(subject))
    rng = random.Random(f"{subject.task.study.seed}/units/{pseudonym}/{subject.task.name}/{texts}")
    drawn = drawn_by_unit(len(places), units, rng)
    return other_way_round(drawn) if subject.control == Control.REPEAT else drawn


def places_draw(assessor: Assessor, subject: Subject) -> Places:
    """The places of a set for one who asks for work (:func:`_places_draw`), unit by unit where the study says so."""
    return places_by_unit(assessor.pseudonym, subject, _places_draw(assessor, subject))


def _places_draw(assessor: Assessor, subject: Subject) -> Places:
    """The index of the text at each place, so that this assessor meets every system at every place about equally often."""
    if not subject.set_id:
        return []
    if subject.control == Control.REPEAT and (original := original_of(assessor, subject)):
        return other_way_round(original.places)
    systems = _systems([subject.pk])[subject.pk]
    met = dict(
        Assignment.objects.filter(assessor=assessor, subject__task=subject.task_id)
        .exclude(subject__set_id="")
        .values_list("subject", "places")
    )
    stood: Counter[tuple[Hashable, int]] = Counter()
    for pk, earlier in _systems(list(met)).items():
        if not is_by_unit(met[pk]):
            stood.update((earlier[index], place) for place, index in enumerate(met[pk]))
    rng = random.Random(f"{assessor.study.seed}/{assessor.pseudonym}/{subject.order}")
    return next_places(systems, stood, rng)


def _systems(subjects: list[int]) -> dict[int, list[int]]:
    """Of each set the systems by index; of several with the same text the first."""
    found: dict[int, dict[int, int]] = {}
    rows = SetMember.objects.filter(subject__in=subjects).order_by("subject", "index", "pk")
    for subject, index, system in rows.values_list("subject", "index", "output__system"):
        found.setdefault(subject, {}).setdefault(index, system)
    return {subject: [systems[index] for index in sorted(systems)] for subject, systems in found.items()}
