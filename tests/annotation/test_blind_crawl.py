"""Blind: an assessor crawls everything there is to see, does whole studies, and meets no system's id or name."""

from __future__ import annotations

import html
import json
import re
import uuid
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.test import Client
from django.urls import reverse

from annotation.models import Adjudication, Assignment, Judgment, Study, System
from annotation.selectors.adjudication import desk_deciding
from annotation.selectors.disagreement import queue_of, queue_rows
from annotation.services.adjudication import adjudications_give, adjudicator_link, adjudicators_add
from annotation.services.assessors import assessor_link
from annotation.services.disagreement import disagreement_look, disagreement_set
from annotation.services.discussion import reply_send
from annotation.services.simulation import study_simulate
from annotation.services.studies import study_close, study_import, study_open
from annotation.study_files import read_study
from annotation.tasks import KINDS
from tests.conftest import ROOT
from tests.factories import owner_client
from tests.studies import plausible, plausible_answer

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

# An address within the site, wherever it stands: in an attribute, in JSON, in a script.
ADDRESS = re.compile(r"""["'(](/[^"'()\s<>\\]*)["')]""")
ENOUGH = 12  # items, to have met every page of a kind
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)  # names types, which a browser never asks for
IMPORT = re.compile(r"""(?:from|import)\s*\(?["'](\./[^"']+|\.\./[^"']+)["']""")


def _sought(word: str) -> str:
    """A number by itself: any token or moment may have its digits somewhere."""
    return rf"(?<![0-9a-z]){word}(?![0-9a-z])" if word.isdigit() else re.escape(word)


class Watcher:
    """Reads everything that reaches the assessor's browser, and remembers what gave a system away."""

    def __init__(self, systems: list[System], also: Iterable[str] = ()) -> None:
        words = {word.lower() for system in systems for word in (system.key, system.name) if word}
        words.update(word.lower() for word in also)
        self.pattern = re.compile("|".join(map(_sought, sorted(words))))
        self.leaks: list[str] = []
        self.read = 0

    def check(self, what: str, text: str) -> None:
        self.read += 1
        # Also as entities and as JSON escapes, which a browser turns back into letters.
        for form in (text, html.unescape(text), json.dumps(text)):
            found = self.pattern.search(form.lower())
            if found:
                self.leaks.append(f"{what}: {found[0]}")

    def check_response(self, what: str, response) -> str:
        body = b"".join(response) if response.streaming else response.content
        text = body.decode("utf-8", "replace")
        self.check(f"{what} body", text)
        self.check(f"{what} headers", str(response.headers))
        self.check(f"{what} cookies", response.cookies.output())
        return text


class Crawler:
    """Follows every address that it reads, from page to page and from script to script."""

    def __init__(self, client: Client, watcher: Watcher) -> None:
        self.client = client
        self.watcher = watcher
        self.seen: set[str] = set()

    def visit(self, start: str) -> None:
        waiting = [start]
        while waiting:
            url = waiting.pop()
            if url in self.seen:
                continue
            self.seen.add(url)
            self.watcher.check("address", url)
            waiting += self._static(url) if url.startswith("/static/") else self._page(url)

    def _page(self, url: str) -> list[str]:
        response = self.client.get(url)
        text = self.watcher.check_response(url, response)
        found = addresses(text)
        return [*found, response["Location"]] if response.status_code in (301, 302) else found

    def _static(self, url: str) -> list[str]:
        path = finders.find(url.removeprefix("/static/"))
        assert path, f"{url} is linked but there is no such file"
        text = Path(path).read_text("utf-8")
        self.watcher.check(url, text)
        here = url.rpartition("/")[0]
        code = COMMENT.sub("", text)
        return [resolved(here, name) for name in IMPORT.findall(code)]

    def post(self, url: str, sent: dict) -> tuple[int, dict]:
        response = self.client.post(url, sent, content_type="application/json")
        text = self.watcher.check_response(f"POST {url}", response)
        reply = json.loads(text)
        for found in [*addresses(text), *(found for part in strings(reply) for found in addresses(part))]:
            self.visit(found)
        return response.status_code, reply


class PageCrawler(Crawler):
    """Only pages: the scripts are the assessors', and read in their crawl."""

    def _static(self, url: str) -> list[str]:
        return []


def addresses(text: str) -> list[str]:
    return [html.unescape(found).split("#")[0] for found in ADDRESS.findall(text)]


def strings(value: object) -> list[str]:
    """Every text in a JSON answer; some are whole pages."""
    if isinstance(value, str):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for part in parts for text in strings(part)]


def resolved(here: str, name: str) -> str:
    parts = here.split("/")
    for part in name.split("/"):
        if part == "..":
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


def urls_of(text: str) -> dict[str, str]:
    found = re.search(r'<script id="item-urls" type="application/json">(.*?)</script>', text, re.DOTALL)
    assert found, f"not an item's page: {text[:300]}"
    return json.loads(found[1])


def opened(name: str):
    """An example study, with going back to earlier items allowed, so that those pages are crawled too."""
    study = study_import(study_file=read_study(ROOT / "fixtures" / name))
    study.settings |= {"revise": True}
    study.save(update_fields=["settings"])
    study_open(study=study)
    return study


@pytest.fixture
def demo():
    return opened("demo")


def judge(crawler: Crawler, page: str) -> dict:
    """One item with everything that can be done on its page: a flag, drafts, a submit too early, and twice."""
    urls = urls_of(page)
    assignment = Assignment.objects.select_related("subject__task").get(
        public_id=urls["submit"].rstrip("/").split("/")[-2]
    )
    answer, stages = plausible(assignment)
    crawler.post(urls["flag"], {"comment": "Broken?"})
    crawler.post(urls["message"], {"comment": "Hello"})
    assert crawler.post(urls["draft"], {"revision": 1, "answer": {}})[0] == 200
    assert crawler.post(urls["submit"], submission({}))[0] == 422
    crawler.post(urls["submit"], {"answer": "nonsense"})
    for _ in range(stages):
        assert crawler.post(urls["draft"], {"revision": 1, "answer": answer, "confirm": True})[0] == 200
    sent = submission(answer)
    status, reply = crawler.post(urls["submit"], sent)
    assert status == 200, reply
    assert crawler.post(urls["submit"], sent)[0] == 200
    crawler.post(urls["submit"], submission(answer))
    return reply


def submission(answer: dict) -> dict:
    return {"client_key": str(uuid.uuid4()), "revision": 1, "answer": answer, "seconds": 2.0}


@pytest.mark.parametrize("name", ["demo", *(slug for slug in KINDS if slug not in {"see", "rating"})])
def test_an_assessor_meets_no_system_anywhere_in_a_whole_study(name):
    """The demo has SEE and ratings; other kinds have a study of their own."""
    crawl(opened(name), most=None if name == "demo" else ENOUGH)


def crawl(study: Study, *, most: int | None = None) -> None:
    """Judge up to so many items as the busiest assessor, and read everything on the way."""
    watcher = Watcher(list(study.systems.all()))
    assessor, other = sorted(study.assessors.all(), key=lambda one: -one.assignments.count())[:2]
    crawler = Crawler(Client(), watcher)

    crawler.visit(reverse("join", args=[assessor_link(assessor=assessor)]))
    crawler.client.post(reverse("start", args=[study.slug]), {"consent": "on"})
    reply = {
        "next": {"html": crawler.client.get(reverse("work", args=[study.slug]), follow=True).content.decode()}
    }
    items = 0
    while reply["next"] and (most is None or items < most):
        reply = judge(crawler, reply["next"]["html"])
        items += 1
        crawler.seen.discard(reverse("work", args=[study.slug]))
        crawler.visit(reverse("work", args=[study.slug]))
    assert items == (most or assessor.assignments.count()) or not reply["next"]

    reply_send(flag=assessor.flags.exclude(assignment=None).first(), comment="Judge what is there.")
    for name in ("items", "messages", "finished", "work"):
        crawler.seen.clear()
        crawler.visit(reverse(name, args=[study.slug]))
    error_pages(crawler, study, other)
    study_close(study=study)
    crawler.seen.clear()
    crawler.visit(reverse("work", args=[study.slug]))

    assert watcher.leaks == []
    assert watcher.read > 20 * items, "the crawl has seen too little to mean anything"


def error_pages(crawler: Crawler, study, other) -> None:
    """What goes wrong must not tell either: somebody else's item, another study, no such page, a bad link."""
    foreign = Assignment.objects.filter(assessor=other).first()
    for url, status in (
        (reverse("item", args=[study.slug, foreign.public_id]), 404),
        (reverse("item", args=[study.slug, "no-such-item"]), 404),
        (reverse("work", args=["no-such-study"]), 403),
        (reverse("join", args=["no-such-token"]), 403),
        ("/no/such/page/", 404),
        (reverse("study", args=[study.slug]), 302),
    ):
        response = crawler.client.get(url)
        assert response.status_code == status, url
        crawler.watcher.check_response(url, response)
    crawler.watcher.check_response(
        "GET of an action", crawler.client.get(reverse("judgment", args=[study.slug, foreign.public_id]))
    )


def test_the_watcher_notices_a_name_on_a_page_that_shows_it(demo):
    watcher = Watcher(list(demo.systems.all()))
    watcher.check_response("materials", owner_client(demo).get(reverse("study_materials", args=[demo.slug])))
    assert len({leak.split(": ")[1] for leak in watcher.leaks}) >= 1
    for system in demo.systems.all():
        quiet = Watcher([system])
        quiet.check("escaped", html.escape(f"<b>{system.name}</b>"))
        assert quiet.leaks
    year = Watcher([], also=["2001"])
    for moment, tells in (("2001-02-03T04:05", 1), ("3 Feb 2001", 1), ("2026-11-18T12:00:00.120014", 0)):
        year.leaks = []
        year.check("moment", moment)
        assert bool(year.leaks) == tells


# --- whoever decides between judgments ----------------------------------------------------------------------------


DECIDED = 2  # pieces: one of each task of the demo, or two of a kind
SECRET = "zqperson"  # in names and pseudonyms of assessors
LONG_AGO = datetime(2001, 2, 3, 4, 5, 6, tzinfo=UTC)  # when they judged


@pytest.mark.parametrize("name", ["demo", "ranking", "error_spans", "cross_comprehension"])
def test_an_adjudicator_meets_no_system_no_name_and_no_time_anywhere(name):
    study = judged_by_two(name)
    disagreement_set(study=study, by="spread", threshold=0.01)
    disagreement_look(study=study)
    pieces = list(queue_rows(queue_of(study), "open"))
    assert pieces, "nobody disagrees, so that nothing can be decided"
    kinds = {piece.task.kind: piece for piece in reversed(pieces)}
    chosen = list(dict.fromkeys([*kinds.values(), *pieces]))[:DECIDED]
    (adjudicator,) = adjudicators_add(study=study, names=["Dora"])
    adjudications_give(study=study, subjects=chosen, adjudicator=adjudicator)
    watcher = Watcher(list(study.systems.all()), also=[SECRET, "2001", f"{LONG_AGO.timestamp():.0f}"])
    crawler = PageCrawler(Client(), watcher)
    crawler.visit(reverse("join", args=[adjudicator_link(adjudicator=adjudicator)]))
    for row in adjudicator.adjudications.order_by("number"):
        decide(crawler, study, row)
    crawler.seen -= {reverse("decide", args=[study.slug])}
    crawler.visit(reverse("decide", args=[study.slug]))
    assert watcher.leaks == []
    assert adjudicator.adjudications.exclude(decided_at=None).count() == len(chosen)


def judged_by_two(name: str) -> Study:
    """An example study in which everything is judged by two people at least, as far as its kind allows."""
    file = read_study(ROOT / "fixtures" / name)
    design = file.design.model_copy(update={"assessors_per_item": 2})
    tasks = tuple(replace_design(task) for task in file.tasks)
    study = study_import(study_file=replace(file, design=design, tasks=tasks))
    study_simulate(study=study, seed=3)
    for person in study.assessors.all():
        study.assessors.filter(pk=person.pk).update(
            name=f"{SECRET}{person.pk}", pseudonym=f"{SECRET}{person.pk}"
        )
    Judgment.objects.filter(assignment__assessor__study=study).update(
        shown_at=LONG_AGO, submitted_at=LONG_AGO
    )
    return study


def replace_design(task):
    if task.design is None:
        return task
    return task.model_copy(update={"design": task.design.model_copy(update={"assessors_per_item": 2})})


def decide(crawler: Crawler, study: Study, row: Adjudication) -> None:
    """One piece with everything that can be done on its page."""
    page = crawler.client.get(reverse("decide_item", args=[study.slug, row.public_id])).content.decode()
    crawler.watcher.check("item", page)
    urls = urls_of(page)
    row.refresh_from_db()
    desk = desk_deciding(row)
    answer, stages = plausible_answer(desk.facts, desk.exhibit, seed=row.number)
    assert crawler.post(urls["draft"], {"revision": 1, "answer": {}})[0] == 200
    assert crawler.post(urls["submit"], submission({}))[0] == 422
    for _ in range(stages):
        assert crawler.post(urls["draft"], {"revision": 1, "answer": answer, "confirm": True})[0] == 200
    sent = submission(answer)
    status, reply = crawler.post(urls["submit"], sent)
    assert (status, reply["status"]) == (200, "saved"), reply
    assert crawler.post(urls["submit"], sent)[1]["status"] == "already"
    assert crawler.post(urls["submit"], submission(answer))[0] == 409
