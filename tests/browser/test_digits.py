"""Digits run one way in the whole house: a higher digit is a higher grade, and the button shows it.

Every kind is mounted by its own script in every way of using it that it names (its examples, so all presets) and in every template.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.urls import reverse

from annotation.rooms import page_files
from annotation.selectors.exhibits import frozen
from annotation.tasks import KINDS, TEMPLATES
from annotation.tasks.base import Example
from annotation.tasks.terms import Exhibit, Record, Text

pytestmark = pytest.mark.django_db(transaction=True)

# Kinds whose digits are no grades, or run the other way, and why. docs/assessing.md says the same to people. Not among them: ranking,
# whose buttons are the ranks themselves, and the box of error spans, which lists severities in the order of the study file.
EXCEPTIONS = {
    "best_worst": "a digit is the number of a text",
    "nuggets": "the protocol names its keys: 1 support, 2 partial, 3 not",
    "pairwise": "the digits go from A, left, to B, right: neither is more",
}

UNITS = ("A ferry sank near Brod.", "It was March.")
TEXT = Text(text=" ".join(UNITS), units=UNITS)

# Mounts a kind on its page, as static/assess/main.js does, and reads the digits that its controls show, scale by scale.
MOUNTED = """async ({ html, script, content, answer }) => {
  document.body.innerHTML = `<main id="main">${html}</main>`;
  const nothing = () => {};
  const page = { changed: nothing, submit: nothing, confirm: nothing, announce: nothing, submitWord: "Submit" };
  const { mount } = await import(script);
  const root = document.querySelector("#main");
  mount(root, { content, answer }, page);
  const digits = [...root.querySelectorAll(".key")].filter((key) => /^[0-9]$/.test(key.textContent.trim()));
  const scales = Map.groupBy(digits, (key) => key.closest("[data-grade]")?.parentElement ?? null);
  return {
    ungraded: (scales.get(null) ?? []).map((key) => key.parentElement.textContent.trim()),
    scales: [...scales].filter(([scale]) => scale).map(([, keys]) =>
      keys.map((key) => [Number(key.closest("[data-grade]").dataset.grade), Number(key.textContent)])),
  };
}"""


def ways() -> Iterator[tuple[str, str, Example]]:
    """All examples of all kinds; and templates, with what the last example of their kind shows, which is judging where there are phases."""
    for slug, kind in KINDS.items():
        for number, example in enumerate(kind.examples):
            yield slug, f"{slug}, example {number}", example
    for name, template in TEMPLATES.items():
        shown = KINDS[template.kind].examples[-1]
        # What a template takes from the texts, the example has.
        config = {**shown.config, **template.config} if template.fitted else template.config
        yield template.kind, f"template {name}", shown._replace(config=config)


def mounted(slug: str, example: Example) -> dict[str, Any]:
    """Answered by the machine, so that the last stage is on the page."""
    kind = KINDS[slug]
    config = kind.Config.model_validate(example.config)
    exhibit = Exhibit(
        outputs=(TEXT,) * (3 if kind.compares else 1),
        reference=TEXT,
        document=TEXT,
        topic=Text(text="A topic."),
    )
    exhibit = replace(exhibit, **example.exhibit)
    exhibit = replace(exhibit, shown=frozen(dict(exhibit.shown)))
    record = replace(Record(reference="m", document="d", topic="t"), **example.record)
    qualities = [0.5] * max(1, len(exhibit.outputs))
    answer = kind.simulate(config, exhibit, record, qualities=qualities, rng=random.Random(1))
    content = kind.content(config, exhibit, answer)
    files = page_files(slug)
    return {
        "html": render_to_string(files["task_template"], {"content": content, "submit_word": "Submit"}),
        "script": static(files["task_script"]),
        "content": content,
        "answer": answer.model_dump(mode="json"),
    }


def test_a_higher_digit_is_more_in_every_kind_but_the_named_ones(new_context):
    page = new_context().new_page()
    page.goto(reverse("login"))
    against: set[str] = set()
    graded: set[str] = set()
    for slug, way, example in ways():
        seen = page.evaluate(MOUNTED, mounted(slug, example))
        rises = all(sorted(scale) == sorted(scale, key=lambda step: step[1]) for scale in seen["scales"])
        if slug not in EXCEPTIONS:
            assert not seen["ungraded"], f"{way}: digits on controls that name no grade (data-grade)"
            assert rises, f"{way}: {seen['scales']} (grade, digit) run against the house"
        if seen["ungraded"] or not rises:
            against.add(slug)
        if seen["scales"]:
            graded.add(slug)
    assert against == set(EXCEPTIONS), "an exception that is none any more"
    assert {"attribution", "cross_comprehension", "likert", "rating", "relevance", "see"} <= graded
