"""What a report claims: one comparison behind every sentence, nothing that the design cannot carry, no flattered metric."""

import json
import warnings
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from benchmarks.null_reports import claims, noise, study
from metrics.meta.effects import partial_correlation
from metrics.meta.system_model import system_model
from metrics.report import Options, build_report, printed, records
from metrics.report.html import page
from metrics.report.latex import latex_tables
from metrics.report.selected import _freed_of_length
from tests.metrics.human.rows import attributes, table

OPTIONS = Options(n_resamples=50, seed=1)


def judged(systems=6, items=8, assessors=3, *, effect=1.0, steps=None, seed=1):
    rng = np.random.default_rng(seed)
    liking = rng.normal(0, 0.2, (assessors, systems))
    rows = [
        {
            "assessor": f"a{a}",
            "system": f"s{s}",
            "item": f"i{i}",
            "value": round(float(10 - effect * s + liking[a, s] + rng.normal(0, 0.5)), steps or 2),
        }
        for a in range(assessors)
        for s in range(systems)
        for i in range(items)
    ]
    return table(rows, kind="rating", criterion="adequacy")


def report(judgments=None, **more):
    return build_report(judged() if judgments is None else judgments, options=OPTIONS, **more)


@pytest.fixture(scope="module")
def ranked():
    return report()


# --- one comparison ---------------------------------------------------------------------------------------------------


def test_estimates_intervals_and_pairs_are_those_of_the_mixed_model(ranked):
    section = ranked.data["human"][0]
    model = system_model(judged()[["assessor", "system", "item", "value"]])
    found = pd.DataFrame(records(section["systems"]))
    expected = model.frame()
    assert found["system"].tolist() == expected["system"].tolist()
    for name in ("estimate", "low", "high"):
        assert found[name].tolist() == pytest.approx(expected[name].tolist())
    pairs, tested = pd.DataFrame(records(section["pairs"])), model.pair_frame()
    for name in ("difference", "low", "high", "error", "df", "pvalue", "pvalue_adjusted"):
        assert pairs[name].tolist() == pytest.approx(tested[name].tolist())
    assert section["comparison"]["method"] == "mixed-model"
    assert section["comparison"]["generalises_over"] == ["items", "assessors"]


def test_wins_clusters_and_the_sentence_follow_from_the_adjusted_p_values(ranked):
    section = ranked.data["human"][0]
    systems, pairs = records(section["systems"]), records(section["pairs"])
    better = {(row["system_a"], row["system_b"]) for row in pairs if row["pvalue_adjusted"] < 0.05}
    for row in systems:
        assert row["wins"] == sum(a == row["system"] for a, _ in better)
        assert row["losses"] == sum(b == row["system"] for _, b in better)
    assert {
        (a["system"], b["system"]) for a in systems for b in systems if a["cluster"] < b["cluster"]
    } <= better
    assert section["headline"].startswith("s0 is best by adequacy, ")
    assert (
        "over 8 items and 3 assessors, significantly better than all 5 other systems" in section["headline"]
    )


def test_the_sentence_counts_the_assessors_of_the_first_system_as_the_table_does():
    rows = judged()
    rows = rows[(rows["system"] != "s0") | (rows["assessor"] != "a2")]
    section = report(rows).data["human"][0]
    assert records(section["systems"])[0]["assessors"] == 2
    assert " over 8 items and 2 assessors, " in section["headline"]


@pytest.mark.parametrize(
    ("comparison", "method"), [("model", "mixed-model"), ("paired", "randomization"), ("wmt", "rank-sum")]
)
def test_the_comparison_can_be_chosen_and_the_methods_name_it(comparison, method):
    data = build_report(judged(), options=Options(n_resamples=20, comparison=comparison)).data
    assert data["human"][0]["comparison"]["method"] == method
    words = {"model": "by a crossed mixed model", "paired": "by randomisation", "wmt": "WMT news task"}
    told = " ".join(data["methods"])
    assert [name for name, word in words.items() if word in told] == [comparison]


def test_ratings_of_few_steps_can_be_taken_as_ordered_categories():
    rows = judged(effect=0.5).assign(value=lambda frame: (frame["value"] - 5).round().clip(1, 5))
    data = build_report(rows, options=Options(n_resamples=20, comparison="ordinal")).data
    section, model = data["human"][0], system_model(rows, scale="ordinal")
    assert section["comparison"]["method"] == model.method == "ordinal-model"
    found = {row["system"]: row["estimate"] for row in records(section["systems"])}
    assert found == pytest.approx(dict(zip(model.systems, model.estimate, strict=True)))
    assert " logits over 8 items and 3 assessors" in section["headline"]
    assert "by an ordinal crossed mixed model (cumulative logits, McCullagh 1980)" in " ".join(
        data["methods"]
    )
    shown = printed.systems_table(section, data["options"])
    assert {"Estimate", "Plain mean"} <= {head.title for head in shown.heads}
    assert "in logits about the mean of the systems" in shown.note
    assert "not judged by the same people" not in shown.note
    # Where the noise comes from is said of the scores, not of logits.
    assert section["generalisability"]["signature"] in data["signatures"]
    assert "adequacy, logits and 95 % interval" in page(data)


def test_scores_of_many_values_are_no_categories_and_the_report_says_what_was_taken():
    data = build_report(judged(), options=Options(n_resamples=20, comparison="ordinal")).data
    assert data["human"][0]["comparison"]["method"] == "mixed-model"
    told = " ".join(note["note"] for note in data["notes"])
    assert "the ordinal model could not be fitted" in told
    assert "the model of numbers was taken in its place" in told
    assert "by a crossed mixed model" in " ".join(data["methods"])


def test_an_estimate_that_is_not_the_plain_mean_is_not_called_one():
    """The severe assessor judged little of s1: its plain mean is the highest, its estimate is not."""
    rows = judged(systems=5, items=10, effect=0.0)
    rows = rows.assign(
        value=rows["value"] + 0.3 * (rows["system"] == "s0") - 2.0 * (rows["assessor"] == "a2")
    )
    rows = rows[~((rows["assessor"] == "a2") & (rows["system"] == "s1") & (rows["item"] != "i0"))]
    section = report(rows).data["human"][0]
    assert rows.groupby("system")["value"].mean().idxmax() == "s1"
    assert records(section["systems"])[0]["system"] == "s0"
    assert "s0 has the highest estimate" in section["headline"]
    assert "highest mean" not in section["headline"].split(" redraws of these items")[0]


def test_one_assessor_is_compared_over_items_and_the_reader_is_warned():
    data = report(judged(assessors=1, items=14)).data
    section = data["human"][0]
    assert section["comparison"]["method"] == "randomization"
    assert section["comparison"]["why"] == "one assessor judged everything"
    assert [one["code"] for one in data["cautions"]] == ["one-assessor"]
    assert "and 1 assessor" not in section["headline"]


def test_where_no_model_can_be_fitted_items_and_assessors_are_drawn_and_the_report_says_so():
    rows = judged(items=6).assign(value=lambda frame: 9 - frame["system"].str[1:].astype(float))
    data = report(rows).data
    section = data["human"][0]
    assert section["comparison"]["method"] == "bootstrap"
    assert "no mixed model could be fitted" in " ".join(note["note"] for note in data["notes"])
    assert "items and assessors were drawn together" in " ".join(data["methods"])


def test_estimates_that_are_not_plain_means_stand_beside_them():
    rows = judged(items=10)
    rows = rows[~((rows["assessor"] == "a0") & (rows["system"] == "s0") & (rows["item"] < "i6"))]
    section = report(rows).data["human"][0]
    shown = printed.systems_table(section, OPTIONS.plain())
    assert {"Estimate", "Plain mean"} <= {head.title for head in shown.heads}
    assert "not judged by the same people" in shown.note


# --- beside every pair ------------------------------------------------------------------------------------------------


def test_beside_a_pair_stand_the_share_of_items_won_and_what_would_have_been_found():
    data = report(judged(effect=0.2)).data
    section = data["human"][0]
    rows = judged(effect=0.2)
    scores = rows.pivot_table(index="system", columns="item", values="value")
    for row in records(section["pairs"]):
        gaps = (scores.loc[row["system_a"]] - scores.loc[row["system_b"]]).round(9)
        assert row["superiority"] == pytest.approx(((gaps > 0) + 0.5 * (gaps == 0)).mean())
        # The noncentral t distribution at Holm's first step, with the pair's own error and degrees of freedom.
        critical = stats.t.isf(0.05 / 15 / 2, row["df"])
        power = stats.nct.sf(critical, row["df"], row["detectable"] / row["error"])
        assert power == pytest.approx(0.8, abs=0.01)
    told = printed.pairs_table(section, OPTIONS.plain())
    place = [head.title for head in told.heads].index("Detectable")
    for cells, row in zip(told.rows, records(section["pairs"]), strict=True):
        assert bool(cells[place]) is (row["pvalue_adjusted"] >= 0.05)


def note_of_pairs(data):
    return printed.pairs_table(data["human"][0], OPTIONS.plain()).note


def test_where_exchanges_of_few_items_can_find_nothing_no_difference_is_called_detectable():
    """Of 2⁸ exchanges two are as extreme as any difference: p is 2/256, and Holm makes .117 of it for 15 pairs."""
    rows = judged(assessors=1, items=8, effect=3.0)
    data = report(rows).data
    pairs = records(data["human"][0]["pairs"])
    scores = rows.pivot_table(index="system", columns="item", values="value")
    first = pairs[0]
    expected = stats.permutation_test(
        (scores.loc[first["system_a"]], scores.loc[first["system_b"]]),
        lambda a, b, axis: (a - b).mean(axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=np.inf,
    )
    assert first["pvalue"] == pytest.approx(expected.pvalue) == pytest.approx(2 / 256)
    assert min(row["pvalue_adjusted"] for row in pairs) == pytest.approx(15 * 2 / 256)
    assert {row["detectable"] for row in pairs} == {None}
    note = note_of_pairs(data)
    assert (
        "With 8 items and 15 pairs no corrected p can be below .117: no pair can become significant." in note
    )
    assert "Detectable" not in note
    heads = printed.pairs_table(data["human"][0], OPTIONS.plain()).heads
    assert "Detectable" not in [head.title for head in heads]
    assert "With so few items, or so many pairs, none can become significant by randomisation (" in " ".join(
        data["methods"]
    )


def test_systems_without_a_common_item_are_not_said_to_be_compared_on_some():
    """As in WMT 2021 from Zulu to Xhosa: one evaluator, each segment of one system only."""
    rows = judged(assessors=1, items=8).assign(item=lambda frame: frame["system"] + frame["item"])
    data = report(rows).data
    assert note_of_pairs(data) == "No pair is tested: no two systems have an item in common."
    assert "no two systems have an item in common: no pair is compared" in [
        note["note"] for note in data["notes"]
    ]
    assert "With so few items" not in " ".join(data["methods"])


def test_where_exchanges_can_find_a_difference_it_is_said_which():
    data = report(judged(assessors=1, items=14, effect=0.2)).data
    assert all(row["detectable"] > 0 for row in records(data["human"][0]["pairs"]))
    note = note_of_pairs(data)
    assert "With 10,000 exchanges and 15 pairs no corrected p can be below .001." in note
    assert "they and the tests may disagree" in note
    assert "With so few items" not in " ".join(data["methods"])


@pytest.mark.parametrize(
    ("method", "said"),
    [
        ("mixed-model", "(Bonferroni), which makes them a little wider"),
        ("bootstrap", "(max-t), as the tests do"),
    ],
)
def test_the_note_says_how_intervals_hold_for_all_pairs_together(ranked, method, said):
    section = ranked.data["human"][0]
    section = section | {"comparison": section["comparison"] | {"method": method}}
    assert (
        f"Intervals hold for all pairs together {said}" in printed.pairs_table(section, OPTIONS.plain()).note
    )


def test_an_interval_that_passes_the_end_of_the_scale_is_said_to_end_there(ranked):
    """Three assessors, of whom one likes nothing: a symmetric interval of a mean near 5 reaches beyond it."""
    rows = judged(items=6).assign(value=lambda frame: (frame["value"] - 4).clip(1, 5).round())
    data = report(rows).data
    assert max(row["high"] for row in records(data["human"][0]["systems"])) > 5
    said = "passes the lowest or the highest value that can be given, read it as ending there."
    assert said in printed.systems_table(data["human"][0], OPTIONS.plain()).note
    assert said in " ".join(data["methods"])
    assert said in next(spec["caption"] for spec in data["figures"] if spec["kind"] == "systems")
    assert said not in printed.systems_table(ranked.data["human"][0], OPTIONS.plain()).note
    assert said not in " ".join(ranked.data["methods"])


# --- what a design can carry ------------------------------------------------------------------------------------------

RANKING = (" is best", " leads", "significantly better", ">Rank<", ">Wins<", "Who wins")


@pytest.mark.parametrize(
    ("sizes", "why"),
    [
        ({"items": 4}, "fewer than 5 items"),
        ({"systems": 4}, "fewer than 5 systems"),
        ({"systems": 3, "items": 3}, "fewer than 5 items and fewer than 5 systems"),
    ],
)
def test_a_study_that_is_too_small_has_numbers_and_no_ranking_wherever_it_is_read(sizes, why):
    data = report(judged(**sizes)).data
    section = data["human"][0]
    assert section["design"]["may_rank"] is False
    assert section["headline"].endswith(f"; none is called best, with {why}.")
    assert {row["cluster"] for row in records(section["systems"])} == {1}
    assert data["overview"][0]["verdict"] == f"not ranked: {why}"
    assert data["cautions"][0]["severity"] == "stop"
    html = page(data)
    assert data["cautions"][0]["text"] in html
    assert html.index("Before you read") < html.index(section["headline"][:20])
    latex = "\n".join(latex_tables(data).values())
    assert f"(not ranked: {why})" in latex
    assert f"Systems are not ranked: {why}." in data["methods"][2]
    assert "luster" not in " ".join([*data["methods"], note_of_pairs(data)]), "there are none"
    shown = printed.winners_table(data)
    told = " ".join([html, latex, json.dumps(shown.rows), shown.caption, *data["headline"]])
    assert [words for words in RANKING if words in told.replace("significantly better than each", "")] == []


def test_systems_that_no_assessor_connects_are_not_tested():
    rows = judged(assessors=2)
    half = {"a0": ("s0", "s1", "s2"), "a1": ("s3", "s4", "s5")}
    rows = rows[[system in half[who] for who, system in zip(rows["assessor"], rows["system"], strict=True)]]
    data = report(rows).data
    section = data["human"][0]
    assert data["cautions"][0]["code"] == "not-connected"
    assert all(row["pvalue_adjusted"] is None for row in records(section["pairs"]))
    assert {(row["wins"], row["losses"]) for row in records(section["systems"])} == {(0, 0)}
    assert "none is called best, with assessors who do not connect the systems" in section["headline"]
    assert "No pair is tested" in page(data)


def test_a_design_that_carries_a_ranking_is_passed_without_a_word(ranked):
    assert ranked.data["cautions"] == []
    assert ranked.data["human"][0]["design"]["why"] == ""
    assert "Before you read" not in page(ranked.data)
    assert "How sure" in [head.title for head in printed.winners_table(ranked.data).heads]


# --- the best of many metrics -----------------------------------------------------------------------------------------


def with_metrics(values):
    return pd.DataFrame(
        [
            {"metric": metric, "system": f"s{place}", "item": "", "score": float(score)}
            for metric, given in values.items()
            for place, score in enumerate(given)
        ]
    )


def test_the_headline_says_what_is_left_of_the_best_of_many_metrics():
    rng = np.random.default_rng(2)
    good = {"good": [-k + 0.1 * (k % 2) for k in range(10)]}
    made = good | {f"noise{n}": rng.normal(size=10) for n in range(8)}
    data = report(judged(systems=10), scores=with_metrics(made)).data
    chosen = data["meta"][0]["selection"]
    assert (chosen["best"], chosen["claimed"], chosen["candidates"]) == ("good", True, ["good"])
    told = data["headline"][-1]
    assert told.startswith(
        "Of 9 automatic metrics good has the highest correlation with adequacy: r = 1.00 ["
    )
    assert "p < .001 for the best of 9; metrics chosen on one half of the systems reach" in told
    assert "no other metric may be the best" in told
    rows = {row["metric"]: row for row in records(data["meta"][0]["summary"])}
    assert (
        rows["good"]["pvalue_adjusted"] < 0.01 < min(rows[f"noise{n}"]["pvalue_adjusted"] for n in range(8))
    )


def test_what_is_held_out_is_what_the_methods_say():
    """Systems are halved, and items for the human scores alone: metrics are those of whole systems. Made once more by NumPy."""
    rows = judged(systems=10, items=12, effect=0.3)
    people = rows.pivot_table(index="system", columns="item", values="value")
    rng = np.random.default_rng(5)
    noisy = {f"m{n}": people + rng.normal(0, 1.5, people.shape) for n in range(8)}
    scores = pd.concat(
        found.reset_index().melt("system", var_name="item", value_name="score").assign(metric=name)
        for name, found in noisy.items()
    )
    data = report(rows, scores=scores).data
    means = np.array([found.mean(axis=1) for found in noisy.values()])
    human, reached = people.to_numpy(), []
    for _ in range(4_000):
        order, items = rng.permutation(10), rng.random(12) < 0.5
        if not items.any() or items.all():
            continue
        halves = [
            np.corrcoef(np.vstack([human[chosen][:, part].mean(axis=1), means[:, chosen]]))[0, 1:]
            for chosen, part in ((order[:5], items), (order[5:], ~items))
        ]
        reached.append(halves[1][halves[0].argmax()])
    found = data["meta"][0]["selection"]["held_out"]
    assert found == pytest.approx(np.mean(reached), abs=4 * np.std(reached) / np.sqrt(200))
    assert (
        "chosen on half of the systems, on the other half, over 200 splits, human scores of each half being over a half of the items"
        in " ".join(data["methods"])
    )


def test_a_metric_whose_interval_has_zero_in_it_is_not_claimed_to_follow_people():
    """One metric, one-sided p below .05, two-sided interval across 0: the sentence would contradict itself."""
    rows = judged(systems=6, effect=0.3)
    human = rows.groupby("system")["value"].mean()
    noise = 0.75 * np.array([0.35, -0.55, 0.5, 0.35, -0.6, 0.5])
    data = report(rows, scores=with_metrics({"m": human.to_numpy() + noise})).data
    chosen = data["meta"][0]["selection"]
    assert chosen["pvalue"] < 0.05
    assert chosen["low"] < 0
    assert chosen["claimed"] is False
    assert "cannot be said to follow" in data["headline"][-1]


def test_humans_baselines_and_outliers_are_marked_and_the_correlation_without_them_stands_beside():
    """s0 is a human far above the others and s9 a baseline: without them the metric has little to say."""
    rows = judged(systems=10, effect=0.0)
    rows = rows.assign(value=rows["value"] + 9.0 * (rows["system"] == "s0") - 9.0 * (rows["system"] == "s9"))
    scores = [12, 1.0, 2.0, 1.5, 0.5, 1.2, 2.2, 0.7, 1.1, -9]
    marks = attributes(("system", "s0", "type", "human"), ("system", "s9", "type", "baseline"))
    data = report(rows, scores=with_metrics({"m": scores}), attributes=marks).data
    chosen, (row,) = data["meta"][0]["selection"], records(data["meta"][0]["summary"])
    means = rows.groupby("system")["value"].mean()
    others = [f"s{k}" for k in range(1, 9)]
    expected = stats.pearsonr(means[others], scores[1:9]).statistic
    assert set(chosen["marked"]) == set(chosen["outliers"]) == {"s0", "s9"}
    assert row["without_marked"] == row["without_outliers"] == pytest.approx(expected)
    assert row["pearson"] > 0.95
    assert "; without humans and baselines " in data["headline"][-1]
    shown = printed.metrics_table(data["human"][0], data["meta"][0], data)
    assert {"r, systems only", "r, no outliers"} <= {head.title for head in shown.heads}
    assert "Systems only: without s0 and s9 (humans and baselines). Outliers: s0 and s9." in shown.note
    types = [row["type"] for row in records(data["human"][0]["systems"])]
    assert sorted(set(types)) == ["", "baseline", "human"]


def test_systems_left_out_are_named_only_where_a_column_leaves_them_out():
    """Of four systems two are a human and a baseline: two are no correlation."""
    marks = attributes(("system", "s0", "type", "human"), ("system", "s3", "type", "baseline"))
    data = report(judged(systems=4), scores=with_metrics({"m": [4, 3, 1, 2]}), attributes=marks).data
    assert data["meta"][0]["selection"]["marked"] == ["s0", "s3"]
    shown = printed.metrics_table(data["human"][0], data["meta"][0], data)
    assert "r, systems only" not in {head.title for head in shown.heads}
    assert "Systems only" not in shown.note
    told = " ".join(data["methods"])
    assert "without humans and baselines" not in told
    assert "of all of them where these are at most 9,999, else of so many at random" in told
    means = [row["mean"] for row in records(data["human"][0]["systems"])]
    r = [stats.pearsonr(order, [4, 3, 1, 2]).statistic for order in permutations(means)]
    expected = np.mean(np.array(r) >= data["meta"][0]["selection"]["statistic"] - 1e-12)
    assert data["meta"][0]["selection"]["pvalue"] == pytest.approx(expected)


def test_a_correlation_is_freed_of_length_as_by_residuals():
    rng = np.random.default_rng(5)
    sizes = rng.integers(20, 60, 8)
    outputs = pd.DataFrame(
        [
            {"system": f"s{s}", "item": f"i{i}", "text": "word " * int(sizes[s] + i)}
            for s in range(8)
            for i in range(4)
        ]
    )
    scores = rng.normal(size=8)
    rows = judged(systems=8)
    data = report(rows, scores=with_metrics({"m": scores}), outputs=outputs).data
    human, length = rows.groupby("system")["value"].mean().to_numpy(), sizes * 5.0

    def rest(values):
        return values - np.polyval(np.polyfit(length, values, 1), length)

    found = data["meta"][0]["selection"]["length_partial"]
    assert found == pytest.approx(stats.pearsonr(rest(human), rest(scores)).statistic)


def test_a_system_without_texts_keeps_nobody_from_being_freed_of_length():
    rng = np.random.default_rng(6)
    names, (truth, metric, sizes) = [f"s{s}" for s in range(8)], rng.normal(size=(3, 8))
    sizes[3] = np.nan
    kept = np.isfinite(sizes)
    (found,) = _freed_of_length(truth, metric[None], names, pd.Series(sizes, index=names))
    assert found == pytest.approx(partial_correlation(truth[kept], metric[kept], sizes[kept]).statistic)


# --- nothing to find --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("spread", [0.3, 0.5])
def test_reports_of_equal_systems_and_noise_metrics_claim_next_to_nothing(spread):
    """A dozen seeded studies; ``benchmarks/null_reports.py`` makes 400 (docs/meta-evaluation.md)."""
    rng = np.random.default_rng([3, round(10 * spread)])
    made = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(6):
            judgments, scores = study(rng, spread), noise(rng)
            made.append(claims(build_report(judgments, scores=scores, options=OPTIONS).data))
    assert sum(any(one.values()) for one in made) <= 1


# --- beyond who wins --------------------------------------------------------------------------------------------------


def test_more_items_or_more_assessors_and_severity_are_told_where_they_apply():
    rows = judged(items=12, steps=None)
    rows = rows.assign(value=(rows["value"] - 3).round().clip(1, 7) - (rows["assessor"] == "a2"))
    section = report(rows).data["human"][0]
    assert section["generalisability"]["advice"] in section["generalisability"]["sentence"]
    assert sum(section["generalisability"]["shares"].values()) == pytest.approx(1)
    severe = records(section["rasch"]["assessors"])[0]
    assert severe["assessor"] == "a2"
    assert "The most severe assessor is a2" in section["rasch"]["sentence"]
    assert section["ceiling"]["ceiling"] == pytest.approx(
        np.sqrt(section["generalisability"]["generalisability"])
    )


def test_one_assessor_has_no_severity_and_a_ceiling_over_items():
    section = report(judged(assessors=1)).data["human"][0]
    assert section["generalisability"] is None
    assert section["rasch"] is None
    assert section["ceiling"]["over"] == "other items, judged by the same people"
