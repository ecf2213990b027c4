"""Abstract, extract, links: what each stage keeps, what is refused, and a study with known answers from files to tables."""

import json

import pandas as pd
import pytest
from django.core.management import call_command
from pydantic import ValidationError

from annotation.analysis.inputs import report_inputs
from annotation.selectors.files import study_as_file
from annotation.selectors.runs import newest_data
from annotation.services import work
from annotation.services.simulation import study_simulate
from annotation.services.studies import study_import, study_open
from annotation.study_files import read_study
from annotation.tasks.extract.kind import KIND
from annotation.tasks.extract.transcript import lines_of
from annotation.tasks.terms import Exhibit, NotYet, Record, Text
from metrics.cli import main
from metrics.frames import read_judgments
from metrics.human.extract import abstracts, links, taken, unsupported, weighted_extract
from metrics.human.tables import human_tables
from metrics.meta.agreement import agreement
from tests.annotation.study_files.conftest import problems_of, write_files
from tests.conftest import ROOT
from tests.keyed_studies import answer_one, rows_again, tables
from tests.metrics.formats.meetings import json_files

FOLDER = ROOT / "fixtures" / "extract"
UNITS = ("# Opening", "[00:02] Mara: Good morning.", "Tom: The walls stand.", "Ilse: It opens in May.")
MEETING = Exhibit(document=Text("", UNITS), shown={"language": "en"})
CONFIG = KIND.Config(
    headings=[{"name": "abstract", "words": 6}, {"name": "decisions", "words": 6}],
)
WRITTEN = {"abstract": "They plan. They build.", "decisions": "It opens in May."}


def said(answer, config=CONFIG):
    return [entry.message for entry in KIND.missing(config, MEETING, KIND.Answer(**answer))]


def test_lines_have_speakers_and_times_where_the_text_says_so_and_heads_have_no_line():
    head, mara, tom, _ = lines_of(MEETING.document, "en")
    assert (head.head, head.text) == (True, "Opening")
    assert (mara.number, mara.time, mara.speaker, mara.text) == (2, "00:02", "Mara", "Good morning.")
    assert (tom.speaker, tom.text) == ("Tom", "The walls stand.")
    prose = lines_of(Text("", ("It rained.", "He said: no.", "They left.")), "en")
    assert [line.speaker for line in prose] == ["", "", ""], "a colon in prose is no speaker"


@pytest.mark.parametrize(
    ("config", "problem"),
    [
        ({"headings": [{"name": "a"}, {"name": "a"}]}, "two headings have the same name"),
        ({"extract": False}, "with “links”, “extract” must be true"),
        ({"headings": []}, "at least 1 item"),
        ({"headings": [{"name": "a/b"}]}, "pattern"),
    ],
)
def test_a_configuration_that_makes_no_sense_is_refused(config, problem):
    with pytest.raises(ValidationError, match=problem):
        KIND.Config.model_validate(config)


def test_the_first_heading_must_be_written_and_no_box_may_be_too_long():
    assert said({}) == ["Write something under “Abstract”."]
    assert said({"abstract": {"abstract": "  ", "decisions": "In May."}}) == [
        "Write something under “Abstract”."
    ]
    assert said({"abstract": {"abstract": "one two three four five six seven"}}) == [
        "“Abstract” is too long. Words: 7; at most 6."
    ]
    assert said({"abstract": {"abstract": "One.", "else": "Two."}})[0] == "There is no heading “else”."
    assert said({"abstract": WRITTEN}) == ["Take lines of the text first."]


def test_every_line_needs_a_sentence_and_a_sentence_no_line():
    done = {"abstract": WRITTEN, "stage": 3, "extract": [3, 4]}
    assert said({"abstract": WRITTEN, "stage": 2}) == ["Take at least one line."]
    assert said({"abstract": WRITTEN, "stage": 2, "extract": [1, 9]}) == [
        "There is no line 1 to be taken.",
        "There is no line 9 to be taken.",
    ]
    assert said({"abstract": WRITTEN, "stage": 2, "extract": [3]}) == [
        "Link the lines with the sentences first."
    ]
    assert said(done | {"links": {"3": ["abstract/2"]}}) == ["Say which sentences line 4 supports."]
    assert said(done | {"links": {"3": ["abstract/2"], "4": ["abstract/3"]}}) == [
        "The abstract has no sentence “abstract/3”."
    ]
    assert said(done | {"links": {"3": ["abstract/2"], "4": ["decisions/1"]}}) == []
    linked = {"3": ["abstract/2"], "4": ["decisions/1"], "2": ["abstract/1"]}
    assert said(done | {"links": linked}) == ["Line 2 is linked, but it is not taken."]


def step(known, **sent):
    """The next stage, as a page asks for it."""
    return KIND.advance(CONFIG, MEETING, KIND.amend(CONFIG, known, KIND.Answer(**sent)))


def test_the_abstract_stays_as_it_was_when_the_lines_began():
    with pytest.raises(NotYet, match="Write something"):
        step(None)
    second = step(None, abstract=WRITTEN, extract=[3])
    assert (second.stage, second.abstract, second.extract) == (2, WRITTEN, ())
    kept = KIND.amend(CONFIG, second, KIND.Answer(abstract={"abstract": "Else."}, stage=2, extract=[4, 3, 3]))
    assert (kept.abstract, kept.extract) == (WRITTEN, (3, 4))
    third = KIND.advance(CONFIG, MEETING, kept)
    sent = KIND.Answer(abstract={}, stage=3, extract=[2], links={"3": ["abstract/1"]})
    kept = KIND.amend(CONFIG, third, sent)
    assert (kept.abstract, kept.extract, kept.links) == (WRITTEN, (3, 4), {"3": ("abstract/1",)})


def test_a_page_of_an_earlier_stage_changes_nothing():
    """Another tab, or a draft that a browser kept while it was offline."""
    second = step(None, abstract=WRITTEN)
    assert KIND.amend(CONFIG, second, KIND.Answer(abstract={"abstract": "Else."})) == second
    third = step(second, stage=2, extract=[3])
    assert KIND.amend(CONFIG, third, KIND.Answer(stage=2, extract=[4])) == third
    with pytest.raises(NotYet, match="no further step"):
        step(third, stage=2, extract=[4])


def test_going_back_to_the_lines_keeps_links_of_lines_that_stay():
    second = step(None, abstract=WRITTEN)
    third = step(second, stage=2, extract=[3, 4])
    linked = {"3": ["abstract/2"], "4": ["decisions/1"]}
    again = step(third, stage=3, links=linked, back=True)
    assert (again.stage, again.extract, again.back) == (2, (3, 4), False)
    third = step(again, stage=2, extract=[2, 4])
    assert (third.stage, third.extract, third.links) == (3, (2, 4), {"4": ("decisions/1",)})


def test_pages_show_only_what_belongs_to_the_stage():
    first = KIND.content(CONFIG, MEETING, None)
    assert [heading["title"] for heading in first["headings"]] == ["Abstract", "Decisions"]
    assert "sentences" not in first
    second = KIND.content(CONFIG, MEETING, KIND.Answer(abstract=WRITTEN, stage=2))
    assert [(one["id"], one["text"]) for one in second["sentences"]] == [
        ("abstract/1", "They plan."),
        ("abstract/2", "They build."),
        ("decisions/1", "It opens in May."),
    ]
    assert len(second["lines"]) == 4
    third = KIND.content(CONFIG, MEETING, KIND.Answer(abstract=WRITTEN, stage=3, extract=[4]))
    assert [line["number"] for line in third["lines"]] == [4]


def test_rows_are_those_of_the_specification(shared):
    """``rows_example.csv`` has one judgment of this kind."""
    example = read_judgments(shared / "data" / "tasks2" / "rows_example.csv")
    example = example[example["kind"] == "extract"]
    wanted = [(row.unit, row.criterion, row.label) for row in example.itertuples()]
    answer = KIND.Answer(
        abstract={"abstract": "They plan the kiosk.", "decisions": "It opens in May."},
        stage=3,
        extract=[12],
        links={"12": ["decisions/1"]},
    )
    rows = list(KIND.rows(KIND.Config(), MEETING, Record(), answer))
    assert [(row.unit, row.criterion, row.label) for row in rows] == wanted
    assert {row.value for row in rows if row.criterion != "abstract"} == {1.0}
    assert KIND.answer(KIND.Config(), MEETING, Record(), rows) == answer


@pytest.mark.parametrize(
    ("unit", "criterion", "problem"),
    [
        ("1", "mark", "criterion “mark” is not one of abstract, extract, link"),
        ("one", "extract", "“one” is no number of a line"),
        ("decisions/1", "link", "“decisions/1” is no link"),
    ],
)
def test_rows_that_do_not_fit_are_told_so(unit, criterion, problem):
    row = next(iter(KIND.rows(CONFIG, MEETING, Record(), KIND.Answer(extract=[3]))))
    with pytest.raises(ValueError, match=problem):
        KIND.answer(CONFIG, MEETING, Record(), [row._replace(unit=unit, criterion=criterion)])


def test_a_document_of_heads_alone_is_named_with_its_line(tmp_path):
    files = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.iterdir()}
    document = '{"id": "kiosk", "units": ["# One", "# Two"]}\n{"id": "choir", "text": "They sing."}\n'
    found = problems_of(write_files(tmp_path, files | {"documents.jsonl": document}))
    assert any("has heads only" in problem for problem in found), found


# --- whole studies --------------------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_the_example_goes_out_and_comes_in_again_as_it_was():
    study = study_import(study_file=read_study(FOLDER))
    assert study_as_file(study) == read_study(FOLDER)
    study_simulate(study=study, seed=5)
    first, again = rows_again(study)
    assert {row["criterion"] for row in first} == {"abstract", "extract", "link"}
    assert {row["system"] for row in first} == {""}
    assert first == again


TAKEN = {"Agnes": (6, 23, 30), "Bram": (23, 30, 32), "Celia": (23,)}
KIOSK = {"abstract": "The kiosk stands. Nobody was late.", "decisions": "It opens in May."}
LINKED = {6: "abstract/1", 23: "decisions/1", 30: "decisions/1", 32: "abstract/2"}


def play_with(study, answer):
    """Everybody does everything, stage by stage."""
    study_open(study=study)
    for assessor in study.assessors.select_related("study"):
        while assignment := work.assignment_next(assessor=assessor):
            sent = answer(assessor.name, assignment.subject.document.key)
            for _ in range(2):
                work.draft_save(assignment=assignment, revision=1, answer=sent, advance=True)
            answer_one(assignment, sent)


@pytest.fixture
def known_study(db):
    """Of the kiosk's lines Agnes takes three, Bram three, Celia one; of the choir's all take line 2."""
    study = study_import(study_file=read_study(FOLDER))

    def answer(name, document):
        lines = TAKEN[name] if document == "kiosk" else (2,)
        links = {str(line): [LINKED[line] if document == "kiosk" else "abstract/1"] for line in lines}
        return {"abstract": KIOSK, "stage": 3, "extract": lines, "links": links}

    play_with(study, answer)
    return study


def test_a_study_with_known_answers_gives_exactly_those_numbers(known_study):
    judgments, attributes = tables(known_study)
    names = dict(known_study.assessors.values_list("name", "pseudonym"))
    # The kiosk has 35 units, 4 of them heads; the choir 20 and 2.
    lines = taken(judgments, attributes=attributes)
    assert lines.groupby("item")["unit"].nunique().to_dict() == {"kiosk": 31, "choir": 18}
    gold = weighted_extract(judgments, attributes=attributes)
    gold = gold[gold["taken"] > 0].set_index(["item", "unit"])["share"].to_dict()
    assert gold == pytest.approx(
        {
            ("kiosk", "6"): 1 / 3,
            ("kiosk", "23"): 1,
            ("kiosk", "30"): 2 / 3,
            ("kiosk", "32"): 1 / 3,
            ("choir", "2"): 1,
        }
    )
    # Krippendorff's α by hand: 49 lines with 3 values each, 10 of 147 are 1. Three lines differ, each by 1 · 2/(3 − 1).
    found = agreement(judgments, attributes=attributes, n_resamples=0, rng=1)
    found = {(row.criterion, row.coefficient): row.value for row in found.itertuples()}
    assert found == pytest.approx(
        {
            ("extract", "lines-alpha"): 1 - 146 * 3 / (10 * 137),
            ("extract", "lines-f1"): 2 * (2 + 1 + 1 + 3) / (6 + 4 + 4 + 6),
            ("link", "linked-lines-f1"): 2 * (2 + 1 + 1 + 3) / (6 + 4 + 4 + 6),
        }
    )
    assert len(links(judgments)) == 3 + 3 + 1 + 3
    people, shown, bare = human_tables(judgments, attributes)["meetings"]
    (pair,) = [
        row for row in people.rows if row[0] == "kiosk" and set(row[1:3]) == {names["Agnes"], names["Bram"]}
    ]
    assert pair[3] == pytest.approx(2 * 2 / 6)
    assert pair[5] == pytest.approx(2 * 2 / 6)
    assert shown.rows[0][0] == "2" and shown.rows[1][:2] == ("23", "kiosk")
    assert shown.rows[1][-1] == "Mara: So the kiosk opens on the first of May, with Tom and his nephew."
    bare_of = {(row[1], row[2], row[0]) for row in bare.rows}
    assert (("kiosk", names["Agnes"], "abstract/2") in bare_of) and (
        ("kiosk", names["Bram"], "abstract/2") not in bare_of
    )
    assert len(unsupported(judgments, attributes=attributes)) == 1 + 1 + 2 + 3 * 2


def test_abstracts_are_references_of_the_same_study(known_study):
    """The study file has none; the report compares the outputs with what the three people wrote."""
    inputs = report_inputs(known_study, newest_data(known_study))
    written = abstracts(inputs["judgments"])
    assert len(written) == 2 * 3
    references = inputs["references"]
    assert set(references["reference"]) == set(written["reference"])
    assert set(references["text"]) == {"The kiosk stands. Nobody was late.\nIt opens in May."}
    assert isinstance(inputs["outputs"], pd.DataFrame) and len(inputs["outputs"]) == 4


AMI_STUDY = """name: AMI
slug: ami
language: en
materials: {documents: documents.jsonl}
tasks:
  - {kind: extract, name: summaries, headings: [{name: abstract}, {name: decisions}]}
assessors: assessors.csv
"""


@pytest.mark.django_db
def test_a_meeting_of_the_ami_corpus_becomes_a_study_and_what_people_did_becomes_such_files_again(tmp_path):
    """By the commands of docs/formats.md; the texts of lines and sentences come from the export's attributes."""
    files = [str(path) for path in json_files(tmp_path / "corpus")]
    study, table, out = tmp_path / "study", tmp_path / "export.csv", tmp_path / "out"
    write_files(study, {"study.yaml": AMI_STUDY, "assessors.csv": "name\nami\n"})
    assert main(["convert", "ami", "documents", *files, "--out", str(study / "documents.jsonl")]) == 0
    assert main(["convert", "ami", "judgments", *files, "--out", str(study / "judgments.csv")]) == 0
    call_command("import_study", study)
    call_command("import_judgments", "ami", study / "judgments.csv")
    call_command("export_judgments", "ami", "--out", str(table))
    known = f"{table}.attributes.csv"
    assert main(["convert", "judgments", "ami", str(table), "--attributes", known, "--out", str(out)]) == 0
    for layer in ("abstractive", "extractive", "summlink"):
        before, again = (
            json.loads((folder / layer / "M1.json").read_text()) for folder in (tmp_path / "corpus", out)
        )
        assert texts_in(again) == texts_in(before), layer


def texts_in(value):
    """What was said, without ids and times: an act's text has its speaker before it on our side."""
    if isinstance(value, list):
        return [texts_in(one) for one in value]
    if "text" not in value:
        return {key: texts_in(one) for key, one in value.items()}
    return f"{value['speaker']}: {value['text']}" if "speaker" in value else value["text"]
