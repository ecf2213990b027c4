"""Error spans of other tools. Offsets, own MQM rows with what mt-metrics-eval prints for them, and Appraise's layout are those of the
shared data (``tasks2/spans``, ``tasks2/mqm``); the layouts of ratings and of Pearmut are those that these projects publish, texts our own."""

import json
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.cli import main
from metrics.errors import BadInput
from metrics.formats import FORMATS
from metrics.formats.mqm import read_scores
from metrics.formats.mqm_spans import read_judgments as read_mqm
from metrics.formats.offsets import CODE_POINTS, UTF8_BYTES, UTF16, UTF16_INCLUSIVE, XSUM
from metrics.formats.spans import marked_parts, unmarked, with_marks
from metrics.frames import read_judgments
from metrics.human import human_score
from tests.conftest import ROOT
from tests.metrics.formats.texts import write

DATA = ROOT / "tests/data/tasks2"
OFFSETS = json.loads((DATA / "spans/offsets.json").read_text())["cases"]
COUNTINGS = {
    "code_points_exclusive": CODE_POINTS,
    "utf16_exclusive": UTF16,
    "appraise_and_pearmut_utf16_inclusive": UTF16_INCLUSIVE,
    "xsum_1based_exclusive": XSUM,
    "utf8_bytes_exclusive": UTF8_BYTES,
}


def convert(*arguments):
    return main(["convert", *map(str, arguments)])


@pytest.mark.parametrize("case", OFFSETS, ids=lambda case: case["span"])
@pytest.mark.parametrize("name", COUNTINGS)
def test_every_tools_offsets_are_ours_and_back(case, name):
    ours = tuple(case["code_points_exclusive"])
    assert case["text"][slice(*ours)] == case["span"]
    assert COUNTINGS[name].read(case["text"], *case[name]) == ours
    assert COUNTINGS[name].write(case["text"], *ours) == tuple(case[name])


@pytest.mark.parametrize("case", OFFSETS, ids=lambda case: case["span"])
def test_marks_are_read_and_written(case):
    ours = tuple(case["code_points_exclusive"])
    assert marked_parts(case["marked"]) == (ours,)
    assert unmarked(case["marked"]) == case["text"]
    assert with_marks(case["text"], (ours,)) == case["marked"]


@given(st.text(st.characters(exclude_categories=("Cs",)), min_size=2, max_size=30), st.data())
def test_any_span_of_any_text_survives_every_way_of_counting(text, data):
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    for counting in COUNTINGS.values():
        assert counting.read(text, *counting.write(text, start, end)) == (start, end)


@pytest.mark.parametrize(("start", "end"), [(1, 3), (0, 0), (3, 99), (5, 2), (-1, 4)])
def test_bounds_inside_a_character_or_outside_the_text_are_refused(start, end):
    with pytest.raises(BadInput, match="expected"):
        UTF16_INCLUSIVE.read("🚢 waits", start, end)


# --- MQM ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("by", ["segment", "document"])
def test_a_file_of_mqm_errors_goes_in_and_comes_out_again_equal(by, tmp_path):
    own = DATA / "mqm/own.tsv"
    files = {name: tmp_path / f"{name}.jsonl" for name in ("outputs", "documents")}
    table, back = tmp_path / "judgments.csv", tmp_path / "back.tsv"
    assert convert("mqm", "judgments", own, "--by", by, "--out", table) == 0
    for name, path in files.items():
        assert convert("mqm", name, own, "--by", by, "--out", path) == 0
    texts = [word for name, path in files.items() for word in (f"--{name}", path)]
    assert convert("judgments", "mqm", table, *texts, "--out", back) == 0
    assert back.read_text() == own.read_text()
    assert convert("judgments", "mqm", table, *texts, "--spelling", "marot", "--out", back) == 0
    head, first, *_ = back.read_text().splitlines()
    assert head.split("\t")[2:4] == ["docSegId", "globalSegId"]
    assert first.split("\t")[-2:] == ["major", "{}"]
    again = read_mqm([back], by=by)
    assert again["unit"].tolist() == read_judgments(table)["unit"].tolist()


def test_scores_of_judgments_are_what_mt_metrics_eval_prints(tmp_path):
    """own.mt-metrics-eval.txt: system, document, segment, negative score, scores of raters."""
    rows = [line.split("\t") for line in (DATA / "mqm/own.mt-metrics-eval.txt").read_text().splitlines()]
    printed = {(system, segment): -float(score) for system, _, segment, score, *_ in rows}
    for frame in (
        human_score(read_mqm([DATA / "mqm/own.tsv"]), "mqm", error_weights="freitag2021").scores,
        read_scores([DATA / "mqm/own.tsv"]),
    ):
        assert (
            dict(zip(zip(frame["system"], frame["item"], strict=True), frame["score"], strict=True))
            == printed
        )


HEADER = "system\tdoc\tdocSegId\tglobalSegId\trater\tsource\ttarget\tcategory\tseverity\tmetadata\n"


def line(source, target, category, severity, last="{}", rater="r1"):
    return "\t".join(("s", "d", "1", "1", rater, source, target, category, severity, last)) + "\n"


def test_marots_spelling_its_metadata_notes_and_tests_of_attention_come_out_again(tmp_path):
    text = HEADER + "".join([
        line("Ein Hund.", "A <v>dog</v>.", "accuracy/mistranslation", "major", '{"note": "cat", "timestamp": 12}'),
        line("Ein Hund.", "A <v>dog</v>.", "style/awkward", "minor", '{"note": "odd"}'),
        line("Ein <v>Hund</v> <v>bellt</v>.", "A dog.", "accuracy/omission", "minor", rater="r2"),
        line("Ein Hund.", "A dog.", "no-error", "no-error", rater="r3"),
        line("Ein Hund.", "A dog.", "missed", "hotw-test", rater="r3"),
    ])  # fmt: skip
    file = write(tmp_path / "m.tsv", text)
    frame = read_mqm([file])
    assert [(row.unit, row.criterion) for row in frame.itertuples() if row.assessor == "r1"] == [
        ("1", "errors"), ("1/2:5", "accuracy/mistranslation"), ("1/2:5", "note"),
        ("1/2:5#2", "style/awkward"), ("1/2:5#2", "note"),
    ]  # fmt: skip
    assert frame.loc[frame["assessor"] == "r2", "unit"].tolist() == ["1", "1/source/4:8+9:14"]
    injected = frame[frame["criterion"] == "injected"]
    assert injected["value"].tolist() == [0]


def test_marots_file_comes_out_again_equal(tmp_path):
    text = HEADER + "".join([
        line("Ein Hund.", "A <v>dog</v>.", "accuracy/mistranslation", "major", '{"note": "cat", "timestamp": 12}'),
        line("Ein <v>Hund</v>.", "A dog.", "accuracy/omission", "minor", rater="r2"),
        line("Ein Hund.", "A dog.", "no-error", "no-error", rater="r3"),
    ])  # fmt: skip
    file = write(tmp_path / "m.tsv", text)
    for name in ("judgments", "outputs", "documents"):
        assert convert("mqm", name, file, "--out", tmp_path / f"{name}.jsonl") == 0
    (tmp_path / "judgments.jsonl").rename(tmp_path / "judgments.csv")
    texts = [word for name in ("outputs", "documents") for word in (f"--{name}", tmp_path / f"{name}.jsonl")]
    back = tmp_path / "back.tsv"
    assert (
        convert("judgments", "mqm", tmp_path / "judgments.csv", *texts, "--spelling", "marot", "--out", back)
        == 0
    )
    assert back.read_text() == text


def test_files_of_side_by_side_work_keep_the_pair_as_the_name_of_the_system(tmp_path):
    """MQM S×S: what X got beside Y is told from what it got beside Z."""
    rows = [
        line("Ein Hund.", "A <v>dog</v>.", "accuracy/mistranslation", "major").replace("s\t", name + "\t", 1)
        for name in ("X_with_Y", "Y_with_X", "X_with_Z")
    ]
    frame = read_mqm([write(tmp_path / "m.tsv", HEADER + "".join(rows))])
    assert list(dict.fromkeys(frame["system"])) == ["X_with_Y", "Y_with_X", "X_with_Z"]


def test_a_span_that_nothing_closes_is_none_and_is_warned_of(tmp_path):
    file = write(tmp_path / "m.tsv", HEADER + line("Ein Hund.", "A <v>dog.", "style/awkward", "minor"))
    with pytest.warns(
        UserWarning, match=r"m\.tsv, row 2: <v> in target is not closed: the error has no span"
    ):
        frame = read_mqm([file])
    assert frame["unit"].tolist() == ["1", "1"]
    assert FORMATS["mqm"].reads["outputs"]([file])["text"].tolist() == ["A dog."]


def test_omissions_without_a_span_are_missing_and_said_once(tmp_path):
    rows = [line("Ein Hund.", "A.", "Accuracy/Omission", "Minor", rater=f"r{n}") for n in range(3)]
    with pytest.warns(UserWarning, match="3 errors have no span, the first in row 2") as said:
        frame = read_mqm([write(tmp_path / "m.tsv", HEADER + "".join(rows))])
    assert len(said) == 1
    assert set(frame["unit"]) == {"1", "1/missing"}


@pytest.mark.parametrize("read", [read_mqm, read_scores])
def test_critical_is_taken_when_its_weight_is_named(read, tmp_path):
    file = write(tmp_path / "m.tsv", HEADER + line("Ein Hund.", "A <v>dog</v>.", "style", "Critical"))
    with pytest.raises(
        BadInput, match=r"row 2, column severity: expected one of .* --error-weights names, found 'Critical'"
    ):
        read([file])
    frame = read([file], error_weights="freitag2021,critical=10")
    assert 10 in frame["value" if "value" in frame else "score"].tolist()


def test_a_quoted_file_is_read_when_it_is_said_to_be_one(tmp_path):
    text = HEADER + line("Ein Hund.", '"A <v>""dog""</v>."', "style", "minor")
    frame = read_mqm([write(tmp_path / "m.tsv", text)], quoted=True)
    assert frame["unit"].tolist() == ["1", "1/2:7"]


def test_what_the_writer_cannot_hold_is_refused_with_what_to_give(tmp_path, capsys):
    table, empty = (
        tmp_path / "j.csv",
        write(tmp_path / "o.jsonl", '{"system": "x", "item": "1", "text": "a"}\n'),
    )
    documents = write(tmp_path / "d.jsonl", '{"id": "1", "text": "a"}\n')
    assert convert("mqm", "judgments", DATA / "mqm/own.tsv", "--out", table) == 0
    assert convert("judgments", "mqm", table, "--documents", documents) == 2
    assert "expected --outputs" in capsys.readouterr().err
    assert convert("judgments", "mqm", table, "--outputs", empty, "--documents", documents) == 2
    assert "give --outputs FILE with its text" in capsys.readouterr().err


# --- mt-metrics-eval ------------------------------------------------------------------------------------------------

ERROR = {
    "start": 2,
    "end": 5,
    "category": "Style/Awkward",
    "severity": "minor",
    "score": None,
    "is_source_error": False,
}


def ratings(*lines):
    return "".join(
        f"{system}\tNone\n" if errors is None else f"{system}\t{json.dumps({'errors': errors})}\t{rater}\n"
        for system, errors, rater in lines
    )


def test_ratings_of_mt_metrics_eval_go_in_and_come_out_again_equal(tmp_path):
    folder = tmp_path / "ratings"
    first = ratings(
        (
            "alpha",
            [ERROR, ERROR | {"start": 0, "end": 1, "severity": "major", "category": None, "score": -5.0}],
            "r1",
        ),
        ("alpha", [], "r2"),
        ("alpha", None, ""),
        ("beta", None, ""),
        ("beta", [ERROR | {"is_source_error": True}], "r1"),
        ("beta", [ERROR, ERROR], "r2"),
    )
    second = ratings(*[("alpha", [], "r3")] * 3, *[("beta", [ERROR], "r3")] * 3)
    files = [
        write(folder / "en-de.mqm.1.seg.rating", first),
        write(folder / "en-de.mqm.2.seg.rating", second),
    ]
    table = tmp_path / "judgments.csv"
    assert convert("mtme", "judgments", *files, "--out", table) == 0
    assert convert("judgments", "mtme", table, "--languages", "en-de", "--out", tmp_path / "back") == 0
    for file in files:
        assert (tmp_path / "back" / "ratings" / file.name).read_text() == file.read_text()
    frame = read_judgments(table)
    assert set(frame["unit"]) == {"1", "1/2:5", "1/0:1", "1/source/2:5", "1/2:5#2"}
    assert human_score(frame, "mqm").scores["score"].tolist() == [
        (6 + 0) / 2,
        0,
        0,
        1,
        (1 + 1) / 2,
        (2 + 1) / 2,
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("alpha\t{\tr\n", "row 1: expected JSON or None"),
        ("alpha\t[]\tr\n", 'row 1: expected an object with "errors"'),
        ('alpha\t{"errors": [{"start": "2", "end": 5}]}\tr\n', "row 1: expected an error with whole numbers"),
        ("alpha\n", "row 1: expected 2 or 3 cells, found 1"),
        ("alpha\tNone\n", "expected judgments of texts, found none"),
    ],
)
def test_bad_ratings_are_refused_with_their_row(text, message, tmp_path):
    with pytest.raises(BadInput) as problem:
        FORMATS["mtme"].reads["judgments"]([write(tmp_path / "en-de.mqm.seg.rating", text)])
    assert message in str(problem.value)


# --- Appraise and Pearmut -------------------------------------------------------------------------------------------


def test_error_span_annotation_of_appraise_goes_in_and_comes_out_again_equal(tmp_path):
    own = DATA / "spans/esa.appraise.csv"
    texts = ["The port was open on Friday.", "Two sailors were hurt.", "No sailor was hurt."]
    outputs = write(
        tmp_path / "outputs.jsonl",
        "".join(
            json.dumps({"system": "alpha", "item": str(n), "text": text}) + "\n"
            for n, text in enumerate(texts, start=1)
        ),
    )
    table, back = tmp_path / "judgments.csv", tmp_path / "back.csv"
    assert convert("esa", "judgments", own, "--outputs", outputs, "--out", table) == 0
    frame = read_judgments(table)
    assert frame.loc[frame["item"] == "1", ["unit", "criterion", "value", "label"]].values.tolist() == [
        ["1", "errors", 1, ""], ["1/13:17", "error", 5, "major"], ["1", "score", 66, ""],
    ]  # fmt: skip
    degraded = frame[frame["item"] == "3"]
    assert degraded["unit"].tolist() == ["1", "1/0:9", "1/missing", "1"]
    assert set(degraded["control"]) == {"degraded"}
    assert convert("judgments", "esa", table, "--outputs", outputs, "--out", back) == 0
    assert back.read_text() == own.read_text()


def test_offsets_count_utf_16_where_the_text_is_given_and_a_warning_says_so_where_it_is_not(tmp_path):
    marked = '"[{""start_i"": 13, ""end_i"": 17, ""severity"": ""minor"", ""error_type"": null}]"'
    row = f"u,a,1,TGT,eng,deu,66,d#a,False,{marked},1763283000.0,1763283030.5\r\n"
    file = write(tmp_path / "e.csv", row)
    outputs = write(
        tmp_path / "o.jsonl",
        json.dumps({"system": "a", "item": "1", "text": "🚢 The ferry waits 🌊 in port."}),
    )
    read = FORMATS["esa"].reads["judgments"]
    assert read([file], outputs=outputs)["unit"].tolist()[1] == "1/12:17"
    with pytest.warns(UserWarning, match="beyond U\\+FFFF: give --outputs FILE"):
        assert read([file])["unit"].tolist()[1] == "1/13:18"


def test_tutorials_doubles_and_older_rows_of_one_person_are_left_out(tmp_path):
    def row(score, document, end):
        return f"u,a,1,TGT,eng,deu,{score},{document},False,[],1763283000.0,{end}\r\n"

    file = write(
        tmp_path / "e.csv",
        row(10, "d#a", 1763283060.0) + row(90, "d#a", 1763283030.0) + row(1, "d#a#dup", 1763283090.0) + row(2, "tutorial#a", 1763283090.0),
    )  # fmt: skip
    with pytest.warns(UserWarning, match="2 rows of tutorials, doubles and incomplete documents left out"):
        frame = FORMATS["esa"].reads["judgments"]([file])
    assert frame.loc[frame["criterion"] == "score", "value"].tolist() == [10]


def pearmut_line(**changed):
    span = {"start_i": 13, "end_i": 17, "category": None, "severity": "minor"}
    missing = span | {"start_i": "missing", "end_i": "missing", "category": "Accuracy/Omission"}
    text = "🚢 The ferry waits 🌊 in port."
    return json.dumps(
        {
            "user_id": "p1",
            "item_i": 0,
            "item": [
                {"item_id": "x-0", "src": "Die Fähre wartet.", "tgt": {"A": text, "B": "Ferry."}},
                {"item_id": "x-1", "src": "Im Hafen.", "tgt": {"A": "In port.", "B": "Port."}},
            ],
            "annotation": [
                {"A": {"score": 70, "error_spans": [span, missing]}, "B": {"score": 40, "error_spans": []}},
                {"A": {"score": 100, "error_spans": []}, "B": {"score": None, "error_spans": []}},
            ],
            "actions": [
                {"time": 1771311126.056, "action": "load"},
                {"time": 1771311226.056, "action": "submit"},
            ],
        }
        | changed
    )


def test_two_segments_under_one_id_are_refused_and_none_is_lost(tmp_path):
    other = json.loads(pearmut_line(item_i=1))
    other["item"][0]["tgt"]["B"] = "Another segment."
    file = write(tmp_path / "p.jsonl", pearmut_line() + "\n" + json.dumps(other) + "\n")
    with pytest.raises(BadInput, match="row 2: expected one text of B on x-0, found another"):
        FORMATS["pearmut"].reads["judgments"]([file])


def test_checks_that_are_called_alike_and_are_each_persons_own_are_read(tmp_path):
    """As in Pearmut's examples/attention_checks.json, where everybody has another ``attention_check_1``."""
    lines = []
    for user, text in (("u1", "Trhy kolísají."), ("u2", "Ceny rostou."), ("u1", "Náklady stoupají.")):
        line = json.loads(pearmut_line(user_id=user))
        line["item"][0] |= {"tgt": {"B": text}, "validation": {"B": {"score": [70, 70]}}}
        line["annotation"][0] = {"B": {"score": 70, "error_spans": []}}
        lines.append(json.dumps(line))
    read = FORMATS["pearmut"].reads["judgments"]
    judged = read([write(tmp_path / "p.jsonl", "\n".join(lines[:2]))])
    assert set(judged.loc[judged["item"] == "x-0", "assessor"]) == {"u1", "u2"}
    with pytest.raises(BadInput, match="row 3: expected one text of B on x-0, found another"):
        read([write(tmp_path / "again.jsonl", "\n".join(lines))])


def test_pearmuts_lines_are_read_with_their_texts(tmp_path):
    again = json.loads(pearmut_line())
    again["annotation"][0]["B"]["score"] = 50
    file = write(tmp_path / "p.jsonl", pearmut_line() + "\n" + json.dumps(again) + "\n")
    form = FORMATS["pearmut"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        frame = form.reads["judgments"]([file])
    of_a = frame[(frame["system"] == "A") & (frame["item"] == "x-0")]
    assert of_a["unit"].tolist() == ["1", "1/12:17", "1/missing", "1"]
    assert of_a["criterion"].tolist() == ["errors", "error", "Accuracy/Omission", "score"]
    scores = human_score(frame, "esa").scores
    assert scores[["system", "item", "score"]].values.tolist() == [
        ["A", "x-0", 70],
        ["A", "x-1", 100],
        ["B", "x-0", 50],
    ]
    assert frame["seconds"].unique().tolist() == [100]
    assert form.reads["documents"]([file]).values.tolist() == [
        ["x-0", "Die Fähre wartet."],
        ["x-1", "Im Hafen."],
    ]
    assert len(form.reads["outputs"]([file])) == 4


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"user_id": ""}, "expected user_id"),
        ({"item": []}, "one entry for each segment"),
        ({"annotation": [{"A": 1}, {}]}, "expected an annotation"),
        ({"annotation": [{"C": {"score": 1}}, {}]}, "expected the text of C"),
        ({"annotation": [{"A": {"error_spans": [{"start_i": 14, "end_i": 999, "severity": "minor"}]}}, {}]}, "bounds of whole"),
    ],
)  # fmt: skip
def test_a_bad_line_of_pearmut_is_refused_with_its_row(changed, message, tmp_path):
    with pytest.raises(BadInput, match=rf"p\.jsonl, row 1: .*{message}"):
        FORMATS["pearmut"].reads["judgments"]([write(tmp_path / "p.jsonl", pearmut_line(**changed))])
