"""The registry of task kinds: one line each."""

from __future__ import annotations

from annotation.tasks.base import TaskKind
from annotation.tasks.rating import Rating
from annotation.tasks.see import See

KINDS: dict[str, TaskKind] = {
    "see": See(),
    "rating": Rating(),
}
