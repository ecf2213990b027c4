"""Agreement of people who compare. Expected values: WMT 2016 as published and by our rule (``wmt16_agreement.csv``), and by hand."""

import csv
import itertools
import warnings
from io import StringIO

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.cli import main
from metrics.errors import UndefinedScoreWarning
from metrics.formats.wmt_ranking import write_judgments
from metrics.human.comparison_agreement import TEXTS, agreeing_pairs, text_pairs
from metrics.meta.agreement import agreement
from tests.metrics.human.rows import attributes, table


def ranked(*judged, kind="ranking"):
    """(assessor, item, {system: value}), each a set of its own."""
    return table(
        [
            {"assessor": assessor, "item": item, "system": system, "value": value}
            | {"unit": f"s{number}", "position": number}
            for number, (assessor, item, values) in enumerate(judged, start=1)
            for system, value in values.items()
        ],
        kind=kind,
        criterion="rank",
    )


def values(rows, names=("pairs-percent", "pairs-kappa"), **how):
    found = agreement(rows, coefficients=list(names), n_resamples=0, **how)
    return dict(zip(found["coefficient"], found["value"], strict=True))


@pytest.fixture(scope="module")
def published(shared):
    path = shared / "data/tasks2/comparison/wmt16_agreement.csv"
    with path.open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["pair"] == "English-Turkish"]
    return {row["what"]: row for row in rows}


def test_wmt_2016_has_the_published_kappa_by_wmts_rule_and_ours_by_ours(wmt16, published):
    found = values(wmt16, ["pairs-kappa-wmt", "pairs-kappa", "pairs-percent"])
    assert found["pairs-kappa-wmt"] == pytest.approx(float(published["published-inter"]["kappa"]), abs=5e-4)
    ours = published["unordered pairs, different judges only"]
    assert found["pairs-kappa"] == pytest.approx(float(ours["kappa"]), abs=5e-5)
    assert found["pairs-percent"] == int(ours["agree"]) / int(ours["comparable"])


def test_wmt_2016_has_the_counts_behind_the_kappas(wmt16, published):
    pairs = text_pairs(wmt16)
    assert len(pairs) == 10_095
    assert int((pairs["outcome"] == 0).sum()) == 3_540
    for what, who, thing in (
        ("published-inter", "all", [*TEXTS, "listed"]),
        ("unordered pairs, all judgments", "all", TEXTS),
        ("unordered pairs, different judges only", "others", TEXTS),
        ("published-intra", "own", [*TEXTS, "listed"]),
    ):
        counted = agreeing_pairs(pairs, who=who, thing=thing).sum()
        assert (counted["agree"], counted["comparable"]) == (
            int(published[what]["agree"]),
            int(published[what]["comparable"]),
        )


def test_wmt_2016_has_more_agreement_where_identical_outputs_are_not_merged(wmt16, published):
    """Systems with one text agree with themselves: κ is .496 in place of .322, by the same rule."""
    written = pd.read_csv(StringIO(write_judgments(wmt16, identical="expanded")))
    expected = published["identical outputs not merged, published method"]
    outcome = np.sign(written["system2rank"] - written["system1rank"])
    ties = int((outcome == 0).sum())
    assert (len(written), ties) == (int(expected["total"]), int(expected["ties"]))
    said = outcome.groupby([written["srcIndex"], written["system1Id"], written["system2Id"]])
    counts = said.value_counts()
    agree = int((counts * (counts - 1) // 2).sum())
    comparable = int((said.size() * (said.size() - 1) // 2).sum())
    assert (agree, comparable) == (int(expected["agree"]), int(expected["comparable"]))
    tie = ties / len(written)
    chance = tie**2 + 2 * ((1 - tie) / 2) ** 2
    assert (agree / comparable - chance) / (1 - chance) == pytest.approx(float(expected["kappa"]), abs=5e-4)


def test_the_same_two_texts_are_compared_whichever_set_they_stood_in():
    rows = ranked(
        ("p1", "i1", {"A": 1, "B": 2, "C": 3}),
        ("p2", "i1", {"B": 2, "A": 1}),
        ("p2", "i1", {"C": 1, "A": 2}),
    )
    # A over B: both; A over C: p1 says yes, p2 no. B and C were met by one person only.
    assert values(rows)["pairs-percent"] == 0.5
    assert values(rows)["pairs-kappa"] == 0.0


def test_chance_is_that_of_the_share_of_ties():
    rows = ranked(
        ("p1", "i1", {"A": 1, "B": 1}),
        ("p2", "i1", {"A": 1, "B": 1}),
        ("p1", "i2", {"A": 1, "B": 2}),
        ("p2", "i2", {"A": 2, "B": 1}),
    )
    # p_t = 1/2: chance is 1/4 + 2·(1/4)² = 3/8, and one of two agrees.
    assert values(rows)["pairs-kappa"] == pytest.approx((1 / 2 - 3 / 8) / (1 - 3 / 8))


def test_ones_own_repetitions_are_agreement_with_oneself_only():
    rows = ranked(
        ("p1", "i1", {"A": 1, "B": 2}),
        ("p1", "i1", {"B": 2, "A": 1}),
        ("p1", "i1", {"A": 2, "B": 1}),
        ("p2", "i1", {"A": 1, "B": 2}),
    )
    found = values(rows, ["pairs-percent", "intra-pairs-percent"])
    assert found["intra-pairs-percent"] == pytest.approx(1 / 3)
    assert found["pairs-percent"] == pytest.approx(2 / 3)


def test_a_repeated_set_counts_for_oneself_and_for_nobody_else():
    rows = ranked(
        ("p1", "i1", {"A": 1, "B": 2}), ("p2", "i1", {"A": 1, "B": 2}), ("p1", "i1", {"A": 2, "B": 1})
    )
    rows.loc[rows["unit"] == "s3", "control"] = "repeat"
    found = values(rows, ["pairs-percent", "intra-pairs-percent"])
    assert found["pairs-percent"] == 1.0
    assert found["intra-pairs-percent"] == 0.0


def test_systems_with_one_text_are_one_text():
    judged = [(person, "i1", {"A": 1, "B": 1, "C": 2}) for person in ("p1", "p2")]
    rows = ranked(*judged, ("p3", "i1", {"B": 2, "C": 1}))
    same = attributes(("output", "B/i1", "same_as", "A"))
    # Two texts, three people: p1 and p2 agree, p3 agrees with neither; without the attribute there are three pairs of texts.
    assert values(rows, attributes=same)["pairs-percent"] == pytest.approx(1 / 3)
    assert values(rows)["pairs-percent"] == pytest.approx(3 / 5)
    placed = rows.assign(place=[1, 1, 2, 1, 1, 2, 1, 2]).astype({"place": "Int64"})
    placed = placed[placed["assessor"] != "p3"]
    assert len(text_pairs(placed)) == 2


def test_best_and_worst_say_nothing_of_those_in_between():
    rows = ranked(
        ("p1", "i1", {"A": 1, "B": 0, "C": 0, "D": -1}),
        ("p2", "i1", {"A": 1, "B": 0, "C": -1, "D": 0}),
        kind="best_worst",
    )
    # Both said: A over B, C and D (agree), C and D (do not agree); B over D and B over C were said once each.
    found = values(rows)
    assert found["pairs-percent"] == pytest.approx(3 / 4)
    assert found["pairs-kappa"] == pytest.approx(0.5)


def test_alpha_is_that_of_first_tie_and_second():
    rows = ranked(
        ("p1", "i1", {"A": 1, "B": 2}),
        ("p2", "i1", {"A": 1, "B": 2}),
        ("p1", "i2", {"A": 2, "B": 1}),
        ("p2", "i2", {"A": 1, "B": 1}),
    )
    # Values 1 1 | −1 0: observed disagreement 1/2, expected (of 12 ordered pairs of 4 values 2 are alike) 10/12.
    assert values(rows, ["pairs-alpha"])["pairs-alpha"] == pytest.approx(1 - (1 / 2) / (10 / 12))


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(["p1", "p2", "p3"]), st.permutations("ABC")), min_size=2, max_size=8)
)
def test_the_order_in_which_texts_were_shown_does_not_matter(judged):
    ranks = [(person, "i1", dict(zip(order, (1, 2, 2), strict=True))) for person, order in judged]
    shown = [(person, item, dict(sorted(given.items()))) for person, item, given in ranks]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedScoreWarning)
        one, other = values(ranked(*ranks)), values(ranked(*shown))
    assert one == pytest.approx(other, nan_ok=True)


def test_counting_pairs_is_what_a_loop_over_pairs_gives():
    rng = np.random.default_rng(5)
    judged = [
        (f"p{rng.integers(4)}", f"i{rng.integers(3)}", dict(zip("ABC", rng.integers(1, 4, 3), strict=True)))
        for _ in range(40)
    ]
    pairs = text_pairs(ranked(*judged))
    counted = agreeing_pairs(pairs).sum()
    agree = comparable = 0
    for _, same in pairs.groupby(TEXTS):
        for (_, one), (_, other) in itertools.combinations(same.iterrows(), 2):
            if one["assessor"] != other["assessor"]:
                comparable += 1
                agree += one["outcome"] == other["outcome"]
    assert (counted["agree"], counted["comparable"]) == (agree, comparable)


def test_the_command_gives_comparisons_their_own_coefficients(tmp_path, capsys):
    people = [("p1", 2), ("p2", 2), ("p3", 1)]
    rows = ranked(*((person, item, {"A": 1, "B": last}) for person, last in people for item in ("i1", "i2")))
    rows.to_csv(tmp_path / "judgments.csv", index=False)
    assert main(["agreement", str(tmp_path / "judgments.csv"), "--resamples", "20"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert [line.split(",")[2] for line in printed[1:]] == [
        "pairs-kappa",
        "pairs-alpha",
        "pairs-percent",
        "intra-pairs-percent",
    ]
    assert printed[3].startswith("t,rank,pairs-percent,0.333")
    assert printed[3].endswith(",2,3")
    assert main(["agreement", str(tmp_path / "judgments.csv"), "--coefficient", "pairs"]) == 2
    assert "pairs-kappa-wmt" in capsys.readouterr().err


def test_other_kinds_have_no_pairs_of_texts(tmp_path, capsys):
    table([{"criterion": "adequacy", "value": 3}], kind="rating").to_csv(tmp_path / "j.csv", index=False)
    assert main(["agreement", str(tmp_path / "j.csv"), "--coefficient", "pairs-kappa"]) == 0
    assert "it is of judgments of kind best_worst or pairwise or ranking" in capsys.readouterr().err
