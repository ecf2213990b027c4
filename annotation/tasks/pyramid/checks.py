"""What keeps a pyramid or its matching from being submitted, and a pyramid of a study file from being taken."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import regex

from annotation.tasks.pyramid.answers import Model, PyramidAnswer, PyramidConfig, Scu
from annotation.tasks.spans import Ground, Marked, word_bounds, words_of
from annotation.tasks.terms import Fault, Missing
from annotation.words import gettext
from metrics.cells import Parts

if TYPE_CHECKING:
    from annotation.study_files.schema import ContentUnitRow, Materials

SIGN = regex.compile(r"[\p{L}\p{N}]")
LISTED = 8  # stretches of words that a message names


def building_missing(models: Sequence[Model], answer: PyramidAnswer) -> Iterator[Missing]:
    grounds = {model.id: Ground(model.text) for model in models}
    if not answer.scus:
        yield Missing("", gettext("Make at least one content unit."))
    ids = [scu.id for scu in answer.scus]
    if len(set(ids)) < len(ids) or any(id_fault(scu.id) for scu in answer.scus):
        yield Missing("", gettext("Two content units have the same number, or one has none."))
    for scu in answer.scus:
        if not scu.contributors:
            yield Missing(
                scu.id, gettext("“{label}” has no words of a model; add some, or remove it.", label=scu.label)
            )
        elif fault := contributors_fault(scu, grounds):
            yield Missing(scu.id, fault)
        elif not scu.label.strip():
            first = scu.contributors[0]
            words = words_of(grounds[first.reference].text, first.parts)
            yield Missing(scu.id, gettext("Give the unit of “{words}” a label.", words=words))


def contributors_fault(scu: Scu, grounds: Mapping[str, Ground]) -> str:
    """What is wrong with the words of a unit, in a sentence; nothing if they are right."""
    seen: set[str] = set()
    for one in scu.contributors:
        if one.reference not in grounds:
            return gettext("There is no model “{model}” here.", model=one.reference)
        if fault := grounds[one.reference].fault(one.parts):
            return gettext("“{label}”: {fault}.", label=scu.label, fault=fault)
        if one.reference in seen:
            return gettext(
                "“{label}” has two contributors from one model; join or split them.", label=scu.label
            )
        seen.add(one.reference)
    return ""


def id_fault(name: str) -> bool:
    """Ids stand in rows before a slash or a number sign, and 0 is what is outside the pyramid."""
    return name == "0" or bool(set("/#") & set(name))


def matching_missing(
    config: PyramidConfig, text: str, scus: Sequence[Scu], answer: PyramidAnswer
) -> Iterator[Missing]:
    labels = {scu.id: scu.label for scu in scus}
    for match in answer.matches:
        if match.scu not in labels:
            yield Missing("", gettext("There is no unit “{unit}” here.", unit=match.scu))
            return
    ground = Ground(text)
    for parts in (*(match.parts for match in answer.matches), *answer.outside):
        if fault := ground.fault(parts):
            yield Missing("", gettext("Words of the text: {fault}.", fault=fault))
            return
    yield from _contradictions(text, labels, answer)
    if config.cover:
        stretches = uncovered(text, [*(match.parts for match in answer.matches), *answer.outside])
        if stretches:
            listed = " · ".join(words_of(text, [stretch]) for stretch in stretches[:LISTED])
            more = " …" if len(stretches) > LISTED else ""
            yield Missing(
                "cover",
                gettext("Match these words, or set them aside: {words}", words=f"{listed}{more}"),
            )


def _contradictions(text: str, labels: Mapping[str, str], answer: PyramidAnswer) -> Iterator[Missing]:
    twice = _met_twice(text, answer)
    for number, match in enumerate(answer.matches):
        if number in twice:
            words = words_of(text, match.parts)
            yield Missing(
                match.scu,
                gettext("“{words}” is matched with “{label}” twice.", words=words, label=labels[match.scu]),
            )
    marked = Marked(len(text))
    for match in answer.matches:
        marked.mark(match.parts)
    for parts in answer.outside:
        if marked.meets(parts):
            words = words_of(text, parts)
            yield Missing("outside", gettext("“{words}” is set aside, and something else too.", words=words))
        marked.mark(parts)


def _met_twice(text: str, answer: PyramidAnswer) -> set[int]:
    """The numbers of matches whose words are matched with the same unit already."""
    by_unit: dict[str, list[int]] = {}
    for number, match in enumerate(answer.matches):
        by_unit.setdefault(match.scu, []).append(number)
    found = set()
    for numbers in by_unit.values():
        marked = Marked(len(text) if len(numbers) > 1 else 0)
        for number in numbers:
            parts = answer.matches[number].parts
            if marked.meets(parts):
                found.add(number)
            marked.mark(parts)
    return found


def uncovered(text: str, spans: Iterable[Parts]) -> list[tuple[int, int]]:
    """Stretches of words of which some letter or digit is in none of the spans.

    >>> uncovered("Two ferries sank, on Friday.", [((0, 3),), ((18, 20),)])
    [(4, 17), (21, 28)]
    """
    covered = bytearray(len(text))
    for parts in spans:
        for start, end in parts:
            covered[start:end] = b"\x01" * (end - start)
    found: list[tuple[int, int]] = []
    is_open = False
    for start, end in word_bounds(text):
        signs = [place for place in range(start, end) if SIGN.match(text[place])]
        if not signs:
            continue
        if all(covered[place] for place in signs):
            is_open = False
        elif is_open:
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
            is_open = True
    return found


def faults_of_given(materials: Materials, texts: Mapping[str, str]) -> Iterator[Fault]:
    """Pyramids in the study file are as people could have built them."""
    grounds = {name: Ground(text) for name, text in texts.items()}
    for index, unit in enumerate(materials.units):
        if not unit.contributors:
            continue
        if message := _given_fault(unit, grounds):
            yield Fault("units", index, message)


def _given_fault(unit: ContentUnitRow, grounds: Mapping[str, Ground]) -> str:
    if id_fault(unit.id) or len(unit.id) > 40:
        return (
            f"“{unit.id}” cannot be the id of a content unit: no slash, no #, not 0, at most 40 characters."
        )
    if len(unit.text) > 500 or len(unit.comment) > 2_000:
        return f"the label of unit “{unit.id}” has more than 500 characters, or its comment more than 2,000."
    seen: set[str] = set()
    for one in unit.contributors:
        if one.reference in seen:
            return f"unit “{unit.id}” has two contributors from “{one.reference}”; a model contributes once."
        seen.add(one.reference)
        if one.reference in grounds and (fault := grounds[one.reference].fault(one.parts)):
            return f"unit “{unit.id}”, “{one.reference}”: {fault}."
    return ""
