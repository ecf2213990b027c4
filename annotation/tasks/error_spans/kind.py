"""Error spans: what is wrong with a text is marked in it, with severity and category, unit by unit.

MQM as Freitag et al. 2021 use it, error span annotation (ESA, Kocmi et al. 2024), hallucinations (Maynez et al. 2020) and factual errors
(FRANK, Pagnoni et al. 2021) are presets of it. Spans count code points within their unit (``annotation/tasks/spans.py``).

An error may be put into a unit on purpose (``attention: inject``): the page shows the unit with it until an error is marked there or the
unit is left. The step from there is the server's (``advance``), which notes what was found; the true text is in no page before.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from annotation.disagreement import Compared
from annotation.tasks.base import Example, TaskKind
from annotation.tasks.comparisons import LETTERS, sets_faults, sets_picked
from annotation.tasks.error_spans import rows as rows_module
from annotation.tasks.error_spans.checks import problems
from annotation.tasks.error_spans.config import (
    ERRORS,
    INJECTED,
    NOTE,
    PREFERENCE,
    SCORE,
    TRUE,
    ErrorSpansAnswer,
    ErrorSpansConfig,
    Injected,
    OutputAnswer,
    Scale,
    UnitAnswer,
)
from annotation.tasks.error_spans.feedback import compared
from annotation.tasks.error_spans.scene import Scene
from annotation.tasks.error_spans.simulated import simulated
from annotation.tasks.spans import parts_fault, word_bounds, word_count
from annotation.tasks.terms import (
    Attribute,
    Exhibit,
    Fault,
    Feedback,
    Judged,
    Missing,
    NotYet,
    Record,
    Row,
    SubjectPlan,
    TaskAttribute,
    Text,
)
from annotation.units import cut
from annotation.words import gettext, ngettext
from annotation.words import gettext_noop as _

if TYPE_CHECKING:
    from annotation.study_files.schema import Materials, OutputRow

PAIR = (
    Text("One ferry sank.\nNobody was hurt.", ("One ferry sank.", "Nobody was hurt.")),
    Text("A ferry sank.\nAll were hurt.", ("A ferry sank.", "All were hurt.")),
)
HEADINGS = {"source": _("Source"), "reference": _("Reference"), "nothing": ""}
SOURCE = Text("A ferry sank.\nNobody was hurt.", ("A ferry sank.", "Nobody was hurt."))
PREFILLED = (
    {"task": "", "unit": 1, "start": 0, "end": 3, "side": "output", "severity": "minor", "category": ""},
    {"task": "", "unit": 2, "start": 0, "end": 6, "side": "output", "severity": "major", "category": ""},
    {
        "task": "",
        "unit": 2,
        "start": None,
        "end": None,
        "side": "output",
        "severity": "minor",
        "category": "",
    },
)


class ErrorSpans(TaskKind[ErrorSpansConfig, ErrorSpansAnswer]):
    slug = "error_spans"
    title = "Error spans"
    Config = ErrorSpansConfig
    Answer = ErrorSpansAnswer
    takes_prefilled = True
    shared_styles = ("assess/spans.css", "assess/slider.css")
    disagreement_from = 0.25
    examples = (
        *(Example({"preset": preset}) for preset in ErrorSpansConfig.presets),
        Example(
            {"preset": "esa", "sets": {"size": 2}, "preference": True, "document_score": True},
            {"outputs": PAIR, "document": SOURCE},
            {"set": "s1"},
        ),
        Example(
            {"preset": "esa", "confirm": "each"},
            {"outputs": (replace(PAIR[0], prefilled=PREFILLED),), "document": SOURCE},
        ),
        Example({"preset": "mqm", "attention": "inject"}, {"outputs": PAIR[:1], "document": SOURCE}),
        Example({"severities": [{"name": "error", "weight": 1}], "categories": "free", "overlap": False}),
        Example(
            {"preset": "mqm", "window": {"units": 1, "context": 1}, "reveal": "stepwise"},
            {"outputs": PAIR[:1], "document": SOURCE, "shown": {"window": [2, 2]}},
            {"noted": {"window": 2}},
        ),
    )

    # --- what is judged ---

    def compares_in(self, config: ErrorSpansConfig) -> bool:
        return config.sets is not None

    def shuffles_units(self, config: ErrorSpansConfig) -> bool:
        return config.shuffle == "unit"

    def subjects(self, config: ErrorSpansConfig, materials: Materials) -> Iterator[SubjectPlan]:
        """Every output once, or the sets that are asked for; a long one in pieces, if ``window`` says so."""
        whole: Iterable[SubjectPlan]
        with_reference = config.beside == "reference"
        if config.sets is not None:
            whole = sets_picked(config.sets, materials, with_reference=with_reference)
        else:
            whole = (
                SubjectPlan(
                    item=output.item,
                    outputs=(index,),
                    reference=next(iter(materials.references_of(output.item)), None)
                    if with_reference
                    else None,
                )
                for index, output in enumerate(materials.outputs)
            )
        for subject in whole:
            yield from self._windows(config, materials, subject)

    def _windows(
        self, config: ErrorSpansConfig, materials: Materials, subject: SubjectPlan
    ) -> Iterator[SubjectPlan]:
        lengths = (
            {len(_units(materials, materials.outputs[output])) for output in subject.outputs}
            if config.window
            else set()
        )
        if config.window is None:
            yield subject
            return
        if max(lengths) <= config.window.units:
            # Rows tell pieces apart by their units alone: what is not cut is its own first piece.
            yield replace(subject, noted={"window": 1})
            return
        for number, first in enumerate(range(1, max(lengths) + 1, config.window.units), start=1):
            last = min(first + config.window.units - 1, max(lengths))
            yield replace(subject, shown={"window": [first, last]}, noted={"window": number})

    def faults(self, config: ErrorSpansConfig, materials: Materials) -> Iterable[Fault]:
        return sets_faults(config.sets, materials) if config.sets is not None else ()

    def needs(self, config: ErrorSpansConfig) -> frozenset[str]:
        shown = {"source": {"document"}, "reference": {"reference"}}
        return frozenset(shown.get(config.beside, set()))

    def part(self, record: Record) -> str:
        return record.set or str(record.noted.get("window", ""))

    def part_in(self, config: ErrorSpansConfig, system: str, unit: str) -> str:
        """Each piece of a set has a set's id of its own; else pieces have so many units, numbered over the whole document."""
        first = unit.partition("/")[0]
        if config.sets is not None or config.window is None or not first.isdigit():
            return first if config.sets is not None else ""
        return str((int(first) - 1) // config.window.units + 1)

    def prefilled_fault(
        self, config: ErrorSpansConfig, output: Text, document: Text, suggestion: Mapping[str, Any]
    ) -> str:
        scene = Scene(config, Exhibit(outputs=(output,), document=document))
        number, side, start = suggestion["unit"], suggestion["side"], suggestion["start"]
        if not scene.has(0, side, number):
            return f"there is no unit {number} of the {side} to mark."
        if start is not None and (
            fault := parts_fault(scene.text(0, side, number), ((start, suggestion["end"]),))
        ):
            return f"{fault}."
        if start is None and config.omission not in {"button", "both"}:
            return "nothing can be marked as missing; give “start” and “end”, or another “omission”."
        known = [severity.name for severity in config.severities]
        if suggestion["severity"] and suggestion["severity"] not in known:
            return f"there is no severity “{suggestion['severity']}”."
        category = suggestion["category"]
        if category and config.categories != "free" and category not in config.named:
            return f"there is no category “{category}”."
        return ""

    def attributes(
        self, config: ErrorSpansConfig, materials: Materials, judged: Iterable[Judged[ErrorSpansAnswer]]
    ) -> Iterator[Attribute]:
        """What errors of some category weigh, how long sources and units are, and where words stand if a score is about them."""
        for key, weight in config.weights.items():
            yield TaskAttribute("error", key, "weight", f"{weight:g}")
        for document in materials.documents:
            yield Attribute("item", document.id, "tokens", str(word_count(document.whole_text)))
        for output in materials.outputs:
            for number, unit in enumerate(_units(materials, output), start=1):
                key = f"{output.system}/{output.item}/{number}"
                yield Attribute("unit", key, "characters", str(len(unit)))
                if not config.severities:
                    words = " ".join(f"{start}:{end}" for start, end in word_bounds(unit))
                    yield Attribute("unit", key, "words", words)

    # --- the page ---

    def content(
        self, config: ErrorSpansConfig, exhibit: Exhibit, answer: ErrorSpansAnswer | None
    ) -> dict[str, Any]:
        scene = Scene(config, exhibit)
        injection = scene.injection
        pending = injection if injection and not (answer and answer.injected) else None
        texts = [list(units) for units in scene.outputs]
        if pending:
            texts[pending.place][pending.unit - 1] = pending.text
        several = len(scene.outputs) > 1
        return {
            "letters": [LETTERS[place] if several else "" for place in range(len(scene.outputs))],
            "beside": config.beside if scene.source else "nothing",
            "heading": gettext(HEADINGS[config.beside]) if scene.source else "",
            "title": exhibit.document.title if config.beside == "source" else "",
            "aligned": scene.aligned,
            "rows": _lines(scene, texts),
            "numbers": [[scene.window[0], len(scene.numbers(place))] for place in range(len(texts))],
            "severities": [severity.model_dump() for severity in config.severities],
            "categories": "free" if config.categories == "free" else list(config.named),
            "notes": [name for name in config.named if config.wants_note(name)],
            "whole_unit": list(config.whole_unit),
            "heaviest": config.heaviest,
            "marks_source": scene.marks_source,
            "names_outputs": several and scene.marks_source,
            "omission_category": config.omission_category,
            "missing": config.omission in {"button", "both"},
            "span": config.span,
            "question": gettext(config.question),
            "max_errors": config.max_errors,
            "overlap": config.overlap,
            "snap": config.snap,
            "score": _scale(config.score) if config.score else None,
            "scale": _scale(config.scale),
            "document_score": config.document_score,
            "reveal": config.reveal,
            "confirm": config.confirm,
            "preference": config.preference,
            "guideline": gettext(config.guideline),
            "suggested": [
                {"place": place, "unit": unit, "span": span.model_dump(mode="json")}
                for place, unit, span in scene.suggested
            ],
            "check": {"place": pending.place, "unit": pending.unit} if pending else None,
            "injected": answer.injected.model_dump() if answer and answer.injected else None,
        }

    def missing(self, config: ErrorSpansConfig, exhibit: Exhibit, answer: ErrorSpansAnswer) -> list[Missing]:
        return list(problems(Scene(config, exhibit), answer))

    def amend(
        self, config: ErrorSpansConfig, previous: ErrorSpansAnswer | None, answer: ErrorSpansAnswer
    ) -> ErrorSpansAnswer:
        """Whether an error that was put in is found is decided once, by ``advance``."""
        return answer.model_copy(update={"injected": previous.injected if previous else None})

    def stages(self, config: ErrorSpansConfig, exhibit: Exhibit) -> int:
        return int(Scene(config, exhibit).injection is not None)

    def stage(self, config: ErrorSpansConfig, answer: ErrorSpansAnswer) -> int:
        return int(answer.injected is not None)

    def advance(
        self, config: ErrorSpansConfig, exhibit: Exhibit, answer: ErrorSpansAnswer
    ) -> ErrorSpansAnswer:
        """The unit with the error is left: note whether anything was marked in it, and begin it again."""
        scene = Scene(config, exhibit)
        injection = scene.injection
        if injection is None or answer.injected is not None:
            raise NotYet([Missing("", gettext("This task has no further step."))])
        outputs = [
            OutputAnswer(
                units=tuple(unit for _, unit in scene.answered(answer, place)),
                score=answer.outputs[place].score if place < len(answer.outputs) else None,
            )
            for place in range(len(scene.outputs))
        ]
        index = injection.unit - scene.window[0]
        units = list(outputs[injection.place].units)
        found = bool(units[index].spans)
        units[index] = UnitAnswer()
        outputs[injection.place] = outputs[injection.place].model_copy(update={"units": tuple(units)})
        injected = Injected(output=injection.place, unit=injection.unit, found=found)
        return answer.model_copy(update={"outputs": tuple(outputs), "injected": injected})

    # --- rows ---

    def answer_in_words(self, config: ErrorSpansConfig, exhibit: Exhibit, answer: ErrorSpansAnswer) -> str:
        """How many errors of each severity, and the scores."""
        scene = Scene(config, exhibit)
        lines = []
        for place, letter in enumerate(LETTERS[: len(scene.outputs)]):
            units = [unit for _, unit in scene.answered(answer, place)]
            found = [span for unit in units for span in scene.live(unit)]
            count = ngettext("{n} error", "{n} errors", len(found)) if found else gettext("no errors")
            severe = Counter(span.severity for span in found if span.severity)
            of = f" ({', '.join(f'{number} {name}' for name, number in severe.items())})" if severe else ""
            scores = ", ".join(f"{unit.score:g}" for unit in units if unit.score is not None)
            which = f"{letter}: " if len(scene.outputs) > 1 else ""
            lines.append(which + count + of + (gettext("; scores {scores}", scores=scores) if scores else ""))
        return "; ".join(lines)

    def answer_told(self, config: ErrorSpansConfig, exhibit: Exhibit, answer: ErrorSpansAnswer) -> list[str]:
        """Without what was put in to see whether it is found."""
        return super().answer_told(config, exhibit, answer.model_copy(update={"injected": None}))

    def values_compared(self, config: ErrorSpansConfig, rows: Iterable[Row]) -> Iterator[Compared]:
        """Unit by unit, whether there is an error or not: where exactly it begins is seldom worth a quarrel."""
        for row in rows:
            if row.criterion == ERRORS and row.value is not None:
                yield Compared(row.output, row.unit, ERRORS, float(row.value > 0))

    def units_compared(self, config: ErrorSpansConfig, exhibit: Exhibit) -> dict[tuple[int, str], int]:
        return {
            (place, str(number)): len(unit)
            for place, units in enumerate(Scene(config, exhibit).outputs)
            for number, unit in enumerate(units, start=1)
        }

    def rows(
        self, config: ErrorSpansConfig, exhibit: Exhibit, record: Record, answer: ErrorSpansAnswer
    ) -> Iterator[Row]:
        return rows_module.written(Scene(config, exhibit), record, answer)

    def answer(
        self, config: ErrorSpansConfig, exhibit: Exhibit, record: Record, rows: Sequence[Row]
    ) -> ErrorSpansAnswer:
        return rows_module.read(Scene(config, exhibit), record, rows)

    def simulate(
        self,
        config: ErrorSpansConfig,
        exhibit: Exhibit,
        record: Record,
        *,
        qualities: Sequence[float],
        rng: random.Random,
    ) -> ErrorSpansAnswer:
        return simulated(Scene(config, exhibit), qualities, rng)

    def goodness(
        self, config: ErrorSpansConfig, exhibit: Exhibit, answer: ErrorSpansAnswer
    ) -> list[float] | None:
        """The mean score where there are scores; else the weight of all errors, below zero."""
        rows = [row for row in self.rows(config, exhibit, Record(), answer) if row.value is not None]
        found = []
        for place in range(len(exhibit.outputs)):
            own = [row for row in rows if row.output in {None, place}]
            scores = [row.value or 0.0 for row in own if row.criterion == SCORE]
            beside = {ERRORS, SCORE, NOTE, "prefilled", INJECTED, PREFERENCE, TRUE}
            weights = [row.value or 0.0 for row in own if row.criterion not in beside]
            found.append(sum(scores) / len(scores) if scores else -sum(weights))
        return found

    def feedback(
        self, config: ErrorSpansConfig, exhibit: Exhibit, answer: ErrorSpansAnswer, key: ErrorSpansAnswer
    ) -> list[Feedback]:
        return list(compared(Scene(config, exhibit), answer, key))


def _units(materials: Materials, output: OutputRow) -> Sequence[str]:
    return output.units if output.units is not None else cut(output.text, materials.language)


def _lines(scene: Scene, texts: list[list[str]]) -> list[dict[str, Any]]:
    """The units line by line: of each column its text, or None where it has no such unit; with those around a piece, to read."""
    first, last = scene.window
    around = scene.config.window.context if scene.config.window and scene.is_cut else 0
    most = max([len(units) for units in texts] + [len(scene.source)], default=0)
    begin, end = (max(1, first - around), min(last + around, most)) if scene.is_cut else (1, most)
    if scene.is_cut and not scene.aligned:
        begin, end = 1, most  # the source is there as a whole
    lines = []
    for number in range(begin, end + 1):
        is_near = not scene.is_cut or first - around <= number <= last + around
        in_source = bool(scene.source) and number <= len(scene.source)
        lines.append(
            {
                "number": number,
                "context": scene.is_cut and not first <= number <= last,
                "source": scene.source[number - 1] if in_source else None,
                "marks_source": any(scene.has(place, "source", number) for place in range(len(texts))),
                "outputs": [
                    units[number - 1] if number <= len(units) and is_near else None for units in texts
                ],
            }
        )
    return lines


KIND = ErrorSpans()


def _scale(scale: Scale) -> dict[str, Any]:
    """With its words in the language of the page."""
    return scale.model_dump() | {"labels": {value: gettext(label) for value, label in scale.labels.items()}}
