"""Position-independent error rate, of words and of m-grams (Leusch et al. 2005, §2.1.2).

The distance is ½(|I − Ĩ| + Σ|n − ñ|) over the counts n, ñ of words in output and reference, and I, Ĩ their totals: the words
to insert, delete and substitute when order does not matter. ``per-2`` counts bigrams instead, and so on. All are divided by the
reference length in words, as WER is. Where neither text has an m-gram, there is nothing to compare, and no score.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from metrics.automatic.base import Metric
from metrics.automatic.counting import clipped, ngrams_of
from metrics.automatic.error_rates import DEFAULT, RULE, ErrorRate, ErrorRates, rule_of
from metrics.automatic.preparation import SUFFIX, from_name
from metrics.automatic.reference_length import LENGTH_RULES
from metrics.automatic.text.prepared import Text

ORDERS = (1, 2, 3, 4)
"""Longer m-grams told Leusch et al. nothing more (§4)."""

_NAME = re.compile(f"per(?:-(?P<order>[2-4]))?{RULE}{SUFFIX}")


class Per(ErrorRates):
    """PER of words and m-grams by the four rules of reference length."""

    name = "per"

    def metrics(self) -> Sequence[Metric]:
        """One per order and rule."""
        return [
            self.metric(ErrorRate(rule, order), default=rule == "best" and order <= 2)
            for order in ORDERS
            for rule in LENGTH_RULES
        ]

    def specification(self, name: str) -> ErrorRate | None:
        """The options of ``per[-ORDER][-RULE][-TOKENISATION][-cased][-BOUNDARIES]``."""
        found = _NAME.fullmatch(name)
        return (
            ErrorRate(rule_of(found), int(found["order"] or 1), from_name(found, DEFAULT)) if found else None
        )

    def name_of(self, rate: ErrorRate) -> str:
        """The one name of these options."""
        order = "" if rate.order == 1 else f"-{rate.order}"
        rule = "" if rate.rule == "best" else f"-{rate.rule}"
        return f"per{order}{rule}{rate.preparation.suffix(DEFAULT)}"

    def distance(self, output: Text, reference: Text, rate: ErrorRate) -> float:
        """Bag distance: what the larger bag has beyond the common part, since a substitution repairs two differences."""
        ours, theirs = (
            ngrams_of(text, rate.preparation.tokens(text), rate.order, setting=rate.preparation)
            for text in (output, reference)
        )
        if rate.order > 1 and not ours and not theirs:
            return float("nan")
        return max(ours.total(), theirs.total()) - clipped(ours, theirs)


FAMILY = Per()
