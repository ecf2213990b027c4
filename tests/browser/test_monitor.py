"""The monitor in a real browser: it follows by itself, names who is careless, and leads to leaving them out."""

from __future__ import annotations

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotation.analysis.refreshing import monitor_refresh
from annotation.designs import Design
from annotation.models import Exclusion, Monitor
from annotation.services.assessors import assessor_start
from annotation.services.studies import study_open
from tests.annotation.test_trial_study import CARELESS, TRUE, everybody_judges
from tests.browser.test_manage import at_desk  # noqa: F401 - a fixture
from tests.factories import member
from tests.reports import OVERALL
from tests.studies import make_study

pytestmark = pytest.mark.django_db(transaction=True)


def test_the_monitor_follows_names_the_careless_one_and_leads_to_leaving_them_out(at_desk, check_access):  # noqa: F811
    study = make_study(
        OVERALL, documents=12, systems=tuple(TRUE), assessors=5, design=Design(assessors_per_item=3)
    )
    study_open(study=study)
    for assessor in study.assessors.all():
        assessor_start(assessor=assessor, consented=True)
    page = at_desk(member(study, username="erika"))
    page.goto(reverse("study_monitor", args=[study.slug]))
    expect(page.get_by_text("too early to speak of agreement")).to_be_visible()

    everybody_judges(study, most=12)
    monitor_refresh(study)
    # The page asks again when it comes into sight; nobody loads it anew.
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    warning = page.locator(".monitor-warning", has_text=f"{CARELESS} looks careless")
    expect(warning).to_be_visible()
    expect(page.get_by_text("α =").first).to_be_visible()
    check_access(page, "monitor")

    page.get_by_role("link", name="Read judgments").click()
    expect(page.get_by_text("people differ by").first).to_be_visible()
    check_access(page, "judgments")
    page.go_back()

    page.get_by_role("link", name=f"Leave {CARELESS} out").click()
    expect(page.get_by_label("Reason")).to_have_value(
        "looks careless: too fast and does not agree with the others"
    )
    assert not Exclusion.objects.exists()  # nothing happens before somebody has said so
    page.get_by_role("button", name="Leave it out").click()
    expect(page.get_by_text("Left out. Scores")).to_be_visible()
    monitor_refresh(study)
    page.goto(reverse("study_monitor", args=[study.slug]))
    expect(page.get_by_text("left out of results").first).to_be_visible()
    expect(page.locator(".monitor-warning", has_text="looks careless")).to_have_count(0)
    assert Monitor.objects.get(study=study).snapshot["tables"]["quality"]["careless"] == []
