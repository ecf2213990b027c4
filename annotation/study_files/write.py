"""Write a study file, always in the same way: the same study gives the same bytes, whatever it was read from."""

from __future__ import annotations

import codecs
import csv
import io
import json
import os
import secrets
import shutil
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel

from annotation.checks import CheckItems
from annotation.designs import Design
from annotation.study_files.archive import STUDY
from annotation.study_files.schema import (
    ContentUnitRow,
    DocumentRow,
    ItemTextRow,
    PrefilledRow,
    StudyFile,
    TaskRow,
    is_answer,
)
from annotation.tasks import KINDS
from metrics.cells import neutralised

NAMES = {
    "instructions": "instructions.md",
    "consent": "consent.md",
    "topics": "topics.jsonl",
    "documents": "documents.jsonl",
    "references": "references.jsonl",
    "outputs": "outputs.jsonl",
    "systems": "systems.csv",
    "questions": "questions.jsonl",
    "units": "units.jsonl",
    "metric_scores": "scores.csv",
    "practice": "practice.jsonl",
    "controls": "controls.jsonl",
    "prefilled": "prefilled.jsonl",
    "assessors": "assessors.csv",
}
_NAMED_OUTPUT = ("task", "system", "document", "topic", "kind", "reference")
_ALWAYS = (1980, 1, 1, 0, 0, 0)  # the oldest moment a zip can tell
# JSON allows these in a text, but some programs take them for the end of a line.
_LINE_ENDS = str.maketrans({sign: f"\\u{ord(sign):04x}" for sign in "\x85\u2028\u2029"})


class Occupied(FileExistsError):
    """The folder holds something else, which an export must not replace."""


# --- where to -------------------------------------------------------------------------------------------------------


def write_study(study_file: StudyFile, path: Path) -> None:
    """Write a folder, or a zip if the path ends in ``.zip``: all of it or nothing.

    A zip that is there already is replaced. So is a folder, but only an empty one or one that holds nothing but the
    files of an earlier export; ``Occupied`` says what else is in it.
    """
    path = path.resolve()
    if path.suffix.lower() == ".zip":
        _write_zip(study_file, path)
    else:
        _write_folder(study_file, path)


def zipped(study_file: StudyFile) -> bytes:
    """The study as a zip."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in files_of(study_file).items():
            entry = zipfile.ZipInfo(name, date_time=_ALWAYS)
            entry.external_attr = 0o644 << 16
            entry.create_system = 3  # Unix, on every machine
            archive.writestr(entry, data, compress_type=zipfile.ZIP_DEFLATED, compresslevel=9)
    return buffer.getvalue()


def _write_zip(study_file: StudyFile, path: Path) -> None:
    if path.is_dir():
        raise Occupied(f"{path} is a folder; choose another name for the zip.")
    if path.exists() and not path.is_file():  # a device or a pipe, in whose place a file would stand
        raise Occupied(f"{path} is not a file; choose another name for the zip.")
    data = zipped(study_file)
    new = _beside(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        _write_safely(new, data)
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)


def _write_folder(study_file: StudyFile, path: Path) -> None:
    if path.exists() and not path.is_dir():
        raise Occupied(f"{path} is a file; choose another folder.")
    others = {child.name for child in path.iterdir()} - {STUDY, *NAMES.values()} if path.exists() else ()
    if others:
        raise Occupied(f"{path} holds other files ({', '.join(sorted(others)[:5])}); choose a new folder.")
    data = files_of(study_file)
    new, old = _beside(path), _beside(path)
    try:
        new.mkdir(parents=True)
        for name, content in data.items():
            _write_safely(new / name, content)
        if path.exists():
            path.rename(old)
        try:
            new.rename(path)
        except OSError:
            if old.exists():
                old.rename(path)
            raise
    finally:
        shutil.rmtree(new, ignore_errors=True)
        if path.exists():
            shutil.rmtree(old, ignore_errors=True)


def _beside(path: Path) -> Path:
    """A name of its own in the same folder, so that renaming it is one step."""
    return path.with_name(f".{path.name}.{secrets.token_hex(6)}")


def _write_safely(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


# --- what -----------------------------------------------------------------------------------------------------------


def files_of(study_file: StudyFile) -> dict[str, bytes]:
    """Every file of the study, study.yaml first."""
    materials = study_file.materials
    kinds = {task.name: task.kind for task in study_file.tasks}
    practice = [
        _plain(row, _NAMED_OUTPUT)
        | ({} if row.key is None else {"key": _ordered_key(kinds[row.task], row.key)})
        for row in study_file.practice
    ]
    controls = [
        _plain(row, (*_NAMED_OUTPUT, "type", "text"))
        | ({} if row.units is None else {"units": list(row.units)})
        | ({} if row.expect is None else {"expect": _ordered_expectation(kinds[row.task], row.expect)})
        | ({"made": True} if row.made else {})
        for row in study_file.controls
    ]
    topics = [
        _plain(row, ("id", "title", "description"))
        | ({"gold": dict(sorted(row.gold.items()))} if row.gold else {})
        for row in materials.topics
    ]
    contents = {
        "instructions": _text(study_file.instructions),
        "consent": _text(study_file.consent),
        "topics": _jsonl(topics),
        "documents": _jsonl(_item_text(row, ("id", "topic", "title")) for row in materials.documents),
        "references": _jsonl(
            _item_text(row, ("id", "document", "topic", "author")) for row in materials.references
        ),
        "outputs": _jsonl(
            _item_text(row, ("system", "document", "topic", "kind", "author", "target"))
            | ({"citations": [list(cited) for cited in row.citations]} if row.citations else {})
            for row in materials.outputs
        ),
        "systems": _csv(("id", "name", "type"), materials.systems),
        "questions": _jsonl(
            _plain(row, ("document", "author", "question", "answer")) for row in materials.questions
        ),
        "units": _jsonl(_content_unit(row) for row in materials.units),
        "metric_scores": _csv(_score_columns(study_file), materials.metric_scores),
        "practice": _jsonl(practice),
        "controls": _jsonl(controls),
        "prefilled": _jsonl(_prefilled(row) for row in study_file.prefilled),
        "assessors": _csv(("name", "group", "author"), study_file.assessors),
    }
    names = {part: NAMES[part] for part, data in contents.items() if data}
    return {STUDY: _study_yaml(study_file, names)} | {name: contents[part] for part, name in names.items()}


def _study_yaml(study_file: StudyFile, names: dict[str, str]) -> bytes:
    parts = {part: name for part, name in names.items() if hasattr(study_file.materials, part)}
    settings = study_file.settings.model_dump(mode="json", exclude_defaults=True)
    head: dict[str, Any] = {
        "name": study_file.name,
        "slug": study_file.slug,
        "language": study_file.language,
        "instructions": names.get("instructions"),
        "consent": names.get("consent"),
        "contact": study_file.contact or None,
        "seed": study_file.seed,
        "settings": settings or None,
        "materials": parts,
        "tasks": [_task(task) for task in study_file.tasks],
        "design": _design(study_file.design),
        "checks": _checks(study_file.checks) or None,
        "practice": names.get("practice"),
        "controls": names.get("controls"),
        "prefilled": names.get("prefilled"),
        "assessors": names.get("assessors"),
    }
    given = {key: value for key, value in head.items() if value is not None}
    return yaml.dump(
        given, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=2**31, line_break="\n"
    ).encode()


def _task(task: TaskRow) -> dict[str, Any]:
    config = _ordered(task.config, KINDS[task.kind].Config.model_validate(task.config))
    design = {"design": _design(task.design)} if task.design is not None else {}
    checks = {"checks": _checks(task.checks)} if task.checks is not None else {}
    return {"kind": task.kind, "name": task.name, **config, **design, **checks}


def _checks(checks: CheckItems) -> dict[str, Any]:
    """What is not as it would be anyway; numbers as a database gives them back."""
    said = checks.model_dump(mode="json", exclude_defaults=True)
    return {
        name: {key: _number(inner) for key, inner in value.items()}
        if isinstance(value, dict)
        else _number(value)
        for name, value in said.items()
    }


def _design(design: Design) -> dict[str, Any]:
    always = {"assessors_per_item": design.assessors_per_item, "order": design.order, "pool": design.pool}
    return always | {
        key: value
        for key, value in design.model_dump(mode="json", exclude_defaults=True).items()
        if key not in always
    }


# --- how ------------------------------------------------------------------------------------------------------------


class _Dumper(yaml.SafeDumper):
    """No aliases, which the reader refuses; texts of several lines as blocks."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _represent_text(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=_style(text))


def _style(text: str) -> str | None:
    """Blocks are good to read, but PyYAML loses white space at the edges of lines and unusual line ends in them."""
    lines = text.removesuffix("\n").split("\n")
    clean = all(line.isprintable() and line == line.strip() for line in lines)
    if len(lines) > 1 and clean and lines[0] and lines[-1]:
        return "|"
    return None if text.isprintable() else '"'


_Dumper.add_representer(str, _represent_text)


def _text(text: str) -> bytes:
    # The reader takes one byte order mark away; a text that begins with one gets a second.
    return (codecs.BOM_UTF8 if text.startswith("\ufeff") else b"") + text.encode()


def _jsonl(rows: Iterable[dict[str, Any]]) -> bytes:
    lines = (json.dumps(row, ensure_ascii=False).translate(_LINE_ENDS) + "\n" for row in rows)
    return "".join(lines).encode()


def _csv(columns: Sequence[str], rows: Sequence[BaseModel]) -> bytes:
    if not rows:
        return b""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_cell(getattr(row, column)) for column in columns] for row in rows)
    return buffer.getvalue().encode()


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return neutralised(value)
    return "" if value is None else str(_number(value))


def _score_columns(study_file: StudyFile) -> tuple[str, ...]:
    falling = any(not row.higher_is_better for row in study_file.materials.metric_scores)
    return ("metric", "system", "item", "score", *(("higher_is_better",) if falling else ()))


def _plain(row: BaseModel, fields: Sequence[str]) -> dict[str, Any]:
    """The fields that say something."""
    return {name: getattr(row, name) for name in fields if getattr(row, name) not in {"", None}}


def _item_text(row: ItemTextRow | DocumentRow, fields: Sequence[str]) -> dict[str, Any]:
    text = {"text": row.text} if row.units is None else {"units": list(row.units)}
    return _plain(row, fields) | text


def _content_unit(row: ContentUnitRow) -> dict[str, Any]:
    contributors = [
        {"reference": one.reference, "parts": [list(part) for part in one.parts]} for one in row.contributors
    ]
    named = ("id", "reference", "document", "topic", "text", "status", "comment")
    return _plain(row, named) | ({"contributors": contributors} if contributors else {})


def _prefilled(row: PrefilledRow) -> dict[str, Any]:
    named = ("task", "system", "document", "topic", "kind", "unit", "start", "end")
    side = {"side": row.side} if row.side != "output" else {}
    return _plain(row, named) | side | _plain(row, ("severity", "category"))


def _ordered_key(kind: str, key: dict[str, Any]) -> Any:
    return _ordered(key, KINDS[kind].Answer.model_validate(key))


def _ordered_expectation(kind: str, expect: dict[str, Any]) -> Any:
    return _ordered_key(kind, expect) if is_answer(expect) else dict(sorted(expect.items()))


def _ordered(given: Any, parsed: Any) -> Any:
    """What was given, its keys in the order of the type: a database may have shuffled them."""
    if isinstance(given, dict):
        if isinstance(parsed, BaseModel):
            return {
                name: _ordered(given[name], getattr(parsed, name))
                for name in type(parsed).model_fields
                if name in given
            }
        inner = parsed if isinstance(parsed, dict) else {}
        return {name: _ordered(given[name], inner.get(name)) for name in sorted(given)}
    if isinstance(given, (list, tuple)):
        return [_ordered(one, other) for one, other in zip(given, parsed, strict=True)]
    return _number(given)


def _number(value: Any) -> Any:
    """A whole number without a point: a database may have dropped it."""
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else value
