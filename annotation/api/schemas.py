"""What the API takes and gives, as types. Rows that a study file has too are taken from its schema."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from annotation.analysis.options import ReportOptions
from annotation.strict import Strict
from annotation.study_files.schema import AssessorRow, ScoreRow

Row = TypeVar("Row")
LARGEST = 2**63 - 1  # what a database takes as a number of a row


def _some(names: tuple[str, ...]) -> tuple[str, ...]:
    """No names would be no choice: on the pages an empty field stands for all usual metrics."""
    if not names:
        raise ValueError("is empty; leave it out for all usual ones")
    return names


MetricName = Annotated[str, Field(max_length=200)]
MetricNames = Annotated[
    tuple[MetricName, ...],
    AfterValidator(_some),
    Field(max_length=1000, json_schema_extra={"minItems": 1}),
]


class Answer(BaseModel):
    """What goes out, read from the attributes of a row or a result."""

    model_config = ConfigDict(from_attributes=True)


# --- asked for ----------------------------------------------------------------------------------------------------


class PageQuery(Strict):
    page: int = Field(default=1, ge=1, le=LARGEST)
    page_size: int = Field(default=100, ge=1, le=1000)


class ScoreQuery(PageQuery):
    metric: str = Field(default="", max_length=200)


class AuditQuery(PageQuery):
    action: str = Field(default="", max_length=60)  # whole, or its first part
    actor: str = Field(default="", max_length=200)


class ExportQuery(Strict):
    all_revisions: bool = False
    names: bool = False
    excluded: bool = False


class ExportFileQuery(ExportQuery):
    decisions: bool = False


class JudgmentQuery(ExportQuery):
    after: int = Field(default=0, ge=0, le=LARGEST)
    limit: int = Field(default=200, ge=1, le=1000)


class StudyImportFields(Strict):
    """The fields of the form beside its file. With a template, the file is a table of texts."""

    replace: bool = False
    template: str = ""
    map: str = ""
    name: str = ""
    slug: str = ""
    language: str = "en"
    source_language: str = ""


class NoFields(Strict):
    """A form that has only a file."""


class NewAssessor(AssessorRow):
    """An assessor to add. ``author``: the id of the author, if this person wrote some of the texts."""


class NewExclusion(Strict):
    """What to leave out of results. ``name``: a person's name or pseudonym, an item's id, a task's name, or for one
    judgment ``A03/17``, the columns assessor and position of the long table."""

    what: Literal["assessor", "judgment", "item", "task"]
    name: str = Field(min_length=1, max_length=220)
    reason: str = Field(min_length=1, max_length=500)


class Score(ScoreRow):
    """A score of one metric; ``item`` empty: of the system as a whole; ``score`` null: undefined here."""


class ScoreTable(Strict):
    """Scores computed elsewhere. Each metric in the table replaces what there was of that metric."""

    scores: list[Score] = Field(min_length=1)


class RawScoreTable(Strict):
    """The same, before its rows are checked: together with the study, so that all problems are named at once."""

    scores: list[Any]


class NewReport(ReportOptions):
    """What can be chosen about a report. ``metrics``: names and patterns such as rouge-2-*; null: all usual ones."""

    metrics: MetricNames | None = None


# --- given --------------------------------------------------------------------------------------------------------


class Page(Answer, Generic[Row]):
    """One page of a list; ``next`` and ``previous`` are addresses, null at the ends."""

    count: int
    next: str | None
    previous: str | None
    results: list[Row]


class StudySummary(Answer):
    """A study of yours, with judgments done and wanted (practice apart).

    ``source_language``: of its documents, if another than ``language``; else empty.
    """

    slug: str
    name: str
    language: str
    source_language: str
    state: Literal["draft", "open", "closed"]
    role: Literal["owner", "editor", "viewer"]
    done: int
    wanted: int
    created_at: datetime
    opened_at: datetime | None
    closed_at: datetime | None
    last_judgment: datetime | None


class TaskSummary(Answer):
    name: str
    kind: str


class StudyDetail(StudySummary):
    """A study with its tasks, in their order, and how much there is to judge."""

    tasks: list[TaskSummary]
    systems: int
    outputs: int
    assessors: int


class AssessorDetail(Answer):
    """An assessor; ``pseudonym`` is the name in exports, ``total`` what they get, as far as it is dealt.

    ``checks_failed_at`` and ``checks_failed_why``: by the study's own rule, which has then paused or stopped them, or neither.
    """

    id: int
    name: str
    pseudonym: str
    group: str
    author: str
    has_link: bool
    link_made_at: datetime | None
    started_at: datetime | None
    last_seen_at: datetime | None
    paused_at: datetime | None
    stopped_at: datetime | None
    checks_failed_at: datetime | None
    checks_failed_why: str
    done: int
    total: int


class NewLink(Answer):
    """A personal link. Only its hash is stored: this is the only time to see it."""

    url: str


class TaskProgress(Answer):
    """``seconds``: the mean active time of a judgment, null before the first one."""

    name: str
    wanted: int
    done: int
    left: int
    seconds: float | None


class Progress(Answer):
    """``seconds_left``: active time of all assessors together, null where it is too early to tell."""

    headline: str
    wanted: int
    done: int
    left: int
    seconds_left: float | None
    last_judgment: datetime | None
    tasks: list[TaskProgress]


class JudgmentValue(Answer):
    """A row of the long table: one value that one assessor decided."""

    study: str
    task: str
    kind: str
    assessor: str
    system: str
    document: str
    item: str
    unit: str
    criterion: str
    value: float | None
    label: str
    revision: int
    position: int
    practice: bool
    control: str
    shown_at: datetime
    submitted_at: datetime
    seconds: float | None  # active
    place: int | None  # of a set: where the output stood, from 1
    raw_seconds: float | None  # with the page open, idle or not
    excluded: str  # why it is left out of results; empty: it counts
    text_version: int | None  # of the instructions that the assessor had read; null: there was only one


class JudgmentValues(Answer):
    """Rows of whole judgments. Ask with ``after`` = ``last`` for what has come since; ``next`` is null at the end."""

    next: str | None
    last: int
    results: list[JudgmentValue]


class ExclusionDetail(Answer):
    """What is left out of results, and why. ``judgments``: how many that is; each is counted once, with the first."""

    id: int
    what: str  # such as “assessor A03”
    reason: str
    judgments: int
    made_at: datetime
    made_by: str


class ExclusionList(Answer):
    """All that is left out now, in the order in which it was."""

    results: list[ExclusionDetail]


class AuditDetail(Answer):
    """One line of the audit trail; ``hash`` covers all the others and ``previous``, the hash of the line before."""

    number: int
    at: datetime
    actor: str
    action: str
    target: str
    before: dict[str, Any] | None
    after: dict[str, Any] | None
    previous: str
    hash: str


class JudgmentsImported(Answer):
    """``known``: were here already; ``differing``: say something else in the table than here, where they stay as they were (what
    corrects a judgment is its next revision); ``practice`` and ``excluded``: rows that were left out, since they enter no result."""

    judgments: int
    known: int
    differing: int
    practice: int
    excluded: int


class ScoresImported(Answer):
    scores: int
    metrics: list[str]


class RunDetail(Answer):
    """The making of a report. ``options``: what was chosen; ``error``: why it failed; ``stale``: judgments, scores,
    decisions or answers of programs have come since, or something was left out or included again; ``worker_is_missing``: nobody is at it."""

    id: int
    state: Literal["queued", "running", "done", "failed", "cancelled"]
    options: ReportOptions
    percent: int
    label: str
    seconds_left: float | None
    worker_is_missing: bool
    stale: bool
    error: str
    requested_at: datetime
    finished_at: datetime | None


class Report(BaseModel):
    """The content of report.json."""

    model_config = ConfigDict(extra="allow")


class ReportFileDetail(Answer):
    """A file of a report; ``size`` in bytes, null for a figure that is drawn when it is asked for."""

    name: str
    size: int | None


class ReportFiles(Answer):
    """The files of a report, in the order of their names."""

    files: list[ReportFileDetail]


class RunPage(Page[RunDetail]):
    """Runs, newest first."""


class StudyPage(Page[StudySummary]):
    """Studies, newest first."""


class AssessorPage(Page[AssessorDetail]):
    """Assessors in the order in which they were added."""


class AuditPage(Page[AuditDetail]):
    """The audit trail, newest first."""


class ScoreDetail(Answer):
    """A score of one metric; ``item`` empty: of the system as a whole; ``score`` null: undefined there."""

    metric: str
    system: str
    item: str
    score: float | None
    higher_is_better: bool


class ScorePage(Page[ScoreDetail]):
    """Scores metric by metric, in the order in which they were sent."""
