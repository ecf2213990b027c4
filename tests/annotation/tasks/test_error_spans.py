"""Error spans: configurations, what an answer lacks, rows, prefilled spans, windows, errors that are put in."""

import random
from dataclasses import replace

import pytest
from pydantic import ValidationError

from annotation.study_files.schema import DocumentRow, Materials, OutputRow
from annotation.tasks import KINDS
from annotation.tasks.error_spans.scene import Scene, with_error
from annotation.tasks.spans import word_bounds
from annotation.tasks.terms import Exhibit, NotYet, Record, Row, Text

KIND = KINDS["error_spans"]
SOURCE = ("The port was open on Friday.", "Nobody was hurt.")
OUTPUT = ("Der Hafen war am Freitag auf.", "Keine Verletzten.")
EXHIBIT = Exhibit(
    outputs=(Text("\n".join(OUTPUT), OUTPUT),), document=Text("\n".join(SOURCE), SOURCE, title="Port")
)
NO_RECORD = Record()


def config(**given):
    return KIND.Config.model_validate({"preset": "mqm", **given})


def answer(*units, **more):
    """An answer about one output; a unit is None (no errors) or a list of spans."""
    made = [
        {"none": True} if unit is None else unit if isinstance(unit, dict) else {"spans": unit}
        for unit in units
    ]
    return KIND.Answer.model_validate({"outputs": [{"units": made}], **more})


def error(start, end, severity="major", category="Accuracy/Mistranslation", **more):
    return {"parts": [[start, end]], "severity": severity, "category": category, **more}


def said(task, given, exhibit=EXHIBIT):
    return [entry.message for entry in KIND.missing(task, exhibit, given)]


def rows(task, given, exhibit=EXHIBIT, record=NO_RECORD):
    return [tuple(row)[:4] for row in KIND.rows(task, exhibit, record, given)]


# --- configurations ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        ({}, "name a preset"),
        ({"preset": "mqn"}, "unknown preset"),
        ({"preset": "mqm", "notes": ["Nothing"]}, "“notes” names “Nothing”, which is no category"),
        ({"preset": "mqm", "weights": {"minor/Colour": 1}}, "no severity and no category"),
        ({"preset": "mqm", "beside": "nothing"}, "there is no source"),
        ({"preset": "esa", "preference": True}, "which of two is better"),
        ({"preset": "esa", "shuffle": "unit"}, "is for texts side by side"),
        (
            {"preset": "esa", "shuffle": "unit", "sets": {"size": 2}, "preference": True},
            "no column is one text",
        ),
        ({"preset": "esa", "document_score": True, "window": {}}, "leave out one of them"),
        ({"preset": "esa", "score": {"low": 5, "high": 5}}, "must rise"),
        ({"preset": "esa", "score": {"labels": {"200": "x"}}}, "not on its scale"),
        ({"categories": {"score": []}}, "no category can be named “score”"),
        ({"categories": "free", "span": "optional"}, "needs a list of categories"),
        ({"severities": [{"name": "a", "weight": 1}, {"name": "a", "weight": 2}]}, "same name"),
    ],
)
def test_a_configuration_that_cannot_work_is_refused(given, fault):
    with pytest.raises(ValidationError, match=fault):
        KIND.Config.model_validate(given)


def test_a_preset_can_be_overridden_and_its_score_taken_away():
    task = config(preset="esa", score=False, categories=["Style", "Accuracy/Omission"], max_errors=0)
    assert task.score is None
    assert task.named == ("Style", "Accuracy/Omission")
    assert [severity.weight for severity in task.severities] == [5, 1]


# --- what an answer lacks ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("units", "message"),
    [
        ([[], None], "Unit 1: mark errors or say there are none."),
        ([[error(25, 28, severity="")], None], "Unit 1, “auf”: choose the severity."),
        ([[error(25, 28, severity="awful")], None], "Unit 1, “auf”: “awful” is no severity."),
        ([[error(25, 28, category="")], None], "Unit 1, “auf”: choose the category."),
        ([[error(25, 28, category="Colour")], None], "Unit 1, “auf”: “Colour” is no category."),
        ([[error(25, 28, category="Other")], None], "Unit 1, “auf”: say in a note what it is, as it is “Other”."),
        ([[error(25, 99)], None], "Unit 1, “auf.”: 25:99 goes beyond the text, which has 29 characters."),
        ([[error(0, 3, category="Non-translation")], None], "Unit 1, “Der”: Non-translation takes the whole unit."),
        ([{"spans": [error(0, 3)], "none": True}, None], "Unit 1 has errors, and is said to have none."),
        ([[error(0, 3), error(0, 3)], None], "Unit 1: “Der” is marked twice as Accuracy/Mistranslation."),
        ([[error(n, n + 1) for n in range(6)], None], "Unit 1 has 6 errors. Keep the 5 most severe."),
        ([{"spans": [], "none": True, "score": 5}, None], "Unit 1: 5 is not on the scale."),
    ],
)  # fmt: skip
def test_what_is_missing_is_said_with_unit_and_words(units, message):
    assert said(config(), answer(*units)) == [message]


def test_overlaps_are_refused_only_where_the_study_says_so():
    both = answer([error(0, 9), error(4, 13)], None)
    assert said(config(), both) == []
    assert said(config(overlap=False), both) == ["Unit 1: “Hafen war” overlaps “Der Hafen”."]


def test_what_cannot_be_marked_is_refused():
    in_source = answer([error(0, 3, side="source")], None)
    missing = answer([{"side": "missing", "severity": "major", "category": "Accuracy/Omission"}], None)
    assert said(config(), in_source) == said(config(), missing) == []
    assert said(config(side="output", omission="button"), in_source) == [
        "Unit 1, “The”: nothing can be marked here."
    ]
    assert said(config(omission="source"), missing) == [
        "Unit 1, something missing: nothing can be marked as missing."
    ]


def test_a_zero_is_a_score_and_no_score_is_named():
    task = config(preset="esa")
    assert said(task, answer({"score": 0}, {"score": None})) == ["Unit 2 has no score."]
    assert said(task, answer({"score": 0}, {"score": 100})) == []


def test_a_non_translation_sets_other_errors_aside():
    whole = error(0, len(OUTPUT[0]), category="Non-translation")
    aside = answer([error(25, 28, severity=""), whole], None)
    assert said(config(), aside) == []
    assert rows(config(), aside)[:2] == [
        ("1", "errors", 1.0, ""),
        ("1/0:29", "Non-translation", 5.0, "major"),
    ]


# --- rows -------------------------------------------------------------------------------------------------------------


def test_the_rows_are_those_of_the_example():
    """The rows of p1 in data/tasks2/rows_example.csv (own texts), task mqm."""
    text = ("The harbour was shut on Friday.", "Nobody was hurt.")
    exhibit = replace(EXHIBIT, outputs=(Text("\n".join(text), text),))
    given = answer(
        [
            error(13, 17),
            error(27, 28, severity="minor", category="Fluency/Punctuation"),
            error(0, 4, severity="minor", category="Accuracy/Omission", side="source"),
        ],
        None,
    )
    assert rows(config(weights={"minor/Fluency/Punctuation": 0.1}), given, exhibit) == [
        ("1", "errors", 3.0, ""),
        ("1/13:17", "Accuracy/Mistranslation", 5.0, "major"),
        ("1/27:28", "Fluency/Punctuation", 1.0, "minor"),
        ("1/source/0:4", "Accuracy/Omission", 1.0, "minor"),
        ("2", "errors", 0.0, ""),
    ]


def test_parts_notes_and_several_errors_at_one_place_have_rows_of_their_own():
    missing = {"side": "missing", "severity": "minor", "category": "Accuracy/Omission"}
    given = answer(
        [
            {**error(0, 3, category="Other", note="odd"), "parts": [[0, 3], [10, 13]]},
            error(4, 9),
            error(4, 9, category="Style/Awkward"),
            missing,
            missing,
        ],
        None,
    )
    found = rows(config(), given)
    assert [row[0] for row in found[1:-1]] == [
        "1/0:3+10:13",
        "1/0:3+10:13",
        "1/4:9",
        "1/4:9#2",
        "1/missing",
        "1/missing#2",
    ]
    assert found[2] == ("1/0:3+10:13", "note", None, "odd")
    again = KIND.answer(config(), EXHIBIT, NO_RECORD, [Row(*row) for row in found])
    assert again == given


def test_side_by_side_units_begin_with_the_set_and_rows_know_their_place():
    task = config(preset="esa", sets={"size": 2}, preference=True)
    exhibit = replace(EXHIBIT, outputs=EXHIBIT.outputs * 2)
    given = KIND.Answer.model_validate(
        {
            "outputs": [
                {"units": [{"score": 70, "spans": [error(0, 3, category="")]}, {"score": 90}]},
                {"units": [{"score": 80}, {"score": 95}]},
            ],
            "preference": {"winner": 1},
        }
    )
    assert said(task, given, exhibit) == []
    found = list(KIND.rows(task, exhibit, Record(set="s2"), given))
    assert [
        (row.unit, row.criterion, row.output) for row in found if row.criterion in {"error", "preference"}
    ] == [
        ("s2/1/0:3", "error", 0),
        ("s2", "preference", 0),
        ("s2", "preference", 1),
    ]
    assert KIND.answer(task, exhibit, Record(set="s2"), found) == given
    assert KIND.part_in(task, "alpha", "s2/1/0:3") == "s2"
    undecided = KIND.Answer.model_validate({**given.model_dump(), "preference": {}})
    assert said(task, undecided, exhibit) == ["Say which is better, or that they are equal."]


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        (Row("x", "errors", 1, ""), "is no unit"),
        (Row("9", "errors", 1, ""), "there is no unit 9"),
        (Row("1", "Style", 1, "minor"), "needs words of unit 1"),
        (Row("1", "errors", 3, ""), "is said to have 3 errors, and has 0"),
        (Row("1/0:3", "note", None, "odd"), "and no error"),
        (Row("1/0:3", "prefilled", None, "kept"), "nothing is prefilled"),
        (Row("1/0:3", "score", 3, ""), "is about a unit"),
    ],
)
def test_rows_that_do_not_fit_are_named(row, fault):
    with pytest.raises(ValueError, match=fault):
        KIND.answer(config(), EXHIBIT, NO_RECORD, [row])


# --- prefilled --------------------------------------------------------------------------------------------------------


def suggested(unit, start, end, severity="major", category="Accuracy/Mistranslation"):
    return {
        "task": "", "unit": unit, "start": start, "end": end, "side": "output", "severity": severity, "category": category,
    }  # fmt: skip


def test_every_suggestion_leaves_a_row():
    exhibit = replace(
        EXHIBIT,
        outputs=(
            replace(EXHIBIT.output, prefilled=(suggested(1, 0, 3), suggested(1, 4, 9), suggested(2, 0, 5))),
        ),
    )
    given = answer([error(0, 3, suggestion=0), error(4, 13, suggestion=1)], None, removed=[2])
    assert said(config(), given, exhibit) == []
    assert rows(config(), given, exhibit)[-3:] == [
        ("1/0:3", "prefilled", None, "kept"),
        ("1/4:9", "prefilled", None, "changed"),
        ("2/0:5", "prefilled", None, "removed"),
    ]
    assert said(config(), answer([error(0, 3)], None, removed=[0, 1]), exhibit) == [
        "Unit 2: “Keine” was suggested; keep it or remove it."
    ]
    assert said(config(confirm="each"), given, exhibit) == [
        "Unit 1: “Der” was suggested; keep it, change it or remove it."
    ]


@pytest.mark.parametrize(
    ("suggestion", "fault"),
    [
        (suggested(3, 0, 1), "there is no unit 3 of the output to mark."),
        (suggested(1, 0, 99), "goes beyond the text"),
        (suggested(1, 0, 1, severity="bad"), "there is no severity “bad”."),
        (suggested(1, 0, 1, category="bad"), "there is no category “bad”."),
        (suggested(1, None, None), ""),
        (suggested(1, 0, 3), ""),
    ],
)
def test_a_suggestion_that_does_not_fit_is_named(suggestion, fault):
    said = KIND.prefilled_fault(config(), EXHIBIT.output, EXHIBIT.document, suggestion)
    assert fault in said
    assert bool(said) == bool(fault)


# --- pieces of documents ----------------------------------------------------------------------------------------------


def test_long_documents_are_cut_into_pieces_with_context():
    units = tuple(f"Unit number {n}." for n in range(1, 8))
    materials = Materials(
        documents=(DocumentRow(id="d1", units=units),),
        outputs=(
            OutputRow(system="a", document="d1", units=units),
            OutputRow(system="b", document="d1", text="Short."),
        ),
    )
    task = config(window={"units": 3, "context": 1})
    plans = list(KIND.subjects(task, materials))
    assert [plan.shown.get("window") for plan in plans] == [[1, 3], [4, 6], [7, 7], None]
    exhibit = Exhibit(outputs=(Text(units=units),), document=Text(units=units), shown={"window": [4, 6]})
    content = KIND.content(task, exhibit, None)
    assert [(row["number"], row["context"]) for row in content["rows"]] == [
        (3, True),
        (4, False),
        (5, False),
        (6, False),
        (7, True),
    ]
    given = answer(None, [error(0, 4)], None)
    assert said(task, given, exhibit) == []
    record = Record(noted={"window": 2})
    found = list(KIND.rows(task, exhibit, record, given))
    assert [row.unit for row in found] == ["4", "5", "5/0:4", "6"]
    assert {KIND.part_in(task, "a", row.unit) for row in found} == {KIND.part(record)} == {"2"}


# --- errors that are put in ---------------------------------------------------------------------------------------------


def test_an_error_that_is_put_in_is_shown_first_and_its_true_text_only_after():
    task = config(attention="inject")
    injection = Scene(task, EXHIBIT).injection
    true = OUTPUT[injection.unit - 1]
    assert sorted(injection.text) == sorted(true)
    before = KIND.content(task, EXHIBIT, None)
    shown = [row["outputs"][0] for row in before["rows"]]
    assert true not in shown
    assert injection.text in shown
    units = [[], []]
    units[injection.unit - 1] = [error(0, 3)]
    known = KIND.advance(task, EXHIBIT, KIND.amend(task, None, answer(*units)))
    assert known.injected.found
    assert known.outputs[0].units[injection.unit - 1].spans == ()
    after = KIND.content(task, EXHIBIT, known)
    assert [row["outputs"][0] for row in after["rows"]] == list(OUTPUT)
    forged = answer(None, None, injected={"output": 0, "unit": injection.unit, "found": False})
    assert KIND.amend(task, known, forged).injected.found
    with pytest.raises(NotYet):
        KIND.advance(task, EXHIBIT, known)
    assert any("look at it once more" in line for line in said(task, answer(None, None)))
    assert (str(injection.unit), "injected", 1.0, "") in rows(
        task, KIND.amend(task, known, answer(None, None))
    )


def test_words_are_exchanged_and_where_there_are_none_characters():
    rng = random.Random(1)
    assert sorted(with_error("one two three four", rng).split()) == ["four", "one", "three", "two"]
    assert with_error("红茶要用开水", rng) != "红茶要用开水"
    assert with_error("a", rng) == ""


# --- practice -----------------------------------------------------------------------------------------------------------


def test_feedback_says_what_was_found_and_what_was_not():
    key = answer([error(25, 28)], {"none": True})
    lines = KIND.feedback(config(), EXHIBIT, answer([error(25, 29, severity="minor")], [error(0, 5)]), key)
    assert [(line.correct, line.message) for line in lines] == [
        (
            False,
            "Unit 1: “auf” is marked; you said minor, Accuracy/Mistranslation, we would say major, Accuracy/Mistranslation.",
        ),
        (False, "Unit 2: we would mark no errors here."),
    ]
    assert KIND.feedback(config(), EXHIBIT, answer([error(20, 28)], None), key)[0].correct
    assert KIND.key_faults(config(), EXHIBIT, answer([error(25, 28)])) == []
    assert KIND.key_faults(config(), EXHIBIT, answer([error(25, 99)]))


def test_an_answer_is_told_in_a_line():
    given = answer([error(25, 28), error(0, 3, severity="minor")], None)
    assert KIND.answer_in_words(config(), EXHIBIT, given) == "2 errors (1 major, 1 minor)"
    scored = answer({"score": 66}, {"score": 100})
    assert KIND.answer_in_words(config(preset="esa"), EXHIBIT, scored) == "no errors; scores 66, 100"


def test_simulated_errors_are_whole_words():
    bounds = {bound for unit in (*OUTPUT, *SOURCE) for part in word_bounds(unit) for bound in part}
    found = set()
    for seed in range(20):
        made = KIND.simulate(config(), EXHIBIT, NO_RECORD, qualities=[0.1], rng=random.Random(seed))
        spans = [span for unit in made.outputs[0].units for span in unit.spans]
        found |= {bound for span in spans for part in span.parts for bound in part}
    assert len(found) > 8
    assert found <= bounds
