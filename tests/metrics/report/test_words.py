"""Sentences that a report makes of its numbers: true in every case, and in good English."""

import numpy as np
import pandas as pd
import pytest

from metrics.report import Options, build_report
from tests.metrics.human.rows import attributes, table

QUICK = Options(n_resamples=20)


def marks(values, *, criterion="adequacy", assessors=("p",), **more):
    """Ratings from {system: [mark of item 0, of item 1 …]}."""
    rows = [
        {
            "assessor": name,
            "system": system,
            "item": f"i{k:02d}",
            "criterion": criterion,
            "value": value,
            **more,
        }
        for name in assessors
        for system, given in values.items()
        for k, value in enumerate(given)
    ]
    return table(rows, kind="rating")


def scores(values, *, items=False):
    """A score table from {metric: {system: score}}."""
    rows = [
        {"metric": metric, "system": system, "item": f"i{k:02d}" if items else "", "score": score + k}
        for metric, given in values.items()
        for system, score in given.items()
        for k in range(3 if items else 1)
    ]
    return pd.DataFrame(rows)


def headline(judgments, **more):
    return build_report(judgments, options=QUICK, **more).data["headline"]


def methods(judgments, *, options=QUICK, **more):
    return build_report(judgments, options=options, **more).data["methods"]


# --- do they agree -------------------------------------------------------------------------------------------------


def test_assessors_who_contradict_each_other_are_not_said_to_agree():
    one = marks({"A": [1, 5, 1, 5], "B": [5, 1, 5, 1]}, assessors=("p",))
    other = marks({"A": [5, 1, 5, 1], "B": [1, 5, 1, 5]}, assessors=("q",))
    second = headline(pd.concat([one, other], ignore_index=True))[1]
    assert second.startswith("The 2 assessors agree on adequacy no more than by chance: α = −")


# --- who wins -------------------------------------------------------------------------------------------------------


LAST = {"X": [0.0] * 20, "Y": [0.1] * 20, "Z": [0.2] * 20}
"""Three systems behind all others, so that a design has five and can carry a ranking."""


def test_systems_that_tie_share_the_first_place():
    first = headline(marks({"A": [4, 2], "B": [2, 4], "C": [1, 1]}))[0]
    assert first == (
        "A and B share the highest mean by adequacy, 3.00 over 2 items; none is called best, with fewer than 5 items and "
        "fewer than 5 systems."
    )


def test_systems_that_tie_and_beat_the_rest_are_said_to():
    level = list(np.tile([4.0, 5.0], 10))
    first = headline(marks({"A": level, "B": level[::-1], **LAST}))[0]
    assert (
        first
        == "A and B share the highest mean by adequacy, 4.50 over 20 items, significantly better than the 3 other "
        "systems."
    )


def test_a_winner_beats_the_others_alone_or_leads_in_a_cluster():
    good, poor = list(np.tile([4.0, 5.0], 10)), list(np.tile([1.0, 2.0], 10))
    one = headline(marks({"A": good, "B": poor, **LAST}))[0]
    assert one.startswith("A is best by adequacy, 4.50 [")
    assert (
        "over 20 items, significantly better than all 4 other systems; in 100 % of 20 redraws of these items"
        in one
    )
    three = headline(marks({"A": [5.0, *good[1:]], "B": good, **LAST}))[0]
    assert "A leads by adequacy" in three
    assert "in one cluster with B, significantly better than the 3 other systems;" in three


def test_below_five_systems_the_difference_of_two_stands_and_nobody_is_best():
    good, poor = list(np.tile([4.0, 5.0], 10)), list(np.tile([1.0, 2.0], 10))
    told = headline(marks({"A": good, "B": poor, "C": poor[::-1]}))[0]
    assert told.startswith("A has the highest mean by adequacy, 4.50 [")
    assert told.endswith(
        "over 20 items, significantly above B and C; none is called best, with fewer than 5 systems."
    )


def test_pairs_that_differ_are_counted_where_no_line_can_be_drawn():
    """Neighbours are too close for a line anywhere, and yet those far apart differ."""
    rng = np.random.default_rng(1)
    steps = {name: (0.5 * place + rng.normal(0, 1.0, 20)).round(2) for place, name in enumerate("ABCDE")}
    told = headline(marks({name: list(values) for name, values in steps.items()}))[0]
    assert told.startswith("There is no significant winner by adequacy: ")
    assert "no line can be drawn between the 5 systems; " in told
    assert "of 10 pairs differ significantly" in told


@pytest.mark.parametrize(
    ("adequacy", "fluency", "expected"),
    [
        ({"A": [5, 4], "B": [1, 1]}, {"A": [3, 3], "B": [1, 1]}, "A has the highest mean by both human scores"),
        ({"A": [5, 4], "B": [1, 1]}, {"A": [3, 3], "B": [3, 3]},
         "A has the highest mean by both human scores, shared with B by fluency"),
        ({"A": [5, 4], "B": [4, 5]}, {"A": [3, 3], "B": [3, 3]}, "A and B share the highest mean by both human scores"),
        ({"A": [5, 4], "B": [1, 1]}, {"A": [1, 3], "B": [3, 3]},
         "No system has the highest mean by every human score: by adequacy A, by fluency B"),
    ],
)  # fmt: skip
def test_two_human_scores_agree_on_the_first_or_do_not(adequacy, fluency, expected):
    both = pd.concat([marks(adequacy), marks(fluency, criterion="fluency")])
    report = build_report(both, options=Options(human=["adequacy", "fluency"], n_resamples=20))
    stopped = "; none is called best, with fewer than 5 items and fewer than 5 systems."
    assert report.data["headline"][0] == expected + stopped


def test_of_several_human_scores_it_is_said_by_which_the_first_is_better_than_all():
    good, poor = list(np.tile([4.0, 5.0], 10)), list(np.tile([1.0, 2.0], 10))
    clear, close = {"A": good, "B": poor, **LAST}, {"A": [5.0, *good[1:]], "B": good, **LAST}
    ends = {
        "": (close, close, "; by none of them is the first significantly better than all other systems."),
        "one": (clear, close, "; significantly better than all other systems by adequacy only."),
        "both": (clear, clear, ", and each time significantly better than all other systems."),
    }
    for adequacy, fluency, end in ends.values():
        both = pd.concat([marks(adequacy), marks(fluency, criterion="fluency")])
        report = build_report(both, options=Options(human=["adequacy", "fluency"], n_resamples=20))
        assert report.data["headline"][0] == f"A has the highest mean by both human scores{end}"


# --- which metric ---------------------------------------------------------------------------------------------------

PEOPLE = marks({"A": [5, 4], "B": [4, 4], "C": [2, 3], "D": [1, 1]})
GOOD = {"A": 4.0, "B": 3.0, "C": 2.5, "D": 1.0}
MANY = {name: [float(place), place + 0.5] for place, name in enumerate("ABCDEFGH")}


def test_one_metric_that_follows_people_is_not_the_best_of_many():
    close = {name: values[0] + 0.1 * (name > "D") for name, values in MANY.items()}
    told = headline(marks(MANY), scores=scores({"m": close}))[-1]
    assert told.startswith("The automatic metric m correlates with adequacy at r = 1.00")
    assert "best of" not in told


def test_below_five_systems_no_metric_is_said_to_follow_people():
    told = headline(PEOPLE, scores=scores({"m": GOOD}))[-1]
    assert told.startswith("The automatic metric m cannot be said to follow adequacy: r = ")
    assert told.endswith("and 4 systems are too few to tell.")


def test_the_best_of_bad_metrics_is_not_praised():
    upside_down = {name: -value for name, value in GOOD.items()}
    found = headline(PEOPLE, scores=scores({"m": upside_down, "n": upside_down | {"A": -2.0}}))[-1]
    assert found.startswith(
        "None of 2 automatic metrics can be said to follow adequacy: the highest correlation is that of n, r = −"
    )


# --- methods --------------------------------------------------------------------------------------------------------


def test_numbers_of_things_are_in_good_english():
    """One of a thing is in the singular, nothing is left out silently or needlessly, no plural in brackets."""
    one = methods(marks({"A": [3]}), scores=scores({"m": {"A": 1.0}}))
    assert one[0] == "1 assessor judged outputs of 1 system on 1 item in 1 task; 1 value counts."
    assert "There are no intervals of system scores" in one[2]
    assert any(paragraph == "1 metric was imported as a score table." for paragraph in one)
    assert not any("(s)" in paragraph or "0 values" in paragraph for paragraph in one)


def test_only_what_the_study_has_is_described():
    plain = " ".join(methods(PEOPLE))
    for word in (
        "SEE",
        "repeated",
        "reference",
        "practice",
        "Correlations",
        "Agreement",
        "Not counted",
        "negated",
        "ROUGE",
    ):
        assert word not in plain
    assert "Values were not normalised per assessor." in plain
    assert "A system's score is the mean over its items." in plain


def test_what_was_left_out_is_counted_with_its_reason():
    rows = [marks({"A": [3, 4], "B": [1, 2]}, position=1), marks({"A": [5]}, position=7, practice=True)]
    rows.append(marks({"B": [2]}, position=8, control="repeat"))
    rows.append(marks({"A": [1]}, position=9))  # the first item of A once more
    report = build_report(pd.concat(rows, ignore_index=True), options=QUICK)
    assert report.data["counts"]["judgments"] == 4
    assert report.data["methods"][0].endswith(
        "4 values count. Not counted: 1 value (practice never counts), 1 value (repeated items serve intra-assessor agreement; "
        "they enter no score), 1 value (judged once more by the same assessor: the mean of both counts once)."
    )


def test_levels_and_intervals_are_those_that_there_are():
    of_systems = " ".join(methods(PEOPLE, scores=scores({"m": GOOD, "n": GOOD | {"A": 0.0}})))
    assert "at the level system (scores of systems), over what has both scores" in of_systems
    assert "Fisher's z at the level system, with" in of_systems
    assert "They hold for other systems at the level system, all else being as in the study." in of_systems
    assert "t intervals" not in of_systems
    assert "global" not in of_systems
    of_items = " ".join(methods(PEOPLE, scores=scores({"m": GOOD, "n": GOOD | {"A": 0.0}}, items=True)))
    assert "at 4 levels: system (scores of systems), item (" in of_items
    assert "t intervals of the mean at the levels item and system-average" in of_items
    assert (
        "whole systems (levels item and global) and items (level system-average) of the metric were dealt"
        in of_items
    )
    assert (
        "hold for other systems at the levels system and system-average, and for other items at the level item, all else being"
        in of_items
    )
    assert "t-test" not in of_items
    assert "dealt out" not in of_systems
    drawn = methods(
        PEOPLE, scores=scores({"m": GOOD}), options=Options(interval="bootstrap-items", n_resamples=20)
    )
    assert (
        "percentile intervals of 20 bootstrap resamples of the items; at the level system only human scores"
        in " ".join(drawn)
    )


def test_normalisation_is_said_of_the_scores_that_have_it():
    relevance = [
        {
            "system": system,
            "item": f"e/d{k}",
            "criterion": "relevant",
            "value": k % 2,
            "task": "r",
            "kind": "relevance",
        }
        for system in ("full", "head")
        for k in range(4)
    ]
    both = pd.concat([PEOPLE, table(relevance)])
    gold = attributes(*(("item", f"e/d{k}", "gold", 1) for k in range(4)))
    told = " ".join(methods(both, attributes=gold, options=Options(normalise="z", n_resamples=20)))
    assert (
        "were brought to mean 0 and standard deviation 1; not so for r/relevance-prediction and r/gold-agreement"
        in told
    )


def test_references_are_averaged_over_where_texts_were_compared_with_them():
    rows = [
        {
            "assessor": name,
            "system": system,
            "item": "i",
            "unit": f"{model}/1",
            "criterion": "coverage",
            "value": 0.5,
        }
        for name in "pq"
        for system in "AB"
        for model in ("m1", "m2")
    ]
    told = methods(table(rows, kind="see"))[1]
    assert (
        "For each assessor, values are first averaged over the references that an output was compared with (kind see)."
        in told
    )
    assert "the mean over the assessors who judged it" in told


# --- what the pages were like ---------------------------------------------------------------------------------------


def test_the_methods_name_the_language_of_the_pages_and_reading_aids():
    judgments = marks({"a": [1, 2, 3], "b": [3, 2, 5]})
    plain = " ".join(methods(judgments))
    assert "pages were in" not in plain and "Reading aids" not in plain
    known = pd.DataFrame(
        [("study", "s", "interface", "de"), ("study", "s", "aids", "shared_words scroll_together")],
        columns=["scope", "id", "name", "value"],
    )
    said = " ".join(methods(judgments, attributes=known))
    assert "The assessors' pages were in German." in said
    assert (
        "Reading aids were on: words shared with the current unit were highlighted and texts side by side scrolled together."
        in said
    )
