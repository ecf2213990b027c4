"""The checks by name, in the order of the table, and what each of them means."""

from __future__ import annotations

from metrics.signature import DEFAULT_SEED

VERDICT = "verdict"

MEANINGS = {
    "gold": "The share of answers that are as expected, on items whose right answer is known. p: how often somebody who answers "
    "from habit would come as near.",
    "attention": "The share of attention checks that were passed: items that say themselves what to answer.",
    "repeat": "How near the second answer to the same item is to the first: 1 is the same, 0 as near as any two answers of this "
    "person. p: how often that happens by chance.",
    "degraded": "By how many standard deviations texts that were made worse score lower than their originals. p: one-sided test "
    "that they do; a large one says that the difference was not seen.",
    "speed": "Time for texts of this length, as a share of what the others take: 0.1 is ten times as fast. p: whether most "
    "judgments took less than a third of the usual time.",
    "straight-lining": "The share of judgments that answer exactly what the one before answered. p: whether that is more often "
    "than the same answers would do in any other order.",
    "first-place": "The share of comparisons in which the first place won. p: whether places mattered.",
    "circles": "How free of contradictions comparisons are (ζ): 1 is no circle such as A over B, B over C, C over A among the texts of an item, 0 is as "
    "many as there can be. p: how often a coin would give as few.",
    "others": "Correlation with the mean of everybody else who judged the same. p: whether it is above 0.",
    "distance": "Own mean less the others' on the same texts, in standard deviations: below 0 is stricter. That is a habit, no fault.",
    "drift": "Whether the distance from the others grows (above 0) or falls (below 0) in the course of the work.",
    VERDICT: "All checks together, for you to decide; nobody is left out because of it. The statistic says how far the answers are "
    "above chance, in standard deviations; p how often somebody who does not look would come so far.",
}
CHECKS = tuple(MEANINGS)

HOW: dict[str, dict[str, object]] = {
    "gold": {"statistic": "share-right", "test": "nearer-than-own-answers", "interval": "wilson-95"},
    "attention": {"statistic": "share-right", "test": "nearer-than-own-answers", "interval": "wilson-95"},
    "repeat": {"statistic": "1-distance/chance", "test": "nearer-than-own-answers", "interval": "t-95"},
    "degraded": {
        "statistic": "mean-drop-sd",
        "test": "paired-t-from-10-else-signed-rank",
        "interval": "t-95",
    },
    "speed": {"statistic": "time-of-others-time", "test": "sign-below-1/3", "interval": "median-95"},
    "straight-lining": {"statistic": "same-as-before", "test": "runs", "interval": "wilson-95"},
    "first-place": {"statistic": "share-won", "test": "binomial-two-sided", "interval": "wilson-95"},
    "circles": {
        "statistic": "consistence-zeta",
        "test": "coin-for-each-pair",
        "interval": "wilson-95-items",
        "seed": DEFAULT_SEED,
    },
    "others": {"statistic": "pearson-leave-one-out", "test": "t-greater", "interval": "fisher-95"},
    "distance": {"statistic": "mean-gap-sd", "test": "t-two-sided", "interval": "t-95"},
    "drift": {"statistic": "spearman-gap-order", "test": "t-two-sided", "interval": "fisher-95"},
    VERDICT: {"statistic": "weighted-deviates", "level": 0.01},
}
"""What the signature of each check says."""

CARELESS = "looks careless"
AGAIN = "look again"
CAREFUL = "looks careful"
UNKNOWN = "too little to tell"

NO_BETTER = {
    "gold": "no better than chance on gold items",
    "attention": "no better than chance on attention checks",
    "repeat": "no better than chance on repeats",
    "degraded": "did not tell degraded texts from their originals",
    "circles": "prefers in circles, as a coin would",
    "others": "does not agree with the others",
}
WARNINGS = {
    "attention": "missed attention checks",
    "speed": "too fast",
    "straight-lining": "one answer after the other the same",
    "first-place": "goes by the place, not the text",
}


def joined(reasons: list[str]) -> str:
    """“a”, “a and b”, “a, b and c”."""
    return " and ".join([", ".join(reasons[:-1]), reasons[-1]] if len(reasons) > 1 else reasons)
