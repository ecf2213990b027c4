"""Which of several texts is the best one: a task kind of another distribution, for the tests of sets and of rooms."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any

from pydantic import Field

from annotation.strict import Strict
from annotation.tasks.base import Example, TaskKind
from annotation.tasks.terms import Exhibit, Feedback, Missing, Record, Row, SubjectPlan

LETTERS = "ABCDEFGH"


class Favourite(TaskKind["Favourite.Config", "Favourite.Answer"]):
    slug = "favourite"
    title = "Favourite"
    compares = True
    examples = (Example({"size": 3}),)

    class Config(Strict):
        size: int = Field(default=2, ge=2, le=5)

    class Answer(Strict):
        best: int | None = None  # a place in the set
        reason: str = ""

    def subjects(self, config: Config, materials: Any) -> Iterable[SubjectPlan]:
        """Every set of so many different texts of an item."""
        for item in dict.fromkeys(output.item for output in materials.outputs):
            for outputs in combinations(materials.distinct_outputs(item), config.size):
                yield SubjectPlan(item=item, outputs=outputs)

    def content(self, config: Config, exhibit: Exhibit, answer: Answer | None) -> dict[str, Any]:
        texts = zip(LETTERS, exhibit.outputs, strict=False)
        return {"texts": [{"letter": letter, "text": output.text} for letter, output in texts]}

    def missing(self, config: Config, exhibit: Exhibit, answer: Answer) -> list[Missing]:
        if answer.best is None or not 0 <= answer.best < len(exhibit.outputs):
            return [Missing("best", "Choose the best text.")]
        return []

    def rows(self, config: Config, exhibit: Exhibit, record: Record, answer: Answer) -> Iterator[Row]:
        for place in range(len(exhibit.outputs)):
            best = place == answer.best
            yield Row(record.set, "best", float(best), "best" if best else "", place)
        if answer.reason:
            yield Row(record.set, "reason", None, answer.reason)

    def answer(self, config: Config, exhibit: Exhibit, record: Record, rows: Sequence[Row]) -> Answer:
        best = next((row.output for row in rows if row.criterion == "best" and row.value), None)
        reason = next((row.label for row in rows if row.criterion == "reason"), "")
        return self.Answer(best=best, reason=reason)

    def simulate(
        self,
        config: Config,
        exhibit: Exhibit,
        record: Record,
        *,
        qualities: Sequence[float],
        rng: random.Random,
    ) -> Answer:
        noisy = [rng.gauss(quality, 0.1) for quality in qualities]
        return self.Answer(
            best=noisy.index(max(noisy)), reason="It reads well." if rng.random() < 0.3 else ""
        )

    def feedback(self, config: Config, exhibit: Exhibit, answer: Answer, key: Answer) -> list[Feedback]:
        return [Feedback("best", answer.best == key.best, f"We would say {LETTERS[key.best or 0]}.")]


KIND = Favourite()
