"""Ranking: the texts of a set from best to worst, ties allowed. WMT's relative ranking (until 2016) had five, with ties."""

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
    listed,
)
from annotation.tasks.terms import Exhibit, Feedback, Missing, Record, Row
from annotation.words import gettext
from annotation.words import gettext_noop as _

Ranks = tuple[int | None, ...]  # by place, 1 best; None: not ranked yet


class Ranking(Comparison["Ranking.Config", "Ranking.Answer"]):
    slug = "ranking"
    title = "Ranking"
    lower_wins = True
    examples = (
        Example(),
        Example(
            {"ties": False, "reason": "required", "criteria": [{"name": "fluency"}, {"name": "adequacy"}]}
        ),
    )

    class Config(ComparisonConfig):
        usual = 5  # as WMT had it
        criteria: tuple[Question, ...] = Field(
            default=(Question(name="rank", title=_("Rank"), question=_("Which text is better?")),),
            min_length=1,
            title="Questions",
        )
        ties: bool = Field(default=True, title="Texts may share a rank")

    class Answer(ComparisonAnswer):
        ranks: dict[str, Ranks] = Field(default_factory=dict)

    def content(self, config: Config, exhibit: Exhibit, answer: Answer | None) -> dict[str, Any]:
        size = len(exhibit.outputs)
        ends = {1: gettext("best"), size: gettext("worst")}  # what everybody asks first: which end is which
        marks = [
            {
                "value": rank,
                "label": str(rank),
                "name": ", ".join(filter(None, (gettext("rank {rank}", rank=rank), ends.get(rank, "")))),
                "end": ends.get(rank, ""),
            }
            for rank in range(1, size + 1)
        ]
        return {**super().content(config, exhibit, answer), "marks": marks}

    def answered(self, answer: Answer) -> set[str]:
        return set(answer.ranks)

    def problems(self, config: Config, size: int, answer: Answer, name: str) -> Iterator[Missing]:
        ranks = answer.ranks.get(name, (None,) * size)
        if len(ranks) != size:
            yield Missing(
                name,
                gettext(
                    "Give each text one rank. Texts: {texts}; ranks: {ranks}.", texts=size, ranks=len(ranks)
                ),
            )
            return
        for place, rank in enumerate(ranks):
            if rank is None:
                yield Missing(f"{name}:{place}", gettext("{text} has no rank.", text=LETTERS[place]))
            elif rank < 1:
                yield Missing(
                    f"{name}:{place}",
                    gettext("{text} has rank {rank}; the best is 1.", text=LETTERS[place], rank=rank),
                )
        for rank in sorted({rank for rank in ranks if rank is not None}) if not config.ties else ():
            places = [place for place, given in enumerate(ranks) if given == rank]
            if len(places) > 1:
                yield Missing(
                    f"{name}:{places[-1]}",
                    gettext(
                        "{texts} share rank {rank}; give them different ranks.",
                        texts=listed(places),
                        rank=rank,
                    ),
                )

    def amend(self, config: Config, previous: Answer | None, answer: Answer) -> Answer:
        """Whole rankings are kept dense: 1, 2, 2, 3. Only their order counts."""
        return answer.model_copy(
            update={"ranks": {name: _dense(ranks) for name, ranks in answer.ranks.items()}}
        )

    def rows(self, config: Config, exhibit: Exhibit, record: Record, answer: Answer) -> Iterator[Row]:
        for criterion in config.criteria:
            for place, rank in enumerate(answer.ranks.get(criterion.name, ())):
                yield Row(record.set, criterion.name, None if rank is None else float(rank), "", place)
        yield from self.reason_rows(record, answer)

    def answer(self, config: Config, exhibit: Exhibit, record: Record, rows: Sequence[Row]) -> Answer:
        self.check_criteria(config, rows)
        ranks = {}
        for criterion in config.criteria:
            values = [row.value or 0.0 for row in self.said(config, exhibit, rows, criterion.name)]
            if any(value != int(value) for value in values):
                raise ValueError(f"criterion “{criterion.name}” has a rank that is no whole number")
            ranks[criterion.name] = tuple(int(value) for value in values)
        return self.Answer(ranks=ranks, reason=self.reason_in(rows))

    def simulate(
        self,
        config: Config,
        exhibit: Exhibit,
        record: Record,
        *,
        qualities: Sequence[float],
        rng: random.Random,
    ) -> Answer:
        ranks: dict[str, Ranks] = {}
        for criterion in config.criteria:
            noisy = [rng.gauss(quality, 0.15) for quality in qualities]
            seen = [round(one * 8) for one in noisy] if config.ties else noisy
            ranks[criterion.name] = tuple(1 + len({other for other in seen if other > one}) for one in seen)
        return self.Answer(ranks=ranks, reason="The first is the clearest." if config.reason != "off" else "")

    def feedback(self, config: Config, exhibit: Exhibit, answer: Answer, key: Answer) -> list[Feedback]:
        return self.compared(config, answer, key, lambda given, name: _dense(given.ranks.get(name, ())))


def _dense(ranks: Ranks) -> Ranks:
    if None in ranks:
        return ranks
    order = sorted({rank for rank in ranks if rank is not None})
    places = {rank: place for place, rank in enumerate(order, start=1)}  # somebody may send thousands
    return tuple(None if rank is None else places[rank] for rank in ranks)


KIND = Ranking()
