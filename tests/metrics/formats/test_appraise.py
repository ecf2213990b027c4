"""Appraise's CSV: every layout that its export writes, in and out. The layouts are those of Appraise's own export code
(``ExportSystemScoresToCSV`` and ``get_system_data`` of each task); the files are made up.
"""

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.errors import BadInput
from metrics.formats.appraise import read_judgments, write_judgments
from tests.metrics.formats.texts import SPACED, ratings, write

PLAIN = "engdeu01,alpha,7,TGT,eng,deu,78\r\nengdeu01,alpha,7,CHK,eng,deu,81\r\nengdeu01,alpha,9,BAD,eng,deu,12\r\n"
TIMED = "u1,beta,3,REF,ces,eng,100,1600000000.25,1600000012.5\r\n"
DOCUMENT = 'u1,"beta, tuned",3,TGT,ces,eng,64,letters.4,False\r\nu1,"beta, tuned",4,TGT,ces,eng,70,letters.4,True\r\n'
FULL = (
    "u1,beta,3,TGT,ces,eng,64,letters.4,False,1600000000.25,1600000012.5\r\n"
    "u1,beta,4,TGT,ces,eng,70,letters.4,True,1600000012.5,1600000013.123456\r\n"
)


@pytest.fixture
def judgments(tmp_path):
    return lambda text, **options: read_judgments([write(tmp_path / "scores.csv", text)], **options)


def test_each_row_is_a_judgment_of_adequacy_in_the_task_of_its_languages(judgments):
    table = judgments(PLAIN)
    first = table.iloc[0]
    assert (first["task"], first["kind"], first["criterion"]) == ("eng-deu", "rating", "adequacy")
    assert (first["assessor"], first["system"], first["item"], first["value"]) == (
        "engdeu01",
        "alpha",
        "7",
        78,
    )
    assert table["position"].tolist() == [1, 2, 3]


def test_types_of_items_become_controls(judgments):
    assert judgments(PLAIN)["control"].tolist() == ["", "repeat", "degraded"]
    assert judgments(TIMED)["control"].tolist() == ["gold"]


def test_the_criterion_can_be_named(judgments):
    assert set(judgments(PLAIN, criterion="fluency")["criterion"]) == {"fluency"}


def test_times_are_seconds_since_1970(judgments):
    """1 600 000 000 is 2020-09-13 12:26:40 UTC (``date -u -d @1600000000``)."""
    row = judgments(TIMED).iloc[0]
    assert row["shown_at"] == pd.Timestamp("2020-09-13T12:26:40.25Z")
    assert row["submitted_at"] == pd.Timestamp("2020-09-13T12:26:52.5Z")
    assert row["seconds"] == 12.25


def test_scores_of_whole_documents_are_a_task_of_their_own(judgments):
    table = judgments(DOCUMENT)
    assert table["task"].tolist() == ["ces-eng", "ces-eng-document"]
    assert set(table["document"]) == {"letters.4"}


def test_marked_errors_of_newer_exports_are_named_as_not_read(judgments):
    plain = FULL.replace(",16", ",[],16", 1).replace("True,", "True,[],", 1)
    assert judgments(plain).equals(judgments(FULL))
    with pytest.warns(UserWarning, match="column mqm"):
        judgments(plain.replace("[]", '"[{""start_i"": 1}]"', 1))


@pytest.mark.parametrize("text", [PLAIN, TIMED, DOCUMENT, FULL])
def test_a_file_comes_back_byte_by_byte(judgments, text):
    assert write_judgments(judgments(text)) == text


@st.composite
def tables(draw):
    with_documents, with_times = draw(st.booleans()), draw(st.booleans())
    rows = [
        {
            "task": draw(st.sampled_from(["eng-deu", "zho-eng"]))
            + (draw(st.sampled_from(["", "-document"])) if with_documents else ""),
            "assessor": draw(SPACED),
            "system": draw(SPACED),
            "item": draw(SPACED),
            "criterion": "adequacy",
            "value": draw(st.integers(0, 100) | st.floats(0, 100)),
            "control": draw(st.sampled_from(["", "repeat", "degraded", "gold"])),
            "document": draw(SPACED) if with_documents else "",
        }
        for _ in range(draw(st.integers(1, 5)))
    ]
    for row in rows if with_times else ():
        shown, seconds = draw(st.integers(0, 2 * 10**15)), draw(st.integers(0, 10**10))
        row["shown_at"] = pd.Timestamp(shown, unit="us", tz="UTC")
        row["submitted_at"] = pd.Timestamp(shown + seconds, unit="us", tz="UTC")
        row["seconds"] = seconds / 1e6
    return ratings(rows)


@given(table=tables())
@settings(max_examples=20, deadline=None)
def test_judgments_come_back_as_they_were(table, tmp_path_factory):
    path = write(tmp_path_factory.mktemp("appraise") / "scores.csv", write_judgments(table))
    pd.testing.assert_frame_equal(read_judgments([path]), table)


def test_several_files_are_put_together(tmp_path):
    paths = [write(tmp_path / "a.csv", PLAIN), write(tmp_path / "b.csv", TIMED)]
    table = read_judgments(paths)
    assert table["assessor"].tolist() == ["engdeu01"] * 3 + ["u1"]
    assert table["position"].tolist() == [1, 2, 3, 1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected judgments, found none"),
        ("u1,alpha,7,TGT,eng,deu\n", "row 1: expected 7, 9, 11, 12 cells, found 6"),
        (PLAIN + "u1,alpha,7\n", "row 4: expected 7 cells, found 3"),
        ("u1,alpha,7,NEW,eng,deu,5\n", "row 1, column itemType: expected one of TGT, CHK, BAD, REF, found 'NEW'"),
        (PLAIN + "u1,alpha,7,TGT,eng,deu,good\n", "row 4, column score: expected a number, found 'good'"),
        (PLAIN + "u1,alpha,7,TGT,eng,deu,\n", "row 4, column score: expected a number, found nothing"),
        (PLAIN + ",alpha,7,TGT,eng,deu,4\n", "row 4, column user: expected a value, found nothing"),
        ("u1,a,3,REF,ces,eng,100,90,80\n", "row 1, column end_time: expected a time that is not before start_time"),
        ("u1,a,3,REF,ces,eng,100,90,1e30\n", "row 1, column end_time: expected seconds since 1970"),
        ('u1,a,3,"REF,ces\n', "row 1: expected CSV"),
    ],
)  # fmt: skip
def test_a_bad_file_is_one_line_with_its_row(judgments, text, message):
    with pytest.raises(BadInput) as problem:
        judgments(text)
    assert message in str(problem.value)
    assert "scores.csv" in str(problem.value)


ROW = {"task": "t", "assessor": "a", "system": "s", "item": "i", "criterion": "adequacy", "value": 5}


def test_languages_are_given_where_the_task_does_not_name_them():
    with pytest.raises(BadInput, match="expected --languages"):
        write_judgments(ratings([ROW]))
    assert write_judgments(ratings([ROW]), languages="en-de") == "a,s,i,TGT,en,de,5\r\n"


def test_of_several_criteria_one_is_named():
    table = ratings([ROW, ROW | {"criterion": "fluency", "value": 2}])
    with pytest.raises(BadInput, match="expected --criterion, one of adequacy, fluency"):
        write_judgments(table, languages="en-de")
    assert write_judgments(table, languages="en-de", criterion="fluency") == "a,s,i,TGT,en,de,2\r\n"
    with pytest.raises(BadInput, match="expected ratings of style, found adequacy, fluency"):
        write_judgments(table, languages="en-de", criterion="style")


def test_attention_checks_have_no_type_and_are_left_out_with_a_warning():
    table = ratings([ROW, ROW | {"control": "attention"}])
    with pytest.warns(UserWarning, match="1 attention checks left out"):
        assert write_judgments(table, languages="en-de") == "a,s,i,TGT,en,de,5\r\n"


def test_practice_and_older_revisions_are_not_written():
    table = ratings([ROW | {"value": 1}, ROW | {"value": 2}, ROW | {"value": 3, "item": "j"}])
    table["position"], table["revision"] = [1, 1, 2], [1, 2, 1]
    table["practice"] = [False, False, True]
    assert write_judgments(table, languages="en-de") == "a,s,i,TGT,en,de,2\r\n"
