"""What error spans show beside the scores: errors by category and severity, what became of suggestions, what was found."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from metrics.human.spans.places import COUNT, INJECTED, PREFILLED, is_error, with_places
from metrics.human.tables import Column, ResultTable, result_table

HEAVIEST_FIRST = ("critical", "major", "minor", "neutral")
UNNAMED = "error"
"""What an error without a severity or a category is called."""
JUDGED_UNIT = ["assessor", "system", "item", "unit"]


def tables(judgments: pd.DataFrame, attributes: pd.DataFrame | None, task: str) -> Iterator[ResultTable]:
    """The tables of one task."""
    rows = with_places(judgments)
    if (is_error(rows) | rows["criterion"].eq(COUNT)).any():
        yield severity_table(rows)
        if is_error(rows).any():
            yield category_table(rows)
    yield from suggestion_tables(rows)
    yield from injected_tables(rows)


def severities(errors: pd.DataFrame) -> list[str]:
    """The severities that occur, heaviest first: by their weight, then as people order them."""
    weight = errors.groupby("severity")["value"].mean().fillna(0)
    place = {name: number for number, name in enumerate(HEAVIEST_FIRST)}
    return sorted(weight.index, key=lambda name: (-weight[name], place.get(str(name).lower(), 9), name))


def error_counts(rows: pd.DataFrame) -> pd.DataFrame:
    """``system, category, severity, errors, units``: how many, and in how many judgments of a unit of that system."""
    errors = named_errors(rows)
    key = ["system", "category", "severity"]
    counted = errors.groupby(key).size().rename("errors").reset_index()
    return counted.assign(units=counted["system"].map(judged_units(rows)).astype("int64"))


def named_errors(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows that are errors, with ``category`` and ``severity``."""
    errors = rows[is_error(rows)]
    severity = errors["label"].where(errors["label"] != "", UNNAMED)
    return errors.assign(category=errors["criterion"], severity=severity)


def judged_units(rows: pd.DataFrame) -> pd.Series[int]:
    """How often a unit of each system was judged by somebody."""
    judged = rows[is_error(rows) | rows["criterion"].eq(COUNT)]
    return judged[JUDGED_UNIT].drop_duplicates().groupby("system").size()


def severity_table(rows: pd.DataFrame) -> ResultTable:
    """By system, how many errors of each severity, and how many units have any."""
    errors, units = named_errors(rows), judged_units(rows)
    names = severities(errors)
    counted = pd.crosstab(errors["system"], errors["severity"])
    counted = counted.reindex(index=units.index, columns=names, fill_value=0)
    with_errors = (
        errors[JUDGED_UNIT].drop_duplicates().groupby("system").size().reindex(units.index, fill_value=0)
    )
    frame = counted.rename(columns=lambda name: f"severity {name}").assign(
        units=units, share=with_errors / units, rate=len(names) and counted.sum(axis="columns") / units
    )
    columns = (
        Column("system", "System"),
        *(Column(f"severity {name}", str(name).capitalize(), 0) for name in names),
        Column("rate", "Errors a unit", 2),
        Column("share", "Units with errors", 3),
        Column("units", "Units judged", 0),
    )
    note = "A unit that two people judged counts twice, and so do its errors."
    return result_table("errors-by-severity", "Errors by severity", frame.reset_index(), columns, note=note)


def category_table(rows: pd.DataFrame) -> ResultTable:
    """By category and severity, how many errors each system has."""
    errors = named_errors(rows)
    systems = sorted(judged_units(rows).index)
    counted = pd.crosstab([errors["category"], errors["severity"]], errors["system"])
    counted = counted.reindex(columns=systems, fill_value=0)
    order = {name: place for place, name in enumerate(severities(errors))}
    frame = (
        counted.rename(columns=lambda name: f"system {name}")
        .assign(all=counted.sum(axis="columns"))
        .reset_index()
    )
    of_category = frame.groupby("category")["all"].transform("sum")
    frame = frame.assign(rank=-of_category, place=frame["severity"].map(order))
    frame = frame.sort_values(["rank", "category", "place"])
    columns = (
        Column("category", "Category"),
        Column("severity", "Severity"),
        *(Column(f"system {name}", name, 0) for name in systems),
        Column("all", "All", 0),
    )
    note = "Most frequent categories first. How many errors were marked, by all people together."
    return result_table("errors-by-category", "Errors by category and severity", frame, columns, note=note)


def suggestion_tables(rows: pd.DataFrame) -> Iterator[ResultTable]:
    """What each person did with the spans that were suggested."""
    suggested = rows[rows["criterion"] == PREFILLED]
    if suggested.empty:
        return
    fates = ["kept", "changed", "removed"]
    counted = pd.crosstab(suggested["assessor"], suggested["label"])
    counted = counted.reindex(columns=fates, fill_value=0)
    frame = counted.assign(share=counted["kept"] / counted.sum(axis="columns")).reset_index()
    columns = (
        Column("assessor", "Assessor"),
        *(Column(fate, fate.capitalize(), 0) for fate in fates),
        Column("share", "Share kept", 3),
    )
    note = "A share near 1 or 0 says that somebody looked at no suggestion closely."
    yield result_table("suggestions", "Suggested spans", frame, columns, note=note)


def injected_tables(rows: pd.DataFrame) -> Iterator[ResultTable]:
    """How many of the errors that were put in each person found."""
    injected = rows[(rows["criterion"] == INJECTED) & rows["value"].notna()]
    if injected.empty:
        return
    frame = injected.groupby("assessor")["value"].agg(n="size", found="sum", share="mean").reset_index()
    columns = (
        Column("assessor", "Assessor"),
        Column("n", "Errors put in", 0),
        Column("found", "Found", 0),
        Column("share", "Share found", 3),
    )
    yield result_table("injected-errors", "Errors put in to test attention", frame, columns)
