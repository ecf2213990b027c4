"""Tables about assessors: agreement, each beside the others, speed."""

from __future__ import annotations

from metrics.report import numbers
from metrics.report.assessors import POOLED
from metrics.report.book import records
from metrics.report.names import coefficient_name
from metrics.report.printed.base import (
    LONG,
    SECONDS,
    Column,
    Printed,
    Row,
    interval,
    number,
    printed,
    scale,
    text,
)


def agreement_table(data: Row) -> Printed:
    """Coefficients by task and criterion."""
    return printed("Agreement between assessors", data["agreement"], _of_agreement(data), file="agreement")


def chosen_agreement_table(data: Row) -> Printed:
    """One coefficient by task and criterion: the one that says most."""
    return printed(
        "Agreement between assessors", data["agreement_chosen"], _of_agreement(data), file="agreement"
    )


def scale_agreement_table(data: Row, task: str, criterion: str) -> Printed:
    """All coefficients of one scale, and of all criteria pooled."""
    rows = [
        row
        for row in records(data["agreement"] or {"columns": [], "rows": []})
        if row["task"] == task and row["criterion"] in (criterion, POOLED)
    ]
    coefficient, others = _of_agreement(data)[2], _of_agreement(data)[3:]
    columns = [coefficient, text("criterion", "Criterion"), *others]
    return printed("Agreement between assessors", rows, columns, file="agreement")


def _of_agreement(data: Row) -> list[Column]:
    return [
        text("task", "Task"),
        text("criterion", "Criterion"),
        text("coefficient", "Coefficient", coefficient_name),
        number("value", "Value", numbers.coefficient, is_main=True),
        interval(data["options"]["confidence_level"], numbers.coefficient),
        number("items", "Items", numbers.whole),
        number("assessors", "Assessors", numbers.whole, wide=True),
    ]


def programs_table(data: Row) -> Printed:
    """How far programs agree with people, and people with each other."""
    return printed(
        "Programs beside people",
        data["programs"]["agreement"],
        [
            text("program", "Program"),
            text("task", "Task"),
            text("criterion", "Criterion"),
            text("coefficient", "Coefficient", coefficient_name),
            number("value", "With people", numbers.coefficient, is_main=True),
            interval(data["options"]["confidence_level"], numbers.coefficient),
            number("people", "Among people", numbers.coefficient),
            number("judgments", "Pairs", numbers.whole),
        ],
        file="programs",
        note="α over pairs of a program’s and a person’s judgment of the same text; among people, over pairs of two people.",
    )


def programs_first_place_table(data: Row) -> Printed:
    """Whether programs prefer what stands first."""
    return printed(
        "How often the first place won, for programs",
        data["programs"]["first_place"],
        [
            text("program", "Program"),
            text("task", "Task"),
            text("criterion", "Criterion"),
            number("size", "Texts in the set", numbers.whole),
            number("sets", "Sets with one best", numbers.whole),
            number("share", "Share", numbers.coefficient, is_main=True),
            number("expected", "Expected", numbers.coefficient),
            number("pvalue", "p", numbers.pvalue),
        ],
        file="programs-first-place",
        note="A small p says that places mattered (two-sided binomial test).",
    )


BESIDE_OTHERS = "Each assessor beside the others who judged the same"
NOTE_OF_BIAS = "Bias is the mean difference from the mean of the others who judged the same; r is the correlation with that mean."


def deviations_table(data: Row) -> Printed:
    """Each assessor beside the others."""
    rows = records(data["assessors"]["assessors"])
    columns = [text("task", "Task"), text("criterion", "Criterion"), *_of_deviations(rows)]
    return printed(BESIDE_OTHERS, rows, columns, file="assessors", shown=LONG, note=NOTE_OF_BIAS)


def scale_deviations_table(data: Row, task: str, criterion: str) -> Printed:
    """Each assessor beside the others on one scale, and how long each took."""
    section = data["assessors"]
    speed = {row["assessor"]: row for row in records(section["speed"]) if row["task"] == task}
    rows = [
        row | {name: speed.get(row["assessor"], {}).get(name) for name in ("seconds", "median")}
        for row in records(section["assessors"])
        if (row["task"], row["criterion"]) == (task, criterion)
    ]
    columns = [
        *_of_deviations(rows),
        number("seconds", "Mean, s", SECONDS),
        number("median", "Median, s", SECONDS),
    ]
    return printed(BESIDE_OTHERS, rows, columns, file="assessors", note=NOTE_OF_BIAS)


def _of_deviations(rows: list[Row]) -> list[Column]:
    return [
        text("assessor", "Assessor"),
        number("judgments", "Values", numbers.whole),
        number("mean", "Mean", scale(rows, "mean")),
        number("deviation", "Deviation", numbers.amount),
        number("compared", "Compared", numbers.whole),
        number("bias", "Bias", numbers.amount, is_main=True),
        number("correlation", "r with others", numbers.coefficient),
    ]


def speed_table(data: Row) -> Printed:
    """How long judgments took."""
    columns = [
        text("task", "Task"),
        text("assessor", "Assessor"),
        number("judgments", "Judgments", numbers.whole),
        number("seconds", "Mean, s", SECONDS),
        number("median", "Median, s", SECONDS),
        number("total", "Total, s", numbers.whole),
    ]
    return printed("Time per judgment", data["assessors"]["speed"], columns, file="speed", shown=LONG)


def severity_table(section: Row) -> Printed | None:
    """Severity and fit of each assessor by the many-facet model; None where there is none."""
    found = section["rasch"]
    if found is None:
        return None
    columns = [
        text("assessor", "Assessor"),
        number("measure", "Severity, logits", numbers.amount, is_main=True),
        number("error", "Error", numbers.amount),
        number("ratings", "Values", numbers.whole),
        number("infit", "Infit", numbers.amount),
        number("outfit", "Outfit", numbers.amount),
    ]
    return printed(
        f"Severity of assessors by {section['score']}",
        found["assessors"],
        columns,
        file=f"severity-{section['slug']}",
        shown=LONG,
        signatures=[found["signature"]],
        note="By a many-facet Rasch model: severity beside the systems and items that an assessor met, the most severe first. Infit "
        "and outfit are expected to be about 1; above 1.5, and by more than chance, somebody judges unlike the others.",
    )
