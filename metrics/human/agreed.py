"""What kinds with coefficients of their own share: α by item, and the F1 of what two people chose."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

import numpy as np
import numpy.typing as npt
import pandas as pd

from metrics.human.kind import Agreed
from metrics.meta.reliability import krippendorff


def alpha_by_item(table: pd.DataFrame) -> Agreed:
    """Krippendorff's nominal α of a table with a row for each thing that was judged (``item`` in its index) and a column for each person.

    What fewer than two people judged says nothing; resamples draw whole items.
    """
    table = table[table.notna().sum(axis=1) > 1]
    groups: npt.NDArray[np.intp] = np.unique(table.index.get_level_values("item"), return_inverse=True)[1]
    of_things = krippendorff(table.to_numpy(dtype=np.float64), level="nominal")
    items = int(groups.max()) + 1 if len(groups) else 0
    people = int(table.notna().any(axis=0).sum())
    return Agreed(lambda weights: of_things(weights[:, groups]), items, items, people)


def f1_of_sets(one: AbstractSet[object], other: AbstractSet[object]) -> float:
    """2·|A ∩ B| / (|A| + |B|); NaN where both are empty.

    >>> f1_of_sets({1, 2}, {2, 3, 4})
    0.4
    """
    total = len(one) + len(other)
    return 2 * len(one & other) / total if total else float("nan")
