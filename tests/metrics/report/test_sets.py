"""Judgments about several systems at once, in the parts of a report that know no kind."""

import pandas as pd
import pytest

from metrics.frames import JUDGMENT_COLUMNS, check_judgments
from metrics.human.base import averaged, select
from metrics.meta.agreement import agreement
from metrics.report.assessors import speed
from metrics.report.inputs import canonical_inputs
from tests.metrics.human.rows import scores, table


def ranked(assessor, item, unit, order, position, seconds=60.0):
    """One person's order of several systems: a row for each, with the place where it stood."""
    return [
        {"assessor": assessor, "system": system, "item": item, "unit": unit, "value": rank}
        | {
            "place": place,
            "position": position,
            "seconds": seconds,
            "criterion": "rank",
            "kind": "tournament",
        }
        for place, (rank, system) in enumerate(enumerate(order, start=1), start=1)
    ]


def judged(*rows):
    filled = [{"study": "s", "task": "t", "practice": False} | row for part in rows for row in part]
    return check_judgments(pd.DataFrame(filled, columns=[*JUDGMENT_COLUMNS, "place"]))


ROWS = judged(
    ranked("a1", "i1", "s1", "AB", 1, seconds=30),
    ranked("a1", "i1", "s2", "CA", 2, seconds=90),
    ranked("a1", "i2", "s1", "ABC", 3, seconds=60),
    ranked("a2", "i1", "s1", "AB", 1, seconds=20),
    ranked("a2", "i2", "s1", "BAC", 2, seconds=40),
)


def test_the_time_of_a_set_counts_once_however_many_systems_it_has():
    found = speed(ROWS).set_index("assessor")
    assert found["judgments"].to_dict() == {"a1": 3, "a2": 2}
    assert found["total"].to_dict() == {"a1": 180.0, "a2": 60.0}
    assert found["seconds"].to_dict() == {"a1": 60.0, "a2": 30.0}


def test_a_score_is_the_mean_over_sets_then_over_assessors():
    made = averaged("rank", select(ROWS, "tournament"))
    assert scores(made) == pytest.approx(
        {
            ("A", "i1"): (1.5 + 1) / 2,
            ("B", "i1"): 2,
            ("C", "i1"): 1,
            ("A", "i2"): 1.5,
            ("B", "i2"): 1.5,
            ("C", "i2"): 3,
        }
    )


def test_judgments_of_the_same_set_are_compared_and_no_others():
    """Both ranked s1 of both items (five outputs, three alike); s2 of i1 was met by one of them only."""
    found = agreement(ROWS, coefficients=["percent"], n_resamples=0).iloc[0]
    assert (found["value"], found["items"], found["assessors"]) == (pytest.approx(3 / 5), 2, 2)


def test_a_report_does_not_depend_on_a_column_of_places_that_is_empty():
    rows = table([{"criterion": "adequacy", "value": 3}], kind="rating")
    empty = rows.assign(place=pd.array([None], dtype="Int64"))
    assert canonical_inputs(empty).hashes == canonical_inputs(rows).hashes
    placed = rows.assign(place=pd.array([1], dtype="Int64"))
    assert canonical_inputs(placed).hashes != canonical_inputs(rows).hashes
    assert canonical_inputs(placed).judgments["place"].tolist() == [1]


def test_the_status_of_nuggets_given_as_references_is_kept():
    """POURPRE took every nugget of a references file for a vital one in reports."""
    rows = table([{"criterion": "adequacy", "value": 3}], kind="rating")
    plain = pd.DataFrame({"item": ["i1"], "reference": ["n1"], "text": ["born 1861"]})
    nuggets = canonical_inputs(rows, references=plain.assign(status="okay")).references
    assert nuggets["status"].tolist() == ["okay"]
    unsaid = canonical_inputs(rows, references=plain.assign(status=""))
    assert unsaid.hashes == canonical_inputs(rows, references=plain).hashes
