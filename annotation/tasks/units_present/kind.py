"""Content units of a reference: which of them does an output have? LitePyramid (Shapira et al. 2019), ACU (RoSE, Liu et al. 2023).

Writing: somebody takes a reference apart into short sentences that say one thing each; or the study file brings them along.
Judging: one output beside the units of one reference, each present or not.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from pydantic import Field

from annotation.strict import Strict
from annotation.tasks.base import Example
from annotation.tasks.keys import KeyConfig, KeyKind, item_index, unit_texts
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
    criteria_check,
)
from annotation.treebank import treebank_tokens
from annotation.words import gettext, ngettext

if TYPE_CHECKING:
    from annotation.study_files.schema import Materials

WRITING, JUDGING = "writing", "judging"


class Written(Strict):
    """A unit that somebody writes, and the sentence of the reference (from 1) that it comes from, where that is known."""

    id: str = Field(min_length=1, max_length=40, pattern=r"^[^/]+$")
    text: str = Field(default="", max_length=2_000)
    sentence: int | None = Field(default=None, ge=1)


class Unit(NamedTuple):
    id: str  # REFERENCE/NUMBER
    text: str


class UnitsPresent(KeyKind["UnitsPresent.Config", "UnitsPresent.Answer"]):
    slug = "units_present"
    title = "Content units present"
    needs_reference = True
    shared_styles = ("assess/workplace.css",)
    phases = (WRITING, JUDGING)
    phase_words = ("writes the content units of each reference", JUDGING)
    disagreement_from = 0.25
    examples = (
        Example({"writing": True}, {"outputs": (), "phase": WRITING}, {"phase": WRITING}),
        Example(
            {"beside": "reference"},
            {
                "shown": {
                    "units": [
                        {"id": "m/x:1/1", "text": "A ferry sank."},
                        {"id": "m/x:1/2", "text": "It was March."},
                    ]
                },
                "phase": JUDGING,
            },
            {"phase": JUDGING},
        ),
    )

    class Config(KeyConfig):
        writing: bool = Field(
            default=False,
            title="Assessors write the units",
            description="In a first phase. Otherwise the study file has them.",
        )
        sample: int = Field(
            default=0,
            ge=0,
            title="Units of each reference",
            description="So many are asked about, always the same ones. 0: all.",
        )
        beside: Literal["nothing", "reference"] = Field(default="nothing", title="Beside the text")

    class Answer(Strict):
        written: tuple[Written, ...] = Field(default=(), max_length=500)
        present: dict[str, Literal[0, 1]] = Field(default_factory=dict)

    def is_built(self, config: Config) -> bool:
        return config.writing

    # --- what is judged ---------------------------------------------------------------------------------------------

    def built_subjects(self, config: Config, materials: Materials) -> Iterable[SubjectPlan]:
        """Every reference."""
        for index, row in enumerate(materials.references):
            about = item_index(materials, row.document, row.topic)
            yield SubjectPlan(item=row.item, reference=index, **about)

    def faults(self, config: Config, materials: Materials) -> Iterable[Fault]:
        """Every reference has units, if nobody is to write them; ids are those of a row of the long table."""
        for index, unit in enumerate(materials.units):
            if unit.reference and "/" in unit.id:
                yield Fault(
                    "units", index, f"the id “{unit.id}” holds a slash, which parts it from its reference."
                )
        if config.writing:
            return
        for index, row in enumerate(materials.references):
            if not materials.units_of(row.id):
                yield Fault(
                    "references",
                    index,
                    f"reference “{row.id}” has no content units; add some, or let them be written.",
                )

    def later_subjects(
        self, config: Config, materials: Materials, phase: str, judged: Sequence[Judged[Answer]]
    ) -> Iterable[SubjectPlan]:
        """Every output with every reference of its item, but not with one by its own author."""
        written = {one.about: one.answer.written for one in judged if one.phase == WRITING}
        for index, output in enumerate(materials.outputs):
            for number in materials.references_of(output.item):
                reference = materials.references[number]
                if output.author and output.author == reference.author:
                    continue
                units = list(_units(config, materials, reference.id, written))
                if units:
                    yield SubjectPlan(
                        item=output.item,
                        outputs=(index,),
                        reference=number,
                        shown={"units": [unit._asdict() for unit in units]},
                    )

    # --- the page and its answer ------------------------------------------------------------------------------------

    def content(self, config: Config, exhibit: Exhibit, answer: Answer | None) -> dict[str, Any]:
        if exhibit.phase == WRITING:
            return {"phase": WRITING, "sentences": list(exhibit.reference.units)}
        return {
            "phase": JUDGING,
            "text": exhibit.output.text,
            "reference": exhibit.reference.text if config.beside == "reference" else "",
            "units": [unit._asdict() for unit in _shown(exhibit)],
        }

    def missing(self, config: Config, exhibit: Exhibit, answer: Answer) -> list[Missing]:
        if exhibit.phase == WRITING:
            return list(_writing_missing(exhibit, answer))
        units = _shown(exhibit)
        known = {unit.id for unit in units}
        if strange := [key for key in answer.present if key not in known]:
            return [Missing("", gettext("There is no unit “{unit}” here.", unit=strange[0]))]
        return [
            Missing(unit.id, gettext("Say whether the text has this: “{unit}”", unit=unit.text))
            for unit in units
            if unit.id not in answer.present
        ]

    def answer_in_words(self, config: Config, exhibit: Exhibit, answer: Answer) -> str:
        if exhibit.phase == WRITING:
            return self.key_described(config, answer)
        return gettext(
            "Units present: {present} of {all}",
            present=sum(answer.present.values()),
            all=len(_shown(exhibit)),
        )

    def scale_ends(self, config: Config) -> dict[str, tuple[float, float]]:
        return {"present": (0, 1)}

    def rows(self, config: Config, exhibit: Exhibit, record: Record, answer: Answer) -> Iterator[Row]:
        if exhibit.phase == WRITING:
            for unit in answer.written:
                yield Row(f"{record.reference}/{unit.id}", "unit", None, unit.text)
                if unit.sentence is not None:
                    yield Row(f"{record.reference}/{unit.id}", "sentence", None, str(unit.sentence))
            return
        for shown in _shown(exhibit):
            if shown.id in answer.present:
                yield Row(shown.id, "present", float(answer.present[shown.id]), "")

    def answer(self, config: Config, exhibit: Exhibit, record: Record, rows: Sequence[Row]) -> Answer:
        known = ("unit", "sentence") if exhibit.phase == WRITING else ("present",)
        criteria_check(rows, known, exhibit.phase)
        if exhibit.phase == WRITING:
            before = f"{record.reference}/"
            sentences = {row.unit: int(row.label) for row in rows if row.criterion == "sentence"}
            written = [
                {"id": row.unit.removeprefix(before), "text": row.label, "sentence": sentences.get(row.unit)}
                for row in rows
                if row.criterion == "unit"
            ]
            return self.Answer.model_validate({"written": written})
        return self.Answer.model_validate({"present": {row.unit: row.value for row in rows}})

    # --- keys -------------------------------------------------------------------------------------------------------

    def key_described(self, config: Config, answer: Answer) -> str:
        return ngettext("{n} unit", "{n} units", len(answer.written))

    def joined(self, config: Config, answers: Sequence[Answer]) -> Answer:
        """All units, each text once, numbered anew."""
        texts = {unit.text.strip(): unit.sentence for answer in answers for unit in answer.written}
        ordered = sorted(texts.items(), key=lambda entry: entry[1] or 0)
        return self.Answer(
            written=tuple(
                Written(id=str(number), text=text, sentence=sentence)
                for number, (text, sentence) in enumerate(ordered, start=1)
            )
        )

    def carried(self, config: Config, before: Exhibit, exhibit: Exhibit, answer: Answer) -> Answer:
        """What was said of units that are still there, in the same words."""
        same = set(_shown(before)) & set(_shown(exhibit))
        return self.Answer(
            present={unit.id: answer.present[unit.id] for unit in same if unit.id in answer.present}
        )

    def attributes(
        self, config: Config, materials: Materials, judged: Iterable[Judged[Answer]]
    ) -> Iterable[Attribute]:
        """Lengths in word tokens, by which the normalised score is lowered."""
        for row in materials.references:
            length = len(treebank_tokens(" ".join(unit_texts(row, materials))))
            yield Attribute("reference", row.id, "treebank_tokens", str(length))
        for output in materials.outputs:
            length = len(treebank_tokens(" ".join(unit_texts(output, materials))))
            yield Attribute("output", f"{output.system}/{output.item}", "treebank_tokens", str(length))

    def simulate(
        self,
        config: Config,
        exhibit: Exhibit,
        record: Record,
        *,
        qualities: Sequence[float],
        rng: random.Random,
    ) -> Answer:
        if exhibit.phase == WRITING:
            texts: dict[str, Written] = {}
            for number, sentence in enumerate(exhibit.reference.units[:500], start=1):
                unit = Written(id=str(number), text=sentence[:2_000], sentence=number)
                texts.setdefault(" ".join(unit.text.split()).casefold(), unit)
            return self.Answer(written=tuple(texts.values()))
        return self.Answer(present={unit.id: int(rng.random() < qualities[0]) for unit in _shown(exhibit)})

    def goodness(self, config: Config, exhibit: Exhibit, answer: Answer) -> list[float] | None:
        values = [
            row.value for row in self.rows(config, exhibit, Record(), answer) if row.criterion == "present"
        ]
        return [sum(value or 0.0 for value in values) / len(values)] if values else None

    def feedback(self, config: Config, exhibit: Exhibit, answer: Answer, key: Answer) -> list[Feedback]:
        return []


KIND = UnitsPresent()


def _units(
    config: UnitsPresent.Config,
    materials: Materials,
    reference: str,
    written: Mapping[str, tuple[Written, ...]],
) -> Iterator[Unit]:
    """The units of a reference, written here or brought along; a sample of them if the task wants one."""
    if config.writing:
        units = [(unit.id, unit.text) for unit in written.get(reference, ())]
    else:
        units = [(row.id, row.text) for row in materials.units_of(reference)]
    chosen = list(range(len(units)))
    if config.sample and config.sample < len(units):
        chosen = sorted(random.Random(f"{materials.seed}/{reference}").sample(chosen, config.sample))
    yield from (Unit(f"{reference}/{units[index][0]}", units[index][1]) for index in chosen)


def _shown(exhibit: Exhibit) -> list[Unit]:
    return [Unit(unit["id"], unit["text"]) for unit in exhibit.shown["units"]]


def _writing_missing(exhibit: Exhibit, answer: UnitsPresent.Answer) -> Iterator[Missing]:
    if not answer.written:
        yield Missing("", gettext("Write at least one unit."))
    ids = [unit.id for unit in answer.written]
    texts: dict[str, str] = {}
    for unit in answer.written:
        text = " ".join(unit.text.split())
        if not text:
            yield Missing(unit.id, gettext("Write what this unit says, or remove it."))
        elif text.casefold() in texts:
            yield Missing(unit.id, gettext("“{text}” is there already; remove one of the two.", text=text))
        texts.setdefault(text.casefold(), unit.id)
        if unit.sentence is not None and unit.sentence > len(exhibit.reference.units):
            yield Missing(unit.id, gettext("There is no sentence {n}.", n=unit.sentence))
    if len(set(ids)) < len(ids):
        yield Missing("", gettext("Two units have the same number."))
