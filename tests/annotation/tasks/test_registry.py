"""What every task kind must have, and the way of a judgment through all of them."""

import json
import random
from dataclasses import replace
from typing import NamedTuple

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from annotation.config_form import SKIPPED, _entry_model, _inner, _is_model
from annotation.selectors.exhibits import frozen
from annotation.tasks import KINDS
from annotation.tasks.terms import Exhibit, Record, Text


class Case(NamedTuple):
    """One way of using a kind, as the kind itself declares it."""

    kind: str
    number: int

    def __str__(self) -> str:
        config = KINDS[self.kind].examples[self.number].config
        words = [word for word in config.values() if isinstance(word, str)]
        return "-".join([self.kind, str(self.number), *words])


CASES = [Case(slug, number) for slug, kind in KINDS.items() for number in range(len(kind.examples))]
texts = st.text(min_size=1).filter(str.strip)


@pytest.mark.parametrize("slug", KINDS)
def test_a_kind_is_known_by_its_slug_and_gives_examples(slug):
    assert KINDS[slug].slug == slug
    assert KINDS[slug].examples


@pytest.mark.parametrize("case", CASES, ids=str)
@given(
    peer=st.lists(texts, min_size=1, max_size=6),
    model=st.lists(texts, min_size=1, max_size=6),
    quality=st.floats(0, 1),
    seed=st.integers(0, 2**32),
)
@example(
    peer=["\U00012550"], model=["0"], quality=0.0, seed=0
)  # a letter that is newer than Python's Unicode
@settings(max_examples=15, deadline=None)
def test_a_simulated_answer_passes_every_stage_and_survives_the_way_through_rows(
    case, peer, model, quality, seed
):
    kind = KINDS[case.kind]
    example = kind.examples[case.number]
    config = kind.Config.model_validate(example.config)
    output = Text(text=" ".join(peer), units=tuple(peer))
    exhibit = Exhibit(
        outputs=(output,) * (3 if kind.compares else 1),
        reference=Text(text=" ".join(model), units=tuple(model)),
        document=Text(text="A ferry sank near Brod in March. Nobody was hurt, and the cargo was saved."),
        topic=Text(text="A topic."),
    )
    record = Record(reference="m/x:1", document="d", topic="t", set="s1" if kind.compares else "")
    exhibit, record = replace(exhibit, **example.exhibit), replace(record, **example.record)
    exhibit = replace(exhibit, shown=frozen(dict(exhibit.shown)))  # as pages get it from the database
    assert json.dumps(kind.content(config, exhibit, None)), "a page gets JSON"
    qualities = [quality] * max(1, len(exhibit.outputs))
    answer = kind.simulate(config, exhibit, record, qualities=qualities, rng=random.Random(seed))
    assert kind.Answer.model_validate_json(answer.model_dump_json()) == answer
    submitted = submit(kind, config, exhibit, answer)
    assert kind.missing(config, exhibit, submitted) == []
    rows = list(kind.rows(config, exhibit, record, submitted))
    assert list(kind.rows(config, exhibit, record, answer)) == rows, "a stage must not lose an answer"
    said = kind.answer_in_words(config, exhibit, submitted)
    assert bool(said) == bool(rows)
    assert record.reference not in said, "who reads it must not learn the ids of the study"
    again = kind.answer(config, exhibit, record, rows)
    assert list(kind.rows(config, exhibit, record, again)) == rows
    assert kind.missing(config, exhibit, again) == []


def submit(kind, config, exhibit, answer):
    """What the server makes of an answer that a page sends stage by stage."""
    known = None
    for _ in range(kind.stages(config, exhibit)):
        page = kind.content(config, exhibit, known)
        assert page, "every stage has a page"
        known = kind.advance(config, exhibit, kind.amend(config, known, answer))
    return kind.amend(config, known, answer)


@pytest.mark.parametrize("slug", KINDS)
def test_every_field_of_every_kind_has_words_of_its_own(slug):
    """The builder asks for it by its ``title``."""

    def unnamed(model, path=""):
        for name, info in model.model_fields.items():
            if name in SKIPPED:
                continue
            if not info.title:
                yield f"{path}{name}"
            kind, _ = _inner(info.annotation)
            inner = kind if _is_model(kind) else _entry_model(kind)
            if inner:
                yield from unnamed(inner, f"{path}{name}.")

    assert list(unnamed(KINDS[slug].Config)) == []
