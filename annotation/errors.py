"""What services refuse, in words that a page, the API or a command can show as they are.

An answer with something missing is ``annotation.tasks.base.NotYet``.
"""

from __future__ import annotations


class Refused(Exception):
    """The request makes sense, but the rules of the study do not allow it now."""


class Conflict(Refused):
    """The item has been judged already, from another tab or device. ``offer``: what to do about it, beside going on."""

    def __init__(self, message: str, *, offer: str = "") -> None:
        super().__init__(message)
        self.offer = offer


class Closed(Refused):
    """The study is not open, or the assessor's link is no longer valid."""


class Overtaken(Refused):
    """Somebody else has changed the same since it was read."""
