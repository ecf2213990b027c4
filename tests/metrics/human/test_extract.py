"""Extracts by hand, and α and κ of lines against other packages."""

import krippendorff
import pandas as pd
import pytest
from sklearn.metrics import cohen_kappa_score

from metrics.errors import UndefinedScoreWarning
from metrics.human.extract import abstracts, links, taken, unsupported, weighted_extract, weighted_f
from metrics.human.tables import human_tables
from metrics.meta.agreement import agreement
from tests.metrics.human.rows import attributes, table

TAKEN = {"ann": [1, 2, 5], "bob": [1, 5, 6], "cy": [1]}
KNOWN = attributes(("item", "m1", "units", 8))


@pytest.fixture
def judgments():
    lines = [
        {"assessor": who, "unit": str(line), "criterion": "extract", "value": 1}
        for who, chosen in TAKEN.items()
        for line in chosen
    ]
    linked = [
        {"assessor": who, "unit": f"decisions/1:{line}", "criterion": "link", "value": 1}
        for who, line in [("ann", 1), ("ann", 5), ("bob", 5)]
    ]
    written = [
        {"assessor": "ann", "unit": "abstract", "criterion": "abstract", "label": "They plan."},
        {"assessor": "ann", "unit": "decisions", "criterion": "abstract", "label": "It opens in May."},
    ]
    return table([*lines, *linked, *written], kind="extract", system="", item="m1")


def test_lines_that_nobody_took_count_where_the_number_of_lines_is_known(judgments):
    lines = taken(judgments, attributes=KNOWN)
    assert len(lines) == 3 * 8
    assert lines["value"].sum() == 7
    assert set(taken(judgments)["unit"]) == {"1", "2", "5", "6"}


def test_the_gold_extract_weighs_lines_by_how_often_they_were_taken(judgments):
    gold = weighted_extract(judgments, attributes=KNOWN).set_index("unit")["share"]
    assert gold.to_dict() == pytest.approx(
        {"1": 1, "2": 1 / 3, "3": 0, "4": 0, "5": 2 / 3, "6": 1 / 3, "7": 0, "8": 0}
    )


def test_the_weighted_f_of_an_extract_by_hand():
    """Lines 1 and 3 of weights 1, 1/3, 2/3: weight 5/3 of 2; precision 5/6 per line, recall 5/6."""
    assert weighted_f({"1", "3"}, {"1": 1, "2": 1 / 3, "3": 2 / 3}) == pytest.approx(5 / 6)
    assert weighted_f({"9"}, {"1": 1}) == 0
    assert pd.isna(weighted_f(set(), {"1": 1}))


def test_agreement_of_two_people_is_that_of_scikit_learn(judgments):
    (people, lines) = human_tables(judgments, KNOWN)["t"]
    (row,) = [row for row in people.rows if row[1:3] == ("ann", "bob")]
    marks = [[int(line in TAKEN[who]) for line in range(1, 9)] for who in ("ann", "bob")]
    assert row[3] == pytest.approx(2 * 2 / 6)
    assert row[4] == pytest.approx(cohen_kappa_score(*marks))
    assert row[5] == pytest.approx(2 * 1 / 3), "of the lines that they linked, 1 and 5 and 5"
    assert lines.rows[0][:2] == ("1", "m1")


def agreed(judgments, known):
    found = agreement(judgments, attributes=known, n_resamples=0, rng=1)
    return {(row.criterion, row.coefficient): row.value for row in found.itertuples()}


def test_alpha_over_lines_is_that_of_the_package_krippendorff(judgments):
    marks = [[int(line in TAKEN[who]) for line in range(1, 9)] for who in TAKEN]
    found = agreed(judgments, KNOWN)
    assert found["extract", "lines-alpha"] == pytest.approx(
        krippendorff.alpha(marks, level_of_measurement="nominal")
    )
    # Pairs: ann and bob share 2 of 3 and 3 lines, ann and cy 1 of 3 and 1, bob and cy 1 of 3 and 1.
    assert found["extract", "lines-f1"] == pytest.approx(2 * (2 + 1 + 1) / (6 + 4 + 4))
    assert found["link", "linked-lines-f1"] == pytest.approx(2 * 1 / 3)
    assert len(found) == 3, "that everybody's values are 1 is no agreement"


def test_without_the_number_of_lines_alpha_is_left_out(judgments):
    with pytest.warns(UndefinedScoreWarning, match="lines-alpha is left out: .*units of item m1"):
        assert set(agreed(judgments, None)) == {("extract", "lines-f1"), ("link", "linked-lines-f1")}


def test_lines_with_a_text_are_those_that_can_be_taken(judgments):
    texts = attributes(*[("line", f"m1/{line}", "text", f"said {line}") for line in (1, 2, 5, 6, 8)])
    known = pd.concat([KNOWN, texts], ignore_index=True)
    assert set(taken(judgments, attributes=known)["unit"]) == {"1", "2", "5", "6", "8"}
    _, lines = human_tables(judgments, known)["t"]
    assert lines.rows[0][-1] == "said 1"


def test_sentences_that_no_line_supports_are_named(judgments):
    known = attributes(
        ("sentence", "t/m1/ann/decisions/1", "text", "It opens in May."),
        ("sentence", "t/m1/ann/abstract/1", "text", "They plan."),
        ("sentence", "t/m1/cy/abstract/1", "text", "Of somebody who linked nothing."),
    )
    (row,) = unsupported(judgments, attributes=known).itertuples(index=False)
    assert tuple(row) == ("m1", "ann", "abstract/1", "They plan.")


def test_abstracts_of_two_tasks_are_told_apart(judgments):
    both = pd.concat([judgments, judgments.assign(task="u")], ignore_index=True)
    assert abstracts(both)["reference"].tolist() == ["m1-ann-t", "m1-ann-u"]


def test_without_the_number_of_lines_kappa_is_left_empty(judgments):
    people, _ = human_tables(judgments)["t"]
    assert {row[4] for row in people.rows} == {None}
    assert "how many lines" in people.note


def test_abstracts_become_references(judgments):
    (row,) = abstracts(judgments).itertuples(index=False)
    assert tuple(row) == ("m1-ann", "m1", "They plan.\nIt opens in May.")
    assert links(judgments)["sentence"].unique().tolist() == ["decisions/1"]
