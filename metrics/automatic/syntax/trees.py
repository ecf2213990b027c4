"""Constituency trees in Penn brackets: ``(S (NP (DT the) (NN fox)) (VP (VBD slept)))``."""

from __future__ import annotations

import re
from typing import NamedTuple

from metrics.errors import BadInput

_PIECES = re.compile(r"[()]|[^\s()]+")
ROOTS = frozenset({"ROOT", "S1", "TOP", ""})
"""Nodes that stand above every sentence and say nothing."""


DEEPEST = 200
"""Levels of a tree; the sentences of treebanks have less than a hundred, and what walks down trees calls itself."""


class Tree(NamedTuple):
    """A node and what hangs below it, in order; a word or a bare label has nothing below."""

    label: str
    children: tuple[Tree, ...] = ()


def read_trees(text: str) -> tuple[Tree, ...]:
    """All trees of a text, one after the other."""
    pieces = _PIECES.findall(text)
    trees: list[Tree] = []
    open_nodes: list[tuple[str, list[Tree]]] = []
    place = 0
    while place < len(pieces):
        piece = pieces[place]
        place += 1
        if piece == "(":
            if len(open_nodes) == DEEPEST:
                raise BadInput(f"expected a tree of at most {DEEPEST} levels", column="trees")
            label = pieces[place] if place < len(pieces) and pieces[place] not in "()" else ""
            place += bool(label)
            open_nodes.append((label, []))
            continue
        if not open_nodes:
            raise BadInput(f"expected a tree in brackets, found {piece!r}", column="trees")
        if piece == ")":
            label, children = open_nodes.pop()
            finished = Tree(label, tuple(children))
            (open_nodes[-1][1] if open_nodes else trees).append(finished)
        else:
            open_nodes[-1][1].append(Tree(piece))
    if open_nodes:
        raise BadInput(f"expected {len(open_nodes)} more closing brackets at the end", column="trees")
    return tuple(trees)


def without_root(tree: Tree) -> Tree:
    """The tree below a node that only says that here a sentence begins."""
    while tree.label in ROOTS and len(tree.children) == 1 and tree.children[0].children:
        tree = tree.children[0]
    return tree
