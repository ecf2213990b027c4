"""Can this design carry the claims that will be made of it? Checks before any test, and plain words for what is missing.

Nothing here looks at who is better. The checks look at who judged what: whether assessors and systems hang together at
all (otherwise a lenient assessor and a good system are the same thing), whether systems were judged on the same items by
the same people, and whether there are enough items, assessors and systems to say anything of others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd
from scipy import sparse
from scipy.sparse import csgraph, linalg

from metrics.meta.common import FloatArray, IntArray
from metrics.meta.judged import Judged, judged

FEWEST_ITEMS = 5
FEWEST_SYSTEMS = 5
FEWEST_ASSESSORS = 2
LENIENCY_SHARE = 0.1
"""Of the systems' spread: a shift by assessors' severity larger than this is worth a word."""

Severity = Literal["stop", "warn", "note"]


@dataclass(frozen=True)
class DesignWarning:
    """``code`` for programs, ``sentence`` for people; ``stop`` forbids a ranking, ``warn`` and ``note`` do not."""

    code: str
    severity: Severity
    sentence: str


@dataclass(frozen=True)
class DesignCheck:
    """What the design can carry.

    ``may_rank``: systems may be called better, best or worse. ``may_correlate``: there are enough systems to say of a
    metric that it agrees with people. ``may_generalise``: what the judgments can be carried over to.
    ``leniency``: by how much each system's mean is shifted because of who judged it, beside systems judged by everybody.
    """

    warnings: tuple[DesignWarning, ...]
    may_rank: bool
    may_correlate: bool
    may_generalise: tuple[str, ...]
    connected: bool
    balanced: bool
    complete: bool
    leniency: dict[str, float]
    systems: int
    items: int
    assessors: int
    judgments: int

    @property
    def codes(self) -> tuple[str, ...]:
        return tuple(warning.code for warning in self.warnings)

    def frame(self) -> pd.DataFrame:
        return pd.DataFrame([vars(one) for one in self.warnings], columns=["code", "severity", "sentence"])


def check_design(judgments: pd.DataFrame) -> DesignCheck:
    """Check ``assessor, system, item, value``.

    >>> table = pd.DataFrame({"assessor": list("aabb"), "system": list("xxyy"), "item": list("1212"), "value": range(4)})
    >>> check = check_design(table)
    >>> check.may_rank, check.codes
    (False, ('not-connected', 'few-items', 'few-systems'))
    """
    data = judged(judgments)
    counts = {pair: data.table(*pair) for pair in (("assessor", "system"), ("system", "item"))}
    by_assessor, by_item = counts["assessor", "system"], counts["system", "item"]
    connected = _parts(by_assessor) == 1
    balanced = len(np.unique(by_assessor)) == 1
    same_items = bool((by_item > 0).all(axis=0).all())
    shift, spread = _leniency(data) if connected else (np.zeros(len(data.systems)), 0.0)
    found = [
        *_connections(data, by_assessor, by_item, connected),
        *_balance(data, connected, balanced, shift, spread),
        *_shared_items(data, by_item, same_items),
        *_sizes(data, by_item),
    ]
    over = [
        name
        for name, enough in (("items", len(data.items) > 1), ("assessors", len(data.assessors) > 1))
        if enough
    ]
    stopped = any(warning.severity == "stop" for warning in found)
    return DesignCheck(
        warnings=tuple(found),
        may_rank=not stopped,
        may_correlate=len(data.systems) >= FEWEST_SYSTEMS,
        may_generalise=tuple(over),
        connected=connected,
        balanced=balanced,
        complete=bool((by_item > 0).all()),
        leniency={name: float(value) for name, value in zip(data.systems, shift, strict=True)},
        systems=len(data.systems),
        items=len(data.items),
        assessors=len(data.assessors),
        judgments=len(data),
    )


def _connections(
    data: Judged, by_assessor: IntArray, by_item: IntArray, connected: bool
) -> list[DesignWarning]:
    if not connected:
        groups = _groups(data, by_assessor)
        apart = " | ".join(", ".join(names) for names in groups)
        return [
            DesignWarning(
                "not-connected",
                "stop",
                f"No assessor judged systems of more than one of these groups: {apart}. A good group cannot be told from "
                "lenient assessors, so systems of different groups must not be compared.",
            )
        ]
    if len(data.items) > 1 and _parts(by_item) > 1:
        return [
            DesignWarning(
                "items-not-connected",
                "stop",
                "Some systems share no item with the others, not even through a third: a good system cannot be told from "
                "easy items.",
            )
        ]
    return []


def _balance(
    data: Judged, connected: bool, balanced: bool, shift: FloatArray, spread: float
) -> list[DesignWarning]:
    if balanced or not connected or len(data.assessors) < FEWEST_ASSESSORS:
        return []
    worst = int(np.argmax(np.abs(shift)))
    if spread > 0 and abs(shift[worst]) > LENIENCY_SHARE * spread:
        word = "lenient" if shift[worst] > 0 else "severe"
        return [
            DesignWarning(
                "leniency-confounded",
                "warn",
                f"Systems were not judged by the same assessors equally often, and this matters: {data.systems[worst]} met "
                f"more {word} ones, which moves its mean by {shift[worst]:+.2g} (systems spread over {spread:.2g}). "
                "Use the estimates of the model, which allow for assessors, and not plain means.",
            )
        ]
    return [
        DesignWarning(
            "not-balanced",
            "note",
            "Systems were not judged by the same assessors equally often; the model allows for it.",
        )
    ]


def _shared_items(data: Judged, by_item: IntArray, same_items: bool) -> list[DesignWarning]:
    if same_items:
        return []
    shared = int((by_item > 0).all(axis=0).sum())
    if not shared:
        return [
            DesignWarning(
                "no-common-item",
                "warn",
                "No item was judged for all systems: plain means compare different items.",
            )
        ]
    return [
        DesignWarning(
            "items-differ",
            "note",
            f"{shared} of {len(data.items)} items were judged for all systems: plain means are over different items.",
        )
    ]


def _who_has(data: Judged, counts: IntArray, fewest: int) -> str:
    """The system with the fewest items; where all have as many, none of them is to blame."""
    if len(counts) > 1 and (counts == fewest).all():
        return "Each system was"
    return f"{data.systems[int(counts.argmin())]} was"


def _sizes(data: Judged, by_item: IntArray) -> list[DesignWarning]:
    found = []
    counts = (by_item > 0).sum(axis=1)
    fewest = int(counts.min())
    if fewest < FEWEST_ITEMS:
        number = f"{fewest} item" + ("s" if fewest != 1 else "")
        found.append(
            DesignWarning(
                "few-items",
                "stop",
                f"{_who_has(data, counts, fewest)} judged on {number}: below {FEWEST_ITEMS} items no system is called best, whatever "
                "the numbers.",
            )
        )
    if len(data.systems) < FEWEST_SYSTEMS:
        number = f"are {len(data.systems)} systems" if len(data.systems) != 1 else "is 1 system"
        found.append(
            DesignWarning(
                "few-systems",
                "stop",
                f"There {number}: below {FEWEST_SYSTEMS} none is called best, and no metric is said to agree with people; "
                "what can be said is how two of them differ.",
            )
        )
    if len(data.assessors) < FEWEST_ASSESSORS:
        found.append(
            DesignWarning(
                "one-assessor",
                "warn",
                "One assessor judged everything: what is found holds for this person, and not for others.",
            )
        )
    return found


def _parts(table: IntArray) -> int:
    """How many parts a table of who met whom falls into."""
    return int(_components(table)[0])


def _components(table: IntArray) -> tuple[int, IntArray]:
    rows, columns = np.nonzero(table)
    size = sum(table.shape)
    graph = sparse.csr_array((np.ones(len(rows)), (rows, columns + table.shape[0])), shape=(size, size))
    number, labels = csgraph.connected_components(graph, directed=False)
    return int(number), np.asarray(labels, dtype=np.intp)


def _groups(data: Judged, by_assessor: IntArray) -> list[list[str]]:
    labels = _components(by_assessor)[1][len(data.assessors) :]
    return [
        [name for name, label in zip(data.systems, labels, strict=True) if label == each]
        for each in dict.fromkeys(labels.tolist())
    ]


def _leniency(data: Judged) -> tuple[FloatArray, float]:
    """How far each system's plain mean lies from what equal assessors would have given it, and the systems' spread.

    Severity is estimated by least squares of value on system, item and assessor; a system's shift is the mean severity of
    those who judged it, less that of all systems.
    """
    shape = (len(data), len(data.systems) + len(data.items) + len(data.assessors))
    offsets = (
        data.system,
        len(data.systems) + data.item,
        len(data.systems) + len(data.items) + data.assessor,
    )
    design = sparse.csr_array(
        (np.ones(3 * len(data)), (np.tile(np.arange(len(data)), 3), np.concatenate(offsets))), shape=shape
    )
    solved = linalg.lsqr(design, data.value - data.value.mean(), atol=1e-10, btol=1e-10, iter_lim=1000)[0]
    severity = solved[len(data.systems) + len(data.items) :]
    severity = severity - severity.mean()
    totals = np.bincount(data.system, severity[data.assessor], len(data.systems))
    shift = totals / np.bincount(data.system, minlength=len(data.systems))
    return shift - shift.mean(), float(np.ptp(solved[: len(data.systems)]))
