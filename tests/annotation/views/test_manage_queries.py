"""No page asks the database more often because a study has grown."""

from datetime import timedelta

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotation.designs import Design
from annotation.models import Assignment, Judgment, Study
from annotation.services.assessors import flag_raise
from annotation.services.studies import study_open
from tests.factories import logged_in, member
from tests.studies import SEE, TIDES, make_study

pytestmark = pytest.mark.django_db

SMALL = {"documents": 2, "systems": ("qx31", "wv77"), "assessors": 2}
LARGE = {"documents": 12, "systems": ("qx31", "wv77", "kk02", "mm55"), "assessors": 9}
LIMIT = 44  # generous; what counts is that it is the same for both sizes
# One query more for every two hundred rows or so is how Django fetches related rows in batches; none of that here.
PAGES = [
    "study_list",
    "study_upload",
    "study",
    "study_items",
    "study_monitor",
    "study_judgments",
    "study_people",
    "assessor",
    "study_plan",
    "study_materials",
    "study_item",
    "study_flags",
    "study_results",
    "study_exclusions",
    "study_disagreement",
    "study_audit",
    "study_change",
    "study_join",
    "study_mail",
    "study_bin",
    "study_downloads",
    "study_settings",
    "preview",
    "download_judgments",
    "download_attributes",
    "download_study",
]


def filled(slug: str, *, state: str, **size) -> Study:
    """A study of some size in which half of the work is done and some of it flagged."""
    study = make_study(SEE, TIDES, slug=slug, design=Design(assessors_per_item=2), **size)
    if state == Study.State.DRAFT:
        return study
    study_open(study=study)
    half = [row for row in Assignment.objects.filter(assessor__study=study) if row.position % 2]
    now = timezone.now()
    units = [{"marks": [0], "grade": 0.5}, {"marks": [], "grade": 0.0}]
    quality = dict.fromkeys(("grammaticality", "cohesion", "coherence"), 0.5)
    answers = {
        "see": {"units": units, "quality": quality},
        "rating": {"values": {"fluency": 3, "adequacy": 4}, "confirmed": True},
    }
    Judgment.objects.bulk_create(
        Judgment(
            assignment=row,
            revision=1,
            client_key=f"00000000-0000-0000-0000-{row.pk:012d}",
            answer=answers[row.subject.task.kind],
            shown_at=now - timedelta(minutes=1),
            submitted_at=now,
            seconds=30,
        )
        for row in half
    )
    Assignment.objects.filter(pk__in=[row.pk for row in half]).update(state=Assignment.State.DONE)
    for row in half:
        flag_raise(assessor=row.assessor, assignment=row, comment="Look at this")
    return study


def address(name: str, study: Study) -> str:
    args = {
        "assessor": [study.assessors.first().pk],
        "study_item": ["document", study.documents.first().pk],
        "preview": ["coverage", 1],
        "download_judgments": ["csv"],
    }.get(name, [])
    return reverse(
        name, args=[] if name in {"study_list", "study_upload", "study_bin"} else [study.slug, *args]
    )


def queries(client, url: str) -> int:
    cache.clear()
    with CaptureQueriesContext(connection) as captured:
        response = client.get(url)
        assert response.status_code == 200
        if response.streaming:
            b"".join(response.streaming_content)
    return len(captured)


@pytest.mark.parametrize("state", [Study.State.DRAFT, Study.State.OPEN])
def test_the_number_of_queries_does_not_grow_with_the_study(state, django_assert_max_num_queries):
    small, large = filled("little", state=state, **SMALL), filled("much", state=state, **LARGE)
    clients = {study.slug: logged_in(member(study)) for study in (small, large)}
    for number in range(8):
        more = Study.objects.create(slug=f"more{number}", name=f"More {number}", seed=1)
        more.memberships.create(user=large.memberships.get().user, role="owner")
    counts = {}
    for name in PAGES:
        with django_assert_max_num_queries(LIMIT):
            small_count = queries(clients["little"], address(name, small))
        with django_assert_max_num_queries(LIMIT):
            large_count = queries(clients["much"], address(name, large))
        counts[name] = (small_count, large_count)
    assert {name: pair for name, pair in counts.items() if pair[0] != pair[1]} == {}
