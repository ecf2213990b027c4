"""Backups that are made by themselves: when one is due, which are kept, and what became of the last.

What there is to know lies in files: the backups in their folder, named after the moment at which they were begun, and beside the
data what went wrong last and whether somebody has asked for one. So it can be known when the database is away.
"""

from __future__ import annotations

import json
import logging
import re
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError
from django.utils import timezone

from annotation.backups.make import backup_make
from annotation.backups.only_one import is_being_made, only_one
from annotation.errors import Refused

STAMP = "%Y%m%dT%H%M%SZ"
NAME = re.compile(r"touchstone-(\d{8}T\d{6}Z)\.zip")
AGAIN = timedelta(minutes=15)  # after one that failed
AHEAD = timedelta(
    minutes=15
)  # by which a clock may be set right without anybody asking what is from the future

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Backup:
    path: Path
    made_at: datetime
    size: int


@dataclass(frozen=True)
class Failure:
    at: datetime
    error: str


@dataclass(frozen=True)
class BackupState:
    """What pages and programs are told. ``due_at`` is None where none is made by itself."""

    kept: list[Backup]  # newest first, as far as the clock tells
    failure: Failure | None  # of the last try, if that failed
    asked: bool
    running: bool
    due_at: datetime | None

    @property
    def last(self) -> Backup | None:
        """The newest. One from the future was made by a clock that has been set back since: nobody knows how old it is."""
        return next((backup for backup in self.kept if not _is_to_come(backup.made_at)), None)


def backup_state() -> BackupState:
    failure = _failure()
    state = BackupState(backups_kept(), failure, _asked().exists(), is_being_made(), None)
    if failure and state.last and state.last.made_at > failure.at:
        state = replace(state, failure=None)
    if settings.BACKUP_HOURS > 0:
        due = state.last.made_at + timedelta(hours=settings.BACKUP_HOURS) if state.last else timezone.now()
        if state.failure and not _is_to_come(state.failure.at):
            due = max(due, state.failure.at + AGAIN)
        state = replace(state, due_at=due)
    return state


def backups_kept() -> list[Backup]:
    """Those in the folder that were made by themselves or asked for on the page; other files are none of ours.

    Those from the future come last: a clock that was wrong made them, before those that are newest by the clock of today.
    """
    found = []
    with suppress(OSError):
        for path in settings.BACKUP_FOLDER.iterdir():
            if named := NAME.fullmatch(path.name):
                with suppress(OSError, ValueError):  # it may be gone meanwhile
                    begun = datetime.strptime(named[1], STAMP).replace(tzinfo=UTC)
                    found.append(Backup(path, begun, path.stat().st_size))
    return sorted(found, key=lambda backup: (not _is_to_come(backup.made_at), backup.made_at), reverse=True)


def _is_to_come(moment: datetime) -> bool:
    return moment > timezone.now() + AHEAD


def backup_ask() -> None:
    """Somebody wants one now; whoever keeps the house makes it."""
    settings.DATA_DIR.mkdir(parents=True, exist_ok=True)
    _asked().touch()


def backup_if_due() -> Backup | None:
    """Make a backup if it is time or somebody has asked; None if not, or if it failed, which is logged and shown."""
    state = backup_state()
    due = state.due_at is not None and state.due_at <= timezone.now()
    if state.running or not (state.asked or due):
        return None
    _asked().unlink(missing_ok=True)
    try:
        made = _make()
    except Exception as problem:
        # Whatever it was: one that fails must be shown, and not be tried again at the next look.
        expected = isinstance(problem, Refused | OSError | DatabaseError)
        words = str(problem) or type(problem).__name__
        log.error("The backup failed: %s", words, exc_info=not expected)
        _failure_note(words)
        return None
    _failed().unlink(missing_ok=True)
    _prune()
    return made


def _make() -> Backup:
    begun = timezone.now().astimezone(UTC).replace(microsecond=0)
    folder: Path = settings.BACKUP_FOLDER
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with only_one():
        for draft in folder.glob(".touchstone-*.zip.*"):  # of one that was killed: nobody else is at it
            draft.unlink(missing_ok=True)
    path = folder / f"touchstone-{begun:{STAMP}}.zip"
    backup_make(target=path)
    return Backup(path, begun, path.stat().st_size)


def _prune() -> None:
    for old in backups_kept()[settings.BACKUPS_KEPT :]:
        old.path.unlink(missing_ok=True)


def _asked() -> Path:
    return settings.DATA_DIR / "backup-asked"


def _failed() -> Path:
    return settings.DATA_DIR / "backup-failed.json"


def _failure_note(error: str) -> None:
    with suppress(OSError):  # the disk may be full, which is why it failed: then the file is empty
        _failed().write_text(json.dumps({"at": timezone.now().isoformat(), "error": error[:500]}))


def _failure() -> Failure | None:
    try:
        words, noted = _failed().read_text(errors="replace"), _failed().stat().st_mtime
    except OSError:
        return None
    try:
        told = json.loads(words)
        return Failure(datetime.fromisoformat(told["at"]), str(told["error"]))
    except (ValueError, KeyError, TypeError):
        return Failure(datetime.fromtimestamp(noted, UTC), "there was no room to note why; see the log")
