"""A study for tests and benchmarks under load: ``python -m tests.load_study --pieces 500 --assessors 50``.

It is made in the database that the environment names, through the services, and opened. Prints one personal link per
line, as a path.
"""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from annotation.models import Study

SLUG = "load"
SYSTEMS = 4
SENTENCES = (
    "The council voted on Tuesday to keep the ferry line open until the end of the year.",
    "A report had called the service too costly for the few hundred people who use it each day.",
    "Residents of the two islands answered with a petition and a small fleet of rowing boats.",
    "The mayor said that the question would come back, but not before the harbour was repaired.",
    "Two of the four boats are older than the bridge that was once meant to replace them.",
)


def text(number: int, length: int) -> str:
    """Like a short summary, and different for each number."""
    return " ".join(
        [f"Story number {number}.", *(SENTENCES[(number + n) % len(SENTENCES)] for n in range(length))]
    )


def make(*, pieces: int, assessors: int, task: dict, pool: bool, per_piece: int) -> list[str]:
    """Make and open the study; returns paths of personal links."""
    from django.urls import reverse

    from annotation.services.assessors import assessor_link, assessor_start
    from annotation.services.studies import study_open

    study = draft(SLUG, pieces=pieces, assessors=assessors, task=task, pool=pool, per_piece=per_piece)
    study_open(study=study)
    paths = []
    for assessor in study.assessors.select_related("study"):
        assessor_start(assessor=assessor, consented=True)
        paths.append(reverse("join", kwargs={"token": assessor_link(assessor=assessor)}))
    return paths


def draft(slug: str, *, pieces: int, assessors: int, task: dict, pool: bool, per_piece: int) -> Study:
    """The study, before it opens."""
    from annotation.designs import Design
    from annotation.services.studies import study_import
    from annotation.study_files import schema

    documents = [f"d{number}" for number in range(pieces // SYSTEMS)]
    return study_import(
        study_file=schema.StudyFile(
            name="Under load",
            slug=slug,
            seed=1,
            instructions="Judge each text.",
            materials=schema.Materials(
                documents=tuple(
                    schema.DocumentRow(id=key, title=f"Story {n}", text=text(n, 20))
                    for n, key in enumerate(documents)
                ),
                references=tuple(
                    schema.ReferenceRow(id=f"r-{key}", document=key, units=tuple(text(n, 4).split(". ")))
                    for n, key in enumerate(documents)
                ),
                outputs=tuple(
                    schema.OutputRow(system=f"s{s}", document=key, units=tuple(text(n + s, 4).split(". ")))
                    for n, key in enumerate(documents)
                    for s in range(SYSTEMS)
                ),
                systems=tuple(schema.SystemRow(id=f"s{s}") for s in range(SYSTEMS)),
            ),
            tasks=(
                schema.TaskRow(
                    kind=task["kind"],
                    name="task",
                    config={name: value for name, value in task.items() if name != "kind"},
                ),
            ),
            design=Design(assessors_per_item=per_piece, pool=pool),
            assessors=tuple(schema.AssessorRow(name=f"p{n}") for n in range(assessors)),
        )
    )


TASKS = {"rating": {"kind": "rating", "preset": "summeval"}, "see": {"kind": "see"}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pieces", type=int, required=True)
    parser.add_argument("--assessors", type=int, required=True)
    parser.add_argument("--per-piece", type=int, default=1)
    parser.add_argument("--kind", choices=TASKS, default="rating")
    parser.add_argument("--pool", action="store_true")
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    paths = make(
        pieces=options.pieces,
        assessors=options.assessors,
        task=dict(TASKS[options.kind]),
        pool=options.pool,
        per_piece=options.per_piece,
    )
    print("\n".join(paths))


if __name__ == "__main__":
    main()
