"""What a kind declares is all that the rest of the package knows of it."""

import ast
import re
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

import metrics
from metrics.errors import BadInput
from metrics.human import human_score, human_summary, registry
from metrics.human.kind import HumanKind, Option, Score
from metrics.plugins import Plugin
from tests.metrics.human.rows import table

PACKAGE = Path(metrics.__file__).parent
MAY_NAME_KINDS = {
    "formats": "a format of another tool says which kind its rows become",
    "human": "a kind's own module",
}
SHARED = {"agreed", "base", "kind", "normalise", "registry", "tables"}
"""Modules of metrics.human that are no kind: no kind is named there either."""
OF_SEVERAL_KINDS = {
    "comparison",
    "comparison_agreement",
    "comparison_resampling",
    "comparison_scores",
    "comparison_tables",
    "resampled_strengths",
    "strengths",
    "trueskill",
}
"""What kinds with one way of judging share: how each writes its values, and scores that mean the same for all."""

NAMED_TOO = {"wins", "quality"}
"""Scores that are called like something else: a column that counts the systems beaten, a command."""


def sources():
    """Every module that must know no kind."""
    for path in sorted(PACKAGE.rglob("*.py")):
        room = path.relative_to(PACKAGE).parts[0]
        if room not in MAY_NAME_KINDS or (room == "human" and path.stem in {*SHARED, "__init__"}):
            yield path


def strings(path):
    """The string constants of a module with their lines, docstrings left out."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documented = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documented:
            yield node.lineno, node.value


def test_every_kind_is_found_by_its_module_alone():
    modules = (
        {path.stem for path in (PACKAGE / "human").glob("*.py")} - SHARED - OF_SEVERAL_KINDS - {"__init__"}
    )
    assert set(registry.kinds()) == modules
    assert list(registry.kinds()) == sorted(modules)


def test_no_kind_is_named_outside_its_module():
    slugs = "|".join(map(re.escape, registry.kinds()))
    named = re.compile(rf"(?:{slugs})|.*\b(?:kind (?:{slugs})|(?:{slugs}) task)\b.*", re.DOTALL)
    found = [
        f"{path.relative_to(PACKAGE)}:{line}: {text!r}"
        for path in sources()
        for line, text in strings(path)
        if named.fullmatch(text)
    ]
    assert found == []


def test_no_score_is_named_outside_its_kind():
    found = [
        f"{path.relative_to(PACKAGE)}:{line}: {text!r}"
        for path in sources()
        for line, text in strings(path)
        if text in set(registry.scores()) - NAMED_TOO
        or any(text.startswith(f"{name} is ") for name in registry.scores())
    ]
    assert found == []


@pytest.mark.parametrize("slug", registry.kinds())
def test_a_kind_gives_only_names_that_it_can_score(slug):
    kind = registry.kinds()[slug]
    rows = table([{"criterion": "coverage", "unit": "r/1", "value": 1}], kind=slug)
    for name in kind.score_names(rows):
        score = kind.score(name)
        assert score.name == name
        assert registry.score_meaning(slug, name) == score.meaning


@pytest.mark.parametrize("name", registry.scores())
def test_a_meaning_is_a_sentence_and_a_definition_follows_the_name(name):
    score = registry.scores()[name]
    assert re.fullmatch(r"[A-Z].*\.", score.meaning)
    assert re.fullmatch(r"[a-z].*[^.]", score.definition)
    assert len({option.name for option in score.options}) == len(score.options)


def test_a_criterion_has_no_meaning_but_its_name_even_if_a_score_is_called_so():
    assert registry.score_meaning("rating", "adequacy") == ""
    assert registry.score_meaning("rating", "coverage") == ""
    assert registry.score_meaning("see", "coverage").startswith("How much")
    assert registry.score_meaning("nobody-knows", "coverage") == ""


def test_a_score_that_two_kinds_share_is_found_in_tasks_of_both():
    shared = Score("wins", lambda *_, **__: None, meaning="Wins.", definition="the share of wins")
    found = registry._checked(
        Plugin(HumanKind(slug, scores=(shared,)), slug) for slug in ("duel", "tournament")
    )
    assert [kind.score("wins") for kind in found.values()] == [shared, shared]


SCORE = Score("sweetness", human_score, meaning="How sweet.", definition="how sweet it is")
SWEET = HumanKind("sweet", scores=(SCORE,))


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (SWEET, "two kinds are called sweet: a.py and b.py"),
        (
            HumanKind("bitter", scores=(replace(SCORE, definition="how bitter it is"),)),
            "two kinds declare another score sweetness: a.py and b.py",
        ),
    ],
)
def test_two_kinds_of_one_name_or_with_two_meanings_of_a_score_are_refused(other, message):
    with pytest.raises(BadInput, match=re.escape(message)):
        registry._checked([Plugin(SWEET, "a.py"), Plugin(other, "b.py")])


def test_one_option_of_two_types_is_refused():
    kinds = [
        HumanKind(slug, scores=(replace(SCORE, name=slug, options=(Option("dose", "how much", type=how),)),))
        for slug, how in (("sweet", int), ("bitter", float))
    ]
    with pytest.raises(BadInput, match="two kinds declare another option dose"):
        registry._checked(Plugin(kind, kind.slug) for kind in kinds)


@pytest.mark.parametrize(
    "scores",
    [
        (replace(SCORE, meaning=""),),
        (replace(SCORE, definition=""),),
        (SCORE, SCORE),
        (replace(SCORE, options=(Option("task", "which"),)),),
    ],
)
def test_a_kind_that_leaves_out_or_doubles_what_is_needed_cannot_be_declared(scores):
    with pytest.raises(ValueError, match="kind sweet: "):
        HumanKind("sweet", scores=scores)


def test_rows_of_a_kind_that_nobody_declared_give_no_score_and_no_error():
    rows = table([{"criterion": "taste", "value": 3}], kind="unheard-of")
    assert human_summary(rows).empty
    with pytest.raises(BadInput, match="expected a score among"):
        human_score(rows, "taste")
    assert not registry.is_mark(rows).any()


def test_marks_are_those_of_the_kind_that_declares_them():
    rows = pd.concat(
        [
            table([{"criterion": "mark", "unit": "r/1:1", "value": 1}], kind="see"),
            table([{"criterion": "mark", "value": 4}], kind="rating", task="u"),
        ],
        ignore_index=True,
    )
    assert registry.is_mark(rows).tolist() == [True, False]
