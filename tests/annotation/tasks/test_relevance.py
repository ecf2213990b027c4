"""Relevance prediction (Dorr et al. 2005, §3): what is judged, in which order, and what counts."""

import re
from dataclasses import replace
from itertools import groupby

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from annotation.designs import Design, DesignProblem, Person
from annotation.study_files.schema import DocumentRow, Materials, OutputRow, TopicRow
from annotation.tasks.relevance.kind import FULL, Relevance
from annotation.tasks.terms import Exhibit, Place, Record, Row, Text
from tests.conftest import ROOT

relevance = Relevance()


def materials(events=2, documents=4, kinds=("HEAD", "HUM"), authors=None):
    """``authors``: who wrote the first surrogate of which document."""
    topics = [f"e{number}" for number in range(events)]
    names = [(topic, f"{topic}-{number}") for topic in topics for number in range(documents)]
    return Materials(
        topics=tuple(
            TopicRow(id=topic, description="What happened?", gold={f"{topic}-0": True}) for topic in topics
        ),
        documents=tuple(DocumentRow(id=name, topic=topic, text="All of it.") for topic, name in names),
        outputs=tuple(
            OutputRow(
                system=f"s-{kind}",
                kind=kind,
                document=name,
                text="Short.",
                author=(authors or {}).get(name, "") if kind == kinds[0] else "",
            )
            for _, name in names
            for kind in kinds
        ),
    )


def plan(people, config, made, *, authors=(), without=()):
    """Per person the (topic, document, kind) in the order met. ``without``: (item, kind) taken for practice."""
    parsed = relevance.Config.model_validate(config)
    subjects = [
        subject
        for subject in relevance.subjects(parsed, made)
        if (subject.item, subject.noted["kind"]) not in without
    ]
    persons = [
        Person(index=number + 100, author=authors[number] if number < len(authors) else "")
        for number in range(people)
    ]
    deals = relevance.deal(parsed, Design(), "", subjects, persons, seed=5)
    hands = {person.index: [] for person in persons}
    for deal in deals:
        subject = subjects[deal.piece]
        hands[deal.person].append((subject.noted["topic"], subject.item, subject.noted["kind"]))
    return hands


@given(
    people=st.integers(1, 6),
    events=st.integers(1, 3),
    documents=st.integers(1, 7),
    kinds=st.sampled_from([("HEAD",), ("HEAD", "HUM"), ("A", "B", "C")]),
    order=st.sampled_from(["complete-set", "drill-down"]),
)
@settings(max_examples=60, deadline=None)
def test_full_text_comes_last_and_everything_once(people, events, documents, kinds, order):
    made = materials(events, documents, kinds)
    hands = plan(people, {"kinds": kinds, "order": order}, made)
    for hand in hands.values():
        assert len(set(hand)) == len(hand) == events * documents * (len(kinds) + 1)
        seen = set()
        for _, item, kind in hand:
            if kind == FULL:
                assert {(item, other) for other in kinds} <= seen
            seen.add((item, kind))


@given(
    people=st.integers(1, 4).map(lambda pairs: pairs * 2), documents=st.integers(1, 5).map(lambda n: n * 2)
)
@settings(max_examples=30, deadline=None)
def test_kind_order_is_balanced_over_halves_and_pairs(people, documents):
    hands = plan(people, {"kinds": ("HEAD", "HUM")}, materials(1, documents))

    def head_first(hand):
        """The documents whose headline came before the commissioned summary."""
        place = {(item, kind): number for number, (_, item, kind) in enumerate(hand)}
        items = {item for _, item, _ in hand}
        return {item for item in items if place[item, "HEAD"] < place[item, "HUM"]}, items

    for first, second in zip(list(hands.values())[::2], list(hands.values())[1::2], strict=True):
        early, items = head_first(first)
        assert len(early) == len(items) / 2
        assert head_first(second)[0] == items - early
        order = [item for _, item, kind in first if kind == FULL]
        assert order == [item for _, item, kind in second if kind == FULL]


def test_pairs_have_document_orders_of_their_own():
    hands = list(plan(4, {"kinds": ("HEAD", "HUM")}, materials(1, 10)).values())
    orders = [[item for _, item, kind in hand if kind == FULL] for hand in hands]
    assert orders[0] == orders[1]
    assert orders[2] == orders[3]
    assert orders[0] != orders[2]


def test_complete_set_shows_one_kind_of_a_half_after_the_other():
    (hand,) = plan(1, {"kinds": ("HEAD", "HUM")}, materials(1, 6)).values()
    assert [kind for kind, _ in groupby(kind for _, _, kind in hand)] == [
        "HEAD",
        "HUM",
        FULL,
        "HUM",
        "HEAD",
        FULL,
    ]


def test_drill_down_shows_all_of_a_document_in_turn():
    (hand,) = plan(1, {"kinds": ("HEAD", "HUM"), "order": "drill-down"}, materials(1, 4)).values()
    assert all(len({item for _, item, _ in hand[at : at + 3]}) == 1 for at in range(0, 12, 3))


def test_the_practice_event_comes_first_and_is_practice():
    made = materials(3, 2)
    config = relevance.Config(kinds=("HEAD", "HUM"), practice_topics=("e1",))
    assert {s.noted["topic"] for s in relevance.subjects(config, made) if s.practice} == {"e1"}
    for hand in plan(4, {"kinds": ("HEAD", "HUM"), "practice_topics": ("e1",)}, made).values():
        assert [topic for topic, _, _ in hand[:6]] == ["e1"] * 6


@given(people=st.integers(2, 6), documents=st.integers(1, 6), data=st.data())
@settings(max_examples=40, deadline=None)
def test_whoever_wrote_a_surrogate_meets_nothing_of_its_document(people, documents, data):
    authors = [f"w{number}" for number in range(people - 1)]
    names = [f"e0-{number}" for number in range(documents)]
    wrote = {name: data.draw(st.sampled_from([*authors, ""])) for name in names}
    made = materials(1, documents, authors=wrote)
    hands = plan(people, {"kinds": ("HEAD", "HUM")}, made, authors=authors)
    for author, hand in zip([*authors, ""], hands.values(), strict=True):
        met = {item.removeprefix("e0/") for _, item, _ in hand}
        assert met == {name for name in names if not author or wrote[name] != author}


def test_a_document_that_every_assessor_wrote_about_is_named():
    made = materials(1, 2, authors={"e0-1": "anna"})
    with pytest.raises(DesignProblem, match="every assessor wrote a surrogate of “e0/e0-1”"):
        plan(1, {"kinds": ("HEAD", "HUM")}, made, authors=["anna"])


def test_a_pool_is_refused_because_everybody_judges_everything():
    config = relevance.Config(kinds=("HEAD",))
    subjects = list(relevance.subjects(config, materials()))
    with pytest.raises(DesignProblem, match="pool"):
        relevance.deal(config, Design(pool=True), "", subjects, [Person(index=1)], seed=1)


def test_a_document_whose_surrogate_is_practised_on_is_left_out():
    hands = plan(2, {"kinds": ("HEAD", "HUM")}, materials(1, 3), without={("e0/e0-1", "HUM")})
    for hand in hands.values():
        assert {item for _, item, _ in hand} == {"e0/e0-0", "e0/e0-2"}


def test_gold_is_the_key_of_the_practice_event_and_of_no_other():
    config = relevance.Config(kinds=("HEAD",), practice_topics=("e1",))
    keys = {
        (subject.item, subject.noted["kind"]): subject.key
        for subject in relevance.subjects(config, materials())
    }
    assert keys["e1/e1-0", "HEAD"] == keys["e1/e1-0", FULL] == {"relevant": 1.0}
    assert keys["e1/e1-1", FULL] is None  # no gold
    assert keys["e0/e0-0", FULL] is None  # no practice


@pytest.mark.parametrize(
    ("kinds", "word"),
    [((), "at least 1"), (("HEAD", "full"), "always comes last"), (("HEAD", "HEAD"), "twice")],
)
def test_a_bad_configuration_says_what_is_wrong(kinds, word):
    with pytest.raises(ValidationError, match=word):
        relevance.Config(kinds=kinds)


def test_faults_name_the_row():
    made = materials(1, 2)
    made = replace(
        made,
        topics=(TopicRow(id="e0"), TopicRow(id="unused")),
        outputs=(*made.outputs[:3], made.outputs[0].model_copy(update={"system": "other"})),
    )
    config = relevance.Config(kinds=("HEAD", "HUM"), practice_topics=("e9",))
    assert list(relevance.faults(config, made)) == [
        ("", 0, "“practice_topics” names an unknown topic, “e9”."),
        ("topics", 0, "event “e0” has no description; say what it is, for assessors to compare with."),
        ("outputs", 3, "document “e0-0” has two surrogates of kind HEAD; remove one of them."),
        ("documents", 1, "document “e0-1” has no surrogate of kind HUM; add one to the outputs."),
    ]
    assert list(relevance.faults(relevance.Config(kinds=("HEAD", "HUM")), materials())) == []


def test_a_missing_surrogate_is_named():
    made = materials()
    with pytest.raises(DesignProblem, match="“e0-0” has no surrogate of kind KWIC"):
        list(relevance.subjects(relevance.Config(kinds=("KWIC",)), made))


def exhibit(kind):
    return Exhibit(
        outputs=(Text(text="Short."),),
        document=Text(text="All of it.", title="Headline"),
        topic=Text(text="What happened?"),
        shown={"full": kind == FULL},
    )


RECORD = Record(document="d1", topic="e1", noted={"kind": "HUM", "topic": "e1"})


def test_a_surrogate_page_holds_nothing_of_the_full_text():
    page = str(relevance.content(relevance.Config(kinds=("HUM",)), exhibit("HUM"), None))
    assert "Short." in page
    assert "All of it." not in page
    assert "Headline" not in page
    assert "HUM" not in page
    assert "All of it." in str(relevance.content(relevance.Config(kinds=("HUM",)), exhibit(FULL), None))


def test_rows_stand_under_the_kind_and_the_event():
    assert relevance.place(RECORD, Place("s-HUM", "d1", "d1")) == Place("HUM", "d1", "e1/d1")
    config = relevance.Config(kinds=("HUM",))
    rows = list(relevance.rows(config, exhibit("HUM"), RECORD, relevance.Answer(relevant=0.0)))
    assert rows == [Row("", "relevant", 0.0, "not relevant")]
    assert relevance.answer(config, exhibit("HUM"), RECORD, rows) == relevance.Answer(relevant=0.0)


def test_not_relevant_is_an_answer_and_blank_is_not():
    config = relevance.Config(kinds=("HUM",))
    assert relevance.missing(config, exhibit("HUM"), relevance.Answer(relevant=0.0)) == []
    assert relevance.missing(config, exhibit("HUM"), relevance.Answer())
    assert relevance.missing(config, exhibit("HUM"), relevance.Answer(relevant=0.5))


def test_gold_relevance_goes_into_the_attributes():
    rows = list(relevance.attributes(relevance.Config(kinds=("HEAD",)), materials(1), ()))
    assert rows == [("item", "e0/e0-0", "gold", "1")]


def test_what_is_submitted_stays():
    assert not relevance.revisable


def test_the_page_of_the_docs_explains_every_key_and_its_example_is_valid():
    page = (ROOT / "docs" / "relevance.md").read_text(encoding="utf-8")
    example = yaml.safe_load(re.search(r"```yaml\n(.*?)```", page, re.DOTALL)[1])
    (task,) = example["tasks"]
    config = relevance.Config.model_validate({key: task[key] for key in task if key not in {"kind", "name"}})
    assert config.model_fields_set == set(relevance.Config.model_fields)
