"""Agreement on places. Expected values: Krippendorff (1995; 2004) as the tests of DKPro Statistics have them, and units of our own
(``spans/agreement.json`` of the shared data names the sources)."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.meta.unitizing import (
    Shared,
    merged,
    overlapping,
    shared_points,
    unitizing,
    unitizing_of_categories,
)
from tests.conftest import ROOT

EXPECTED = json.loads((ROOT / "tests/data/tasks2/spans/agreement.json").read_text())
OWN = EXPECTED["own"]


def stretches(begins_and_lengths, offset=0):
    return [(begin - offset, begin - offset + length) for begin, length in begins_and_lengths]


def points(person):
    return {point: severity for severity, spans in person.items() for span in spans for point in range(*span)}


def test_alpha_u_of_krippendorff_2004():
    example = EXPECTED["krippendorff_2004_p254"]
    begin, length = example["continuum"]
    people = [
        {category: stretches(units[who], begin) for category, units in example["units"].items()}
        for who in "ij"
    ]
    for category, (observed, expected) in example["observed_expected"].items():
        found = unitizing([person[category] for person in people], length)
        assert found == pytest.approx((observed, expected), abs=5e-5)
        assert found.alpha == pytest.approx(example["alpha_u"][category], abs=5e-5)
    together = unitizing_of_categories(people, length).alpha
    assert together == pytest.approx(example["exact_by_formula"]["all"], abs=1e-10)
    assert together == pytest.approx(example["alpha_u"]["all"], abs=5e-4)


def test_observed_disagreement_of_krippendorff_1995():
    example = EXPECTED["krippendorff_1995_p57"]
    for category, observed in example["observed"].items():
        people = [stretches(example[category][who]) for who in "ij"]
        assert unitizing(people, example["length"]).observed == pytest.approx(observed, abs=1e-5)


def test_alpha_u_of_dkpros_own_example():
    example = EXPECTED["dkpro_own"]
    found = unitizing([stretches(example["r0"]), stretches(example["r1"])], example["length"])
    assert (*found, found.alpha) == pytest.approx(
        (example["observed"], example["expected"], example["alpha_u"]), abs=1e-4
    )


@pytest.mark.parametrize("unit", OWN, ids=[unit["unit"] for unit in OWN])
def test_alpha_u_and_f1_of_our_own_units(unit):
    people = [unit["p1"], unit["p2"]]
    assert shared_points(points(unit["p1"]), points(unit["p2"])).f1 == pytest.approx(unit["f1_characters"])
    together = unitizing_of_categories(people, unit["length"]).alpha
    if unit["alpha_u"] is None:
        assert math.isnan(together)
        return
    assert together == pytest.approx(unit["alpha_u"]["all"])
    for severity, expected in unit["alpha_u"]["by_severity"].items():
        found = unitizing([person[severity] for person in people], unit["length"]).alpha
        assert found == pytest.approx(expected)


@pytest.mark.parametrize(
    ("credit", "name"), [(1, "f1"), (0, "f1_same_severity"), (0.5, "f1_half_credit_other_severity")]
)
def test_f1_is_pooled_over_units_with_full_half_or_no_credit_for_another_severity(credit, name):
    found = [shared_points(points(unit["p1"]), points(unit["p2"]), credit=credit) for unit in OWN]
    pooled = Shared(sum(one.both for one in found), sum(one.either for one in found))
    assert pooled.either == EXPECTED["own_pooled"]["sum_of_lengths"]
    assert pooled.f1 == pytest.approx(EXPECTED["own_pooled"][name])


def test_a_span_that_encloses_another_overlaps_it_both_ways():
    outer, inner, apart = set(range(10)), {4, 5}, {20}
    assert overlapping([outer], [inner]).f1 == overlapping([inner], [outer]).f1 == 1
    assert overlapping([outer], [inner, apart]).f1 == pytest.approx(2 / 3)
    assert overlapping([], []).f1 == 1


@given(
    st.lists(
        st.lists(
            st.tuples(st.integers(0, 30), st.integers(1, 10)).map(lambda t: (t[0], t[0] + t[1])), max_size=4
        ),
        min_size=2,
        max_size=4,
    )
)
def test_alpha_u_does_not_depend_on_the_order_of_people_and_is_1_where_all_mark_alike(people):
    found = unitizing(people, 40)
    assert found == pytest.approx(unitizing(people[::-1], 40))
    alike = unitizing([people[0]] * 3, 40)
    assert alike.observed == 0
    assert not people[0] or alike.alpha == 1
    assert all(
        before[1] <= after[0] for before, after in zip(merged(people[0]), merged(people[0])[1:], strict=False)
    )
