"""Questionnaires (Murray et al. 2005, §3.1.2): stages, the server's clock, statements."""

import re

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from annotation.designs import Design, DesignProblem, Person
from annotation.study_files.schema import DocumentRow, Materials, OutputRow, ReferenceRow
from annotation.tasks.likert.kind import FAMILIARISE, Likert, Statement, time_in_words
from annotation.tasks.terms import Exhibit, NotYet, Record, Text
from tests.conftest import ROOT

likert = Likert()
MURRAY = likert.Config.model_validate({"preset": "murray"})
SUMMARY = Exhibit(outputs=(Text(text="The summary."),), document=Text(text="All.", title="A meeting"))


def familiarisation(elapsed):
    return Exhibit(
        reference=Text(text="The abstract."),
        document=Text(text="The transcript.", title="A meeting"),
        shown={"stage": FAMILIARISE},
        elapsed=elapsed,
    )


def answered(value=3):
    return likert.Answer(stage="statements", values={s.name: value for s in MURRAY.statements})


def test_the_preset_has_twelve_statements_in_two_groups_with_opposite_pairs():
    groups = [statement.group for statement in MURRAY.statements]
    assert groups.count("informativeness") == groups.count("readability") == 6
    assert [statement.polarity for statement in MURRAY.statements].count("negative") == 5
    paired = {statement.name: statement.pair for statement in MURRAY.statements if statement.pair}
    assert all(paired[pair] == name for name, pair in paired.items())


@pytest.mark.parametrize(
    ("given_config", "word"),
    [
        ({"preset": "x"}, "unknown preset"),
        ({}, "give statements"),
        ({"statements": [{"name": "a", "text": "A"}, {"name": "a", "text": "B"}]}, "same name"),
        (
            {"statements": [{"name": "a", "text": "A", "pair": "b"}, {"name": "b", "text": "B"}]},
            "opposite polarity",
        ),
        ({"preset": "murray", "points": 6}, "5 or 7"),
        (
            {"preset": "murray", "labels": ["a", "b", "c"]},
            "each end of the scale, or for each of its 5 points",
        ),
    ],
)
def test_a_bad_configuration_says_what_is_wrong(given_config, word):
    with pytest.raises(ValidationError, match=word):
        likert.Config.model_validate(given_config)


def begun(at):
    return likert.Answer(began=at)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (1200, "20 minutes"),
        (60, "1 minute"),
        (20, "20 seconds"),
        (61, "1 minute and 1 second"),
        (0, "no time"),
    ],
)
def test_a_time_is_said_as_people_say_it(seconds, words):
    assert time_in_words(seconds) == words


def test_nothing_can_be_read_before_the_clock_runs():
    page = likert.content(MURRAY, familiarisation(60), None)
    assert page == {"stage": "ready", "title": "A meeting", "time": "20 minutes"}
    assert likert.missing(MURRAY, familiarisation(60), likert.Answer())


def test_the_clock_runs_from_the_begin_and_the_texts_close_when_the_time_is_over():
    answer = likert.advance(MURRAY, familiarisation(300), likert.Answer())
    page = likert.content(MURRAY, familiarisation(360), answer)
    assert page["left"] == 19 * 60
    assert page["text"] == "The transcript."
    late = likert.content(MURRAY, familiarisation(300 + 20 * 60), answer)
    assert late["left"] == 0
    assert "The transcript." not in str(late)
    assert "The abstract." not in str(late)
    assert likert.missing(MURRAY, familiarisation(9999), answer) == []


def test_nobody_gets_more_time_by_beginning_again_or_by_saying_so():
    with pytest.raises(NotYet):
        likert.advance(MURRAY, familiarisation(900), begun(0))
    assert likert.amend(MURRAY, begun(0), likert.Answer(began=800)) == begun(0)
    assert likert.amend(MURRAY, None, likert.Answer(began=-800)) == likert.Answer()


def test_the_summary_is_out_of_reach_once_the_statements_begin():
    reading = likert.content(MURRAY, SUMMARY, None)
    assert reading["text"] == "The summary."
    assert reading["statements"] == []
    later = likert.content(MURRAY, SUMMARY, likert.advance(MURRAY, SUMMARY, likert.Answer()))
    assert "The summary." not in str(later)
    assert len(later["statements"]) == 12


def test_the_stage_never_goes_back_whatever_the_browser_sends():
    began = likert.advance(MURRAY, SUMMARY, likert.Answer())
    assert likert.amend(MURRAY, began, likert.Answer(stage="reading")).stage == "statements"
    with pytest.raises(NotYet):
        likert.advance(MURRAY, SUMMARY, began)


def test_nothing_can_be_answered_while_reading():
    amended = likert.amend(MURRAY, None, answered())
    assert amended.values == {}
    assert [entry.field for entry in likert.missing(MURRAY, SUMMARY, amended)] == ["stage"]


def test_every_statement_must_be_answered_on_the_scale():
    assert likert.missing(MURRAY, SUMMARY, answered()) == []
    found = likert.missing(MURRAY, SUMMARY, answered(6))
    assert len(found) == 12
    assert likert.missing(MURRAY.model_copy(update={"points": 7}), SUMMARY, answered(6)) == []


def test_familiarisation_gives_no_rows():
    assert list(likert.rows(MURRAY, familiarisation(0), Record(), begun(0))) == []


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({}, ["strongly disagree", "", "", "", "strongly agree"]),
        ({"points": 7, "labels": ["no", "yes"]}, ["no", "", "", "", "", "", "yes"]),
        ({"labels": ["a", "b", "c", "d", "e"]}, ["a", "b", "c", "d", "e"]),
    ],
)
def test_labels_name_the_ends_or_every_point(config, words):
    parsed = likert.Config.model_validate({"preset": "murray", **config})
    page = likert.content(parsed, SUMMARY, likert.Answer(stage="statements"))
    assert [point["label"] for point in page["points"]] == words
    assert [point["value"] for point in page["points"]] == list(range(1, len(words) + 1))


def test_a_key_must_be_on_the_scale_and_name_statements():
    key = likert.Answer(values={"repetitive": 6, "boring": 1, "continuity": 5})
    faults = likert.key_faults(MURRAY, SUMMARY, key)
    assert faults == ["There is no statement “boring”.", "6 is not on the scale of statement 5."]
    assert likert.key_faults(MURRAY, SUMMARY, likert.Answer(values={"repetitive": 1})) == []


def test_familiarisation_needs_documents():
    materials = Materials(outputs=(OutputRow(system="s", topic="t1", text="Summary."),))
    (fault,) = likert.faults(MURRAY, materials)
    assert (fault.table, fault.row) == ("outputs", 0)
    assert list(likert.faults(MURRAY.model_copy(update={"familiarisation_minutes": 0}), materials)) == []


def test_nobody_judges_the_summaries_of_a_document_of_which_they_wrote_one():
    materials = Materials(
        documents=(DocumentRow(id="m1", text="Talk."),),
        outputs=tuple(
            OutputRow(system=f"s{number}", document="m1", text="Summary.", author=author)
            for number, author in enumerate(("anna", ""))
        ),
    )
    subjects = list(likert.subjects(MURRAY, materials))
    people = [Person(index=1, author="anna"), Person(index=2, author="ben")]
    deals = likert.deal(MURRAY, Design(), "", subjects, people, seed=1)
    assert {deal.person for deal in deals} == {2}
    with pytest.raises(DesignProblem, match="pool"):
        likert.deal(MURRAY, Design(pool=True), "", subjects, people, seed=1)


def test_polarity_points_group_and_pair_go_into_the_attributes():
    rows = set(likert.attributes(MURRAY, None, ()))
    assert ("statement", "repetitive", "polarity", "negative") in rows
    assert ("statement", "repetitive", "pair", "avoids-redundancy") in rows
    assert ("statement", "repetitive", "group", "informativeness") in rows
    assert ("statement", "repetitive", "points", "5") in rows


@given(
    people=st.integers(1, 5),
    meetings=st.integers(1, 4),
    systems=st.integers(1, 4),
    each=st.integers(1, 3),
    seed=st.integers(0, 999),
)
@settings(max_examples=60, deadline=None)
def test_familiarisation_comes_once_and_before_the_summaries_of_its_document(
    people, meetings, systems, each, seed
):
    names = [f"m{number}" for number in range(meetings)]
    materials = Materials(
        documents=tuple(DocumentRow(id=name, text="Talk.") for name in names),
        references=tuple(ReferenceRow(id=f"r-{name}", document=name, text="Abstract.") for name in names),
        outputs=tuple(
            OutputRow(system=f"s{number}", document=name, text="Summary.")
            for number in range(systems)
            for name in names
        ),
    )
    subjects = list(likert.subjects(MURRAY, materials))
    persons = [Person(index=number) for number in range(people)]
    design = Design(assessors_per_item=min(each, people))
    hands = {person.index: [] for person in persons}
    for deal in likert.deal(MURRAY, design, "", subjects, persons, seed=seed):
        hands[deal.person].append(subjects[deal.piece])
    for hand in hands.values():
        current = None
        for subject in hand:
            if subject.shown.get("stage") == FAMILIARISE:
                current = subject.item
            else:
                assert subject.item == current
        familiar = [subject.item for subject in hand if subject.output is None]
        assert len(familiar) == len(set(familiar))
    judged = [subject.output for hand in hands.values() for subject in hand if subject.output is not None]
    assert sorted(judged) == sorted(list(range(len(materials.outputs))) * min(each, people))


def test_the_page_of_the_docs_explains_every_key_and_its_examples_are_valid():
    page = (ROOT / "docs" / "questionnaires.md").read_text(encoding="utf-8")
    for example in re.findall(r"```yaml\n(.*?)```", page, re.DOTALL):
        (task,) = yaml.safe_load(example)["tasks"]
        likert.Config.model_validate({key: task[key] for key in task if key not in {"kind", "name"}})
    named = set(re.findall(r"`(\w+)`", page))
    assert {*likert.Config.model_fields, *Statement.model_fields} <= named
