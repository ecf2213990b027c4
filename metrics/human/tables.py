"""What a study page or a report shows beside the mean scores: named tables, kind by kind.

``human_tables`` makes them from the long table and its attributes alone. A kind that has more to say than its scores
adds a function that yields ``ResultTable`` objects, and one line in ``TABLES``; whoever shows them needs to know no kind.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

import pandas as pd

from metrics.errors import UndefinedScoreWarning
from metrics.frames import scored
from metrics.human import cross_comprehension, likert, relevance
from metrics.human.base import MissingAttribute, attribute

Value = str | float | int | None


class Column(NamedTuple):
    """A column by its name (in files) and its title (on pages); ``decimals`` None holds text, else numbers."""

    name: str
    title: str
    decimals: int | None = None


class Cell(NamedTuple):
    """A value as it is printed."""

    text: str
    is_number: bool


@dataclass(frozen=True)
class ResultTable:
    """A table to be shown as it is. The first column names the row; None stands for what is undefined."""

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: list[tuple[Value, ...]]
    note: str = ""

    def lines(self) -> list[list[Cell]]:
        """The rows in print, every number with its column's decimals."""
        return [
            [_cell(value, column) for value, column in zip(row, self.columns, strict=True)]
            for row in self.rows
        ]


def _cell(value: Value, column: Column) -> Cell:
    if column.decimals is None:
        return Cell("" if value is None else str(value), False)
    return Cell("–" if value is None else f"{value:,.{column.decimals}f}".replace("-", "−"), True)


def result_table(
    name: str, title: str, frame: pd.DataFrame, columns: Sequence[Column], *, note: str = ""
) -> ResultTable:
    """A frame as a table: its columns of these names, in this order."""
    values = frame[[column.name for column in columns]].astype("object")
    rows = [
        tuple(None if pd.isna(value) else value for value in row) for row in values.itertuples(index=False)
    ]
    return ResultTable(name, title, tuple(columns), rows, note)


Maker = Callable[[pd.DataFrame, pd.DataFrame | None, str], Iterator[ResultTable]]


def human_tables(
    judgments: pd.DataFrame, attributes: pd.DataFrame | None = None
) -> dict[str, list[ResultTable]]:
    """The tables of every task that has any. Those that miss an attribute are left out."""
    counted = scored(judgments)
    found: dict[str, list[ResultTable]] = {}
    for task, rows in counted.groupby("task", sort=False):
        make = TABLES.get(str(rows["kind"].iloc[0]))
        if make is None:
            continue
        with warnings.catch_warnings():
            # What is undefined is an empty cell here; it need not be said for every one of them.
            warnings.simplefilter("ignore", UndefinedScoreWarning)
            found[str(task)] = list(make(rows, attributes, str(task)))
    return found


# --- relevance prediction -------------------------------------------------------------------------------------------

_KIND = Column("system", "Kind")
_WAYS = (
    ("kind", "Agreement by kind of surrogate", ["system"], (_KIND,)),
    ("event", "Agreement by event", ["event", "system"], (Column("event", "Event"), _KIND)),
    ("assessor", "Agreement by assessor", ["assessor", "system"], (Column("assessor", "Assessor"), _KIND)),
)
_WORDS = {"Rel": "relevant", "NonRel": "not relevant"}


def _relevance(judgments: pd.DataFrame, attributes: pd.DataFrame | None, task: str) -> Iterator[ResultTable]:
    """Agreement by kind, event and assessor (Dorr et al. Table 1), the confusion table (Table 6), and times."""
    measures = _relevance_measures(judgments, attributes, task)
    for name, title, by, columns in _WAYS:
        yield _agreement_table(f"agreement-by-{name}", title, by, columns, measures)
    if "prediction" in measures:
        yield _confusion_table(measures["prediction"])
    saved = relevance.times(judgments, task=task)
    yield result_table(
        "times",
        "Time per judgment, and time saved",
        saved.sort_values("seconds", ascending=False),
        (
            _KIND,
            Column("seconds", "Mean seconds", 1),
            Column("saved", "Saved", 3),
            Column("n", "Judgments", 0),
        ),
        note="Active seconds: a hidden page and idle time do not count. Saved: the share of the full text’s time.",
    )


def _relevance_measures(
    judgments: pd.DataFrame, attributes: pd.DataFrame | None, task: str
) -> dict[str, pd.DataFrame]:
    """What can be compared: with the own judgment of the full text, if there is any, and with the external key."""
    found = {}
    if relevance.FULL in set(judgments["system"]):
        found["prediction"] = relevance.decisions(judgments, task=task)
    with suppress(MissingAttribute):
        found["gold"] = relevance.decisions(
            judgments, measure="gold-agreement", attributes=attributes, task=task
        )
    return found


_MEASURE_COLUMNS = {
    "prediction": (Column("prediction", "Relevance-Prediction", 3), Column("prediction_n", "n", 0)),
    "gold": (Column("gold", "Gold agreement", 3), Column("gold_n", "n", 0)),
}


def _agreement_table(
    name: str,
    title: str,
    by: list[str],
    columns: tuple[Column, ...],
    measures: Mapping[str, pd.DataFrame],
) -> ResultTable:
    table = pd.DataFrame(columns=by)
    for measure, compared in measures.items():
        rates = relevance.rates(compared, by=by).rename(columns={"rate": measure, "n": f"{measure}_n"})
        table = table.merge(rates, on=by, how="outer")
    shown = [column for measure in measures for column in _MEASURE_COLUMNS[measure]]
    note = (
        "Relevance-Prediction: the share of judgments on a surrogate that equal the same assessor’s on the full text. "
        "Gold agreement: the share that equals the external key."
        if by == ["system"]
        else ""
    )
    return result_table(name, title, table.sort_values(by), (*columns, *shown), note=note)


def _confusion_table(compared: pd.DataFrame) -> ResultTable:
    table = relevance.confusion(compared)
    cells = table["cell"].str.split("/", expand=True)
    table["surrogate"], table["full"] = cells[0].map(_WORDS), cells[1].map(_WORDS)
    return result_table(
        "confusion",
        "Surrogate against full text",
        table,
        (
            _KIND,
            Column("surrogate", "On the surrogate"),
            Column("full", "On the full text"),
            Column("count", "Judgments", 0),
            Column("share", "Share", 3),
            Column("seconds", "Mean seconds", 1),
        ),
        note="The time is that of the judgment on the surrogate.",
    )


# --- questionnaires -------------------------------------------------------------------------------------------------


def _likert(judgments: pd.DataFrame, attributes: pd.DataFrame | None, task: str) -> Iterator[ResultTable]:
    """Means by group and by statement after reversal, consistency of opposite statements, Cronbach's α."""
    with suppress(MissingAttribute):
        answers = likert.reversed_answers(judgments, attributes=attributes, task=task)
        yield _group_table(answers)
        yield _statement_table(answers, attributes)
        pairs = likert.pair_consistency(answers, attributes)
        if len(pairs):
            yield result_table(
                "pair-consistency",
                "Consistency of opposite statements",
                pairs,
                (
                    Column("statement", "Statement"),
                    Column("opposite", "Opposite"),
                    Column("correlation", "Correlation", 2),
                    Column("mean_difference", "Mean difference", 2),
                    Column("n", "Questionnaires", 0),
                ),
                note="After reversal: a correlation near 1 and a difference near 0 say that opposites got opposite answers.",
            )
        yield result_table(
            "reliability",
            "Cronbach’s α",
            likert.reliability(answers).assign(group=lambda table: table["group"].replace("", "all")),
            (
                Column("group", "Group"),
                Column("alpha", "α", 2),
                Column("statements", "Statements", 0),
                Column("n", "Questionnaires", 0),
            ),
            note="How far the statements of a group measure the same thing, after reversal.",
        )


def _group_table(answers: pd.DataFrame) -> ResultTable:
    """One row per system, one column per group of statements."""
    table = likert.group_means(answers)
    means = table.set_index(["system", "group"])["mean"].to_dict()
    filled_in = answers.drop_duplicates(["assessor", "system", "item"]).groupby("system").size()
    groups = sorted(set(table["group"]))
    return ResultTable(
        "group-means",
        "Means by group of statements",
        (
            Column("system", "System"),
            *(Column(group or "all", (group or "all").capitalize(), 2) for group in groups),
            Column("n", "Questionnaires", 0),
        ),
        [
            (str(system), *(means.get((system, group)) for group in groups), number)
            for system, number in filled_in.items()
        ],
        note="Negative statements are reversed: higher is better throughout.",
    )


def _statement_table(answers: pd.DataFrame, attributes: pd.DataFrame | None) -> ResultTable:
    """One row per statement in the order of the questionnaire, one column per system."""
    table = likert.statement_means(answers)
    means = table.set_index(["statement", "system"])["mean"].to_dict()
    numbers = table.groupby("statement")["n"].sum()
    about = table.drop_duplicates("statement").set_index("statement")
    systems = sorted(set(table["system"]))
    asked = [name for name in attribute(attributes, "statement", "polarity").index if name in about.index]
    return ResultTable(
        "statement-means",
        "Means by statement",
        (
            Column("statement", "Statement"),
            Column("group", "Group"),
            Column("reversed", "Reversed"),
            *(Column(system, system, 2) for system in systems),
            Column("n", "Answers", 0),
        ),
        [
            (
                name,
                str(about["group"][name]),
                "yes" if about["negative"][name] else "",
                *(means.get((name, system)) for system in systems),
                int(numbers[name]),
            )
            for name in [*asked, *about.index.difference(asked)]
        ],
    )


# --- cross comprehension --------------------------------------------------------------------------------------------

_SHARES = (
    Column("relevant", "Relevant", 3),
    Column("partial", "Partially", 3),
    Column("irrelevant", "Irrelevant", 3),
    Column("not_found", "Not found", 3),
    Column("n", "Answers", 0),
)


_CROSS_WAYS: tuple[tuple[cross_comprehension.By, str, Column], ...] = (
    ("summary", "Answers by author of the summary", Column("system", "Summary by")),
    ("question", "Answers by author of the question", Column("question_author", "Question by")),
    ("type", "People and machines", Column("type", "Summaries by")),
)


def _cross_comprehension(
    judgments: pd.DataFrame, attributes: pd.DataFrame | None, task: str
) -> Iterator[ResultTable]:
    """Shares of the four answers by author of the summary and of the question, the crossing matrix, and length."""
    if not (judgments["criterion"] == "answer").any():
        return
    for by, title, column in _CROSS_WAYS:
        frame = cross_comprehension.shares(judgments, by=by, attributes=attributes, task=task)
        yield result_table(f"answers-by-{by}", title, frame, (column, *_SHARES))
    yield _crossing_matrix(cross_comprehension.shares(judgments, by="pair", attributes=attributes, task=task))
    with suppress(MissingAttribute):
        yield result_table(
            "length",
            "Answers against the length of summaries",
            cross_comprehension.against_length(judgments, attributes=attributes, task=task),
            (
                Column("system", "Summary by"),
                Column("characters", "Characters", 0),
                Column("relevant_or_partial", "Relevant or partially", 3),
                Column("found", "Found", 3),
            ),
        )


def _crossing_matrix(pairs: pd.DataFrame) -> ResultTable:
    matrix = pairs.pivot_table(index="system", columns="question_author", values="relevant")
    authors = [Column(str(author), f"Questions by {author}", 3) for author in matrix.columns]
    return result_table(
        "crossing",
        "Share of relevant answers, summary against questions",
        matrix.reset_index(),
        (Column("system", "Summary by"), *authors),
        note="Nobody’s summary meets their own questions.",
    )


TABLES: dict[str, Maker] = {
    "relevance": _relevance,
    "likert": _likert,
    "cross_comprehension": _cross_comprehension,
}
