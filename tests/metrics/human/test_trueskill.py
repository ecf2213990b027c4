"""TrueSkill's updates. Expected values: trueskill 0.4.5 from PyPI (``trueskill.json``); WMT 2016's published ranking."""

import csv
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.errors import BadInput
from metrics.human import human_score
from metrics.human.trueskill import Settings, Skill, compared, ranked, trueskill_of, wmt_settings
from tests.metrics.human.rows import table

USUAL = Settings(mean=25, deviation=25 / 3, beta=25 / 6, draws=0.1, drift=25 / 300)
# The package approximates the normal distribution by itself; its values are right to five digits.
CLOSE = {"abs": 1e-5}


@pytest.fixture(scope="module")
def known(shared):
    return json.loads((shared / "data/tasks2/comparison/trueskill.json").read_text(encoding="utf-8"))


def fresh():
    return Skill(np.array([25.0]), np.array([25 / 3]))


def numbers(skill):
    return [float(skill.mean[0]), float(skill.deviation[0])]


def test_a_win_and_a_tie_move_skills_as_the_package_does(known):
    won, lost = compared(fresh(), fresh(), 1, USUAL)
    assert numbers(won) == pytest.approx(known["default_win"]["winner"], **CLOSE)
    assert numbers(lost) == pytest.approx(known["default_win"]["loser"], **CLOSE)
    tied = compared(fresh(), fresh(), 0, USUAL)
    assert [numbers(one) for one in tied] == [pytest.approx(one, **CLOSE) for one in known["default_draw"]]


def test_a_sequence_of_comparisons_ends_where_the_package_ends(known):
    sequence = known["sequence"]
    names = sorted(sequence["after"])
    first, second, result = zip(*sequence["first_beats_second_unless_draw"], strict=True)
    how = Settings(
        sequence["mu"], sequence["sigma"], sequence["beta"], sequence["draw_probability"], sequence["tau"]
    )
    codes = [np.array([names.index(name) for name in side]) for side in (first, second)]
    outcome = np.array([int(one == "win") for one in result])
    found = trueskill_of(*codes, outcome, len(names), [np.arange(len(first))] * 3, how=how)
    assert found == pytest.approx(np.array([[sequence["after"][name][0] for name in names]] * 3), **CLOSE)


def test_a_ranking_of_five_with_a_tie_moves_all_at_once_as_the_package_does(known):
    five = Skill(np.full((2, 5), 25.0), np.full((2, 5), 25 / 3))
    tied = np.array([[False, True, False, False]] * 2)
    found = ranked(five, tied, np.ones((2, 4), dtype=bool), USUAL)
    expected = np.array(known["default_5way_ranks_1_2_2_4_5"])
    for run in (0, 1):
        both = np.stack([found.mean[run], found.deviation[run]], axis=1)
        assert both == pytest.approx(expected, **CLOSE)


@given(st.floats(-3, 3), st.floats(0.05, 1), st.floats(-3, 3), st.floats(0.05, 1), st.booleans())
def test_a_ranking_of_two_is_a_comparison(mean, deviation, other_mean, other_deviation, tied):
    one, other = (
        Skill(np.array([m]), np.array([s])) for m, s in ((mean, deviation), (other_mean, other_deviation))
    )
    pair = compared(one, other, 0 if tied else 1, Settings())
    # The third place is empty: rankings of several lengths go together.
    both = Skill(np.array([[mean, other_mean, 9.0]]), np.array([[deviation, other_deviation, 9.0]]))
    found = ranked(both, np.array([[tied, False]]), np.array([[True, False]]), Settings())
    for place in (0, 1):
        assert numbers(pair[place]) == pytest.approx(
            [found.mean[0, place], found.deviation[0, place]], abs=1e-6
        )


def test_whole_rankings_give_the_order_of_comparisons_and_say_so(wmt16):
    few = wmt16[wmt16["item"].isin(wmt16["item"].unique()[:60])]
    pairs, whole = (human_score(few, "trueskill", runs=20, whole=sets) for sets in (False, True))
    first, second = (one.system_scores().set_index("system")["score"] for one in (pairs, whole))
    assert np.corrcoef(first, second)[0, 1] > 0.97
    assert "|update:pairs|" in pairs.signature
    assert "|update:sets|" in whole.signature


def test_of_best_and_worst_no_whole_ranking_is_known():
    rows = table(
        [
            {"system": system, "unit": "s1", "item": "i1", "value": value}
            for system, value in (("A", 1), ("B", 0), ("C", 0), ("D", -1))
        ],
        kind="best_worst",
        criterion="choice",
    )
    with pytest.raises(BadInput, match="expected rankings for whole sets"):
        human_score(rows, "trueskill", runs=5, whole=True)


def test_wmts_beta_grows_with_the_number_of_comparisons():
    assert wmt_settings(40) == Settings(mean=0, deviation=0.5, beta=0.5, draws=0.25, drift=0)


@given(
    st.floats(-3, 3), st.floats(0.05, 1), st.floats(-3, 3), st.floats(0.05, 1), st.sampled_from([-1, 0, 1])
)
def test_who_is_called_first_does_not_matter(mean, deviation, other_mean, other_deviation, outcome):
    one = Skill(np.array([mean]), np.array([deviation]))
    other = Skill(np.array([other_mean]), np.array([other_deviation]))
    forward = compared(one, other, outcome, Settings())
    backward = compared(other, one, -outcome, Settings())[::-1]
    for here, there in zip(forward, backward, strict=True):
        assert numbers(here) == pytest.approx(numbers(there), abs=1e-9)
        assert np.isfinite(numbers(here)).all()
    assert (forward[0].deviation <= one.deviation).all()


def test_the_score_is_the_mean_of_runs_and_says_how_many():
    rows = table(
        [
            {"system": system, "unit": "s1", "item": f"i{number}", "value": value, "position": number}
            for number in range(12)
            for system, value in (("A", 1), ("B", -1))
        ],
        kind="pairwise",
        criterion="preference",
    )
    score = human_score(rows, "trueskill", runs=50)
    found = score.system_scores().set_index("system")["score"]
    assert found["A"] == pytest.approx(-found["B"])
    assert found["A"] > 0.3
    assert "|runs:50|" in score.signature
    with pytest.raises(BadInput, match="expected at least 1 run"):
        human_score(rows, "trueskill", runs=0)


def test_wmt_2016_is_ranked_as_published(shared, wmt16):
    """Published values are means of runs on samples of comparisons, so that their order and proportions are compared."""
    with (shared / "data/tasks2/comparison/wmt16_expected.csv").open(encoding="utf-8") as file:
        published = {
            row["system"]: float(row["published_trueskill"])
            for row in csv.DictReader(file)
            if row["pair"] == "eng-tur"
        }
    found = human_score(wmt16, "trueskill", runs=60).system_scores().set_index("system")["score"]
    assert list(found.sort_values(ascending=False).index)[:7] == list(published)[:7]
    assert set(found.index) == set(published)
    assert np.corrcoef(found[list(published)], list(published.values()))[0, 1] > 0.995
