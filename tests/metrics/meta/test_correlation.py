"""Correlations at four levels, against SciPy, nlpstats, mt-metrics-eval and the tables of the papers."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from metrics.errors import BadInput, UndefinedScoreWarning
from metrics.meta import clustered
from metrics.meta.coefficients import COEFFICIENTS
from metrics.meta.common import ConfidenceInterval
from metrics.meta.correlation import correlate, correlate_all
from metrics.meta.correlation_intervals import fisher_interval

SCIPY = {
    "pearson": stats.pearsonr,
    "spearman": stats.spearmanr,
    "kendall": stats.kendalltau,
    "kendall-c": lambda a, b, **k: stats.kendalltau(a, b, variant="c", **k),
}

# Graham (2015), Table 3: twelve systems under the best ROUGE variant and under the one used originally.
GRAHAM_BEST = [8.498, 8.317, 8.187, 8.047, 7.717, 7.690, 7.643, 6.918, 6.838, 6.671, 6.660, 6.655]
GRAHAM_ORIGINAL = [9.62, 9.78, 9.75, 9.35, 9.20, 8.96, 9.76, 8.53, 8.11, 8.15, 7.97, 7.47]

# Lin & Hovy (2003), Tables 2 and 3: Pearson ρ and the LR_t and CD printed beside it, with 11 degrees of freedom for
# single documents and 13 for multiple documents.
LIN_HOVY = [
    (13, 0.295, 1.025, 0.087),
    (13, 0.907, 7.130, 0.822),
    (13, 0.827, 4.873, 0.683),
    (15, 0.735, 3.910, 0.540),
    (15, 0.965, 13.230, 0.931),
    (15, 0.844, 5.681, 0.713),
    (15, 0.974, 15.648, 0.950),
    (15, 0.946, 10.569, 0.896),
    (15, 0.567, 2.480, 0.321),
    (15, 0.830, 5.358, 0.688),
]


def with_pearson(r: float, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Two vectors of length n whose Pearson correlation is exactly r."""
    rng = np.random.default_rng(n)
    x = stats.zscore(rng.normal(size=n))
    noise = rng.normal(size=n)
    noise = stats.zscore(noise - noise.mean() - x * (noise @ x) / n)
    return x, r * x + np.sqrt(1 - r**2) * noise


def test_kendall_between_the_columns_of_grahams_table_3():
    result = correlate(GRAHAM_BEST, GRAHAM_ORIGINAL, method="kendall")
    assert result.statistic == pytest.approx(0.7576, abs=5e-5)
    assert result.n == 12


@pytest.mark.parametrize(("n", "r", "t", "cd"), LIN_HOVY)
def test_regression_t_and_determination_follow_from_pearson_as_in_lin_and_hovy(n, r, t, cd):
    x, y = with_pearson(r, n)
    # The printed r is rounded to three digits, and t magnifies that by dt/dr = √(n−2)/(1−r²)^1.5.
    slack = 6e-4 * np.sqrt(n - 2) / (1 - r**2) ** 1.5
    assert correlate(x, y, method="regression-t").statistic == pytest.approx(t, abs=slack)
    assert correlate(x, y, method="r2").statistic == pytest.approx(cd, abs=2e-3)


def test_system_average_level_is_the_mean_over_systems_as_in_the_meteor_paper():
    """Banerjee & Lavie (2005), Table 2: six systems' correlations average to .347."""
    table = {"ame": 0.331, "ara": 0.278, "arb": 0.399, "ari": 0.363, "arm": 0.341, "arp": 0.371}
    rows = [with_pearson(r, 40) for r in table.values()]
    human, metric = np.array([x for x, _ in rows]), np.array([y for _, y in rows])
    result = correlate(human, metric, level="system-average")
    assert result.statistic == pytest.approx(0.347, abs=5e-4)
    assert result.n == 6


# nlpstats (Deutsch), tests/correlations/correlations_test.py.
NLPSTATS_X = np.array([[1, 9, 2], [4, 5, 2], [6, 7, 1]])
NLPSTATS_Y = np.array([[11, 12, 13], [14, 15, 16], [17, 18, 19]])


@pytest.mark.parametrize(
    ("level", "method", "expected"),
    [
        ("system", "pearson", 0.6546536707),
        ("item", "pearson", -0.124208712),
        ("global", "pearson", 0.0),
        ("system", "spearman", 0.5),
        ("item", "spearman", -0.1220084679),
        ("global", "spearman", 0.04201829034),
        ("system", "kendall", 0.33333333333),
        ("item", "kendall", -0.0499433047),
        ("global", "kendall", 0.11433239009),
    ],
)
def test_levels_agree_with_nlpstats(level, method, expected):
    assert correlate(NLPSTATS_Y, NLPSTATS_X, level=level, method=method).statistic == pytest.approx(
        expected, abs=1e-9
    )


@pytest.mark.parametrize(
    ("level", "x", "expected"),
    [
        ("system", [[1, 9, 2], [4, 5, np.nan], [6, np.nan, 2]], -0.09578262852),
        ("item", [[1, 9, 2], [np.nan, 5, 4], [6, 7, 7]], 0.4977997559),
        ("item", [[1, 9, 2], [4, 5, 2], [6, 7, 2]], 0.2466996339),
        ("global", [[1, 9, 2], [4, 5, np.nan], [np.nan, 7, 2]], 0.05436067275),
    ],
)
def test_missing_scores_are_left_out_as_in_nlpstats(level, x, expected):
    """Its tests give both matrices the same gaps; a constant item has no correlation and is skipped."""
    y = np.where(np.isnan(x), np.nan, NLPSTATS_Y)
    assert correlate(y, x, level=level).statistic == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("level", "method", "expected"),
    [
        ("global", "pearson", 0.776),
        ("system-average", "pearson", 0.760),
        ("item", "pearson", 1.00),
        ("global", "kendall", 0.552),
        ("system-average", "kendall", 0.575),
        ("item", "kendall", 1.00),
        ("global", "kendall-c", 0.556),
        ("system-average", "kendall-c", 0.611),
        ("item", "kendall-c", 1.00),
    ],
)
@pytest.mark.filterwarnings("ignore::metrics.errors.UndefinedScoreWarning")
def test_levels_agree_with_mt_metrics_eval(level, method, expected):
    """google-research/mt-metrics-eval, stats_test.py: 2 systems × 3 segments."""
    gold, metric = np.reshape([1, 2, 3, 4, 5, 6], (2, 3)), np.reshape([2, 1, 4, 3, 3, 7], (2, 3))
    assert correlate(gold, metric, level=level, method=method).statistic == pytest.approx(expected, abs=5e-4)


# nlpstats, tests/correlations/fisher_test.py: numpy's legacy seed 12, two 5 × 7 matrices, Bonett & Wright intervals.
NLPSTATS_FISHER = [
    ("global", "pearson", -0.02763744135012373, 0.5818846438651135),
    ("global", "spearman", -0.06733469087453943, 0.5640758668009686),
    ("global", "kendall", -0.029964677270600665, 0.4098565164085108),
    ("system", "pearson", -0.6445648014599665, 0.9644395142168088),
    ("system", "spearman", -0.6708734441360908, 0.9756771001362685),
    ("system", "kendall", -0.7023910748254728, 0.9377789575997956),
    ("item", "pearson", -0.808376631595968, 0.9287863878043723),
    ("item", "spearman", -0.7262127280589684, 0.9653646507719408),
    ("item", "kendall", -0.684486849088761, 0.9418063314024349),
]


@pytest.mark.parametrize(("level", "method", "low", "high"), NLPSTATS_FISHER)
def test_fisher_intervals_agree_with_nlpstats(level, method, low, high):
    legacy = np.random.RandomState(12)
    x, y = legacy.rand(5, 7), legacy.rand(5, 7)
    result = correlate(y, x, level=level, method=method, interval="fisher")
    assert (result.confidence_interval.low, result.confidence_interval.high) == pytest.approx(
        (low, high), abs=1e-9
    )


def test_the_pearson_interval_is_scipys():
    x, y = with_pearson(0.6, 30)
    expected = stats.pearsonr(x, y).confidence_interval(0.9)
    ours = correlate(x, y, confidence_level=0.9).confidence_interval
    assert (ours.low, ours.high) == pytest.approx((expected.low, expected.high))


@pytest.mark.parametrize("method", SCIPY)
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_statistic_and_pvalue_are_scipys(method, alternative):
    rng = np.random.default_rng(5)
    x = rng.integers(0, 6, 25).astype(float)
    y = x + rng.integers(0, 6, 25)
    expected = SCIPY[method](x, y, alternative=alternative)
    result = correlate(x, y, method=method, alternative=alternative)
    assert (result.statistic, result.pvalue) == pytest.approx(
        (expected.statistic, expected.pvalue), abs=1e-12
    )


def test_r2_and_regression_t_are_those_of_scipys_linregress():
    x, y = with_pearson(-0.4, 20)
    line = stats.linregress(x, y)
    squared, slope = correlate(x, y, method="r2"), correlate(x, y, method="regression-t")
    assert squared.statistic == pytest.approx(line.rvalue**2)
    assert slope.statistic == pytest.approx(line.slope / line.stderr)
    assert squared.pvalue == slope.pvalue == pytest.approx(line.pvalue)


def test_the_r2_interval_reaches_zero_when_the_sign_of_r_is_uncertain():
    x, y = with_pearson(0.1, 20)
    interval = correlate(x, y, method="r2").confidence_interval
    assert interval.low == 0
    assert interval.high == pytest.approx(stats.pearsonr(x, y).confidence_interval().high ** 2)


def test_averaged_levels_have_the_t_interval_of_the_groups_mean():
    rng = np.random.default_rng(3)
    x = rng.normal(size=(8, 12))
    y = x + rng.normal(size=(8, 12))
    groups = [stats.pearsonr(x[:, i], y[:, i]).statistic for i in range(12)]
    expected = stats.ttest_1samp(groups, 0)
    interval = expected.confidence_interval()
    result = correlate(x, y, level="item")
    assert result.statistic == pytest.approx(np.mean(groups))
    assert (result.confidence_interval.low, result.confidence_interval.high) == pytest.approx(
        (interval.low, interval.high)
    )
    assert result.n == 12


@pytest.mark.parametrize("level", ["item", "global"])
@pytest.mark.parametrize("method", ["pearson", "spearman", "kendall", "kendall-c", "ccc"])
def test_pvalues_over_cells_deal_whole_systems_anew(level, method):
    """All 120 ways to give five rows of a metric to five systems, each correlated as usual; ties on both sides."""
    rng = np.random.default_rng(8)
    human = np.round(rng.normal(size=(5, 9)))
    metric = np.round(human + 2 * rng.normal(size=(5, 9)))
    result = correlate(human, metric, level=level, method=method, alternative="greater")
    if level == "global" and method.startswith("kendall"):
        assert np.isnan(result.pvalue)
        return
    dealt = [
        correlate(human, metric[list(order)], level=level, method=method, n_resamples=1, rng=1).statistic
        for order in itertools.permutations(range(5))
    ]
    assert result.pvalue == np.mean(np.array(dealt) >= result.statistic - 1e-12)
    assert result.test == "permute-systems"


def test_a_metric_that_likes_systems_is_no_finding_on_every_item():
    """Noise that is the same on all 40 items: a t-test over items rejects in most cases, dealing systems in 5 %."""
    rng = np.random.default_rng(4)
    found = tested_over_items = 0
    for _ in range(200):
        human = rng.normal(size=(6, 1)) + 0.5 * rng.normal(size=(6, 40))
        metric = rng.normal(size=(6, 1)) + 0.5 * rng.normal(size=(6, 40))
        result = correlate(human, metric, level="item", n_resamples=999, rng=1)
        found += result.pvalue <= 0.05
        tested_over_items += not result.confidence_interval.low <= 0 <= result.confidence_interval.high
    assert found <= 20  # 200 at .05 have a standard deviation of 3.1
    assert tested_over_items >= 120


def test_kendall_over_many_points_has_the_normal_pvalue_of_daniels_variance(monkeypatch):
    """Daniels (1944): the variance of τ's sum over all deals, against deals that were drawn."""
    rng = np.random.default_rng(6)
    human = np.round(rng.normal(size=(20, 7)), 1)
    metric = np.round(0.3 * human + rng.normal(size=(20, 7)), 1)
    drawn = correlate(human, metric, level="item", method="kendall", n_resamples=50_000, rng=1)
    monkeypatch.setattr(clustered, "LARGEST_TABLE", 3)
    normal = correlate(human, metric, level="item", method="kendall")
    assert normal.pvalue == pytest.approx(drawn.pvalue, rel=0.05, abs=0.002)


def test_means_that_are_equal_fractions_tie():
    """.1 + .2 + .3 and .3 + .2 + .1 differ by one unit in the last place; SciPy on exact means: τ .9129, ρ .9487."""
    human = [[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.5] * 3, [0.7] * 3]
    exact = [0.2, 0.2, 0.5, 0.7]
    for method in ("kendall", "spearman", "kendall-c"):
        result = correlate(human, [1, 2, 3, 4], method=method)
        assert result.statistic == pytest.approx(SCIPY[method](exact, [1, 2, 3, 4]).statistic)


def test_of_several_equal_fractions_none_is_left_behind():
    """.3, and twice .1 + .2: the second of two that are the same to the last bit was not joined to the first."""
    human = [0.3, 0.1 + 0.2, 0.1 + 0.2, 0.7]
    expected = stats.kendalltau([0.3, 0.3, 0.3, 0.7], [1, 2, 3, 4]).statistic
    assert correlate(human, [1, 2, 3, 4], method="kendall").statistic == pytest.approx(expected)


def test_spearmans_pvalue_is_exact_up_to_nine_points():
    """R 4: cor.test(1:7, c(2,1,4,3,7,5,6), method="spearman", exact=TRUE, alternative=…)$p.value"""
    expected = {"two-sided": 0.0341269841269841, "greater": 0.0170634920634921, "less": 0.988095238095238}
    for alternative, value in expected.items():
        result = correlate(range(7), [2, 1, 4, 3, 7, 5, 6], method="spearman", alternative=alternative)
        assert result.pvalue == pytest.approx(value)


def test_spearmans_pvalue_counts_all_orders_of_tied_ranks():
    a, b = [1, 2, 2, 3, 4, 5], [2, 1, 3, 3, 5, 4]
    expected = stats.permutation_test(
        (a,), lambda x: stats.spearmanr(x, b).statistic, permutation_type="pairings", alternative="greater"
    )
    result = correlate(a, b, method="spearman", alternative="greater")
    assert result.pvalue == pytest.approx(expected.pvalue)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_kendalls_pvalue_counts_all_orders_of_ties(alternative):
    """SciPy's normal approximation says .071 of four points of which two tie; of 24 orders 4 are as extreme, 2 on each side."""
    human, metric = [1, 2, 3, 4], [0.2, 0.2, 0.5, 0.7]
    expected = {"two-sided": 4 / 24, "greater": 2 / 24, "less": 1.0}[alternative]
    assert correlate(human, metric, method="kendall", alternative=alternative).pvalue == pytest.approx(
        expected
    )
    a, b = [1, 1, 2, 3, 4, 4, 5], [2, 1, 2, 2, 5, 3, 4]
    orders = np.array(list(itertools.permutations(b)))
    i, j = np.triu_indices(len(a), 1)
    # τ-b: ties are the same in all orders, so that concordant less discordant pairs are divided by the same number.
    untied = np.sqrt((np.diff([np.array(a)[i], np.array(a)[j]], axis=0) != 0).sum())
    untied *= np.sqrt((np.diff([np.array(b)[i], np.array(b)[j]], axis=0) != 0).sum())
    all_orders = (np.sign(orders[:, j] - orders[:, i]) @ np.sign(np.array(a)[j] - np.array(a)[i])) / untied
    own = stats.kendalltau(a, b).statistic
    some = [stats.kendalltau(a, order).statistic for order in orders[::500]]
    assert all_orders[::500] == pytest.approx(some)
    more, less = (all_orders >= own - 1e-9).mean(), (all_orders <= own + 1e-9).mean()
    expected = {"two-sided": 2 * min(more, less), "greater": more, "less": less}[alternative]
    assert correlate(a, b, method="kendall", alternative=alternative).pvalue == pytest.approx(expected)


@pytest.mark.filterwarnings("ignore::metrics.errors.UndefinedScoreWarning")
@pytest.mark.parametrize("method", ["pearson", "spearman", "kendall", "r2", "regression-t"])
@pytest.mark.parametrize("interval", ["fisher", "bootstrap-systems"])
def test_five_points_on_a_line_do_not_make_a_certain_interval(method, interval):
    result = correlate([1, 2, 3, 4, 5], [2, 4, 6, 8, 10], method=method, interval=interval, rng=1)
    assert np.isnan(result.confidence_interval.low)
    assert np.isnan(result.confidence_interval.high)


@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_a_one_sided_alternative_has_a_one_sided_interval(alternative):
    """SciPy's pearsonr has the same."""
    expected = stats.pearsonr(GRAHAM_BEST, GRAHAM_ORIGINAL, alternative=alternative)
    result = correlate(GRAHAM_BEST, GRAHAM_ORIGINAL, alternative=alternative)
    for level in (0.95, 0.8):
        ours, theirs = result.confidence_interval(level), expected.confidence_interval(level)
        assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high))
    drawn = correlate(
        GRAHAM_BEST, GRAHAM_ORIGINAL, alternative=alternative, interval="bootstrap-systems", rng=1
    ).confidence_interval
    assert (drawn.high if alternative == "greater" else drawn.low) == {"greater": 1, "less": -1}[alternative]


def test_many_metrics_at_once_have_the_results_of_each_alone():
    rng = np.random.default_rng(9)
    human = pd.DataFrame(rng.normal(size=(6, 8)), index=list("abcdef"))
    tables = {f"m{k}": human + k * rng.normal(size=(6, 8)) for k in range(1, 4)}
    tables["fewer"] = tables["m1"].iloc[1:, :5].rename(columns=str).rename(columns=int)
    tables["gaps"] = tables["m2"].mask(rng.random((6, 8)) < 0.2)
    for level in ("system", "item", "global", "system-average"):
        for method in ("pearson", "kendall", "spearman"):
            options = {"level": level, "method": method, "n_resamples": 99, "rng": 3}
            together = correlate_all(human, tables, **options)
            for name, table in tables.items():
                alone = correlate(human, table, **options)
                assert together[name].signature == alone.signature
                assert (together[name].statistic, together[name].pvalue) == pytest.approx(
                    (alone.statistic, alone.pvalue), nan_ok=True
                )


def test_masked_scores_are_missing_scores():
    scores = np.ma.array([1.0, 2.0, 3.0, 4.0, 500.0], mask=[0, 0, 0, 0, 1])
    result = correlate([1, 3, 2, 4, 5], scores)
    assert result.n == 4
    assert result.statistic == pytest.approx(0.8)


def test_missing_scores_are_left_out_refused_or_passed_on():
    gap = [1, 2, np.nan, 4, 5]
    assert correlate(gap, [1, 2, 3, 4, 6]).n == 4
    assert np.isnan(correlate(gap, [1, 2, 3, 4, 6], nan_policy="propagate").statistic)
    with pytest.raises(BadInput, match="nan_policy"):
        correlate(gap, [1, 2, 3, 4, 6], nan_policy="raise")


def test_no_interval_of_averaged_correlations_reaches_beyond_one():
    """Two items with correlations 1 and .5: the t interval of their mean would go from −2.4 to 3.9."""
    human = np.array([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])
    metric = np.array([[1.0, 1.0], [2.0, 3.0], [3.0, 2.0]])
    result = correlate(human, metric, level="item")
    assert result.statistic == pytest.approx(0.75)
    assert result.confidence_interval == ConfidenceInterval(-1.0, 1.0)


@pytest.mark.parametrize(
    ("level", "human", "metric"),
    [
        ("item", [[0, 0], [0, 2], [1, 1]], [[0, 1], [2, 1], [1, 2]]),
        ("system-average", [[2, 2], [0, 1], [1, 0], [2, 2]], [[0, 0], [0, 2], [0, 1], [2, 2]]),
    ],
)
@pytest.mark.filterwarnings("ignore:the interval of an average")
def test_correlations_that_only_rounding_tells_apart_are_one(level, human, metric):
    """Before: of tenths there was an interval of width 10^-32 about 0, which claimed to be sure, and a p where there is none."""
    whole, tenths = (
        correlate(unit * np.array(human), unit * np.array(metric), level=level) for unit in (1.0, 0.1)
    )
    for name in ("low", "high"):
        own, expected = (getattr(one.confidence_interval, name) for one in (tenths, whole))
        assert own == pytest.approx(expected, nan_ok=True)
    assert tenths.pvalue == pytest.approx(whole.pvalue, nan_ok=True)


def test_concordance_agrees_with_keras():
    """Keras documentation of concordance_correlation: 0.97560976 and 0.98765432."""
    truth, predicted = [[0, 1, 0.5], [1, 1, 0.2]], [[0.1, 0.9, 0.5], [1, 0.9, 0.2]]
    for a, b, expected in zip(truth, predicted, [0.97560976, 0.98765432], strict=True):
        assert correlate(a, b, method="ccc").statistic == pytest.approx(expected, abs=1e-8)


def test_concordance_error_is_that_of_simulated_samples():
    """The spread of atanh(CCC) over 4,000 normal samples of 60 is what Lin's formula says it is."""
    rng = np.random.default_rng(11)
    x = rng.normal(0, 1, (4000, 60))
    y = 0.3 + 1.2 * (0.8 * x + 0.6 * rng.normal(size=x.shape))
    drawn = COEFFICIENTS["ccc"](x[:, None, :], y[:, None, :], np.ones((1, 60)))[:, 0]
    results = [
        correlate(a, b, method="ccc").confidence_interval for a, b in zip(x[:200], y[:200], strict=True)
    ]
    predicted = np.median([(np.arctanh(ci.high) - np.arctanh(ci.low)) / 2 / 1.959964 for ci in results])
    assert predicted == pytest.approx(np.arctanh(drawn).std(), rel=0.06)


def test_kendall_and_rouge_recall_on_realsumm(shared):
    """Bhandari et al. (2020): means over 100 documents of τ over 25 systems (shared data README)."""
    scores = pd.read_csv(shared / "data/realsumm/scores_dict_flat.csv")
    systems = scores["kind"] + "/" + scores["sys"]
    # The abstractive bart_out is a copy of the extractive one under the same file name: kind keeps them apart.
    assert systems.nunique() == 25
    table = scores.assign(system=systems)
    human = table.pivot_table(index="system", columns="doc", values="litepyramid_recall")
    expected = {"rouge_1_recall": 0.4064, "rouge_2_recall": 0.3488, "rouge_l_recall": 0.3929}
    for name, value in expected.items():
        metric = table.pivot_table(index="system", columns="doc", values=name)
        result = correlate(human, metric, level="item", method="kendall")
        assert result.statistic == pytest.approx(value, abs=5e-5), name
        assert result.n == 100


def test_fewer_than_three_systems_give_nan_and_a_warning():
    with pytest.warns(UndefinedScoreWarning, match="3 are needed"):
        result = correlate([1, 2], [3, 4])
    assert np.isnan([result.statistic, result.pvalue, result.confidence_interval.low]).all()
    assert result.n == 2


@pytest.mark.parametrize("method", [name for name in COEFFICIENTS if name != "ccc"])
@pytest.mark.parametrize("level", ["system", "item", "global", "system-average"])
def test_constant_scores_give_nan_and_a_warning(method, level):
    x = np.random.default_rng(0).normal(size=(5, 6))
    with pytest.warns(UndefinedScoreWarning):
        assert np.isnan(correlate(x, np.full((5, 6), 0.3), level=level, method=method).statistic)


def test_labelled_tables_are_matched_by_label():
    human = pd.DataFrame([[1.0, 2], [5, 4], [3, 9], [0, 0]], index=list("abcz"), columns=["x", "y"])
    metric = pd.DataFrame([[7.0, 3, 1], [2, 8, 5], [4, 4, 4]], index=list("cab"), columns=["y", "x", "w"])
    expected = stats.pearsonr([1, 2, 5, 4, 3, 9], [8, 2, 4, 4, 3, 7]).statistic
    assert correlate(human, metric, level="global").statistic == pytest.approx(expected)


def test_tables_without_a_common_system_are_refused():
    human = pd.DataFrame([[1.0, 2]], index=["a"], columns=["x", "y"])
    with pytest.raises(BadInput, match="share no system"):
        correlate(human, human.rename(index={"a": "b"}))


@pytest.mark.parametrize(
    "options",
    [
        {"level": "document"},
        {"method": "tau"},
        {"alternative": "both"},
        {"interval": "wald"},
        {"interval": "t"},
        {"confidence_level": 1.0},
        {"interval": "bootstrap-both", "n_resamples": 0},
    ],
)
def test_unknown_options_are_refused(options):
    with pytest.raises(BadInput):
        correlate([[1, 2], [2, 1], [5, 6]], [[1, 2], [2, 2], [5, 7]], **options)


def test_the_signature_says_how_the_number_was_made():
    x, y = with_pearson(0.5, 12)
    result = correlate(x, y, interval="bootstrap-systems", n_resamples=99, rng=7)
    assert result.signature.startswith(
        "pearson|level:system|n:12|alternative:two-sided|interval:bootstrap-systems"
    )
    assert "|resamples:99|seed:7|version:touchstone-" in result.signature


matrices = st.integers(3, 7).flatmap(
    lambda systems: st.integers(3, 6).flatmap(
        lambda items: st.tuples(*[
            st.lists(
                st.lists(st.one_of(st.integers(0, 5), st.just(np.nan)), min_size=items, max_size=items),
                min_size=systems,
                max_size=systems,
            )
        ] * 2)
    )
)  # fmt: skip


def naive(human: np.ndarray, metric: np.ndarray, level: str, method: str) -> float:
    """The definition, one SciPy call per group."""

    def one(a, b):
        both = np.isfinite(a) & np.isfinite(b)
        a, b = a[both], b[both]
        if len(a) < 2 or np.ptp(a) == 0 or np.ptp(b) == 0:
            return np.nan
        return SCIPY[method](a, b).statistic

    with np.errstate(all="ignore"):
        if level == "system":
            means = [
                np.array([r[np.isfinite(r)].mean() if np.isfinite(r).any() else np.nan for r in m])
                for m in (human, metric)
            ]
            return one(*means)
        if level == "global":
            return one(human.ravel(), metric.ravel())
        rows = zip(human.T, metric.T, strict=True) if level == "item" else zip(human, metric, strict=True)
        values = [one(a, b) for a, b in rows]
        defined = [value for value in values if np.isfinite(value)]
        return float(np.mean(defined)) if defined else np.nan


@given(
    matrices, st.sampled_from(["system", "item", "global", "system-average"]), st.sampled_from(list(SCIPY))
)
@settings(max_examples=120, deadline=None)
@pytest.mark.filterwarnings("ignore")
def test_the_vectorised_form_is_the_naive_form(pair, level, method):
    human, metric = (np.array(m, dtype=float) for m in pair)
    result = correlate(human, metric, level=level, method=method)
    expected = naive(human, metric, level, method)
    if level in ("system", "global") and result.n < 3:
        expected = np.nan
    assert result.statistic == pytest.approx(expected, abs=1e-9, nan_ok=True)


@given(
    matrices,
    st.sampled_from(["system", "item", "global", "system-average"]),
    st.randoms(use_true_random=False),
)
@settings(max_examples=60, deadline=None)
@pytest.mark.filterwarnings("ignore")
def test_order_scale_and_roles_do_not_matter(pair, level, random):
    human, metric = (np.array(m, dtype=float) for m in pair)
    rows, columns = list(range(human.shape[0])), list(range(human.shape[1]))
    random.shuffle(rows)
    random.shuffle(columns)
    for method in SCIPY:
        value = correlate(human, metric, level=level, method=method).statistic
        shuffled = correlate(human[rows][:, columns], metric[rows][:, columns], level=level, method=method)
        rescaled = correlate(human, 3 * metric - 7, level=level, method=method)
        exchanged = correlate(metric, human, level=level, method=method)
        negated = correlate(human, -metric, level=level, method=method)
        same = [shuffled.statistic, rescaled.statistic, exchanged.statistic, -negated.statistic]
        assert same == pytest.approx([value] * 4, abs=1e-9, nan_ok=True)


def test_fisher_interval_is_undefined_below_its_degrees_of_freedom():
    assert np.isnan(fisher_interval(0.5, 3).low)
    assert np.isnan(fisher_interval(0.5, 4, method="kendall").low)
    assert np.isnan(fisher_interval(1.0, 10).low)


@pytest.mark.filterwarnings("ignore::metrics.errors.UndefinedScoreWarning")
def test_an_average_of_r_squared_has_no_p_value_because_noise_would_be_significant():
    rng = np.random.default_rng(5)
    result = correlate(rng.normal(size=(6, 20)), rng.normal(size=(6, 20)), level="item", method="r2")
    assert result.statistic > 0
    assert np.isnan(result.pvalue)
    assert result.confidence_interval.low >= 0
