"""Support of sentences and citations by hand."""

import pytest

from metrics.human import human_score, human_summary
from metrics.human.tables import human_tables
from metrics.meta.agreement import agreement
from tests.metrics.human.rows import scores, table

SUPPORT = [
    {"unit": "1", "criterion": "support", "value": 1, "label": "full"},
    {"unit": "2", "criterion": "support", "value": 0.5, "label": "partial"},
    {"unit": "3", "criterion": "support", "value": 0, "label": "no support"},
    {"unit": "4", "criterion": "support", "label": "nothing to support"},
    {"unit": "1:7", "criterion": "mark", "value": 1},
]
CITED = [
    {"unit": "1:7", "criterion": "citation", "value": 0.5},
    {"unit": "1:9", "criterion": "citation", "value": 1},
    {"unit": "2:3", "criterion": "citation", "value": 0},
]


def test_what_claims_nothing_is_not_counted():
    """1, ½ and 0; the fourth sentence has nothing to support."""
    judgments = table(SUPPORT, kind="attribution")
    assert scores(human_score(judgments, "supported")) == {("A", "i1"): pytest.approx(0.5)}
    assert set(human_summary(judgments)["score"]) == {"supported"}


def test_citations_by_hand():
    """Precision over three pairs: (½ + 1 + 0)/3. Recall over the three sentences that claim something, by their best
    citation: (1 + 0 + 0)/3, the third having none.
    """
    judgments = table([*SUPPORT, *CITED], kind="attribution")
    assert scores(human_score(judgments, "citation-precision")) == {("A", "i1"): pytest.approx(0.5)}
    assert scores(human_score(judgments, "citation-recall")) == {("A", "i1"): pytest.approx(1 / 3)}
    assert set(human_summary(judgments)["score"]) == {"supported", "citation-precision", "citation-recall"}


def test_shares_of_support_add_up():
    support, sentences = human_tables(table(SUPPORT, kind="attribution"))["t"]
    assert support.rows == [("A", 0.25, 0.25, 0.25, 0.25)]
    assert [column.title for column in sentences.columns] == ["Sentence", "Document", "A"]
    assert sentences.rows == [("1", "i1", 1.0), ("2", "i1", 0.5), ("3", "i1", 0.0), ("4", "i1", None)]
    assert [line[2].mark for line in sentences.lines()] == ["●", "◐", "○", ""]


def test_support_by_citations_has_a_table_where_they_were_judged():
    _, citations, _ = human_tables(table([*SUPPORT, *CITED], kind="attribution"))["t"]
    assert citations.rows == [("A", pytest.approx(1 / 3), pytest.approx(1 / 3), pytest.approx(1 / 3))]


def test_sentences_stand_in_the_order_of_their_numbers():
    rows = [{"unit": str(number), "criterion": "support", "value": 1} for number in (10, 9, 2)]
    *_, sentences = human_tables(table(rows, kind="attribution"))["t"]
    assert [row[0] for row in sentences.rows] == ["2", "9", "10"]


def test_agreement_on_marks_is_the_f1_of_pairs():
    """p1 marks 1:7, 1:9 and 2:3, p2 marks 1:7 and finds nothing for the second sentence: 2·1/(3 + 1)."""

    def judged(assessor, second, *marks):
        support = [("1", 1), ("2", second)]
        rows = [{"unit": unit, "criterion": "support", "value": value} for unit, value in support]
        rows += [{"unit": mark, "criterion": "mark", "value": 1} for mark in marks]
        return [row | {"assessor": assessor} for row in rows]

    rows = [*judged("p1", 0.5, "1:7", "1:9", "2:3"), *judged("p2", 0, "1:7")]
    found = agreement(
        table(rows, kind="attribution"), coefficients=["alignment-f1", "percent"], n_resamples=0
    )
    values = {(row.criterion, row.coefficient): row.value for row in found.itertuples()}
    assert values == {
        ("mark", "alignment-f1"): pytest.approx(0.5),
        ("support", "percent"): pytest.approx(0.5),
    }
