"""What a study says about checking its assessors, as types: which check items the program makes, and what follows for who fails."""

from __future__ import annotations

from typing import Literal, Self, get_args

from pydantic import Field, model_validator

from annotation.strict import Strict

Method = Literal["drop", "shuffle", "replace"]
METHODS: tuple[Method, ...] = get_args(Method)
CheckType = Literal["gold", "attention", "repeat", "degraded"]
KNOWN_ANSWERS: tuple[CheckType, ...] = ("gold", "attention")  # one answer alone says whether it is met
MOST = 0.25  # of a person's pieces, of each type: more would be no check but the work


class CheckItems(Strict):
    """Check items that the program makes of a task's own pieces, as a share of what everybody judges."""

    repeats: float = Field(default=0, ge=0, le=MOST)  # the same once more, later
    degraded: float = Field(default=0, ge=0, le=MOST)  # the text made worse
    methods: tuple[Method, ...] = Field(default=METHODS, min_length=1)  # how it is made worse

    @model_validator(mode="after")
    def _methods_once(self) -> Self:
        if len(set(self.methods)) < len(self.methods):
            raise ValueError("“methods” names one twice; remove it.")
        return self

    @property
    def asked(self) -> bool:
        return bool(self.repeats or self.degraded)


class WarmUp(Strict):
    """Practice that must be passed: so much of what the keys expect, in so many tries."""

    share: float = Field(ge=0.01, le=1)
    tries: int = Field(default=1, ge=1, le=20)


class Agreement(Strict):
    """So much of what check items of these types expect must be met, once there are so many of them."""

    share: float = Field(ge=0.01, le=1)
    after: int = Field(default=3, ge=1, le=1000)
    of: tuple[CheckType, ...] = Field(default=KNOWN_ANSWERS, min_length=1)

    @model_validator(mode="after")
    def _types_once(self) -> Self:
        if len(set(self.of)) < len(self.of):
            raise ValueError("“of” names a type twice; remove it.")
        return self


class Checks(CheckItems):
    """What a study asks for. A task may ask for other check items; what follows for who fails is the study's."""

    seed: int | None = Field(default=None, ge=0, le=2**63 - 1)  # None: the study's
    warm_up: WarmUp | None = None
    agreement: Agreement | None = None
    on_failure: Literal["pause", "stop", "nothing"] = "pause"
    message: str = Field(default="", max_length=500)  # to whoever fails
