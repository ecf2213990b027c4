"""Pairwise preference: which of two texts is better, perhaps by how much, or that neither is.

A tie may be of several kinds (both good, both bad); all of them are ties in scores.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any, Self

from pydantic import Field, model_validator

from annotation.strict import Strict
from annotation.tasks.base import Example
from annotation.tasks.comparisons import (
    Comparison,
    ComparisonAnswer,
    ComparisonConfig,
    Question,
)
from annotation.tasks.terms import Exhibit, Feedback, Missing, Record, Row, Text
from annotation.words import gettext
from annotation.words import gettext_noop as _

STRENGTHS = (
    (_("A is slightly better"), _("B is slightly better")),
    (_("A is better"), _("B is better")),
    (_("A is much better"), _("B is much better")),
    (_("A is very much better"), _("B is very much better")),
)
# By the number of steps, weakest first.
WORDS = (STRENGTHS[1:2], STRENGTHS[1:3], STRENGTHS[:3], STRENGTHS)
TIE = "tie"
PAIR = {"outputs": (Text("One.", ("One.",)), Text("Another one.", ("Another one.",)))}


class Choice(Strict):
    """What is said of one criterion. ``tie``: the kind of tie, if neither wins; ``strength``: 0 where none is asked for."""

    winner: int | None = Field(default=None, ge=0, le=1)
    tie: str = ""
    strength: int = Field(default=0, ge=0, le=4)


class Pairwise(Comparison["Pairwise.Config", "Pairwise.Answer"]):
    slug = "pairwise"
    title = "Pairwise preference"
    examples = (
        Example({"reason": "optional"}, PAIR),
        Example(
            {
                "strength": 3,
                "tie_kinds": ["both good", "both bad"],
                "criteria": [{"name": "fluency"}, {"name": "adequacy", "question": "Which says more of it?"}],
                "reason": "required",
            },
            PAIR,
        ),
        Example({"ties": False, "strength": 1}, PAIR),
    )

    class Config(ComparisonConfig):
        least = most = 2
        criteria: tuple[Question, ...] = Field(
            default=(
                Question(name="preference", title=_("Preference"), question=_("Which text is better?")),
            ),
            min_length=1,
            title="Questions",
        )
        ties: bool = Field(default=True, title="Neither may be better")
        tie_kinds: tuple[str, ...] = Field(
            default=(TIE,), title="Words for that", description="One a line, such as both good, both bad."
        )
        strength: int = Field(
            default=0,
            ge=0,
            le=4,
            title="Degrees of better",
            description="0: which, and not by how much. Up to 4.",
        )

        @model_validator(mode="after")
        def _ties(self) -> Self:
            kinds = self.tie_kinds
            if not kinds or len(set(kinds)) < len(kinds) or any(not kind.strip() for kind in kinds):
                raise ValueError(
                    "“tie_kinds” must be a list of different words, such as [both good, both bad]"
                )
            if set(kinds) & {"better", "worse"}:
                raise ValueError("a kind of tie cannot be named “better” or “worse”")
            if len(kinds) > 3:
                raise ValueError("“tie_kinds” can have three kinds at most")
            return self

    class Answer(ComparisonAnswer):
        choices: dict[str, Choice] = Field(default_factory=dict)

    def content(self, config: Config, exhibit: Exhibit, answer: Answer | None) -> dict[str, Any]:
        return {**super().content(config, exhibit, answer), "choices": self._buttons(config)}

    def _buttons(self, config: Config) -> list[dict[str, Any]]:
        """From “A is much better” over the ties to “B is much better”, each with its key."""
        words = WORDS[max(config.strength, 1) - 1]
        steps = [(strength if config.strength else 0, both) for strength, both in enumerate(words, start=1)]
        ties = config.tie_kinds if config.ties else ()
        buttons: list[dict[str, Any]] = [
            *({"winner": 0, "tie": "", "strength": s, "label": gettext(a)} for s, (a, b) in reversed(steps)),
            *({"winner": None, "tie": kind, "strength": 0, "label": _capital(kind)} for kind in ties),
            *({"winner": 1, "tie": "", "strength": s, "label": gettext(b)} for s, (a, b) in steps),
        ]
        # Without strength 1, 2 and 0; with it, and where there are several ties, from left to right.
        keys = [str(number % 10) if number <= 10 else "" for number in range(1, len(buttons) + 1)]
        if len(steps) == 1 and len(ties) <= 1:
            keys = ["1", *("0" for _ in ties), "2"]
        return [{**button, "key": key} for button, key in zip(buttons, keys, strict=True)]

    def answered(self, answer: Answer) -> set[str]:
        return set(answer.choices)

    def problems(self, config: Config, size: int, answer: Answer, name: str) -> Iterator[Missing]:
        choice = answer.choices.get(name, Choice())
        if choice.winner is None and not choice.tie:
            yield Missing(
                name,
                gettext("Say which is better, or that they are equal.")
                if config.ties
                else gettext("Say which is better."),
            )
        elif choice.winner is not None and choice.tie:
            yield Missing(name, gettext("Say either which is better or that they are equal, not both."))
        elif choice.tie and (not config.ties or choice.tie not in config.tie_kinds):
            yield Missing(name, gettext("“{answer}” is not among the answers.", answer=choice.tie))
        elif choice.winner is not None and not self._allows(config, choice.strength):
            yield Missing(name, gettext("Say by how much."))

    def _allows(self, config: Config, strength: int) -> bool:
        return 1 <= strength <= config.strength if config.strength else strength in {0, 1}

    def rows(self, config: Config, exhibit: Exhibit, record: Record, answer: Answer) -> Iterator[Row]:
        for criterion in config.criteria:
            choice = answer.choices.get(criterion.name, Choice())
            for place in range(len(exhibit.outputs)):
                value, label = 0.0, choice.tie
                if choice.winner is not None:
                    won = choice.winner == place
                    value = float((choice.strength or 1) * (1 if won else -1))
                    label = "better" if won else "worse"
                yield Row(record.set, criterion.name, value, label, place)
        yield from self.reason_rows(record, answer)

    def answer(self, config: Config, exhibit: Exhibit, record: Record, rows: Sequence[Row]) -> Answer:
        self.check_criteria(config, rows)
        choices = {}
        for criterion in config.criteria:
            first, second = self.said(config, exhibit, rows, criterion.name)
            value, other = first.value or 0.0, second.value or 0.0
            if value != -other:
                raise ValueError(
                    f"criterion “{criterion.name}” has {value:g} and {other:g}: what one wins the other loses"
                )
            if not value:
                if first.label != second.label:
                    raise ValueError(
                        f"criterion “{criterion.name}” has two kinds of tie, “{first.label}” and “{second.label}”"
                    )
                choices[criterion.name] = Choice(tie=first.label or TIE)
            else:
                if value != int(value):
                    raise ValueError(
                        f"criterion “{criterion.name}” has the strength {abs(value):g}, no whole number"
                    )
                strength = int(abs(value)) if config.strength or abs(value) > 1 else 0
                choices[criterion.name] = Choice(winner=0 if value > 0 else 1, strength=strength)
        return self.Answer(choices=choices, reason=self.reason_in(rows))

    def simulate(
        self,
        config: Config,
        exhibit: Exhibit,
        record: Record,
        *,
        qualities: Sequence[float],
        rng: random.Random,
    ) -> Answer:
        choices = {}
        for criterion in config.criteria:
            left, right = (rng.gauss(quality, 0.15) for quality in qualities[:2])
            if config.ties and abs(left - right) < 0.05:
                choices[criterion.name] = Choice(tie=rng.choice(config.tie_kinds))
            else:
                strength = min(config.strength, 1 + int(abs(left - right) * 8)) if config.strength else 0
                choices[criterion.name] = Choice(winner=0 if left > right else 1, strength=strength)
        return self.Answer(choices=choices, reason="It reads better." if config.reason != "off" else "")

    def feedback(self, config: Config, exhibit: Exhibit, answer: Answer, key: Answer) -> list[Feedback]:
        return self.compared(config, answer, key, _who)


def _who(answer: Pairwise.Answer, name: str) -> tuple[int | None, str]:
    """Who wins, by whatever margin."""
    choice = answer.choices.get(name, Choice())
    return choice.winner, choice.tie


def _capital(kind: str) -> str:
    return gettext("They are equal") if kind == TIE else kind[:1].upper() + kind[1:]


KIND = Pairwise()
