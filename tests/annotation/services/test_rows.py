"""Many rows at once are stored as Django stores them, with keys that nobody had."""

import uuid

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation.models import Assignment, Document, Judgment, Output, Study, Subject, System
from annotation.services.rows import Ready, rows_store, rows_update
from annotation.services.studies import study_open
from tests.studies import make_study

pytestmark = pytest.mark.django_db
WORDS = "日本語 🙂 100 % %s ? ' \" \\ \n"


def values(row) -> dict:
    """What the database has of a row, without its key."""
    stored = type(row)._default_manager.filter(pk=row.pk).values().get()
    return {name: value for name, value in stored.items() if name != "id"}


@pytest.fixture
def study() -> Study:
    return make_study()


def output(study: Study, **changed) -> Output:
    system = System.objects.create(study=study, key=f"s{uuid.uuid4().hex[:8]}")
    marked = [{"task": "", "start": 0, "end": 2, "words": WORDS}]
    given = {"text": WORDS, "units": [WORDS, "two"], "document": study.documents.first(), "prefilled": marked}
    return Output(study=study, system=system, **given | changed)


def test_rows_are_those_that_django_would_have_stored(study):
    (ours,) = rows_store([output(study)])
    theirs = output(study)
    theirs.save()
    assert values(ours) | {"system_id": theirs.system_id} == values(theirs)
    assert Output.objects.get(pk=ours.pk) == ours
    assert not ours._state.adding


def test_a_row_may_refer_to_one_that_is_stored_after_it_was_made(study):
    document = Document(study=study, key="late", text="Late.", units=["Late."])
    row = output(study, document=document)
    with pytest.raises(ValueError, match=r"not stored yet|unsaved related object"):
        rows_store([row])
    rows_store([document])
    rows_store([row])
    assert Output.objects.get(pk=row.pk).document == document


def test_rows_made_ready_before_those_that_they_refer_to_are_stored(study):
    """Also by a key below zero, which stands for one that is to come."""
    documents = [
        Document(study=study, key="late", text="Late.", units=["Late."]),
        Document(pk=-1, study=study, key="later", text="Later.", units=["Later."]),
    ]
    rows = [output(study, document=document) for document in (*documents, study.documents.first(), None)]
    ready, ready_documents = Ready(rows), Ready(documents)
    ready.change("author", ["a", "b", "c", "d"])
    with pytest.raises(ValueError, match="not stored yet"):
        rows_store(ready)
    rows_store(ready_documents)
    rows_store(ready)
    assert [row.pk > 0 for row in documents] == [True, True]
    stored = [Output.objects.get(pk=row.pk) for row in rows]
    assert [row.document for row in stored] == [*documents, study.documents.first(), None]
    assert [row.author for row in stored] == ["a", "b", "c", "d"] == [row.author for row in rows]


def test_keys_are_new_even_after_rows_have_gone(study):
    first = rows_store([output(study) for _ in range(3)])
    assert len({row.pk for row in first}) == 3
    last = max(row.pk for row in first)
    Output.objects.filter(pk__in=[row.pk for row in first]).delete()
    with transaction.atomic():
        (again,) = rows_store([output(study)])
    assert again.pk > last
    later = output(study)
    later.save()  # Django's own goes on from there
    assert later.pk > again.pk


def test_nothing_is_stored_of_rows_of_which_one_is_refused(study):
    study_open(study=study)
    assignment = Assignment.objects.first()
    now = timezone.now()
    twice = [
        Judgment(
            assignment=assignment,
            revision=1,
            client_key=uuid.uuid4(),
            answer={"n": n},
            shown_at=now,
            submitted_at=now,
        )
        for n in range(2)
    ]
    with pytest.raises(IntegrityError), transaction.atomic():
        rows_store(twice)
    assert not Judgment.objects.exists()


def test_no_rows_are_no_statement(django_assert_num_queries):
    with django_assert_num_queries(0):
        assert rows_store(iter(())) == []


def test_only_named_fields_of_stored_rows_change(study):
    study_open(study=study)
    rows = list(Subject.objects.order_by("pk")[:2])
    before = [values(row) for row in rows]
    for number, row in enumerate(rows):
        row.noted, row.wanted = {"number": number, "words": WORDS}, 99
    rows_update(rows, ["noted"])
    assert [values(row) for row in rows] == [
        old | {"noted": {"number": number, "words": WORDS}} for number, old in enumerate(before)
    ]
