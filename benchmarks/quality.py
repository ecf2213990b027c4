"""How well do the checks of ``python -m metrics quality`` tell careless people from careful ones? Simulated crowds.

    .venv/bin/python -m benchmarks.quality [--simulations 200] [--seed 1]

Each crowd has ten honest people and one of each careless sort. Everybody judges 60 texts, 12 % of them control items (repeats,
degraded texts, gold). Honest people differ in strictness, in how wide they use the scale, in noise and in speed. Printed are the shares of
people with the verdict “looks careless”, and of those with at least a “look again”, over all simulations, with Wilson's interval.
The seeds from which the rule was tuned are not those that are printed: tuning used ``--seed 1000`` and above.
"""

from __future__ import annotations

import argparse
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from metrics.frames import JUDGMENT_COLUMNS, check_attributes, check_judgments
from metrics.quality import VERDICT, assess_quality
from metrics.quality.findings import wilson_interval
from metrics.quality.words import AGAIN, CARELESS

SORTS = ("random", "too-fast", "always-middle", "copy-last", "drifting")


@dataclass(frozen=True)
class Study:
    """What is simulated; the defaults are the case that the docs quote."""

    honest: int = 10
    sorts: tuple[str, ...] = SORTS
    items: int = 60
    controls: float = 0.12
    per_text: int = 3
    steps: int = 5
    noise: tuple[float, float] = (0.5, 0.9)
    timed: bool = True


def crowd(study: Study, rng: np.random.Generator) -> tuple[pd.DataFrame, pd.DataFrame, dict[str, str]]:
    """Judgments, attributes, and what sort each person is of (“honest” among them)."""
    sorts = ["honest"] * study.honest + list(study.sorts)
    names = [f"p{number:02d}" for number in rng.permutation(len(sorts))]
    n_controls = round(study.items * study.controls)
    own = study.items - n_controls
    n_texts = max(own, -(-own * len(sorts) // study.per_text))
    systems = min(8, n_texts)
    text = np.arange(n_texts)
    quality = rng.normal(0, 0.6, systems)[text % systems] + rng.normal(0, 0.8, n_texts)
    words = np.rint(rng.lognormal(4, 0.4, n_texts)).astype(int)
    deck = np.concatenate([rng.permutation(n_texts) for _ in range(study.per_text + 1)])
    rows: list[dict[str, object]] = []
    gold = rng.choice(n_texts, max(n_controls // 3, 1), replace=False)
    for number, (name, sort) in enumerate(zip(names, sorts, strict=True)):
        hand = pd.unique(deck[number * own : (number + 2) * own])[:own]
        person = Person(sort, study, rng)
        rows += person.judgments(name, hand, quality, words, systems, gold[: n_controls // 3], n_controls)
    attributes = [("output", f"s{t % systems}/i{t // systems}", "tokens", str(words[t])) for t in text]
    attributes += [
        (
            "control",
            f"t/gold/s{t % systems}/i{t // systems}//adequacy",
            "expected",
            f"{on_scale(quality[t], study):g}",
        )
        for t in gold
    ]
    table = pd.DataFrame(rows, columns=[*JUDGMENT_COLUMNS])
    frame = pd.DataFrame(attributes, columns=["scope", "id", "name", "value"])
    return check_judgments(table), check_attributes(frame), dict(zip(names, sorts, strict=True))


def on_scale(latent: float, study: Study) -> float:
    """A quality (mean 0, standard deviation 1) as a step of the scale, 1 to ``steps``."""
    middle, width = (study.steps + 1) / 2, (study.steps - 1) / 4
    return float(np.clip(np.rint(middle + width * latent), 1, study.steps))


class Person:
    """Somebody with habits, who answers one text after the other."""

    def __init__(self, sort: str, study: Study, rng: np.random.Generator) -> None:
        self.sort, self.study, self.rng = sort, study, rng
        self.strict, self.width = rng.normal(0, 0.6), rng.uniform(0.6, 1.3)
        self.noise = rng.uniform(*study.noise)
        self.pace = rng.normal(0, 0.35)
        self.last = float((study.steps + 1) // 2)

    def judgments(
        self,
        name: str,
        hand: np.ndarray,
        quality: np.ndarray,
        words: np.ndarray,
        systems: int,
        gold: np.ndarray,
        n_controls: int,
    ) -> Iterator[dict[str, object]]:
        left = n_controls - len(gold)
        again, worse = hand[: left // 2], hand[-(left - left // 2) :] if left - left // 2 else hand[:0]
        order = [(t, "") for t in hand]
        for number, (t, control) in enumerate(
            [*((t, "degraded") for t in worse), *((t, "gold") for t in gold)], start=1
        ):
            order.insert(int(len(order) * number / (len(worse) + len(gold) + 1)), (t, control))
        order += [(t, "repeat") for t in again]
        for position, (t, control) in enumerate(order, start=1):
            latent = quality[t] - (1.5 if control == "degraded" else 0.0)
            self.last = self.answer(latent, position / len(order))
            yield {
                "study": "s", "task": "t", "kind": "rating", "assessor": name, "system": f"s{t % systems}",
                "document": f"i{t // systems}", "item": f"i{t // systems}", "criterion": "adequacy", "value": self.last,
                "revision": 1, "position": position, "practice": False, "control": control,
                "seconds": self.seconds(words[t]) if self.study.timed else None,
            }  # fmt: skip

    def answer(self, latent: float, progress: float) -> float:
        rng, study = self.rng, self.study
        middle = float((study.steps + 1) // 2)
        if self.sort == "random":
            return float(rng.integers(1, study.steps + 1))
        if self.sort == "always-middle":
            return middle if rng.random() < 0.95 else float(middle + rng.choice([-1, 1]))
        if self.sort == "copy-last" and rng.random() < 0.7:
            return self.last
        noise = 2.0 if self.sort == "too-fast" else self.noise
        moved = 3 * (progress - 0.5) if self.sort == "drifting" else 0.0
        return on_scale(self.width * latent + self.strict + moved + rng.normal(0, noise), study)

    def seconds(self, words: int) -> float:
        rng = self.rng
        if self.sort == "too-fast":
            return float(rng.lognormal(np.log(2.5), 0.4))
        return float(np.exp(np.log(20) + 0.7 * np.log(words / 55) + self.pace + rng.normal(0, 0.5)))


def simulate(study: Study, simulations: int, seed: int) -> pd.DataFrame:
    """``sort, people, careless, look``: how many of each sort there were, and what was said of them."""
    counts: Counter[tuple[str, str]] = Counter()
    for number in range(simulations):
        judgments, attributes, sorts = crowd(study, np.random.default_rng([seed, number]))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            rows = assess_quality(judgments, attributes).rows
        lines = rows[rows["check"] == VERDICT].set_index("assessor")["verdict"]
        for name, sort in sorts.items():
            counts[sort, "people"] += 1
            counts[sort, "careless"] += lines[name].startswith(CARELESS)
            counts[sort, "look"] += lines[name].startswith((CARELESS, AGAIN))
    names = list(dict.fromkeys(["honest", *study.sorts]))
    return pd.DataFrame(
        [
            {"sort": sort} | {what: counts[sort, what] for what in ("people", "careless", "look")}
            for sort in names
        ]
    )


def printed(title: str, found: pd.DataFrame) -> None:
    print(f"\n{title}", flush=True)
    print(f"{'sort':15} {'people':>7} {'looks careless':>22} {'or look again':>15}")
    for row in found.itertuples(index=False):
        share = np.array([row.careless / row.people])
        low, high = wilson_interval(share, np.array([float(row.people)]))
        print(
            f"{row.sort:15} {row.people:7} {100 * share[0]:6.1f} % ({100 * low[0]:.1f}–{100 * high[0]:.1f})".ljust(
                46
            )
            + f"{100 * row.look / row.people:8.1f} %"
        )


STUDIES = {
    "60 items each, 12 % controls, five steps, three people a text": Study(),
    "the same on a scale of 100": Study(steps=100),
    "two people a text": Study(per_text=2),
    "30 items each": Study(items=30),
    "no control items": Study(controls=0.0),
    "no times": Study(timed=False),
    "honest people only, and noisier": Study(honest=15, sorts=(), noise=(0.7, 1.3)),
    "honest people only, six of them, 20 items": Study(honest=6, sorts=(), items=20),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--simulations", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--study", type=int, help="only this one of the studies, from 1")
    arguments = parser.parse_args()
    print(f"{arguments.simulations} simulations each, seed {arguments.seed}")
    for number, (title, study) in enumerate(STUDIES.items(), start=1):
        if arguments.study not in {None, number}:
            continue
        printed(title, simulate(study, arguments.simulations, arguments.seed))


if __name__ == "__main__":
    main()
