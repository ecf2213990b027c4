"""MQM as scores. Expected scores come from the published annotations of the TED talks (WMT 2021, English–German), whose
average scores by segment hold the negative; severities and categories are as published, texts are our own.
"""

import pytest

from metrics.errors import BadInput
from metrics.formats.mqm import read_scores
from metrics.formats.mqm_spans import read_judgments
from metrics.frames import score_matrix
from tests.metrics.formats.texts import write

HEADER = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\tcomment\n"


def row(system, segment, rater, category, severity, doc="talk.1"):
    target = 'Ein <v>"Hund</v> bellt.'
    return (
        f"{system}\t{doc}\t{segment}\t{segment}\t{rater}\tA dog barks.\t{target}\t{category}\t{severity}\t\n"
    )


@pytest.fixture
def table(tmp_path):
    return lambda *rows: read_scores([write(tmp_path / "mqm.tsv", HEADER + "".join(rows))])


def test_published_scores_of_segments(table):
    """Facebook-AI: −1, −0, −2 on segments 1, 2, 5; HuaweiTSC: −5, −0, −0 (mqm_ted_ende.avg_seg_scores.tsv)."""
    scores = table(
        row("Facebook-AI", 1, "rater1", "Terminology/Inappropriate for context", "Minor"),
        row("HuaweiTSC", 1, "rater3", "Fluency/Register", "Major"),
        row("Facebook-AI", 2, "rater1", "No-error", "No-error"),
        row("HuaweiTSC", 2, "rater3", "No-error", "No-error"),
        row("Facebook-AI", 5, "rater1", "Style/Awkward", "Minor"),
        row("Facebook-AI", 5, "rater1", "Terminology/Inappropriate for context", "Minor"),
        row("HuaweiTSC", 5, "rater3", "No-error", "No-error"),
    )
    matrix = score_matrix(scores, "mqm")
    assert matrix.loc["Facebook-AI"].to_dict() == {"1": 1, "2": 0, "5": 2}
    assert matrix.loc["HuaweiTSC"].to_dict() == {"1": 5, "2": 0, "5": 0}


@pytest.mark.parametrize(
    ("category", "severity", "weight"),
    [
        ("Non-translation!", "Major", 25),
        ("Accuracy/Mistranslation", "Major", 5),
        ("Fluency/Punctuation", "Major", 5),
        ("Accuracy/Mistranslation", "Minor", 1),
        ("Fluency/Punctuation", "Minor", 0.1),
        ("Style/Awkward", "Neutral", 0),
        ("fluency/punctuation", "minor", 0.1),
    ],
)
def test_weights_are_those_of_the_paper(table, category, severity, weight):
    """Freitag et al. 2021, the table of weights."""
    assert table(row("s", 1, "r", category, severity))["score"].tolist() == [weight]


def test_errors_of_a_rater_are_summed_and_raters_averaged(table):
    rows = [
        row("s", 1, "a", "Style", "Minor"),
        row("s", 1, "a", "Style", "Major"),
        row("s", 1, "b", "x", "Neutral"),
    ]
    assert table(*rows)["score"].tolist() == [3]


def test_lower_is_better(table):
    assert not table(row("s", 1, "a", "Style", "Minor"))["higher_is_better"].any()


def test_tests_of_attention_are_nobodys_error(table):
    rows = [row("s", 1, "a", "Style", "Minor"), row("s", 1, "b", "Missed", "HOTW-test")]
    assert table(*rows)["score"].tolist() == [1]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "expected a header and errors"),
        (["s\tt" * 20 + "\n"], "row 2: expected 10 cells, found 21"),
        ([row("s", 1, "a", "Style", "Minor"), row("s", 2, "a", "Style", "Bad")],
         "row 3, column severity: expected one of Major, Minor, Neutral, No-error, HOTW-test, or one whose weight --error-weights names, found 'Bad'"),
        ([row("s", 1, "a", "Style", "Minor"), row("s", 1, "a", "Style", "Minor", doc="talk.2")],
         "row 3, column seg_id: expected a number that is in one document only, found '1'"),
        ([row("", 1, "a", "Style", "Minor")], "row 2, column system: expected a value, found nothing"),
    ],
)  # fmt: skip
def test_a_bad_file_is_one_line_with_its_row(table, rows, message):
    with pytest.raises(BadInput) as problem:
        table(*rows)
    assert message in str(problem.value)
    assert "mqm.tsv" in str(problem.value)


def test_a_missing_column_is_named(tmp_path):
    with pytest.raises(BadInput, match="column seg_id: expected the columns system, doc, seg_id"):
        read_scores(
            [write(tmp_path / "mqm.tsv", HEADER.replace("seg_id", "n") + row("s", 1, "a", "x", "Minor"))]
        )


def test_files_of_two_test_sets_are_not_mixed(tmp_path):
    """Both number their segments from 1: a sum over both would be nobody's score."""
    paths = [
        write(tmp_path / f"{doc}.tsv", HEADER + row("s", 1, "a", "Style", "Minor", doc=doc))
        for doc in ("news", "talk")
    ]
    with pytest.raises(BadInput, match="expected files of one test set: segment 1 is in two documents"):
        read_scores(paths)
    with pytest.raises(BadInput, match="expected files of one test set: segment 1 is in two documents"):
        read_judgments(paths)
    assert len(read_judgments(paths, by="document")["item"].unique()) == 2


def test_no_error_of_some_weight_is_refused(table):
    with pytest.raises(BadInput, match="row 2, column severity: expected No-error, as the category has it"):
        table(row("s", 1, "a", "No-error", "Major"))
