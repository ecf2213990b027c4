"""A study as the tables that ``metrics`` computes with: what its export files hold, without the files."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

import pandas as pd

from annotation.export import ATTRIBUTE_COLUMNS, attribute_rows, columns_of, judgment_rows, program_rows
from annotation.models import Study
from annotation.selectors.adjudication import pieces_decided
from annotation.selectors.runs import Newest
from annotation.selectors.texts import output_rows, reference_rows, score_rows
from metrics.human import kinds


def judged_table(study: Study, *, until: int | None = None, use: str = "both") -> pd.DataFrame:
    """The long table, up to this judgment; with decisions where there are some, which a column tells from judgments.

    Whoever will use raw judgments alone need not ask for decisions."""
    decisions = use != "raw" and bool(pieces_decided(study))
    rows = judgment_rows(study, until=until, decisions=decisions)
    return pd.DataFrame(list(rows), columns=columns_of(decisions=decisions))


def attribute_table(study: Study) -> pd.DataFrame:
    return pd.DataFrame(list(attribute_rows(study)), columns=ATTRIBUTE_COLUMNS)


def report_inputs(study: Study, newest: Newest) -> dict[str, Any]:
    """All that a report is made of."""
    judgments = judged_table(study, until=newest.judgment)
    references = _table_if_any(chain(reference_rows(study), _written_references(judgments)))
    return {
        "judgments": judgments,
        "attributes": attribute_table(study),
        # Metrics compare outputs with references or nuggets: without these, there is nothing to compute, but marks lie over texts.
        "outputs": None
        if references is None and not _needs_texts(study)
        else _table_if_any(output_rows(study)),
        "references": references,
        "scores": _table_if_any(score_rows(study)),
        "programs": _table_if_any(program_rows(study)),
        "tasks": list(study.tasks.values_list("name", flat=True)),
    }


def _written_references(judgments: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """What people wrote in tasks whose texts are references too, such as abstracts."""
    for kind in kinds().values():
        if kind.references is not None and (judgments["kind"] == kind.slug).any():
            for row in kind.references(judgments).itertuples():
                yield {"item": row.item, "reference": row.reference, "text": row.text, "sentences": None}


def _needs_texts(study: Study) -> bool:
    """Whether people mark something in the texts of a task, which the report shows there, or judge them by an answer key."""
    known = (kinds().get(kind) for kind in study.tasks.values_list("kind", flat=True))
    return any(kind is not None and (kind.marked or kind.answer_key) is not None for kind in known)


def _table_if_any(rows: Iterator[dict[str, Any]]) -> pd.DataFrame | None:
    listed = list(rows)
    return pd.DataFrame(listed) if listed else None
