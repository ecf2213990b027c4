"""The numbers of a report, against other packages and against the commands on the same files."""

import io
import json

import krippendorff
import numpy as np
import pandas as pd
import pytest
from scipy import stats

from metrics.cli import main
from metrics.frames import scored
from metrics.report import Cancelled, Options, build_report, frame_of, records
from metrics.report.assessors import agreement_table, deviations
from metrics.report.book import Book
from metrics.report.human import first_shares
from metrics.report.inputs import canonical_inputs
from metrics.signature import DEFAULT_SEED
from tests.metrics.human.rows import table
from tests.metrics.report.studies import METRICS, SYSTEMS, judgments, texts, write_files


def human(report, score):
    return next(section for section in report.data["human"] if section["score"] == score)


def meta(report, score):
    return next(section for section in report.data["meta"] if section["human"].endswith(f"/{score}"))


def counted():
    rows = scored(judgments())
    return rows[rows["value"].notna()]


# --- human scores ---------------------------------------------------------------------------------------------------


def test_means_are_those_of_a_plain_group_by(report):
    rows = counted()
    expected = rows[rows["criterion"] == "adequacy"].groupby(["system", "item"])["value"].mean()
    found = frame_of(human(report, "adequacy")["systems"]).set_index("system")
    assert found["mean"].to_dict() == pytest.approx(expected.groupby("system").mean().to_dict())
    assert found["mean"].is_monotonic_decreasing
    assert found["judgments"].to_list() == [16] * 5


def test_the_newest_revision_counts(report):
    """The first mark of a1 was changed from x to 6 − x."""
    rows = judgments()
    first = rows[(rows["revision"] == 1) & (rows["practice"] == False)].iloc[0]  # noqa: E712
    frame = next(each for each in report.tables if each.name == "human-scores-marks--adequacy").frame
    found = frame[(frame["system"] == first["system"]) & (frame["item"] == first["item"])]["score"].item()
    second = max(1, first["value"] - 1)
    assert found == (6 - first["value"] + second) / 2


def test_one_assessors_intervals_are_those_of_scipys_t():
    rng = np.random.default_rng(3)
    values = {system: rng.normal(place, 1, 9) for place, system in enumerate("ABCDE")}
    rows = [
        {"assessor": "p", "system": system, "item": f"d{k}", "criterion": "adequacy", "value": value}
        for system, given in values.items()
        for k, value in enumerate(given)
    ]
    section = build_report(table(rows, kind="rating"), options=Options(n_resamples=20)).data["human"][0]
    for row in records(section["systems"]):
        own = values[row["system"]]
        low, high = stats.t.interval(0.95, 8, own.mean(), stats.sem(own))
        assert (row["estimate"], row["low"], row["high"]) == pytest.approx((own.mean(), low, high))


def test_how_often_a_system_comes_first_is_the_probability_over_resamples():
    """On two items A is 3 ahead and 1 behind. Only the resample of twice the second item, one in four, puts B first."""
    first = first_shares(np.array([[3.0, 0.0], [0.0, 1.0]]), Options(n_resamples=40_000))
    assert first == pytest.approx([0.75, 0.25], abs=0.01)


def test_ties_share_the_first_place():
    first = first_shares(np.array([[1.0, 2.0], [1.0, 2.0], [0.0, 0.0]]), Options())
    assert first.tolist() == [0.5, 0.5, 0.0]


def test_clusters_follow_from_scipys_one_sided_tests(report):
    rows = counted()
    scores = rows[rows["criterion"] == "adequacy"].groupby(["system", "item"])["value"].mean()
    scores = scores.reset_index().pivot_table(index="system", columns="item", values="value")
    systems = records(human(report, "adequacy")["systems"])
    order = [row["system"] for row in systems]
    exact = stats.PermutationMethod(n_resamples=20_000)  # all 12,870 splits of 8 and 8 items
    better = {
        (a, b): stats.mannwhitneyu(scores.loc[a], scores.loc[b], alternative="greater", method=exact).pvalue
        < 0.05
        for a in order
        for b in order
        if a != b
    }
    assert [row["wins"] for row in systems] == [sum(better[a, b] for b in order if b != a) for a in order]
    lines = [cut for cut in range(1, 5) if all(better[a, b] for a in order[:cut] for b in order[cut:])]
    clusters = [1 + sum(place >= cut for cut in lines) for place in range(5)]
    assert [row["cluster"] for row in systems] == clusters
    assert 1 < len(set(clusters)) < 5


def test_clusters_and_sentences_go_by_the_tests_that_the_table_of_pairs_prints():
    """Twelve items, so that 2/2¹² times ten pairs can be significant: A and B are close, C and D too, and E is last."""
    rng = np.random.default_rng(1)
    rows = [
        {"system": system, "item": f"d{n}", "assessor": "p1", "criterion": "adequacy", "value": value}
        for system, mean in (("A", 9.2), ("B", 9.0), ("C", 5.0), ("D", 4.8), ("E", 1.0))
        for n, value in enumerate(mean + rng.normal(size=12))
    ]
    section = build_report(table(rows, kind="rating"), options=Options(n_resamples=50)).data["human"][0]
    systems, pairs = records(section["systems"]), records(section["pairs"])
    order = [row["system"] for row in systems]
    better = {(row["system_a"], row["system_b"]) for row in pairs if row["pvalue_adjusted"] < 0.05}
    assert better == {(a, b) for a in "AB" for b in "CDE"} | {("C", "E"), ("D", "E")}
    assert [row["wins"] for row in systems] == [sum((a, b) in better for b in order) for a in order]
    assert [row["losses"] for row in systems] == [sum((a, b) in better for a in order) for b in order]
    assert [row["cluster"] for row in systems] == [1, 1, 2, 2, 3]
    assert section["not_told_from_first"] == order[1:2]


def test_the_table_of_pairs_prints_what_was_tested():
    """A has easy items of its own: its mean over all is 5 ahead, but on the items that both have it is 2 behind."""
    rows = [
        {"system": system, "item": f"d{n}", "assessor": "p1", "criterion": "adequacy", "value": value}
        for system, values in {
            "A": [10, 11, 12, 13, 14, 15, 16, 17, 40, 41, 42, 43],
            "B": [12, 13, 14, 15, 16, 17, 18, 19.5],
        }.items()
        for n, value in enumerate(values)
    ]
    made = build_report(table(rows, kind="rating"), options=Options(n_resamples=50))
    (pair,) = records(made.data["human"][0]["pairs"])
    assert (pair["system_a"], pair["system_b"], pair["n"], pair["ties"]) == ("B", "A", 8, 0)
    assert (pair["mean_a"], pair["mean_b"], pair["difference"]) == pytest.approx((15.5625, 13.5, 2.0625))
    assert pair["pvalue"] == 2 / 2**8
    assert "over the 8 items that both have" in " ".join(note["note"] for note in made.data["notes"])


def test_the_headline_names_the_winner_and_how_sure(report):
    first = human(report, "adequacy")
    assert records(first["systems"])[0]["system"] == "best"
    assert first["headline"].startswith("best ")
    assert "over 8 items" in first["headline"]
    assert (
        "of 1,000 redraws of these items, with the same assessors, its mean was the highest"
        in first["headline"]
    )
    assert report.data["headline"][0].startswith("best has the highest mean by all 3 human scores")


# --- assessors ------------------------------------------------------------------------------------------------------


def test_agreement_is_that_of_the_krippendorff_package(report):
    rows = counted()
    found = {
        (row["criterion"], row["coefficient"]): row["value"] for row in records(report.data["agreement"])
    }
    for criterion in ("adequacy", "fluency"):
        marks = rows[rows["criterion"] == criterion].pivot_table(
            index="assessor", columns=["system", "item"], values="value"
        )
        expected = krippendorff.alpha(marks.to_numpy(), level_of_measurement="ordinal")
        assert found[criterion, "alpha-ordinal"] == pytest.approx(expected)


def test_criteria_together_have_chance_within_each(report):
    """Observed and expected disagreement of each criterion from all pairs of its judgments, added up before dividing."""
    rows = counted()
    observed = expected = 0.0
    for criterion in ("adequacy", "fluency"):
        marks = rows[rows["criterion"] == criterion].pivot_table(
            index=["system", "item"], columns="assessor", values="value"
        )
        units = [unit[np.isfinite(unit)] for unit in marks.to_numpy() if np.isfinite(unit).sum() > 1]
        values = np.concatenate(units)
        observed += sum(np.subtract.outer(unit, unit).__pow__(2).sum() / (len(unit) - 1) for unit in units)
        expected += np.subtract.outer(values, values).__pow__(2).sum() / (len(values) - 1)
    found = {
        (row["criterion"], row["coefficient"]): row["value"] for row in records(report.data["agreement"])
    }
    assert found["all criteria", "alpha-interval"] == pytest.approx(1 - observed / expected)


def test_criteria_of_different_level_are_no_agreement():
    """Random answers, 1 to 3 on one criterion and 3 to 5 on the other, which have the same ends by one answer each."""
    rng = np.random.default_rng(3)
    rows = []
    for criterion, lowest in (("a", 1), ("b", 3)):
        marks = rng.integers(lowest, lowest + 3, (60, 2))
        marks[0] = (1, 5)
        rows += [
            {
                "system": "S",
                "item": f"d{n}",
                "assessor": f"p{k}",
                "criterion": criterion,
                "value": float(mark),
            }
            for n, pair in enumerate(marks)
            for k, mark in enumerate(pair)
        ]
    found = agreement_table(canonical_inputs(table(rows, kind="rating")), Options(n_resamples=20), Book())
    alphas = found[found["coefficient"] == "alpha-interval"].set_index("criterion")["value"]
    assert abs(alphas["all criteria"]) < 0.2
    assert min(alphas["a"], alphas["b"]) <= alphas["all criteria"] <= max(alphas["a"], alphas["b"])


def test_bias_and_correlation_are_those_of_numpy_and_scipy():
    rng = np.random.default_rng(8)
    marks = {name: rng.integers(1, 6, 20).astype(float) for name in ("x", "y", "z")}
    rows = [
        {"assessor": name, "item": f"i{k:02d}", "criterion": "adequacy", "value": value}
        for name, values in marks.items()
        for k, value in enumerate(values)
    ]
    found = deviations(scored(table(rows, kind="rating"))).set_index("assessor")
    others = (marks["y"] + marks["z"]) / 2
    assert found.loc["x", "bias"] == pytest.approx(np.mean(marks["x"] - others))
    assert found.loc["x", "correlation"] == pytest.approx(stats.pearsonr(marks["x"], others).statistic)
    assert found.loc["x", "compared"] == 20


def test_the_strict_assessor_is_seen_before_and_gone_after_normalisation(report):
    rows = [
        row for row in records(report.data["assessors"]["distributions"]) if row["criterion"] == "fluency"
    ]
    mean = {(row["assessor"], row["stage"]): row["mean"] for row in rows}
    deviation = {(row["assessor"], row["stage"]): row["deviation"] for row in rows}
    assert mean["a1", "raw"] - mean["a2", "raw"] > 0.5
    assert mean["a1", "z"] == pytest.approx(0) == pytest.approx(mean["a2", "z"])
    assert deviation["a1", "z"] == pytest.approx(1) == pytest.approx(deviation["a2", "z"])


def test_times_are_of_whole_judgments(report):
    """A judgment of two criteria has two rows and took its time once."""
    speed = {row["assessor"]: row for row in records(report.data["assessors"]["speed"])}
    assert speed["a2"]["judgments"] == 40
    assert (speed["a2"]["seconds"], speed["a2"]["median"], speed["a2"]["total"]) == (30, 30, 1200)


# --- the same numbers on the command line ---------------------------------------------------------------------------


def command(capsys, *arguments):
    assert main([str(argument) for argument in arguments]) == 0
    return pd.read_csv(io.StringIO(capsys.readouterr().out), keep_default_na=False, na_values=[""])


def same(found, expected, key):
    """Equal tables up to the order of rows and columns that only one has."""
    columns = [name for name in expected.columns if name in found.columns]
    found, expected = (frame[columns].sort_values(key, ignore_index=True) for frame in (found, expected))
    pd.testing.assert_frame_equal(found, expected, check_dtype=False, rtol=1e-9, atol=1e-12)
    return columns


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return write_files(tmp_path_factory.mktemp("files"))


@pytest.fixture
def score_files(files, tmp_path, capsys):
    paths = {
        "human": tmp_path / "human.csv",
        "system": tmp_path / "system.csv",
        "item": tmp_path / "item.csv",
    }
    assert main(["human", str(files["judgments"]), "--score", "adequacy", "--out", str(paths["human"])]) == 0
    for level in ("system", "item"):
        texts_of = ["--outputs", files["outputs"], "--references", files["references"], "--processes", "1"]
        arguments = ["score", *texts_of, "--metric", *METRICS, "--level", level, "--out", paths[level]]
        assert main([str(argument) for argument in arguments]) == 0
    capsys.readouterr()
    return paths


def test_the_seed_is_that_of_the_commands():
    assert Options().seed == DEFAULT_SEED


def test_agreement_is_what_the_command_prints(report, files, capsys):
    expected = command(capsys, "agreement", files["judgments"])
    found = frame_of(report.data["agreement"])
    same(found[found["criterion"] != "all criteria"], expected, ["criterion", "coefficient"])


def test_pairs_of_systems_are_what_the_command_prints(report, score_files, capsys):
    expected = command(
        capsys,
        *("compare-systems", score_files["human"], "--metric", "adequacy"),
        *("--test", "rank-sum", "--alternative", "greater", "--correction", "none"),
    )
    same(frame_of(human(report, "adequacy")["pairs"]), expected, ["system_a", "system_b"])


@pytest.mark.parametrize("level", ["system", "item", "global", "system-average"])
@pytest.mark.parametrize("method", ["pearson", "kendall"])
def test_correlations_are_what_the_command_prints(report, score_files, capsys, level, method):
    metrics = score_files["system" if level == "system" else "item"]
    how = ["--level", level, "--method", method, "--resamples", 1000]
    expected = command(capsys, "correlate", "--human", score_files["human"], "--metrics", metrics, *how)
    found = frame_of(meta(report, "adequacy")["correlations"])
    found = found[(found["level"] == level) & (found["method"] == method)]
    assert "pvalue" in same(found, expected, ["metric"])
    assert len(found) == len(expected) > 15


def test_bootstrap_intervals_are_what_the_command_prints(score_files, capsys):
    files = ["--human", score_files["human"], "--metrics", score_files["item"]]
    how = ["--level", "item", "--method", "kendall", "--interval", "bootstrap-both", "--resamples", "40"]
    expected = command(capsys, "correlate", *files, *how)
    report = build_report(
        judgments(),
        scores=pd.read_csv(score_files["item"]),
        options=Options(human=["adequacy"], interval="bootstrap-both", n_resamples=40),
    )
    found = frame_of(meta(report, "adequacy")["correlations"])
    found = found[(found["level"] == "item") & (found["method"] == "kendall")]
    assert {"low", "high"} <= set(same(found, expected, ["metric"]))


def test_the_williams_matrix_is_what_the_command_prints(report, score_files, capsys):
    files = ["--human", score_files["human"], "--metrics", score_files["system"]]
    expected = command(capsys, "compare-metrics", *files, "--alternative", "greater")
    matrix = next(each for each in report.tables if each.name == "williams-marks--adequacy").frame.set_index(
        "metric"
    )
    found = [matrix.loc[a, b] for a, b in zip(expected["metric_a"], expected["metric_b"], strict=True)]
    assert found == pytest.approx(expected["pvalue"].tolist(), abs=1e-9)
    main(["compare-metrics", *map(str, files)])
    printed = capsys.readouterr().err
    best = next(line for line in printed.splitlines() if line.startswith("not significantly outperformed"))
    williams = meta(report, "adequacy")["williams"]
    assert set(best.split(": ")[1].split(", ")) == set(williams["not_outperformed"])
    upper = np.array([matrix.loc[williams["metrics"][0], name] for name in williams["metrics"][1:]])
    assert williams["pvalue"][0] == pytest.approx(upper, rel=1e-3)


def test_significance_prediction_is_what_the_command_prints(report, score_files, capsys):
    files = ["--human", score_files["human"], "--metrics", score_files["item"]]
    expected = command(capsys, "significance-prediction", *files)
    same(frame_of(meta(report, "adequacy")["prediction"]), expected, ["metric", "alpha"])


def test_the_aev_grid_is_r_squared_by_numpy(report):
    scores = report.data["metric_scores"]
    people = {row["system"]: row["mean"] for row in records(human(report, "adequacy")["systems"])}
    grid = meta(report, "adequacy")["aev"]
    assert (grid["orders"], grid["alphas"]) == ([1, 2, 3, 4], [0, 0.5, 1])
    own = scores["scores"][scores["metrics"].index("aev-0.5-2-porter-stop")]
    expected = np.corrcoef(own, [people[system] for system in scores["systems"]])[0, 1] ** 2
    assert grid["statistic"][1][1] == pytest.approx(expected)


def test_rouge_variants_are_ranked_by_correlation(report):
    rows = records(meta(report, "adequacy")["rouge"])
    assert [row["rank"] for row in rows] == [1, 2, 3, 4]
    assert {(row["unit"], row["stem"], row["stop"], row["measure"], row["average"]) for row in rows} == {
        ("1", "no", "no", "f", "mean"),
        ("1", "no", "no", "f", "median"),
        ("2", "yes", "no", "r", "mean"),
        ("2", "yes", "no", "r", "median"),
    }
    assert rows == sorted(rows, key=lambda row: -row["pearson"])


# --- what was left out, signatures, and the same report again -------------------------------------------------------


def test_every_judgment_is_accounted_for(report):
    left = {row["why"]: row["count"] for row in report.data["left_out"] if row["what"] == "values"}
    assert left == {
        "practice never counts": 1,
        "repeated items serve intra-assessor agreement; they enter no score": 2,
        "attention checks enter no score": 1,
        "an older revision of a judgment that was changed": 2,
        "an answer in words is no number": 1,
    }
    in_scores = 2 * len(SYSTEMS) * 8 * 2
    assert len(judgments()) == in_scores + sum(left.values())


def test_every_signature_key_leads_to_a_signature(report):
    text = json.dumps(report.data)
    known = report.data["signatures"]
    for table_ in _tables(report.data):
        for row in records(table_):
            assert row.get("signature", "s1") in known
    assert all(line.endswith("version:touchstone-0.1.0") for line in known.values())
    assert report.data["data"]["sha256"] in report.data["signature"]
    assert "NaN" not in text


def _tables(part):
    if isinstance(part, dict):
        if set(part) >= {"columns", "rows"} and all(isinstance(name, str) for name in part["columns"]):
            yield part
        for value in part.values():
            yield from _tables(value)
    elif isinstance(part, list):
        for value in part:
            yield from _tables(value)


def test_the_order_of_rows_changes_nothing(report):
    outputs, references = (frame.sample(frac=1, random_state=5) for frame in texts())
    shuffled = judgments().sample(frac=1, random_state=6)
    again = build_report(
        shuffled,
        outputs=outputs,
        references=references,
        options=Options(metrics=METRICS, comparison="wmt"),
        processes=1,
    )
    assert json.dumps(again.data) == json.dumps(report.data)


def test_another_judgment_changes_the_hash(report):
    rows = judgments()
    rows.loc[3, "value"] = 6 - rows.loc[3, "value"]
    assert (
        build_report(rows).data["data"]["tables"]["judgments"] != report.data["data"]["tables"]["judgments"]
    )


def test_the_seed_moves_the_intervals_and_nothing_else():
    one, other = (build_report(judgments(), options=Options(seed=seed)) for seed in (1, 2))
    first, second = (frame_of(each.data["human"][0]["systems"]) for each in (one, other))
    assert first["mean"].equals(second["mean"])
    assert not first["first_share"].equals(second["first_share"])


# --- progress and stopping ------------------------------------------------------------------------------------------


def small_report(**more):
    outputs, references = texts()
    options = Options(metrics=["rouge-1-f"], n_resamples=20)
    return build_report(
        judgments(), outputs=outputs, references=references, options=options, processes=1, **more
    )


def test_progress_grows_to_its_total():
    told = []
    small_report(progress=lambda *news: told.append(news))
    done = [news[0] for news in told]
    assert done == sorted(done)
    assert done[0] == 0
    assert done[-1] == told[-1][1] == told[0][1]
    assert {"automatic metrics", "metrics against marks/adequacy"} <= {news[2] for news in told}


def test_a_report_that_is_not_wanted_any_more_stops():
    asked = []

    def cancelled():
        asked.append(None)
        return len(asked) > 8

    with pytest.raises(Cancelled):
        small_report(cancelled=cancelled)
    assert len(asked) == 9


# --- practice, imports and sparse judgments -------------------------------------------------------------------------


def test_practice_enters_no_automatic_score_either():
    """Two systems have an output more, for practice: their scores stay those over the items that count."""
    outputs, references = texts()
    practised = pd.DataFrame([{"system": s, "item": "try", "text": "storm"} for s in ("best", "good")])
    model = pd.DataFrame([{"item": "try", "reference": "r0", "text": "river bridge"}])
    rows = [judgments(), table([{"system": "best", "item": "try", "criterion": "adequacy", "value": 3, "practice": True}],
                               study="made", task="marks", kind="rating")]  # fmt: skip
    how = {"options": Options(human=["adequacy"], metrics=["rouge-1-f"], n_resamples=20), "processes": 1}
    plain = build_report(judgments(), outputs=outputs, references=references, **how)
    more = build_report(
        pd.concat(rows),
        outputs=pd.concat([outputs, practised]),
        references=pd.concat([references, model]),
        **how,
    )
    assert more.data["metric_scores"] == plain.data["metric_scores"]
    assert more.data["counts"]["outputs"] == plain.data["counts"]["outputs"] == 40
    said = {(row["what"], row["why"]): row["count"] for row in more.data["left_out"]}
    why = "practice never counts, not even in automatic scores"
    assert (said["outputs", why], said["references", why]) == (2, 1)


def test_an_imported_metric_is_never_mixed_with_a_computed_one_of_its_name():
    """ROUGE's scores of systems are made of its scores of items: where those are imported, the others go too."""
    outputs, references = texts()
    scores = pd.DataFrame(
        [{"metric": "rouge-1-f", "system": s, "item": "d0", "score": k} for k, s in enumerate(SYSTEMS)]
    )
    report = build_report(
        judgments(),
        outputs=outputs,
        references=references,
        scores=scores,
        options=Options(human=["adequacy"], metrics=["rouge-1-f", "rouge-2-f"], n_resamples=20),
        processes=1,
    )
    info = {(row["metric"], row["level"]): row["source"] for row in records(report.data["metrics"])}
    assert info == {
        ("rouge-1-f", "system"): "imported",
        ("rouge-1-f", "item"): "imported",
        ("rouge-2-f-mean", "system"): "computed",
        ("rouge-2-f-median", "system"): "computed",
        ("rouge-2-f", "item"): "computed",
    }
    lines = [report.data["signatures"][row["signature"]] for row in records(report.data["metrics"])]
    assert lines[0].startswith("imported|metric:rouge-1-f|level:system|aggregate:mean|data:")


def test_one_item_of_a_system_makes_no_interval():
    """B was judged on one item of four: resampling would claim that its mean is certain."""
    scores = np.array([[1.0, 2.0, 3.0, 4.0], [np.nan, 5.0, np.nan, np.nan]])
    first = first_shares(scores, Options(n_resamples=500))
    assert np.isnan(first).all()


def test_a_resample_without_a_system_does_not_count_for_it():
    """B has items 0 and 1 of three: of the 27 resamples, the one of item 2 alone leaves it out, and A comes first in it."""
    scores = np.array([[1.0, 1.0, 1.0], [3.0, 3.0, np.nan]])
    first = first_shares(scores, Options(n_resamples=40_000))
    assert first == pytest.approx([1 / 27, 26 / 27], abs=0.005)
