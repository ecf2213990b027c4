"""Basic Elements of constituency trees (Penn brackets), the way of the paper; without names.

Heads are found by simple rules after Collins: the last noun of a noun phrase (the word before *'s* in a possessive), the last
verb of a chain of verb phrases.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from metrics.automatic.bewte.elements import Element, Part, part
from metrics.automatic.bewte.extraction import BE, ORDER
from metrics.automatic.syntax.trees import Tree, without_root

_RANK = {rule: rank for rank, rule in enumerate(ORDER)}
_CLAUSES = ("S", "SINV", "SQ")
_NOUN_TAGS = ("NN", "NNS", "NNP", "NNPS")


def elements_of_trees(trees: Sequence[Tree]) -> list[Element]:
    """The elements of a text, sentence by sentence."""
    return [element for tree in trees for element in of_tree(without_root(tree))]


def of_tree(tree: Tree) -> list[Element]:
    """The elements of one sentence."""
    best: dict[frozenset[Part], Element] = {}
    for rule, parts in _all(tree):
        known = best.get(frozenset(parts))
        if known is None or _RANK[rule] < _RANK[known.rule]:
            best[frozenset(parts)] = Element.of(rule, parts)
    with_particle = {element.parts[0] for element in best.values() if element.rule == "VPRT"}
    return [e for e in best.values() if e.rule != "V" or e.parts[0] not in with_particle]


Found = tuple[str, tuple[Part, ...]]


def _all(tree: Tree) -> Iterator[Found]:
    for node in _nodes(tree):
        category = _category(node)
        if _is_word(node):
            yield from _alone(node)
        elif category in _CLAUSES:
            yield from _clause(node)
        elif category == "NP":
            yield from _noun_phrase(node)
        elif category == "VP":
            yield from _verb_phrase(node)


def _nodes(tree: Tree) -> Iterator[Tree]:
    if tree.children:
        yield tree
        for child in tree.children:
            yield from _nodes(child)


def _category(node: Tree) -> str:
    """The label without function and index: NP-SBJ-1 is an NP."""
    label = node.label
    return label if label.startswith("-") else label.partition("-")[0].partition("=")[0]


def _is_word(node: Tree) -> bool:
    return len(node.children) == 1 and not node.children[0].children


def _part(node: Tree) -> Part:
    return part(node.children[0].label, node.label)


def _alone(node: Tree) -> Iterator[Found]:
    word = _part(node)
    if word.type in _NOUN_TAGS:
        yield "N", (word,)
    elif word.type.startswith("VB") and word.text.lower() not in BE:
        yield "V", (word,)
    elif word.type.startswith("JJ"):
        yield "A", (word,)


def _head(node: Tree) -> Part | None:
    """The head word of a noun phrase or anything like it."""
    if _is_word(node):
        return _part(node)
    children = node.children
    if children and children[-1].label == "POS":
        children = children[:-1]
    for child in reversed(children):
        if _is_word(child) and (child.label in _NOUN_TAGS or child.label in ("PRP", "CD", "EX", "WP", "$")):
            return _part(child)
    for child in children:
        if _category(child) in ("NP", "NX", "WHNP"):
            return _head(child)
    for child in reversed(children):
        if _is_word(child) and (child.label.startswith("JJ") or child.label.startswith("VB")):
            return _part(child)
    return None


def _verb(node: Tree) -> Tree | None:
    """The innermost verb phrase of a chain of auxiliaries; the lexical verb is its first verb."""
    inner = [child for child in node.children if _category(child) == "VP"]
    if inner and _first_verb(node) is not None:
        return _verb(inner[0]) or node
    return node if _first_verb(node) is not None else None


def _first_verb(node: Tree) -> Part | None:
    words = (child for child in node.children if _is_word(child))
    found = (_part(w) for w in words if w.label.startswith(("VB", "AUX")) or w.label == "MD")
    return next(found, None)


def _passive(outer: Tree) -> bool:
    """Whether a chain of verb phrases ends in a participle under a form of *be*."""
    inner = next((child for child in outer.children if _category(child) == "VP"), None)
    verb = _first_verb(outer)
    if inner is None or verb is None:
        return False
    below = _first_verb(inner)
    if verb.text.lower() in BE and below is not None and below.type == "VBN":
        return True
    return _passive(inner)


def _clause(node: Tree) -> Iterator[Found]:
    for place, child in enumerate(node.children):
        if _category(child) == "VP":
            for before in node.children[:place]:
                if _category(before) == "NP":
                    for head in _subject_heads(before):
                        yield from _subject(head, child)


def _subject_heads(node: Tree) -> Iterator[Part]:
    """The head of a subject, and of what stands beside it in apposition."""
    appositions = _apposed(node)
    for own in appositions or [node]:
        head = _head(own)
        if head is not None:
            yield head


def _subject(head: Part, phrase: Tree) -> Iterator[Found]:
    inner = _verb(phrase)
    verb = _first_verb(inner) if inner is not None else None
    if inner is None or verb is None:
        return
    if _passive(phrase):
        yield "PASSOBJ", (verb, head)
        return
    yield "SUBJ", (head, verb)
    if verb.text.lower() in BE:
        for child in inner.children:
            predicate = _head(child) if _category(child) == "NP" else None
            if predicate is not None:
                yield "ISA", (predicate, head)


def _apposed(node: Tree) -> list[Tree]:
    """The noun phrases of NP , NP; empty for anything else."""
    labels = [_category(child) for child in node.children]
    if labels[:3] == ["NP", ",", "NP"] and not any(label == "CC" for label in labels):
        return [node.children[0], node.children[2]]
    return []


def _noun_phrase(node: Tree) -> Iterator[Found]:
    pair = _apposed(node)
    if pair:
        first, second = (_head(child) for child in pair)
        if first is not None and second is not None:
            yield "APPOS", (first, second)
        return
    head = _head(node)
    if head is None:
        return
    possessive = node.children[-1].label == "POS"
    for child in node.children:
        if _is_word(child):
            word = _part(child)
            if word is head or possessive:
                continue
            if child.label.startswith("JJ") or child.label == "CD":
                yield "MOD", (word, head)
            elif child.label in _NOUN_TAGS:
                yield "NN", (word, head)
            elif child.label == "PRP$":
                yield "POSSPRON", (word, head)
        elif _category(child) == "NP" and child.children[-1].label == "POS":
            owner = _head(child)
            if owner is not None:
                yield "POSS", (owner, head)
        elif _category(child) == "PP":
            yield from _preposition(head, child)
        elif _category(child) == "SBAR":
            yield from _relative(head, child)


def _preposition(head: Part, phrase: Tree) -> Iterator[Found]:
    words = [_part(child) for child in phrase.children if _is_word(child) and child.label in ("IN", "TO")]
    below = next((_head(child) for child in phrase.children if _category(child) == "NP"), None)
    if words and below is not None:
        yield "PREP", (head, words[0], below)


def _relative(head: Part, clause: Tree) -> Iterator[Found]:
    """The antecedent as subject of a clause that has none of its own."""
    for inner in clause.children:
        if _category(inner) == "S" and not any(_category(child) == "NP" for child in inner.children):
            for child in inner.children:
                if _category(child) == "VP":
                    for rule, parts in _subject(head, child):
                        if rule in ("SUBJ", "PASSOBJ"):
                            yield ("RELSUBJ" if rule == "SUBJ" else "RELOBJ"), parts


def _verb_phrase(node: Tree) -> Iterator[Found]:
    verb = _first_verb(node)
    if verb is None:
        return
    for child in node.children:
        category = _category(child)
        head = _head(child) if category == "NP" else None
        if head is not None:
            yield "OBJ", (verb, head)
        elif category == "PP":
            yield from _in_verb_phrase(verb, child)
        elif category == "ADJP" and verb.text.lower() in BE:
            adjective = _head(child)
            if adjective is not None:
                yield "COPADJ", (verb, adjective)
        elif category == "PRT":
            yield "VPRT", (verb, _part(child.children[0]))
        elif category == "SBAR":
            yield from _adverbial(verb, child)


def _in_verb_phrase(verb: Part, phrase: Tree) -> Iterator[Found]:
    for rule, parts in _preposition(verb, phrase):
        if verb.type == "VBN" and parts[1].text.lower() == "by":
            yield "AGENT", (parts[2], verb)
        else:
            yield rule, parts


def _adverbial(verb: Part, clause: Tree) -> Iterator[Found]:
    mark = next((_part(c) for c in clause.children if _is_word(c) and c.label == "IN"), None)
    for inner in clause.children:
        if mark is not None and _category(inner) in _CLAUSES:
            phrase = next((child for child in inner.children if _category(child) == "VP"), None)
            innermost = _verb(phrase) if phrase is not None else None
            below = _first_verb(innermost) if innermost is not None else None
            if below is not None:
                yield "ADVCLAUSE", (verb, mark, below)
