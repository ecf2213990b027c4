"""The tables: a study and its tasks, its materials, and the work of its assessors."""

from annotation.models.materials import (
    Document,
    MetricScore,
    Output,
    PracticeItem,
    Question,
    Reference,
    System,
    Topic,
)
from annotation.models.study import Membership, Study, Task
from annotation.models.work import Assessor, Assignment, Draft, Flag, Judgment, Subject

__all__ = [
    "Assessor",
    "Assignment",
    "Document",
    "Draft",
    "Flag",
    "Judgment",
    "Membership",
    "MetricScore",
    "Output",
    "PracticeItem",
    "Question",
    "Reference",
    "Study",
    "Subject",
    "System",
    "Task",
    "Topic",
]
