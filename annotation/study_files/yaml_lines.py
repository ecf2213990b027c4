"""YAML as plain values, with the line of every key and value.

Of YAML only what a study file needs: mappings, lists, text, numbers, true and false. No aliases (a few lines of them
can stand for gigabytes), no tags, no key twice. ``no`` is a word (Norwegian, for one), and a date stays as written.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import yaml

from annotation.study_files.texts import unstorable
from metrics.cells import LARGEST_NUMBER

MAX_DEPTH = 20
Place = tuple[str | int, ...]


class YamlProblem(Exception):
    def __init__(self, line: int, message: str):
        super().__init__(message)
        self.line = line


class _Loader(yaml.SafeLoader):
    """Composes nodes only; every pattern here is narrower than the writer's, so that what it writes comes back."""

    yaml_implicit_resolvers = {}
    depth = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark
            raise YamlProblem(mark.line + 1, "aliases (*name) are not supported; write the value out.")
        self.depth += 1
        if self.depth > MAX_DEPTH:
            mark = self.peek_event().start_mark
            raise YamlProblem(mark.line + 1, "this is nested too deeply.")
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node


for _tag, _pattern, _first in (
    ("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
    ("int", r"[-+]?(?:0|[1-9][0-9]*)", "-+0123456789"),
    ("float", r"[-+]?[0-9]+\.[0-9]*(?:[eE][-+][0-9]+)?", "-+0123456789"),
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(f"^(?:{_pattern})$"), list(_first))


@dataclass
class Marked:
    """The values, the line of each by its place (keys and indices from the top), and what is wrong with them."""

    value: Any = None
    lines: dict[Place, int] = field(default_factory=dict)
    problems: list[tuple[int, str]] = field(default_factory=list)

    def line(self, place: Place) -> int:
        """The line of a place, or of the nearest one around it."""
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place, 1)


def load(text: str) -> Marked:
    """The only document in a YAML text; ``YamlProblem`` if it cannot be parsed at all."""
    marked = Marked()
    try:
        loader = _Loader(text)
        node = loader.get_single_node()
        if node is not None:
            marked.value = _value(node, (), marked, loader)
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise YamlProblem(line, f"the character U+{error.character:04X} is not allowed here.") from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise YamlProblem(
            mark.line + 1 if mark else 1, f"this is not YAML: {_in_our_words(error)}."
        ) from None
    return marked


# What PyYAML finds, by what it says, and what a writer of study files has most likely done.
_WORDS = (
    ("'\\t'", "there is a tab. Indent with spaces, not tabs"),
    (
        "mapping values are not allowed",
        "there is a colon too many, or the line before is not finished; a text with a colon stands in quotes, as in "
        'name: "Summaries: a study"',
    ),
    ("could not find expected ':'", "a key is followed by a colon and a space, as in name: My study"),
    (
        "expected <block end>",
        "this line is not indented as those around it; what belongs together begins at the same column",
    ),
    ("found unexpected end of stream", "a quotation mark is opened and not closed"),
    ("expected ',' or ']'", "a list [ … ] is not closed, or a comma is missing in it"),
    ("expected ',' or '}'", "a mapping { … } is not closed, or a comma is missing in it"),
    ("cannot start any token", "a value cannot begin with this sign; put it in quotes"),
    ("but found another document", "--- begins a second document; a study has one"),
    (
        "while scanning a double-quoted scalar",
        "a backslash in double quotes begins a special sign; write two, or use single quotes",
    ),
    ("while scanning a simple key", "a key is followed by a colon and a space, as in name: My study"),
)


def _in_our_words(error: yaml.MarkedYAMLError) -> str:
    what = " ".join(part for part in (error.context, error.problem) if part)
    words = next((words for sign, words in _WORDS if sign in what), "")
    return words or f"look at the indentation, the colons and the quotation marks here ({what})"


def _value(node: yaml.Node, place: Place, marked: Marked, loader: _Loader) -> Any:
    line = node.start_mark.line + 1
    marked.lines.setdefault(place, line)
    kind = node.tag.removeprefix("tag:yaml.org,2002:")
    if kind not in {"map", "seq", "str", "bool", "int", "float", "null"}:
        marked.problems.append((line, f"the tag {node.tag} is not supported; remove it."))
        return None
    if isinstance(node, yaml.MappingNode):
        return _mapping(node, place, marked, loader)
    if isinstance(node, yaml.SequenceNode):
        return [_value(child, (*place, index), marked, loader) for index, child in enumerate(node.value)]
    node.value = _storable(node.value, line, marked)
    try:
        value = loader.construct_object(node)
        if isinstance(value, int | float) and abs(value) > LARGEST_NUMBER:
            marked.problems.append((line, f"the number {node.value[:40]} is too large."))
            return None
        return value
    except (ValueError, KeyError):  # !!int "many"; or more digits than an int may have
        marked.problems.append((line, f"“{node.value[:40]}” cannot be read as {kind}."))
        return None


def _storable(text: str, line: int, marked: Marked) -> str:
    """What cannot be stored is reported, and half a character replaced so that reading can go on."""
    fault = unstorable(text)
    if fault:
        marked.problems.append((line, fault))
    return text.encode(errors="replace").decode()


def _mapping(node: yaml.MappingNode, place: Place, marked: Marked, loader: _Loader) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key_node, value_node in node.value:
        line = key_node.start_mark.line + 1
        if not isinstance(key_node.value, str):
            marked.problems.append((line, "a key must be a word."))
            continue
        key = _storable(key_node.value, line, marked)
        if key in values:
            first = marked.lines[(*place, key)]
            marked.problems.append((line, f"the key “{key}” is there twice (first in line {first})."))
        else:
            marked.lines[(*place, key)] = line
            values[key] = _value(value_node, (*place, key), marked, loader)
    return values
