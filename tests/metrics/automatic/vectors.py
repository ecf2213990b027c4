"""The vectors of ``tests/data/metrics2``, whose README says who computed them and how."""

import json
from pathlib import Path

from metrics.automatic.syntax.parse import Entity, Sentence, Token

FOLDER = Path(__file__).resolve().parents[2] / "data" / "metrics2"


def lines(name):
    """The cases of a file of JSON Lines, without the first line, which describes it."""
    rows = [json.loads(line) for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]
    return [row for row in rows if "readme" not in row]


def sentence(row):
    """A sentence of the vectors: tokens ``[form, tag, label, head]`` and names ``[kind, first, last]``."""
    return Sentence.of([Token(*token) for token in row["tokens"]], [Entity(*e) for e in row["entities"]])
