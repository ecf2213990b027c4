"""The monitor in a real browser: it follows by itself, names who is careless, and leads to leaving them out; what people differ on is
talked about and decided."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from annotation.analysis.refreshing import monitor_refresh
from annotation.designs import Design
from annotation.models import Decision, Exclusion, Monitor, Study
from annotation.services.assessors import assessor_start
from annotation.services.disagreement import disagreement_look
from annotation.services.studies import study_open
from annotation.services.work import assignment_next
from tests.annotation.services.test_adjudication import RATING, record
from tests.annotation.test_trial_study import CARELESS, TRUE, everybody_judges
from tests.browser.conftest import ready
from tests.browser.test_manage import at_desk  # noqa: F401 - a fixture
from tests.factories import member
from tests.reports import OVERALL
from tests.studies import make_study, study_file

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


LONG = "A sentence that goes on for a while and says little, as sentences of machines do. " * 40
ARABIC = "قال الوزير إن المفاوضات ستستمر حتى نهاية الأسبوع. ولم يذكر تفاصيل أخرى."
JAPANESE = "首相は会談のあと、交渉は週末まで続くと述べた。詳細は明らかにしなかった。"


def differing() -> Study:
    """Two people, three texts (long, Arabic, Japanese) of two systems; they differ, and the first has one piece left."""
    texts = (LONG, ARABIC, JAPANESE)
    materials = study_file(documents=3).materials
    outputs = tuple(
        row.model_copy(update={"units": None, "text": texts[int(row.document[1:]) - 1]})
        for row in materials.outputs
    )
    study = make_study(RATING, materials=replace(materials, outputs=outputs))
    study_open(study=study)
    for number, assessor in enumerate(study.assessors.select_related("study").order_by("-pk")):
        assessor_start(assessor=assessor, consented=True)
        for _ in range(6 - number):
            record(assignment_next(assessor=assessor), {"values": {"fluency": 5 if number else 1}})
    disagreement_look(study=study)
    return study


def test_what_people_differ_on_is_talked_about_and_decided(at_desk, come_in, new_context, check_access):  # noqa: F811
    """Both sides of a discussion, and an adjudicator who reads what was judged and decides: one study, one server."""
    study = differing()
    assessor = come_in(study.assessors.select_related("study").first())
    assessor.locator("details.menu summary").click()
    assessor.get_by_role("button", name="Flag this item").click()
    assessor.get_by_label("What is wrong with it?").fill("هل هذا النص كامل؟ It seems to be cut off.")
    assessor.get_by_role("dialog").get_by_role("button", name="Send").click()
    expect(assessor.locator("#flagged")).to_be_visible()

    desk = at_desk(member(study, username="erika"))
    desk.goto(reverse("study_flags", args=[study.slug]))
    expect(desk.get_by_text("It seems to be cut off.")).to_be_visible()
    desk.locator("summary", has_text="Answer").click()
    check_access(desk, "flags")
    desk.get_by_label("Your words").fill("It is complete. Judge it as it is.")
    desk.get_by_role("button", name="Send").click()
    expect(desk.get_by_text("Sent to p1.")).to_be_visible()
    desk.get_by_role("link", name="Settled").click()
    expect(desk.get_by_text("not read by them yet")).to_be_visible()

    assessor.reload()
    ready(assessor)
    assessor.get_by_role("link", name="⚑ answered").click()
    expect(assessor.get_by_text("It is complete. Judge it as it is.")).to_be_visible()
    check_access(assessor, "messages of an assessor")
    assessor.get_by_label("Write back").fill("Thank you.")
    assessor.get_by_role("button", name="Send").click()
    desk.get_by_role("link", name="Open", exact=True).click()
    expect(desk.get_by_text("Thank you.")).to_be_visible()

    desk.goto(reverse("study_disagreement", args=[study.slug]))
    desk.locator("summary", has_text="Add adjudicators").click()
    desk.get_by_label("Names").fill("Dora")
    desk.get_by_role("button", name="Add, and make their links").click()
    link = desk.get_by_label("Dora", exact=True).input_value()
    desk.get_by_role("checkbox").first.check()
    check_access(desk, "disagreement")
    desk.get_by_role("button", name="Give", exact=True).click()
    expect(desk.get_by_role("link", name="Given 1")).to_be_visible()

    dora = new_context().new_page()
    dora.goto(link)
    check_access(dora, "what there is to decide")
    dora.get_by_role("link", name="Begin").click()
    ready(dora)
    expect(dora.get_by_role("complementary", name="What others judged")).to_be_visible()
    check_access(dora, "deciding")
    dora.get_by_role("radiogroup").get_by_text("step 2", exact=True).click()
    dora.locator("[data-primary]").click()
    expect(dora.get_by_text("There is nothing left to decide")).to_be_visible()
    desk.goto(f"{reverse('study_disagreement', args=[study.slug])}?show=decided")
    expect(desk.get_by_role("link", name="Decided 1")).to_be_visible()
    assert Decision.objects.get().answer["values"] == {"fluency": 2}
    check_access(desk, "decided")
