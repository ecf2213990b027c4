"""What every metric declares, tested for every metric of the registry; and the choice of metrics by name
and glob."""

import math
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics import __version__
from metrics.automatic import registry
from metrics.automatic.base import Family
from metrics.automatic.run import score
from metrics.errors import BadInput, UndefinedScoreWarning

TEXT = "seven grey herons waited beside quiet water while fishermen mended torn nets"
PARTLY = "seven grey herons stood beside water where some old fishermen talked loudly"
LIKE_TEXT = (
    "seven grey herons waited beside the quiet water while old fishermen mended their nets",
    "grey herons waited by quiet water as fishermen mended seven torn nets",
)
UNRELATED = "tomorrow's exam covers algebra, probability plus basic combinatorics"
ODD = (
    "",
    "   ",
    "…!?",
    "word",
    "日本語のテキストです。",
    "Быстрая лиса бежит",
    "सत्यमेव जयते",
    "السلام عليكم",
    "😀 🙃",
    "a\x00b\n\nc",
)

FAMILIES = list(registry.families())


def tree(text):
    """A made-up constituency tree: pairs of words under labels that are the words themselves."""
    words = re.findall(r"\w+", text)
    pairs = [words[n : n + 2] for n in range(0, len(words), 2)]
    phrases = "".join(f"(X {''.join(f'({word} {word})' for word in pair)})" for pair in pairs)
    return f"(S {phrases})" if pairs else "(S)"


def with_enough(references, least):
    """References that are few are joined by others like the text, where a family needs more than one."""
    return [*references, *LIKE_TEXT[: max(0, least - len(references))]] if references else references


def scores_of(family, cases):
    """Item scores of all metrics of a family, one column per case (an output and its references)."""
    least = max(m.least_references for m in registry.metrics().values() if m.family == family)
    cases = [(output, with_enough(references, least)) for output, references in cases]
    outputs = pd.DataFrame(
        {"system": "s", "item": [str(n) for n in range(len(cases))], "text": [output for output, _ in cases]}
    )
    references = pd.DataFrame(
        [
            {"item": str(n), "reference": str(m), "text": text}
            for n, (_, texts) in enumerate(cases)
            for m, text in enumerate(texts)
        ],
        columns=["item", "reference", "text"],
    )
    metrics = {name: metric for name, metric in registry.metrics().items() if metric.family == family}
    if any("trees" in metric.needs for metric in metrics.values()):
        outputs, references = (texts.assign(trees=texts["text"].map(tree)) for texts in (outputs, references))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedScoreWarning)
        warnings.filterwarnings("ignore", message=".*is slow")
        scores = score(outputs, references, metrics=metrics, processes=1)
    return {metric: scores.items(name) for name, metric in metrics.items()}, scores


@pytest.fixture(scope="module", params=FAMILIES)
def family(request):
    return request.param


def failing(scores, holds):
    """The names of the metrics for which something does not hold."""
    return [metric.name for metric, values in scores.items() if not holds(metric, values)]


def in_range(metric, values):
    low, high = metric.range
    return all(math.isnan(value) or low - 1e-9 <= value <= high + 1e-9 for value in values)


def test_an_output_equal_to_its_reference_has_the_declared_score(family):
    scores, _ = scores_of(family, [(TEXT, [TEXT])])
    assert failing(scores, lambda m, v: m.identity is None or v[0] == pytest.approx(m.identity)) == []


def test_a_better_text_scores_better_in_the_declared_direction(family):
    scores, _ = scores_of(family, [(TEXT, [TEXT]), (PARTLY, [TEXT]), (UNRELATED, [TEXT])])

    def ordered(metric, values):
        good, middle, bad = values if metric.higher_is_better else -values
        return good > bad and good >= middle >= bad

    assert failing(scores, ordered) == []


def test_scores_stay_in_the_declared_range(family):
    texts = (TEXT, PARTLY, UNRELATED, TEXT + " " + TEXT, "seven", "nets " * 30)
    scores, _ = scores_of(family, [(a, [b, c]) for a in texts for b in texts for c in texts[:2]])
    assert failing(scores, in_range) == []


def test_the_order_of_references_does_not_matter_unless_declared(family):
    references = [TEXT, UNRELATED, PARTLY, "seven nets"]
    orders = [references, references[::-1], references[2:] + references[:2]]
    scores, _ = scores_of(family, [("seven grey herons talked loudly tomorrow", order) for order in orders])
    assert failing(scores, lambda m, v: m.references_ordered or np.allclose(v, v[0], equal_nan=True)) == []


def test_odd_texts_have_a_score_in_range_or_none_and_never_break(family):
    cases = [(output, [reference]) for output in (*ODD, TEXT) for reference in (*ODD, TEXT)]
    scores, _ = scores_of(family, cases)
    assert failing(scores, in_range) == []


def test_an_empty_output_is_no_better_than_a_bad_one(family):
    scores, _ = scores_of(family, [("", [TEXT]), (TEXT, [TEXT])])

    def worse(metric, values):
        empty, good = values if metric.higher_is_better else -values
        return math.isnan(empty) or empty < good

    assert failing(scores, worse) == []


def test_an_item_without_references_is_nan(family):
    scores, _ = scores_of(family, [(TEXT, []), (TEXT, [TEXT])])
    assert failing(scores, lambda m, v: math.isnan(v[0]) and not math.isnan(v[1])) == []


def test_a_system_of_one_output_has_the_score_of_that_output(family):
    scores, result = scores_of(family, [(PARTLY, [TEXT, UNRELATED])])
    system = result.table("system").set_index("metric")["score"]
    assert (
        failing(scores, lambda m, v: all(system[name] == pytest.approx(v[0]) for name in m.system_names()))
        == []
    )


# Families that must know all references first are the exception, and say so by having ``corpus``.
@pytest.mark.parametrize(
    "name", [n for n, f in registry.families().items() if type(f).corpus is Family.corpus]
)
def test_an_output_scores_the_same_whatever_else_is_scored(name):
    alone, _ = scores_of(name, [(PARTLY, [TEXT])])
    together, _ = scores_of(name, [("", [PARTLY]), (PARTLY, [TEXT]), (TEXT, [UNRELATED, TEXT])])
    assert [m.name for m in alone if not np.array_equal(alone[m][0], together[m][1], equal_nan=True)] == []


def test_every_score_has_a_signature_of_its_own(family):
    _, result = scores_of(family, [(TEXT, [TEXT])])
    for level in ("item", "system"):
        signatures = result.signatures(level)
        assert set(signatures) == set(result.table(level)["metric"])
        assert len(set(signatures.values())) == len(signatures)
        for line in signatures.values():
            assert f"|level:{level}|" in line
            assert line.endswith(f"|version:touchstone-{__version__}")


WORDS = st.lists(st.sampled_from("alder birch cedar elm fir".split()), max_size=8).map(" ".join)  # noqa: SIM905


@settings(max_examples=20, deadline=None)
@given(output=WORDS, references=st.lists(WORDS, min_size=1, max_size=3), more=WORDS)
@pytest.mark.parametrize("name", FAMILIES)
def test_another_reference_never_makes_a_best_score_worse(name, output, references, more):
    scores, _ = scores_of(name, [(output, references), (output, [*references, more])])

    def no_worse(metric, values):
        before, after = values if metric.higher_is_better else -values
        return not metric.monotone or math.isnan(before) or after >= before - 1e-9

    assert failing(scores, no_worse) == []


def test_a_metric_whose_best_reference_counts_is_among_them():
    assert any(metric.monotone for metric in registry.metrics().values())


# Names and globs


def test_a_glob_chooses_listed_metrics_only():
    names = [choice.name for choice in registry.select(["rouge-2-stem*-f"])]
    assert names == ["rouge-2-stem-f", "rouge-2-stem-stop-f"]
    assert len(registry.select(["rouge-*-stem-*-f"])) == 8
    assert len(registry.select(["rouge-*"])) == 144


def test_a_glob_that_matches_nothing_listed_chooses_among_the_others():
    names = [choice.name for choice in registry.select(["rouge-1*-r-best"])]
    assert len(names) == 6
    assert all(name.endswith("-r-best") for name in names)


def test_a_metric_asked_for_twice_comes_once_in_the_order_asked_for():
    names = [choice.name for choice in registry.select(["rouge-l-f", "rouge-1-f", "rouge-[1l]-f"])]
    assert names == ["rouge-l-f", "rouge-1-f"]


def test_at_system_level_a_name_stands_for_its_aggregates():
    names = [choice.name for choice in registry.select(["rouge-1-f", "rouge-l-*-f-median"], level="system")]
    assert names[:2] == ["rouge-1-f-mean", "rouge-1-f-median"]
    assert all(name.endswith("-f-median") for name in names[2:])
    assert [choice.name for choice in registry.select(["rouge-l-f-alpha0.8-mean"], level="system")] == [
        "rouge-l-f-alpha0.8-mean"
    ]


@pytest.mark.parametrize(
    ("wrong", "right"), [("rouge-1-stm-f", "rouge-1-stem-f"), ("rouge_2-f", "rouge-2-f")]
)
def test_an_unknown_name_is_answered_with_the_nearest(wrong, right):
    with pytest.raises(BadInput, match=f"no metric is called '{wrong}'; nearest: .*{right}"):
        registry.select([wrong])
    with pytest.raises(BadInput):
        registry.metric(wrong)


@pytest.mark.parametrize("level", ["item", "system"])
def test_a_glob_that_matches_nothing_is_bad_input(level):
    with pytest.raises(BadInput, match="no metric is called"):
        registry.select(["rouge-9*"], level=level)


def test_the_default_set_covers_every_family_that_is_not_slow_and_needs_no_parse():
    chosen = {choice.metric.family for choice in registry.select()}
    metrics = registry.metrics().values()
    assert chosen == {metric.family for metric in metrics if not metric.slow and not metric.needs}
