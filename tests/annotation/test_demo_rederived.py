"""Numbers of the demo's report, made once more from its raw table by SciPy and the formulas that the methods text names."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from django.db import transaction
from scipy import stats

from annotation.analysis.inputs import report_inputs
from annotation.selectors.runs import newest_data
from annotation.services.simulation import study_simulate
from annotation.services.studies import study_import
from annotation.study_files import read_study
from metrics.report import Options, build_report, records
from tests.conftest import ROOT

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
METRICS = ["rouge-1-stem-f-mean", "chrf", "bleu"]
PAIRS = 6  # of four systems


@pytest.fixture(scope="module")
def demo(django_db_setup, django_db_blocker):
    """The report, and the judgments of adequacy that count."""
    with django_db_blocker.unblock(), transaction.atomic():
        study = study_import(study_file=read_study(ROOT / "fixtures" / "demo"))
        study_simulate(study=study, seed=1)
        inputs = report_inputs(study, newest_data(study))
        transaction.set_rollback(True)
    raw = inputs["judgments"]
    raw = raw[(raw["criterion"] == "adequacy") & ~raw["practice"].astype(bool) & (raw["control"] == "")]
    options = Options(metrics=METRICS, n_resamples=100, seed=1)
    return build_report(**inputs, options=options, processes=1).data, raw.assign(
        value=raw["value"].astype(float)
    )


@pytest.fixture
def section(demo):
    return next(one for one in demo[0]["human"] if one["score"] == "adequacy")


def test_means_are_those_of_the_raw_table(demo, section):
    """x̄ of a system: over items, of the mean over people."""
    means = demo[1].groupby(["system", "item"])["value"].mean().groupby("system").mean()
    assert {row["system"]: row["mean"] for row in records(section["systems"])} == pytest.approx(
        means.to_dict()
    )


def test_correlations_are_scipys(demo, section):
    """Pearson's r with Fisher's interval tanh(atanh r ± 1.96/√(n − 3)), Spearman's ρ, Kendall's τ_b, over systems."""
    report, raw = demo
    people = raw.groupby(["system", "item"])["value"].mean().groupby("system").mean()
    given = report["metric_scores"]
    scores = pd.DataFrame(given["scores"], index=given["metrics"], columns=given["systems"])[people.index]
    meta = next(one for one in report["meta"] if one["human"] == section["id"])
    rows = {row["metric"]: row for row in records(meta["summary"])}
    assert set(rows) == set(METRICS)
    for name, row in rows.items():
        theirs = stats.pearsonr(people, scores.loc[name])
        ends = theirs.confidence_interval()
        assert [row["pearson"], row["low"], row["high"]] == pytest.approx(
            [theirs.statistic, ends.low, ends.high]
        )
        assert row["spearman"] == pytest.approx(stats.spearmanr(people, scores.loc[name]).statistic)
        assert row["kendall"] == pytest.approx(stats.kendalltau(people, scores.loc[name]).statistic)


def test_tests_of_pairs_follow_from_their_errors(section):
    """t = d/SE, p by Student's t, Holm's p, Bonferroni's interval d ± t(1 − .05/(2 · 6)) SE, and the difference of power .8 by the
    noncentral t distribution at .05/6; degrees of freedom to a tenth."""
    rows = records(section["pairs"])
    p = np.array([2 * stats.t.sf(abs(row["difference"] / row["error"]), row["df"]) for row in rows])
    order = np.argsort(p)
    holm = np.empty(PAIRS)
    holm[order] = np.minimum(1, np.maximum.accumulate(p[order] * np.arange(PAIRS, 0, -1)))
    for row, alone, adjusted in zip(rows, p, holm, strict=True):
        assert [row["pvalue"], row["pvalue_adjusted"]] == pytest.approx([alone, adjusted], rel=1e-6)
        reach = stats.t.ppf(1 - 0.05 / 2 / PAIRS, row["df"]) * row["error"]
        ends = [row["difference"] - reach, row["difference"] + reach]
        assert [row["low"], row["high"]] == pytest.approx(ends, rel=1e-6)
        df = round(row["df"], 1)
        critical = stats.t.ppf(1 - 0.05 / 2 / PAIRS, df)
        found = stats.nct(df, row["detectable"] / row["error"])
        assert found.sf(critical) + found.cdf(-critical) == pytest.approx(0.8, abs=1e-6)


def test_the_share_of_items_won_is_counted(demo, section):
    """P(A > B) = (won + ½ tied)/n over items, with Wilson's interval (Brown, Cai & DasGupta 2001)."""
    items = demo[1].pivot_table(index="system", columns="item", values="value")
    z = stats.norm.ppf(0.975)
    for row in records(section["pairs"]):
        gaps = items.loc[row["system_a"]] - items.loc[row["system_b"]]
        n, share = len(gaps), float((gaps > 0).mean() + (gaps == 0).mean() / 2)
        middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
        reach = z / (1 + z**2 / n) * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
        found = [row[name] for name in ("superiority", "superiority_low", "superiority_high")]
        assert found == pytest.approx([share, middle - reach, middle + reach])


def test_the_share_of_equal_answers_is_counted(demo):
    """Of all pairs of people on one output, so many gave the same answer."""
    report, raw = demo
    pairs = [
        one == other
        for _, given in raw.groupby(["system", "item"])["value"]
        for one, other in combinations(given, 2)
    ]
    row = next(
        row
        for row in records(report["agreement"])
        if (row["criterion"], row["coefficient"]) == ("adequacy", "percent")
    )
    assert row["value"] == pytest.approx(np.mean(pairs))
