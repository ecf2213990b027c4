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


def test_the_seed_decides_the_interval(judgments, capsys):
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
    assert [line.split("|")[0] for line in answer["signatures"]] == [
        "percent",
        "alpha-ordinal",
        "alpha-interval",
    ]
    assert list(answer["rows"][0]) == COLUMNS


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
