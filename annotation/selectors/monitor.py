"""What the monitor of a study shows: read from what the worker keeps, and from the few rows that say who is here now.

A fixed number of queries, whatever the size of the study; nothing here computes a statistic.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from datetime import date, datetime, timedelta
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from annotation import alive
from annotation.models import Assessor, Assignment, Exclusion, Monitor, Run, Study
from annotation.selectors.following import judgments_nobody_can_make
from annotation.selectors.joining import join_link_find, join_refusal
from annotation.selectors.monitor_types import (
    AgreementLine,
    Day,
    Mean,
    MonitorPage,
    PersonLine,
    Standing,
    SystemLine,
)
from annotation.selectors.monitor_words import apart_in_words, headline_of, warnings_of
from annotation.selectors.plan import has_pool
from annotation.selectors.progress import ENOUGH_TO_TELL, StudyProgress, TaskProgress
from annotation.selectors.studies import system_names
from annotation.words import phrase

HERE = timedelta(minutes=5)  # since somebody was last seen
PATIENCE = timedelta(seconds=15)  # a worker that is alive and free looks for work every second
DAYS = 30  # in the drawing
FEWEST_DAYS = 14
LEASES = 50


def progress_stored(progress: StudyProgress) -> dict[str, Any]:
    """Progress as JSON, so that a page that asks every few seconds need not count."""
    last = progress.last_judgment
    return asdict(progress) | {"last_judgment": last.isoformat() if last else None}


def progress_kept(monitor: Monitor) -> StudyProgress | None:
    """As the worker last counted; None: it has not yet."""
    kept = monitor.snapshot.get("progress")
    if kept is None:
        return None
    tasks = [TaskProgress(**row) for row in kept["tasks"]]
    last = parse_datetime(kept["last_judgment"] or "")
    return StudyProgress(**kept | {"tasks": tasks, "last_judgment": last})


def monitor_page(
    study: Study, monitor: Monitor, progress: StudyProgress, *, may_change: bool, now: datetime | None = None
) -> MonitorPage:
    """Who may change the study reads names, viewers pseudonyms."""
    now = now or timezone.now()
    kept = monitor.snapshot
    tables = kept.get("tables") or {}
    pooled = has_pool(study)
    quality = tables.get("quality") or {}
    people = _people(study, kept, quality, now, may_change=may_change, pooled=pooled)
    here = [person for person in people if person.is_here]
    names = system_names(study)
    agreement = [_agreement(row) for row in kept.get("agreement", [])]
    nobody_can = _nobody_can(study, kept)
    finish = None if nobody_can else _finish(people, progress, now)
    state = worker_words(monitor, now)
    found = MonitorPage(
        headline="",
        warnings=[],
        people=people,
        here=here,
        leases=list(leases_out(study, now)[:LEASES]),
        systems=[SystemLine(name=names.get(row["system"], ""), **row) for row in kept.get("systems", [])],
        days=_days(kept.get("days", []), now),
        agreement=agreement,
        not_followed=kept.get("not_followed", []),
        is_counted="made_at" in kept or not progress.done,
        standings=[_standing(row, names) for row in tables.get("standings", []) if row["systems"]],
        as_of=monitor.finished_at,
        is_behind=not kept.get("is_whole", True),
        state=state,
        pooled=pooled,
        finish=finish,
        nobody_can=nobody_can,
        quality=quality,
    )
    found.warnings.extend(warnings_of(study, progress, found, now, may_change=may_change))
    return replace(found, headline=headline_of(study, progress, found))


# --- people -------------------------------------------------------------------------------------------------------


def _people(
    study: Study,
    kept: dict[str, Any],
    quality: dict[str, Any],
    now: datetime,
    *,
    may_change: bool,
    pooled: bool,
) -> list[PersonLine]:
    """Those who look careless first, then who is here, then by name."""
    paces = {row["assessor"]: row for row in kept.get("people", [])}
    verdicts = verdicts_of(quality)
    careless = set(quality.get("careless", []))
    excluded = Exclusion.objects.filter(assessor=OuterRef("pk"), ended_at=None)
    rows = study.assessors.annotate(is_excluded=Exists(excluded)).order_by("name", "pk")
    found = []
    for row in rows:
        pace = paces.get(row.pk, {})
        done, total = pace.get("done", 0), pace.get("total", 0)
        per_day = pace.get("per_day", 0.0)
        finish = None if pooled or done < ENOUGH_TO_TELL else _day_of(total - done, per_day, now)
        seen_lately = row.last_seen_at is not None and now - row.last_seen_at < HERE
        found.append(
            PersonLine(
                pk=row.pk,
                name=row.name if may_change else row.pseudonym,
                done=done,
                total=total,
                seconds=pace.get("seconds"),
                per_day=per_day,
                finish=finish,
                is_here=seen_lately and not row.is_excluded,  # who is left out gets nothing to judge
                is_excluded=row.is_excluded,
                is_careless=row.pseudonym in careless and not row.is_excluded,
                verdict=verdicts.get(row.pseudonym, ""),
                pace=_pace(row, pace, finish, now, pooled=pooled) if "made_at" in kept else "",
                habits=quality.get("habits", {}).get(row.pseudonym, {}),
            )
        )
    return sorted(found, key=lambda person: (not person.is_careless, not person.is_here))


def verdicts_of(quality: dict[str, Any]) -> dict[str, str]:
    """By pseudonym, the one line on each person."""
    last = quality.get("verdict")
    return {row["assessor"]: row["verdict"] for row in quality.get("rows", []) if row["check"] == last}


def checks_of(quality: dict[str, Any], pseudonym: str) -> list[dict[str, Any]]:
    """What each check found of one person, with what it means; the verdict is not among them."""
    meanings, last = quality.get("meanings", {}), quality.get("verdict")
    return [
        row | {"meaning": meanings.get(row["check"], "")}
        for row in quality.get("rows", [])
        if row["assessor"] == pseudonym and row["check"] != last
    ]


def quality_kept(study: Study) -> dict[str, Any]:
    """As the worker last found it; empty: it has not looked yet."""
    kept = Monitor.objects.filter(study=study).values_list("snapshot", flat=True).first() or {}
    return (kept.get("tables") or {}).get("quality") or {}


def quality_named(study: Study, *, names: bool) -> dict[str, Any]:
    """All of it; with ``names``, people are called by them instead of their pseudonyms."""
    quality = quality_kept(study)
    known = dict(study.assessors.values_list("pseudonym", "name")) if names else {}
    return {
        "rows": [
            row | {"assessor": known.get(row["assessor"], row["assessor"])} for row in quality.get("rows", [])
        ],
        "meanings": quality.get("meanings", {}),
        "careless": [known.get(name, name) for name in quality.get("careless", [])],
    }


def quality_of_person(study: Study, assessor: Assessor) -> dict[str, Any]:
    """The verdict on one person, and what it stands on."""
    quality = quality_kept(study)
    return {
        "verdict": verdicts_of(quality).get(assessor.pseudonym, ""),
        "is_careless": assessor.pseudonym in quality.get("careless", []),
        "checks": checks_of(quality, assessor.pseudonym),
    }


def _day_of(left: int, per_day: float, now: datetime) -> date | None:
    if left <= 0 or per_day <= 0:
        return None
    days = min(left / per_day, 3650)
    return timezone.localtime(now + timedelta(days=days)).date()


def _pace(row: Any, pace: dict[str, Any], finish: date | None, now: datetime, *, pooled: bool) -> str:
    done, total = pace.get("done", 0), pace.get("total", 0)
    if row.is_excluded:
        return phrase("left out of results")
    if total and done >= total and not pooled:
        return phrase("done")
    if not done:
        return phrase("not begun")
    if finish:
        return phrase(
            "{pace}, done by {finish}", pace=per_day_words(pace["per_day"]), finish=f"{finish:%-d %b}"
        )
    if not pace.get("per_day"):
        last = parse_datetime(pace.get("last") or "")
        return (
            phrase("nothing since {last}", last=f"{timezone.localtime(last):%-d %b}")
            if last
            else phrase("too early to say")
        )
    return per_day_words(pace["per_day"]) if pooled else phrase("too early to say")


def per_day_words(number: float) -> str:
    return phrase("{n} a day", n=f"{number:.0f}" if number >= 10 else f"{number:.1f}".removesuffix(".0"))


def _finish(people: list[PersonLine], progress: StudyProgress, now: datetime) -> date | None:
    """When all is judged, if everybody who is not left out goes on as in the last days."""
    if progress.done < ENOUGH_TO_TELL:
        return None
    return _day_of(progress.left, sum(row.per_day for row in people if not row.is_excluded), now)


def _nobody_can(study: Study, kept: dict[str, Any]) -> int:
    """Judgments that nobody who is left may make. Where there were any, it is asked anew: somebody may be invited since."""
    if not kept.get("nobody_can"):
        return 0
    link = join_link_find(study)
    somebody_may_come = link is not None and not join_refusal(link)
    return 0 if somebody_may_come else judgments_nobody_can_make(study)


def leases_out(study: Study, now: datetime) -> QuerySet[Assignment]:
    """Pieces of the pool that somebody has and has not judged, the first to run out first."""
    rows = Assignment.objects.filter(
        assessor__study=study, state=Assignment.State.OPEN, lease_ends_at__gt=now, left_out=False
    )
    return rows.select_related("assessor", "subject__task").order_by("lease_ends_at", "pk")


# --- the worker ---------------------------------------------------------------------------------------------------


def worker_words(monitor: Monitor, now: datetime) -> str:
    """Why numbers are not of this moment; empty where they are, or soon will be."""
    asked, begun = monitor.asked_at, monitor.begun_at
    if asked is None or (begun is not None and begun >= asked) or now - asked < PATIENCE:
        return ""
    if alive.is_alive(alive.WORKER):
        return "busy"  # it says so itself, and may be slow
    if any(not run.is_lost for run in Run.objects.filter(state=Run.State.RUNNING)):
        return "busy"
    others = Monitor.objects.exclude(pk=monitor.pk).filter(begun_at__gt=now - timedelta(minutes=2))
    return (
        "busy"
        if others.filter(Q(finished_at=None) | Q(finished_at__gt=now - PATIENCE)).exists()
        else "missing"
    )


# --- in words -----------------------------------------------------------------------------------------------------


def _agreement(row: dict[str, Any]) -> AgreementLine:
    symbol = {
        "pairs-alpha": phrase("of which text is better"),
        "alpha-ordinal": "ordinal",
        "alpha-interval": "interval",
        "lines-alpha": phrase("of lines taken or not"),
        "alpha-u": phrase("of where errors are marked"),
    }
    return AgreementLine(
        task=row["task"],
        criterion=row["criterion"],
        symbol=symbol.get(row["coefficient"], row["coefficient"]),
        value=row["value"],
        low=row["low"],
        high=row["high"],
        judgments=row["judgments"],
    )


def _days(rows: list[dict[str, Any]], now: datetime) -> list[Day]:
    """The last days up to today, those without a judgment among them."""
    if not rows:
        return []
    made = {date.fromisoformat(row["day"]): row["judgments"] for row in rows}
    today = timezone.localtime(now).date()
    first = max(min(*made, today - timedelta(days=FEWEST_DAYS - 1)), today - timedelta(days=DAYS - 1))
    days = [first + timedelta(days=number) for number in range((today - first).days + 1)]
    most = max((made.get(day, 0) for day in days), default=0)
    return [
        Day(day, made.get(day, 0), round(100 * made.get(day, 0) / most, 1) if most else 0.0) for day in days
    ]


# --- systems ------------------------------------------------------------------------------------------------------


def _standing(row: dict[str, Any], names: dict[str, str]) -> Standing:
    known = [line for line in row["systems"] if line["mean"] is not None]
    ends = [line[end] for line in known for end in ("low", "high", "mean") if line[end] is not None]
    low, high = (min(ends), max(ends)) if ends else (0.0, 1.0)
    width = (high - low) or 1.0

    def at(value: float | None, otherwise: float) -> float:
        return round(100 * ((otherwise if value is None else value) - low) / width, 2)

    return Standing(
        task=row["task"],
        score=row["score"],
        systems=[
            Mean(
                **line,
                name=names.get(line["system"], ""),
                at=at(line["mean"], 0),
                begins=at(line["low"], line["mean"]),
                ends=at(line["high"], line["mean"]),
            )
            for line in known
        ],
        apart=apart_in_words(row["apart"]),
    )
