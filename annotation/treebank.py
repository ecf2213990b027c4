"""How many word tokens a text has by the rules of the Penn Treebank: ``team's`` is two, a full stop counts at the end of the text.

The normalised score of atomic content units (RoSE) counts in these. The rules are those of the Treebank's ``tokenizer.sed`` with
quotation marks as in NLTK's ``TreebankWordTokenizer``, with which the tests compare.
"""

from __future__ import annotations

import re

_RULES = tuple(
    (re.compile(pattern, flags), new)
    for pattern, new, flags in (
        (r"^\"", r"`` ", 0),
        (r"(``)", r" \1 ", 0),
        (r"([ (\[{<])(\"|'{2})", r"\1 `` ", 0),
        (r"([:,])([^\d])", r" \1 \2", 0),
        (r"([:,])$", r" \1 ", 0),
        (r"\.\.\.", " ... ", 0),
        (r"[;@#$%&]", r" \g<0> ", 0),
        (r"([^.])(\.)([\])}>\"']*)\s*$", r"\1 \2\3 ", 0),
        (r"[?!]", r" \g<0> ", 0),
        (r"([^'])' ", r"\1 ' ", 0),
        (r"[\]\[(){}<>]", r" \g<0> ", 0),
        (r"--", " -- ", 0),
        (r"^|$", " ", 0),
        (r"''", " '' ", 0),
        (r"\"", " '' ", 0),
        (r"([^' ])('[sS]|'[mM]|'[dD]|') ", r"\1 \2 ", 0),
        (r"([^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) ", r"\1 \2 ", 0),
        (r"\b(can)(not)\b", r" \1 \2 ", re.I),
        (r"\b(d)('ye)\b", r" \1 \2 ", re.I),
        (r"\b(gim|lem)(me)\b", r" \1 \2 ", re.I),
        (r"\b(gon|wan)(na)\b", r" \1 \2 ", re.I),
        (r"\b(got)(ta)\b", r" \1 \2 ", re.I),
        (r"\b(more)('n)\b", r" \1 \2 ", re.I),
        (r" ('t)(is|was)\b", r" \1 \2 ", re.I),
    )
)


def treebank_tokens(text: str) -> list[str]:
    """The tokens of a text.

    >>> treebank_tokens("The team's ferries can't run.")
    ['The', 'team', "'s", 'ferries', 'ca', "n't", 'run', '.']
    """
    for pattern, new in _RULES:
        text = pattern.sub(new, text)
    return text.split()
