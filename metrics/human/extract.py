"""Abstracts that people write, extracts that they choose, and the links between the two (Murray et al. 2005; AMI, ICSI).

Rows of kind ``extract``, which answer no system: a heading's ``abstract`` (its text is the label); ``12`` ``extract`` 1, a line of the
document that was taken; ``decisions/1:12`` ``link`` 1, a sentence of the abstract that a line supports. How many lines a
document has is the attribute ``units`` of scope ``item``, and which of them can be taken ``text`` of scope ``line`` (``item/12``); without
either, lines that nobody took are not known of. ``text`` of scope ``sentence`` (``task/item/assessor/decisions/1``) has the sentences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

import numpy as np
import numpy.typing as npt
import pandas as pd

from metrics.frames import scored
from metrics.human.agreed import alpha_by_item, f1_of_sets
from metrics.human.base import attribute, attribute_of, number_attribute, refuse_unknown
from metrics.human.kind import Agreed, Coefficient, HumanKind
from metrics.human.tables import Column, ResultTable, result_table
from metrics.meta.common import share_of
from metrics.meta.reliability import cohen

SLUG = "extract"
TAKEN = "extract"  # the criterion of lines that were taken


def taken(
    judgments: pd.DataFrame, *, attributes: pd.DataFrame | None = None, task: str | None = None
) -> pd.DataFrame:
    """Every line of every document by everybody who made an extract of it: ``item, unit, assessor, value`` (1 taken, 0 not).

    Lines that nobody took are there where the attributes tell which there are; α must count them.
    """
    rows = _rows(judgments, task)
    lines = _known_lines(attributes)
    people = rows[["item", "assessor"]].drop_duplicates()
    chosen = rows.loc[rows["criterion"] == TAKEN, ["item", "unit", "assessor"]].drop_duplicates()
    all_lines = pd.DataFrame(
        [
            (item, unit)
            for item in people["item"].unique()
            for unit in _lines(item, lines, chosen.loc[chosen["item"] == item, "unit"])
        ],
        columns=["item", "unit"],
    )
    grid = people.merge(all_lines, on="item")
    return grid.merge(chosen.assign(value=1.0), how="left", on=["item", "unit", "assessor"]).fillna(
        {"value": 0.0}
    )


def _known_lines(attributes: pd.DataFrame | None) -> dict[str, list[str]]:
    """The lines of each document that can be taken: those with a text, else as many as there are units."""
    counted = number_attribute(attributes, "item", "units")
    known = {str(item): [str(n) for n in range(1, int(n_units) + 1)] for item, n_units in counted.items()}
    named: dict[str, list[str]] = {}
    for line in attribute(attributes, "line", "text").index:
        item, _, unit = str(line).rpartition("/")
        named.setdefault(item, []).append(unit)
    return known | named


def _lines(item: str, known: dict[str, list[str]], chosen: pd.Series[str]) -> list[str]:
    return known.get(item) or sorted(chosen.unique(), key=lambda unit: (len(unit), unit))


def alpha(rows: pd.DataFrame, attributes: pd.DataFrame | None = None) -> Agreed:
    """Krippendorff's nominal α of who took which line; it must know of the lines that nobody took."""
    refuse_unknown(~rows["item"].isin(list(_known_lines(attributes))), rows["item"], "units of item")
    lines = taken(rows, attributes=attributes)
    table = lines.pivot_table(index=["item", "unit"], columns="assessor", values="value")
    return alpha_by_item(table)


def lines_f1(rows: pd.DataFrame, attributes: pd.DataFrame | None = None) -> Agreed:
    """F1 of the lines that two people took, or linked with anything, pooled over pairs of people and documents."""
    rows = _rows(rows, None)
    unit = rows["unit"].where(rows["criterion"] == TAKEN, rows["unit"].str.rpartition(":")[2])
    common, total, people = [], [], set()
    for _, of_item in rows.assign(unit=unit).groupby("item"):
        by_person = {name: set(own["unit"]) for name, own in of_item.groupby("assessor")}
        pairs = list(combinations(by_person.values(), 2))
        common.append(sum(2 * len(one & other) for one, other in pairs))
        total.append(sum(len(one) + len(other) for one, other in pairs))
        people |= set(by_person) if pairs else set()

    def estimate(weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        shared, all_lines = (weights @ np.array(counts, dtype=np.float64) for counts in (common, total))
        return share_of(shared, all_lines)

    return Agreed(estimate, len(total), sum(n > 0 for n in total), len(people))


def _is(criterion: str) -> Callable[[pd.DataFrame], bool]:
    return lambda rows: bool((rows["criterion"] == criterion).all())


COEFFICIENTS = (
    Coefficient(
        "lines-alpha",
        alpha,
        title="Krippendorff’s α over lines",
        definition="Krippendorff's α of lines taken or not, with nominal distances, lines that nobody took among them",
        symbol="α",
        applies=_is(TAKEN),
    ),
    Coefficient(
        "lines-f1",
        lines_f1,
        title="F1 of lines taken",
        definition="the F1 of the lines that two assessors took, pooled over pairs and documents",
        applies=_is(TAKEN),
    ),
    Coefficient(
        "linked-lines-f1",
        lines_f1,
        title="F1 of lines linked",
        definition="the F1 of the lines that two assessors linked with sentences of their abstracts, pooled over pairs and documents",
        applies=_is("link"),
    ),
)


def weighted_extract(
    judgments: pd.DataFrame, *, attributes: pd.DataFrame | None = None, task: str | None = None
) -> pd.DataFrame:
    """The weighted gold extract: how often each line was taken, ``item, unit, taken, people, share``."""
    lines = taken(judgments, attributes=attributes, task=task)
    by_line = lines.groupby(["item", "unit"], sort=False)["value"]
    table = pd.DataFrame({"taken": by_line.sum(), "people": by_line.count(), "share": by_line.mean()})
    return table.reset_index()


def weighted_f(found: set[str], weights: dict[str, float]) -> float:
    """Murray et al.'s weighted F of an extract against the gold weights of its lines.

    Weighted precision is the weight of the lines found over their number, weighted recall over the weight of all; NaN where the gold
    extract is empty or nothing was found.
    """
    weight = sum(weights.get(unit, 0.0) for unit in found)
    total = sum(weights.values())
    if not found or total <= 0:
        return float("nan")
    precision, recall = weight / len(found), weight / total
    return 2 * precision * recall / (precision + recall) if weight else 0.0


def links(judgments: pd.DataFrame, *, task: str | None = None) -> pd.DataFrame:
    """Which sentence of an abstract a line supports: ``item, assessor, sentence, unit``."""
    rows = _rows(judgments, task)
    rows = rows[rows["criterion"] == "link"]
    parts = rows["unit"].str.rpartition(":")
    return pd.DataFrame(
        {"item": rows["item"], "assessor": rows["assessor"], "sentence": parts[0], "unit": parts[2]}
    ).reset_index(drop=True)


def link_f1(one: pd.DataFrame, other: pd.DataFrame) -> float:
    """F1 of the lines that two people linked to anything: their abstracts differ, so that sentences cannot be compared."""
    first, second = (set(zip(table["item"], table["unit"], strict=True)) for table in (one, other))
    return f1_of_sets(first, second)


def abstracts(judgments: pd.DataFrame, *, task: str | None = None) -> pd.DataFrame:
    """What people wrote, as references of automatic metrics: ``reference, item, text``, headings one below the other.

    A reference is called ``item-assessor``; where there are several tasks, ``item-assessor-task``.
    """
    rows = _rows(judgments, task)
    rows = rows[(rows["criterion"] == "abstract") & (rows["label"] != "")]
    key = ["task", "item", "assessor"]
    text = rows.groupby(key, sort=False)["label"].agg("\n".join).rename("text").reset_index()
    name = text["item"] + "-" + text["assessor"]
    if len(set(text["task"])) > 1:
        name += "-" + text["task"]
    return pd.DataFrame({"reference": name, "item": text["item"], "text": text["text"]})


def unsupported(
    judgments: pd.DataFrame, *, attributes: pd.DataFrame | None = None, task: str | None = None
) -> pd.DataFrame:
    """Sentences of abstracts that no line supports: ``item, assessor, sentence, text``; none where sentences are not known of."""
    rows = _rows(judgments, task)
    known = attribute(attributes, "sentence", "text").to_dict()
    linked = links(judgments, task=task)
    supported = set(zip(linked["item"], linked["assessor"], linked["sentence"], strict=True))
    linking = rows.loc[rows["criterion"] == "link", ["task", "item", "assessor"]].drop_duplicates()
    found = []
    for name, item, assessor in linking.itertuples(index=False):
        before = f"{name}/{item}/{assessor}/"
        for key, text in known.items():
            sentence = str(key).removeprefix(before)
            if sentence != key and (item, assessor, sentence) not in supported:
                found.append((item, assessor, sentence, text))
    return pd.DataFrame(found, columns=["item", "assessor", "sentence", "text"])


def _rows(judgments: pd.DataFrame, task: str | None) -> pd.DataFrame:
    rows = scored(judgments[judgments["kind"] == SLUG])
    return rows if task is None else rows[rows["task"] == task]


def tables(judgments: pd.DataFrame, attributes: pd.DataFrame | None, task: str) -> Iterator[ResultTable]:
    """Agreement of pairs of people, the lines taken, and sentences that no line supports."""
    lines = taken(judgments, attributes=attributes, task=task)
    linked = links(judgments, task=task)
    yield from _agreement(lines, linked, complete=bool(_known_lines(attributes)))
    gold = weighted_extract(judgments, attributes=attributes, task=task)
    gold = gold[gold["taken"] > 0].sort_values(["item", "share"], ascending=[True, False], kind="stable")
    gold["text"] = attribute_of(gold["item"] + "/" + gold["unit"], attributes, "line", "text")
    if len(gold):
        said = (Column("text", "Text"),) if gold["text"].any() else ()
        yield result_table(
            "lines",
            "Lines taken",
            gold,
            (
                Column("unit", "Line"),
                Column("item", "Document"),
                Column("taken", "Taken by", 0),
                Column("people", "of", 0),
                Column("share", "Weight", 2),
                *said,
            ),
            note="How often each line was taken: a weighted gold extract.",
        )
    bare = unsupported(judgments, attributes=attributes, task=task)
    if len(bare):
        yield result_table(
            "unsupported",
            "Sentences that no line supports",
            bare,
            (
                Column("sentence", "Sentence"),
                Column("item", "Document"),
                Column("assessor", "Of"),
                Column("text", "Text"),
            ),
        )


def _agreement(lines: pd.DataFrame, linked: pd.DataFrame, *, complete: bool) -> Iterator[ResultTable]:
    found = []
    for item, of_item in lines.groupby("item", sort=False):
        by_person = {
            str(name): set(rows.loc[rows["value"] > 0, "unit"]) for name, rows in of_item.groupby("assessor")
        }
        n = of_item["unit"].nunique()
        for one, other in combinations(sorted(by_person), 2):
            of_one, of_other = (
                linked[(linked["item"] == item) & (linked["assessor"] == name)] for name in (one, other)
            )
            found.append(
                {
                    "item": item,
                    "one": one,
                    "other": other,
                    "f1": f1_of_sets(by_person[one], by_person[other]),
                    "kappa": _kappa(by_person[one], by_person[other], n) if complete else np.nan,
                    "links": link_f1(of_one, of_other),
                }
            )
    if found:
        yield result_table(
            "people",
            "Agreement on lines",
            pd.DataFrame(found),
            (
                Column("item", "Document"),
                Column("one", "One"),
                Column("other", "Other"),
                Column("f1", "F1 of lines", 3),
                Column("kappa", "κ of lines", 3),
                Column("links", "F1 of linked lines", 3),
            ),
            note=""
            if complete
            else "κ needs to know how many lines a document has: attribute units of scope item.",
        )


def _kappa(one: set[str], other: set[str], n: int) -> float:
    """Cohen's κ of two people who each took some of n lines."""
    counts = np.array(
        [len(one & other), len(one - other), len(other - one), n - len(one | other)], dtype=np.float64
    )
    of_lines = cohen(np.array([[1.0, 1.0], [1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]), kind="none")
    return float(of_lines(counts[None])[0])


KIND = HumanKind(
    slug=SLUG, needs_system=False, tables=tables, coefficients=COEFFICIENTS, references=abstracts
)
