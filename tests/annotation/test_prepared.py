"""Queries that are prepared give what Django gives."""

import pytest
from django.db.models import Model

from annotation.models import Assessor, Assignment, Draft
from annotation.prepared import Prepared
from annotation.services.studies import study_open
from annotation.services.work import assignment_next, draft_save
from tests.studies import SEE, make_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def assignment():
    study = make_study(SEE | {"quality": False})
    study_open(study=study)
    return assignment_next(assessor=study.assessors.select_related("study").first())


def values(row: Model) -> dict:
    return {name: value for name, value in vars(row).items() if name != "_state"}


def test_a_row_and_what_is_selected_with_it_are_those_of_django(assignment, django_assert_num_queries):
    prepared = Prepared(lambda pk: Assessor.objects.select_related("study").filter(pk=pk), -1)
    expected = Assessor.objects.select_related("study").get(pk=assignment.assessor_id)
    for _ in range(2):
        with django_assert_num_queries(1):
            found = prepared.first(expected.pk)
            assert values(found) == values(expected)
            assert values(found.study) == values(expected.study)
    assert prepared.first(-5) is None


def test_a_row_that_may_be_missing_is_there_once_it_is_made(assignment):
    prepared = Prepared(lambda pk: Assignment.objects.select_related("draft").filter(pk=pk), -1)
    assert getattr(prepared.first(assignment.pk), "draft", None) is None
    draft_save(assignment=assignment, revision=1, answer={}, seconds=1)
    found = prepared.first(assignment.pk)
    assert found.draft == Draft.objects.get()
    assert found.draft.answer == Draft.objects.get().answer
    assert values(found) == values(Assignment.objects.get(pk=assignment.pk))


def test_two_rows_are_never_mixed_up(assignment):
    prepared = Prepared(lambda pk: Assignment.objects.filter(pk=pk), -1)
    for row in Assignment.objects.all():
        assert values(prepared.first(row.pk)) == values(row)
