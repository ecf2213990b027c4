"""SacreROUGE's metrics; nesting, names and lists as its ``MetricsDict.flatten_keys`` and ``average_values`` have them."""

import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.errors import BadInput
from metrics.formats.sacrerouge import read_scores, write_scores
from tests.metrics.formats.texts import NUMBERS, SPACED, as_set, scores, write

LINE = {
    "instance_id": "d1",
    "summarizer_id": "4",
    "summarizer_type": "peer",
    "metrics": {"rouge-1": {"recall": 0.5, "jk": [0.25, 0.75]}, "length": 12},
}


@pytest.fixture
def table(tmp_path):
    def read(*lines, **options):
        text = "".join(line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines)
        return read_scores([write(tmp_path / "metrics.jsonl", text)], **options)

    return read


def test_the_path_to_a_number_is_its_name_and_a_list_its_mean(table):
    assert as_set(table(LINE)) == as_set(
        scores(("rouge-1_recall", "4", "d1", 0.5), ("rouge-1_jk", "4", "d1", 0.5), ("length", "4", "d1", 12))
    )


def test_references_are_systems_too_unless_left_out(table):
    human = LINE | {"summarizer_id": "A", "summarizer_type": "reference"}
    assert set(table(LINE, human)["system"]) == {"4", "A"}
    assert set(table(LINE, human, summarizers="peer")["system"]) == {"4"}
    assert set(table(LINE, human, summarizers="reference")["system"]) == {"A"}
    with pytest.raises(BadInput, match="expected --summarizers all, peer or reference, found 'both'"):
        table(LINE, summarizers="both")


def test_undefined_scores_are_missing(table):
    assert math.isnan(table(LINE | {"metrics": {"x": None}})["score"].iloc[0])


def test_metrics_of_several_files_are_put_together(tmp_path):
    paths = [
        write(tmp_path / f"{name}.jsonl", json.dumps(LINE | {"metrics": {name: 1}})) for name in ("a", "b")
    ]
    assert read_scores(paths)["metric"].tolist() == ["a", "b"]
    with pytest.raises(BadInput, match="expected one row for metric a"):
        read_scores([paths[0], paths[0]])


def test_people_are_written_as_references():
    text = write_scores(scores(("x", "4", "d1", 1), ("x", "A", "d1", 2)), people=["A"])
    assert [json.loads(line)["summarizer_type"] for line in text.splitlines()] == ["peer", "reference"]
    assert json.loads(text.splitlines()[0]) == {
        "instance_id": "d1",
        "summarizer_id": "4",
        "summarizer_type": "peer",
        "metrics": {"x": 1.0},
    }


@given(
    rows=st.dictionaries(st.tuples(SPACED, SPACED, SPACED), NUMBERS, min_size=1, max_size=8),
    person=st.booleans(),
)
@settings(max_examples=30, deadline=None)
def test_scores_come_back_as_they_were(rows, person, tmp_path_factory):
    table = scores(*((*key, score) for key, score in rows.items()))
    people = [table["system"].iloc[0]] if person else []
    text = write_scores(table, people=people)
    back = read_scores([write(tmp_path_factory.mktemp("sacrerouge") / "m.jsonl", text)])
    assert as_set(back) == as_set(table)
    assert write_scores(back, people=people) == text


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{\n", "row 2: expected JSON"),
        ("[]\n", "row 2: expected a JSON object"),
        ({"instance_id": "d1"}, "row 2, column summarizer_id: expected a text"),
        (LINE | {"instance_id": ""}, "row 2, column instance_id: expected a text"),
        (LINE | {"summarizer_type": "model"}, "row 2, column summarizer_type: expected peer or reference, found"),
        (LINE | {"metrics": 3}, "row 2, column metrics: expected an object of metrics"),
        (LINE | {"metrics": {"rouge-1": {"recall": "high"}}}, "row 2, column rouge-1_recall: expected a number"),
        (LINE | {"metrics": {"x": []}}, "row 2, column x: expected a number"),
        (LINE, "row 2: expected one row for metric rouge-1_recall, system 4, item d1, found another"),
        (LINE | {"instance_id": "\ud83d"}, "row 2: expected whole characters"),
    ],
)  # fmt: skip
def test_a_bad_file_is_one_line_with_its_row(table, line, message):
    with pytest.raises(BadInput) as problem:
        table(LINE, line)
    assert message in str(problem.value)
    assert "metrics.jsonl" in str(problem.value)


def test_scores_of_systems_have_no_place():
    with pytest.raises(BadInput, match="column item: expected scores of items"):
        write_scores(scores(("x", "4", "", 1)))
    with pytest.warns(UserWarning, match="1 system scores left out"):
        assert write_scores(scores(("x", "4", "", 1), ("x", "4", "d1", math.nan))).count("\n") == 1


def test_what_is_better_when_it_is_lower_cannot_be_said():
    with pytest.warns(UserWarning, match="lower is better, which the format cannot say, of wer"):
        write_scores(scores(("wer", "4", "d1", 0.5)).assign(higher_is_better=False))


def test_people_must_be_systems_of_the_table():
    with pytest.raises(BadInput, match="expected systems of the table as --people, found B"):
        write_scores(scores(("x", "4", "d1", 1)), people=["B"])
