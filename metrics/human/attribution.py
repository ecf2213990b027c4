"""Support of a summary's sentences by the source, and of its citations (TREC RAG 2024's support assessment).

Rows of kind ``attribution``: unit = the sentence, criterion ``support``, value 1 (full), ½ (partial) or 0; without a value where there is
nothing to support. ``3:12`` ``mark`` 1 says that source unit 12 supports sentence 3. Where citations are judged one by one,
``3:12`` ``citation`` has the support that the cited unit gives.
"""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from metrics.human.base import ASSESSMENT, HumanScore, averaged, select
from metrics.human.kind import HumanKind, Marks, Score
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
    """How many sentences and citations of each system have full, partial or no support, and each sentence by itself."""
    rows = judgments[judgments["criterion"] == "support"]
    if rows.empty:
        return
    yield _shares("support", "Support of sentences", rows, ("nothing", "Nothing to support"))
    cited = judgments[judgments["criterion"] == "citation"]
    if not cited.empty:
        yield _shares("citations", "Support by citations", cited)
    yield _by_sentence(rows)


def _shares(name: str, title: str, rows: pd.DataFrame, *more: tuple[str, str]) -> ResultTable:
    kinds = [("full", "Full"), ("partial", "Partial"), ("none", "None"), *more]
    counted = rows.assign(
        full=rows["value"] == 1,
        partial=(rows["value"] > 0) & (rows["value"] < 1),
        none=rows["value"] == 0,
        nothing=rows["value"].isna(),
    )
    shares = counted.groupby("system")[[kind for kind, _ in kinds]].mean().reset_index()
    what = "judged sentences" if name == "support" else "judged pairs of a sentence and a cited unit"
    columns = (Column("system", "System"), *(Column(kind, words, 2) for kind, words in kinds))
    return result_table(name, title, shares, columns, note=f"The share of {what}.")


def _by_sentence(rows: pd.DataFrame) -> ResultTable:
    """The support of every sentence, the mean over those who judged."""
    # A pivot table would leave out a sentence that has nothing to support.
    means = rows.groupby(["item", "unit", "system"])["value"].mean().reset_index()
    support = means.pivot(index=["item", "unit"], columns="system", values="value")  # noqa: PD010
    systems = list(support.columns)
    support = support.reset_index()
    support = support.assign(number=pd.to_numeric(support["unit"], errors="coerce"))
    support = support.sort_values(["item", "number"], kind="stable")
    return result_table(
        "sentences",
        "Support by sentence",
        support,
        (
            Column("unit", "Sentence"),
            Column("item", "Document"),
            *(Column(system, system, 2) for system in systems),
        ),
        note=(
            "1 is full support, ½ partial support, 0 none; the mean over those who judged. A dash: nothing to support, no such "
            "sentence, or not judged."
        ),
        marks=True,
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
    marks=Marks(criterion="mark", compared="support"),
)
