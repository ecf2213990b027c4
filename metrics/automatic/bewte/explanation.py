"""Why a text has its BEwT-E score: which element matched which, and by what."""

from __future__ import annotations

from typing import Any

from metrics.automatic.bewte import FAMILY
from metrics.automatic.bewte.elements import Element, unique
from metrics.automatic.bewte.extraction import elements
from metrics.automatic.bewte.scoring import assignment
from metrics.automatic.syntax.parse import Parse


def explain(output: Parse, reference: Parse, *, transformations: bool = True) -> dict[str, Any]:
    """The assignment behind the recall of one reference (binary weights), as plain JSON.

    ``matched`` holds pairs with the steps and relations that joined them (see :mod:`metrics.automatic.bewte.relations` and
    ``variants`` for their names), ``missed`` the reference's other elements, ``extra`` the output's.
    """
    matcher = FAMILY.matcher(transformations)
    peers, references = unique(elements(output)), unique(elements(reference))
    reasons = {
        (place, number): by
        for place, own in enumerate(references)
        for number, peer in enumerate(peers)
        if (by := matcher.explain(peer, own)) is not None
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
