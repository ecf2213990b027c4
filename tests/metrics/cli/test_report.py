"""``python -m metrics report --json``."""

import json

from metrics.cli import main
from tests.metrics.human.rows import table


def test_json_is_what_the_folder_holds(tmp_path, capsys):
    rows = [{"item": item, "value": value} for item, value in (("i1", 1), ("i2", 3))]
    judgments, folder = tmp_path / "judgments.csv", tmp_path / "report"
    table(rows, kind="rating", criterion="adequacy").to_csv(judgments, index=False)
    command = ["report", str(judgments), "--out", str(folder), "--resamples", "20", "--processes", "1"]
    assert main([*command, "--json"]) == 0
    out, err = capsys.readouterr()
    assert out == (folder / "report.json").read_text(encoding="utf-8")
    assert all("|version:touchstone-" in line for line in json.loads(out)["signatures"].values())
    assert "|version:" not in err
