"""A short one of ``benchmarks/soak.py``: nothing acknowledged is lost or doubled, however often the server is killed."""

from __future__ import annotations

import pytest

from benchmarks.soak import soak


@pytest.mark.slow
def test_nothing_acknowledged_is_lost_over_several_kills_and_a_run_goes_on_where_it_was(tmp_path):
    first = soak(tmp_path, kills=2, assessors=6, pieces=800, per_round=2)
    assert (first["kills"], first["lost"], first["doubled"]) == (2, 0, 0)
    both = soak(tmp_path, kills=4, assessors=6, pieces=800, per_round=2)
    assert (both["kills"], both["lost"], both["doubled"]) == (4, 0, 0)
    assert both["of everything"] == both["of a web process"] == 2
    assert first["acknowledged"] < both["acknowledged"] <= both["stored"]
