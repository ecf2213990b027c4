"""Why outputs have their BEwT-E score: three examples, with the elements that matched and by what."""

from __future__ import annotations

from typing import Any

import numpy as np

from metrics.automatic.bewte.explanation import explanations
from metrics.report.automatic import MetricResult
from metrics.report.book import Book, plain
from metrics.report.inputs import Inputs

METRIC = "bewte"
WHICH = ("highest", "middle", "lowest")


def explained_outputs(inputs: Inputs, metrics: MetricResult, book: Book) -> list[dict[str, Any]]:
    """The outputs with the highest, the middle and the lowest score, against the reference each is nearest to.

    None where BEwT-E was not computed here: an imported score has nothing to explain it by.
    """
    info = metrics.info
    computed = info[(info["metric"] == METRIC) & (info["level"] == "item") & (info["source"] == "computed")]
    if inputs.outputs is None or inputs.references is None or computed.empty:
        return []
    scores = metrics.item[(metrics.item["metric"] == METRIC) & metrics.item["score"].notna()]
    ranked = scores.sort_values(["score", "system", "item"], ascending=[False, True, True], ignore_index=True)
    places = dict.fromkeys(np.linspace(0, len(ranked) - 1, min(len(WHICH), len(ranked))).round().astype(int))
    names = WHICH if len(places) == len(WHICH) else (WHICH[0], WHICH[-1])
    found = []
    for which, place in zip(names, places, strict=False):
        row = ranked.iloc[place]
        outputs, references = inputs.outputs, inputs.references
        own = outputs[(outputs["system"] == row["system"]) & (outputs["item"] == row["item"])].head(1)
        said = explanations(own, references[references["item"] == row["item"]])
        best = said["references"][0]
        found.append(
            {name: said[name] for name in ("system", "item", "text")}
            | {
                "which": which,
                "score": plain(float(row["score"])),
                "references": len(said["references"]),
                "reference": best["reference"],
                "reference_text": best["text"],
                "recall": best["score"],
            }
            | {
                name: best[name]
                for name in ("output_elements", "reference_elements", "matched", "missed", "extra")
            }
            | {"signature": book.sign(said["signature"])}
        )
    return found
