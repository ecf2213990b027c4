"""What each column of a table is: a guess by names and by what is in the cells, to be changed by whoever knows better."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.study_files.problems import suggestion
from annotation.tables.grid import Grid, TableProblem
from annotation.tables.words import EITHER, plain_word, role_word

ROLES = {
    "document": "Document id",
    "title": "Title of the document",
    "source": "Source: the text that was summarised or translated",
    "topic": "Topic or event id",
    "question": "Question, or what an event is",
    "reference": "Reference: a text by a person, to compare with",
    "system": "System: who wrote the output",
    "output": "Output: the text to be judged",
    "outputs": "Outputs of one system, named at the top",
    "kind": "Kind of output, where a system has several",
    "author": "Author of the output",
    "relevant": "Whether the document is about the event",
    "ignore": "Leave this column out",
}
SEVERAL = frozenset({"reference", "outputs", "ignore"})  # roles that more than one column may have
_SAMPLE = 400  # rows to look at
_LONG = 25  # characters of a text, rather than an id or a name


@dataclass(frozen=True)
class _Column:
    """What is in a column, as far as the sample tells."""

    mean: float  # length of cells that are not empty
    different: float  # share of different ones among them
    filled: int


def guessed_roles(grid: Grid) -> tuple[str, ...]:
    """A role for each column."""
    looks = [_look([row[c] for row in grid.rows[:_SAMPLE]]) for c in range(len(grid.columns))]
    roles = [role_word(name) for name in grid.columns]
    if grid.columns[0] == "File":  # one file per system
        roles[0] = "ignore" if "system" in roles else "system"
    _settle_either(grid, roles, looks)
    _keep_one_of_each(roles, looks)
    if grid.plain and len(roles) > 1 and "output" not in roles:  # lines of one file per system
        roles = [role or "outputs" for role in roles]
    if not any(roles):
        _by_looks(roles, looks)
    elif "output" not in roles:
        _find_outputs(roles, looks)
    return tuple(role or "ignore" for role in roles)


def _look(cells: Sequence[str]) -> _Column:
    there = [cell.strip() for cell in cells if cell.strip()]
    if not there:
        return _Column(0.0, 0.0, 0)
    return _Column(sum(map(len, there)) / len(there), len(set(there)) / len(there), len(there))


def _settle_either(grid: Grid, roles: list[str], looks: Sequence[_Column]) -> None:
    """“document” over long cells is a text, over short ones an id; “text” and “target” are the output unless there is one."""
    for place, name in enumerate(grid.columns):
        either = EITHER.get(plain_word(name))
        if not either or roles[place]:
            continue
        first, second = either
        if first == "output":
            free = second in SEVERAL or second not in roles
            roles[place] = second if "output" in roles and free else first
        else:
            roles[place] = first if looks[place].mean >= _LONG and first not in roles else second


def _keep_one_of_each(roles: list[str], looks: Sequence[_Column]) -> None:
    """Of two columns for one role the first stays; a second text that outputs could be is one."""
    for role in set(roles) - SEVERAL - {""}:
        places = [place for place, given in enumerate(roles) if given == role]
        for place in places[1:]:
            roles[place] = ""
        if role == "document" and len(places) > 1 and looks[places[0]].mean >= _LONG > looks[places[1]].mean:
            roles[places[0]], roles[places[1]] = "source" if "source" not in roles else "", "document"


def _find_outputs(roles: list[str], looks: Sequence[_Column]) -> None:
    """With a system named in every row the longest text left is the output; else each text left is a system's."""
    texts = [
        place
        for place, role in enumerate(roles)
        if not role and looks[place].filled and looks[place].mean >= _LONG
    ]
    if "system" in roles:
        if texts:
            roles[max(texts, key=lambda place: looks[place].mean)] = "output"
        return
    left = texts or [place for place, role in enumerate(roles) if not role and looks[place].filled]
    for place in left:
        roles[place] = "outputs"


def _by_looks(roles: list[str], looks: Sequence[_Column]) -> None:
    """No name tells anything. Long cells are texts; short ones that recur are systems, others ids of documents."""
    texts = [place for place, look in enumerate(looks) if look.filled and look.mean >= _LONG]
    words = [place for place, look in enumerate(looks) if look.filled and look.mean < _LONG]
    if not texts:
        texts, words = words[-1:], words[:-1]
    by_recurrence = sorted(words, key=lambda place: looks[place].different)
    recurring = bool(by_recurrence) and looks[by_recurrence[0]].different < 0.6
    if recurring and len(texts) <= 2:
        roles[by_recurrence[0]] = "system"
        if len(by_recurrence) > 1:
            roles[by_recurrence[1]] = "document"
        if texts:
            roles[min(texts, key=lambda place: (-looks[place].different, looks[place].mean))] = "output"
        for place in texts:
            roles[place] = roles[place] or "source"
        return
    if by_recurrence:
        roles[by_recurrence[-1]] = "document"
    for place in texts:
        roles[place] = "outputs" if len(texts) > 1 else "output"


def with_names(grid: Grid, given: Sequence[str]) -> Grid:
    """The grid; with a header, if what ``COLUMN=ROLE`` names stands in a first row that was not taken for one."""
    named = {entry.rpartition("=")[0] for entry in given}
    return grid.with_header() if grid.rows and named & set(grid.rows[0]) - set(grid.columns) else grid


def mapped_roles(grid: Grid, given: Sequence[str]) -> tuple[str, ...]:
    """The guess, with what ``COLUMN=ROLE`` says instead; ``TableProblem`` names what is neither."""
    roles = list(guessed_roles(grid))
    for entry in given:
        column, equals, role = entry.rpartition("=")
        if not equals:
            raise TableProblem(f"--map takes COLUMN=ROLE; “{entry}” has no =.")
        if column not in grid.columns:
            raise TableProblem(f"There is no column “{column}”{suggestion(column, grid.columns)}")
        if role not in ROLES:
            raise TableProblem(f"There is no role “{role}”{suggestion(role, ROLES)}")
        place = grid.columns.index(column)
        if role not in SEVERAL:
            # Whoever says which column it is says which it is not.
            roles = ["ignore" if other == role else other for other in roles]
        roles[place] = role
    return tuple(roles)
