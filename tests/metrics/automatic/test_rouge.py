"""ROUGE against what the original program prints, and its batches against a plain second implementation."""

import csv
import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.automatic import registry, rouge
from metrics.automatic.base import Item
from metrics.automatic.rouge.measures import rounded
from metrics.automatic.rouge.variants import KINDS, Variant, all_variants, parse
from metrics.automatic.text.prepared import Text
from metrics.errors import UndefinedScoreWarning
from tests.metrics.automatic.plain_rouge import hits_and_sizes

OWN = Path(__file__).parents[2] / "data" / "rouge155"
MEASURES = {"p": "precision", "r": "recall", "f": "f"}


def item(peer, *references):
    return Item(Text.of(peer), tuple(Text.of(reference) for reference in references))


def score(name, items):
    metric = registry.metric(name)
    [rows] = rouge.FAMILY.statistics(items, [metric])
    return rouge.FAMILY.score(metric, rows)


def compared(cases_file, expected_file):
    """Every figure that differs from what the original printed, and how many rows were compared."""
    cases = [json.loads(line) for line in cases_file.read_text(encoding="utf-8").splitlines()]
    items = [item(case["peer"], *case["references"]) for case in cases]
    with expected_file.open(newline="") as lines:
        expected = list(csv.DictReader(lines))
    names = {_name(row, measure): None for row in expected for measure in MEASURES}
    metrics = [registry.metric(name) for name in names]
    rows = dict(zip(names, rouge.FAMILY.statistics(items, metrics), strict=True))
    place = {case["id"]: number for number, case in enumerate(cases)}
    different = []
    for row in expected:
        for measure, column in MEASURES.items():
            ours = f"{rows[_name(row, measure)][place[row['case']], 0]:.5f}"
            if ours != row[column]:
                different.append((row["case"], _name(row, measure), ours, row[column]))
    return different, len(expected)


def _name(row, measure):
    return Variant(
        kind=row["rouge"].lower(),
        stem=row["stem"],
        stop=row["stop"] == "1",
        measure=measure,
        best=row.get("formula") == "B",
        alpha=float(row.get("alpha") or 0.5) if measure == "f" else 0.5,
    ).name


def test_our_39_cases_equal_the_original_to_the_fifth_decimal():
    different, rows = compared(OWN / "cases_own.jsonl", OWN / "expected_own.csv")
    assert different == []
    assert rows == 39 * 48


def test_40_cases_of_summeval_equal_the_original_to_the_fifth_decimal(shared):
    data = shared / "data" / "rouge155"
    different, rows = compared(data / "cases_summeval.jsonl", data / "expected_summeval.csv")
    assert different == []
    assert rows == 40 * 48


def test_random_texts_and_best_reference_and_alpha_equal_the_original_to_the_fifth_decimal():
    different, rows = compared(OWN / "cases_made.jsonl", OWN / "expected_made.csv")
    assert different == []
    assert rows == 44 * 64


TEXT = st.lists(st.lists(st.sampled_from("abcde"), max_size=9).map(" ".join), max_size=3)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(TEXT, st.lists(TEXT, min_size=1, max_size=3)), min_size=1, max_size=6))
def test_a_batch_counts_what_a_plain_loop_counts(cases):
    items = [item(peer, *references) for peer, references in cases]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedScoreWarning)
        counts, _ = rouge._count(items, [("none", False)], set(KINDS))
    for kind in KINDS:
        plain = [
            hits_and_sizes(peer, reference, kind) for peer, references in cases for reference in references
        ]
        ours = counts["none", False][kind]
        np.testing.assert_allclose(np.column_stack([ours.hits, ours.reference, ours.peer]), plain)


def test_long_texts_count_what_a_plain_loop_counts():
    rng = np.random.default_rng(7)
    words = np.array([f"w{number}" for number in range(60)])

    def text(sentences, length):
        picks = np.minimum(rng.zipf(1.4, (sentences, length)), 60) - 1
        return [" ".join(words[row]) for row in picks]

    cases = [(text(1, 150), [text(1, 140), text(4, 30)]), (text(6, 20), [text(5, 25)])]
    counts, _ = rouge._count([item(peer, *refs) for peer, refs in cases], [("none", False)], {"l", "w-1.2"})
    for kind in ("l", "w-1.2"):
        plain = [hits_and_sizes(peer, reference, kind) for peer, refs in cases for reference in refs]
        np.testing.assert_allclose(counts["none", False][kind].hits, [row[0] for row in plain])


def test_an_item_scores_the_same_alone_and_in_company():
    cases = [json.loads(line) for line in (OWN / "cases_own.jsonl").read_text().splitlines()]
    items = [item(case["peer"], *case["references"]) for case in cases]
    metrics = [metric for metric in rouge.FAMILY.metrics() if metric.listed]
    together = np.hstack(rouge.FAMILY.statistics(items, metrics))
    alone = np.vstack([np.hstack(rouge.FAMILY.statistics([one], metrics)) for one in items])
    assert np.array_equal(together, alone)


def test_long_texts_are_counted_in_portions_with_the_same_result(monkeypatch):
    cases = [json.loads(line) for line in (OWN / "cases_own.jsonl").read_text().splitlines()]
    items = [item(case["peer"], *case["references"]) for case in cases]
    metrics = [metric for metric in rouge.FAMILY.metrics() if metric.listed]
    whole = np.hstack(rouge.FAMILY.statistics(items, metrics))
    monkeypatch.setattr("metrics.automatic.rouge.counts.CELLS", 200)
    monkeypatch.setattr("metrics.automatic.rouge.lcs._CELLS", 50)
    assert np.array_equal(whole, np.hstack(rouge.FAMILY.statistics(items, metrics)))


def test_192_variants_at_system_level():
    """Graham (2015), §3.2: 8 × 2 × 2 × 3 × 2."""
    chosen = registry.select(["rouge-*"], level="system")
    assert len([choice for choice in chosen if "porter" not in choice.name]) == 192
    assert len(chosen) == 288


def test_every_name_says_all_options():
    for variant in [
        *all_variants(),
        Variant("l", alpha=0.8),
        Variant("2", "stem", True, "f", True, True, 0.25),
    ]:
        assert parse(variant.name) == variant
    assert parse("rouge-1-r-alpha0.8") is None
    assert parse("rouge-5-f") is None


def test_the_jackknife_averages_the_evaluations_without_one_reference():
    references = ["the cat sat on the mat", "a cat sat there", "cats sit on mats daily"]
    [jackknife] = score("rouge-2-r-jackknife", [item("the cat sat on mats", *references)])
    without_one = [
        score("rouge-2-r", [item("the cat sat on mats", *(references[:out] + references[out + 1 :]))])[0]
        for out in range(3)
    ]
    assert jackknife == pytest.approx(np.mean(without_one))
    assert len(set(without_one)) > 1


def test_the_jackknife_of_one_reference_is_the_plain_score():
    one = [item("the cat sat", "the cat sat on the mat")]
    assert score("rouge-1-f-jackknife", one) == score("rouge-1-f", one)


def test_the_best_reference_and_the_jackknife_together():
    references = ["the cat sat on the mat", "dogs bark", "the cat"]
    ours = score("rouge-1-r-best-jackknife", [item("the cat sat", *references)])
    # Best recalls without the first, second, third: "the cat" 1, "the cat" 1, the long one 3/6.
    assert ours == pytest.approx([(1 + 1 + 0.5) / 3])


def test_alpha_weighs_precision_against_recall():
    """F = PR / ((1−α)P + αR)."""
    one = [item("a b c d", "a b x y z q")]
    p, r = score("rouge-1-p", one), score("rouge-1-r", one)
    assert score("rouge-1-f-alpha0", one) == pytest.approx(r)
    assert score("rouge-1-f-alpha1", one) == pytest.approx(p)
    assert score("rouge-1-f-alpha0.8", one) == pytest.approx(rounded(p * r / (0.2 * p + 0.8 * r)))


@pytest.mark.parametrize("words", ["", "...", "日本語のテキスト", "   "])
def test_a_text_without_words_scores_0_with_a_warning(words):
    for one in (item(words, "a cat sat"), item("a cat sat", words), item(words, words)):
        with pytest.warns(UndefinedScoreWarning, match="no word"):
            assert score("rouge-1-f", [one]) == 0
        with pytest.warns(UndefinedScoreWarning, match="no word"):
            assert score("rouge-w-1.2-r", [one]) == 0


def test_a_one_word_text_has_no_skip_bigram():
    assert score("rouge-su4-f", [item("earthquake", "earthquake")]) == 0
    assert score("rouge-1-f", [item("earthquake", "earthquake")]) == 1


def test_figures_are_rounded_as_printf_rounds_them():
    values = np.array([k / n for n in (64, 320, 160, 192, 640, 3200) for k in range(n + 1)])
    assert [f"{value:.5f}" for value in rounded(values)] == [f"{value:.5f}" for value in values]
