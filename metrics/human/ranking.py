"""Rankings: shares of wins over the pairs of a ranking, and models of rankings (:mod:`metrics.human.comparison`).

Rows of kind ``ranking``, one per system of a set, ``unit`` = the set: value = rank, 1 best, equal ranks are ties. Only their order
counts. WMT ranked translations so until 2016, five at a time (Bojar et al. 2016).
"""

from __future__ import annotations

import pandas as pd

from metrics.human.comparison import fitted_name, has_values, withheld
from metrics.human.comparison_agreement import COEFFICIENTS
from metrics.human.comparison_scores import (
    BRADLEY_TERRY,
    DAVIDSON,
    EXPECTED_WINS,
    PLACKETT_LUCE,
    TRUESKILL,
    WINS,
    WINS_HALF,
)
from metrics.human.comparison_tables import tables
from metrics.human.kind import HumanKind


def names(judgments: pd.DataFrame) -> list[str]:
    """The model that fits, and shares of wins; other scores of whole systems are asked for by name."""
    return [fitted_name(judgments), "wins", "wins-half"] if has_values(judgments) else []


KIND = HumanKind(
    slug="ranking",
    scores=(WINS, WINS_HALF, EXPECTED_WINS, BRADLEY_TERRY, DAVIDSON, PLACKETT_LUCE, TRUESKILL),
    names=names,
    tables=tables,
    withheld=withheld,
    coefficients=COEFFICIENTS,
)
