"""All default metrics on SummEval in one command, and their system-level Kendall τ with the four expert
criteria.

    python benchmarks/summeval.py [--metric NAME …]

The texts (Fabbri et al. 2021: 100 documents, 16 systems, 11 references) are looked up under
TOUCHSTONE_SHARED, by default ``../shared``. It does what a user would do: writes the two files of texts,
runs ``python -m metrics score`` once, and ``correlate`` once per criterion.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path

import pandas as pd

# A script's own folder comes first on the path, and there a file hides the package of the same name.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from metrics.cli import main as command

ROOT = Path(__file__).resolve().parent.parent
CRITERIA = ("coherence", "consistency", "fluency", "relevance")


def write_texts(source: Path, folder: Path) -> tuple[Path, Path]:
    """``outputs.jsonl`` and ``references.jsonl``."""
    texts = json.loads(source.read_text(encoding="utf-8"))
    outputs, references = folder / "outputs.jsonl", folder / "references.jsonl"
    with outputs.open("w", encoding="utf-8") as stream:
        for item, found in texts.items():
            for system, output in found["sys_summs"].items():
                stream.write(json.dumps({"system": system, "item": item, "text": output["sys_summ"]}) + "\n")
    with references.open("w", encoding="utf-8") as stream:
        for item, found in texts.items():
            for number, text in enumerate(found["ref_summs"]):
                stream.write(json.dumps({"item": item, "reference": str(number), "text": text}) + "\n")
    return outputs, references


def write_human(source: Path, folder: Path) -> dict[str, Path]:
    """One score table per criterion."""
    means = pd.read_csv(source)
    files = {}
    for criterion in CRITERIA:
        table = means.rename(columns={"doc": "item", criterion: "score"}).assign(metric=criterion)
        files[criterion] = folder / f"{criterion}.csv"
        table[["metric", "system", "item", "score"]].to_csv(files[criterion], index=False)
    return files


def run(*words: str) -> None:
    if command(words) != 0:
        sys.exit(f"python -m metrics {' '.join(words)} failed")


def table_of(folder: Path, scores: Path, human: dict[str, Path]) -> pd.DataFrame:
    """System-level τ of each metric with each criterion."""
    columns = {}
    for criterion, file in human.items():
        out = folder / f"tau-{criterion}.csv"
        options = ("--level", "system", "--method", "kendall", "--out", str(out))
        run("correlate", "--human", str(file), "--metrics", str(scores), *options)
        columns[criterion] = pd.read_csv(out).set_index("metric")["statistic"]
    return pd.DataFrame(columns)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--metric", nargs="+", default=[], help="names and globs instead of the default set")
    asked = parser.parse_args()
    data = Path(os.environ.get("TOUCHSTONE_SHARED", ROOT.parent / "shared")) / "data" / "summeval"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        outputs, references = write_texts(data / "texts_16sys_11refs.json", folder)
        human = write_human(data / "expert_means_16sys.csv", folder)
        chosen = ["--metric", *asked.metric] if asked.metric else []
        scores = folder / "scores.csv"
        begin = time.perf_counter()
        texts = ("--outputs", str(outputs), "--references", str(references))
        run("score", *texts, *chosen, "--level", "system", "--out", str(scores))
        seconds = time.perf_counter() - begin
        table = table_of(folder, scores, human)
    print(
        f"{len(table)} system-level scores of 1,600 outputs × 11 references in {seconds:.0f} s; "
        "Kendall τ over 16 systems:"
    )
    print(table.to_string(float_format=lambda value: f"{value:6.3f}"))


if __name__ == "__main__":
    main()
