"""The variants of ROUGE: eight ways of counting × stemming × stop words × precision, recall, F (Graham
2015, §3.2).

A name says all: ``rouge-2-stem-stop-f``; then, for the rarer options, ``-best`` (of several references the
one with the best recall, ROUGE's ``-f B``), ``-jackknife``, ``-alpha0.8`` (the weight of precision in F; .5
is not named).
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass

from metrics.automatic.base import Metric

KINDS = ("1", "2", "3", "4", "l", "w-1.2", "s4", "su4")
STEMS = ("none", "stem", "porter")
MEASURES = ("p", "r", "f")

_STEMMING = {"none": "no", "stem": "wordnet2.0-exceptions+porter", "porter": "porter"}
_NAME = re.compile(
    rf"rouge-(?P<kind>{'|'.join(map(re.escape, KINDS))})"
    r"(?:-(?P<stem>stem|porter))?(?P<stop>-stop)?-(?P<measure>[prf])"
    r"(?P<best>-best)?(?P<jackknife>-jackknife)?(?:-alpha(?P<alpha>0?\.\d+|0|1))?"
)


@dataclass(frozen=True)
class Variant:
    """One way of computing ROUGE."""

    kind: str
    stem: str = "none"
    stop: bool = False
    measure: str = "f"
    best: bool = False
    jackknife: bool = False
    alpha: float = 0.5

    @property
    def setting(self) -> tuple[str, bool]:
        """What is done to the words before counting."""
        return self.stem, self.stop

    @property
    def name(self) -> str:
        """``rouge-su4-stem-stop-f-best-jackknife-alpha0.8``, without what is default."""
        parts = (
            ("rouge", True),
            (self.kind, True),
            (self.stem, self.stem != "none"),
            ("stop", self.stop),
            (self.measure, True),
            ("best", self.best),
            ("jackknife", self.jackknife),
            (f"alpha{self.alpha:g}", self.alpha != 0.5),
        )
        return "-".join(part for part, said in parts if said)

    def metric(self) -> Metric:
        """What it declares to the registry."""
        plain = not (self.best or self.jackknife or self.alpha != 0.5)
        return Metric(
            name=self.name,
            family="rouge",
            options=(
                ("rouge", self.kind),
                ("stem", _STEMMING[self.stem]),
                ("stop", "rouge1.5.5" if self.stop else "no"),
                ("measure", self.measure),
                ("alpha", self.alpha if self.measure == "f" else None),
                ("multi-reference", "best-recall" if self.best else "sum"),
                ("jackknife", self.jackknife),
            ),
            # The recall of ROUGE-W has a quirk in its denominator: an identical text scores less than 1.
            identity=None if self.kind == "w-1.2" else 1.0,
            monotone=self.best and self.measure == "r" and self.kind != "w-1.2" and not self.jackknife,
            # Of references with equally good recall the original takes the first, whatever its precision.
            references_ordered=self.best and (self.measure != "r" or self.kind == "w-1.2"),
            aggregates=("mean", "median"),
            default=plain and self.stem == "stem" and not self.stop and self.measure in "rf",
            listed=plain,
        )


def all_variants() -> list[Variant]:
    """The 144 plain ones (Graham's, with and without the exception table), then those with the rarer
    options."""
    rare = ((False, False), (True, False), (False, True), (True, True))
    return [
        Variant(kind, stem, stop, measure, best, jackknife)
        for best, jackknife in rare
        for kind, stem, stop, measure in itertools.product(KINDS, STEMS, (False, True), MEASURES)
    ]


def parse(name: str) -> Variant | None:
    """The variant of a name, None when it is not one of ROUGE's."""
    found = _NAME.fullmatch(name)
    if found is None or (found["alpha"] and found["measure"] != "f"):
        return None
    return Variant(
        kind=found["kind"],
        stem=found["stem"] or "none",
        stop=bool(found["stop"]),
        measure=found["measure"],
        best=bool(found["best"]),
        jackknife=bool(found["jackknife"]),
        alpha=float(found["alpha"] or 0.5),
    )
