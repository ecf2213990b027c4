"""A report on comparisons of texts: who wins and how sure, who beat whom, and whether metrics prefer what people prefer."""

import numpy as np
import pandas as pd
import pytest

from metrics.frames import check_attributes, check_scores
from metrics.human import human_score
from metrics.meta.rank_ranges import rank_ranges, resampled_scores
from metrics.report.book import records
from metrics.report.build import build_report
from metrics.report.drawn import render_figure
from metrics.report.html import page
from metrics.report.options import Options
from metrics.report.resampled import _with_ties
from tests.metrics.human.rows import table

STRENGTH = dict(zip("ABCDE", (1.6, 1.5, 0.2, -0.6, -2.4), strict=True))
HOW = Options(n_resamples=100)


def rankings():
    rng = np.random.default_rng(4)
    rows = []
    for number in range(150):
        shown = rng.choice(list("ABCDE"), 3, replace=False)
        felt = {system: STRENGTH[system] + rng.gumbel() for system in shown}
        order = sorted(shown, key=lambda system, felt=felt: -felt[system])
        tied = rng.random() < 0.4
        rows += [
            {
                "system": system,
                "item": f"i{number // 3}",
                "assessor": f"p{number % 3}",
                "unit": f"s{number % 3}",
            }
            | {"value": 1 if tied and rank == 2 else rank, "position": number}
            for rank, system in enumerate(order, start=1)
        ]
    return table(rows, kind="ranking", criterion="rank")


@pytest.fixture(scope="module")
def judged():
    return rankings()


@pytest.fixture(scope="module")
def report(judged):
    """Three metrics: one is the truth, one is noise, one is always the same."""
    rng = np.random.default_rng(9)
    rows = [
        {"metric": metric, "system": system, "item": f"i{item}", "score": score}
        for system in "ABCDE"
        for item in range(50)
        for metric, score in (("truth", STRENGTH[system]), ("noise", rng.normal()), ("same", 1.0))
    ]
    return build_report(judged, scores=check_scores(pd.DataFrame(rows)), options=HOW)


def test_the_model_that_fits_comes_first_and_systems_have_ranges_of_ranks(report, judged):
    first = report.data["human"][0]
    assert first["score"] == "davidson"  # more than a tenth of the comparisons are ties
    score = human_score(judged, "davidson")
    drawn = resampled_scores(score.resampling, n_resamples=HOW.n_resamples, rng=HOW.seed)
    known = score.system_scores()
    expected = rank_ranges(list(known["system"]), known["score"], drawn).ranked
    found = records(first["systems"])
    assert [(row["system"], row["start"], row["end"], row["cluster"]) for row in found] == [
        (one.system, one.best_rank, one.worst_rank, one.cluster) for one in expected
    ]
    assert [row["low"] for row in found] == pytest.approx([one.low for one in expected])
    assert {found[0]["system"], found[1]["system"]} == {"A", "B"}
    assert (found[-1]["system"], found[-1]["start"], found[-1]["end"]) == ("E", 5, 5)
    assert first["items"] == 50
    assert first["comparison"]["method"] == "bootstrap-items"
    assert first["headline"].startswith(f"{found[0]['system']} leads by davidson")


def test_direct_comparisons_are_counted_and_stand_beside_pairs(report, judged):
    score = human_score(judged, "wins")
    counts = score.preferences.groupby(["system_a", "system_b"])[["won", "lost", "tied"]].sum()
    duels = records(report.data["human"][0]["duels"])
    assert len(duels) == 10
    for row in duels:
        own = counts.loc[(row["system_a"], row["system_b"])]
        assert [row["won"], row["lost"], row["tied"]] == own.tolist()
        assert row["share"] == pytest.approx((own["won"] + own["tied"] / 2) / own.sum())
        assert row["low"] <= row["share"] <= row["high"]
    shares = {(row["system_a"], row["system_b"]): row["share"] for row in duels}
    for row in records(report.data["human"][0]["pairs"]):
        pair = (row["system_a"], row["system_b"])
        share = shares[pair] if pair in shares else 1 - shares[pair[::-1]]
        assert row["superiority"] == pytest.approx(share)
        assert row["pvalue_adjusted"] == row["pvalue"] >= 2 / 101


def test_a_metric_prefers_what_people_prefer_or_not(report, judged):
    found = {row["metric"]: row for row in records(report.data["meta"][0]["preference"])}
    given = human_score(judged, "wins").preferences
    ahead = given["system_a"] < given["system_b"]  # by the true strengths A is best, E is worst
    right = given["won"].where(ahead, given["lost"]).sum()
    assert found["truth"]["n"] == (given["won"] + given["lost"]).sum()
    assert found["truth"]["accuracy"] == pytest.approx(right / found["truth"]["n"])
    assert found["same"]["accuracy"] == 0.5
    assert found["same"]["accuracy_ties"] == pytest.approx(
        given["tied"].sum() / given[["won", "lost", "tied"]].sum().sum()
    )
    assert found["truth"]["low"] > 0.6 > 0.5 > found["noise"]["low"]


def test_the_threshold_of_a_tie_is_the_one_that_serves_best():
    gap = np.array([0.1, -0.2, 1.0, -2.0])
    won, lost, tied = np.array([0, 0, 1, 0]), np.array([0, 0, 0, 1]), np.array([1, 1, 0, 0])
    assert _with_ties(gap, won.astype(float), lost.astype(float), tied.astype(float)) == (1.0, 0.2)


def test_agreement_methods_pages_and_figures_speak_of_comparisons(report):
    data = report.data
    assert data["agreement_in_short"].startswith("κ = ")
    assert {row["coefficient"] for row in records(data["agreement_chosen"])} == {"pairs-kappa"}
    methods = " ".join(data["methods"])
    assert "a line is drawn where no range above it reaches one below" in methods
    assert "κ of pairs of judgments by different people" in methods
    assert "a system's score the mean over its items" not in methods
    (spec,) = [spec for spec in data["figures"] if spec["kind"] == "duels"]
    drawn = render_figure(data, spec, forms=("svg", "csv"))
    assert b"against" in drawn["svg"]
    assert drawn["csv"].decode().count("\n") == 1 + 20
    html = page(report.data)
    assert "Do metrics prefer what people prefer?" in html
    assert "Who beat whom" in html


def test_after_sets_on_request_shares_of_wins_are_left_out_and_the_report_says_why(judged):
    active = check_attributes(
        pd.DataFrame([("task", "t", "pick", "active")], columns=["scope", "id", "name", "value"])
    )
    data = build_report(judged, attributes=active, options=HOW).data
    assert [section["score"] for section in data["human"]] == ["davidson"]
    assert any("wins" in row["note"] and "(active)" in row["note"] for row in data["notes"])
