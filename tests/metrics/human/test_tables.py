"""The tables of a study page: numbers of Dorr et al. (2005) where they have them, by hand elsewhere."""

import pytest

from metrics.human.tables import human_tables
from tests.metrics.human.rows import attributes, table


def named(tables, name):
    return next(one for one in tables["t"] if one.name == name)


def columns(one):
    """Each row as {column name: value}."""
    return [dict(zip([column.name for column in one.columns], row, strict=True)) for row in one.rows]


# --- relevance prediction -------------------------------------------------------------------------------------------

# Dorr et al., Table 6: surrogate / full text and how often, and the mean seconds of each cell.
TABLE_6 = {
    "HEAD": {(1, 1): (211, 4.6), (1, 0): (27, 7.1), (0, 1): (117, 8.5), (0, 0): (245, 2.5)},
    "HUM": {(1, 1): (251, 4.2), (1, 0): (35, 4.6), (0, 1): (77, 13.8), (0, 0): (237, 1.9)},
}


@pytest.fixture(scope="module")
def dorr():
    rows = []
    for kind, cells in TABLE_6.items():
        for (surrogate, full), (count, seconds) in cells.items():
            for number in range(count):
                place = {"document": f"{kind}{surrogate}{full}{number}"}
                place["item"] = f"e{number % 2}/{place['document']}"
                rows.append(place | {"system": kind, "value": surrogate, "seconds": seconds})
                rows.append(place | {"system": "full", "value": full, "seconds": 13.38})
    return human_tables(table(rows, kind="relevance", criterion="relevant"))


def test_agreement_by_kind_is_that_of_the_paper(dorr):
    found = columns(named(dorr, "agreement-by-kind"))
    assert [(row["system"], round(row["prediction"], 4), row["prediction_n"]) for row in found] == [
        ("HEAD", 0.76, 600),
        ("HUM", 0.8133, 600),
    ]
    assert "gold" not in found[0]  # there is no external key


def test_agreement_by_event_and_by_assessor_adds_up(dorr):
    for name in ("agreement-by-event", "agreement-by-assessor"):
        agreeing = {"HEAD": 0.0, "HUM": 0.0}
        for row in columns(named(dorr, name)):
            agreeing[row["system"]] += row["prediction"] * row["prediction_n"]
        assert agreeing == pytest.approx({"HEAD": 456, "HUM": 488})


def test_the_confusion_table_is_table_6(dorr):
    words = {1: "relevant", 0: "not relevant"}
    found = {
        (row["system"], row["surrogate"], row["full"]): (row["count"], pytest.approx(row["seconds"]))
        for row in columns(named(dorr, "confusion"))
    }
    assert found == {
        (kind, words[a], words[b]): cell for kind, cells in TABLE_6.items() for (a, b), cell in cells.items()
    }


def test_time_saved_is_against_the_full_text(dorr):
    found = {row["system"]: row for row in columns(named(dorr, "times"))}
    assert found["full"]["saved"] == 0
    seconds = sum(count * seconds for count, seconds in TABLE_6["HEAD"].values()) / 600
    assert found["HEAD"]["seconds"] == pytest.approx(seconds)
    assert found["HEAD"]["saved"] == pytest.approx(1 - seconds / 13.38)


def test_gold_agreement_stands_beside_relevance_prediction_and_counts_full_texts_too():
    rows = [
        {"item": f"e1/{document}", "document": document, "system": system, "value": value, "assessor": who}
        for who, document, system, value in (
            ("a1", "d1", "HEAD", 1),
            ("a1", "d1", "full", 1),
            ("a2", "d1", "HEAD", 0),
            ("a2", "d1", "full", 1),
            ("a1", "d2", "HEAD", 1),
            ("a1", "d2", "full", 1),
        )
    ]
    judged = table(rows, kind="relevance", criterion="relevant")
    gold = attributes(("item", "e1/d1", "gold", "1"), ("item", "e1/d2", "gold", "0"))
    found = {row["system"]: row for row in columns(named(human_tables(judged, gold), "agreement-by-kind"))}
    assert found["HEAD"]["prediction"] == pytest.approx(2 / 3)
    assert found["HEAD"]["gold"] == pytest.approx(1 / 3)
    assert found["full"]["prediction"] is None
    assert found["full"]["gold"] == pytest.approx(2 / 3)
    by_assessor = {
        (row["assessor"], row["system"]): (row["prediction"], row["gold"])
        for row in columns(named(human_tables(judged, gold), "agreement-by-assessor"))
    }
    assert by_assessor == {
        ("a1", "HEAD"): (1.0, 0.5),
        ("a1", "full"): (None, 0.5),
        ("a2", "HEAD"): (0.0, 0.0),
        ("a2", "full"): (None, 1.0),
    }


# --- questionnaires -------------------------------------------------------------------------------------------------

KNOWN = attributes(
    ("statement", "once", "polarity", "positive"),
    ("statement", "once", "group", "content"),
    ("statement", "again", "polarity", "negative"),
    ("statement", "again", "points", 5),
    ("statement", "again", "group", "content"),
    ("statement", "again", "pair", "once"),
    ("statement", "clear", "polarity", "positive"),
    ("statement", "clear", "group", "form"),
)


@pytest.fixture(scope="module")
def murray():
    """a1 is consistent, a2 is not quite: (once, again, clear) of systems A and B."""
    answers = {("a1", "A"): (5, 1, 4), ("a1", "B"): (2, 4, 2), ("a2", "A"): (4, 1, 3), ("a2", "B"): (1, 4, 3)}
    rows = [
        {"assessor": assessor, "system": system, "criterion": statement, "value": value}
        for (assessor, system), values in answers.items()
        for statement, value in zip(("once", "again", "clear"), values, strict=True)
    ]
    return human_tables(table(rows, kind="likert"), KNOWN)


def test_means_by_group_are_after_reversal(murray):
    assert columns(named(murray, "group-means")) == [
        {"system": "A", "content": (5 + 5 + 4 + 5) / 4, "form": 3.5, "n": 2},
        {"system": "B", "content": (2 + 2 + 1 + 2) / 4, "form": 2.5, "n": 2},
    ]


def test_means_by_statement_keep_the_order_of_the_questionnaire(murray):
    assert columns(named(murray, "statement-means")) == [
        {"statement": "once", "group": "content", "reversed": "", "A": 4.5, "B": 1.5, "n": 4},
        {"statement": "again", "group": "content", "reversed": "yes", "A": 5.0, "B": 2.0, "n": 4},
        {"statement": "clear", "group": "form", "reversed": "", "A": 3.5, "B": 2.5, "n": 4},
    ]


def test_opposite_statements_and_cronbach_alpha_are_reported(murray):
    (pair,) = columns(named(murray, "pair-consistency"))
    # once 5 2 4 1 against again, reversed, 5 2 5 2: r = 9 / √(10 · 9), differences 0 0 1 1.
    assert pair["correlation"] == pytest.approx(9 / 90**0.5)
    assert pair["mean_difference"] == 0.5
    content, form = columns(named(murray, "reliability"))
    # Variances 10/3 and 3, of the sums 10 4 9 3: 37/3. α = 2 · (1 − (19/3) / (37/3)).
    assert content["alpha"] == pytest.approx(2 * (1 - 19 / 37))
    assert form["alpha"] is None  # one statement alone


# --- all ------------------------------------------------------------------------------------------------------------


def test_numbers_are_printed_with_their_decimals_and_what_is_undefined_as_a_dash(murray):
    line = named(murray, "reliability").lines()[1]
    assert [cell.text for cell in line] == ["form", "–", "1", "4"]
    assert [cell.is_number for cell in line] == [False, True, True, True]


def test_practice_is_in_no_table():
    assert human_tables(table([{"value": 1, "practice": True}], kind="relevance", criterion="relevant")) == {}
