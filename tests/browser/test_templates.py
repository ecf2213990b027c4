"""Every template from pasted cells to a report: built, opened and begun in a browser, as people would, with a long, an Arabic and
a Japanese text.

One browser, one server and one database serve all templates, and what is the same for each (the rest of the assessors' work) goes
through the services behind the pages: what differs between templates is what is looked at here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypedDict

import pytest
from django.urls import reverse
from playwright.sync_api import Page, ViewportSize, expect

from annotation.analysis.options import ReportOptions
from annotation.analysis.reports import report_build
from annotation.models import Judgment, Study
from annotation.selectors.runs import newest_data
from annotation.services.assessors import assessor_link, assessors_add
from annotation.services.simulation import study_simulate
from annotation.services.studies import study_open
from annotation.tasks import TEMPLATES
from tests.browser.conftest import NARROW, WIDE, glance, ready
from tests.factories import experimenter, logged_in

pytestmark = pytest.mark.django_db(transaction=True)

HEAD = ("doc_id", "event", "question", "source", "reference", "system", "summary")
LONG = (
    "The ferries stayed in port that day, and nobody crossed the sound before the wind had gone down. " * 40
)
ARABIC = "بقيت العبّارات في الميناء. لم يعبر أحد المضيق قبل أن تهدأ الريح."
JAPANESE = "フェリーは港にとどまった。風がやむまで誰も海峡を渡らなかった。"
STORIES = (
    ("ferries", "storm", "Why did nobody cross?", LONG, "Ferries stayed in port. The wind was strong."),
    ("عبّارات", "storm2", "لماذا لم يعبر أحد؟", ARABIC, "بقيت العبّارات في الميناء. كانت الريح قوية."),
)
SYSTEMS = {
    "lead": ("No ferry left. " + LONG[:400] + ".", ARABIC),
    "extract": ("The ferries stayed in port. The wind blew.", "لم يعبر أحد. كانت الريح قوية."),
    "abstract": (JAPANESE, JAPANESE),
}
ROWS = [(*story, system, texts[d]) for d, story in enumerate(STORIES) for system, texts in SYSTEMS.items()]
PASTED = "\n".join("\t".join(row) for row in (HEAD, *ROWS))
FEW = ReportOptions(metrics=("chrf",), n_resamples=100)


# --- one item of each kind by hand ----------------------------------------------------------------------------------


def keys(page: Page, *pressed: str) -> None:
    for key in pressed:
        page.keyboard.press(key)


def stage(page: Page, shown: str) -> None:
    """The page of the next stage has come, and listens."""
    expect(page.locator(shown).first).to_be_visible()
    ready(page)


def press_on(page: Page, shown: str) -> None:
    """Go on to what cannot be left again, which is asked about; the second half of a double Enter is not heard."""
    page.wait_for_timeout(450)
    keys(page, "Enter")
    expect(page.locator(".moves .hint")).to_contain_text("cannot")
    keys(page, "Enter")
    stage(page, shown)


def rate(page: Page) -> None:
    keys(page, *["1"] * page.locator(".criterion").count(), "Enter")


def rate_in_two_steps(page: Page) -> None:
    keys(page, "3", "Enter")
    expect(page.locator(".context .reading")).to_be_visible()
    keys(page, "3", "Enter")


def slide(page: Page) -> None:
    """Enter ends the number first, and then submits."""
    keys(page, "4", "2", "Enter", "Enter")


def attribute(page: Page) -> None:
    for _ in page.locator("[data-sentence]").all():
        keys(page, "a", "2", "Enter")


def compare(page: Page) -> None:
    keys(page, "1", "Enter")


def best_and_worst(page: Page) -> None:
    keys(page, "1", "Shift+Digit2", "Enter")


def rank(page: Page) -> None:
    keys(page, "1", "2", "3", "Enter")


def cross(page: Page) -> None:
    page.locator("#summary").fill("Ferries waited.")
    for number, (question, answer) in enumerate(
        (("What waited?", "Ferries"), ("What did they do?", "waited")), start=1
    ):
        page.locator(f"#question-{number}").fill(question)
        page.locator(f"#answer-{number}").fill(answer)
    keys(page, "Control+Enter")


def mark_errors(page: Page) -> None:
    """The first word is an error; every unit is done with a score, or with the word that it has none."""
    fields = page.locator(".cell[data-side=output] .span-text")
    fields.first.focus()
    keys(page, "Home", "Enter")
    expect(page.locator("#span-box")).to_be_visible()
    keys(page, "1")
    if page.get_by_text("Is it true all the same?").is_visible():
        keys(page, "n")
    if page.locator("#span-box").is_visible():
        keys(page, "Enter")
    expect(page.locator("#span-box")).to_be_hidden()
    scored = page.get_by_role("slider").count() > 0
    for number in range(fields.count()):
        if number or scored:
            fields.nth(number).focus()
            keys(page, *("70" if scored else "n"))
    page.locator("[data-primary]").click()


def extract(page: Page) -> None:
    page.locator("textarea").first.fill("Nobody crossed.")
    keys(page, "Control+Enter")
    expect(page.locator("#hint")).to_contain_text("cannot change the abstract afterwards")
    keys(page, "Control+Enter")
    stage(page, "button[data-line]")
    keys(page, "Space", "Enter")
    stage(page, "button[data-sentence]")
    keys(page, "a", "Enter")


def questionnaire(page: Page) -> None:
    """Get to know the meeting, read, answer."""
    page.wait_for_timeout(450)
    keys(page, "Enter")
    stage(page, "[data-clock]")
    press_on(page, "[data-primary]:has-text('To the statements')")
    press_on(page, ".statements")
    keys(page, *["4"] * 12, "Enter")


def nuggets(page: Page) -> None:
    keys(page, "n")
    page.keyboard.type("nobody crossed")
    keys(page, "Enter", "v", "Control+Enter")


def pyramid(page: Page) -> None:
    page.locator("[data-text]").first.focus()
    keys(page, "Home", "Enter", "n", "Control+Enter")


def relevance(page: Page) -> None:
    keys(page, "0", "Enter")


def cover(page: Page) -> None:
    """Each sentence of the model, or all of it at one glance; then the quality, where it is asked for."""
    for _ in page.locator("[data-step^='units']").all() or [None]:
        keys(page, "a", "2", "Enter")
    keys(page, *["2"] * page.locator("[data-step^='quality']").count(), "Enter")


def units(page: Page) -> None:
    page.locator("[data-add]").first.focus()
    keys(page, "Enter")
    page.keyboard.type("Ferries stayed.")
    keys(page, "Control+Enter")


HANDS: dict[str, Callable[[Page], None]] = {
    "attribution": attribute,
    "best_worst": best_and_worst,
    "cross_comprehension": cross,
    "error_spans": mark_errors,
    "extract": extract,
    "likert": questionnaire,
    "nuggets": nuggets,
    "pairwise": compare,
    "pyramid": pyramid,
    "ranking": rank,
    "rating": rate,
    "relevance": relevance,
    "see": cover,
    "units_present": units,
}
HANDS_OF_TEMPLATES = {"tides": rate_in_two_steps, "direct-assessment": slide}


# --- the whole way --------------------------------------------------------------------------------------------------


class Look(TypedDict):
    viewport: ViewportSize
    scheme: Literal["light", "dark"]


LOOKS: tuple[Look, Look] = (
    {"viewport": WIDE, "scheme": "light"},
    {"viewport": NARROW, "scheme": "dark"},
)
# Templates that two people cannot do.
THREE = {"abstract-and-extract", "content-units", "cross-comprehension"}


def build(page: Page, name: str, look: Look | None) -> Study:
    """From cells to an open study, with what the builder proposes. People and opening are the same for every template of a kind."""
    page.goto(reverse("study_new"))
    page.get_by_label("Name of the study").fill(name)
    page.get_by_label("Or paste cells").fill(PASTED)
    page.get_by_role("button", name="Read the table").click()
    page.get_by_role("button", name="Use these texts").click()
    page.get_by_role("link", name="Go on to the task").click()
    page.get_by_role("button", name=f"Choose {TEMPLATES[name].title}", exact=True).click()
    expect(page.frame_locator("iframe").locator("#item[data-ready]")).to_be_attached()
    if look:
        glance(page, f"{name}, its settings", **look)
    study = Study.objects.get(name=name)
    people = ["Ada", "Ben", "Cai"] if name in THREE else ["Ada", "Ben"]
    if not look:
        assessors_add(study=study, names=people)
        study_open(study=study)
        return study
    page.goto(reverse("study_people", args=[study.slug]))
    page.get_by_label("Names").fill("\n".join(people))
    page.get_by_role("button", name="Add").click()
    page.goto(reverse("build_check", args=[study.slug]))
    page.get_by_label("I know what can no longer change").check()
    page.get_by_role("button", name="Open the study").click()
    expect(page.get_by_text("The study is open.")).to_be_visible()
    study.refresh_from_db()
    return study


def judged(page: Page, study: Study) -> None:
    """The server has the answer; that somebody got to know a meeting is none."""
    made = Judgment.objects.filter(assignment__assessor__study=study, assignment__counts=True)
    for _ in range(100):
        if made.exists():
            return
        page.wait_for_timeout(50)
    hints = [hint for hint in page.locator(".hint").all_inner_texts() if hint]
    raise AssertionError(f"{study.name}: nothing was judged; the page says {hints}")


def test_every_template_goes_from_pasted_cells_to_judgments_and_a_report(new_context, live_server):
    desk, chair = new_context(), new_context()
    session = logged_in(experimenter("erika")).cookies["sessionid"].value
    desk.add_cookies([{"name": "sessionid", "value": session, "url": live_server.url}])
    page, seat = desk.new_page(), chair.new_page()
    looked_at: set[str] = set()
    for name, template in TEMPLATES.items():
        # Templates of one kind have the same pages, with other words: one of them is looked at closely.
        look = None if template.kind in looked_at else LOOKS[len(looked_at) % 2]
        looked_at.add(template.kind)
        study = build(page, name, look)
        assessor = study.assessors.select_related("study").filter(assignments__isnull=False).first()
        seat.goto(reverse("join", kwargs={"token": assessor_link(assessor=assessor)}))
        seat.get_by_role("button", name="Begin").click()
        ready(seat)
        if look:
            glance(seat, f"{name}, an item", **look)
            seat.set_viewport_size(WIDE)
        HANDS_OF_TEMPLATES.get(name, HANDS[template.kind])(seat)
        judged(seat, study)
        study_simulate(study=study, seed=1)
        assert not study.assessors.filter(assignments__state="open").exists(), (
            f"{name}: everybody has finished"
        )
        report = report_build(study, FEW, newest=newest_data(study))
        assert report.data["human"] or report.data["details"], name
