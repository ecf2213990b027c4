"""Many fits at once are the fits one by one; ranges of ranks are WMT's. Expected values: one fit at a time, WMT 2016 as published."""

import csv
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from metrics.cli import main
from metrics.errors import BadInput, UndefinedScoreWarning
from metrics.human import human_score
from metrics.human.resampled_strengths import (
    davidson_of,
    expected_wins_of,
    has_cycle,
    linked,
    plackett_luce_of,
)
from metrics.human.strengths import bradley_terry, davidson, expected_wins, plackett_luce
from metrics.meta.rank_ranges import rank_ranges, resampled_scores
from tests.metrics.human.rows import table

COUNTS = st.integers(2, 5).flatmap(lambda size: arrays(np.int64, (2, size, size), elements=st.integers(0, 5)))


def as_tables(counts):
    """Wins, and symmetric ties, with nothing of a system against itself."""
    won, tied = counts.astype(float)
    np.fill_diagonal(won, 0)
    tied = np.triu(tied, 1)
    return won, tied + tied.T


@settings(max_examples=60, deadline=None)
@given(COUNTS)
def test_many_fits_are_what_one_fit_gives(counts):
    won, tied = as_tables(counts)
    for ties in (np.zeros_like(tied), tied):
        if not linked((won + ties)[None])[0] or not has_cycle(won[None])[0]:
            continue
        alone = davidson(won, ties).values
        assert davidson_of(np.stack([won] * 2), np.stack([ties] * 2)) == pytest.approx(
            np.stack([alone] * 2), abs=2e-4
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedScoreWarning)
        alone = expected_wins(won).values
    assert expected_wins_of(won[None])[0] == pytest.approx(alone, nan_ok=True)


@settings(max_examples=30, deadline=None)
@given(COUNTS, st.sampled_from([0.05, 0.5]))
def test_a_ridge_means_the_same_for_many_fits(counts, ridge):
    won, tied = as_tables(counts)
    if won.any():
        alone = davidson(won, tied, ridge=ridge).values
        assert davidson_of(won[None], tied[None], ridge=ridge)[0] == pytest.approx(alone, abs=2e-4)


def test_a_resample_that_has_no_finite_strengths_gets_a_small_ridge():
    won = np.array([[[0, 4.0], [0, 0]], [[0, 3], [1, 0]]])
    found = davidson_of(won, np.zeros_like(won))
    assert found[0] == pytest.approx(bradley_terry(won[0], ridge=0.01).values, abs=1e-4)
    assert found[1] == pytest.approx([np.log(3) / 2, -np.log(3) / 2])


def test_ties_hold_systems_together_only_where_somebody_wins_both_ways():
    """All wins of the first, and ties: likelihood and strengths grow for ever. This gave ±15, where the search ended."""
    with pytest.warns(UndefinedScoreWarning, match="all wins go one way"):
        assert np.isnan(davidson([[0, 2], [0, 0]], [[0, 1], [1, 0]]).values).all()
    with pytest.warns(UndefinedScoreWarning, match="all wins go one way"):
        davidson([[0, 2, 0], [0, 0, 2], [0, 0, 0]], [[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    # A beats B, B beats C, and yet A and C tie: that holds them.
    assert np.isfinite(
        davidson([[0, 2, 0], [0, 0, 2], [0, 0, 0]], [[0, 1, 1], [1, 0, 1], [1, 1, 0]]).values
    ).all()
    assert np.isfinite(davidson([[0, 2], [1, 0]], [[0, 1], [1, 0]]).values).all()
    assert np.isfinite(davidson([[0, 2], [0, 0]], [[0, 1], [1, 0]], ridge=0.1).values).all()


@settings(max_examples=25, deadline=None)
@given(st.lists(st.permutations(range(4)), min_size=2, max_size=8))
def test_many_fits_of_rankings_are_what_one_fit_gives(ranked):
    stages = [(one[place], one[place:]) for one in ranked for place in range(3)]
    found = plackett_luce_of(stages, 4, np.ones((2, len(stages))), ridge=0.1)
    assert found == pytest.approx(np.stack([plackett_luce(ranked, 4, ridge=0.1).values] * 2), abs=1e-4)


SCORES = (
    "wins",
    "wins-half",
    "strength",
    "expected-wins",
    "bradley-terry",
    "davidson",
    "plackett-luce",
    "best-worst",
)


def judged(kind):
    """Twelve items, three systems, some ties, whatever the kind means by a value."""
    rng = np.random.default_rng(8)
    rows = []
    for number in range(48):
        values = rng.permutation(3) if kind != "pairwise" else None
        if kind == "pairwise":
            pair = rng.choice(list("ABC"), 2, replace=False)
            won = int(rng.integers(-1, 2))
            values = dict(zip(pair, (won, -won), strict=True))
        elif kind == "ranking":
            values = dict(zip("ABC", values + 1 if number % 4 else (1, 1, 2), strict=True))
        else:
            values = dict(zip("ABC", values - 1, strict=True))
        rows += [
            {
                "system": system,
                "item": f"i{number % 12}",
                "unit": f"s{number}",
                "value": value,
                "position": number,
            }
            for system, value in values.items()
        ]
    return table(rows, kind=kind, criterion="c")


@pytest.mark.parametrize("kind", ["pairwise", "ranking", "best_worst"])
@pytest.mark.parametrize("name", SCORES)
def test_the_items_as_they_are_give_the_score_itself_and_a_doubled_item_that_of_its_rows_twice(kind, name):
    rows = judged(kind)
    try:
        score = human_score(rows, name)
    except BadInput:
        assert name in ("strength", "best-worst", "davidson", "plackett-luce", "wins-half")
        return
    again = rows[rows["item"] == "i3"].assign(unit=lambda own: own["unit"] + "again", position=99)
    doubled = human_score(pd.concat([rows, again], ignore_index=True), name)
    made = score.resampling
    weights = np.ones((2, made.items))
    weights[1, sorted(rows["item"].unique()).index("i3")] = 2
    found = pd.DataFrame(made.scores(weights), columns=made.systems)
    for replicate, expected in zip(found.to_numpy(), (score, doubled), strict=True):
        known = expected.system_scores().set_index("system")["score"]
        assert dict(zip(found.columns, replicate, strict=True)) == pytest.approx(known.to_dict(), abs=2e-5)


def test_ranges_cut_off_the_same_share_of_ranks_at_both_ends():
    drawn = np.array([[2.0, 1.0]] * 96 + [[1.0, 2.0]] * 4)
    found = rank_ranges(["A", "B"], [2, 1], drawn).ranked
    assert [(one.best_rank, one.worst_rank, one.cluster) for one in found] == [(1, 2, 1), (1, 2, 1)]
    found = rank_ranges(["A", "B"], [2, 1], drawn, confidence_level=0.9)
    assert [(one.best_rank, one.worst_rank, one.cluster) for one in found.ranked] == [(1, 1, 1), (2, 2, 2)]
    assert found.ranked[0].first_share == pytest.approx(0.96)
    assert found.better.tolist() == [[0, 0.96], [0.04, 0]]


def test_a_line_stands_where_no_range_above_reaches_one_below():
    drawn = [[4, 3, 2, 1], [3, 4, 2, 1], [4, 2, 3, 1]]
    found = rank_ranges(list("ABCD"), [4, 3, 2, 1], drawn, confidence_level=0.9).ranked
    assert [(one.best_rank, one.worst_rank) for one in found] == [(1, 2), (1, 3), (2, 3), (4, 4)]
    assert [one.cluster for one in found] == [1, 1, 1, 2]


def test_a_resample_without_a_system_says_nothing_of_it():
    found = rank_ranges(["A", "B"], [2, 1], [[2, 1], [np.nan, 1], [2, 1]]).ranked
    assert [(one.best_rank, one.worst_rank) for one in found] == [(1, 1), (1, 2)]
    with pytest.raises(BadInput, match="a system without a score"):
        rank_ranges(["A", "B"], [np.nan, 1], [[2, 1]])


@pytest.fixture(scope="module")
def published(shared):
    with (shared / "data/tasks2/comparison/wmt16_expected.csv").open(encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if row["pair"] == "eng-tur"]


def ranges_of(rows, name, seed=3):
    score = human_score(rows, name)
    known = score.system_scores()
    drawn = resampled_scores(score.resampling, n_resamples=1_000, rng=seed)
    return rank_ranges(list(known["system"]), known["score"], drawn).ranked


def test_wmt_2016_has_the_published_ranges_where_rankings_are_drawn_and_wider_ones_where_segments_are(
    wmt16, published
):
    """WMT drew judgments as if each stood for itself; those of one segment do not, so that ranges over segments are wider."""
    own = {
        row["system"]: (int(row["published_rank_from"]), int(row["published_rank_to"])) for row in published
    }
    of_segments = ranges_of(wmt16, "expected-wins")
    assert [one.system for one in of_segments] == list(own)
    for one in of_segments:
        low, high = own[one.system]
        assert one.best_rank <= low
        assert one.worst_rank >= high
    # Between the published clusters {1-2}, {3}, {4}, {5-7}, {8-9} all lines but one are there.
    assert [one.cluster for one in of_segments] == [1, 1, 2, 3, 3, 3, 3, 4, 4]
    of_rankings = ranges_of(wmt16.assign(item=wmt16["unit"]), "expected-wins")
    off = [
        abs(one.best_rank - own[one.system][0]) + abs(one.worst_rank - own[one.system][1])
        for one in of_rankings
    ]
    assert sum(off) <= 3


def test_the_command_prints_ranges(tmp_path, capsys):
    judged("ranking").to_csv(tmp_path / "j.csv", index=False)
    assert (
        main(["rank-ranges", str(tmp_path / "j.csv"), "--score", "bradley-terry", "--resamples", "50"]) == 0
    )
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "system,score,low,high,best_rank,worst_rank,cluster,first_share"
    assert len(out) == 4
    rated = table([{"criterion": "adequacy", "value": 3}], kind="rating")
    rated.to_csv(tmp_path / "r.csv", index=False)
    assert main(["rank-ranges", str(tmp_path / "r.csv"), "--score", "adequacy"]) == 2
    assert "expected a score of comparisons, found adequacy" in capsys.readouterr().err
