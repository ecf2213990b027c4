"""What is exported is neutralised by the rule that ``metrics`` undoes when it reads."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.spreadsheets import neutralised, restored
from metrics import tables

RISKY = st.text(st.sampled_from("'=+-@＝\t\r\n0123456789.eE; ab_é"), max_size=8)


@given(RISKY)
def test_the_rule_is_that_of_metrics_which_undoes_it(cell):
    assert neutralised(cell) == tables.neutralised(cell)
    assert tables.restored(neutralised(cell)) == cell
    assert restored(neutralised(cell)) == cell


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
