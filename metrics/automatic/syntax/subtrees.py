"""Subtrees, chains of heads and tree kernels: what the metrics of Liu & Gildea (2005) count.

Punctuation is left out of all trees; what hangs on it goes to its head. Words are compared without case.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import sqrt
from typing import NamedTuple, TypeVar

from metrics.automatic.syntax.parse import Parse, Sentence
from metrics.automatic.syntax.trees import ROOTS, Tree, without_root

PUNCTUATION = frozenset(
    {".", ",", ":", "``", "''", "(", ")", "-LRB-", "-RRB-", "-LCB-", "-RCB-", "-LSB-", "-RSB-"}
)
DEEPEST = 6
"""Levels of subtrees and words of chains that are counted."""

Made = TypeVar("Made")

Counts = tuple[Counter[Hashable], ...]
"""How often each subtree or chain is there, by its number of levels, from 1."""


def constituents(trees: Iterable[Tree], *, words: bool = True) -> tuple[Tree, ...]:
    """Constituency trees without words: tags are leaves. ``words=False`` says that the leaves are labels already."""
    return tuple(kept for tree in trees if (kept := _labels(without_root(tree), words)) is not None)


def _labels(tree: Tree, words: bool) -> Tree | None:
    if words and len(tree.children) == 1 and not tree.children[0].children:
        return None if tree.label in PUNCTUATION or tree.label == "-NONE-" else Tree(_plain_label(tree.label))
    if not tree.children:
        return None if words else Tree(_plain_label(tree.label))
    children = tuple(kept for child in tree.children if (kept := _labels(child, words)) is not None)
    return Tree(_plain_label(tree.label), children) if children else None


def _plain_label(label: str) -> str:
    """The label without function and index: NP-SBJ-1 is an NP, an unnamed node has none."""
    if label in ROOTS or label.startswith("-"):
        return label
    return label.partition("-")[0].partition("=")[0]


class Dependencies(NamedTuple):
    """The words of a sentence in small letters without punctuation, each with its head and label; -1 is above the root."""

    words: tuple[str, ...]
    heads: tuple[int, ...]
    labels: tuple[str, ...]


def dependencies(sentence: Sentence) -> Dependencies:
    """A sentence without its punctuation."""
    kept = [
        place
        for place, (tag, label) in enumerate(zip(sentence.tags, sentence.labels, strict=True))
        if label != "punct" and tag not in PUNCTUATION
    ]
    number = {place: new for new, place in enumerate(kept)}

    def head(place: int) -> int:
        above = sentence.heads[place] - 1
        while above >= 0 and above not in number:
            above = sentence.heads[above] - 1
        return number[above] if above >= 0 else -1

    return Dependencies(
        tuple(sentence.forms[place].lower() for place in kept),
        tuple(head(place) for place in kept),
        tuple(sentence.labels[place] for place in kept),
    )


def dependency_trees(parse: Parse) -> tuple[Tree, ...]:
    """Trees of words; children stand in the order of the sentence, the place of the head among them is ignored."""
    return tuple(tree for sentence in parse for tree in _word_trees(dependencies(sentence)))


def _word_trees(sentence: Dependencies) -> Iterator[Tree]:
    children: dict[int, list[int]] = {}
    for place, head in enumerate(sentence.heads):
        children.setdefault(head, []).append(place)

    made: dict[int, Tree] = {}
    for place in reversed(_downwards(children)):
        below = tuple([made[child] for child in children.get(place, ())])
        made[place] = Tree(sentence.words[place], below)
    yield from (made[root] for root in children.get(-1, ()))


def _downwards(children: Mapping[int, Sequence[int]]) -> list[int]:
    """All words, heads before what hangs on them. Not by calling itself: what has no full stop is parsed into any depth."""
    order = list(children.get(-1, ()))
    for place in order:
        order += children.get(place, ())
    return order


def _fold(tree: Tree, make: Callable[[Tree, list[Made]], Made]) -> Made:
    """What ``make`` makes of each node and of what was made of its children, from the bottom up and from left to right."""
    order, waiting = [], [tree]
    while waiting:
        order.append(node := waiting.pop())
        waiting += node.children
    made: list[Made] = []
    for node in reversed(order):
        first = len(made) - len(node.children)
        below = made[first:]
        del made[first:]
        made.append(make(node, below))
    return made[0]


def subtrees(trees: Iterable[Tree]) -> Counts:
    """For every node with at least n levels, itself included, the tree below it cut at n levels."""
    counts: Counts = tuple(Counter() for _ in range(DEEPEST))

    def cuts(tree: Tree, below: list[list[Hashable]]) -> list[Hashable]:
        """The tree cut at 1, 2, … levels, as many as it has up to DEEPEST."""
        height = 1 + max(map(len, below), default=0)
        made: list[Hashable] = [tree.label]
        for level in range(2, min(height, DEEPEST) + 1):
            made.append((tree.label, *(child[min(level - 1, len(child)) - 1] for child in below)))
        for level, cut in enumerate(made):
            counts[level][cut] += 1
        return made

    for tree in trees:
        _fold(tree, cuts)
    return counts


def chains(parse: Parse) -> Counts:
    """Chains of n words, each the head of the next."""
    counts: Counts = tuple(Counter() for _ in range(DEEPEST))
    for sentence in map(dependencies, parse):
        for place in range(len(sentence.words)):
            chain: list[str] = []
            above = place
            while above >= 0 and len(chain) < DEEPEST:
                chain.insert(0, sentence.words[above])
                counts[len(chain) - 1][tuple(chain)] += 1
                above = sentence.heads[above]
    return counts


def triples(parse: Parse, *, labelled: bool = True) -> Counter[Hashable]:
    """Head, label and dependent of every word; the root's head is empty."""
    found: Counter[Hashable] = Counter()
    for words, heads, labels in map(dependencies, parse):
        for word, head, label in zip(words, heads, labels, strict=True):
            above = words[head] if head >= 0 else ""
            found[(above, label, word) if labelled else (above, word)] += 1
    return found


class Forest(NamedTuple):
    """The nodes that have children, of all trees of a text, children before parents."""

    nodes: tuple[tuple[Hashable, tuple[int, ...]], ...]
    """What a node is (its label and those of its children), and the children's numbers; -1 for a leaf."""
    alike: dict[Hashable, tuple[int, ...]]
    """The numbers of the nodes that are the same."""


def forest(trees: Sequence[Tree]) -> Forest:
    """The trees of a text, prepared for the kernel."""
    nodes: list[tuple[Hashable, tuple[int, ...]]] = []
    alike: dict[Hashable, list[int]] = {}

    def add(tree: Tree, children: list[int]) -> int:
        if not children:
            return -1
        production = (tree.label, *(child.label for child in tree.children))
        alike.setdefault(production, []).append(len(nodes))
        nodes.append((production, tuple(children)))
        return len(nodes) - 1

    for tree in trees:
        _fold(tree, add)
    return Forest(tuple(nodes), {key: tuple(numbers) for key, numbers in alike.items()})


def kernel(first: Forest, second: Forest) -> int:
    """The number of pairs of equal fragments of two or more nodes (Collins & Duffy 2001, without decay)."""
    pairs: dict[tuple[int, int], int] = {}
    total = 0
    for number, (production, children) in enumerate(first.nodes):
        for other in second.alike.get(production, ()):
            count = 1
            for ours, theirs in zip(children, second.nodes[other][1], strict=True):
                count *= 1 + pairs.get((ours, theirs), 0)
            pairs[number, other] = count
            total += count
    return total


def cosine(product: int, first: int, second: int) -> float:
    """K(h, r) / √(K(h, h) · K(r, r)); the numbers may be longer than any float."""
    return sqrt(Fraction(product * product, first * second))
