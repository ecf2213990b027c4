"""Relevance prediction, on the tables of Dorr et al. (2005)."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from metrics.errors import BadInput, UndefinedScoreWarning
from metrics.human import human_score
from metrics.human.relevance import (
    confusion,
    decisions,
    false_negatives,
    measures_anova,
    partitioned_correlation,
    rates,
    times,
)
from tests.metrics.human.rows import attributes, scores, table

# Table 6: judgments of 600 surrogates each (Rel/Rel, Rel/NonRel, NonRel/Rel, NonRel/NonRel) and mean seconds.
TABLE_6 = {
    "HEAD": ((211, 27, 117, 245), (4.6, 7.1, 8.5, 2.5)),
    "HUM": ((251, 35, 77, 237), (4.2, 4.6, 13.8, 1.9)),
}
CELLS = ((1, 1), (1, 0), (0, 1), (0, 0))
# Tables 2, 3 and 4: the representative partition of 15 points, agreement in per cent and ROUGE-1.
RP = {
    "HEAD": (80, 80, 85, 70, 73, 60, 80, 75, 60, 75, 88, 68, 80, 93, 83),
    "HUM": (83, 88, 85, 68, 75, 75, 93, 75, 98, 90, 75, 70, 80, 90, 78),
}
LDC = {
    "HEAD": (70, 73, 85, 70, 63, 60, 60, 85, 50, 73, 70, 78, 65, 63, 73),
    "HUM": (68, 75, 58, 68, 75, 70, 68, 80, 88, 58, 63, 55, 55, 60, 78),
}
ROUGE = {
    "HEAD": (0.10, 0.23, 0.13, 0.27, 0.20, 0.24, 0.26, 0.22, 0.13, 0.08, 0.30, 0.16, 0.26, 0.27, 0.30),
    "HUM": (0.16, 0.22, 0.17, 0.23, 0.19, 0.36, 0.39, 0.29, 0.28, 0.25, 0.37, 0.22, 0.22, 0.39, 0.27),
}


@pytest.fixture(scope="module")
def table_6():
    """600 judgments per kind with the counts of Table 6; each kind has its own full texts to be compared with."""
    rows = []
    for kind, (counts, seconds) in TABLE_6.items():
        cells = [cell for cell, count in zip(range(4), counts, strict=True) for _ in range(count)]
        for number, cell in enumerate(cells):
            surrogate, full = CELLS[cell]
            place = {"item": f"e{number % 3}/{kind}{number}", "document": f"{kind}{number}"}
            rows.append(place | {"system": kind, "value": surrogate, "seconds": seconds[cell]})
            rows.append(place | {"system": "full", "value": full, "seconds": 13.38})
    return table(rows, kind="relevance", criterion="relevant")


def test_table_6_gives_76_and_81_per_cent(table_6):
    score = human_score(table_6, "relevance-prediction")
    systems = score.system_scores().set_index("system")["score"]
    assert systems.round(4).to_dict() == {"HEAD": 0.76, "HUM": 0.8133}


def test_table_6_comes_back_as_a_confusion_table_with_times(table_6):
    found = confusion(decisions(table_6)).set_index(["system", "cell"])
    for kind, (counts, seconds) in TABLE_6.items():
        assert found.loc[kind, "count"].tolist() == list(counts)
        assert found.loc[kind, "seconds"].tolist() == pytest.approx(list(seconds))
    assert found.loc[("HEAD", "Rel/Rel"), "share"] == pytest.approx(0.35, abs=0.005)
    assert found.loc[("HUM", "NonRel/Rel"), "share"] == pytest.approx(0.13, abs=0.005)


def test_false_negatives_differ_as_in_section_6(table_6):
    """117 against 77 of 600, reported as significant at p < 0.01 by a t-test."""
    result = false_negatives(decisions(table_6), "HEAD", "HUM")
    assert result.means == (pytest.approx(117 / 600), pytest.approx(77 / 600))
    assert result.pvalue < 0.01


def test_time_saved_against_the_full_text(table_6):
    """Table 1: 4.60 and 4.57 seconds against 13.38; the paper's conclusion says 65 %."""
    saved = times(table_6).set_index("system")
    assert saved.loc["HEAD", "seconds"] == pytest.approx(4.6, abs=0.05)
    assert saved.loc["HEAD", "saved"] == pytest.approx(0.65, abs=0.01)
    assert saved.loc["full", "saved"] == 0


@pytest.mark.parametrize(
    ("kind", "measure", "expected"),
    [("HEAD", RP, 0.3165), ("HUM", RP, 0.1960), ("HEAD", LDC, -0.1358), ("HUM", LDC, 0.0691)],
)
def test_correlations_of_the_representative_partition(kind, measure, expected):
    """Tables 2–4: the 15 points are averages already, so groups of one give the correlation of that partition."""
    result = partitioned_correlation(measure[kind], ROUGE[kind], size=1, rng=1)
    assert round(result.statistic, 4) == expected
    assert result.partitions == 1
    assert result.groups == 15


@pytest.mark.parametrize(("kind", "below"), [("HEAD", 0.05), ("HUM", 0.01)])
def test_the_two_measures_differ_as_in_section_4(kind, below):
    """Single-factor ANOVA of Tables 2 and 3: p < 0.05 for HEAD, p < 0.01 for HUM; with two groups F is t²."""
    result = measures_anova(RP[kind], LDC[kind])
    assert result.pvalue < below
    assert result.statistic == pytest.approx(stats.ttest_ind(RP[kind], LDC[kind]).statistic ** 2)


def test_random_partitions_average_points_and_agree_with_a_plain_loop():
    rng = np.random.default_rng(3)
    agreement, metric = rng.random(23), rng.random(23)
    result = partitioned_correlation(agreement, metric, size=4, partitions=4000, rng=7)
    again = partitioned_correlation(agreement, metric, size=4, partitions=4000, rng=7)
    loop = []
    for _ in range(2000):
        order = rng.permutation(23)[:20]
        a, b = agreement[order].reshape(5, 4).mean(axis=1), metric[order].reshape(5, 4).mean(axis=1)
        loop.append(stats.pearsonr(a, b).statistic)
    assert result == again
    assert result.seed == 7
    assert "seed:7" in result.signature
    assert result.statistic == pytest.approx(np.mean(loop), abs=0.05)
    assert result.quartiles == pytest.approx(np.quantile(loop, [0.25, 0.5, 0.75]), abs=0.06)


def test_too_few_points_for_two_groups_are_refused():
    with pytest.raises(BadInput, match="at least 8 points"):
        partitioned_correlation([1, 2, 3], [1, 2, 3], size=4)


def test_constant_points_have_no_correlation():
    with pytest.warns(UndefinedScoreWarning):
        assert np.isnan(
            partitioned_correlation([1, 1, 1, 1], [1, 2, 3, 4], size=2, partitions=5, rng=1).statistic
        )


def judged(assessor, system, document, value, **more):
    place = {"item": f"e1/{document}", "document": document}
    return {"assessor": assessor, "system": system, "value": value} | place | more


def test_a_surrogate_is_compared_with_the_same_assessors_full_text():
    """a1 calls d1 relevant throughout; a2 changes from relevant to not: half of the judgments agree."""
    rows = [
        judged("a1", "HEAD", "d1", 1),
        judged("a1", "full", "d1", 1),
        judged("a2", "HEAD", "d1", 1),
        judged("a2", "full", "d1", 0),
        judged("a3", "HEAD", "d1", 1),
    ]
    judgments = table(rows, kind="relevance", criterion="relevant")
    assert scores(human_score(judgments, "relevance-prediction")) == {("HEAD", "e1/d1"): 0.5}
    compared = decisions(judgments)
    assert rates(compared, by=["assessor"])["rate"].tolist() == [1.0, 0.0]
    assert rates(compared, by=["event", "system"]).to_numpy().tolist() == [["e1", "HEAD", 0.5, 2]]


def test_gold_agreement_compares_surrogates_and_full_texts_with_the_key():
    rows = [judged("a1", "HEAD", "d1", 1), judged("a1", "full", "d1", 0), judged("a1", "HEAD", "d2", 0)]
    known = attributes(("item", "e1/d1", "gold", "true"), ("item", "e1/d2", "gold", "0"))
    score = human_score(
        table(rows, kind="relevance", criterion="relevant"), "gold-agreement", attributes=known
    )
    assert scores(score) == {("HEAD", "e1/d1"): 1, ("HEAD", "e1/d2"): 1, ("full", "e1/d1"): 0}


def test_a_missing_key_is_named():
    judgments = table([judged("a1", "HEAD", "d1", 1)], kind="relevance", criterion="relevant")
    with pytest.raises(BadInput, match="of item e1/d1"):
        human_score(judgments, "gold-agreement", attributes=attributes(("item", "e1/d9", "gold", "1")))


def test_metric_scores_are_averaged_per_cell_with_the_papers_deviation():
    """The deviation divides by N, not N − 1: of .1 and .3 it is .1."""
    rows = [judged("a1", "HEAD", d, 1) for d in ("d1", "d2")] + [
        judged("a1", "full", d, 1) for d in ("d1", "d2")
    ]
    metric = pd.DataFrame(
        {"metric": "rouge", "system": "HEAD", "item": ["e1/d1", "e1/d2"], "score": [0.1, 0.3]}
    )
    found = confusion(decisions(table(rows, kind="relevance", criterion="relevant")), scores=metric)
    cell = found[found["cell"] == "Rel/Rel"].iloc[0]
    assert (cell["score"], cell["deviation"]) == (pytest.approx(0.2), pytest.approx(0.1))


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=30))
@settings(max_examples=30, deadline=None)
def test_agreement_is_the_share_of_equal_judgments(pairs):
    rows = []
    for number, (surrogate, full) in enumerate(pairs):
        rows += [judged("a1", "HEAD", f"d{number}", surrogate), judged("a1", "full", f"d{number}", full)]
    score = human_score(table(rows, kind="relevance", criterion="relevant"), "relevance-prediction")
    expected = np.mean([a == b for a, b in pairs])
    assert score.system_scores()["score"].iloc[0] == pytest.approx(expected)
