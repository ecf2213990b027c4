"""PER and m-gram PER against their formula, and against the cheapest assignment of words to words (SciPy)."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from metrics.automatic import registry

from .scoring import item_score, scored

WORDS = st.lists(st.sampled_from(["wind", "blew", "over", "bare", "fields"]), min_size=1, max_size=9)


def formula(output, reference, m):
    """Leusch et al. 2005, §2.1.2: ½(|I − Ĩ| + Σ|n − ñ|)."""
    ours, theirs = (
        Counter(tuple(tokens[k : k + m]) for k in range(len(tokens) - m + 1))
        for tokens in (output, reference)
    )
    differences = sum(abs(ours[gram] - theirs[gram]) for gram in ours | theirs)
    return (abs(ours.total() - theirs.total()) + differences) / 2


@settings(max_examples=60, deadline=None)
@given(output=WORDS, references=st.lists(WORDS, min_size=1, max_size=3), m=st.integers(1, 4))
def test_the_distance_is_the_formula_divided_by_the_reference_length(output, references, m):
    name = "per" if m == 1 else f"per-{m}"
    usable = [own for own in references if m == 1 or len(own) >= m or len(output) >= m]
    found = item_score(name, " ".join(output), [" ".join(own) for own in references])
    if usable:
        assert found == pytest.approx(min(formula(output, own, m) / len(own) for own in usable))
    else:
        assert np.isnan(found)


@settings(max_examples=40, deadline=None)
@given(output=WORDS, reference=WORDS)
def test_per_is_the_cheapest_way_to_repair_a_bag_of_words(output, reference):
    """Every word is kept (0), substituted (1), inserted or deleted (1); SciPy finds the cheapest assignment."""
    size = max(len(output), len(reference))
    cost = np.ones((size, size))
    for i, ours in enumerate(output):
        for j, theirs in enumerate(reference):
            cost[i, j] = ours != theirs
    errors = cost[linear_sum_assignment(cost)].sum()
    assert item_score("per", " ".join(output), [" ".join(reference)]) == pytest.approx(
        errors / len(reference)
    )


def test_order_does_not_matter_to_words_but_to_bigrams():
    output, reference = "fields bare over blew wind", ["wind blew over bare fields"]
    assert item_score("per", output, reference) == 0
    assert item_score("per-2", output, reference) == pytest.approx(4 / 5)
    assert item_score("wer", output, reference) == pytest.approx(4 / 5)


def test_boundaries_count_as_words():
    """Leusch et al. 2005, §3.4: the last word is wrong, so one bigram is, and with its boundary two."""
    output, reference = "wind blew over", ["wind blew under"]
    assert item_score("per-2", output, reference) == pytest.approx(1 / 3)
    assert item_score("per-2-initial", output, reference) == pytest.approx(1 / 4)
    assert item_score("per-2-final", output, reference) == pytest.approx(2 / 4)


def test_a_system_divides_summed_distances_by_summed_lengths():
    outputs, references = ["wind blew", "bare fields over"], [["wind"], ["bare fields under wind"]]
    assert scored("per", outputs, references, system=True)["per"] == pytest.approx((1 + 2) / (1 + 4))


def test_one_word_has_no_bigram_to_compare():
    assert np.isnan(item_score("per-2", "wind", ["fields"]))
    assert item_score("per", "wind", ["fields"]) == 1


def test_names_say_order_and_rule():
    names = [choice.name for choice in registry.select(["per-2*"])]
    assert names == ["per-2", "per-2-average", "per-2-nearest", "per-2-average-nearest"]
    assert len(registry.select(["per*"])) == 16
    assert registry.metric("per-3-average-remove-cased-both").options[0] == ("order", 3)
