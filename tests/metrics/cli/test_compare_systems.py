"""``python -m metrics compare-systems`` on files."""

import io
import json

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.weightstats import ttost_paired

from metrics.cli import main
from tests.metrics.cli.tables import SYSTEMS, long, matrices, write_tables

COLUMNS = ["system_a", "system_b", "mean_a", "mean_b", "difference", "n", "ties", "statistic", "pvalue"]
COLUMNS += ["pvalue_adjusted"]


@pytest.fixture
def scores(tmp_path):
    return write_tables(tmp_path)[1]


def run(capsys, scores, *options, metric="close"):
    code = main(["compare-systems", str(scores), "--metric", metric, *options])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_every_pair_is_listed_once_with_the_better_system_first(capsys, scores):
    code, out, err = run(capsys, scores, "--test", "t")
    table = pd.read_csv(io.StringIO(out))
    assert code == 0
    assert table.columns.tolist() == COLUMNS
    assert len(table) == 15
    assert (table["difference"] >= 0).all()
    rows = dict(zip(SYSTEMS, matrices()["close"], strict=True))
    for row in table.itertuples():
        a, b = rows[row.system_a], rows[row.system_b]
        expected = stats.ttest_rel(a, b)
        assert (row.mean_a, row.mean_b, row.difference) == pytest.approx(
            (a.mean(), b.mean(), a.mean() - b.mean())
        )
        assert (row.statistic, row.pvalue) == pytest.approx((expected.statistic, expected.pvalue))
    assert table["pvalue_adjusted"].to_numpy() == pytest.approx(
        multipletests(table["pvalue"], method="holm")[1]
    )
    assert "shapiro-wilk|alpha:0.05|pairs:15|not-normal:" in err


def test_a_lower_is_better_metric_lists_the_lower_mean_first(capsys, scores):
    _, out, _ = run(capsys, scores, "--test", "t", "--alternative", "greater", metric="error")
    table = pd.read_csv(io.StringIO(out))
    assert (table["mean_a"] <= table["mean_b"]).all()
    assert (table["statistic"] >= 0).all()
    assert (table["pvalue"] <= 0.5).all()
    assert table["mean_a"][0] == pytest.approx(matrices()["error"].mean(axis=1).min())


def test_rank_sum_is_mann_whitney_with_continuity_correction(capsys, scores):
    _, out, _ = run(capsys, scores, "--test", "rank-sum", "--alternative", "greater")
    rows = dict(zip(SYSTEMS, matrices()["close"], strict=True))
    for row in pd.read_csv(io.StringIO(out)).itertuples():
        expected = stats.mannwhitneyu(
            rows[row.system_a],
            rows[row.system_b],
            alternative="greater",
            method="asymptotic",
            use_continuity=True,
        )
        assert row.pvalue == pytest.approx(expected.pvalue)


@pytest.mark.parametrize("test", ["randomization", "bootstrap", "wilcoxon", "sign", "z"])
def test_all_tests_give_pvalues(capsys, scores, test):
    code, out, err = run(capsys, scores, "--test", test, "--resamples", "500", "--seed", "4")
    assert code == 0
    assert pd.read_csv(io.StringIO(out))["pvalue"].between(0, 1).all()
    assert err.startswith(f"{test}|alternative:two-sided|pairs:15|")
    assert ("|seed:4|" in err) == (test in ("randomization", "bootstrap"))


@pytest.mark.parametrize(
    ("correction", "method"), [("bonferroni", "bonferroni"), ("benjamini-hochberg", "fdr_bh"), ("none", None)]
)
def test_corrections_are_those_of_statsmodels(capsys, scores, correction, method):
    _, out, err = run(capsys, scores, "--test", "sign", "--correction", correction)
    table = pd.read_csv(io.StringIO(out))
    expected = multipletests(table["pvalue"], method=method)[1] if method else table["pvalue"]
    assert table["pvalue_adjusted"].to_numpy() == pytest.approx(np.asarray(expected))
    assert f"correction-{correction}|pairs:15" in err


def test_tukey_is_scipys_where_items_are_not_paired(capsys, scores):
    _, out, _ = run(capsys, scores, "--test", "rank-sum", "--correction", "tukey")
    theirs = pd.DataFrame(stats.tukey_hsd(*matrices()["close"]).pvalue, index=SYSTEMS, columns=SYSTEMS)
    for row in pd.read_csv(io.StringIO(out)).itertuples():
        assert row.pvalue_adjusted == pytest.approx(theirs.loc[row.system_a, row.system_b], abs=1e-9)


def test_paired_tests_take_items_for_blocks(capsys, scores):
    for correction in ("tukey", "scheffe"):
        _, out, _ = run(capsys, scores, "--test", "t", "--correction", correction, "--json")
        assert f"{correction}|pairs:15|df:55|blocked:yes" in json.loads(out)["signatures"][correction]
    assert run(capsys, scores, "--test", "t", "--correction", "tukey", "--alternative", "less")[0] == 2


def test_the_same_seed_gives_the_same_bytes(capsys, scores):
    first, again, other = (
        run(capsys, scores, "--resamples", "300", "--seed", seed)[1] for seed in ("1", "1", "2")
    )
    assert first == again != other


@pytest.mark.parametrize(
    ("text", "metric", "complaint"),
    [
        ("metric,system,item,score\nm,a,d,1\nm,b,d,2\n", "n", "column metric: expected scores of n, found m"),
        (
            "metric,system,item,score\nm,a,,1\nm,b,,2\n",
            "m",
            "column item: expected scores of m for single items",
        ),
        ("metric,system,item,score\nm,a,d,1\n", "m", "expected scores of m for two systems or more"),
        ("metric,system,item,score\nm,a,d,x\n", "m", "row 2, column score: expected a number, found 'x'"),
    ],
)
def test_a_bad_file_gets_one_line_and_nothing_is_written(capsys, tmp_path, text, metric, complaint):
    bad, out = tmp_path / "bad.csv", tmp_path / "out.csv"
    bad.write_text(text)
    code, printed, err = run(capsys, bad, "--out", str(out), metric=metric)
    assert (code, printed) == (2, "")
    assert err.count("\n") == 1
    assert "bad.csv" in err
    assert complaint in err
    assert not out.exists()


def test_out_holds_what_would_have_been_printed(capsys, tmp_path, scores):
    printed = run(capsys, scores, "--test", "sign")[1]
    run(capsys, scores, "--test", "sign", "--out", str(tmp_path / "out.csv"))
    assert (tmp_path / "out.csv").read_text() == printed


def test_item_means_of_a_corpus_metric_are_called_so(capsys, tmp_path, scores):
    values = matrices()["close"]
    pd.concat([long(name, values) for name in ("bleu", "rouge-1-f", "BLEU-refA")]).to_csv(
        tmp_path / "s.csv", index=False
    )
    _, out, _ = run(capsys, tmp_path / "s.csv", "--test", "sign", "--json", metric="bleu")
    [note] = json.loads(out)["notes"]
    assert note.startswith("compared by means of item scores: bleu.")
    _, _, err = run(capsys, tmp_path / "s.csv", "--test", "sign", metric="bleu")
    assert note in err.splitlines()
    for name in ("rouge-1-f", "BLEU-refA"):
        assert "item scores" not in run(capsys, tmp_path / "s.csv", "--test", "sign", metric=name)[2]


def test_a_system_without_scores_is_named_not_dropped_in_silence(capsys, tmp_path):
    table = long("close", matrices()["close"])
    table.loc[table["system"] == "gamma", "score"] = np.nan
    table.to_csv(tmp_path / "gaps.csv", index=False)
    code, out, err = run(capsys, tmp_path / "gaps.csv", "--test", "t")
    assert code == 0
    assert len(pd.read_csv(io.StringIO(out))) == 10
    assert err.startswith("warning: left out, without any score: gamma\n")


def test_items_that_a_system_lacks_are_left_out_of_its_pairs(capsys, tmp_path):
    values = matrices()["close"][:2]
    table = long("close", values, systems=SYSTEMS[:2]).drop(index=[0, 1, 2])
    table.to_csv(tmp_path / "gaps.csv", index=False)
    _, out, err = run(capsys, tmp_path / "gaps.csv", "--test", "t")
    assert "means, differences and tests of a pair are over the 9 items that both have" in err
    row = pd.read_csv(io.StringIO(out)).iloc[0]
    assert (row["n"], row["ties"]) == (9, 0)
    means = values[:2, 3:].mean(axis=1)
    assert row["difference"] == pytest.approx(abs(means[0] - means[1]))
    assert row["pvalue"] == pytest.approx(stats.ttest_rel(values[0, 3:], values[1, 3:]).pvalue)


def test_systems_can_be_shown_to_be_less_than_a_margin_apart(capsys, scores):
    """statsmodels' TOST of each pair, adjusted by its Holm."""
    _, out, err = run(capsys, scores, "--test", "t", "--equivalent-within", "0.8")
    found = pd.read_csv(io.StringIO(out))
    rows = dict(zip(SYSTEMS, matrices()["close"], strict=True))
    alone = [ttost_paired(rows[row.system_a], rows[row.system_b], -0.8, 0.8)[0] for row in found.itertuples()]
    assert found["pvalue_equivalent"].to_numpy() == pytest.approx(multipletests(alone, method="holm")[1])
    assert "equivalence|test:tost-t|within:0.8|correction:holm" in err


def test_a_margin_of_nothing_is_refused(capsys, scores):
    with pytest.raises(SystemExit) as ended:
        run(capsys, scores, "--equivalent-within", "0")
    assert ended.value.code == 2
    assert "expected a number above 0, found '0'" in capsys.readouterr().err
