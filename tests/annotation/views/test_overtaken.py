"""Two editors who have the same page before them: whoever saves second is told, and takes nothing back."""

from __future__ import annotations

import pytest
from django.urls import reverse

from annotation.designs import Design
from annotation.services.studies import study_open
from tests.factories import owner_client
from tests.studies import SEE, make_study

pytestmark = pytest.mark.django_db

POOL = Design(assessors_per_item=2, pool=True)


def sent_by(page, form: str = "form") -> dict[str, str]:
    """What a browser would send of a form as it is on this page, with what the page had seen of the study."""
    name = {"details_form": "details_seen", "texts_form": "texts_seen"}.get(form, "seen")
    fields = page.context[form]
    values = {field: fields[field].value() for field in fields.fields}
    kept = {field: value for field, value in values.items() if value not in (None, False)}
    return kept | {"seen": page.context[name]}


def test_of_two_editors_of_a_page_the_second_is_told_and_takes_nothing_back():
    """Before: whoever saved an older page put everything on it back to what it was, and neither was told."""
    study = make_study(SEE, design=POOL)
    study_open(study=study)
    ann, ben = owner_client(study), owner_client(study)
    page, texts = reverse("study_change", args=[study.slug]), reverse("study_texts", args=[study.slug])
    before = ben.get(page)
    assert before.content.decode().count('name="seen"') == 2
    ann.post(
        reverse("study_details", args=[study.slug]), {"name": "Ann’s", "deadline_at": "2050-01-01T10:00"}
    )
    late = ben.post(
        reverse("study_details", args=[study.slug]),
        sent_by(before, "details_form") | {"contact": "ben@example.org"},
        follow=True,
    )
    assert "Somebody else has changed this in the meantime" in late.content.decode()
    study.refresh_from_db()
    assert (study.name, study.contact, study.deadline_at is None) == ("Ann’s", "", False)

    ann.post(texts, {"instructions": "Ann’s words."})
    late = ben.post(texts, sent_by(before, "texts_form") | {"consent": "Ben’s consent."})
    shown = late.content.decode()
    assert late.status_code == 422
    assert "yours is not saved" in shown
    assert '<pre class="as-written">Ann’s words.' in shown
    assert "Ben’s consent." in shown
    study.refresh_from_db()
    assert (study.instructions, study.consent) == ("Ann’s words.\n", "")
    assert ben.post(texts, sent_by(late, "texts_form")).status_code == 302, "having seen it, they may"


def test_a_join_link_that_somebody_closes_is_not_opened_by_an_older_page():
    """Before: it was open again, without its cap."""
    study = make_study(SEE, design=POOL)
    ann, ben = owner_client(study), owner_client(study)
    address = reverse("study_join", args=[study.slug])
    ann.post(address, sent_by(ann.get(address)))
    before = ben.get(address)
    ann.post(address, {"cap": "3"})
    late = ben.post(address, sent_by(before) | {"load": "5"}, follow=True)
    assert "Somebody else has changed this in the meantime" in late.content.decode()
    study.refresh_from_db()
    assert (study.join_link.is_open, study.join_link.rules["cap"]) == (False, 3)
    ben.post(address, sent_by(late) | {"load": "5"})
    study.join_link.refresh_from_db()
    assert (study.join_link.is_open, study.join_link.rules["load"]) == (False, 5)


def test_a_text_that_two_cut_stays_as_the_first_has_cut_it_until_the_second_has_seen_it():
    study = make_study(SEE)
    ann, ben = owner_client(study), owner_client(study)
    text = study.outputs.first()
    address = reverse("study_units", args=[study.slug, "output", text.pk])
    before = ben.get(address)
    ann.post(address, {"units": "Peer 0\nsays d1.\nAnd more."})
    late = ben.post(address, sent_by(before) | {"units": "Peer 0 says d1. And more."}, follow=True)
    assert "Somebody else has changed this in the meantime" in late.content.decode()
    text.refresh_from_db()
    assert text.units == ["Peer 0", "says d1.", "And more."]


def test_a_page_that_comes_back_with_a_fault_is_as_old_as_it_was():
    """Before: it came back as if its editor had seen what somebody else had saved meanwhile, and took it back."""
    study = make_study(SEE, design=POOL)
    ann, ben = owner_client(study), owner_client(study)
    text = study.outputs.first()
    pages = [
        ("study_change", "study_details", "details_form", {"name": "Ann’s"}, {"name": ""}),
        ("study_join", "study_join", "form", {"is_open": "on", "cap": "3"}, {"cap": "-1"}),
        ("build_words", "build_words", "form", {"name": "Of Ann"}, {"name": ""}),
        ("build_design", "build_design", "form", {"assessors_per_item": "3"}, {"assessors_per_item": "0"}),
        ("build_checks", "build_checks", "form", {"repeats": "10"}, {"repeats": "90"}),
    ]
    for page, save, form, change, fault in pages:
        shown, address = reverse(page, args=[study.slug]), reverse(save, args=[study.slug])
        before = ben.get(shown)
        assert ann.post(address, sent_by(ann.get(shown), form) | change).status_code == 302, page
        back = ben.post(address, sent_by(before, form) | fault)
        assert back.status_code == 422, page
        # Ben mends what he was told of, and nothing else.
        mended = {name: sent_by(before, form)[name] for name in fault if name in sent_by(before, form)}
        again = {name: value for name, value in sent_by(back, form).items() if name not in fault}
        late = ben.post(address, again | mended, follow=True)
        assert "Somebody else has changed this in the meantime" in late.content.decode(), page
    address = reverse("study_units", args=[study.slug, "output", text.pk])
    before = ben.get(address)
    ann.post(address, {"units": "Peer 0\nsays d1.\nAnd more."})
    back = ben.post(address, sent_by(before) | {"units": ""})
    late = ben.post(address, sent_by(back) | {"units": "Peer 0 says d1. And more."}, follow=True)
    assert "Somebody else has changed this in the meantime" in late.content.decode()
