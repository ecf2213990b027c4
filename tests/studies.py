"""Small studies for tests, made the way every study is made: as a study file, through the services."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

from annotation.designs import Design
from annotation.models import Assignment, Study
from annotation.selectors.exhibits import Facts, exhibit_shown, facts_of
from annotation.services.studies import study_import
from annotation.study_files.schema import (
    AssessorRow,
    DocumentRow,
    Materials,
    OutputRow,
    PracticeRow,
    ReferenceRow,
    Settings,
    StudyFile,
    SystemRow,
    TaskRow,
)
from annotation.tasks import KINDS
from annotation.tasks.terms import Exhibit

SYSTEMS = ("qx31", "wv77")
SEE = {"kind": "see", "name": "coverage"}
TIDES = {"kind": "rating", "name": "quality", "preset": "tides"}


def study_file(
    *tasks: dict[str, Any],
    documents: int = 2,
    systems: tuple[str, ...] = SYSTEMS,
    assessors: int = 2,
    **fields: Any,
) -> StudyFile:
    """Documents d1, d2 …, one reference and one output per system each, two units a text; assessors p1, p2 …"""
    items = [f"d{number}" for number in range(1, documents + 1)]
    materials = Materials(
        documents=tuple(
            DocumentRow(id=item, title=f"Story {item}", text=f"Long story of {item}.") for item in items
        ),
        references=tuple(
            ReferenceRow(id=f"r-{item}", document=item, author="anna", units=(f"First of {item}.", "Second."))
            for item in items
        ),
        outputs=tuple(
            OutputRow(system=system, document=item, units=(f"Peer {n} says {item}.", "And more."), target=10)
            for n, system in enumerate(systems)
            for item in items
        ),
        systems=tuple(SystemRow(id=system, name=f"Name of {system}") for system in systems),
    )
    made = StudyFile(
        name="A small study",
        slug="small",
        seed=7,
        instructions="Judge *well*.",
        materials=materials,
        tasks=tuple(_task(task) for task in tasks or (SEE, TIDES)),
        assessors=tuple(AssessorRow(name=f"p{number}") for number in range(1, assessors + 1)),
        design=Design(assessors_per_item=1),
    )
    return replace(made, **fields)


def _task(given: dict[str, Any]) -> TaskRow:
    config = {name: value for name, value in given.items() if name not in {"kind", "name", "design"}}
    KINDS[given["kind"]].Config.model_validate(config)
    design = Design.model_validate(given["design"]) if "design" in given else None
    return TaskRow(kind=given["kind"], name=given["name"], design=design, config=config)


def practice(task: str, *, system: str = SYSTEMS[0], document: str = "d1", **fields: Any) -> PracticeRow:
    return PracticeRow(task=task, system=system, document=document, **fields)


def plausible(assignment: Assignment) -> tuple[dict[str, Any], int]:
    """An answer that can be submitted, and the number of stages on the way to it."""
    return plausible_answer(facts_of(assignment), exhibit_shown(assignment), seed=assignment.position)


def plausible_answer(facts: Facts, exhibit: Exhibit, *, seed: int) -> tuple[dict[str, Any], int]:
    qualities = [0.6] * max(1, len(exhibit.outputs))
    rng = random.Random(seed)
    answer = facts.kind.simulate(facts.config, exhibit, facts.record, qualities=qualities, rng=rng)
    return answer.model_dump(mode="json"), facts.kind.stages(facts.config, exhibit)


def make_study(*tasks: dict[str, Any], revise: bool = False, **fields: Any) -> Study:
    fields.setdefault("settings", Settings(revise=revise))
    return study_import(study_file=study_file(*tasks, **fields))
