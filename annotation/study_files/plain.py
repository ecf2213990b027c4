"""What pydantic says, in plain sentences that tell an experimenter what to change."""

from __future__ import annotations

import types
import typing
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from annotation.study_files.problems import suggestion

Place = tuple[str | int, ...]

_TYPES = {
    "string": "text",
    "int": "a whole number",
    "float": "a number",
    "finite": "a number",
    "bool": "true or false",
    "dict": "a mapping (key: value)",
    "model": "a mapping (key: value)",
    "tuple": "a list",
    "list": "a list",
}
_OF_A_FIELD = ("has ", "holds ", "is ", "must ")  # how a reason begins that lacks its subject
_PATTERN = (
    "may hold only small letters, digits, - and _, and must begin with a letter or a digit; it is “{value}”."
)


def sentences(
    error: ValidationError, model: type[BaseModel], *, known: tuple[str, ...] = ()
) -> Iterator[tuple[Place, str]]:
    """Each error as its place and a sentence. ``known``: keys that are known at the top beside the model's own."""
    for detail in error.errors(include_url=False):
        place = detail["loc"]
        fields = [*(known if len(place) == 1 else ()), *_fields_at(model, place[:-1])]
        yield place, _sentence(detail, fields)


def _sentence(detail: ErrorDetails, fields: list[str]) -> str:
    kind, place, value = detail["type"], detail["loc"], detail["input"]
    name = f"“{_spelled(place)}”" if place else "this"
    limits = detail.get("ctx", {})
    expected = _TYPES.get(kind.rsplit("_", 1)[0]) or _TYPES.get(kind.split("_", 1)[0])
    match kind:
        case "missing":
            return f"{name} is missing."
        case "extra_forbidden":
            return f"unknown key {name}{suggestion(str(place[-1]), fields)}"
        case "value_error":
            reason = str(limits["error"])
            return _ended(f"{name} {reason}" if reason.startswith(_OF_A_FIELD) else reason)
        case "string_too_short" | "too_short":
            return f"{name} is empty."
        case "string_too_long" | "too_long":
            return f"{name} has {len(value):,} characters; at most {limits['max_length']} are allowed."
        case "string_pattern_mismatch":
            return f"{name} {_PATTERN.format(value=_shown(value))}"
        case "literal_error":
            choices = [word.strip("'") for word in limits["expected"].replace(" or ", ", ").split(", ")]
            return f"{name} cannot be “{_shown(value)}”{suggestion(str(value), choices)}"
        case "greater_than_equal":
            return f"{name} must be {limits['ge']} or more; it is {_shown(value)}."
        case "less_than_equal":
            return f"{name} must be {limits['le']} or less; it is {_shown(value)}."
        case "string_type" if isinstance(value, (bool, int, float)):
            return f'{name} must be text; put it in quotes: "{_shown(value)}".'
    if expected:
        return f"{name} must be {expected}; it is “{_shown(value)}”."
    return f"{name}: {_ended(detail['msg'])}"


def _spelled(place: Place) -> str:
    """A place as people write it; an index counts from 1, as lines do."""
    return " ".join(f"no. {part + 1}" if isinstance(part, int) else part for part in place)


def _shown(value: Any) -> str:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return text if len(text) <= 60 else text[:59] + "…"


def _ended(sentence: str) -> str:
    return sentence if sentence.endswith((".", "?")) else sentence + "."


def _fields_at(model: type[BaseModel], place: Place) -> list[str]:
    """The keys that the model knows at a place within it."""
    here: Any = model
    for part in place:
        if isinstance(part, int):
            here = _only(typing.get_args(here))
        elif isinstance(here, type) and issubclass(here, BaseModel) and part in here.model_fields:
            here = here.model_fields[part].annotation
        else:
            return []
        if typing.get_origin(here) in {typing.Union, types.UnionType}:
            here = _only(typing.get_args(here))
    return list(here.model_fields) if isinstance(here, type) and issubclass(here, BaseModel) else []


def _only(choices: tuple[Any, ...]) -> Any:
    return next((choice for choice in choices if choice not in {type(None), Ellipsis}), None)
