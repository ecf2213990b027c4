"""KING of metrics: what they are worth judged by references alone (QARLA), beside their correlation with people."""

from __future__ import annotations

import warnings
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np
import pandas as pd

from metrics.automatic import registry
from metrics.automatic.text_pairs import collect, similarities
from metrics.errors import BadInput
from metrics.meta.qarla import Qarla
from metrics.report.automatic import MetricResult
from metrics.report.inputs import Inputs
from metrics.signature import signature

FEWEST_REFERENCES = 3
MOST_ITEMS = 10
"""Every text of an item is compared with every reference by every metric: a part of the items says enough."""


@dataclass(frozen=True)
class King:
    """KING of item-level metrics, and how it was made."""

    values: dict[str, float]
    signature: str
    basis: dict[str, int]
    """``references`` that were left out one by one, of so many ``items`` ``of`` those that have ``fewest`` references or more."""


def king_of_metrics(
    inputs: Inputs, metrics: MetricResult, *, executor: Executor | None, processes: int | None
) -> King | None:
    """KING of the metrics of the default set that were computed; None where items have too few references."""
    chosen = _metrics(metrics)
    if inputs.outputs is None or inputs.references is None or not chosen:
        return None
    items = _items(inputs)
    outputs = inputs.outputs[inputs.outputs["item"].isin(items)]
    if outputs.empty:
        return None
    # What is undefined here is undefined in the scores themselves, where it has been said.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = collect(outputs, inputs.references, chosen, least_references=FEWEST_REFERENCES)
        except BadInput:
            return None
        counter = Qarla(found.names, sim=False)
        for item in similarities(found, peers_among=False, executor=executor, processes=processes):
            counter.add(item)
    result = counter.result()
    how = {"items": result.items, "of": len(_items(inputs, most=None)), "models": result.models}
    basis = {
        "references": how["models"],
        "items": how["items"],
        "of": how["of"],
        "fewest": FEWEST_REFERENCES,
    }
    return King(
        dict(zip(result.names, result.king.tolist(), strict=True)),
        signature("king", how | {"ties": "lose"}),
        basis,
    )


def king_table(king: King, summary: pd.DataFrame, info: pd.DataFrame) -> pd.DataFrame:
    """``metric, king, pearson``: system-level metrics whose item scores have a KING, the best first."""
    of_systems = info[info["level"] == "system"].set_index("metric")["of"]
    values = [king.values.get(str(of_systems[name]), np.nan) for name in summary["metric"]]
    table = summary[["metric", "pearson"]].assign(king=values, signature=king.signature)
    known = table[table["king"].notna()]
    return known.sort_values(["king", "pearson"], ascending=False, kind="stable", ignore_index=True)[
        ["metric", "king", "pearson", "signature"]
    ]


def _metrics(metrics: MetricResult) -> list[str]:
    computed = set(
        metrics.info.loc[(metrics.info["level"] == "item") & (metrics.info["source"] == "computed"), "metric"]
    )
    usual = dict.fromkeys(choice.metric.name for choice in registry.select(None))
    return [name for name in usual if name in computed]


def _items(inputs: Inputs, most: int | None = MOST_ITEMS) -> list[str]:
    """Items with enough references, evenly over all of them in the order of their names."""
    assert inputs.references is not None
    counts = inputs.references.groupby("item").size()
    enough = sorted(set(counts.index[counts >= FEWEST_REFERENCES].astype(str)) - inputs.practice_items)
    if most is None or len(enough) <= most:
        return enough
    return [enough[place] for place in np.linspace(0, len(enough) - 1, most).round().astype(int)]
