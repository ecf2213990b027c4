"""Significance clusters, against those that WMT 2021 published, and the chain from segment scores to them."""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.errors import BadInput
from metrics.meta.ranking import rank_systems, significance_clusters
from metrics.meta.significance import compare_systems

PAIRS = ("bn-hi", "hi-bn", "xh-zu", "zu-xh")


@pytest.fixture(scope="module")
def campaign(shared):
    """Segment z scores as system × segment, published p-values and clusters of each language pair."""
    folder = shared / "data" / "wmt21_da_flores"
    clusters = pd.read_csv(folder / "clusters.csv", sep=" ", skip_blank_lines=True)
    data = {}
    for pair in PAIRS:
        segments = pd.read_csv(folder / f"ad-seg-scores-{pair}.csv", sep=" ", index_col=False)
        published = pd.read_csv(folder / f"adwilcox-{pair.replace('-', '')}.csv", sep=" ", index_col=0)
        source, target = pair.split("-")
        theirs = clusters[(clusters["SRC"] == source) & (clusters["TRG"] == target)]
        matrix = segments.pivot_table(index="SYS", columns="SID", values="Z.SCR")
        data[pair] = matrix.loc[published.columns], published, theirs
    return data


def test_the_system_scores_are_the_published_ones(campaign, shared):
    largest = 0.0
    for pair, (matrix, _, _) in campaign.items():
        theirs = pd.read_csv(
            shared / f"data/wmt21_da_flores/ad-sys-scores-{pair}.csv", sep=" ", index_col=False
        ).set_index("SYS")["Z.SCR"]
        largest = max(largest, float((matrix.mean(axis=1) - theirs).abs().max()))
    print(f"system scores: largest difference {largest:.2e}")
    assert largest < 1e-9


def test_the_74_rank_sum_pvalues_are_the_published_ones(campaign):
    """Cells of .12 are a filler (data README); the others are one-sided Mann–Whitney p-values."""
    largest, count = 0.0, 0
    for matrix, published, _ in campaign.values():
        ours = compare_systems(matrix, test="rank-sum", alternative="greater").pvalue_matrix()
        told = published.to_numpy() != 0.12
        count += int(told.sum())
        difference = np.abs(ours - published.to_numpy())[told] / np.maximum(published.to_numpy()[told], 1e-12)
        largest = max(largest, float(np.max(difference)))
        # What they left out is not significant.
        assert (ours[np.triu(~told, 1)] >= 0.05).all()
    print(f"{count} p-values: largest relative difference {largest:.2e}")
    assert count == 74
    assert largest < 1e-9


def test_the_clusters_are_the_published_ones(campaign):
    for matrix, _, theirs in campaign.values():
        ours = rank_systems(list(matrix.index), matrix)
        assert [row.system for row in ours] == theirs["SYSTEM"].tolist()
        assert [row.wins for row in ours] == theirs["WINS"].tolist()
        assert [row.total for row in ours] == theirs["TOTAL"].tolist()
        assert [row.start for row in ours] == theirs["CLUSTER_START"].tolist()
        assert [row.end for row in ours] == theirs["CLUSTER_END"].tolist()


def test_the_differences_and_stars_are_the_published_ones(campaign, shared):
    """ad-DA-diff-wilcoxon-rs: differences of system scores to two digits, stars at .05, .01 and .001."""
    checked = 0
    for pair, (matrix, _, _) in campaign.items():
        lines = (
            shared / f"data/wmt21_da_flores/ad-DA-diff-wilcoxon-rs-{pair.replace('-', '')}.csv"
        ).read_text()
        rows = {line.split()[0]: line.split()[1:] for line in lines.splitlines()[1:] if line.strip()}
        result = compare_systems(matrix, test="rank-sum", alternative="greater")
        names = list(matrix.index)
        for i, j, difference, p in zip(
            result.first, result.second, result.difference, result.pvalue, strict=True
        ):
            number, stars = re.fullmatch(r"(-?[\d.]+)(\**)", rows[names[i]][j]).groups()
            assert float(number) == pytest.approx(difference, abs=6e-3)
            assert len(stars) == sum(p < level for level in (0.05, 0.01, 0.001))
            checked += 1
    assert checked == 36 + 36 + 15 + 10


def test_a_line_needs_every_pair_across_it():
    """a beats b and c, b does not beat c: two clusters; if a does not beat c either, one."""
    p = np.full((3, 3), np.nan)
    p[0, 1], p[0, 2], p[1, 2] = 0.01, 0.01, 0.2
    assert [row.cluster for row in significance_clusters("abc", [3, 2, 1], p)] == [1, 2, 2]
    p[0, 2] = 0.3
    assert [row.cluster for row in significance_clusters("abc", [3, 2, 1], p)] == [1, 1, 1]


def test_no_line_right_below_a_system_that_beats_one_listed_above_it():
    """As published for Hindi to Bengali: seven systems beat the eighth, but the seventh also beats the sixth."""
    p = np.full((4, 4), np.nan)
    p[0, 1], p[1, 0] = 0.99, 0.01
    p[:2, 2:], p[2, 3] = 0.01, 0.2
    assert [row.cluster for row in significance_clusters("abcd", [4, 3, 2, 1], p)] == [1, 1, 1, 1]
    p[1, 0] = 0.5
    assert [row.cluster for row in significance_clusters("abcd", [4, 3, 2, 1], p)] == [1, 1, 2, 2]


def test_rank_ranges_count_wins_and_losses():
    p = np.full((3, 3), np.nan)
    p[0, 1], p[0, 2], p[1, 2] = 0.2, 0.01, 0.2
    ranked = significance_clusters("abc", [3, 2, 1], p)
    assert [(row.best_rank, row.worst_rank) for row in ranked] == [(1, 2), (1, 3), (2, 3)]


@given(st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_clusters_do_not_depend_on_the_order_of_rows_and_cover_all_ranks(seed):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(5, 20)) + rng.normal(size=(5, 1))
    names = list("abcde")
    order = rng.permutation(5)
    plain = rank_systems(names, scores)
    assert rank_systems([names[i] for i in order], scores[order]) == plain
    spans = sorted({(row.start, row.end) for row in plain})
    assert [rank for start, end in spans for rank in range(start, end + 1)] == [1, 2, 3, 4, 5]


def test_systems_without_scores_are_refused():
    with pytest.raises(BadInput):
        significance_clusters("ab", [1.0, np.nan], np.ones((2, 2)))
    with pytest.raises(BadInput):
        rank_systems("ab", [[1.0, 2.0], [np.nan, np.nan]])
    with pytest.raises(BadInput):
        significance_clusters("ab", [1.0], np.ones((2, 2)))
