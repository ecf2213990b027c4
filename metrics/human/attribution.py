"""Support of a summary's sentences by the source, and of its citations (TREC RAG 2024's support assessment).

Rows of kind ``attribution``: unit = the sentence, criterion ``support``, value 1 (full), ½ (partial) or 0; without a value where there is
nothing to support. ``3:12`` ``mark`` 1 says that source unit 12 supports sentence 3. Where citations are judged one by one,
``3:12`` ``citation`` has the support that the cited unit gives.
"""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from metrics.human.base import ASSESSMENT, HumanScore, averaged, select
from metrics.human.kind import HumanKind, Score
from metrics.human.tables import Column, ResultTable, result_table

SLUG = "attribution"


def supported(
    judgments: pd.DataFrame, *, attributes: pd.DataFrame | None = None, task: str | None = None
) -> HumanScore:
    """The mean support of the sentences that claim something."""
    rows = select(judgments, SLUG, task=task, criteria=("support",))
    return averaged("supported", _means(rows))


def citation_precision(
    judgments: pd.DataFrame, *, attributes: pd.DataFrame | None = None, task: str | None = None
) -> HumanScore:
    """The mean support that cited units give, over the pairs of sentence and citation."""
    rows = select(judgments, SLUG, task=task, criteria=("citation",))
    return averaged("citation-precision", _means(rows))


def citation_recall(
    judgments: pd.DataFrame, *, attributes: pd.DataFrame | None = None, task: str | None = None
) -> HumanScore:
    """The support by its best citation, 0 without any, over the sentences that claim something."""
    rows = select(judgments, SLUG, task=task, criteria=("citation", "support"))
    cited = rows[rows["criterion"] == "citation"]
    cited = cited.assign(sentence=cited["unit"].str.rpartition(":")[0])
    within = [name for name in ASSESSMENT if name != "unit"]
    best = cited.groupby([*within, "sentence"], dropna=False)["value"].max().rename("best").reset_index()
    sentences = rows[(rows["criterion"] == "support") & rows["value"].notna()].assign(sentence=rows["unit"])
    every = pd.concat([sentences[[*within, "sentence"]], best[[*within, "sentence"]]]).drop_duplicates()
    found = every.merge(best, how="left", on=[*within, "sentence"])
    found = found.assign(value=found["best"].fillna(0.0), unit="")
    return averaged("citation-recall", found.groupby(ASSESSMENT, dropna=False)["value"].mean().reset_index())


def _means(rows: pd.DataFrame) -> pd.DataFrame:
    """The mean of what has a value, as one assessor judged one output."""
    return rows.assign(unit="").groupby(ASSESSMENT, dropna=False)["value"].mean().reset_index()


def names(judgments: pd.DataFrame) -> list[str]:
    """The scores of citations only where citations were judged."""
    criteria = set(judgments["criterion"])
    of_citations = ["citation-precision", "citation-recall"] if "citation" in criteria else []
    return [*(["supported"] if "support" in criteria else []), *of_citations]


def tables(judgments: pd.DataFrame, attributes: pd.DataFrame | None, task: str) -> Iterator[ResultTable]:
    """How many sentences of each system have full, partial or no support, or nothing to support."""
    rows = judgments[judgments["criterion"] == "support"]
    if rows.empty:
        return
    counted = rows.assign(
        full=rows["value"] == 1,
        partial=(rows["value"] > 0) & (rows["value"] < 1),
        none=rows["value"] == 0,
        nothing=rows["value"].isna(),
    )
    kinds = ["full", "partial", "none", "nothing"]
    shares = counted.groupby("system")[kinds].mean().reset_index()
    yield result_table(
        "support",
        "Support of sentences",
        shares,
        (
            Column("system", "System"),
            Column("full", "Full", 2),
            Column("partial", "Partial", 2),
            Column("none", "None", 2),
            Column("nothing", "Nothing to support", 2),
        ),
        note="The share of judged sentences.",
    )


KIND = HumanKind(
    slug=SLUG,
    scores=(
        Score(
            "supported",
            supported,
            meaning="How far the source supports the text’s sentences: 1 full, ½ partial, 0 not at all.",
            definition="the mean support of sentences by the source (1 full, one half partial, 0 none)",
        ),
        Score(
            "citation-precision",
            citation_precision,
            meaning="How far the units that the text cites support what it says there.",
            definition="the mean support over pairs of sentence and cited unit (TREC RAG 2024)",
        ),
        Score(
            "citation-recall",
            citation_recall,
            meaning="How far the text’s sentences are supported by what they cite; 0 without a citation.",
            definition="the mean over sentences of the support by their best citation, 0 without one (TREC RAG 2024)",
        ),
    ),
    names=names,
    tables=tables,
)
