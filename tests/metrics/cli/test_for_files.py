"""Commands and options for people who come with files of their own."""

import io
import json

import numpy as np
import pandas as pd
import pytest
from sacrebleu.metrics import BLEU
from scipy import stats
from statsmodels.stats.multitest import multipletests

from metrics.cli import main
from tests.metrics.cli.tables import ITEMS, SYSTEMS, long, matrices, write_tables


def run(capsys, *arguments):
    code = main([str(word) for word in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def table_of(capsys, *arguments):
    code, out, err = run(capsys, *arguments)
    assert code == 0, err
    return pd.read_csv(io.StringIO(out), keep_default_na=False, na_values=[""])


def ratings(path, rows, columns=("assessor", "system", "item", "criterion", "value")):
    pd.DataFrame(rows, columns=list(columns)).to_csv(path, index=False)
    return path


# --- judgments ------------------------------------------------------------------------------------------------------


def test_a_plain_table_of_ratings_needs_five_columns(capsys, tmp_path):
    file = ratings(
        tmp_path / "r.csv", [("p1", "A", "d1", "q", 1), ("p2", "A", "d1", "q", 2), ("p1", "B", "d1", "q", 4)]
    )
    found = table_of(capsys, "human", file, "--score", "q")
    assert found["score"].tolist() == [1.5, 4]
    assert table_of(capsys, "agreement", file, "--coefficient", "percent")["value"].tolist() == [0]


TWICE = [
    ("p1", "A", "s1", 10),
    ("p1", "A", "s1", 40),
    ("p2", "A", "s1", 70),
    ("p1", "A", "s2", 80),
    ("p2", "B", "s1", 20),
]


@pytest.fixture
def hits(tmp_path):
    """A worker who meets a segment in two HITs, as WMT's files have it, through our converter."""
    head = [
        "HITId",
        "WorkerId",
        "Input.src",
        "Input.trg",
        "Input.item",
        "hit",
        "sys_id",
        "rid",
        "type",
        "sid",
        "score",
        "time",
    ]
    lines = ["\t".join(head)]
    for number, (worker, system, segment, score) in enumerate(TWICE):
        lines.append(
            "\t".join(
                [f"H{number}", worker, "de", "en", "ad", "1", system, "1", "SYSTEM", segment, str(score), "0"]
            )
        )
    lines.append("\t".join(["H9", "p2", "de", "en", "ad", "1", "B", "1", "REPEAT", "s1", "60", "0"]))
    (tmp_path / "ad.csv").write_text("\n".join(lines) + "\n")
    assert (
        main(["convert", "wmt", "judgments", str(tmp_path / "ad.csv"), "--out", str(tmp_path / "j.csv")]) == 0
    )
    return tmp_path / "j.csv"


@pytest.mark.parametrize(
    ("duplicates", "expected"),
    [
        # A's s1: every judgment (10 + 40 + 70) / 3, the mean of p1's and p2's (25 + 70) / 2, the newest (40 + 70) / 2.
        ("each", 40.0),
        ("mean", 47.5),
        ("newest", 55.0),
    ],
)
def test_a_segment_in_two_hits_counts_as_asked(capsys, hits, duplicates, expected):
    code, _, err = run(capsys, "human", hits, "--score", "adequacy")
    assert code == 2
    assert "--duplicates each, mean or newest" in err
    found = table_of(capsys, "human", hits, "--score", "adequacy", "--duplicates", duplicates)
    assert found.set_index(["system", "item"])["score"]["A", "s1"] == pytest.approx(expected)
    assert len(table_of(capsys, "agreement", hits, "--duplicates", duplicates)) > 0


def test_repeated_items_count_where_a_campaign_counts_them(capsys, hits):
    how = ["human", hits, "--score", "adequacy", "--duplicates", "each"]
    without, counted = (
        table_of(capsys, *how, *more).set_index(["system", "item"])["score"]
        for more in ([], ["--count-repeats"])
    )
    assert (without["B", "s1"], counted["B", "s1"]) == (20, 40)


def test_the_hit_is_kept_and_written_back(capsys, hits, tmp_path):
    assert pd.read_csv(hits)["hit"].tolist() == ["H0", "H1", "H2", "H3", "H4", "H9"]
    _, out, _ = run(capsys, "convert", "judgments", "wmt", hits)
    assert out == (tmp_path / "ad.csv").read_text().replace("\t1\tA\t1\t", '\tNA\t"A"\tNA\t').replace(
        "\t1\tB\t1\t", '\tNA\t"B"\tNA\t'
    )


def test_attributes_beside_the_judgments_are_found(capsys, tmp_path):
    columns = ("assessor", "system", "item", "criterion", "value")
    file = ratings(tmp_path / "r.csv", [("p1", "A", "d1", "q", 1), ("p1", "A", "d2", "q", 4)], columns)
    how = ["human", file, "--score", "q", "--level", "system", "--weights", "tokens"]
    assert run(capsys, *how)[0] == 2
    (tmp_path / "r.csv.attributes.csv").write_text(
        "scope,id,name,value\noutput,A/d1,tokens,1\noutput,A/d2,tokens,2\n"
    )
    assert table_of(capsys, *how)["score"].tolist() == [3.0]


def test_ranks_are_marked_as_scores_of_which_less_is_better(capsys, tmp_path):
    rows = [
        ("p1", system, f"d{n}", "rank", rank) for n in range(3) for rank, system in enumerate("ABCD", start=1)
    ]
    file = ratings(tmp_path / "r.csv", rows)
    out = tmp_path / "h.csv"
    assert main(["human", str(file), "--score", "rank", "--lower-is-better", "--out", str(out)]) == 0
    pd.DataFrame({"metric": "m", "system": list("ABCD"), "item": "", "score": [9, 7, 6, 2]}).to_csv(
        tmp_path / "m.csv", index=False
    )
    both = ["correlate", "--human", out, "--metrics", tmp_path / "m.csv", "--method", "kendall"]
    assert table_of(capsys, *both)["statistic"].tolist() == [1.0]
    # Before: said twice, it was turned round twice.
    assert table_of(capsys, *both, "--human-lower-is-better")["statistic"].tolist() == [1.0]
    pd.read_csv(out).drop(columns="higher_is_better").to_csv(out, index=False)
    assert table_of(capsys, *both)["statistic"].tolist() == [-1.0]
    assert table_of(capsys, *both, "--human-lower-is-better")["statistic"].tolist() == [1.0]
    best = ["best-metric", *both[1:5], "--human-lower-is-better"]
    assert table_of(capsys, *best)["r"].tolist()[0] > 0.9


# --- scores ---------------------------------------------------------------------------------------------------------


def test_documents_are_means_of_their_items(capsys, tmp_path):
    data = matrices()
    documents = {item: f"doc{place // 4}" for place, item in enumerate(ITEMS)}
    for name, file in (("coverage", "h.csv"), ("close", "m.csv")):
        table = long(name, data[name])
        table.assign(document=table["item"].map(documents)).to_csv(tmp_path / file, index=False)
    both = [
        "correlate",
        "--human",
        tmp_path / "h.csv",
        "--metrics",
        tmp_path / "m.csv",
        "--level",
        "document",
    ]
    found = table_of(capsys, *both)
    human, metric = (data[name].reshape(6, 3, 4).mean(axis=2) for name in ("coverage", "close"))
    expected = np.mean([stats.pearsonr(human[:, d], metric[:, d]).statistic for d in range(3)])
    assert found.loc[0, "statistic"] == pytest.approx(expected)
    assert found.loc[0, ["level", "n"]].tolist() == ["document", 3]


def test_clusters_are_a_command(capsys, tmp_path):
    scores = write_tables(tmp_path)[1]
    found = table_of(capsys, "clusters", scores, "--metric", "close")
    assert found["system"].tolist() == [SYSTEMS[k] for k in np.argsort(-matrices()["close"].mean(axis=1))]
    assert found["cluster"].is_monotonic_increasing
    assert (found["wins"] + found["losses"] <= 5).all()
    error = table_of(capsys, "clusters", scores, "--metric", "error", "--adjusted", "--test", "t")
    assert error["score"].is_monotonic_increasing


def test_power_and_stability_are_commands(capsys, tmp_path):
    scores = write_tables(tmp_path)[1]
    plan = table_of(capsys, "power", "--items", 10, 60, "--effect", 0.5, "--deviation", 1, "--resamples", 300)
    assert plan["power"].is_monotonic_increasing
    pilot = ["--pilot", scores, "--metric", "close", "--systems", "alpha", "zeta"]
    assert table_of(capsys, "power", "--items", 10, "--effect", 0.2, *pilot)["power"].between(0, 1).all()
    drawn = table_of(capsys, "stability", scores, "--metric", "close", "--items", 3, 24, "--resamples", 200)
    assert drawn["interval_width"].is_monotonic_decreasing


def test_split_halves_are_a_command(capsys, tmp_path):
    """Two assessors who agree: each half is one of them, r = 1 between them."""
    rows = [
        (p, s, f"d{n}", "q", v + n)
        for p in ("p1", "p2")
        for s, v in (("A", 1), ("B", 3), ("C", 4))
        for n in range(4)
    ]
    found = table_of(capsys, "split-half", ratings(tmp_path / "r.csv", rows))
    assert found["over"].tolist() == ["assessors", "items"]
    assert found["statistic"].tolist() == pytest.approx([1, 1])


def test_metrics_on_different_outputs_and_thresholds_that_tie_everything_are_noted(capsys, tmp_path):
    data = matrices()
    long("coverage", np.ones((6, 12))).to_csv(tmp_path / "h.csv", index=False)
    metrics = pd.concat([long("close", data["close"]), long("loose", data["loose"]).iloc[5:]])
    metrics.to_csv(tmp_path / "m.csv", index=False)
    how = ["--level", "item", "--method", "accuracy-ties", "--json"]
    _, out, _ = run(capsys, "correlate", "--human", tmp_path / "h.csv", "--metrics", tmp_path / "m.csv", *how)
    different, tied = json.loads(out)["notes"]
    assert "67 of loose, 72 of close" in different
    assert tied.startswith("tie calibration ties every pair of close, loose")


def test_systems_with_item_scores_only_stay_beside_those_with_system_scores(capsys, tmp_path):
    data = matrices()["close"]
    whole = pd.DataFrame(
        {"metric": "close", "system": SYSTEMS[:5], "item": "", "score": data[:5].mean(axis=1)}
    )
    pd.concat([whole, long("close", data)]).to_csv(tmp_path / "m.csv", index=False)
    long("coverage", matrices()["coverage"]).to_csv(tmp_path / "h.csv", index=False)
    code, out, err = run(capsys, "correlate", "--human", tmp_path / "h.csv", "--metrics", tmp_path / "m.csv")
    assert code == 0
    assert pd.read_csv(io.StringIO(out))["n"].tolist() == [6]
    assert "close has no system score of zeta: the mean of the items is taken" in err


def test_metrics_that_lack_the_same_system_share_one_warning(capsys, tmp_path):
    data = matrices()
    long("coverage", data["coverage"]).to_csv(tmp_path / "h.csv", index=False)
    tables = [long(name, data[name][:5], systems=SYSTEMS[:5]) for name in ("close", "loose")]
    pd.concat(tables).to_csv(tmp_path / "m.csv", index=False)
    _, _, err = run(capsys, "correlate", "--human", tmp_path / "h.csv", "--metrics", tmp_path / "m.csv")
    assert err.count("left out: zeta") == 1
    assert "close, loose and the human scores" in err


def test_systems_with_different_items_are_noted_even_where_all_items_occur(capsys, tmp_path):
    data = matrices()
    gap = data["coverage"].copy()
    gap[0, 0] = gap[1, 1] = np.nan
    long("coverage", gap).to_csv(tmp_path / "h.csv", index=False)
    long("close", data["close"]).to_csv(tmp_path / "m.csv", index=False)
    _, _, err = run(capsys, "correlate", "--human", tmp_path / "h.csv", "--metrics", tmp_path / "m.csv")
    assert "system scores are means over different items" in err
    assert "people have judged different items of different systems (11 to 12 of each)" in err


def test_a_folder_is_no_missing_file(capsys, tmp_path):
    assert "found a folder" in run(capsys, "human", tmp_path, "--score", "q")[2]
    file = ratings(tmp_path / "r.csv", [("p1", "A", "d1", "q", 1)])
    assert "found a folder" in run(capsys, "human", file, "--score", "q", "--attributes", tmp_path)[2]


def test_systems_are_renamed_while_converting(capsys, hits, tmp_path):
    (tmp_path / "names.csv").write_text("from,to\nA,alpha\n")
    found = table_of(
        capsys, "convert", "wmt", "judgments", tmp_path / "ad.csv", "--systems", tmp_path / "names.csv"
    )
    assert set(found["system"]) == {"alpha", "B"}
    (tmp_path / "names.csv").write_text("from,to\nA,B\n")
    code, _, err = run(
        capsys, "convert", "wmt", "judgments", tmp_path / "ad.csv", "--systems", tmp_path / "names.csv"
    )
    assert (code, "a name of its own" in err) == (2, True)


@pytest.mark.parametrize(
    ("outputs", "references", "names"),
    [
        (["今天天气很好", "我喜欢 green 茶"], ["今天的天气很好", "我喜欢绿茶"], ["zh", "char"]),
        (
            ["猫が庭に座った。", "今日は天気がいい"],
            ["猫は庭に座っていた。", "今日の天気はいい"],
            ["ja-mecab", "char"],
        ),
    ],
)
def test_bleu_has_sacrebleus_tokenisers_of_chinese_and_japanese(capsys, tmp_path, outputs, references, names):
    pd.DataFrame({"system": "A", "item": ["1", "2"], "text": outputs}).to_json(
        tmp_path / "o.jsonl", orient="records", lines=True
    )
    pd.DataFrame({"item": ["1", "2"], "text": references}).to_json(
        tmp_path / "r.jsonl", orient="records", lines=True
    )
    files = ["--outputs", tmp_path / "o.jsonl", "--references", tmp_path / "r.jsonl", "--level", "system"]
    for name in names:
        found = table_of(capsys, "score", *files, "--metric", f"bleu-{name}")
        expected = BLEU(tokenize=name).corpus_score(outputs, [references]).score
        assert expected > 1
        assert found.loc[0, "score"] in (pytest.approx(expected), pytest.approx(expected / 100))


def test_the_model_takes_ratings_as_categories_and_tells_equivalence(capsys, tmp_path):
    rng = np.random.default_rng(4)
    rows = [
        (f"p{p}", f"s{s}", f"d{n}", "q", int(np.clip(round(3 + 0.5 * s + rng.normal()), 1, 5)))
        for p in range(3)
        for s in range(3)
        for n in range(8)
    ]
    path = ratings(tmp_path / "r.csv", rows)
    code, out, err = run(capsys, "system-model", path, "--ordinal", "--equivalent-within", 3)
    found = pd.read_csv(io.StringIO(out))
    assert code == 0
    assert "ordinal-model|over:items+assessors" in err
    assert "Estimates and differences are logits" in err
    # Two one-sided tests by SciPy's t, from the columns printed beside.
    tails = [stats.t.sf((3 + sign * found["difference"]) / found["error"], found["df"]) for sign in (1, -1)]
    expected = multipletests(np.maximum(*tails), method="holm")[1]
    assert found["pvalue_equivalent"].to_numpy() == pytest.approx(expected)


def test_a_plain_table_that_lacks_a_column_is_told_which_five_it_needs(capsys, tmp_path):
    path = ratings(
        tmp_path / "r.csv", [("p1", "A", "d1", 3)], columns=("assessor", "system", "item", "value")
    )
    code, _, err = run(capsys, "system-model", path)
    assert code == 2
    assert "column criterion: expected the columns assessor, system, item, criterion, value" in err
