"""The tables: a study and its tasks, its materials, the work of its assessors, what is decided where they disagree, what is left out, reports, the monitor, the audit trail, accounts, and tokens for the API."""

from annotation.models.accounts import AccountLink, TwoStep
from annotation.models.adjudication import (
    Adjudication,
    Adjudicator,
    Decision,
    Disagreement,
    DisagreementQueue,
)
from annotation.models.audit import AuditEntry
from annotation.models.building import TextTable
from annotation.models.discussion import Reply
from annotation.models.exclusions import Exclusion
from annotation.models.joining import Erasure, JoinLink
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
from annotation.models.monitor import Monitor, MonitorCell
from annotation.models.programs import Program, ProgramAnswer, ProgramItem
from annotation.models.runs import Run
from annotation.models.study import Membership, SlugAlias, Study, StudyText, Task
from annotation.models.tokens import ApiToken, FirstPassword
from annotation.models.webhooks import WebhookEvent
from annotation.models.work import Assessor, Assignment, Draft, Flag, Judgment, SetMember, Subject

__all__ = [
    "WITH_ORIGINAL",
    "AccountLink",
    "Adjudication",
    "Adjudicator",
    "ApiToken",
    "Assessor",
    "Assignment",
    "AuditEntry",
    "ContentUnit",
    "Control",
    "ControlItem",
    "Decision",
    "Disagreement",
    "DisagreementQueue",
    "Document",
    "Draft",
    "Erasure",
    "Exclusion",
    "FirstPassword",
    "Flag",
    "JoinLink",
    "Judgment",
    "Membership",
    "MetricScore",
    "Monitor",
    "MonitorCell",
    "Output",
    "PracticeItem",
    "Program",
    "ProgramAnswer",
    "ProgramItem",
    "Question",
    "Reference",
    "Reply",
    "Run",
    "SetMember",
    "SlugAlias",
    "Study",
    "StudyText",
    "Subject",
    "System",
    "Task",
    "TextTable",
    "Topic",
    "TwoStep",
    "WebhookEvent",
]
