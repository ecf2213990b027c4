"""Pyramid scores by hand, and REALSumm's stored LitePyramid scores from its crowd votes."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.errors import BadInput, UndefinedScoreWarning
from metrics.frames import JUDGMENT_COLUMNS, check_attributes, check_judgments
from metrics.human import human_score
from metrics.human.pyramid import modified_score, original_score
from tests.metrics.human.rows import attributes, scores, table
from tests.metrics.realsumm import votes

WEIGHTS = [4, 3, 3, 2, 1, 1, 1, 1]


def test_original_and_modified_by_hand():
    """SCUs of weight 4, 2 and 1 found: 7 of at most 4 + 3 + 3 = 10. Four models with 16 SCUs in all have 4 on
    average: the best four weigh 12.
    """
    present = [True, False, False, True, True, False, False, False]
    assert original_score(WEIGHTS, present) == pytest.approx(7 / 10)
    assert modified_score(WEIGHTS, present, models=4) == pytest.approx(7 / 12)


def test_the_largest_weight_stands_for_the_number_of_models():
    present = [True] + [False] * 7
    assert modified_score(WEIGHTS, present) == modified_score(WEIGHTS, present, models=4)


def test_content_outside_the_pyramid_counts_in_the_size_of_the_peer():
    assert original_score([3, 2, 0], [True, False, True]) == pytest.approx(3 / 5)


def test_judgments_and_weights_give_both_scores():
    rows = [{"unit": str(n), "value": int(n in (0, 3, 4))} for n in range(8)]
    judgments = table(rows, kind="pyramid", criterion="present")
    known = attributes(
        *(("scu", str(n), "weight", weight) for n, weight in enumerate(WEIGHTS)), ("item", "i1", "models", 4)
    )
    assert scores(human_score(judgments, "pyramid", attributes=known)) == {("A", "i1"): pytest.approx(0.7)}
    modified = human_score(judgments, "pyramid-modified", attributes=known)
    assert scores(modified) == {("A", "i1"): pytest.approx(7 / 12)}
    assert "models:attribute" in modified.signature


def test_a_peer_without_any_scu_has_no_original_score_and_zero_modified():
    judgments = table([{"unit": "1", "value": 0}], kind="pyramid", criterion="present")
    known = attributes(("scu", "1", "weight", 2))
    with pytest.warns(UndefinedScoreWarning):
        assert np.isnan(scores(human_score(judgments, "pyramid", attributes=known))["A", "i1"])
    assert scores(human_score(judgments, "pyramid-modified", attributes=known)) == {("A", "i1"): 0}


def test_a_negative_weight_is_refused():
    judgments = table([{"unit": "1", "value": 1}], kind="pyramid", criterion="present")
    with pytest.raises(BadInput, match="at least 0, found '-2'"):
        human_score(judgments, "pyramid", attributes=attributes(("scu", "1", "weight", -2)))


@given(st.lists(st.tuples(st.integers(1, 5), st.booleans()), min_size=1, max_size=12), st.randoms())
@settings(max_examples=60, deadline=None)
def test_scores_are_bounded_and_blind_to_the_order_of_scus(scus, random):
    weights, present = zip(*scus, strict=True)
    shuffled_weights, shuffled = zip(*random.sample(scus, len(scus)), strict=True)
    score = original_score(weights, present)
    assert score == pytest.approx(original_score(shuffled_weights, shuffled), nan_ok=True)
    assert np.isnan(score) or 0 < score <= 1
    more = [True, *present[1:]]
    assert modified_score(weights, more) >= modified_score(weights, present)


def test_realsumm_stored_litepyramid_from_its_votes(shared):
    """The stored score of a summary is the share of its content units that most voters found: a modified score over
    one model, each unit of weight 1. All systems but one agree with the stored means; abstractive ``bart_out`` is
    stored as a copy of the extractive one, and with that copy the mean is .461623.
    """
    folder = shared / "data" / "realsumm"
    cast = votes(folder)
    share = cast.groupby(["system", "item", "unit"])["value"].mean()
    majority = (share > 0.5).astype(float).reset_index()
    judgments = check_judgments(
        majority.assign(
            study="realsumm", task="units", kind="pyramid", assessor="majority", criterion="present"
        ).reindex(columns=list(JUDGMENT_COLUMNS))
    )
    units = sorted(majority["unit"].unique())
    known = pd.DataFrame({"scope": "scu", "id": units, "name": "weight", "value": 1})
    score = human_score(judgments, "pyramid-modified", attributes=check_attributes(known))
    ours = score.system_scores().set_index("system")["score"]
    stored = pd.read_csv(folder / "scores_dict_flat.csv")
    stored["system"] = stored["sys"].str.removesuffix(".txt").str.removesuffix("_ext") + "/" + stored["kind"]
    theirs = stored.groupby("system")["litepyramid_recall"].mean()
    assert set(ours.index) == set(theirs.index)
    ours["bart_out/abs"] = ours["bart_out/ext"]
    assert (ours - theirs).abs().max() < 1e-9
    assert round(ours.mean(), 6) == 0.461623
