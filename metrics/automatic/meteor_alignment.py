"""The word alignment of METEOR: the largest, of these the one with the fewest crossings (Banerjee & Lavie 2005, §2.2).

Words are mapped stage by stage. A stage lists which free words may be mapped; of all largest sets of mappings the one with
the fewest crossings is taken, crossings with the mappings of earlier stages included, and of these the one with the fewest
chunks. (The paper leaves the last tie open; without a rule the score would depend on the order of a search.)

Mappings fall apart into *groups* that share no word. In most groups every word fits every other, the occurrences of one word
or stem: there crossings within the group never help, so all words of the shorter side are mapped, in order, and only the
offset of each into the longer side is open. When few groups are open, all combinations are compared, up to
``EXACT_STATES`` of them. Beyond, a beam of complete alignments is improved group by group, each given the rest, until no
group can be improved; the best is kept. (A beam of partial alignments that grow from left to right was tried: on texts of 100
words it found more crossings even when a thousand were kept, because what a mapping costs is known only when the words
after it are mapped too.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, combinations, pairwise
from math import comb

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment

EXACT_STATES = 4096
"""Up to so many combinations are all compared; with more, the search is a local beam search."""
BEAM_GROUPS = 24
"""The beam holds as many complete alignments as make up so many groups: one for long texts, four for short ones."""
LISTED_EDGES = 16
"""A group in which not every word fits every other is searched fully when it has at most so many possible mappings."""

Pair = tuple[int, int]
"""A position of the output and one of the reference."""
Pairs = tuple[Pair, ...]
Positions = Sequence[int]
Stage = Callable[[Positions, Positions], "tuple[list[Pair], list[Group]]"]
"""From the free positions of output and reference: what can be mapped in one way only, and groups with several ways."""

# One crossing outweighs all adjacent mappings of a text.
_CROSSING = 1 << 20


@dataclass(frozen=True)
class Alignment:
    """The mappings in the order of the output, and whether they are proven to be the best."""

    pairs: Pairs
    exact: bool

    @property
    def matches(self) -> int:
        """Mapped words."""
        return len(self.pairs)

    @property
    def chunks(self) -> int:
        """The fewest runs of mappings that are adjacent in both texts."""
        adjacent = sum(
            (i + 1, j + 1) == after for (i, j), after in zip(self.pairs, self.pairs[1:], strict=False)
        )
        return len(self.pairs) - adjacent

    @property
    def crossings(self) -> int:
        """Pairs of mappings whose lines cross."""
        return sum(j > later for place, (_, j) in enumerate(self.pairs) for _, later in self.pairs[place:])


def align(outputs: int, references: int, stages: Iterable[Stage]) -> Alignment:
    """The alignment of an output of so many words with a reference of so many words."""
    pairs: list[Pair] = []
    exact = True
    free_output: Positions = range(outputs)
    free_reference: Positions = range(references)
    for stage in stages:
        fixed, groups = stage(free_output, free_reference)
        if not (fixed or groups):
            continue
        pairs += fixed
        if groups:
            found, sure = _search(outputs, pairs, groups)
            pairs += found
            exact &= sure
        taken_output, taken_reference = {i for i, _ in pairs}, {j for _, j in pairs}
        free_output = [i for i in free_output if i not in taken_output]
        free_reference = [j for j in free_reference if j not in taken_reference]
    return Alignment(tuple(sorted(pairs)), exact)


class Group:
    """Words of which each output word fits each reference word."""

    __slots__ = ("listed_fully", "output", "reference", "size")

    def __init__(self, output: Positions, reference: Positions) -> None:
        self.output = output
        self.reference = reference
        self.size = comb(max(len(output), len(reference)), min(len(output), len(reference)))
        self.listed_fully = True

    def choices(self) -> list[Pairs]:
        """All largest mappings without crossings inside the group."""
        if len(self.output) <= len(self.reference):
            return [
                tuple(zip(self.output, chosen, strict=True))
                for chosen in combinations(self.reference, len(self.output))
            ]
        return [
            tuple(zip(chosen, self.reference, strict=True))
            for chosen in combinations(self.output, len(self.reference))
        ]

    def cheapest(self, board: Board, own: int = 0) -> Pairs:
        """The best of its choices given everything else on the board; ``own`` are the bits of its mappings there."""
        output, reference = self.output, self.reference
        if len(output) <= len(reference):
            costs = board.costs_of_outputs(output, reference, own)
            if len(costs) == 1:  # the commonest group by far
                return ((output[0], reference[costs[0].index(min(costs[0]))]),)
            offsets = _offsets(costs, output, reference)
            return tuple((i, reference[x + offsets[x]]) for x, i in enumerate(output))
        costs = board.costs_of_references(output, reference, own)
        if len(costs) == 1:
            return ((output[costs[0].index(min(costs[0]))], reference[0]),)
        offsets = _offsets(costs, reference, output)
        return tuple((output[y + offsets[y]], j) for y, j in enumerate(reference))


class ListedGroup(Group):
    """Words of which only some fit (synonyms of synonyms need not be synonyms): its largest mappings are listed."""

    __slots__ = ("_choices", "_inner")

    def __init__(self, edges: Sequence[Pair]) -> None:
        self.output = sorted({i for i, _ in edges})
        self.reference = sorted({j for _, j in edges})
        near_diagonal = _largest_mapping(self.output, self.reference, edges)
        self.listed_fully = len(edges) <= LISTED_EDGES
        self._choices = (
            list(_mappings(self.output, edges, len(near_diagonal))) if self.listed_fully else [near_diagonal]
        )
        self._inner = [_inner_cost(choice) for choice in self._choices]
        self.size = len(self._choices)

    def choices(self) -> list[Pairs]:
        """Its largest mappings; of a group that is too large for that, one of them."""
        return self._choices

    def cheapest(self, board: Board, own: int = 0) -> Pairs:
        """The best of its choices given everything else on the board; ``own`` are the bits of its mappings there."""
        costs = {
            (i, j): cost
            for i in self.output
            for j, cost in zip(
                self.reference, board.costs_of_outputs([i], self.reference, own)[0], strict=True
            )
        }
        totals = [
            inner + sum(costs[pair] for pair in choice)
            for choice, inner in zip(self._choices, self._inner, strict=True)
        ]
        return self._choices[totals.index(min(totals))]


class Board:
    """Mappings laid down, as bits of reference positions, so that crossings are counted by whole words of bits."""

    __slots__ = ("left", "mapped", "total")

    def __init__(self, outputs: int, pairs: Iterable[Pair]) -> None:
        # One place more than words: the neighbours of the last word, and (as index −1) of the first, are nothing.
        self.mapped = [0] * (outputs + 1)
        self.lay((), pairs)

    def lay(self, outputs: Positions, pairs: Iterable[Pair]) -> None:
        """Lay mappings down in place of those that these output words had."""
        for i in outputs:
            self.mapped[i] = 0
        for i, j in pairs:
            self.mapped[i] = 1 << j
        self.left = list(
            accumulate(self.mapped, initial=0)
        )  # for each output word, what is mapped to its left
        self.total = self.left[-1]

    def costs_of_outputs(self, outputs: Positions, references: Positions, own: int) -> list[list[int]]:
        """What mapping each output word costs at each offset: crossings, less adjacent mappings."""
        left, mapped, shown = self.left, self.mapped, ~own
        total = self.total & shown
        width = len(references) - len(outputs) + 1
        costs = []
        for x, i in enumerate(outputs):
            before_i = left[i] & shown
            after_i = total ^ before_i
            follows, precedes = (mapped[i - 1] & shown) << 1, (mapped[i + 1] & shown) >> 1
            row = []
            for j in references[x : x + width]:
                bit = 1 << j
                crossings = (before_i >> j).bit_count() + (after_i & (bit - 1)).bit_count()
                row.append(crossings * _CROSSING - (bit == follows) - (bit == precedes))
            costs.append(row)
        return costs

    def costs_of_references(self, outputs: Positions, references: Positions, own: int) -> list[list[int]]:
        """What mapping each reference word costs at each offset, where there are more output words."""
        left, mapped, shown = self.left, self.mapped, ~own
        total = self.total & shown
        width = len(outputs) - len(references) + 1
        costs = []
        for y, j in enumerate(references):
            bit = 1 << j
            row = []
            for i in outputs[y : y + width]:
                before_i = left[i] & shown
                crossings = (before_i >> j).bit_count() + ((total ^ before_i) & (bit - 1)).bit_count()
                follows, precedes = (mapped[i - 1] & shown) << 1, (mapped[i + 1] & shown) >> 1
                row.append(crossings * _CROSSING - (bit == follows) - (bit == precedes))
            costs.append(row)
        return costs

    def cost(self) -> int:
        """Of everything on the board."""
        total = 0
        for i, bit in enumerate(self.mapped):
            if bit:
                total += (self.left[i] & -bit).bit_count() * _CROSSING - (self.mapped[i - 1] << 1 == bit)
        return total


def _search(outputs: int, fixed: Sequence[Pair], groups: Sequence[Group]) -> tuple[list[Pair], bool]:
    """The best choices of the groups beside the fixed mappings, and whether they are proven so."""
    listed = all(group.listed_fully for group in groups)
    if len(groups) == 1:
        return list(groups[0].cheapest(Board(outputs, fixed))), listed
    states = 1
    for group in groups:
        states *= group.size
        if states > EXACT_STATES:
            return _beam(outputs, fixed, groups), False
    return _compare_all(fixed, groups), listed


def _compare_all(fixed: Sequence[Pair], groups: Sequence[Group]) -> list[Pair]:
    """Every combination of choices: a table with one axis per group, to which each group and each two groups add."""
    choices = [group.choices() for group in groups]
    edges = list(dict.fromkeys(pair for own in choices for choice in own for pair in choice))
    number = {pair: place for place, pair in enumerate(edges)}
    listed = [choice for own in choices for choice in own]
    used = np.zeros((len(listed), len(edges)))
    cells = [(row, number[pair]) for row, choice in enumerate(listed) for pair in choice]
    used[tuple(zip(*cells, strict=True))] = 1
    places = np.array(edges)
    between = _pair_costs(places, places)
    alone = used @ _pair_costs(places, np.array(fixed).reshape(-1, 2)).sum(axis=1)
    with_used = used @ between
    alone += (with_used * used).sum(axis=1) / 2
    both = with_used @ used.T
    shape = [len(own) for own in choices]
    bounds = np.cumsum([0, *shape])
    axes = [slice(low, high) for low, high in pairwise(bounds)]
    total = np.zeros(shape)
    for a, rows in enumerate(axes):
        total += alone[rows].reshape([-1 if axis == a else 1 for axis in range(len(axes))])
        for b, columns in enumerate(axes[:a]):
            total += both[columns, rows].reshape(
                [shape[axis] if axis in (a, b) else 1 for axis in range(len(axes))]
            )
    best = np.unravel_index(int(total.argmin()), shape)
    return [pair for own, place in zip(choices, best, strict=True) for pair in own[place]]


def _pair_costs(ours: npt.NDArray[np.int64], theirs: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """The cost of each two mappings laid down together."""
    right = ours[:, :1] - theirs[:, 0]
    down = ours[:, 1:] - theirs[:, 1]
    adjacent = (right == down) & (np.abs(right) == 1)
    costs: npt.NDArray[np.float64] = np.where(right * down < 0, float(_CROSSING), 0.0) - adjacent
    return costs


def _beam(outputs: int, fixed: Sequence[Pair], groups: Sequence[Group]) -> list[Pair]:
    """The best of several alignments, each improved group by group; they differ in the order of the groups."""
    widest_first = sorted(groups, key=lambda group: -group.size)
    orders = (widest_first, groups[::-1], groups, widest_first[::-1])
    found = []
    for order in orders[: max(1, BEAM_GROUPS // len(groups))]:
        board = Board(outputs, fixed)
        chosen = _descend(board, order)
        found.append((board.cost(), sorted(pair for pairs in chosen for pair in pairs)))
    return min(found)[1]


def _descend(board: Board, groups: Sequence[Group]) -> list[Pairs]:
    """Each group in turn takes its best choice given the others, until none changes."""
    chosen: list[Pairs] = [()] * len(groups)
    own = [0] * len(groups)
    unchanged = place = 0
    while unchanged < len(groups):
        pairs = groups[place].cheapest(board, own[place])
        if pairs == chosen[place]:
            unchanged += 1
        else:
            unchanged = 1
            chosen[place] = pairs
            own[place] = sum([1 << j for _, j in pairs])
            board.lay(groups[place].output, pairs)
        place = (place + 1) % len(groups)
    return chosen


def _offsets(costs: Sequence[Sequence[int]], narrow: Positions, wide: Positions) -> list[int]:
    """How far each word of the narrow side is shifted into the wide side: never less than the word before it.

    ``costs[x][d]`` is the cost of word *x* at offset *d*. The cheapest rest is found from the end, where a word may go on
    directly from the one before and so save a chunk.
    """
    here: list[list[int]] = [list(costs[-1])]
    rest: list[list[int]] = [_running_minimum(here[0])]
    for x in range(len(costs) - 2, -1, -1):
        after = rest[-1]
        if narrow[x + 1] == narrow[x] + 1:
            after = [
                min(best, direct - 1) if wide[x + 1 + d] == wide[x + d] + 1 else best
                for d, (best, direct) in enumerate(zip(after, here[-1], strict=True))
            ]
        here.append([own + best for own, best in zip(costs[x], after, strict=True)])
        rest.append(_running_minimum(here[-1]))
    here.reverse()
    rest.reverse()
    offset = here[0].index(rest[0][0])
    chosen = [offset]
    for x in range(1, len(costs)):
        direct = narrow[x] == narrow[x - 1] + 1 and wide[x + offset] == wide[x + offset - 1] + 1
        if not (direct and here[x][offset] - 1 <= rest[x][offset]):
            offset = here[x].index(rest[x][offset], offset)
        chosen.append(offset)
    return chosen


def _running_minimum(costs: Sequence[int]) -> list[int]:
    """The least of each cost and those after it."""
    return list(accumulate(reversed(costs), min))[::-1]


def _largest_mapping(output: Positions, reference: Positions, edges: Iterable[Pair]) -> Pairs:
    """A largest mapping; of several, one near the diagonal."""
    fits = np.zeros((len(output), len(reference)))
    for i, j in edges:
        fits[output.index(i), reference.index(j)] = 1
    steepness = len(output) / len(reference)
    away = np.abs(np.arange(len(output))[:, None] - steepness * np.arange(len(reference)))
    # Being one mapping larger outweighs all distances together.
    rows, columns = linear_sum_assignment(away * fits - (1 + away.sum()) * fits)
    chosen = zip(rows.tolist(), columns.tolist(), strict=True)
    return tuple((output[x], reference[y]) for x, y in chosen if fits[x, y])


def _mappings(output: Positions, edges: Sequence[Pair], size: int) -> Iterator[Pairs]:
    """Every mapping of that size, those of the first words to the first words before others."""
    if size == 0:
        yield ()
    elif len(output) >= size:
        first, rest = output[0], output[1:]
        for pair in sorted(pair for pair in edges if pair[0] == first):
            others = [edge for edge in edges if edge[0] != first and edge[1] != pair[1]]
            for more in _mappings(rest, others, size - 1):
                yield (pair, *more)
        yield from _mappings(rest, [edge for edge in edges if edge[0] != first], size)


def _inner_cost(pairs: Pairs) -> int:
    """The cost of the mappings of one choice with each other."""
    places = np.array(pairs)
    return int(_pair_costs(places, places).sum() / 2)
