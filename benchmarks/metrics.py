"""Speed of the automatic metrics against their peers, in one run.

    python benchmarks/metrics.py [--outputs 1000] [--references 4] [--words 100] [--seed 20050629]

Texts are made up from a word list of our own, with a Zipf-like frequency of words, so that anybody gets the
same texts. It prints:

1. all 192 ROUGE variants against rouge-score's ROUGE-1, -2 and -L with stemming, in one process and on all
   cores;
2. METEOR (exact, Porter) against NLTK's;
3. how the time grows with the number of outputs and of references;
4. with ``--families``, and nothing else then: time and memory of parsing, BEwT-E, the syntax metrics, QARLA and POURPRE on SummEval,
   and their correlation with experts beside ROUGE and METEOR.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd

# A script's own folder comes first on the path, and there this very file hides the package of the same name.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from metrics.automatic import registry
from metrics.automatic.run import score

FUNCTION_WORDS = """
    the of and to a in that is was for on with as by at from it its he she they were be have has had
    this which but not are or an his her their will would could about after before more than into
    over under between during without against
""".split()  # noqa: SIM905
ROOTS = """
    harbour council bridge orchard glacier violin strike library storm market winter village engine
    teacher river garden doctor engineer farmer minister journey measure settle report govern argue
    manage organise complain protest examine repair develop invest export transport collect connect
    predict observe discover publish educate celebrate negotiate island mountain festival hospital
    museum theatre railway airport factory kitchen window paper silver copper timber quiet narrow
    distant recent ancient modern public private local national regular sudden careful nervous
    generous
""".split()  # noqa: SIM905
SUFFIXES = ("", "s", "ed", "ing", "er", "ers", "ment", "ation", "ly", "ness", "al", "ional")


@dataclass(frozen=True)
class Collection:
    """Outputs of one system and several references each, as plain texts and as the tables that the package
    takes."""

    texts: list[str]
    references: list[list[str]]

    def part(self, outputs: int, references: int) -> Collection:
        return Collection(
            self.texts[:outputs], [of_item[:references] for of_item in self.references[:outputs]]
        )

    def frames(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        outputs = [{"system": "s", "item": str(n), "text": text} for n, text in enumerate(self.texts)]
        references = [
            {"item": str(n), "reference": str(m), "text": text}
            for n, texts in enumerate(self.references)
            for m, text in enumerate(texts)
        ]
        return pd.DataFrame(outputs), pd.DataFrame(references)


def make_texts(outputs: int, references: int, words: int, seed: int) -> Collection:
    """Texts of about so many words; each item draws half of its words from a topic of its own."""
    rng = np.random.default_rng(seed)
    content = np.array([root + suffix for root in ROOTS for suffix in SUFFIXES])
    rng.shuffle(content)
    vocabulary = np.concatenate([FUNCTION_WORDS, content])
    chances = 1 / np.arange(2, len(vocabulary) + 2)
    chances /= chances.sum()

    def text(topic: np.ndarray) -> str:
        length = max(1, int(rng.normal(words, words / 8)))
        common = vocabulary[rng.choice(len(vocabulary), size=length, p=chances)]
        chosen = np.where(rng.random(length) < 0.5, common, rng.choice(topic, size=length))
        return " ".join(chosen).capitalize() + "."

    topics = [rng.choice(content, size=words) for _ in range(outputs)]
    return Collection(
        [text(topic) for topic in topics], [[text(topic) for _ in range(references)] for topic in topics]
    )


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds on the clock and seconds of this process's processor time."""
    clock, processor = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - clock, time.process_time() - processor


def line(what: str, seconds: float, processor: float | None = None, note: str = "") -> None:
    cpu = f"{processor:8.2f} s cpu" if processor is not None else " " * 14
    print(f"  {what:<58} {seconds:8.2f} s {cpu}  {note}", flush=True)


def all_rouge(collection: Collection, processes: int | None) -> None:
    table = score(*collection.frames(), metrics=graham(), processes=processes).table("system")
    assert len(table) == 192, len(table)


def graham() -> list[str]:
    """The variants of Graham (2015): without the stemming by Porter alone. At system level they are 192."""
    return [choice.name for choice in registry.select(["rouge-*"]) if "porter" not in choice.name]


def rouge_score_part(texts: Sequence[str], references: Sequence[Sequence[str]]) -> list[object]:
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=True)
    return [scorer.score_multi(list(own), text) for text, own in zip(texts, references, strict=True)]


def rouge_score_on_all_cores(collection: Collection, cores: int) -> None:
    step = -(-len(collection.texts) // (4 * cores))
    with ProcessPoolExecutor(cores) as pool:
        parts = range(0, len(collection.texts), step)
        done = pool.map(
            rouge_score_part,
            [collection.texts[n : n + step] for n in parts],
            [collection.references[n : n + step] for n in parts],
        )
        assert sum(len(part) for part in done) == len(collection.texts)


def compare_rouge(collection: Collection, cores: int) -> None:
    print("\nROUGE: 192 variants at system level here, 3 metrics there")
    ours = timed(lambda: all_rouge(collection, 1))
    theirs = timed(lambda: rouge_score_part(collection.texts, collection.references))
    line("one process: all 192 variants, with and without stemming", *ours)
    line("one process: rouge-score, ROUGE-1/2/L with stemming", *theirs, note=f"× {theirs[0] / ours[0]:.1f}")
    ours_all, _ = timed(lambda: all_rouge(collection, None))
    theirs_all, _ = timed(lambda: rouge_score_on_all_cores(collection, cores))
    line(f"{cores} processes: all 192 variants", ours_all)
    line(f"{cores} processes: rouge-score", theirs_all, note=f"× {theirs_all / ours_all:.1f}")


class NoSynonyms:
    """For NLTK's METEOR, a WordNet without a single synonym: exact words and stems only, as ours is asked
    to do."""

    def synsets(self, word: str) -> list[object]:
        return []


def nltk_meteor(collection: Collection) -> list[float]:
    from nltk.stem.porter import PorterStemmer
    from nltk.translate.meteor_score import meteor_score

    stemmer = PorterStemmer()
    return [
        meteor_score([own.split() for own in references], text.split(), stemmer=stemmer, wordnet=NoSynonyms())
        for text, references in zip(collection.texts, collection.references, strict=True)
    ]


def compare_meteor(collection: Collection, name: str) -> None:
    print(f"\nMETEOR: {name} here, NLTK's with an empty WordNet there")
    ours = timed(lambda: score(*collection.frames(), metrics=[name], processes=1).table("system"))
    theirs = timed(lambda: nltk_meteor(collection))
    line(f"one process: {name}", *ours)
    line("one process: NLTK meteor_score", *theirs, note=f"× {theirs[0] / ours[0]:.1f}")


def growth(collection: Collection) -> None:
    outputs, references = len(collection.texts), len(collection.references[0])
    print("\nGrowth of the time for all ROUGE variants, one process")
    first: float | None = None
    for part in (outputs // 4, outputs // 2, outputs):
        _, seconds = timed(lambda part=part: all_rouge(collection.part(part, references), 1))
        first = first or seconds
        line(f"{part} outputs × {references} references", seconds, note=f"× {seconds / first:.2f}")
    first = None
    for count in sorted({1, max(1, references // 2), references}):
        _, seconds = timed(lambda count=count: all_rouge(collection.part(outputs, count), 1))
        first = first or seconds
        line(f"{outputs} outputs × {count} references", seconds, note=f"× {seconds / first:.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--outputs", type=int, default=1000)
    parser.add_argument("--references", type=int, default=4)
    parser.add_argument("--words", type=int, default=100)
    parser.add_argument("--seed", type=int, default=20050629)
    parser.add_argument("--families", action="store_true", help="SummEval, family by family, instead")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    if asked.families:
        from benchmarks import families

        families.main()
        return
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    collection = make_texts(asked.outputs, asked.references, asked.words, asked.seed)
    print(
        f"{asked.outputs} outputs × {asked.references} references of about {asked.words} words, "
        f"seed {asked.seed}; "
        f"Python {platform.python_version()}, numpy {np.__version__}, rouge-score {version('rouge-score')}, "
        f"nltk {version('nltk')}, {cores} cores, load {os.getloadavg()[0]:.1f}"
    )
    all_rouge(collection.part(64, asked.references), 1)  # so that nobody pays for imports
    compare_rouge(collection, cores)
    compare_meteor(collection, "meteor-exact-porter")
    growth(collection)


if __name__ == "__main__":
    main()
