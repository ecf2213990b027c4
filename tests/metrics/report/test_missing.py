"""What a report says when there is little to report on."""

import numpy as np
import pandas as pd
import pytest

from metrics.errors import BadInput
from metrics.report import Options, build_report, frame_of, records, write_report
from tests.metrics.human.rows import attributes, table
from tests.metrics.report.studies import SYSTEMS, judgments, texts


def ratings(*, systems=("A", "B"), assessors=("p", "q"), items=4, value=None, **common):
    rng = np.random.default_rng(5)
    rows = [
        {"assessor": name, "system": system, "item": f"i{k}", "criterion": "adequacy"}
        | {"value": rng.integers(1, 6) if value is None else value}
        for name in assessors
        for system in systems
        for k in range(items)
    ]
    return table(rows, **{"kind": "rating"} | common)


def why(report, section, human=None):
    return [
        one["why"] for one in report.data["missing"] if (one["section"], one["human"]) == (section, human)
    ]


def test_without_texts_and_scores_there_is_no_meta_evaluation(tmp_path):
    report = build_report(ratings())
    assert why(report, "computed-scores") == [
        "no references were given: outputs and references are needed to compute metrics"
    ]
    assert why(report, "correlations", "t/adequacy") == ["there are no automatic scores"]
    assert report.data["metric_scores"] is None
    assert report.data["meta"][0]["correlations"] is None
    page = (write_report(report, tmp_path / "out") / "report.html").read_text(encoding="utf-8")
    assert "Not here: computed metrics. No references were given" in page
    assert "Not here: metrics against people. There are no automatic scores." in page


def test_one_system_has_a_mean_and_nobody_to_beat():
    report = build_report(ratings(systems=("A",)))
    (row,) = records(report.data["human"][0]["systems"])
    assert (row["system"], row["cluster"], row["first_share"]) == ("A", 1, 1.0)
    assert why(report, "pairs", "t/adequacy") == ["there is one system only: nothing to compare it with"]
    assert "no other system" in report.data["headline"][0]


def test_one_assessor_agrees_with_nobody():
    report = build_report(ratings(assessors=("p",)))
    assert report.data["agreement"] is None
    assert why(report, "agreement") == ["there is one assessor only"]
    assert records(report.data["assessors"]["assessors"])[0]["bias"] is None


def test_two_assessors_who_share_nothing_agree_on_nothing():
    one, other = ratings(assessors=("p",)), ratings(assessors=("q",))
    other["item"] = "other-" + other["item"]
    report = build_report(pd.concat([one, other]))
    assert why(report, "agreement") == ["nothing was judged by two assessors"]


def test_one_item_has_no_interval():
    report = build_report(ratings(items=1))
    row = records(report.data["human"][0]["systems"])[0]
    assert (row["low"], row["high"], row["first_share"]) == (None, None, None)


def test_no_judgments_is_a_report_of_nothing(tmp_path):
    report = build_report(ratings(items=0))
    assert report.data["human"] == []
    assert why(report, "human") == ["there is no human score"]
    assert why(report, "agreement") == ["there are no judgments"]
    assert (write_report(report, tmp_path / "out") / "report.html").is_file()


def test_a_score_without_its_attributes_is_missing_and_says_which():
    rows = [
        {
            "assessor": "p",
            "system": system,
            "item": "i",
            "unit": f"m/{unit}",
            "criterion": "coverage",
            "value": 0.5,
        }
        for system in "AB"
        for unit in range(2)
    ]
    report = build_report(table(rows, kind="see"))
    assert [section["score"] for section in report.data["human"]] == ["coverage", "coverage-recall"]
    assert why(report, "human", "t/coverage-length-adjusted") == [
        "the attributes do not tell target of output A/i"
    ]


def test_three_systems_correlate_but_two_do_not():
    """Williams' test needs a fourth."""
    scores = pd.DataFrame(
        [
            {"metric": metric, "system": system, "item": "", "score": value}
            for metric, values in (("m1", (1, 2, 3)), ("m2", (1, 3, 2)))
            for system, value in zip("ABC", values, strict=True)
        ]
    )
    three = build_report(ratings(systems="ABC"), scores=scores)
    assert {row["n"] for row in records(three.data["meta"][0]["correlations"])} == {3}
    assert why(three, "williams", "t/adequacy") == ["3 systems have both scores: Williams' test needs 4"]
    assert why(three, "prediction", "t/adequacy") == ["no metric has scores of single items"]
    two = build_report(ratings(systems="AB"), scores=scores)
    assert why(two, "correlations", "t/adequacy") == [
        "2 systems have human and automatic scores: 3 are needed"
    ]


def test_marks_that_do_not_vary_have_no_correlation():
    scores = pd.DataFrame(
        [{"metric": "m", "system": s, "item": f"i{k}", "score": k + ord(s)} for s in "ABCD" for k in range(4)]
    )
    report = build_report(ratings(systems="ABCD", value=3), scores=scores)
    assert why(report, "correlations", "t/adequacy") == ["no correlation is defined: scores do not vary"]
    assert report.data["headline"][0] == (
        "All 4 systems have the same mean by adequacy, 3.00 over 4 items and 2 assessors."
    )


def test_an_assessor_without_variance_leaves_z_scores_out():
    varied, flat = ratings(assessors=("p",)), ratings(assessors=("q",), value=3)
    flat["item"] = "only-" + flat["item"]
    report = build_report(pd.concat([varied, flat]), options=Options(normalise="z"))
    left = [row for row in report.data["left_out"] if row["what"] == "outputs"]
    assert [(row["count"], row["why"]) for row in left] == [(8, "adequacy is undefined")]
    assert any("no variance: q" in note["note"] for note in report.data["notes"])
    means = [row["mean"] for row in records(report.data["human"][0]["systems"])]
    assert sum(means) == pytest.approx(0)


def test_a_score_without_normalisation_says_so():
    rows = [
        {"system": system, "item": f"e/d{k}", "criterion": "relevant", "value": k % 2}
        for system in ("full", "head")
        for k in range(4)
    ]
    gold = attributes(*(("item", f"e/d{k}", "gold", 1) for k in range(4)))
    report = build_report(table(rows, kind="relevance"), attributes=gold, options=Options(normalise="z"))
    assert why(report, "normalisation", "t/gold-agreement") == [
        "gold-agreement has no evaluator normalisation"
    ]


def test_systems_and_items_that_one_side_does_not_know_are_named():
    outputs, references = texts()
    extra = pd.DataFrame([{"system": "unjudged", "item": "d0", "text": "river bridge"}])
    kept = pd.concat([outputs[outputs["system"] != "none"], extra])
    report = build_report(
        judgments(),
        outputs=kept,
        references=references[references["item"] != "d7"],
        options=Options(human=["adequacy"], metrics=["rouge-1-f"]),
        processes=1,
    )
    said = {(row["what"], row["why"]): row["count"] for row in report.data["left_out"]}
    assert said["systems", "judged, but without automatic scores (none)"] == 1
    assert said["systems", "scored by metrics, but without human scores (unjudged)"] == 1
    assert said["outputs", "no reference: automatic metrics are undefined"] == len(SYSTEMS) - 1
    correlations = frame_of(report.data["meta"][0]["correlations"])
    assert set(correlations.loc[correlations["level"] == "system", "n"]) == {4}


def test_an_imported_metric_takes_the_place_of_a_computed_one():
    outputs, references = texts()
    scores = pd.DataFrame(
        [{"metric": "bleu", "system": system, "item": "", "score": -k} for k, system in enumerate(SYSTEMS)]
    )
    report = build_report(
        judgments(),
        outputs=outputs,
        references=references,
        scores=scores,
        options=Options(human=["adequacy"], metrics=["bleu", "rouge-1-f"]),
        processes=1,
    )
    info = {(row["metric"], row["level"]): row["source"] for row in records(report.data["metrics"])}
    assert info["bleu", "system"] == "imported"
    assert info["rouge-1-f-mean", "system"] == "computed"
    said = [row for row in report.data["left_out"] if row["what"] == "computed metrics"]
    assert said[0]["why"] == "the score table has a metric of that name"
    assert report.data["metric_scores"]["scores"][0] == [
        -float(SYSTEMS.index(s)) for s in report.data["metric_scores"]["systems"]
    ]


def test_judgments_of_two_studies_are_refused():
    with pytest.raises(BadInput, match="one study"):
        build_report(pd.concat([ratings(study="one"), ratings(study="two")]))


@pytest.mark.parametrize(("given", "wanted"), [("outputs", "references"), ("references", "outputs")])
def test_half_of_the_texts_is_no_text(given, wanted):
    tables = dict(zip(("outputs", "references"), texts(), strict=True))
    report = build_report(ratings(), **{given: tables[given]})
    assert why(report, "computed-scores") == [f"{given} were given without {wanted}"]


def test_a_metric_that_does_not_vary_is_said_to_have_no_correlation():
    scores = pd.DataFrame(
        [
            {"metric": metric, "system": system, "item": "", "score": 1 if metric == "flat" else ord(system)}
            for metric in ("flat", "fine", "too")
            for system in "ABCDE"
        ]
    )
    report = build_report(ratings(systems="ABCDE"), scores=scores)
    said = {(row["what"], row["why"]): row["count"] for row in report.data["left_out"]}
    assert said["metrics", "no correlation over systems is defined (flat)"] == 1
    williams = report.data["meta"][0]["williams"]
    assert williams["metrics"][-1] == "flat"
    assert "flat" not in williams["not_outperformed"]


@pytest.mark.parametrize(
    "wrong", [{"normalise": "zz"}, {"n_resamples": 0}, {"alpha": 1.5}, {"interval": "guess"}]
)
def test_options_that_make_no_sense_are_refused(wrong):
    with pytest.raises(BadInput):
        Options(**wrong)


def test_a_human_score_that_a_kind_gives_only_when_asked_for():
    rows = [
        {"system": system, "item": f"i{k}", "unit": unit, "criterion": criterion, "value": value}
        for system, value in (("A", 0.5), ("B", 1.0))
        for k in range(3)
        for unit, criterion in (("m/1", "coverage"), ("", "grammar"))
    ]
    report = build_report(
        table(rows, kind="see"), options=Options(human=["assessment-harmonic", "t/quality"])
    )
    assert [section["score"] for section in report.data["human"]] == ["assessment-harmonic", "quality"]


def test_answers_beyond_their_scale_do_not_take_other_tasks_with_them():
    answers = ratings(kind="likert", task="questions", value=9)
    points = attributes(("statement", "adequacy", "points", 5))
    report = build_report(pd.concat([answers, ratings(task="marks")]), attributes=points)
    assert [section["id"] for section in report.data["human"]] == ["marks/adequacy"]
    (told,) = why(report, "details")
    assert told == "questions: column value: expected values from 1 to 5, found 9"
    assert why(report, "human", "questions/likert") == [told.removeprefix("questions: ")]


def test_notes_say_whom_and_what_they_are_about():
    """q gives everything the same mark, and one criterion was judged by one person only."""
    alike = ratings(assessors=("q",), value=3)
    alone = ratings(assessors=("p",)).assign(criterion="fluency")
    report = build_report(pd.concat([ratings(assessors=("p",)), alike, alone]))
    notes = {note["note"] for note in report.data["notes"]}
    assert "z is undefined for q on adequacy (t): one judgment, or all alike" in notes
    assert (
        "percent, alpha-ordinal and alpha-interval of fluency (t): undefined, nothing was judged twice"
        in notes
    )


def test_values_that_are_not_there_are_not_answers_in_words():
    rows = ratings()
    rows.loc[0, "value"] = np.nan
    rows.loc[1, ["value", "label"]] = np.nan, "cannot say"
    left = {
        row["why"]: row["count"] for row in build_report(rows).data["left_out"] if row["what"] == "values"
    }
    assert left == {"an answer in words is no number": 1, "nothing was given": 1}


def test_where_nothing_differs_significantly_there_is_no_curve():
    scores = pd.DataFrame([{"metric": "m", "system": s, "item": "i0", "score": ord(s) % 3} for s in "ABCD"])
    report = build_report(ratings(systems="ABCD", items=1), scores=scores)
    assert report.data["meta"][0]["prediction"] is None
    assert why(report, "prediction", "t/adequacy") == [
        "the z-test of Lin and Hovy finds no significant difference, for people or for metrics"
    ]
    assert "prediction" not in {spec["kind"] for spec in report.data["figures"]}


def test_rows_of_the_table_are_called_values_because_a_judgment_may_have_many(tmp_path):
    rows = ratings()
    said = rows.head(2).assign(criterion="why", value=None, label="too long")
    report = build_report(pd.concat([rows, said]))
    assert [row["text"] for row in report.data["remarks"]["left_out"]] == [
        "2 values: an answer in words is no number"
    ]
    page = (write_report(report, tmp_path / "out") / "report.html").read_text(encoding="utf-8")
    assert ">Values</th>" in page
