"""What every task kind must have, and the way of a judgment through all of them."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.tasks import KINDS
from annotation.tasks.base import Exhibit, Text
from annotation.tasks.rating_presets import PRESETS
from tests.conftest import ROOT

CONFIGS = [
    *(
        ("see", {"scale": scale, "variant": variant, "related": True})
        for scale in ("duc2001", "duc2002")
        for variant in ("units", "duc2004")
    ),
    *(("rating", {"preset": preset}) for preset in PRESETS),
]
texts = st.text(min_size=1).filter(str.strip)


@pytest.mark.parametrize("slug", KINDS)
def test_a_kind_has_all_its_places(slug):
    assert KINDS[slug].slug == slug
    for place in (
        f"annotation/tasks/{slug}.py",
        f"templates/annotation/tasks/{slug}.html",
        f"static/tasks/{slug}.js",
        f"fixtures/{slug}/study.yaml",
        f"metrics/human/{slug}.py",
        f"tests/annotation/tasks/test_{slug}.py",
    ):
        assert (ROOT / place).exists(), place


@pytest.mark.parametrize(("slug", "config"), CONFIGS)
@given(
    peer=st.lists(texts, min_size=1, max_size=6),
    model=st.lists(texts, min_size=1, max_size=6),
    quality=st.floats(0, 1),
    seed=st.integers(0, 2**32),
)
@settings(max_examples=25, deadline=None)
def test_a_simulated_answer_is_complete_and_survives_the_way_through_rows(
    slug, config, peer, model, quality, seed
):
    kind = KINDS[slug]
    parsed = kind.Config.model_validate(config)
    exhibit = Exhibit(
        output=Text(key="", text=" ".join(peer), units=tuple(peer)),
        reference=Text(key="m/x:1", text=" ".join(model), units=tuple(model)),
        document=Text(key="d", text="A document."),
        topic=Text(key="t", text="A topic."),
    )
    answer = kind.simulate(parsed, exhibit, quality=quality, rng=random.Random(seed))
    assert kind.missing(parsed, exhibit, answer) == []
    rows = list(kind.rows(parsed, exhibit, answer))
    assert list(kind.rows(parsed, exhibit, kind.answer(parsed, exhibit, rows))) == rows
    assert kind.missing(parsed, exhibit, kind.answer(parsed, exhibit, rows)) == []
    assert kind.Answer.model_validate_json(answer.model_dump_json()) == answer
