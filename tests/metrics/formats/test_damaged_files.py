"""Damaged files of every format: either they can still be read, or one line says what is wrong."""

import json
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.errors import BadInput
from metrics.formats import FORMATS
from metrics.formats.wmt import COLUMNS
from tests.metrics.formats.releases import jsonl, release
from tests.metrics.formats.texts import write

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
    ("text", "outputs", "x.txt"): "Rain.\n\nSun.\n",
}
DEBRIS = ['"', "'", "{", "}", "[]", ",", "\t", "\n", "\r", " ", "null", "NaN", "1e999", "-1", "1" * 400, "True",
          "\\ud800", "\u2028", "\ufeff", "\0", "0", "{}", "None", "\\"]  # fmt: skip
DAMAGE = st.tuples(st.integers(0, 2000), st.sampled_from([0, 0, 1, 3, 20]), st.sampled_from(DEBRIS))


@pytest.mark.parametrize("case", WHOLE, ids="-".join)
def test_the_whole_file_can_be_read(case, tmp_path):
    name, table, file = case
    assert FORMATS[name].reads[table]([write(tmp_path / file, WHOLE[case])]) is not None


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
            FORMATS[name].reads[table]([path])
        except BadInput as problem:
            assert "\n" not in str(problem)
