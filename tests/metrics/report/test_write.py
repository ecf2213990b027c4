"""The folder of a report: what is in it, that it is whole or not there, and the same bytes each time."""

import json
import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pandas as pd
import pytest

from metrics.cli import main
from metrics.errors import BadInput
from metrics.frames import read_scores
from metrics.report import Cancelled, Options, build_report, read_report, records, stored, write_report
from metrics.tables import csv_text, read_table
from tests.metrics.human.rows import table
from tests.metrics.report.studies import METRICS, write_files

ROOT = Path(__file__).parents[3]


def contents(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def small():
    rows = [
        {
            "assessor": name,
            "system": system,
            "item": f"i{k}",
            "criterion": "adequacy",
            "value": (k + place) % 5,
        }
        for place, (name, system) in enumerate([("a", "X"), ("b", "X"), ("a", "Y"), ("b", "Y")])
        for k in range(4)
    ]
    return build_report(table(rows, kind="rating"))


def test_another_process_writes_the_same_bytes(folder, tmp_path):
    """The command, in a process of its own with other hashes of texts and two workers, on files in another order."""
    files = write_files(tmp_path)
    lines = files["outputs"].read_text().splitlines()
    files["outputs"].write_text("\n".join(reversed(lines)) + "\n")
    out = tmp_path / "again"
    texts = ["--outputs", files["outputs"], "--references", files["references"], "--processes", "2"]
    command = [
        sys.executable,
        "-m",
        "metrics",
        "report",
        files["judgments"],
        *texts,
        "--out",
        out,
        "--human",
        "adequacy",
        "--comparison",
        "wmt",
        "--figures",
        "--metric",
        *METRICS,
    ]
    done = subprocess.run(
        [str(word) for word in command],
        cwd=ROOT,
        env=os.environ | {"PYTHONHASHSEED": "17"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("best ")
    assert "report|data:" in done.stderr
    first, second = contents(folder), contents(out)
    assert list(first) == list(second)
    assert [name for name in first if first[name] != second[name]] == []


def test_everything_is_there(folder, of_adequacy):
    found = set(contents(folder))
    assert {"report.html", "report.json", "methods.txt"} <= found
    for spec in of_adequacy.data["figures"]:
        assert {f"figures/{spec['name']}.{form}" for form in ("svg", "pdf", "png", "csv")} <= found
    for each in of_adequacy.data["tables"]:
        csv, parquet = (f"tables/{each['name']}.{form}" in found for form in ("csv", "parquet"))
        assert csv != parquet  # each once
        assert (f"tables/{each['name']}.tex" in found) == (each["tex"] and csv)
    assert read_report(folder) == of_adequacy.data


def test_long_tables_are_stored_once_and_come_back_the_same(of_adequacy, tmp_path, monkeypatch, capsys):
    """Whatever is Parquet is neither CSV nor in report.json; export gives the CSV and LaTeX that would have been there."""
    plain = write_report(of_adequacy, tmp_path / "plain")
    monkeypatch.setattr(stored, "LONGEST", 3)
    folder = write_report(of_adequacy, tmp_path / "stored")
    kept = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    section = kept["meta"][0]
    assert section["correlations"].keys() == {"columns", "file"}
    assert section["williams"]["pvalue"].keys() == {"file"}
    assert not (folder / "figures").exists()
    assert read_report(folder) == of_adequacy.data
    assert (folder / "report.json").stat().st_size < (plain / "report.json").stat().st_size
    assert (
        main(
            ["export", str(folder), "--tables", "--figures", "csv", "--whole", "--out", str(tmp_path / "out")]
        )
        == 0
    )
    assert capsys.readouterr().out == f"{tmp_path / 'out'}\n"
    assert json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8")) == of_adequacy.data
    assert len(list((tmp_path / "out" / "figures").glob("*.csv"))) == len(of_adequacy.data["figures"])
    texts = {f"{table.name}.csv": csv_text(table.frame) for table in of_adequacy.tables}
    for path in (tmp_path / "out" / "tables").iterdir():
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".tex":
            assert text == (plain / "tables" / path.name).read_text(encoding="utf-8")
        elif path.name.startswith("williams"):
            ours, theirs = pd.read_csv(path), pd.read_csv(plain / "tables" / path.name)
            assert list(ours) == list(theirs)
            assert ours.drop(columns=["metric", "signature"]).to_numpy() == pytest.approx(
                theirs.drop(columns=["metric", "signature"]).to_numpy(), abs=5e-5, nan_ok=True
            )
        else:
            assert text == texts[path.name]


def test_a_report_that_somebody_else_wrote_names_no_file_elsewhere(of_adequacy, tmp_path, capsys):
    folder = write_report(of_adequacy, tmp_path / "theirs")
    data = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    data["figures"] = [data["figures"][0] | {"name": "../../elsewhere"}]
    (folder / "report.json").write_text(json.dumps(data), encoding="utf-8")
    assert main(["export", str(folder), "--figures", "csv", "--out", str(tmp_path / "a" / "out")]) == 2
    assert "expected a name of a figure that can be the name of a file" in capsys.readouterr().err
    assert not list(tmp_path.rglob("elsewhere*"))


def test_what_is_no_report_is_not_exported(tmp_path, capsys):
    assert main(["export", str(tmp_path)]) == 2
    assert "expected the folder of a report: it has no report.json" in capsys.readouterr().err


def test_the_page_needs_no_network(folder):
    page = (folder / "report.html").read_text(encoding="utf-8")
    loaded = re.findall(r"""(?:src|srcset|action)\s*=|<link|<script|@import|url\((?!#)""", page)
    assert loaded == []
    addresses = set(re.findall(r"https?://[^\s\"'<>)]+", page))
    assert {address for address in addresses if "w3.org" not in address} == set()


class _Page(HTMLParser):
    """What a screen reader needs of a page."""

    def __init__(self):
        super().__init__()
        self.ids, self.links, self.tables, self.captions, self.pictures, self.heads = [], [], 0, 0, [], 0

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.ids += [found["id"]] if "id" in found else []
        self.links += [found["href"]] if tag == "a" else []
        self.tables += tag == "table"
        self.captions += tag == "caption"
        self.heads += tag == "th" and found.get("scope") in ("col", "row")
        self.pictures += [found] if tag == "svg" else []


def test_the_page_is_accessible_and_its_links_lead_somewhere(folder):
    page = _Page()
    page.feed((folder / "report.html").read_text(encoding="utf-8"))
    assert len(page.ids) == len(set(page.ids))
    assert page.tables == page.captions > 5
    assert page.heads > 50
    assert all(picture["role"] in {"img", "group"} and picture["aria-label"] for picture in page.pictures)
    inside = {link[1:] for link in page.links if link.startswith("#")}
    assert inside <= set(page.ids)
    assert all((folder / link).is_file() for link in page.links if not link.startswith("#"))


def test_names_cannot_write_into_the_page(tmp_path):
    evil = "<script>alert(1)</script>"
    rows = [
        {"assessor": name, "system": system, "item": f"i{k}", "criterion": "a & $b$ {c}", "value": k % 3}
        for name in ("p", evil)
        for system in (evil, "=1+1")
        for k in range(3)
    ]
    report = build_report(table(rows, kind="rating"), title=evil)
    out = write_report(report, tmp_path / "out", figures=True)
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    for picture in (out / "figures").glob("*.svg"):
        assert ElementTree.parse(picture).getroot().tag.endswith("svg")
    tex = next((out / "tables").glob("systems-*.tex")).read_text(encoding="utf-8")
    assert r"a \& \$b\$ \{c\}" in tex
    cells = pd.read_csv(next((out / "tables").glob("systems-*.csv")))["system"]
    assert "'=1+1" in set(cells)
    assert set(read_scores(next((out / "tables").glob("human-scores-*.csv")))["system"]) == {evil, "=1+1"}


def table_file(tables, name):
    """The one file of a table."""
    return next(file for form in ("csv", "parquet") if (file := tables / f"{name}.{form}").is_file())


def test_score_tables_can_be_given_to_the_commands(folder, capsys):
    tables = folder / "tables"
    arguments = [
        "--human",
        table_file(tables, "human-scores-marks--adequacy"),
        "--metrics",
        table_file(tables, "metric-scores-item"),
    ]
    assert main(["correlate", *map(str, arguments), "--level", "item", "--method", "kendall"]) == 0
    assert "rouge-1-f,item,kendall" in capsys.readouterr().out


NAMES = [
    "[x]",
    "*best",
    "a---b",
    r"50 % & $x$ #1 {y} ~z ^w \n _u",
    "<b>|</b>",
    "=1+1",
    'quote\'s "end"',
    "é ñ ü ß ł",
    "s\nt\tu",
]


@pytest.fixture(scope="module")
def odd(tmp_path_factory):
    """Systems, criteria and metrics with every name that a format could take for something else, and one that is too long."""
    names = [*NAMES, "metric", "system", "long " * 60]
    criterion = "sure: 100 % [yes] & <no>"
    rows = [
        {
            "assessor": name,
            "system": system,
            "item": f"i{k}",
            "criterion": criterion,
            "value": (k + place + who) % 5,
        }
        for who, name in enumerate(("p", "q"))
        for place, system in enumerate(names)
        for k in range(4)
    ]
    scores = pd.DataFrame(
        [
            {"metric": metric, "system": system, "item": "", "score": (place * (number + 3)) % 7 + place / 9}
            for number, metric in enumerate(names)
            for place, system in enumerate(names)
        ]
    )
    report = build_report(table(rows, kind="rating"), scores=scores, options=Options(n_resamples=20))
    return write_report(report, tmp_path_factory.mktemp("odd") / "report", figures=True), report


def test_latex_tables_are_balanced_and_narrow(folder, odd):
    for path in [*(folder / "tables").glob("*.tex"), *(odd[0] / "tables").glob("*.tex")]:
        text = path.read_text(encoding="utf-8")
        columns = re.search(r"\\begin\{(?:tabular|longtable)\}\{([lr]+)\}", text)[1]
        rows = [line for line in text.splitlines() if line.endswith(r"\\") and "caption" not in line]
        assert all(line.count("&") - line.count(r"\&") == len(columns) - 1 for line in rows)
        assert len(columns) <= 12
        assert text.count(r"\begin") == text.count(r"\end{")
        assert text.count(r"\toprule") == text.count(r"\bottomrule") or "longtable" in text
        assert "_" not in text.replace(r"\_", "").split(r"\begin", 1)[1].split("label", 1)[0]


def test_latex_prints_rules_between_clusters(folder, of_adequacy):
    """As WMT's tables do."""
    systems = records(of_adequacy.data["human"][0]["systems"])
    text = (folder / "tables" / "systems-marks--adequacy.tex").read_text(encoding="utf-8")
    body = text.split(r"\midrule", 1)[1]
    assert body.count(r"\midrule") == systems[-1]["cluster"] - 1 > 0
    assert [line.split(" & ")[0] for line in body.splitlines() if line.endswith(r"\\")] == [
        row["system"] for row in systems
    ]


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdfLaTeX is not installed")
@pytest.mark.parametrize("encoding", ["", r"\usepackage[T1]{fontenc}"])
def test_latex_can_be_typeset(folder, odd, encoding, tmp_path):
    inputs = [
        rf"\input{{{path}}}\clearpage"
        for each in (folder, odd[0])
        for path in sorted((each / "tables").glob("*.tex"))
    ]
    head = rf"\documentclass{{article}}{encoding}\usepackage{{booktabs,longtable}}\begin{{document}}"
    (tmp_path / "all.tex").write_text("\n".join([head, *inputs, r"\end{document}"]), encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, errors="replace", check=False
    )
    assert done.returncode == 0, done.stdout[-800:]
    assert "Missing character" not in done.stdout


def test_letters_that_need_another_latex_are_announced(tmp_path):
    rows = [
        {"system": name, "item": f"i{k}", "criterion": "c", "value": k}
        for name in ("系统", "Łódź")
        for k in range(3)
    ]
    out = write_report(
        build_report(table(rows, kind="rating"), options=Options(n_resamples=20)), tmp_path / "out"
    )
    text = (out / "tables" / "systems-t--c.tex").read_text(encoding="utf-8")
    assert text.startswith("% has letters beyond Latin: typeset it with LuaLaTeX or XeLaTeX\n")


def test_odd_names_come_through_every_file(odd):
    folder, report = odd
    names = {row["system"] for row in records(report.data["human"][0]["systems"])}
    slug = report.data["human"][0]["slug"]
    assert set(read_scores(table_file(folder / "tables", f"human-scores-{slug}"))["system"]) == names
    matrix = pd.read_csv(folder / "tables" / f"williams-{slug}.csv", header=None)
    assert len(matrix) == len(names) + 1
    assert "'=1+1" in set(matrix.iloc[0])  # a head is run by a spreadsheet as a cell is
    for picture in (folder / "figures").glob("*.svg"):
        assert ElementTree.parse(picture).getroot().tag.endswith("svg")
    assert all(len(path.name) < 200 for path in folder.rglob("*"))


def test_every_table_and_figure_says_how_its_numbers_were_made(folder, of_adequacy):
    """Scores of metrics are many: their signatures are in metrics.csv, by metric and level."""
    version = "version:touchstone-"
    for path in [*(folder / "tables").glob("*.[cp]*"), *(folder / "figures").glob("*.csv")]:
        table_ = read_table(path)
        if path.name.startswith("metric-scores"):
            continue
        assert table_["signature"].str.contains(version).all(), path.name
    for path in (folder / "tables").glob("*.tex"):
        assert version in path.read_text(encoding="utf-8").splitlines()[0]
    info = read_table(table_file(folder / "tables", "metrics"))
    for level in ("system", "item"):
        scored_ = read_table(table_file(folder / "tables", f"metric-scores-{level}"))
        assert set(scored_["metric"]) == set(info.loc[info["level"] == level, "metric"])
    page = _Page()
    page.feed((folder / "report.html").read_text(encoding="utf-8"))
    used = {link[1:] for link in page.links if re.fullmatch(r"#s\d+", link)}
    of_systems = {
        row["signature"] for row in records(of_adequacy.data["metrics"]) if row["level"] == "system"
    }
    assert of_systems < used


def test_a_newer_report_takes_the_place_of_an_older_one(tmp_path):
    report = small()
    out = write_report(report, tmp_path / "out")
    (out / "tables" / "of-a-task-that-is-gone.csv").write_text("from before")
    write_report(report, out)
    assert not (out / "tables" / "of-a-task-that-is-gone.csv").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("kept", ["thesis.tex", "tables/notes.docx", "figures/old/plot.svg", ".git/HEAD"])
@pytest.mark.parametrize("beside", ["a report", "report.json of another program", "nothing"])
def test_a_folder_of_something_else_is_left_alone(kept, beside, tmp_path):
    report, out = small(), tmp_path / "out"
    if beside == "a report":
        write_report(report, out)
    (out / kept).parent.mkdir(parents=True, exist_ok=True)
    (out / kept).write_text("years of work")
    if beside == "report.json of another program":
        (out / "report.json").write_text('{"pages": 3}')
    before = contents(out)
    with pytest.raises(BadInput, match="expected a folder of a report"):
        write_report(report, out)
    assert contents(out) == before


def test_a_report_json_of_another_program_is_no_report(tmp_path):
    (tmp_path / "report.json").write_text('{"pages": 3}')
    with pytest.raises(BadInput, match="expected a folder of a report"):
        write_report(small(), tmp_path)


def test_a_place_that_is_taken_is_told_before_anything_is_computed(tmp_path, capsys):
    (tmp_path / "thesis.tex").write_text("years of work")
    judgments = tmp_path / "no-such-file.csv"
    assert main(["report", str(judgments), "--out", str(tmp_path)]) == 2
    assert "expected a folder of a report" in capsys.readouterr().err


def test_stopping_leaves_the_older_report_whole_and_nothing_half(tmp_path):
    report = small()
    out = write_report(report, tmp_path / "out")
    before = contents(out)
    asked = []
    with pytest.raises(Cancelled):
        write_report(report, out, figures=True, cancelled=lambda: asked.append(None) or len(asked) > 2)
    assert contents(out) == before
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match="cannot be written"):
        write_report(small(), tmp_path / "file" / "out")


def test_the_command_names_a_bad_option(tmp_path, capsys):
    files = write_files(tmp_path)
    assert main(["report", str(files["judgments"]), "--out", str(tmp_path / "out"), "--human", "beauty"]) == 2
    assert "marks/adequacy" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
