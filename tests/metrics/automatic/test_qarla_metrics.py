"""TVM, AVLS, GRAMSIM and QUEEN: worked examples of the vectors, and the chain from texts to KING, JACK and ORANGE."""

import json
import math
from collections import Counter

import numpy as np
import pandas as pd
import pytest

from metrics.automatic import registry
from metrics.automatic.run import score
from metrics.automatic.similarity import average_length, distance, frequent, near, shares, term_similarity
from metrics.automatic.text_pairs import collect, left_out_scores, similarities
from metrics.errors import BadInput
from metrics.meta.orange import orange
from metrics.meta.qarla import Qarla, queen
from tests.metrics.automatic.scoring import item_score
from tests.metrics.automatic.vectors import FOLDER

VECTORS = json.loads((FOLDER / "qarla.json").read_text(encoding="utf-8"))["similarities"]


def test_tvm_is_that_of_the_worked_example():
    tvm = VECTORS["tvm"]
    texts = [Counter(word for word in tvm[name] if word not in tvm["stop_words"]) for name in "ab"]
    for size, expected in tvm["n"].items():
        terms = frequent(tvm["source_lemma_counts"], int(size))
        assert terms == expected["terms"]
        assert term_similarity(terms, *texts) == pytest.approx(expected["similarity"], abs=1e-12)


def test_avls_and_gramsim_are_those_of_the_worked_examples():
    for row in VECTORS["avls"]:
        lengths = [average_length(row[f"{name}_sentence_lengths"]) for name in "ab"]
        assert near(abs(lengths[0] - lengths[1])) == pytest.approx(row["similarity"])
    gramsim = VECTORS["gramsim"]
    found = near(distance(shares(gramsim["a_tags"]), shares(gramsim["b_tags"])))
    assert found == pytest.approx(gramsim["similarity"], abs=1e-12)


def test_avls_cuts_a_plain_text_into_sentences():
    assert item_score("avls", "One two three. Four five six.", ["Seven eight nine."]) == 1
    assert item_score("avls", "One two three four.", ["One two. One two three."]) == pytest.approx(1 / 2.5)
    assert math.isnan(item_score("avls", "", ["One."]))


def test_the_terms_of_tvm_are_those_of_the_documents_where_there_are_any():
    outputs = pd.DataFrame([{"system": "s", "item": "1", "text": "The ferry left."}])
    references = pd.DataFrame([{"item": "1", "reference": "r", "text": "A storm came."}])
    documents = pd.DataFrame([{"item": "1", "text": "Nothing of either. Nothing at all."}])
    alone = score(outputs, references, metrics=["tvm-8"], processes=1).items("tvm-8")[0]
    beside = score(outputs, references, metrics=["tvm-8"], documents=documents, processes=1).items("tvm-8")[0]
    assert beside == 1, "no term of the documents is in either text"
    assert alone < 1


def frames(items=3, models=3, seed=2):
    rng = np.random.default_rng(seed)
    words = np.array(["ferry", "storm", "coast", "crew", "left", "the", "a", "harbour", "late", "again"])

    def text():
        return " ".join(rng.choice(words, size=8)) + "."

    outputs = [{"system": s, "item": f"i{n}", "text": text()} for n in range(items) for s in "pqr"]
    references = [
        {"item": f"i{n}", "reference": m, "text": text()} for n in range(items) for m in "ABCD"[:models]
    ]
    return pd.DataFrame(outputs), pd.DataFrame(references)


SET = ["rouge-1-f", "bleu-s", "wer", "nist"]


def test_similarities_are_the_scores_with_one_reference():
    outputs, references = frames(items=1)
    found = collect(outputs, references, ["rouge-1-f", "wer"], least_references=3)
    (item,) = similarities(found, processes=1)
    texts = [*references["text"], *outputs["text"]]
    for a, b in [(0, 1), (1, 0), (4, 2), (3, 5)]:
        assert item.x[0, a, b] == pytest.approx(item_score("rouge-1-f", texts[a], [texts[b]]))
        assert item.x[1, a, b] == pytest.approx(-item_score("wer", texts[a], [texts[b]])), "lower is better"
    assert np.isnan(item.x[:, range(6), range(6)]).all()


def test_queen_of_texts_is_queen_of_their_similarities():
    outputs, references = frames(items=2)
    name = f"queen-{'+'.join(SET)}"
    scores = score(outputs, references, metrics=[name], processes=1).table()
    found = collect(outputs, references, SET, least_references=3)
    for item in similarities(found, peers_among=False, processes=1):
        expected = queen(item)
        rows = scores[scores["item"] == item.item]
        for system, value in zip(rows["system"], rows["score"], strict=True):
            assert value == pytest.approx(expected[system])


def test_queen_needs_two_references_and_warns_of_two():
    assert math.isnan(item_score("queen-rouge-1-f", "a text", ["a text"]))
    with pytest.warns(UserWarning, match="three or more are better"):
        assert item_score("queen-rouge-1-f", "a text", ["a text", "another text"]) == 1


def test_queen_over_unknown_metrics_or_itself_is_refused():
    with pytest.raises(BadInput, match="no metric is called 'roug-1-f'"):
        registry.metric("queen-rouge-1-f+roug-1-f")
    with pytest.raises(BadInput, match="other than QUEEN"):
        registry.metric("queen-queen-rouge-1-stem-f")


def test_queen_says_what_its_metrics_found_on_this_machine():
    """Else a worker without WordNet would go unnoticed, and its numbers be mixed with others."""
    assert "|wordnet:3.0|" in registry.metric("queen-bewte+rouge-1-f").signature(level="item")
    assert "wordnet" not in registry.metric("queen-bewte-exact").signature(level="item")


def test_any_number_of_processes_gives_the_same_king_jack_and_orange():
    outputs, references = frames(items=4)
    results = []
    for processes in (1, 2):
        found = collect(outputs, references, SET, least_references=3)
        counter = Qarla(found.names)
        for item in similarities(found, processes=processes):
            counter.add(item)
        ranks = orange(left_out_scores(found, processes=processes), found.names, n_resamples=50)
        results.append((counter.result(), ranks))
    (one, first), (two, second) = results
    np.testing.assert_array_equal(one.king, two.king)
    np.testing.assert_array_equal(one.jack, two.jack)
    np.testing.assert_array_equal(one.sim, two.sim)
    assert first.table.equals(second.table)


def test_orange_scores_each_reference_against_the_others():
    outputs, references = frames(items=1)
    found = collect(outputs, references, ["rouge-1-f"], least_references=2)
    (item,) = left_out_scores(found, processes=1)
    texts = references["text"].tolist()
    for left in range(3):
        others = texts[:left] + texts[left + 1 :]
        expected = [item_score("rouge-1-f", text, others) for text in (texts[left], *outputs["text"])]
        assert item.scores[0, left].tolist() == pytest.approx(expected)


def test_too_few_references_are_refused_in_one_line():
    with pytest.raises(BadInput, match="no item has 3 references"):
        collect(*frames(models=2), ["rouge-1-f"], least_references=3)
