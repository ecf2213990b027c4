"""The example studies: valid, different in what they show, and blind to be tested with."""

from pathlib import Path

import pytest

from annotation.study_files import read_study
from annotation.tasks.rating.presets import PRESETS
from annotation.units import cut

ROOT = Path(__file__).resolve().parents[3]
STUDIES = {
    path.parent.name: read_study(path.parent) for path in sorted((ROOT / "fixtures").glob("*/study.yaml"))
}
# Example studies of other task kinds come with those kinds; these three belong to the kinds see and rating.
DEMO, SEE, RATING = STUDIES["demo"], STUDIES["see"], STUDIES["rating"]


def test_slugs_differ():
    assert len({study.slug for study in STUDIES.values()}) == len(STUDIES)


@pytest.mark.parametrize("name", STUDIES)
def test_ids_and_names_of_systems_occur_nowhere_else(name):
    """So that a crawl that finds one has found a leak."""
    materials = STUDIES[name].materials
    words = {word for system in materials.systems for word in (system.id, system.name) if word}
    naming = {
        "systems.csv",
        "outputs.jsonl",
        "practice.jsonl",
        "scores.csv",
        "controls.jsonl",
        "prefilled.jsonl",
    }
    for top in ("annotation", "config", "fixtures", "static", "templates"):
        for path in (path for path in (ROOT / top).rglob("*") if path.is_file()):
            if path.parent.name == name and path.name in naming:
                continue
            text = path.read_text(encoding="utf-8", errors="ignore")
            assert not [word for word in words if word in text], path
    for output in materials.outputs:
        assert not [word for word in words if word in " ".join((output.text, *(output.units or ())))]


def test_the_demo_is_what_it_should_be():
    materials = DEMO.materials
    practised = {row.document for row in DEMO.practice}
    stories = [document for document in materials.documents if document.id not in practised]
    assert DEMO.slug == "demo"
    assert len(stories) == 3
    assert all(120 <= len(story.text.split()) <= 180 for story in stories)
    assert all(len(materials.references_of(story.id)) == 2 for story in stories)
    assert sorted(system.type for system in materials.systems) == ["baseline", "human", "system", "system"]
    assert {task.kind for task in DEMO.tasks} == {"see", "rating"}
    assert {row.task for row in DEMO.practice} == {task.name for task in DEMO.tasks}
    assert all(row.key for row in DEMO.practice)
    assert len(DEMO.assessors) == 4


def test_an_assessor_of_the_demo_wrote_some_outputs():
    authors = {output.author for output in DEMO.materials.outputs} - {""}
    assert authors & {person.author for person in DEMO.assessors}


def test_the_lead_baseline_of_the_demo_is_the_beginning_of_each_story():
    materials = DEMO.materials
    lead = next(system.id for system in materials.systems if system.type == "baseline")
    stories = {document.id: document.text for document in materials.documents}
    leads = [output for output in materials.outputs if output.system == lead]
    assert len(leads) == 3
    for output in leads:
        assert cut(output.text) == cut(stories[output.document])[:2]


def test_a_demo_takes_a_quarter_of_an_hour():
    """About a minute for a pair of texts, half a minute for a rating."""
    practised = {(row.task, row.system, row.document) for row in DEMO.practice}
    materials = DEMO.materials
    minutes = 0.0
    for task in DEMO.tasks:
        design = task.design or DEMO.design
        outputs = [row for row in materials.outputs if (task.name, row.system, row.document) not in practised]
        pairs = sum(len(materials.references_of(row.item)) if task.kind == "see" else 1 for row in outputs)
        minutes += (
            pairs * design.assessors_per_item / len(DEMO.assessors) * (1.0 if task.kind == "see" else 0.5)
        )
    assert 8 <= minutes <= 16


def test_the_other_studies_show_what_the_demo_does_not():
    shown = {
        task.config.get("preset", "free") for task in (*RATING.tasks, *DEMO.tasks) if task.kind == "rating"
    }
    assert shown == {*PRESETS, "free"} - {"duc2004"}
    see = [task.config for task in SEE.tasks]
    assert [config.get("scale") for config in see] == ["duc2002", None]
    assert see[0]["related"] is True
    assert see[1]["variant"] == "duc2004"
    assert all(reference.units for reference in SEE.materials.references)
    assert SEE.design.order == "model-author"
    assert SEE.consent
