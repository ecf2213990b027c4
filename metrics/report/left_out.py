"""What was given and does not count, and why: a reader must be able to account for every row."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from metrics.frames import EXCLUDED, TEXT_VERSION, is_excluded, scored
from metrics.human.base import ASSESSMENT, attribute, number_attribute
from metrics.human.registry import kinds_that
from metrics.report.automatic import MetricResult
from metrics.report.book import Book
from metrics.report.human import HumanResult
from metrics.report.inputs import Inputs
from metrics.report.numbers import counted

_CONTROLS = {
    "gold": "gold items check an assessor; they enter no score",
    "repeat": "repeated items serve intra-assessor agreement; they enter no score",
    "degraded": "degraded texts are no output of a system; they enter no score",
    "attention": "attention checks enter no score",
}


def leave_out_judgments(inputs: Inputs, book: Book) -> None:
    """Rows of judgments: practice, what was excluded by hand, control items, older revisions, answers in words, kinds without a score."""
    rows = inputs.judgments
    practice = rows["practice"].astype(bool)
    book.leave_out("values", int(practice.sum()), "practice never counts")
    excluded = is_excluded(rows) & ~practice
    for why, count in _excluded(inputs, rows[excluded]).items():
        book.leave_out("values", count, f"excluded: {why}")
    rest = rows[~practice & ~excluded]
    for control, why in _CONTROLS.items():
        book.leave_out("values", int((rest["control"] == control).sum()), why)
    newest = scored(rows, controls=True)
    book.leave_out("values", len(rest) - len(newest), "an older revision of a judgment that was changed")
    values = newest[newest["control"] == ""]
    known = values["kind"].isin(_scored_kinds())
    for kind in sorted(set(values.loc[~known, "kind"])):
        book.leave_out("values", int((values["kind"] == kind).sum()), f"tasks of kind {kind} have no score")
    without = values[values["value"].isna() & known]
    in_words = without["label"] != ""
    book.leave_out("values", int(in_words.sum()), "an answer in words is no number")
    book.leave_out("values", int((~in_words).sum()), "nothing was given")
    book.leave_out(
        "values",
        int(judged_again(values[known & values["value"].notna()]).sum()),
        "judged once more by the same assessor: the mean of both counts once",
    )


def note_text_versions(inputs: Inputs, book: Book) -> None:
    """Where instructions or consent changed while people judged, how many values stand on which version."""
    if TEXT_VERSION not in inputs.judgments.columns:
        return
    counts = scored(inputs.judgments)[TEXT_VERSION].value_counts().sort_index()
    if len(counts) > 1:
        told = ", ".join(
            f"{counted(int(n), 'value')} under version {version}" for version, n in counts.items()
        )
        book.note("human", f"The instructions changed while people judged: {told}.")


def note_erasures(inputs: Inputs, book: Book) -> None:
    """Where somebody withdrew, that something was erased; of whom is not known any more."""
    judgments = number_attribute(inputs.attributes, "erased", "judgments")
    kept = attribute(inputs.attributes, "erased", "kept")
    for key, count in judgments.items():
        how = "stay without any trace of who made them" if kept.get(key) == "True" else "were erased"
        book.note("human", f"An assessor withdrew: {counted(int(count), 'judgment')} {how}.")


def _excluded(inputs: Inputs, rows: pd.DataFrame) -> dict[str, int]:
    """Why values were left out by hand, and how many: as their rows say, or, where these are not in the table, the attributes."""
    if len(rows):
        return {str(why): int(n) for why, n in rows[EXCLUDED].value_counts(sort=False).items()}
    what, reason = (attribute(inputs.attributes, "excluded", name) for name in ("what", "reason"))
    values = number_attribute(inputs.attributes, "excluded", "values")
    found: dict[str, int] = {}
    for key, count in values.items():
        why = f"{what.get(key, '')}: {reason.get(key, '')}"
        found[why] = found.get(why, 0) + int(count)
    return found


def _scored_kinds() -> list[str]:
    return kinds_that(lambda kind: kind.has_scores)


def judged_again(rows: pd.DataFrame) -> pd.Series[bool]:
    """Which rows say something of what the same assessor has judged before, see :func:`metrics.human.base.select`."""
    return rows.duplicated([*(name for name in ASSESSMENT if name in rows.columns), "document", "criterion"])


def values_that_count(inputs: Inputs) -> pd.DataFrame:
    """The judgments that scores are made of."""
    rows = scored(inputs.judgments)
    rows = rows[rows["kind"].isin(_scored_kinds()) & rows["value"].notna()]
    return rows[~judged_again(rows)]


def leave_out_systems(people: Sequence[HumanResult], metrics: MetricResult, book: Book) -> None:
    """Systems and items that only one side knows."""
    if metrics.empty:
        return
    scored_systems = set(metrics.system.loc[metrics.system["score"].notna(), "system"])
    scored_items = set(metrics.item["item"]) if len(metrics.item) else set()
    for human in people:
        judged = set(human.matrix.index)
        _say(book, human, "systems", judged - scored_systems, "judged, but without automatic scores")
        _say(book, human, "systems", scored_systems - judged, "scored by metrics, but without human scores")
        if scored_items:
            items = set(human.matrix.columns)
            _say(book, human, "items", items - scored_items, "judged, but without automatic scores")
            _say(
                book,
                human,
                "items",
                scored_items - items,
                "not judged; they count in automatic scores of systems, and at no other level",
            )


def _say(book: Book, human: HumanResult, what: str, names: set[str], why: str) -> None:
    some = sorted(names)[:5]
    listed = ", ".join(some) + (", …" if len(names) > len(some) else "")
    book.leave_out(what, len(names), f"{why} ({listed})", human=human.id)
