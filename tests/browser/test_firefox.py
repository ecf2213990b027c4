"""The way through a study in a second engine, by keyboard alone."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from annotation.models import Judgment
from annotation.services.assessors import assessor_link
from annotation.services.studies import study_open
from annotation.study_files.schema import Settings
from tests.browser.firefox import FirefoxPage, firefox, firefox_page
from tests.long_studies import long_study

pytestmark = pytest.mark.django_db(transaction=True)

TIDES = {"kind": "rating", "name": "tides", "preset": "tides"}


def walk(page: FirefoxPage, link: str) -> None:
    page.goto(link)
    page.evaluate("document.querySelector('form.begin button').focus()")
    page.press("Enter")
    for _ in range(2):
        page.wait(
            "Boolean(document.querySelector('#item[data-ready]')) && !document.querySelector('.context .reading')"
        )
        page.press(" ")
        page.wait("document.querySelector('.pane.text').scrollTop > 100")
        page.press("5", "Enter")
        page.wait("Boolean(document.querySelector('.context .reading'))")
        page.press("3")
        page.wait("document.querySelectorAll('#item input:checked').length === 2")
        page.press("Enter")
    page.wait("Boolean(document.querySelector('.code-card'))")


@pytest.mark.skipif(not firefox(), reason="no Firefox on this machine")
def test_two_items_are_rated_in_firefox_by_keyboard(live_server, tmp_path: Path):
    study = long_study(TIDES, whole=True, settings=Settings(aids=("highlighter",)))
    link = f"{live_server.url}/join/{assessor_link(assessor=study.assessors.get())}/"
    study_open(study=study)

    def play() -> None:
        with firefox_page(tmp_path) as page:
            walk(page, link)

    # In a thread of its own: Playwright's loop runs in this one.
    with ThreadPoolExecutor(1) as pool:
        pool.submit(play).result()
    assert [judged.answer["values"] for judged in Judgment.objects.all()] == [
        {"fluency": 5.0, "adequacy": 3.0}
    ] * 2
    assert all(judged.seconds > 0 for judged in Judgment.objects.all())
