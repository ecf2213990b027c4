"""Where adjudicators decided: what scores are made of, and how it is said."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from metrics.frames import ADJUDICATION, adjudicated
from metrics.human.base import number_attribute
from metrics.report.book import Book
from metrics.report.inputs import Inputs
from metrics.report.numbers import counted


def inputs_used(inputs: Inputs, use: str) -> Inputs:
    """The inputs with the judgments that ``use`` names (:func:`metrics.frames.adjudicated`), hashed as they were given."""
    return replace(inputs, judgments=adjudicated(inputs.judgments, use))


def decided_section(inputs: Inputs, use: str) -> dict[str, Any]:
    """How many pieces were decided and what that means here; empty where nobody decides."""
    pieces = _pieces(inputs)
    if not pieces:
        return {}
    said = _column(inputs)
    return {
        "used": use,
        "pieces": pieces,
        "decided_values": int((said == "decision").sum()),
        "raw_values": int((said == "raw").sum()),
    }


def note_decided(section: dict[str, Any], book: Book) -> None:
    for sentence in decided_sentences(section):
        book.note("human", sentence)


def decided_sentences(section: dict[str, Any]) -> list[str]:
    """For notes and methods: how many, and which of both the scores are made of."""
    if not section:
        return []
    pieces = section["pieces"]
    what = f"{counted(pieces, 'piece')} on which assessors disagreed {'was' if pieces == 1 else 'were'} decided by adjudicators"
    used = {
        "raw": "scores are made of the raw judgments alone",
        "adjudicated": f"scores are made of these decisions alone ({counted(section['decided_values'], 'value')})",
        "both": f"in scores a decision takes the place of the judgments of its piece "
        f"({counted(section['decided_values'], 'value')} for {section['raw_values']})",
    }[section["used"]]
    return [f"{what}; {used}. Agreement is that of the raw judgments."]


def _column(inputs: Inputs) -> Any:
    if ADJUDICATION not in inputs.judgments.columns:
        return inputs.judgments["task"].map(lambda _: "")
    return inputs.judgments[ADJUDICATION].fillna("").astype(str)


def _pieces(inputs: Inputs) -> int:
    """As the table shows them, or, where it was exported without decisions, as the attributes count them."""
    decided = inputs.judgments[_column(inputs) == "decision"]
    if len(decided):
        return len(decided[["task", "assessor", "position"]].drop_duplicates())
    return int(number_attribute(inputs.attributes, "adjudicated", "pieces").sum())
