"""The demo's report, read with its raw table at hand: numbers rederived with pandas and SciPy from what the study exports."""

import pytest
from scipy import stats

from annotation.analysis.inputs import report_inputs
from annotation.analysis.options import ReportOptions
from annotation.analysis.reports import report_of
from annotation.selectors.runs import newest_data
from annotation.services.simulation import study_simulate
from annotation.services.studies import study_import
from annotation.study_files.read import read_study
from metrics.frames import scored
from metrics.report import records
from tests.conftest import ROOT

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def test_the_demos_numbers_follow_from_its_raw_table():
    study = study_import(study_file=read_study(ROOT / "fixtures" / "demo"))
    study_simulate(study=study, seed=2)
    inputs = report_inputs(study, newest_data(study))
    data = report_of(study, ReportOptions(metrics=("rouge-1-f", "chrf"), n_resamples=100), inputs).data
    section = next(one for one in data["human"] if one["score"] == "adequacy")
    rows = scored(inputs["judgments"])
    rows = rows[(rows["task"] == section["task"]) & (rows["criterion"] == "adequacy")].dropna(subset="value")
    outputs = rows.groupby(["system", "item"])["value"].mean().unstack()
    means = outputs.mean(axis=1)
    found = {row["system"]: row for row in records(section["systems"])}
    assert {name: row["mean"] for name, row in found.items()} == pytest.approx(means.to_dict())
    assert section["judgments"] == len(rows)
    for pair in records(section["pairs"]):
        gaps = (outputs.loc[pair["system_a"]] - outputs.loc[pair["system_b"]]).dropna()
        ahead = (gaps > 1e-9).sum() + 0.5 * (gaps.abs() <= 1e-9).sum()
        assert (pair["n"], pair["superiority"]) == (len(gaps), pytest.approx(ahead / len(gaps)))
    meta = next(one for one in data["meta"] if one["human"] == section["id"])
    scores = dict(zip(data["metric_scores"]["metrics"], data["metric_scores"]["scores"], strict=True))
    for row in records(meta["summary"]):
        own = dict(zip(data["metric_scores"]["systems"], scores[row["metric"]], strict=True))
        both = [own[name] for name in means.index], means.to_list()
        assert row["pearson"] == pytest.approx(stats.pearsonr(*both).statistic)
        assert row["kendall"] == pytest.approx(stats.kendalltau(*both).statistic)
    # Four systems and three documents: numbers yes, "best" no.
    assert section["design"]["may_rank"] is False
    assert "none is called best" in section["headline"]
    assert (
        "can be said to follow" in data["headline"][-1] or "cannot be said to follow" in data["headline"][-1]
    )
