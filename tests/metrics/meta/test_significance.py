"""Systems against systems, against SciPy, statsmodels, sacreBLEU, full enumeration and Riezler & Maxwell's figures."""

import itertools
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.weightstats import CompareMeans, DescrStatsW

from metrics.errors import BadInput, UndefinedScoreWarning
from metrics.meta.significance import compare_systems, normality

RNG = np.random.default_rng(7)
SCORES = RNG.normal(size=(4, 30)) + np.array([[0.4], [0.1], [0.0], [-0.2]])
GAPS = np.where(RNG.random(SCORES.shape) < 0.2, np.nan, SCORES)
ALTERNATIVES = ["two-sided", "greater", "less"]


def oracle(test, a, b, alternative):
    """Statistic and p-value of one pair from SciPy or statsmodels."""
    both = np.isfinite(a) & np.isfinite(b)
    if test == "t":
        result = stats.ttest_rel(a[both], b[both], alternative=alternative)
    elif test == "wilcoxon":
        result = stats.wilcoxon(a[both], b[both], alternative=alternative)
    elif test == "sign":
        wins, losses = int((a[both] > b[both]).sum()), int((a[both] < b[both]).sum())
        return wins, stats.binomtest(wins, wins + losses, alternative=alternative).pvalue
    elif test == "rank-sum":
        result = stats.mannwhitneyu(
            a[np.isfinite(a)],
            b[np.isfinite(b)],
            alternative=alternative,
            use_continuity=True,
            method="asymptotic",
        )
    else:
        means = CompareMeans(DescrStatsW(a[np.isfinite(a)]), DescrStatsW(b[np.isfinite(b)]))
        side = {"greater": "larger", "less": "smaller"}.get(alternative, alternative)
        return means.ztest_ind(alternative=side, usevar="unequal")
    return result.statistic, result.pvalue


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("test", ["t", "wilcoxon", "sign", "rank-sum", "z"])
@pytest.mark.parametrize("scores", [SCORES, GAPS, np.round(SCORES)], ids=["full", "gaps", "ties"])
def test_every_pair_has_the_result_of_scipy_or_statsmodels(test, alternative, scores):
    if test == "wilcoxon":
        # SciPy's p-values with ties above 13 differences lack a correction for continuity; those of R are below.
        scores = scores + 1e-3 * np.random.default_rng(5).normal(size=scores.shape)
    result = compare_systems(scores, test=test, alternative=alternative)
    for i, j, statistic, pvalue in zip(
        result.first, result.second, result.statistic, result.pvalue, strict=True
    ):
        assert (statistic, pvalue) == pytest.approx(oracle(test, scores[i], scores[j], alternative), rel=1e-9)


@pytest.mark.parametrize("unit", [1.0, 0.1])
def test_z_of_two_systems_whose_scores_do_not_vary_is_undefined(unit):
    """Before: of tenths the rounding of their mean was taken for their variance, and p was 0."""
    scores = unit * np.array([[1.0] * 3, [3.0] * 3, [1.0, 2.0, 3.0]])
    with pytest.warns(UndefinedScoreWarning):
        result = compare_systems(scores, test="z")
    assert np.isnan(result.pvalue).tolist() == [True, False, False]


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("items", [2, 3, 5, 8])
@pytest.mark.parametrize("ties", [False, True])
def test_the_rank_sum_test_of_few_items_is_exact(alternative, items, ties):
    """SciPy: its exact distribution without ties, the enumeration of all permutations with them."""
    scores = np.round(SCORES[:3, :items]) if ties else SCORES[:3, :items]
    method = stats.PermutationMethod(n_resamples=np.inf) if ties else "exact"
    result = compare_systems(scores, test="rank-sum", alternative=alternative)
    for i, j, statistic, pvalue in zip(
        result.first, result.second, result.statistic, result.pvalue, strict=True
    ):
        expected = stats.mannwhitneyu(scores[i], scores[j], alternative=alternative, method=method)
        assert (statistic, pvalue) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-9)


def test_three_items_cannot_tell_systems_apart():
    result = compare_systems(np.array([[3.0, 4, 5], [0, 1, 2]]), test="rank-sum", alternative="greater")
    assert result.pvalue == pytest.approx([1 / 20])


def exact_randomization(a, b, alternative):
    differences = a - b
    signs = np.array(list(itertools.product([1, -1], repeat=len(a))))
    pseudo, actual = (signs * differences).mean(axis=1), differences.mean()
    extreme = {
        "two-sided": np.abs(pseudo) >= abs(actual) - 1e-9,
        "greater": pseudo >= actual - 1e-9,
        "less": pseudo <= actual + 1e-9,
    }[alternative]
    return extreme.mean()


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("scores", [SCORES[:, :10], np.round(2 * SCORES[:, :10])], ids=["plain", "ties"])
def test_randomization_approaches_the_enumeration_of_all_shuffles(alternative, scores):
    result = compare_systems(scores, alternative=alternative, n_resamples=40_000, rng=3)
    exact = [
        exact_randomization(scores[i], scores[j], alternative)
        for i, j in zip(result.first, result.second, strict=True)
    ]
    # 40,000 shuffles have a standard error of at most .0025.
    assert result.pvalue == pytest.approx(exact, abs=0.01)


def test_randomization_agrees_with_scipys_permutation_test():
    a, b = SCORES[0], SCORES[2]
    theirs = stats.permutation_test(
        (a, b),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=20_000,
        rng=np.random.default_rng(1),
    )
    ours = compare_systems(np.stack([a, b]), n_resamples=20_000, rng=1)
    assert ours.pvalue[0] == pytest.approx(theirs.pvalue, abs=0.012)
    assert ours.difference[0] == pytest.approx(theirs.statistic)


def test_p_is_c_plus_1_over_r_plus_1():
    """Riezler & Maxwell (2005), Figure 1: with no shuffle as extreme, p = 1/(R + 1); equal systems have p = 1."""
    far = np.stack([np.arange(40) + 100.0, np.arange(40) * 0.5])
    assert compare_systems(far, n_resamples=999, rng=1).pvalue[0] == pytest.approx(1 / 1000)
    assert compare_systems(np.stack([SCORES[0]] * 2), n_resamples=99, rng=1).pvalue[0] == 1.0


def figure_2(a, b, samples, alternative="two-sided"):
    """The bootstrap test as the figure has it, sample by sample."""
    actual = a.mean() - b.mean()
    pseudo = np.array([a[s].mean() - b[s].mean() for s in samples])
    if alternative == "two-sided":
        pseudo, actual = np.abs(pseudo), abs(actual)
    shifted = pseudo - pseudo.mean()
    count = (shifted <= actual + 1e-12 if alternative == "less" else shifted >= actual - 1e-12).sum()
    return (count + 1) / (len(samples) + 1)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_the_shifted_bootstrap_is_figure_2_sample_by_sample(alternative):
    samples = np.random.default_rng(5).integers(0, 30, (500, 30))
    ours = compare_systems(SCORES, test="bootstrap", alternative=alternative, n_resamples=500, rng=5)
    expected = [
        figure_2(SCORES[i], SCORES[j], samples, alternative)
        for i, j in zip(ours.first, ours.second, strict=True)
    ]
    assert ours.pvalue == pytest.approx(expected)


def test_the_two_sided_bootstrap_is_about_half_of_randomization():
    """Riezler & Maxwell (2005), Table 2: .014 : .03, .013 : .025, .028 : .05, .039 : .079, .013 : .028."""
    printed = [0.014 / 0.03, 0.013 / 0.025, 0.028 / 0.05, 0.039 / 0.079, 0.013 / 0.028]
    rng = np.random.default_rng(2)
    scores = np.stack([rng.normal(size=400), rng.normal(size=400)])
    scores[0] += 0.14 - (scores[0].mean() - scores[1].mean())
    pvalues = [compare_systems(scores, test=test, rng=1).pvalue[0] for test in ("bootstrap", "randomization")]
    assert pvalues[0] / pvalues[1] == pytest.approx(np.mean(printed), abs=0.12)


def precision(sums):
    """A corpus-level score: matches over counts."""
    return sums[..., 0] / sums[..., 1]


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_corpus_level_randomization_approaches_the_enumeration(alternative):
    rng = np.random.default_rng(9)
    counts = rng.integers(5, 15, (3, 9))
    summands = np.stack([rng.binomial(counts, [[0.6], [0.5], [0.4]]), counts], axis=-1).astype(float)
    result = compare_systems(
        summands, statistic=precision, alternative=alternative, n_resamples=40_000, rng=1
    )
    for i, j, difference, pvalue in zip(
        result.first, result.second, result.difference, result.pvalue, strict=True
    ):
        actual = precision(summands[i].sum(0)) - precision(summands[j].sum(0))
        assert difference == pytest.approx(actual)
        pseudo = []
        for swap in itertools.product([False, True], repeat=9):
            s = np.array(swap)[:, None]
            left, right = np.where(s, summands[j], summands[i]), np.where(s, summands[i], summands[j])
            pseudo.append(precision(left.sum(0)) - precision(right.sum(0)))
        pseudo = np.array(pseudo)
        extreme = {
            "two-sided": abs(pseudo) >= abs(actual) - 1e-9,
            "greater": pseudo >= actual - 1e-9,
            "less": pseudo <= actual + 1e-9,
        }[alternative]
        assert pvalue == pytest.approx(extreme.mean(), abs=0.01)


def bleu(sums):
    """BLEU from correct and total n-gram counts, output and reference length, all summed."""
    with np.errstate(divide="ignore"):
        logs = np.log(sums[..., 2:6] / sums[..., 6:10]).mean(axis=-1)
    return 100 * np.exp(np.minimum(0, 1 - sums[..., 1] / sums[..., 0])) * np.exp(logs)


def test_corpus_bleu_agrees_with_sacrebleus_paired_randomization():
    """sacrebleu.significance.PairedTest (2.6), type "ar", on made-up sentences."""
    from sacrebleu.metrics import BLEU
    from sacrebleu.significance import PairedTest

    rng = np.random.default_rng(4)
    words = np.array([f"w{k}" for k in range(12)])
    references = [" ".join(rng.choice(words, 14)) for _ in range(60)]

    def noisy(rate):
        return [
            " ".join(w if rng.random() > rate else rng.choice(words) for w in r.split()) for r in references
        ]

    systems = {"base": noisy(0.30), "near": noisy(0.32)}
    metric = BLEU(references=[references], tokenize="none")
    test = PairedTest(list(systems.items()), {"BLEU": metric}, None, test_type="ar", n_samples=5000)
    theirs = test()[1]["BLEU"][1].p_value
    summands = np.array(
        [metric._extract_corpus_statistics(text, None) for text in systems.values()], dtype=float
    )
    ours = compare_systems(summands, statistic=bleu, n_resamples=10_000, rng=1)
    assert bleu(summands.sum(axis=1)) == pytest.approx(
        [metric.corpus_score(t, None).score for t in systems.values()]
    )
    # Two Monte Carlo estimates of at most .007 standard error each.
    assert ours.pvalue[0] == pytest.approx(theirs, abs=0.035)


def test_a_corpus_level_bootstrap_of_a_mean_is_the_bootstrap_of_the_mean():
    summands = np.stack([SCORES, np.ones_like(SCORES)], axis=-1)
    for test in ("bootstrap", "randomization"):
        as_corpus = compare_systems(summands, statistic=precision, test=test, n_resamples=999, rng=8)
        as_mean = compare_systems(SCORES, test=test, n_resamples=999, rng=8)
        assert as_corpus.pvalue == pytest.approx(as_mean.pvalue)


@pytest.mark.parametrize("test", ["randomization", "bootstrap"])
def test_missing_items_leave_each_pair_its_own_items(test):
    result = compare_systems(GAPS, test=test, n_resamples=20_000, rng=1)
    for i, j, difference, pvalue in zip(
        result.first, result.second, result.difference, result.pvalue, strict=True
    ):
        both = np.isfinite(GAPS[i]) & np.isfinite(GAPS[j])
        alone = compare_systems(GAPS[[i, j]][:, both], test=test, n_resamples=20_000, rng=2)
        assert difference == pytest.approx(alone.difference[0])
        # The bootstrap draws among all items, so the number a pair gets varies a little: not quite the same p.
        assert pvalue == pytest.approx(alone.pvalue[0], abs=0.035)


def test_pairs_in_small_blocks_have_the_same_results(monkeypatch):
    names = ("metrics.meta.common", "metrics.meta.randomization", "metrics.meta.significance")
    whole = {
        t: compare_systems(GAPS, test=t, n_resamples=64, rng=1).pvalue for t in ("t", "sign", "wilcoxon")
    }
    for name in names:
        monkeypatch.setattr(f"{name}.BATCH_NUMBERS", 64)
    for test, expected in whole.items():
        assert compare_systems(GAPS, test=test).pvalue == pytest.approx(expected)
    for scores in (SCORES, GAPS):
        blocks = compare_systems(scores, n_resamples=4000, rng=1)
        exactly = [
            stats.ttest_rel(scores[i], scores[j], nan_policy="omit").pvalue
            for i, j in zip(blocks.first, blocks.second, strict=True)
        ]
        assert blocks.pvalue == pytest.approx(exactly, abs=0.05)


def test_memory_does_not_grow_with_the_number_of_items():
    peaks = []
    for items in (2_000, 20_000):
        scores = np.random.default_rng(0).normal(size=(6, items))
        tracemalloc.start()
        compare_systems(scores, n_resamples=1_000, rng=1)
        peaks.append(tracemalloc.get_traced_memory()[1] - 3 * scores.nbytes)
        tracemalloc.stop()
    assert peaks[1] < 1.3 * peaks[0]


@given(
    st.integers(0, 10**6),
    st.sampled_from(["randomization", "t", "wilcoxon", "sign", "rank-sum", "z", "bootstrap"]),
)
@settings(max_examples=40, deadline=None)
def test_scale_and_direction_behave(seed, test):
    """An affine map changes no p-value; negating scores exchanges greater and less."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(3, 12))
    greater = compare_systems(scores, test=test, alternative="greater", n_resamples=200, rng=1).pvalue
    rescaled = compare_systems(
        4 * scores + 9, test=test, alternative="greater", n_resamples=200, rng=1
    ).pvalue
    negated = compare_systems(-scores, test=test, alternative="less", n_resamples=200, rng=1).pvalue
    assert rescaled == pytest.approx(greater)
    assert negated == pytest.approx(greater)


@given(st.integers(0, 10**6), st.sampled_from(["t", "wilcoxon", "sign", "rank-sum", "z"]))
@settings(max_examples=30, deadline=None)
def test_the_order_of_items_does_not_matter_and_that_of_systems_turns_the_sign(seed, test):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(2, 15))
    plain = compare_systems(scores, test=test)
    shuffled = compare_systems(scores[:, rng.permutation(15)], test=test)
    exchanged = compare_systems(scores[::-1], test=test)
    assert shuffled.pvalue == pytest.approx(plain.pvalue)
    assert exchanged.pvalue == pytest.approx(plain.pvalue)
    assert exchanged.difference == pytest.approx(-plain.difference)


def test_a_larger_difference_is_never_less_significant():
    for test in ("randomization", "bootstrap", "t", "z"):
        pvalues = [
            compare_systems(np.stack([SCORES[0] + shift, SCORES[0][::-1]]), test=test, rng=1).pvalue[0]
            for shift in (0.2, 0.5, 1.0)
        ]
        assert pvalues == sorted(pvalues, reverse=True), test


def test_shapiro_wilk_is_scipys():
    result = normality(GAPS)
    for row, w, p in zip(GAPS, result.statistic, result.pvalue, strict=True):
        assert (w, p) == pytest.approx(tuple(stats.shapiro(row[np.isfinite(row)])))
    with pytest.warns(UndefinedScoreWarning):
        assert np.isnan(normality([[1.0, 1.0, 1.0, 1.0]]).pvalue[0])


@pytest.mark.parametrize("test", ["t", "wilcoxon", "sign"])
def test_two_equal_systems_have_no_paired_test(test):
    with pytest.warns(UndefinedScoreWarning):
        assert np.isnan(compare_systems(np.stack([SCORES[0]] * 2), test=test).pvalue[0])


@pytest.mark.parametrize("test", ["randomization", "t", "rank-sum"])
def test_systems_without_common_items_give_nan_and_a_warning(test):
    scores = np.array([[1.0, 2, 3, np.nan, np.nan, np.nan], [np.nan] * 6])
    with pytest.warns(UndefinedScoreWarning):
        assert np.isnan(compare_systems(scores, test=test, n_resamples=9, rng=1).pvalue[0])


def test_bad_arguments_are_refused():
    for options in ({"test": "anova"}, {"alternative": "more"}, {"n_resamples": 0}):
        with pytest.raises(BadInput):
            compare_systems(SCORES, **options)
    with pytest.raises(BadInput, match="corpus-level"):
        compare_systems(np.ones((2, 3, 2)), test="t", statistic=precision)
    with pytest.raises(BadInput, match="full array"):
        compare_systems(np.ones((2, 3)), statistic=precision)


def test_the_same_seed_gives_the_same_pvalues_and_is_reported():
    first, second = (compare_systems(SCORES, n_resamples=300, rng=11) for _ in range(2))
    assert (first.pvalue == second.pvalue).all()
    assert first.signature == second.signature
    assert first.signature.startswith("randomization|alternative:two-sided|pairs:6|resamples:300|seed:11|")
    drawn = compare_systems(SCORES, n_resamples=300)
    assert drawn.seed is not None
    assert (compare_systems(SCORES, n_resamples=300, rng=drawn.seed).pvalue == drawn.pvalue).all()


TIED = np.array([2, 1, -1, 3, 1, 2, -1, 1, 0, 2, 1, -2, 1, 3, 2, 1, -1, 2, 1, 1], dtype=float)
MANY_TIED = np.tile([2, 1, -1, 3, 1, 2, -1, 1, -3, 2, 1, -2, 1, 3, 2, 1, -1, 2, -1, -2], 3).astype(float)


@pytest.mark.parametrize(
    ("alternative", "few", "many"),
    [
        ("two-sided", 0.00978469848632812, 0.0180274209203164),
        ("greater", 0.00489234924316406, 0.00901371046015818),
        ("less", 0.99699592590332, 0.991167699398169),
    ],
)
def test_tied_differences_have_the_signed_rank_pvalues_of_r(alternative, few, many):
    """R 4, coin 1.4: pvalue(wilcoxsign_test(TIED ~ rep(0, 20), distribution="exact", zero.method="Wilcoxon",
    alternative=…)); above 50 differences wilcox.test(MANY_TIED, alternative=…)$p.value, which corrects for continuity."""
    for differences, expected in ((TIED, few), (MANY_TIED, many)):
        scores = np.stack([differences, np.zeros(len(differences))])
        result = compare_systems(scores, test="wilcoxon", alternative=alternative)
        assert result.pvalue[0] == pytest.approx(expected, rel=1e-12)


def test_few_items_are_exchanged_in_every_way():
    """SciPy goes through all 2¹⁰ exchanges of ten items; so does 10,000 draws' worth of randomisation, for every seed."""
    scores = SCORES[:, :10]
    result = compare_systems(scores, test="randomization", rng=1)
    expected = [
        stats.permutation_test(
            (scores[i], scores[j]),
            lambda a, b, axis: (a - b).mean(axis),
            permutation_type="samples",
            n_resamples=10_000,
        ).pvalue
        for i, j in zip(result.first, result.second, strict=True)
    ]
    assert result.pvalue == pytest.approx(expected)
    assert compare_systems(scores, test="randomization", rng=2).pvalue.tolist() == result.pvalue.tolist()


def test_few_items_of_a_corpus_metric_are_exchanged_in_every_way():
    rng = np.random.default_rng(3)
    counts = rng.integers(5, 15, (2, 6))
    summands = np.stack([rng.binomial(counts, 0.5), counts], axis=-1).astype(float)

    def precision(sums):
        return sums[..., 0] / sums[..., 1]

    a, b = summands
    swaps = np.array(list(itertools.product([0, 1], repeat=6)))[..., None]
    pseudo = precision((a + swaps * (b - a)).sum(1)) - precision((b + swaps * (a - b)).sum(1))
    observed = precision(a.sum(0)) - precision(b.sum(0))
    result = compare_systems(summands, statistic=precision)
    assert result.pvalue[0] == pytest.approx(np.mean(np.abs(pseudo) >= abs(observed) - 1e-12))


def test_a_bootstrap_draws_from_the_items_that_both_systems_have():
    """Two items of the second system alone: its p-value was .0001, because samples without common items were NaN."""
    whole = [[1, 2, 3, 4], [1.1, 1.9, 3.1, 3.9]]
    gaps = [[1, 2, 3, 4, np.nan, np.nan], [1.1, 1.9, 3.1, 3.9, 5, 6]]
    expected = compare_systems(whole, test="bootstrap", rng=1).pvalue[0]
    assert expected == pytest.approx(0.627, abs=0.001)
    # Two estimates from 10,000 draws each differ by .007 (standard error).
    assert compare_systems(gaps, test="bootstrap", rng=1).pvalue[0] == pytest.approx(expected, abs=0.03)


@pytest.mark.filterwarnings("ignore::metrics.errors.UndefinedScoreWarning")
def test_differences_that_only_rounding_makes_are_none():
    """.1 + .2 is not .3 to a computer: no item speaks for either system, and a constant difference has no t."""
    scores = [[0.1 + 0.2, 0.5, 0.7, 0.6], [0.3, 0.5, 0.7, 0.1 + 0.2 + 0.3]]
    for test in ("sign", "wilcoxon", "t"):
        assert np.isnan(compare_systems(scores, test=test).pvalue[0])
    shifted = [[0.3, 0.4, 0.5, 0.6], [0.2, 0.3, 0.4, 0.5]]
    assert np.isnan(compare_systems(shifted, test="t").pvalue[0])
    assert compare_systems(shifted, test="wilcoxon").pvalue[0] == 0.125
    # Two of these three differences are the same to the last bit and one is not: t was 7e14, p 2e-30.
    assert np.isnan(compare_systems([[1.1, 2.2, 3.3], [1, 2.1, 3.2]], test="t").pvalue[0])
