"""Relevance prediction (Dorr et al. 2005, §3): is this document about the event, judging by a surrogate of it?

The same assessor judges every surrogate of a document and at last its full text; nothing can be skipped or judged
again. A surrogate is an output; its kind (HEAD, HUM …) is the output's ``kind``, or its system where there is none.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal

from pydantic import Field

from annotation.designs import Deal, Design, DesignProblem, Person
from annotation.tasks.base import (
    Attribute,
    Exhibit,
    Feedback,
    Judged,
    Missing,
    Place,
    Row,
    Strict,
    SubjectPlan,
    TaskKind,
)

FULL = "full"
LABELS = {1.0: "relevant", 0.0: "not relevant"}


class Relevance(TaskKind):
    slug = "relevance"
    title = "Relevance prediction"
    revisable = False

    class Config(Strict):
        """``kinds`` is the order of surrogates in the first half; the second half has the reverse."""

        kinds: tuple[str, ...] = Field(min_length=1)
        order: Literal["complete-set", "drill-down"] = "complete-set"
        practice_topics: tuple[str, ...] = ()

    class Answer(Strict):
        relevant: float | None = None

    Key = Answer

    def subjects(self, config: Config, materials: Any) -> Iterable[SubjectPlan]:
        """For every document of every event: each surrogate, then the full text."""
        topics = {topic.id: index for index, topic in enumerate(materials.topics)}
        surrogates = {
            (output.document, output.kind or output.system): index
            for index, output in enumerate(materials.outputs)
        }
        for d, document in enumerate(materials.documents):
            if document.topic not in topics:
                continue
            for kind in (*config.kinds, FULL):
                output = surrogates.get((document.id, kind))
                if output is None and kind != FULL:
                    raise DesignProblem(
                        f"document {document.id} has no surrogate of kind {kind}. Add one to the outputs."
                    )
                yield SubjectPlan(
                    item=f"{document.topic}/{document.id}",
                    output=output,
                    document=d,
                    topic=topics[document.topic],
                    details={"kind": kind, "topic": document.topic},
                    practice=document.topic in config.practice_topics,
                )

    def deal(
        self,
        config: Config,
        design: Design,
        phase: str,
        subjects: Sequence[SubjectPlan],
        people: Sequence[Person],
        *,
        seed: int,
    ) -> list[Deal]:
        """Everybody judges everything; the order is the protocol.

        Assessors come in pairs. A pair has a document order of its own in every event; its two members have opposite
        kind orders in the first half of the documents, and each the reverse in the second half.
        """
        events = _events(subjects)
        deals = []
        for number, person in enumerate(people):
            pair, member = divmod(number, 2)
            rng = random.Random(f"{seed}/{pair}")
            practice = [topic for topic in events if topic in config.practice_topics]
            scored = [topic for topic in events if topic not in config.practice_topics]
            rng.shuffle(scored)
            for topic in practice + scored:
                documents = sorted(events[topic])
                rng.shuffle(documents)
                for kind, document in _sequence(config, documents, reverse_first=member == 1):
                    deals.append(Deal(person=person.index, piece=events[topic][document][kind]))
        return deals

    def content(self, config: Config, exhibit: Exhibit, answer: Answer | None) -> dict[str, Any]:
        full = exhibit.details["kind"] == FULL
        return {
            "event": {"title": exhibit.topic.title, "description": exhibit.topic.text},
            "text": exhibit.document.text if full else exhibit.output.text,
            "title": exhibit.document.title if full else "",
            "choices": [{"label": label, "value": value} for value, label in LABELS.items()],
        }

    def missing(self, config: Config, exhibit: Exhibit, answer: Answer) -> list[Missing]:
        if answer.relevant in LABELS:
            return []
        return [Missing("relevant", "Choose relevant or not relevant.")]

    def rows(self, config: Config, exhibit: Exhibit, answer: Answer) -> Iterator[Row]:
        assert answer.relevant is not None
        yield Row("", "relevant", answer.relevant, LABELS[answer.relevant])

    def answer(self, config: Config, exhibit: Exhibit, rows: Sequence[Row]) -> Answer:
        values = {row.criterion: row.value for row in rows}
        if set(values) != {"relevant"}:
            raise ValueError(f"expected the criterion relevant alone, found {', '.join(sorted(values))}")
        return self.Answer(relevant=values["relevant"])

    def place(self, exhibit: Exhibit, place: Place) -> Place:
        """The system is the kind of surrogate, the item the event and the document."""
        return Place(
            system=exhibit.details["kind"],
            document=place.document,
            item=f"{exhibit.topic.key}/{exhibit.document.key}",
        )

    def attributes(self, config: Config, materials: Any, judged: Iterable[Judged]) -> Iterable[Attribute]:
        """The external key, where there is one."""
        for topic in materials.topics:
            for document, gold in topic.gold.items():
                yield Attribute("item", f"{topic.id}/{document}", "gold", str(int(gold)))

    def simulate(self, config: Config, exhibit: Exhibit, *, quality: float, rng: random.Random) -> Answer:
        """Half of all documents are relevant; the better the surrogate, the surer the assessor sees it."""
        truth = random.Random(f"{exhibit.topic.key}/{exhibit.document.key}").random() < 0.5
        sees = exhibit.details["kind"] == FULL or rng.random() < 0.5 + quality / 2
        return self.Answer(relevant=float(truth if sees else not truth))

    def feedback(self, config: Config, exhibit: Exhibit, answer: Answer, key: Answer) -> list[Feedback]:
        if key.relevant is None:
            return []
        assert answer.relevant is not None
        if answer.relevant == key.relevant:
            return [Feedback("relevant", True, f"{LABELS[key.relevant].capitalize()}, as we would say.")]
        said, expected = LABELS[answer.relevant], LABELS[key.relevant]
        return [Feedback("relevant", False, f"You said {said}, we would say {expected}.")]


def _events(subjects: Sequence[SubjectPlan]) -> dict[str, dict[str, dict[str, int]]]:
    """Topic → item → kind → index of the subject."""
    events: dict[str, dict[str, dict[str, int]]] = {}
    for index, subject in enumerate(subjects):
        events.setdefault(subject.details["topic"], {}).setdefault(subject.item, {})[
            subject.details["kind"]
        ] = index
    return events


def _sequence(
    config: Relevance.Config, documents: Sequence[str], *, reverse_first: bool
) -> Iterator[tuple[str, str]]:
    """(kind, document) in the order in which one assessor meets them within an event."""
    middle = (len(documents) + 1) // 2
    for half, reverse in ((documents[:middle], reverse_first), (documents[middle:], not reverse_first)):
        kinds = [*(reversed(config.kinds) if reverse else config.kinds), FULL]
        if config.order == "complete-set":
            yield from ((kind, document) for kind in kinds for document in half)
        else:
            yield from ((kind, document) for document in half for kind in kinds)
