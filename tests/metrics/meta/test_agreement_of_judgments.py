"""Agreement straight from the long table: per task and criterion, alignments, repeated items."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.errors import BadInput, UndefinedScoreWarning
from metrics.meta.agreement import COLUMNS, agreement, agreement_coefficient
from tests.metrics.human.rows import table


def rated(assessor, item, value, criterion="adequacy", **more):
    return {
        "assessor": assessor,
        "item": item,
        "criterion": criterion,
        "value": value,
        "kind": "rating",
    } | more


def test_every_task_and_criterion_has_its_row():
    marks = {"adequacy": [(1, 2), (3, 3), (5, 4)], "fluency": [(1, 1), (2, 2), (3, 3)]}
    rows = [
        rated(assessor, f"i{n}", mark, criterion)
        for criterion, pairs in marks.items()
        for n, pair in enumerate(pairs)
        for assessor, mark in zip(("a1", "a2"), pair, strict=True)
    ]
    found = agreement(table(rows), coefficients=["alpha-interval", "percent"], n_resamples=50, rng=4)
    assert list(found.columns) == COLUMNS
    assert found[["task", "criterion", "coefficient", "items", "assessors"]].to_numpy().tolist() == [
        ["t", "adequacy", "alpha-interval", 3, 2],
        ["t", "adequacy", "percent", 3, 2],
        ["t", "fluency", "alpha-interval", 3, 2],
        ["t", "fluency", "percent", 3, 2],
    ]
    expected = agreement_coefficient(np.array(marks["adequacy"]), "alpha-interval", n_resamples=50, rng=4)
    assert found["value"].tolist() == pytest.approx([expected.statistic, 1 / 3, 1, 1])
    assert found[["low", "high"]].iloc[0].tolist() == [
        expected.confidence_interval.low,
        expected.confidence_interval.high,
    ]


def test_items_and_assessors_count_what_could_be_compared():
    rows = [rated("a1", "i1", 1), rated("a2", "i1", 2), rated("a3", "i2", 3)]
    found = agreement(table(rows), coefficients=["percent"], n_resamples=0).iloc[0]
    assert (found["items"], found["assessors"], found["value"]) == (1, 2, 0)


def test_control_and_practice_items_are_left_out_between_assessors():
    rows = [
        rated("a1", "i1", 3),
        rated("a2", "i1", 3),
        rated("a1", "i2", 1, control="degraded"),
        rated("a2", "i2", 5, control="degraded"),
        rated("a1", "i3", 1, practice=True),
        rated("a2", "i3", 5, practice=True),
    ]
    found = agreement(table(rows), coefficients=["percent"], n_resamples=0)
    assert found[["value", "items"]].to_numpy().tolist() == [[1.0, 1]]


def test_repeated_items_measure_an_assessor_against_themself():
    """a1 gives 3 again, a2 changes 2 to 4: percent agreement with oneself is one half."""
    rows = [
        rated("a1", "i1", 3, position=1),
        rated("a1", "i1", 3, position=9, control="repeat"),
        rated("a2", "i1", 2, position=1),
        rated("a2", "i1", 4, position=9, control="repeat"),
        rated("a2", "i2", 5, position=2),
    ]
    found = agreement(table(rows), coefficients=["intra-percent"], n_resamples=0)
    assert found[["coefficient", "value", "items", "assessors"]].to_numpy().tolist() == [
        ["intra-percent", 0.5, 1, 2]
    ]


def test_without_repeats_there_is_nothing_to_say_about_them():
    rows = [rated("a1", "i1", 3), rated("a2", "i1", 3)]
    assert agreement(table(rows), coefficients=["intra-percent"]).empty


def compared(assessor, marks, item="i1", units=3):
    rows = [{"unit": f"r1/{u}", "criterion": "coverage", "value": 0} for u in range(1, units + 1)]
    rows += [{"unit": f"r1/{mark}", "criterion": "mark", "value": 1} for mark in marks]
    return [row | {"assessor": assessor, "item": item, "kind": "see"} for row in rows]


def test_alignment_f1_of_two_assessors_by_hand():
    """{1:1, 2:2, 3:1} and {1:1, 2:3}: one pair in common, 2·1/(3 + 2)."""
    rows = [*compared("a1", ["1:1", "2:2", "3:1"]), *compared("a2", ["1:1", "2:3"])]
    found = agreement(table(rows), coefficients=["alignment-f1"], n_resamples=0)
    assert found[["criterion", "value", "items", "assessors"]].to_numpy().tolist() == [["mark", 0.4, 1, 2]]


PAIRS = st.sets(st.sampled_from([f"{u}:{p}" for u in (1, 2, 3) for p in (1, 2)]))


@given(st.lists(st.tuples(PAIRS, PAIRS, PAIRS), min_size=1, max_size=3))
@settings(max_examples=15, deadline=None)
def test_alignment_f1_of_many_assessors_agrees_with_a_loop_over_pairs(items):
    rows, both, either = [], 0, 0
    for n, (a, b, c) in enumerate(items):
        for name, marks in (("a1", a), ("a2", b), ("a3", c)):
            rows += compared(name, sorted(marks), item=f"i{n}")
        for one, other in ((a, b), (a, c), (b, c)):
            both, either = both + 2 * len(one & other), either + len(one) + len(other)
    if not either:
        assert agreement(table(rows), coefficients=["alignment-f1"]).empty
        return
    found = agreement(table(rows), coefficients=["alignment-f1"], n_resamples=0)
    assert found["value"].iloc[0] == pytest.approx(both / either)


def test_marks_have_an_f1_and_no_other_coefficient():
    rows = [*compared("a1", ["1:1"]), *compared("a2", ["1:1"])]
    found = agreement(table(rows), coefficients=["percent", "alignment-f1"], n_resamples=0)
    assert found[["criterion", "coefficient"]].to_numpy().tolist() == [
        ["coverage", "percent"],
        ["mark", "alignment-f1"],
    ]


def test_text_answers_have_no_agreement():
    rows = [
        rated("a1", "i1", None, "comment", label="fine"),
        rated("a2", "i1", None, "comment", label="good"),
    ]
    assert agreement(table(rows)).empty


def test_one_assessor_alone_is_undefined():
    with pytest.warns(UndefinedScoreWarning):
        found = agreement(table([rated("a1", "i1", 3), rated("a1", "i2", 4)]), coefficients=["alpha-ordinal"])
    assert np.isnan(found["value"].iloc[0])
    assert found["items"].iloc[0] == 0


def test_an_unknown_coefficient_or_task_is_refused():
    judgments = table([rated("a1", "i1", 3)])
    with pytest.raises(BadInput, match="found 'kappa'"):
        agreement(judgments, coefficients=["kappa"])
    with pytest.raises(BadInput, match="of task other"):
        agreement(judgments, task="other")


def test_the_order_of_rows_does_not_matter():
    rng = np.random.default_rng(3)
    rows = [rated(f"a{a}", f"i{i}", int(rng.integers(1, 6))) for a in range(3) for i in range(8)]
    judgments = table(rows)
    names = ["alpha-ordinal", "fleiss", "icc-2-1"]
    one = agreement(judgments, coefficients=names, n_resamples=60, rng=1)
    other = agreement(judgments.sample(frac=1, random_state=1), coefficients=names, n_resamples=60, rng=1)
    pd.testing.assert_frame_equal(one, other)


def test_a_text_that_two_systems_wrote_counts_once():
    """Rows of one set at one place are one judgment."""
    rows = [
        {"assessor": a, "system": s, "item": f"i{i}", "unit": "s1", "value": v, "place": p, "position": i}
        for a, shift in (("a1", 0), ("a2", 1))
        for i in range(6)
        for s, v, p in (("A", (i + shift) % 3, 1), ("B", (i + shift) % 3, 1), ("C", i % 2, 2))
    ]
    judgments = table(rows, kind="rating", criterion="rank").assign(place=[row["place"] for row in rows])
    found = agreement(judgments, coefficients=["percent"], n_resamples=0)
    # All six judgments of C agree, and none of those of the text that A and B share.
    assert found["value"].tolist() == [0.5]
