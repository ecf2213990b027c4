"""What a join link says, as types: who may come, in which group, and what they get at the end."""

from __future__ import annotations

import hashlib
import re
from datetime import datetime
from typing import Annotated, Literal, Self
from urllib.parse import quote, urlsplit

from pydantic import AfterValidator, AwareDatetime, Field, model_validator

from annotation.strict import Strict

OUTCOMES = ("finished", "failed", "no_work")
OutcomeName = Literal["finished", "failed", "no_work"]
PARAMETER = re.compile(r"^[A-Za-z][A-Za-z0-9_.-]{0,39}$")
BLANK = re.compile(
    r"^(\{\{.*\}\}|\{%.*%\}|\$\{.*\}|\[%.*%\]|%[^%]*%)$"
)  # what programs put something in place of
LONGEST_VALUE = 200
FIRST_YEAR, LAST_YEAR = 2000, 9000  # at the ends of the calendar a moment is in no year elsewhere


def _address(url: str) -> str:
    """Where somebody is sent at the end: a plain web address, which we never ask ourselves."""
    if url and (urlsplit(url).scheme not in {"http", "https"} or not urlsplit(url).netloc):
        raise ValueError("must begin with https:// or http://")
    if not url.isascii() or not url.isprintable() or " " in url:  # it goes into a header
        raise ValueError(
            "may hold no spaces, line breaks or letters beyond ASCII; write them as %20 and the like"
        )
    if "{" in urlsplit(url).netloc:
        # Whoever makes up a parameter would say where people are sent.
        raise ValueError("must name its server; a parameter can stand after it")
    return url


def _moment(moment: datetime) -> datetime:
    if not FIRST_YEAR <= moment.year <= LAST_YEAR:
        raise ValueError(f"must be a time between the years {FIRST_YEAR} and {LAST_YEAR}")
    return moment


def _parameter(name: str) -> str:
    if not PARAMETER.match(name):
        raise ValueError(f"“{name[:40]}” is no name of a parameter: letters, digits, _ . and - only")
    return name


def _is_blank(value: str, name: str) -> bool:
    """Whether an address was passed on as it was copied, or by a panel that fills in nothing: ``…``, ``{{%PROLIFIC_PID%}}``.

    Everybody comes with the same words then, and must not be taken for one and the same person."""
    inner = value.strip(" {}[]<>%$#")
    return not inner.strip(".…_-") or (inner != value and (inner == name or bool(BLANK.match(value))))


def _shortened(value: str) -> str:
    """What is longer than a place for it, so that two that begin alike stay two."""
    if len(value) <= LONGEST_VALUE:
        return value
    return f"{value[: LONGEST_VALUE - 33]}…{hashlib.sha256(value.encode()).hexdigest()[:32]}"


class Quota(Strict):
    """A group, and how many may come into it."""

    group: str = Field(min_length=1, max_length=80)
    places: int = Field(ge=1, le=100_000)


class Outcome(Strict):
    """What somebody gets at the end: an address to go back to, a code, both or nothing."""

    url: Annotated[str, Field(max_length=1000), AfterValidator(_address)] = ""
    code: str = Field(default="", max_length=100)


class JoinRules(Strict):
    """``cap``: how many may join; ``load``: judgments for each; ``parameters``: what is kept of the address, the first of
    which says who somebody is. In an address of an outcome ``{NAME}`` stands for a parameter, ``{code}`` for the person's own code."""

    cap: int | None = Field(default=None, ge=1, le=100_000)
    load: int | None = Field(default=None, ge=1, le=100_000)
    opens_at: Annotated[AwareDatetime, AfterValidator(_moment)] | None = None
    groups: tuple[Quota, ...] = ()
    parameters: tuple[Annotated[str, AfterValidator(_parameter)], ...] = Field(default=(), max_length=20)
    finished: Outcome = Outcome()
    failed: Outcome = Outcome()
    no_work: Outcome = Outcome()

    @model_validator(mode="after")
    def _names_once(self) -> Self:
        groups = [quota.group for quota in self.groups]
        if len(set(groups)) < len(groups) or len(set(self.parameters)) < len(self.parameters):
            raise ValueError("a group or a parameter is there twice.")
        return self

    def kept(self, given: dict[str, str]) -> dict[str, str]:
        """What is kept of the parameters of an address."""
        # No database holds a NUL; no panel sends one.
        plain = {name: _shortened(given.get(name, "").replace("\0", "")) for name in self.parameters}
        return {name: value for name, value in plain.items() if value and not _is_blank(value, name)}

    def identity(self, given: dict[str, str]) -> str | None:
        """Who somebody is there; None: the address does not say."""
        return self.kept(given).get(self.parameters[0]) if self.parameters else None

    def address(self, outcome: Outcome, panel: dict[str, str], code: str) -> str:
        """The address of an outcome, for one person."""
        values = {**panel, "code": code}
        return re.sub(r"\{([^{}]*)\}", lambda found: quote(values.get(found[1], ""), safe=""), outcome.url)
