"""Questionnaires: reversal by hand, Cronbach's α against pingouin, correlation against SciPy."""

import warnings
from itertools import chain

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from metrics.errors import BadInput, UndefinedScoreWarning
from metrics.human import human_score, human_summary
from metrics.human.likert import (
    cronbach_alpha,
    group_means,
    pair_consistency,
    reliability,
    reversed_answers,
    statement_means,
)
from tests.metrics.human.rows import attributes, scores, table

KNOWN = attributes(
    ("statement", "avoids-redundancy", "polarity", "positive"),
    ("statement", "avoids-redundancy", "group", "informativeness"),
    ("statement", "repetitive", "polarity", "negative"),
    ("statement", "repetitive", "points", 7),
    ("statement", "repetitive", "pair", "avoids-redundancy"),
    ("statement", "repetitive", "group", "informativeness"),
    ("statement", "well-formed", "group", "readability"),
)


def questionnaire(assessor, system, redundancy, repetitive, formed=None):
    answers = {"avoids-redundancy": redundancy, "repetitive": repetitive, "well-formed": formed}
    return [
        {"assessor": assessor, "system": system, "criterion": statement, "value": value}
        for statement, value in answers.items()
        if value is not None
    ]


def test_negative_statements_are_reversed():
    """On seven points, 2 on a negative statement is 7 + 1 − 2 = 6; with 4 on a positive one the mean is 5."""
    judgments = table(questionnaire("a1", "A", 4, 2), kind="likert")
    score = human_score(judgments, "likert", attributes=KNOWN)
    assert scores(score) == {("A", "i1"): 5.0}
    assert "reversed:1" in score.signature


def test_table_1_of_murray_et_al_is_left_raw_and_reversed_beside_it():
    """Murray et al. Table 1: LSA has 2.60 for no redundancy and 4.70 for repetitive, which is 3.30 reversed."""
    known = attributes(
        ("statement", "repetitive", "polarity", "negative"), ("statement", "repetitive", "points", 7)
    )
    judgments = table(questionnaire("mean", "LSA", 2.60, 4.70), kind="likert")
    means = statement_means(reversed_answers(judgments, attributes=known)).set_index("statement")
    assert means.loc["repetitive", ["raw", "mean"]].tolist() == [4.70, pytest.approx(3.30)]
    assert means.loc["avoids-redundancy", ["raw", "mean"]].tolist() == [2.60, 2.60]


def test_the_points_of_the_scale_can_be_given():
    known = attributes(("statement", "repetitive", "polarity", "-"))
    judgments = table(questionnaire("a1", "A", 4, 2), kind="likert")
    assert scores(human_score(judgments, "likert", attributes=known, points=5)) == {("A", "i1"): 4.0}


def test_a_negative_statement_without_a_scale_is_refused_and_left_out_of_a_summary():
    known = attributes(("statement", "repetitive", "polarity", "negative"))
    judgments = table(questionnaire("a1", "A", 4, 2), kind="likert")
    with pytest.raises(BadInput, match="points of statement repetitive"):
        human_score(judgments, "likert", attributes=known)
    assert human_summary(judgments, known).empty


def test_a_value_beyond_the_scale_is_refused():
    with pytest.raises(BadInput, match="from 1 to 7, found 8"):
        human_score(table(questionnaire("a1", "A", 4, 8), kind="likert"), "likert", attributes=KNOWN)


def test_groups_are_averaged_per_system():
    judgments = table([*questionnaire("a1", "A", 4, 2, 3), *questionnaire("a2", "A", 6, 4, 5)], kind="likert")
    means = group_means(reversed_answers(judgments, attributes=KNOWN))
    assert means[["group", "mean", "n"]].to_numpy().tolist() == [
        ["informativeness", 5.0, 4],
        ["readability", 4.0, 2],
    ]


def test_pair_consistency_is_pearsons_r_and_the_mean_difference_after_reversal():
    redundancy, repetitive = [1, 3, 5, 6], [6, 5, 4, 1]
    rows = [
        questionnaire(f"a{n}", "A", *pair) for n, pair in enumerate(zip(redundancy, repetitive, strict=True))
    ]
    answers = reversed_answers(table(chain(*rows), kind="likert"), attributes=KNOWN)
    found = pair_consistency(answers, KNOWN).iloc[0]
    opposite = 8 - np.array(repetitive)
    assert (found["statement"], found["opposite"], found["n"]) == ("avoids-redundancy", "repetitive", 4)
    assert found["correlation"] == pytest.approx(stats.pearsonr(redundancy, opposite).statistic)
    assert found["mean_difference"] == np.abs(np.array(redundancy) - opposite).mean()


def test_answers_that_do_not_vary_have_no_correlation():
    answers = reversed_answers(
        table([*questionnaire("a1", "A", 4, 2), *questionnaire("a2", "A", 4, 3)], kind="likert"),
        attributes=KNOWN,
    )
    with pytest.warns(UndefinedScoreWarning, match="do not vary"):
        assert np.isnan(pair_consistency(answers, KNOWN)["correlation"].iloc[0])


def test_cronbachs_alpha_is_pingouins():
    pingouin = pytest.importorskip("pingouin")
    rng = np.random.default_rng(5)
    answers = np.clip(np.round(rng.normal(4, 1, (30, 1)) + rng.normal(0, 1, (30, 5))), 1, 7)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected, _ = pingouin.cronbach_alpha(pd.DataFrame(answers))
    assert cronbach_alpha(answers) == pytest.approx(expected)


def test_cronbachs_alpha_needs_varying_answers_to_two_statements():
    with pytest.warns(UndefinedScoreWarning):
        assert np.isnan(cronbach_alpha(np.ones((4, 3))))
    with pytest.warns(UndefinedScoreWarning):
        assert np.isnan(cronbach_alpha(np.array([[1.0], [2.0]])))


def test_reliability_is_alpha_per_group_after_reversal():
    rows = [questionnaire(f"a{n}", "A", n + 1, 7 - n, 4) for n in range(4)]
    answers = reversed_answers(table(chain(*rows), kind="likert"), attributes=KNOWN)
    with pytest.warns(UndefinedScoreWarning):
        found = reliability(answers).set_index("group")
    assert found.loc["informativeness", ["statements", "n", "alpha"]].tolist() == [2, 4, pytest.approx(1.0)]
    assert np.isnan(found.loc["readability", "alpha"])
