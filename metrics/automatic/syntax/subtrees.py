"""Subtrees, chains of heads and tree kernels: what the metrics of Liu & Gildea (2005) count.

Punctuation is left out of all trees; what hangs on it goes to its head. Words are compared without case.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import sqrt
from typing import Any, NamedTuple, TypeVar

import numpy as np

from metrics.automatic.syntax.parse import Parse, Sentence
from metrics.automatic.syntax.trees import ROOTS, Tree, without_root
from metrics.errors import BadInput

PUNCTUATION = frozenset(
    {".", ",", ":", "``", "''", "(", ")", "-LRB-", "-RRB-", "-LCB-", "-RCB-", "-LSB-", "-RSB-"}
)
DEEPEST = 6
"""Levels of subtrees and words of chains that are counted."""

FEW_PAIRS = 10_000
"""Pairs of alike nodes of two texts above which they are counted by rows."""
MOST_PAIRS = 100_000_000
"""Pairs of alike nodes that a kernel compares: those of a chain of 10,000 equal words with itself."""
_LARGEST = 2**40
"""Counts that 64 bits hold with any factor and sum; longer ones are Python's."""

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
    number = {place: new for new, place in enumerate(kept)} | {-1: -1}

    def head(place: int) -> int:
        """The next word above that is kept; what is passed on the way is remembered, as it may be long."""
        way, above = [], sentence.heads[place] - 1
        while above not in number:
            way.append(above)
            above = sentence.heads[above] - 1
        number.update(dict.fromkeys(way, number[above]))
        return number[above]

    return Dependencies(
        tuple(sentence.forms[place].lower() for place in kept),
        tuple([head(place) for place in kept]),
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


class Node(NamedTuple):
    """A node that has children, with everything below it."""

    production: Hashable
    """Its label and those of its children."""
    children: tuple[int, ...]
    """Their numbers; -1 for a leaf."""


class Forest(NamedTuple):
    """The nodes that have children, of all trees of a text, children before parents; equal ones with all below them once."""

    nodes: tuple[Node, ...]
    times: tuple[int, ...]
    """How often each is there."""
    alike: dict[Hashable, tuple[int, ...]]
    """The numbers of the nodes of each production."""


def forest(trees: Sequence[Tree]) -> Forest:
    """The trees of a text, prepared for the kernel."""
    numbers: dict[Node, int] = {}
    times: list[int] = []

    def add(tree: Tree, children: list[int]) -> int:
        if not children:
            return -1
        node = Node((tree.label, *(child.label for child in tree.children)), tuple(children))
        number = numbers.setdefault(node, len(times))
        if number == len(times):
            times.append(0)
        times[number] += 1
        return number

    for tree in trees:
        _fold(tree, add)
    alike: dict[Hashable, list[int]] = {}
    for node, number in numbers.items():
        alike.setdefault(node.production, []).append(number)
    return Forest(tuple(numbers), tuple(times), {key: tuple(found) for key, found in alike.items()})


def kernel(first: Forest, second: Forest) -> int:
    """The number of pairs of equal fragments of two or more nodes (Collins & Duffy 2001, without decay)."""
    pairs = sum(len(numbers) * len(second.alike.get(key, ())) for key, numbers in first.alike.items())
    if pairs > MOST_PAIRS:
        raise BadInput(
            f"two texts have {pairs:,} pairs of nodes with the same words below them, and a tree kernel compares at most {MOST_PAIRS:,}: "
            "leave out the text that says the same over and over, or the metrics tkm and dtkm"
        )
    return _by_row(first, second) if pairs > FEW_PAIRS else _by_pair(first, second)


def _by_pair(first: Forest, second: Forest) -> int:
    """For texts of people: a node has few others like it."""
    pairs: dict[tuple[int, int], int] = {}
    total = 0
    for number, (production, children) in enumerate(first.nodes):
        for other in second.alike.get(production, ()):
            count = 1
            for ours, theirs in zip(children, second.nodes[other].children, strict=True):
                count *= 1 + pairs.get((ours, theirs), 0)
            pairs[number, other] = count
            total += count * first.times[number] * second.times[other]
    return total


def _by_row(first: Forest, second: Forest) -> int:
    """For texts that repeat themselves: each node with all others like it at once. Its counts are let go when all its parents had them."""
    others = {key: np.array(numbers) for key, numbers in second.alike.items()}
    below = {key: np.array([second.nodes[number].children for number in second.alike[key]]) for key in others}
    times = np.array(second.times)
    place, group = np.zeros((2, len(second.nodes)), dtype=np.int64)
    for numbers in others.values():
        place[numbers] = np.arange(len(numbers))
        group[numbers] = numbers[0]
    wanted = Counter(child for node in first.nodes for child in node.children)
    rows: dict[int, Any] = {}
    total = 0
    for number, (production, children) in enumerate(first.nodes):
        if production in others:
            counts = np.ones(len(others[production]), dtype=np.int64)
            for ours, theirs in zip(children, below[production].T, strict=True):
                if ours in rows:
                    same = (theirs >= 0) & (group[theirs] == others[first.nodes[ours].production][0])
                    counts = _product(
                        counts, np.where(same, rows[ours][np.where(same, place[theirs], 0)], 0) + 1
                    )
            if wanted[number]:
                rows[number] = counts
            total += first.times[number] * int(counts @ times[others[production]])
        wanted.subtract(children)
        for ours in children:
            if not wanted[ours]:
                rows.pop(ours, None)
    return total


def _product(counts: Any, factors: Any) -> Any:
    """By Python's numbers of any length, where products or their sum might not fit into 64 bits."""
    if int(counts.max()) * int(factors.max()) > _LARGEST:
        counts, factors = counts.astype(object), factors.astype(object)
    return counts * factors


def cosine(product: int, first: int, second: int) -> float:
    """K(h, r) / √(K(h, h) · K(r, r)); the numbers may be longer than any float."""
    return sqrt(Fraction(product * product, first * second))
