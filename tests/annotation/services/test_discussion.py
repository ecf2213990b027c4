"""Threads between an assessor and the experimenter: flags can be answered, and the assessor sees the answer."""

from __future__ import annotations

from functools import partial

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.errors import Refused
from annotation.models import Assessor, AuditEntry, Flag, Reply
from annotation.selectors.discussion import thread_of, threads_of
from annotation.services.assessors import assessor_start, flag_raise
from annotation.services.discussion import NamesASystem, reply_send
from annotation.services.persons import assessor_erase
from annotation.services.studies import study_open
from annotation.services.work import assignment_next
from tests.factories import assessor_client, owner_client
from tests.studies import SEE, make_study
from tests.together import at_once

pytestmark = pytest.mark.django_db


@pytest.fixture
def flag():
    study = make_study(SEE)
    study_open(study=study)
    assessor = study.assessors.select_related("study").first()
    assessor_start(assessor=assessor, consented=True)
    return flag_raise(
        assessor=assessor, assignment=assignment_next(assessor=assessor), comment="<b>Cut off?</b>"
    )


def test_an_answer_settles_the_thread_until_the_assessor_writes_back(flag):
    study, client = flag.assessor.study, owner_client(flag.assessor.study)
    page = reverse("study_flags", args=[study.slug])
    assert "&lt;b&gt;Cut off?" in client.get(page).content.decode()
    sent = client.post(
        reverse("flag_answer", args=[study.slug, flag.pk]), {"comment": "<i>Judge what is there.</i>"}
    )
    assert sent.status_code == 302
    assert "Cut off?" not in client.get(page).content.decode()
    assert "&lt;i&gt;Judge what is there." in client.get(page + "?settled").content.decode()
    flag_raise(assessor=flag.assessor, assignment=flag.assignment, comment="And the title?")
    assert "And the title?" in client.get(page).content.decode()
    assert [word.text for word in thread_of(flag.assignment)] == [
        "<b>Cut off?</b>",
        "<i>Judge what is there.</i>",
        "And the title?",
    ]
    said = list(AuditEntry.objects.filter(chain=study.pk, action__startswith="flag.").order_by("number"))
    assert [entry.action for entry in said] == ["flag.raise", "flag.answer", "flag.raise"]
    assert "Judge" not in str([entry.after for entry in said])  # nobody's words stay in the history


def test_the_assessor_sees_a_mark_until_the_answer_is_read_and_can_write_back(flag):
    reply_send(flag=flag, comment="Judge what is there.")
    study, client = flag.assessor.study, assessor_client(flag.assessor)
    item = reverse("item", args=[study.slug, flag.assignment.public_id])
    assert "⚑ answered" in client.get(item).content.decode()
    messages = reverse("messages", args=[study.slug])
    page = client.get(messages).content.decode()
    assert "new answer" in page
    assert "Judge what is there." in page
    assert "new answer" not in client.get(messages).content.decode()
    assert "⚑ answered" not in client.get(item).content.decode()
    client.post(messages, {"item": flag.assignment.public_id, "comment": "Thanks."})
    assert Flag.objects.filter(assignment=flag.assignment).count() == 2
    other = assessor_client(study.assessors.last())
    assert other.post(messages, {"item": flag.assignment.public_id, "comment": "x"}).status_code == 404
    assert "Judge what is there." not in other.get(messages).content.decode()


def test_opening_the_thread_on_the_items_page_is_reading_it(flag):
    reply_send(flag=flag, comment="Judge what is there.")
    client = assessor_client(flag.assessor)
    url = reverse("messages_read", args=[flag.assessor.study.slug, flag.assignment.public_id])
    assert client.post(url, {}, content_type="application/json").status_code == 200
    assert not Reply.objects.filter(read_at=None).exists()
    assert Assessor.objects.get(pk=flag.assessor_id).answers_unread == 0


def test_an_answer_that_names_a_system_is_sent_only_if_that_is_meant(flag):
    with pytest.raises(NamesASystem):
        reply_send(flag=flag, comment="That one is by QX31.")
    reply_send(flag=flag, comment="Not qx31s.")  # another word
    reply_send(flag=flag, comment="QX31 is also a road.", names_are_fine=True)
    assert Reply.objects.count() == 2


def test_threads_are_bounded_and_go_with_the_person(flag, monkeypatch):
    monkeypatch.setattr("annotation.services.discussion.MOST", 1)
    monkeypatch.setattr("annotation.services.assessors.MOST_FLAGS", 1)
    with pytest.raises(Refused):
        reply_send(flag=flag, comment="x" * 5001)
    reply_send(flag=flag, comment="One.")
    with pytest.raises(Refused):
        reply_send(flag=flag, comment="Two.")
    with pytest.raises(Refused):
        flag_raise(assessor=flag.assessor, assignment=flag.assignment, comment="Again.")
    flag_raise(assessor=flag.assessor, comment="In general.")
    assert len(threads_of(flag.assessor)) == 2
    assessor_erase(assessor=flag.assessor, keep_judgments=True)
    assert not Reply.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_the_bound_holds_for_messages_that_are_sent_at_once(monkeypatch):
    monkeypatch.setattr("annotation.services.assessors.MOST_FLAGS", 3)
    assessor = make_study(SEE).assessors.select_related("study").first()

    def say(words: str) -> bool:
        try:
            return bool(flag_raise(assessor=assessor, comment=words))
        except Refused:
            return False

    # The same words are sent again where their answer is lost: they were said once.
    assert all(at_once(*[partial(say, "Broken.")] * 4))
    assert Flag.objects.count() == 1
    assert sum(at_once(*[partial(say, f"And {number}.") for number in range(8)])) == 2
    assert Flag.objects.count() == 3
    Flag.objects.update(settled_at=timezone.now())
    assert not say("Broken.")  # the experimenter has settled it, so that it is another word
