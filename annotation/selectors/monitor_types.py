"""What the monitor of a study shows, as types: lines of its tables, warnings, the whole page."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from annotation.models import Assignment


@dataclass(frozen=True)
class Warn:
    """Something to act on: what is the matter, what to do about it, and where."""

    code: str
    text: str
    action: str = ""
    url: str = ""


@dataclass(frozen=True)
class PersonLine:
    """One assessor: how far, how fast, until when, and how carefully."""

    pk: int
    name: str
    done: int
    total: int
    seconds: float | None
    per_day: float
    finish: date | None
    is_here: bool
    is_excluded: bool
    is_careless: bool
    verdict: str
    pace: str  # in words
    habits: dict[str, Any] = field(default_factory=dict)

    @property
    def left(self) -> int:
        return max(0, self.total - self.done)


@dataclass(frozen=True)
class SystemLine:
    system: str
    name: str
    done: int
    wanted: int


@dataclass(frozen=True)
class AgreementLine:
    task: str
    criterion: str
    symbol: str
    value: float | None
    low: float | None
    high: float | None
    judgments: int

    @property
    def in_words(self) -> str:
        if self.value is None:
            return "not defined yet"
        ends = "" if self.low is None or self.high is None else f" [{short(self.low)}, {short(self.high)}]"
        return f"α = {short(self.value)}{ends}"


@dataclass(frozen=True)
class Mean:
    """A system's mean with its interval, and where both are drawn (percent of the scale)."""

    system: str
    name: str
    mean: float
    low: float | None
    high: float | None
    items: int
    judgments: int
    at: float
    begins: float
    ends: float


@dataclass(frozen=True)
class Standing:
    """One score: systems from the best, and whether the two best can be told apart."""

    task: str
    score: str
    systems: list[Mean]
    apart: str


@dataclass(frozen=True)
class Day:
    day: date
    judgments: int
    height: float  # percent of the fullest day


@dataclass(frozen=True)
class MonitorPage:
    """Everything on the page. ``as_of`` is when the worker last followed up; None: not yet."""

    headline: str
    warnings: list[Warn]
    people: list[PersonLine]
    here: list[PersonLine]
    leases: list[Assignment]
    systems: list[SystemLine]
    days: list[Day]
    agreement: list[AgreementLine]
    not_followed: list[str]
    is_counted: (
        bool  # the worker has looked at least once; until then nothing is known of people, days and agreement
    )
    standings: list[Standing]
    as_of: datetime | None
    is_behind: bool
    state: str  # of the worker, in words; empty: all is well
    pooled: bool
    finish: date | None = None
    nobody_can: int = 0  # judgments that are wanted, and that none of the people who are left may make
    quality: dict[str, Any] = field(default_factory=dict)


def short(value: float) -> str:
    """A coefficient as one prints it: .61, −.05, 1."""
    shown = f"{value:.2f}"
    return (
        shown.replace("0.", ".", 1).replace("-", "−") if abs(value) < 1 else f"{value:.0f}".replace("-", "−")
    )
