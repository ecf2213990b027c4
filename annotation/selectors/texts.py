"""The texts and scores of a study as rows for ``metrics``: what its study file holds, read by the same rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from typing import Any

from django.db.models import Q

from annotation.models import Output, Reference, SetMember, Study
from annotation.selectors.exhibits import Stand, stand_of
from annotation.words import phrase

CHUNK = 1000


def output_rows(study: Study) -> Iterator[dict[str, Any]]:
    """``system, item, text, sentences``."""
    for output, system in named_outputs(study):
        yield {"system": system, "item": output.item_key, **_text(output)}


def named_outputs(study: Study) -> Iterator[tuple[Output, str]]:
    """Outputs with the system that tables name."""
    names = system_cells(study)
    rows = study.outputs.select_related("system", "document", "topic").order_by("pk")
    for output in rows.iterator(CHUNK):
        yield output, system_cell(output, names)


def system_cell(output: Output | None, names: Mapping[int, str]) -> str:
    """The system that tables name for an output, given ``system_cells``."""
    return names.get(output.pk, output.system.key) if output else ""


def system_cells(study: Study) -> dict[int, str]:
    """The outputs that tables do not name by their system alone.

    A system that answers an item twice, by surrogates of two kinds, is two systems: its first kind in the file goes by its
    name, every other one by name and kind, on all items.
    """
    if not _has_kinds(study):
        return {}
    rows = list(study.outputs.order_by("pk").values_list("pk", "system__key", "document", "topic", "kind"))
    answered: Counter[tuple[str, int | None, int | None]] = Counter(row[1:4] for row in rows)
    several = {system for (system, _, _), number in answered.items() if number > 1}
    first: dict[str, str] = {}
    for _, system, _, _, kind in rows:
        first.setdefault(system, kind)
    taken, names = set(first), dict[tuple[str, str], str]()
    for _, system, _, _, kind in rows:
        if system in several and kind != first[system] and (system, kind) not in names:
            # Names and kinds may hold slashes: two of them must not become one.
            names[system, kind] = _free_name(f"{system}/{kind}", taken)
            taken.add(names[system, kind])
    return {pk: names[system, kind] for pk, system, _, _, kind in rows if (system, kind) in names}


def _has_kinds(study: Study) -> bool:
    """Whether any output is of a kind: a look at all of them, which a process takes once of a study that was opened."""
    return _has_kinds_since(study.pk, stand_of(study)) if study.opened_at else _kinds_in(study.pk)


@lru_cache(maxsize=500)
def _has_kinds_since(study: int, stand: Stand) -> bool:
    return _kinds_in(study)


def _kinds_in(study: int) -> bool:
    return Output.objects.filter(study=study).exclude(kind="").exists()


def _free_name(name: str, taken: set[str]) -> str:
    """A name that no system has already."""
    return _free_name(f"{name}'", taken) if name in taken else name


def same_outputs(
    study: Study, *, documents: Collection[int] | None = None, topics: Collection[int] = ()
) -> Iterator[tuple[str, str]]:
    """Of the outputs that sets show as one, all but the first: ``system/item``, and the system of the first.

    With ``documents`` and ``topics`` only of these items.
    """
    names = system_cells(study)
    rows = SetMember.objects.filter(subject__task__study=study).order_by("subject", "index", "pk")
    if documents is not None:
        rows = rows.filter(Q(output__document__in=documents) | Q(output__topic__in=topics))
    first: dict[tuple[int, int], str] = {}
    told: set[str] = set()
    for member in rows.select_related("output__system", "output__document", "output__topic").iterator(CHUNK):
        system = system_cell(member.output, names)
        behind = first.setdefault((member.subject_id, member.index), system)
        key = f"{system}/{member.output.item_key}"
        if behind != system and key not in told:
            told.add(key)
            yield key, behind


def reference_rows(study: Study) -> Iterator[dict[str, Any]]:
    """``item, reference, text, sentences``."""
    for reference in study.references.select_related("document", "topic").order_by("pk").iterator(CHUNK):
        yield {"item": reference.item_key, "reference": reference.key, **_text(reference)}


def score_rows(study: Study) -> Iterator[dict[str, Any]]:
    """Scores that were computed elsewhere: ``metric, system, item, score, higher_is_better``."""
    names = ("metric", "system", "item", "score", "higher_is_better")
    yield from study.metricscores.order_by("pk").values(*names).iterator(CHUNK)


def _text(text: Output | Reference) -> dict[str, Any]:
    """Sentences only where they were given: ``python -m metrics`` on the exported files then gives the same numbers."""
    if text.units_given:
        return {"text": " ".join(text.units), "sentences": list(text.units)}
    return {"text": text.text, "sentences": None}


def missing_cells_warning(study: Study) -> list[str]:
    """That some systems have no output for some items, which is allowed, and perhaps not meant."""
    cells = set(study.outputs.values_list("system__key", "document__key", "topic__key").distinct())
    systems = {system for system, *_ in cells}
    items = {(document, topic) for _, document, topic in cells}
    missing = len(systems) * len(items) - len(cells)
    if not missing:
        return []
    few = [
        f"“{system}” on “{document or topic}”"
        for document, topic in sorted(items, key=str)
        for system in sorted(systems)
        if (system, document, topic) not in cells
    ][:3]
    more = f" and {missing - len(few):,} more" if missing > len(few) else ""
    return [
        phrase(
            "Outputs that are missing: {missing} of {n}: {few}{more}. They are simply not judged.",
            missing=f"{missing:,}",
            n=f"{len(systems) * len(items):,}",
            few=", ".join(few),
            more=more,
        )
    ]
