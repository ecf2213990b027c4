"""Preferences between two outputs. Expected values: worked by hand, Davidson (1970), WMT 2016, R and choix (``models.json``)."""

import csv
import json
import math
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.cli import main
from metrics.errors import BadInput, UndefinedScoreWarning
from metrics.frames import read_judgments
from metrics.human import human_score, human_summary
from metrics.human.strengths import bradley_terry, davidson, expected_wins
from metrics.human.tables import human_tables
from tests.conftest import ROOT
from tests.metrics.human.rows import attributes, scores, table

EXAMPLE = ROOT / "tests" / "data" / "tasks2" / "rows_example.csv"


def preferences(*said, criterion="preference", **common):
    """Judgments from (item, first, second, value of the first), each a set of its own, the first on the left."""
    rows = []
    for number, (item, first, second, value) in enumerate(said, start=1):
        for place, (system, own) in enumerate(((first, value), (second, -value)), start=1):
            rows.append(
                {
                    "item": item,
                    "system": system,
                    "unit": f"s{number}",
                    "value": own,
                    "position": number,
                    "place": place,
                }
            )
    frame = table(rows, kind="pairwise", criterion=criterion, **common)
    return frame.assign(place=[row["place"] for row in rows]).astype({"place": "Int64"})


FOUR = preferences(("i1", "A", "B", 1), ("i1", "A", "B", 1), ("i1", "B", "A", 1), ("i1", "B", "A", 0))


def systems(score):
    frame = score.system_scores()
    return dict(zip(frame["system"], frame["score"], strict=True))


def test_two_wins_a_loss_and_a_tie():
    assert scores(human_score(FOUR, "wins")) == {("A", "i1"): pytest.approx(2 / 3), ("B", "i1"): 1 / 3}
    assert scores(human_score(FOUR, "wins-half")) == {("A", "i1"): 0.625, ("B", "i1"): 0.375}


def test_a_systems_share_is_of_all_its_comparisons_and_no_mean_over_items():
    rows = preferences(("i1", "A", "B", 1), ("i1", "A", "B", 1), ("i1", "A", "B", 1), ("i2", "A", "B", -1))
    score = human_score(rows, "wins")
    assert systems(score) == {"A": 0.75, "B": 0.25}
    assert "|level:system|items:pooled|" in score.system_signature()
    summary = human_summary(rows).set_index(["score", "system"])["mean"]
    assert summary["wins", "A"] == 0.75


def test_only_ties_have_no_share_of_wins_and_half_of_the_others():
    rows = preferences(("i1", "A", "B", 0))
    with pytest.warns(UndefinedScoreWarning, match="wins is undefined for 2 outputs"):
        found = scores(human_score(rows, "wins"))
    assert all(math.isnan(value) for value in found.values())
    assert set(scores(human_score(rows, "wins-half")).values()) == {0.5}


def test_strength_is_the_mean_signed_value_and_offered_where_anybody_gave_one():
    rows = preferences(("i1", "A", "B", 3), ("i1", "B", "A", 1), ("i2", "A", "B", 0))
    score = human_score(rows, "strength")
    assert scores(score)["A", "i1"] == 1.0
    assert systems(score) == {"A": pytest.approx(2 / 3), "B": pytest.approx(-2 / 3)}
    assert set(human_summary(rows)["score"]) == {"davidson", "wins", "wins-half", "strength"}
    assert set(human_summary(FOUR)["score"]) == {"davidson", "wins", "wins-half"}


def test_the_rows_of_the_example_file_are_two_sets():
    rows = read_judgments(EXAMPLE)
    found = human_score(rows, "wins-half", task="pref")
    # alpha beats beta and ties with gamma (both bad).
    assert scores(found) == {("alpha", "d1"): 0.75, ("beta", "d1"): 0.0, ("gamma", "d1"): 0.5}
    assert scores(human_score(rows, "strength"))["alpha", "d1"] == 1.0


def test_where_several_tasks_compare_one_must_be_chosen():
    with pytest.raises(BadInput, match="expected comparisons of one task, found pref, rank, bw: choose one"):
        human_score(read_judgments(EXAMPLE), "wins")


def test_two_systems_with_one_text_are_not_compared_and_each_counts_against_a_third():
    rows = table(
        [
            {"system": system, "value": value, "unit": "s1"}
            for system, value in (("A", 1), ("B", 1), ("C", -1))
        ],
        kind="pairwise",
        criterion="preference",
    )
    same = attributes(("output", "B/i1", "same_as", "A"))
    score = human_score(rows, "wins-half", attributes=same)
    assert scores(score) == {("A", "i1"): 1.0, ("B", "i1"): 1.0, ("C", "i1"): 0.0}
    assert "|pairs:2|" in score.signature
    # Nothing says that A and B are one text: then they tied.
    assert scores(human_score(rows, "wins-half"))["A", "i1"] == 0.75
    # One place in the set says it too.
    placed = rows.assign(place=pd.array([1, 1, 2], dtype="Int64"))
    assert scores(human_score(placed, "wins-half"))["A", "i1"] == 1.0


def test_sets_of_one_item_are_kept_apart():
    rows = preferences(("i1", "A", "B", 1), ("i1", "B", "C", 1))
    assert scores(human_score(rows, "wins")) == {("A", "i1"): 1.0, ("B", "i1"): 0.5, ("C", "i1"): 0.0}


def test_controls_and_reasons_do_not_count():
    reason = table(
        [{"system": "", "unit": "s1", "criterion": "reason", "label": "It is shorter."}], kind="pairwise"
    )
    control = preferences(("i1", "B", "A", 1), ("i1", "B", "A", 1), control="degraded")
    whole = pd.concat([FOUR, reason, control], ignore_index=True)
    assert scores(human_score(whole, "wins"))["A", "i1"] == pytest.approx(2 / 3)
    assert human_summary(reason).empty
    assert human_tables(reason) == {"t": []}
    with pytest.raises(BadInput, match="control items or rows without a value only"):
        human_score(pd.concat([reason, control], ignore_index=True), "wins")


def test_criteria_are_pooled_unless_one_is_asked_for():
    rows = pd.concat(
        [
            preferences(("i1", "A", "B", 1), criterion="fluency"),
            preferences(("i1", "A", "B", -1), criterion="adequacy"),
        ],
        ignore_index=True,
    )
    assert scores(human_score(rows, "wins"))["A", "i1"] == 0.5
    assert scores(human_score(rows, "wins", criterion="fluency"))["A", "i1"] == 1.0
    assert "criteria:fluency+adequacy" in human_score(rows, "wins").signature
    assert "strengths-fluency" in [one.name for one in human_tables(rows)["t"]]


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("AB"), st.sampled_from("CDE"), st.integers(-3, 3)), min_size=1))
def test_what_one_wins_another_loses(said):
    rows = preferences(*(("i1", *one) for one in said))
    score = human_score(rows, "wins-half")
    shown = rows.groupby("system").size()
    assert sum(value * shown[system] for system, value in systems(score).items()) == pytest.approx(len(said))


# --- models ---


@pytest.fixture(scope="module")
def models(shared):
    return json.loads((shared / "data/tasks2/comparison/models.json").read_text(encoding="utf-8"))


def test_bradley_terry_gives_the_citations_of_four_journals_as_r_and_choix_do(models):
    known = models["bradley_terry_citations"]
    found = bradley_terry(known["wins[i][j] = i cited by j"]).values
    assert found.mean() == pytest.approx(0, abs=1e-12)
    assert found - found[0] == pytest.approx(known["log_strength_ref_first"], abs=1e-6)
    won = np.array(known["wins[i][j] = i cited by j"], float)
    met = won + won.T
    chance = 1 / (1 + np.exp(found[None, :] - found[:, None]))
    seen = won > 0
    deviance = 2 * np.sum(won[seen] * np.log(won[seen] / (met * chance)[seen]))
    assert deviance == pytest.approx(known["deviance"], abs=1e-6)
    # The information at the maximum, the first being 0 by definition, has R's standard errors.
    information = -met * chance * chance.T
    np.fill_diagonal(information, -information.sum(axis=1))
    errors = np.sqrt(np.diag(np.linalg.inv(information[1:, 1:])))
    assert errors == pytest.approx(known["se"][1:], abs=1e-5)


def test_bradley_terry_gives_the_baseball_season_of_agresti(models):
    """Games of the American League East 1987: counts of Agresti 2002, Table 10.10, strengths of Table 10.11 in the shared data."""
    won = [
        [0, 7, 9, 7, 7, 9, 11],  # Milwaukee
        [6, 0, 7, 5, 11, 9, 9],  # Detroit
        [4, 6, 0, 7, 7, 8, 12],  # Toronto
        [6, 8, 6, 0, 6, 7, 10],  # New York
        [6, 2, 6, 7, 0, 7, 12],  # Boston
        [4, 4, 5, 6, 6, 0, 6],  # Cleveland
        [2, 4, 1, 3, 1, 7, 0],  # Baltimore
    ]
    found = bradley_terry(won).values
    over_baltimore = sorted(found[:-1] - found[-1])
    expected = models["bradley_terry_baseball_published"]["without_home"]
    assert over_baltimore == pytest.approx(expected, abs=0.005)


def test_davidson_gives_his_puddings(models):
    known = models["davidson_pudding"]
    won, tied = np.zeros((6, 6)), np.zeros((6, 6))
    for i, j, _, first, second, ties in known["rows"]:
        won[i - 1, j - 1], won[j - 1, i - 1] = first, second
        tied[i - 1, j - 1] = tied[j - 1, i - 1] = ties
    found = davidson(won, tied)
    worth = np.exp(found.values) / np.exp(found.values).sum()
    assert worth == pytest.approx(known["worth_sums_to_1"], abs=1e-6)
    assert found.ties == pytest.approx(known["nu"], abs=1e-6)

    def likelihood(strengths):
        *logs, tie = strengths
        p = np.exp([0.0, *logs])
        both = np.exp(tie) * np.sqrt(np.outer(p, p))
        total = p[:, None] + p[None, :] + both
        return float((won * np.log(p[:, None] / total)).sum() + (tied * np.log(both / total)).sum() / 2)

    at = np.array([*(found.values[1:] - found.values[0]), np.log(found.ties)])
    assert likelihood(at) == pytest.approx(known["loglik"], abs=1e-6)
    step = 1e-3 * np.eye(len(at))
    information = -np.array(
        [
            [
                likelihood(at + a + b)
                - likelihood(at + a - b)
                - likelihood(at - a + b)
                + likelihood(at - a - b)
                for b in step
            ]
            for a in step
        ]
    ) / (4 * 1e-3**2)
    errors = np.sqrt(np.diag(np.linalg.inv(information)))[:-1]
    assert errors == pytest.approx(known["se_ref_first"][1:], abs=1e-5)


def wmt16(shared, pair):
    """Systems, wins and ties of a language pair, and what is expected of them."""
    folder = shared / "data/tasks2/comparison"
    with (folder / "wmt16_expected.csv").open(encoding="utf-8") as file:
        expected = {row["system"]: row for row in csv.DictReader(file) if row["pair"] == pair}
    names = sorted(expected)
    won, tied = np.zeros((len(names),) * 2), np.zeros((len(names),) * 2)
    with (folder / "wmt16_counts.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["pair"] == pair:
                a, b = names.index(row["system_a"]), names.index(row["system_b"])
                won[a, b], won[b, a] = float(row["a_wins"]), float(row["b_wins"])
                tied[a, b] = tied[b, a] = float(row["ties"])
    return names, won, tied, expected


@pytest.mark.parametrize("pair", ["eng-tur", "tur-eng"])
def test_expected_wins_bradley_terry_and_davidson_of_wmt_2016(shared, pair):
    names, won, tied, expected = wmt16(shared, pair)
    assert len(names) > 4

    def column(name):
        return [float(expected[system][name]) for system in names]

    assert expected_wins(won).values == pytest.approx(column("expected_wins"), abs=1e-8)
    assert bradley_terry(won).values == pytest.approx(column("bradley_terry"), abs=2e-6)
    fitted = davidson(won, tied)
    assert fitted.values == pytest.approx(column("davidson"), abs=2e-6)
    assert fitted.ties == pytest.approx(column("davidson_nu")[0], abs=2e-6)


def test_a_system_that_never_lost_has_no_strength_and_the_others_are_fitted_without_it():
    won = [[0, 4, 2], [0, 0, 3], [0, 1, 0]]
    with pytest.warns(UndefinedScoreWarning, match="no finite strength: best never lost"):
        found = bradley_terry(won, ["best", "B", "C"])
    assert math.isnan(found.values[0])
    assert found.values[1:] == pytest.approx([math.log(3) / 2, -math.log(3) / 2], abs=1e-6)
    assert "best never lost" in found.problem
    with_ridge = bradley_terry(won, ["best", "B", "C"], ridge=0.01)
    assert np.isfinite(with_ridge.values).all()
    assert with_ridge.values.argmax() == 0
    assert not with_ridge.problem


def test_a_system_that_never_won_and_one_that_nobody_met_are_told_apart():
    won = [[0, 3, 2, 0], [1, 0, 2, 0], [0, 0, 0, 0], [0, 0, 0, 0]]
    with pytest.warns(UndefinedScoreWarning, match="C never won; D not linked to the others"):
        found = bradley_terry(won, list("ABCD"))
    assert np.isfinite(found.values).tolist() == [True, True, False, False]


def test_with_nothing_but_ties_no_strength_is_finite():
    with pytest.warns(UndefinedScoreWarning, match="nobody has won anything"):
        assert np.isnan(davidson(np.zeros((2, 2)), [[0, 3], [3, 0]]).values).all()


def test_an_opponent_never_met_is_left_out_of_expected_wins_and_named():
    with pytest.warns(UndefinedScoreWarning, match="1 pair of systems never met.*: A and C"):
        found = expected_wins([[0, 3, 0], [1, 0, 2], [0, 2, 0]], list("ABC"))
    assert found.values.tolist() == [0.75, pytest.approx(0.375), 0.5]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bradley_terry([[0, 1, 2], [1, 0, 1]]), "expected a square table"),
        (lambda: bradley_terry([[0, -1], [1, 0]]), "expected counts of 0 or more"),
        (lambda: bradley_terry([[0, 1], [1, 0]], ridge=-1), "expected a ridge of 0 or more, found -1"),
        (lambda: davidson([[0, 1], [1, 0]], [[0, 1], [2, 0]]), "expected ties as a symmetric table"),
    ],
)
def test_counts_that_make_no_sense_are_refused(call, message):
    with pytest.raises(BadInput, match=message):
        call()


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(1, 20), min_size=12, max_size=12))
def test_fitted_wins_are_the_wins_there_were(counts):
    """The maximum likelihood equations: what each system is expected to win in all is what it has won."""
    won = np.zeros((4, 4))
    won[~np.eye(4, dtype=bool)] = counts
    strength = bradley_terry(won).values
    chance = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
    expected = ((won + won.T) * chance).sum(axis=1)
    assert expected == pytest.approx(won.sum(axis=1), abs=1e-4)


ROUND = preferences(
    *(("i1", first, second, 1) for first, second in combinations("ABC", 2)),
    *(("i2", first, second, 1) for first, second in (("A", "B"), ("B", "C"), ("C", "A"))),
)


def test_a_score_of_whole_systems_has_a_row_per_system_and_no_items():
    score = human_score(ROUND, "bradley-terry")
    assert set(score.scores["item"]) == {""}
    assert sum(systems(score).values()) == pytest.approx(0, abs=1e-9)
    assert score.system_scores().equals(score.scores)
    assert "level:system" in score.signature
    assert score.system_signature() == score.signature
    # Nobody tied, so that Davidson's model is Bradley and Terry's.
    assert systems(human_score(ROUND, "davidson")) == pytest.approx(systems(score))


def test_the_command_prints_whole_systems_and_says_where_there_is_nothing_else(tmp_path, capsys):
    path = tmp_path / "judgments.csv"
    ROUND.to_csv(path, index=False)
    assert main(["human", str(path), "--score", "bradley-terry", "--level", "system", "--ridge", "0.5"]) == 0
    printed = capsys.readouterr().out
    assert [line.split(",")[1] for line in printed.splitlines()[1:4]] == ["A", "B", "C"]
    assert main(["human", str(path), "--score", "bradley-terry"]) != 0
    assert "expected --level system: bradley-terry is a score of whole systems" in capsys.readouterr().err


def test_the_tables_have_strengths_wins_and_first_places():
    tables = {one.name: one for one in human_tables(ROUND)["t"]}
    assert list(tables) == ["strengths", "wins-matrix", "first-place"]
    assert tables["wins-matrix"].rows[0] == ("A", None, 2, 1)
    strengths = {row[0]: row for row in tables["strengths"].rows}
    assert strengths["A"][1:3] == (3, 1)
    assert strengths["A"][3] == pytest.approx((1 + 1 / 2) / 2)
    # The first named stood first and won in all six: two-sided, 2 · ½⁶.
    assert tables["first-place"].rows == [(2, 6, 6, 1.0, 0.5, pytest.approx(2 / 64))]


def test_the_table_of_strengths_says_who_never_lost():
    rows = preferences(("i1", "A", "B", 1), ("i1", "B", "C", 1), ("i2", "C", "B", 1), ("i2", "C", "B", 0))
    tables = {one.name: one for one in human_tables(rows)["t"]}
    assert "Bradley–Terry: no finite strength: A never lost" in tables["strengths"].note
    assert tables["ties-matrix"].rows[1] == ("B", 0, None, 1)
