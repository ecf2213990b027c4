"""Cross comprehension (Kolluru & Gotoh 2005): do one author's questions find their answers in another's summary?

Authoring: everybody who writes reads a story, writes a short summary and a few questions with expected answers.
Crossing: every summary meets the questions of all other authors; imported machine summaries meet all questions.
Judging: somebody who wrote neither sees one summary and one question, and says what the summary gives.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from pydantic import Field, model_validator

from annotation.designs import Deal, Design, DesignProblem, PeopleProblem, Person, Piece, deal
from annotation.strict import Strict
from annotation.tasks.base import Example, TaskKind
from annotation.tasks.terms import (
    Attribute,
    Exhibit,
    Feedback,
    Judged,
    Missing,
    Place,
    Record,
    Row,
    SubjectPlan,
    criteria_check,
)
from annotation.words import gettext, ngettext
from annotation.words import gettext_noop as _

if TYPE_CHECKING:
    from annotation.study_files.schema import Materials

AUTHORING, JUDGING = "authoring", "judging"
CHOICES = ((3, _("relevant")), (2, _("partially relevant")), (1, _("irrelevant")), (0, _("not found")))
LABELS = dict(CHOICES)
RULES = (
    _("The answer to each question must be found in your summary."),
    _("No questions that can be answered with yes or no."),
    _("Somebody who reads only your questions and answers should roughly get your summary."),
)
YES_NO = re.compile(
    r"^(is|are|was|were|am|do|does|did|has|have|had|can|could|will|would|shall|should|may|might|must)(n['’]t)?\b",
    re.I,
)
STEM = 5  # letters that must agree: an answer may inflect a word of the summary


class Question(Strict):
    question: str = ""
    answer: str = ""

    @property
    def blank(self) -> bool:
        return not self.question.strip() and not self.answer.strip()


class Summary(NamedTuple):
    author: str
    text: str
    output: int | None


class CrossComprehension(TaskKind["CrossComprehension.Config", "CrossComprehension.Answer"]):
    slug = "cross_comprehension"
    title = "Cross comprehension"
    shared_styles = ("assess/questions.css",)
    revisable = False
    practisable = False
    controls = False
    examples = (
        Example({}, {"outputs": (), "phase": AUTHORING}, {"phase": AUTHORING}),
        Example(
            {},
            {
                "shown": {"summary": "A ferry sank.", "question": "What sank?", "answer": "a ferry"},
                "phase": JUDGING,
            },
            {"noted": {"summary_author": "a", "question_author": "b", "number": 1}, "phase": JUDGING},
        ),
    )
    phases = (AUTHORING, JUDGING)

    class Config(Strict):
        """``authors`` and ``judges`` are groups of assessors; empty means everybody."""

        authoring: bool = Field(
            default=True,
            title="Assessors write",
            description="Otherwise all summaries and questions come with the study file, and judging begins at once.",
        )
        target_characters: int = Field(
            default=100, ge=1, title="Length of a summary", description="In characters."
        )
        questions_min: int = Field(default=2, ge=1, title="Questions, at least")
        questions_max: int = Field(default=4, ge=1, title="Questions, at most")
        judges_per_pair: int = Field(
            default=1, ge=1, title="Judges", description="For each summary with each question of others."
        )
        typed_answer: bool = Field(default=True, title="Judges may type the answer they found")
        authors: str = Field(default="", title="Group that writes", description="Empty: everybody.")
        judges: str = Field(default="", title="Group that judges", description="Empty: everybody.")

        @model_validator(mode="after")
        def _rising(self) -> Self:
            if self.questions_min > self.questions_max:
                raise ValueError("questions_min must not be above questions_max")
            return self

    class Answer(Strict):
        summary: str = Field(default="", max_length=20_000)
        questions: tuple[Question, ...] = ()
        choice: int | None = None
        typed: str = Field(default="", max_length=2_000)

    # --- who writes and who judges ----------------------------------------------------------------------------

    def subjects(self, config: Config, materials: Materials) -> Iterable[SubjectPlan]:
        """Every story is to be written about; or, with everything imported, the crossing of the imported."""
        if not config.authoring:
            yield from self.later_subjects(config, materials, JUDGING, ())
            return
        for index, document in enumerate(materials.documents):
            yield SubjectPlan(item=document.id, document=index)

    def first_phase(self, config: Config) -> str:
        return AUTHORING if config.authoring else JUDGING

    def later_subjects(
        self, config: Config, materials: Materials, phase: str, judged: Sequence[Judged[Answer]]
    ) -> Iterable[SubjectPlan]:
        """Every summary with every question of every other author, story by story."""
        for index, document in enumerate(materials.documents):
            authored = [one for one in judged if one.item == document.id]
            questions = list(_questions(materials, document.id, authored))
            for summary in _summaries(materials, document.id, authored):
                for author, number, question in questions:
                    if author == summary.author:
                        continue
                    yield SubjectPlan(
                        item=document.id,
                        document=index,
                        outputs=() if summary.output is None else (summary.output,),
                        shown={"summary": summary.text, **question.model_dump()},
                        noted={"summary_author": summary.author, "question_author": author, "number": number},
                        authors=frozenset({summary.author, author}),
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
        """All authors write about all stories; each pair goes to judges who wrote neither of its texts."""
        if design.pool:
            raise DesignProblem("cross comprehension deals every pair beforehand; set “pool” to false.")
        group = config.authors if phase == AUTHORING else config.judges
        chosen = [person for person in people if not group or person.group == group]
        if not chosen:
            raise PeopleProblem(
                f"no assessor is in the group “{group}”. Put some in, or let everybody take part."
            )
        dealt = self.dealt_as(config, design, phase)
        if dealt is None:
            return [
                Deal(person.index, piece)
                for number, person in enumerate(chosen)
                for piece in _shuffled(len(subjects), f"{seed}/{number}")
            ]
        pieces = [
            Piece(
                index=index,
                item=subject.item,
                system=subject.noted["summary_author"],
                authors=subject.authors,
            )
            for index, subject in enumerate(subjects)
        ]
        return deal(dealt, pieces, chosen, seed=seed, already=already)

    def dealt_as(self, config: Config, design: Design, phase: str) -> Design | None:
        """All authors write about all stories; pairs are dealt at random."""
        return None if phase == AUTHORING else Design(assessors_per_item=config.judges_per_pair)

    def later_lacking(self, config: Config, people: Sequence[Person]) -> str:
        """A pair of two authors needs judges who are neither."""
        authors = [person for person in people if not config.authors or person.group == config.authors]
        judges = [person for person in people if not config.judges or person.group == config.judges]
        both = sum(person in judges for person in authors)
        short = config.judges_per_pair - (len(judges) - min(both, 2))
        if not config.authoring or short <= 0:
            return ""
        return (
            "whoever wrote a summary or its questions does not judge them, so that judging cannot be dealt among these "
            f"assessors. Before that phase opens, {short} more {'is' if short == 1 else 'are'} needed."
        )

    def may_take_over(self, config: Config, person: Person, record: Record) -> bool:
        """A judge who wrote neither of the pair's texts."""
        judges = not config.judges or person.group == config.judges
        return judges and person.author not in {
            record.noted["summary_author"],
            record.noted["question_author"],
        }

    def deal_described(self, config: Config, design: Design, n_people: int) -> str:
        judges = "one judge" if config.judges_per_pair == 1 else f"{config.judges_per_pair} judges"
        judging = f"Each summary with each question of another author goes to {judges}, who wrote neither."
        if not config.authoring:
            return judging
        who = f"Everybody in the group “{config.authors}”" if config.authors else "Everybody"
        return f"{who} writes about every story. Then the experimenter opens judging. {judging}"

    # --- the page and its answer ------------------------------------------------------------------------------

    def content(self, config: Config, exhibit: Exhibit, answer: Answer | None) -> dict[str, Any]:
        if exhibit.phase == AUTHORING:
            return {
                "phase": AUTHORING,
                "title": exhibit.document.title,
                "text": exhibit.document.text,
                "target": config.target_characters,
                "questions_min": config.questions_min,
                "questions_max": config.questions_max,
                "rules": [gettext(rule) for rule in RULES],
            }
        return {
            "phase": JUDGING,
            "summary": exhibit.shown["summary"],
            "question": exhibit.shown["question"],
            "expected": exhibit.shown["answer"],
            # From none to all, as digits and other scales run.
            "choices": [{"value": value, "label": gettext(label)} for value, label in reversed(CHOICES)],
            "typed_answer": config.typed_answer,
        }

    def missing(self, config: Config, exhibit: Exhibit, answer: Answer) -> list[Missing]:
        if exhibit.phase == AUTHORING:
            return list(_authoring_missing(config, answer))
        if answer.choice not in LABELS:
            return [
                Missing(
                    "choice",
                    gettext("Say what the summary gives: relevant, partially, irrelevant or not found."),
                )
            ]
        return []

    def answer_in_words(self, config: Config, exhibit: Exhibit, answer: Answer) -> str:
        if exhibit.phase == AUTHORING:
            return answer.summary
        said = gettext(LABELS.get(answer.choice, "")) if answer.choice is not None else ""
        return f"{said}: {answer.typed}" if answer.typed else said

    def answer_told(self, config: Config, exhibit: Exhibit, answer: Answer) -> list[str]:
        """Rows name the question's author, whom nobody here knows; and there is only one question."""
        return [self.answer_in_words(config, exhibit, answer)]

    def scale_ends(self, config: Config) -> dict[str, tuple[float, float]]:
        return {"answer": (0, 3)}

    def rows(self, config: Config, exhibit: Exhibit, record: Record, answer: Answer) -> Iterator[Row]:
        if exhibit.phase == AUTHORING:
            yield Row("", "summary", None, answer.summary)
            for number, question in enumerate(_written(answer), start=1):
                yield Row(str(number), "question", None, question.question)
                yield Row(str(number), "expected", None, question.answer)
            return
        unit = self.part(record)
        assert answer.choice is not None
        yield Row(unit, "answer", float(answer.choice), LABELS[answer.choice])
        if answer.typed:
            yield Row(unit, "typed", None, answer.typed)

    def answer(self, config: Config, exhibit: Exhibit, record: Record, rows: Sequence[Row]) -> Answer:
        known = ("answer", "typed") if exhibit.phase == JUDGING else ("summary", "question", "expected")
        criteria_check(rows, known, exhibit.phase)
        labels = {(row.unit, row.criterion): row.label for row in rows}
        if exhibit.phase == JUDGING:
            choice = next((row.value for row in rows if row.criterion == "answer"), None)
            typed = next((row.label for row in rows if row.criterion == "typed"), "")
            return self.Answer.model_validate({"choice": choice, "typed": typed})
        numbers = sorted({row.unit for row in rows if row.criterion == "question"}, key=int)
        return self.Answer(
            summary=labels.get(("", "summary"), ""),
            questions=tuple(
                Question(question=labels[number, "question"], answer=labels.get((number, "expected"), ""))
                for number in numbers
            ),
        )

    def place(self, record: Record, place: Place) -> Place:
        """The system is whoever wrote the summary; what is being written has none yet."""
        return Place(record.noted.get("summary_author", ""), place.document, place.item)

    def part(self, record: Record) -> str:
        """A summary is judged by one question at a time."""
        if record.phase == AUTHORING:
            return ""
        return f"{record.noted['question_author']}/{record.noted['number']}"

    def part_in(self, config: Config, system: str, unit: str) -> str:
        return unit if system else ""  # what authors write has no system, and all of it is one judgment

    def attributes(
        self, config: Config, materials: Materials, judged: Iterable[Judged[Answer]]
    ) -> Iterable[Attribute]:
        """How long summaries are, and that people wrote them, under their authors' names: written here or imported."""
        people = set()
        for output in materials.outputs:
            if output.author and output.author != output.system:
                people.add(output.author)
                length = len(output.whole_text)
                yield Attribute("output", f"{output.author}/{output.item}", "characters", str(length))
        for one in judged:
            if one.answer.summary:
                people.add(one.author)
                yield Attribute(
                    "output", f"{one.author}/{one.item}", "characters", str(len(one.answer.summary))
                )
                yield Attribute("output", f"{one.author}/{one.item}", "target", str(config.target_characters))
        yield from (Attribute("system", author, "type", "human") for author in sorted(people))

    def simulate(
        self,
        config: Config,
        exhibit: Exhibit,
        record: Record,
        *,
        qualities: Sequence[float],
        rng: random.Random,
    ) -> Answer:
        if exhibit.phase == JUDGING:
            noisy = min(1.0, max(0.0, rng.gauss(qualities[0], 0.25)))
            return self.Answer(choice=round(noisy * 3))
        words = exhibit.document.text.split()
        while len(words) < config.questions_min:
            words.append(f"fact{len(words)}")
        start = rng.randrange(max(1, len(words) - 20))
        summary = words[start : start + 20]
        asked = rng.sample(summary, min(len(summary), config.questions_min))
        return self.Answer(
            summary=" ".join(summary),
            questions=tuple(
                Question(question=f"Which word comes {n}?", answer=word) for n, word in enumerate(asked)
            ),
        )

    def feedback(self, config: Config, exhibit: Exhibit, answer: Answer, key: Answer) -> list[Feedback]:
        if key.choice is None or answer.choice is None:
            return []
        yours, expected = gettext(LABELS[answer.choice]), gettext(LABELS[key.choice])
        if answer.choice == key.choice:
            return [
                Feedback("choice", True, gettext("{answer}, as we would say.", answer=expected.capitalize()))
            ]
        words = gettext("You said {yours}, we would say {answer}.", yours=yours, answer=expected)
        return [Feedback("choice", False, words)]


KIND = CrossComprehension()


def _summaries(
    materials: Materials, item: str, authored: Sequence[Judged[CrossComprehension.Answer]]
) -> Iterator[Summary]:
    """Those written here, then those imported."""
    yield from (Summary(one.author, one.answer.summary, None) for one in authored if one.answer.summary)
    for index, output in enumerate(materials.outputs):
        if output.item == item:
            yield Summary(output.author or output.system, output.whole_text, index)


def _questions(
    materials: Materials, item: str, authored: Sequence[Judged[CrossComprehension.Answer]]
) -> Iterator[tuple[str, int, Question]]:
    """(author, number, question), those written here and those imported."""
    for one in authored:
        yield from (
            (one.author, number, question) for number, question in enumerate(_written(one.answer), start=1)
        )
    numbers: dict[str, int] = {}
    for row in materials.questions:
        if row.document == item:
            numbers[row.author] = numbers.get(row.author, 0) + 1
            yield row.author, numbers[row.author], Question(question=row.question, answer=row.answer)


def _written(answer: CrossComprehension.Answer) -> list[Question]:
    return [question for question in answer.questions if not question.blank]


def _authoring_missing(
    config: CrossComprehension.Config, answer: CrossComprehension.Answer
) -> Iterator[Missing]:
    if not answer.summary.strip():
        yield Missing("summary", gettext("Write a summary of the story."))
    words = _stems(answer.summary)
    for number, question in enumerate(answer.questions, start=1):
        if question.blank:
            continue
        field = f"questions.{number - 1}"
        if not question.question.strip():
            yield Missing(
                f"{field}.question",
                gettext("Question {number} has an answer but no question.", number=number),
            )
        elif YES_NO.match(question.question.strip()):
            yield Missing(
                f"{field}.question",
                gettext(
                    "Question {number} can be answered with yes or no. Ask who, what, where, when, why or how.",
                    number=number,
                ),
            )
        if not question.answer.strip():
            yield Missing(f"{field}.answer", gettext("Write the answer to question {number}.", number=number))
        elif lacking := [word for word in _words(question.answer) if word[:STEM] not in words]:
            yield Missing(
                f"{field}.answer",
                gettext(
                    "The answer to question {number} must be found in your summary, which does not say “{word}”.",
                    number=number,
                    word=lacking[0],
                ),
            )
    count = len(_written(answer))
    if count < config.questions_min:
        yield Missing(
            f"questions.{count}.question",
            ngettext("Write at least {n} question.", "Write at least {n} questions.", config.questions_min),
        )
    if count > config.questions_max:
        yield Missing(
            "questions",
            ngettext("Write at most {n} question.", "Write at most {n} questions.", config.questions_max),
        )


def _words(text: str) -> list[str]:
    """Words that carry content: longer than three letters, or with a digit."""
    found = re.findall(r"\w+", text.casefold())
    return [word for word in found if len(word) > 3 or any(letter.isdigit() for letter in word)]


def _stems(text: str) -> set[str]:
    return {word[:STEM] for word in _words(text)}


def _shuffled(count: int, seed: str) -> list[int]:
    order = list(range(count))
    random.Random(seed).shuffle(order)
    return order
