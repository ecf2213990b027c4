"""Items that are read ahead are handed out as if they had been read just now."""

import uuid

import pytest
from django.utils import timezone

from annotation.models import Assignment
from annotation.selectors.lines import AHEAD, LINES
from annotation.selectors.work import assessor_progress
from annotation.services import work
from annotation.services.studies import study_open
from tests.annotation.views.test_assess import current as item_address
from tests.annotation.views.test_assess import entered
from tests.annotation.views.test_assess import submit as submit_page
from tests.studies import SEE, make_study, practice

pytestmark = pytest.mark.django_db

SEE_ONLY = SEE | {"quality": False}
GOOD = {"units": [{"marks": [0], "grade": 1.0}, {"marks": [], "grade": 0.0}]}


@pytest.fixture
def assessor():
    study = make_study(SEE_ONLY, documents=2 * AHEAD, practice=(practice("coverage", reference="r-d1"),))
    study_open(study=study)
    return study.assessors.select_related("study").get(name="p1")


def submitted(assignment):
    _, line = work.judgment_submit(
        assignment=assignment, client_key=uuid.uuid4(), revision=1, answer=GOOD, seconds=0
    )
    return line


def open_places(assessor):
    return list(assessor.assignments.filter(state=Assignment.State.OPEN).values_list("position", flat=True))


def test_a_whole_line_is_handed_out_in_its_order_and_progress_is_what_the_database_says(assessor):
    assignment = work.assignment_next(assessor=assessor)
    places = open_places(assessor)
    assert len(places) > 2 * AHEAD
    met = [assignment.position]
    while line := submitted(assignment):
        assignment = line.current
        met.append(assignment.position)
        assert line.progress == assessor_progress(assessor, pooled=False)
        assert Assignment.objects.get(pk=assignment.pk).shown_at == assignment.shown_at is not None
    assert met == places
    assert not open_places(assessor)


@pytest.mark.parametrize(
    "meanwhile",
    [{"state": Assignment.State.ABANDONED}, {"state": Assignment.State.DONE}, {"shown_at": timezone.now()}],
    ids=["taken away", "judged elsewhere", "shown elsewhere"],
)
def test_what_became_of_an_item_since_it_was_read_is_seen(assessor, meanwhile):
    line = submitted(work.assignment_next(assessor=assessor))
    coming = line.coming[0]
    Assignment.objects.filter(pk=coming.pk).update(**meanwhile)
    following = submitted(line.current).current
    assert following.position == open_places(assessor)[0]
    assert (following.pk == coming.pk) == ("shown_at" in meanwhile)
    if "shown_at" in meanwhile:
        assert following.shown_at == meanwhile["shown_at"]  # time runs from there on


def test_an_earlier_item_that_was_opened_again_comes_first(assessor):
    first = work.assignment_next(assessor=assessor)
    line = submitted(submitted(first).current)
    Assignment.objects.filter(pk=first.pk).update(state=Assignment.State.OPEN)
    assert submitted(line.current).current.pk == first.pk


def test_items_that_were_judged_at_another_process_are_passed_over_without_reading_anew(assessor):
    line = submitted(work.assignment_next(assessor=assessor))
    ahead = list(line.coming)
    for row in (line.current, ahead[0]):
        Assignment.objects.filter(pk=row.pk).update(state=Assignment.State.DONE, shown_at=timezone.now())
    Assignment.objects.filter(pk=ahead[1].pk).update(shown_at=timezone.now())
    assert LINES.find(assessor, ahead[1].public_id) is ahead[1]
    again = submitted(ahead[1])
    assert again is line
    assert (again.current.pk, list(again.coming)) == (ahead[2].pk, ahead[3:])
    assert again.progress == assessor_progress(assessor, pooled=False)


def test_who_went_on_elsewhere_gets_the_first_open_item(assessor):
    line = submitted(work.assignment_next(assessor=assessor))
    passed = [line.current, *list(line.coming)[:2]]
    LINES.keep(line)
    for row in passed[:2]:  # by another process of the server, which has a line of its own
        Assignment.objects.filter(pk=row.pk).update(state=Assignment.State.DONE, shown_at=timezone.now())
    Assignment.objects.filter(pk=passed[2].pk).update(shown_at=timezone.now())
    passed[2].assessor = assessor
    assert submitted(passed[2]).current.position == open_places(assessor)[0]


def test_a_judgment_and_the_next_item_take_few_queries(assessor, django_assert_max_num_queries):
    client = entered(assessor.study)
    address = item_address(client, assessor.study)
    address = submit_page(client, address).json()["next"]["url"]
    address = submit_page(client, address).json()["next"]["url"]
    with django_assert_max_num_queries(11):  # seven, the transaction's two, and two locks of PostgreSQL
        assert submit_page(client, address).status_code == 200
