"""What the API says of the server."""

from __future__ import annotations

from datetime import datetime

from annotation.api.schemas import Answer
from annotation.selectors.operations import Operations


class WarnedDetail(Answer):
    what: str
    todo: str


class PartDetail(Answer):
    """``silence``: seconds since it was heard of; null: never."""

    name: str
    is_alive: bool
    silence: float | None


class QueueDetail(Answer):
    waiting: int
    running: int
    lost: int
    failed: int
    oldest: datetime | None


class BackupDetail(Answer):
    file: str
    made_at: datetime
    size: int


class BackupsDetail(Answer):
    """``due_at`` null: none are made by themselves; ``failure``: what became of the last try, if that failed."""

    kept: list[BackupDetail]
    failure: str
    is_running: bool
    is_asked_for: bool
    due_at: datetime | None


class DiskDetail(Answer):
    free: int
    total: int


class WebhooksDetail(Answer):
    wanted: bool
    problem: str
    waiting: int
    given_up: int
    error: str


class ServerDetail(Answer):
    """Sizes are bytes."""

    warnings: list[WarnedDetail]
    parts: list[PartDetail]
    queue: QueueDetail
    disk: DiskDetail
    sizes: dict[str, int | None]
    backups: BackupsDetail
    webhooks: WebhooksDetail
    versions: dict[str, str]
    database: str
    judgments: int
    studies_open: int
    sessions: int

    @classmethod
    def of(cls, found: Operations) -> ServerDetail:
        state = found.backups
        told = {name: getattr(found, name) for name in cls.model_fields if name != "backups"}
        backups = BackupsDetail(
            kept=[BackupDetail(file=one.path.name, made_at=one.made_at, size=one.size) for one in state.kept],
            failure=state.failure.error if state.failure else "",
            is_running=state.running,
            is_asked_for=state.asked,
            due_at=state.due_at,
        )
        return cls.model_validate({**told, "backups": backups}, from_attributes=True)
