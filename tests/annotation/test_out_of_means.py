"""A disk that is full or read-only: told in words, nothing half written, and going on without a restart."""

from __future__ import annotations

import errno
import secrets
import uuid

import pytest
from django.db import DatabaseError, connection

from annotation.means import is_out_of_means
from annotation.models import Assignment, Draft, Judgment
from annotation.services.studies import study_open
from annotation.services.work import assignment_next
from tests.factories import assessor_client, owner_client
from tests.studies import SEE, make_study, plausible

pytestmark = pytest.mark.django_db(transaction=True)


def run(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)


@pytest.fixture(params=["read-only", "full"])
def trouble(request):
    """Statements that begin and end it. They are real: the database refuses by itself, as it does with a real disk."""
    if connection.vendor == "postgresql":
        # Its disk is not ours to fill; a standby, or a server that has run out of disk, is read-only like this.
        begin, end = "SET default_transaction_read_only = on", "SET default_transaction_read_only = off"
    elif request.param == "read-only":
        begin, end = "PRAGMA query_only = ON", "PRAGMA query_only = OFF"
    else:
        # Pages that tests before this one have freed would be used up first, and there can be thousands.
        run("VACUUM")
        begin, end = "PRAGMA max_page_count = 1", "PRAGMA max_page_count = 1073741823"
    yield begin, end
    run(end)


@pytest.fixture
def at_work():
    study = make_study(SEE | {"quality": False}, assessors=1)
    study_open(study=study)
    client = assessor_client(study.assessors.get())
    client.raise_request_exception = False
    client.post(f"/work/{study.slug}/start/")
    assignment = assignment_next(assessor=study.assessors.select_related("study").get())
    return client, assignment, f"/work/{study.slug}/item/{assignment.public_id}/"


def test_a_judgment_that_cannot_be_stored_is_refused_in_words_and_taken_later(trouble, at_work):
    begin, end = trouble
    client, assignment, item = at_work
    answer, _ = plausible(assignment)
    sent = {"client_key": str(uuid.uuid4()), "revision": 1, "answer": answer, "seconds": 1}
    run(begin)
    # Half-used pages still take a few.
    for _ in range(200):
        told = client.post(f"{item}flag/", {"comment": "x" * 5000}, content_type="application/json")
        if told.status_code != 200:
            break
    assert told.status_code == 503
    assert "Nothing is lost" in told.json()["message"]
    assert told["Retry-After"] == "60"
    big = answer | {"units": answer["units"]}
    refused = client.post(f"{item}judgment/", sent | {"answer": big}, content_type="application/json")
    stored = Judgment.objects.count()
    assert (refused.status_code, stored) in {(503, 0), (200, 1)}
    assert Assignment.objects.filter(state=Assignment.State.DONE).count() == stored, "half of it was written"
    run(end)
    again = client.post(f"{item}judgment/", sent, content_type="application/json")
    assert (again.status_code, Judgment.objects.count(), Draft.objects.count()) == (200, 1, 0)


def test_a_session_that_cannot_be_kept_is_no_session_that_is_gone(trouble, at_work):
    """Django says that it was deleted, and the page that the request was bad."""
    begin, end = trouble
    _, assignment, _ = at_work
    store = owner_client(assignment.assessor.study).session
    run(begin)
    with pytest.raises(DatabaseError) as fault:
        for _ in range(300):
            store["filled"] = store.get("filled", "") + secrets.token_hex(5_000)
            store.save()
    run(end)
    assert is_out_of_means(fault.value)


def test_pages_and_programs_are_told_in_words_too(trouble, at_work):
    begin, _ = trouble
    _, assignment, _ = at_work
    study = assignment.assessor.study
    owner = owner_client(study)
    owner.raise_request_exception = False
    run(begin)
    for _ in range(300):
        names = "\n".join(uuid.uuid4().hex * 3 for _ in range(50))
        page = owner.post(f"/studies/{study.slug}/people/add/", {"names": names})
        if page.status_code != 302:
            break
    assert page.status_code == 503
    assert "its disk is full" in page.content.decode()


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EDQUOT])
def test_a_file_that_cannot_be_written_is_no_fault_of_the_program(number):
    assert is_out_of_means(OSError(number, "x"))
    assert is_out_of_means(MemoryError())
    assert not is_out_of_means(OSError(errno.ENOENT, "x"))
    assert not is_out_of_means(ValueError())
