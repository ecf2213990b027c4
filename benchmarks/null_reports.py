"""Whole reports of studies in which there is nothing to find: how often do they claim something?

    python benchmarks/null_reports.py                      # the table that docs/meta-evaluation.md quotes
    python benchmarks/null_reports.py --runs 40            # a look
    python benchmarks/null_reports.py --comparison model   # the default comparison only
    python benchmarks/null_reports.py --store FILE         # stopped and started again, it goes on where it was

All systems are equal. A claim about systems is any pair that the report calls significant, or a headline that calls a
system best, leading or significantly better; a claim about metrics is a headline that does not say that no metric can be
said to follow people, where all metrics are noise. The reports are made by ``build_report``, as a user's are, without
drawing their figures.

Judgments are normal: item .6, assessor .4, item × system .4, error 1, assessor × system as said (standard deviations),
rounded to one digit.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
import warnings
import zlib
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    # Small matrices: more threads would only wait for each other.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

import numpy as np
import pandas as pd

from metrics.frames import JUDGMENT_COLUMNS
from metrics.report import Options, build_report, records

SYSTEMS, ITEMS, ASSESSORS, METRICS = 6, 12, 3, 20
SPREADS = (0.3, 0.5)
COMPARISONS = ("model", "paired", "wmt")
CLAIMS = ("significant pair", "best or better", "trustworthy metric")
WINNING = ("is best", "leads", "significantly better", "significantly above", "differ significantly")


def study(rng: np.random.Generator, spread: float) -> pd.DataFrame:
    """Judgments of equal systems, as a table of one rating task."""
    shape = (ASSESSORS, SYSTEMS, ITEMS)
    values = 5 + rng.normal(0, 1, shape) + rng.normal(0, 0.6, (1, 1, ITEMS))
    values += rng.normal(0, 0.4, (ASSESSORS, 1, 1)) + rng.normal(0, 0.4, (1, SYSTEMS, ITEMS))
    values += rng.normal(0, spread, (ASSESSORS, SYSTEMS, 1))
    names = ["assessor", "system", "item"]
    index = pd.MultiIndex.from_product(
        [[f"{name[0]}{number}" for number in range(size)] for name, size in zip(names, shape, strict=True)],
        names=names,
    )
    rows = pd.Series(values.ravel().round(1), index=index, name="value").reset_index()
    rows = rows.assign(study="null", task="marks", kind="rating", criterion="quality")
    return rows.reindex(columns=list(JUDGMENT_COLUMNS))


def noise(rng: np.random.Generator) -> pd.DataFrame:
    """Scores of metrics that have nothing to do with people."""
    rows = [
        {"metric": f"m{metric}", "system": f"s{system}", "item": "", "score": float(rng.normal())}
        for metric in range(METRICS)
        for system in range(SYSTEMS)
    ]
    return pd.DataFrame(rows)


def claims(data: dict[str, Any]) -> dict[str, bool]:
    """What a reader of the report would take from it."""
    section, alpha = data["human"][0], data["options"]["alpha"]
    told = " ".join([*data["headline"], section["headline"]])
    pairs = [row["pvalue_adjusted"] for row in records(section["pairs"])]
    return {
        "significant pair": any(value is not None and value < alpha for value in pairs),
        "best or better": any(words in told for words in WINNING),
        "trustworthy metric": "can be said to follow" not in told,
    }


def simulate(wanted: int, store: Path | None, seconds: float, chosen: list[str]) -> dict[str, dict[str, Any]]:
    """Counts of every row so far; each run has a seed of its own, so that going on later changes nothing."""
    state: dict[str, dict[str, Any]] = json.loads(store.read_text()) if store and store.exists() else {}
    began = time.monotonic()
    rows = [(comparison, spread) for comparison in chosen for spread in SPREADS]
    for goal in [*range(20, wanted, 20), wanted]:
        for comparison, spread in rows:
            name = f"{comparison}, assessor × system {spread}"
            entry = state.setdefault(name, {"runs": 0, "claims": dict.fromkeys(CLAIMS, 0)})
            while entry["runs"] < goal and time.monotonic() - began < seconds:
                # The same studies for every comparison.
                rng = np.random.default_rng([20050629, zlib.crc32(str(spread).encode()), entry["runs"]])
                judgments, scores = study(rng, spread), noise(rng)
                options = Options(comparison=comparison, n_resamples=100)
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    data = build_report(judgments, scores=scores, options=options).data
                for claim, made in claims(data).items():
                    entry["claims"][claim] += made
                entry["runs"] += 1
            if store:
                store.write_text(json.dumps(state, ensure_ascii=False, indent=1))
    return state


def show(state: dict[str, dict[str, Any]]) -> None:
    print("| report | " + " | ".join(CLAIMS) + " | reports |")
    print("|---|" + "---|" * (len(CLAIMS) + 1))
    for name, entry in state.items():
        if entry["runs"]:
            shares = [f"{entry['claims'][claim] / entry['runs']:.3f}".removeprefix("0") for claim in CLAIMS]
            print(f"| {name} | " + " | ".join(shares) + f" | {entry['runs']} |")


def main() -> None:
    parser = argparse.ArgumentParser(description="Claims of reports in which there is nothing to find.")
    parser.add_argument("--runs", type=int, default=400, help="reports of each kind (default %(default)s)")
    parser.add_argument("--store", type=Path, help="keep counts here, and go on from them")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop simulating after so long")
    parser.add_argument("--comparison", nargs="+", choices=COMPARISONS, default=list(COMPARISONS))
    arguments = parser.parse_args()
    show(simulate(arguments.runs, arguments.store, arguments.seconds, arguments.comparison))


if __name__ == "__main__":
    main()
