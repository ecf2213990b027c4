"""Best–worst scaling. Expected values: eight sets of ``best_worst.json``, counted by hand; Bradley–Terry by choix."""

import json

import pytest

from metrics.errors import BadInput
from metrics.frames import read_judgments
from metrics.human import human_score, human_summary
from metrics.human.tables import human_tables
from tests.conftest import ROOT
from tests.metrics.human.rows import attributes, scores, table

EXAMPLE = ROOT / "tests" / "data" / "tasks2" / "rows_example.csv"


def chosen(*sets, item=lambda number: "i1"):
    """Judgments from (systems, best, worst)."""
    return table(
        [
            {
                "system": system,
                "item": item(number),
                "unit": f"s{number}",
                "value": (system == best) - (system == worst),
                "position": number,
            }
            for number, (members, best, worst) in enumerate(sets, start=1)
            for system in members
        ],
        kind="best_worst",
        criterion="choice",
    )


def systems(score):
    frame = score.system_scores()
    return dict(zip(frame["system"], frame["score"], strict=True))


@pytest.fixture(scope="module")
def known(shared):
    return json.loads((shared / "data/tasks2/comparison/best_worst.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("item", [lambda number: "i1", lambda number: f"i{number % 3}"])
def test_eight_sets_of_four_however_they_fall_on_items(known, item):
    score = human_score(chosen(*known["sets_best_worst"], item=item), "best-worst")
    assert systems(score) == pytest.approx(known["score"])
    shown = score.assessments.groupby("system").size()
    assert shown.to_dict() == known["shown"]


def test_the_implied_pairs_give_the_strengths_that_choix_gives(known):
    implied = known["bradley_terry_on_implied_pairs"]
    score = human_score(chosen(*known["sets_best_worst"]), "bradley-terry", ridge=implied["alpha"])
    assert systems(score) == pytest.approx(implied["log_strength_mean_0"], abs=1e-6)
    assert f"|pairs:{8 * (2 * 4 - 3)}" in score.signature


def test_nothing_is_said_of_two_in_between():
    rows = chosen(("ABCD", "A", "D"))
    assert scores(human_score(rows, "wins")) == {
        ("A", "i1"): 1.0,
        ("B", "i1"): 0.5,
        ("C", "i1"): 0.5,
        ("D", "i1"): 0.0,
    }
    assert "pairs:5" in human_score(rows, "wins").signature
    assert "ties-matrix" not in [one.name for one in human_tables(rows)["t"]]


def test_the_rows_of_the_example_file():
    score = human_score(read_judgments(EXAMPLE), "best-worst")
    assert scores(score) == {
        ("alpha", "d1"): 1.0,
        ("beta", "d1"): 0.0,
        ("gamma", "d1"): 0.0,
        ("delta", "d1"): -1.0,
    }


def test_two_systems_with_one_text_are_both_the_best():
    rows = chosen(("ABC", "A", "C"))
    rows.loc[rows["system"] == "B", "value"] = 1.0
    same = attributes(("output", "B/i1", "same_as", "A"))
    assert scores(human_score(rows, "best-worst", attributes=same))["B", "i1"] == 1.0
    assert "|pairs:2" in human_score(rows, "wins", attributes=same).signature


def test_a_score_of_another_kind_is_not_given():
    with pytest.raises(BadInput, match="expected judgments of kind pairwise, found none"):
        human_score(chosen(("ABC", "A", "C")), "strength")
    assert set(human_summary(chosen(("ABC", "A", "C")))["score"]) == {"best-worst", "bradley-terry", "wins"}
