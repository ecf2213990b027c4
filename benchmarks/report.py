"""What a report costs: processor seconds and bytes, and its correlations beside the obvious loop.

    python -m benchmarks.report [JUDGMENTS OUTPUTS REFERENCES]

Without files, a study as large as the demo (4 systems, 3 documents, 7 human scores) and one as large as SummEval (12 systems, 100
documents, 4 human scores, 11 references) are made up; with them (exported tables) that study is measured. The naive loop calls
SciPy once per metric, level and method, as a script would. One process does everything, so that its seconds are all there are.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

from metrics.frames import (
    JUDGMENT_COLUMNS,
    check_judgments,
    read_judgments,
    read_texts_outputs,
    read_texts_references,
)
from metrics.meta.correlation import correlate_all
from metrics.report import Options, build_report, write_report

METHODS = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}
LEVELS = ("system", "item", "global", "system-average")
METRICS = 249  # as many as the demo's report has
SAMPLED = 10  # metrics that the loop is timed on; it is as long for each


def seconds() -> float:
    """Processor time of this process and of those it has waited for."""
    return sum(
        usage.ru_utime + usage.ru_stime
        for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


def made_study(
    systems: int, items: int, criteria: int, models: int
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Judgments of three assessors by so many criteria, and texts that keep more or less of a reference."""
    rng = np.random.default_rng(1)
    words = np.array([f"w{n}" for n in range(400)])
    references, outputs, rows = [], [], []
    for item in range(items):
        text = rng.choice(words, 60)
        for model in range(models):
            words_of_model = np.where(rng.random(60) < 0.8, text, rng.choice(words, 60))
            references.append({"item": f"d{item}", "reference": str(model), "text": " ".join(words_of_model)})
        for system in range(systems):
            kept = np.where(rng.random(60) < 0.3 + 0.5 * system / systems, text, rng.choice(words, 60))
            outputs.append({"system": f"s{system:02d}", "item": f"d{item}", "text": " ".join(kept)})
            rows += [
                {
                    "assessor": f"p{who}",
                    "system": f"s{system:02d}",
                    "item": f"d{item}",
                    "criterion": f"criterion {criterion}",
                    "value": int(np.clip(np.round(1 + 4 * system / systems + rng.normal()), 1, 5)),
                }
                for who in range(3)
                for criterion in range(criteria)
            ]
    judgments = check_judgments(
        pd.DataFrame(rows)
        .assign(study="made", task="marks", kind="rating")
        .reindex(columns=list(JUDGMENT_COLUMNS))
    )
    return judgments, pd.DataFrame(outputs), pd.DataFrame(references)


def measure(name: str, judgments: pd.DataFrame, outputs: pd.DataFrame, references: pd.DataFrame) -> None:
    start = seconds()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        report = build_report(
            judgments, outputs=outputs, references=references, options=Options(), processes=1
        )
        built = seconds()
        place = write_report(report, Path(folder) / "report")
        size = sum(file.stat().st_size for file in Path(place).rglob("*") if file.is_file())
    print(
        f"{name}: {seconds() - start:.1f} processor seconds ({built - start:.1f} to build, "
        f"{seconds() - built:.1f} to write), {size / 1e6:.1f} MB"
    )


def correlations(systems: int, items: int) -> None:
    """A table of correlations in one call per level and statistic, beside SciPy in a loop."""
    rng = np.random.default_rng(2)
    human = np.round(rng.normal(size=(systems, items)) * 2)
    metrics = {f"m{n}": human + (1 + n / 50) * rng.normal(size=human.shape) for n in range(METRICS)}
    start = time.process_time()
    for level in LEVELS:
        for method in METHODS:
            correlate_all(human, metrics, level=level, method=method, n_resamples=1000, rng=1)  # type: ignore[arg-type]
    together = time.process_time() - start
    start = time.process_time()
    for table in list(metrics.values())[:SAMPLED]:
        for function in METHODS.values():
            function(human.mean(axis=1), table.mean(axis=1))
            function(human.ravel(), table.ravel())
            [function(human[:, item], table[:, item]) for item in range(items)]
            [function(human[system], table[system]) for system in range(systems)]
    loop = (time.process_time() - start) * METRICS / SAMPLED
    print(
        f"{METRICS} metrics, {systems} systems, {items} items, 4 levels, 3 statistics: {together:.2f} processor seconds "
        f"with permutation p-values; SciPy in a loop, without: {loop:.2f}; ratio {loop / together:.1f}"
    )


def main(arguments: list[str]) -> None:
    if arguments:
        judgments, outputs, references = map(Path, arguments)
        measure(
            judgments.name,
            read_judgments(judgments),
            read_texts_outputs(outputs),
            read_texts_references(references),
        )
        return
    warnings.simplefilter("ignore")
    correlations(4, 3)
    correlations(12, 100)
    measure("as large as the demo", *made_study(4, 3, 7, 1))
    measure("as large as SummEval", *made_study(12, 100, 4, 11))


if __name__ == "__main__":
    main(sys.argv[1:])
