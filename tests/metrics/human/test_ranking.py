"""Rankings with ties. Expected values: WMT 2016 English–Turkish from single judgments, choix (``models.json``)."""

import csv
import gzip
import json
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.errors import BadInput, UndefinedScoreWarning
from metrics.frames import check_judgments, read_judgments
from metrics.human import human_score, human_summary
from metrics.human.strengths import bradley_terry, plackett_luce
from metrics.human.tables import human_tables
from tests.conftest import ROOT
from tests.metrics.human.rows import attributes, scores, table

EXAMPLE = ROOT / "tests" / "data" / "tasks2" / "rows_example.csv"


def rankings(*ranked):
    """Judgments from dictionaries of ranks, each a set of its own."""
    return table(
        [
            {"system": system, "unit": f"s{number}", "value": rank, "position": number}
            for number, ranks in enumerate(ranked, start=1)
            for system, rank in ranks.items()
        ],
        kind="ranking",
        criterion="rank",
    )


def systems(score):
    frame = score.system_scores()
    return dict(zip(frame["system"], frame["score"], strict=True))


def test_a_lower_rank_wins_and_equal_ranks_tie():
    rows = rankings({"A": 1, "B": 2, "C": 2, "D": 3})
    found = scores(human_score(rows, "wins-half"))
    assert [found[system, "i1"] for system in "ABCD"] == [1.0, 0.5, 0.5, 0.0]
    assert scores(human_score(rows, "wins"))["B", "i1"] == 0.5


def test_only_the_order_of_ranks_counts():
    dense, gaps = rankings({"A": 1, "B": 2, "C": 3}), rankings({"A": 2, "B": 5, "C": 40})
    for name in ("wins", "wins-half"):
        assert scores(human_score(dense, name)) == scores(human_score(gaps, name))


def test_one_text_at_one_place_is_not_compared_with_itself():
    found = human_score(read_judgments(EXAMPLE), "wins-half", task="rank")
    # alpha 1, beta = gamma 2, delta and epsilon (one text) 3: epsilon loses to three, and does not meet delta.
    assert scores(found) == {
        ("alpha", "d1"): 1.0,
        ("beta", "d1"): 0.625,
        ("gamma", "d1"): 0.625,
        ("delta", "d1"): 0.0,
        ("epsilon", "d1"): 0.0,
    }
    assert "|pairs:9|" in found.signature


def test_wmt_2016_from_single_judgments_has_the_shares_that_were_counted(shared):
    """Every pair as a set of two, its ranks as given; the counts are those of the matching ``wmt16_expected.csv``."""
    folder = shared / "data/tasks2/comparison"
    rows = []
    with gzip.open(folder / "wmt16.collapsed.eng-tur.csv.gz", "rt", encoding="utf-8") as file:
        for number, row in enumerate(csv.DictReader(file), start=1):
            for side in "12":
                rows.append(
                    {
                        "assessor": row["judgeID"],
                        "system": row[f"system{side}Id"],
                        "item": row["segmentId"],
                        "unit": f"s{number}",
                        "value": row[f"system{side}rank"],
                        "place": side,
                    }
                )
    frame = pd.DataFrame(rows).assign(
        study="wmt16", task="rank", kind="ranking", criterion="rank", revision=1, practice=False
    )
    for column in ("document", "label", "position", "control", "shown_at", "submitted_at", "seconds"):
        frame[column] = None
    # Systems with one text are written A+B in a collapsed file: each of them gets a row, at one place.
    split = frame.assign(system=frame["system"].str.split("+")).explode("system", ignore_index=True)
    with (folder / "wmt16_expected.csv").open(encoding="utf-8") as file:
        expected = {row["system"]: row for row in csv.DictReader(file) if row["pair"] == "eng-tur"}
    judgments = check_judgments(split)
    # The file's ties count systems with one text as tied, which they never are here: only what leaves ties out is compared.
    with pytest.warns(UndefinedScoreWarning, match="wins is undefined for"):
        plain = systems(human_score(judgments, "wins"))
    assert set(plain) == set(expected)
    for system, row in expected.items():
        assert plain[system] == pytest.approx(float(row["share_without_ties"]), abs=1e-8)
    assert systems(human_score(judgments, "bradley-terry")) == pytest.approx(
        {system: float(row["bradley_terry"]) for system, row in expected.items()}, abs=2e-6
    )


def test_plackett_luce_gives_what_choix_gives(shared):
    models = json.loads((shared / "data/tasks2/comparison/models.json").read_text(encoding="utf-8"))
    known = models["plackett_luce_own"]
    found = plackett_luce(known["rankings_best_first"], 4)
    assert found.values == pytest.approx(known["log_strength_mean_0"], abs=1e-6)
    named = [
        {"ABCD"[system]: rank for rank, system in enumerate(one)} for one in known["rankings_best_first"]
    ]
    score = human_score(rankings(*named), "plackett-luce")
    assert list(systems(score).values()) == pytest.approx(known["log_strength_mean_0"], abs=1e-6)


def test_rankings_of_two_are_comparisons():
    ranked = [[0, 1]] * 3 + [[1, 0]] + [[1, 2]] * 2 + [[2, 0]]
    won = np.zeros((3, 3))
    for best, worst in ranked:
        won[best, worst] += 1
    assert plackett_luce(ranked, 3).values == pytest.approx(bradley_terry(won).values, abs=1e-6)


def test_rankings_with_ties_are_left_out_of_plackett_luce_and_counted():
    strict = [{"A": 1, "B": 2, "C": 3}, {"C": 1, "B": 2, "A": 3}, {"B": 1, "A": 2, "C": 3}]
    rows = rankings(*strict, {"A": 1, "B": 1, "C": 2})
    assert systems(human_score(rows, "plackett-luce")) == pytest.approx(
        systems(human_score(rankings(*strict), "plackett-luce"))
    )
    strengths = next(one for one in human_tables(rows)["t"] if one.name == "strengths")
    assert "3 rankings without ties; 1 with ties are left out" in strengths.note


def test_systems_with_one_text_share_a_place_in_a_ranking():
    rows = rankings({"A": 1, "B": 2, "C": 2}, {"B": 1, "C": 1, "A": 2})
    same = attributes(("output", "C/i1", "same_as", "B"))
    assert systems(human_score(rows, "plackett-luce", attributes=same)) == pytest.approx(
        {"A": 0.0, "B": 0.0, "C": 0.0}, abs=1e-6
    )
    with pytest.warns(UndefinedScoreWarning, match="there is no ranking without ties"):
        assert all(math.isnan(one) for one in systems(human_score(rows, "plackett-luce")).values())


def test_a_ranking_that_names_a_system_twice_is_refused():
    with pytest.raises(BadInput, match="expected rankings that name each system once"):
        plackett_luce([[0, 1, 0]], 2)


def test_a_system_always_last_has_no_strength():
    with pytest.warns(UndefinedScoreWarning, match="no finite strength: C never won"):
        found = plackett_luce([[0, 1, 2], [1, 0, 2]], 3, ["A", "B", "C"])
    assert found.values[:2] == pytest.approx([0, 0], abs=1e-6)
    assert math.isnan(found.values[2])
    assert np.isfinite(plackett_luce([[0, 1, 2], [1, 0, 2]], 3, ridge=0.1).values).all()


@settings(max_examples=25, deadline=None)
@given(st.lists(st.permutations(range(4)), min_size=1, max_size=8))
def test_the_order_of_rankings_and_names_does_not_matter(ranked):
    plain = plackett_luce(ranked, 4, ridge=0.1).values
    assert plackett_luce(ranked[::-1], 4, ridge=0.1).values == pytest.approx(plain, abs=1e-5)
    mirrored = plackett_luce([[3 - system for system in one] for one in ranked], 4, ridge=0.1).values
    assert mirrored[::-1] == pytest.approx(plain, abs=1e-5)


def test_the_first_place_of_five_is_expected_to_win_one_time_in_five():
    rows = rankings(
        *([{"A": 1, "B": 2, "C": 3, "D": 4, "E": 4}] * 3), {"A": 1, "B": 1, "C": 2, "D": 3, "E": 4}
    )
    placed = rows.assign(place=pd.array([1, 2, 3, 4, 5] * 4, dtype="Int64"))
    first = next(one for one in human_tables(placed)["t"] if one.name == "first-place")
    # Three sets have one best; 0.2³ = .008 is the only outcome as rare.
    assert first.rows == [(5, 3, 3, 1.0, 0.2, pytest.approx(0.008))]
    assert not any(one.name == "first-place" for one in human_tables(rows)["t"])


def test_a_summary_has_the_model_that_fits_and_the_scores_of_single_outputs():
    assert set(human_summary(rankings({"A": 1, "B": 2}))["score"]) == {"bradley-terry", "wins", "wins-half"}
    many_ties = [{"A": 1, "B": 2, "C": 2}, {"B": 1, "A": 2, "C": 2}]
    summary = human_summary(rankings(*many_ties)).set_index(["score", "system"])
    assert summary.loc[("davidson", "A"), "items"] == 1
    assert summary.loc[("davidson", "A"), "judgments"] == 2
