"""The files of a report whose long tables are stored once: what can be had of them all the same."""

import io
import json
import zipfile

import pandas as pd
import pytest

from annotation.reports.files import report_file, report_files, report_zip, whole_report
from metrics.report import Options, build_report, stored, write_report
from tests.metrics.human.rows import table

SYSTEMS = ("s1", "s2", "s3", "s4", "s5")


@pytest.fixture
def report():
    rows = [
        {
            "assessor": who,
            "system": system,
            "item": f"i{k}",
            "criterion": "c",
            "value": (k + 2 * place) % 5 + 1,
        }
        for who in ("a", "b")
        for place, system in enumerate(SYSTEMS)
        for k in range(5)
    ]
    scores = pd.DataFrame(
        [
            {"metric": name, "system": system, "item": f"i{k}", "score": (place * (number + 3) + k) % 7 / 7}
            for number, name in enumerate(("one", "two", "three", "four", "five"))
            for place, system in enumerate(SYSTEMS)
            for k in range(5)
        ]
    )
    return build_report(table(rows, kind="rating"), scores=scores, options=Options(n_resamples=20))


@pytest.mark.filterwarnings("ignore::metrics.errors.UndefinedScoreWarning")
def test_a_table_that_is_stored_as_parquet_can_be_had_as_csv_and_latex(report, tmp_path, monkeypatch):
    monkeypatch.setattr(stored, "LONGEST", 4)
    folder = write_report(report, tmp_path / "report")
    names = {file.name for file in report_files(folder)}
    for entry in report.data["tables"]:
        assert f"tables/{entry['name']}.csv" in names
        assert (f"tables/{entry['name']}.tex" in names) == entry["tex"]
    slug = report.data["human"][0]["slug"]
    assert f"tables/correlations-{slug}.parquet" in names
    made = report_file(folder, f"tables/correlations-{slug}.csv")
    assert made.size is None
    lines = made.content().decode().splitlines()
    assert lines[0].startswith("metric,level,method,n,statistic")
    assert len(lines) == len(report.data["meta"][0]["correlations"]["rows"]) + 1
    assert b"toprule" in report_file(folder, f"tables/metrics-{slug}.tex").content()
    assert json.loads(whole_report(folder)) == report.data
    assert json.loads(report_file(folder, "report.json").content()) == report.data
    archive = io.BytesIO()
    report_zip(folder, archive, top="r")
    with zipfile.ZipFile(archive) as found:
        assert not [name for name in found.namelist() if name.endswith(".parquet")]
        assert json.loads(found.read("r/report.json")) == report.data
        assert found.read(f"r/tables/correlations-{slug}.csv") == made.content()
