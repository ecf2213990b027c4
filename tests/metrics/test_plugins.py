"""A metric and a task kind of another distribution, with nothing else changed: from files to the report.

Their modules are the examples of the documentation, as they stand there.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from metrics.automatic import registry as metric_registry
from metrics.cli import main
from metrics.errors import BadInput
from metrics.frames import read_scores
from metrics.human import human_score, human_summary, kinds, score_meaning
from metrics.human.tables import human_tables
from metrics.meta.agreement import agreement
from metrics.plugins import HUMAN_KINDS, METRIC_FAMILIES
from metrics.report.book import records
from tests.metrics.automatic.contract import CHECKS
from tests.metrics.distributions import documented_module, importable, install
from tests.metrics.human.rows import scores, table
from tests.metrics.report.studies import write_files

ROOT = Path(__file__).parents[2]
SYSTEMS, ITEMS = ("plain", "short", "shout"), ("i1", "i2", "i3", "i4")


@pytest.fixture
def installed(tmp_path_factory):
    folder = install(
        tmp_path_factory.mktemp("site"),
        "outsiders",
        modules={
            "overlap": documented_module("automatic-metrics.md", "FAMILY"),
            "headline": documented_module("human-scores.md", "KIND"),
        },
        entry_points={
            METRIC_FAMILIES: {"overlap": "outsiders.overlap"},
            HUMAN_KINDS: {"headline": "outsiders.headline"},
        },
    )
    with importable(folder):
        yield folder


# --- a metric -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_an_invented_metric_is_held_to_what_it_declares(installed, check):
    check("overlap")


def test_an_invented_metric_that_lies_is_caught(tmp_path):
    source = documented_module("automatic-metrics.md", "FAMILY")
    liar = source.replace("identity=1.0", "identity=0.5, higher_is_better=False").replace(
        '"overlap"', '"liar"'
    )
    folder = install(
        tmp_path, "liars", modules={"liar": liar}, entry_points={METRIC_FAMILIES: {"liar": "liars.liar"}}
    )
    with importable(folder):
        failed = []
        for check in CHECKS:
            try:
                check("liar")
            except AssertionError:
                failed.append(check.__name__)
    assert failed == [
        "an_output_equal_to_its_reference_has_the_declared_score",
        "a_better_text_scores_better_in_the_declared_direction",
    ]


def test_the_command_line_scores_by_an_invented_metric_in_its_own_processes(installed, tmp_path):
    """The command as it is typed, with two workers: they must find the plug-in as well."""
    files = write_files(tmp_path)
    out = tmp_path / "scores.csv"
    arguments = ["score", "--outputs", files["outputs"], "--references", files["references"]]
    arguments += ["--metric", "overlap", "bleu", "--level", "system", "--processes", "2", "--out", out]
    path = os.pathsep.join([str(installed), str(ROOT)])
    done = subprocess.run(
        [sys.executable, "-m", "metrics", *map(str, arguments)],
        env=os.environ | {"PYTHONPATH": path},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "")
    assert "overlap|tok:mteval|references:" in done.stderr
    found = read_scores(out)
    assert set(found["metric"]) == {"overlap", "bleu"}
    assert found.loc[found["metric"] == "overlap", "score"].between(0, 1).all()


def test_an_invented_metric_goes_on_to_correlations_and_the_report(installed, tmp_path, capsys):
    files = write_files(tmp_path)
    texts = ["--outputs", str(files["outputs"]), "--references", str(files["references"])]
    human, made = tmp_path / "human.csv", tmp_path / "scores.csv"
    assert main(["human", str(files["judgments"]), "--score", "adequacy", "--out", str(human)]) == 0
    assert main(["score", *texts, "--metric", "overl*", "--processes", "1", "--out", str(made)]) == 0
    capsys.readouterr()
    assert main(["correlate", "--human", str(human), "--metrics", str(made), "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert row["metric"] == "overlap"
    # The made study keeps fewer words of a reference the lower a system stands.
    assert row["statistic"] > 0.5

    folder = tmp_path / "report"
    chosen = ["--human", "adequacy", "--metric", "overlap", "chrf", "--resamples", "20", "--processes", "1"]
    assert main(["report", str(files["judgments"]), *texts, *chosen, "--out", str(folder)]) == 0
    data = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert "overlap" in [line.split("|")[0] for line in data["signatures"].values()]
    assert any("families overlap and chrf" in paragraph for paragraph in data["methods"])
    rows = data["meta"][0]["summary"]
    column = rows["columns"].index("metric")
    assert "overlap" in [line[column] for line in rows["rows"]]
    assert "overlap" in (folder / "report.html").read_text(encoding="utf-8")


def test_an_invented_metric_is_among_the_defaults_it_asks_to_be_among(installed):
    assert "overlap" in [choice.name for choice in metric_registry.select()]


# --- a task kind ----------------------------------------------------------------------------------------------------


def headlines():
    """Three people on four items of three systems: the first opens all but the shouting, the third nothing."""
    opens = {"p1": {"plain": 1, "short": 1, "shout": 0}, "p2": {"plain": 1, "short": 0, "shout": 0}, "p3": {}}
    return table(
        [
            {"assessor": person, "system": system, "item": item, "position": position, "seconds": 5.0}
            | {"value": known.get(system, 0), "revision": 1}
            for person, known in opens.items()
            for position, (system, item) in enumerate(((s, i) for s in SYSTEMS for i in ITEMS), start=1)
        ],
        kind="headline",
        criterion="open",
        practice=False,
    )


def test_an_invented_kind_has_scores_a_summary_tables_and_agreement(installed):
    rows = headlines()
    assert scores(human_score(rows, "opened"))["plain", "i1"] == pytest.approx(2 / 3)
    summary = human_summary(rows).set_index("system")["mean"]
    assert summary.to_dict() == pytest.approx({"plain": 2 / 3, "short": 1 / 3, "shout": 0})
    (shares,) = human_tables(rows)["t"]
    assert (shares.name, shares.rows[0]) == ("by-item", ("i1", pytest.approx(1 / 3), 9))
    agreed = agreement(rows, coefficients=["percent"], n_resamples=0)
    assert agreed.loc[0, "value"] == pytest.approx((1 / 3 + 1 / 3 + 1) / 3)
    assert score_meaning("headline", "opened") == "The share of people who would open the text."


def test_an_invented_kind_goes_through_the_commands_to_the_report(installed, tmp_path, capsys):
    path = tmp_path / "judgments.csv"
    headlines().to_csv(path, index=False)
    assert main(["human", str(path), "--score", "opened", "--normalise", "mean"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("metric,system,item,score\nopened,plain,i1,")
    assert err.startswith("opened|level:item|normalise:mean|")
    assert main(["agreement", str(path), "--resamples", "0"]) == 0
    assert "t,open,percent,0.555" in capsys.readouterr().out

    folder = tmp_path / "report"
    assert main(["report", str(path), "--resamples", "20", "--out", str(folder)]) == 0
    data = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert [(section["id"], section["kind"]) for section in data["human"]] == [("t/opened", "headline")]
    assert [(table["name"], table["note"]) for table in data["details"]] == [("by-item", "Over all systems.")]
    assert any(
        "opened is the share of assessors who would open the text." in part for part in data["methods"]
    )
    assert [row["why"] for row in data["left_out"]] == []
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "the share of assessors who would open the text" in page
    assert "Opened, item by item" in page
    assert len(pd.read_csv(folder / "tables" / f"systems-{data['human'][0]['slug']}.csv")) == 3


def test_a_score_for_which_lower_is_better_is_negated_before_it_is_compared(tmp_path, capsys):
    source = (
        documented_module("human-scores.md", "KIND").replace("headline", "slip").replace("opened", "slips")
    )
    source = source.replace('meaning="The', 'higher_is_better=False, meaning="The')
    folder = install(
        tmp_path / "site",
        "slips",
        modules={"slip": source},
        entry_points={HUMAN_KINDS: {"slip": "slips.slip"}},
    )
    path, made = tmp_path / "judgments.csv", tmp_path / "scores.csv"
    headlines().assign(kind="slip").to_csv(path, index=False)
    with importable(folder):
        for level in ("item", "system"):
            assert main(["human", str(path), "--score", "slips", "--level", level, "--out", str(made)]) == 0
            given = read_scores(made)
            assert not given["higher_is_better"].any()
            assert given.loc[given["system"] == "plain", "score"].tolist()[0] == pytest.approx(2 / 3)
        assert main(["report", str(path), "--resamples", "20", "--out", str(tmp_path / "report")]) == 0
    data = json.loads((tmp_path / "report" / "report.json").read_text(encoding="utf-8"))
    rows = records(data["human"][0]["systems"])
    assert [(row["system"], row["mean"]) for row in rows] == [
        ("shout", 0),
        ("short", pytest.approx(-1 / 3)),
        ("plain", pytest.approx(-2 / 3)),
    ]
    assert "open the text, negated, because lower is better" in " ".join(data["methods"])


# --- what is wrong with a plug-in -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (
            "import nothing_of_that_name",
            "cannot load bad.bad (entry point bad in {group} of bad 1.0): ModuleNotFound",
        ),
        ("1 / 0", "cannot load bad.bad (entry point bad in {group} of bad 1.0): ZeroDivisionError"),
        ("", "expected {what} in bad.bad (entry point bad in {group} of bad 1.0)"),
        ("KIND = FAMILY = 'rating'", "expected {what} in bad.bad (entry point bad in {group} of bad 1.0)"),
    ],
)
@pytest.mark.parametrize(
    ("group", "what", "look_up", "command"),
    [
        (HUMAN_KINDS, "KIND, a HumanKind,", kinds, "human"),
        (METRIC_FAMILIES, "FAMILY, a Family,", metric_registry.families, "score"),
    ],
)
def test_a_plug_in_that_cannot_be_used_is_named(
    tmp_path, capsys, source, message, group, what, look_up, command
):
    folder = install(tmp_path, "bad", modules={"bad": source}, entry_points={group: {"bad": "bad.bad"}})
    expected = message.format(group=group, what=what)
    with importable(folder):
        with pytest.raises(BadInput, match=re.escape(expected)):
            look_up()
        assert main([command, "--help"]) == 2
        err = capsys.readouterr().err
        assert expected in err
        assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("page", "declares", "name", "group", "look_up", "message"),
    [
        (
            "human-scores.md",
            "KIND",
            ('"headline"', '"rating"'),
            HUMAN_KINDS,
            kinds,
            "two kinds are called rating: ",
        ),
        (
            "human-scores.md",
            "KIND",
            ('"opened"', '"likert"'),
            HUMAN_KINDS,
            kinds,
            "two kinds declare another score likert: metrics.human.likert and ",
        ),
        (
            "automatic-metrics.md",
            "FAMILY",
            ('"overlap"', '"bleu"'),
            METRIC_FAMILIES,
            metric_registry.families,
            "two families are called bleu: metrics.automatic.bleu and ",
        ),
        (
            "automatic-metrics.md",
            "FAMILY",
            ('Metric("overlap"', 'Metric("wer"'),
            METRIC_FAMILIES,
            metric_registry.metrics,
            "two metrics are called wer, of the families wer and overlap",
        ),
    ],
)
def test_a_name_that_is_taken_is_refused_with_both_owners(
    tmp_path, page, declares, name, group, look_up, message
):
    source = documented_module(page, declares).replace(*name)
    folder = install(
        tmp_path, "taken", modules={"mine": source}, entry_points={group: {"mine": "taken.mine"}}
    )
    with importable(folder), pytest.raises(BadInput, match=re.escape(message)):
        look_up()


def test_when_a_distribution_is_gone_so_is_what_it_brought(tmp_path):
    source = documented_module("human-scores.md", "KIND").replace("headline", "passing")
    source = source.replace('"opened"', '"passed"')
    entry_points = {HUMAN_KINDS: {"passing": "visitors.passing"}}
    with importable(install(tmp_path, "visitors", modules={"passing": source}, entry_points=entry_points)):
        assert "passing" in kinds()
    assert "passing" not in kinds()
