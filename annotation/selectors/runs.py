"""What is known of a study's reports: the newest, whether it is up to date, and what data it would be made of."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Max, QuerySet
from django.utils import timezone

from annotation.models import Judgment, ProgramAnswer, Run, Study
from annotation.selectors.adjudication import decisions_of
from annotation.selectors.exclusions import left_out
from annotation.selectors.keys import keys_state

PATIENCE = timedelta(seconds=10)  # a worker that is alive looks for work every second
CHUNK = 2000
EARLIER = 20


@dataclass(frozen=True)
class Newest:
    """The last judgment and the last metric score of a study, and how often something was left out, included again or decided.

    All only ever grow: rows are added, never changed.
    """

    judgment: int
    score: int
    results_version: int = 0


@dataclass(frozen=True)
class Staleness:
    """What has come since a report was made."""

    judgments: int
    scores: bool
    exclusions: bool = False  # something was left out, included again or decided
    programs: bool = False  # a program has judged since

    def __bool__(self) -> bool:
        return bool(self.judgments or self.scores or self.exclusions or self.programs)


def _counted(study: Study) -> QuerySet[Judgment]:
    """Practice, getting to know a document, and what is left out enter no result."""
    return Judgment.objects.filter(
        assignment__assessor__study=study, assignment__counts=True, assignment__left_out=False
    )


def _by_programs(study: Study) -> QuerySet[ProgramAnswer]:
    return ProgramAnswer.objects.filter(item__program__study=study, final=True)


def newest_data(study: Study) -> Newest:
    judgment = _counted(study).aggregate(pk=Max("pk"))["pk"]
    score = study.metricscores.aggregate(pk=Max("pk"))["pk"]
    return Newest(judgment=judgment or 0, score=score or 0, results_version=study.results_version)


def staleness(run: Run) -> Staleness:
    judgments = _counted(run.study).filter(pk__gt=run.newest_judgment)
    newest = run.study.metricscores.aggregate(pk=Max("pk"))["pk"] or 0
    return Staleness(
        judgments=judgments.count(),
        scores=newest != run.newest_score,
        exclusions=run.study.results_version != run.results_version,
        programs=_by_programs(run.study).filter(answered_at__gt=run.requested_at).exists(),
    )


def program_answered(study: Study) -> datetime | None:
    """When a program judged last."""
    return _by_programs(study).aggregate(last=Max("answered_at"))["last"]


def is_stale(run: Run, newest: Newest, answered: datetime | None) -> bool:
    """As ``staleness`` says, without asking anew for each run of a list; ``answered``: when a program judged last."""
    known = Newest(run.newest_judgment, run.newest_score, run.results_version)
    return known != newest or (answered is not None and answered > run.requested_at)


def runs_newest_first(study: Study) -> QuerySet[Run]:
    return study.runs.order_by("-pk")


def run_newest(study: Study) -> Run | None:
    """The run that the experimenter asked for last, whatever became of it."""
    return study.runs.select_related("study", "requested_by").first()


def run_of(study: Study, pk: int) -> Run | None:
    """This run, if it is one of the study's."""
    return study.runs.select_related("study", "requested_by").filter(pk=pk).first()


def run_done(study: Study, pk: int | None = None) -> Run | None:
    """The report that is shown: this one, or the newest that is done."""
    runs = study.runs.select_related("study", "requested_by").filter(state=Run.State.DONE)
    return runs.first() if pk is None else runs.filter(pk=pk).first()


def runs_done(study: Study) -> QuerySet[Run]:
    """The reports that were made, the newest first; a page has room for so many."""
    return study.runs.select_related("requested_by").filter(state=Run.State.DONE)[:EARLIER]


def worker_is_missing(run: Run) -> bool:
    """Whether this run has waited longer than a worker that is alive and free would have let it."""
    if run.state != Run.State.QUEUED or timezone.now() - run.requested_at < PATIENCE:
        return False
    others = Run.objects.filter(state=Run.State.RUNNING)
    return not any(not other.is_lost for other in others)


# --- the data of a report -----------------------------------------------------------------------------------------


def data_hash(study: Study, *, newest: Newest, options: dict[str, Any], version: str) -> str:
    """One hash of all that a report depends on: the same data and the same choices give the same report."""
    digest = hashlib.sha256()
    for part in (
        {"study": study.slug, "options": options, "version": version},
        [[entry.what, entry.exclusion.reason, len(entry.judgments)] for entry in left_out(study)],
        keys_state(study),
        list(study.erasures.order_by("pk").values_list("judgments", "kept")),
        *_decisions(study),
        *_materials(study),
        *_judgments(study, newest),
        *_by_programs(study)
        .order_by("pk")
        .values_list("pk", "item__program__name", "answer")
        .iterator(CHUNK),
    ):
        digest.update(json.dumps(part, sort_keys=True, default=str, ensure_ascii=False).encode())
        digest.update(b"\n")
    return digest.hexdigest()


def _materials(study: Study) -> Iterator[Any]:
    """A fixed number of queries; the order is that of the study file."""
    item = ("document__key", "topic__key", "text", "units", "units_given")
    yield list(study.tasks.values_list("name", "kind", "config", "choices"))
    yield list(study.topics.values_list("key", "gold"))
    yield list(study.systems.values_list("key", "name", "type"))
    yield list(study.questions.values_list("document__key", "author", "question", "answer"))
    owners = ("reference__key", "document__key", "topic__key")
    units = study.contentunits.values_list("key", *owners, "text", "status", "comment", "contributors")
    yield from units.iterator(CHUNK)
    yield from study.references.values_list("key", *item).iterator(CHUNK)
    yield from study.outputs.values_list("system__key", "kind", "target", *item).iterator(CHUNK)
    scores = study.metricscores.values_list("metric", "system", "item", "score", "higher_is_better")
    yield from scores.iterator(CHUNK)


def _judgments(study: Study, newest: Newest) -> Iterator[Any]:
    rows = _counted(study).filter(pk__lte=newest.judgment).order_by("pk")
    yield from rows.values_list(
        "assignment_id", "assignment__assessor__pseudonym", "revision", "answer", "submitted_at", "seconds"
    ).iterator(CHUNK)


def _decisions(study: Study) -> Iterator[Any]:
    """Also for a report of raw judgments: it says how many pieces are decided."""
    rows = decisions_of(study).order_by("pk")
    yield from rows.values_list(
        "adjudication_id", "adjudication__adjudicator__pseudonym", "revision", "answer"
    ).iterator(CHUNK)
