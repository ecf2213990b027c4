"""QUEEN, KING, JACK and sim: exact fractions of the vectors, Asiya's QUEEN, and invariances."""

import itertools
import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics.errors import BadInput
from metrics.meta.qarla import Qarla, Similarities, best_set, queen

DATA = json.loads(
    (Path(__file__).resolve().parents[2] / "data" / "metrics2" / "qarla.json").read_text(encoding="utf-8")
)
EXPECTED = DATA["expected"]
SETS = {"x1": ["x1"], "x2": ["x2"], "x1+x2": ["x1", "x2"]}


def items():
    for name, topic in DATA["topics"].items():
        texts = [*topic["models"], *topic["peers"]]
        x = [[[own[a][b] / 20 for b in texts] for a in texts] for own in topic["x"].values()]
        yield Similarities(name, tuple(topic["models"]), tuple(topic["peers"]), np.array(x))


def result_of(metrics, found, sets=None):
    counter = Qarla(metrics, sets)
    for item in found:
        counter.add(item)
    return counter.result()


def fraction(value, limit=1000):
    return Fraction(value).limit_denominator(limit)


@pytest.mark.parametrize("name", SETS)
def test_queen_is_the_exact_fraction_and_equals_asiyas(name):
    chosen = [list(DATA["topics"]["t1"]["x"]).index(metric) for metric in SETS[name]]
    for item in items():
        found = queen(item, chosen)
        assert {text: str(fraction(value)) for text, value in found.items()} == EXPECTED[name]["queen"][
            item.item
        ]
        if item.item == "t1":
            for peer, value in DATA["queen_asiya"][name].items():
                assert found[peer] == pytest.approx(value, abs=1e-12)


def test_king_jack_and_sim_are_the_exact_fractions():
    result = result_of(["x1", "x2"], items(), list(SETS.values()))
    assert result.names == list(SETS)
    for number, name in enumerate(SETS):
        assert fraction(result.king[number]) == Fraction(EXPECTED[name]["king"])
        assert fraction(result.jack[number]) == Fraction(EXPECTED[name]["jack"])
    sim = EXPECTED["sim"]
    assert fraction(result.sim[0, 1]) == Fraction(sim["x1,x2"])
    assert fraction(result.sim[0, 2]) == Fraction(sim["x1,x1+x2"])
    assert result.sim[0, 0] == 1


def test_where_asiya_lets_ties_win_we_do_not():
    result = result_of(["x1"], [Similarities(i.item, i.models, i.peers, i.x[:1]) for i in items()])
    assert fraction(result.king[0]) < Fraction(EXPECTED["x1"]["king_if_ties_win"])
    constant = [Similarities(i.item, i.models, i.peers, np.ones_like(i.x[:1])) for i in items()]
    assert result_of(["constant"], constant).king[0] == 0


NUMBERS = st.integers(0, 6)


@st.composite
def random_items(draw, metrics=2):
    found = []
    for number in range(draw(st.integers(1, 2))):
        models, peers = draw(st.integers(3, 4)), draw(st.integers(2, 3))
        size = models + peers
        values = draw(st.lists(NUMBERS, min_size=metrics * size * size, max_size=metrics * size * size))
        x = np.array(values, dtype=float).reshape(metrics, size, size)
        names = tuple(f"m{n}" for n in range(models)), tuple(f"p{n}" for n in range(peers))
        found.append(Similarities(str(number), *names, x))
    return found


def brute_king(found, chosen):
    wins = total = 0
    for item in found:
        for model in item.models:
            keep = [n for n, name in enumerate((*item.models, *item.peers)) if name != model]
            own = item.models.index(model)
            order = [own, *keep]
            # The model becomes a peer, compared with the others like every peer.
            models = tuple(name for name in item.models if name != model)
            place = (
                [n for n in keep if n < len(item.models)] + [own] + [n for n in keep if n >= len(item.models)]
            )
            assert sorted(order) == sorted(place)
            moved = Similarities(item.item, models, (model, *item.peers), item.x[:, place][:, :, place])
            values = queen(moved, chosen)
            wins += all(values[model] > values[peer] for peer in item.peers)
            total += 1
    return wins / total


def brute_jack(found, chosen):
    rich = total = 0
    for item in found:
        values = queen(item, chosen)
        count = len(item.models)
        for m in range(count):
            total += 1
            rich += any(
                values[item.peers[a]] > 0
                and values[item.peers[b]] > 0
                and all(
                    item.x[k, count + a, count + b] <= item.x[k, count + a, m]
                    and item.x[k, count + b, count + a] <= item.x[k, count + b, m]
                    for k in chosen
                )
                for a, b in itertools.permutations(range(len(item.peers)), 2)
            )
    return rich / total


@settings(max_examples=40, deadline=None)
@given(found=random_items())
def test_counting_by_whole_arrays_equals_the_definitions(found):
    result = result_of(["x", "y"], found, [["x"], ["y"], ["x", "y"]])
    for number, chosen in enumerate([[0], [1], [0, 1]]):
        assert result.king[number] == pytest.approx(brute_king(found, chosen))
        assert result.jack[number] == pytest.approx(brute_jack(found, chosen))


@settings(max_examples=30, deadline=None)
@given(found=random_items())
def test_a_monotone_map_of_a_metric_and_its_repetition_change_nothing(found):
    plain = result_of(["x", "y"], found, [["x"], ["x", "y"]])
    mapped = [
        Similarities(i.item, i.models, i.peers, np.stack([np.exp(i.x[0]) * 3 - 7, i.x[1]])) for i in found
    ]
    other = result_of(["x", "y"], mapped, [["x"], ["x", "y", "x"]])
    for name in ("king", "jack", "sim"):
        np.testing.assert_array_equal(getattr(plain, name), getattr(other, name))


@settings(max_examples=30, deadline=None)
@given(found=random_items(metrics=1))
def test_another_peer_never_lowers_jack_and_a_repeated_one_leaves_king(found):
    def with_last_again(item):
        place = [*range(item.x.shape[1]), item.x.shape[1] - 1]
        return Similarities(item.item, item.models, (*item.peers, "again"), item.x[:, place][:, :, place])

    def with_fewer(item):
        return Similarities(item.item, item.models, item.peers[:-1], item.x[:, :-1, :-1])

    whole = result_of(["x"], found)
    assert result_of(["x"], map(with_fewer, found)).jack[0] <= whole.jack[0]
    assert result_of(["x"], map(with_last_again, found)).king[0] == whole.king[0]


def test_an_undefined_similarity_makes_the_result_undefined():
    item = next(items())
    item.x[0, 5, 0] = np.nan
    result = result_of(["x1", "x2"], [item])
    assert np.isnan(result.king[0]) and not np.isnan(result.king[1])
    assert np.isnan(queen(item, [0])[item.peers[1]])
    assert not np.isnan(queen(item, [0])[item.peers[0]])


def test_too_few_models_are_refused_by_king_and_undefined_for_queen():
    two = Similarities("i", ("A", "B"), ("p",), np.ones((1, 3, 3)))
    with pytest.raises(BadInput, match="item i: KING needs three references"):
        result_of(["x"], [two])
    assert queen(two)["p"] == 1
    assert np.isnan(queen(two)["A"])


def test_clusters_join_metrics_that_agree_and_keep_the_best():
    found = [Similarities(i.item, i.models, i.peers, np.concatenate([i.x, i.x[:1]])) for i in items()]
    result = result_of(["x1", "x2", "copy"], found)
    assert result.clusters(2).tolist()[0] == result.clusters(2).tolist()[2] != result.clusters(2).tolist()[1]
    table = result.table(clusters=2)
    assert table["best_of_cluster"].sum() == 2
    assert table["king"].is_monotonic_decreasing


def test_best_set_reports_every_set_up_to_the_size():
    table = best_set(items(), ["x1", "x2"], 2).table()
    assert set(table["set"]) == {"x1", "x2", "x1+x2"}
    assert fraction(table["king"].iloc[0]) == Fraction(3, 7)
