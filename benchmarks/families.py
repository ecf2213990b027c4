"""Time and memory of the metrics that need parses or compare texts one by one, on SummEval (Fabbri et al. 2021).

Called by ``python benchmarks/metrics.py --families``: 12 systems, 100 documents, 11 references, looked up under TOUCHSTONE_SHARED (default
``../shared``). One process, one thread. Parses are made anew in a temporary folder, then read from it. Time is also that of the processor, which
does not count while others are at work; memory is the most that was in use during each line, of which the parser keeps a part.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from metrics.automatic import registry
from metrics.automatic.executors import work_all
from metrics.automatic.materials import materials
from metrics.automatic.run import _chunks, score
from metrics.automatic.syntax import parsers
from metrics.automatic.text_pairs import collect, similarities
from metrics.automatic.wordnet import wordnet
from metrics.meta.qarla import Qarla, Similarities

ROOT = Path(__file__).resolve().parent.parent
CRITERIA = ("coherence", "consistency", "fluency", "relevance")
FAMILIES = {
    "BEwT-E": ["bewte"],
    "BEwT-E, all weights and exact": ["bewte", "bewte-root", "bewte-total", "bewte-exact"],
    "HWCM, DSTM, DTKM, dependency F": ["hwcm-4", "dstm-4", "dtkm", "dependency-f"],
    "TVM, AVLS, GRAMSIM": ["tvm-1", "tvm-16", "tvm-64", "tvm-512", "avls", "gramsim"],
    "QUEEN over ROUGE-1, -2, -L": ["queen-rouge-1-stem-f+rouge-2-stem-f+rouge-l-stem-f"],
    "POURPRE": ["pourpre", "pourpre-count"],
}
BESIDE = ["rouge-1-stem-f", "rouge-2-stem-f", "rouge-l-stem-f", "meteor"]


def load(data: Path) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Outputs, references, and experts' mean ratings of systems."""
    texts = json.loads((data / "texts_16sys_11refs.json").read_text(encoding="utf-8"))
    ratings = pd.read_csv(data / "ratings_long_12sys.csv")
    experts = ratings[ratings["group"] == "expert"].groupby("system")[list(CRITERIA)].mean()
    outputs = [
        {"system": system, "item": item, "text": found["sys_summs"][system]["sys_summ"]}
        for item, found in texts.items()
        for system in experts.index
    ]
    references = [
        {"item": item, "reference": str(number), "text": text}
        for item, found in texts.items()
        for number, text in enumerate(found["ref_summs"])
    ]
    return pd.DataFrame(outputs), pd.DataFrame(references), experts


def timed(
    what: str, work: Callable[[], object], note: Callable[[object, float], str] | None = None
) -> object:
    """Runs something; prints seconds on the clock, of the processor, and the most memory in use meanwhile."""
    gc.collect()
    _forget_peak()
    clock, processor = time.perf_counter(), time.process_time()
    result = work()
    seconds, cpu = time.perf_counter() - clock, time.process_time() - processor
    peak = _peak()
    said = note(result, cpu) if note else ""
    print(f"  {what:<52} {seconds:8.2f} s {cpu:8.2f} s cpu {peak:7.0f} MB  {said}", flush=True)
    return result


def _forget_peak() -> None:
    """Where the system can do that (Linux); elsewhere the peak is that of the whole run so far."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def _peak() -> float:
    """Megabytes."""
    with suppress(OSError):
        status = Path("/proc/self/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def made_up(metrics: int, items: int, models: int = 11, peers: int = 12) -> Iterator[Similarities]:
    """Similarities by lot, as many as SummEval has."""
    rng = np.random.default_rng(1)
    names = tuple(map(str, range(models))), tuple(map(str, range(peers)))
    for number in range(items):
        yield Similarities(str(number), *names, rng.random((metrics, models + peers, models + peers)))


def count(found: Iterator[Similarities], names: list[str]) -> Qarla:
    counter = Qarla(names)
    for item in found:
        counter.add(item)
    return counter


def main() -> None:
    data = Path(os.environ.get("TOUCHSTONE_SHARED", ROOT.parent / "shared")) / "data" / "summeval"
    outputs, references, experts = load(data)
    threadpool_limits(1)  # products of matrices, too
    print(
        f"\nSummEval: {len(outputs)} outputs, {len(references)} references, one process, load {os.getloadavg()[0]:.1f}"
    )
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TOUCHSTONE_PARSES"] = folder
        tables = _families(outputs, references)
    print("\nCounting for QARLA, 249 similarities made up by lot, 100 items × 23 texts")
    timed("KING, JACK, sim of 249 × 249", lambda: count(made_up(249, 100), [f"x{n}" for n in range(249)]))
    few = outputs[outputs["item"].isin(outputs["item"].unique()[:10])]
    found = collect(few, references, BESIDE, least_references=3)
    timed(
        "similarities of ROUGE and METEOR, 10 documents",
        lambda: count(similarities(found, processes=1), found.names),
    )
    print("\nKendall τ with experts over 12 systems")
    print(_correlations(tables, experts).to_string(float_format=lambda value: f"{value:6.3f}"))


def _families(outputs: pd.DataFrame, references: pd.DataFrame) -> list[pd.DataFrame]:
    parser = parsers.spacy_parser()
    if parser is None:
        raise SystemExit("no parser: pip install 'touchstone[syntax]'")
    parsers._loaded(parser.model)  # loading is not parsing

    def rate(found: object, cpu: float) -> str:
        texts = [*found.outputs, *(given for own in found.references.values() for given in own)]
        sentences = sum(len(given.beside["dependencies"]) for given in texts)
        return f"{sentences} sentences, {sentences / cpu:.0f} a second"

    def parse() -> object:
        return materials(outputs, references, needs=["dependencies"])

    timed("parsing with spaCy", parse, rate)
    texts = timed("the same again, from disk", parse)
    wordnet()  # loading is not matching
    chunks = _chunks(outputs, texts, range(len(outputs)), [registry.metric("bewte")], {})
    timed("BEwT-E alone, parses at hand", lambda: work_all(chunks, processes=1))
    return [
        timed(
            what,
            lambda names=names: score(outputs, references, metrics=names, processes=1).table("system"),
        )
        for what, names in [*FAMILIES.items(), ("ROUGE-1, -2, -L and METEOR", BESIDE)]
    ]


def _correlations(tables: list[pd.DataFrame], experts: pd.DataFrame) -> pd.DataFrame:
    scores = pd.concat(tables).drop_duplicates(["metric", "system"])
    matrix = scores.pivot_table(index="system", columns="metric", values="score", dropna=False)
    order = list(dict.fromkeys(scores["metric"]))
    return pd.DataFrame(
        {criterion: matrix[order].corrwith(experts[criterion], method="kendall") for criterion in CRITERIA}
    )
