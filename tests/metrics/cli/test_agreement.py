"""``python -m metrics agreement`` on a file, against SummEval's known values and by hand."""

import io
import json

import numpy as np
import pandas as pd
import pytest

from metrics.cli import main
from metrics.frames import JUDGMENT_COLUMNS
from metrics.meta.agreement import agreement_coefficient
from tests.metrics.human.rows import table

COLUMNS = ["task", "criterion", "coefficient", "value", "low", "high", "items", "assessors"]


@pytest.fixture
def judgments(tmp_path):
    marks = {"a1": [1, 2, 3, 4], "a2": [1, 2, 4, 4]}
    rows = [
        {"assessor": assessor, "item": f"i{n}", "criterion": "adequacy", "value": value}
        for assessor, values in marks.items()
        for n, value in enumerate(values)
    ]
    path = tmp_path / "judgments.csv"
    table(rows, kind="rating").to_csv(path, index=False)
    return path


def test_the_columns_are_those_of_the_contract(judgments, capsys):
    assert (
        main(["agreement", str(judgments), "--coefficient", "percent", "alpha-ordinal", "--seed", "3"]) == 0
    )
    out, err = capsys.readouterr()
    found = pd.read_csv(io.StringIO(out))
    assert list(found.columns) == COLUMNS
    assert found["coefficient"].tolist() == ["percent", "alpha-ordinal"]
    assert found.loc[0, ["value", "items", "assessors"]].tolist() == [0.75, 4, 2]
    assert err.count("seed:3") == 2


def test_the_seed_decides_the_interval_of_many_items(tmp_path, capsys):
    judgments = tmp_path / "judgments.csv"
    rows = [
        {
            "assessor": who,
            "item": f"i{n}",
            "criterion": "adequacy",
            "value": 1 + (n + (who == "a2") * (n % 3)) % 4,
        }
        for who in ("a1", "a2")
        for n in range(24)
    ]
    table(rows, kind="rating").to_csv(judgments, index=False)
    answers = []
    for seed in ("1", "1", "2"):
        main(
            [
                "agreement",
                str(judgments),
                "--coefficient",
                "alpha-interval",
                "--seed",
                seed,
                "--resamples",
                "37",
            ]
        )
        answers.append(capsys.readouterr().out)
    assert answers[0] == answers[1] != answers[2]


def test_json_lists_one_signature_per_coefficient(judgments, capsys):
    assert main(["agreement", str(judgments), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert list(answer["signatures"]) == ["percent", "alpha-ordinal", "alpha-interval"]
    assert list(answer["rows"][0]) == COLUMNS


@pytest.mark.parametrize(
    ("name", "criterion", "why"),
    [
        ("intra-percent", "adequacy", "nobody was shown an item again"),
        ("alignment-f1", "mark", "it has no marks of units"),
    ],
)
def test_a_coefficient_without_data_is_nan_with_a_warning(judgments, capsys, name, criterion, why):
    assert main(["agreement", str(judgments), "--coefficient", "percent", name]) == 0
    out, err = capsys.readouterr()
    found = pd.read_csv(io.StringIO(out))
    assert found[["criterion", "coefficient", "items", "assessors"]].to_numpy().tolist() == [
        ["adequacy", "percent", 4, 2],
        [criterion, name, 0, 0],
    ]
    assert found.loc[1, ["value", "low", "high"]].isna().all()
    assert f"warning: {name} is undefined for task t: {why}" in err


def test_judgments_of_one_item_have_no_interval_and_say_so(tmp_path, capsys):
    rows = [
        {"assessor": assessor, "system": system, "criterion": "adequacy", "value": value}
        for assessor, system, value in (("a1", "A", 1), ("a2", "A", 1), ("a1", "B", 2), ("a2", "B", 3))
    ]
    path = tmp_path / "judgments.csv"
    table(rows, kind="rating").to_csv(path, index=False)
    assert main(["agreement", str(path), "--coefficient", "percent"]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[1] == "t,adequacy,percent,0.5,,,1,2"
    assert err.startswith("warning: no interval for task t: all that can be compared is about one item\n")
    assert main(["agreement", str(path), "--coefficient", "percent", "--resamples", "0"]) == 0
    assert "warning" not in capsys.readouterr().err


def test_texts_alone_cannot_agree(tmp_path, capsys):
    path = tmp_path / "judgments.csv"
    table([{"criterion": "comment", "label": "Fine."}], kind="rating").to_csv(path, index=False)
    assert main(["agreement", str(path)]) == 2
    assert "expected judgments with numbers, found texts only" in capsys.readouterr().err
    assert main(["agreement", str(path), "--coefficient", "percent"]) == 0
    assert "percent is undefined for task t: it has no judgments with numbers" in capsys.readouterr().err


def test_a_task_that_is_not_there_is_answered_with_those_that_are(judgments, capsys):
    assert main(["agreement", str(judgments), "--task", "zz"]) == 2
    assert f"{judgments}, column task: expected a task among t, found 'zz'" in capsys.readouterr().err


def test_a_warning_is_said_once(tmp_path, capsys):
    rows = [
        {"assessor": assessor, "item": item, "criterion": criterion, "value": 1}
        for assessor in ("a1", "a2")
        for item in ("i1", "i2")
        for criterion in ("adequacy", "fluency", "style")
    ]
    path = tmp_path / "judgments.csv"
    table(rows, kind="rating").to_csv(path, index=False)
    assert main(["agreement", str(path), "--coefficient", "alpha-nominal"]) == 0
    assert capsys.readouterr().err.count("warning: alpha-nominal is undefined") == 1


def test_an_unknown_coefficient_is_one_line_and_exit_code_2(judgments, capsys):
    assert main(["agreement", str(judgments), "--coefficient", "kappa"]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)


def test_summeval_experts_per_criterion(shared, tmp_path, capsys):
    """1,200 summaries by three experts as a file of judgments; the oracle is the package krippendorff."""
    krippendorff = pytest.importorskip("krippendorff")
    ratings = pd.read_csv(shared / "data" / "summeval" / "ratings_long_12sys.csv").query("group == 'expert'")
    criteria = ["coherence", "consistency", "fluency", "relevance"]
    long = ratings.melt(["system", "doc", "rater"], criteria, "criterion", "value")
    long = long.rename(columns={"doc": "item", "rater": "assessor"}).assign(
        study="summeval", task="q", kind="rating"
    )
    path = tmp_path / "summeval.csv"
    long.reindex(columns=list(JUDGMENT_COLUMNS)).to_csv(path, index=False)
    assert (
        main(["agreement", str(path), "--coefficient", "alpha-ordinal", "--resamples", "100", "--json"]) == 0
    )
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [row["criterion"] for row in rows] == criteria
    for row in rows:
        marks = long[long["criterion"] == row["criterion"]]
        matrix = marks.pivot_table(index="assessor", columns=["system", "item"], values="value").to_numpy()
        assert row["value"] == pytest.approx(krippendorff.alpha(matrix, level_of_measurement="ordinal"))
        assert row["low"] < row["value"] < row["high"]
        assert (row["items"], row["assessors"]) == (100, 3)
    everything = np.concatenate(
        [
            long[long["criterion"] == name].pivot_table(
                index=["system", "item"], columns="assessor", values="value"
            )
            for name in criteria
        ]
    )
    assert round(agreement_coefficient(everything, "alpha-ordinal", n_resamples=0).statistic, 4) == 0.7135
