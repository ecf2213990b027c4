"""Forms made of the configurations of task kinds: what is shown comes back, and what is wrong is said where it stands."""

import pytest

from annotation.config_form import checked, form_fields, form_values, full_values
from annotation.tasks import KINDS, TEMPLATES
from annotation.tasks.rating.kind import Rating

CONFIGS = [
    *(
        (
            template.kind,
            {
                **template.config,
                **({"kinds": ["HEAD"]} if template.fitted and template.kind == "relevance" else {}),
            },
            name,
        )
        for name, template in TEMPLATES.items()
    ),
    *(
        (slug, dict(example.config), f"{slug} {number}")
        for slug, kind in KINDS.items()
        for number, example in enumerate(kind.examples)
    ),
]


def sent_by(fields) -> dict[str, str]:
    """What a browser sends of a form that nobody has touched."""
    sent: dict[str, str] = {}
    for one in fields:
        if one.shape in {"yes-no", "optional"}:
            sent |= {one.name: "on"} if one.value else {}
        elif one.shape not in {"group", "list"}:
            sent[one.name] = str(one.value)
        sent |= sent_by(one.fields if one.shape == "group" or one.value else ())
        for _, entry in one.entries:
            sent |= sent_by(entry)
    return sent


@pytest.mark.parametrize(
    ("slug", "config", "name"), CONFIGS, ids=lambda part: part if isinstance(part, str) else ""
)
def test_a_form_that_nobody_touches_changes_nothing(slug, config, name):
    model = KINDS[slug].Config
    values = full_values(model, config)
    back = form_values(model, sent_by(form_fields(model, values)))
    said, given = checked(model, back, preset=config.get("preset", ""))
    assert not given.errors
    assert model.model_validate(said) == model.model_validate(config)


def test_a_study_says_only_what_differs_from_its_preset():
    values = full_values(Rating.Config, {"preset": "summeval"})
    values["guideline"] = "Read it all."
    said, _ = checked(Rating.Config, values, preset="summeval")
    assert said == {"preset": "summeval", "guideline": "Read it all."}
    del values["guideline"]
    values["criteria"] = values["criteria"][:1]
    said, _ = checked(Rating.Config, values, preset="summeval")
    assert [criterion["name"] for criterion in said["criteria"]] == ["coherence"]


def test_a_score_that_a_preset_has_can_be_taken_away():
    config = KINDS["error_spans"].Config
    values = full_values(config, {"preset": "esa"}) | {"score": None}
    said, given = checked(config, values, preset="esa")
    assert said == {"preset": "esa", "score": False}
    assert not given.errors


def test_what_is_wrong_is_said_at_its_field():
    values = full_values(Rating.Config, {"preset": "summeval"})
    values["criteria"][1]["name"] = "Not a name"
    values["criteria"][0]["steps"][2]["value"] = "many"
    said, given = checked(Rating.Config, values, preset="summeval")
    assert said == {}
    assert set(given.errors) == {"criteria-1-name", "criteria-0-steps-2-value"}
    shown = form_fields(Rating.Config, values, errors=given.errors)
    criteria = next(one for one in shown if one.name == "criteria")
    assert "small letters" in criteria.entries[1][1][0].errors[0]


def test_categories_and_weights_are_written_a_line_each():
    config = KINDS["error_spans"].Config
    sent = {
        "categories": "Accuracy: Addition, Omission\r\nStyle\r\n",
        "weights": "Style = 0.5",
        "severities-0-name": "major",
        "severities-0-weight": "5",
    }
    values = form_values(config, sent)
    assert values["categories"] == {"Accuracy": ["Addition", "Omission"], "Style": []}
    assert values["weights"] == {"Style": 0.5}
    assert form_values(config, {"categories": "free"})["categories"] == "free"
