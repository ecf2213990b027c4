"""``python -m metrics compare-metrics`` on files."""

import io
import json

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from metrics.cli import main
from metrics.meta.williams import williams
from tests.metrics.cli.tables import SYSTEMS, long, matrices, write_tables

COLUMNS = ["metric_a", "metric_b", "r_a", "r_b", "r_ab", "n", "statistic", "pvalue", "pvalue_adjusted"]


@pytest.fixture
def files(tmp_path):
    return write_tables(tmp_path)


def run(capsys, files, *options):
    code = main(["compare-metrics", "--human", str(files[0]), "--metrics", str(files[1]), *options])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_every_pair_is_listed_once_with_its_williams_test(capsys, files):
    code, out, err = run(capsys, files)
    table = pd.read_csv(io.StringIO(out))
    assert code == 0
    assert table.columns.tolist() == COLUMNS
    assert len(table) == 3
    assert (table["r_a"] >= table["r_b"]).all()
    data = {name: values.mean(axis=1) * (-1 if name == "error" else 1) for name, values in matrices().items()}
    for row in table.itertuples():
        r_a, r_b, r_ab = (
            stats.pearsonr(data[x], data[y]).statistic
            for x, y in ((row.metric_a, "coverage"), (row.metric_b, "coverage"), (row.metric_a, row.metric_b))
        )
        expected = williams(r_ab, r_a, r_b, 6)
        assert (row.r_a, row.r_b, row.r_ab, row.n) == pytest.approx((r_a, r_b, r_ab, 6))
        assert (row.statistic, row.pvalue) == pytest.approx((expected.statistic, expected.pvalue))
    assert (table["pvalue_adjusted"] >= table["pvalue"]).all()
    assert "williams|level:system|method:pearson|alternative:two-sided|correction:holm|" in err
    assert "not significantly outperformed (one-sided p below .05, uncorrected, as Graham 2015): close" in err


def test_greater_halves_the_two_sided_pvalue_of_the_better_metric(capsys, files):
    two, one = (
        pd.read_csv(io.StringIO(run(capsys, files, "--alternative", side)[1]))
        for side in ("two-sided", "greater")
    )
    assert one["pvalue"].to_numpy() == pytest.approx(two["pvalue"].to_numpy() / 2)


@pytest.mark.parametrize("test", ["permutation", "bootstrap"])
def test_resampling_tests_report_their_seed_and_repeat(capsys, files, test):
    options = (
        "--test",
        test,
        "--resamples",
        "200",
        "--seed",
        "3",
        "--json",
        "--level",
        "item",
        "--method",
        "kendall",
    )
    code, out, _ = run(capsys, files, *options)
    document = json.loads(out)
    assert code == 0
    assert list(document["rows"][0]) == COLUMNS
    assert list(document["signatures"]) == [test]
    assert "resamples:200|seed:3" in document["signatures"][test]
    assert run(capsys, files, *options)[1] == out


def test_what_is_exchanged_can_be_chosen(capsys, files):
    pvalues = set()
    for what in ("systems", "items", "cells"):
        code, out, _ = run(capsys, files, "--test", "permutation", "--resample", what, "--resamples", "500")
        assert code == 0
        pvalues.add(tuple(pd.read_csv(io.StringIO(out))["pvalue"]))
    assert len(pvalues) == 3
    assert run(capsys, files, "--test", "permutation", "--resample", "both")[0] == 2


def test_three_systems_give_nan_and_a_warning(capsys, tmp_path, files):
    data = matrices()
    few = tmp_path / "few.csv"
    pd.concat([long(name, data[name][:3], systems=SYSTEMS[:3]) for name in ("close", "loose")]).to_csv(
        few, index=False
    )
    code, out, err = run(capsys, (files[0], few))
    assert code == 0
    assert np.isnan(pd.read_csv(io.StringIO(out))["pvalue"][0])
    assert err.startswith("warning: ")


def test_what_to_resample_is_refused_where_nothing_is_drawn(capsys, files):
    code, out, err = run(capsys, files, "--resample", "items")
    assert (code, out) == (2, "")
    assert "leave out --resample, or take --test permutation or bootstrap" in err


def test_who_is_not_outperformed_is_a_note_of_the_json(capsys, files):
    document = json.loads(run(capsys, files, "--json")[1])
    assert list(document["signatures"]) == ["williams"]
    [note] = document["notes"]
    assert note.startswith("not significantly outperformed")
    assert note.endswith("): close, error")


def test_williams_on_other_coefficients_is_refused(capsys, files):
    code, out, err = run(capsys, files, "--method", "kendall")
    assert (code, out) == (2, "")
    assert "permutation or bootstrap" in err


def test_a_single_metric_is_refused(capsys, tmp_path, files):
    one = tmp_path / "one.csv"
    long("close", matrices()["close"]).to_csv(one, index=False)
    code, _, err = run(capsys, (files[0], one))
    assert code == 2
    assert "two metrics" in err
