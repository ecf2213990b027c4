"""Nuggets: the facts that answer a question, and who has them (TREC 2003 and 2004, Lin & Demner-Fushman 2005; TREC 2024's RAG track).

Key: somebody reads what all systems answered, in one pool of anonymous strings, and lists the facts, each vital or okay.
Judging: one response beside the nuggets: supported, partly or not, and by which of its strings.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, Field

from annotation.designs import Design
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
    TaskAttribute,
    criteria_check,
)
from annotation.words import gettext, ngettext

if TYPE_CHECKING:
    from annotation.study_files.schema import Materials

KEY, JUDGING = "key", "judging"
SUPPORT = {1.0: "support", 0.5: "partial support", 0.0: "not support"}


class Nugget(Strict):
    id: str = Field(min_length=1, max_length=40, pattern=r"^[^/#]+$")
    text: str = Field(default="", max_length=2_000)
    status: Literal["", "vital", "okay"] = ""


class Support(Strict):
    """How far a response supports a nugget, and its strings (from 1) that show it."""

    value: Literal[0, 1] | float | None = None
    strings: Annotated[tuple[int, ...], AfterValidator(lambda given: tuple(sorted(set(given))))] = ()


class Nuggets(KeyKind["Nuggets.Config", "Nuggets.Answer"]):
    slug = "nuggets"
    title = "Nuggets"
    controls = False
    shared_styles = ("assess/spans.css", "assess/workplace.css")
    phases = (KEY, JUDGING)
    phase_words = ("makes the key of each question", JUDGING)
    disagreement_from = 0.25
    examples = (
        Example(
            {},
            {
                "outputs": (),
                "shown": {
                    "strings": ["A ferry sank.", "In March."],
                    "prefilled": [{"id": "n1", "text": "a ferry sank", "status": "vital"}],
                },
                "phase": KEY,
            },
            {"phase": KEY},
        ),
        Example(
            {"evidence": "required"},
            {
                "shown": {
                    "nuggets": [
                        {"id": "n1", "text": "a ferry sank", "status": "vital"},
                        {"id": "n2", "text": "in March", "status": "okay"},
                    ]
                },
                "phase": JUDGING,
            },
            {"phase": JUDGING},
        ),
    )

    class Config(KeyConfig):
        building: bool = Field(
            default=True,
            title="Assessors make the key",
            description="In a first phase. Otherwise the study file has it.",
        )
        prefilled: bool = Field(
            default=False,
            title="Begin with a draft",
            description="The study file's nuggets, for the builder to edit.",
        )
        partial: bool = Field(default=True, title="A nugget may be supported in part")
        evidence: Literal["optional", "required"] = Field(
            default="optional", title="Strings of the response that show a nugget"
        )
        max_nuggets: int = Field(default=0, ge=0, title="Nuggets at most", description="0: no limit.")
        show_status: bool = Field(default=False, title="Judges see which nuggets are vital")

    class Answer(Strict):
        nuggets: tuple[Nugget, ...] = Field(default=(), max_length=500)
        covered: tuple[int, ...] = Field(
            default=(), max_length=10_000
        )  # strings that the builder has ticked off
        support: dict[str, Support] = Field(default_factory=dict)

    def is_built(self, config: Config) -> bool:
        return config.building

    # --- what is judged ---------------------------------------------------------------------------------------------

    def built_subjects(self, config: Config, materials: Materials) -> Iterable[SubjectPlan]:
        """Every question that systems have answered."""
        asked = {output.item: output for output in reversed(materials.outputs)}
        for item, output in reversed(asked.items()):
            draft = _given(materials, item) if config.prefilled else []
            shown = {
                "strings": _pooled(materials, item),
                "prefilled": [nugget.model_dump() for nugget in draft],
            }
            yield SubjectPlan(item=item, shown=shown, **item_index(materials, output.document, output.topic))

    def faults(self, config: Config, materials: Materials) -> Iterable[Fault]:
        given = [
            (index, unit)
            for index, unit in enumerate(materials.units)
            if not unit.reference and not unit.contributors
        ]
        bad = [
            Fault("units", index, f"“{unit.id}” cannot be the id of a nugget; take one such as n1.")
            for index, unit in given
            if set("/#") & set(unit.id) or len(unit.id) > 40
        ]
        bad += [
            Fault("units", index, f"nugget “{unit.id}” has more than 2,000 characters.")
            for index, unit in given
            if len(unit.text) > 2_000
        ]
        yield from bad
        if config.building or bad:
            return
        answered = dict.fromkeys(output.item for output in materials.outputs)
        for index, unit in given:
            if unit.owner in answered and not unit.status:
                yield Fault("units", index, f"nugget “{unit.id}” has no “status”; say vital or okay.")
        for item in answered:
            if not _given(materials, item):
                yield Fault(
                    "", 0, f"“{item}” has no nuggets; add some to the file of units, or let the key be built."
                )

    def later_subjects(
        self, config: Config, materials: Materials, phase: str, judged: Sequence[Judged[Answer]]
    ) -> Iterable[SubjectPlan]:
        """Every response to a question that has a key; who made the key is asked first."""
        makers = {one.item: one for one in judged if one.phase == KEY}
        for index, output in enumerate(materials.outputs):
            maker = makers.get(output.item)
            nuggets = list(maker.answer.nuggets) if maker else []
            if not config.building:
                nuggets = _given(materials, output.item)
            if nuggets:
                yield SubjectPlan(
                    item=output.item,
                    outputs=(index,),
                    shown={"nuggets": [nugget.model_dump() for nugget in nuggets]},
                    writer=maker.author if maker else "",
                )

    def dealt_as(self, config: Config, design: Design, phase: str) -> Design | None:
        """All responses to a question go to whoever made its key, as at TREC, unless the design is blocked or a pool."""
        if phase == KEY or not config.building or config.judges or design.pool or design.order == "blocked":
            return super().dealt_as(config, design, phase)
        return Design(order="model-author")

    def deal_described(self, config: Config, design: Design, n_people: int) -> str:
        said = super().deal_described(config, design, n_people)
        as_trec = self.dealt_as(config, design, JUDGING) != design
        if not said or not as_trec:
            return said
        return said.replace(
            "which is dealt as the design says",
            "in which all responses to a question go to whoever made its key",
        )

    # --- the page and its answer ------------------------------------------------------------------------------------

    def content(self, config: Config, exhibit: Exhibit, answer: Answer | None) -> dict[str, Any]:
        about = exhibit.topic or exhibit.document
        # A document may be in a language of its own.
        question = {"title": about.title, "text": exhibit.topic.text, "of_document": not exhibit.topic}
        if exhibit.phase == KEY:
            return {
                "phase": KEY,
                "question": question,
                "strings": list(exhibit.shown["strings"]),
                "prefilled": list(exhibit.shown["prefilled"]),
                "max_nuggets": config.max_nuggets,
            }
        hidden = {"id", "text"} if not config.show_status else {"id", "text", "status"}
        return {
            "phase": JUDGING,
            "question": question,
            "strings": list(exhibit.output.units),
            "nuggets": [nugget.model_dump(include=hidden) for nugget in _shown(exhibit)],
            "partial": config.partial,
            "evidence": config.evidence,
        }

    def missing(self, config: Config, exhibit: Exhibit, answer: Answer) -> list[Missing]:
        if exhibit.phase == KEY:
            return list(_key_missing(config, answer))
        return list(_judging_missing(config, exhibit, answer))

    def answer_in_words(self, config: Config, exhibit: Exhibit, answer: Answer) -> str:
        if exhibit.phase == KEY:
            return self.key_described(config, answer)
        values = [one.value for one in answer.support.values()]
        return gettext(
            "Nuggets supported: {full} of {all}; in part: {partial}",
            full=values.count(1),
            all=len(_shown(exhibit)),
            partial=values.count(0.5),
        )

    def scale_ends(self, config: Config) -> dict[str, tuple[float, float]]:
        return {"present": (0, 1)}

    def rows(self, config: Config, exhibit: Exhibit, record: Record, answer: Answer) -> Iterator[Row]:
        if exhibit.phase == KEY:
            for nugget in answer.nuggets:
                yield Row(nugget.id, "nugget", None, nugget.text)
                yield Row(nugget.id, "status", None, nugget.status)
            return
        for nugget in _shown(exhibit):
            support = answer.support.get(nugget.id)
            if support is not None and support.value is not None:
                yield Row(nugget.id, "present", float(support.value), SUPPORT[float(support.value)])
                yield from (Row(f"{nugget.id}/{number}", "evidence", 1.0, "") for number in support.strings)

    def answer(self, config: Config, exhibit: Exhibit, record: Record, rows: Sequence[Row]) -> Answer:
        known = ("nugget", "status") if exhibit.phase == KEY else ("present", "evidence")
        criteria_check(rows, known, exhibit.phase)
        if exhibit.phase == KEY:
            status = {row.unit: row.label for row in rows if row.criterion == "status"}
            nuggets = [
                {"id": row.unit, "text": row.label, "status": status.get(row.unit, "")}
                for row in rows
                if row.criterion == "nugget"
            ]
            return self.Answer.model_validate({"nuggets": nuggets})
        support: dict[str, dict[str, Any]] = {
            row.unit: {"value": row.value, "strings": []} for row in rows if row.criterion == "present"
        }
        for row in rows:
            if row.criterion == "evidence":
                nugget, _, number = row.unit.rpartition("/")
                if nugget not in support or not number.isdecimal():
                    raise ValueError(f"“{row.unit}” is no string of a nugget that is judged, such as n1/2")
                support[nugget]["strings"].append(int(number))
        return self.Answer.model_validate({"support": support})

    # --- keys -------------------------------------------------------------------------------------------------------

    def key_described(self, config: Config, answer: Answer) -> str:
        vital = sum(nugget.status == "vital" for nugget in answer.nuggets)
        return ngettext(
            "{n} nugget, vital: {vital}", "{n} nuggets, vital: {vital}", len(answer.nuggets), vital=vital
        )

    def key_shown(self, shown: Mapping[str, Any]) -> Answer:
        return self.Answer.model_validate({"nuggets": shown["nuggets"]})

    def joined(self, config: Config, answers: Sequence[Answer]) -> Answer:
        """All nuggets, each text once; one that anybody finds vital is vital."""
        found: dict[str, Nugget] = {}
        for nugget in (nugget for answer in answers for nugget in answer.nuggets):
            known = found.setdefault(_plain(nugget.text), nugget)
            if nugget.status == "vital" and known.status != "vital":
                found[_plain(nugget.text)] = known.model_copy(update={"status": "vital"})
        return self.Answer(
            nuggets=tuple(
                nugget.model_copy(update={"id": f"n{number}"})
                for number, nugget in enumerate(found.values(), start=1)
            )
        )

    def carried(self, config: Config, before: Exhibit, exhibit: Exhibit, answer: Answer) -> Answer:
        """What was said of nuggets that are still there, in the same words."""
        old = {nugget.id: nugget.text for nugget in _shown(before)}
        same = [nugget.id for nugget in _shown(exhibit) if old.get(nugget.id) == nugget.text]
        return self.Answer(support={key: answer.support[key] for key in same if key in answer.support})

    def attributes(
        self, config: Config, materials: Materials, judged: Iterable[Judged[Answer]]
    ) -> Iterable[Attribute]:
        """The key that goes on: whether its nuggets are vital, and what they say."""
        keys = {one.item: list(one.answer.nuggets) for one in judged if one.phase == KEY}
        if not config.building:
            keys = {
                item: _given(materials, item) for item in dict.fromkeys(row.item for row in materials.outputs)
            }
        for item, nuggets in keys.items():
            for nugget in nuggets:
                yield TaskAttribute("nugget", f"{item}/{nugget.id}", "status", nugget.status)
                yield TaskAttribute("nugget", f"{item}/{nugget.id}", "text", nugget.text)

    def simulate(
        self,
        config: Config,
        exhibit: Exhibit,
        record: Record,
        *,
        qualities: Sequence[float],
        rng: random.Random,
    ) -> Answer:
        if exhibit.phase == KEY:
            texts = {_plain(text): text for text in exhibit.shown["strings"] if text.strip()}
            chosen = list(texts.values())[: config.max_nuggets or 6] or ["a fact"]
            return self.Answer(
                nuggets=tuple(
                    Nugget(id=f"n{number}", text=text[:2_000], status="vital" if number % 2 else "okay")
                    for number, text in enumerate(chosen, start=1)
                )
            )
        values = [1.0, 0.5, 0.0] if config.partial else [1.0, 0.0]
        support = {}
        for nugget in _shown(exhibit):
            noisy = min(0.999, max(0.0, rng.gauss(1 - qualities[0], 0.3)))
            value = values[int(noisy * len(values))]
            strings = (rng.randint(1, len(exhibit.output.units)),) if value and exhibit.output.units else ()
            if value and config.evidence == "required" and not strings:
                value = 0.0
            support[nugget.id] = Support(value=value, strings=strings)
        return self.Answer(support=support)

    def feedback(self, config: Config, exhibit: Exhibit, answer: Answer, key: Answer) -> list[Feedback]:
        return []


KIND = Nuggets()


def _given(materials: Materials, item: str) -> list[Nugget]:
    """The nuggets of an item that the study file brings along."""
    return [
        Nugget(id=unit.id, text=unit.text, status=unit.status)
        for unit in materials.units_of(item)
        if not unit.contributors
    ]


def _pooled(materials: Materials, item: str) -> list[str]:
    """The strings of all systems' answers, each once, in an order that tells nothing."""
    strings = {
        _plain(unit): unit.strip()
        for output in materials.outputs
        if output.item == item
        for unit in unit_texts(output, materials)
    }
    order = sorted(strings.values())
    random.Random(f"{materials.seed}/{item}").shuffle(order)
    return order


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def _shown(exhibit: Exhibit) -> list[Nugget]:
    return [Nugget.model_validate(dict(nugget)) for nugget in exhibit.shown["nuggets"]]


def _key_missing(config: Nuggets.Config, answer: Nuggets.Answer) -> Iterator[Missing]:
    if not answer.nuggets:
        yield Missing("", gettext("Make at least one nugget."))
    ids = [nugget.id for nugget in answer.nuggets]
    if len(set(ids)) < len(ids):
        yield Missing("", gettext("Two nuggets have the same number."))
    seen: set[str] = set()
    for nugget in answer.nuggets:
        text = _plain(nugget.text)
        if not text:
            yield Missing(nugget.id, gettext("Write what this nugget says, or remove it."))
        elif text in seen:
            yield Missing(
                nugget.id, gettext("“{nugget}” is there already; merge the two.", nugget=nugget.text)
            )
        elif not nugget.status:
            yield Missing(nugget.id, gettext("Say whether “{nugget}” is vital or okay.", nugget=nugget.text))
        seen.add(text)
    if config.max_nuggets and len(ids) > config.max_nuggets:
        first = answer.nuggets[config.max_nuggets].id
        message = ngettext(
            "Keep the {n} most important nugget.", "Keep the {n} most important nuggets.", config.max_nuggets
        )
        yield Missing(first, message)


def _judging_missing(config: Nuggets.Config, exhibit: Exhibit, answer: Nuggets.Answer) -> Iterator[Missing]:
    nuggets = _shown(exhibit)
    known = {nugget.id for nugget in nuggets}
    for key in answer.support:
        if key not in known:
            yield Missing("", gettext("There is no nugget “{nugget}” here.", nugget=key))
    allowed = {1.0, 0.5, 0.0} if config.partial else {1.0, 0.0}
    count = len(exhibit.output.units)
    for nugget in nuggets:
        support = answer.support.get(nugget.id, Support())
        if support.value is None:
            yield Missing(
                nugget.id, gettext("Say whether the response supports “{nugget}”.", nugget=nugget.text)
            )
        elif support.value not in allowed:
            yield Missing(
                nugget.id,
                gettext(
                    "{value} is no answer here; there are {values}.",
                    value=f"{support.value:g}",
                    values=_listed(allowed),
                ),
            )
        elif any(not 1 <= number <= count for number in support.strings):
            yield Missing(
                nugget.id, ngettext("The response has {n} string.", "The response has {n} strings.", count)
            )
        elif not support.value and support.strings:
            yield Missing(
                nugget.id,
                gettext(
                    "“{nugget}” is not supported, but strings are chosen that show it.", nugget=nugget.text
                ),
            )
        elif support.value and config.evidence == "required" and not support.strings:
            yield Missing(nugget.id, gettext("Choose the strings that show “{nugget}”.", nugget=nugget.text))


def _listed(values: set[float]) -> str:
    return ", ".join(f"{value:g}" for value in sorted(values))
