"""What comparisons show beside the means: fitted strengths, who beat whom, and how often the first place won."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import pandas as pd
import scipy

from metrics.errors import BadInput, UndefinedScoreWarning
from metrics.frames import PLACE
from metrics.human.comparison import (
    READINGS,
    SET,
    TALLY,
    Counts,
    Material,
    Reading,
    by_criterion,
    material,
    strict_rankings,
)
from metrics.human.comparison_scores import FITS
from metrics.human.tables import Column, ResultTable, result_table


def tables(judgments: pd.DataFrame, attributes: pd.DataFrame | None, task: str) -> Iterator[ResultTable]:
    """The tables of one task, criterion by criterion."""
    if "sitting" not in judgments.columns:
        judgments = judgments.assign(sitting=1)
    reading = READINGS[str(judgments["kind"].iloc[0])]
    criteria = list(by_criterion(judgments))
    for criterion, rows in criteria:
        name, title = (f"-{criterion}", f", {criterion}") if len(criteria) > 1 else ("", "")
        given = material(rows, reading, attributes)
        if given.pairs.empty:
            continue
        yield strengths_table(given, name=f"strengths{name}", title=f"Strengths of systems{title}")
        yield from matrix_tables(given.counts, name=name, title=title)
        if PLACE in rows.columns and rows[PLACE].notna().any():
            yield from first_place_tables(rows, reading, name=f"first-place{name}", title=title)


def strengths_table(given: Material, *, name: str, title: str) -> ResultTable:
    """Wins, losses and ties of each system, expected wins and the models that the kind's values allow."""
    systems = given.counts.systems
    tally = given.pairs.groupby("system")[TALLY].sum().reindex(systems, fill_value=0)
    frame = pd.DataFrame({"system": systems}).join(tally.reset_index(drop=True))
    columns = [Column("system", "System"), Column("won", "Won", 0), Column("lost", "Lost", 0)]
    models = {"expected-wins": "Expected wins", "bradley-terry": "Bradley–Terry"}
    if given.counts.ties.any():
        columns.append(Column("tied", "Tied", 0))
        models["davidson"] = "Davidson"
    if given.reading.lower_wins:
        models["plackett-luce"] = "Plackett–Luce"
    notes = [
        "Log strengths with mean 0, fitted by maximum likelihood; expected wins and Bradley–Terry leave ties out."
    ]
    for model, words in models.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedScoreWarning)  # the note says it
            try:
                fitted = FITS[model](given, 0.0)
            except BadInput as problem:
                notes.append(f"{words}: {problem}.")
                continue
        frame[model] = fitted.values
        columns.append(Column(model, words, 3))
        if model == "davidson" and pd.notna(fitted.ties):
            notes.append(f"Davidson's ν is {fitted.ties:.3f}.")
        if fitted.problem:
            notes.append(f"{words}: {fitted.problem}.")
    if given.reading.lower_wins:
        strict = strict_rankings(given.rows, given.reading, given.attributes, systems)
        notes.append(
            f"Plackett–Luce stands on {len(strict.rankings)} rankings without ties; {strict.tied} with ties are left out."
        )
    frame = frame.sort_values(["expected-wins", "system"], ascending=[False, True], na_position="last")
    return result_table(name, title, frame, columns, note=" ".join(notes))


def matrix_tables(counts: Counts, *, name: str, title: str) -> Iterator[ResultTable]:
    """How often the system of the row beat that of the column, and how often they tied."""
    for what, words, note, cells in (
        ("wins", "Who beat whom", "How often the system of the row beat that of the column.", counts.wins),
        ("ties", "Who tied with whom", "How often two systems tied.", counts.ties),
    ):
        if what == "ties" and not cells.any():
            continue
        columns = [Column("system", "System"), *(Column(f"over {one}", one, 0) for one in counts.systems)]
        frame = pd.DataFrame(cells, columns=[column.name for column in columns[1:]])
        for place in range(len(counts.systems)):
            frame.iloc[place, place] = float("nan")
        frame.insert(0, "system", counts.systems)
        yield result_table(f"{what}-matrix{name}", f"{words}{title}", frame, columns, note=note)


def first_places(rows: pd.DataFrame, reading: Reading) -> pd.DataFrame:
    """By size of the set, how often the first place was the best: ``size, sets, first, share, expected, pvalue``.

    Only sets count in which one text is the best, and all have a place. Were places of no matter, the first of k would win one
    time in k: a two-sided binomial test.
    """
    seen = []
    for _, members in rows.groupby(SET, dropna=False, sort=False):
        texts = members.drop_duplicates(PLACE)
        best = texts["value"].min() if reading.lower_wins else texts["value"].max()
        winners = texts[texts["value"] == best]
        if len(texts) > 1 and texts[PLACE].notna().all() and len(winners) == 1:
            seen.append((len(texts), bool(winners[PLACE].iloc[0] == 1)))
    found = []
    for size, sets in pd.DataFrame(seen, columns=["size", "first"]).groupby("size"):
        first, expected = int(sets["first"].sum()), 1 / int(str(size))
        test = scipy.stats.binomtest(first, len(sets), expected)
        found.append((int(str(size)), len(sets), first, first / len(sets), expected, float(test.pvalue)))
    return pd.DataFrame(found, columns=["size", "sets", "first", "share", "expected", "pvalue"])


def first_place_tables(
    rows: pd.DataFrame, reading: Reading, *, name: str, title: str
) -> Iterator[ResultTable]:
    frame = first_places(rows, reading)
    if frame.empty:
        return
    columns = (
        Column("size", "Texts in the set", 0),
        Column("sets", "Sets with one best", 0),
        Column("first", "First place won", 0),
        Column("share", "Share", 3),
        Column("expected", "Expected", 3),
        Column("pvalue", "p", 4),
    )
    note = (
        "Place 1 is left or on top. p is of a two-sided binomial test: a small one says that places mattered."
    )
    yield result_table(name, f"How often the first place won{title}", frame, columns, note=note)
