"""How the server is: what administrators see, what probes are told, what is measured. A few queries, whatever the size."""

from __future__ import annotations

import os
import platform
import shutil
import tomllib
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import django
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import DatabaseError, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Count, Min, Q
from django.utils import timezone

from annotation import alive
from annotation.backups.schedule import BackupState, backup_state
from annotation.models import Judgment, Run, Study, WebhookEvent
from annotation.webhook import webhook_problem, webhook_wanted
from annotation.words import phrase

MB = 1024 * 1024
ROOM_NEEDED = 100 * MB  # with less, judgments may soon be refused
ROOM_WISHED = 1024 * MB
WAITED_LONG = timedelta(minutes=15)
OLD_BACKUP = 2.0  # times the hours between two


@dataclass(frozen=True)
class Warned:
    what: str
    todo: str


@dataclass(frozen=True)
class Part:
    """A part of the server; ``silence`` in seconds, None if it was never heard of."""

    name: str
    does: str
    is_alive: bool
    silence: float | None


@dataclass(frozen=True)
class Queue:
    waiting: int
    running: int
    lost: int  # whose worker is gone
    failed: int  # within a day
    oldest: datetime | None


@dataclass(frozen=True)
class Webhooks:
    wanted: bool
    problem: str
    waiting: int
    given_up: int
    error: str


@dataclass(frozen=True)
class Disk:
    free: int
    total: int

    @property
    def percent_used(self) -> int:
        return round(100 * (self.total - self.free) / self.total) if self.total else 0


@dataclass(frozen=True)
class Operations:
    warnings: list[Warned]
    parts: list[Part]
    queue: Queue
    disk: Disk
    sizes: dict[str, int | None]  # what takes how many bytes
    backups: BackupState
    webhooks: Webhooks
    versions: dict[str, str]
    database: str
    judgments: int
    studies_open: int
    sessions: int


def operations() -> Operations:
    """Everything, for the page and the API."""
    parts, queue, room, backups, webhooks = (
        server_parts(),
        run_queue(),
        disk(),
        backup_state(),
        webhook_queue(),
    )
    return Operations(
        warnings=_warnings(parts, queue, room, backups, webhooks),
        parts=parts,
        queue=queue,
        disk=room,
        sizes={
            "database": database_size(),
            "reports": folder_size(settings.DATA_DIR / "reports"),
            "backups": sum(backup.size for backup in backups.kept),
        },
        backups=backups,
        webhooks=webhooks,
        versions=versions(),
        database=database_version(),
        judgments=judgment_count(),
        studies_open=Study.objects.filter(state=Study.State.OPEN, deleted_at=None).count(),
        sessions=Session.objects.filter(expire_date__gt=timezone.now()).count(),
    )


# --- what there is to know ----------------------------------------------------------------------------------------


def server_parts() -> list[Part]:
    named = {
        alive.SLOW_LANE: phrase("answers exports, uploads and whatever else takes seconds"),
        alive.WORKER: phrase("makes reports"),
        alive.KEEPER: phrase("makes backups, tidies up, tells others"),
    }
    return [Part(name, does, alive.is_alive(name), alive.silence(name)) for name, does in named.items()]


def disk() -> Disk:
    try:
        usage = shutil.disk_usage(settings.DATA_DIR)
    except OSError:
        return Disk(0, 0)
    return Disk(usage.free, usage.total)


def run_queue() -> Queue:
    now, silence = timezone.now(), timedelta(seconds=alive.SILENCE)
    unheard = Q(heartbeat_at__lt=now - silence) | Q(
        heartbeat_at__gt=now + silence
    )  # by a clock set back since
    silent = unheard & Q(state=Run.State.RUNNING)
    today = Q(state=Run.State.FAILED, finished_at__gt=now - timedelta(days=1))
    waiting = Q(state=Run.State.QUEUED)
    row = Run.objects.aggregate(
        waiting=Count("pk", filter=waiting),
        running=Count("pk", filter=Q(state=Run.State.RUNNING)),
        lost=Count("pk", filter=silent),
        failed=Count("pk", filter=today),
        oldest=Min("requested_at", filter=waiting),
    )
    return Queue(**row)


def webhook_queue() -> Webhooks:
    waiting = Q(sent_at=None, given_up_at=None)
    row = WebhookEvent.objects.aggregate(
        waiting=Count("pk", filter=waiting), given_up=Count("pk", filter=Q(given_up_at__isnull=False))
    )
    failed = WebhookEvent.objects.exclude(error="").order_by("-pk").values_list("error", flat=True).first()
    return Webhooks(webhook_wanted(), webhook_problem(), row["waiting"], row["given_up"], failed or "")


def judgment_count() -> int:
    return Judgment.objects.count()


def folder_size(folder: Path) -> int:
    """Of plain files; those that vanish while one looks are none."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                total += (Path(place) / name).lstat().st_size
            except OSError:
                continue
    return total


def database_size() -> int | None:
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_database_size(current_database())")
            return int(cursor.fetchone()[0])
    path = Path(settings.DATABASES["default"]["NAME"])
    try:
        return sum(file.stat().st_size for file in path.parent.glob(f"{path.name}*"))
    except OSError:
        return None


def database_version() -> str:
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SHOW server_version")
            return f"PostgreSQL {cursor.fetchone()[0].split()[0]}"
        cursor.execute("SELECT sqlite_version()")
        return f"SQLite {cursor.fetchone()[0]}"


def versions() -> dict[str, str]:
    found = {
        "Touchstone": touchstone_version(),
        "Django": django.get_version(),
        "Python": platform.python_version(),
    }
    return found | {"schema": max(name for app, name in _on_disk() if app == "annotation")}


@cache
def touchstone_version() -> str:
    """As it was installed, or as the repository says it is."""
    if settings.IN_REPOSITORY:
        return tomllib.loads((settings.BASE_DIR / "pyproject.toml").read_text())["project"]["version"]
    return metadata.version("touchstone")


# --- probes -------------------------------------------------------------------------------------------------------


@cache
def _on_disk() -> frozenset[tuple[str, str]]:
    return frozenset(MigrationLoader(None, ignore_no_migrations=True).disk_migrations)


def not_ready() -> list[str]:
    """What keeps this server from serving people, a word each; empty if nothing does."""
    faults = []
    try:
        # Also a first query: whether the database answers at all.
        if not _on_disk() <= set(MigrationRecorder(connection).applied_migrations()):
            faults.append("migrations")
    except DatabaseError:
        faults.append("database")
    if disk().free < ROOM_NEEDED:
        faults.append("disk")
    return faults


def away() -> list[str]:
    """Parts that are silent. People can judge without them, so that nobody need be sent to another server."""
    return [part.name for part in server_parts() if not part.is_alive]


# --- warnings -----------------------------------------------------------------------------------------------------


def _warnings(
    parts: list[Part], queue: Queue, room: Disk, backups: BackupState, webhooks: Webhooks
) -> list[Warned]:
    """The worst first, each with what to do about it."""
    found = [
        *_of_disk(room),
        *_of_parts(parts),
        *_of_backups(backups, room),
        *_of_queue(queue),
        *_of_webhooks(webhooks),
    ]
    return [*found, *_of_settings()]


def _of_disk(room: Disk) -> list[Warned]:
    if room.free >= ROOM_WISHED:
        return []
    what = phrase("Only {free} MB are free on the disk of the data folder.", free=f"{room.free // MB:,}")
    if room.free < ROOM_NEEDED:
        what += phrase(" Judgments may be refused soon.")
    todo = phrase(
        "Make room: fewer reports (TOUCHSTONE_REPORTS_KEPT), fewer backups (TOUCHSTONE_BACKUPS_KEPT) "
        "or a larger disk."
    )
    return [Warned(what, todo)]


def _of_parts(parts: list[Part]) -> list[Warned]:
    todo = phrase(
        "Look into the log, then start the server anew ({run_command}, or systemctl restart touchstone).",
        run_command=settings.RUN_COMMAND,
    )
    return [
        Warned(
            phrase(
                "The {name}, which {does}, is not running on this machine.", name=part.name, does=part.does
            ),
            todo,
        )
        for part in parts
        if not part.is_alive
    ]


def _of_backups(backups: BackupState, room: Disk) -> list[Warned]:
    found = []
    if backups.failure:
        found.append(
            Warned(
                phrase("The last backup failed: {error}", error=backups.failure.error),
                phrase(
                    "Mend that, then press “Make one now”; until then it is tried every quarter of an hour."
                ),
            )
        )
    hours = settings.BACKUP_HOURS
    if hours <= 0:
        found.append(
            Warned(
                phrase("No backups are made by themselves."),
                phrase("Set TOUCHSTONE_BACKUP_HOURS=24, or let cron call “manage.py backup”."),
            )
        )
    elif backups.last and timezone.now() - backups.last.made_at > timedelta(hours=OLD_BACKUP * hours):
        found.append(
            Warned(
                phrase(
                    "The last backup is older than {old_backup} hours.", old_backup=f"{OLD_BACKUP * hours:g}"
                ),
                phrase("See whether the keeper runs, and what the log says."),
            )
        )
    if backups.last and backups.last.size > room.free:
        found.append(
            Warned(
                phrase("There is no room for another backup beside the last one."),
                phrase("Make room, or set TOUCHSTONE_BACKUP_FOLDER to another disk."),
            )
        )
    return found


def _of_queue(queue: Queue) -> list[Warned]:
    if queue.oldest is None or timezone.now() - queue.oldest < WAITED_LONG:
        return []
    return [
        Warned(
            phrase(
                "A report has been waiting since {oldest}.",
                oldest=f"{timezone.localtime(queue.oldest):%H:%M on %-d %B}",
            ),
            phrase(
                "Reports are made one after the other: cancel one that nobody needs, or see whether the "
                "worker runs."
            ),
        )
    ]


def _of_webhooks(webhooks: Webhooks) -> list[Warned]:
    found = []
    if webhooks.problem:
        found.append(
            Warned(
                phrase("The webhook cannot be sent: {problem}", problem=webhooks.problem),
                phrase("Mend the setting and start anew."),
            )
        )
    if webhooks.given_up:
        found.append(
            Warned(
                phrase(
                    "{given_up} messages to the webhook were given up.", given_up=f"{webhooks.given_up:,}"
                ),
                phrase(
                    "The last one said: {value}. See whether the other side runs.",
                    value=webhooks.error or phrase("nothing"),
                ),
            )
        )
    return found


def _of_settings() -> list[Warned]:
    if not settings.DEBUG:
        return []
    return [
        Warned(
            phrase("TOUCHSTONE_DEBUG is on: errors show the program to everybody."),
            phrase("Unset it and start anew."),
        )
    ]


def facts() -> dict[str, Any]:
    """Numbers for those who measure (``/metrics``)."""
    queue, backups, room, webhooks = run_queue(), backup_state(), disk(), webhook_queue()
    return {
        "judgments": judgment_count(),
        "studies_open": Study.objects.filter(state=Study.State.OPEN, deleted_at=None).count(),
        "sessions": Session.objects.filter(expire_date__gt=timezone.now()).count(),
        "reports_waiting": queue.waiting,
        "reports_running": queue.running,
        "silence": {part.name: part.silence for part in server_parts()},
        "disk_free": room.free,
        "last_backup": backups.last.made_at.timestamp() if backups.last else None,
        "last_backup_size": backups.last.size if backups.last else None,
        "backup_failed": bool(backups.failure),
        "webhooks_waiting": webhooks.waiting,
        "version": touchstone_version(),
    }
