"""Texts as scoring takes them: their sentences, and what stands beside them in a file or is made of them first.

Beside a text may stand ``conllu`` (its dependency parse) and ``trees`` (its constituency trees); beside a reference ``status``, which makes
it a nugget. A metric says by ``needs`` which parses it wants. Parses that are given are read first, and then for all texts of
the run or for none: parses of different sources are not comparable. Otherwise an installed parser makes them, once per text.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from metrics.automatic.syntax import parsers
from metrics.automatic.syntax.parse import read_conllu
from metrics.automatic.syntax.store import Sentences
from metrics.automatic.syntax.trees import read_trees
from metrics.errors import BadInput

Need = Literal["dependencies", "trees"]

FIELDS: Mapping[Need, str] = {"dependencies": "conllu", "trees": "trees"}
"""The field beside a text that holds a parse."""

INSTALL: Mapping[Need, str] = {
    "dependencies": "pip install 'touchstone[syntax]' (spaCy with a small English model), or put the field conllu beside each text",
    "trees": "put the field trees (Penn brackets) beside each text, or install benepar with its model benepar_en3",
}
"""What to do where a parse is wanted and there is none."""


class Given(NamedTuple):
    """The sentences of a text, and what stands beside it."""

    sentences: Sentences
    beside: Mapping[str, Any] = {}


@dataclass
class Materials:
    """The texts of a run, each with the parses that its metrics need."""

    outputs: list[Given]
    references: dict[str, list[Given]]
    """By item."""
    documents: dict[str, list[Given]]
    """By item; empty where no source documents were given."""
    parsers: dict[Need, str] = field(default_factory=dict)
    """What made the parses; a need that is missing here could not be met."""


def materials(
    outputs: pd.DataFrame,
    references: pd.DataFrame,
    *,
    documents: pd.DataFrame | None = None,
    needs: Collection[Need] = (),
) -> Materials:
    """The texts of a run with their parses."""
    found = Materials(
        [_given(row) for row in outputs.to_dict("records")], _by_item(references), _by_item(documents)
    )
    for need in dict.fromkeys(needs):
        _parse(found, need, outputs)
    return found


def given_sentences(row: Mapping[Any, Any]) -> Sentences:
    """The sentences as given; a plain text is one sentence."""
    sentences = row.get("sentences")
    if isinstance(sentences, Sequence | np.ndarray) and not isinstance(sentences, str):
        return tuple(str(sentence) for sentence in sentences)
    text = row.get("text")
    return (text if isinstance(text, str) else "",)


def _given(row: Mapping[Any, Any]) -> Given:
    cells = {name: _cell(row.get(name)) for name in (*FIELDS.values(), "status")}
    return Given(given_sentences(row), {name: cell for name, cell in cells.items() if cell})


def _cell(cell: object) -> str:
    """What stands in a field, the sentences of a list each by itself; "" for nothing."""
    if isinstance(cell, Sequence | np.ndarray) and not isinstance(cell, str):
        cell = "\n\n".join(map(str, cell))
    return "" if cell is None or cell is pd.NA or cell != cell else str(cell).strip()  # noqa: PLR0124 — NaN


def _by_item(texts: pd.DataFrame | None) -> dict[str, list[Given]]:
    if texts is None:
        return {}
    return {
        str(item): [_given(row) for row in rows.to_dict("records")]
        for item, rows in texts.groupby("item", sort=False)
    }


def _parse(found: Materials, need: Need, outputs: pd.DataFrame) -> None:
    """Puts the parse beside every text that may be scored; beside no text where there is no parser.

    A blank text has an empty parse, whatever parses the others.
    """
    texts = list(_places(found, outputs))
    name = FIELDS[need]
    for _, given, put in texts:
        if not any(sentence.strip() for sentence in given.sentences) and name not in given.beside:
            put(Given(given.sentences, {**given.beside, need: ()}))
    texts = [entry for entry in texts if name in entry[1].beside or any(map(str.strip, entry[1].sentences))]
    have = [name in given.beside for _, given, _ in texts]
    if any(have) and not all(have):
        where = texts[have.index(False)][0]
        raise BadInput(
            f"some texts have {name} and others have not (first without: {where}): give it for all or for none",
            column=name,
        )
    if any(have):
        found.parsers[need] = name
        for where, given, put in texts:
            put(Given(given.sentences, {**given.beside, need: _read(need, given.beside[name], where)}))
        return
    parser = parsers.spacy_parser() if need == "dependencies" else parsers.benepar_parser()
    if parser is None:
        return
    found.parsers[need] = parser.name
    make = parsers.dependencies if need == "dependencies" else parsers.trees
    parses = make(parser, [given.sentences for _, given, _ in texts])
    for _, given, put in texts:
        put(Given(given.sentences, {**given.beside, need: parses[given.sentences]}))


def _places(found: Materials, outputs: pd.DataFrame) -> Iterator[tuple[str, Given, Callable[[Given], None]]]:
    """Each text of an item that has references: where it is said to be, the text, and how to put another in its place."""
    rows = zip(outputs["system"].astype(str), outputs["item"].astype(str), strict=True)
    scored: dict[str, None] = {}
    for number, (system, item) in enumerate(rows):
        if item in found.references:
            scored[item] = None
            yield f"system {system}, item {item}", found.outputs[number], _setter(found.outputs, number)
    for kind, texts in (("reference", found.references), ("document", found.documents)):
        for item in scored:
            for number, given in enumerate(texts.get(item, ())):
                yield f"{kind} {number + 1} of item {item}", given, _setter(texts[item], number)


def _setter(texts: list[Given], number: int) -> Callable[[Given], None]:
    def put(given: Given) -> None:
        texts[number] = given

    return put


def _read(need: Need, text: str, where: str) -> Any:
    try:
        return read_conllu(text) if need == "dependencies" else read_trees(text)
    except BadInput as problem:
        raise BadInput(f"{where}: {problem}") from problem
