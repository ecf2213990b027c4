"""What comes after somebody was erased, left out or has changed their mind, and words that cannot be meant."""

from __future__ import annotations

import logging
import smtplib
from datetime import UTC, datetime

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.designs import Design
from annotation.errors import Refused
from annotation.models import Assignment, Judgment, Subject
from annotation.selectors.joining import ending_of
from annotation.selectors.progress import study_progress
from annotation.services import mail, persons
from annotation.services.assessors import assessor_create
from annotation.services.changes import study_details_change, study_texts_change
from annotation.services.exclusions import exclusion_add
from annotation.services.joining import join_link_set
from annotation.services.retention import assessors_forget
from tests.annotation.services.test_exclusions import judged, opened
from tests.annotation.services.test_people import pool, take_part
from tests.factories import owner_client

pytestmark = pytest.mark.django_db


def test_somebody_can_join_after_another_was_erased_and_gets_a_pseudonym_that_nobody_had():
    study = judged(assessors=3)
    first, *_, last = study.assessors.order_by("pk")
    for gone in (first, last):
        persons.assessor_erase(assessor=gone, keep_judgments=False)
    new = [assessor_create(study=study, name=name).pseudonym for name in ("Dora", "Emil")]
    assert new == ["A04", "A05"]


def test_a_piece_that_is_left_out_is_given_to_nobody():
    study = opened(documents=2, assessors=3, design=Design(assessors_per_item=1))
    giver, taker, _ = study.assessors.all()
    piece = giver.assignments.filter(counts=True).first()
    exclusion_add(study=study, target=giver, reason="A robot.")
    for to in (None, taker):
        with pytest.raises(Refused, match="left out"):
            persons.assignment_give(assignment=piece, to=to)
    assert not Subject.objects.filter(taken__lt=0).exists()


@pytest.mark.parametrize("to", ["", "-1", "everybody", "9" * 5000])
def test_a_piece_goes_to_nobody_only_where_that_is_said(to):
    study = opened(documents=2, assessors=2)
    piece = study.assessors.first().assignments.filter(counts=True).first()
    page = owner_client(study).post(reverse("assignment_give", args=[study.slug, piece.pk]), {"to": to})
    assert page.status_code in {302, 404}
    piece.refresh_from_db()
    assert piece.state == Assignment.State.OPEN


def test_whoever_joined_and_has_not_begun_is_asked_for_a_consent_that_has_changed():
    study = pool(consent="We keep your answers.")
    client, _ = take_part(join_link_set(study=study, rules={}))
    study_texts_change(study=study, instructions=study.instructions, consent="We sell your answers.")
    page = client.get(reverse("work", args=[study.slug])).content.decode()
    assert "We sell your answers." in page
    client.post(reverse("start", args=[study.slug]))
    assert study.assessors.get().started_at is None
    client.post(reverse("start", args=[study.slug]), {"consent": "on"})
    assert study.assessors.get().started_at


def test_whoever_joined_is_not_asked_again_where_only_the_instructions_have_changed():
    study = pool(consent="We keep your answers.")
    client, _ = take_part(join_link_set(study=study, rules={}))
    study_texts_change(study=study, instructions="Read twice.", consent=f"{study.consent}\r\n")
    assert study.assessors.get().consented_at
    client.post(reverse("start", args=[study.slug]))
    study_texts_change(study=study, instructions="Read thrice.", consent=study.consent)
    page = client.get(reverse("work", args=[study.slug])).content.decode()
    assert "Read thrice." in page
    assert "We keep your answers." not in page


@pytest.mark.parametrize(
    "rules",
    [
        {"finished": {"url": "https://panel.example/\r\nSet-Cookie: a=b"}},
        {"finished": {"url": "https://panel.example/a b"}},
        {"finished": {"url": "https://{PID}/done"}, "parameters": ["PID"]},
        {"finished": {"url": "https://panel.example:{PID}@elsewhere/"}, "parameters": ["PID"]},
        {"opens_at": "0001-01-01T00:00:00+14:00"},
        {"opens_at": "9999-12-31T23:59:00-12:00"},
    ],
)
def test_addresses_and_times_that_lead_nowhere_are_refused(rules):
    with pytest.raises(Refused):
        join_link_set(study=pool(), rules=rules)


def test_a_parameter_stands_in_the_path_and_after_the_question_mark():
    study = pool()
    url = "https://panel.example/{PID}?who={PID}&cc={code}"
    link = join_link_set(study=study, rules={"parameters": ["PID"], "no_work": {"url": url}})
    take_part(link, PID="a/../b&c")
    said = ending_of(study.assessors.get()).url
    assert said == "https://panel.example/a%2F..%2Fb%26c?who=a%2F..%2Fb%26c&cc="


def test_a_number_of_places_without_end_is_no_number():
    study = pool()
    sent = {"groups": "native: " + "9" * 5000}
    assert owner_client(study).post(reverse("study_join", args=[study.slug]), sent).status_code == 422


def test_a_parameter_with_a_nul_is_kept_without_it():
    study = pool()
    link = join_link_set(study=study, rules={"parameters": ["PID"]})
    answer = Client().post(reverse("take_part", args=[link.code]), {"PID": "p\0-77"})
    assert answer.status_code == 302
    assessor = study.assessors.get()
    assert (assessor.panel, assessor.panel_key) == ({"PID": "p-77"}, "p-77")


def test_a_deadline_beyond_the_calendar_is_refused():
    study = opened()
    far = datetime.fromisoformat("9999-12-31T23:59:00-12:00")
    with pytest.raises(Refused, match="deadline"):
        study_details_change(study=study, name=study.name, contact="", deadline_at=far)


def test_a_mail_address_that_cannot_be_stored_is_refused():
    study = opened(assessors=1)
    assessor = study.assessors.get()
    long = f"{'a' * 290}@example.org"
    with pytest.raises(Refused, match="mail address"):
        mail.assessor_email_set(assessor=assessor, email=long)
    client = owner_client(study)
    sent = client.post(reverse("assessors_add", args=[study.slug]), {"names": f"Zoe <{long}>"})
    assert sent.status_code == 422
    client.post(reverse("assessor_email", args=[study.slug, assessor.pk]), {"email": long})
    assert set(study.assessors.values_list("email", flat=True)) == {""}


def test_the_log_of_a_mail_that_failed_names_nobody(monkeypatch, caplog):
    study = opened(assessors=1)
    assessor = study.assessors.get()
    mail.assessor_email_set(assessor=assessor, email="ada@example.org")

    def refuse(self):
        raise smtplib.SMTPRecipientsRefused({"ada@example.org": (550, b"no such mailbox ada@example.org")})

    monkeypatch.setattr(mail.EmailMessage, "send", refuse)
    subject, body = mail.mail_template(study)
    with caplog.at_level(logging.DEBUG):
        done = mail.links_mail(
            study=study, assessors=[assessor], subject=subject, body=body, address=lambda token: token
        )
    assert done.failed == [assessor.name]
    assert "SMTPRecipientsRefused" in caplog.text
    assert "ada@example.org" not in caplog.text


def test_after_a_while_also_those_are_forgotten_who_were_called_by_their_pseudonym():
    study = opened(assessors=1)
    known = {
        "name": "A01",
        "pseudonym": "A01",
        "email": "ada@example.org",
        "panel": {"PID": "p"},
        "panel_key": "p",
    }
    study.assessors.update(**known, token_hash="0" * 64, token_made_at=timezone.now())
    study.state, study.closed_at = study.State.CLOSED, datetime(2020, 1, 1, tzinfo=UTC)
    study.save()
    assert assessors_forget(days=30) == 1
    assessor = study.assessors.get()
    assert (assessor.email, assessor.panel, assessor.panel_key, assessor.token_hash) == ("", {}, None, None)
    assert assessors_forget(days=30) == 0


def test_times_of_those_who_are_left_out_say_nothing_of_the_time_that_is_left():
    study = judged(assessors=2, design=Design(assessors_per_item=2))
    robot, person = study.assessors.all()
    Judgment.objects.filter(assignment__assessor=robot).update(seconds=1)
    Judgment.objects.filter(assignment__assessor=person).update(seconds=101)
    assert study_progress(study).tasks[0].seconds == pytest.approx(51)
    exclusion_add(study=study, target=robot, reason="A robot.")
    task = study_progress(study).tasks[0]
    assert (task.seconds, task.timed) == (101, person.assignments.filter(counts=True).count())
