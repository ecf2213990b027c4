"""How far a study is, in numbers and in one honest sentence."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.designs import Design
from annotation.models import Assignment, Judgment, Study
from annotation.selectors.progress import (
    StudyProgress,
    TaskProgress,
    count,
    counted,
    duration,
    headline,
    judged_times,
    study_progress,
)
from annotation.services.simulation import study_simulate
from annotation.services.studies import study_close, study_open
from tests.studies import SEE, TIDES, make_study, practice


def progress(
    done: int, wanted: int, *, seconds: float | None = 60.0, timed: int = 50, **fields
) -> StudyProgress:
    task = TaskProgress(name="coverage", wanted=wanted, done=done, seconds=seconds, timed=timed)
    known = {
        "tasks": [task],
        "pieces": wanted // 2,
        "pieces_done": done // 2,
        "times": 2,
        "last_judgment": None,
    }
    return StudyProgress(**{**known, **fields})


def said(state: str, made: StudyProgress) -> str:
    return headline(Study(state=state), made)


@pytest.mark.parametrize(
    ("state", "made", "sentence"),
    [
        ("open", progress(36, 48), "18 of 24 pieces judged twice (36 of 48 judgments); about 12 min of judging left."),
        ("open", progress(36, 48, times=None), "18 of 24 pieces judged in full (36 of 48 judgments); about 12 min of judging left."),
        ("open", progress(3, 48, timed=3), "1 of 24 pieces judged twice (3 of 48 judgments); too early to say how long the rest takes."),
        ("open", progress(0, 48, timed=0), "Open, and nothing judged yet: 48 judgments to come."),
        ("open", progress(48, 48), "All 24 pieces judged twice: 48 judgments."),
        ("closed", progress(36, 48), "Closed with 18 of 24 pieces judged twice (36 of 48 judgments)."),
        ("closed", progress(0, 48), "Closed with 0 of 24 pieces judged twice (0 of 48 judgments)."),
        ("closed", progress(48, 48), "All 24 pieces judged twice: 48 judgments."),
        ("closed", progress(48, 48, agreement="α = .61"), "All 24 pieces judged twice: 48 judgments; agreement α\xa0=\xa0.61 in the last report."),
        ("open", progress(36, 48, agreement="α = .61 [.52, .69]"), "18 of 24 pieces judged twice (36 of 48 judgments); agreement α\xa0=\xa0.61\xa0[.52,\xa0.69] in the last report; about 12 min of judging left."),
        ("open", progress(0, 0, tasks=[]), "There is nothing to judge in this study."),
    ],
)  # fmt: skip
def test_the_headline_says_how_far_the_study_is(state, made, sentence):
    assert said(state, made) == sentence


def test_time_left_is_not_guessed_from_another_task():
    """A task that nobody has begun may take far longer than the one that is done."""
    begun = TaskProgress("coverage", wanted=10, done=8, seconds=30.0, timed=8)
    fresh = TaskProgress("quality", wanted=10, done=0, seconds=None, timed=0)
    over = TaskProgress("quality", wanted=10, done=10, seconds=90.0, timed=10)
    base = {"pieces": 10, "pieces_done": 4, "times": 2, "last_judgment": None}
    assert StudyProgress(tasks=[begun, fresh], **base).seconds_left is None
    assert StudyProgress(tasks=[begun, over], **base).seconds_left == 60.0


def test_more_judgments_than_wanted_are_no_debt():
    """Judgments made elsewhere may exceed what was planned."""
    extra = TaskProgress("coverage", wanted=4, done=7, seconds=1.0, timed=7)
    assert extra.left == 0


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.2, "1 s"), (42, "42 s"), (150, "2 min"), (3600, "60 min"), (10_800, "3 h"), (9000, "2.5 h"), (360_000, "100 h")],
)  # fmt: skip
def test_times_are_said_as_people_say_them(seconds, words):
    assert duration(seconds) == words


@given(st.floats(0, 1e9))
def test_a_time_is_never_nothing(seconds):
    assert not duration(seconds).startswith("0 ")


def test_numbers_agree_with_their_nouns():
    assert [count(n, "item") for n in (0, 1, 2, 1200)] == ["0 items", "1 item", "2 items", "1,200 items"]
    assert [counted(n, "item") for n in (0, 1, 2, 1200)] == ["0 items", "1 item", "2 items", "1,200 items"]
    assert [judged_times(n) for n in (1, 2, 3)] == ["judged once", "judged twice", "judged 3 times"]


@pytest.mark.parametrize("state", ["open", "closed"])
@pytest.mark.parametrize("done", [0, 1, 36, 48])
def test_every_word_of_a_headline_can_be_translated(state, done, monkeypatch):
    """In a language in which every sentence is dots, only numbers and signs are left."""
    monkeypatch.setattr("annotation.words._said", lambda language, text: dotted(text))
    monkeypatch.setattr("django.utils.translation.ngettext", lambda one, many, n: dotted(many))
    assert not re.search("[A-Za-z]", said(state, progress(done, 48, agreement="61 %")))


def dotted(text: str) -> str:
    """All but the places for values."""
    return "".join(part if part.startswith("{") else "." for part in re.split(r"({\w+})", text))


# --- from the database --------------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_progress_counts_pieces_and_judgments_without_practice():
    study = make_study(
        SEE, TIDES, design=Design(assessors_per_item=2), practice=(practice("coverage", reference="r-d1"),)
    )
    study_open(study=study)
    fresh = study_progress(study)
    assert [(task.name, task.wanted, task.done) for task in fresh.tasks] == [
        ("coverage", 6, 0),
        ("quality", 8, 0),
    ]
    assert (fresh.pieces, fresh.pieces_done, fresh.times, fresh.last_judgment) == (7, 0, 2, None)
    study_simulate(study=study, seed=1)
    over = study_progress(study)
    assert (over.done, over.left, over.pieces_done) == (14, 0, 7)
    assert (
        over.last_judgment
        == Judgment.objects.filter(assignment__counts=True).latest("submitted_at").submitted_at
    )
    assert [task.timed for task in over.tasks] == [6, 8]


@pytest.mark.django_db
def test_a_piece_is_done_when_all_its_assessors_are():
    study = make_study(SEE, documents=1, design=Design(assessors_per_item=2))
    study_open(study=study)
    mine = Assignment.objects.filter(assessor=study.assessors.first())
    mine.update(state=Assignment.State.DONE)
    assert study_progress(study).pieces_done == 0
    Assignment.objects.filter(subject=mine.first().subject).update(state=Assignment.State.DONE)
    assert study_progress(study).pieces_done == 1


@pytest.mark.django_db
def test_the_headline_of_a_draft_counts_what_is_there():
    study = make_study(SEE, TIDES)
    made = study_progress(study)
    assert headline(study, made).startswith("A draft of 4 outputs by 2 systems, 2 tasks and 2 assessors")
    study_simulate(study=study, seed=1)
    study_close(study=study)
    assert headline(study, study_progress(study)) == "All 8 pieces judged once: 8 judgments."
