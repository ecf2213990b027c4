"""``python -m metrics correlate`` on files, its columns (the contract of the files) and its refusals."""

import io
import json

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from metrics.cli import main
from metrics.meta.accuracy import tie_calibrated_accuracy
from tests.metrics.cli.tables import ITEMS, SYSTEMS, long, matrices, write_tables

COLUMNS = ["metric", "level", "method", "n", "statistic", "pvalue", "low", "high"]


@pytest.fixture
def files(tmp_path):
    return write_tables(tmp_path)


def run(capsys, files, *options):
    code = main(["correlate", "--human", str(files[0]), "--metrics", str(files[1]), *options])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_the_columns_and_values_are_those_of_scipy(capsys, files):
    code, out, err = run(capsys, files, "--level", "system", "--method", "pearson")
    table = pd.read_csv(io.StringIO(out))
    assert code == 0
    assert table.columns.tolist() == COLUMNS
    assert table["metric"].tolist() == ["close", "loose", "error"]
    data = matrices()
    for row in table.itertuples():
        metric = data[row.metric].mean(axis=1) * (-1 if row.metric == "error" else 1)
        expected = stats.pearsonr(data["coverage"].mean(axis=1), metric)
        interval = expected.confidence_interval()
        assert (row.statistic, row.pvalue) == pytest.approx((expected.statistic, expected.pvalue))
        assert (row.low, row.high) == pytest.approx((interval.low, interval.high))
        assert row.n == 6
    assert "close: pearson|level:system|n:6|" in err


def test_a_lower_is_better_metric_is_negated(capsys, files):
    _, out, _ = run(capsys, files)
    assert pd.read_csv(io.StringIO(out)).set_index("metric").loc["error", "statistic"] > 0.5


@pytest.mark.parametrize("level", ["item", "global", "system-average"])
@pytest.mark.parametrize("method", ["spearman", "kendall", "r2"])
def test_all_levels_and_methods_are_there(capsys, files, level, method):
    code, out, _ = run(capsys, files, "--level", level, "--method", method)
    table = pd.read_csv(io.StringIO(out))
    assert code == 0
    assert set(table["level"]) == {level}
    assert set(table["n"]) == {{"item": 12, "global": 72, "system-average": 6}[level]}
    assert table[["statistic", "low", "high"]].notna().all(axis=None)
    without = level == "global" if method.startswith("kendall") else method == "r2" and level != "global"
    assert table["pvalue"].isna().all() == without


def test_json_has_rows_and_signatures(capsys, files):
    code, out, err = run(
        capsys, files, "--json", "--interval", "bootstrap-both", "--resamples", "50", "--seed", "5"
    )
    document = json.loads(out)
    assert code == 0
    assert list(document["rows"][0]) == COLUMNS
    assert "resamples:50|seed:5" in document["signatures"]["close"]
    assert err == ""


def test_the_same_seed_gives_the_same_bytes(capsys, files):
    options = ("--interval", "bootstrap-systems", "--resamples", "200", "--seed")
    first, again, other = (run(capsys, files, *options, seed)[1] for seed in ("1", "1", "2"))
    assert first == again != other


def test_accuracies_are_methods_too(capsys, files):
    data = matrices()
    _, out, err = run(capsys, files, "--method", "accuracy-ties", "--level", "item")
    row = pd.read_csv(io.StringIO(out)).iloc[0]
    expected = tie_calibrated_accuracy(data["coverage"], data["close"], level="item")
    assert row["statistic"] == pytest.approx(expected.statistic)
    assert f"epsilon:{expected.epsilon}" in err
    for method in ("accuracy", "soft-accuracy"):
        code, out, _ = run(capsys, files, "--method", method)
        assert code == 0
        assert pd.read_csv(io.StringIO(out))["statistic"].between(0, 1).all()
        assert run(capsys, files, "--method", method, "--level", "item")[0] == 2


def test_a_corpus_level_metric_brings_its_own_system_scores(capsys, tmp_path, files):
    scores = [3.0, 1.0, 2.0, 5.0, 4.0, 6.0]
    metrics = tmp_path / "bleu.csv"
    pd.DataFrame({"metric": "bleu", "system": SYSTEMS, "item": "", "score": scores}).to_csv(
        metrics, index=False
    )
    code, out, _ = run(capsys, (files[0], metrics))
    expected = stats.pearsonr(matrices()["coverage"].mean(axis=1), scores).statistic
    assert code == 0
    assert pd.read_csv(io.StringIO(out))["statistic"][0] == pytest.approx(expected)
    code, out, err = run(capsys, (files[0], metrics), "--level", "item")
    assert (code, out) == (2, "")
    assert "bleu.csv, column item: expected scores of bleu for single items" in err


def test_two_systems_give_nan_and_a_warning(capsys, tmp_path, files):
    few = tmp_path / "few.csv"
    long("close", matrices()["close"][:2], systems=SYSTEMS[:2]).to_csv(few, index=False)
    code, out, err = run(capsys, (files[0], few))
    row = pd.read_csv(io.StringIO(out)).iloc[0]
    assert code == 0
    assert row["n"] == 2
    assert np.isnan(row["statistic"])
    assert "warning: a correlation over 2 systems is undefined: 3 are needed" in err


@pytest.mark.parametrize(("method", "needed"), [("kendall", 5), ("pearson", 4), ("spearman", 4)])
def test_too_few_systems_for_an_interval_are_said(capsys, tmp_path, files, method, needed):
    """Bonett & Wright (2000): the interval's variance is .437/(n − 4) for τ, and 1/(n − 3) for r."""
    few = tmp_path / "few.csv"
    for n, defined in ((needed - 1, False), (needed, True)):
        # The first two systems have changed places, so that no correlation is 1.
        long("loose", matrices()["coverage"][[1, 0, *range(2, n)]], systems=SYSTEMS[:n]).to_csv(
            few, index=False
        )
        code, out, err = run(capsys, (files[0], few), "--method", method)
        row = pd.read_csv(io.StringIO(out)).iloc[0]
        assert code == 0
        assert np.isfinite(row["statistic"])
        assert np.isfinite(row["low"]) == np.isfinite(row["high"]) == defined
        said = f"warning: no interval for loose: Fisher's z needs at least {needed} systems for {method}"
        assert (said in err) == (not defined)


def test_a_correlation_of_one_has_no_interval_and_says_why(capsys, tmp_path, files):
    same = tmp_path / "same.csv"
    long("copy", matrices()["coverage"]).to_csv(same, index=False)
    _, out, err = run(capsys, (files[0], same), "--method", "spearman")
    assert np.isnan(pd.read_csv(io.StringIO(out)).iloc[0]["low"])
    assert "warning: no interval for copy: a correlation of 1 or −1" in err


def test_no_interval_of_a_concordance_is_said(capsys, tmp_path, files):
    same = tmp_path / "same.csv"
    long("copy", matrices()["coverage"]).to_csv(same, index=False)
    _, out, err = run(capsys, (files[0], same), "--method", "ccc")
    assert pd.read_csv(io.StringIO(out))["low"].isna().all()
    assert "warning: no interval for copy: the scores lie on a straight line" in err


def test_item_means_of_a_corpus_metric_are_called_so(capsys, tmp_path, files):
    table = pd.concat([long("bleu", matrices()["close"]), long("rouge-1-f", matrices()["loose"])])
    table.to_csv(tmp_path / "items.csv", index=False)
    _, out, _ = run(capsys, (files[0], tmp_path / "items.csv"), "--json")
    [note] = json.loads(out)["notes"]
    assert note.startswith("compared by means of item scores: bleu.")
    _, out, _ = run(capsys, (files[0], tmp_path / "items.csv"), "--json", "--level", "item")
    assert json.loads(out)["notes"] == []
    table.groupby(["metric", "system"], as_index=False)["score"].mean().assign(item="").to_csv(
        tmp_path / "systems.csv", index=False
    )
    _, out, _ = run(capsys, (files[0], tmp_path / "systems.csv"), "--json")
    assert json.loads(out)["notes"] == []


def test_means_over_different_items_are_called_so(capsys, tmp_path, files):
    data = matrices()
    more = [long(name, data[name][:, 2:], items=[*ITEMS[3:], "extra"]) for name in ("close", "loose")]
    pd.concat([*more, long("error", data["error"])]).to_csv(tmp_path / "other.csv", index=False)
    _, _, err = run(capsys, (files[0], tmp_path / "other.csv"))
    assert err.splitlines()[-1] == (
        "system scores are means over different items: 12 of the human scores, 10 of close and 1 more; 9 are the same"
    )
    assert "different items" not in run(capsys, files)[2]
    assert "different items" not in run(capsys, (files[0], tmp_path / "other.csv"), "--level", "item")[2]


@pytest.mark.parametrize("option", [("--alternative", "less"), ("--interval", "fisher")])
def test_an_accuracy_refuses_what_it_has_no_use_for(capsys, files, option):
    code, out, err = run(capsys, files, "--method", "accuracy", *option)
    assert (code, out) == (2, "")
    assert f"leave out {option[0]}" in err


def test_one_of_several_human_scores_must_be_chosen(capsys, tmp_path, files):
    both = tmp_path / "both.csv"
    data = matrices()
    pd.concat([long("coverage", data["coverage"]), long("quality", data["loose"])]).to_csv(both, index=False)
    code, _, err = run(capsys, (both, files[1]))
    assert code == 2
    assert "both.csv, column metric: expected one human score, found coverage, quality" in err
    code, out, _ = run(capsys, (both, files[1]), "--human-score", "quality")
    assert code == 0
    assert pd.read_csv(io.StringIO(out)).set_index("metric").loc["loose", "statistic"] == pytest.approx(1)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("metric,system,item\nm,a,d\n", "column score: expected the columns metric, system, score"),
        (
            "metric,system,item,score\nm,alpha,d00,high\n",
            "row 2, column score: expected a number, found 'high'",
        ),
        ("metric,system,item,score\nm,other,d00,1\n", "m shares no system with the human scores"),
        ("metric,system,item,score\nm,alpha,d00,1\nm,alpha,d00,2\n", "row 3: expected one row for metric m"),
        ("metric,system,item,score\n", "expected scores, found no row"),
        ("", "expected scores, found an empty file"),
    ],
)
def test_a_bad_file_gets_one_line_and_nothing_is_written(capsys, tmp_path, files, text, complaint):
    bad, out = tmp_path / "bad.csv", tmp_path / "out.csv"
    bad.write_text(text)
    code, printed, err = run(capsys, (files[0], bad), "--out", str(out))
    assert (code, printed) == (2, "")
    assert err.count("\n") == 1
    assert "bad.csv" in err
    assert complaint in err
    assert not out.exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.csv", "human.csv", "metrics.csv"]


def test_metrics_without_common_items_are_refused_where_items_are_paired(capsys, tmp_path, files):
    other = tmp_path / "other.csv"
    long("close", matrices()["close"], items=[f"x{k}" for k in range(len(ITEMS))]).to_csv(other, index=False)
    assert run(capsys, (files[0], other))[0] == 0
    code, _, err = run(capsys, (files[0], other), "--level", "global")
    assert code == 2
    assert "close shares no item with the human scores" in err


def test_a_missing_file_is_named(capsys, tmp_path, files):
    code, _, err = run(capsys, (tmp_path / "none.csv", files[1]))
    assert code == 2
    assert "none.csv: no such file" in err
