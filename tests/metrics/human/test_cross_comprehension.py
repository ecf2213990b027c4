"""Cross comprehension, on Table 3 and the figures of §5.1 of Kolluru & Gotoh (2005)."""

from itertools import chain

import pytest
from scipy import stats

from metrics.human import human_score
from metrics.human.cross_comprehension import against_length, length_correlation, shares
from tests.metrics.human.rows import attributes, scores, table

VALUE = {"R": 3, "P": 2, "I": 1, "N": 0}


def crossed(summary, **questions):
    return [
        {"system": summary, "unit": f"{author}/{number}", "value": VALUE[answer]}
        for author, answers in questions.items()
        for number, answer in enumerate(answers, start=1)
    ]


def answers(*rows):
    return table(chain(*rows), kind="cross_comprehension", criterion="answer", assessor="judge")


TABLE_3 = crossed("A", B="NRIP", C="RR", D="RRN")


def test_table_3_relevant_five_ninths():
    overall = shares(answers(TABLE_3), by="overall").iloc[0]
    assert overall["n"] == 9
    assert overall[["relevant", "partial", "irrelevant", "not_found"]].tolist() == pytest.approx(
        [5 / 9, 1 / 9, 1 / 9, 2 / 9]
    )
    assert overall["relevant_or_partial"] == pytest.approx(6 / 9)
    assert overall["found"] == pytest.approx(7 / 9)


def test_the_scores_of_table_3():
    assert scores(human_score(answers(TABLE_3), "answer-relevant")) == {("A", "i1"): pytest.approx(5 / 9)}
    assert scores(human_score(answers(TABLE_3), "answer-found")) == {("A", "i1"): pytest.approx(7 / 9)}


def test_shares_by_question_author_and_by_pair():
    judgments = answers(TABLE_3, crossed("B", C="NN"))
    by_question = shares(judgments, by="question").set_index("question_author")["relevant"]
    assert by_question.to_dict() == {"B": 0.25, "C": 0.5, "D": pytest.approx(2 / 3)}
    pairs = shares(judgments, by="pair").set_index(["system", "question_author"])["found"]
    assert pairs["A", "C"] == 1
    assert pairs["B", "C"] == 0


def test_machine_summaries_beside_human_ones():
    """Their Table 4: with D's questions, human B's summary gives R R N, the machine's R N N."""
    known = attributes(("system", "B", "type", "human"), ("system", "M", "type", "system"))
    table_4 = answers(crossed("B", D="RRN"), crossed("M", D="RNN"))
    by_type = shares(table_4, by="type", attributes=known).set_index("type")
    assert by_type["relevant"].to_dict() == pytest.approx({"human": 2 / 3, "system": 1 / 3})


def test_answers_found_against_length_as_in_section_5_1():
    """Their figures: 113, 99, 81, 131 characters and 71, 61, 54, 73 % found, "roughly proportional"."""
    lengths, found = {"A": 113, "B": 99, "C": 81, "D": 131}, {"A": 71, "B": 61, "C": 54, "D": 73}
    rows = [crossed(author, X="R" * share + "N" * (100 - share)) for author, share in found.items()]
    known = attributes(
        *(("output", f"{author}/i1", "characters", length) for author, length in lengths.items())
    )
    by_length = against_length(answers(*rows), attributes=known)
    assert by_length["characters"].tolist() == [113, 99, 81, 131]
    assert by_length["found"].tolist() == pytest.approx([0.71, 0.61, 0.54, 0.73])
    expected = stats.pearsonr(list(lengths.values()), list(found.values())).statistic
    assert length_correlation(by_length) == pytest.approx(expected)
    assert expected > 0.95
