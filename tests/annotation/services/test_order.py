"""Judgments become visible in the order of their numbers, on every database."""

from __future__ import annotations

import threading
import uuid

import pytest
from django.db import connection, transaction

from annotation.export import judgment_page
from annotation.models import Judgment
from annotation.services import work
from annotation.services.studies import study_open
from tests.studies import SEE, make_study

ANSWER = {"units": [{"marks": [0], "grade": 1.0}, {"marks": [], "grade": 0.0}]}


@pytest.mark.django_db(transaction=True)
def test_a_judgment_that_takes_long_to_commit_is_not_overtaken():
    """The reader asks on after the last judgment seen. An overtaken one would be missed for ever."""
    study = make_study(SEE | {"quality": False})
    study_open(study=study)
    slow, quick = study.assessors.select_related("study")
    recorded, may_end = threading.Event(), threading.Event()

    def judge(assessor, slowly: bool) -> None:
        try:
            with transaction.atomic():
                work.judgment_record(
                    assignment=work.assignment_next(assessor=assessor),
                    client_key=uuid.uuid4(),
                    revision=1,
                    answer=ANSWER,
                    seconds=0.0,
                )
                if slowly:
                    recorded.set()
                    may_end.wait(timeout=60)
        finally:
            connection.close()

    first = threading.Thread(target=judge, args=(slow, True))
    second = threading.Thread(target=judge, args=(quick, False))
    first.start()
    assert recorded.wait(timeout=60)
    second.start()
    second.join(timeout=1)
    before = judgment_page(study, after=0, limit=10)
    may_end.set()
    for thread in (first, second):
        thread.join(timeout=60)
    after = judgment_page(study, after=before.last, limit=10)
    read = {row["assessor"] for page in (before, after) for row in page.rows}
    assert Judgment.objects.count() == 2
    assert read == {slow.pseudonym, quick.pseudonym}
