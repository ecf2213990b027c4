"""What the monitor of a study shows: read from what the worker keeps, and from the few rows that say who is here now.

A fixed number of queries, whatever the size of the study; nothing here computes a statistic.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from datetime import date, datetime, timedelta
from math import ceil
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.http import urlencode

from annotation.models import Assessor, Assignment, Exclusion, Monitor, Run, Study
from annotation.selectors.people import flags_open
from annotation.selectors.plan import has_pool
from annotation.selectors.progress import ENOUGH_TO_TELL, StudyProgress, TaskProgress, count
from annotation.selectors.studies import system_names

HERE = timedelta(minutes=5)  # since somebody was last seen
PATIENCE = timedelta(seconds=15)  # a worker that is alive and free looks for work every second
QUIET = timedelta(days=1)  # without a judgment, although there is work
DAYS = 30  # in the drawing
LEASES = 50


@dataclass(frozen=True)
class Warn:
    """Something to act on: what is the matter, what to do about it, and where."""

    code: str
    text: str
    action: str = ""
    url: str = ""


@dataclass(frozen=True)
class PersonLine:
    """One assessor: how far, how fast, until when, and how carefully."""

    pk: int
    name: str
    done: int
    total: int
    seconds: float | None
    per_day: float
    finish: date | None
    is_here: bool
    is_excluded: bool
    is_careless: bool
    verdict: str
    pace: str  # in words
    habits: dict[str, Any] = field(default_factory=dict)

    @property
    def left(self) -> int:
        return max(0, self.total - self.done)


@dataclass(frozen=True)
class SystemLine:
    system: str
    name: str
    done: int
    wanted: int


@dataclass(frozen=True)
class AgreementLine:
    task: str
    criterion: str
    symbol: str
    value: float | None
    low: float | None
    high: float | None
    judgments: int

    @property
    def in_words(self) -> str:
        if self.value is None:
            return "not defined yet"
        ends = "" if self.low is None or self.high is None else f" [{short(self.low)}, {short(self.high)}]"
        return f"α = {short(self.value)}{ends}"


@dataclass(frozen=True)
class Mean:
    """A system's mean with its interval, and where both are drawn (percent of the scale)."""

    system: str
    name: str
    mean: float
    low: float | None
    high: float | None
    items: int
    judgments: int
    at: float
    begins: float
    ends: float


@dataclass(frozen=True)
class Standing:
    """One score: systems from the best, and whether the two best can be told apart."""

    task: str
    score: str
    systems: list[Mean]
    apart: str


@dataclass(frozen=True)
class Day:
    day: date
    judgments: int
    height: float  # percent of the fullest day


@dataclass(frozen=True)
class MonitorPage:
    """Everything on the page. ``as_of`` is when the worker last followed up; None: not yet."""

    headline: str
    warnings: list[Warn]
    people: list[PersonLine]
    here: list[PersonLine]
    leases: list[Assignment]
    systems: list[SystemLine]
    days: list[Day]
    agreement: list[AgreementLine]
    not_followed: list[str]
    standings: list[Standing]
    as_of: datetime | None
    is_behind: bool
    state: str  # of the worker, in words; empty: all is well
    pooled: bool
    finish: date | None = None
    quality: dict[str, Any] = field(default_factory=dict)


def short(value: float) -> str:
    """A coefficient as one prints it: .61, −.05, 1."""
    shown = f"{value:.2f}"
    return (
        shown.replace("0.", ".", 1).replace("-", "−") if abs(value) < 1 else f"{value:.0f}".replace("-", "−")
    )


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
    study: Study, monitor: Monitor, progress: StudyProgress, *, is_owner: bool, now: datetime | None = None
) -> MonitorPage:
    """Owners read names, viewers pseudonyms."""
    now = now or timezone.now()
    kept = monitor.snapshot
    tables = kept.get("tables") or {}
    pooled = has_pool(study)
    quality = tables.get("quality") or {}
    people = _people(study, kept, quality, now, is_owner=is_owner, pooled=pooled)
    here = [person for person in people if person.is_here]
    names = system_names(study)
    agreement = [_agreement(row) for row in kept.get("agreement", [])]
    finish = _finish(people, progress, now)
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
        standings=[_standing(row, names) for row in tables.get("standings", []) if row["systems"]],
        as_of=monitor.finished_at,
        is_behind=not kept.get("is_whole", True),
        state=state,
        pooled=pooled,
        finish=finish,
        quality=quality,
    )
    found.warnings.extend(_warnings(study, progress, found, now, is_owner=is_owner))
    return _with_headline(found, _headline(study, progress, found))


def _with_headline(page: MonitorPage, headline: str) -> MonitorPage:
    return MonitorPage(**{**vars(page), "headline": headline})


# --- people -------------------------------------------------------------------------------------------------------


def _people(
    study: Study,
    kept: dict[str, Any],
    quality: dict[str, Any],
    now: datetime,
    *,
    is_owner: bool,
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
        is_here = row.last_seen_at is not None and now - row.last_seen_at < HERE
        found.append(
            PersonLine(
                pk=row.pk,
                name=row.name if is_owner else row.pseudonym,
                done=done,
                total=total,
                seconds=pace.get("seconds"),
                per_day=per_day,
                finish=finish,
                is_here=is_here,
                is_excluded=row.is_excluded,
                is_careless=row.pseudonym in careless and not row.is_excluded,
                verdict=verdicts.get(row.pseudonym, ""),
                pace=_pace(row, pace, finish, now, pooled=pooled),
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
        return "left out of results"
    if total and done >= total and not pooled:
        return "done"
    if not done:
        return "not begun"
    if finish:
        return f"{per_day_words(pace['per_day'])}, done by {finish:%-d %b}"
    if not pace.get("per_day"):
        last = parse_datetime(pace.get("last") or "")
        return f"nothing since {timezone.localtime(last):%-d %b}" if last else "too early to say"
    return per_day_words(pace["per_day"]) if pooled else "too early to say"


def per_day_words(number: float) -> str:
    return f"{number:.0f} a day" if number >= 10 else f"{number:.1f} a day".replace(".0 ", " ")


def _finish(people: list[PersonLine], progress: StudyProgress, now: datetime) -> date | None:
    """When all is judged, if everybody who is not left out goes on as in the last days."""
    if progress.done < ENOUGH_TO_TELL:
        return None
    return _day_of(progress.left, sum(row.per_day for row in people if not row.is_excluded), now)


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
        "pairs-alpha": "of which text is better",
        "alpha-ordinal": "ordinal",
        "alpha-interval": "interval",
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


def _headline(study: Study, progress: StudyProgress, page: MonitorPage) -> str:
    """Whether the study is all right, in a sentence or two."""
    if not progress.wanted:
        return "There is nothing to judge in this study."
    parts = [f"{progress.done:,} of {count(progress.wanted, 'judgment')}"]
    known = [line for line in page.agreement if line.value is not None]
    if known:
        worst = min(known, key=lambda line: line.value or 0.0)
        of = (
            f" ({worst.task}, {worst.criterion})"
            if len(known) == 1
            else f" at the lowest ({worst.task}, {worst.criterion})"
        )
        parts.append(f"agreement {worst.in_words}{of}")
    else:
        parts.append("too early to speak of agreement")
    if not progress.left:
        parts.append("all is judged")
    elif study.state == Study.State.OPEN:
        parts.append(
            f"{count(len(page.here), 'person') if len(page.here) == 1 else f'{len(page.here)} people'} here now"
        )
        parts.append(
            f"done by {page.finish:%-d %B} at this pace"
            if page.finish
            else "too early to say when it is done"
        )
    problem = next((warning.text for warning in page.warnings if warning.code == "careless"), "")
    verdict = "Something needs you: " + problem if problem else ("" if page.warnings else "All is well.")
    return f"{'; '.join(parts)}. {verdict}".strip()


def _warnings(
    study: Study, progress: StudyProgress, page: MonitorPage, now: datetime, *, is_owner: bool
) -> list[Warn]:
    """What to act on, the most urgent first. Only owners can act; viewers read what is the matter."""
    found = [_careless(study, person, is_owner=is_owner) for person in page.people if person.is_careless]
    if page.state == "missing":
        found.append(
            Warn(
                "worker",
                "No worker is running: the numbers of this page are not brought up to date, and no report can be made.",
            )
        )
    is_open = study.state == Study.State.OPEN and not study.paused_at
    if is_open and progress.left and not page.here:
        last = progress.last_judgment
        if last is None and study.opened_at and now - study.opened_at > QUIET:
            found.append(_nobody(study, "Nobody has judged anything yet.", is_owner=is_owner))
        elif last is not None and now - last > QUIET:
            words = f"Nobody has judged since {timezone.localtime(last):%-d %B, %H:%M}, and {count(progress.left, 'judgment')} are missing."
            found.append(_nobody(study, words, is_owner=is_owner))
    if number := flags_open(study):
        found.append(
            Warn(
                "flags",
                f"{count(number, 'flag')} {'waits' if number == 1 else 'wait'} for an answer.",
                "Read them",
                reverse("study_flags", args=[study.slug]),
            )
        )
    if warning := _deadline(study, progress, page, now, is_owner=is_owner):
        found.append(warning)
    return found


def _careless(study: Study, person: PersonLine, *, is_owner: bool) -> Warn:
    text = f"{person.name} {person.verdict} ({count(person.done, 'judgment')})."
    if not is_owner:
        return Warn(
            "careless",
            text,
            "Read what they judged",
            f"{reverse('study_judgments', args=[study.slug])}?person={person.pk}",
        )
    meant = urlencode({"what": "assessor", "name": person.name, "reason": person.verdict[:500]})
    return Warn(
        "careless",
        text,
        f"Leave {person.name} out …",
        f"{reverse('study_exclusions', args=[study.slug])}?{meant}",
    )


def _nobody(study: Study, text: str, *, is_owner: bool) -> Warn:
    return (
        Warn("nobody", text, "Remind people", reverse("study_mail", args=[study.slug]))
        if is_owner
        else Warn("nobody", text)
    )


def _deadline(
    study: Study, progress: StudyProgress, page: MonitorPage, now: datetime, *, is_owner: bool
) -> Warn | None:
    if study.deadline_at is None or not progress.left or study.state != Study.State.OPEN:
        return None
    day = timezone.localtime(study.deadline_at)
    change = ("Change the deadline", reverse("study_change", args=[study.slug])) if is_owner else ("", "")
    if study.deadline_at <= now:
        return Warn(
            "deadline",
            f"The deadline ({day:%-d %B, %H:%M}) is over, and {count(progress.left, 'judgment')} are missing.",
            *change,
        )
    if page.finish is not None and page.finish > day.date():
        text = (
            f"At this pace all is judged by {page.finish:%-d %B}, after the deadline ({day:%-d %B, %H:%M})."
        )
        return Warn("deadline", text, *change)
    return None


def _days(rows: list[dict[str, Any]], now: datetime) -> list[Day]:
    """The last days up to today, those without a judgment among them."""
    if not rows:
        return []
    made = {date.fromisoformat(row["day"]): row["judgments"] for row in rows}
    today = timezone.localtime(now).date()
    first = max(min(made), today - timedelta(days=DAYS - 1))
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
        apart=_apart(row["apart"]),
    )


def _apart(found: dict[str, Any] | None) -> str:
    """Whether the two best can be told apart, and if not, how much more it would take."""
    if found is None:
        return "There is no second system to tell the first from."
    first, second = found["systems"]
    if found["pvalue"] is None:
        return f"Too early to tell {first} from {second}: {count(found['items'], 'item')} of both so far."
    if found["more_items"] == 0:
        return f"{first} and {second} can be told apart, by a t-test over {count(found['items'], 'item')} (p {_pvalue(found['pvalue'])})."
    if found["more_items"] is None:
        return f"{first} and {second} are as good as equal so far: no number of judgments that anybody makes would tell them apart."
    more = _about(found["more_judgments"])
    return (
        f"{first} and {second} cannot be told apart yet. If things go on like this, about {more} more judgments of these two "
        f"({_about(found['more_items'])} more items) would do, four times out of five."
    )


def _pvalue(value: float) -> str:
    return "< .001" if value < 0.001 else f"= {short(value) if value >= 0.01 else f'{value:.3f}'.lstrip('0')}"


def _about(number: int) -> str:
    """Two figures are all that such a number is worth."""
    if number < 100:
        return f"{number:,}"
    step = 10 ** (len(str(number)) - 2)
    return f"{ceil(number / step) * step:,}"
