"""Whole reports of published data, against the numbers that were published with them."""

import pandas as pd
import pytest

from metrics.formats.wmt import read_judgments
from metrics.report import Options, build_report, records
from tests.metrics.human.rows import table


@pytest.fixture(scope="module")
def campaign(shared):
    """WMT 2021, direct assessment of Xhosa ↔ Zulu: raw marks from 0 to 100, normalised per evaluator."""
    folder = shared / "data" / "wmt21_da_flores"
    judgments = read_judgments([folder / "ad-good-raw.csv"])
    judgments = judgments[judgments["task"].isin(["xh-zu", "zu-xh"])]
    report = build_report(judgments, options=Options(normalise="z", n_resamples=50, comparison="wmt"))
    return folder, {section["task"]: records(section["systems"]) for section in report.data["human"]}


@pytest.mark.parametrize("pair", ["xh-zu", "zu-xh"])
def test_z_scores_of_systems_are_those_of_the_campaign(campaign, pair):
    """Source: ad-sys-scores-*.csv, from raw judgments to system scores."""
    folder, systems = campaign
    theirs = pd.read_csv(folder / f"ad-sys-scores-{pair}.csv", sep=" ", index_col=False).set_index("SYS")
    assert {row["system"]: row["mean"] for row in systems[pair]} == pytest.approx(theirs["Z.SCR"].to_dict())


@pytest.mark.parametrize("pair", ["xh-zu", "zu-xh"])
def test_clusters_are_those_of_the_campaign(campaign, pair):
    """Source: clusters.csv."""
    folder, systems = campaign
    clusters = pd.read_csv(folder / "clusters.csv", sep=" ", skip_blank_lines=True)
    theirs = clusters[clusters["SRC"] + "-" + clusters["TRG"] == pair]
    wanted = theirs[["SYSTEM", "WINS", "CLUSTER_START", "CLUSTER_END"]].to_numpy().tolist()
    found = [[row[name] for name in ("system", "wins", "start", "end")] for row in systems[pair]]
    assert found == wanted


def test_the_mixed_model_of_direct_assessment_is_that_of_lme4(shared):
    """R 4.2 with lmerTest on Xhosa → Zulu, z per evaluator: ``lmer(z ~ 0 + system + (1 | assessor:system), REML = TRUE)``,
    ``contest1D``, ``p.adjust(…, "holm")``, Bonferroni's interval of 15 pairs. No item was judged twice, so that no term of items can
    be told from the error; (1 | assessor) is 0, and with it in, lme4 stops below the maximum of the likelihood (.0174).
    """
    judgments = read_judgments([shared / "data" / "wmt21_da_flores" / "ad-good-raw.csv"])
    judgments = judgments[judgments["task"] == "xh-zu"]
    data = build_report(judgments, options=Options(normalise="z", n_resamples=20)).data
    section = data["human"][0]
    variances = {"assessor": 0, "assessor:system": 0.035058, "residual": 0.725212}
    assert section["comparison"]["variances"] == pytest.approx(variances, abs=1e-6)
    first, *_, last = records(section["systems"])
    assert [first["system"], last["system"]] == ["HuaweiTSC.2", "Online-G.4"]
    found = [[row[name] for name in ("estimate", "low", "high")] for row in (first, last)]
    expected = [[0.33081034, -0.006566567, 0.6681872], [-1.14208999, -1.479477, -0.8047032]]
    for ours, theirs in zip(found, expected, strict=True):
        assert ours == pytest.approx(theirs, abs=2e-6)
    pair = next(row for row in records(section["pairs"]) if row["system_b"] == "Online-G.4")
    assert [pair[name] for name in ("difference", "low", "high", "error")] == pytest.approx(
        [1.4729003, 0.5567118, 2.389089, 0.19497036], rel=1e-4
    )
    assert [pair[name] for name in ("pvalue", "pvalue_adjusted")] == pytest.approx(
        [0.00027985981, 0.0041979], rel=1e-4
    )
    # The error of a difference from the components: σ²_as/2 + σ²/495 for each of the two, 2 assessors and 2,968/6 items a system.
    error = (2 * (0.035058 / 2 + 0.725212 / 495)) ** 0.5
    more_items = (2 * (0.035058 / 2 + 0.725212 / 990)) ** 0.5
    assert pair["error"] == pytest.approx(error, rel=1e-2)
    assert (
        f"twice as many items {100 * (1 - more_items / error):.0f} %" in section["generalisability"]["advice"]
    )


def test_correlations_within_documents_are_those_known_of_realsumm(shared):
    """Bhandari et al. 2020: Kendall's τ of stored ROUGE with LitePyramid over the 25 systems, averaged over all documents,
    is .4064 for ROUGE-1, .3488 for ROUGE-2 and .3929 for ROUGE-L recall (notes of the shared data).
    """
    stored = pd.read_csv(shared / "data" / "realsumm" / "scores_dict_flat.csv")
    stored["item"], stored["system"] = stored["doc"].astype(str), stored["kind"] + "/" + stored["sys"]
    people = stored[["system", "item"]].assign(criterion="litepyramid", value=stored["litepyramid_recall"])
    metrics = ["rouge_1_recall", "rouge_2_recall", "rouge_l_recall"]
    scores = stored.melt(["system", "item"], metrics, "metric", "score")
    report = build_report(
        table(people.to_dict("records"), kind="rating"), scores=scores, options=Options(n_resamples=20)
    )
    rows = records(report.data["meta"][0]["correlations"])
    found = {
        row["metric"]: row["statistic"]
        for row in rows
        if (row["level"], row["method"]) == ("item", "kendall")
    }
    assert {name: round(value, 4) for name, value in found.items()} == dict(
        zip(metrics, (0.4064, 0.3488, 0.3929), strict=True)
    )
