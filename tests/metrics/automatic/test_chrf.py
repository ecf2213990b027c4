"""chrF and chrF++ against sacreBLEU itself."""

import json

import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics import CHRF

from .scoring import item_score, scored
from .test_bleu import CORPORA, streams

TEXTS = st.text(alphabet="ab c.(é日", max_size=20)
METRICS = {"chrf": CHRF(), "chrf++": CHRF(word_order=2)}


@settings(max_examples=50, deadline=None)
@given(corpus=CORPORA)
def test_the_system_score_is_that_of_sacrebleu(corpus):
    outputs, references = [output for output, _ in corpus], [own for _, own in corpus]
    ours = scored(METRICS, outputs, references, system=True)
    for name, metric in METRICS.items():
        assert ours[name] == pytest.approx(metric.corpus_score(outputs, streams(references)).score)


@settings(max_examples=80, deadline=None)
@given(output=TEXTS, references=st.lists(TEXTS, min_size=1, max_size=3))
def test_item_scores_are_those_of_sacrebleu(output, references):
    ours = scored(METRICS, [output], [references])
    for name, metric in METRICS.items():
        assert ours[name][0] == pytest.approx(metric.sentence_score(output, references).score)


def test_words_tell_chrf_plus_plus_what_characters_do_not():
    output, reference = "cat dog", ["cats dogs"]
    assert item_score("chrf++", output, reference) < item_score("chrf", output, reference)


def test_summeval_outputs_score_as_sacrebleu_scores_them(shared):
    texts = json.loads((shared / "data/summeval/texts_16sys_11refs.json").read_text())
    document = next(iter(texts.values()))
    outputs = [system["sys_summ"] for system in document["sys_summs"].values()]
    ours = scored("chrf++", outputs, [document["ref_summs"]] * len(outputs))["chrf++"]
    theirs = [
        sacrebleu.sentence_chrf(output, document["ref_summs"], word_order=2).score for output in outputs
    ]
    assert ours == pytest.approx(theirs)
