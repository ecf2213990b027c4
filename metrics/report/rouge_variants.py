"""The 192 variants of ROUGE beside each other (Graham 2015, Tables 1 and 2)."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd

VARIANT = re.compile(
    r"rouge-(?P<unit>[1-4]|l|w-1\.2|s4|su4)(?P<stem>-stem)?(?P<stop>-stop)?-(?P<measure>[prf])-(?P<average>mean|median)"
)
COLUMNS = [
    "metric",
    "unit",
    "stem",
    "stop",
    "measure",
    "average",
    "pearson",
    "low",
    "high",
    "spearman",
    "kendall",
    "n",
    "rank",
    "not_outperformed",
    "signature",
]


def variant_table(correlations: pd.DataFrame, not_outperformed: list[str] | None) -> pd.DataFrame:
    """One row per variant, the strongest Pearson correlation first; ``not_outperformed`` is Graham's dot.

    Options are spelled ``yes`` and ``no``, ``measure`` is p, r or f, ``average`` how summaries become a system score.
    """
    of_systems = correlations[correlations["level"] == "system"]
    by_metric: dict[str, dict[str, dict[Any, Any]]] = {}
    for row in of_systems.to_dict("records"):
        by_metric.setdefault(str(row["metric"]), {})[str(row["method"])] = row
    dots = None if not_outperformed is None else set(not_outperformed)
    rows = []
    for metric, by_method in by_metric.items():
        found = VARIANT.fullmatch(metric)
        if found is None:
            continue
        own = by_method["pearson"]
        rows.append(
            {
                "metric": metric,
                **found.groupdict(),
                "stem": "yes" if found["stem"] else "no",
                "stop": "yes" if found["stop"] else "no",
                "pearson": own["statistic"],
                "low": own["low"],
                "high": own["high"],
                "spearman": by_method["spearman"]["statistic"],
                "kendall": by_method["kendall"]["statistic"],
                "n": own["n"],
                "not_outperformed": None if dots is None else metric in dots,
                "signature": own["signature"],
            }
        )
    table = pd.DataFrame(rows, columns=COLUMNS)
    table = table.sort_values(["pearson", "metric"], ascending=[False, True], ignore_index=True)
    return table.assign(rank=np.arange(1, len(table) + 1))


def variant_shares(table: pd.DataFrame) -> pd.DataFrame:
    """Of the variants that none outperforms, the share that each option has: ``option, choice, count, share``."""
    optimal = table[table["not_outperformed"].astype(bool)]
    rows = [
        {
            "option": option,
            "choice": choice,
            "count": int((optimal[option] == choice).sum()),
            "share": float((optimal[option] == choice).mean()) if len(optimal) else float("nan"),
        }
        for option in ("unit", "stem", "stop", "measure", "average")
        for choice in sorted(table[option].unique())
    ]
    return pd.DataFrame(rows)
