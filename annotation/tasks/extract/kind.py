"""Abstract, extract, links: what gold standards of meetings are made of (Murray et al. 2005; AMI, ICSI).

Stage 1: the assessor reads a document and writes an abstract, a box for each heading. Stage 2: the abstract stays as it is, and the
assessor takes lines of the document. Stage 3: for each of them, the sentences of the abstract that it supports.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self

from pydantic import Field, model_validator

from annotation.strict import Name, Strict, names_differ
from annotation.tasks.base import Example, TaskKind
from annotation.tasks.extract.transcript import Line, lines_of
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
    from annotation.study_files.schema import DocumentRow, Materials

ABSTRACT, EXTRACT, LINKS = 1, 2, 3
CRITERIA = ("abstract", "extract", "link")
TITLES = {  # what the usual headings are called on pages
    "abstract": _("Abstract"),
    "decisions": _("Decisions"),
    "progress": _("Progress"),
    "problems": _("Problems"),
}


class Heading(Strict):
    name: Name = Field(description="In tables: small letters, digits and hyphens.")
    title: str = Field(
        default="", max_length=200, title="On the page", description="If not the name, with a capital."
    )
    words: int = Field(default=200, ge=0, title="Words at most", description="0: no limit.")
    needed: bool = Field(default=False, title="Must be written", description="The first one always must be.")


class Sentence(NamedTuple):
    """A sentence of an abstract: ``decisions/1``, the heading's title and what it says."""

    id: str
    heading: str
    text: str


class Extract(TaskKind["Extract.Config", "Extract.Answer"]):
    slug = "extract"
    title = "Abstract, extract, links"
    practisable = False  # an output is no document
    controls = False
    shared_styles = ("assess/workplace.css",)
    examples = tuple(
        Example(
            config,
            {
                "outputs": (),
                "reference": Text(),
                "document": Text(
                    "", ("# Opening", "[00:01] Ana: The ferry sank.", "Boris: In March, near Brod.")
                ),
                "shown": {"language": "en"},
            },
        )
        for config in (
            {},
            {"links": False},
            {"headings": [{"name": "summary", "words": 0}], "extract": False, "links": False},
        )
    )

    class Config(Strict):
        headings: tuple[Heading, ...] = Field(
            default=(
                Heading(name="abstract", needed=True),
                Heading(name="decisions"),
                Heading(name="progress"),
                Heading(name="problems"),
            ),
            min_length=1,
            max_length=20,
            title="Headings",
            description="A box is written for each.",
        )
        extract: bool = Field(default=True, title="Then lines of the document are taken")
        links: bool = Field(default=True, title="Then lines are linked with sentences of the abstract")

        @model_validator(mode="after")
        def _complete(self) -> Self:
            names_differ([heading.name for heading in self.headings], "headings")
            if self.links and not self.extract:
                raise ValueError(
                    "links are between taken lines and sentences: with “links”, “extract” must be true"
                )
            return self

        @property
        def last(self) -> int:
            """The stage that ends with the submit."""
            return ABSTRACT + self.extract + self.links

    class Answer(Strict):
        abstract: dict[str, str] = Field(default_factory=dict)
        stage: Literal[1, 2, 3] = 1
        extract: tuple[int, ...] = Field(default=(), max_length=100_000)
        links: dict[str, tuple[str, ...]] = Field(default_factory=dict, max_length=100_000)
        back: bool = False  # asked for with the next step: from the links to the lines again

    # --- what is judged ---------------------------------------------------------------------------------------------

    def subjects(self, config: Config, materials: Materials) -> Iterable[SubjectPlan]:
        """Every document, whole; no output."""
        for index, row in enumerate(materials.documents):
            yield SubjectPlan(item=row.id, document=index, shown={"language": materials.language})

    def faults(self, config: Config, materials: Materials) -> Iterable[Fault]:
        if not materials.documents:
            yield Fault("", 0, "there is no document to write an abstract of; add some.")
        for index, row in enumerate(materials.documents):
            if not _takeable(_lines_of_row(row, materials)):
                yield Fault(
                    "documents", index, f"document “{row.id}” has heads only and no line to be taken."
                )

    # --- the page and its answer ------------------------------------------------------------------------------------

    def content(self, config: Config, exhibit: Exhibit, answer: Answer | None) -> dict[str, Any]:
        stage = min(answer.stage, config.last) if answer else ABSTRACT
        lines = _lines(exhibit)
        if answer and stage == LINKS:
            chosen = set(answer.extract)
            lines = [line for line in lines if line.number in chosen]
        page: dict[str, Any] = {
            "stage": stage,
            "last": config.last,
            "title": exhibit.document.title,
            "lines": [line._asdict() for line in lines],
        }
        if answer is None or stage == ABSTRACT:
            return page | {
                "headings": [heading.model_dump() | {"title": _title(heading)} for heading in config.headings]
            }
        found = _sentences(config, exhibit, answer.abstract)
        return page | {"sentences": [sentence._asdict() for sentence in found]}

    def missing(self, config: Config, exhibit: Exhibit, answer: Answer) -> list[Missing]:
        found = list(_abstract_missing(config, answer))
        if config.extract and answer.stage >= EXTRACT:
            found += _extract_missing(exhibit, answer)
        if config.links and answer.stage >= LINKS:
            found += _links_missing(config, exhibit, answer)
        if not found and answer.stage < config.last:
            words = (
                gettext("Take lines of the text first.")
                if answer.stage == ABSTRACT
                else gettext("Link the lines with the sentences first.")
            )
            found.append(Missing("stage", words))
        return found

    def amend(self, config: Config, previous: Answer | None, answer: Answer) -> Answer:
        """Each stage changes what is its own; links are kept while lines are chosen again.

        A page of an earlier stage, in another tab or kept by a browser, changes nothing.
        """
        known = previous or self.Answer()
        if answer.stage < known.stage:
            return known.model_copy(update={"back": False})
        if known.stage == ABSTRACT:
            return self.Answer(abstract=answer.abstract)
        if known.stage == EXTRACT:
            own: dict[str, Any] = {"extract": tuple(sorted(set(answer.extract)))}
        else:
            own = {"links": answer.links, "back": answer.back}
        return known.model_copy(update={"back": False} | own)

    def stages(self, config: Config, exhibit: Exhibit) -> int:
        return config.last - ABSTRACT

    def stage(self, config: Config, answer: Answer) -> int:
        return answer.stage

    def advance(self, config: Config, exhibit: Exhibit, answer: Answer) -> Answer:
        """On; and from the links back to the lines, if that is asked for. The abstract never changes again."""
        if answer.stage == LINKS and answer.back:
            return answer.model_copy(update={"stage": EXTRACT, "back": False})
        if answer.stage >= config.last:
            raise NotYet([Missing("stage", gettext("There is no further step."))])
        if missing := [entry for entry in self.missing(config, exhibit, answer) if entry.field != "stage"]:
            raise NotYet(missing)
        taken = set(map(str, answer.extract))
        stay = {key: sentences for key, sentences in answer.links.items() if key in taken}
        return answer.model_copy(update={"stage": answer.stage + 1, "links": stay})

    def answer_in_words(self, config: Config, exhibit: Exhibit, answer: Answer) -> str:
        words = sum(len(text.split()) for text in answer.abstract.values())
        said = [ngettext("{n} word", "{n} words", words)]
        if config.extract:
            said.append(ngettext("{n} line", "{n} lines", len(set(answer.extract))))
        if config.links:
            said.append(ngettext("{n} link", "{n} links", sum(map(len, answer.links.values()))))
        return ", ".join(said)

    def units_compared(self, config: Config, exhibit: Exhibit) -> dict[tuple[int, str], int]:
        """The lines that can be taken."""
        lines = _takeable(_lines(exhibit)) if config.extract else []
        return {(0, str(line.number)): len(line.text) for line in lines}

    def rows(self, config: Config, exhibit: Exhibit, record: Record, answer: Answer) -> Iterator[Row]:
        for heading in config.headings:
            text = answer.abstract.get(heading.name, "")
            if text.strip():
                yield Row(heading.name, "abstract", None, text)
        taken = sorted(set(answer.extract))
        yield from (Row(str(number), "extract", 1.0, "") for number in taken)
        for number in taken:
            for sentence in answer.links.get(str(number), ()):
                yield Row(f"{sentence}:{number}", "link", 1.0, "")

    def answer(self, config: Config, exhibit: Exhibit, record: Record, rows: Sequence[Row]) -> Answer:
        if strange := [row.criterion for row in rows if row.criterion not in CRITERIA]:
            raise ValueError(f"criterion “{strange[0]}” is not one of {', '.join(CRITERIA)}")
        links: dict[str, list[str]] = {}
        for row in rows:
            sentence, colon, number = row.unit.rpartition(":")
            if row.criterion == "link":
                if not colon or not number.isdecimal():
                    raise ValueError(f"“{row.unit}” is no link, such as decisions/1:12")
                links.setdefault(number, []).append(sentence)
            elif row.criterion == "extract" and not row.unit.isdecimal():
                raise ValueError(f"“{row.unit}” is no number of a line, such as 12")
        return self.Answer.model_validate(
            {
                "abstract": {row.unit: row.label for row in rows if row.criterion == "abstract"},
                "stage": config.last,
                "extract": [int(row.unit) for row in rows if row.criterion == "extract"],
                "links": links,
            }
        )

    def attributes(
        self, config: Config, materials: Materials, judged: Iterable[Judged[Answer]]
    ) -> Iterable[Attribute]:
        """The lines that can be taken, of which nobody may have taken some; the sentences, which no line may support."""
        if config.extract:
            for row in materials.documents:
                lines = _lines_of_row(row, materials)
                yield Attribute("item", row.id, "units", str(len(lines)))
                for line in _takeable(lines):
                    said = f"{line.speaker}: {line.text}" if line.speaker else line.text
                    yield Attribute("line", f"{row.id}/{line.number}", "text", said)
        if config.links:
            for one in judged:
                for sentence in _cut(config, materials.language, one.answer.abstract):
                    key = f"{one.item}/{one.assessor}/{sentence.id}"
                    yield TaskAttribute("sentence", key, "text", sentence.text)

    def simulate(
        self,
        config: Config,
        exhibit: Exhibit,
        record: Record,
        *,
        qualities: Sequence[float],
        rng: random.Random,
    ) -> Answer:
        lines = _takeable(_lines(exhibit))
        abstract = {
            heading.name: " ".join(rng.choice(lines).text.split()[: heading.words or None])
            for index, heading in enumerate(config.headings)
            if index == 0 or heading.needed or rng.random() < 0.5
        }
        if not config.extract:
            return self.Answer(abstract=abstract, stage=config.last)
        taken = [line.number for line in lines if rng.random() < 0.3] or [lines[0].number]
        links: dict[str, tuple[str, ...]] = {}
        if config.links:
            ids = [sentence.id for sentence in _sentences(config, exhibit, abstract)]
            links = {
                str(number): tuple(sorted(rng.sample(ids, min(len(ids), 1 + (rng.random() < 0.3)))))
                for number in taken
            }
        return self.Answer(abstract=abstract, stage=config.last, extract=tuple(taken), links=links)

    def feedback(self, config: Config, exhibit: Exhibit, answer: Answer, key: Answer) -> list[Feedback]:
        return []


KIND = Extract()


def _lines_of_row(row: DocumentRow, materials: Materials) -> list[Line]:
    return lines_of(Text(text=row.text, units=row.units or ()), materials.language_of(row))


def _language(shown: Mapping[str, Any]) -> str:
    """Of what is written, which is the study's own."""
    return str(shown.get("language", "en"))


def _lines(exhibit: Exhibit) -> list[Line]:
    # A document without units was stored before there was a language of documents.
    return lines_of(exhibit.document, _language(exhibit.shown))


def _takeable(lines: Iterable[Line]) -> list[Line]:
    return [line for line in lines if not line.head]


def _title(heading: Heading) -> str:
    if heading.title:
        return heading.title
    if heading.name in TITLES:
        return gettext(TITLES[heading.name])
    return heading.name.replace("_", " ").replace("-", " ").capitalize()


def _sentences(config: Extract.Config, exhibit: Exhibit, abstract: Mapping[str, str]) -> list[Sentence]:
    return _cut(config, _language(exhibit.shown), abstract)


def _cut(config: Extract.Config, language: str, abstract: Mapping[str, str]) -> list[Sentence]:
    return [
        Sentence(f"{heading.name}/{number}", _title(heading), text)
        for heading in config.headings
        for number, text in enumerate(cut(abstract.get(heading.name, ""), language), start=1)
    ]


def _abstract_missing(config: Extract.Config, answer: Extract.Answer) -> Iterator[Missing]:
    names = {heading.name for heading in config.headings}
    for name in answer.abstract:
        if name not in names:
            yield Missing(name, gettext("There is no heading “{name}”.", name=name))
    for index, heading in enumerate(config.headings):
        words = len(answer.abstract.get(heading.name, "").split())
        if not words and (index == 0 or heading.needed):
            yield Missing(
                heading.name, gettext("Write something under “{heading}”.", heading=_title(heading))
            )
        elif heading.words and words > heading.words:
            yield Missing(
                heading.name,
                gettext(
                    "“{heading}” is too long. Words: {words}; at most {limit}.",
                    heading=_title(heading),
                    words=words,
                    limit=heading.words,
                ),
            )


def _extract_missing(exhibit: Exhibit, answer: Extract.Answer) -> Iterator[Missing]:
    if not answer.extract:
        yield Missing("extract", gettext("Take at least one line."))
    known = {line.number for line in _takeable(_lines(exhibit))}
    for number in answer.extract:
        if number not in known:
            yield Missing("extract", gettext("There is no line {n} to be taken.", n=number))


def _links_missing(config: Extract.Config, exhibit: Exhibit, answer: Extract.Answer) -> Iterator[Missing]:
    known = {sentence.id for sentence in _sentences(config, exhibit, answer.abstract)}
    taken = sorted(set(answer.extract))
    for number in taken:
        linked = answer.links.get(str(number), ())
        if not linked:
            yield Missing(str(number), gettext("Say which sentences line {n} supports.", n=number))
        for sentence in linked:
            if sentence not in known:
                yield Missing(
                    str(number), gettext("The abstract has no sentence “{sentence}”.", sentence=sentence)
                )
        if len(set(linked)) < len(linked):
            yield Missing(str(number), gettext("Line {n} is linked with one sentence twice.", n=number))
    keys = set(map(str, taken))
    for key in answer.links:
        if key not in keys:
            yield Missing("links", gettext("Line {n} is linked, but it is not taken.", n=key))
