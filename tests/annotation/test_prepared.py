"""Queries that are prepared give and store what Django gives and stores."""

import uuid

import pytest
from django.db import IntegrityError, transaction
from django.db.models import Model
from django.utils import timezone

from annotation.models import Assessor, Assignment, Draft, Judgment
from annotation.prepared import Prepared, PreparedInsert, PreparedUpdate
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


def judgment(assignment: Assignment, **changed) -> Judgment:
    now = timezone.now()
    answer = {"units": [{"marks": [0, 1], "grade": 0.5}], "words": "日本語 🙂 100 % %s ?"}
    given = {
        "revision": 1,
        "client_key": uuid.uuid4(),
        "answer": answer,
        "shown_at": now,
        "submitted_at": now,
    }
    return Judgment(assignment=assignment, **given | {"seconds": 1.25, "raw_seconds": None} | changed)


def test_a_new_row_is_stored_as_django_stores_it(assignment):
    ours = PreparedInsert(Judgment).insert(judgment(assignment))
    theirs = judgment(assignment, revision=2, shown_at=ours.shown_at, submitted_at=ours.submitted_at)
    theirs.save()
    assert theirs.pk > ours.pk
    assert values(Judgment.objects.get(pk=ours.pk)) == values(Judgment.objects.get(pk=theirs.pk)) | {
        "id": ours.pk,
        "revision": 1,
        "client_key": ours.client_key,
    }
    with pytest.raises(Exception, match="never changed"):
        ours.save()  # it knows that it is stored


def test_the_database_refuses_a_prepared_row_as_it_would_another(assignment):
    PreparedInsert(Judgment).insert(judgment(assignment))
    with pytest.raises(IntegrityError), transaction.atomic():
        PreparedInsert(Judgment).insert(judgment(assignment))
    assert Judgment.objects.count() == 1


def test_only_the_named_columns_of_one_row_are_set(assignment):
    other = Assignment.objects.exclude(pk=assignment.pk).first()
    now = timezone.now()
    PreparedUpdate(Assignment, "state", "lease_ends_at", "met").set(
        assignment.pk, Assignment.State.DONE, now, 0.75
    )
    changed = {"state": "done", "lease_ends_at": now, "met": 0.75}
    assert (
        values(Assignment.objects.get(pk=assignment.pk)) == values(assignment_as_read(assignment)) | changed
    )
    assert values(Assignment.objects.get(pk=other.pk)) == values(other)
    PreparedUpdate(Assignment, "lease_ends_at", "met").set(assignment.pk, None, None)
    assert values(Assignment.objects.get(pk=assignment.pk)) == values(
        assignment_as_read(assignment)
    ) | changed | {
        "lease_ends_at": None,
        "met": None,
    }


def assignment_as_read(assignment: Assignment) -> Assignment:
    fields = [field.attname for field in Assignment._meta.local_concrete_fields]
    return Assignment(**{name: getattr(assignment, name) for name in fields})
