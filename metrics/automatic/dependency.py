"""HWCM, DSTM, DTKM on dependency trees (Liu & Gildea 2005, §3.3), and F of dependencies.

``hwcm-4`` is the mean over lengths 1 to 4 of the share of the output's chains of that many words, each the head of the next,
that a reference has too; ``dstm-4`` the same over subtrees of 1 to 4 levels; ``dtkm`` the cosine of the tree kernel with the best
reference; ``dependency-f`` is F1 of head, label and dependent with the best reference, ``dependency-f-unlabelled`` without labels.
System scores come from summed counts, that of ``dtkm`` is the mean.

The authors used Collins' parser; ours are spaCy's dependencies, or those that stand beside a text, so their tables cannot be had
again. They print an arithmetic mean yet say that they replaced precisions of 0 by .001 for HWCM: ``hwcm-4-epsilon`` does. Lengths
1 to 6 by name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Sequence

import numpy as np
import numpy.typing as npt

from metrics.automatic.base import Family, Item, Metric, Rows
from metrics.automatic.subtree_scores import kernel_rows, level_rows, mean_precision
from metrics.automatic.syntax.parse import Parse
from metrics.automatic.syntax.subtrees import (
    Counts,
    Forest,
    chains,
    dependency_trees,
    forest,
    subtrees,
    triples,
)
from metrics.automatic.text.prepared import Text

LISTED = ("hwcm-4", "dstm-4", "dtkm", "dependency-f", "dependency-f-unlabelled")
_NAME = re.compile(
    r"(?P<levels>hwcm|dstm)-(?P<depth>[1-6])(?P<epsilon>-epsilon)?|dtkm|dependency-f(?P<unlabelled>-unlabelled)?"
)


class Dependency(Family):
    """Metrics on dependencies; rows are counts by length, counts of triples, or the score."""

    name = "dependency"

    def metrics(self) -> Sequence[Metric]:
        """Lengths and depths of 4, the kernel, and F."""
        return self.named(LISTED)

    def parse(self, name: str) -> Metric | None:
        """Other lengths and depths, and the authors' substitute for 0."""
        found = _NAME.fullmatch(name)
        if found is None or (found["epsilon"] and found["levels"] != "hwcm"):
            return None
        return Metric(
            name=name,
            family=self.name,
            options=(
                ("case", "fold"),
                ("punctuation", False),
                ("zero", f"{1e-3:g}" if found["epsilon"] else None),
                ("multi", "clip-largest" if found["levels"] else "best"),
            ),
            identity=1.0,
            monotone=True,
            aggregates=("mean",) if name == "dtkm" else ("corpus",),
            listed=name in LISTED,
            needs=("dependencies",),
        )

    def statistics(self, items: Sequence[Item], metrics: Sequence[Metric]) -> list[Rows]:
        """Counts of chains and subtrees, once for all lengths; the kernel's cosine; counts of triples."""
        counted: dict[str, Rows] = {}
        rows = []
        for metric in metrics:
            name = metric.name.split("-")[0] if metric.name[:4] in _COUNTERS else metric.name
            if name not in counted:
                if name in _COUNTERS:
                    counted[name] = level_rows(items, name, _COUNTERS[name])
                elif name == "dtkm":
                    counted[name] = kernel_rows(items, "dtkm", _forest)
                else:
                    counted[name] = _triple_rows(items, labelled=name == "dependency-f")
            rows.append(counted[name])
        return rows

    def score(self, metric: Metric, rows: Rows) -> npt.NDArray[np.float64]:
        """Mean precision by length, the row itself, or F1."""
        found = _NAME.fullmatch(metric.name)
        assert found is not None
        if found["levels"]:
            return mean_precision(rows, int(found["depth"]), epsilon=bool(found["epsilon"]))
        if metric.name == "dtkm":
            return rows[:, 0]
        matched, ours, theirs = rows.T
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(
                np.where((ours > 0) & (theirs > 0), 2 * matched / (ours + theirs), _undefined(theirs))
            )


FAMILY = Dependency()


def _undefined(theirs: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """An output of no word has nothing right; where no reference has a word there is nothing to be right about."""
    return np.where(theirs > 0, 0.0, np.nan)


def _parse(text: Text) -> Parse:
    parse: Parse = text.beside["dependencies"]
    return parse


def _chains(text: Text) -> Counts:
    return chains(_parse(text))


def _subtrees(text: Text) -> Counts:
    return subtrees(dependency_trees(_parse(text)))


def _forest(text: Text) -> Forest:
    return forest(dependency_trees(_parse(text)))


_COUNTERS: dict[str, Callable[[Text], Counts]] = {"hwcm": _chains, "dstm": _subtrees}


def _triple_rows(items: Sequence[Item], *, labelled: bool) -> Rows:
    """Triples in common, in the output and in the reference with the best F; of equals the one with most in common."""

    def known(text: Text) -> Counter[Hashable]:
        own: Counter[Hashable] = text.remember(
            ("triples", labelled), lambda own: triples(_parse(own), labelled=labelled)
        )
        return own

    rows = np.zeros((len(items), 3))
    for row, item in zip(rows, items, strict=True):
        ours = known(item.output)
        found = []
        for text in item.references:
            theirs = known(text)
            matched, sizes = (ours & theirs).total(), (ours.total(), theirs.total())
            found.append((2 * matched / sum(sizes) if all(sizes) else 0.0, matched, *sizes))
        row[:] = max(found)[1:]
    return rows
