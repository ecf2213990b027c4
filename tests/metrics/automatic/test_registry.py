"""What every metric declares, tested for every metric of the registry; and the choice of metrics by name
and glob."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.automatic import registry
from metrics.errors import BadInput
from tests.metrics.automatic.contract import CHECKS, another_reference_never_makes_a_best_score_worse

FAMILIES = list(registry.families())


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("family", FAMILIES)
def test_every_metric_keeps_what_it_declares(family, check):
    check(family)


WORDS = st.lists(st.sampled_from("alder birch cedar elm fir".split()), max_size=8).map(" ".join)  # noqa: SIM905


@settings(max_examples=20, deadline=None)
@given(output=WORDS, references=st.lists(WORDS, min_size=1, max_size=3), more=WORDS)
@pytest.mark.parametrize("name", FAMILIES)
def test_another_reference_never_makes_a_best_score_worse(name, output, references, more):
    another_reference_never_makes_a_best_score_worse(name, output, references, more)


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
