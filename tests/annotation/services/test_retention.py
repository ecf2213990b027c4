"""What is over is forgotten by itself, and nothing else is."""

from datetime import timedelta

import pytest
from django.contrib.sessions.models import Session
from django.core.cache import caches
from django.core.management import call_command
from django.utils import timezone

from annotation.models import ApiToken, Assessor, Study
from annotation.selectors.work import assessor_of_link
from annotation.services.assessors import assessor_link
from annotation.services.persons import assessor_pause
from annotation.services.studies import study_close, study_open
from annotation.services.tokens import token_create, token_used
from tests.factories import assessor_client, experimenter
from tests.studies import make_study

pytestmark = pytest.mark.django_db


def test_sessions_counts_and_tokens_that_are_over_are_forgotten():
    user = experimenter("erika")
    assert token_used(token=token_create(user=user, name="kept"))
    token_create(user=user, name="over")
    ApiToken.objects.filter(name="over").update(expires_at=timezone.now() - timedelta(days=40))
    study = make_study()
    assessor_client(study.assessors.first())
    Session.objects.update(expire_date=timezone.now() - timedelta(seconds=1))
    caches["throttle"].set("over", 1, timeout=0.001)
    caches["throttle"].set("kept", 1, timeout=1000)
    call_command("tidy", verbosity=0)
    assert not Session.objects.exists()
    assert list(ApiToken.objects.values_list("name", flat=True)) == ["kept"]
    assert caches["throttle"].get("kept") == 1


@pytest.mark.parametrize(("days", "closed", "forgotten"), [(30, 31, True), (30, 29, False), (0, 9999, False)])
def test_names_of_a_study_that_was_closed_long_ago_are_forgotten_if_so_set(days, closed, forgotten, settings):
    settings.RETENTION_DAYS = days
    study = make_study()
    study_open(study=study)
    link = assessor_link(assessor=study.assessors.first())
    assessor_pause(assessor=study.assessors.first(), message="Call me, Erika.")
    study_close(study=study)
    Study.objects.update(closed_at=timezone.now() - timedelta(days=closed))
    call_command("tidy", verbosity=0)
    first = Assessor.objects.first()
    assert (first.name == first.pseudonym) is forgotten
    assert (assessor_of_link(link) is None) is forgotten
    assert (first.completion_code == "") is forgotten, "by which a panel knows who it was"
    assert (first.pause_message == "") is forgotten


def test_nobody_of_an_open_study_is_forgotten(settings):
    settings.RETENTION_DAYS = 1
    study = make_study()
    study_open(study=study)
    Study.objects.update(opened_at=timezone.now() - timedelta(days=900))
    call_command("tidy", verbosity=0)
    assert Assessor.objects.first().name == "p1"


def test_a_link_ends_when_its_time_is_over(settings):
    study = make_study()
    assessor = study.assessors.first()
    client = assessor_client(assessor)
    assert client.get(f"/work/{study.slug}/").status_code == 200
    assert 360 < (assessor.token_expires_at - timezone.now()).days <= 365
    Assessor.objects.update(token_expires_at=timezone.now())
    assert client.get(f"/work/{study.slug}/").status_code == 403, "also where it was opened before"
    settings.LINK_DAYS = 0
    assessor_link(assessor=assessor)
    assert assessor.token_expires_at is None
