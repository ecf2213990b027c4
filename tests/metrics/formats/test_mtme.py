"""Score files of mt-metrics-eval; names and levels as that project's README has them."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.errors import BadInput
from metrics.formats.base import ITEMS_FILE
from metrics.formats.mtme import read_scores, write_scores
from metrics.frames import check_scores
from tests.metrics.formats.texts import NUMBERS, WORDS, as_set, scores, write

SEGMENTS = "alpha\t-1.5\nalpha\tNone\nbeta\t0.0\nbeta\t-25.0\n"


def test_the_name_of_the_file_tells_human_score_and_level(tmp_path):
    paths = [
        write(tmp_path / "human-scores" / "en-de.mqm.seg.score", SEGMENTS),
        write(tmp_path / "human-scores" / "en-de.mqm.sys.score", "alpha -0.75\nbeta  -12.5\n"),
        write(tmp_path / "metric-scores" / "en-de" / "BLEU-refA.refB.sys.score", "alpha 31\nbeta 30\n"),
        write(tmp_path / "en-de.wmt-z.v2.sys.score", "alpha 0.1\nbeta 0.2\n"),
    ]
    table = read_scores(paths)
    assert list(dict.fromkeys(table["metric"])) == ["mqm", "BLEU-refA.refB", "wmt-z.v2"]
    of_segments = table[(table["metric"] == "mqm") & (table["item"] != "")]
    assert of_segments[["system", "item"]].to_numpy().tolist() == [
        ["alpha", "1"],
        ["alpha", "2"],
        ["beta", "1"],
        ["beta", "2"],
    ]
    assert math.isnan(of_segments["score"].iloc[1])
    assert table["higher_is_better"].all()


def test_domains_are_items_by_name(tmp_path):
    path = write(
        tmp_path / "en-de.mqm.domain.score", "news alpha 1\nsocial alpha 2\nnews beta 3\nsocial beta 4\n"
    )
    assert as_set(read_scores([path])) == as_set(
        scores(("mqm", "alpha", "news", 1), ("mqm", "alpha", "social", 2), ("mqm", "beta", "news", 3),
               ("mqm", "beta", "social", 4))
    )  # fmt: skip


def test_items_can_be_given_names(tmp_path):
    path, items = write(tmp_path / "x.doc.score", "a 1\na 2\n"), write(tmp_path / "ids", "storm\nharvest\n")
    assert read_scores([path], items=items)["item"].tolist() == ["storm", "harvest"]


def test_human_scores_come_back_byte_by_byte(tmp_path):
    name = "human-scores/en-de.mqm.seg.score"
    table = read_scores([write(tmp_path / name, SEGMENTS)])
    assert write_scores(table, languages="en-de", human=True) == {name: SEGMENTS}


SYSTEMS = st.lists(WORDS, min_size=1, max_size=3, unique=True)
METRICS = st.text("abcXYZ-012_", min_size=1, max_size=6)


@given(
    systems=SYSTEMS, metrics=st.lists(METRICS, min_size=1, max_size=3, unique_by=str.lower), data=st.data()
)
@settings(max_examples=30, deadline=None)
def test_scores_come_back_as_they_were(systems, metrics, data, tmp_path_factory):
    items = data.draw(st.sampled_from([[], ["1", "2", "3"], ["storm", "10", "harvest"]]))
    human = data.draw(st.booleans())
    values = st.none() | NUMBERS if human else NUMBERS
    rows = [
        (metric, system, item, data.draw(values))
        for metric in metrics
        for system in systems
        for item in ["", *items]
    ]
    table = scores(*rows)
    folder = tmp_path_factory.mktemp("mtme")
    files = write_scores(table, languages="en-de", human=human)
    paths = [write(folder / name, text) for name, text in files.items()]
    given_names = [path for path in paths if path.name == ITEMS_FILE]
    back = read_scores(
        [p for p in paths if p.name != ITEMS_FILE], items=given_names[0] if given_names else None
    )
    assert as_set(back) == as_set(table)
    assert bool(given_names) == (items[:1] == ["storm"])


def test_errors_are_written_negated_with_a_warning():
    """Published segment files of MQM hold the negative."""
    table = check_scores(scores(("mqm", "alpha", "1", 5)).assign(higher_is_better=False))
    with pytest.warns(UserWarning, match="the negative is written of mqm"):
        files = write_scores(table, languages="en-de", human=True)
    assert files == {"human-scores/en-de.mqm.seg.score": "alpha\t-5.0\n"}


def test_the_reference_is_part_of_a_metrics_name():
    files = write_scores(scores(("rouge-2-f", "alpha", "", 0.5)), languages="en-de", reference="refA")
    assert list(files) == ["metric-scores/en-de/rouge-2-f-refA.sys.score"]


def test_segments_that_nobody_judged_are_none_where_all_ids_are_given(tmp_path):
    items = write(tmp_path / "ids", "1\n2\n3\n")
    files = write_scores(scores(("mqm", "alpha", "3", 1)), languages="en-de", human=True, items=items)
    assert files == {"human-scores/en-de.mqm.seg.score": "alpha\tNone\nalpha\tNone\nalpha\t1.0\n"}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("scores.txt", SEGMENTS, "expected a name such as NAME.seg.score"),
        ("x.seg.score", "", "expected scores, found none"),
        ("x.seg.score", SEGMENTS + "beta\n", "row 5: expected system and score, found 1 cells"),
        ("x.seg.score", SEGMENTS + "beta good\n", "row 5, column score: expected a number, found 'good'"),
        ("x.seg.score", SEGMENTS + "beta nan\n", "row 5, column score: expected a number or None, found 'nan'"),
        ("x.seg.score", SEGMENTS + "beta 3\n", "expected 2 scores of every system, found 3 of beta"),
        ("x.sys.score", SEGMENTS, "row 2, column system: expected one score per system, found 'alpha'"),
        ("x.domain.score", "news alpha 1\nnews alpha 2\n", "row 2: expected one row for system alpha, item news"),
    ],
)  # fmt: skip
def test_a_bad_file_is_one_line_with_its_row(tmp_path, name, text, message):
    with pytest.raises(BadInput) as problem:
        read_scores([write(tmp_path / name, text)])
    assert message in str(problem.value)
    assert name in str(problem.value)


def test_two_kinds_of_items_of_one_metric_are_refused(tmp_path):
    paths = [write(tmp_path / f"x.{level}.score", SEGMENTS) for level in ("seg", "doc")]
    with pytest.raises(BadInput, match="expected one file of scores of x of items"):
        read_scores(paths)


def test_what_the_files_cannot_say_is_refused():
    one = scores(("x", "alpha", "1", 1), ("x", "beta", "2", 1))
    with pytest.raises(
        BadInput, match="expected a score of x for alpha on 2: only human scores may be missing"
    ):
        write_scores(one, languages="en-de")
    with pytest.raises(BadInput, match="expected --items FILE"):
        write_scores(scores(("x", "alpha", "1043", 1)), languages="en-de")
    with pytest.raises(BadInput, match="expected systems without blanks"):
        write_scores(scores(("x", "alpha one", "1", 1)), languages="en-de")
    with pytest.raises(BadInput, match="name of a file"):
        write_scores(scores(("../x", "alpha", "1", 1)), languages="en-de")
    with pytest.raises(BadInput, match="column item: expected no tab or line end"):
        write_scores(scores(("x", "alpha", "a\nb", 1)), languages="en-de")
    with pytest.raises(BadInput, match="expected --languages such as en-de"):
        write_scores(one, languages="English")
    with pytest.raises(BadInput, match="expected the name of a reference"):
        write_scores(one, languages="en-de", reference="ref-A")
