"""Studies whose first phase builds a key: played with answers of one's own, taken out and in again, scored from the files alone."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import pandas as pd

from annotation.export import ATTRIBUTE_COLUMNS, COLUMNS, attribute_rows, judgment_rows
from annotation.models import Assignment, Study
from annotation.selectors.exhibits import exhibit_shown
from annotation.selectors.files import study_as_file
from annotation.selectors.plan import next_phase
from annotation.services import work
from annotation.services.dealing import phase_open
from annotation.services.imports import judgments_import
from annotation.services.studies import study_import, study_open
from annotation.tasks.terms import Exhibit
from metrics.frames import check_attributes, check_judgments
from metrics.human import human_score

Answered = Callable[[Assignment, Exhibit], dict[str, Any]]


def answer_all(study: Study, answer: Answered, *, only: set[str] | None = None) -> None:
    """Everybody does what is there for them."""
    for assessor in study.assessors.select_related("study"):
        if only is not None and assessor.name not in only:
            continue
        while assignment := work.assignment_next(assessor=assessor):
            answer_one(assignment, answer(assignment, exhibit_shown(assignment)))


def answer_one(assignment: Assignment, answer: dict[str, Any]) -> None:
    draft = getattr(assignment, "draft", None)
    work.judgment_record(
        assignment=assignment,
        client_key=uuid.uuid4(),
        revision=draft.revision if draft else 1,
        answer=answer,
        seconds=1,
    )


def play(study: Study, answer: Answered) -> None:
    """Open the study and every phase of it."""
    study_open(study=study)
    answer_all(study, answer)
    for task in study.tasks.all():
        while next_phase(task):
            phase_open(task=task)
            answer_all(study, answer)


def tables(study: Study) -> tuple[pd.DataFrame, pd.DataFrame]:
    judgments = pd.DataFrame(list(judgment_rows(study)), columns=COLUMNS)
    attributes = pd.DataFrame(list(attribute_rows(study)), columns=ATTRIBUTE_COLUMNS)
    return check_judgments(judgments), check_attributes(attributes)


def scores_of(study: Study, score: str, **options: Any) -> dict[tuple[str, str], float]:
    """The score of each system on each item."""
    judgments, attributes = tables(study)
    table = human_score(judgments, score, attributes=attributes, **options).scores
    return {(row.system, row.item): row.score for row in table.itertuples()}


def rows_again(study: Study) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The rows of a study, and those of the same study into which they were imported."""
    first = [{**row, "study": ""} for row in judgment_rows(study) if not row["practice"]]
    file = study_as_file(study)
    Study.objects.filter(pk=study.pk).update(slug=f"{study.slug}-before")
    again = study_import(study_file=file)
    judgments_import(study=again, rows=[{**row, "row": number} for number, row in enumerate(first, start=2)])
    found = [{**row, "study": ""} for row in judgment_rows(again)]

    def order(row: dict[str, Any]) -> tuple[str, ...]:
        names = ("task", "assessor", "position", "system", "item", "unit", "criterion")
        return tuple(str(row[name]) for name in names)

    return sorted(first, key=order), sorted(found, key=order)
