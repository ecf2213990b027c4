"""WER against jiwer, the definition, and the four rules of reference length by hand."""

import jiwer
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.automatic import registry
from metrics.automatic.reference_length import LENGTH_RULES, distance_and_length, nearest_length

from .scoring import item_score, scored

WORDS = st.lists(st.sampled_from(["wind", "blew", "over", "bare", "fields"]), min_size=1, max_size=10)
TEXTS = WORDS.map(" ".join)
RULES = {"best": "wer", **{rule: f"wer-{rule}" for rule in LENGTH_RULES if rule != "best"}}


@settings(max_examples=60, deadline=None)
@given(corpus=st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=4))
def test_with_one_reference_all_rules_are_jiwers_wer(corpus):
    outputs, references = [output for output, _ in corpus], [reference for _, reference in corpus]
    items = scored(RULES.values(), outputs, [[reference] for reference in references])
    systems = scored(RULES.values(), outputs, [[reference] for reference in references], system=True)
    for name in RULES.values():
        assert items[name] == pytest.approx([jiwer.wer(reference, output) for output, reference in corpus])
        assert systems[name] == pytest.approx(jiwer.wer(references, outputs))


@settings(max_examples=40, deadline=None)
@given(output=TEXTS, references=st.lists(TEXTS, min_size=1, max_size=4))
def test_the_best_rule_is_the_lowest_rate_of_any_reference(output, references):
    assert item_score("wer", output, references) == pytest.approx(
        min(jiwer.wer(reference, output) for reference in references)
    )


def levenshtein(a, b):
    """The textbook table."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        row, before = [i], row
        for j, y in enumerate(b, 1):
            row.append(min(before[j] + 1, row[-1] + 1, before[j - 1] + (x != y)))
    return row[-1]


@settings(max_examples=40, deadline=None)
@given(output=WORDS, references=st.lists(WORDS, min_size=1, max_size=4))
def test_each_rule_divides_the_lowest_distance_by_its_length(output, references):
    """Leusch et al. 2005, §3.3, each rule written out."""
    distances = [levenshtein(output, reference) for reference in references]
    lengths = [len(reference) for reference in references]
    near = [length for distance, length in zip(distances, lengths, strict=True) if distance == min(distances)]
    closest = min(abs(length - len(output)) for length in lengths)
    expected = {
        "wer-average": min(distances) / (sum(lengths) / len(lengths)),
        "wer-nearest": min(distances)
        / min(length for length in lengths if abs(length - len(output)) == closest),
        "wer-average-nearest": min(distances) / (sum(near) / len(near)),
    }
    found = scored(expected, [" ".join(output)], [[" ".join(reference) for reference in references]])
    for name, value in expected.items():
        assert found[name][0] == pytest.approx(value)


def test_the_rules_by_hand():
    """An output of 4 words; references of 3, 5 and 10 words at distances 2, 2 and 3."""
    expected = {"best": (3, 10), "average": (2, 6), "nearest": (2, 3), "average-nearest": (2, 4)}
    for rule, pair in expected.items():
        found = distance_and_length(rule, output_length=4, distances=[2, 2, 3], lengths=[3, 5, 10])
        assert found == pytest.approx(pair)


def test_the_shorter_of_two_lengths_at_one_distance_is_nearest():
    """BLEU's rule (Leusch et al. 2005, §3.3)."""
    assert nearest_length(4, [5, 3, 9]) == 3


def test_an_empty_output_misses_every_word_and_an_empty_reference_has_no_score():
    assert item_score("wer", "", ["wind blew"]) == 1
    assert item_score("wer", "wind", [""]) != item_score("wer", "wind", [""])  # NaN
    assert item_score("wer", "wind", ["", "wind blew"]) == pytest.approx(1 / 2)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("wer", 1 / 5),  # we'll go , now !  against  we'll go , now .
        ("wer-cased", 2 / 5),
        ("wer-remove", 0 / 4),  # we ll go now
        ("wer-original", 1 / 3),  # we'll go, now!
        ("wer-contractions", 1 / 6),  # we will go , now !
        ("wer-remove-both", 0 / 6),
    ],
)
def test_the_name_says_how_texts_are_prepared(name, expected):
    """The tokenisations of Leusch et al. 2005, Table 1, on a text of our own."""
    assert item_score(name, "we'll go, now!", ["We'll go, now."]) == pytest.approx(expected)
    assert registry.metric(name).name == name


def test_lower_is_better_is_declared():
    assert not registry.metric("wer").higher_is_better
    assert [choice.name for choice in registry.select(["wer*"])] == list(RULES.values())
