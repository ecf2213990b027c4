"""Experimenters' pages: English, until a catalogue of their words is given."""

import json
import re

import pytest
from django.test import Client, override_settings
from django.urls import reverse
from django.utils import translation

from annotation import words
from annotation.analysis.refreshing import monitor_refresh
from annotation.designs import Design
from annotation.models import AuditEntry
from annotation.services.simulation import study_simulate
from annotation.services.studies import study_close, study_open
from annotation.templatetags.history import as_recorded
from tests import catalogues
from tests.factories import owner_client
from tests.studies import SEE, TIDES, make_study

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
PAGES = [
    "study",
    "study_items",
    "study_people",
    "study_plan",
    "study_monitor",
    "study_judgments",
    "study_results",
]
PAGES += ["study_disagreement", "study_exclusions", "study_materials", "study_settings", "study_change"]


@pytest.fixture
def german(tmp_path):
    """A catalogue in which every sentence stands in brackets."""
    catalogue = catalogues.stored("de", catalogues.EXPERIMENTERS)
    for key in catalogues.marked(catalogues.EXPERIMENTERS):
        catalogue.add(key, f"⟦{key}⟧" if isinstance(key, str) else tuple(f"⟦{form}⟧" for form in key))
    path = tmp_path / "de" / "LC_MESSAGES" / "django.mo"
    path.parent.mkdir(parents=True)
    path.write_bytes(catalogues.as_mo(catalogue))
    with override_settings(LOCALE_PATHS=[tmp_path]):
        words._said.cache_clear()
        yield
    words._said.cache_clear()


def test_without_a_catalogue_every_browser_gets_english():
    page = Client(headers={"accept-language": "de"}).get(reverse("login")).content.decode()
    assert '<html lang="en"' in page and "<h1>Log in</h1>" in page and "Zum Inhalt" not in page


def test_with_a_catalogue_browsers_of_its_language_get_it_and_others_english(german):
    said = {
        language: Client(headers={"accept-language": language}).get(reverse("login")).content.decode()
        for language in ("de", "fr", "en")
    }
    assert '<html lang="de"' in said["de"] and "<h1>⟦Log in⟧</h1>" in said["de"]
    assert all('<html lang="en"' in said[other] and "⟦" not in said[other] for other in ("fr", "en"))


def test_pages_of_a_study_speak_it_and_numbers_of_their_markup_stay_numbers(german):
    study = make_study(SEE, TIDES, documents=3)
    study_simulate(study=study, seed=2)
    client = owner_client(study)
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "de"
    for name in PAGES:
        page = client.get(reverse(name, args=[study.slug])).content.decode()
        assert '<html lang="de"' in page and page.count("⟦") > 10, name
        main = re.sub(r"<(code|pre|option|script)\b.*?</\1>", "", page, flags=re.DOTALL)
        assert not re.search(r'\b(value|max|min|[xy][12]?|c[xy]|width|height)="-?\d+,\d', main), name
    assert "⟦" not in client.get("/api/v1/studies/nothing/").content.decode()


def test_forms_messages_and_refusals_speak_it_and_what_is_stored_stays_english(german):
    study = make_study(SEE)
    client = owner_client(study)
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "de"
    people = client.get(reverse("study_people", args=[study.slug])).content.decode()
    assert "⟦Names⟧" in people and ">⟦People⟧</a>" in people
    said = client.post(reverse("study_close", args=[study.slug]), {"sure": "on"}, follow=True)
    assert "⟦Only an open study can be closed.⟧" in said.content.decode()
    said = client.post(reverse("assessors_add", args=[study.slug]), {"names": "Ann\nAnn"})
    assert "⟦A name is there twice.⟧" in said.content.decode()
    client.post(reverse("study_overlap", args=[study.slug]), {"to": 2})
    entries = list(AuditEntry.objects.values_list("target", "before", "after"))
    assert len(entries) > 1 and "⟦" not in json.dumps(entries, ensure_ascii=False)


def test_a_draft_that_was_looked_at_in_one_language_is_told_in_another(german):
    """What is worked out of a draft once is kept, with its words."""
    study = make_study(SEE, assessors=0)
    client = owner_client(study)
    for name in ("study_plan", "build_check"):
        said = {
            language: client.get(
                reverse(name, args=[study.slug]), headers={"accept-language": language}
            ).content.decode()
            for language in ("de", "en")
        }
        assert "⟦There are no assessors yet." in said["de"], name
        assert "There are no assessors yet." in said["en"] and "⟦" not in said["en"], name


def test_words_within_sentences_and_tables_speak_it_too(german):
    draft = make_study(SEE)
    client = owner_client(draft)
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "de"
    said = client.post(
        reverse("study_texts", args=[draft.slug]), {"instructions": "Read all of it."}, follow=True
    )
    assert "⟦Saved.⟧" in said.content.decode()
    study_open(study=draft)
    study_close(study=draft)
    monitor = client.get(reverse("study_monitor", args=[draft.slug])).context["monitor"]
    assert monitor.headline.startswith("⟦0 of ⟦4 judgments⟧⟧; ") and "; ⟦closed⟧. " in monitor.headline
    with translation.override("de"):
        assert as_recorded([True, False]) == "⟦yes⟧, ⟦no⟧"


def test_the_monitor_of_a_study_that_is_judged_speaks_it(german):
    study = make_study(TIDES, documents=12, design=Design(assessors_per_item=2))
    study_simulate(study=study, seed=2)
    monitor_refresh(study)
    client = owner_client(study)
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "de"
    monitor = client.get(reverse("study_monitor", args=[study.slug])).context["monitor"]
    assert "; ⟦agreement " in monitor.headline
    assert {person.pace for person in monitor.people} == {"⟦done⟧"}
