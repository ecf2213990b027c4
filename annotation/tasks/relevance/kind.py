"""Relevance prediction (Dorr et al. 2005, §3): is this document about the event, judging by a surrogate of it?

The same assessor judges every surrogate of a document and at last its full text; nothing can be skipped or judged
again. A surrogate is an output; its kind (HEAD, HUM …) is the output's ``kind``, or its system where there is none.
Whoever wrote a surrogate knows the document, and does not meet it at all.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import Field, model_validator

from annotation.designs import Deal, Design, DesignProblem, PeopleProblem, Person
from annotation.strict import Strict
from annotation.tasks.base import Example, TaskKind
from annotation.tasks.terms import (
    Attribute,
    Exhibit,
    Fault,
    Feedback,
    Judged,
    Missing,
    Place,
    Record,
    Row,
    SubjectPlan,
)
from annotation.words import gettext
from annotation.words import gettext_noop as _

if TYPE_CHECKING:
    from annotation.study_files.schema import Materials

FULL = "full"
LABELS = {1.0: _("relevant"), 0.0: _("not relevant")}


class Relevance(TaskKind["Relevance.Config", "Relevance.Answer"]):
    slug = "relevance"
    title = "Relevance prediction"
    shared_styles = ("assess/questions.css",)
    revisable = False
    controls = False
    examples = (
        Example(
            {"kinds": ["HEAD", "HUM"]}, {"shown": {"full": False}}, {"noted": {"kind": "HEAD", "topic": "t"}}
        ),
        Example(
            {"kinds": ["HEAD", "HUM"]}, {"shown": {"full": True}}, {"noted": {"kind": FULL, "topic": "t"}}
        ),
    )

    class Config(Strict):
        """``kinds`` is the order of surrogates in the first half; the second half has the reverse."""

        kinds: tuple[str, ...] = Field(
            min_length=1,
            title="Surrogates, in their order",
            description="One kind (or system) a line. The second half of the assessors' work has the reverse order.",
        )
        order: Literal["complete-set", "drill-down"] = Field(
            default="complete-set",
            title="Order",
            description="complete-set: all documents by one kind, then by the next. drill-down: one document by all kinds.",
        )
        practice_topics: tuple[str, ...] = Field(
            default=(),
            title="Events to practise on",
            description="One id a line; which documents are relevant gives the feedback.",
        )

        @model_validator(mode="after")
        def _kinds_differ(self) -> Self:
            if FULL in self.kinds:
                raise ValueError(
                    f"“{FULL}” is the full text, which always comes last; leave it out of “kinds”"
                )
            if len(set(self.kinds)) < len(self.kinds):
                raise ValueError("“kinds” names a kind twice")
            return self

    class Answer(Strict):
        relevant: float | None = None

    def faults(self, config: Config, materials: Materials) -> Iterator[Fault]:
        """Every document of an event needs one surrogate of each kind, every event a description."""
        events = {topic.id for topic in materials.topics}
        for name in config.practice_topics:
            if name not in events:
                yield Fault("", 0, f"“practice_topics” names an unknown topic, “{name}”.")
        used = {document.topic for document in materials.documents}
        for index, topic in enumerate(materials.topics):
            if topic.id in used and not topic.description.strip():
                yield Fault(
                    "topics",
                    index,
                    f"event “{topic.id}” has no description; say what it is, for assessors to compare with.",
                )
        surrogates: set[tuple[str, str]] = set()
        for index, output in enumerate(materials.outputs):
            place = (output.document, _kind(output))
            if output.document and place[1] in config.kinds and place in surrogates:
                yield Fault(
                    "outputs",
                    index,
                    f"document “{place[0]}” has two surrogates of kind {place[1]}; remove one of them.",
                )
            surrogates.add(place)
        for index, document in enumerate(materials.documents):
            for kind in config.kinds:
                if document.topic in events and (document.id, kind) not in surrogates:
                    yield Fault("documents", index, _no_surrogate(document.id, kind))

    def subjects(self, config: Config, materials: Materials) -> Iterable[SubjectPlan]:
        """For every document of every event: each surrogate, then the full text."""
        topics = {topic.id: index for index, topic in enumerate(materials.topics)}
        surrogates = {
            (output.document, _kind(output)): index for index, output in enumerate(materials.outputs)
        }
        for d, document in enumerate(materials.documents):
            if document.topic not in topics:
                continue
            found = {kind: surrogates.get((document.id, kind)) for kind in config.kinds}
            practice = document.topic in config.practice_topics
            gold = materials.topics[topics[document.topic]].gold.get(document.id)
            authors = {materials.outputs[index].author for index in found.values() if index is not None}
            for kind, output in {**found, FULL: None}.items():
                if output is None and kind != FULL:
                    raise DesignProblem(_no_surrogate(document.id, kind))
                yield SubjectPlan(
                    item=f"{document.topic}/{document.id}",
                    outputs=() if output is None else (output,),
                    document=d,
                    topic=topics[document.topic],
                    shown={"full": kind == FULL},
                    noted={"kind": kind, "topic": document.topic, "gold": gold},
                    practice=practice,
                    key={"relevant": float(gold)} if practice and gold is not None else None,
                    authors=frozenset(authors - {""}),
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
        already: Mapping[int, int] | None = None,
    ) -> list[Deal]:
        """Everybody judges everything but documents of which they wrote a surrogate; the order is the protocol.

        Assessors come in pairs. A pair has a document order of its own in every event; its two members have opposite
        kind orders in the first half of the documents, and each the reverse in the second half.
        """
        if design.pool:
            raise DesignProblem("in relevance prediction everybody judges everything; set “pool” to false.")
        events = _events(config, subjects)
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
                    piece = events[topic][document][kind]
                    if not person.author or person.author not in subjects[piece].authors:
                        deals.append(Deal(person=person.index, piece=piece))
        _refuse_unjudged(events, deals)
        return deals

    def dealt_as(self, config: Config, design: Design, phase: str) -> None:
        """Surrogates and full text belong to the same person, so a part of somebody's work is of no use to another."""
        return

    def deal_described(self, config: Config, design: Design, n_people: int) -> str:
        kinds = ", ".join(config.kinds)
        whole = (
            f"all texts of a kind in turn ({kinds}; full text last)"
            if config.order == "complete-set"
            else f"document by document ({kinds}; full text last)"
        )
        return (
            f"Everybody judges every surrogate and every full text, event by event and {whole}. The second half of an "
            "event’s documents has the reverse order of kinds. Assessors come in pairs: a pair has an order of "
            "documents of its own, and its two members start with opposite orders of kinds."
        )

    def content(self, config: Config, exhibit: Exhibit, answer: Answer | None) -> dict[str, Any]:
        full = _is_full(exhibit)
        return {
            "event": {"title": exhibit.topic.title, "description": exhibit.topic.text},
            "text": exhibit.document.text if full else exhibit.output.text,
            "title": exhibit.document.title if full else "",
            "of_document": full,  # which may be in a language of its own
            # From no to yes, as digits and other scales run.
            "choices": [{"label": gettext(label), "value": value} for value, label in sorted(LABELS.items())],
        }

    def missing(self, config: Config, exhibit: Exhibit, answer: Answer) -> list[Missing]:
        if answer.relevant in LABELS:
            return []
        return [Missing("relevant", gettext("Choose relevant or not relevant."))]

    def scale_ends(self, config: Config) -> dict[str, tuple[float, float]]:
        return {"relevant": (0, 1)}

    def rows(self, config: Config, exhibit: Exhibit, record: Record, answer: Answer) -> Iterator[Row]:
        assert answer.relevant is not None
        yield Row("", "relevant", answer.relevant, LABELS[answer.relevant])

    def answer(self, config: Config, exhibit: Exhibit, record: Record, rows: Sequence[Row]) -> Answer:
        values = {row.criterion: row.value for row in rows}
        if set(values) != {"relevant"}:
            raise ValueError(f"expected the criterion relevant alone, found {', '.join(sorted(values))}")
        return self.Answer(relevant=values["relevant"])

    def place(self, record: Record, place: Place) -> Place:
        """The system is the kind of surrogate, the item the event and the document."""
        return Place(
            system=record.noted.get("kind", place.system),
            document=place.document,
            item=f"{record.topic}/{record.document}",
        )

    def attributes(
        self, config: Config, materials: Materials, judged: Iterable[Judged[Answer]]
    ) -> Iterable[Attribute]:
        """The external key, where there is one."""
        for topic in materials.topics:
            for document, gold in topic.gold.items():
                yield Attribute("item", f"{topic.id}/{document}", "gold", str(int(gold)))

    def simulate(
        self,
        config: Config,
        exhibit: Exhibit,
        record: Record,
        *,
        qualities: Sequence[float],
        rng: random.Random,
    ) -> Answer:
        """The key is right, or half of all documents are relevant; the better the surrogate, the surer it is seen."""
        truth = record.noted.get("gold")
        if truth is None:
            truth = random.Random(f"{record.topic}/{record.document}").random() < 0.5
        sees = rng.random() < (0.9 if _is_full(exhibit) else 0.5 + qualities[0] * 0.4)
        return self.Answer(relevant=float(truth if sees else not truth))

    def feedback(self, config: Config, exhibit: Exhibit, answer: Answer, key: Answer) -> list[Feedback]:
        if key.relevant is None:
            return []
        assert answer.relevant is not None
        expected = gettext(LABELS[key.relevant])
        if answer.relevant == key.relevant:
            return [
                Feedback(
                    "relevant", True, gettext("{answer}, as we would say.", answer=expected.capitalize())
                )
            ]
        return [
            Feedback(
                "relevant",
                False,
                gettext(
                    "You said {yours}, we would say {answer}.",
                    yours=gettext(LABELS[answer.relevant]),
                    answer=expected,
                ),
            )
        ]


KIND = Relevance()


def _kind(output: Any) -> str:
    return output.kind or output.system


def _no_surrogate(document: str, kind: str) -> str:
    return f"document “{document}” has no surrogate of kind {kind}; add one to the outputs."


def _is_full(exhibit: Exhibit) -> bool:
    """A practice item of the study file is always a surrogate."""
    return bool(exhibit.shown.get("full"))


def _events(
    config: Relevance.Config, subjects: Sequence[SubjectPlan]
) -> dict[str, dict[str, dict[str, int]]]:
    """Topic → item → kind → index of the subject, without documents of which a surrogate was taken for practice."""
    events: dict[str, dict[str, dict[str, int]]] = {}
    for index, subject in enumerate(subjects):
        kinds = events.setdefault(subject.noted["topic"], {}).setdefault(subject.item, {})
        kinds[subject.noted["kind"]] = index
    whole = len(config.kinds) + 1
    return {
        topic: {item: kinds for item, kinds in items.items() if len(kinds) == whole}
        for topic, items in events.items()
    }


def _refuse_unjudged(events: dict[str, dict[str, dict[str, int]]], deals: Sequence[Deal]) -> None:
    dealt = {deal.piece for deal in deals}
    for documents in events.values():
        for item, kinds in documents.items():
            if not dealt.issuperset(kinds.values()):
                raise PeopleProblem(
                    f"every assessor wrote a surrogate of “{item}”; add somebody who can judge it."
                )


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
