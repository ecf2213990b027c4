"""Each check by itself: by hand, against SciPy, and on WMT's direct assessments."""

import numpy as np
import pandas as pd
import pytest
import scipy

from metrics.errors import UndefinedScoreWarning
from metrics.frames import JUDGMENT_COLUMNS, check_judgments, read_judgments
from metrics.human.registry import kinds
from metrics.quality import VERDICT, assess_quality
from tests.metrics.human.rows import attributes, table
from tests.metrics.human.test_wmt21_chain import raw_judgments


def row(found, check, assessor="a1"):
    rows = found.rows[(found.rows["check"] == check) & (found.rows["assessor"] == assessor)]
    assert len(rows) == 1, found.rows
    return rows.iloc[0]


def checks(found):
    return set(found.rows["check"])


def work(values, **common):
    """One person's values on i0, i1 …"""
    return [
        {"item": f"i{n}", "criterion": "adequacy", "value": value, "position": n} | common
        for n, value in enumerate(values)
    ]


def control(type_, item, value, position=99, **more):
    return {
        "item": item,
        "criterion": "adequacy",
        "value": value,
        "position": position,
        "control": type_,
    } | more


def test_a_repeat_is_compared_with_ones_own_answers_by_hand():
    """Nearest of five answers, one of them itself: share .1, variance (1 − 5/125)/12 = .08, z = .4/√.08 = 1.414."""
    found = assess_quality(table([*work([1, 2, 3, 4, 5]), control("repeat", "i0", 1)], kind="rating"))
    repeat = row(found, "repeat")
    assert repeat["n"] == 1
    assert repeat["statistic"] == 1
    assert repeat["pvalue"] == pytest.approx(scipy.stats.norm.sf(0.4 / np.sqrt(0.08)))
    assert np.isnan(repeat["low"]), "one repeat has no interval"


def test_a_second_answer_as_far_away_as_any_counts_as_chance():
    """|5 − 1| = 4 of distances 4, 3, 2, 1, 0 with mean 2: 1 − 4/2 = −1."""
    found = assess_quality(table([*work([1, 2, 3, 4, 5]), control("repeat", "i0", 5)], kind="rating"))
    assert row(found, "repeat")["statistic"] == pytest.approx(-1)
    assert row(found, "repeat")["verdict"] == "0 of 1 answered the same again, no better than chance"


def test_gold_counts_right_answers_and_leaves_the_rest_to_chance():
    expected = attributes(
        ("control", "t/gold/A/g1//adequacy", "expected", "5"),
        ("control", "t/gold/A/g2//adequacy", "expected", "1"),
    )
    rows = [*work([1, 2, 3, 4, 5]), control("gold", "g1", 5, 98), control("gold", "g2", 2, 99)]
    gold = row(assess_quality(table(rows, kind="rating"), expected), "gold")
    assert (gold["n"], gold["statistic"]) == (2, 0.5)
    # Beside 5: distances 4 3 2 1 0 and the answer's own 0, share 1/6; beside 1: 0 1 2 3 4 and 1, share 1/6 + 1/6.
    gain = (0.5 - 1 / 6) + (0.5 - (1 / 6 + 1 / 6))
    variance = 2 * (1 - (2**3 + 4) / 6**3) / 12
    assert gold["pvalue"] == pytest.approx(scipy.stats.norm.sf(gain / np.sqrt(variance)))
    assert "gold" not in checks(assess_quality(table(rows, kind="rating"))), "nobody says what was expected"


def test_on_a_wide_scale_an_answer_within_a_tenth_is_right():
    expected = attributes(("control", "t/gold/A/g//adequacy", "expected", "70"))
    rows = [*work(range(0, 101, 5)), control("gold", "g", 61)]
    assert row(assess_quality(table(rows, kind="rating"), expected), "gold")["statistic"] == 1
    rows[-1]["value"] = 59
    assert row(assess_quality(table(rows, kind="rating"), expected), "gold")["statistic"] == 0


def test_who_misses_most_attention_checks_looks_careless():
    expected = attributes(*[("control", f"t/attention/A/c{n}//adequacy", "expected", "2") for n in range(3)])
    answers = [control("attention", f"c{n}", value, 90 + n) for n, value in enumerate((4, 4, 2))]
    found = assess_quality(table([*work([1, 2, 3, 4, 5, 2]), *answers], kind="rating"), expected)
    assert row(found, "attention")["statistic"] == pytest.approx(1 / 3)
    assert found.careless == ["a1"]
    assert row(found, VERDICT)["verdict"].startswith("looks careless: missed attention checks")


def test_something_marked_where_it_was_expected_passes():
    common = {"kind": "error_spans", "task": "t"}
    expected = attributes(("control", "t/gold/A/g", "marks", "1/12:27"))
    for span, passed in (("1/20:30", 1.0), ("1/27:30", 0.0), ("2/12:27", 0.0)):
        rows = [
            {"item": "g", "unit": "1", "criterion": "errors", "value": 1, "control": "gold", "position": 1},
            {"item": "g", "unit": span, "criterion": "error", "value": 5, "label": "major", "control": "gold", "position": 1},
        ]  # fmt: skip
        assert row(assess_quality(table(rows, **common), expected), "gold")["statistic"] == passed


@pytest.fixture(scope="module")
def wmt(shared):
    return check_judgments(raw_judgments(shared / "data" / "wmt21_da_flores"))


def test_degraded_texts_are_tested_as_graham_et_al_do_on_wmt(wmt):
    """WMT 2021 published no degraded items: Online-G's sentences stand for Online-B's made worse, by the order of the file.

    Evaluator 2 gives Online-G 19 points less, evaluator 1 the same to every system.
    """
    pair = wmt[(wmt["task"] == "bn-hi") & wmt["system"].isin(["Online-B.5", "Online-G.7"])]
    pair = pair.assign(number=pair.groupby(["assessor", "system"]).cumcount())
    sides = {system: own.set_index(["assessor", "number"])["value"] for system, own in pair.groupby("system")}
    both = pd.DataFrame({"good": sides["Online-B.5"], "bad": sides["Online-G.7"]}).dropna().reset_index()
    rows = [
        {
            "assessor": one.assessor,
            "item": f"i{one.number}",
            "criterion": "adequacy",
            "control": type_,
            "value": value,
        }
        for one in both.itertuples()
        for type_, value in (("", one.good), ("degraded", one.bad))
    ]
    found = assess_quality(table(rows, kind="rating"))
    spread = both["good"].std(ddof=0)
    for who, own in both.groupby("assessor"):
        line = row(found, "degraded", who)
        assert line["n"] == len(own) > 200
        expected = scipy.stats.ttest_rel(own["bad"], own["good"], alternative="less").pvalue
        assert line["pvalue"] == pytest.approx(expected, rel=1e-9)
        assert line["statistic"] * spread == pytest.approx((own["good"] - own["bad"]).mean())
        interval = scipy.stats.ttest_rel(own["good"], own["bad"]).confidence_interval()
        assert (line["low"] * spread, line["high"] * spread) == pytest.approx((interval.low, interval.high))
    assert row(found, "degraded", "evaluator2")["pvalue"] < 1e-12
    assert row(found, "degraded", "evaluator1")["pvalue"] > 0.2


def test_a_few_degraded_texts_are_tested_by_signed_ranks():
    rows = [
        *work([5, 4, 3, 5]),
        *[control("degraded", f"i{n}", value, 90 + n) for n, value in enumerate((2, 3, 1, 5))],
    ]
    degraded = row(assess_quality(table(rows, kind="rating")), "degraded")
    assert degraded["pvalue"] == 1 / 8, "three of three that moved went down"
    assert degraded["verdict"].startswith("3 of 4 texts made worse got lower scores")


def test_errors_count_the_other_way_round():
    """More errors in the degraded text are what a careful person finds."""
    rows = []
    for n, control_, weight in (
        (0, "", 1),
        (1, "", 5),
        (2, "", 2),
        (0, "degraded", 10),
        (1, "degraded", 25),
        (2, "degraded", 6),
    ):
        at = {"item": f"i{n}", "control": control_, "position": n + 10 * bool(control_)}
        rows += [
            {"unit": "1", "criterion": "errors", "value": 1} | at,
            {"unit": "1/0:3", "criterion": "error", "value": weight, "label": "major"} | at,
        ]
    degraded = row(assess_quality(table(rows, kind="error_spans")), "degraded")
    assert degraded["statistic"] > 0
    assert degraded["pvalue"] == 1 / 8


def everybody(matrix, **common):
    """``{assessor: values}`` on the same items."""
    return [line | {"assessor": who} for who, values in matrix.items() for line in work(values, **common)]


def test_others_is_pearsons_r_with_the_mean_of_the_rest():
    rng = np.random.default_rng(3)
    matrix = {f"a{n}": rng.normal(size=12) + np.arange(12) / 4 for n in range(4)}
    found = assess_quality(table(everybody(matrix), kind="rating"))
    for who, own in matrix.items():
        rest = np.mean([values for other, values in matrix.items() if other != who], axis=0)
        expected = scipy.stats.pearsonr(own, rest, alternative="greater")
        line = row(found, "others", who)
        assert (line["statistic"], line["pvalue"]) == pytest.approx((expected.statistic, expected.pvalue))
        interval = scipy.stats.pearsonr(own, rest).confidence_interval()
        assert (line["low"], line["high"]) == pytest.approx((interval.low, interval.high))
        test = scipy.stats.ttest_rel(own, rest)
        gap = row(found, "distance", who)
        spread = np.std(np.concatenate(list(matrix.values())))
        assert gap["pvalue"] == pytest.approx(test.pvalue)
        assert gap["statistic"] * spread == pytest.approx((own - rest).mean())
        order = scipy.stats.spearmanr(np.arange(12), own - rest)
        drift = row(found, "drift", who)
        assert (drift["statistic"], drift["pvalue"]) == pytest.approx((order.statistic, order.pvalue))


def test_a_strict_person_among_the_others_is_no_bad_text():
    """Each other person's own level is taken out first: who met the strict one is not thought to disagree."""
    quality = np.tile([1.0, 2, 3, 4, 5], 4)
    rows = everybody({"a1": quality}) + [
        line | {"assessor": "mild" if n % 2 else "strict", "value": line["value"] + (4 if n % 2 else -4)}
        for n, line in enumerate(work(quality))
    ]
    assert row(assess_quality(table(rows, kind="rating")), "others")["statistic"] > 0.98


def test_always_the_same_answer_has_no_correlation_and_is_warned_of():
    matrix = {f"a{n}": np.tile([1.0, 2, 3, 4], 4) for n in range(3)} | {"same": np.full(16, 3.0)}
    with pytest.warns(UndefinedScoreWarning, match="others is undefined for same"):
        found = assess_quality(table(everybody(matrix), kind="rating"))
    assert np.isnan(row(found, "others", "same")["statistic"])
    assert found.careless == ["same"]
    assert "one answer after the other the same" in row(found, VERDICT, "same")["verdict"]


def test_where_everybody_answers_alike_nobody_is_blamed():
    found = assess_quality(table(everybody({f"a{n}": np.full(16, 3.0) for n in range(4)}), kind="rating"))
    assert found.careless == []
    assert checks(found) == {"straight-lining", VERDICT}


def test_times_are_compared_for_texts_of_one_length():
    """Short texts take less time, and who happened to get them is not fast."""
    words = np.tile([20, 200], 10)
    lengths = attributes(*[("output", f"A/i{n}", "tokens", str(number)) for n, number in enumerate(words)])
    rows = []
    for who, factor in {"a1": 1.0, "a2": 1.0, "a3": 1.0, "fast": 0.1}.items():
        mine = [n for n in range(20) if who != "a1" or words[n] == 20]
        rows += [
            {"assessor": who, "item": f"i{n}", "criterion": "adequacy", "value": n % 5, "seconds": 0.5 * words[n] * factor}
            for n in mine
        ]  # fmt: skip
    found = assess_quality(table(rows, kind="rating"), lengths)
    assert row(found, "speed", "a1")["statistic"] == pytest.approx(1)
    assert row(found, "speed", "fast")["statistic"] == pytest.approx(0.1)
    assert row(found, "speed", "fast")["pvalue"] == pytest.approx(0.5**20)
    assert row(found, "speed", "fast")["verdict"] == (
        "too fast: 0.1 times the others' time for texts of this length, 1,200 words a minute"
    )
    assert found.careless == ["fast"]
    assert "speed" not in checks(
        assess_quality(table([line | {"seconds": None} for line in rows], kind="rating"))
    )


def test_somebody_alone_can_still_be_faster_than_anybody_reads():
    lengths = attributes(*[("output", f"A/i{n}", "tokens", "100") for n in range(10)])
    rows = [line | {"seconds": 0.1} for line in work([1, 3, 2, 5, 4, 1, 2, 4, 3, 1])]
    with pytest.warns(UndefinedScoreWarning, match="speed is undefined for a1"):
        found = assess_quality(table(rows, kind="rating"), lengths)
    assert found.careless == ["a1"]
    assert "60,000 words a minute" in row(found, "speed")["verdict"]


def comparisons(winners):
    """Pairs of A and B, which stand first in turn; ``winners`` are places."""
    rows = []
    for n, place in enumerate(winners):
        first = "AB"[n % 2]
        for system in "AB":
            at = 1 if system == first else 2
            rows.append(
                {
                    "item": f"i{n}",
                    "system": system,
                    "unit": "s1",
                    "criterion": "preference",
                    "position": n,
                    "place": at,
                }
                | {
                    "study": "s",
                    "task": "t",
                    "kind": "pairwise",
                    "assessor": "a1",
                    "value": 1 if at == place else -1,
                }
            )
    return check_judgments(pd.DataFrame(rows).reindex(columns=[*JUDGMENT_COLUMNS, "place"]))


def test_the_first_place_is_tested_by_the_binomial_distribution():
    found = assess_quality(comparisons([1] * 9 + [2] * 3))
    first = row(found, "first-place")
    assert (first["n"], first["statistic"]) == (12, 0.75)
    assert first["pvalue"] == pytest.approx(scipy.stats.binomtest(9, 12, 0.5).pvalue)
    assert found.careless == []
    always = assess_quality(comparisons([1] * 14))
    assert "goes by the place, not the text" in row(always, VERDICT)["verdict"]
    assert "distance" not in checks(always), "a pair has no level"


def test_every_kind_of_the_registry_is_read(shared):
    judgments = read_judgments(shared / "data" / "tasks2" / "rows_example.csv")
    found = assess_quality(judgments)
    assert set(judgments["kind"]) <= set(kinds())
    assert set(found.rows["assessor"]) == {"p1", "p2"}
    assert {"speed", "straight-lining", VERDICT} <= checks(found)


def test_values_that_are_missing_change_nothing():
    rows = everybody({f"a{n}": [1.0, 2, 3, 4, 5, 1, 2] for n in range(3)})
    empty = [{"assessor": "a0", "item": "i9", "criterion": "comment", "label": "fine", "position": 9}]
    plain, more = (assess_quality(table(lines, kind="rating")).rows for lines in (rows, rows + empty))
    same = plain["check"] != VERDICT
    pd.testing.assert_frame_equal(plain[same], more[same])


def test_practice_and_what_is_left_out_are_not_looked_at():
    rows = work([1, 2, 3]) + work([1, 1, 1], practice=True, assessor="ghost")
    assert set(assess_quality(table(rows, kind="rating")).rows["assessor"]) == {"a1"}


def test_what_an_adjudicator_decided_is_no_judgment_of_an_assessor():
    judgments = table(
        everybody({f"a{n}": [1.0, 2, 3, 4] for n in range(3)} | {"judge": [4.0, 3, 2, 1]}), kind="rating"
    )
    judgments["adjudication"] = np.where(judgments["assessor"] == "judge", "decision", "raw")
    assert set(assess_quality(judgments).rows["assessor"]) == {"a0", "a1", "a2"}
