"""TER against sacreBLEU itself."""

import pandas as pd
import pytest
from hypothesis import given, settings
from sacrebleu.metrics import TER

from metrics.automatic import registry
from metrics.automatic.run import score

from .scoring import item_score, scored
from .test_bleu import CORPORA, streams


@settings(max_examples=40, deadline=None)
@given(corpus=CORPORA)
def test_scores_are_those_of_sacrebleu(corpus):
    outputs, references = [output for output, _ in corpus], [own for _, own in corpus]
    assert scored("ter", outputs, references, system=True)["ter"] == pytest.approx(
        TER().corpus_score(outputs, streams(references)).score
    )
    items = scored("ter", outputs, references)["ter"]
    assert items == pytest.approx([TER().sentence_score(*pair).score for pair in corpus])


def test_a_shifted_phrase_is_one_edit():
    """Snover et al. 2006: moving a phrase counts once, however long it is; a plain edit distance counts four."""
    output, reference = "on monday the council met in york", ["the council met in york on monday"]
    assert item_score("ter", output, reference) == pytest.approx(100 / 7)
    assert item_score("wer", output, reference) == pytest.approx(4 / 7)


def test_it_is_computed_only_when_asked_for_and_then_warns():
    assert "ter" not in {choice.name for choice in registry.select()}
    outputs = pd.DataFrame({"system": ["s"], "item": ["1"], "text": ["one two"]})
    references = pd.DataFrame({"item": ["1"], "reference": ["a"], "text": ["one two"]})
    with pytest.warns(UserWarning, match="ter is slow"):
        score(outputs, references, metrics=["ter"], processes=1)
