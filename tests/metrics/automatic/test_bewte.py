"""BEwT-E against the vectors: elements, matches and scores of the original program and of an independent script."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from metrics.automatic.bewte import FAMILY, Bewte
from metrics.automatic.bewte.elements import element, unique
from metrics.automatic.bewte.explanation import explain
from metrics.automatic.bewte.extraction import elements, of_sentence
from metrics.automatic.bewte.matching import Matcher, Pool
from metrics.automatic.bewte.penn import elements_of_trees
from metrics.automatic.bewte.scoring import References, _best_weight, _overlap, reference_score
from metrics.automatic.bewte.word_lists import PREPOSITION_LINES
from metrics.automatic.syntax.trees import read_trees
from metrics.automatic.wordnet import wordnet
from tests.metrics.automatic.scoring import item_score, scored
from tests.metrics.automatic.vectors import lines, sentence


@pytest.fixture(scope="module")
def matcher():
    return Matcher(wordnet())


def plain(found):
    return {(own.rule, tuple((p.text.lower(), p.type) for p in own.parts)) for own in found}


def listed(rows):
    return {(rule, tuple((text.lower(), kind) for text, kind in parts)) for rule, parts in rows}


@pytest.mark.parametrize("row", lines("bewte_extract.jsonl"), ids=lambda row: str(row["id"]))
def test_a_parse_gives_the_elements_of_the_original_or_those_of_a_named_departure(row):
    found = plain(of_sentence(sentence(row)))
    assert found == listed(row.get("ours", row["original"]))
    if "ours" in row:
        assert row["note"]
        assert found != listed(row["original"])


@pytest.mark.parametrize("row", lines("bewte_penn.jsonl"), ids=lambda row: row["tree"][:40])
def test_constituency_trees_give_the_elements_of_the_first_rule_list(row):
    assert plain(elements_of_trees(read_trees(row["tree"]))) == listed(row["bes"])


MATCHES = lines("bewte_match.jsonl")
TEXTS = lines("bewte_texts.jsonl")


@pytest.mark.parametrize("row", MATCHES, ids=lambda row: row["name"])
def test_a_pair_matches_as_in_the_vectors_and_for_their_reason(row, matcher):
    peer, reference = element(*row["peer"]), element(*row["reference"])
    by = matcher.explain(peer, reference)
    assert (by is not None) == row["ours"]
    assert by is None or "+".join(by) == row["ours_by"]
    assert bool(Pool(matcher, [[reference]]).matches(peer)) == row["ours"], (
        "the index finds what all pairs find"
    )


def test_no_vector_is_missing_and_departures_from_the_original_are_those_that_are_named():
    """As many as the vectors' README says; the eight scores and the text are named below."""
    extracts, scores = lines("bewte_extract.jsonl"), lines("bewte_score.jsonl")
    assert (len(extracts), sum(len(row["original"]) for row in extracts)) == (40, 353)
    assert sum("ours" in row for row in extracts) == 5
    departures = [row for row in MATCHES if row["original"] != row["ours"]]
    assert (len(MATCHES), len(departures)) == (110, 19)
    assert all(row["note"] for row in departures)
    assert sum(len(values) for topic in scores for values in topic["scores"].values()) == 108
    assert (len(lines("bewte_penn.jsonl")), sum("document" in row for row in TEXTS)) == (12, 11)


def scores_of(topic, how, matcher):
    weighting, duplicates = how.split("+")[0], "+" in how
    documents = {name: [element(*own) for own in rows] for name, rows in topic["documents"].items()}
    if not duplicates:
        documents = {name: unique(rows) for name, rows in documents.items()}
    references = [documents[name] for name in topic["references"]]
    against = References(matcher, references)
    for name, rows in documents.items():
        if name in topic["references"]:
            yield name, reference_score(matcher, references, topic["references"].index(name), weighting)
        else:
            yield name, against.peer_score(against.overlaps(rows), weighting)


@pytest.mark.parametrize("topic", lines("bewte_score.jsonl"), ids=lambda row: row["topic"])
def test_lists_of_elements_score_as_in_the_vectors(topic, matcher):
    for how, values in topic["scores"].items():
        for name, score in scores_of(topic, how, matcher):
            expected = values[name]["ours"]
            assert math.isnan(score) if expected is None else score == pytest.approx(expected, abs=1e-12), (
                how,
                name,
            )


def test_where_scores_depart_from_the_original_it_slips():
    departing = {
        (topic["topic"], name, how.split("+")[0])
        for topic in lines("bewte_score.jsonl")
        for how, values in topic["scores"].items()
        for name, value in values.items()
        if value["ours"] is None or value["original"] != pytest.approx(value["ours"], abs=1e-9)
    }
    alone = {("q2", "A", weighting) for weighting in ("binary", "root", "total")}
    assert departing == {("q4", "1", "binary")} | alone


def test_texts_score_from_parse_to_number_as_in_the_vectors():
    parsed = {row["document"]: tuple(map(sentence, row["sentences"])) for row in TEXTS if "document" in row}
    found = {name: unique(elements(parse)) for name, parse in parsed.items()}
    for row in TEXTS:
        for name, values in row.get("scores", {}).items():
            topic = name.split(".")[0]
            references = [found[f"{topic}.{letter}"] for letter in "ABC"]
            for how, value in values.items():
                against = References(Matcher(wordnet(), transformations="no " not in how), references)
                score = against.peer_score(against.overlaps(found[name]), how.split(",")[0])
                assert score == pytest.approx(value["ours"], abs=1e-12), (name, how)
                departs = value["original"] != pytest.approx(value["ours"], abs=1e-9)
                assert departs == (name == "bridge.1")


@settings(max_examples=150, deadline=None)
@given(
    edges=st.lists(st.sets(st.integers(0, 5), min_size=1, max_size=4), max_size=7),
    weights=st.lists(st.integers(1, 9), min_size=7, max_size=7),
)
def test_the_greedy_assignment_is_as_good_as_scipys(edges, weights):
    listed_edges = {place: sorted(peers) for place, peers in enumerate(edges)}
    matrix = np.zeros((max(len(edges), 1), 6))
    for place, peers in listed_edges.items():
        matrix[place, peers] = weights[place]
    best = matrix[linear_sum_assignment(matrix, maximize=True)].sum()
    assert _best_weight(weights, listed_edges) == best
    overlap = _overlap(list(listed_edges), listed_edges)
    apart = sum(_best_weight([weights[n] for n in numbers], own) for numbers, own in overlap.contested)
    assert sum(weights[number] for number in overlap.sure) + apart == best
    ones = (matrix > 0).astype(float)
    assert len(overlap.sure) + overlap.of_contested == ones[linear_sum_assignment(ones, maximize=True)].sum()


def test_an_assignment_may_have_to_move_as_many_elements_as_a_text_has():
    """Each of 1,200 can be assigned to its own or the next; then the last comes and wants the first."""
    many = 1200
    edges = {place: [place, place + 1] for place in range(many)} | {many: [0]}
    assert _best_weight([1.0] * (many + 1), edges) == many + 1
    same = [element("N", [["cats", "NNS"]])] * many
    against = References(Matcher(None, transformations=False), [same])
    assert against.peer_score(against.overlaps(same[: many // 2]), "binary") == 0.5
    assert against.peer_score(against.overlaps(same[: many // 2]), "total") == 0.5


TEXT = "Heavy rain flooded the small town. Volunteers carried old people from their houses."
OTHER = "The town was flooded by heavy rains. Elderly people were carried from houses by volunteers."


@pytest.mark.parametrize(
    "name", ["bewte", "bewte-root", "bewte-total", "bewte-exact", "bewte-duplicates-best"]
)
def test_a_text_scores_one_against_itself(name):
    assert item_score(name, TEXT, [TEXT]) == 1
    assert item_score(name, TEXT, [TEXT, TEXT]) == 1


def test_transformations_find_more_than_identity():
    exact, all_of_it = item_score("bewte-exact", OTHER, [TEXT]), item_score("bewte", OTHER, [TEXT])
    assert 0 < exact < all_of_it < 1


def test_the_order_of_references_does_not_matter_even_with_many():
    references = [TEXT, OTHER, "Rain fell on the town.", "Pumps were needed.", "People left their houses."]
    for name in ("bewte", "bewte-root", "bewte-total"):
        forwards = item_score(name, "The town was flooded and people left.", references)
        assert item_score(name, "The town was flooded and people left.", references[::-1]) == pytest.approx(
            forwards
        )


def test_nothing_in_the_output_is_zero_and_nothing_in_the_references_undefined():
    assert item_score("bewte", "", [TEXT]) == 0
    assert math.isnan(item_score("bewte", TEXT, ["…"]))
    assert scored("bewte", [TEXT], [[TEXT, "…"]])["bewte"][0] == 1, (
        "the empty one cannot be matched, and is not counted"
    )


def test_without_wordnet_the_parsers_lemmas_remain_and_the_signature_says_so():
    bare = Matcher(None)
    assert bare.explain(element("N", [["rains", "NNS", "rain"]]), element("N", [["rain", "NN", "rain"]])) == (
        "lemma",
    )
    assert (
        bare.explain(element("N", [["car", "NN", "car"]]), element("N", [["automobile", "NN", "automobile"]]))
        is None
    )
    assert "wordnet:none" in Bewte(find=lambda: None).parse("bewte").signature(level="item")
    assert "wordnet:3.0" in FAMILY.parse("bewte").signature(level="item")


def test_an_explanation_says_which_element_matched_which_and_by_what():
    said = explain(tuple(map(sentence, TEXTS[9]["sentences"])), tuple(map(sentence, TEXTS[6]["sentences"])))
    assert json.loads(json.dumps(said)) == said
    assert said["score"] == pytest.approx(len(said["matched"]) / said["reference_elements"])
    assert len(said["matched"]) + len(said["missed"]) == said["reference_elements"]
    assert {"peer", "reference", "by"} == set(said["matched"][0])
    assert any(match["by"] != ["identity"] for match in said["matched"])
    peers = [json.dumps(match["peer"]) for match in said["matched"]]
    assert len(set(peers)) == len(peers), "one to one"


def test_prepositions_stand_for_each_other_both_ways_and_not_for_all():
    assert PREPOSITION_LINES["of"] & PREPOSITION_LINES["from"]
    assert not PREPOSITION_LINES["of"] & PREPOSITION_LINES["by"]
