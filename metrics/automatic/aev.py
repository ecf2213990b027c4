"""AEv(α, N) (Soricut & Brill 2004): one family that holds BLEU-like precision, ROUGE-like recall, and what lies between.

PS(N) = BP · geometric mean of n-gram precision P(1) … P(N), with the brevity penalty BP = 1 if |c| ≥ |r|, else exp(1 − |r|/|c|).
RS(N) = WP · geometric mean of n-gram recall R(1) … R(N), with the wordiness penalty WP = 1 if |c| ≤ W·|r|, else
exp(1 − |c|/(W·|r|)), W = 2. AEv(α, N) = RS·PS / (α·RS + (1 − α)·PS): α = 0 is RS, α = 1 is PS.

The paper prints W on the other side, |c| multiplied by it, which would punish a text that equals its reference and contradicts
its own remark that ROUGE is the case W = ∞; the form above does neither. Lengths are those of the words that are compared. With
several references each counts beside the output once more, in matches, counts and lengths. Counts are summed over a system's
outputs, as in the paper. Names: ``aev-0.5-2`` (α, then N), then ``-porter``, then ``-stop``; the paper's own setting is
``-porter-stop``, with a list of 626 stop words that is lost: ROUGE's takes its place.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from metrics.automatic.base import Family, Item, Metric, Rows
from metrics.automatic.counting import Ngram, clipped, ngrams_of
from metrics.automatic.preparation import SETTINGS, Setting
from metrics.automatic.text.prepared import Text

ALPHAS = tuple(step / 10 for step in range(11))
LONGEST = 4
BREVITY = 1.0
"""B, the brevity constant."""
WORDINESS = 2.0
"""W, the wordiness constant."""

NAME = re.compile(r"aev-(?P<alpha>0(?:\.\d+)?|1(?:\.0+)?)-(?P<n>[1-4])(?P<porter>-porter)?(?P<stop>-stop)?")
_DEFAULTS = {"aev-0-1", "aev-0.5-1", "aev-0.5-2", "aev-1-4"}

Floats = npt.NDArray[np.float64]


class Aev(Family):
    """AEv(α, N); a row holds matches, n-grams of output and of references by order, and both lengths."""

    name = "aev"

    def metrics(self) -> Sequence[Metric]:
        """α in tenths, N from 1 to 4, in the four settings of stems and stop words."""
        return [
            _metric(alpha, n, setting)
            for setting in SETTINGS
            for n in range(1, LONGEST + 1)
            for alpha in ALPHAS
        ]

    def parse(self, name: str) -> Metric | None:
        """Names with an α of the user's own: ``aev-0.25-2``."""
        if not NAME.fullmatch(name):
            return None
        metric = _metric(*specification(name), listed=False)
        return metric if metric.name == name else None

    def statistics(self, items: Sequence[Item], metrics: Sequence[Metric]) -> list[Rows]:
        """The counts of each output; they are the same for every α."""
        counted: dict[Setting, Floats] = {}
        rows = []
        for _, n, setting in (specification(metric.name) for metric in metrics):
            if setting not in counted:
                made = [_counts(item, setting) for item in items]
                counted[setting] = np.array(made, dtype=np.float64).reshape(-1, 3 * LONGEST + 2)
            own = counted[setting]
            orders = [own[:, part * LONGEST : part * LONGEST + n] for part in range(3)]
            rows.append(np.concatenate([*orders, own[:, -2:]], axis=1))
        return rows

    def score(self, metric: Metric, rows: Rows) -> Floats:
        """AEv of each row of counts."""
        alpha, n, _ = specification(metric.name)
        matches, ours, theirs = (rows[:, part * n : (part + 1) * n] for part in range(3))
        precision = precision_score(matches, ours, rows[:, -2], rows[:, -1])
        recall = recall_score(matches, theirs, rows[:, -2], rows[:, -1])
        return combined(recall, precision, alpha)


FAMILY = Aev()


def precision_score(matches: Floats, ngrams: Floats, length: Floats, reference_length: Floats) -> Floats:
    """PS(N) of each row; an order of which the output has no n-gram has no match, so the score is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.where(ngrams > 0, matches / ngrams, 0.0)
        short = np.exp(1 - reference_length / (BREVITY * length))
    penalty = np.where(BREVITY * length >= reference_length, 1.0, short)
    return np.asarray(penalty * _geometric_mean(shares))


def recall_score(matches: Floats, ngrams: Floats, length: Floats, reference_length: Floats) -> Floats:
    """RS(N) of each row; undefined when the references have no n-gram of an order."""
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.where(ngrams > 0, matches / ngrams, np.nan)
        wordy = np.exp(1 - length / (WORDINESS * reference_length))
    penalty = np.where(length <= WORDINESS * reference_length, 1.0, wordy)
    return np.asarray(penalty * _geometric_mean(shares))


def combined(recall: Floats, precision: Floats, alpha: float) -> Floats:
    """AEv(α) of RS and PS: van Rijsbergen's F. Both are 0 together, and then it is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = recall * precision / (alpha * recall + (1 - alpha) * precision)
    return np.asarray(np.where((recall == 0) | (precision == 0), 0.0 * recall, mean))


def specification(name: str) -> tuple[float, int, Setting]:
    """α, N and the setting that a name says."""
    found = NAME.fullmatch(name)
    assert found is not None
    return float(found["alpha"]), int(found["n"]), Setting(bool(found["porter"]), bool(found["stop"]))


def name_of(alpha: float, n: int, setting: Setting) -> str:
    """The one name of α, N and setting."""
    return f"aev-{alpha:.10g}-{n}{setting.suffix()}"


def _metric(alpha: float, n: int, setting: Setting, *, listed: bool = True) -> Metric:
    name = name_of(alpha, n, setting)
    return Metric(
        name=name,
        family="aev",
        options=(
            ("alpha", f"{alpha:.10g}"),
            ("N", n),
            ("B", f"{BREVITY:g}"),
            ("W", f"{WORDINESS:g}"),
            *setting.options(),
            ("multi", "sum"),
        ),
        identity=1.0,
        default=name in _DEFAULTS,
        listed=listed,
    )


def _geometric_mean(shares: Floats) -> Floats:
    return np.asarray(shares.prod(axis=1) ** (1 / shares.shape[1]))


def _counts(item: Item, setting: Setting) -> list[float]:
    """Matches, n-grams of output and references by order, lengths of both."""
    tokens = setting.tokens(item.output)
    references = [text for text in item.references if setting.tokens(text)]
    if not references:
        return [float("nan")] * (3 * LONGEST + 2)
    matches, ours, theirs = [], [], []
    for n in range(1, LONGEST + 1):
        own = ngrams_of(item.output, tokens, n, setting=setting)
        others = [_ngrams(text, setting, n) for text in references]
        matches.append(sum(clipped(own, other) for other in others))
        ours.append(own.total() * len(references))
        theirs.append(sum(other.total() for other in others))
    length = len(tokens) * len(references)
    return [*matches, *ours, *theirs, length, sum(len(setting.tokens(text)) for text in references)]


def _ngrams(text: Text, setting: Setting, n: int) -> Counter[Ngram]:
    return ngrams_of(text, setting.tokens(text), n, setting=setting)
