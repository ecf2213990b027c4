"""ROUGE once more, slow and plain: one pair of texts at a time, loops and dictionaries, straight from the
rules.

It shares only the tokenisation with the package, and serves to check that batches are put together rightly.
"""

from collections import Counter

from metrics.automatic.text.tokenisation import rouge

WEIGHT = 1.2


def hits_and_sizes(peer, reference, kind):
    """Hits, and the sizes that recall and precision divide by, for the sentences of a peer and of a
    reference."""
    peer, reference = [rouge(s) for s in peer], [rouge(s) for s in reference]
    if kind in ("l", "w-1.2"):
        return _lcs(peer, reference, kind)
    count = {"s4": _skip, "su4": _skip_and_words}.get(kind) or (lambda words: _ngrams(words, int(kind)))
    ours, theirs = count(_words(peer)), count(_words(reference))
    return (ours & theirs).total(), theirs.total(), ours.total()


def _words(sentences):
    return [word for sentence in sentences for word in sentence]


def _ngrams(words, n):
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))


def _skip(words):
    return Counter(
        (words[i], words[j]) for i in range(len(words)) for j in range(i + 1, min(i + 6, len(words)))
    )


def _skip_and_words(words):
    return _skip(words) + Counter(words[:-1])


def _lcs(peer, reference, kind):
    weigh = kind == "w-1.2"
    left, hits = Counter(_words(peer)), 0.0
    for sentence in reference:
        hit = set().union(*(_path(sentence, other, weigh) for other in peer))
        run = 0
        for place, word in enumerate(sentence):
            if place in hit and left[word]:
                left[word] -= 1
                run += 1
                if place + 1 not in hit:
                    hits += run**WEIGHT if weigh else run
                    run = 0
        if not weigh:
            hits += run
    length = sum(map(len, peer))
    if not weigh:
        return hits, sum(map(len, reference)), length
    return hits, sum(len(sentence) ** WEIGHT for sentence in reference) ** WEIGHT, length**WEIGHT


def _path(xs, ys, weigh):
    value = [[0.0] * (len(ys) + 1) for _ in range(len(xs) + 1)]
    run = [[0] * (len(ys) + 1) for _ in range(len(xs) + 1)]
    for i, x in enumerate(xs, 1):
        for j, y in enumerate(ys, 1):
            if x == y:
                k = run[i][j] = run[i - 1][j - 1] + 1
                value[i][j] = value[i - 1][j - 1] + (k**WEIGHT - (k - 1) ** WEIGHT if weigh else 1)
            else:
                value[i][j] = max(value[i - 1][j], value[i][j - 1])
    i, j, hit = len(xs), len(ys), set()
    while i and j:
        if xs[i - 1] == ys[j - 1]:
            hit.add(i - 1)
            i, j = i - 1, j - 1
        elif value[i - 1][j] >= value[i][j - 1]:
            i -= 1
        else:
            j -= 1
    return hit
