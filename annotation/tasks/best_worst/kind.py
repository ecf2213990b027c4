"""Best–worst scaling: of the texts of a set, the best one and the worst one (Louviere & Woodworth 1991)."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import Field

from annotation.tasks.base import Example
from annotation.tasks.comparisons import (
    LETTERS,
    Comparison,
    ComparisonAnswer,
    ComparisonConfig,
    Question,
)
from annotation.tasks.terms import Exhibit, Feedback, Missing, Record, Row
from annotation.words import gettext
from annotation.words import gettext_noop as _

BEST, WORST = 1.0, -1.0
LABELS = {BEST: _("best"), WORST: _("worst"), 0.0: ""}


class BestWorst(Comparison["BestWorst.Config", "BestWorst.Answer"]):
    slug = "best_worst"
    title = "Best and worst"
    examples = (
        Example(),
        Example({"reason": "required", "criteria": [{"name": "fluency"}, {"name": "adequacy"}]}),
    )

    class Config(ComparisonConfig):
        least, usual = 3, 4
        criteria: tuple[Question, ...] = Field(
            default=(
                Question(
                    name="choice", title=_("Best and worst"), question=_("Which text is best, which worst?")
                ),
            ),
            min_length=1,
            title="Questions",
        )

    class Answer(ComparisonAnswer):
        best: dict[str, int | None] = Field(default_factory=dict)
        worst: dict[str, int | None] = Field(default_factory=dict)

    def content(self, config: Config, exhibit: Exhibit, answer: Answer | None) -> dict[str, Any]:
        marks = [
            {"value": "best", "label": gettext("Best"), "name": gettext("best"), "key": " "},
            {"value": "worst", "label": gettext("Worst"), "name": gettext("worst"), "key": "⇧ "},
        ]
        return {**super().content(config, exhibit, answer), "marks": marks}

    def answered(self, answer: Answer) -> set[str]:
        return {*answer.best, *answer.worst}

    def problems(self, config: Config, size: int, answer: Answer, name: str) -> Iterator[Missing]:
        best, worst = answer.best.get(name), answer.worst.get(name)
        wanting = (gettext("Choose the best."), best), (gettext("Choose the worst."), worst)
        for choose, place in wanting:
            if place is None:
                yield Missing(name, choose)
            elif not 0 <= place < size:
                yield Missing(name, gettext("There is no text {number}.", number=place + 1))
        if best is not None and best == worst and 0 <= best < size:
            yield Missing(name, gettext("{text} cannot be both the best and the worst.", text=LETTERS[best]))

    def rows(self, config: Config, exhibit: Exhibit, record: Record, answer: Answer) -> Iterator[Row]:
        for criterion in config.criteria:
            best, worst = answer.best.get(criterion.name), answer.worst.get(criterion.name)
            for place in range(len(exhibit.outputs)):
                value = BEST if place == best else WORST if place == worst else 0.0
                yield Row(record.set, criterion.name, value, LABELS[value], place)
        yield from self.reason_rows(record, answer)

    def answer(self, config: Config, exhibit: Exhibit, record: Record, rows: Sequence[Row]) -> Answer:
        self.check_criteria(config, rows)
        best, worst = {}, {}
        for criterion in config.criteria:
            values = [row.value for row in self.said(config, exhibit, rows, criterion.name)]
            if values.count(BEST) != 1 or values.count(WORST) != 1 or values.count(0.0) != len(values) - 2:
                raise ValueError(
                    f"criterion “{criterion.name}” needs one text with 1 (best), one with −1 (worst), and 0 for the others"
                )
            best[criterion.name], worst[criterion.name] = values.index(BEST), values.index(WORST)
        return self.Answer(best=best, worst=worst, reason=self.reason_in(rows))

    def simulate(
        self,
        config: Config,
        exhibit: Exhibit,
        record: Record,
        *,
        qualities: Sequence[float],
        rng: random.Random,
    ) -> Answer:
        best, worst = {}, {}
        for criterion in config.criteria:
            noisy = [rng.gauss(quality, 0.15) for quality in qualities]
            best[criterion.name], worst[criterion.name] = noisy.index(max(noisy)), noisy.index(min(noisy))
        return self.Answer(best=best, worst=worst, reason="It says most." if config.reason != "off" else "")

    def feedback(self, config: Config, exhibit: Exhibit, answer: Answer, key: Answer) -> list[Feedback]:
        return self.compared(
            config, answer, key, lambda given, name: (given.best.get(name), given.worst.get(name))
        )


KIND = BestWorst()
