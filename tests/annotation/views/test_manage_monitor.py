"""The monitor, the queue of disagreement and the history, as experimenters read them."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation import alive
from annotation.analysis.refreshing import monitor_refresh
from annotation.models import Adjudication, Monitor
from annotation.services.adjudication import adjudicators_add
from annotation.services.assessors import assessors_add
from annotation.services.exclusions import exclusion_add
from annotation.services.joining import join_link_set
from annotation.services.studies import study_import, study_open
from tests.annotation.services.test_adjudication import RATING, VALUES, decide, given, judged
from tests.factories import owner_client, viewer_client
from tests.studies import study_file

pytestmark = pytest.mark.django_db
QUIET = "No worker is running"


def page_of(client, name, study, query=""):
    return client.get(reverse(name, args=[study.slug]) + query).content.decode()


@pytest.fixture
def opened():
    study = study_import(study_file=study_file(RATING))
    study_open(study=study)
    return study


def test_what_is_looked_at_as_a_draft_is_not_kept_for_the_open_study():
    """A study that has just opened has everything to judge, not nothing."""
    study = study_import(study_file=study_file(RATING))
    client = owner_client(study)
    assert "Nothing happens before the study opens" in page_of(client, "study_monitor", study)
    assert Monitor.objects.get().asked_at is None, "there is nothing to count in a draft"
    study_open(study=study)
    page = page_of(client, "study_monitor", study)
    assert "0 of 8 judgments" in page
    assert "nothing to judge" not in page
    assert Monitor.objects.get().asked_at


def test_a_worker_that_says_it_is_alive_is_busy_and_not_missing(opened, settings, tmp_path):
    settings.DATA_DIR = tmp_path
    client = owner_client(opened)
    monitor_refresh(opened)
    now = timezone.now()
    Monitor.objects.update(asked_at=now - timedelta(minutes=1), begun_at=now - timedelta(minutes=2))
    assert QUIET in page_of(client, "study_monitor", opened)
    alive.beat(alive.WORKER)
    page = page_of(client, "study_monitor", opened)
    assert QUIET not in page
    assert "The worker is busy with something else" in page


def test_people_stand_in_one_order_in_the_list_of_disagreements_and_viewers_read_pseudonyms():
    study = judged(VALUES)
    study.assessors.filter(name="p1").update(name="zoë")  # p2 judged some pieces first
    for client, wanted in ((owner_client(study), ["p2", "zoë"]), (viewer_client(study), ["A01", "A02"])):
        page = page_of(client, "study_disagreement", study)
        said = re.findall(r'<li><bdi class="muted">(.*?)</bdi>', page)
        assert said == wanted * 2
    assert "zoë" not in page


@pytest.mark.parametrize("name", ["study_results", "study_disagreement", "study_exclusions"])
def test_how_much_is_left_out_stands_on_every_page_of_the_results(name):
    study = judged(VALUES)
    badge = '<span class="badge warning">1</span></a>'
    assert badge not in page_of(owner_client(study), name, study)
    exclusion_add(study=study, target=study.assessors.first(), reason="clicked through")
    assert badge in page_of(owner_client(study), name, study)


def test_all_pieces_of_the_page_are_given_at_once_and_what_was_decided_is_read():
    study = judged(VALUES)
    client = owner_client(study)
    page = page_of(client, "study_disagreement", study)
    assert "Give all" not in page, "there is nobody to give them to"
    (dora,) = adjudicators_add(study=study, names=["Dora"])
    page = page_of(client, "study_disagreement", study)
    assert "Give all 2 of this page" in page
    shown = re.findall(r'name="shown" value="(\d+)"', page)
    sent = {"adjudicator": dora.pk, "shown": shown, "all": "1"}
    client.post(reverse("adjudications_give", args=[study.slug]), sent)
    assert Adjudication.objects.filter(adjudicator=dora).count() == 2


def test_the_list_of_what_is_decided_says_what_was_decided():
    study = judged(VALUES)
    page_of(owner_client(study), "study_disagreement", study)  # looks at what was judged
    decide(given(study), 2)
    page = page_of(viewer_client(study), "study_disagreement", study, "?show=decided")
    assert re.findall(r"Decided: <bdi>(.*?)</bdi>", page) == ["fluency: step 2"]


def test_the_history_shows_values_as_people_write_them(opened):
    page = page_of(owner_client(opened), "study_audit", opened)
    assert "<bdi>A01, A02</bdi>" in page
    assert "None" not in page
    assert "audit_verify" in page


def test_what_nobody_is_left_to_judge_is_said_in_place_of_a_date():
    study = judged(VALUES)
    client, out = owner_client(study), study.assessors.get(name="p1")
    exclusion_add(study=study, target=out, reason="clicked through")
    study.assessors.update(last_seen_at=timezone.now())
    monitor_refresh(study)
    page = page_of(client, "study_monitor", study)
    assert "4 judgments have nobody who may do them: invite somebody." in page
    assert "these people cannot finish it" in page
    assert "All is well" not in page
    assert "at this pace" not in page
    assert "one person here now" in page, "who is left out is not here to judge"
    link = join_link_set(study=study, rules={})
    assert "nobody who may do them" not in page_of(client, "study_monitor", study), "somebody may come"
    link.delete()
    assert "nobody who may do them" in page_of(client, "study_monitor", study)
    assessors_add(study=study, names=["p3"])
    assert "nobody who may do them" not in page_of(client, "study_monitor", study)
