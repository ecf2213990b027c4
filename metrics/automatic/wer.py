"""Word error rate: the Levenshtein distance to the nearest reference, per word of the reference (Leusch et al. 2005, §2.1.1).

``wer`` takes the reference with the lowest rate; ``wer-average``, ``wer-nearest`` and ``wer-average-nearest`` take the reference
length by the other rules of :mod:`metrics.automatic.reference_length`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rapidfuzz.distance import Levenshtein

from metrics.automatic.base import Metric
from metrics.automatic.error_rates import DEFAULT, RULE, ErrorRate, ErrorRates, rule_of
from metrics.automatic.preparation import SUFFIX, from_name
from metrics.automatic.reference_length import LENGTH_RULES
from metrics.automatic.text.prepared import Text

_NAME = re.compile(f"wer{RULE}{SUFFIX}")


class Wer(ErrorRates):
    """WER by the four rules of reference length."""

    name = "wer"

    def metrics(self) -> Sequence[Metric]:
        """One per rule."""
        return [self.metric(ErrorRate(rule), default=rule == "best") for rule in LENGTH_RULES]

    def specification(self, name: str) -> ErrorRate | None:
        """The options of ``wer[-RULE][-TOKENISATION][-cased][-BOUNDARIES]``."""
        found = _NAME.fullmatch(name)
        return ErrorRate(rule_of(found), preparation=from_name(found, DEFAULT)) if found else None

    def name_of(self, rate: ErrorRate) -> str:
        """The one name of these options."""
        rule = "" if rate.rule == "best" else f"-{rate.rule}"
        return f"wer{rule}{rate.preparation.suffix(DEFAULT)}"

    def distance(self, output: Text, reference: Text, rate: ErrorRate) -> float:
        """Words to insert, delete and substitute."""
        return Levenshtein.distance(rate.preparation.tokens(output), rate.preparation.tokens(reference))


FAMILY = Wer()
