"""The tables: a study and its tasks, its materials, the work of its assessors, reports, and tokens for the API."""

from annotation.models.building import TextTable
from annotation.models.materials import (
    WITH_ORIGINAL,
    ContentUnit,
    Control,
    ControlItem,
    Document,
    MetricScore,
    Output,
    PracticeItem,
    Question,
    Reference,
    System,
    Topic,
)
from annotation.models.runs import Run
from annotation.models.study import Membership, Study, Task
from annotation.models.tokens import ApiToken, FirstPassword
from annotation.models.work import Assessor, Assignment, Draft, Flag, Judgment, SetMember, Subject

__all__ = [
    "WITH_ORIGINAL",
    "ApiToken",
    "Assessor",
    "Assignment",
    "ContentUnit",
    "Control",
    "ControlItem",
    "Document",
    "Draft",
    "FirstPassword",
    "Flag",
    "Judgment",
    "Membership",
    "MetricScore",
    "Output",
    "PracticeItem",
    "Question",
    "Reference",
    "Run",
    "SetMember",
    "Study",
    "Subject",
    "System",
    "Task",
    "TextTable",
    "Topic",
]
