"""What browser tests share: Chromium, people who come in by their links, and the accessibility check.

The server is the live server of the tests, on a database file; the browser is a real one. A test fails if a page logs an
uncaught error or breaks its content security policy, whatever else the test looks at.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.urls import reverse
from playwright.sync_api import Browser, BrowserContext, Page, Route, ViewportSize, expect

from annotation.models import Assessor, Study
from annotation.services.assessors import assessor_link, assessor_start
from annotation.services.studies import study_open

# Playwright runs an event loop in this thread, and Django would refuse the database there; nothing here is concurrent.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")

# Chromium's engine without its windows and its graphics, which nobody sees here, costs two thirds of the whole.
CHROMIUM = shutil.which("chromium-headless-shell") or shutil.which("chromium")
ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
WIDE: ViewportSize = {"width": 1280, "height": 800}
TABLET: ViewportSize = {"width": 820, "height": 1180}
NARROW: ViewportSize = {"width": 390, "height": 844}
NARROWEST: ViewportSize = {"width": 360, "height": 640}
AXE = Axe()
EVERY_RULE = {"resultTypes": ["violations"], "rules": {"target-size": {"enabled": True}}}
SERIOUS = {"serious", "critical"}
HERE = Path(__file__).parent

expect.set_options(timeout=10_000)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Each worker has a browser and a server of its own, so these tests spread over all of them, one by one."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict:
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed")
    return {"executable_path": CHROMIUM, "args": ARGS}


@pytest.fixture
def new_context(browser: Browser, live_server) -> Iterator[Callable[..., BrowserContext]]:
    """A fresh browser profile with the server's address as its base; all its pages are watched."""
    contexts: list[BrowserContext] = []
    faults: list[str] = []

    def watch(page: Page) -> None:
        page.on("pageerror", lambda error: faults.append(f"{page.url}: {error}"))
        page.on("console", lambda said: faults.append(said.text) if "Content Security" in said.text else None)

    def make(**options) -> BrowserContext:
        context = browser.new_context(base_url=live_server.url, viewport=WIDE, **options)
        context.set_default_timeout(10_000)
        context.on("page", watch)
        contexts.append(context)
        return context

    yield make
    for context in contexts:
        # A page that is closed still sends its draft, and the database is about to be emptied.
        context.set_offline(True)
        context.close()
    assert not faults, faults


@pytest.fixture
def come_in(new_context) -> Callable[..., Page]:
    """Open an assessor's personal link in a browser of their own. With ``started``, the first item is on the page."""

    def open_link(assessor: Assessor, *, started: bool = True, context: BrowserContext | None = None) -> Page:
        if started:
            assessor_start(assessor=assessor, consented=True)
        page = (context or new_context()).new_page()
        page.goto(reverse("join", kwargs={"token": assessor_link(assessor=assessor)}))
        if started:
            ready(page)
        return page

    return open_link


@pytest.fixture
def first_of(come_in) -> Callable[..., tuple[Assessor, Page]]:
    """Open a study and let its first assessor come in."""

    def enter(study: Study, **options) -> tuple[Assessor, Page]:
        study_open(study=study)
        assessor = study.assessors.select_related("study").first()
        return assessor, come_in(assessor, **options)

    return enter


def ready(page: Page) -> None:
    """The item is mounted and listens to keys."""
    page.wait_for_selector("#item[data-ready]")


def intercept(page: Page, address: str, handle: Callable[[Route], object]) -> None:
    """Catch the page's requests to an address, from now on.

    ``page.route`` comes back before the page itself knows of it. What a page on a slow processor sends in between is neither
    caught nor told, as if the key that sent it had been lost (5 of 14 at a twentieth of the speed); a word with the page settles it.
    """
    page.route(address, handle)
    page.evaluate("0")


def slow_down(page: Page, rate: int) -> None:
    """The page's processor is that many times slower."""
    page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": rate})


def settled(page: Page) -> None:
    """Plots are drawn anew when the width changes, in the next frame."""
    page.evaluate("() => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))")


def saved(page: Page) -> None:
    """The server has the draft."""
    expect(page.locator("#saved")).to_have_text("saved ✓")


def begin_part(page: Page) -> None:
    """Where another part begins, a page says so first."""
    part = page.locator("dialog#part[open]")
    if part.count():
        part.get_by_role("button", name="Begin").click()


def place(page: Page) -> str:
    return page.locator("#item").get_attribute("data-place") or ""


def glance(
    page: Page,
    what: str,
    *,
    viewport: ViewportSize,
    scheme: Literal["light", "dark"],
    rules: dict = EVERY_RULE,
) -> None:
    """No serious problem for axe in this look of the page."""
    page.set_viewport_size(viewport)
    # Motion is off, so that no colour is measured halfway through its change.
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    settled(page)
    found = AXE.run(page, options=rules).response["violations"]
    serious = [
        (entry["id"], [node["html"][:200] for node in entry["nodes"]])
        for entry in found
        if entry["impact"] in SERIOUS
    ]
    assert not serious, f"{what}, {viewport['width']} px, {scheme}: {serious}"


@pytest.fixture
def check_access() -> Callable[..., None]:
    """No serious problem for axe, wide and narrow, light and dark; and nothing to scroll sideways, down to 360 px."""
    colours = {"resultTypes": ["violations"], "runOnly": ["color-contrast"]}
    # Light and dark differ in colours alone, so the other rules need each width only once.
    looks: tuple[tuple[ViewportSize, Literal["light", "dark"], dict], ...] = (
        (WIDE, "light", EVERY_RULE),
        (WIDE, "dark", colours),
        (NARROW, "light", colours),
        (NARROW, "dark", EVERY_RULE),
    )

    def check(page: Page, what: str) -> None:
        for viewport, scheme, rules in looks:
            glance(page, what, viewport=viewport, scheme=scheme, rules=rules)
        for viewport in (NARROWEST, TABLET):
            page.set_viewport_size(viewport)
            settled(page)
            assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"], what
        page.set_viewport_size(WIDE)

    return check
