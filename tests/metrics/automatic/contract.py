"""What every metric declares, as checks of a whole family: for those of the registry, and for any that a plug-in brings.

``CHECKS`` take the name of a family and fail with the names of the metrics that do not keep what they declare.
"""

import math
import re
import warnings

import numpy as np
import pandas as pd
import pytest

from metrics import __version__
from metrics.automatic import registry
from metrics.automatic.base import Family
from metrics.automatic.run import score
from metrics.errors import UndefinedScoreWarning

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
        warnings.filterwarnings("ignore", message=".*is slow|QUEEN of two")
        scores = score(outputs, references, metrics=metrics, processes=1)
    return {metric: scores.items(name) for name, metric in metrics.items()}, scores


def failing(scores, holds):
    """The names of the metrics for which something does not hold."""
    return [metric.name for metric, values in scores.items() if not holds(metric, values)]


def in_range(metric, values):
    low, high = metric.range
    return all(math.isnan(value) or low - 1e-9 <= value <= high + 1e-9 for value in values)


def an_output_equal_to_its_reference_has_the_declared_score(family):
    scores, _ = scores_of(family, [(TEXT, [TEXT])])
    assert failing(scores, lambda m, v: m.identity is None or v[0] == pytest.approx(m.identity)) == []


def a_better_text_scores_better_in_the_declared_direction(family):
    scores, _ = scores_of(family, [(TEXT, [TEXT]), (PARTLY, [TEXT]), (UNRELATED, [TEXT])])

    def ordered(metric, values):
        good, middle, bad = values if metric.higher_is_better else -values
        return good > bad and good >= middle >= bad

    assert failing(scores, ordered) == []


def scores_stay_in_the_declared_range(family):
    texts = (TEXT, PARTLY, UNRELATED, TEXT + " " + TEXT, "seven", "nets " * 30)
    scores, _ = scores_of(family, [(a, [b, c]) for a in texts for b in texts for c in texts[:2]])
    assert failing(scores, in_range) == []


def the_order_of_references_does_not_matter_unless_declared(family):
    references = [TEXT, UNRELATED, PARTLY, "seven nets"]
    orders = [references, references[::-1], references[2:] + references[:2]]
    scores, _ = scores_of(family, [("seven grey herons talked loudly tomorrow", order) for order in orders])
    assert failing(scores, lambda m, v: m.references_ordered or np.allclose(v, v[0], equal_nan=True)) == []


def odd_texts_have_a_score_in_range_or_none_and_never_break(family):
    cases = [(output, [reference]) for output in (*ODD, TEXT) for reference in (*ODD, TEXT)]
    scores, _ = scores_of(family, cases)
    assert failing(scores, in_range) == []


def an_empty_output_is_no_better_than_a_bad_one(family):
    scores, _ = scores_of(family, [("", [TEXT]), (TEXT, [TEXT])])

    def worse(metric, values):
        empty, good = values if metric.higher_is_better else -values
        return math.isnan(empty) or empty < good

    assert failing(scores, worse) == []


def an_item_without_references_is_nan(family):
    scores, _ = scores_of(family, [(TEXT, []), (TEXT, [TEXT])])
    assert failing(scores, lambda m, v: math.isnan(v[0]) and not math.isnan(v[1])) == []


def a_system_of_one_output_has_the_score_of_that_output(family):
    scores, result = scores_of(family, [(PARTLY, [TEXT, UNRELATED])])
    system = result.table("system").set_index("metric")["score"]
    assert (
        failing(scores, lambda m, v: all(system[name] == pytest.approx(v[0]) for name in m.system_names()))
        == []
    )


def an_output_scores_the_same_whatever_else_is_scored(family):
    # Families that must know all references first are the exception, and say so by having ``corpus``.
    if type(registry.families()[family]).corpus is not Family.corpus:
        return
    alone, _ = scores_of(family, [(PARTLY, [TEXT])])
    together, _ = scores_of(family, [("", [PARTLY]), (PARTLY, [TEXT]), (TEXT, [UNRELATED, TEXT])])
    assert [m.name for m in alone if not np.array_equal(alone[m][0], together[m][1], equal_nan=True)] == []


def every_score_has_a_signature_of_its_own(family):
    _, result = scores_of(family, [(TEXT, [TEXT])])
    for level in ("item", "system"):
        signatures = result.signatures(level)
        assert set(signatures) == set(result.table(level)["metric"])
        assert len(set(signatures.values())) == len(signatures)
        for line in signatures.values():
            assert f"|level:{level}|" in line
            assert line.endswith(f"|version:touchstone-{__version__}")


def another_reference_never_makes_a_best_score_worse(
    family, output=PARTLY, references=(TEXT,), more=UNRELATED
):
    scores, _ = scores_of(family, [(output, references), (output, [*references, more])])

    def no_worse(metric, values):
        before, after = values if metric.higher_is_better else -values
        return not metric.monotone or math.isnan(before) or after >= before - 1e-9

    assert failing(scores, no_worse) == []


CHECKS = (
    an_output_equal_to_its_reference_has_the_declared_score,
    a_better_text_scores_better_in_the_declared_direction,
    scores_stay_in_the_declared_range,
    the_order_of_references_does_not_matter_unless_declared,
    odd_texts_have_a_score_in_range_or_none_and_never_break,
    an_empty_output_is_no_better_than_a_bad_one,
    an_item_without_references_is_nan,
    a_system_of_one_output_has_the_score_of_that_output,
    an_output_scores_the_same_whatever_else_is_scored,
    every_score_has_a_signature_of_its_own,
    another_reference_never_makes_a_best_score_worse,
)
