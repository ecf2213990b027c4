"""The registry of task kinds: one line each."""

from __future__ import annotations

from annotation.tasks.base import TaskKind
from annotation.tasks.cross_comprehension import CrossComprehension
from annotation.tasks.likert import Likert
from annotation.tasks.rating import Rating
from annotation.tasks.relevance import Relevance
from annotation.tasks.see import See

KINDS: dict[str, TaskKind] = {
    "see": See(),
    "rating": Rating(),
    "likert": Likert(),
    "cross_comprehension": CrossComprehension(),
    "relevance": Relevance(),
}
