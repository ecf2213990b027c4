"""STM, TKM, HWCM, DSTM, DTKM and F of dependencies against the vectors, a published value, and brute force."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.automatic import registry
from metrics.automatic.base import Item
from metrics.automatic.run import score
from metrics.automatic.subtree_scores import mean_precision
from metrics.automatic.syntax import subtrees as subtrees_module
from metrics.automatic.syntax.parse import Sentence, Token
from metrics.automatic.syntax.subtrees import (
    DEEPEST,
    _by_row,
    constituents,
    dependencies,
    dependency_trees,
    forest,
    kernel,
    subtrees,
)
from metrics.automatic.syntax.trees import Tree, read_trees
from metrics.automatic.text.prepared import Text
from metrics.errors import BadInput
from tests.metrics.automatic.vectors import lines

SENTENCE = ("a text of so many words",)


def item_of(need, hypothesis, references):
    return Item(Text(SENTENCE, {need: hypothesis}), tuple(Text(SENTENCE, {need: own}) for own in references))


def computed(name, item):
    """Rows and score of one output."""
    metric = registry.metric(name)
    family = registry.families()[metric.family]
    (rows,) = family.statistics([item], [metric])
    return rows[0], family.score(metric, rows)[0]


def check_levels(name, values, item):
    for depth, expected in values.items():
        rows, found = computed(f"{name}-{depth}", item)
        pairs = [[rows[level], rows[DEEPEST + level]] for level in range(int(depth))]
        assert pairs == expected["matched_total"]
        if expected["value"] is None:
            assert math.isnan(found)
        else:
            assert found == pytest.approx(float(Fraction(expected["score"])), abs=1e-12)


@pytest.mark.parametrize("row", lines("syntax_trees.jsonl"), ids=lambda row: row["name"])
def test_constituency_trees_score_as_in_the_vectors(row):
    def made(texts):
        trees = tuple(tree for text in texts for tree in read_trees(text))
        return tuple(map(_with_words, trees)) if row["labels_only"] else trees

    item = item_of("trees", made(row["hypothesis"]), [made(own) for own in row["references"]])
    check_levels("stm", row["stm"], item)
    _, found = computed("tkm", item)
    own = forest(constituents(item.output.beside["trees"]))
    others = [forest(constituents(text.beside["trees"])) for text in item.references]
    dots = [[kernel(own, other), kernel(own, own), kernel(other, other)] for other in others]
    assert dots == row["tkm"]["dot_hyp_ref"]
    expected = row["tkm"]["value"]
    assert math.isnan(found) if expected is None else found == pytest.approx(expected, abs=1e-12)


def _with_words(tree):
    """A tree whose leaves are labels, with a word below each, as texts have it."""
    return Tree(tree.label, tuple(map(_with_words, tree.children)) or (Tree("word"),))


def test_the_value_that_liu_and_gildea_print_for_their_figure_2():
    hypothesis, reference = (
        tuple(map(_with_words, read_trees(text)))
        for text in ("(S (NP PRON) (VP V (NP PRON)))", "(S (NP PRON) (VP V (NP ART N)))")
    )
    _, found = computed("stm-3", item_of("trees", hypothesis, [reference]))
    assert round(found, 3) == 0.702
    assert found == pytest.approx(59 / 84)


def parse_of(sentences):
    return tuple(Sentence.of([Token(word, "NN", "dep", head) for word, head in words]) for words in sentences)


@pytest.mark.parametrize("row", lines("syntax_deps.jsonl"), ids=lambda row: row["name"])
def test_dependencies_score_as_in_the_vectors(row):
    item = item_of("dependencies", parse_of(row["hypothesis"]), [parse_of(own) for own in row["references"]])
    check_levels("hwcm", row["hwcm"], item)
    check_levels("dstm", row["dstm"], item)
    _, found = computed("dtkm", item)
    expected = row["dtkm"]["value"]
    assert math.isnan(found) if expected is None else found == pytest.approx(expected, abs=1e-12)
    if "dependency_f_unlabelled" in row:
        _, found = computed("dependency-f-unlabelled", item)
        assert found == pytest.approx(float(Fraction(row["dependency_f_unlabelled"]["f"])), abs=1e-12)
    if "moses_hwcm_counts" in row:
        rows, _ = computed("hwcm-4", item)
        theirs = row["moses_hwcm_counts"]
        assert [[rows[n], rows[DEEPEST + n]] for n in range(4)] == [[m, total] for m, total, _ in theirs]


TREES = st.recursive(
    st.sampled_from("abc").map(Tree),
    lambda below: st.builds(Tree, st.sampled_from("ab"), st.lists(below, min_size=1, max_size=3).map(tuple)),
    max_leaves=6,
)


def fragments(tree):
    """Every fragment with its top at this node: each child as a bare label, or as a fragment of its own."""
    if not tree.children:
        return []
    ways = [[child.label, *fragments(child)] for child in tree.children]
    return [(tree.label, *way) for way in itertools.product(*ways)]


def all_fragments(tree):
    return fragments(tree) + [own for child in tree.children for own in all_fragments(child)]


def cut(tree, levels):
    return (
        (tree.label, *(cut(child, levels - 1) for child in tree.children))
        if levels > 1 and tree.children
        else tree.label
    )


def height(tree):
    return 1 + max(map(height, tree.children), default=0)


def nodes(tree):
    return [tree, *(below for child in tree.children for below in nodes(child))]


@settings(max_examples=60, deadline=None)
@given(first=TREES, second=TREES)
def test_the_kernel_counts_what_writing_out_every_fragment_counts(first, second):
    ours, theirs = all_fragments(first), all_fragments(second)
    pairs = sum(one == other for one in ours for other in theirs)
    both = forest([first]), forest([second])
    assert kernel(*both) == _by_row(*both) == pairs


@settings(max_examples=60, deadline=None)
@given(trees=st.lists(TREES, max_size=3))
def test_subtrees_are_those_of_cutting_every_node(trees):
    counts = subtrees(trees)
    for levels in range(1, DEEPEST + 1):
        expected = [cut(node, levels) for tree in trees for node in nodes(tree) if height(node) >= levels]
        assert sorted(map(repr, counts[levels - 1].elements())) == sorted(map(repr, expected))


@settings(max_examples=60, deadline=None)
@given(trees=st.lists(TREES, min_size=1, max_size=3))
def test_identical_trees_score_one(trees):
    worded = tuple(map(_with_words, trees))
    item = item_of("trees", worded, [worded])
    assert computed("stm-4", item)[1] == pytest.approx(1)
    _, tkm = computed("tkm", item)
    assert math.isnan(tkm) if all(height(tree) == 1 for tree in trees) else tkm == pytest.approx(1)


def test_words_compare_without_case_and_punctuation_hands_its_children_to_its_head():
    sentence = Sentence.of(
        [
            Token("Well", "UH", "intj", 2),
            Token(",", ",", "punct", 3),
            Token("GO", "VB", "ROOT", 0),
            Token("!", ".", "punct", 3),
        ]
    )
    assert dependencies(sentence) == (("well", "go"), (1, -1), ("intj", "ROOT"))
    assert dependency_trees((sentence,)) == (Tree("go", (Tree("well"),)),)


def test_function_labels_traces_and_the_root_are_dropped():
    (tree,) = constituents(
        read_trees("(ROOT (S (NP-SBJ-1 (DT a) (NN fox)) (VP=2 (VBD slept) (NP (-NONE- *))) (. .)))")
    )
    assert tree == Tree("S", (Tree("NP", (Tree("DT"), Tree("NN"))), Tree("VP", (Tree("VBD"),))))


def test_the_authors_substitute_for_zero_is_off_unless_asked_for():
    rows = np.zeros((1, 2 * DEEPEST))
    rows[0, [0, DEEPEST, DEEPEST + 1]] = 2, 4, 3
    assert mean_precision(rows, 4)[0] == 0.25
    assert mean_precision(rows, 4, epsilon=True)[0] == pytest.approx((0.5 + 0.001) / 2)
    assert (
        registry.metric("hwcm-4-epsilon")
        .signature(level="item")
        .startswith("hwcm-4-epsilon|case:fold|punctuation:no|zero:0.001")
    )


def test_a_kernel_beyond_all_floats_still_gives_a_cosine():
    leaves = tuple(Tree(f"b{number}", (Tree("c"),)) for number in range(40))
    deep = Tree("a", leaves)
    for _ in range(30):
        deep = Tree("a", (deep, *leaves))
    own = forest([deep])
    assert kernel(own, own) > 10**308
    item = item_of("trees", (_with_words(deep),), [(_with_words(deep),)])
    assert computed("tkm", item)[1] == 1.0


@pytest.mark.parametrize("words", [60, 3000])
def test_a_text_that_says_one_word_over_and_over_does_not_stall_the_kernel(words):
    """The fragments of chains of i and of j equal words that begin at the top are min(i, j); their sum is that of the squares."""
    chain = forest(dependency_trees(parse_of([[("word", number) for number in range(words)]])))
    inner = words - 1
    assert kernel(chain, chain) == inner * (inner + 1) * (2 * inner + 1) // 6


def test_a_kernel_of_too_many_pairs_is_refused_in_one_line(monkeypatch):
    monkeypatch.setattr(subtrees_module, "MOST_PAIRS", 100)
    conllu = "\n".join(f"{place}\tla\tla\t_\tNN\t_\t{place - 1}\tdep\t_\t_" for place in range(1, 13))
    outputs = pd.DataFrame([{"system": "s", "item": "1", "text": "la", "conllu": conllu}])
    references = pd.DataFrame([{"item": "1", "reference": "r", "text": "la", "conllu": conllu}])
    with pytest.raises(BadInput, match=r"^two texts have 121 pairs .* leave out the text .*dtkm$"):
        score(outputs, references, metrics=["dtkm"], processes=1)


def test_counts_beyond_64_bits_are_exact_by_rows_too():
    leaves = tuple(Tree(f"b{number}", (Tree("c"),)) for number in range(40))
    deep = Tree("a", leaves)
    for _ in range(4):
        deep = Tree("a", (deep, *leaves))
    own = forest([deep])
    assert _by_row(own, own) == kernel(own, own) > 2**128


def test_punctuation_in_a_long_row_hands_its_children_to_its_head():
    """Each on the one before it: going up from each anew would take their square."""
    marks = 50_000
    row = [Token("go", "VB", "ROOT", 0), *(Token(".", ".", "punct", place) for place in range(1, marks))]
    words = [Token("on", "RB", "advmod", marks) for _ in range(marks)]
    assert set(dependencies(Sentence.of([*row, *words])).heads) == {-1, 0}


def test_a_sentence_may_be_as_deep_as_it_is_long():
    chain = parse_of([[(f"w{number}", number) for number in range(3000)]])
    item = item_of("dependencies", chain, [chain])
    assert [computed(name, item)[1] for name in ("hwcm-4", "dstm-4", "dtkm", "dependency-f")] == [1] * 4


def test_system_scores_are_from_summed_counts():
    outputs = pd.DataFrame(
        {
            "system": "s",
            "item": ["1", "2"],
            "text": ["x", "y"],
            "trees": ["(S (A x))", "(S (A y) (B y) (B y))"],
        }
    )
    references = pd.DataFrame(
        {"item": ["1", "2"], "reference": "r", "text": ["x", "y"], "trees": ["(S (A x))", "(S (C y))"]}
    )
    scores = score(outputs, references, metrics=["stm-1", "tkm"], processes=1)
    system = scores.table("system").set_index("metric")["score"]
    assert system["stm-1"] == pytest.approx(3 / 6)
    assert system["tkm"] == pytest.approx(0.5)
