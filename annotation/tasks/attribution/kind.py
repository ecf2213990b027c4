"""Attribution: what in the source supports each sentence of a text, and how far (TREC RAG 2024's support assessment).

Either the whole source is there: the assessor steps through the sentences of the text and marks the units of the source that support
each, as in SEE with the roles exchanged. Or only what the text cites: pairs of a sentence and a cited unit, one at a time.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from annotation.strict import Strict
from annotation.tasks.base import Example, TaskKind
from annotation.tasks.keys import unit_texts
from annotation.tasks.letters import letter
from annotation.tasks.terms import Exhibit, Fault, Feedback, Missing, Record, Row, SubjectPlan, Text
from annotation.words import gettext
from annotation.words import gettext_noop as _

if TYPE_CHECKING:
    from annotation.study_files.schema import Materials

SOURCE, CITATIONS = "source", "citations"
Support = Literal["full", "partial", "none", "nothing"]
FULL: Support = "full"
PARTIAL: Support = "partial"
NONE: Support = "none"
NOTHING: Support = "nothing"
VALUES: dict[Support, float | None] = {FULL: 1.0, PARTIAL: 0.5, NONE: 0.0, NOTHING: None}
LABELS: dict[Support, str] = {
    FULL: _("full"),
    PARTIAL: _("partial"),
    NONE: _("no support"),
    NOTHING: _("nothing to support"),
}

_DOCUMENT = Text(
    "A ferry sank.\nIt was March.\nNobody died.", ("A ferry sank.", "It was March.", "Nobody died.")
)


class Sentence(Strict):
    """What is said of one sentence. Units of the source count from 1; ``support`` None is not decided yet.

    Where citations are judged, each has its own support; the sentence has one only if it cites nothing or claims nothing.
    """

    support: Support | None = None
    marks: tuple[int, ...] = Field(default=(), max_length=5_000)
    citations: dict[int, Literal["full", "partial", "none"]] = Field(default_factory=dict)


BLANK = Sentence()


class Attribution(TaskKind["Attribution.Config", "Attribution.Answer"]):
    slug = "attribution"
    title = "Support by the source"
    shared_styles = ("assess/alignment.css",)
    disagreement_from = 0.25
    examples = (
        Example({}, {"document": _DOCUMENT}),
        Example(
            {"given": CITATIONS},
            {"document": _DOCUMENT, "shown": {"citations": [[1, 3], [], [2], [3, 1, 2]]}},
        ),
    )

    class Config(Strict):
        given: Literal["source", "citations"] = Field(
            default="source",
            title="Assessors see",
            description="source: all of it, to be searched. citations: only what the text cites, one pair at a time.",
        )

    class Answer(Strict):
        sentences: tuple[Sentence, ...] = Field(default=(), max_length=5_000)

    # --- what is judged ---------------------------------------------------------------------------------------------

    def needs(self, config: Config) -> frozenset[str]:
        return frozenset({"document"})

    def subjects(self, config: Config, materials: Materials) -> Iterable[SubjectPlan]:
        for index, output in enumerate(materials.outputs):
            shown = {"citations": [list(cited) for cited in output.citations]}
            yield SubjectPlan(
                item=output.item, outputs=(index,), shown=shown if config.given == CITATIONS else {}
            )

    def faults(self, config: Config, materials: Materials) -> Iterable[Fault]:
        """Where citations are judged, every output says what it cites, and the document has it."""
        if config.given != CITATIONS:
            return
        documents = {row.id: row for row in materials.documents}
        for index, output in enumerate(materials.outputs):
            if not output.citations:
                message = (
                    "it judges citations, and this output has none; give “citations”, if only empty lists."
                )
                yield Fault("outputs", index, message)
                continue
            document = documents.get(output.document)
            if document is None:
                continue
            size = len(unit_texts(document, materials))
            if strange := [number for cited in output.citations for number in cited if number > size]:
                message = f"unit {strange[0]} is cited, and “{document.id}” has {size}."
                yield Fault("outputs", index, message)

    # --- the page and its answer ------------------------------------------------------------------------------------

    def content(self, config: Config, exhibit: Exhibit, answer: Answer | None) -> dict[str, Any]:
        units = exhibit.document.units
        cited = _citations(config, exhibit)
        return {
            "given": config.given,
            "title": exhibit.document.title,
            "source": list(units) if config.given == SOURCE else [],
            "sentences": [
                {
                    "text": sentence,
                    "cited": [{"number": number, "text": units[number - 1]} for number in cited[s]],
                }
                for s, sentence in enumerate(exhibit.output.units)
            ],
            # From none to all, as digits and other scales run; what no grade says comes last.
            "choices": [
                {"name": name, "label": gettext(LABELS[name]), "value": VALUES[name]}
                for name in (NONE, PARTIAL, FULL, NOTHING)
            ],
        }

    def missing(self, config: Config, exhibit: Exhibit, answer: Answer) -> list[Missing]:
        if len(answer.sentences) > len(exhibit.output.units):
            return [Missing("", gettext("The answer has more sentences than the text."))]
        cited = _citations(config, exhibit)
        units = range(1, len(exhibit.document.units) + 1)
        found: list[Missing] = []
        for s, sentence in enumerate(_sentences(exhibit, answer)):
            if config.given == SOURCE:
                found += _unmarked(s, sentence, units)
            else:
                found += _unjudged(s, sentence, cited[s])
        return found

    def answer_in_words(self, config: Config, exhibit: Exhibit, answer: Answer) -> str:
        said = Counter(
            support
            for sentence in answer.sentences
            for support in (sentence.support, *sentence.citations.values())
        )
        return ", ".join(f"{gettext(label)} {said[name]}" for name, label in LABELS.items() if said[name])

    def scale_ends(self, config: Config) -> dict[str, tuple[float, float]]:
        return {"support": (0, 1), "citation": (0, 1)}

    def rows(self, config: Config, exhibit: Exhibit, record: Record, answer: Answer) -> Iterator[Row]:
        cited = _citations(config, exhibit)
        for s, sentence in enumerate(answer.sentences):
            support = _support(sentence)
            if support:
                yield Row(str(s + 1), "support", VALUES[support], LABELS[support])
            yield from (Row(f"{s + 1}:{number}", "mark", 1.0, "") for number in sorted(sentence.marks))
            for number in cited[s]:
                if one := sentence.citations.get(number):
                    yield Row(f"{s + 1}:{number}", "citation", VALUES[one], LABELS[one])

    def answer(self, config: Config, exhibit: Exhibit, record: Record, rows: Sequence[Row]) -> Answer:
        sentences: list[dict[str, Any]] = [{"marks": [], "citations": {}} for _ in exhibit.output.units]
        for row in rows:
            number, _colon, unit = row.unit.partition(":")
            if not number.isdecimal() or not 0 < int(number) <= len(sentences):
                raise ValueError(f"unit “{row.unit}”: the text has no such sentence")
            own = sentences[int(number) - 1]
            if row.criterion == "support":
                own["support"] = _named(row)
            elif row.criterion == "mark" and unit.isdecimal():
                own["marks"].append(int(unit))
            elif row.criterion == "citation" and unit.isdecimal():
                own["citations"][int(unit)] = _named(row)
            else:
                raise ValueError(
                    f"criterion “{row.criterion}” of unit “{row.unit}” is not one of attribution: support of a sentence, mark or "
                    "citation of a sentence and a unit (3:12)"
                )
        for s, own in enumerate(sentences, start=1):
            if own["citations"] and own.get("support") != NOTHING:
                given = own.pop("support", None)
                if given and given != _best(own["citations"].values()):
                    raise ValueError(f"unit “{s}”: the support of a sentence is that by its best citation")
        return self.Answer.model_validate({"sentences": sentences})

    def simulate(
        self,
        config: Config,
        exhibit: Exhibit,
        record: Record,
        *,
        qualities: Sequence[float],
        rng: random.Random,
    ) -> Answer:
        cited = _citations(config, exhibit)
        units = range(1, len(exhibit.document.units) + 1)
        sentences = []
        for s in range(len(exhibit.output.units)):
            support = NOTHING if rng.random() < 0.05 else _near(qualities[0], rng)
            own: dict[str, Any] = {"support": support}
            if config.given == SOURCE and support in {FULL, PARTIAL}:
                marks = rng.sample(units, min(len(units), rng.randint(1, 2)))
                own = {"support": support if marks else NONE, "marks": sorted(marks)}
            elif config.given == CITATIONS and cited[s] and support != NOTHING:
                own = {"citations": {number: _near(qualities[0], rng) for number in cited[s]}}
            elif config.given == CITATIONS and not cited[s]:
                own = {"support": NOTHING if support == NOTHING else NONE}
            sentences.append(own)
        return self.Answer.model_validate({"sentences": sentences})

    def goodness(self, config: Config, exhibit: Exhibit, answer: Answer) -> list[float] | None:
        values = [
            row.value for row in self.rows(config, exhibit, Record(), answer) if row.criterion == "support"
        ]
        return [sum(value or 0.0 for value in values) / len(values)] if values else None

    def feedback(self, config: Config, exhibit: Exhibit, answer: Answer, key: Answer) -> list[Feedback]:
        lines: list[Feedback] = []
        for s, (given, expected) in enumerate(zip(_sentences(exhibit, answer), key.sentences, strict=False)):
            what = gettext("Sentence {number}", number=s + 1)
            for number, one in expected.citations.items():
                pair = gettext("Sentence {number}, unit {unit}", number=s + 1, unit=number)
                yours = given.support if given.support == NOTHING else given.citations.get(number)
                lines.append(_compared(f"sentences.{s}.{number}", pair, yours, one))
            if expected.support:
                lines.append(_compared(f"sentences.{s}", what, _support(given), expected.support))
            if expected.marks and set(given.marks) != set(expected.marks):
                letters = ", ".join(letter(number - 1) for number in sorted(expected.marks))
                words = gettext("{what}: we would have marked {units}.", what=what, units=letters)
                lines.append(Feedback(f"sentences.{s}", False, words))
        return lines


KIND = Attribution()


def _citations(config: Attribution.Config, exhibit: Exhibit) -> list[tuple[int, ...]]:
    """What each sentence cites of what is there. A text in the place of the output may have more sentences, or fewer."""
    given = exhibit.shown.get("citations", ()) if config.given == CITATIONS else ()
    size = len(exhibit.document.units)
    return [
        tuple(number for number in given[s] if number <= size) if s < len(given) else ()
        for s in range(len(exhibit.output.units))
    ]


def _sentences(exhibit: Exhibit, answer: Attribution.Answer) -> list[Sentence]:
    """What is said of every sentence, if only nothing."""
    size = len(exhibit.output.units)
    return [answer.sentences[s] if s < len(answer.sentences) else BLANK for s in range(size)]


def _support(sentence: Sentence) -> Support | None:
    """The support of a sentence; of one whose citations are judged, that by the best of them."""
    return sentence.support or (_best(sentence.citations.values()) if sentence.citations else None)


def _best(given: Iterable[Support]) -> Support:
    return max(given, key=lambda name: VALUES[name] or 0.0)


def _named(row: Row) -> Support:
    """The support that a row gives."""
    for name, value in VALUES.items():
        if row.value == value:
            return name
    raise ValueError(
        f"unit “{row.unit}”: {row.criterion} is 1 (full), 0.5 (partial), 0 (no support) or empty (nothing to support)"
    )


def _unmarked(s: int, sentence: Sentence, units: range) -> Iterator[Missing]:
    """What keeps a sentence from being done where the source is searched: marks and support that fit together."""
    number, marks = s + 1, sentence.marks
    if any(mark not in units for mark in marks) or len(set(marks)) < len(marks):
        message = gettext("The marks of sentence {number} are not units of the source.", number=number)
    elif sentence.citations:
        message = gettext("Citations are not judged here.")
    elif sentence.support is None and marks:
        message = gettext("Say how far the marked units support sentence {number}.", number=number)
    elif sentence.support is None:
        message = gettext("Sentence {number}: mark what supports it, or choose no support.", number=number)
    elif sentence.support in {FULL, PARTIAL} and not marks:
        message = gettext("Mark what supports sentence {number}, or choose no support.", number=number)
    elif sentence.support in {NONE, NOTHING} and marks:
        message = gettext(
            "You marked units for sentence {number}, but say that none supports it. Remove the marks or choose another answer.",
            number=number,
        )
    else:
        return
    yield Missing(f"sentences.{s}", message)


def _unjudged(s: int, sentence: Sentence, cited: Sequence[int]) -> Iterator[Missing]:
    """What keeps a sentence from being done where its citations are judged one by one."""
    number, field = s + 1, f"sentences.{s}"
    if sentence.marks:
        yield Missing(field, gettext("Nothing is marked here: the citations of the text are judged."))
    if strange := [unit for unit in sentence.citations if unit not in cited]:
        words = gettext("Sentence {number} does not cite unit {unit}.", number=number, unit=strange[0])
        yield Missing(field, words)
    if not cited and sentence.support not in {NONE, NOTHING}:
        words = gettext(
            "Sentence {number} cites nothing: choose no support, or nothing to support.", number=number
        )
        yield Missing(field, words)
    elif cited and sentence.support == NOTHING and sentence.citations:
        words = gettext(
            "Sentence {number} has nothing to support, and citations that are judged.", number=number
        )
        yield Missing(field, words)
    elif cited and sentence.support not in {None, NOTHING}:
        yield Missing(field, gettext("Sentence {number} is judged by its citations.", number=number))
    elif cited and sentence.support is None:
        for unit in cited:
            if unit not in sentence.citations:
                words = gettext(
                    "Say how far unit {unit} supports sentence {number}.", number=number, unit=unit
                )
                yield Missing(f"{field}.{unit}", words)


def _near(quality: float, rng: random.Random) -> Support:
    noisy = rng.gauss(quality, 0.2)
    return min((FULL, PARTIAL, NONE), key=lambda name: abs((VALUES[name] or 0.0) - noisy))


def _compared(field: str, what: str, given: Support | None, expected: Support) -> Feedback:
    said = gettext(LABELS[expected])
    if given == expected:
        return Feedback(field, True, gettext("{what}: {answer}, as we would say.", what=what, answer=said))
    yours = gettext(LABELS[given]) if given else "–"
    words = gettext("{what}: you said {yours}, we would say {answer}.", what=what, yours=yours, answer=said)
    return Feedback(field, False, words)
