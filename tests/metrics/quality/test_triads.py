"""Circular triads. Expected values: Kendall & Babington Smith (1940), their data, formula and table; the dog is also in R's ``eba``."""

from itertools import combinations, product
from math import factorial

import numpy as np
import pandas as pd
import pytest

from metrics.frames import JUDGMENT_COLUMNS, check_judgments
from metrics.quality import VERDICT, assess_quality
from metrics.quality.crowd import read_crowd
from metrics.quality.triads import as_few, by_coin, circular_triads
from tests.metrics.human.rows import attributes
from tests.metrics.quality.test_checks import checks, row

FOOD = ["meat", "biscuit", "chocolate", "apple", "pear", "cheese"]
DOG = ["011011", "000110", "010111", "100000", "000101", "010100"]
"""A dog's preferences for six samples of food (p. 326): row over column."""


def complete(texts):
    """Of so many texts how many pairs there are, and their triples by the numbers of pairs."""
    pairs = {pair: at for at, pair in enumerate(combinations(range(texts), 2))}
    return len(pairs), tuple(
        (pairs[a, b], pairs[b, c], pairs[a, c]) for a, b, c in combinations(range(texts), 3)
    )


def compared(pairs, *, item="i1", assessor="a1", criterion="preference"):
    """One judgment for each ``(one, other, value)``: 1 the first is better, 0 a tie."""
    return [
        {"study": "s", "task": "t", "kind": "pairwise", "criterion": criterion, "assessor": assessor}
        | {
            "item": item,
            "unit": f"s{n}",
            "position": n,
            "system": system,
            "value": sign * value,
            "place": place,
        }
        for n, (*both, value) in enumerate(pairs, start=1)
        for place, (system, sign) in enumerate(zip(both, (1, -1), strict=True), start=1)
    ]


def judged(*rows):
    return check_judgments(
        pd.DataFrame([one for part in rows for one in part]).reindex(columns=[*JUDGMENT_COLUMNS, "place"])
    )


def test_the_dog_of_kendall_and_babington_smith():
    preferred = [(FOOD[a], FOOD[b], 1 if DOG[a][b] == "1" else -1) for a, b in combinations(range(6), 2)]
    found = row(assess_quality(judged(compared(preferred))), "circles")
    # d = k(k − 1)(2k − 1)/12 − Σa²/2, a the wins of each; at most (k³ − 4k)/24 = 8.
    d = 6 * 5 * 11 / 12 - sum(line.count("1") ** 2 for line in DOG) / 2
    assert (d, found["n"], found["statistic"]) == (5, 20, pytest.approx(1 - d / 8))
    assert found["pvalue"] == pytest.approx((720 + 960 + 2240 + 2880 + 6240 + 3648) / 2**15)
    assert found["verdict"].startswith("5 of 20 triples of texts go in a circle")


def test_chance_is_as_their_table_has_it():
    """Of all answers to the pairs of k texts, how many have 0, 1, 2 … circular triples (their table 1)."""
    for texts, known in {
        4: [24, 16, 24],
        5: [120, 120, 240, 240, 280, 24],
        6: [720, 960, 2240, 2880, 6240, 3648, 8640, 4800, 2640],
    }.items():
        pairs, triads = complete(texts)
        assert by_coin(pairs, triads) * 2**pairs == pytest.approx(known)
    drawn = by_coin(*complete(8))
    number = np.arange(len(drawn))
    mean = (number * drawn).sum()
    # Moran 1947: mean C(k, 3)/4, variance 3C(k, 3)/16.
    assert mean == pytest.approx(14, abs=0.1)
    assert ((number - mean) ** 2 * drawn).sum() == pytest.approx(10.5, rel=0.03)


def test_what_was_never_drawn_is_rare_and_not_impossible():
    """Of 2^36 answers to the pairs of 9 texts 9! have no circle; of 11 texts about one in a million has the most, 55."""
    truth = factorial(9) / 2**36
    pvalue, middle = as_few(0, [complete(9)])
    assert truth <= pvalue < 1e-4
    assert 0 < middle < pvalue
    assert as_few(0, [complete(9)] * 2)[0] >= truth**2
    assert as_few(55, [complete(11)])[1] < 1


def test_many_different_items_are_told_from_chance_by_mean_and_variance_alone(monkeypatch):
    rng = np.random.default_rng(2)
    shapes = []
    for _ in range(24):
        pairs = [pair for pair in combinations(range(6), 2) if rng.random() < 0.9]
        number = {pair: at for at, pair in enumerate(pairs)}
        triads = [((a, b), (b, c), (a, c)) for a, b, c in combinations(range(6), 3)]
        triads = [tuple(number[pair] for pair in one) for one in triads if set(one) <= set(pairs)]
        shapes.append((len(pairs), tuple(triads)))
    triples = sum(len(triads) for _, triads in shapes)
    for circles in (triples // 5, triples // 4):
        near = as_few(circles, shapes)
        monkeypatch.setattr("metrics.quality.triads.EXACT", 100)
        assert near == pytest.approx(as_few(circles, shapes), abs=0.01)
        monkeypatch.undo()


def test_items_add_up_and_incomplete_ones_count_by_their_triples():
    circle = [("A", "B", 1), ("B", "C", 1), ("C", "A", 1)]
    straight = [("A", "B", 1), ("B", "C", 1), ("A", "C", 1), ("C", "D", 1)]
    found = row(assess_quality(judged(compared(circle), compared(straight, item="i2"))), "circles")
    assert (found["n"], found["statistic"]) == (2, 0.5)
    assert found["pvalue"] == pytest.approx(1 - 1 / 16), "at most one of two, each with 1/4"


def test_ties_repeated_pairs_and_one_text_of_two_systems_make_no_triple():
    assert "circles" not in checks(
        assess_quality(judged(compared([("A", "B", 1), ("B", "C", 0), ("C", "A", 1)])))
    )
    again = [("A", "B", 1), ("A", "B", -1), ("B", "C", 1)]
    assert "circles" not in checks(assess_quality(judged(compared(again))))
    one_text = attributes(("output", "C/i1", "same_as", "B"))
    three = judged(compared([("A", "B", 1), ("B", "D", 1), ("D", "A", 1), ("A", "C", 1), ("C", "D", 1)]))
    assert row(assess_quality(three, one_text), "circles")["n"] == 1


@pytest.mark.parametrize(
    "pairs",
    [
        "AB AC AD BC BD CD DE",  # a pair that is in no triple
        "AB AC AD BC BD CD DE DF EF",  # a triple that hangs by a text
        "AB AC AD BC BD CD AE BE AF BF EF",  # two fours that share a pair
    ],
)
def test_no_circle_is_asked_for_that_cannot_be(pairs):
    """ζ is 0 for the answers with most circles, found by trying all; other pairs tie."""
    pairs = pairs.split()
    threes = [
        [at for at, pair in enumerate(pairs) if set(pair) <= set(three)]
        for three in combinations("ABCDEF", 3)
    ]
    threes = [sides for sides in threes if len(sides) == 3]

    def circles(winners):  # each of the three texts won once
        return sum(len({winners[at] for at in sides}) == 3 for sides in threes)

    worst = max(product(*pairs), key=circles)
    won = {tuple(pair): 1 if winner == pair[0] else -1 for pair, winner in zip(pairs, worst, strict=True)}
    answers = [(*pair, won.get(pair, 0)) for pair in combinations("ABCDEF", 2)]
    found = row(assess_quality(judged(compared(answers))), "circles")
    assert (found["n"], found["statistic"]) == (len(threes), 0)


def test_criteria_of_one_item_are_not_coins_of_their_own():
    straight = [("A", "B", 1), ("B", "C", 1), ("A", "C", 1)]
    of_both = [compared(straight, criterion=name) for name in ("fluency", "adequacy")]
    found = row(assess_quality(judged(*of_both)), "circles")
    assert (found["n"], found["pvalue"]) == (1, 0.75)


def ranked(order, *, unit, item="i1", assessor="a1"):
    """One ranking, the best first."""
    return [
        {"study": "s", "task": "t", "kind": "ranking", "criterion": "rank", "assessor": assessor}
        | {"item": item, "unit": f"s{unit}", "position": unit, "system": system, "value": rank}
        for rank, system in enumerate(order, start=1)
    ]


def test_random_rankers_have_no_small_p_too_often():
    """300 of them rank seven texts in the seven sets of Fano's plane, where each pair stands once, and some texts in pairs.

    With a coin for each pair of a set of three as well, 7.6 % of 4,000 such people had p ≤ .05.
    """
    rng = np.random.default_rng(5)
    plan = {"fano": ("ABC", "ADE", "AFG", "BDF", "BEG", "CDG", "CEF")}
    plan |= {f"pairs{texts}": list(combinations(texts, 2)) for texts in ("ABCDE", "ABCD")}
    parts = [
        ranked(rng.permutation(list(texts)), unit=n, item=item, assessor=f"a{person}")
        for person in range(300)
        for item, sets in plan.items()
        for n, texts in enumerate(sets, start=1)
    ]
    found = circular_triads(read_crowd(judged(*parts), None), None)
    assert found.n.tolist() == [28 + 10 + 4] * 300
    # Kendall & Babington Smith's table: of five texts 120 of 1024 answers have no circle, of four 24 of 64.
    assert found.pvalue.min() == pytest.approx(120 * 24 / 2**16)
    assert (found.pvalue <= 0.05).mean() < 0.05 + 2 * np.sqrt(0.05 * 0.95 / 300)


def test_a_ranking_alone_cannot_go_in_a_circle_and_three_can():
    three = [ranked(order, unit=n) for n, order in enumerate(("ABX", "BCY", "CAZ"), start=1)]
    assert "circles" not in checks(assess_quality(judged(three[0])))
    found = row(assess_quality(judged(*three)), "circles")
    assert (found["n"], found["statistic"]) == (1, 0)


def test_who_throws_a_coin_is_named_and_who_looks_is_not():
    """Nobody judges what another judges: nothing but contradictions can tell."""
    rng = np.random.default_rng(4)
    texts = "ABCDE"
    parts = []
    for person in range(5):
        for n in range(6):
            quality = rng.normal(size=5)
            parts.append(
                compared(
                    [
                        (one, other, rng.choice([-1, 1]) if person == 4 else np.sign(quality[a] - quality[b]))
                        for (a, one), (b, other) in combinations(enumerate(texts), 2)
                    ],
                    item=f"p{person}i{n}",
                    assessor=f"a{person}",
                )
            )
    found = assess_quality(judged(*parts))
    assert found.careless == ["a4"]
    assert "prefers in circles, as a coin would" in row(found, VERDICT, "a4")["verdict"]
    assert row(found, "circles", "a0")["statistic"] == 1
