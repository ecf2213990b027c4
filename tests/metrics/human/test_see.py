"""Coverage, quality and assessment, on numbers small enough to do by hand from the formulas of the papers."""

import pytest

from metrics.errors import BadInput
from metrics.human import human_score
from metrics.human.base import sizes
from tests.metrics.human.rows import attributes, scores, table


def graded(grades, *, reference="r1", **common):
    """Coverage rows for one output against one reference, with one mark for every grade above 0."""
    rows = []
    for number, grade in enumerate(grades, start=1):
        rows.append({"unit": f"{reference}/{number}", "criterion": "coverage", "value": grade} | common)
        if grade:
            rows.append({"unit": f"{reference}/{number}:1", "criterion": "mark", "value": 1} | common)
    return rows


def quality(value, *names, reference="r1", **common):
    return [{"unit": reference, "criterion": name, "value": value} | common for name in names]


THREE = ("grammaticality", "cohesion", "coherence")


def test_coverage_is_the_sum_of_grades_over_all_model_units():
    """Lin & Hovy eq. 1: all, some, hardly any, none of four units give (1 + .5 + .25 + 0)/4."""
    judgments = table(graded([1, 0.5, 0.25, 0]), kind="see")
    assert scores(human_score(judgments, "coverage")) == {("A", "i1"): pytest.approx(1.75 / 4)}


def test_recall_ignores_how_much_of_a_unit_is_covered():
    """Lin & Hovy §3: with E = 1 for marked units, three of four are found."""
    judgments = table(graded([1, 0.5, 0.25, 0]), kind="see")
    assert scores(human_score(judgments, "coverage-recall")) == {("A", "i1"): 0.75}


def test_unmarked_units_left_out_of_a_table_count_with_the_attribute_units():
    judgments = table(graded([1, 0.5]), kind="see")
    known = attributes(("reference", "r1", "units", 4))
    assert scores(human_score(judgments, "coverage", attributes=known)) == {("A", "i1"): 1.5 / 4}


def test_references_are_averaged_within_an_assessor_before_assessors():
    """a1 compares with two references (0 and 1), a2 with one (1): (0.5 + 1)/2, not (0 + 1 + 1)/3."""
    judgments = table(
        [
            *graded([0], reference="r1", assessor="a1"),
            *graded([1], reference="r2", assessor="a1"),
            *graded([1], reference="r2", assessor="a2"),
        ],
        kind="see",
    )
    assert scores(human_score(judgments, "coverage")) == {("A", "i1"): 0.75}


def test_length_adjusted_coverage_rewards_brevity():
    """DUC 2002: C = .5, 80 of 100 words give B = .2; α = .6: .6·.5 + .4·.2. Too long a summary has B = 0."""
    judgments = table([*graded([1, 0]), *graded([1, 0], system="B")], kind="see")
    known = attributes(
        ("output", "A/i1", "target", 100),
        ("output", "A/i1", "tokens", 80),
        ("output", "B/i1", "target", 100),
        ("output", "B/i1", "tokens", 130),
    )
    score = human_score(judgments, "coverage-length-adjusted", attributes=known, alpha=0.6)
    assert scores(score) == {("A", "i1"): pytest.approx(0.38), ("B", "i1"): pytest.approx(0.3)}
    assert "alpha:0.6" in score.signature


def test_a_missing_length_is_named():
    with pytest.raises(BadInput, match="target of output A/i1"):
        human_score(table(graded([1]), kind="see"), "coverage-length-adjusted", attributes=attributes())


def duc2004(marks, estimate, **common):
    rows = [{"unit": f"r1:{peer}", "criterion": "mark", "value": 1} | common for peer in range(1, marks + 1)]
    return [{"unit": "r1", "criterion": "coverage", "value": estimate} | common, *rows]


def test_duc2004_coverage_multiplies_matches_with_the_estimate_and_is_not_clipped():
    """Graham eq. 1: 2 matching units · .6 / 4 model units = .3; 9 · .5 / 4 = 1.125."""
    judgments = table(
        [*duc2004(2, 0.6), *duc2004(9, 0.5, system="B"), *duc2004(0, 0.0, system="C")], kind="see"
    )
    known = attributes(("reference", "r1", "units", 4))
    score = human_score(judgments, "coverage-duc2004", attributes=known)
    assert scores(score) == {("A", "i1"): pytest.approx(0.3), ("B", "i1"): 1.125, ("C", "i1"): 0}


def test_graded_coverage_refuses_a_task_with_one_overall_estimate():
    with pytest.raises(BadInput, match="coverage-duc2004"):
        human_score(table(duc2004(2, 0.6), kind="see"), "coverage")


def test_quality_is_the_mean_over_criteria_and_leaves_coverage_out():
    rows = [*graded([1]), *quality(0.75, *THREE[:2]), *quality(0, THREE[2]), *quality(1, "related")]
    assert scores(human_score(table(rows, kind="see"), "quality")) == {("A", "i1"): 0.5}


@pytest.mark.parametrize(
    ("name", "expected"),
    [("assessment", 0.625), ("assessment-geometric", 0.6123724357), ("assessment-harmonic", 0.6)],
)
def test_assessment_is_a_mean_of_coverage_and_quality(name, expected):
    """Graham §3.1 and §6, coverage .5 and quality .75: (a + b)/2, √(ab), 2ab/(a + b)."""
    judgments = table([*graded([0.5]), *quality(0.75, *THREE)], kind="see")
    assert scores(human_score(judgments, name)) == {("A", "i1"): pytest.approx(expected)}


def test_the_harmonic_mean_of_two_zeros_is_zero():
    judgments = table([*graded([0]), *quality(0, *THREE)], kind="see")
    assert scores(human_score(judgments, "assessment-harmonic")) == {("A", "i1"): 0}


def test_quality_of_duc2004_comes_from_a_rating_task():
    """DUC 2004 asked for quality apart: CS = 2 · .5 / 4 = .25, MLQ = mean of B and D = .5."""
    letters = [
        {"kind": "rating", "task": "quality", "criterion": "repetition", "value": 0.75},
        {"kind": "rating", "task": "quality", "criterion": "referents", "value": 0.25},
    ]
    judgments = table([*duc2004(2, 0.5, kind="see"), *letters])
    known = attributes(("reference", "r1", "units", 4))
    assert scores(human_score(judgments, "assessment", attributes=known)) == {("A", "i1"): 0.375}


def test_assessment_refuses_quality_on_another_scale():
    rows = [*graded([0.5], kind="see"), {"kind": "rating", "task": "q", "criterion": "focus", "value": 4}]
    with pytest.raises(BadInput, match="quality between 0 and 1"):
        human_score(table(rows), "assessment")


def test_a_geometric_mean_of_normalised_scores_is_refused():
    judgments = table([*graded([0.5]), *quality(0.75, *THREE)], kind="see")
    with pytest.raises(BadInput, match="below zero"):
        human_score(judgments, "assessment-geometric", normalise="z")


def test_averages_per_size_and_over_all_sizes():
    judgments = table(
        [*graded([1], item="d1-50"), *graded([0], item="d2-50"), *graded([1], item="d1-100")], kind="see"
    )
    known = attributes(
        *(("output", f"A/{item}", "target", item[3:]) for item in ("d1-50", "d2-50", "d1-100"))
    )
    score = human_score(judgments, "coverage")
    per_size = sizes(score.scores, known)
    assert dict(zip(per_size["target"], per_size["score"], strict=True)) == {50: 0.5, 100: 1.0}
    assert score.system_scores()["score"].tolist() == [pytest.approx(2 / 3)]
