"""Ways of beginning a study of content units."""

from __future__ import annotations

from annotation.tasks.base import Template

_INSTRUCTIONS = """You see a text and a list of short sentences, each of which says one thing. For each of them: does the text say it?

- Go by the text alone. What you know yourself, or could guess, does not count.
- Other words are fine as long as they mean the same.
- A sentence of which only a part is there is **not present**.
- Keys: `Y` present, `N` not present, `↑` `↓` unit before and after, `Enter` submits.
"""

TEMPLATES = (
    Template(
        name="content-units",
        title="Content units of references",
        about=(
            "Some assessors take each reference apart into short sentences; others say which of them a text has (LitePyramid, ACU). "
            "Needs outputs and references."
        ),
        config={"writing": True},
        instructions="""Some of you first take a text apart into short sentences. Each says one thing, and can be understood without the others.

"""
        + _INSTRUCTIONS,
        design={"assessors_per_item": 3},
    ),
)
