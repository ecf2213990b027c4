"""Ngram(i, j) against the paper's example, equation 5 counted naively, and another package's ROUGE-N recall."""

from collections import Counter

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from metrics.automatic import registry
from metrics.automatic.run import score

from .scoring import item_score, scored

MODEL, CANDIDATE = "North Sea, Baltic, and Adriatic", "North Sea, Adriatic, and Baltic"
WORDS = st.lists(st.sampled_from(["alder", "birch", "cedar", "elm"]), min_size=4, max_size=12)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("ngram-1-1-stop", 1.0),
        # The paper says 0.5; one of the three bigrams of the model is in the candidate.
        ("ngram-2-2-stop", 1 / 3),
        ("ngram-3-3-stop", 0.0),
        ("ngram-4-4-stop", 0.0),
        ("ngram-1-4-stop", 0.0),
    ],
)
def test_an_example_like_that_of_lin_and_hovy(name, expected):
    """Lin & Hovy 2003, §4.1, by their equation 5, on names of our own: two of four words change places."""
    assert item_score(name, CANDIDATE, [MODEL]) == pytest.approx(expected)


@settings(max_examples=40, deadline=None)
@given(output=WORDS, reference=WORDS)
def test_one_unit_is_recall_of_n_grams_as_rouge_score_counts_it(output, reference):
    output, reference = " ".join(output), " ".join(reference)
    theirs = RougeScorer(["rouge1", "rouge2", "rouge3", "rouge4"]).score(reference, output)
    ours = scored([f"ngram-{n}-{n}" for n in (1, 2, 3, 4)], [output], [[reference]])
    for n in (1, 2, 3, 4):
        assert ours[f"ngram-{n}-{n}"][0] == pytest.approx(theirs[f"rouge{n}"].recall)


def naive_coverage(output, units, n):
    """Equation 5, word for word."""
    grams = lambda tokens: [tuple(tokens[k : k + n]) for k in range(len(tokens) - n + 1)]  # noqa: E731
    ours = Counter(grams(output))
    matched = sum(min(count, ours[gram]) for unit in units for gram, count in Counter(grams(unit)).items())
    return matched / sum(len(grams(unit)) for unit in units)


@settings(max_examples=30, deadline=None)
@given(
    output=WORDS,
    units=st.lists(WORDS, min_size=1, max_size=4),
    orders=st.sampled_from([(1, 2), (2, 4), (1, 4)]),
)
def test_matches_are_clipped_unit_by_unit(output, units, orders):
    i, j = orders
    outputs = pd.DataFrame({"system": ["s"], "item": ["1"], "text": [" ".join(output)]})
    references = pd.DataFrame(
        {"item": ["1"], "reference": ["a"], "text": [""], "sentences": [[" ".join(unit) for unit in units]]}
    )
    found = score(outputs, references, metrics=[f"ngram-{i}-{j}"], processes=1).items(f"ngram-{i}-{j}")[0]
    expected = 1.0
    for n in range(i, j + 1):
        expected *= naive_coverage(output, units, n) ** (1 / (j - i + 1))
    assert found == pytest.approx(expected)


def test_stems_and_stop_words_are_what_the_name_says():
    output, reference = "the singers sing", ["a singer was singing"]
    assert item_score("ngram-1-1", output, reference) == 0
    # singers and singer share the stem "singer", sing and singing the stem "sing" (Porter 1980).
    assert item_score("ngram-1-1-porter", output, reference) == pytest.approx(2 / 4)
    assert item_score("ngram-1-1-porter-stop", output, reference) == pytest.approx(1)


def test_a_reference_too_short_for_the_n_grams_has_no_score():
    assert item_score("ngram-2-2", "one", ["one"]) != item_score("ngram-2-2", "one", ["one"])  # NaN
    assert item_score("ngram-1-1", "one", ["one"]) == 1


def test_a_system_has_the_mean_of_its_outputs():
    outputs, references = [CANDIDATE, "Baltic"], [[MODEL], [MODEL]]
    items = scored("ngram-1-1-stop", outputs, references)["ngram-1-1-stop"]
    assert scored("ngram-1-1-stop", outputs, references, system=True)["ngram-1-1-stop"] == pytest.approx(
        sum(items) / 2
    )


def test_all_i_up_to_j_are_there_in_four_settings():
    names = [choice.name for choice in registry.select(["ngram-*"])]
    assert len(names) == 40
    assert "ngram-2-3-porter-stop" in names
    assert "ngram-3-2" not in names
