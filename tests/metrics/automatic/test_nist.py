"""NIST against NLTK's, where the two mean the same, and by hand where they do not."""

from math import exp, log, log2

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.translate.nist_score import corpus_nist, nist_length_penalty

from .scoring import item_score, scored

LONG = st.lists(st.sampled_from(["rain", "fell", "on", "the", "hill", "all", "day"]), min_size=5, max_size=14)


@settings(max_examples=60, deadline=None)
@given(corpus=st.lists(st.tuples(LONG, LONG), min_size=1, max_size=4))
def test_with_one_reference_it_is_nltks(corpus):
    outputs, references = [output for output, _ in corpus], [[reference] for _, reference in corpus]
    ours = scored(
        "nist", [" ".join(own) for own in outputs], [[" ".join(own[0])] for own in references], system=True
    )
    assert ours["nist"] == pytest.approx(corpus_nist(references, outputs))


def test_with_several_references_matches_are_pooled_as_mteval_pools_them():
    """By hand: of ten reference words f is two and every other word one, so their information is log₂ 5 and log₂ 10.

    NLTK takes the matches of the one best reference for each n, here three words of five, and so scores less.
    """
    output, references = "a b g h f", ["a b c d f", "g h i j f"]
    unigrams = 4 * log2(10 / 1) + log2(10 / 2)
    bigrams = 2 * log2(1 / 1)  # "a b" and "g h": what follows a, and what follows g, is certain
    expected = unigrams / 5 + bigrams / 4
    assert item_score("nist", output, references) == pytest.approx(expected)
    theirs = corpus_nist([[own.split() for own in references]], [output.split()])
    assert theirs == pytest.approx((2 * log2(10) + log2(5)) / 5)


def test_the_penalty_is_one_half_at_two_thirds_of_the_length():
    """Doddington 2002; NLTK's and mteval's β."""
    output, reference = "a b c d", ["a b c d e f"]
    assert nist_length_penalty(6, 4) == pytest.approx(0.5)
    assert item_score("nist", output, reference) == pytest.approx(log2(6) * 0.5)
    beta = log(0.5) / log(1.5) ** 2
    assert item_score("nist", "a b c", reference) == pytest.approx(log2(6) * exp(beta * log(0.5) ** 2))


def test_the_reference_length_is_the_mean():
    """Leusch et al. 2005, §3.3: the way of NIST. Four words against a mean of five."""
    score = item_score("nist", "a b c d", ["a b c d", "a b c d e f"])
    # Each of the four words is two of ten, and what follows it is certain.
    assert score == pytest.approx(log2(10 / 2) * nist_length_penalty(5, 4))


def test_an_output_of_three_words_has_a_score_where_nltk_divides_by_zero():
    assert item_score("nist", "rain all day", ["rain all day long"]) > 0
    with pytest.raises(ZeroDivisionError):
        corpus_nist([[["rain", "all", "day", "long"]]], [["rain", "all", "day"]])


def test_rare_words_of_the_collection_tell_more_than_common_ones():
    outputs, references = ["the heron", "the crane"], [["the heron"], ["the the crane"]]
    alone = item_score("nist", "the heron", ["the heron"])
    with_others = scored("nist", outputs, references)["nist"][0]
    assert alone == pytest.approx(log2(2))
    assert with_others == pytest.approx((log2(5 / 3) + log2(5)) / 2 + log2(3 / 1))
