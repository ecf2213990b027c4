"""SummEval (Fabbri et al. 2021): the application, the report on exported files, and each command say the same.

The release becomes a study of the application, whose report is made there as ``manage.py report_study`` makes it. The files
that the application exports then go through ``python -m metrics report``, and through the single commands.
"""

import io
import json

import pandas as pd
import pytest
from django.core.management import call_command

from annotation.analysis.options import ReportOptions
from annotation.analysis.reports import report_build
from annotation.models import Study
from annotation.selectors.runs import newest_data
from metrics.cli import main
from metrics.report import frame_of, records
from metrics.report.write import as_json

pytestmark = pytest.mark.django_db

DOCUMENTS = 5
METRICS = ["rouge-2-f", "wer"]


@pytest.fixture
def release(shared, tmp_path):
    """The stored data, of the first few documents."""
    folder = shared / "data" / "summeval"
    texts = json.loads((folder / "texts_16sys_11refs.json").read_text(encoding="utf-8"))
    chosen = dict(list(texts.items())[:DOCUMENTS])
    ratings = pd.read_csv(folder / "ratings_long_12sys.csv")
    paths = tmp_path / "texts.json", tmp_path / "ratings.csv"
    paths[0].write_text(json.dumps(chosen), encoding="utf-8")
    ratings[ratings["doc"].isin(list(chosen))].to_csv(paths[1], index=False)
    return paths


def run(*words):
    assert main([str(word) for word in words]) == 0


def printed(capsys, *words):
    """What a command prints, as a table."""
    capsys.readouterr()
    run(*words)
    return pd.read_csv(io.StringIO(capsys.readouterr().out))


def assert_same(found, expected, key):
    """Equal numbers, whatever the order of rows; columns that only one has do not count."""
    columns = [name for name in expected.columns if name in found.columns]
    tables = [each[columns].sort_values(key, ignore_index=True) for each in (found, expected)]
    pd.testing.assert_frame_equal(*tables, check_dtype=False, rtol=1e-9, atol=1e-12)


def test_every_way_to_the_numbers_gives_the_same_ones(release, tmp_path, capsys):
    study, kept, here = (tmp_path / name for name in ("study", "kept", "here"))

    # From the release to a finished study of the application, and its report there.
    run("convert", "summeval", "study", *release, "--out", study)
    call_command("import_study", study)
    call_command("import_judgments", "summeval", study / "judgments.csv")
    imported = Study.objects.get(slug="summeval")
    options = ReportOptions(metrics=tuple(METRICS), n_resamples=100)
    there = as_json(report_build(imported, options, newest=newest_data(imported)).data)

    # What the application exports, and the report on these files: the same bytes.
    call_command("export_study", "summeval", "--out", kept)
    call_command("export_judgments", "summeval", "--out", kept / "judgments.csv")
    judgments = kept / "judgments.csv"
    files = ["--attributes", kept / "judgments.csv.attributes.csv", "--outputs", kept / "outputs.jsonl"]
    files += ["--references", kept / "references.jsonl", "--processes", "1", "--title", "SummEval"]
    run("report", judgments, *files, "--out", here, "--metric", *METRICS, "--resamples", "100")
    assert (here / "report.json").read_text(encoding="utf-8") == there
    report = json.loads((here / "report.json").read_text(encoding="utf-8"))

    # Each command alone, on the same files.
    human, of_systems, of_items = (tmp_path / f"{name}.csv" for name in ("human", "systems", "items"))
    run("human", judgments, "--score", "coherence", "--out", human)
    for level, scores in (("system", of_systems), ("item", of_items)):
        run("score", *files[2:8], "--metric", *METRICS, "--level", level, "--out", scores)
    both = ["--human", human, "--metrics"]
    section = next(each for each in report["human"] if each["score"] == "coherence")
    meta = next(each for each in report["meta"] if each["human"] == section["id"])

    means = pd.read_csv(human).groupby("system")["score"].mean()
    assert {row["system"]: row["mean"] for row in records(section["systems"])} == pytest.approx(
        means.to_dict()
    )

    correlations = frame_of(meta["correlations"])
    for level, scores in (
        ("system", of_systems),
        ("item", of_items),
        ("global", of_items),
        ("system-average", of_items),
    ):
        for method in ("pearson", "spearman", "kendall"):
            found = printed(
                capsys, "correlate", *both, scores, "--level", level, "--method", method, "--resamples", "100"
            )
            chosen = correlations[(correlations["level"] == level) & (correlations["method"] == method)]
            assert len(found) == len(chosen)
            assert_same(found, chosen, ["metric"])

    williams = pd.read_csv(here / "tables" / "williams-expert--coherence.csv").set_index("metric")
    pairs = printed(capsys, "compare-metrics", *both, of_systems, "--alternative", "greater")
    assert len(pairs) == 3  # of ROUGE by mean, ROUGE by median, and WER
    for pair in pairs.itertuples():
        assert williams.loc[pair.metric_a, pair.metric_b] == pytest.approx(pair.pvalue, rel=1e-9)

    found = printed(capsys, "significance-prediction", *both, of_items)
    assert_same(found, frame_of(meta["prediction"]), ["metric", "alpha"])

    found = printed(capsys, "system-model", judgments, "--criterion", "coherence")
    pairs_there = frame_of(section["pairs"])
    same = [
        name for name in ("difference", "statistic", "pvalue", "pvalue_adjusted") if name in found.columns
    ]
    assert {"difference", "pvalue_adjusted"} <= set(same)
    key = ["system_a", "system_b"]
    assert_same(found[[*key, *same]], pairs_there[[*key, *same]], key)

    found = printed(capsys, "agreement", judgments, "--resamples", "100")
    agreed = frame_of(report["agreement"])
    assert set(found["criterion"]) == {"coherence", "consistency", "fluency", "relevance"}
    assert_same(found, agreed[agreed["criterion"] != "all criteria"], ["criterion", "coefficient"])
