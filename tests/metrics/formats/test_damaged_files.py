"""Damaged files of every format: either they can still be read, or one line says what is wrong."""

import json
import warnings

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.cli import main
from metrics.errors import BadInput
from metrics.formats import FORMATS
from metrics.formats.wmt import COLUMNS
from tests.conftest import ROOT
from tests.metrics.formats.releases import jsonl, release
from tests.metrics.formats.texts import write

UNITS = ROOT / "tests" / "data" / "tasks2" / "pyramid"
TEXTS = {"storm": {"src": "Rain.", "ref_summs": ["Wet."], "sys_summs": {"M1": {"sys_summ": "It rains."}}}}
WHOLE = {
    ("summeval", "study", "x.jsonl"): jsonl(release(experts=1, crowd=0)[:2]),
    ("summeval", "outputs", "x.json"): json.dumps(TEXTS),
    ("appraise", "judgments", "x.csv"): "u,a,3,TGT,ces,eng,64,d.4,False,1600000000.25,1600000012.5\r\n" * 2,
    ("wmt", "judgments", "x.csv"): "\t".join(COLUMNS) + '\nNA\tw\tcs\ten\tad\tNA\t"a"\tNA\tSYSTEM\ts\t5\t0\n',
    ("mtme", "scores", "x.seg.score"): "a\t1\na\tNone\nb\t2\nb\t3.5\n",
    ("sacrerouge", "scores", "x.jsonl"): json.dumps(
        {"instance_id": "d", "summarizer_id": "a", "summarizer_type": "peer", "metrics": {"x": {"y": [1, 2]}}}
    ),
    ("mqm", "scores", "x.tsv"): "system\tdoc\tseg_id\trater\tcategory\tseverity\na\td\t1\tr\tStyle\tMinor\n",
    ("ducview", "judgments", "t.a.pan"): (UNITS / "harbour.alpha.pan").read_text(),
    ("rose", "judgments", "x.jsonl"): json.dumps(
        {"example_id": "d", "reference_acus": ["Rain."], "annotations": {"a": {"acu_labels": [1]}}}
    ),
    (
        "litepyramid",
        "judgments",
        "x.csv",
    ): "Input.eventId,Input.summaryId,Input.statement_1,Answer.S1Answer\nd,a,Rain.,p\n",
    ("nuggetizer", "judgments", "x.jsonl"): json.dumps(
        {"qid": "q", "nuggets": [{"text": "Rain.", "importance": "vital", "assignment": "support"}]}
    ),
    (
        "ami",
        "judgments",
        "M1.abssumm.xml",
    ): "<?xml version='1.0'?>\n<nite:root><abstract><sentence nite:id='s1'>Rain."
    "</sentence></abstract></nite:root>\n",
    ("ami", "judgments", "abstractive/M1.json"): json.dumps(
        [{"id": "s1", "text": "Rain.", "type": "abstract"}]
    ),
    ("text", "outputs", "x.txt"): "Rain.\n\nSun.\n",
    ("wmt-ranking", "judgments", "x.csv"): "srclang,trglang,srcIndex,segmentId,judgeID,system1Id,system1rank,"
    "system2Id,system2rank,rankingID\neng,tur,1,1,j,a+b,2,c,1,7\neng,tur,1,1,j,a+b,2,d,3,7\neng,tur,1,1,j,c,1,d,3,7\n",
    ("mqm", "judgments", "x.tsv"): "system\tdoc\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"
    "a\td\t1\tr\tEin.\tA <v>dog</v>.\tStyle\tMinor\na\td\t1\ts\tEin.\tA dog.\tNo-error\tNo-error\n",
    (
        "mtme",
        "judgments",
        "en-de.x.seg.rating",
    ): 'a\t{"errors": [{"start": 2, "end": 5, "category": null, "severity": "minor", '
    '"score": -1.5, "is_source_error": false}]}\tr\na\tNone\n',
    ("esa", "judgments", "x.csv"): "u,a,3,TGT,ces,eng,64,d.4,False,[],1600000000.25,1600000012.5\r\n",
    ("pearmut", "judgments", "x.jsonl"): json.dumps(
        {
            "user_id": "u",
            "item": [{"tgt": {"a": "It rains."}}],
            "annotation": [
                {"a": {"score": 5, "error_spans": [{"start_i": 0, "end_i": 1, "severity": "minor"}]}}
            ],
        }
    ),
}
NEEDED = {"wmt-ranking": {"identical": "merged"}}
"""Options without which a file cannot be read."""
DEBRIS = ['"', "'", "{", "}", "[]", ",", "\t", "\n", "\r", " ", "null", "NaN", "1e999", "-1", "1" * 400, "1" * 5000, "True",
          "\\ud800", "\u2028", "\ufeff", "\0", "0", "{}", "None", "\\"]  # fmt: skip
DAMAGE = st.tuples(st.integers(0, 2000), st.sampled_from([0, 0, 1, 3, 20]), st.sampled_from(DEBRIS))


@pytest.mark.parametrize("case", WHOLE, ids="-".join)
def test_the_whole_file_can_be_read(case, tmp_path):
    name, table, file = case
    assert (
        FORMATS[name].reads[table]([write(tmp_path / file, WHOLE[case])], **NEEDED.get(name, {})) is not None
    )


@given(case=st.sampled_from(list(WHOLE)), damages=st.lists(DAMAGE, min_size=1, max_size=3))
@settings(max_examples=120, deadline=None)
def test_a_damaged_file_is_read_or_refused_in_one_line(case, damages, tmp_path_factory):
    name, table, file = case
    text = WHOLE[case]
    for place, length, debris in damages:
        start = place % (len(text) + 1)
        text = text[:start] + debris + text[start + length :]
    path = write(tmp_path_factory.mktemp("damaged") / file, text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        try:
            FORMATS[name].reads[table]([path], **NEEDED.get(name, {}))
        except BadInput as problem:
            assert "\n" not in str(problem)


def read(case, text, folder):
    name, table, file = case
    return FORMATS[name].reads[table]([write(folder / file, text)], **NEEDED.get(name, {}))


@pytest.mark.parametrize("case", WHOLE, ids="-".join)
def test_a_byte_order_mark_and_line_ends_of_windows_change_nothing(case, tmp_path):
    plain = WHOLE[case].replace("\r\n", "\n")
    dressed = "\ufeff" + plain.replace("\n", "\r\n")
    expected, found = read(case, plain, tmp_path), read(case, dressed, tmp_path)
    if case[1] == "study":
        expected, found = (pd.concat([each.judgments, each.outputs]) for each in (expected, found))
    pd.testing.assert_frame_equal(found, expected)


HUGE = "9" * 5000
HOSTILE = {
    "no byte": [(case, "") for case in WHOLE],
    "a number that no float holds": [
        (case, text.replace(number, HUGE, 1))
        for (case, text), number in zip(
            list(WHOLE.items())[2:6], [",64,", "\t5\t", "3.5", "[1, 2]"], strict=True
        )
    ],
    "nested without end": [(case, "[" * 100_000) for case in WHOLE if case[2].endswith(("json", "jsonl"))],
    "half a quote": [
        (("appraise", "judgments", "x.csv"), 'u,"a,3,TGT,ces,eng,64\r\n'),
        (("litepyramid", "judgments", "x.csv"), 'Input.eventId,"Input.summaryId\n'),
    ],
    "a column twice": [
        (("mqm", "scores", "x.tsv"), "system\tdoc\tseg_id\trater\tcategory\tseverity\tdoc\na\td\t1\tr\tx\tMinor\td\n")
    ],
    "tests of raters only": [
        (("mqm", "scores", "x.tsv"), "system\tdoc\tseg_id\trater\tcategory\tseverity\na\td\t1\tr\tx\tHOTW-test\n")
    ],
    "no score of any metric": [
        (("sacrerouge", "scores", "x.jsonl"), '{"instance_id": 1, "summarizer_id": 2, "summarizer_type": "peer", "metrics": {}}')
    ],
    "a document without a name": [(("summeval", "outputs", "x.json"), json.dumps({"": TEXTS["storm"]}))],
}  # fmt: skip


@pytest.mark.parametrize(
    ("case", "text"),
    [pytest.param(*each, id=f"{each[0][0]}: {why}") for why, found in HOSTILE.items() for each in found],
)
def test_a_hostile_file_is_refused_in_one_line_and_nothing_is_written(case, text, tmp_path, capsys):
    name, table, file = case
    path = write(tmp_path / file, text)
    options = [word for option, value in NEEDED.get(name, {}).items() for word in (f"--{option}", value)]
    assert main(["convert", name, table, str(path), *options, "--out", str(tmp_path / "out")]) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert file in told
    assert [each for each in tmp_path.rglob("*") if each.is_file()] == [path]


@pytest.mark.parametrize("number", [HUGE, "9" * 400])
def test_a_score_that_no_float_holds_is_refused_in_our_own_tables_too(number, tmp_path, capsys):
    line = f'{{"metric": "m", "system": "a", "item": "1", "score": {number}}}\n'
    path = write(tmp_path / "scores.jsonl", line)
    assert main(["convert", "scores", "sacrerouge", str(path)]) == 2
    assert "scores.jsonl, row 1" in capsys.readouterr().err
