"""The preset of questionnaires: Murray et al. 2005, §3.1.2, twelve statements in words of our own."""

from __future__ import annotations

from typing import Any


def _statement(name: str, group: str, text: str, *, negative: bool = False, pair: str = "") -> dict[str, Any]:
    polarity = "negative" if negative else "positive"
    return {"name": name, "group": group, "text": text, "polarity": polarity, "pair": pair}


MURRAY = [
    _statement("important-points", "informativeness", "The important points of the meeting are represented."),
    _statement(
        "avoids-redundancy", "informativeness", "The summary says each thing only once.", pair="repetitive"
    ),
    _statement(
        "relevant-sentences",
        "informativeness",
        "Its sentences are relevant to what the meeting was about.",
        pair="unnecessary",
    ),
    _statement(
        "space-matches", "informativeness", "Each subject gets as much space as its importance deserves."
    ),
    _statement(
        "repetitive", "informativeness", "The summary is repetitive.", negative=True, pair="avoids-redundancy"
    ),
    _statement(
        "unnecessary",
        "informativeness",
        "The summary holds unnecessary information.",
        negative=True,
        pair="relevant-sentences",
    ),
    _statement(
        "clear-reference", "readability", "It is clear who and what is being spoken of.", pair="incoherent"
    ),
    _statement("continuity", "readability", "One sentence leads to the next.", pair="disjointed"),
    _statement("well-formed", "readability", "The sentences are well formed.", pair="poorly-constructed"),
    _statement("disjointed", "readability", "The summary is disjointed.", negative=True, pair="continuity"),
    _statement(
        "incoherent", "readability", "The summary is incoherent.", negative=True, pair="clear-reference"
    ),
    _statement(
        "poorly-constructed",
        "readability",
        "The sentences are poorly constructed.",
        negative=True,
        pair="well-formed",
    ),
]

PRESETS: dict[str, dict[str, Any]] = {
    "murray": {"statements": MURRAY, "points": 5, "familiarisation_minutes": 20}
}
