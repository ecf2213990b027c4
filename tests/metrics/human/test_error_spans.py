"""Error spans. Expected values: MQM of the TED test set as released (Freitag et al. 2021), what mt-metrics-eval prints for own rows,
faithfulness as published for XSum (Maynez et al. 2020), and examples worked by hand."""

import csv
import gzip
import json

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.cells import span_written
from metrics.cli import main
from metrics.errors import BadInput
from metrics.frames import read_judgments
from metrics.human import human_score, human_summary
from metrics.human.base import MissingAttribute
from metrics.human.spans.places import covered, place_of
from metrics.human.spans.weights import NAMED, weight_table
from metrics.human.tables import human_tables
from tests.conftest import ROOT
from tests.metrics.human.rows import attributes, scores, table

EXAMPLE = ROOT / "tests" / "data" / "tasks2" / "rows_example.csv"


def marked(*errors, **common):
    """Rows from (unit, category, value, severity); a unit without a category is one where nothing was found."""
    rows = []
    counts = {}
    for unit, category, value, severity in errors:
        number = unit.partition("/")[0].partition("#")[0]
        counts[number] = counts.get(number, 0) + bool(category)
        if category:
            rows.append({"unit": unit, "criterion": category, "value": value, "label": severity})
    rows += [{"unit": unit, "criterion": "errors", "value": count} for unit, count in counts.items()]
    return table(rows, kind="error_spans", **common)


def together(*tables):
    return pd.concat(tables, ignore_index=True)


HARBOUR = together(
    # mqm/own.tsv of the shared data, row by row.
    marked(("1/13:17", "Accuracy/Mistranslation", 5, "Major"), ("1/27:28", "Fluency/Punctuation", 1, "Minor")),
    marked(("2", "", 0, "")),
    marked(("1/18:20", "Style/Awkward", 1, "Minor"), ("2/17:21", "Style/Awkward", 0, "Neutral"), assessor="a2"),
    marked(("1/0:23", "Non-translation!", 5, "Major"), system="B"),
    marked(("2/source/0:4", "Accuracy/Omission", 1, "Minor"), ("2/source/21:29", "Source error", 1, "Minor"), system="B"),
    marked(("1/0:15", "Fluency/Grammar", 5, "Major"), ("1/16:23", "Fluency/Punctuation", 5, "Major"), assessor="a2", system="B"),
    marked(("2", "", 0, ""), assessor="a2", system="B"),
)  # fmt: skip


def test_a_unit_weighs_the_sum_of_its_errors_averaged_over_people_as_mt_metrics_eval_prints_it():
    score = human_score(HARBOUR, "mqm", error_weights="freitag2021")
    units = score.assessments.groupby(["system", "unit"])["value"].mean().to_dict()
    # own.mt-metrics-eval.txt, negated there.
    assert units == {("A", "1"): 3.05, ("A", "2"): 0, ("B", "1"): 17.5, ("B", "2"): 1}
    assert scores(score) == {("A", "i1"): 1.525, ("B", "i1"): 9.25}
    assert "weights:freitag2021" in score.signature
    assert score.higher_is_better is False


@pytest.mark.parametrize(
    ("weights", "severity", "category", "expected"),
    [
        ("freitag2021", "Minor", "Fluency/Punctuation", 0.1),
        ("freitag2021", "Minor", "Terminology/Punctuation", 1),
        ("freitag2021", "Major", "Fluency/Punctuation", 5),
        ("freitag2021", "Major", "Non-translation!", 25),
        ("freitag2021", "minor", "Source error", 1),
        ("marot", "minor", "Style/Punctuation", 0.1),
        ("marot", "minor", "Punctuation", 0.1),
        ("marot", "major", "Source issue", 0),
        ("marot", "major", "Creative Reinterpretation", 0),
        ("marot", "critical", "Accuracy", 5),
        ("unbabel", "critical", "Accuracy", 10),
        ("unbabel", "minor", "Fluency/Punctuation", 1),
        ("freitag2021,critical=10", "Critical", "Accuracy", 10),
        ("major=3,Accuracy/Omission=7", "major", "Accuracy/Omission", 7),
        ("major=3,minor/Accuracy=2,Accuracy=4", "minor", "Accuracy/Omission", 2),
        ("major=3", "minor", "Accuracy/Omission", 8),
    ],
)
def test_the_most_specific_weight_of_a_named_table_counts(weights, severity, category, expected):
    assert weight_table(weights).weight(severity, category, 8) == expected


@pytest.mark.parametrize("weights", ["freitag2021", "study"])
def test_a_critical_error_has_no_weight_unless_somebody_names_it(weights):
    rows = marked(("1/0:4", "Accuracy", None, "critical"))
    with pytest.raises(BadInput, match=r"expected a weight for errors that are critical: .*\Wcritical=10$"):
        human_score(rows, "mqm", error_weights=weights)
    named = human_score(rows, "mqm", error_weights=f"{weights},critical=10")
    assert scores(named) == {("A", "i1"): 10}


@pytest.mark.parametrize("wrong", ["freitag2022", "freitag2021,critical", "=5", "major=-1", "major=much"])
def test_weights_that_are_none_are_refused(wrong):
    with pytest.raises(BadInput, match="expected"):
        weight_table(wrong)


def test_a_studys_own_weights_come_with_its_attributes_and_may_differ_between_tasks():
    rows = marked(("1/0:1", "Fluency/Punctuation", 1, "minor"), ("1/2:4", "Non-translation", 5, "major"))
    known = attributes(
        ("error", "minor/Fluency/Punctuation", "weight", "0.5"), ("error", "t/Non-translation", "weight", "30"),
        ("error", "other/minor/Fluency/Punctuation", "weight", "0.2"),
    )  # fmt: skip
    assert scores(human_score(rows, "mqm", attributes=known)) == {("A", "i1"): 30.5}
    assert scores(human_score(rows, "mqm")) == {("A", "i1"): 6}


def test_a_systems_mean_is_over_units_or_over_domains_first():
    rows = together(
        marked(("1/0:1", "Style", 1, "minor"), ("2/0:1", "Style", 5, "major"), ("3", "", 0, "")),
        marked(("1/0:1", "Style", 1, "minor"), item="i2"),
    )
    known = attributes(("item", "i1", "domain", "news"), ("item", "i2", "domain", "speech"))
    assert human_score(rows, "mqm").system_scores()["score"].tolist() == [7 / 4]
    score = human_score(rows, "mqm", attributes=known, over="domains")
    assert score.system_scores()["score"].tolist() == [(2 + 1) / 2]
    with pytest.raises(MissingAttribute, match="domain of item i1"):
        human_score(rows, "mqm", over="domains")


def test_points_per_100_words_of_the_source_or_the_output():
    # 3.05 points on 10 words: 30.5 per 100 (spec of the study's tasks).
    rows = HARBOUR[(HARBOUR["system"] == "A") & HARBOUR["unit"].str.startswith("1")]
    known = attributes(("item", "i1", "tokens", "10"), ("output", "A/i1", "tokens", "5"))
    score = human_score(rows, "mqm-per-100", attributes=known, error_weights="freitag2021")
    assert scores(score) == {("A", "i1"): pytest.approx(30.5)}
    assert score.system_scores()["score"].tolist() == [pytest.approx(30.5)]
    score = human_score(rows, "mqm-per-100", attributes=known, error_weights="freitag2021", words="output")
    assert scores(score) == {("A", "i1"): pytest.approx(61)}
    assert scores(human_score(rows, "mqm", attributes=known, error_weights="unbabel")) == {
        ("A", "i1"): pytest.approx((6 + 1) / 2 / 5)
    }
    with pytest.raises(MissingAttribute, match="tokens of item i1"):
        human_score(rows, "mqm-per-100")


def test_error_span_annotation_has_scores_of_units_and_of_spans():
    rows = read_judgments(EXAMPLE)
    assert scores(human_score(rows, "esa", task="esa")) == {("alpha", "d1"): 83}
    assert scores(human_score(rows, "esa-spans", task="esa")) == {("alpha", "d1"): 3}
    assert scores(human_score(rows, "mqm", task="mqm")) == {("alpha", "d1"): 3.5}
    named = {
        task: list(rows["score"])
        for task, rows in human_summary(rows[rows["kind"] == "error_spans"]).groupby("task")
    }
    assert named == {"mqm": ["mqm"], "esa": ["esa", "esa-spans"]}


def test_z_scores_are_of_all_scores_of_a_person_and_the_documents_score_is_no_unit():
    def scored(assessor, *values):
        rows = [
            {"system": system, "unit": "1", "criterion": "score", "value": value}
            for system, value in zip("ABC", values, strict=True)
        ]
        rows.append({"system": "A", "unit": "", "criterion": "score", "value": 1})
        return table(rows, kind="error_spans", assessor=assessor)

    score = human_score(together(scored("a1", 10, 20, 30), scored("a2", 80, 90, 100)), "esa", normalise="z")
    assert scores(score) == {("A", "i1"): -1, ("B", "i1"): 0, ("C", "i1"): 1}
    assert len(score.assessments) == 6


def test_side_by_side_rows_count_like_others_and_control_items_never():
    rows = together(
        table(
            [
                {"unit": "s1/1/0:4", "criterion": "error", "value": 5, "label": "major", "system": "A"},
                {"unit": "s1/1", "criterion": "errors", "value": 1, "system": "A"},
                {"unit": "s1/1", "criterion": "errors", "value": 0, "system": "B"},
                {"unit": "s1", "criterion": "preference", "value": 1, "system": "B"},
            ],
            kind="error_spans",
        ),
        marked(("1/0:4", "Style", 5, "major"), item="i9", control="degraded"),
    )
    assert scores(human_score(rows, "mqm")) == {("A", "i1"): 5, ("B", "i1"): 0}


def test_faithful_is_the_share_of_words_not_wholly_inside_a_span():
    words = attributes(("unit", "A/i1/1", "words", "0:3 4:8 9:12"), ("unit", "A/i1/2", "words", "0:5"))
    rows = together(
        marked(("1/0:7", "intrinsic", 1, ""), ("1/7:8", "extrinsic", 1, ""), ("2", "", 0, "")),
        marked(("1", "", 0, ""), ("2/source/0:5", "extrinsic", 1, ""), assessor="a2"),
    )
    assert scores(human_score(rows, "faithful", attributes=words)) == {("A", "i1"): (2 / 4 + 4 / 4) / 2}
    with pytest.raises(MissingAttribute, match="words of unit A/i1/1"):
        human_score(rows, "faithful")
    with pytest.raises(BadInput, match="such as 0:3 4:8"):
        human_score(rows, "faithful", attributes=attributes(("unit", "A/i1/1", "words", "three")))


@pytest.mark.parametrize(
    "wrong", ["a", "1/3:3", "1/5:2", "1/0:4+4:6", "1/0:4+2:6", "1/source", "x/1:2", "1/-1:2"]
)
def test_a_place_that_is_none_is_refused_with_what_was_expected(wrong):
    with pytest.raises(BadInput, match=f"column unit: expected a .*{wrong.replace('+', '.')}"):
        place_of(wrong)


@given(
    st.lists(st.integers(1, 50), min_size=2, max_size=10).filter(lambda steps: len(steps) % 2 == 0),
    st.booleans(),
)
def test_a_span_is_written_and_read_again_and_covers_what_its_parts_cover(steps, in_source):
    bounds = [sum(steps[: place + 1]) for place in range(len(steps))]
    parts = tuple(zip(bounds[::2], bounds[1::2], strict=True))
    place = place_of(f"7/{'source/' * in_source}{span_written(parts)}#3")
    assert place == ("7", "source" if in_source else "output", parts, "")
    assert len(covered([parts, parts])) == sum(end - start for start, end in parts)


def test_tables_count_errors_by_severity_and_category_and_what_became_of_suggestions():
    named = {table_.name: table_ for table_ in human_tables(HARBOUR)["t"]}
    assert list(named) == ["errors-by-severity", "errors-by-category"]
    assert named["errors-by-severity"].rows == [("A", 1, 2, 1, 1.0, 3 / 4, 4), ("B", 3, 2, 0, 1.25, 3 / 4, 4)]
    punctuation = [row for row in named["errors-by-category"].rows if row[0] == "Fluency/Punctuation"]
    assert punctuation == [
        ("Fluency/Punctuation", "Major", 0, 1, 1),
        ("Fluency/Punctuation", "Minor", 1, 0, 1),
    ]
    example = read_judgments(EXAMPLE)
    suggestions = {table_.name: table_ for table_ in human_tables(example)["esa"]}["suggestions"]
    assert suggestions.rows == [("p2", 1, 0, 1, 0.5)]
    injected = table(
        [{"unit": str(n), "criterion": "injected", "value": n % 2} for n in (1, 2, 3)], kind="error_spans"
    )
    (found,) = human_tables(injected)["t"]
    assert found.rows == [("a1", 3, 2, 2 / 3)]


def test_the_command_takes_weights_by_name_or_own_ones(tmp_path, capsys):
    file = tmp_path / "judgments.csv"
    HARBOUR.to_csv(file, index=False)
    assert (
        main(["human", str(file), "--score", "mqm", "--error-weights", "freitag2021", "--level", "system"])
        == 0
    )
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    assert [(row["system"], float(row["score"]), row["higher_is_better"]) for row in rows] == [
        ("A", 1.525, "False"), ("B", 9.25, "False"),
    ]  # fmt: skip
    assert main(["human", str(file), "--score", "mqm", "--error-weights", "mine"]) == 2
    assert f"expected weights called {', '.join(NAMED)}" in capsys.readouterr().err


# --- outside data ---------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def ted(shared):
    """Every MQM row of the TED test set English–German as judgments, a segment being an item."""
    with gzip.open(shared / "data/tasks2/mqm/ted_ende.errors.csv.gz", "rt") as stream:
        given_rows = list(csv.DictReader(stream))
    rows, seen = [], {}
    for row in given_rows:
        about = {"assessor": row["rater"], "system": row["system"], "item": row["seg_id"]}
        key = (*about.values(), row["category"], row["target_span"], row["source_span"])
        again = seen[key] = seen.get(key, 0) + 1
        side, span = ("", row["target_span"]) if row["target_span"] else ("source/", row["source_span"])
        unit = f"1/{side}{span}" if ":" in span else "1"
        rows.append(about | {"unit": "1", "criterion": "errors", "value": 0})
        if row["severity"] != "No-error":
            unit += f"#{again}" if again > 1 else ""
            rows.append(about | {"unit": unit, "criterion": row["category"], "label": row["severity"]})
    frame = pd.DataFrame(rows).drop_duplicates(["assessor", "system", "item", "unit", "criterion"])
    return table(frame.to_dict("records"), kind="error_spans")


def test_every_segment_score_of_the_ted_test_set_comes_out(ted, shared):
    """google/wmt-mqm-human-evaluation, ted/: segment scores as released, negative there."""
    with gzip.open(shared / "data/tasks2/mqm/ted_ende.published_segments.txt.gz", "rt") as stream:
        lines = [line.split() for line in list(stream)[1:]]
    names = {"ref-A": "ref", "ref-B": "refB"}
    published = {
        (names.get(system, system), segment): -float(score)
        for system, score, segment in lines
        if score != "None"
    }
    score = human_score(ted, "mqm", error_weights="freitag2021")
    found = scores(score)
    assert len(published) > 7_000
    assert {key: found.get(key) for key in published} == pytest.approx(published, abs=1e-6)


def test_the_system_scores_of_the_ted_test_set_come_out(ted, shared):
    """The same project's README; its 1.96 of eTranslation is 1.9688 cut, not rounded."""
    with (shared / "data/tasks2/mqm/ted_published_systems.csv").open() as stream:
        published = {
            row["system"]: float(row["mqm"]) for row in csv.DictReader(stream) if row["pair"] == "en-de"
        }
    frame = human_score(ted, "mqm", error_weights="freitag2021").system_scores()
    found = dict(zip(frame["system"], frame["score"], strict=True))
    found["ref.A"] = found["ref"]
    rounded = {system: round(found[system], 2) for system in published}
    assert rounded == published | {"eTranslation": 1.97}


def test_faithfulness_of_xsum_comes_out_as_published(shared):
    """google-research-datasets/xsum_hallucination_annotations, 300 summaries by three people each."""
    with gzip.open(shared / "data/tasks2/spans/xsum_faithful.jsonl.gz", "rt") as stream:
        summaries = [json.loads(line) for line in stream]
    rows, known = [], []
    for summary in summaries:
        about = {"system": summary["system"], "item": summary["document"]}
        words = " ".join(f"{start}:{end}" for start, end in summary["words"])
        known.append(("unit", f"{summary['system']}/{summary['document']}/1", "words", words))
        for person, spans in summary["spans"].items():
            own = about | {"assessor": person}
            rows.append(own | {"unit": "1", "criterion": "errors", "value": len(spans)})
            for number, (start, end, category) in enumerate(spans, start=1):
                rows.append(
                    own | {"unit": f"1/{max(start, 0)}:{end}#{number}", "criterion": category, "value": 1}
                )
    score = human_score(table(rows, kind="error_spans"), "faithful", attributes=attributes(*known))
    published = {(row["system"], row["document"]): row["faithful"] for row in summaries}
    assert scores(score) == pytest.approx(published)
