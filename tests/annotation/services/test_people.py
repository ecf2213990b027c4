"""People who join by themselves, and what can be done with one person: pause, cap, hand on, mail, erase."""

from __future__ import annotations

import json
import socket
import string
from datetime import UTC, datetime, timedelta

import pandas as pd
import pytest
from django.core import mail
from django.core.cache import caches
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotation.analysis.options import ReportOptions
from annotation.analysis.reports import report_build
from annotation.designs import Design
from annotation.errors import Refused
from annotation.export import attribute_rows, judgment_rows
from annotation.languages import INTERFACES
from annotation.models import Assessor, Assignment, AuditEntry, Draft, Exclusion, Judgment
from annotation.selectors.joining import ending_of
from annotation.selectors.people import assessors_to_mail, missing_links
from annotation.selectors.progress import study_progress
from annotation.selectors.runs import newest_data
from annotation.services import mail as mail_services
from annotation.services import persons
from annotation.services.assessors import assessor_link, assessor_links, assessor_revoke, flag_raise
from annotation.services.changes import study_pause
from annotation.services.exclusions import exclusion_add, exclusion_end
from annotation.services.joining import join_link_renew, join_link_set
from annotation.services.links import person_seen
from annotation.study_files.schema import Settings
from tests.annotation.services.test_exclusions import judge, judged, opened
from tests.factories import assessor_client, owner_client, viewer_client
from tests.studies import SEE

pytestmark = pytest.mark.django_db
PROLIFIC = ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")


def pool(**fields):
    return opened(documents=2, assessors=0, design=Design(assessors_per_item=2, pool=True), **fields)


def take_part(link, client=None, consent=True, **parameters):
    """Open the join link as a panel would send somebody, and press the button."""
    client = client or Client()
    address = reverse("take_part", args=[link.code])
    page = client.get(address, parameters)
    if page.status_code == 302:
        return client, page
    sent = {name: parameters[name] for name in parameters} | ({"consent": "on"} if consent else {})
    return client, client.post(address, sent)


# --- joining ------------------------------------------------------------------------------------------------------


def test_somebody_joins_is_kept_with_the_panels_parameters_and_finds_the_same_place_again():
    study = pool()
    link = join_link_set(study=study, rules={"parameters": PROLIFIC})
    panel = {"PROLIFIC_PID": "p-77", "STUDY_ID": "s1", "SESSION_ID": "x", "utm": "no"}
    _, answer = take_part(link, **panel)
    assert answer["Location"] == reverse("work", args=[study.slug])
    assessor = study.assessors.get()
    assert assessor.panel == {"PROLIFIC_PID": "p-77", "STUDY_ID": "s1", "SESSION_ID": "x"}
    again, answer = take_part(link, PROLIFIC_PID="p-77", SESSION_ID="another")
    assert answer.status_code == 302
    assert study.assessors.count() == 1
    assert again.get(reverse("work", args=[study.slug])).status_code == 200


def test_a_parameter_may_have_any_name():
    """Before: where one was called “items”, nobody could join."""
    study = pool()
    link = join_link_set(study=study, rules={"parameters": ["items"]})
    take_part(link, items="p-77")
    assessor = study.assessors.get()
    assert assessor.panel == {"items": "p-77"}
    page = owner_client(study).get(reverse("assessor", args=[study.slug, assessor.pk]))
    assert "p-77" in page.content.decode()


def test_the_same_browser_finds_its_place_where_no_parameter_says_who_it_is():
    study = pool()
    link = join_link_set(study=study, rules={})
    client, _ = take_part(link)
    take_part(link, client)
    assert study.assessors.count() == 1
    take_part(link)
    assert study.assessors.count() == 2


@pytest.mark.parametrize("blank", ["…", "...", "{{%PROLIFIC_PID%}}", "${e://Field/PROLIFIC_PID}", "%PID%"])
def test_people_who_come_by_an_address_that_nobody_filled_in_are_not_one_person(blank):
    """The page shows the address with “…” in it: passed on as it is, everybody had one and the same place."""
    study = pool()
    link = join_link_set(study=study, rules={"parameters": PROLIFIC})
    shown = owner_client(study).get(reverse("study_join", args=[study.slug])).content.decode()
    assert "?PROLIFIC_PID=…&amp;STUDY_ID=…" in shown
    panel = dict.fromkeys(PROLIFIC, blank)
    first, _ = take_part(link, **panel)
    take_part(link, **panel)
    assert study.assessors.count() == 2
    take_part(link, first, **panel)
    assert study.assessors.count() == 2, "the same browser finds its place"
    assert [person.panel for person in study.assessors.all()] == [{}, {}]


@pytest.mark.parametrize("who", [{}, {"PROLIFIC_PID": "…"}])
def test_the_same_browser_finds_its_place_also_where_other_parameters_are_filled_in(who):
    study = pool()
    link = join_link_set(study=study, rules={"parameters": PROLIFIC})
    first, _ = take_part(link, STUDY_ID="s1", **who)
    take_part(link, first, STUDY_ID="s1", **who)
    assert study.assessors.count() == 1
    take_part(link, first, STUDY_ID="s1", PROLIFIC_PID="p2")
    assert study.assessors.count() == 2, "somebody else at the same browser says so"


def test_long_ids_that_begin_alike_are_two_people():
    study = pool()
    link = join_link_set(study=study, rules={"parameters": PROLIFIC})
    for ending in ("a", "b", "a"):
        take_part(link, PROLIFIC_PID="eyJhbGciOiJIUzI1NiJ9." * 12 + ending)
    assert study.assessors.count() == 2


def test_panel_parameters_are_exported_on_request_alone():
    study = pool()
    link = join_link_set(study=study, rules={"parameters": PROLIFIC})
    take_part(link, PROLIFIC_PID="p-77")
    assert "p-77" not in json.dumps(list(attribute_rows(study)))
    row = next(row for row in attribute_rows(study, panel=True) if row["scope"] == "assessor")
    assert (row["name"], row["value"]) == ("PROLIFIC_PID", "p-77")


def test_a_viewer_learns_nothing_by_which_to_come_in_as_somebody_who_joined():
    """Before: the API told the join link, the attributes who had come by it, and both together opened somebody's work."""
    study = pool()
    rules = {"parameters": PROLIFIC, "finished": {"url": "https://panel.example/?cc=PAID", "code": "PAID-77"}}
    link = join_link_set(study=study, rules=rules)
    take_part(link, PROLIFIC_PID="p-77")
    assessor = study.assessors.get()
    attributes = reverse("download_attributes", args=[study.slug])
    pages = [
        attributes,
        f"{attributes}?panel",
        reverse("study_downloads", args=[study.slug]),
        reverse("study_people", args=[study.slug]),
        reverse("study_join", args=[study.slug]),
        reverse("assessor", args=[study.slug, assessor.pk]),
        reverse("api_join", args=[study.slug]),
        reverse("api_assessors", args=[study.slug]),
        reverse("study_audit", args=[study.slug]),
        reverse("download_audit", args=[study.slug, "jsonl"]),
        reverse("api_audit", args=[study.slug]),
    ]
    viewer, owner = viewer_client(study), owner_client(study)
    read = {page: b"".join(viewer.get(page)).decode() for page in pages}
    for secret in ("p-77", link.code, assessor.completion_code, "cc=PAID", "PAID-77"):
        assert not [page for page, text in read.items() if secret in text]
        assert any(secret in b"".join(owner.get(page)).decode() for page in pages)
    assert viewer.get(f"{attributes}?panel").status_code == 403
    assert "?panel" not in read[reverse("study_downloads", args=[study.slug])]


def test_consent_comes_first_and_nobody_is_stored_without_it():
    study = pool(consent="We keep your answers.")
    link = join_link_set(study=study, rules={})
    _, refused = take_part(link, consent=False)
    assert refused.status_code == 422
    assert not study.assessors.exists()
    client, _ = take_part(link)
    assert study.assessors.get().consented_at
    page = client.get(reverse("work", args=[study.slug])).content.decode()
    assert "We keep your answers." not in page, "asked once"


def test_a_cap_and_an_opening_time_hold():
    study = pool()
    later = timezone.now() + timedelta(days=1)
    link = join_link_set(study=study, rules={"opens_at": later})
    assert "This study opens on" in take_part(link)[1].content.decode()
    link = join_link_set(study=study, rules={"cap": 1})
    take_part(link)
    assert "All places in this study are taken" in take_part(link)[1].content.decode()
    assert study.assessors.count() == 1
    link = join_link_set(study=study, rules={}, is_open=False)
    assert "Nobody new can join" in take_part(link)[1].content.decode()


def test_a_script_at_one_address_cannot_fill_a_study_and_others_still_join(monkeypatch):
    caches["throttle"].clear()
    monkeypatch.setattr("annotation.services.newcomers.PLACES", 3)
    study = pool()
    link = join_link_set(study=study, rules={})
    answers = [take_part(link)[1] for _ in range(5)]
    assert [answer.status_code for answer in answers] == [302, 302, 302, 422, 422]
    assert "Too many people have begun from your network" in answers[-1].content.decode()
    take_part(link, Client(REMOTE_ADDR="203.0.113.7"))
    assert study.assessors.count() == 4


def test_groups_fill_by_their_quotas():
    study = pool()
    rules = {"groups": [{"group": "native", "places": 2}, {"group": "learner", "places": 1}]}
    link = join_link_set(study=study, rules=rules)
    for _ in range(4):
        take_part(link)
    assert sorted(study.assessors.values_list("group", flat=True)) == ["learner", "native", "native"]


def test_a_new_address_ends_the_old_one():
    study = pool()
    link = join_link_set(study=study, rules={})
    old = link.code
    join_link_renew(link=link)
    assert Client().get(reverse("take_part", args=[old])).status_code == 404


@pytest.mark.parametrize(
    "rules",
    [
        {"finished": {"url": "javascript:alert(1)"}},
        {"finished": {"url": "https://panel.example/\r\ndone"}},  # no answer could be sent with it
        {"parameters": ["a b"]},
        {"parameters": ["PID", "PID"]},
        {"cap": 0},
        {"groups": [{"group": "a", "places": 1}, {"group": "a", "places": 2}]},
    ],
)
def test_rules_that_cannot_be_meant_are_refused(rules):
    with pytest.raises(Refused):
        join_link_set(study=pool(), rules=rules)


def test_at_the_end_everybody_gets_what_their_outcome_says():
    study = pool()
    rules = {
        "parameters": PROLIFIC,
        "load": 1,
        "finished": {"url": "https://panel.example/done?pid={PROLIFIC_PID}&cc={code}"},
        "failed": {"code": "SORRY"},
        "no_work": {"url": "https://panel.example/nothing"},
    }
    link = join_link_set(study=study, rules=rules)
    client, _ = take_part(link, PROLIFIC_PID="a b")
    worker = study.assessors.get()
    assert ending_of(worker).outcome == "no_work"
    assert ending_of(worker).code == "", "no code without work"
    assert judge(worker) == 1, "the load is one judgment"
    page = client.get(reverse("finished", args=[study.slug]))
    assert page["Refresh"].endswith(f"url=https://panel.example/done?pid=a%20b&cc={worker.completion_code}")
    exclusion_add(study=study, target=worker, reason="failed the checks")
    page = client.get(reverse("finished", args=[study.slug])).content.decode()
    assert "SORRY" in page
    assert worker.completion_code not in page


def test_somebody_with_a_personal_link_and_no_work_gets_no_code():
    study = opened(assessors=3, documents=1, design=Design(assessors_per_item=1))
    idle = next(row for row in study.assessors.all() if not row.assignments.filter(counts=True).exists())
    client = assessor_client(idle)
    client.post(reverse("start", args=[study.slug]))
    page = client.get(reverse("finished", args=[study.slug])).content.decode()
    assert "There is no work for you" in page
    assert idle.completion_code not in page


# --- one person ---------------------------------------------------------------------------------------------------


def test_a_person_is_paused_and_goes_on():
    study = opened(assessors=1)
    assessor = study.assessors.get()
    judge(assessor, most=1)
    client = assessor_client(assessor)
    persons.assessor_pause(assessor=assessor, message="Please call me first.")
    assert "Please call me first." in client.get(reverse("work", args=[study.slug])).content.decode()
    persons.assessor_resume(assessor=assessor)
    assert client.get(reverse("work", args=[study.slug])).status_code == 302


def test_a_cap_ends_what_a_pool_hands_out():
    study = opened(assessors=1, design=Design(assessors_per_item=1, pool=True))
    assessor = study.assessors.get()
    persons.assessor_cap(assessor=assessor, judgments=2)
    assert judge(assessor) == 2
    persons.assessor_cap(assessor=assessor, judgments=None)
    assert judge(assessor) == 2


def test_a_piece_is_given_to_a_chosen_person_who_is_told():
    study = opened(assessors=2, documents=2)
    giver, receiver = study.assessors.all()
    piece = giver.assignments.filter(counts=True).select_related("assessor__study").last()
    persons.assignment_give(assignment=piece, to=receiver)
    client = assessor_client(receiver)
    assert "You were given work" in client.get(reverse("work", args=[study.slug])).content.decode()
    assert "You were given work" not in client.get(reverse("work", args=[study.slug])).content.decode()
    assert (judge(giver), judge(Assessor.objects.get(pk=receiver.pk))) == (1, 3)
    assert study_progress(study).left == 0


def test_a_piece_given_to_nobody_is_wanted_no_more():
    study = opened(assessors=2, documents=2)
    giver = study.assessors.first()
    piece = giver.assignments.filter(counts=True).select_related("assessor__study").last()
    wanted = study_progress(study).wanted
    persons.assignment_give(assignment=piece, to=None)
    assert study_progress(study).wanted == wanted - 1
    with pytest.raises(Refused, match="not done"):
        persons.assignment_give(assignment=piece, to=None)


def test_a_piece_is_not_given_to_whoever_has_it_is_gone_or_left_out():
    study = opened(assessors=3, documents=2, design=Design(assessors_per_item=2))
    giver, second, third = study.assessors.all()
    piece = next(
        row
        for row in giver.assignments.filter(counts=True).select_related("assessor__study")
        if second.assignments.filter(subject=row.subject).exists()
    )
    with pytest.raises(Refused, match="has this piece already"):
        persons.assignment_give(assignment=piece, to=second)
    assessor_link(assessor=third)
    assessor_revoke(assessor=third)
    with pytest.raises(Refused, match="revoked"):
        persons.assignment_give(assignment=piece, to=third)
    with pytest.raises(Refused, match="somebody else"):
        persons.assignment_give(assignment=piece, to=giver)


def test_a_revoked_link_is_not_missing():
    study = opened(assessors=2)
    first = study.assessors.first()
    assert missing_links(study) == 2
    assessor_link(assessor=first)
    assessor_revoke(assessor=first)
    assert missing_links(study) == 1


# --- mail ---------------------------------------------------------------------------------------------------------


def send(study, who="all", **words):
    subject, body = mail_services.mail_template(study)
    return mail_services.links_mail(
        study=study,
        assessors=assessors_to_mail(study, who),
        subject=words.get("subject", subject),
        body=words.get("body", body),
        address=lambda token: f"https://example.org/join/{token}/",
    )


def test_links_go_by_mail_each_to_its_person():
    study = opened(assessors=2)
    ada, _ = study.assessors.all()
    mail_services.assessor_email_set(assessor=ada, email="ada@example.org")
    done = send(study)
    assert (done.sent, done.failed) == (["p1"], [])
    (message,) = mail.outbox
    assert message.to == ["ada@example.org"]
    token = message.body.partition("https://example.org/join/")[2].partition("/")[0]
    assert Client().get(reverse("join", args=[token])).status_code == 302
    assert "ada@example.org" not in str(list(AuditEntry.objects.values()))


@pytest.mark.parametrize("language", sorted(INTERFACES))
def test_a_mail_speaks_the_language_of_the_pages_it_leads_to(language):
    study = opened(assessors=1, settings=Settings(interface=language))
    study.deadline_at = datetime(2030, 5, 7, 12, tzinfo=UTC)
    study.save()
    mail_services.assessor_email_set(assessor=study.assessors.get(), email="ada@example.org")
    subject, body = mail_services.mail_template(study)
    assert subject == {"de": "Ihr Link zu „$study“", "en": "Your link to “$study”"}.get(language, subject)
    # Whoever translates must leave the names that are filled in.
    names = {name for text in (subject, body) for name in string.Template(text).get_identifiers()}
    assert names == set(mail_services.PLACEHOLDERS)
    send(study)
    (message,) = mail.outbox
    assert {"de": "Er gilt bis 7 Mai", "en": "It works until 7 May"}.get(language, "2030") in message.body


def test_somebody_who_was_seen_while_the_clock_was_ahead_is_seen_again():
    """Before: their work stayed theirs, and was handed on to nobody, for as long as the clock had once been ahead."""
    assessor = opened(assessors=1).assessors.get()
    assessor.last_seen_at = timezone.now() + timedelta(days=400)
    assessor.save()
    person_seen(person=assessor)
    assessor.refresh_from_db()
    assert assessor.last_seen_at <= timezone.now()


def test_a_reminder_goes_to_those_who_are_slow():
    study = opened(assessors=2)
    for assessor in study.assessors.all():
        mail_services.assessor_email_set(assessor=assessor, email=f"{assessor.name}@example.org")
        assessor_link(assessor=assessor)
    long_ago = timezone.now() - timedelta(days=10)
    study.assessors.update(token_made_at=long_ago, last_seen_at=long_ago)
    judge(study.assessors.get(name="p1"))
    assert [row.name for row in assessors_to_mail(study, "slow", 3)] == ["p2"]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ({"body": "No way in."}, "must say"),
        ({"subject": " "}, "needs a subject"),
        ({"body": "$link $pasword"}, "pasword"),
    ],
)
def test_a_template_that_cannot_be_meant_is_refused_and_links_stay(words, why):
    study = opened(assessors=1)
    assessor = study.assessors.get()
    mail_services.assessor_email_set(assessor=assessor, email="a@example.org")
    token = assessor_link(assessor=assessor)
    with pytest.raises(Refused, match=why):
        send(study, **words)
    assert Client().get(reverse("join", args=[token])).status_code == 302
    assert mail.outbox == []


def reached_by_mail(study) -> list[str]:
    """Everybody has a mail address, and a link, whose token is returned."""
    for assessor in study.assessors.all():
        mail_services.assessor_email_set(assessor=assessor, email=f"{assessor.name}@example.org")
    return [assessor_link(assessor=assessor) for assessor in study.assessors.all()]


def test_a_mail_server_that_does_not_answer_changes_nobodys_link(settings):
    study = opened(assessors=3)
    tokens = reached_by_mail(study)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT, settings.EMAIL_TIMEOUT = *silent.getsockname(), 0.2
        with pytest.raises(Refused, match="mail server"):
            send(study)
    assert {Client().get(reverse("join", args=[token])).status_code for token in tokens} == {302}


def test_a_slow_mail_server_keeps_nobody_for_long_and_who_is_not_reached_keeps_their_link(monkeypatch):
    study = opened(assessors=2)
    tokens = reached_by_mail(study)
    monkeypatch.setattr(mail_services, "PATIENCE", 0.0)
    done = send(study)
    assert (done.sent, done.failed) == ([], ["p1", "p2"])
    assert {Client().get(reverse("join", args=[token])).status_code for token in tokens} == {302}


@pytest.mark.parametrize("end", ["\n", "\r", "\x0b", "\x1c", "\x85", "\u2028"])
def test_a_subject_is_one_line_and_brings_no_further_header(end):
    study = opened(assessors=1)
    mail_services.assessor_email_set(assessor=study.assessors.get(), email="ada@example.org")
    assert send(study, subject=f"Your link{end}Bcc: others@example.org").failed == []
    (message,) = mail.outbox
    assert message.message()["Bcc"] is None
    assert message.subject == "Your link Bcc: others@example.org"


def test_names_can_be_added_with_their_mail_addresses():
    study = opened()
    client = owner_client(study)
    client.post(reverse("assessors_add", args=[study.slug]), {"names": "Nina <nina@example.org>\nOtto"})
    assert dict(study.assessors.values_list("name", "email"))["Nina"] == "nina@example.org"


def test_many_links_wait_for_the_study_and_its_people_once():
    study = opened(assessors=8)
    people = list(study.assessors.order_by("pk"))

    def queries(number: int) -> int:
        with CaptureQueriesContext(connection) as asked:
            links = assessor_links(assessors=people[:number])
        assert len({token for _, token in links}) == number
        return len(asked)

    queries(1)  # asks the database about itself, once
    assert queries(8) - queries(2) == 6, "each link is one thing to write"
    gone = Assessor.objects.get(pk=people[-1].pk)
    Assessor.objects.filter(pk=gone.pk).update(name="")
    before = set(study.assessors.values_list("token_hash", flat=True))
    with pytest.raises(Refused, match=f"{gone.name} was removed"):
        assessor_links(assessors=people)
    assert set(study.assessors.values_list("token_hash", flat=True)) == before, "all of them or none"


def test_the_page_says_that_an_address_of_this_machine_is_of_no_use_elsewhere():
    study = opened()
    client = owner_client(study)
    page = client.get(reverse("study_people", args=[study.slug]), headers={"host": "127.0.0.1:8000"})
    assert "nobody else can open links" in page.content.decode()
    page = client.get(reverse("study_people", args=[study.slug]))
    assert "nobody else can open links" not in page.content.decode()


# --- erasing ------------------------------------------------------------------------------------------------------


def everything_stored() -> str:
    rows = [list(model.objects.values()) for model in (Assessor, Assignment, Judgment, Draft, Exclusion)]
    return str(rows)


@pytest.mark.parametrize("keep", [False, True])
def test_whoever_is_erased_leaves_no_trace_and_the_report_says_so(keep):
    study = judged(assessors=2, design=Design(assessors_per_item=1))
    Assessor.objects.filter(name="p1").update(
        name="Wilhelmina Unusual", panel={"PID": "w-unusual"}, email="wu@example.org"
    )
    person = study.assessors.get(name="Wilhelmina Unusual")
    flag_raise(assessor=person, comment="I am Wilhelmina Unusual")
    persons.assessor_pause(assessor=person, message="Dear Wilhelmina Unusual, wait for us")
    persons.assessor_resume(assessor=person)
    for target in (person, person.assignments.filter(counts=True, state="done").first()):
        row = exclusion_add(study=study, target=target, reason="Wilhelmina Unusual told us that she slept")
        exclusion_end(exclusion=row)
    persons.assessor_erase(assessor=person, keep_judgments=keep)
    for word in ("Unusual", "w-unusual", "wu@example.org"):
        assert word not in everything_stored()
        assert word not in str(list(AuditEntry.objects.values()))
    rows = pd.DataFrame(judgment_rows(study))
    assert "A01" not in set(rows["assessor"])
    assert len(set(rows["assessor"])) == (2 if keep else 1)
    said = {row["name"]: row["value"] for row in attribute_rows(study) if row["scope"] == "erased"}
    assert said == {"judgments": "2", "kept": str(keep)}
    report = report_build(study, ReportOptions(metrics=("rouge-1-f",)), newest=newest_data(study))
    words = "stay without any trace" if keep else "were erased"
    assert f"An assessor withdrew: 2 judgments {words}" in str(report.data["notes"])


def test_what_goes_with_somebody_is_judged_by_others():
    study = judged(assessors=2, design=Design(assessors_per_item=1, pool=True))
    first, second = study.assessors.all()
    number = Judgment.objects.filter(assignment__assessor=first).count()
    persons.assessor_erase(assessor=first, keep_judgments=False)
    assert judge(second) == number
    assert study_progress(study).left == 0


def test_erasing_asks_for_the_name():
    study = judged(SEE)
    person = study.assessors.first()
    client = owner_client(study)
    url = reverse("assessor_erase", args=[study.slug, person.pk])
    assert client.post(url, {"judgments": "erase", "name": "somebody"}).status_code == 422
    assert study.assessors.count() == 2
    assert client.post(url, {"judgments": "erase", "name": person.name}).status_code == 302
    assert study.assessors.count() == 1


def test_nobody_joins_a_paused_study():
    study = pool()
    link = join_link_set(study=study, rules={})
    study_pause(study=study, message="")
    assert "at the moment" in take_part(link)[1].content.decode()
