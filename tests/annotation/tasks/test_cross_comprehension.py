"""Cross comprehension (Kolluru & Gotoh 2005): who writes, what is crossed with what, what can be submitted."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.designs import Design, DesignProblem, Person
from annotation.study_files.schema import DocumentRow, Materials, OutputRow
from annotation.tasks.cross_comprehension.kind import AUTHORING, JUDGING, CrossComprehension, Question
from annotation.tasks.terms import Exhibit, Judged, Place, Record, Row, Text

cross = CrossComprehension()
CONFIG = cross.Config()
WRITING = Record(phase=AUTHORING)
STORY = Exhibit(document=Text(text="A ferry sank in March near Brod."), phase=AUTHORING)
GOOD = {
    "summary": "A ferry sank near Brod in March.",
    "questions": [
        {"question": "What sank near Brod?", "answer": "a ferry"},
        {"question": "When did the ferry sink?", "answer": "March"},
    ],
}


def missing(answer, exhibit=STORY, config=CONFIG):
    return cross.missing(config, exhibit, cross.Answer.model_validate(answer))


def with_question(question, answer="a ferry"):
    return GOOD | {"questions": [GOOD["questions"][1], {"question": question, "answer": answer}]}


def test_a_summary_and_two_questions_can_be_submitted():
    assert missing(GOOD) == []


def test_blank_rows_of_the_form_do_not_count():
    assert missing(GOOD | {"questions": [*GOOD["questions"], {"question": " ", "answer": ""}]}) == []


@pytest.mark.parametrize(
    "question",
    [
        "Did the ferry sink?",
        "is it new?",
        "Hasn't it sunk?",
        "Will it?",
        "Could the ferry float?",
        "Were they saved?",
    ],
)
def test_yes_no_questions_are_caught(question):
    (found,) = missing(with_question(question))
    assert found.field == "questions.1.question"
    assert "yes or no" in found.message


@pytest.mark.parametrize(
    "question", ["Isolde was where?", "What was lost?", "Canoes or ferries: which sank?"]
)
def test_words_that_only_begin_like_a_verb_are_not(question):
    assert missing(with_question(question)) == []


def test_an_answer_that_the_summary_does_not_give_is_refused():
    (found,) = missing(with_question("What sank?", "an aircraft"))
    assert found.field == "questions.1.answer"
    assert "aircraft" in found.message


def test_an_answer_may_inflect_a_word_of_the_summary():
    assert missing(with_question("What sank?", "ferry’s")) == []


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"summary": " "}, "summary"),
        ({"questions": GOOD["questions"][:1]}, "questions.1.question"),
        ({"questions": GOOD["questions"] * 3}, "questions"),
        ({"questions": [*GOOD["questions"], {"question": "Why?", "answer": ""}]}, "questions.2.answer"),
        ({"questions": [*GOOD["questions"], {"question": "", "answer": "ferry"}]}, "questions.2.question"),
    ],
)
def test_what_is_missing_is_named(change, field):
    assert field in [entry.field for entry in missing(GOOD | change)]


def written(author, item, questions):
    return Judged(
        item=item,
        author=author,
        answer=cross.Answer(
            summary=f"Summary of {item} by {author}.",
            questions=tuple(Question(question=f"What {n}?", answer=f"{author}{n}") for n in range(questions)),
        ),
    )


def crossing(counts, machines=0, stories=1):
    """The pairs made from authors with so many questions each, and imported machine summaries."""
    items = [f"d{number}" for number in range(stories)]
    materials = Materials(
        documents=tuple(DocumentRow(id=item, text="A story.") for item in items),
        outputs=tuple(
            OutputRow(system=f"m{number}", document=item, text="Machine.")
            for item in items
            for number in range(machines)
        ),
    )
    judged = [written(author, item, count) for item in items for author, count in counts.items()]
    return list(cross.later_subjects(CONFIG, materials, JUDGING, judged))


@given(
    counts=st.dictionaries(st.sampled_from("ABCDEF"), st.integers(1, 4), min_size=2, max_size=6),
    machines=st.integers(0, 2),
    stories=st.integers(1, 2),
    judges=st.integers(1, 2),
)
@settings(max_examples=60, deadline=None)
def test_every_summary_meets_every_foreign_question_once_per_judge(counts, machines, stories, judges):
    subjects = crossing(counts, machines, stories)
    pairs = [
        (s.item, s.noted["summary_author"], s.noted["question_author"], s.noted["number"]) for s in subjects
    ]
    expected = {
        (f"d{story}", summary, author, number)
        for story in range(stories)
        for summary in [*counts, *(f"m{machine}" for machine in range(machines))]
        for author, count in counts.items()
        if author != summary
        for number in range(1, count + 1)
    }
    assert len(pairs) == len(set(pairs))
    assert set(pairs) == expected
    people = [Person(index=n, author=name) for n, name in enumerate([*counts, "J1", "J2"])]
    config = cross.Config(judges_per_pair=judges)
    deals = cross.deal(config, Design(), JUDGING, subjects, people, seed=1)
    assert sorted(deal.piece for deal in deals) == sorted(list(range(len(subjects))) * judges)
    for deal in deals:
        author = people[deal.person].author
        details = subjects[deal.piece].noted
        assert author not in (details["summary_author"], details["question_author"])
    assert len({(deal.person, deal.piece) for deal in deals}) == len(deals)


def test_authors_with_4_4_2_and_3_questions_give_the_crossing_of_the_paper():
    """Their Table 2: summary A meets B's four, C's two and D's three questions; and so on."""
    subjects = crossing({"A": 4, "B": 4, "C": 2, "D": 3})
    per_summary = {name: sum(s.noted["summary_author"] == name for s in subjects) for name in "ABCD"}
    assert per_summary == {"A": 9, "B": 9, "C": 11, "D": 10}


def test_an_author_who_left_is_simply_not_crossed():
    assert {s.noted["summary_author"] for s in crossing({"A": 2, "B": 2})} == {"A", "B"}


def test_all_authors_write_about_all_stories():
    materials = Materials(documents=tuple(DocumentRow(id=f"d{n}", text="A story.") for n in range(3)))
    subjects = list(cross.subjects(CONFIG, materials))
    people = [
        Person(index=1, group="author"),
        Person(index=2, group="judge"),
        Person(index=3, group="author"),
    ]
    config = cross.Config(authors="author", judges="judge")
    deals = cross.deal(config, Design(), AUTHORING, subjects, people, seed=1)
    assert sorted((deal.person, deal.piece) for deal in deals) == [(p, d) for p in (1, 3) for d in range(3)]


def test_a_group_with_nobody_in_it_is_a_clear_problem():
    with pytest.raises(DesignProblem, match="no assessor is in the group “judge”"):
        cross.deal(
            cross.Config(judges="judge"), Design(), JUDGING, crossing({"A": 1, "B": 1}), [Person(1)], seed=1
        )


PAIR = Exhibit(
    phase=JUDGING,
    shown={"summary": "S.", "question": "What?", "answer": "This."},
)
RECORD = Record(phase=JUDGING, noted={"summary_author": "secret-author", "question_author": "B", "number": 2})


def test_a_judge_does_not_see_who_wrote_what():
    page = str(cross.content(CONFIG, PAIR, None))
    assert "What?" in page
    assert "This." in page
    assert "secret-author" not in page


def test_a_judgment_stands_under_the_author_of_the_summary():
    assert cross.place(RECORD, Place("", "d1", "d1")) == Place("secret-author", "d1", "d1")
    rows = list(cross.rows(CONFIG, PAIR, RECORD, cross.Answer(choice=2, typed="that")))
    assert rows == [Row("B/2", "answer", 2.0, "partially relevant"), Row("B/2", "typed", None, "that")]
    assert cross.answer(CONFIG, PAIR, RECORD, rows) == cross.Answer(choice=2, typed="that")


def test_not_found_is_an_answer_and_blank_is_not():
    assert missing({"choice": 0}, PAIR) == []
    assert missing({}, PAIR)
    assert missing({"choice": 4}, PAIR)


def test_what_was_written_survives_the_way_through_rows():
    answer = cross.Answer.model_validate(GOOD)
    assert cross.answer(CONFIG, STORY, WRITING, list(cross.rows(CONFIG, STORY, WRITING, answer))) == answer
