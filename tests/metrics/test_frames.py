"""Tables at the edge: what is read, what is typed, and what is said about a bad file."""

import csv
import io
import json
import time
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from metrics.errors import BadInput
from metrics.frames import (
    JUDGMENT_COLUMNS,
    check_judgments,
    check_scores,
    oriented,
    read_attributes,
    read_judgments,
    read_scores,
    read_texts_outputs,
    read_texts_references,
    score_matrix,
    scored,
    settle_duplicates,
    system_scores,
    with_repeats,
)
from metrics.human import human_score
from metrics.tables import csv_text, read_table
from tests.metrics.human.rows import table

ROW = {
    "study": "s",
    "task": "t",
    "kind": "rating",
    "assessor": "a1",
    "system": "A",
    "document": "d1",
    "item": "i1",
    "criterion": "adequacy",
    "value": "4",
    "revision": "1",
    "position": "2",
    "practice": "False",
    "shown_at": "2005-06-29T09:30:00Z",
    "submitted_at": "2005-06-29T09:30:41.5+00:00",
    "seconds": "12.5",
}


def csv_file(folder, *rows, columns=JUDGMENT_COLUMNS, name="judgments.csv"):
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, restval="")
    writer.writeheader()
    writer.writerows(rows)
    path = folder / name
    path.write_text(text.getvalue(), encoding="utf-8")
    return path


def lines_file(folder, *rows, name="rows.jsonl"):
    path = folder / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_a_long_table_is_typed(tmp_path):
    judgments = read_judgments(
        csv_file(tmp_path, ROW, ROW | {"item": "i2", "value": "", "label": "none", "practice": "True"})
    )
    assert tuple(judgments.columns) == JUDGMENT_COLUMNS
    assert judgments["value"].tolist()[0] == 4.0
    assert np.isnan(judgments["value"].tolist()[1])
    assert judgments["practice"].tolist() == [False, True]
    assert judgments["unit"].tolist() == ["", ""]
    assert judgments["submitted_at"].iloc[0] - judgments["shown_at"].iloc[0] == pd.Timedelta(seconds=41.5)


def test_csv_json_lines_and_parquet_read_alike(tmp_path):
    from_csv = read_judgments(csv_file(tmp_path, ROW, ROW | {"item": "NA", "system": "01"}))
    numbers = {"value": 4, "revision": 1, "position": 2, "practice": False, "seconds": 12.5}
    rows = [
        dict.fromkeys(JUDGMENT_COLUMNS) | ROW | numbers | more
        for more in ({}, {"item": "NA", "system": "01"})
    ]
    from_lines = read_judgments(lines_file(tmp_path, *rows))
    from_csv.to_parquet(tmp_path / "judgments.parquet")
    from_parquet = read_judgments(tmp_path / "judgments.parquet")
    pd.testing.assert_frame_equal(from_csv, from_lines)
    pd.testing.assert_frame_equal(from_csv, from_parquet)


def test_columns_after_seconds_are_kept_and_order_does_not_matter(tmp_path):
    columns = ["device", *reversed(JUDGMENT_COLUMNS)]
    judgments = read_judgments(csv_file(tmp_path, ROW | {"device": "phone"}, columns=columns))
    assert tuple(judgments.columns) == (*JUDGMENT_COLUMNS, "device")
    assert judgments["device"].tolist() == ["phone"]


def test_a_byte_order_mark_and_empty_lines_do_no_harm(tmp_path):
    path = csv_file(tmp_path, ROW)
    path.write_text("\ufeff" + path.read_text() + "\n\n", encoding="utf-8")
    assert len(read_judgments(path)) == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"value": "four"}, "row 3, column value: expected a number, found 'four'"),
        ({"value": "inf"}, "row 3, column value: expected a number, found 'inf'"),
        ({"system": ""}, "row 3, column system: expected a value, found nothing"),
        ({"practice": "maybe"}, "row 3, column practice: expected True or False, found 'maybe'"),
        ({"control": "trap"}, "row 3, column control: expected one of gold, repeat, degraded, attention, found 'trap'"),
        ({"shown_at": "yesterday"}, "row 3, column shown_at: expected a time such as 2005-06-29T09:30:00Z, found 'yesterday'"),
        (
            {"seconds": "-1"},
            "row 3, column seconds: expected a number of at least 0 and at most 1,000,000,000, found '-1'",
        ),
        (  # before: their sum was no number, and neither report nor monitor could be made
            {"seconds": "1e308"},
            "row 3, column seconds: expected a number of at least 0 and at most 1,000,000,000, found '1e308'",
        ),
        ({"value": "1e308"}, "row 3, column value: expected a number between −1e100 and 1e100, found '1e308'"),
        ({"revision": "1.5"}, "row 3, column revision: expected a whole number of at least 1, found '1.5'"),
        ({"item": "i1"}, "row 3: expected one row for study s, task t, assessor a1, system A"),
    ],
)  # fmt: skip
def test_a_bad_cell_is_named_by_file_row_and_column(tmp_path, change, message):
    path = csv_file(tmp_path, ROW, ROW | {"item": "i2"} | change)
    with pytest.raises(BadInput) as problem:
        read_judgments(path)
    assert str(problem.value).startswith(f"{path}, {message}")
    assert "\n" not in str(problem.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected judgments, found an empty file"),
        ("\n\n", "expected a header line"),
        (",".join(JUDGMENT_COLUMNS) + "\n", "expected judgments, found no row"),
        ("study,task\ns,t\n", "column kind: expected the columns study, task, kind"),
        ("a,b,a\n", "row 1, column a: expected each column once"),
        ("a,b\n1,2\n3\n", "row 3: expected 2 cells, found 1"),
        ("a,b\n1,2,3\n", "row 2: expected 2 cells, found 3"),
        ('a,b\n"1,2\n', "row 2: expected CSV"),
        ("a,b\n" + "1,2\n" * 2000 + "1,\0\n", r"found the character NUL \(U\+0000\) in line 2,002"),
    ],
)
def test_a_broken_file_is_one_clear_line(tmp_path, text, message):
    path = tmp_path / "broken.csv"
    path.write_text(text)
    with pytest.raises(BadInput, match=message):
        read_judgments(path)


def test_a_key_twice_in_an_object_is_refused_and_none_of_the_two_chosen(tmp_path):
    path = tmp_path / "twice.jsonl"
    path.write_text('{"assessor": "a"}\n{"value": 1, "value": 5}\n')
    with pytest.raises(BadInput, match="row 2: expected each key once, found 'value' again"):
        read_judgments(path)


def test_a_missing_file_and_a_wrong_encoding_are_said(tmp_path):
    with pytest.raises(BadInput, match="no such file"):
        read_judgments(tmp_path / "nowhere.csv")
    path = tmp_path / "latin.csv"
    path.write_bytes("study\nGröße\n".encode("latin-1"))
    with pytest.raises(BadInput, match="UTF-8"):
        read_judgments(path)
    path = tmp_path / "sheet.csv"
    path.write_bytes(b"PK\x03\x04\x14\0\0\0")
    with pytest.raises(BadInput, match=r"sheet\.csv: expected scores as text in UTF-8, found a binary file"):
        read_scores(path)
    path = tmp_path / "no.parquet"
    path.write_text("this is no Parquet file")
    with pytest.raises(BadInput, match="cannot be read"):
        read_judgments(path)


@pytest.mark.parametrize(
    ("reader", "what"),
    [
        (read_judgments, "judgments"),
        (read_scores, "scores"),
        (read_texts_outputs, "outputs"),
        (read_texts_references, "references"),
    ],
)
def test_what_is_no_table_is_said_with_what_was_expected(tmp_path, reader, what):
    with pytest.raises(BadInput, match=f"expected a file of {what}, found a folder"):
        reader(tmp_path)
    (tmp_path / "rows.json").write_text('{"rows": []}')
    with pytest.raises(BadInput, match=rf"rows.json: expected {what} as CSV, JSON Lines \(.jsonl\)"):
        reader(tmp_path / "rows.json")
    (tmp_path / "rows.jsonl").write_text("\n")
    with pytest.raises(BadInput, match=f"rows.jsonl: expected {what}, found no row"):
        reader(tmp_path / "rows.jsonl")


def test_json_lines_are_counted_as_a_user_sees_them(tmp_path):
    path = tmp_path / "rows.jsonl"
    good = dict.fromkeys(JUDGMENT_COLUMNS) | ROW
    path.write_text(f"{json.dumps(good)}\n\n{json.dumps(good | {'item': 'i2', 'value': 'x'})}\n")
    with pytest.raises(BadInput, match="row 3, column value"):
        read_judgments(path)
    path.write_text('{"study": 1}\n[1, 2]\n')
    with pytest.raises(BadInput, match="row 2: expected a JSON object"):
        read_judgments(path)
    path.write_text("{")
    with pytest.raises(BadInput, match="row 1: expected JSON"):
        read_judgments(path)


def test_a_frame_in_memory_is_checked_as_well():
    frame = pd.DataFrame([ROW, ROW | {"item": "i2", "value": "?"}], columns=list(JUDGMENT_COLUMNS))
    with pytest.raises(BadInput, match=r"^row 2, column value"):
        check_judgments(frame)


def test_checking_twice_changes_nothing(tmp_path):
    once = read_judgments(csv_file(tmp_path, ROW))
    pd.testing.assert_frame_equal(check_judgments(once), once)


def test_control_items_need_no_system(tmp_path):
    assert (
        len(read_judgments(csv_file(tmp_path, ROW | {"system": "", "item": "", "control": "attention"}))) == 1
    )


def test_neutralised_text_cells_are_restored_and_numbers_left(tmp_path):
    row = ROW | {"system": "'=SUM(A1)", "label": "''+quoted", "value": "-4", "item": "'s Gravenhage"}
    judgments = read_judgments(csv_file(tmp_path, row))
    assert judgments.loc[0, ["system", "label", "item"]].tolist() == ["=SUM(A1)", "'+quoted", "'s Gravenhage"]
    assert judgments.loc[0, "value"] == -4


@pytest.mark.parametrize("revision", ["1", "2"])
def test_a_judgment_made_at_two_positions_is_refused_with_both_rows(tmp_path, revision):
    again = ROW | {"position": "9", "value": "2", "revision": revision}
    path = csv_file(tmp_path, ROW | {"item": "i0"}, ROW, ROW | {"criterion": "fluency"}, again)
    with pytest.raises(BadInput) as problem:
        read_judgments(path)
    assert str(problem.value) == (
        f"{path}, row 5: a1 has judged the same twice, here and in row 3 (study s, task t, system A, item i1, "
        "criterion adequacy): expected one judgment, or control repeat where it was shown again on purpose; "
        "--duplicates each, mean or newest says how both count"
    )


@pytest.mark.parametrize(
    "change",
    [
        {"position": "9", "control": "repeat"},
        {"position": "9", "practice": "True"},
        {"position": "2", "revision": "2"},
        {"position": "9", "assessor": "a2"},
        {"position": "9", "unit": "other-reference"},
    ],
)
def test_what_is_not_the_same_judgment_again_is_read(tmp_path, change):
    assert len(read_judgments(csv_file(tmp_path, ROW, ROW | change))) == 2


def test_a_repeated_item_may_be_repeated_again(tmp_path):
    repeats = [ROW | {"position": str(position), "control": "repeat"} for position in (5, 9)]
    assert len(read_judgments(csv_file(tmp_path, ROW, *repeats))) == 3


def test_scored_leaves_out_practice_controls_and_old_revisions():
    rows = [
        {"item": "i1", "value": 1, "revision": 1, "position": 1},
        {"item": "i1", "value": 2, "revision": 2, "position": 1},
        {"item": "i2", "value": 3, "practice": True},
        {"item": "i3", "value": 4, "control": "gold"},
        {"item": "i4", "value": 5},
    ]
    judgments = table(rows, kind="rating", criterion="adequacy")
    assert scored(judgments)["value"].tolist() == [2, 5]
    assert scored(judgments, controls=True)["value"].tolist() == [2, 4, 5]


def test_a_mark_taken_back_in_a_later_revision_is_gone():
    """A revision replaces the whole judgment, also where it has fewer rows."""
    rows = [
        {"unit": "r1/1:1", "criterion": "mark", "value": 1, "revision": 1},
        {"unit": "r1/1", "criterion": "coverage", "value": 1, "revision": 1},
        {"unit": "r1/1", "criterion": "coverage", "value": 0, "revision": 2},
    ]
    assert scored(table(rows, kind="see", position=3))[["criterion", "value"]].to_numpy().tolist() == [
        ["coverage", 0]
    ]


def marked_twice():
    """One person found two major errors, and later in the same text one minor error."""
    errors = [(1, "1/0:3", "major"), (1, "1/5:8", "major"), (2, "1/10:12", "minor")]
    rows = [
        {
            "unit": unit,
            "criterion": "Style",
            "value": 5 if label == "major" else 1,
            "label": label,
            "position": at,
        }
        for at, unit, label in errors
    ]
    counts = [
        {"unit": "1", "criterion": "errors", "value": number, "position": at}
        for at, number in ((1, 2), (2, 1))
    ]
    return table([*rows, *counts], kind="error_spans")


def test_the_newest_of_two_judgments_replaces_what_the_older_one_marked():
    newest = settle_duplicates(marked_twice(), "newest")
    assert human_score(newest, "mqm").scores["score"].tolist() == [1]


def test_each_of_two_judgments_has_what_it_marked():
    each = human_score(settle_duplicates(marked_twice(), "each"), "mqm")
    assert sorted(each.assessments["value"]) == [1, 10]
    assert each.scores["score"].tolist() == [5.5]


@pytest.mark.parametrize("order", [[3, 2, 1, 0, 4], [4, 2, 0, 1, 3], [3, 4, 2, 0, 1], [4, 0, 1, 2, 3]])
def test_each_judgment_stays_one_in_whatever_order_its_rows_stand(order):
    """The first judgment is the first to find an error, and the last to count them."""
    rows = pd.concat([marked_twice(), marked_twice().iloc[3:].assign(unit="2", value=0)])
    shuffled = rows.iloc[[*order, 6, 5]].reset_index(drop=True)
    each = settle_duplicates(shuffled, "each")
    assert each.groupby("position")["sitting"].unique().map(list).tolist() == [[1], [2]]
    assert human_score(each, "mqm").scores["score"].tolist() == [2.75]


def test_each_of_three_judgments_counts_where_all_have_left_something_open():
    rows = [
        {"criterion": criterion, "value": at, "position": at}
        for at, criterion in ((1, "adequacy"), (2, "adequacy"), (2, "fluency"), (3, "fluency"))
    ]
    judgments = table(rows, kind="rating")
    assert settle_duplicates(judgments, "each")["sitting"].tolist() == [1, 2, 2, 3]
    # The second replaces the first, and is replaced by the third.
    assert settle_duplicates(judgments, "newest")["value"].tolist() == [3]


def test_what_was_shown_again_without_a_position_is_another_judgment():
    rows = [{"value": 1}, {"value": 5, "control": "repeat"}]
    judgments = with_repeats(table(rows, kind="rating", criterion="adequacy"))
    assert settle_duplicates(judgments, "newest")["value"].tolist() == [5]
    assert settle_duplicates(judgments, "each")["sitting"].tolist() == [1, 2]


@pytest.mark.parametrize(
    "judgments",
    [
        marked_twice(),
        marked_twice().iloc[[0, 2]].assign(unit="1/0:3"),
        table(
            [{"system": "head", "item": "e/d", "value": at - 1, "position": at} for at in (1, 2)],
            kind="relevance",
            criterion="relevant",
        ),
    ],
)
def test_two_judgments_without_a_mean_are_refused_one(judgments):
    with pytest.raises(BadInput, match="have no mean, expected --duplicates each or newest"):
        settle_duplicates(judgments, "mean")


def test_what_was_scored_twice_has_a_mean_beside_other_notes():
    rows = [
        {"unit": "1", "criterion": criterion, "value": value, "label": label, "position": at}
        for at, score, note in ((1, 60, "clumsy"), (2, 80, ""))
        for criterion, value, label in (("score", score, ""), ("note", np.nan, note), ("errors", 0, ""))
    ]
    settled = settle_duplicates(table(rows, kind="error_spans"), "mean")
    assert settled.loc[settled["criterion"] == "score", "value"].tolist() == [70]


def test_the_same_answer_twice_has_a_mean():
    rows = [{"unit": "scu", "value": 1, "position": at} for at in (1, 2)]
    judgments = table(rows, kind="pyramid", criterion="present")
    assert settle_duplicates(judgments, "mean")["value"].tolist() == [1]


def test_a_criterion_left_open_once_has_the_mean_of_the_other_time():
    rows = [
        {"criterion": "adequacy", "value": 2, "position": 1},
        {"criterion": "fluency", "value": 3, "position": 1},
        {"criterion": "adequacy", "value": 4, "position": 2},
    ]
    assert settle_duplicates(table(rows, kind="rating"), "mean")["value"].tolist() == [3, 3]


def test_references_judged_one_by_one_are_no_judgments_of_the_same():
    rows = [
        {"unit": f"{name}/1", "value": 1, "position": at} for at, name in ((1, "r1"), (2, "r2"), (3, "r1"))
    ]
    judgments = table(rows, kind="see", criterion="coverage")
    assert settle_duplicates(judgments, "newest")["position"].tolist() == [2, 3]
    assert settle_duplicates(judgments, "each")["sitting"].tolist() == [1, 1, 2]


def test_a_score_table_has_items_systems_and_a_direction(tmp_path):
    columns = ("metric", "system", "item", "score", "higher_is_better")
    rows = [
        {"metric": "bleu", "system": "B", "item": "i2", "score": "0.2"},
        {"metric": "bleu", "system": "A", "item": "i1", "score": "0.5"},
        {"metric": "bleu", "system": "A", "item": "i2", "score": ""},
        {"metric": "ter", "system": "A", "score": "0.7", "higher_is_better": "False"},
    ]
    scores = read_scores(csv_file(tmp_path, *rows, columns=columns))
    assert scores["item"].tolist() == ["i2", "i1", "i2", ""]
    matrix = score_matrix(scores, "bleu")
    assert (list(matrix.index), list(matrix.columns)) == (["A", "B"], ["i1", "i2"])
    assert matrix.isna().to_numpy().tolist() == [[False, True], [True, False]]
    assert system_scores(scores, "bleu").to_dict() == {"A": 0.5, "B": 0.2}
    assert system_scores(oriented(scores), "ter").to_dict() == {"A": -0.7}
    assert oriented(oriented(scores))["score"].equals(oriented(scores)["score"])


def test_system_level_rows_go_before_means_over_items():
    scores = check_scores(
        pd.DataFrame({"metric": "bleu", "system": "A", "item": ["i1", "i2", None], "score": [0.1, 0.3, 0.9]})
    )
    assert system_scores(scores, "bleu").to_dict() == {"A": 0.9}


def test_a_table_without_items_has_system_scores_only():
    scores = check_scores(pd.DataFrame({"metric": ["bleu"], "system": ["A"], "score": [0.4]}))
    assert system_scores(scores, "bleu").to_dict() == {"A": 0.4}
    with pytest.raises(BadInput, match="system scores only"):
        score_matrix(scores, "bleu")
    with pytest.raises(BadInput, match="expected a score of rouge, found bleu"):
        system_scores(scores, "rouge")


def test_bad_score_tables_are_refused():
    twice = pd.DataFrame({"metric": "bleu", "system": "A", "item": ["i1", "i1"], "score": [0.1, 0.3]})
    with pytest.raises(BadInput, match="row 3: expected one row for metric bleu, system A, item i1"):
        check_scores(twice, file="scores.csv")
    both = pd.DataFrame(
        {"metric": "ter", "system": ["A", "B"], "item": "i1", "score": 0.1, "higher_is_better": [True, False]}
    )
    with pytest.raises(BadInput, match="one direction for all scores of a metric"):
        check_scores(both)


def test_numbered_items_with_gaps_keep_their_names():
    scores = check_scores(
        pd.DataFrame({"metric": "m", "system": "A", "item": [1, 2, np.nan], "score": [1, 2, 3]})
    )
    assert scores["item"].tolist() == ["1", "2", ""]


def test_materials_of_a_study_are_texts_as_they_are(tmp_path):
    outputs = read_texts_outputs(
        lines_file(
            tmp_path,
            {"system": "A", "document": 7, "units": ["One.", "Two."], "kind": "x"},
            {"system": "A", "topic": "t1", "text": ""},
            {"system": "B", "item": "7", "text": "One. Two.", "sentences": ["One.", "Two."]},
        )
    )
    assert list(outputs.columns) == ["system", "item", "text", "sentences"]
    assert outputs["item"].tolist() == ["7", "t1", "7"]
    assert outputs["text"].tolist() == ["One. Two.", "", "One. Two."]
    assert outputs["sentences"].tolist() == [["One.", "Two."], None, ["One.", "Two."]]


def test_a_reference_takes_its_id_or_its_number(tmp_path):
    references = read_texts_references(
        lines_file(
            tmp_path,
            {"id": "m1", "document": "d1", "author": "x", "text": "One."},
            {"item": "d1", "reference": "m2", "text": "Two."},
            {"item": "d2", "text": "Three."},
        )
    )
    assert list(references.columns) == ["item", "reference", "text", "sentences"]
    assert references["reference"].tolist() == ["m1", "m2", "1"]


def test_texts_come_from_csv_too(tmp_path):
    path = csv_file(
        tmp_path,
        {"system": "A", "item": "i1", "text": "One. Two.", "sentences": '["One.", "Two."]'},
        {"system": "B", "item": "i1", "text": "'-- Three."},
        columns=("system", "item", "text", "sentences"),
    )
    outputs = read_texts_outputs(path)
    assert outputs["sentences"].tolist() == [["One.", "Two."], None]
    assert outputs["text"].tolist() == ["One. Two.", "-- Three."]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"item": "i1", "text": "x"}, "column system"),
        ({"system": "A", "text": "x"}, "column item: expected the id of an item, document or topic"),
        ({"system": "A", "item": "i1"}, "column text: expected a text or a list of sentences"),
        (
            {"system": "A", "item": "i1", "sentences": "One."},
            "column sentences: expected a list of texts, found 'One.'",
        ),
        ({"system": "A", "item": "i1", "units": [1, 2]}, "column units: expected a list of texts"),
    ],
)
def test_a_text_that_cannot_be_used_is_named(tmp_path, row, message):
    with pytest.raises(BadInput, match=message):
        read_texts_outputs(lines_file(tmp_path, row))


def test_two_outputs_of_a_system_for_an_item_are_refused(tmp_path):
    row = {"system": "A", "item": "i1", "text": "x"}
    with pytest.raises(BadInput, match="row 2: expected one row for system A, item i1"):
        read_texts_outputs(lines_file(tmp_path, row, row))


def test_attributes_may_repeat_but_not_contradict_themselves(tmp_path):
    columns = ("scope", "id", "name", "value")
    row = {"scope": "output", "id": "A/i1", "name": "tokens", "value": "12"}
    read = read_attributes(csv_file(tmp_path, row, row, columns=columns))
    assert read.to_numpy().tolist() == [list(row.values())]
    with pytest.raises(BadInput, match="row 3, column value: expected the same value as before"):
        read_attributes(csv_file(tmp_path, row, row | {"value": "13"}, columns=columns))


# Judgments about several outputs at once

EXAMPLE = Path(__file__).parents[1] / "data" / "tasks2" / "rows_example.csv"
"""Rows of every protocol with sets, spans and units, written for this project."""


def example(folder, *, place):
    """The example as it is, or as a table of before there was a column ``place``."""
    if place:
        return EXAMPLE
    rows = pd.read_csv(EXAMPLE, dtype=str, keep_default_na=False).drop(columns="place")
    path = folder / "without.csv"
    rows.to_csv(path, index=False)
    return path


@pytest.mark.parametrize("place", [True, False])
def test_the_example_of_all_protocols_is_read_with_and_without_places(tmp_path, place):
    judgments = read_judgments(example(tmp_path, place=place))
    assert len(judgments) == 51
    assert tuple(judgments.columns) == (*JUDGMENT_COLUMNS, *(["place"] if place else []))
    if place:
        assert judgments["place"].dtype == "Int64"
        assert judgments.loc[judgments["kind"] == "pairwise", "place"].tolist() == [2, 1, 1, 2]
        assert judgments.loc[judgments["kind"] == "extract", "place"].isna().all()


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_places_survive_writing_and_reading(tmp_path, ending):
    judgments, path = read_judgments(EXAMPLE), tmp_path / f"again.{ending}"
    if ending == "csv":
        path.write_text(csv_text(judgments), encoding="utf-8")
    elif ending == "jsonl":
        judgments.to_json(path, orient="records", lines=True, date_format="iso", date_unit="us")
    else:
        judgments.to_parquet(path)
    pd.testing.assert_frame_equal(read_judgments(path), judgments)


def test_every_line_end_in_a_cell_survives_writing_and_reading(tmp_path):
    """Before: a carriage return by itself stood without quotes, and nobody could read the file that had been written."""
    said = ["one\rtwo", "one\ntwo", "one\r\ntwo", "one\r", "\r", 'a "quoted"\r word', "plain"]
    table, path = pd.DataFrame({"label": said, "n": range(len(said)), "note": said}), tmp_path / "again.csv"
    path.write_text(csv_text(table), encoding="utf-8", newline="")
    again = read_table(path)
    assert again["label"].tolist() == again["note"].tolist() == said


def test_place_comes_after_seconds_and_before_columns_of_ones_own(tmp_path):
    columns = ["place", "device", *JUDGMENT_COLUMNS]
    judgments = read_judgments(csv_file(tmp_path, ROW | {"place": "2", "device": "phone"}, columns=columns))
    assert tuple(judgments.columns) == (*JUDGMENT_COLUMNS, "place", "device")


@pytest.mark.parametrize("cell", ["0", "-1", "1.5", "left", "1e12"])
def test_a_place_is_a_whole_number_from_one_on(tmp_path, cell):
    path = csv_file(tmp_path, ROW | {"place": cell}, columns=[*JUDGMENT_COLUMNS, "place"])
    with pytest.raises(
        BadInput, match=rf"row 2, column place: expected a whole number of at least 1, found '{cell}'"
    ):
        read_judgments(path)


def set_rows(values, *, unit="s1", **more):
    """One judgment about several systems: a row for each, and their places."""
    return [
        {"system": system, "unit": unit, "criterion": "rank", "value": value, "place": place} | more
        for place, (system, value) in enumerate(values.items(), start=1)
    ]


def set_table(*rows):
    whole = [ROW | {"kind": "tournament", "position": 1} | row for row in rows]
    return check_judgments(pd.DataFrame(whole, columns=[*JUDGMENT_COLUMNS, "place"]))


def test_a_system_may_meet_others_in_two_sets_of_one_item(tmp_path):
    rows = [*set_rows({"A": 1, "B": 2}), *set_rows({"A": 2, "C": 1}, unit="s2", position=2)]
    path = csv_file(
        tmp_path,
        *(ROW | {"kind": "tournament", "position": 1} | row for row in rows),
        columns=[*JUDGMENT_COLUMNS, "place"],
    )
    assert scored(read_judgments(path))["value"].tolist() == [1, 2, 2, 1]


def test_a_set_that_was_revised_counts_as_it_was_at_last():
    """Who ranked B first and then left it out has no rank for B any more."""
    rows = set_table(
        *set_rows({"A": 1, "B": 2, "C": 3}),
        *set_rows({"C": 1, "A": 2}, revision=2),
        *set_rows({"B": 1}, position=2),
    )
    assert [tuple(row) for row in scored(rows)[["system", "position", "value"]].to_numpy()] == [
        ("C", 1, 1.0),
        ("A", 1, 2.0),
        ("B", 2, 1.0),
    ]


def test_a_set_without_a_position_keeps_the_newest_row_of_each_system():
    rows = set_table(
        *set_rows({"A": 1, "B": 2}, position=None), *set_rows({"A": 2}, position=None, revision=2)
    )
    assert scored(rows)[["system", "value"]].to_numpy().tolist() == [["B", 2.0], ["A", 2.0]]


def test_systems_judged_one_by_one_at_one_position_keep_their_own_revisions():
    rows = set_table({"system": "A"}, {"system": "B"}, {"system": "A", "revision": 2, "value": 5})
    assert scored(rows)[["system", "value"]].to_numpy().tolist() == [["B", 4.0], ["A", 5.0]]


def test_outputs_with_one_text_name_the_first_of_them(tmp_path):
    path = tmp_path / "attributes.csv"
    path.write_text("scope,id,name,value\noutput,B/i1,same_as,A\noutput,C/i1,same_as,A\n")
    assert read_attributes(path)["value"].tolist() == ["A", "A"]
    path.write_text("scope,id,name,value\noutput,B/i1,same_as,A\noutput,B/i1,same_as,C\n")
    with pytest.raises(BadInput, match="the same value as before"):
        read_attributes(path)


def test_lists_of_sentences_are_read_from_every_format(tmp_path):
    sentences = ["One here.", "Two there."]
    row = {"system": "A", "item": "i1", "sentences": sentences}
    (tmp_path / "o.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    pd.DataFrame([row]).to_parquet(tmp_path / "o.parquet")
    pd.DataFrame([row | {"sentences": json.dumps(sentences)}]).to_csv(tmp_path / "o.csv")
    for ending in ("jsonl", "parquet", "csv"):
        assert read_texts_outputs(tmp_path / f"o.{ending}")["sentences"].tolist() == [sentences]


@pytest.mark.parametrize(
    "cell", ["[" * 100_000, f"[{'9' * 5000}]", '"One."', "[[]]"], ids=["deep", "digits", "text", "nested"]
)
def test_what_is_no_list_of_sentences_is_refused_with_its_row(cell, tmp_path):
    path = tmp_path / "o.csv"
    pd.DataFrame([{"system": "A", "item": "i1", "sentences": cell}]).to_csv(path)
    with pytest.raises(BadInput, match=r"o\.csv, row 2, column sentences: expected a list of texts"):
        read_texts_outputs(path)


@pytest.mark.parametrize("text", [["One.", "Two."], {"en": "One."}])
def test_a_text_that_is_none_is_refused_and_not_spelled_out(text, tmp_path):
    path = tmp_path / "o.jsonl"
    path.write_text(json.dumps({"system": "A", "item": "i1", "text": text}) + "\n", encoding="utf-8")
    with pytest.raises(BadInput, match=r"row 1, column text: expected a text \(a list goes into sentences\)"):
        read_texts_outputs(path)


def judgments_of(**columns) -> pa.Table:
    plain = {"assessor": ["a", "a", "b"], "system": ["s", "t", "s"], "item": ["i", "i", "i"]}
    return pa.table(plain | {"criterion": ["c"] * 3, "value": [1.0, 2.0, None]} | columns)


def read_parquet(path: Path, **columns) -> pd.DataFrame:
    parquet.write_table(judgments_of(**columns), path)
    return read_judgments(path)


def test_ids_that_are_numbers_with_gaps_stay_as_they_were(tmp_path):
    """As floats two ids beyond 2**53 would be one, and their scores one score."""
    ids = pa.array([9007199254740993, 9007199254740992, None], pa.int64())
    found = read_parquet(tmp_path / "long.parquet", item=ids)
    assert found["item"].tolist() == ["9007199254740993", "9007199254740992", ""]
    narrow = pa.array([3, 4, None], pa.float32())
    assert read_parquet(tmp_path / "narrow.parquet", item=narrow)["item"].tolist() == ["3", "4", ""]
    rows = [{"assessor": "a", "system": system, "item": 3.0, "criterion": "c", "value": 1} for system in "st"]
    lines = tmp_path / "j.jsonl"
    lines.write_text("".join(json.dumps(row) + "\n" for row in [rows[0] | {"item": 3}, rows[1]]))
    assert read_judgments(lines)["item"].tolist() == ["3", "3"]


@pytest.mark.parametrize(
    ("column", "cells", "message"),
    [
        ("system", pa.array([["s"], ["t"], ["s"]]), "expected a text"),
        ("system", pa.array([b"s", b"\xff", b"s"]), "UTF8"),
        ("value", pa.array([datetime(2020, 1, 1)] * 3), "expected a number"),
        ("value", pa.array([timedelta(days=1)] * 3), "expected a number"),
    ],
)
def test_a_column_of_parquet_that_is_something_else_is_refused(tmp_path, column, cells, message):
    with pytest.raises(BadInput, match=message):
        read_parquet(tmp_path / "j.parquet", **{column: cells})


def test_bytes_are_the_text_they_spell(tmp_path):
    system = pa.array(["é".encode(), b"t", "é".encode()])
    assert read_parquet(tmp_path / "j.parquet", system=system)["system"].tolist() == ["é", "t", "é"]


@pytest.mark.parametrize("word", ["now", "today"])
def test_no_word_is_a_time(tmp_path, word):
    path = tmp_path / "j.csv"
    path.write_text(f"assessor,system,item,criterion,value,shown_at\na,s,i,c,1,{word}\n")
    with pytest.raises(BadInput, match="expected a time"):
        read_judgments(path)


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_a_table_of_far_too_many_columns_is_refused_at_once(tmp_path, ending):
    """The names of a CSV took minutes, a key of its own in each of 30,000 rows seven gigabytes."""
    path, names = tmp_path / f"j.{ending}", [f"c{number}" for number in range(60_000)]
    if ending == "csv":
        path.write_text(",".join(names) + "\n" + "," * (len(names) - 1) + "\n")
    elif ending == "jsonl":
        path.write_text("".join(json.dumps({name: 1}) + "\n" for name in names))
    else:
        parquet.write_table(pa.table({name: [1] for name in names[:1_001]}), path)
    begun = time.process_time()
    with pytest.raises(BadInput, match="at most 1,000"):
        read_judgments(path)
    assert time.process_time() - begun < 5
