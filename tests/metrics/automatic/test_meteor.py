"""METEOR against the paper's example, NLTK's where the two mean the same, and by hand where they do not."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.stem.porter import PorterStemmer
from nltk.translate.meteor_score import align_words, single_meteor_score

from metrics.automatic import registry
from metrics.automatic.base import Item
from metrics.automatic.meteor import FAMILY, Meteor, meteor_scores
from metrics.automatic.text.prepared import Text

from .scoring import item_score, scored

STEMMER = PorterStemmer(PorterStemmer.MARTIN_EXTENSIONS)
OUTPUT, REFERENCE = "the captain waved at the harbour", "the captain then waved at the harbour"
VOCABULARY = [
    "walk",
    "walks",
    "walked",
    "house",
    "houses",
    "green",
    "river",
    "rivers",
    "of",
    "stone",
    "stones",
]
DIFFERENT = st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=8, unique_by=STEMMER.stem)
REPEATED = st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=12)


class NoWordNet:
    """What NLTK's METEOR asks of WordNet, without any synonyms."""

    def synsets(self, word):
        return []


def nltk_meteor(reference, output):
    """NLTK with the parameters of 2005: Fmean = PR / (.9P + .1R) is 10PR / (R + 9P)."""
    return single_meteor_score(
        reference, output, stemmer=STEMMER, wordnet=NoWordNet(), alpha=0.9, beta=3.0, gamma=0.5
    )


@pytest.mark.parametrize("name", ["meteor", "meteor-exact", "meteor-exact-porter", "meteor-exact-wnstem"])
def test_an_example_like_that_of_banerjee_and_lavie(name):
    """§2.2: six words mapped in two chunks. P = 1, R = 6/7, Fmean = 0.8696, penalty = 0.0185."""
    assert item_score(name, OUTPUT, [REFERENCE]) == pytest.approx(0.8535, abs=5e-5)
    fmean = 10 * (6 / 7) / (6 / 7 + 9)
    assert item_score(name, OUTPUT, [REFERENCE]) == pytest.approx(fmean * (1 - 0.5 * (2 / 6) ** 3))


@settings(max_examples=80, deadline=None)
@given(output=DIFFERENT, reference=DIFFERENT)
def test_where_no_stem_is_repeated_it_is_nltks(output, reference):
    """Only one alignment is largest then, so it does not matter how it is found."""
    ours = item_score("meteor-exact-porter", " ".join(output), [" ".join(reference)])
    assert ours == pytest.approx(nltk_meteor(reference, output))


@settings(max_examples=60, deadline=None)
@given(output=REPEATED, reference=REPEATED)
def test_as_many_words_are_mapped_as_nltk_maps(output, reference):
    """NLTK takes the last word that fits, we the fewest crossings; both map as many as there are, stage by stage."""
    item = Item(Text.of(" ".join(output)), (Text.of(" ".join(reference)),))
    (rows,) = FAMILY.statistics([item], [registry.metric("meteor-exact-porter")])
    pairs, _, _ = align_words(output, reference, stemmer=STEMMER, wordnet=NoWordNet())
    assert rows[0, 0] == len(pairs)


def test_nltk_crosses_lines_that_need_not_cross():
    """NLTK maps the only "of" of the output to the last of the reference, across "stone"; so it counts three chunks."""
    output, reference = "river of stone", ["river", "of", "stone", "of", "house"]
    assert item_score("meteor-exact-porter", output, [" ".join(reference)]) > nltk_meteor(
        reference, output.split()
    )
    pairs, _, _ = align_words(output.split(), reference, stemmer=STEMMER, wordnet=NoWordNet())
    assert pairs == [(0, 0), (1, 3), (2, 2)]


def test_stems_are_mapped_after_words():
    """Three of three words, in one chunk, by exact + porter; one of three by exact alone."""
    output, reference = "green rivers walked", ["green river walks"]
    assert item_score("meteor-exact-porter", output, reference) == pytest.approx(1 - 0.5 * (1 / 3) ** 3)
    assert item_score("meteor-exact", output, reference) == pytest.approx((1 / 3) * (1 - 0.5))


def test_synonyms_are_mapped_last():
    """WordNet 3.0 has car and automobile in one synset, and purchase and buy; base forms are found first."""
    output, reference = "she bought two cars", ["she purchased two automobiles"]
    assert item_score("meteor", output, reference) == pytest.approx(1 - 0.5 * (1 / 4) ** 3)
    assert item_score("meteor-exact-porter", output, reference) < item_score("meteor", output, reference)


def test_base_forms_map_irregular_words_that_porter_does_not():
    output, reference = "the mice went", ["the mouse goes"]
    assert item_score("meteor-exact-wnstem", output, reference) == pytest.approx(1 - 0.5 * (1 / 3) ** 3)
    assert item_score("meteor-exact-porter", output, reference) < 0.4


def test_the_best_reference_counts():
    both = item_score("meteor", OUTPUT, [REFERENCE, "an entirely different sentence"])
    assert both == item_score("meteor", OUTPUT, [REFERENCE])


def test_a_system_score_comes_from_summed_counts():
    """Two outputs: 6 words in 2 chunks of 6 and 7 words, 1 word in 1 chunk of 2 and 2 words."""
    found = scored("meteor-exact", [OUTPUT, "green stone"], [[REFERENCE], ["green river"]], system=True)
    p, r = 7 / 8, 7 / 9
    assert found["meteor-exact"] == pytest.approx(10 * p * r / (r + 9 * p) * (1 - 0.5 * (3 / 7) ** 3))


def test_no_match_is_zero_and_no_reference_word_is_undefined():
    assert item_score("meteor", "green", ["house"]) == 0
    assert item_score("meteor", "", ["house"]) == 0
    assert np.isnan(item_score("meteor", "green", [""]))
    assert np.isnan(meteor_scores(np.array([[0.0, 0, 3, 0]]))[0])


def test_without_wordnet_it_runs_exact_and_porter_and_says_so():
    family = Meteor(lambda: None)
    metric, _, porter, _ = family.metrics()
    item = Item(Text.of("she bought two cars"), (Text.of("she buys two automobiles"),))
    with pytest.warns(UserWarning, match="no WordNet on this machine: meteor runs without synonymy"):
        (rows,) = family.statistics([item], [metric])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (same,) = family.statistics([item], [porter])
    assert np.array_equal(rows, same)
    assert "modules:exact+porter|wordnet:none" in metric.signature(level="item")


def test_the_signature_says_modules_wordnet_and_search():
    line = registry.metric("meteor").signature(level="item")
    assert "modules:exact+porter+synonymy|wordnet:3." in line
    assert "search:exact-4096-then-beam" in line
    assert "wordnet" not in registry.metric("meteor-exact").signature(level="item")
