"""What a cell of a table may hold: one rule, for the application and for ``metrics``."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.cells import half_a_pair, neutralised, restored

RISKY = st.text(st.sampled_from("'=+-@＝\t\r\n0123456789.eE; ab_é"), max_size=8)


@given(RISKY)
def test_neutralising_is_undone_exactly_and_leaves_nothing_to_run(cell):
    safe = neutralised(cell)
    assert restored(safe) == cell
    assert not safe.startswith(("=", "@", "＝", "\t", "\r"))
    assert not safe.startswith(("+", "-")) or float(safe) is not None


@pytest.mark.parametrize(
    ("cell", "safe"),
    [
        ("=1+1", "'=1+1"),
        ("'=1", "''=1"),
        ("@now", "'@now"),
        ("-inf", "'-inf"),
        ("-1_000", "'-1_000"),
        ("-1.5e3", "-1.5e3"),
        ("+1", "+1"),
        ("a=1", "a=1"),
        ("x;=1+1", "x;'=1+1"),
        ("x\t@now", "x\t'@now"),
        ("＝1+1", "'＝1+1"),
        (" =1", " '=1"),
        ("", ""),
    ],
)
def test_what_a_spreadsheet_would_run_begins_with_an_apostrophe(cell, safe):
    assert neutralised(cell) == safe


@pytest.mark.parametrize(
    ("value", "sign"),
    [
        ({"a": ["\ud83d"]}, "U+D83D"),
        ({"\udfff": 1}, "U+DFFF"),
        ("a\ud83d", "U+D83D"),
        ("\\ud83d", ""),
        ("🙂", ""),
        (None, ""),
    ],
)
def test_half_of_a_surrogate_pair_is_found_wherever_it_stands(value, sign):
    assert half_a_pair(value) == sign
