"""``python -m metrics significance-prediction`` on files."""

import io
import itertools
import json

import pandas as pd
import pytest
from statsmodels.stats.weightstats import CompareMeans, DescrStatsW

from metrics.cli import main
from tests.metrics.cli.tables import SYSTEMS, matrices, write_tables

COLUMNS = ["metric", "alpha", "recall", "precision", "hits", "human", "automatic"]


@pytest.fixture
def files(tmp_path):
    return write_tables(tmp_path)


def run(capsys, files, *options):
    code = main(["significance-prediction", "--human", str(files[0]), "--metrics", str(files[1]), *options])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def significant(values, alpha):
    """Pairs that differ by statsmodels' z-test, with the direction."""
    found = set()
    for i, j in itertools.combinations(range(len(SYSTEMS)), 2):
        z, p = CompareMeans(DescrStatsW(values[i]), DescrStatsW(values[j])).ztest_ind(usevar="unequal")
        if p <= alpha:
            found.add((i, j, z > 0))
    return found


def test_the_curve_counts_significant_pairs(capsys, files):
    code, out, err = run(capsys, files)
    table = pd.read_csv(io.StringIO(out))
    assert code == 0
    assert table.columns.tolist() == COLUMNS
    assert len(table) == 3 * 5
    data = matrices()
    for row in table.itertuples():
        human = significant(data["coverage"], row.alpha)
        automatic = significant(-data["error"] if row.metric == "error" else data[row.metric], row.alpha)
        assert (row.hits, row.human, row.automatic) == (len(human & automatic), len(human), len(automatic))
        if row.automatic:
            assert row.precision == pytest.approx(row.hits / row.automatic)
        assert row.recall == pytest.approx(row.hits / row.human)
    assert "close: significance-prediction|test:z|alternative:two-sided|pairs:15|" in err


def test_levels_and_test_can_be_chosen(capsys, files):
    options = (
        "--alpha",
        "0.2",
        "0.01",
        "--test",
        "randomization",
        "--resamples",
        "300",
        "--seed",
        "8",
        "--json",
    )
    code, out, _ = run(capsys, files, *options)
    document = json.loads(out)
    assert code == 0
    assert [row["alpha"] for row in document["rows"]] == [0.2, 0.01] * 3
    assert "test:randomization" in document["signatures"]["loose"]
    assert "|resamples:300|seed:8|" in document["signatures"]["loose"]


def test_a_level_of_1_is_refused(capsys, files):
    with pytest.raises(SystemExit) as stopped:
        run(capsys, files, "--alpha", "1")
    assert stopped.value.code == 2
    assert "argument --alpha: expected a number between 0 and 1, found '1'" in capsys.readouterr().err


def test_system_scores_cannot_be_tested(capsys, tmp_path, files):
    only = tmp_path / "systems.csv"
    pd.DataFrame({"metric": "bleu", "system": SYSTEMS, "item": "", "score": range(6)}).to_csv(
        only, index=False
    )
    code, out, err = run(capsys, (files[0], only))
    assert (code, out) == (2, "")
    assert "systems.csv, column item: expected scores of bleu for single items" in err
