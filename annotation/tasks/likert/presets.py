"""The preset of questionnaires: Murray et al. 2005, §3.1.2, twelve statements in words of our own."""

from __future__ import annotations

from typing import Any

from annotation.words import gettext_noop as _


def _statement(name: str, group: str, text: str, *, negative: bool = False, pair: str = "") -> dict[str, Any]:
    polarity = "negative" if negative else "positive"
    return {"name": name, "group": group, "text": text, "polarity": polarity, "pair": pair}


MURRAY = [
    _statement(
        "important-points", "informativeness", _("The important points of the meeting are represented.")
    ),
    _statement(
        "avoids-redundancy", "informativeness", _("The summary says each thing only once."), pair="repetitive"
    ),
    _statement(
        "relevant-sentences",
        "informativeness",
        _("Its sentences are relevant to what the meeting was about."),
        pair="unnecessary",
    ),
    _statement(
        "space-matches", "informativeness", _("Each subject gets as much space as its importance deserves.")
    ),
    _statement(
        "repetitive",
        "informativeness",
        _("The summary is repetitive."),
        negative=True,
        pair="avoids-redundancy",
    ),
    _statement(
        "unnecessary",
        "informativeness",
        _("The summary holds unnecessary information."),
        negative=True,
        pair="relevant-sentences",
    ),
    _statement(
        "clear-reference", "readability", _("It is clear who and what is being spoken of."), pair="incoherent"
    ),
    _statement("continuity", "readability", _("One sentence leads to the next."), pair="disjointed"),
    _statement("well-formed", "readability", _("The sentences are well formed."), pair="poorly-constructed"),
    _statement(
        "disjointed", "readability", _("The summary is disjointed."), negative=True, pair="continuity"
    ),
    _statement(
        "incoherent", "readability", _("The summary is incoherent."), negative=True, pair="clear-reference"
    ),
    _statement(
        "poorly-constructed",
        "readability",
        _("The sentences are poorly constructed."),
        negative=True,
        pair="well-formed",
    ),
]

PRESETS: dict[str, dict[str, Any]] = {
    "murray": {"statements": MURRAY, "points": 5, "familiarisation_minutes": 20}
}
