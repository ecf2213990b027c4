"""A piece before somebody who answers it: an assessor, an adjudicator, or an experimenter who tries it out. What the page starts from is
what a submit goes on from."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from annotation.models import Decision, Draft, Judgment
from annotation.overtaken import fingerprint
from annotation.selectors.exhibits import Facts
from annotation.tasks.terms import Exhibit


@dataclass(frozen=True)
class Begun:
    """What is begun and not submitted."""

    answer: dict[str, Any]
    seconds: float = 0
    raw_seconds: float = 0
    saved_at: datetime | None = None  # where nobody keeps it, nobody knows


@dataclass(frozen=True)
class Desk:
    """``newest`` is what was submitted last, ``begun`` the draft of what comes after it."""

    facts: Facts
    exhibit: Exhibit  # as it stands before this person
    newest: Judgment | Decision | None = None
    begun: Begun | Draft | None = None

    @property
    def revision(self) -> int:
        """The one that is next."""
        return self.newest.revision + 1 if self.newest else 1

    @property
    def stored(self) -> dict[str, Any] | None:
        """What the page starts from: the draft, else what was submitted last."""
        return self.begun.answer if self.begun else self.newest.answer if self.newest else None

    @property
    def answer(self) -> Any:
        """The same as its kind's type."""
        return self.facts.answer(self.stored) if self.stored is not None else None

    @property
    def seen(self) -> str:
        """The fingerprint of the draft that the page starts from; empty where nothing is begun.

        Of the answer as its type has it: databases write the same number in other ways than they were given.
        """
        return fingerprint(self.facts.answer(self.begun.answer).model_dump(mode="json")) if self.begun else ""

    @property
    def stage(self) -> int:
        """Which stage of the answer the page is for."""
        return self.facts.kind.stage(self.facts.config, self.facts.answer(self.stored or {}))

    @property
    def is_changed(self) -> bool:
        """Whether a change waits to be submitted."""
        return bool(self.newest and self.begun and self.begun.answer != self.newest.answer)

    def content(self) -> dict[str, Any]:
        """What the page shows: the kind decides, from texts alone."""
        return self.facts.kind.content(self.facts.config, self.exhibit, self.answer)
