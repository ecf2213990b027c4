"""Settings that are numbers. A slip is told in words, before anything is done by it: days below zero would forget names at once."""

import os

A_CENTURY = 36_500  # days: dates beyond are none that a database takes


def days(name: str, default: int = 0) -> int:
    return whole(name, default, most=A_CENTURY)


def whole(name: str, default: int, *, most: int = 65_535) -> int:
    return int(number(name, default, most=most, kind=int))


def number(name: str, default: float, *, most: float, kind: type[int] | type[float] = float) -> float:
    """From 0 on. What is empty is not set."""
    words = os.environ.get(name, "").strip()
    try:
        found = kind(words) if words else default
    except ValueError:
        found = -1
    if not 0 <= found <= most:
        what = "a whole number" if kind is int else "a number"
        raise SystemExit(f"{name} is “{words}”. Set it to {what} from 0 to {most:,}, or not at all.")
    return found
