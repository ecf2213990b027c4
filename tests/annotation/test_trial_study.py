"""The trial study again: one of eight assessors is careless. The monitor names them, they are left out, and the winner is right.

Everything goes through the services and pages that people use; all that is made up is what the assessors answer, with fixed seeds.
"""

from __future__ import annotations

import random
import uuid
from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.analysis import human_results
from annotation.analysis.refreshing import monitor_refresh
from annotation.designs import Design
from annotation.models import Assessor, Assignment, Judgment, Monitor, Study, Subject
from annotation.selectors.progress import study_progress
from annotation.services import work
from annotation.services.assessors import assessor_start
from annotation.services.studies import study_open
from tests.factories import logged_in, member
from tests.reports import OVERALL
from tests.studies import make_study

pytestmark = pytest.mark.django_db

SEED = 151
TRUE = {"first": 3.7, "second": 3.5, "third": 2.4}
CARELESS = "p4"
WITHIN = 30  # judgments of the careless one


def turns(assessor: Assessor) -> Iterator[None]:
    """One judgment after the other, until there is nothing more to do."""
    rng = random.Random(f"{SEED}/{assessor.name}/{assessor.assignments.filter(state='done').count()}")
    leniency = rng.gauss(0, 0.2)
    while assignment := work.assignment_next(assessor=assessor):
        subject = Subject.objects.select_related("output__system", "output__document").get(
            pk=assignment.subject_id
        )
        if assessor.name == CARELESS:
            value, seconds = rng.randint(1, 5), rng.uniform(0.1, 0.5)
        else:
            of_item = random.Random(f"{SEED}/{subject.output.document.key}").gauss(0, 0.7)
            felt = TRUE[subject.output.system.key] + of_item + leniency + rng.gauss(0, 0.5)
            value, seconds = min(5, max(1, round(felt))), rng.lognormvariate(3, 0.4)
        # Time is counted from when the page was first shown; nobody waits for it here.
        begun = timezone.now() - timedelta(seconds=seconds)
        Assignment.objects.filter(pk=assignment.pk).update(shown_at=begun)
        work.judgment_record(
            assignment=assignment,
            client_key=uuid.UUID(int=rng.getrandbits(128)),
            revision=1,
            answer={"values": {"overall": value}, "confirmed": True},
            seconds=seconds,
        )
        yield


def everybody_judges(study: Study, *, most: int = 1000) -> None:
    """In turns, as people do who are at it at the same time."""
    people = [turns(assessor) for assessor in study.assessors.select_related("study")]
    for _ in range(most):
        people = [person for person in people if next(person, "done") != "done"]
        if not people:
            return


def winner(study: Study) -> str:
    return human_results(study).scores[0].systems[0].system


@pytest.fixture
def study() -> Study:
    study = make_study(
        OVERALL, documents=24, systems=tuple(TRUE), assessors=8, design=Design(assessors_per_item=3)
    )
    study_open(study=study)
    for assessor in study.assessors.all():
        assessor_start(assessor=assessor, consented=True)
    return study


def test_the_careless_one_is_named_in_time_left_out_replaced_and_the_winner_is_right_again(study):
    owner = logged_in(member(study))
    careless = study.assessors.get(name=CARELESS)
    everybody_judges(study, most=20)
    monitor_refresh(study)
    page = owner.get(reverse("study_monitor", args=[study.slug])).content.decode()
    judged = Judgment.objects.filter(assignment__assessor=careless).count()
    assert judged <= WITHIN
    assert f"{CARELESS} looks careless" in page
    quality = Monitor.objects.get(study=study).snapshot["tables"]["quality"]
    assert quality["careless"] == [careless.pseudonym]  # and nobody else
    everybody_judges(study)
    assert winner(study) == "second"  # the wrong one

    response = owner.post(
        reverse("exclusion_add", args=[study.slug]),
        {"what": "assessor", "name": CARELESS, "reason": "0.1 s per item"},
    )
    assert response.status_code == 302
    assert study_progress(study).left
    everybody_judges(study)
    assert study_progress(study).left == 0
    assert winner(study) == "first"
    monitor_refresh(study)
    page = owner.get(reverse("study_monitor", args=[study.slug])).content.decode()
    assert "looks careless" not in page
