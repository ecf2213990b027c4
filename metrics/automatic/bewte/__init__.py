"""BEwT-E: Basic Elements with Transformations for Evaluation (Tratz & Hovy 2008).

A text is parsed; from the parse come Basic Elements, units of one to three words such as *drank milk* (subject and verb, verb and
object, noun + preposition + noun …); elements of the output are matched with those of a reference, also where they are worded
differently; the score is the weighted share of the reference's elements that are found (recall), by the best one-to-one assignment. With
several references each is left out in turn and the best of the rest averaged. A system's score is the mean over its outputs.

Ours is built from the paper and from vectors, not from the authors' program (v0.5.1). It departs from that program where it
slips: its "precision" passes 1, with three references or more its result depends on their order, a reference alone scores 1
against itself; and where the paper says otherwise (pronouns, names, *China* and *Chinese*). Generalisation by hypernyms is in
the paper but switched off in the program, and left out.

Names: ``bewte``, ``bewte-root``, ``bewte-total`` (weights), ``bewte-exact`` (without transformations); in this order also ``-duplicates``
(identical elements of a text all count), ``-best`` (the best reference, no jackknife), ``-penn`` (elements of constituency trees).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import get_args

import numpy as np
import numpy.typing as npt

from metrics.automatic.base import Family, Item, Metric, Rows
from metrics.automatic.bewte.elements import Element, unique
from metrics.automatic.bewte.extraction import elements
from metrics.automatic.bewte.matching import Matcher
from metrics.automatic.bewte.penn import elements_of_trees
from metrics.automatic.bewte.scoring import References, Weighting
from metrics.automatic.text.prepared import Text
from metrics.automatic.wordnet import WordNet, wordnet

_NAME = re.compile(
    r"bewte(?P<exact>-exact)?(?:-(?P<weighting>root|total))?(?P<duplicates>-duplicates)?(?P<best>-best)?(?P<penn>-penn)?"
)
LISTED = ("bewte", "bewte-root", "bewte-total", "bewte-exact")
_WEIGHTINGS: dict[str | None, Weighting] = {name: name for name in get_args(Weighting)}

Setting = tuple[bool, bool, bool]
"""Whether transformations run, whether duplicates count, whether elements come from constituency trees."""


class Bewte(Family):
    """Recall of Basic Elements; a row holds the score."""

    name = "bewte"

    def __init__(self, find: Callable[[], WordNet | None] = wordnet) -> None:
        self._find = find
        self._matchers: dict[bool, Matcher] = {}

    def metrics(self) -> Sequence[Metric]:
        """The three weightings, and identity alone."""
        return self.named(LISTED)

    def parse(self, name: str) -> Metric | None:
        """Any combination of weighting, duplicates, best reference and constituency trees."""
        found = _NAME.fullmatch(name)
        if found is None:
            return None
        lexicon = None if found["exact"] else self._wordnet()
        return Metric(
            name=name,
            family="bewte",
            options=(
                ("transformations", not found["exact"]),
                ("wordnet", None if found["exact"] else lexicon.version if lexicon else "none"),
                ("weights", found["weighting"] or "binary"),
                ("duplicates", bool(found["duplicates"])),
                ("multi", "best" if found["best"] else "jackknife"),
            ),
            identity=1.0,
            monotone=bool(found["best"]) and not found["weighting"],
            aggregates=("mean",),
            listed=name in LISTED,
            needs=("trees",) if found["penn"] else ("dependencies",),
        )

    def statistics(self, items: Sequence[Item], metrics: Sequence[Metric]) -> list[Rows]:
        """The score of each output; matching is done once for all weightings."""
        by_setting: dict[Setting, list[tuple[int, Weighting, bool]]] = {}
        for number, metric in enumerate(metrics):
            found = _NAME.fullmatch(metric.name)
            assert found is not None
            setting = (not found["exact"], bool(found["duplicates"]), bool(found["penn"]))
            weighting = _WEIGHTINGS.get(found["weighting"], "binary")
            by_setting.setdefault(setting, []).append((number, weighting, not found["best"]))
        rows = np.full((len(metrics), len(items), 1), np.nan)
        self._fill(rows, items, by_setting)
        return list(rows)

    def _fill(
        self,
        rows: npt.NDArray[np.float64],
        items: Sequence[Item],
        by_setting: dict[Setting, list[tuple[int, Weighting, bool]]],
    ) -> None:
        for setting, wanted in by_setting.items():
            known: dict[int, References] = {}
            for place, item in enumerate(items):
                key = id(item.references)
                if key not in known:
                    own = [text_elements(text, setting) for text in item.references]
                    known[key] = References(self.matcher(setting[0]), own)
                overlaps = known[key].overlaps(text_elements(item.output, setting))
                for number, weighting, jackknife in wanted:
                    rows[number, place] = known[key].peer_score(overlaps, weighting, jackknife=jackknife)

    def score(self, metric: Metric, rows: Rows) -> npt.NDArray[np.float64]:
        """The score is the row."""
        return rows[:, 0]

    def matcher(self, transformations: bool) -> Matcher:
        """The matcher of this machine's WordNet, with all it has worked out so far."""
        known = self._matchers.get(transformations)
        if known is None or known.crowded:
            known = Matcher(self._wordnet() if transformations else None, transformations=transformations)
            self._matchers[transformations] = known
        return known

    def _wordnet(self) -> WordNet | None:
        """WordNet with its data files; its index alone knows no relations."""
        found = self._find()
        return found if found is not None and found.has_data else None


FAMILY = Bewte()


def text_elements(text: Text, setting: Setting) -> list[Element]:
    """The elements of a text that has its parse beside it; each text's are found once."""
    _, duplicates, penn = setting

    def make(own: Text) -> list[Element]:
        found = elements_of_trees(own.beside["trees"]) if penn else elements(own.beside["dependencies"])
        return found if duplicates else unique(found)

    made: list[Element] = text.remember(("bewte", duplicates, penn), make)
    return made
