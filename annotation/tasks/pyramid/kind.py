"""Pyramids (Nenkova & Passonneau 2004): what several models say, in units of content that weigh as much as models express them.

Building: the models of a topic side by side; words of each that say the same become contributors to one content unit (SCU).
Matching: an output beside the pyramid; its words are matched with units, or set aside as not in the pyramid.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from annotation.tasks.base import Example
from annotation.tasks.keys import KeyKind, item_index, unit_texts, whole_text
from annotation.tasks.pyramid.answers import Contributor, Match, Model, PyramidAnswer, PyramidConfig, Scu
from annotation.tasks.pyramid.checks import SIGN, building_missing, faults_of_given, matching_missing
from annotation.tasks.spans import grown
from annotation.tasks.terms import (
    Attribute,
    Exhibit,
    Fault,
    Feedback,
    Judged,
    Missing,
    Record,
    Row,
    SubjectPlan,
    TaskAttribute,
    criteria_check,
)
from annotation.words import gettext, ngettext
from metrics.cells import Parts, span_read, span_written

if TYPE_CHECKING:
    from annotation.study_files.schema import Materials

BUILDING, MATCHING = "building", "matching"
OUTSIDE = "0"
REPEAT, NOT_IN = "repeat", "not in the pyramid"
GAP = "..."  # between the parts of a contributor's words, as DUCView writes them
_MODELS = [
    {"id": "a", "text": "A ferry sank.\nIt was March."},
    {"id": "b/c", "text": "In March a ferry sank."},
]
_SCUS = [
    {
        "id": "1",
        "label": "A ferry sank",
        "contributors": [{"reference": "a", "parts": [[0, 12]]}, {"reference": "b/c", "parts": [[9, 21]]}],
    },
    {"id": "2", "label": "It was March", "contributors": [{"reference": "a", "parts": [[14, 26]]}]},
]


class Pyramid(KeyKind["PyramidConfig", "PyramidAnswer"]):
    slug = "pyramid"
    title = "Pyramid"
    controls = False
    shared_styles = ("assess/spans.css", "assess/workplace.css")
    phases = (BUILDING, MATCHING)
    phase_words = ("builds the pyramid of each topic", MATCHING)
    Config = PyramidConfig
    Answer = PyramidAnswer
    disagreement_from = 0.25
    examples = (
        Example(
            {},
            {"outputs": (), "shown": {"models": _MODELS, "prefilled": _SCUS}, "phase": BUILDING},
            {"phase": BUILDING},
        ),
        Example({}, {"shown": {"models": _MODELS, "scus": _SCUS}, "phase": MATCHING}, {"phase": MATCHING}),
    )

    def is_built(self, config: PyramidConfig) -> bool:
        return config.building

    # --- what is judged ---------------------------------------------------------------------------------------------

    def built_subjects(self, config: PyramidConfig, materials: Materials) -> Iterable[SubjectPlan]:
        """Every topic or document that has models."""
        for item, row in {row.item: row for row in reversed(materials.references)}.items():
            draft = _given(materials, item) if config.prefilled else []
            shown = {
                "models": [model.model_dump() for model in _models(materials, item)],
                "prefilled": [scu.model_dump(mode="json") for scu in draft],
            }
            yield SubjectPlan(item=item, shown=shown, **item_index(materials, row.document, row.topic))

    def faults(self, config: PyramidConfig, materials: Materials) -> Iterable[Fault]:
        """Every item with outputs has models, and a pyramid if none is built; the words that the file names are there."""
        texts = {model.id: model.text for item in _items(materials) for model in _models(materials, item)}
        yield from faults_of_given(materials, texts)
        for item in _items(materials):
            if not materials.references_of(item):
                yield Fault("", 0, f"“{item}” has no references, which are the models of its pyramid.")
            elif not config.building and not any(unit.contributors for unit in materials.units_of(item)):
                yield Fault(
                    "", 0, f"“{item}” has no pyramid; add its units to the file of units, or let it be built."
                )

    def later_subjects(
        self,
        config: PyramidConfig,
        materials: Materials,
        phase: str,
        judged: Sequence[Judged[PyramidAnswer]],
    ) -> Iterable[SubjectPlan]:
        """Every output with the pyramid of its item."""
        built = {one.item: list(one.answer.scus) for one in judged if one.phase == BUILDING}
        for index, output in enumerate(materials.outputs):
            scus = built.get(output.item, []) if config.building else _given(materials, output.item)
            if scus:
                models = _models(materials, output.item)
                shown = {
                    "models": [model.model_dump() for model in models],
                    "scus": [scu.model_dump(mode="json", exclude={"comment"}) for scu in scus],
                }
                yield SubjectPlan(item=output.item, outputs=(index,), shown=shown)

    # --- the page and its answer ------------------------------------------------------------------------------------

    def content(
        self, config: PyramidConfig, exhibit: Exhibit, answer: PyramidAnswer | None
    ) -> dict[str, Any]:
        models = [model.model_dump() for model in _shown_models(exhibit)]
        if exhibit.phase == BUILDING:
            return {
                "phase": BUILDING,
                "title": (exhibit.topic or exhibit.document).title,
                "title_of_document": not exhibit.topic,  # which may be in a language of its own
                "models": models,
                "prefilled": list(exhibit.shown["prefilled"]),
            }
        weights = {"weight"} if config.show_weights else set()
        return {
            "phase": MATCHING,
            "text": _text(exhibit),
            "models": models,
            "cover": config.cover,
            "scus": [
                {
                    "id": scu.id,
                    "label": scu.label,
                    "contributors": [one.model_dump(mode="json") for one in scu.contributors],
                    **({"weight": scu.weight} if weights else {}),
                }
                for scu in _in_reading_order(exhibit)
            ],
        }

    def missing(self, config: PyramidConfig, exhibit: Exhibit, answer: PyramidAnswer) -> list[Missing]:
        if exhibit.phase == BUILDING:
            return list(building_missing(_shown_models(exhibit), answer))
        return list(matching_missing(config, _text(exhibit), _shown_scus(exhibit), answer))

    def answer_in_words(self, config: PyramidConfig, exhibit: Exhibit, answer: PyramidAnswer) -> str:
        if exhibit.phase == BUILDING:
            return self.key_described(config, answer)
        found = {match.scu for match in answer.matches}
        return gettext("Units found: {found} of {all}", found=len(found), all=len(_shown_scus(exhibit)))

    def scale_ends(self, config: PyramidConfig) -> dict[str, tuple[float, float]]:
        return {"present": (0, 1)}

    def rows(
        self, config: PyramidConfig, exhibit: Exhibit, record: Record, answer: PyramidAnswer
    ) -> Iterator[Row]:
        if exhibit.phase == BUILDING:
            texts = {model.id: model.text for model in _shown_models(exhibit)}
            for scu in answer.scus:
                yield from _scu_rows(scu, texts)
            return
        for scu in _shown_scus(exhibit):
            matches = [match.parts for match in answer.matches if match.scu == scu.id]
            yield Row(scu.id, "present", float(bool(matches)), "")
            for number, parts in enumerate(matches, start=1):
                unit = scu.id if number == 1 else f"{scu.id}#{number}"
                if number > 1:
                    yield Row(unit, "present", 1.0, REPEAT)
                yield Row(f"{unit}/{span_written(parts)}", "contributor", 1.0, "")
        for number, parts in enumerate(answer.outside, start=1):
            yield Row(f"{OUTSIDE}#{number}", "present", 1.0, NOT_IN)
            yield Row(f"{OUTSIDE}#{number}/{span_written(parts)}", "contributor", 1.0, "")

    def answer(
        self, config: PyramidConfig, exhibit: Exhibit, record: Record, rows: Sequence[Row]
    ) -> PyramidAnswer:
        building = exhibit.phase == BUILDING
        known = ("scu", "comment", "contributor") if building else ("present", "contributor")
        criteria_check(rows, known, exhibit.phase)
        return _built_of(rows) if building else _matched_of(rows, {scu.id for scu in _shown_scus(exhibit)})

    # --- keys -------------------------------------------------------------------------------------------------------

    def key_described(self, config: PyramidConfig, answer: PyramidAnswer) -> str:
        return ngettext("{n} unit", "{n} units", len(answer.scus))

    def key_shown(self, shown: Mapping[str, Any]) -> PyramidAnswer:
        return PyramidAnswer.model_validate({"scus": shown["scus"]})

    def joined(self, config: PyramidConfig, answers: Sequence[PyramidAnswer]) -> PyramidAnswer:
        """All units; those with the same words are one."""
        found: dict[tuple[tuple[str, Parts], ...], Scu] = {}
        for scu in (scu for answer in answers for scu in answer.scus):
            words = tuple(sorted((one.reference, one.parts) for one in scu.contributors))
            found.setdefault(words, scu)
        return PyramidAnswer(
            scus=tuple(
                scu.model_copy(update={"id": str(number)})
                for number, scu in enumerate(found.values(), start=1)
            )
        )

    def carried(
        self, config: PyramidConfig, before: Exhibit, exhibit: Exhibit, answer: PyramidAnswer
    ) -> PyramidAnswer:
        """What was matched with units that are still there under the same label, and what was set aside."""
        old = {scu.id: scu.label for scu in _shown_scus(before)}
        same = {scu.id for scu in _shown_scus(exhibit) if old.get(scu.id) == scu.label}
        return PyramidAnswer(
            matches=tuple(match for match in answer.matches if match.scu in same), outside=answer.outside
        )

    def attributes(
        self, config: PyramidConfig, materials: Materials, judged: Iterable[Judged[PyramidAnswer]]
    ) -> Iterable[Attribute]:
        """How much each unit of the pyramid that goes on weighs, and how many models there are."""
        built = {one.item: list(one.answer.scus) for one in judged if one.phase == BUILDING}
        for item in _items(materials):
            scus = built.get(item, []) if config.building else _given(materials, item)
            yield Attribute("item", item, "models", str(len(materials.references_of(item))))
            for scu in scus:
                models = ", ".join(sorted({one.reference for one in scu.contributors}))
                yield TaskAttribute("scu", f"{item}/{scu.id}", "weight", str(scu.weight))
                yield TaskAttribute("scu", f"{item}/{scu.id}", "label", scu.label)
                yield TaskAttribute("scu", f"{item}/{scu.id}", "models", models)

    def simulate(
        self,
        config: PyramidConfig,
        exhibit: Exhibit,
        record: Record,
        *,
        qualities: Sequence[float],
        rng: random.Random,
    ) -> PyramidAnswer:
        """Lines of the models, first with first; lines of the output, each some unit's or nobody's."""
        if exhibit.phase == BUILDING:
            return _simulated_pyramid(_shown_models(exhibit))
        scus = _shown_scus(exhibit)
        matches: list[Match] = []
        outside: list[Parts] = []
        for span in _lines(_text(exhibit)):
            if rng.random() < qualities[0]:
                matches.append(Match(scu=rng.choice(scus).id, parts=(span,)))
            else:
                outside.append((span,))
        return PyramidAnswer(matches=tuple(matches), outside=tuple(outside))

    def feedback(
        self, config: PyramidConfig, exhibit: Exhibit, answer: PyramidAnswer, key: PyramidAnswer
    ) -> list[Feedback]:
        return []


KIND = Pyramid()


# --- texts and pyramids ----------------------------------------------------------------------------------------------


def _items(materials: Materials) -> list[str]:
    return list(dict.fromkeys(output.item for output in materials.outputs))


def _models(materials: Materials, item: str) -> list[Model]:
    rows = [materials.references[index] for index in materials.references_of(item)]
    return [Model(id=row.id, text=whole_text(unit_texts(row, materials))) for row in rows]


def _given(materials: Materials, item: str) -> list[Scu]:
    """The pyramid of an item that the study file brings along."""
    return [
        Scu(
            id=unit.id,
            label=unit.text,
            comment=unit.comment,
            contributors=tuple(
                Contributor(reference=one.reference, parts=one.parts) for one in unit.contributors
            ),
        )
        for unit in materials.units_of(item)
        if unit.contributors
    ]


def _shown_models(exhibit: Exhibit) -> list[Model]:
    return [Model.model_validate(dict(model)) for model in exhibit.shown["models"]]


def _shown_scus(exhibit: Exhibit) -> list[Scu]:
    return [Scu.model_validate(dict(scu)) for scu in exhibit.shown["scus"]]


def _in_reading_order(exhibit: Exhibit) -> list[Scu]:
    """As the models have them, so that the order tells no weight."""
    place = {model.id: number for number, model in enumerate(_shown_models(exhibit))}

    def first(scu: Scu) -> tuple[int, Parts]:
        return min((place.get(one.reference, 0), one.parts) for one in scu.contributors)

    return sorted(_shown_scus(exhibit), key=first)


def _text(exhibit: Exhibit) -> str:
    return whole_text(exhibit.output.units)


def _lines(text: str) -> Iterator[tuple[int, int]]:
    """Where the lines stand that have a word; a carriage return and its line break are one character."""
    start = 0
    for line in text.split("\n"):
        if SIGN.search(line):
            yield grown(text, start, start + len(line))
        start += len(line) + 1


def _simulated_pyramid(models: Sequence[Model]) -> PyramidAnswer:
    lines = {model.id: list(_lines(model.text)) for model in models}
    most = max(map(len, lines.values()), default=0)
    scus = []
    for number in range(most):
        contributors = [
            Contributor(reference=model.id, parts=(lines[model.id][number],))
            for model in models
            if number < len(lines[model.id])
        ]
        first = contributors[0]
        text = next(model.text for model in models if model.id == first.reference)
        start, end = first.parts[0]
        scus.append(Scu(id=str(number + 1), label=text[start:end][:500], contributors=tuple(contributors)))
    return PyramidAnswer(scus=tuple(scus))


# --- rows ------------------------------------------------------------------------------------------------------------


def _scu_rows(scu: Scu, texts: dict[str, str]) -> Iterator[Row]:
    yield Row(scu.id, "scu", None, scu.label)
    if scu.comment:
        yield Row(scu.id, "comment", None, scu.comment)
    for one in scu.contributors:
        words = GAP.join(texts[one.reference][start:end] for start, end in one.parts)
        yield Row(f"{scu.id}/{one.reference}/{span_written(one.parts)}", "contributor", None, words)


def _built_of(rows: Sequence[Row]) -> PyramidAnswer:
    comments = {row.unit: row.label for row in rows if row.criterion == "comment"}
    contributors: dict[str, list[Contributor]] = {}
    for row in rows:
        if row.criterion == "contributor":
            scu, _, rest = row.unit.partition("/")
            reference, _, span = rest.rpartition("/")
            contributors.setdefault(scu, []).append(Contributor(reference=reference, parts=span_read(span)))
    return PyramidAnswer(
        scus=tuple(
            Scu(
                id=row.unit,
                label=row.label,
                comment=comments.get(row.unit, ""),
                contributors=tuple(contributors.get(row.unit, ())),
            )
            for row in rows
            if row.criterion == "scu"
        )
    )


def _matched_of(rows: Sequence[Row], known: set[str]) -> PyramidAnswer:
    """Words by unit, in the order of their numbers: ``1``, then ``1#2`` …; what is outside is ``0#1`` …"""
    present = {row.unit: row.value for row in rows if row.criterion == "present"}
    if strange := [unit for unit in present if unit.partition("#")[0] not in known | {OUTSIDE}]:
        raise ValueError(f"“{strange[0]}” is no unit of this pyramid")
    if lacking := sorted(known - present.keys()):
        raise ValueError(f"unit {lacking[0]} has no row “present”")
    words: dict[tuple[str, int], Parts] = {}
    for row in rows:
        if row.criterion == "contributor":
            unit, _, span = row.unit.rpartition("/")
            scu, _, number = unit.partition("#")
            words[scu, int(number or 1)] = span_read(span)
    if bare := [unit for unit, value in present.items() if value and _numbered(unit) not in words]:
        raise ValueError(f"unit {bare[0]} is present, and no row “contributor” says where")
    by_number = sorted(words.items(), key=lambda entry: entry[0][1])
    return PyramidAnswer(
        matches=tuple(Match(scu=scu, parts=parts) for (scu, _), parts in by_number if scu != OUTSIDE),
        outside=tuple(parts for (scu, _), parts in by_number if scu == OUTSIDE),
    )


def _numbered(unit: str) -> tuple[str, int]:
    scu, _, number = unit.partition("#")
    return scu, int(number or 1)
