"""What experimenters' pages share: the frame of a study with its tabs, pages of a list, sorting."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.auth.models import User
from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from annotation.errors import Refused
from annotation.models import Membership, Study
from annotation.overtaken import fingerprint
from annotation.selectors.people import flags_open
from annotation.selectors.progress import headline, study_progress
from annotation.selectors.sorting import sorted_rows
from annotation.words import phrase_lazy

PER_PAGE = 50
BUILD = ("build", phrase_lazy("Build"), "build_texts")  # of a draft, for who may change it
TABS = (
    ("progress", phrase_lazy("Progress"), "study"),
    ("monitor", phrase_lazy("Monitor"), "study_monitor"),
    ("people", phrase_lazy("People"), "study_people"),
    ("plan", phrase_lazy("Plan"), "study_plan"),
    ("materials", phrase_lazy("Materials"), "study_materials"),
    ("flags", phrase_lazy("Flags"), "study_flags"),
    ("results", phrase_lazy("Results"), "study_results"),
    ("report", phrase_lazy("Report"), "study_report"),
    ("downloads", phrase_lazy("Downloads"), "study_downloads"),
    ("settings", phrase_lazy("Settings"), "study_settings"),
)


class MemberRequest(HttpRequest):
    """A request that ``login_required`` or ``member_required`` has let in."""

    user: User
    membership: Membership


def seen_again(request: MemberRequest, now: Any, *, is_told: bool = False) -> str:
    """The fingerprint of what a form was made from. One that comes back with a fault was made from what its page had seen, whatever
    somebody else has saved meanwhile; ``is_told``: unless whoever sent it is told that now."""
    seen = request.POST.get("seen")
    return fingerprint(now) if is_told or not seen else seen


def study_page(
    request: MemberRequest,
    study: Study,
    tab: str,
    context: Mapping[str, Any],
    *,
    template: str = "",
    status: int = 200,
) -> HttpResponse:
    """A page of a study, in its frame: name, state, headline, tabs."""
    progress = study_progress(study)
    may_change = request.membership.may(Membership.Role.EDITOR)
    frame = {
        "study": study,
        "tab": tab,
        "tabs": (BUILD, *TABS) if may_change and study.state == Study.State.DRAFT else TABS,
        "role": request.membership.role,
        "may_change": may_change,
        "is_owner": request.membership.may(Membership.Role.OWNER),
        "is_draft": study.state == Study.State.DRAFT,
        "is_open": study.state == Study.State.OPEN,
        "progress": progress,
        "headline": headline(study, progress),
        "flags_open": flags_open(study),
    }
    return render(request, template or f"annotation/manage/{tab}.html", {**frame, **context}, status=status)


@contextmanager
def refusals_told(request: HttpRequest) -> Iterator[None]:
    """What a service refuses is told on the page that comes next."""
    try:
        yield
    except Refused as refused:
        messages.error(request, str(refused))


@dataclass(frozen=True)
class Head:
    """A column's head: its label, and what a click on it sorts by."""

    key: str
    label: str
    number: bool = False
    direction: str = ""  # of the present sorting: ascending, descending, or not by this column
    target: str = ""


def page_of(request: HttpRequest, rows: Any, *, per_page: int = PER_PAGE) -> Page:
    """The page of a list that the address asks for; a number out of range gives the last page."""
    return Paginator(rows, per_page).get_page(request.GET.get("page"))


def sorted_by(
    request: HttpRequest, rows: QuerySet, sorts: Mapping[str, tuple[str, ...]], *, default: str
) -> tuple[QuerySet, str]:
    """The rows in the order of ``?sort=name`` or ``?sort=-name``, and that order."""
    return sorted_rows(rows, sorts, request.GET.get("sort", default), default=default)


def heads(present: str, *columns: tuple[str, str, bool]) -> list[Head]:
    """The heads of a sortable table, from (key, label, whether it is a number); an empty key cannot be sorted by."""
    return [_head(present, *column) for column in columns]


def _head(present: str, key: str, label: str, number: bool) -> Head:
    if key and present == key:
        return Head(key, label, number, "ascending", f"-{key}")
    if key and present == f"-{key}":
        return Head(key, label, number, "descending", key)
    # Numbers and dates are asked for from the top, names from the beginning.
    return Head(key, label, number, "", f"-{key}" if number else key)
