"""The plan of a study: loads come out even over all of its tasks."""

from collections import Counter

import pytest

from annotation.designs import Design
from annotation.selectors.plan import study_plan
from tests.studies import SEE, TIDES, make_study

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("seed", range(5))
def test_whoever_got_less_in_one_task_gets_more_in_the_next(seed):
    """Five pieces a task for three people: 2, 2 and 1 in each task, and 5 in all three tasks for everybody."""
    questions = {
        "kind": "likert",
        "name": "questions",
        "statements": [{"name": "clear", "text": "It is clear."}],
        "familiarisation_minutes": 5,
    }
    study = make_study(SEE, TIDES, questions, documents=5, systems=("only",), assessors=3, seed=seed)
    plan = study_plan(study)
    tasks = [
        Counter(one.assessor for one in task.dealt if task.subjects[one.subject].counts)
        for task in plan.tasks
    ]
    assert [sorted(counts.values()) for counts in tasks] == [[1, 2, 2]] * 3
    assert sorted(sum(tasks, Counter()).values()) == [5, 5, 5]


def test_a_further_task_at_the_end_does_not_change_the_plan_of_the_others():
    one = make_study(SEE, assessors=3, slug="one")
    both = make_study(SEE, TIDES, assessors=3, slug="both", design=Design(assessors_per_item=1))
    first = [
        [(plan.people.index(one.assessor), one.subject) for one in plan.tasks[0].dealt]
        for plan in map(study_plan, (one, both))
    ]
    assert first[0] == first[1]


def test_more_judgments_than_a_server_can_plan_are_not_dealt(monkeypatch):
    """A short file can ask ten thousand people for ten thousand judgments each; nothing is dealt before they are counted."""
    study = make_study(
        SEE, TIDES, assessors=3, documents=4, systems=("a", "b"), design=Design(assessors_per_item=3)
    )
    every = [len(task.dealt) for task in study_plan(study).tasks]
    assert sum(every) == 3 * 2 * 8
    monkeypatch.setattr("annotation.selectors.plan.MOST_DEALT", sum(every) - 1)
    plan = study_plan(study)
    assert [len(task.dealt) for task in plan.tasks] == every[:1], "all tasks count together"
    assert ["would be asked for. Let fewer people judge" in words for words in plan.problems_in_words()] == [
        True
    ]
    monkeypatch.setattr("annotation.selectors.plan.MOST_PIECES", 15)
    assert ["pieces to judge" in words for words in study_plan(study).problems_in_words()] == [True]
