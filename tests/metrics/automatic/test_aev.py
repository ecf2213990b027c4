"""AEv(α, N) against BLEU (sacreBLEU) and ROUGE (rouge-score) at its ends, and by hand; its grid against statsmodels."""

import re
from math import exp, isnan

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics import BLEU
from scipy.stats import linregress

from metrics.automatic import registry
from metrics.automatic.aev_grid import aev_grid
from metrics.automatic.run import score
from metrics.errors import BadInput, UndefinedScoreWarning
from metrics.report.numbers import coefficient

from .scoring import item_score, scored

WORDS = st.lists(st.sampled_from(["snow", "lay", "deep", "on", "roofs"]), min_size=4, max_size=14)
CORPORA = st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=4)


@settings(max_examples=50, deadline=None)
@given(corpus=CORPORA)
def test_the_precision_end_is_bleu(corpus):
    """Soricut & Brill 2004, §3.1: BLEU is PS(4) with B = 1, no stop words, no stems."""
    outputs = [" ".join(output) for output, _ in corpus]
    references = [" ".join(reference) for _, reference in corpus]
    theirs = BLEU(smooth_method="none").corpus_score(outputs, [references]).score
    ours = scored("aev-1-4", outputs, [[reference] for reference in references], system=True)["aev-1-4"]
    assert 100 * ours == pytest.approx(theirs, abs=1e-9)


@settings(max_examples=50, deadline=None)
@given(output=WORDS, reference=WORDS)
def test_the_recall_end_is_rouge_1_but_for_the_wordiness_penalty(output, reference):
    """Soricut & Brill 2004, §3.2: ROUGE is RS(1); the penalty begins at twice the reference length."""
    theirs = RougeScorer(["rouge1"]).score(" ".join(reference), " ".join(output))["rouge1"].recall
    wordy = len(output) / (2 * len(reference))
    expected = theirs * (exp(1 - wordy) if wordy > 1 else 1)
    assert item_score("aev-0-1", " ".join(output), [" ".join(reference)]) == pytest.approx(expected)


@settings(max_examples=30, deadline=None)
@given(
    output=WORDS, reference=WORDS, alpha=st.sampled_from(["0.1", "0.25", "0.5", "0.9"]), n=st.integers(1, 4)
)
def test_between_the_ends_it_is_van_rijsbergens_f(output, reference, alpha, n):
    names = [f"aev-0-{n}", f"aev-1-{n}", f"aev-{alpha}-{n}"]
    recall, precision, between = (
        values[0] for values in scored(names, [" ".join(output)], [[" ".join(reference)]]).values()
    )
    assume(recall > 0)
    assert 1 / between == pytest.approx(float(alpha) / precision + (1 - float(alpha)) / recall)


def test_penalties_by_hand():
    """Reference of two words: an output of one gets BP = e^(1 − 2/1), one of five gets WP = e^(1 − 5/4)."""
    assert item_score("aev-1-1", "snow", ["snow lay"]) == pytest.approx(exp(-1))
    assert item_score("aev-0-1", "snow lay deep on roofs", ["snow lay"]) == pytest.approx(exp(-0.25))
    # An identical text is not wordy: the paper's printed condition, W·|c| ≤ |r|, would punish it.
    assert item_score("aev-0-1", "snow lay", ["snow lay"]) == 1


def test_several_references_are_added_up():
    """Two of two words in the first reference, one of three in the second: R(1) = 3/5, P(1) = 3/4."""
    output, references = "snow lay", ["snow lay", "deep snow melts"]
    assert item_score("aev-0-1", output, references) == pytest.approx(3 / 5)
    assert item_score("aev-1-1", output, references) == pytest.approx(3 / 4 * exp(1 - 5 / 4))


def test_stop_words_and_stems_are_left_to_the_name():
    output, reference = "the roof on a house", ["roofs of houses"]
    assert item_score("aev-0-1", output, reference) == 0
    assert item_score("aev-0-1-porter", output, reference) == pytest.approx(2 / 3)
    assert item_score("aev-0-1-porter-stop", output, reference) == 1


def test_orders_that_the_reference_is_too_short_for_are_undefined():
    assert isnan(item_score("aev-0.5-2", "snow", ["snow"]))
    assert item_score("aev-0.5-2", "", ["snow lay"]) == 0


def test_names_are_a_grid_and_take_any_alpha():
    assert len(registry.select(["aev-*"])) == 4 * 44
    assert len(registry.select(["aev-?*-[1-4]"])) == 44
    assert "|alpha:0.25|N:2|" in registry.metric("aev-0.25-2-stop").signature(level="system", n=8)
    for wrong in ("aev-0.50-2", "aev-1.5-2", "aev-0.5-5"):
        with pytest.raises(BadInput):
            registry.metric(wrong)


# The grid


@pytest.fixture(scope="module")
def tables():
    """Eight systems of four outputs, from faithful to careless, and a human score of each."""
    rng = np.random.default_rng(7)
    source = [[f"w{word}" for word in rng.integers(0, 60, 30)] for _ in range(4)]
    outputs, human = [], []
    for system in range(8):
        for item, words in enumerate(source):
            kept = [word if rng.random() > system / 10 else f"x{rng.integers(0, 60)}" for word in words]
            outputs.append({"system": f"s{system}", "item": str(item), "text": " ".join(kept)})
        human.append(
            {
                "metric": "coverage",
                "system": f"s{system}",
                "item": "",
                "score": 1 - system / 10 + rng.normal(0, 0.1),
            }
        )
    references = pd.DataFrame(
        {
            "item": [str(item) for item in range(4)],
            "reference": "a",
            "text": [" ".join(words) for words in source],
        }
    )
    scores = score(pd.DataFrame(outputs), references, metrics=["aev-?*-[1-4]"], processes=1)
    return scores.table("system"), pd.DataFrame(human)


def test_each_cell_is_r_squared_of_a_regression(tables):
    """statsmodels' and SciPy's R² of the human score on AEv."""
    scores, human = tables
    frame = aev_grid(scores, human).to_frame()
    assert frame.shape == (4, 11)
    people = human.set_index("system")["score"]
    for n, alpha in ((1, 0.0), (2, 0.5), (4, 1.0), (3, 0.3)):
        own = scores[scores["metric"] == f"aev-{alpha:g}-{n}"].set_index("system")["score"][people.index]
        fitted = sm.OLS(people, sm.add_constant(own)).fit()
        assert frame.loc[n, alpha] == pytest.approx(fitted.rsquared)
        assert frame.loc[n, alpha] == pytest.approx(linregress(own, people).rvalue ** 2)


def test_the_best_cell_is_the_highest(tables):
    grid = aev_grid(*tables)
    alpha, n = grid.best
    assert grid.to_frame().loc[n, alpha] == grid.statistic.max()
    assert grid.n == 8
    assert "method:r2|human:coverage" in grid.signature


@pytest.mark.parametrize("suffix", ["svg", "png", "pdf"])
def test_the_picture_is_the_same_bytes_each_time(tables, tmp_path, suffix):
    for number in (1, 2):
        aev_grid(*tables).plot(tmp_path / f"{number}.{suffix}")
    first, second = ((tmp_path / f"{number}.{suffix}").read_bytes() for number in (1, 2))
    assert first == second
    assert len(first) > 1000
    assert b"<dc:date>" not in first


def test_the_picture_shows_every_cell(tables, tmp_path):
    grid = aev_grid(*tables)
    grid.plot(tmp_path / "grid.svg")
    shown = re.findall(r"R² = ([0-9.]+)", (tmp_path / "grid.svg").read_text(encoding="utf-8"))
    expected = [coefficient(value) for row in grid.statistic[::-1] for value in row]
    assert shown == expected
    with pytest.raises(BadInput, match="expected a picture as svg, pdf, png"):
        grid.plot(tmp_path / "grid.gif")


def test_a_human_score_that_does_not_vary_is_undefined(tables):
    scores, human = tables
    with pytest.warns(UndefinedScoreWarning, match="R² is undefined for 44 of 44"):
        grid = aev_grid(scores, human.assign(score=0.5))
    assert np.isnan(grid.statistic).all()


def test_what_cannot_be_put_in_one_grid_is_bad_input(tables):
    scores, human = tables
    with pytest.raises(BadInput, match="expected scores of aev-α-N"):
        aev_grid(scores.assign(metric="bleu"), human)
    both = pd.concat([scores, scores.assign(metric=scores["metric"] + "-stop")])
    with pytest.raises(BadInput, match="expected one setting of aev, found 2"):
        aev_grid(both, human)
    with pytest.raises(BadInput, match="expected one human score"):
        aev_grid(scores, pd.concat([human, human.assign(metric="quality")]))
    assert (
        aev_grid(scores, pd.concat([human, human.assign(metric="quality")]), score="quality").human
        == "quality"
    )
