"""A form for any task kind, made of its ``Config`` model: what to ask, and what was answered as a configuration.

A field's ``title`` and ``description`` are its words. Nothing here knows Django, or any kind.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from annotation.study_files.plain import Place, sentences
from metrics.cells import LARGEST_NUMBER

SKIPPED = frozenset({"preset"})  # where a configuration began; its fields are all there to be changed
LONG = 60  # characters, beyond which a text gets several lines
MAX_ENTRIES = 60


@dataclass(frozen=True)
class FormField:
    """One question of the form. ``shape`` says how it is asked; what it holds is in ``value`` or in the fields below it."""

    name: str
    label: str
    help: str
    shape: Literal["yes-no", "choice", "number", "text", "long", "lines", "group", "optional", "list"]
    value: Any = ""
    choices: Sequence[str] = ()
    fields: Sequence[FormField] = ()
    entries: Sequence[tuple[str, Sequence[FormField]]] = ()  # of a list: name and fields of each
    errors: Sequence[str] = ()
    whole: bool = False  # a number without a fraction


@dataclass
class Given:
    """What a form was given: the configuration as far as it can be read, and what is wrong with it, by the field's name."""

    values: dict[str, Any]
    errors: dict[str, list[str]] = field(default_factory=dict)

    @property
    def of_the_whole(self) -> list[str]:
        return self.errors.get("", [])


# --- from a configuration to a form ---------------------------------------------------------------------------------


def form_fields(
    model: type[BaseModel],
    values: Mapping[str, Any],
    *,
    prefix: str = "",
    errors: Mapping[str, Sequence[str]] | None = None,
) -> list[FormField]:
    """The fields of a model, filled with values."""
    return [
        _field(info, f"{prefix}{name}", name, values.get(name), errors or {})
        for name, info in model.model_fields.items()
        if name not in SKIPPED
    ]


def _field(
    info: FieldInfo, name: str, key: str, value: Any, errors: Mapping[str, Sequence[str]]
) -> FormField:
    kind, optional = _inner(info.annotation)
    words: dict[str, Any] = {
        "name": name,
        "label": info.title or key.replace("_", " ").capitalize(),
        "help": info.description or "",
        "errors": errors.get(name, ()),
    }
    if kind is bool:
        return FormField(**words, shape="yes-no", value=bool(value))
    if typing.get_origin(kind) is Literal:
        choices = [str(choice) for choice in typing.get_args(kind)]
        return FormField(**words, shape="choice", value=str(value), choices=choices)
    if kind in (int, float):
        return FormField(**words, shape="number", value=_number_text(value), whole=kind is int)
    if _is_model(kind):
        inner = form_fields(kind, value or {}, prefix=f"{name}-", errors=errors)
        return FormField(
            **words, shape="optional" if optional else "group", value=value is not None, fields=inner
        )
    entry = _entry_model(kind)
    if entry is not None:
        entries = [
            (f"{name}-{number}", form_fields(entry, one, prefix=f"{name}-{number}-", errors=errors))
            for number, one in enumerate(value or ())
        ]
        return FormField(**words, shape="list", entries=entries)
    if kind is str:
        text = "" if value is None else str(value)
        long = len(text) > LONG or "\n" in text or key in {"guideline", "text", "question"}
        return FormField(**words, shape="long" if long else "text", value=text)
    return FormField(**words, shape="lines", value=_lines(value))


def _inner(annotation: Any) -> tuple[Any, bool]:
    """A type without “or nothing”, and whether it may be nothing. Of several types the first stands for all."""
    if typing.get_origin(annotation) in {typing.Union, types.UnionType}:
        choices = typing.get_args(annotation)
        return next(choice for choice in choices if choice is not type(None)), type(None) in choices
    return annotation, False


def _is_model(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, BaseModel)


def _entry_model(kind: Any) -> type[BaseModel] | None:
    """The model of the entries, where a type is a list of such."""
    arguments = typing.get_args(kind)
    return arguments[0] if typing.get_origin(kind) in {tuple, list} and _is_model(arguments[0]) else None


def _number_text(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return "" if value is None else str(value)


def _lines(value: Any) -> str:
    """A list or mapping as people write one, an entry a line."""
    if isinstance(value, Mapping):
        return "\n".join(_mapping_line(key, part) for key, part in value.items())
    if isinstance(value, str):
        return value
    return "\n".join(str(part) for part in value or ())


def _mapping_line(key: str, value: Any) -> str:
    if isinstance(value, list | tuple):
        return f"{key}: {', '.join(value)}" if value else key
    return f"{key} = {_number_text(value) if isinstance(value, int | float) else value}"


# --- from a form to a configuration ---------------------------------------------------------------------------------


def form_values(model: type[BaseModel], sent: Mapping[str, str], *, prefix: str = "") -> dict[str, Any]:
    """What a form says, as plain values; whether they will do is for the model to say."""
    return {
        name: _value(info.annotation, sent, f"{prefix}{name}")
        for name, info in model.model_fields.items()
        if name not in SKIPPED
    }


def _value(annotation: Any, sent: Mapping[str, str], name: str) -> Any:
    kind, optional = _inner(annotation)
    text = sent.get(name, "").replace("\r\n", "\n")
    if kind is bool:
        return name in sent
    if _is_model(kind):
        return None if optional and name not in sent else form_values(kind, sent, prefix=f"{name}-")
    entry = _entry_model(kind)
    if entry is not None:
        return [form_values(entry, sent, prefix=f"{name}-{number}-") for number in _numbers(sent, f"{name}-")]
    if kind in (int, float) or (
        typing.get_origin(kind) is Literal and isinstance(typing.get_args(kind)[0], int)
    ):
        return _number(text, optional)
    if kind is str or typing.get_origin(kind) is Literal:
        return text.strip()
    return _of_lines(kind, text)


def edited(sent: Mapping[str, str]) -> dict[str, str]:
    """What a form sends, after its buttons: ``add`` names a list that gets an entry, ``remove`` an entry that goes."""
    gone, grown = sent.get("remove"), sent.get("add")
    kept = {name: text for name, text in sent.items() if not gone or not name.startswith(f"{gone}-")}
    if grown:
        following = max(_numbers(kept, f"{grown}-"), default=-1) + 1
        kept[f"{grown}-{following}-"] = ""
    return kept


def _numbers(sent: Iterable[str], prefix: str) -> list[int]:
    """The numbers of the entries of a list that a form has fields of, in their order."""
    found = {
        part
        for name in sent
        if name.startswith(prefix)
        for part in [name[len(prefix) :].partition("-")[0]]
        if part.isascii() and part.isdigit() and len(part) < 4
    }
    return sorted(map(int, found))[:MAX_ENTRIES]


def _number(text: str, optional: bool) -> Any:
    text = text.strip()
    if not text and optional:
        return None
    for kind in (int, float):
        try:
            number = kind(text)
        except ValueError:
            continue
        if abs(number) <= LARGEST_NUMBER:
            return number
    return text  # the model says that this is no number


def _of_lines(kind: Any, text: str) -> Any:
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    if typing.get_origin(kind) is not dict:
        return lines
    inner = typing.get_args(kind)[1]
    if typing.get_origin(inner) is tuple:
        if lines == ["free"]:
            return "free"
        pairs = (line.partition(":") for line in lines)
        return {
            key.strip(): [name.strip() for name in names.split(",") if name.strip()]
            for key, _, names in pairs
        }
    pairs = (line.partition("=") for line in lines)
    return {
        key.strip(): _number(value, optional=False) if inner is float else value.strip()
        for key, _, value in pairs
    }


# --- what a study says of it ----------------------------------------------------------------------------------------


def full_values(model: type[BaseModel], config: Mapping[str, Any]) -> dict[str, Any]:
    """A stored configuration with everything that its preset and its defaults say."""
    return model.model_validate(config).model_dump(mode="json")


def checked(
    model: type[BaseModel], values: Mapping[str, Any], *, preset: str = ""
) -> tuple[dict[str, Any], Given]:
    """The configuration as a study file would say it, without what goes without saying; or what is wrong with it."""
    begun = {"preset": preset} if preset else {}
    given = Given(dict(values))
    try:
        parsed = model.model_validate({**begun, **values})
    except ValidationError as error:
        for place, sentence in sentences(error, model):
            name = _name(place)
            message = sentence[:1].upper() + sentence[1:]
            given.errors.setdefault(name, []).append(message)
        return {}, given
    return {**begun, **_said(model, parsed, begun)}, given


def _name(place: Place) -> str:
    return "-".join(str(part) for part in place)


def _said(model: type[BaseModel], parsed: BaseModel, begun: Mapping[str, Any]) -> dict[str, Any]:
    try:
        usual: BaseModel | None = model.model_validate(begun)
    except ValidationError:
        usual = None  # something must be said in any case
    said = {}
    for name, info in model.model_fields.items():
        if name in SKIPPED:
            continue
        value = getattr(parsed, name)
        known = getattr(usual, name) if usual is not None else info.get_default(call_default_factory=True)
        if value != known:
            said[name] = False if value is None else _plain(value)
    return said


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", exclude_defaults=True)
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    return value
