"""Errors marked in texts: MQM (Freitag et al. 2021), error span annotation (Kocmi et al. 2024), faithfulness (Maynez et al. 2020).

Rows of kind ``error_spans``, ``unit`` = the place (:mod:`metrics.human.spans.places`):

- ``1``, criterion ``errors``: how many errors unit 1 has, 0 where the assessor said that there is none;
- ``1/13:17``, criterion = the category, or ``error``: an error, value = the weight of its severity, label = the severity;
- the same place, criterion ``note`` (label) or ``true`` (value 1 or 0: is it true all the same?);
- ``1``, or "" for the document, criterion ``score``: 0 to 100;
- ``1/0:3``, criterion ``prefilled``, label ``kept``, ``changed`` or ``removed``; ``4``, criterion ``injected``, value 1 found, 0 missed.

Attributes: ``weight`` of scope ``error``, id ``minor/Fluency/Punctuation`` or ``task/minor/…``, what errors of a category weigh; ``tokens``
and ``domain`` of scope ``item``: words of the source, and the domain; of scope ``unit``, id ``system/item/unit``: ``characters`` of the
output's unit, and ``words``, where they stand in it, as ``0:3 4:8 …``.
"""

from __future__ import annotations

from typing import Literal

import pandas as pd

from metrics.errors import BadInput
from metrics.human.base import (
    ASSESSMENT,
    HumanScore,
    MissingAttribute,
    attribute,
    attribute_of,
    counts,
    number_attribute,
    output_attribute,
    refuse_unknown,
    score_table,
    select,
)
from metrics.human.kind import AVERAGING, HumanKind, Option, Score
from metrics.human.normalise import Method, normalised
from metrics.human.spans.agreement import COEFFICIENTS, as_compared
from metrics.human.spans.laid import marked
from metrics.human.spans.places import COUNT, OUTPUT, SCORE, covered, is_error, with_places
from metrics.human.spans.tables import tables
from metrics.human.spans.weights import (
    ESA,
    NAMED,
    STUDY,
    WeightTable,
    error_weights,
    weight_table,
    with_study_weights,
)
from metrics.signature import signature

SLUG = "error_spans"
Over = Literal["units", "domains"]
Words = Literal["source", "output"]


def judged_rows(judgments: pd.DataFrame, task: str | None) -> pd.DataFrame:
    """The rows of one task that count, with their places."""
    rows = with_places(select(judgments, SLUG, task=task))
    rows = rows[rows["control"] == ""]
    if rows.empty:
        raise BadInput("expected judgments of texts, found control items only")
    return rows


def unit_sums(rows: pd.DataFrame, table: WeightTable) -> pd.DataFrame:
    """What one person's errors in one unit weigh together, 0 where there is none: ``ASSESSMENT, value``."""
    errors = rows[is_error(rows)]
    weighed = errors.assign(value=error_weights(errors, table))
    judged = rows[is_error(rows) | rows["criterion"].eq(COUNT)]
    looked_at = judged[ASSESSMENT].drop_duplicates()
    sums = weighed.groupby(ASSESSMENT, dropna=False, sort=False)["value"].sum().reset_index()
    return looked_at.merge(sums, on=ASSESSMENT, how="left").fillna({"value": 0.0})


def _over_units(
    name: str,
    assessments: pd.DataFrame,
    *,
    attributes: pd.DataFrame | None,
    over: Over,
    options: dict[str, object],
) -> HumanScore:
    """Mean over the people who judged a unit, then over units: those of an item, and all of a system."""
    units = assessments.groupby(["system", "item", "unit"], sort=False)["value"].mean().reset_index()
    if over == "domains":
        units["domain"] = attribute_of(units["item"], attributes, "item", "domain")
        refuse_unknown(units["domain"] == "", units["item"], "domain of item")
        of_domains = units.groupby(["system", "domain"])["value"].mean()
        pooled = of_domains.groupby(level="system").mean()
    else:
        pooled = units.groupby("system")["value"].mean()
    about = {"level": "item", **options, "over": over, "controls": "out"}
    return HumanScore(
        name=name,
        scores=score_table(name, units.groupby(["system", "item"])["value"].mean()),
        assessments=assessments.reset_index(drop=True),
        signature=signature(name, {**about, **counts(assessments), "units": len(units)}),
        pooled=pooled,
    )


def _weights(
    error_weights: str | WeightTable, attributes: pd.DataFrame | None, rows: pd.DataFrame
) -> WeightTable:
    table = weight_table(error_weights) if isinstance(error_weights, str) else error_weights
    return with_study_weights(table, attributes, str(rows["task"].iloc[0]))


def mqm(
    judgments: pd.DataFrame,
    *,
    attributes: pd.DataFrame | None = None,
    task: str | None = None,
    error_weights: str | WeightTable = STUDY,
    over: Over = "units",
) -> HumanScore:
    """Per unit the sum of the errors' weights, mean over people, mean over units."""
    rows = judged_rows(judgments, task)
    table = _weights(error_weights, attributes, rows)
    if table.per_word:
        return _per_words("mqm", rows, table, attributes, words="output", times=1)
    sums = unit_sums(rows, table)
    return _over_units("mqm", sums, attributes=attributes, over=over, options={"weights": table.name})


def mqm_per_100(
    judgments: pd.DataFrame,
    *,
    attributes: pd.DataFrame | None = None,
    task: str | None = None,
    error_weights: str | WeightTable = STUDY,
    words: Words = "source",
) -> HumanScore:
    """100 times the sum of weights over the number of words; of a system, of all its words together."""
    rows = judged_rows(judgments, task)
    return _per_words(
        "mqm-per-100", rows, _weights(error_weights, attributes, rows), attributes, words=words, times=100
    )


def _per_words(
    name: str,
    rows: pd.DataFrame,
    table: WeightTable,
    attributes: pd.DataFrame | None,
    *,
    words: Words,
    times: float,
) -> HumanScore:
    sums = unit_sums(rows, table)
    units = sums.groupby(["system", "item", "unit"])["value"].mean()
    items = units.groupby(level=["system", "item"]).sum().rename("sum").reset_index()
    items["words"] = _words_of(items, attributes, words)
    items["score"] = (times * items["sum"] / items["words"]).where(items["words"] > 0)
    together = items[items["words"] > 0].groupby("system")[["sum", "words"]].sum()
    per_person = sums.merge(items[["system", "item", "words"]], on=["system", "item"])
    key = [column for column in ASSESSMENT if column != "unit"]
    of_people = per_person.groupby(key, dropna=False, sort=False).agg(
        sum=("value", "sum"), words=("words", "first")
    )
    assessments = of_people.reset_index().assign(unit="")
    assessments["value"] = (times * assessments["sum"] / assessments["words"]).where(assessments["words"] > 0)
    about = {"level": "item", "weights": table.name, "words": words, "controls": "out"}
    return HumanScore(
        name=name,
        scores=score_table(name, items.set_index(["system", "item"])["score"]),
        assessments=assessments[[*ASSESSMENT, "value"]],
        signature=signature(name, {**about, **counts(assessments), "units": len(units)}),
        pooled=times * together["sum"] / together["words"],
    )


def _words_of(items: pd.DataFrame, attributes: pd.DataFrame | None, words: Words) -> pd.Series[float]:
    if words == "output":
        return output_attribute(items, attributes, "tokens")
    known = items["item"].map(number_attribute(attributes, "item", "tokens")).astype("float64")
    refuse_unknown(known.isna(), items["item"], "tokens of item")
    return known


def esa(
    judgments: pd.DataFrame,
    *,
    attributes: pd.DataFrame | None = None,
    task: str | None = None,
    normalise: Method = "none",
    controls: bool = False,
    over: Over = "units",
) -> HumanScore:
    """The mean score of units, plain or after evaluator normalisation; of documents where only they have scores."""
    rows = with_places(select(judgments, SLUG, task=task, criteria=(SCORE,)))
    rows = rows[rows["value"].notna()]
    of_units = rows[rows["unit"] != ""]
    rows = rows if of_units.empty else of_units
    rows = rows if controls else rows[rows["control"] == ""]
    rows = rows.assign(value=normalised(rows, method=normalise))
    rows = rows[rows["control"] == ""]
    if rows.empty:
        raise BadInput("expected scores of texts, found control items only")
    options: dict[str, object] = {"normalise": normalise}
    return _over_units("esa", rows[[*ASSESSMENT, "value"]], attributes=attributes, over=over, options=options)


def esa_spans(
    judgments: pd.DataFrame,
    *,
    attributes: pd.DataFrame | None = None,
    task: str | None = None,
    over: Over = "units",
) -> HumanScore:
    """Like ``mqm``, a major error weighing 5 and a minor one 1."""
    sums = unit_sums(judged_rows(judgments, task), ESA)
    return _over_units("esa-spans", sums, attributes=attributes, over=over, options={"weights": ESA.name})


def faithful(
    judgments: pd.DataFrame,
    *,
    attributes: pd.DataFrame | None = None,
    task: str | None = None,
) -> HumanScore:
    """The share of words that are not wholly inside a span, mean over people; of an item, of all its words together."""
    rows = judged_rows(judgments, task)
    judged = rows[is_error(rows) | rows["criterion"].eq(COUNT)]
    bounds = word_bounds(judged, attributes)
    marked = judged[is_error(judged) & judged["side"].eq(OUTPUT)]
    spans = marked.groupby(ASSESSMENT, dropna=False, sort=False)["parts"].agg(list).to_dict()
    looked_at = judged[ASSESSMENT].drop_duplicates()
    kept, words = [], []
    for person in looked_at.itertuples(index=False):
        inside = covered(spans.get(tuple(person), ()))
        of_unit = bounds[f"{person.system}/{person.item}/{person.unit}"]
        words.append(len(of_unit))
        kept.append(sum(not inside.issuperset(range(start, end)) for start, end in of_unit))
    units = looked_at.assign(kept=kept, words=words)
    key = [column for column in ASSESSMENT if column != "unit"]
    of_people = units.groupby(key, dropna=False, sort=False)[["kept", "words"]].sum().reset_index()
    of_people["value"] = (of_people["kept"] / of_people["words"]).where(of_people["words"] > 0)
    assessments = of_people.assign(unit="")[[*ASSESSMENT, "value"]]
    about = {"level": "item", "words": "wholly-inside-a-span", "controls": "out"}
    return HumanScore(
        name="faithful",
        scores=score_table("faithful", assessments.groupby(["system", "item"])["value"].mean()),
        assessments=assessments,
        signature=signature("faithful", {**about, **counts(assessments)}),
    )


def word_bounds(rows: pd.DataFrame, attributes: pd.DataFrame | None) -> dict[str, list[tuple[int, int]]]:
    """Where the words of every unit stand that the rows speak of, by ``system/item/unit``."""
    known = attribute(attributes, "unit", "words").to_dict()
    found: dict[str, list[tuple[int, int]]] = {}
    for key in dict.fromkeys(rows["system"] + "/" + rows["item"] + "/" + rows["unit"]):
        if key not in known:
            raise MissingAttribute(f"expected an attribute: words of unit {key}")
        bounds = [part.partition(":") for part in known[key].split()]
        if not all(start.isdecimal() and end.isdecimal() for start, _, end in bounds):
            raise BadInput(
                f"expected words of unit {key} such as 0:3 4:8, found {known[key]!r}", column="value"
            )
        found[key] = [(int(start), int(end)) for start, _, end in bounds]
    return found


def names(judgments: pd.DataFrame) -> list[str]:
    """The scores that fit what was asked: scores of units, errors with severities, or spans alone."""
    criteria = set(judgments["criterion"])
    errors = judgments[is_error(judgments)]
    if SCORE in criteria:
        return ["esa", *(["esa-spans"] if COUNT in criteria or len(errors) else [])]
    if len(errors) and (errors["label"] == "").all():
        return ["faithful", "mqm"]
    return ["mqm", "mqm-per-100"] if COUNT in criteria or len(errors) else []


WEIGHTS = Option(
    "error_weights",
    f"{', '.join(NAMED)} (default study), own ones such as major=5,minor/Style=0.5, or both: freitag2021,critical=10",
)
OVER = Option("over", "what a system's mean is over (default units)", choices=("units", "domains"))

KIND = HumanKind(
    slug=SLUG,
    scores=(
        Score(
            "mqm",
            mqm,
            (WEIGHTS, OVER),
            meaning="What the errors in a unit weigh together, averaged over people and units; lower is better.",
            definition="the sum of the weights of the errors in a unit, averaged over assessors and units (Freitag et al. 2021)",
            higher_is_better=False,
        ),
        Score(
            "mqm-per-100",
            mqm_per_100,
            (
                WEIGHTS,
                Option("words", "whose words are counted (default source)", choices=("source", "output")),
            ),
            meaning="What the errors weigh together for every 100 words; lower is better.",
            definition="the sum of the weights of the errors for every 100 words",
            higher_is_better=False,
        ),
        Score(
            "esa",
            esa,
            (*AVERAGING[:2], OVER),
            meaning="The mean score from 0 to 100 that people gave after marking the errors.",
            definition="the mean of the scores from 0 to 100 given to units after their errors were marked (Kocmi et al. 2024)",
        ),
        Score(
            "esa-spans",
            esa_spans,
            (OVER,),
            meaning="The errors that were marked, a major one counting 5 and a minor one 1; lower is better.",
            definition="the sum of the marked errors of a unit, major ones weighing 5 and minor ones 1, averaged over assessors"
            " and units (Kocmi et al. 2024)",
            higher_is_better=False,
        ),
        Score(
            "faithful",
            faithful,
            meaning="The share of the words that nobody's span covers, averaged over people.",
            definition="the share of words outside all marked spans, averaged over assessors (Maynez et al. 2020)",
        ),
    ),
    names=names,
    tables=tables,
    coefficients=COEFFICIENTS,
    as_compared=as_compared,
    marked=marked,
)
