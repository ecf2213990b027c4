"""Numbers of a whole report, made once more without our code.

SummEval (Fabbri et al. 2021; twelve systems, three experts): R 4.2.2 with lme4, lmerTest and emmeans, by ``tests/data/models/summeval.R``.
"""

import krippendorff
import numpy as np
import pandas as pd
import pytest
from scipy import stats

from metrics.frames import JUDGMENT_COLUMNS
from metrics.report import Options, build_report, records

FROM_R = {
    "coherence": {
        "variances": {
            "item:system": 0.4971129184,
            "item": 0.1241861488,
            "assessor:system": 0.1057713463,
            "assessor": 0.1240512789,
            "residual": 0.4376767852,
        },
        "M22": (4.18, 3.490366351, 4.869633649),
        "M22 - M11": (1.9, 0.810417973, 2.989582027),
        "error": 0.2887461419,
        "df": 28.34269592,
        "p": (3.674248108e-07, 2.425003751e-05),
        "significant": 15,
        "detectable": 1.351413315,
        "P(M22 > M20)": (0.61, 0.5120301705, 0.6998312599),
        "generalisability": 0.8960958193,
    },
    "relevance": {
        "variances": {
            "item:system": 0.2859917099,
            "item": 0.146684924,
            "assessor:system": 0.03908605024,
            "assessor": 0.06482216865,
            "residual": 0.4330359361,
        },
        "M22": (4.25, 3.759815741, 4.740184259),
        "M22 - M11": (1.103333333, 0.4090313066, 1.79763536),
        "error": 0.186182994,
        "df": 31.49506302,
        "p": (1.427056952e-06, 9.275870191e-05),
        "significant": 17,
        "detectable": 0.8617215533,
        "P(M22 > M20)": (0.815, 0.7277594434, 0.8789346527),
        "generalisability": 0.8783300343,
    },
}


# One worker builds the report for all of them.


@pytest.fixture(scope="module")
def ratings(shared):
    table = pd.read_csv(shared / "data/summeval/ratings_long_12sys.csv", dtype={"rater": str})
    return table[table["group"] == "expert"]


@pytest.fixture(scope="module")
def report(ratings):
    long = ratings.melt(["system", "doc", "rater"], list(FROM_R), "criterion")
    rows = long.rename(columns={"doc": "item", "rater": "assessor"})
    rows = rows.assign(study="summeval", task="experts", kind="rating").reindex(
        columns=list(JUDGMENT_COLUMNS)
    )
    scores = pd.DataFrame(
        [
            {"metric": name, "system": system, "item": "", "score": float(value)}
            for name, given in stand_ins(ratings).items()
            for system, value in given.items()
        ]
    )
    return build_report(rows, scores=scores, options=Options(n_resamples=100, seed=1)).data


def stand_ins(ratings):
    """Means of the other criteria in place of metrics: any scores of systems serve to correlate with."""
    means = ratings.groupby("system")[["consistency", "fluency"]].mean()
    return {name: means[name].to_dict() for name in means}


@pytest.mark.parametrize("score", list(FROM_R))
def test_systems_and_pairs_are_those_of_lme4_and_emmeans(report, score):
    section = next(one for one in report["human"] if one["score"] == score)
    theirs = FROM_R[score]
    assert section["comparison"]["variances"] == pytest.approx(theirs["variances"], rel=1e-4)
    system = next(row for row in records(section["systems"]) if row["system"] == "M22")
    assert [system[name] for name in ("estimate", "low", "high")] == pytest.approx(theirs["M22"], rel=1e-5)
    pairs = {(row["system_a"], row["system_b"]): row for row in records(section["pairs"])}
    pair = pairs["M22", "M11"]
    assert [pair[name] for name in ("difference", "low", "high")] == pytest.approx(
        theirs["M22 - M11"], rel=1e-4
    )
    assert [pair["error"], pair["df"]] == pytest.approx([theirs["error"], theirs["df"]], rel=1e-4)
    assert [pair["pvalue"], pair["pvalue_adjusted"]] == pytest.approx(theirs["p"], rel=1e-3)
    assert sum(row["pvalue_adjusted"] < 0.05 for row in pairs.values()) == theirs["significant"]
    assert f"{theirs['significant']} of 66 pairs differ significantly" in section["headline"]
    # Degrees of freedom are rounded to a tenth before the power is sought.
    assert pair["detectable"] == pytest.approx(theirs["detectable"], rel=2e-3)


@pytest.mark.parametrize("score", list(FROM_R))
def test_shares_of_items_won_and_generalisability_are_those_of_r(report, score):
    section = next(one for one in report["human"] if one["score"] == score)
    pair = next(
        row for row in records(section["pairs"]) if (row["system_a"], row["system_b"]) == ("M22", "M20")
    )
    found = [pair[name] for name in ("superiority", "superiority_low", "superiority_high")]
    assert found == pytest.approx(FROM_R[score]["P(M22 > M20)"], rel=1e-6)
    assert section["generalisability"]["generalisability"] == pytest.approx(
        FROM_R[score]["generalisability"], rel=1e-4
    )


def test_correlations_their_intervals_and_the_largest_of_permutations_are_scipys(report, ratings):
    """The p-value of the better one of two by SciPy's own permutation test, with the larger correlation as its statistic."""
    people = ratings.groupby("system")["coherence"].mean()
    made = {name: pd.Series(given)[people.index] for name, given in stand_ins(ratings).items()}
    meta = report["meta"][0]
    rows = {row["metric"]: row for row in records(meta["summary"])}
    for name, scores in made.items():
        theirs = stats.pearsonr(people, scores)
        ends = theirs.confidence_interval()
        assert rows[name]["pearson"] == pytest.approx(theirs.statistic)
        assert [rows[name]["low"], rows[name]["high"]] == pytest.approx([ends.low, ends.high])
        assert rows[name]["spearman"] == pytest.approx(stats.spearmanr(people, scores).statistic)
        assert rows[name]["kendall"] == pytest.approx(stats.kendalltau(people, scores).statistic)
    best = stats.permutation_test(
        (people.to_numpy(),),
        lambda shuffled: max(stats.pearsonr(shuffled, scores).statistic for scores in made.values()),
        permutation_type="pairings",
        alternative="greater",
        n_resamples=1_999,
        rng=1,
    )
    assert meta["selection"]["statistic"] == pytest.approx(best.statistic)
    assert meta["selection"]["pvalue"] == pytest.approx(best.pvalue, abs=0.01)


def test_agreement_of_few_items_can_be_made_once_more_from_the_methods(ratings):
    """α by the package krippendorff, of all and without each of seven documents; the interval as the methods text says it."""
    chosen = ratings[ratings["doc"].isin(sorted(ratings["doc"].unique())[:7])]
    rows = chosen.rename(columns={"doc": "item", "rater": "assessor", "coherence": "value"})
    rows = rows.assign(study="summeval", task="experts", kind="rating", criterion="coherence")
    data = build_report(
        rows.reindex(columns=list(JUDGMENT_COLUMNS)), options=Options(n_resamples=100, seed=1)
    ).data

    def alpha(table):
        values = table.pivot_table(index="rater", columns=["system", "doc"], values="coherence")
        return krippendorff.alpha(values.to_numpy(), level_of_measurement="ordinal")

    n = 7
    whole = np.log(1 - alpha(chosen))
    without = np.array([np.log(1 - alpha(chosen[chosen["doc"] != doc])) for doc in chosen["doc"].unique()])
    error = np.std(n * whole - (n - 1) * without, ddof=1) / np.sqrt(n) * np.sqrt(n / (n - 2))
    reach = stats.t.ppf(0.975, n - 1) * error
    (row,) = [row for row in records(data["agreement"]) if row["coefficient"] == "alpha-ordinal"]
    assert [row["value"], row["low"], row["high"]] == pytest.approx(
        [alpha(chosen), 1 - np.exp(whole + reach), 1 - np.exp(whole - reach)]
    )
    said = " ".join(data["methods"])
    assert (
        "the jackknife over items, with t on the scale of log(1 − coefficient), the error of n items" in said
    )
    assert "√(n / (n − 2))" in said
