"""SummEval (Fabbri et al. 2021) as a study: expert ratings of 12 systems, with texts of a few documents.

Known values: α of the experts over all criteria, taken for one, is .7135 with ordinal and .7334 with interval distances (shared data's
notes); system means and correlations follow from the raw files by pandas and SciPy.
"""

import json

import pandas as pd
import pytest
from scipy import stats

from metrics.frames import JUDGMENT_COLUMNS, check_judgments
from metrics.meta.agreement import agreement
from metrics.report import Options, build_report, frame_of, records

# One worker builds the report for all of them.

CRITERIA = ["coherence", "consistency", "fluency", "relevance"]


@pytest.fixture(scope="module")
def ratings(shared):
    table = pd.read_csv(shared / "data/summeval/ratings_long_12sys.csv", dtype={"rater": str})
    return table[table["group"] == "expert"]


@pytest.fixture(scope="module")
def judgments(ratings):
    long = ratings.melt(id_vars=["system", "doc", "rater"], value_vars=CRITERIA, var_name="criterion")
    rows = long.rename(columns={"doc": "item", "rater": "assessor"}).assign(
        study="summeval", task="experts", kind="rating"
    )
    return rows.reindex(columns=list(JUDGMENT_COLUMNS))


@pytest.fixture(scope="module")
def texts(shared, ratings):
    documents = json.loads((shared / "data/summeval/texts_16sys_11refs.json").read_text(encoding="utf-8"))
    chosen = sorted(documents)[:10]
    outputs = [
        {"system": system, "item": document, "text": summary["sys_summ"]}
        for document in chosen
        for system, summary in documents[document]["sys_summs"].items()
        if system in set(ratings["system"])
    ]
    references = [
        {"item": document, "reference": f"{number:02d}", "text": text}
        for document in chosen
        for number, text in enumerate(documents[document]["ref_summs"])
    ]
    return pd.DataFrame(outputs), pd.DataFrame(references)


@pytest.fixture(scope="module")
def report(judgments, texts):
    outputs, references = texts
    options = Options(metrics=["rouge-1-f", "rouge-2-f", "rouge-l-r", "bleu"], n_resamples=100)
    return build_report(judgments, outputs=outputs, references=references, options=options, processes=1)


def test_the_experts_agree_as_is_known(judgments):
    """As published: all criteria as if they were one, which takes that criteria differ for agreement."""
    together = check_judgments(judgments.assign(unit=judgments["criterion"], criterion="all"))
    found = agreement(together, coefficients=["alpha-ordinal", "alpha-interval"], n_resamples=0)
    assert found["value"].to_list() == pytest.approx([0.7135, 0.7334], abs=5e-5)
    assert found["items"].to_list() == [100, 100]


def test_the_report_expects_disagreement_within_criteria(report, judgments):
    """Observed and expected disagreement of each criterion by the definition, added up before dividing."""
    observed = expected = 0.0
    for _, rows in judgments.groupby("criterion"):
        table = rows.pivot_table(index=["system", "item"], columns="assessor", values="value").to_numpy()
        observed += sum(((unit[:, None] - unit) ** 2).sum() / 2 for unit in table)
        values = table.ravel()
        expected += ((values[:, None] - values) ** 2).sum() / (len(values) - 1)
    found = {(row["criterion"], row["coefficient"]): row for row in records(report.data["agreement"])}
    assert found["all criteria", "alpha-interval"]["value"] == pytest.approx(1 - observed / expected)
    assert found["all criteria", "alpha-ordinal"]["items"] == 100
    shown = f"{found['all criteria', 'alpha-ordinal']['value']:.2f}".removeprefix("0")
    assert f"α = {shown}" in report.data["headline"][1]


def test_system_means_are_those_of_the_raw_file(report, ratings):
    for section in report.data["human"]:
        found = {row["system"]: row["mean"] for row in records(section["systems"])}
        assert found == pytest.approx(ratings.groupby("system")[section["score"]].mean().to_dict())


def test_correlations_of_systems_are_scipys(report, ratings):
    """Metric scores of a few documents against human means of all: Kendall's τ and Pearson's r."""
    scores = frame_of(
        {"columns": report.data["metric_scores"]["systems"], "rows": report.data["metric_scores"]["scores"]}
    ).set_index(pd.Index(report.data["metric_scores"]["metrics"]))
    for section, meta in zip(report.data["human"], report.data["meta"], strict=True):
        people = ratings.groupby("system")[section["score"]].mean()
        rows = {
            (row["metric"], row["method"]): row["statistic"]
            for row in records(meta["correlations"])
            if row["level"] == "system"
        }
        for metric, own in scores.iterrows():
            both = own[people.index].astype(float), people
            assert rows[metric, "kendall"] == pytest.approx(stats.kendalltau(*both).statistic)
            assert rows[metric, "pearson"] == pytest.approx(stats.pearsonr(*both).statistic)


def test_items_without_texts_are_said_to_be_left_out(report):
    said = [row for row in report.data["left_out"] if row["what"] == "items"]
    assert {row["count"] for row in said} == {90}
    assert all(row["why"].startswith("judged, but without automatic scores") for row in said)
