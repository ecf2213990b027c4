"""An answer as somebody sent it, and whether it can count: the same for people and for programs."""

from __future__ import annotations

from typing import Any

from pydantic import ValidationError

from annotation.selectors.exhibits import Facts
from annotation.tasks.base import Exhibit, Missing, NotYet
from annotation.words import gettext

ERRORS_SHOWN = 20  # of an answer that no page of ours has sent


def answer_parsed(facts: Facts, sent: dict[str, Any]) -> Any:
    """As the kind's type; ``NotYet`` says what cannot be read."""
    try:
        return facts.answer(sent)
    except ValidationError as problem:
        errors = problem.errors(include_url=False, include_context=False, include_input=False)
        raise NotYet(
            [
                Missing(
                    ".".join(map(str, error["loc"])),
                    gettext("This answer cannot be read: {why}.", why=error["msg"]),
                )
                for error in errors[:ERRORS_SHOWN]
            ]
        ) from problem


def answer_complete(facts: Facts, exhibit: Exhibit, before: Any, answer: Any) -> Any:
    """What counts, given what the server has of it; ``NotYet`` says what keeps it from counting."""
    amended = facts.kind.amend(facts.config, before, answer)
    missing = facts.kind.missing(facts.config, exhibit, amended)
    if missing:
        raise NotYet(missing)
    return amended
