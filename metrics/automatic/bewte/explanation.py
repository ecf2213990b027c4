"""Why a text has its BEwT-E score: which element matched which, and by what."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from metrics.automatic import registry
from metrics.automatic.bewte import FAMILY
from metrics.automatic.bewte.elements import Element, unique
from metrics.automatic.bewte.extraction import elements
from metrics.automatic.bewte.matching import Pool
from metrics.automatic.bewte.scoring import assignment
from metrics.automatic.materials import INSTALL, materials
from metrics.automatic.run import with_parser
from metrics.automatic.syntax.parse import Parse
from metrics.errors import BadInput

ELEMENT_COLUMNS = (
    "found",
    "output_rule",
    "output_element",
    "reference_rule",
    "reference_element",
    "by",
)


def explain(output: Parse, reference: Parse, *, transformations: bool = True) -> dict[str, Any]:
    """The assignment behind the recall of one reference (binary weights), as plain JSON.

    ``matched`` holds pairs with the steps and relations that joined them (see :mod:`metrics.automatic.bewte.relations` and
    ``variants`` for their names), ``missed`` the reference's other elements, ``extra`` the output's.
    """
    matcher = FAMILY.matcher(transformations)
    peers, references = unique(elements(output)), unique(elements(reference))
    pool = Pool(matcher, [references])
    reasons = {
        (place, number): by
        for number, peer in enumerate(peers)
        for place in pool.matches(peer)
        if (by := matcher.explain(peer, references[place])) is not None
    }
    edges: dict[int, list[int]] = {}
    # Of several assignments that are equally good, one with more identical pairs says more.
    for (place, number), _ in sorted(
        reasons.items(), key=lambda entry: (len(entry[1]), entry[1] != ("identity",))
    ):
        edges.setdefault(place, []).append(number)
    assigned = assignment(edges, [1.0] * len(references))
    taken = set(assigned.values())
    return {
        "score": len(assigned) / len(references) if references else None,
        "output_elements": len(peers),
        "reference_elements": len(references),
        "matched": [
            {"peer": _plain(peers[n]), "reference": _plain(references[p]), "by": list(reasons[p, n])}
            for p, n in sorted(assigned.items())
        ],
        "missed": [_plain(own) for place, own in enumerate(references) if place not in assigned],
        "extra": [_plain(peer) for number, peer in enumerate(peers) if number not in taken],
    }


def _plain(own: Element) -> dict[str, Any]:
    return {"rule": own.rule, "parts": [[part.text, part.type] for part in own.parts]}


def element_table(explained: Mapping[str, Any]) -> pd.DataFrame:
    """One row per element: matched with which and by what, missed of the reference, or extra in the output.

    Of matched ones those worded differently come first.
    """
    matched = sorted(explained["matched"], key=lambda pair: pair["by"] == ["identity"])
    rows = [
        *(
            ("matched", *_cells(pair["peer"]), *_cells(pair["reference"]), "+".join(pair["by"]))
            for pair in matched
        ),
        *(("missed", "", "", *_cells(element), "") for element in explained["missed"]),
        *(("extra", *_cells(element), "", "", "") for element in explained["extra"]),
    ]
    return pd.DataFrame(rows, columns=list(ELEMENT_COLUMNS))


def _cells(element: Mapping[str, Any]) -> tuple[str, str]:
    return element["rule"], " + ".join(text for text, _ in element["parts"])


def explanations(output: pd.DataFrame, references: pd.DataFrame, *, exact: bool = False) -> dict[str, Any]:
    """The explanation of one output against each of its references, best first."""
    texts = materials(output, references, needs=["dependencies"])
    if "dependencies" not in texts.parsers:
        raise BadInput(f"no parse of these texts: {INSTALL['dependencies']}")
    row = output.iloc[0]
    metric = with_parser(registry.metric("bewte-exact" if exact else "bewte"), texts)
    models = texts.references[str(row["item"])]
    found = [
        {"reference": str(name), "text": " ".join(given.sentences)}
        | explain(
            texts.outputs[0].beside["dependencies"], given.beside["dependencies"], transformations=not exact
        )
        for name, given in zip(references["reference"], models, strict=True)
    ]
    return {
        "system": str(row["system"]),
        "item": str(row["item"]),
        "text": " ".join(texts.outputs[0].sentences),
        "metric": metric.name,
        "signature": metric.signature(level="item", references="1"),
        "references": sorted(found, key=lambda entry: -(entry["score"] or 0.0)),
    }
