"""Live α is α: after any judgments, revisions and exclusions it is what ``agreement_coefficient`` makes of the whole table."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.meta.agreement import agreement_coefficient
from metrics.meta.coincidence import Coincidences, alpha

LEVELS = ("nominal", "ordinal", "interval")
THINGS, PEOPLE = 12, 5
EVENT = st.tuples(
    st.integers(0, THINGS - 1),
    st.integers(0, PEOPLE - 1),
    st.sampled_from([None, 1.0, 2.0, 3.0, 4.0, 5.0, 0.1, 66.6]),  # None: left out, or taken back
)


def item_of(thing: int) -> int:
    return thing // 2


def followed(events) -> tuple[np.ndarray, list[Coincidences]]:
    """The table as it is in the end, and what the counts have become on the way, one thing at a time."""
    table = np.full((THINGS, PEOPLE), np.nan)
    groups = [Coincidences() for _ in range(item_of(THINGS - 1) + 1)]
    for thing, person, value in events:
        before = table[thing][~np.isnan(table[thing])]
        table[thing, person] = np.nan if value is None else value
        after = table[thing][~np.isnan(table[thing])]
        groups[item_of(thing)].remove(before.tolist())
        groups[item_of(thing)].add(after.tolist())
    return table, groups


@settings(max_examples=50, deadline=None)
@given(events=st.lists(EVENT, max_size=80), level=st.sampled_from(LEVELS))
def test_any_sequence_of_judgments_revisions_and_exclusions_gives_the_alpha_of_the_whole_table(events, level):
    table, groups = followed(events)
    stored = [Coincidences.of_rows(group.rows()) for group in groups]
    live = alpha(stored, level=level)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        whole = agreement_coefficient(
            table, f"alpha-{level}", items=[item_of(thing) for thing in range(THINGS)], rng=1
        )
    np.testing.assert_allclose(live.statistic, whole.statistic, atol=1e-9, equal_nan=True)
    ends = [(one.confidence_interval.low, one.confidence_interval.high) for one in (live, whole)]
    np.testing.assert_allclose(*ends, atol=1e-9, equal_nan=True)


def test_what_was_added_and_taken_away_leaves_nothing():
    counts = Coincidences()
    rng = np.random.default_rng(1)
    added = [rng.integers(1, 8, rng.integers(1, 6)).tolist() for _ in range(500)]
    for values in added:
        counts.add(values)
    for place in rng.permutation(len(added)):
        counts.remove(added[place])
    assert not counts.pairs


@pytest.mark.parametrize(("level", "expected"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_of_krippendorffs_own_example(level, expected):
    """Krippendorff (2011), part C: four observers, twelve units, missing values."""
    _ = np.nan
    observed = np.array(
        [[1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _], [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
         [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _], [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _]]
    )  # fmt: skip
    counts = Coincidences()
    for unit in observed.T:
        counts.add(unit[~np.isnan(unit)].tolist())
    assert alpha([counts], level=level).statistic == pytest.approx(expected, abs=5e-4)
