"""The worker's part of the monitor: follow the judgments of a study in small steps, and keep what its page shows.

Agreement changes with the items that were touched, and with nothing else (:mod:`annotation.analysis.live`). Scores and the quality
of assessors are made of the whole table, so they are made anew only when it has grown by enough, and after a rest.
"""

from __future__ import annotations

import time
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from annotation.analysis.comparable import is_followed
from annotation.analysis.following import follow
from annotation.analysis.live import LiveSums
from annotation.analysis.standings import tables_of
from annotation.models import Monitor, Study
from annotation.selectors import following
from annotation.selectors.monitor import progress_stored, verdicts_of
from annotation.selectors.progress import study_progress
from annotation.services import monitor as services
from annotation.services.webhooks import quality_warnings_raise

BUDGET = 60.0  # seconds of one turn; then reports, and other studies, have theirs
KEEP = timedelta(minutes=2)  # when nobody judges, paces and dates change all the same
SHARE = 100  # the table is read anew when it has grown by its hundredth
RESTS = 10


def monitor_refresh(study: Study) -> Monitor:
    """Follow the judgments, then keep what the page shows."""
    monitor = services.monitor_begin(study=study)
    monitor.study.refresh_from_db()
    before = (monitor.newest_judgment, monitor.results_version)
    is_whole = follow(monitor, until=time.monotonic() + BUDGET)
    is_same = before == (monitor.newest_judgment, monitor.results_version) and _is_fresh(monitor)
    snapshot = monitor.snapshot if is_same else _snapshot(monitor, is_whole=is_whole)
    services.snapshot_write(monitor=monitor, snapshot=snapshot)
    _tell(monitor.study, (snapshot.get("tables") or {}).get("quality") or {})
    return monitor


def _tell(study: Study, quality: dict[str, Any]) -> None:
    """Who looks careless is said in the history, and to whoever is told by the webhook, once."""
    verdicts = verdicts_of(quality)
    careless = {name: verdicts[name] for name in quality.get("careless", []) if name in verdicts}
    if careless:
        quality_warnings_raise(study=study, verdicts=careless)


def _is_fresh(monitor: Monitor) -> bool:
    """Whether there is a snapshot that time alone has not made old, with nothing left to be done."""
    made = monitor.snapshot.get("made_at")
    return (
        made is not None
        and monitor.snapshot["is_whole"]
        and abs(timezone.now() - datetime.fromisoformat(made)) < KEEP
        and not _tables_due(monitor, monitor.snapshot["people"])
    )


# --- what the page shows ------------------------------------------------------------------------------------------


def _snapshot(monitor: Monitor, *, is_whole: bool) -> dict[str, Any]:
    study = monitor.study
    tasks = following.tasks_followed(study)
    agreement = LiveSums(monitor.sums).agreement(tasks)
    found = {
        "made_at": timezone.now().isoformat(),
        "judgment": monitor.newest_judgment,
        "progress": progress_stored(study_progress(study)),
        "is_whole": is_whole,
        "agreement": [asdict(row) for row in agreement],
        "not_followed": [name for name, kind in tasks.values() if not is_followed(kind)],
        "people": following.people_pace(study),
        "nobody_can": following.judgments_nobody_can_make(study),
        "systems": following.systems_done(study),
        "days": following.judgments_by_day(study),
        "tables": monitor.snapshot.get("tables", {}),
    }
    if _tables_due(monitor, found["people"]):
        found["tables"] = _tables(monitor, judged=_judged(found["people"]))
    return found


def _judged(people: list[dict[str, Any]]) -> int:
    return sum(row["done"] for row in people)


def _tables_due(monitor: Monitor, people: list[dict[str, Any]]) -> bool:
    """Whether there is enough new to read the whole table again, and the last time is long enough ago."""
    last = monitor.snapshot.get("tables")
    judged = _judged(people)
    if not last:
        return bool(judged)
    if last["results_version"] != monitor.study.results_version:
        return True  # somebody has acted, and looks what has come of it
    enough = abs(judged - last["judged"]) >= max(1, last["judged"] // SHARE)
    rested = abs(timezone.now() - datetime.fromisoformat(last["at"])) >= timedelta(
        seconds=RESTS * last["seconds"]
    )
    return last["newest"] != monitor.newest_judgment and enough and rested


def _tables(monitor: Monitor, *, judged: int) -> dict[str, Any]:
    begun = time.monotonic()
    study = monitor.study
    return {
        **tables_of(study),
        "newest": monitor.newest_judgment,
        "results_version": study.results_version,
        "judged": judged,
        "at": timezone.now().isoformat(),
        "seconds": round(time.monotonic() - begun, 3),
    }
