"""What every task kind must have, and the way of a judgment through all of them."""

import random
from dataclasses import replace
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotation.tasks import KINDS
from annotation.tasks.base import NO_TEXT, Exhibit, Text
from annotation.tasks.likert import FAMILIARISE
from annotation.tasks.rating_presets import PRESETS
from annotation.tasks.relevance import FULL
from tests.conftest import ROOT


class Case(NamedTuple):
    """A way of using a kind: what the study says, and what the subject is like."""

    kind: str
    config: dict[str, Any]
    subject: dict[str, Any] = {}

    def __str__(self) -> str:
        words = [
            *self.config.values(),
            *self.subject.get("details", {}).values(),
            self.subject.get("phase", ""),
        ]
        return "-".join(
            [self.kind, *(word for word in words if isinstance(word, str) and word and " " not in word)]
        )


CASES = [
    *(
        Case("see", {"scale": scale, "variant": variant, "related": True})
        for scale in ("duc2001", "duc2002")
        for variant in ("units", "duc2004")
    ),
    *(Case("rating", {"preset": preset}) for preset in PRESETS),
    *(
        Case("relevance", {"kinds": ["HEAD", "HUM"]}, {"details": {"kind": kind, "topic": "t"}})
        for kind in ("HEAD", FULL)
    ),
    Case("likert", {"preset": "murray"}),
    Case("likert", {"preset": "murray", "points": 7}),
    Case("likert", {"preset": "murray"}, {"output": NO_TEXT, "details": {"stage": FAMILIARISE}}),
    Case("cross_comprehension", {}, {"output": NO_TEXT, "phase": "authoring"}),
    Case(
        "cross_comprehension",
        {},
        {
            "phase": "judging",
            "details": {
                "summary": "A ferry sank.",
                "summary_author": "a",
                "question_author": "b",
                "number": 1,
                "question": "What sank?",
                "answer": "a ferry",
            },
        },
    ),
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


def test_every_kind_is_tried():
    assert {case.kind for case in CASES} == set(KINDS)


@pytest.mark.parametrize("case", CASES, ids=str)
@given(
    peer=st.lists(texts, min_size=1, max_size=6),
    model=st.lists(texts, min_size=1, max_size=6),
    quality=st.floats(0, 1),
    seed=st.integers(0, 2**32),
)
@settings(max_examples=15, deadline=None)
def test_a_simulated_answer_passes_every_stage_and_survives_the_way_through_rows(
    case, peer, model, quality, seed
):
    kind = KINDS[case.kind]
    config = kind.Config.model_validate(case.config)
    exhibit = Exhibit(
        output=Text(key="", text=" ".join(peer), units=tuple(peer)),
        reference=Text(key="m/x:1", text=" ".join(model), units=tuple(model)),
        document=Text(
            key="d", text="A ferry sank near Brod in March. Nobody was hurt, and the cargo was saved."
        ),
        topic=Text(key="t", text="A topic."),
    )
    exhibit = replace(exhibit, **case.subject)
    answer = kind.simulate(config, exhibit, quality=quality, rng=random.Random(seed))
    assert kind.Answer.model_validate_json(answer.model_dump_json()) == answer
    submitted = submit(kind, config, exhibit, answer)
    assert kind.missing(config, exhibit, submitted) == []
    rows = list(kind.rows(config, exhibit, submitted))
    assert list(kind.rows(config, exhibit, answer)) == rows, "a stage must not lose an answer"
    again = kind.answer(config, exhibit, rows)
    assert list(kind.rows(config, exhibit, again)) == rows
    assert kind.missing(config, exhibit, again) == []


def submit(kind, config, exhibit, answer):
    """What the server makes of an answer that a page sends stage by stage."""
    known = None
    for _ in range(kind.stages(config, exhibit)):
        page = kind.content(config, exhibit, known)
        assert page, "every stage has a page"
        known = kind.advance(config, exhibit, kind.amend(config, known, answer))
    return kind.amend(config, known, answer)
