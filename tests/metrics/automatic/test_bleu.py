"""BLEU, sentence BLEU and BLEU-S against sacreBLEU itself."""

import json

import numpy as np
import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import BLEU

from metrics.automatic import registry
from metrics.automatic.base import Item
from metrics.automatic.bleu import FAMILY, Statistics
from metrics.automatic.text.prepared import Text

from .scoring import item_score, scored

WORDS = st.lists(
    st.sampled_from(["The", "old", "mill,", "don't", "3.5", "(grinds)", "flour.", "the"]), max_size=14
)
TEXTS = WORDS.map(" ".join)
CORPORA = st.lists(st.tuples(TEXTS, st.lists(TEXTS, min_size=1, max_size=3)), min_size=1, max_size=4)


def streams(references):
    """sacreBLEU wants one list per reference number, None where an item has fewer."""
    most = max(map(len, references))
    return [[own[place] if place < len(own) else None for own in references] for place in range(most)]


@settings(max_examples=60, deadline=None)
@given(corpus=CORPORA)
def test_the_system_score_is_that_of_sacrebleu(corpus):
    outputs, references = [output for output, _ in corpus], [own for _, own in corpus]
    ours = scored(["bleu", "bleu-s", "bleu-folded"], outputs, references, system=True)
    theirs = {
        "bleu": BLEU(),
        "bleu-s": BLEU(smooth_method="add-k", smooth_value=1),
        "bleu-folded": BLEU(lowercase=True),
    }
    for name, metric in theirs.items():
        assert ours[name] == pytest.approx(metric.corpus_score(outputs, streams(references)).score)


@settings(max_examples=60, deadline=None)
@given(output=TEXTS, references=st.lists(TEXTS, min_size=1, max_size=3))
def test_item_scores_are_those_of_sacrebleu(output, references):
    ours = scored(["sentence-bleu", "bleu-s"], [output], [references])
    assert ours["sentence-bleu"][0] == pytest.approx(sacrebleu.sentence_bleu(output, references).score)
    smoothed = BLEU(smooth_method="add-k", smooth_value=1, effective_order=False)
    assert ours["bleu-s"][0] == pytest.approx(smoothed.corpus_score([output], streams([references])).score)


def test_bleu_s_adds_one_from_bigrams_on():
    """By hand, after Lin & Och 2004: 1-grams 3/4; 2-grams (1+1)/(3+1); 3-grams (0+1)/(2+1); 4-grams (0+1)/(1+1)."""
    expected = 100 * (3 / 4 * 2 / 4 * 1 / 3 * 1 / 2) ** 0.25
    assert item_score("bleu-s", "a b x c", ["a b c d"]) == pytest.approx(expected)


@settings(max_examples=30, deadline=None)
@given(corpus=CORPORA)
def test_rows_are_the_sufficient_statistics_and_add_up(corpus):
    items = [Item(Text.of(output), tuple(Text.of(text) for text in own)) for output, own in corpus]
    (rows,) = FAMILY.statistics(items, [registry.metric("bleu")])
    theirs = BLEU(smooth_method="none").corpus_score(
        [output for output, _ in corpus], streams([own for _, own in corpus])
    )
    summed = Statistics.of(rows.sum(axis=0))
    assert summed.matches == tuple(theirs.counts)
    assert summed.ngrams == tuple(theirs.totals)
    assert (summed.length, summed.reference_length) == (theirs.sys_len, theirs.ref_len)


def test_a_short_output_equal_to_its_reference_is_full_marks_for_sentences_only():
    """sacreBLEU's own difference between corpus and sentence BLEU: no 4-gram in two words."""
    assert item_score("sentence-bleu", "two words", ["two words"]) == pytest.approx(100)
    assert item_score("bleu", "two words", ["two words"]) == 0


def test_boundaries_reward_a_right_beginning():
    """Leusch et al. 2005, §3.4; with <s> and </s> as words, as sacreBLEU scores the marked texts."""
    output, reference = "we ended there", "we began there"
    marked = BLEU(tokenize="none", smooth_method="add-k", smooth_value=1)
    expected = marked.corpus_score([f"<s> {output} </s>"], [[f"<s> {reference} </s>"]]).score
    assert item_score("bleu-s-both", output, [reference]) == pytest.approx(expected)
    for name, better in (("bleu-s", False), ("bleu-s-initial", True)):
        other = item_score(name, "ended we there", ["we began there"])
        assert (item_score(name, output, [reference]) > other + 1e-9) is better


@pytest.mark.parametrize("name", ["bleu-cased", "bleu-mteval", "bleu-both-folded", "sentence-bleu-none"])
def test_a_metric_has_one_name_only(name):
    assert FAMILY.parse(name) is None


def test_summeval_systems_score_as_sacrebleu_scores_them(shared):
    """SummEval (Fabbri et al. 2021): 40 documents, 11 references."""
    texts = json.loads((shared / "data/summeval/texts_16sys_11refs.json").read_text())
    documents = list(texts.values())[:40]
    outputs = [document["sys_summs"]["M11"]["sys_summ"] for document in documents]
    references = [document["ref_summs"] for document in documents]
    ours = scored("bleu", outputs, references, system=True)["bleu"]
    assert np.isclose(ours, sacrebleu.corpus_bleu(outputs, streams(references)).score, rtol=1e-12)
