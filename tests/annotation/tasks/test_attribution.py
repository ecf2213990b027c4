"""Attribution: which answers fit together, what the long table holds of them, and whole studies with known answers."""

import json

import pytest
from django.urls import reverse

from annotation.errors import Refused
from annotation.selectors.files import study_as_file
from annotation.services.building import units_cut_all
from annotation.services.simulation import study_simulate
from annotation.services.studies import study_import, units_cut
from annotation.study_files import read_study
from annotation.tasks.attribution.kind import KIND
from annotation.tasks.terms import Exhibit, Record, Row, Text
from metrics.human.tables import human_tables
from tests.annotation.study_files.conftest import problems_of, write_files
from tests.conftest import ROOT
from tests.factories import viewer_client
from tests.keyed_studies import play, rows_again, scores_of, tables

FOLDER = ROOT / "fixtures" / "attribution"
SOURCE, CITED = KIND.Config(), KIND.Config(given="citations")
EXHIBIT = Exhibit(
    outputs=(Text("One. Two.", ("One.", "Two.")),),
    document=Text("A. B. C.", ("A.", "B.", "C.")),
    shown={"citations": [[1, 3], []]},
)


def said(config, *sentences):
    answer = KIND.Answer.model_validate({"sentences": sentences})
    return [(entry.field, entry.message) for entry in KIND.missing(config, EXHIBIT, answer)]


DONE = {"support": "none"}


@pytest.mark.parametrize(
    ("sentence", "message"),
    [
        ({}, "Sentence 1: mark what supports it, or choose no support."),
        ({"marks": [2]}, "Say how far the marked units support sentence 1."),
        ({"support": "full"}, "Mark what supports sentence 1, or choose no support."),
        ({"support": "partial"}, "Mark what supports sentence 1, or choose no support."),
        (
            {"support": "none", "marks": [2]},
            "You marked units for sentence 1, but say that none supports it. Remove the marks or choose another answer.",
        ),
        (
            {"support": "nothing", "marks": [2]},
            "You marked units for sentence 1, but say that none supports it. Remove the marks or choose another answer.",
        ),
        ({"support": "full", "marks": [4]}, "The marks of sentence 1 are not units of the source."),
        ({"support": "full", "marks": [0]}, "The marks of sentence 1 are not units of the source."),
        ({"support": "full", "marks": [1, 1]}, "The marks of sentence 1 are not units of the source."),
        ({"support": "none", "citations": {"1": "full"}}, "Citations are not judged here."),
    ],
)
def test_support_and_marks_must_fit_together(sentence, message):
    assert said(SOURCE, sentence, DONE) == [("sentences.0", message)]


@pytest.mark.parametrize(
    "sentence",
    [
        {"support": "full", "marks": [1, 3]},
        {"support": "partial", "marks": [2]},
        DONE,
        {"support": "nothing"},
    ],
)
def test_what_fits_together_can_be_submitted(sentence):
    assert said(SOURCE, sentence, DONE) == []


@pytest.mark.parametrize(
    ("sentences", "expected"),
    [
        (
            ({}, DONE),
            [
                ("sentences.0.1", "Say how far unit 1 supports sentence 1."),
                ("sentences.0.3", "Say how far unit 3 supports sentence 1."),
            ],
        ),
        (
            ({"citations": {"1": "full"}}, DONE),
            [("sentences.0.3", "Say how far unit 3 supports sentence 1.")],
        ),
        (({"citations": {"1": "full", "3": "none"}}, {"support": "nothing"}), []),
        (({"support": "nothing"}, DONE), []),
        (
            ({"support": "nothing", "citations": {"1": "full"}}, DONE),
            [("sentences.0", "Sentence 1 has nothing to support, and citations that are judged.")],
        ),
        (({"support": "full"}, DONE), [("sentences.0", "Sentence 1 is judged by its citations.")]),
        (
            ({"support": "nothing"}, {"support": "full"}),
            [("sentences.1", "Sentence 2 cites nothing: choose no support, or nothing to support.")],
        ),
        (
            ({"support": "nothing"}, {}),
            [("sentences.1", "Sentence 2 cites nothing: choose no support, or nothing to support.")],
        ),
        (
            ({"support": "nothing"}, DONE | {"citations": {"2": "full"}}),
            [("sentences.1", "Sentence 2 does not cite unit 2.")],
        ),
        (
            ({"support": "nothing", "marks": [1]}, DONE),
            [("sentences.0", "Nothing is marked here: the citations of the text are judged.")],
        ),
    ],
)
def test_every_pair_is_judged_or_the_sentence_claims_nothing(sentences, expected):
    assert said(CITED, *sentences) == expected


def test_an_answer_has_no_more_sentences_than_the_text():
    assert said(SOURCE, DONE, DONE, DONE) == [("", "The answer has more sentences than the text.")]


def test_a_page_of_citations_has_only_what_is_cited():
    shown = KIND.content(CITED, EXHIBIT, None)
    assert "B." not in json.dumps(shown)
    assert shown["sentences"][0]["cited"] == [{"number": 1, "text": "A."}, {"number": 3, "text": "C."}]
    assert shown["sentences"][1]["cited"] == []
    assert KIND.content(SOURCE, EXHIBIT, None)["source"] == ["A.", "B.", "C."]


def rows_of(config, *sentences):
    answer = KIND.Answer.model_validate({"sentences": sentences})
    return [tuple(row)[:4] for row in KIND.rows(config, EXHIBIT, Record(document="d1"), answer)]


def test_rows_are_those_of_the_specification():
    assert rows_of(SOURCE, {"support": "partial", "marks": [3, 1]}, {"support": "nothing"}) == [
        ("1", "support", 0.5, "partial"),
        ("1:1", "mark", 1.0, ""),
        ("1:3", "mark", 1.0, ""),
        ("2", "support", None, "nothing to support"),
    ]


def test_a_sentence_has_the_support_of_its_best_citation():
    assert rows_of(CITED, {"citations": {"1": "none", "3": "partial"}}, DONE) == [
        ("1", "support", 0.5, "partial"),
        ("1:1", "citation", 0.0, "no support"),
        ("1:3", "citation", 0.5, "partial"),
        ("2", "support", 0.0, "no support"),
    ]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (Row("3", "support", 1.0, ""), "unit “3”: the text has no such sentence"),
        (Row("x", "support", 1.0, ""), "unit “x”: the text has no such sentence"),
        (Row("1", "support", 0.75, ""), "unit “1”: support is 1 \\(full\\), 0.5 \\(partial\\)"),
        (Row("1", "mark", 1.0, ""), "criterion “mark” of unit “1”"),
        (Row("1:2", "colour", 1.0, ""), "criterion “colour” of unit “1:2”"),
    ],
)
def test_a_row_that_does_not_fit_is_told_so(row, message):
    with pytest.raises(ValueError, match=message):
        KIND.answer(SOURCE, EXHIBIT, Record(), [row])


def test_a_support_that_contradicts_the_citations_is_not_taken_silently():
    rows = [
        Row("1", "support", 1.0, "full"),
        Row("1:1", "citation", 0.0, ""),
        Row("1:3", "citation", 0.5, ""),
    ]
    with pytest.raises(ValueError, match="the support of a sentence is that by its best citation"):
        KIND.answer(CITED, EXHIBIT, Record(), rows)


def test_feedback_names_support_marks_and_citations():
    def told(config, given, expected):
        answers = [KIND.Answer.model_validate({"sentences": [one]}) for one in (given, expected)]
        return [(line.correct, line.message) for line in KIND.feedback(config, EXHIBIT, *answers)]

    full = {"support": "full", "marks": [1]}
    assert told(SOURCE, full, full) == [(True, "Sentence 1: full, as we would say.")]
    assert told(SOURCE, full, {"support": "partial", "marks": [1, 3]}) == [
        (False, "Sentence 1: you said full, we would say partial."),
        (False, "Sentence 1: we would have marked a, c."),
    ]
    assert told(CITED, {"citations": {"1": "full", "3": "none"}}, {"citations": {"3": "partial"}}) == [
        (False, "Sentence 1, unit 3: you said no support, we would say partial.")
    ]
    assert told(CITED, {"support": "nothing"}, {"citations": {"1": "none"}}) == [
        (False, "Sentence 1, unit 1: you said nothing to support, we would say no support.")
    ]


def test_a_line_for_the_assessor_counts_the_answers():
    answer = KIND.Answer.model_validate({"sentences": [{"citations": {"1": "full", "3": "full"}}, DONE]})
    assert KIND.answer_in_words(CITED, EXHIBIT, answer) == "full 2, no support 1"


# --- the study file -------------------------------------------------------------------------------------------------

ONE = {"system": "gw3308", "document": "ferry", "units": ["Fog.", "Tea."]}


@pytest.mark.parametrize(
    ("output", "problem"),
    [
        (ONE, "it judges citations, and this output has none"),
        (ONE | {"citations": [[1], [7]]}, "unit 7 is cited, and “ferry” has 6."),
        (ONE | {"citations": [[1]]}, "“citations” needs “units”, and a list for each of them"),
        (ONE | {"citations": [[1, 1], []]}, "“citations” names a unit twice for one sentence"),
        (ONE | {"citations": [[0], []]}, "citations"),
        (
            {"system": "gw3308", "document": "ferry", "text": "Fog. Tea.", "citations": [[1], []]},
            "“citations” needs “units”",
        ),
        (
            {"system": "gw3308", "topic": "tarn", "units": ["Fog."], "citations": [[1]]},
            "shows the source, and this output is about a topic",
        ),
    ],
)
def test_a_study_file_with_bad_citations_is_told_so(tmp_path, output, problem):
    files = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.iterdir()}
    files["outputs.jsonl"] = json.dumps(output)
    files["topics.jsonl"] = json.dumps({"id": "tarn", "title": "Tarn"})
    files["study.yaml"] = files["study.yaml"].replace("materials:\n", "materials:\n  topics: topics.jsonl\n")
    found = problems_of(write_files(tmp_path, files))
    assert any(problem in one for one in found), found


def test_citations_of_a_table_are_written_as_json(tmp_path):
    files = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.iterdir()}
    files["outputs.csv"] = (
        'system,document,units,citations\ngw3308,ferry,"[""Fog."", ""Tea.""]","[[1], []]"\n'
    )
    files["study.yaml"] = files["study.yaml"].replace("outputs.jsonl", "outputs.csv")
    del files["outputs.jsonl"]
    (output,) = read_study(write_files(tmp_path, files)).materials.outputs
    assert output.citations == ((1,), ())


@pytest.mark.django_db
def test_what_cites_and_what_is_cited_is_not_cut_again():
    study = study_import(study_file=read_study(FOLDER))
    output, document = study.outputs.first(), study.documents.first()
    with pytest.raises(Refused, match="says what each unit of this text cites"):
        units_cut(text=output, units=list(output.units))
    before = output.units, document.units
    units_cut_all(study=study, how="whole")
    output.refresh_from_db()
    document.refresh_from_db()
    assert (output.units, document.units) == before
    assert study_as_file(study) == read_study(FOLDER)


# --- whole studies --------------------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_the_example_goes_out_and_comes_in_again_as_it_was():
    study = study_import(study_file=read_study(FOLDER))
    assert study_as_file(study) == read_study(FOLDER)
    study_simulate(study=study, seed=5)
    first, again = rows_again(study)
    assert {row["criterion"] for row in first} == {"support", "mark", "citation"}
    assert first == again


# What everybody says of the sentences of each text: marks of the source, and support by what is cited, in the order of the file.
MARKED = {
    ("gw3308", "orchard"): [("full", [1]), ("full", [3, 4]), ("none", [])],
    ("lp7715", "orchard"): [("nothing", []), ("full", [6]), ("full", [7, 8])],
    ("gw3308", "ferry"): [("full", [1]), ("partial", [4])],
    ("lp7715", "ferry"): [("full", [2, 5]), ("partial", [3])],
}
JUDGED = {
    ("gw3308", "orchard"): [["full"], ["partial", "partial"], ["none", "none"]],
    ("lp7715", "orchard"): ["nothing", ["full"], ["partial", "partial"]],
    ("gw3308", "ferry"): [["full"], ["partial", "none"]],
    ("lp7715", "ferry"): [["partial", "partial"], "none"],
}


@pytest.mark.django_db
def test_a_study_with_known_answers_gives_exactly_those_scores():
    """By hand from the two tables above: means of 1, ½ and 0 over sentences that claim something, and over cited pairs."""
    study = study_import(study_file=read_study(FOLDER))

    def answer(assignment, exhibit):
        output = assignment.subject.output
        cell = output.system.key, output.document.key
        if assignment.subject.task.name == "sources":
            return {"sentences": [{"support": support, "marks": marks} for support, marks in MARKED[cell]]}
        return {
            "sentences": [
                {"support": one}
                if isinstance(one, str)
                else {"citations": dict(zip(map(str, cited), one, strict=True))}
                for one, cited in zip(JUDGED[cell], exhibit.shown["citations"], strict=True)
            ]
        }

    play(study, answer)
    cells = list(MARKED)
    assert scores_of(study, "supported", task="sources") == pytest.approx(
        dict(zip(cells, [2 / 3, 1.0, 0.75, 0.75], strict=True))
    )
    assert scores_of(study, "citation-precision", task="cited") == pytest.approx(
        dict(zip(cells, [2 / 5, 2 / 3, 1.5 / 3, 0.5], strict=True))
    )
    recall = dict(zip(cells, [1.5 / 3, 1.5 / 2, 1.5 / 2, 0.5 / 2], strict=True))
    assert scores_of(study, "citation-recall", task="cited") == pytest.approx(recall)
    assert scores_of(study, "supported", task="cited") == pytest.approx(recall)
    judgments, attributes = tables(study)
    shown = {table.name: table for table in human_tables(judgments, attributes)["sources"]}
    assert shown["support"].rows == [("gw3308", 0.6, 0.2, 0.2, 0.0), ("lp7715", 0.6, 0.2, 0.0, 0.2)]
    assert shown["sentences"].rows == [
        ("1", "ferry", 1.0, 1.0),
        ("2", "ferry", 0.5, 0.5),
        ("1", "orchard", 1.0, None),
        ("2", "orchard", 1.0, 1.0),
        ("3", "orchard", 0.0, 1.0),
    ]
    page = viewer_client(study).get(reverse("study_results", args=[study.slug])).content.decode()
    assert "Support by sentence" in page
    assert "Support by citations" in page
    first, again = rows_again(study)
    assert first == again
