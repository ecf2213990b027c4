"""The one error that users see for a bad file, and the one warning for an undefined score."""

from __future__ import annotations


class BadInput(ValueError):
    """A file or argument cannot be used; the message is one line that says where and what was expected."""

    def __init__(
        self, expected: str, *, file: str | None = None, row: int | None = None, column: str | None = None
    ):
        place = [
            str(file) if file else None,
            f"row {row}" if row else None,
            f"column {column}" if column else None,
        ]
        where = ", ".join(part for part in place if part)
        super().__init__(f"{where}: {expected}" if where else expected)


class UndefinedScoreWarning(UserWarning):
    """A score is undefined for this input and is NaN; the message says why."""
