"""Where people disagree: the measure, and the queue that goes by it."""

from __future__ import annotations

import pytest

from annotation.disagreement import Compared, differing, expected_difference

# Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, section E: four observers, twelve units; α = .849 with
# interval distances.
KRIPPENDORFF = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]


def of_unit(unit: int) -> list[list[Compared]]:
    return [
        [Compared(None, "", "score", (row[unit] - 1) / 4)] for row in KRIPPENDORFF if row[unit] is not None
    ]


def test_what_pieces_add_to_alpha_makes_up_krippendorffs_published_value():
    pieces = [entry for unit in range(12) for entry in differing(of_unit(unit))]
    assert len(pieces) == 11  # the last unit has one value, with which nothing can be compared
    values = sum(piece.values for piece in pieces)
    expected = expected_difference(
        values, sum(piece.total for piece in pieces), sum(piece.squares for piece in pieces)
    )
    added = [piece.within / piece.values / expected for piece in pieces]
    alpha = 1 - sum(part * piece.values for part, piece in zip(added, pieces, strict=True)) / values
    assert alpha == pytest.approx(0.849, abs=0.0005)
    assert max(added) == added[5]  # the unit on which they gave 1, 2, 3 and 4


def test_the_spread_is_the_mean_over_units_and_the_greatest_over_texts():
    judges = [
        [Compared(0, "1", "c", 0.0), Compared(0, "2", "c", 1.0), Compared(1, "1", "c", 0.25)],
        [Compared(0, "1", "c", 0.5), Compared(0, "2", "c", 1.0), Compared(1, "1", "c", 0.75)],
    ]
    (entry,) = differing(judges)
    assert entry.spread == 0.5
    assert entry.judges == 2


def test_what_only_one_person_said_something_of_is_no_disagreement():
    assert differing([[Compared(None, "1", "c", 0.0)], [Compared(None, "2", "c", 1.0)]]) == []
