"""QUEEN (Amigó et al. 2005, §3.1): how often an output is as close to a reference as references are to each other.

Over triples of references m and m′ ≠ m″, the share with x(output, m) ≥ x(m′, m″) for *all* metrics x of a set: a probability, whatever
the scales of the metrics. Names: ``queen-`` and the metrics joined by ``+``, each as it is with one reference: ``queen-rouge-1-f+meteor``.
Fewer than two references: no value; with two it is coarse. A system's score is the mean. KING and JACK, which judge such sets, are in
:mod:`metrics.meta.qarla`.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import permutations
from typing import Any

import numpy as np
import numpy.typing as npt

from metrics.automatic import registry
from metrics.automatic.base import Family, Item, Metric, Rows
from metrics.automatic.text.prepared import Text
from metrics.errors import BadInput
from metrics.meta.qarla import JOIN, queen_value

PREFIX = "queen-"
LISTED = (
    "queen-rouge-1-stem-f",
    "queen-rouge-2-stem-f",
    "queen-rouge-1-stem-f+rouge-2-stem-f+rouge-l-stem-f",
)
FOUND_HERE = ("wordnet", "exceptions")
"""What a metric's name leaves to the machine: it is said for QUEEN over that metric as well."""
FloatArray = npt.NDArray[np.float64]


class Queen(Family):
    """QUEEN over any set of metrics; a row holds the score."""

    name = "queen"

    def metrics(self) -> Sequence[Metric]:
        """QUEEN over ROUGE, as examples of many."""
        return [_metric(name) for name in LISTED]

    def parse(self, name: str) -> Metric | None:
        """QUEEN over metrics of the user's choice."""
        if not name.startswith(PREFIX):
            return None
        members = [registry.metric(member) for member in _members(name)]
        if any(member.family == self.name for member in members):
            raise BadInput(f"{name}: expected metrics other than QUEEN itself")
        return _metric(name, members)

    def corpus(self, references: Sequence[Sequence[Text]], metrics: Sequence[Metric]) -> Sequence[Any] | None:
        """What the families of the set want to know of all references, each for itself the only one."""
        known: list[dict[str, list[Any]]] = [{} for _ in references]
        alone = [[text] for own in references for text in own]
        for name, own_metrics in _by_family(_all_members(metrics)).items():
            family = registry.families()[name]
            values = family.corpus(alone, own_metrics) if type(family).corpus is not Family.corpus else None
            if values is not None:
                found = iter(values)
                for own, texts in zip(known, references, strict=True):
                    own[name] = [next(found) for _ in texts]
        return known

    def statistics(self, items: Sequence[Item], metrics: Sequence[Metric]) -> list[Rows]:
        """The score of each output; similarities of references among themselves are found once per item."""
        if any(len(item.references) == 2 for item in items):
            warnings.warn(
                "QUEEN of two references has few steps: three or more are better", UserWarning, stacklevel=2
            )
        members = _all_members(metrics)
        pairs, places = _pairs(items)
        scores = {metric.name: values for metric, values in _scored(pairs, members)}
        rows = []
        for metric in metrics:
            x = np.array([scores[name] for name in _members(metric.name)])
            made = [_value(x, places, item, number) for number, item in enumerate(items)]
            rows.append(np.array(made, dtype=np.float64).reshape(-1, 1))
        return rows

    def score(self, metric: Metric, rows: Rows) -> npt.NDArray[np.float64]:
        """The score is the row."""
        return rows[:, 0]


FAMILY = Queen()

Places = tuple[list[range], dict[int, range]]
"""Where the pairs of each output with the references are, and those of the references of an item among themselves."""


def _metric(name: str, members: Sequence[Metric] = ()) -> Metric:
    """QUEEN over a set; those that are listed are over metrics that are the same everywhere and need no parse."""
    found_here = [own for member in members for own in member.options if own[0] in FOUND_HERE and own[1]]
    return Metric(
        name=name,
        family="queen",
        options=(("metrics", len(_members(name))), ("triples", "distinct"), *dict.fromkeys(found_here)),
        aggregates=("mean",),
        default=name == LISTED[-1],
        listed=name in LISTED,
        needs=tuple(dict.fromkeys(need for member in members for need in member.needs)),
        least_references=2,
    )


def _members(name: str) -> list[str]:
    return list(dict.fromkeys(name.removeprefix(PREFIX).split(JOIN)))


def _all_members(metrics: Sequence[Metric]) -> list[Metric]:
    names = dict.fromkeys(member for metric in metrics for member in _members(metric.name))
    return [registry.metric(name) for name in names]


def _by_family(metrics: Sequence[Metric]) -> dict[str, list[Metric]]:
    found: dict[str, list[Metric]] = {}
    for metric in metrics:
        found.setdefault(metric.family, []).append(metric)
    return found


def _pairs(items: Sequence[Item]) -> tuple[list[Item], Places]:
    """Each output with each reference, and each reference with each other."""
    pairs: list[Item] = []
    of_outputs: list[range] = []
    among: dict[int, range] = {}
    for item in items:
        # TVM's terms are of the source or of all references, whichever is the one that is compared with.
        source = item.documents or item.references
        alone = [(text,) for text in item.references]
        known = [_corpus(item, number) for number in range(len(alone))]
        start = len(pairs)
        pairs += [Item(item.output, own, value, source) for own, value in zip(alone, known, strict=True)]
        of_outputs.append(range(start, len(pairs)))
        if id(item.references) not in among:
            start = len(pairs)
            pairs += [
                Item(item.references[ours], alone[theirs], known[theirs], source)
                for ours, theirs in permutations(range(len(alone)), 2)
            ]
            among[id(item.references)] = range(start, len(pairs))
    return pairs, (of_outputs, among)


def _corpus(item: Item, number: int) -> dict[str, Any]:
    known: dict[str, list[Any]] = item.corpus.get("queen") or {}
    return {name: values[number] for name, values in known.items()}


def _scored(pairs: Sequence[Item], members: Sequence[Metric]) -> list[tuple[Metric, FloatArray]]:
    """The score of each pair by each metric, higher is better."""
    found = []
    for name, own in _by_family(members).items():
        family = registry.families()[name]
        for metric, rows in zip(own, family.statistics(pairs, own), strict=True):
            scores = np.full(len(rows), np.nan)
            present = ~np.isnan(rows).any(axis=1)
            if present.any():
                scores[present] = family.score(metric, rows[present])
            found.append((metric, scores if metric.higher_is_better else -scores))
    return found


def _value(x: FloatArray, places: Places, item: Item, number: int) -> float:
    models = len(item.references)
    if models < 2:
        return float("nan")
    to_models = x[:, list(places[0][number])]
    among = np.zeros((len(x), models, models))
    among[:, ~np.eye(models, dtype=bool)] = x[:, list(places[1][id(item.references)])]
    return queen_value(to_models, among)
