"""WMT's result files: the campaign's own files of 2021 (FLORES), and small ones of our making."""

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.errors import BadInput
from metrics.formats.wmt import COLUMNS, read_judgments, write_judgments
from metrics.human import human_score
from tests.metrics.formats.texts import SPACED, ratings, write

HEADER = "\t".join(COLUMNS) + "\n"
ROWS = (
    'NA\tw1\tcs\ten\tad\tNA\t"alpha.1"\tNA\tSYSTEM\tseg 1\t-1.5\t0\n'
    'NA\tw1\tcs\ten\tad\tNA\t"alpha.1"\tNA\tREPEAT\tseg 1\t0.25\t0\n'
    'NA\tw2\tcs\ten\tad\tNA\t"alpha.1"\tNA\tBAD_REF\tseg 1\t3\t0\n'
    'NA\tw2\tcs\ten\tad\tNA\t"ref"\tNA\tREF\tseg 1\t99\t0\n'
)


@pytest.fixture
def judgments(tmp_path):
    return lambda text: read_judgments([write(tmp_path / "ad.csv", text)])


@pytest.fixture(scope="module")
def folder(shared):
    return shared / "data" / "wmt21_da_flores"


def test_all_raw_judgments_of_wmt21_are_read(folder):
    table = read_judgments([folder / "ad-good-raw.csv"])
    assert len(table) == 14_443
    assert table["assessor"].nunique() == 6
    assert set(table["task"]) == {"bn-hi", "hi-bn", "xh-zu", "zu-xh"}
    assert set(table["criterion"]) == {"adequacy"}


def test_segment_scores_of_what_was_read_are_those_that_the_campaign_published(folder):
    table = read_judgments([folder / "ad-good-raw.csv"])
    published = pd.read_csv(folder / "ad-seg-scores-xh-zu.csv", sep=" ", index_col=False)
    ours = human_score(table, "adequacy", task="xh-zu").scores
    both = ours.merge(published, left_on=["system", "item"], right_on=["SYS", "SID"])
    assert len(both) == len(published) == len(ours)
    assert (both["score"] == both["RAW.SCR"]).all()


def test_a_published_file_comes_back_byte_by_byte(folder):
    path = folder / "ad-zuxh-good-stnd.csv"
    assert write_judgments(read_judgments([path])) == path.read_text()


def test_types_of_rows_become_controls(judgments):
    table = judgments(HEADER + ROWS)
    assert table["control"].tolist() == ["", "repeat", "degraded", "gold"]
    assert table["system"].tolist() == ["alpha.1"] * 3 + ["ref"]
    assert table["value"].tolist() == [-1.5, 0.25, 3, 99]


def test_tabs_and_blanks_may_separate_cells(judgments):
    row = 'NA\tw1\tcs\ten fl NA\t"alpha.1" NA SYSTEM\tseg-1\t50\t0\n'
    assert judgments(HEADER + row)[["task", "criterion", "system", "item", "value"]].to_numpy().tolist() == [
        ["cs-en", "fluency", "alpha.1", "seg-1", 50.0]
    ]


def test_the_time_of_a_hit_is_not_that_of_a_judgment(judgments):
    assert judgments(HEADER + ROWS.replace("\t0\n", "\t1800\n"))["seconds"].isna().all()


def test_a_file_comes_back_byte_by_byte(judgments):
    assert write_judgments(judgments(HEADER + ROWS)) == HEADER + ROWS


@st.composite
def tables(draw):
    ids = SPACED.filter(lambda text: '"' not in text)
    rows = [
        {
            "task": draw(st.sampled_from(["en-de", "zho-eng"])),
            "assessor": draw(ids),
            "system": draw(ids),
            "document": "",
            "item": draw(ids),
            "criterion": "fluency",
            "value": draw(st.floats(-1e100, 1e100)),
            "control": draw(st.sampled_from(["", "repeat", "degraded", "gold"])),
        }
        for _ in range(draw(st.integers(1, 5)))
    ]
    return ratings(rows)


@given(table=tables())
@settings(max_examples=20, deadline=None)
def test_judgments_come_back_as_they_were(table, tmp_path_factory):
    path = write(tmp_path_factory.mktemp("wmt") / "ad.csv", write_judgments(table))
    pd.testing.assert_frame_equal(read_judgments([path]), table)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected a header and judgments"),
        (HEADER, "expected a header and judgments"),
        (ROWS, "row 1: expected the columns HITId WorkerId"),
        (HEADER + ROWS + "NA\tw1\n", "row 6: expected 12 cells, found 2"),
        (HEADER + ROWS.replace("REPEAT", "AGAIN"), "row 3, column type: expected one of SYSTEM, REPEAT, BAD_REF, REF"),
        (HEADER + ROWS.replace("\tad\t", "\tzz\t"), "row 2, column Input.item: expected one of ad, fl, found 'zz'"),
        (HEADER + ROWS.replace("0.25", "much"), "row 3, column score: expected a number, found 'much'"),
    ],
)  # fmt: skip
def test_a_bad_file_is_one_line_with_its_row(judgments, text, message):
    with pytest.raises(BadInput) as problem:
        judgments(text)
    assert message in str(problem.value)


ROW = {"task": "en-de", "assessor": "a", "system": "s", "item": "i", "criterion": "adequacy", "value": 5}


def test_what_the_format_cannot_hold_is_refused():
    with pytest.raises(BadInput, match="expected adequacy or fluency, found style"):
        write_judgments(ratings([ROW | {"criterion": "style"}]))
    with pytest.raises(BadInput, match="column system: expected no tab, line end or quote"):
        write_judgments(ratings([ROW | {"system": "a\tb"}]))
    with pytest.raises(BadInput, match="task quality is not named for one"):
        write_judgments(ratings([ROW | {"task": "quality"}]))
    with pytest.raises(BadInput, match="expected --languages such as en-de"):
        write_judgments(ratings([ROW]), languages="English")
